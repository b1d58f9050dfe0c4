"""Questions of a set put through the model door: estimates before, extractions after."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from typing import TYPE_CHECKING

from evals_pipeline.core.errors import RefusedError
from evals_pipeline.core.outcomes import OutputKind, SetKind
from evals_pipeline.core.run_records import Extraction, PartitionKey, RunStamp
from evals_pipeline.core.settings import ModelSettings
from evals_pipeline.extract.prompt_extractor import PromptExtractor, extract_with_model, plan
from evals_pipeline.extract.prompts import read_prompt
from evals_pipeline.llm.asking import Stamp
from evals_pipeline.llm.budget import Budget
from evals_pipeline.llm.costs import PriceBook
from evals_pipeline.llm.door import AskingAgain, ModelDoor
from evals_pipeline.llm.endpoint import Endpoint
from evals_pipeline.llm.estimate import Estimate
from evals_pipeline.llm.fresh import sampling
from evals_pipeline.llm.record import AnswerRecord
from evals_pipeline.llm.request import Purpose
from evals_pipeline.pipeline.documents import source_documents
from evals_pipeline.pipeline.grid import Serving
from evals_pipeline.pipeline.project import Project
from evals_pipeline.pipeline.spent_answers import note_costs

if TYPE_CHECKING:
    from evals_pipeline.llm.answers import Answer

Progress = Callable[[int, int], None]
ANSWERS_FOLDER = "answers"


@dataclass(slots=True, kw_only=True)
class _Command:
    """What the runs of one command line share: budgets by model version, and what was asked."""

    began: datetime = field(default_factory=lambda: datetime.now(UTC))
    budgets: dict[str, Budget] = field(default_factory=dict)
    asked: set[str] = field(default_factory=set)


@dataclass(slots=True, kw_only=True)
class _Commands:
    """The command line that is at work in this process; a run outside one is its own."""

    budgets_by_run: dict[tuple[str, str], Budget] = field(default_factory=dict)
    asked_by_run: dict[RunStamp, set[str]] = field(default_factory=dict)
    current: _Command | None = None

    def budget_of(self, run_id: str, model: ModelSettings) -> Budget:
        if self.current is not None:
            return self.current.budgets.setdefault(model.name, _new_budget(model))
        return self.budgets_by_run.setdefault((run_id, model.name), _new_budget(model))

    def asked_in(self, stamp: RunStamp) -> set[str]:
        if self.current is not None:
            return self.current.asked
        return self.asked_by_run.setdefault(stamp, set())


_COMMANDS = _Commands()


@contextmanager
def one_budget() -> Iterator[None]:
    """Within it, all runs of this process draw on one budget per model version.

    They also share what was asked, so that a verdict that cannot be read is tried again only once.
    """
    before, _COMMANDS.current = _COMMANDS.current, _Command()
    try:
        yield
    finally:
        _COMMANDS.current = before


def record_of(project: Project, model: ModelSettings | None = None) -> AnswerRecord:
    """The project's record of answers, with the committed recordings of a model version."""
    folders = (project.root / model.recordings,) if model and model.recordings else ()
    return AnswerRecord(project.storage / ANSWERS_FOLDER, recordings=folders)


def open_door(
    project: Project,
    model: ModelSettings,
    *,
    stamp: RunStamp | None = None,
    generation: str = "",
    asks_once: bool = False,
    insists: bool = False,
) -> ModelDoor:
    """The door to a model version; opening it calls nobody and needs no key.

    ``asks_once``: what came of a question stands for the rest of the command, good or not.
    ``insists``: ask although another model than the pinned one answered last.
    """
    asked = _COMMANDS.asked_in(stamp) if asks_once and stamp else None
    run_id = stamp.run_id if stamp else "local"
    return ModelDoor(
        Endpoint.of_settings(model),
        record=record_of(project, model),
        prices=PriceBook(project.settings.prices),
        budget=_COMMANDS.budget_of(run_id, model),
        stamp=Stamp(run_id=run_id, commit=stamp.commit if stamp else None, generation=generation),
        environ=project.environ,
        again=AskingAgain(
            asked=asked,
            insists=insists,
            since=_COMMANDS.current.began if _COMMANDS.current else None,
        ),
    )


def prompt_extractor(project: Project, set_name: str, how: Serving) -> PromptExtractor:
    """The prompt that serves a set, as an extractor.

    Raises:
        InputError: the prompt file is missing or faulty.
        RefusedError: the prompt emits claims for a set of fields, or the reverse.
    """
    if how.prompt_path is None:
        raise TypeError("only a model version with a prompt has a prompt extractor")
    is_fields = project.kind_of(set_name) is SetKind.FIELDS
    wanted = OutputKind.FIELDS if is_fields else OutputKind.CLAIMS
    prompt = read_prompt(how.prompt_path)
    if prompt.output is not wanted:
        message = (
            f"{how.prompt_path}: says output: {prompt.output.value}, but {set_name} measures "
            f"{wanted.value}. Change the head of the prompt, or point the set at another one."
        )
        raise RefusedError(message)
    return PromptExtractor(
        extractor_id=how.extractor_id,
        prompt=prompt,
        set_name=set_name,
        fields=project.golden_set(set_name).fields if is_fields else (),
    )


def ask_model(
    project: Project,
    how: Serving,
    key: PartitionKey,
    *,
    stamp: RunStamp,
    fresh: bool = False,
    on_progress: Progress | None = None,
) -> list[Extraction]:
    """One extraction of every document of a set in one run; recorded answers cost nothing.

    Raises:
        BudgetError, PinError, SetupError: the run has to stop; what was paid for is recorded.
    """
    extractor = prompt_extractor(project, key.set_name, how)
    documents = list(source_documents(project, key.set_name))
    scope = f"{key.set_name} {key.model_version} {key.run_index}"
    record = record_of(project, how.model)
    answers: list[Answer] = []

    def told(answer: "Answer") -> None:
        answers.append(answer)
        if on_progress is not None:
            on_progress(len(answers), len(documents))

    try:
        with sampling(record.root, scope=scope, now=stamp.at, fresh=fresh) as generation:
            return extract_with_model(
                extractor,
                documents,
                door=open_door(project, how.model, stamp=stamp, generation=generation),
                run_indices=(key.run_index,),
                on_answer=told,
            )
    finally:
        # A run that the budget or another model stopped has paid for the answers before.
        labelled = [(_label_of(record, one), one) for one in answers if one.cost.is_new]
        note_costs(project, key, labelled, purpose=Purpose.EXTRACTION, stamp=stamp)


def estimate_model(
    project: Project,
    set_name: str,
    how: Serving,
    run_indices: tuple[int, ...],
    *,
    ignore_recorded: bool = False,
) -> Estimate:
    """What extracting a set would call, take and cost; makes no call."""
    extractor = prompt_extractor(project, set_name, how)
    # Under a label that no sampling has, nothing counts as recorded.
    door = open_door(project, how.model, generation="estimate" if ignore_recorded else "")
    planned = plan(
        extractor,
        list(source_documents(project, set_name)),
        endpoint=door.endpoint,
        run_indices=run_indices,
    )
    return door.estimate(list(planned.requests.values()))


def recorded_extractions(project: Project, how: Serving, key: PartitionKey) -> list[Extraction]:
    """The extractions of a run whose answers are recorded and good; asks nobody."""
    extractor = prompt_extractor(project, key.set_name, how)
    door = open_door(project, how.model)
    planned = plan(
        extractor,
        list(source_documents(project, key.set_name)),
        endpoint=door.endpoint,
        run_indices=(key.run_index,),
    )
    found = [
        extractor.extraction(answer, fixture_id=fixture_id, run_index=run_index)
        for (fixture_id, run_index), request in planned.requests.items()
        if (answer := door.find(request)) is not None
    ]
    return [*found, *planned.unasked.values()]


def _label_of(record: AnswerRecord, answer: "Answer") -> str:
    """What was asked about, as the record has it; the answer's key for one that is not kept."""
    file = record.read(answer.key)
    return file.origin.label if file is not None else answer.key


def total_usd(estimates: list[Estimate]) -> Decimal | None:
    """The sum of some estimates; None as soon as one price is unknown."""
    if any(one.usd is None for one in estimates):
        return None
    return sum((one.usd for one in estimates if one.usd is not None), Decimal(0))


def _new_budget(model: ModelSettings) -> Budget:
    return Budget(usd=model.budget_usd, tokens=model.budget_tokens)
