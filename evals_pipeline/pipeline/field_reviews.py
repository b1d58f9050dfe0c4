"""How far the stated confidence of a golden set's fields can be relied on, field by field."""

from collections import defaultdict

from evals_pipeline.calibrate.review import review_threshold
from evals_pipeline.core.errors import RefusedError
from evals_pipeline.core.figures import ConfidencePair, FieldReview
from evals_pipeline.core.run_records import FieldMatch
from evals_pipeline.pipeline.calibration_pairs import current_field_runs, field_pairs
from evals_pipeline.pipeline.calibration_sources import calibration_plan
from evals_pipeline.pipeline.project import Project
from evals_pipeline.score.calibration import calibration_figures

WANTED_PRECISION = 0.95


def field_reviews(
    project: Project, set_name: str, model_version: str, *, wanted: float = WANTED_PRECISION
) -> tuple[FieldReview, ...]:
    """Calibration and review threshold of every field over the recorded runs, then of all of them.

    Args:
        project: Where the set is.
        set_name: A golden set.
        model_version: Whose answers.
        wanted: The precision that values that go unreviewed shall have, in (0, 1].

    Raises:
        UnknownNameError, InputError: there is no such golden set, or it does not load.
        RefusedError: the model version cannot serve it, or no run is recorded for today's files.
    """
    golden = project.golden_set(set_name)
    plan = calibration_plan(project, set_name, model_version)
    keys = current_field_runs(project, set_name, model_version, plan.runs)
    if not keys:
        message = (
            f"{set_name}: nothing is judged for {model_version} from today's files and settings. "
            f'Run "evals run {set_name} --model {model_version}".'
        )
        raise RefusedError(message)
    by_field: dict[str, list[FieldMatch]] = defaultdict(list)
    for key in keys:
        for match in project.store.iter_field_matches(key):
            by_field[match.field].append(match)
    found = {spec.name: field_pairs(by_field[spec.name]) for spec in golden.fields}
    reviews = [
        _review(name, pairs, n_left_out, wanted=wanted)
        for name, (pairs, n_left_out) in found.items()
    ]
    everything = [pair for pairs, _ in found.values() for pair in pairs]
    n_left_out = sum(left_out for _, left_out in found.values())
    return (*reviews, _review(None, everything, n_left_out, wanted=wanted))


def _review(
    name: str | None, pairs: list[ConfidencePair], n_left_out: int, *, wanted: float
) -> FieldReview:
    return FieldReview(
        field=name,
        calibration=calibration_figures(pairs, n_left_out=n_left_out),
        threshold=review_threshold(pairs, wanted=wanted, n_left_out=n_left_out),
    )
