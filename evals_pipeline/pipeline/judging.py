"""Extractions to judged matches: one cell of a set's grid at a time."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from evals_pipeline.core.judge_settings import JudgeSettings
from evals_pipeline.core.outcomes import ExtractionStatus, SetKind
from evals_pipeline.core.records import GoldenDocument
from evals_pipeline.core.run_records import (
    Extraction,
    FieldMatch,
    InputDigests,
    PartitionKey,
    Provenance,
    RunStamp,
)
from evals_pipeline.judge.claims import judge_cases
from evals_pipeline.judge.fields import FieldJudge
from evals_pipeline.pipeline.digests import input_digests, of_judging
from evals_pipeline.pipeline.documents import text_if_readable
from evals_pipeline.pipeline.judge_calls import has_open_verdicts
from evals_pipeline.pipeline.judges import arbiter_for, judge_of, vectors_for
from evals_pipeline.pipeline.project import Project
from evals_pipeline.sets import read_content


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgingSummary:
    """What judging one partition found: outcomes by count.

    ``is_absent``: there is no extraction to judge. ``is_current``: what is stored was judged from
    today's inputs, so nothing was done.
    """

    key: PartitionKey
    outcomes: Mapping[str, int]
    n_unjudged: int = 0
    is_absent: bool = False
    is_current: bool = False


def judge_partition(
    project: Project,
    key: PartitionKey,
    *,
    stamp: RunStamp,
    judge: JudgeSettings | None = None,
    redo: bool = False,
    insists: bool = False,
) -> JudgingSummary:
    """Judges one partition's stored extractions against the gold, and stores the matches.

    What is stored from today's inputs is kept, unless ``redo`` is given or a judge would be asked
    again about pairs that it left open. ``insists``: ask the judge's model although another one
    answered last in its place.

    Raises:
        InputError: the set does not load.
        SetupError: the judge cannot be had (an encoder, a model's key).
    """
    table = "field_matches" if project.kind_of(key.set_name) is SetKind.FIELDS else "claim_matches"
    extracted = project.store.header("extractions", key)
    if extracted is None or extracted.digests is None:
        return JudgingSummary(key=key, outcomes={}, is_absent=True)
    today = input_digests(project, key.set_name, key.model_version, judge)
    # Judged today, but from what was extracted: a changed prompt is not in an earlier answer.
    digests = of_judging(extracted.digests, today=today)
    header = project.store.header(table, key)
    is_newer = header is not None and header.stamp.at >= extracted.stamp.at
    is_current = header is not None and header.digests == digests and is_newer and not redo
    if is_current and not is_left_open(project, key, judge):
        return JudgingSummary(key=key, outcomes={}, is_current=True)
    if table == "field_matches":
        return _judge_fields(project, key, digests, stamp=stamp)
    judge = judge or judge_of(project, key.set_name, key.model_version)
    return _judge_claims(project, key, digests, stamp=stamp, judge=judge, insists=insists)


def is_left_open(project: Project, key: PartitionKey, judge: JudgeSettings | None = None) -> bool:
    """Whether the judge of a partition would be asked again about pairs that it left open."""
    if project.kind_of(key.set_name) is SetKind.FIELDS:
        return False
    judge = judge or judge_of(project, key.set_name, key.model_version)
    return has_open_verdicts(project, key, judge, project.suite(key.set_name).cases)


def _judge_claims(
    project: Project,
    key: PartitionKey,
    digests: InputDigests,
    *,
    stamp: RunStamp,
    judge: JudgeSettings,
    insists: bool,
) -> JudgingSummary:
    cases = project.suite(key.set_name).cases
    stored = project.store.read_extractions(key)
    by_id = {one.fixture_id: one for one in stored.extractions} if stored else {}
    pairs = [
        (case, by_id.get(case.fixture.fixture_id) or not_extracted(case.fixture.fixture_id, key))
        for case in cases
    ]
    judged = judge_cases(
        pairs,
        settings=judge,
        vectors=vectors_for(project, judge),
        arbiter=arbiter_for(project, judge, key=key, stamp=stamp, insists=insists),
    )
    provenance = {case.case_id: one.provenance for case, one in pairs}
    project.store.write_judged_cases(key, judged, digests, stamp, provenance=provenance)
    outcomes = Counter(claim.outcome.value for case in judged for claim in case.claims)
    return JudgingSummary(key=key, outcomes=dict(outcomes), n_unjudged=outcomes["unjudged"])


def _judge_fields(
    project: Project, key: PartitionKey, digests: InputDigests, *, stamp: RunStamp
) -> JudgingSummary:
    golden = project.golden_set(key.set_name)
    documents = {one.fixture.fixture_id: one for one in golden.documents}
    outcomes: Counter[str] = Counter()
    provenance: dict[str, Provenance] = {}
    judge = FieldJudge()

    def judged() -> Iterator[FieldMatch]:
        seen: set[str] = set()
        for extraction in project.store.iter_extractions(key):
            document = documents.get(extraction.fixture_id)
            if document is None:
                continue
            seen.add(extraction.fixture_id)
            provenance[extraction.fixture_id] = extraction.provenance
            yield from judge.judge_document(
                golden.fields, document, extraction, text=_text(document)
            )
        for fixture_id, document in documents.items():
            if fixture_id not in seen:
                yield from judge.judge_document(
                    golden.fields, document, not_extracted(fixture_id, key)
                )

    def counted() -> Iterator[FieldMatch]:
        for match in judged():
            outcomes[match.outcome.value] += 1
            yield match

    project.store.write_field_matches(key, counted(), digests, stamp, provenance=provenance)
    return JudgingSummary(key=key, outcomes=dict(outcomes))


def not_extracted(fixture_id: str, key: PartitionKey) -> Extraction:
    """What stands for a planned fixture of which the run has no extraction: an error."""
    return Extraction(
        fixture_id=fixture_id,
        run_index=key.run_index,
        status=ExtractionStatus.ERROR,
        reason="not extracted in this run",
        provenance=Provenance(extractor=key.model_version),
    )


def _text(document: GoldenDocument) -> str | None:
    """The document's text for looking back; None where there is none that can be read."""
    content = read_content(document.fixture)
    return text_if_readable(content, media_type=document.fixture.media_type)
