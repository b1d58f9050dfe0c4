"""Figures with what they are pinned to, as gates and baselines take them."""

from collections.abc import Iterable
from decimal import Decimal

from evals_pipeline.baseline.measurement import Measurement, single_provider_model
from evals_pipeline.core.errors import RefusedError
from evals_pipeline.core.figures import BaselinePins, SetFigures
from evals_pipeline.core.outcomes import SetKind
from evals_pipeline.core.run_records import Extraction, PartitionKey
from evals_pipeline.pipeline.digests import input_digests
from evals_pipeline.pipeline.project import Project
from evals_pipeline.pipeline.scoring import read_figures
from evals_pipeline.pipeline.suite_figures import refuse_calibration_suites


def require_golden(project: Project, set_name: str) -> None:
    """Refuses a suite where only a golden set has what is asked for."""
    if project.kind_of(set_name) is not SetKind.FIELDS:
        refuse_calibration_suites(project, (set_name,))
        message = (
            f"{set_name}: a claim suite has no gate and no baseline. "
            f'Use "evals benchmark --suite {set_name} --fail-on precision --fail-threshold 0.8".'
        )
        raise RefusedError(message)


def measure(project: Project, set_name: str, model_version: str) -> Measurement | None:
    """The stored figures of a golden set with their pins; None when nothing was scored.

    Raises:
        RefusedError: the figures are of other files than today's, or several models answered.
    """
    require_golden(project, set_name)
    stored = read_figures(project, set_name, model_version)
    if stored is None or not isinstance(stored.figures, SetFigures):
        return None
    if stored.outdated:
        message = (
            f"{set_name}: the figures of {model_version} are out of date: "
            f"{', '.join(stored.outdated)} changed since. "
            f'Run "evals run {set_name} --model {model_version}".'
        )
        raise RefusedError(message)
    figures = stored.figures
    model = project.model(model_version)
    found = list(_extractions(project, set_name, model_version, figures.run_indices))
    answered = single_provider_model(
        {one.provenance.provider_model for one in found},
        fallback=model.provider_model or model.model or model_version,
    )
    golden = project.golden_set(set_name)
    today = input_digests(project, set_name, model_version)
    pins = BaselinePins(
        set_name=set_name,
        model_version=model_version,
        provider_model=answered,
        prompt_sha256=today.prompt,
        extractor=today.extractor,
        schema_digest=golden.schema_digest,
        corpus_digest=golden.corpus_digest,
        labels_digest=golden.labels_digest,
        n_runs=len(figures.run_indices),
        recorded_at=stored.stamp.at.date().isoformat(),
        package_version=stored.stamp.package_version,
    )
    return Measurement(
        figures=figures,
        pins=pins,
        requested_model=model.model,
        cost_usd=_cost(found),
    )


def _extractions(
    project: Project, set_name: str, model_version: str, runs: tuple[int, ...]
) -> Iterable[Extraction]:
    for run_index in runs:
        key = PartitionKey(set_name=set_name, model_version=model_version, run_index=run_index)
        yield from project.store.iter_extractions(key)


def _cost(found: list[Extraction]) -> Decimal | None:
    """What the answers cost at first; None when a price is unknown or no answer has one."""
    costs = [one.provenance.cost for one in found if one.provenance.cost is not None]
    if not costs or any(cost.usd is None for cost in costs):
        return None
    return sum((cost.usd for cost in costs if cost.usd is not None), Decimal(0))
