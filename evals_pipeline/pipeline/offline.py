"""Figures for outputs that somebody already has: nothing stored, no Dagster, any folder."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from evals_pipeline.core.errors import InputError, RefusedError, SetupError
from evals_pipeline.core.judge_settings import JudgeSettings
from evals_pipeline.core.outcomes import OutputKind
from evals_pipeline.core.records import GoldenSet, Suite
from evals_pipeline.core.run_records import Extraction, FieldMatch, StatusCounts
from evals_pipeline.extract.predictions import BoundPredictions, PredictionFile
from evals_pipeline.judge.claims import judge_cases
from evals_pipeline.judge.encoder import make_encoder
from evals_pipeline.judge.fields import FieldJudge
from evals_pipeline.judge.plugins import installed_judge
from evals_pipeline.judge.vectors import VectorCache
from evals_pipeline.pipeline.documents import text_if_readable
from evals_pipeline.pipeline.extraction import count_statuses
from evals_pipeline.pipeline.judges import VECTORS_FOLDER
from evals_pipeline.pipeline.project import Project
from evals_pipeline.pipeline.scoring import AnyFigures
from evals_pipeline.pipeline.suite_figures import with_origin
from evals_pipeline.score.claims import score_claims
from evals_pipeline.score.fields import score_fields
from evals_pipeline.score.unknown_fields import UnknownFields
from evals_pipeline.sets import load_golden_set, load_suite, read_content
from evals_pipeline.sets.suites import CALIBRATION

UNNAMED_MODEL = "predictions"


def open_set(
    project: Project | None, reference: str, *, fixtures: Sequence[Path] = ()
) -> GoldenSet | Suite:
    """A set by its name in the project, or by the path of a suite file or a golden set's folder.

    Raises:
        InputError: it does not load.
        SetupError: a name was given outside any project.
        UnknownNameError: the project has no set of that name.
    """
    path = Path(reference)
    if path.is_dir():
        return load_golden_set(path)
    if path.is_file():
        folders = (*fixtures, path.parent / "fixtures", *_fixtures_of(project))
        # Judging given claims reads no document, so bytes that changed are told, not refused.
        is_calibration = path.resolve().parent.name == CALIBRATION
        return load_suite(
            path, fixtures_dirs=folders, verify_content=False, is_calibration=is_calibration
        )
    if "/" in reference or reference.endswith((".yaml", ".yml")):
        raise InputError.one(reference, "is neither a file nor a folder", remedy="Check the path.")
    if project is None:
        message = (
            f"{reference}: no project here, so a set has to be named by its path: a suite file or "
            "a golden set's folder."
        )
        raise SetupError(message)
    if reference in project.golden_folders:
        return project.golden_set(reference)
    failure = project.failure_of(reference)
    if failure is None:
        return project.suite(reference)
    try:
        # As by its path: the suite may be whole and only the bytes of a document have changed.
        return load_suite(
            failure.path, fixtures_dirs=project.fixtures_folders, verify_content=False
        )
    except InputError:
        raise failure.as_asked(reference) from None


def score_predictions(
    found: GoldenSet | Suite,
    predictions: Path,
    *,
    project: Project | None = None,
    judge: JudgeSettings | None = None,
    model: str | None = None,
) -> AnyFigures:
    """The figures of one model's outputs on a set, over all runs of the file.

    Memory does not grow with the size of the documents or of the file.

    Raises:
        InputError: the file has faulty lines; all of them.
        RefusedError: the file holds several models and none was chosen, or the judge has to ask a
            model, which needs ``evals run``.
    """
    judge = judge or (project.settings.judge if project else JudgeSettings())
    file = PredictionFile.open(predictions)
    if isinstance(found, GoldenSet):
        return _score_fields(found, file, model=model)
    if judge.asks_model:
        message = (
            "score asks no model: the LLM judge works in evals run and evals benchmark. "
            "Use --judge embedding, and guards flag or reject."
        )
        raise RefusedError(message)
    vectors = VectorCache(vectors_folder(project), make_encoder(judge.encoder))
    return _score_claims(found, file, judge=judge, model=model, vectors=vectors)


def models_in(predictions: Path) -> tuple[str | None, ...]:
    """The models that a predictions file names; (None,) where its lines name none."""
    return PredictionFile.open(predictions).models()


def _score_fields(golden: GoldenSet, file: PredictionFile, *, model: str | None) -> AnyFigures:
    fixtures = [document.fixture for document in golden.documents]
    names = tuple(spec.name for spec in golden.fields)
    bound = file.bind(fixtures, output=OutputKind.FIELDS, field_names=names, model=model)
    runs = _runs(bound, file)
    judge = FieldJudge()
    statuses = [StatusCounts(planned=0, ok=0)]
    unknown = UnknownFields(names)

    def matches() -> Iterator[FieldMatch]:
        for document in golden.documents:
            content = read_content(document.fixture)
            text = text_if_readable(content, media_type=document.fixture.media_type)
            for run_index in runs:
                extraction = bound.extraction(document.fixture, run_index)
                statuses[0] = _added(statuses[0], extraction)
                unknown.add(extraction)
                yield from judge.judge_document(golden.fields, document, extraction, text=text)

    return score_fields(
        golden,
        matches(),
        model_version=model or UNNAMED_MODEL,
        run_indices=runs,
        statuses=lambda: statuses[0],
        unknown=unknown,
    )


def _score_claims(
    suite: Suite,
    file: PredictionFile,
    *,
    judge: JudgeSettings,
    model: str | None,
    vectors: VectorCache,
) -> AnyFigures:
    fixtures = [case.fixture for case in suite.cases]
    bound = file.bind(fixtures, output=OutputKind.CLAIMS, model=model)
    runs = _runs(bound, file)
    pairs = [
        (case, bound.extraction(case.fixture, run_index))
        for run_index in runs
        for case in suite.cases
    ]
    arbiter = installed_judge(judge.plugin) if judge.plugin else None
    judged = judge_cases(pairs, settings=judge, vectors=vectors, arbiter=arbiter)
    statuses = count_statuses([one for _, one in pairs], planned=len(pairs))
    figures = score_claims(
        judged,
        set_name=suite.suite_id,
        model_version=model or UNNAMED_MODEL,
        run_indices=runs,
        statuses=statuses,
    )
    return with_origin(figures, suite, judge)


def _runs(bound: BoundPredictions, file: PredictionFile) -> tuple[int, ...]:
    runs = bound.runs()
    if not runs:
        raise RefusedError(f"{file.path}: holds no prediction for this set. Check --predictions.")
    return runs


def _added(total: StatusCounts, one: Extraction) -> StatusCounts:
    counted = {one.status.value: getattr(total, one.status.value) + 1}
    return replace(total, planned=total.planned + 1, **counted)


def _fixtures_of(project: Project | None) -> tuple[Path, ...]:
    return project.fixtures_folders if project else ()


def vectors_folder(project: Project | None) -> Path:
    """The project's cache of vectors, else the user's cache folder: no result, only arithmetic."""
    if project is not None:
        return (project.storage / VECTORS_FOLDER).here
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "evals-pipeline" / VECTORS_FOLDER
