"""The claims that an extractor states of a harness suite's documents."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from evals_pipeline.core.errors import InputError, RefusedError
from evals_pipeline.core.harness_records import HarnessCase, HarnessSuite
from evals_pipeline.core.outcomes import OutputKind
from evals_pipeline.core.run_records import Extraction, RunStamp
from evals_pipeline.extract.predictions import PredictionFile
from evals_pipeline.extract.prompt_extractor import PromptExtractor, extract_with_model, plan
from evals_pipeline.extract.prompts import read_prompt
from evals_pipeline.extract.protocol import SourceDocument
from evals_pipeline.extract.run import run_code_extractor
from evals_pipeline.llm.estimate import Estimate
from evals_pipeline.llm.fresh import sampling
from evals_pipeline.pipeline.documents import source_document
from evals_pipeline.pipeline.grid import Serving, run_indices_of
from evals_pipeline.pipeline.harness_suites import HarnessCell
from evals_pipeline.pipeline.model_answers import open_door, record_of
from evals_pipeline.pipeline.project import Project

Progress = Callable[[int, int], None]


def harness_runs(project: Project, cell: HarnessCell, n_runs: int | None = None) -> tuple[int, ...]:
    """The runs of a cell: one of an extractor in code, those of a predictions file, or all.

    Raises:
        InputError: the predictions file is faulty.
        RefusedError: it has none of the runs that are asked for.
    """
    how = cell.serving
    passes = run_indices_of(project, how.model.name) if n_runs is None else range(n_runs)
    if how.code is not None:
        return tuple(passes)[:1]
    if how.predictions_path is None:
        return tuple(passes)
    runs = set(PredictionFile.open(how.predictions_path).runs(_whose(how)))
    found = tuple(index for index in passes if index in runs)
    if not found:
        raise RefusedError(
            f"{how.predictions_path}: has no run below {len(passes)}; it has "
            f"{', '.join(map(str, sorted(runs)))}."
        )
    return found


def extract_harness(
    project: Project,
    cell: HarnessCell,
    runs: Sequence[int],
    *,
    stamp: RunStamp,
    fresh: bool = False,
    on_progress: Progress | None = None,
) -> dict[tuple[str, int], Extraction]:
    """One extraction by case id and run; a document's failure is its status.

    ``fresh``: a model is sampled anew, whatever is recorded.

    Raises:
        InputError: the prompt or the predictions file is faulty.
        RefusedError: the prompt asks for fields, or a budget is spent.
        SetupError: the model cannot be asked.
    """
    how, cases = cell.serving, cell.suite.cases
    if how.predictions_path is not None:
        fixtures = [case.fixture for case in cases]
        file = PredictionFile.open(how.predictions_path)
        bound = file.bind(fixtures, output=OutputKind.CLAIMS, model=_whose(how))
        found = [bound.extraction(fixture, run) for run in runs for fixture in fixtures]
    elif how.code is not None:
        documents = [_document(case) for case in cases]
        found = [
            run_code_extractor(how.code, document, run_index=run)
            for run in runs
            for document in documents
        ]
    else:
        found = _asked(project, cell, runs, stamp=stamp, fresh=fresh, on_progress=on_progress)
    return {(one.fixture_id, one.run_index): one for one in found}


def estimate_harness(
    project: Project, cell: HarnessCell, runs: Sequence[int], *, ignore_recorded: bool = False
) -> Estimate | None:
    """What a cell would call, take and cost; None where no model is asked. Makes no call."""
    if cell.serving.prompt_path is None:
        return None
    # Under a label that no sampling has, nothing counts as recorded.
    generation = "estimate" if ignore_recorded else ""
    door = open_door(project, cell.serving.model, generation=generation)
    documents = [_document(case) for case in cell.suite.cases]
    planned = plan(
        _extractor(cell.suite, cell.serving),
        documents,
        endpoint=door.endpoint,
        run_indices=tuple(runs),
    )
    return door.estimate(list(planned.requests.values()))


def known_in_harness(
    project: Project, cell: HarnessCell, runs: Sequence[int], *, stamp: RunStamp
) -> dict[tuple[str, int], Extraction]:
    """Those of a cell's extractions that can be told without a call, by case id and run."""
    if cell.serving.prompt_path is None:
        return extract_harness(project, cell, runs, stamp=stamp)
    door, extractor = open_door(project, cell.serving.model), _extractor(cell.suite, cell.serving)
    documents = [_document(case) for case in cell.suite.cases]
    planned = plan(extractor, documents, endpoint=door.endpoint, run_indices=tuple(runs))
    found = {
        place: extractor.extraction(answer, fixture_id=place[0], run_index=place[1])
        for place, request in planned.requests.items()
        if (answer := door.find(request)) is not None
    }
    return {**found, **planned.unasked}


def _asked(
    project: Project,
    cell: HarnessCell,
    runs: Sequence[int],
    *,
    stamp: RunStamp,
    fresh: bool,
    on_progress: Progress | None,
) -> list[Extraction]:
    documents = [_document(case) for case in cell.suite.cases]
    n_planned, n_done = len(documents) * len(runs), 0

    def told(answer: object) -> None:
        del answer
        nonlocal n_done
        n_done += 1
        if on_progress is not None:
            on_progress(n_done, n_planned)

    model = cell.serving.model
    root = record_of(project, model).root
    scope = f"{cell.suite.suite_id} {cell.model_version} {' '.join(map(str, runs))}"
    with sampling(root, scope=scope, now=stamp.at, fresh=fresh) as generation:
        return extract_with_model(
            _extractor(cell.suite, cell.serving),
            documents,
            door=open_door(project, model, stamp=stamp, generation=generation),
            run_indices=tuple(runs),
            on_answer=told,
        )


def _extractor(suite: HarnessSuite, how: Serving) -> PromptExtractor:
    if how.prompt_path is None:
        raise TypeError("only a model version with a prompt has a prompt extractor")
    prompt = read_prompt(how.prompt_path)
    if prompt.output is not OutputKind.CLAIMS:
        raise RefusedError(
            f"{how.prompt_path}: says output: {prompt.output.value}, but {suite.suite_id} measures "
            "claims. Point the suite at another prompt under prompts of the model version."
        )
    return PromptExtractor(extractor_id=how.extractor_id, prompt=prompt, set_name=suite.suite_id)


def _document(case: HarnessCase) -> SourceDocument:
    day = case.reference_date
    return replace(
        source_document(case.fixture), reference_date=None if day is None else day.isoformat()
    )


def _whose(how: Serving) -> str | None:
    """Whose lines of a predictions file are meant."""
    return how.model.provider_model or None


def check_serving(cell: HarnessCell) -> tuple[InputError, ...]:
    """The faults of what serves a cell, a predictions file or a prompt, for validation.

    Raises:
        RefusedError: the prompt asks for fields, or the file holds no such model.
    """
    how = cell.serving
    try:
        if how.predictions_path is not None:
            PredictionFile.open(how.predictions_path).bind(
                [case.fixture for case in cell.suite.cases],
                output=OutputKind.CLAIMS,
                model=_whose(how),
            )
        elif how.prompt_path is not None:
            _extractor(cell.suite, how)
    except InputError as error:
        return (error,)
    return ()
