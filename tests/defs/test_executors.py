import pytest

from evals_pipeline.core.errors import SetupError
from evals_pipeline.defs.executors import executor_of
from evals_pipeline.defs.location import build_location
from evals_pipeline.pipeline.project import Project


def test_the_executor_of_the_settings_runs_the_jobs(bills, monkeypatch):
    def name_of(**environ):
        location = build_location(Project.open(bills.root, environ=environ))
        return location.resolve_job_def("bills").executor_def.name

    (bills.root / "executors.py").write_text(
        "import dagster\n"
        "two = dagster.multiprocess_executor.configured({'max_concurrent': 2}, name='two')\n"
    )
    monkeypatch.syspath_prepend(str(bills.root))
    assert name_of() == "in_process"
    assert name_of(EVALS_EXECUTOR="multiprocess") == "multiprocess"
    assert name_of(EVALS_EXECUTOR="executors:two") == "two"


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("no_such_package.x:y", "Install the package that holds no_such_package.x"),
        ("json:dumps", "json has no Dagster executor 'dumps'"),
        ("json:nothing", "json has no Dagster executor 'nothing'"),
    ],
)
def test_what_is_no_executor_is_named(name, problem):
    with pytest.raises(SetupError, match=problem):
        executor_of(name)
