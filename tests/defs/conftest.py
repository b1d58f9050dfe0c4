import dagster as dg
import pytest

from evals_pipeline.defs.location import build_location
from evals_pipeline.defs.partitions import grids
from evals_pipeline.pipeline.project import Project
from tests.defs.bills import Bills


@pytest.fixture
def bills(tmp_path):
    return Bills(tmp_path / "project").make()


@pytest.fixture
def project(bills):
    return Project.open(bills.root, environ={})


@pytest.fixture
def grid(project):
    return next(grid for grid in grids(project) if grid.set_name == "bills")


@pytest.fixture
def location(project):
    return build_location(project)


@pytest.fixture
def instance():
    with dg.DagsterInstance.ephemeral() as instance:
        yield instance
