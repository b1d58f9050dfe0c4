"""Drafts a claim suite from what an extractor states today, for an author to correct.

A draft is no gold: it says what the extractor said. Its comments say what to do about that.
"""

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from evals_pipeline.core.errors import Fault, InputError, RefusedError
from evals_pipeline.core.fingerprints import sha256_bytes
from evals_pipeline.core.outcomes import ExtractionStatus, OutputKind
from evals_pipeline.core.records import Fixture
from evals_pipeline.core.run_records import Extraction, RunStamp
from evals_pipeline.extract.predictions import PredictionFile
from evals_pipeline.extract.prompt_extractor import PromptExtractor, extract_with_model, plan
from evals_pipeline.extract.prompts import read_prompt
from evals_pipeline.extract.run import run_code_extractor
from evals_pipeline.llm.estimate import Estimate
from evals_pipeline.pipeline.documents import source_document
from evals_pipeline.pipeline.extractors import PromptRoute
from evals_pipeline.pipeline.files import write_text_atomically
from evals_pipeline.pipeline.grid import Serving, as_serving, extractor_of, routing
from evals_pipeline.pipeline.model_answers import open_door
from evals_pipeline.pipeline.project import Project
from evals_pipeline.pipeline.suite_draft_text import SuiteHead, draft_text
from evals_pipeline.sets import load_suite
from evals_pipeline.sets.fixtures import find_fixture
from evals_pipeline.sets.media import media_type_of_content
from evals_pipeline.sets.paths import shown
from evals_pipeline.sets.redaction.ledger import Ledger
from evals_pipeline.sets.redaction.masking import Masker
from evals_pipeline.sets.redaction.text_documents import passages_of

_UNSTATED_TYPE = "WEB_PAGE"


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftRequest:
    """What is to be drafted.

    ``references`` are ids of fixtures, or paths of files that become inline content of
    ``source_type``. ``predictions`` are outputs to draft from instead of running the extractor.
    """

    extractor_id: str
    references: tuple[str, ...]
    suite_id: str | None = None
    name: str | None = None
    domain: str | None = None
    source_type: str | None = None
    model: str | None = None
    predictions: Path | None = None
    already_masked: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftPlan:
    """What a draft is made from; ``serving`` None: from given outputs. ``inline`` by case id."""

    request: DraftRequest
    suite_id: str
    fixtures: tuple[Fixture, ...]
    inline: frozenset[str]
    serving: Serving | None

    @property
    def source_types(self) -> tuple[str, ...]:
        """The distinct types of its sources."""
        return tuple(dict.fromkeys(fixture.source_type for fixture in self.fixtures))


def plan_draft(project: Project, request: DraftRequest) -> DraftPlan:
    """Looks up everything that a draft needs; asks nobody and writes nothing.

    Raises:
        UnknownNameError: There is no such extractor, model version or fixture.
        InputError: A source cannot be read or cannot stand in a suite; all of them.
        RefusedError: The extractor runs as no model version that is named, or the id is taken.
    """
    serving = None if request.predictions else _serving(project, request)
    fixtures: list[Fixture] = []
    inline: set[str] = set()
    faults: list[Fault] = []
    for reference in request.references:
        try:
            if Path(reference).is_file():
                fixtures.append(_inline_fixture(project, Path(reference), request))
                inline.add(fixtures[-1].fixture_id)
            else:
                fixtures.append(_stored_fixture(project, reference))
        except InputError as error:
            faults += error.faults
    ids = [fixture.fixture_id for fixture in fixtures]
    faults += (
        Fault(where=one, problem="is named twice")
        for one in dict.fromkeys(ids)
        if ids.count(one) > 1
    )
    if faults:
        raise InputError(faults)
    taken = {*project.set_names(), *project.calibration_names()}
    taken |= {path.stem for path in project.claim_suites_folder.glob("*.yaml")}
    if request.suite_id in taken:
        raise InputError.one(f"{request.suite_id}", "is the id of another set already")
    suite_id = request.suite_id or _free_id(request.extractor_id, taken)
    return DraftPlan(
        request=request,
        suite_id=suite_id,
        fixtures=tuple(fixtures),
        inline=frozenset(inline),
        serving=serving,
    )


def _serving(project: Project, request: DraftRequest) -> Serving:
    extractor = extractor_of(project, request.extractor_id)
    model = request.model
    if model is None:
        if isinstance(extractor, PromptRoute):
            message = (
                f"{request.extractor_id} is a prompt: say which model version answers, by --model, "
                "or give its outputs, by --predictions."
            )
            raise RefusedError(message)
        model = f"{extractor.extractor_id}@{extractor.version}"
    found = as_serving(project, extractor, project.model(model), set_name=request.suite_id or "")
    if found is None:
        raise RefusedError(f"{request.extractor_id} does not run as {model}. See: evals list")
    return found


def _stored_fixture(project: Project, reference: str) -> Fixture:
    found = find_fixture(reference, project.fixtures_folders)
    return Fixture(
        fixture_id=found.fixture_id,
        name=found.fixture_id,
        sha256=found.content_hash,
        source_type=found.source_type,
        media_type=found.media_type,
        path=found.path,
    )


def _inline_fixture(project: Project, path: Path, request: DraftRequest) -> Fixture:
    """A file as inline content: text, in which no detector finds anything, or somebody says so."""
    content = path.read_bytes()
    media_type = media_type_of_content(content)
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        remedy = "Make it a fixture (docs/formats.md), and name that."
        raise InputError.one(str(path), "is not UTF-8 text", remedy=remedy) from error
    if not request.already_masked:
        ledger = Ledger.open(project.suites_folder, environ=project.environ)
        found = Masker.without_terms(ledger).count(text, passages_of(text, media_type=media_type))
        if found.n_masked:
            kinds = ", ".join(f"{kind} {count}" for kind, count in sorted(found.masked.items()))
            problem = f"holds {kinds}, and a suite is committed with its documents"
            remedy = "Mask it first, or say --already-masked where nothing of it is real."
            raise InputError.one(str(path), problem, remedy=remedy)
    return Fixture(
        fixture_id=path.stem,
        name=path.stem,
        sha256=sha256_bytes(content),
        source_type=request.source_type or _UNSTATED_TYPE,
        media_type=media_type,
        inline=content,
    )


def _free_id(extractor_id: str, taken: set[str]) -> str:
    ids = (f"{extractor_id}-draft-{number:03}" for number in range(1, len(taken) + 2))
    return next(one for one in ids if one not in taken)


def estimate_draft(project: Project, draft: DraftPlan) -> Estimate | None:
    """What a draft would call, take and cost; None where no model is asked. Makes no call."""
    if draft.serving is None or draft.serving.prompt_path is None:
        return None
    door = open_door(project, draft.serving.model)
    planned = plan(
        _prompt(draft, draft.serving),
        [source_document(fixture) for fixture in draft.fixtures],
        endpoint=door.endpoint,
        run_indices=(0,),
    )
    return door.estimate(list(planned.requests.values()))


def extract_draft(project: Project, draft: DraftPlan, *, stamp: RunStamp) -> tuple[Extraction, ...]:
    """What the extractor states of every source, in their order.

    Raises:
        RefusedError: It could not read one of them; says which and why.
        InputError: The prompt or the predictions file is faulty.
    """
    found = _extractions(project, draft, stamp=stamp)
    failed = [one for one in found if one.status is not ExtractionStatus.OK]
    if failed:
        reasons = "; ".join(f"{one.fixture_id}: {one.status.value}, {one.reason}" for one in failed)
        raise RefusedError(f"nothing was drafted. {reasons}")
    return tuple(found)


def _extractions(project: Project, draft: DraftPlan, *, stamp: RunStamp) -> list[Extraction]:
    request, how = draft.request, draft.serving
    if request.predictions is not None:
        file = PredictionFile.open(request.predictions)
        bound = file.bind(draft.fixtures, output=OutputKind.CLAIMS, model=request.model)
        run_index = min(bound.runs(), default=0)
        return [bound.extraction(fixture, run_index) for fixture in draft.fixtures]
    if how is None:
        raise TypeError("a draft is made from an extractor or from outputs")
    documents = [source_document(fixture) for fixture in draft.fixtures]
    if how.code is not None:
        return [run_code_extractor(how.code, one, run_index=0) for one in documents]
    door = open_door(project, how.model, stamp=stamp)
    return extract_with_model(_prompt(draft, how), documents, door=door, run_indices=(0,))


def _prompt(draft: DraftPlan, how: Serving) -> PromptExtractor:
    if how.prompt_path is None:
        raise TypeError("only a prompt can be asked")
    return PromptExtractor(
        extractor_id=how.extractor_id,
        prompt=read_prompt(how.prompt_path),
        set_name=draft.suite_id,
        fields=(),
    )


def write_draft(
    project: Project,
    draft: DraftPlan,
    extractions: Sequence[Extraction],
    *,
    today: date,
    output: Path | None = None,
) -> Path:
    """Writes the suite file; one that exists is left alone.

    Raises:
        InputError: There is such a file already, or the draft would not load.
    """
    path = output or project.claim_suites_folder / f"{draft.suite_id}.yaml"
    if path.exists():
        remedy = "Give another --suite-id or --output; a suite that somebody wrote is not replaced."
        raise InputError.one(shown(path), "exists already", remedy=remedy)
    request = draft.request
    who = request.model or (draft.serving.model.name if draft.serving else request.extractor_id)
    head = SuiteHead(
        suite_id=draft.suite_id,
        name=request.name or f"Draft from {who}",
        domain=request.domain or "to be stated",
        source_types=draft.source_types,
        extractor_id=request.extractor_id,
        who=who,
        owner=_owner(project, draft),
        today=today,
    )
    text = draft_text(head, draft.fixtures, extractions, inline=draft.inline)
    with tempfile.TemporaryDirectory() as folder:
        trial = Path(folder) / path.name
        trial.write_text(text, encoding="utf-8", newline="\n")
        load_suite(trial, fixtures_dirs=project.fixtures_folders)
    write_text_atomically(path, text)
    return path


def _owner(project: Project, draft: DraftPlan) -> tuple[str, ...]:
    """The extractors that routing gives the draft's source types to."""
    choices = (routing(project, source_type).extractor for source_type in draft.source_types)
    return tuple(dict.fromkeys(one.extractor_id for one in choices if one is not None))
