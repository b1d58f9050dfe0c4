"""The code location of a project: all of its sets' assets, checks, jobs, sensors and schedules."""

import warnings

import dagster as dg

from evals_pipeline.defs.alerts import alerts_sensor
from evals_pipeline.defs.assets import set_assets
from evals_pipeline.defs.automation import carry_on_sensor
from evals_pipeline.defs.checks import set_checks
from evals_pipeline.defs.executors import executor_of
from evals_pipeline.defs.jobs import everything_job, figures_job, grid_job, harness_job
from evals_pipeline.defs.partitions import grids, harness_grids
from evals_pipeline.defs.schedules import nightly_schedule
from evals_pipeline.defs.sensors import prompts_sensor, sets_sensor
from evals_pipeline.pipeline.project import Project


def build_location(project: Project) -> dg.Definitions:
    """The definitions of a project as it stands now.

    A set that does not load is there with its assets, whose checks say what is wrong with it.

    Raises:
        SetupError: two sets have one name in Dagster, or the executor of the settings is none.
    """
    found = grids(project)
    harnesses = harness_grids(project, found)
    known = (*found, *harnesses)
    root = project.root
    with warnings.catch_warnings():
        # Partitioned checks and the mapping from a grid to its model versions are new in Dagster.
        # They are relied on knowingly, and this is the one place that says so.
        warnings.simplefilter("ignore", dg.PreviewWarning)
        warnings.simplefilter("ignore", dg.BetaWarning)
        grid_jobs = [grid_job(grid) for grid in found]
        everything = everything_job(known, lambda: build_location(Project.open(root)))
        return dg.Definitions(
            assets=[asset for grid in known for asset in set_assets(project, grid)],
            asset_checks=[check for grid in found for check in set_checks(project, grid)],
            jobs=[
                everything,
                *grid_jobs,
                *(figures_job(grid) for grid in found if grid.models),
                *(harness_job(grid) for grid in harnesses if grid.models),
            ],
            sensors=[
                prompts_sensor(root, found, grid_jobs),
                sets_sensor(root, found, grid_jobs),
                carry_on_sensor(),
                *([alerts_sensor(root)] if project.settings.alerts.webhook_env else []),
            ],
            schedules=[nightly_schedule(everything)],
            executor=executor_of(project.settings.executor),
        )
