"""The assets of a set that have one partition for each model version: figures and what follows."""

from pathlib import Path

import dagster as dg

from evals_pipeline.core import record_json
from evals_pipeline.core.errors import RefusedError
from evals_pipeline.core.fingerprints import digest_of
from evals_pipeline.core.outcomes import GateVerdict, SetKind
from evals_pipeline.defs.failures import failing_clearly
from evals_pipeline.defs.figures_metadata import figures_metadata
from evals_pipeline.defs.metadata import (
    OWNERS,
    Result,
    baseline_metadata,
    fit_metadata,
    page_metadata,
    table_metadata,
    version_of_rows,
)
from evals_pipeline.defs.partitions import MODEL_VERSION, Grid
from evals_pipeline.pipeline.answer_spending import answer_cost
from evals_pipeline.pipeline.baselines import read_baseline, record_baseline
from evals_pipeline.pipeline.calibration import fit_calibration
from evals_pipeline.pipeline.digests import FIGURES_VERSION, input_digests
from evals_pipeline.pipeline.project import Project
from evals_pipeline.pipeline.scoring import score_model
from evals_pipeline.pipeline.stamps import make_stamp
from evals_pipeline.store.layout import Partition
from evals_pipeline.store.tables import BASELINES, CALIBRATION_FITS, METRICS


class BaselineConfig(dg.Config):
    """``promote`` writes today's figures as the baseline file that is to be committed."""

    promote: bool = False


def model_assets(root: Path, grid: Grid) -> list[dg.AssetsDefinition]:
    """The assets by model version of a set."""
    baseline = [_baseline(root, grid)] if grid.kind is SetKind.FIELDS else []
    return [_metrics(root, grid), *baseline, _calibration(root, grid)]


def _metrics(root: Path, grid: Grid) -> dg.AssetsDefinition:
    @dg.asset(
        key=grid.key("metrics"),
        deps=[_all_runs_of_matches(grid)],
        group_name=grid.safe_name,
        partitions_def=grid.by_model(),
        automation_condition=dg.AutomationCondition.eager(),
        description=(
            f"The figures of `{grid.set_name}` for each model version, over the runs that exist "
            "for today's documents, prompt, labels and settings. Automation makes them when all "
            f"runs are judged; or materialise a model version here, or run `evals run "
            f"{grid.set_name}`."
        ),
        kinds={"python", "duckdb"},
        owners=OWNERS,
        code_version=FIGURES_VERSION,
        metadata=table_metadata(METRICS),
    )
    def metrics(context: dg.AssetExecutionContext) -> Result:
        model = context.partition_key
        with failing_clearly():
            project = Project.open(root)
            stamp = make_stamp(root, run_id=context.op_execution_context.run_id)
            figures = score_model(project, grid.set_name, model, stamp=stamp)
            digests = input_digests(project, grid.set_name, model)
            header = project.store.header(METRICS.name, _partition(grid, model))
            cost = answer_cost(project, grid.set_name, model, figures.run_indices)
        return dg.MaterializeResult(
            metadata={
                **figures_metadata(figures, digests, stamp, cost),
                **page_metadata(root, grid.set_name),
            },
            data_version=version_of_rows(header),
        )

    return metrics


def _baseline(root: Path, grid: Grid) -> dg.AssetsDefinition:
    @dg.asset(
        key=grid.key("baseline"),
        deps=[grid.key("metrics")],
        group_name=grid.safe_name,
        partitions_def=grid.by_model(),
        automation_condition=dg.AutomationCondition.eager(),
        description=(
            f"The baseline of `{grid.set_name}` that stands in its folder for each model version: "
            "per field and document, how many of how many runs were right. Materialising it reads "
            "the file; only with `promote: true` in the launchpad, or with `evals baseline record "
            f"{grid.set_name}`, are today's figures written as the file to commit, and never past "
            "a red gate."
        ),
        kinds={"json", "duckdb"},
        owners=OWNERS,
        metadata=table_metadata(BASELINES),
    )
    def baseline(context: dg.AssetExecutionContext, config: BaselineConfig) -> Result:
        model = context.partition_key
        with failing_clearly():
            project = Project.open(root)
            stamp = make_stamp(root, run_id=context.op_execution_context.run_id)
            if config.promote:
                _refuse_past_a_red_gate(project, grid, model)
                record_baseline(project, grid.set_name, model, stamp=stamp)
            standing = read_baseline(project, grid.set_name, model)
            if standing is not None and not config.promote:
                digests = input_digests(project, grid.set_name, model)
                project.store.write_baseline(standing, digests, stamp)
        version = "none" if standing is None else digest_of(record_json.encode(standing))
        return dg.MaterializeResult(
            metadata=baseline_metadata(standing), data_version=dg.DataVersion(version)
        )

    return baseline


def _calibration(root: Path, grid: Grid) -> dg.AssetsDefinition:
    @dg.asset(
        key=grid.key("calibration"),
        deps=[_all_runs_of_matches(grid)],
        group_name=grid.safe_name,
        partitions_def=grid.by_model(),
        automation_condition=dg.AutomationCondition.eager(),
        description=(
            f"The fit of the confidence that each model version states in `{grid.set_name}` to how "
            "often it is right, or its refusal with the reason: a refused fit is recorded and "
            "never applied. It is made from recorded runs. Materialise a model version here, or "
            f"run `evals calibrate {grid.set_name}`, which also records the runs that a fit lacks."
        ),
        kinds={"scipy", "duckdb"},
        owners=OWNERS,
        metadata=table_metadata(CALIBRATION_FITS),
    )
    def calibration(context: dg.AssetExecutionContext) -> Result:
        model = context.partition_key
        with failing_clearly():
            project = Project.open(root)
            stamp = make_stamp(root, run_id=context.op_execution_context.run_id)
            fit = fit_calibration(project, grid.set_name, model, stamp=stamp)
            header = project.store.header(CALIBRATION_FITS.name, _partition(grid, model))
        return dg.MaterializeResult(
            metadata=fit_metadata(fit), data_version=version_of_rows(header)
        )

    return calibration


def _refuse_past_a_red_gate(project: Project, grid: Grid, model_version: str) -> None:
    """A promotion looks at the stored verdict itself: it may have been launched by itself."""
    stored = project.store.read_gate(grid.set_name, model_version)
    if stored is None or stored.digests != input_digests(project, grid.set_name, model_version):
        raise RefusedError(
            f"{grid.set_name}: the gate has not looked at today's figures of {model_version}. "
            "Materialise metrics with its checks first."
        )
    if stored.record.verdict is GateVerdict.FAIL:
        reasons = "; ".join(stored.record.reasons).rstrip(".")
        raise RefusedError(
            f"{grid.set_name}: the gate of {model_version} is red, so its figures are not "
            f"promoted: {reasons}. Mend the prompt, or acknowledge the drop in the commit and "
            "gate again."
        )


def _all_runs_of_matches(grid: Grid) -> dg.AssetDep:
    """A model version's matches of every run."""
    return dg.AssetDep(
        grid.key("matches"),
        partition_mapping=dg.MultiToSingleDimensionPartitionMapping(MODEL_VERSION),
    )


def _partition(grid: Grid, model_version: str) -> Partition:
    return Partition(set_name=grid.set_name, model_version=model_version)
