"""A prompt with a model as an extractor: documents to questions, answers to extractions."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from evals_pipeline.core.errors import InputError
from evals_pipeline.core.outcomes import ExtractionStatus, OutputKind
from evals_pipeline.core.records import FieldSpec, JsonValue
from evals_pipeline.core.run_records import Claim, Extraction, FieldValue, Provenance
from evals_pipeline.extract.documents import show_document
from evals_pipeline.extract.drafts import draft_from_text
from evals_pipeline.extract.prompts import ConfidenceSource, Prompt, answer_schema, render
from evals_pipeline.extract.protocol import Draft, SourceDocument
from evals_pipeline.extract.run import stamp
from evals_pipeline.extract.value_spans import value_spans
from evals_pipeline.llm.answers import Answer
from evals_pipeline.llm.door import ModelDoor
from evals_pipeline.llm.endpoint import Endpoint
from evals_pipeline.llm.logprobs import joint_probability, typical_probability
from evals_pipeline.llm.request import AnswerRequest, Message, Purpose, Sampling

NOT_ALIGNED = "its log-probability could not be aligned"
OnExtraction = Callable[[Extraction], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptExtractor:
    """A prompt under an id; routing treats it like any extractor.

    ``source_types`` empty accepts every type, as the fallback of the routing does. ``fields`` are
    those of the golden set that the prompt serves; a prompt for claims has none. ``schema`` is the
    JSON Schema of its answers.
    """

    extractor_id: str
    prompt: Prompt
    set_name: str = ""
    fields: tuple[FieldSpec, ...] = ()
    source_types: frozenset[str] = frozenset()
    must_not: frozenset[str] = frozenset()
    schema: Mapping[str, JsonValue] = field(init=False)

    def __post_init__(self) -> None:
        # Built once: every question of a set shares it.
        object.__setattr__(self, "schema", answer_schema(self.prompt, self.fields))

    @property
    def version(self) -> str:
        """The SHA-256 of the prompt's file."""
        return self.prompt.sha256

    @property
    def output(self) -> OutputKind:
        """Whether the prompt asks for claims or for fields."""
        return self.prompt.output

    def accepts(self, source_type: str) -> bool:
        """Whether it reads documents of this type."""
        return not self.source_types or source_type in self.source_types

    def render_for(self, document: SourceDocument, *, endpoint: Endpoint) -> tuple[Message, ...]:
        """The messages that would be sent for a document.

        Raises:
            InputError: the document cannot be shown to the model, or the template fails on it.
        """
        shown = show_document(document, form=endpoint.input)
        return render(self.prompt, document, shown, fields=self.fields)

    def request(
        self, document: SourceDocument, *, endpoint: Endpoint, run_index: int
    ) -> AnswerRequest:
        """The question for a document in one run.

        Raises:
            InputError: as ``render_for``.
        """
        messages = self.render_for(document, endpoint=endpoint)
        return self._request(messages, document, endpoint=endpoint, run_index=run_index)

    def _request(
        self,
        messages: tuple[Message, ...],
        document: SourceDocument,
        *,
        endpoint: Endpoint,
        run_index: int,
    ) -> AnswerRequest:
        return AnswerRequest(
            messages=messages,
            schema=self.schema,
            sampling=self._sampling(endpoint, run_index),
            run_index=run_index,
            structured=endpoint.structured,
            purpose=Purpose.EXTRACTION,
            set_name=self.set_name,
            label=document.fixture_id,
            prompt_sha256=self.prompt.sha256,
        )

    def _sampling(self, endpoint: Endpoint, run_index: int) -> Sampling:
        prompt = self.prompt
        warmth = endpoint.temperature if prompt.temperature is None else prompt.temperature
        return Sampling(
            temperature=warmth,
            seed=None if endpoint.seed is None else endpoint.seed + run_index,
            max_output_tokens=prompt.max_output_tokens or endpoint.max_output_tokens,
            logprobs=prompt.confidence is ConfidenceSource.LOGPROBS,
            extra=endpoint.parameters,
        )

    def extraction(self, answer: Answer, *, fixture_id: str, run_index: int) -> Extraction:
        """What an answer says of a document; every status of an answer has one here."""
        return stamp(
            self._draft(answer),
            fixture_id=fixture_id,
            run_index=run_index,
            required_fields=tuple(spec.name for spec in self.fields),
            provenance=self._provenance(answer),
        )

    def _draft(self, answer: Answer) -> Draft:
        if answer.status is ExtractionStatus.ERROR:
            return Draft(status=answer.status, reason=answer.reason)
        if answer.refusal and not answer.text.strip():
            return Draft(
                status=ExtractionStatus.UNPARSABLE, reason=f"the model refused: {answer.refusal}"
            )
        draft = draft_from_text(
            answer.text,
            finish_reason=answer.finish_reason,
            output=self.output,
            field_names=tuple(spec.name for spec in self.fields),
        )
        if draft.status is ExtractionStatus.OK and self.prompt.confidence is (
            ConfidenceSource.LOGPROBS
        ):
            return with_token_confidence(draft, answer)
        return draft

    def _provenance(self, answer: Answer | None) -> Provenance:
        name = f"{self.extractor_id}@{self.version[:12]}"
        if answer is None:
            return Provenance(extractor=name, prompt_sha256=self.prompt.sha256)
        return Provenance(
            extractor=name,
            prompt_sha256=self.prompt.sha256,
            answer_key=answer.key,
            provider_model=answer.provider_model,
            system_fingerprint=answer.system_fingerprint,
            finish_reason=answer.finish_reason,
            usage=answer.usage,
            cost=answer.cost,
            retries=answer.retries,
            duration_s=answer.duration_s,
        )

    def _unshowable(
        self, document: SourceDocument, run_index: int, error: InputError
    ) -> Extraction:
        reason = "; ".join(fault.problem for fault in error.faults)
        return stamp(
            Draft(status=ExtractionStatus.ERROR, reason=f"nothing was asked: {reason}"),
            fixture_id=document.fixture_id,
            run_index=run_index,
            provenance=self._provenance(None),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """The questions of some documents and runs; ``unasked`` cannot be put to the model."""

    requests: Mapping[tuple[str, int], AnswerRequest]
    unasked: Mapping[tuple[str, int], Extraction]


def plan(
    extractor: PromptExtractor,
    documents: Sequence[SourceDocument],
    *,
    endpoint: Endpoint,
    run_indices: Sequence[int],
) -> Planned:
    """The questions for every document in every run; for estimates too. Makes no call."""
    requests: dict[tuple[str, int], AnswerRequest] = {}
    unasked: dict[tuple[str, int], Extraction] = {}
    for document in documents:
        name = document.fixture_id
        try:
            messages = extractor.render_for(document, endpoint=endpoint)
        except InputError as error:
            for run_index in run_indices:
                unasked[name, run_index] = extractor._unshowable(document, run_index, error)
            continue
        for run_index in run_indices:  # the runs share the text, and the pages as rendered
            requests[name, run_index] = extractor._request(
                messages, document, endpoint=endpoint, run_index=run_index
            )
    return Planned(requests=requests, unasked=unasked)


def extract_with_model(
    extractor: PromptExtractor,
    documents: Sequence[SourceDocument],
    *,
    door: ModelDoor,
    run_indices: Sequence[int],
    on_answer: Callable[[Answer], None] | None = None,
) -> list[Extraction]:
    """One extraction for each document and run, documents first, whatever happened to it.

    Raises:
        EvalsError: the run as a whole has to stop (budget, pin, key); see ``ModelDoor.ask``.
    """
    planned = plan(extractor, documents, endpoint=door.endpoint, run_indices=run_indices)
    places = list(planned.requests)
    answers = dict(
        zip(places, door.ask_all(list(planned.requests.values()), on_answer=on_answer), strict=True)
    )
    extractions: list[Extraction] = []
    for document in documents:
        for run_index in run_indices:
            place = (document.fixture_id, run_index)
            if place in planned.unasked:
                extractions.append(planned.unasked[place])
                continue
            extractions.append(
                extractor.extraction(answers[place], fixture_id=place[0], run_index=run_index)
            )
    return extractions


def with_token_confidence(draft: Draft, answer: Answer) -> Draft:
    """The draft with confidences from the tokens of the answer.

    A field: the probability of exactly the tokens of its value. A claim: the geometric mean over
    the tokens of its content, since the probability of a whole sentence says how long it is.
    """
    spans = value_spans(answer.text)
    tokens = answer.tokens

    def of_path(*path: str | int) -> tuple[float, ...]:
        span = spans.get(path)
        return tokens.span_logprobs(span.start, span.end) if span else ()

    fields = {
        name: _field_with(value, joint_probability(of_path(name, "value") or of_path(name)))
        for name, value in draft.fields.items()
    }
    claims = tuple(
        _claim_with(
            claim,
            typical_probability(of_path("claims", number, "content") or of_path(number, "content")),
        )
        for number, claim in enumerate(draft.claims)
    )
    return replace(draft, fields=fields, claims=claims)


def _field_with(value: FieldValue, confidence: float | None) -> FieldValue:
    flag = NOT_ALIGNED if confidence is None else None
    return replace(value, confidence=confidence, confidence_flag=flag)


def _claim_with(claim: Claim, confidence: float | None) -> Claim:
    flag = NOT_ALIGNED if confidence is None else None
    return replace(claim, confidence=confidence, confidence_flag=flag)
