"""What judging would ask a model, before it asks: counted from the claims that are there.

A rehearsal judges as usual, with an arbiter that knows the record and asks nobody. A pair without
a recorded verdict counts as a question and is taken as rejected, so that whatever a rejection would
bring up is counted too: what is counted is the most that will be asked. Where guards ask the judge
an acceptance can bring up other pairs as well, so there a second rehearsal takes every such pair as
accepted; both together are close, but no bound. A document without an answer has no claims yet; for
it a number of questions is assumed.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal

from evals_pipeline.core.judge_settings import GuardMode, JudgeSettings
from evals_pipeline.core.outcomes import ClaimOutcome, ExtractionStatus, GoldOutcome
from evals_pipeline.core.records import SuiteCase
from evals_pipeline.core.run_records import Extraction, JudgedCase, PartitionKey
from evals_pipeline.judge.arbiter import (
    ClaimPair,
    LlmArbiter,
    Verdict,
    control_of,
    could_sway,
)
from evals_pipeline.judge.claims import judge_cases
from evals_pipeline.llm.answers import Answer
from evals_pipeline.llm.estimate import Estimate
from evals_pipeline.llm.request import AnswerRequest, Purpose
from evals_pipeline.pipeline.judges import vectors_for
from evals_pipeline.pipeline.model_answers import open_door
from evals_pipeline.pipeline.model_judge import VerdictQuestions, judge_model
from evals_pipeline.pipeline.project import Project
from evals_pipeline.store.storage_errors import DamagedFileError

ASSUMED_PER_GOLD_CLAIM = 1
"""Questions for each gold claim of a document whose claims nobody knows yet: generous, the suites
of this repository take between 0.03 and 0.15."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Unanswered:
    """Stands for an answer that nobody has asked for."""

    text: str | None = None
    finish_reason: str | None = None
    status: ExtractionStatus = ExtractionStatus.ERROR
    reason: str | None = "not asked yet"


@dataclass(slots=True, kw_only=True)
class Rehearsal:
    """An arbiter that answers from the record, and gathers the questions by their key.

    ``requests`` holds every question, recorded or not; ``missing`` the keys of those without a
    verdict on record. ``accepts`` takes those as accepted.
    """

    questions: VerdictQuestions
    accepts: bool = False
    requests: dict[str, AnswerRequest] = field(default_factory=dict)
    missing: set[str] = field(default_factory=set)

    def decide(self, pairs: Sequence[ClaimPair]) -> Sequence[Verdict]:
        """The recorded verdicts; a pair without one is unjudged, so it is not matched."""
        verdicts = LlmArbiter(self._recorded).decide(pairs)
        if not self.accepts:
            return verdicts
        keys = map(self.questions.door.key_of, self.questions.requests(pairs))
        accepted = Verdict(aligned=True, reason="assumed")
        return [
            accepted if key in self.missing else verdict
            for key, verdict in zip(keys, verdicts, strict=True)
        ]

    def _recorded(self, pairs: Sequence[ClaimPair]) -> Sequence[Answer | _Unanswered]:
        return [self._look_up(pair) for pair in pairs]

    def _look_up(self, pair: ClaimPair) -> Answer | _Unanswered:
        [request] = self.questions.requests([pair])
        key = self.questions.door.key_of(request)
        self.requests[key] = request
        found = self.questions.find(request)
        if found is not None:
            return found
        self.missing.add(key)
        control = control_of(pair)
        if pair.want != control.want and could_sway(pair.want, pair.got):
            self._look_up(control)  # asked when the model says yes
        return _Unanswered()


def rehearsal(project: Project, judge: JudgeSettings, set_name: str) -> Rehearsal:
    """A rehearsal for the model that judges a set.

    Raises:
        SetupError: the settings name no model for the judge, or one that cannot be asked.
    """
    door = open_door(project, judge_model(project, judge))
    return Rehearsal(questions=VerdictQuestions(door=door, set_name=set_name))


def rehearse(
    project: Project,
    judge: JudgeSettings,
    pairs: Sequence[tuple[SuiteCase, Extraction]],
    *,
    arbiter: Rehearsal,
) -> list[JudgedCase]:
    """Gathers what judging these cases would ask, and judges them by what is on record.

    New texts are embedded.
    """
    vectors = vectors_for(project, judge)
    judged = judge_cases(pairs, settings=judge, vectors=vectors, arbiter=arbiter)
    if judge.guards is GuardMode.JUDGE and arbiter.missing:
        arbiter.accepts = True
        judge_cases(pairs, settings=judge, vectors=vectors, arbiter=arbiter)
    return judged


def estimate_verdicts(
    project: Project,
    judge: JudgeSettings,
    set_name: str,
    cases: Sequence[SuiteCase],
    known: Iterable[Mapping[str, Extraction]],
) -> list[Estimate]:
    """What the judge of some runs of a set would call, take and cost; makes no call.

    Args:
        project: The project.
        judge: Who judges.
        set_name: The set.
        cases: Its cases.
        known: For each run the extractions that are known, by fixture id.

    Returns:
        Nothing where nobody is asked; for a judge of one's own a note and no figure.

    Raises:
        SetupError: the settings name no model for the judge, or one that cannot be asked.
    """
    if not judge.asks_somebody:
        return []
    if judge.plugin is not None:
        return [_of_plugin(judge.plugin)]
    pairs: list[tuple[SuiteCase, Extraction]] = []
    unknown: list[SuiteCase] = []
    for by_id in known:
        for case in cases:
            extraction = by_id.get(case.fixture.fixture_id)
            if extraction is None:
                unknown.append(case)
            else:
                pairs.append((case, extraction))
    arbiter = rehearsal(project, judge, set_name)
    rehearse(project, judge, pairs, arbiter=arbiter)
    estimate = estimate_rehearsed(arbiter, unknown)
    is_bound = judge.guards is not GuardMode.JUDGE and estimate.is_bound
    return [replace(estimate, is_bound=is_bound)]


def estimate_rehearsed(arbiter: Rehearsal, unknown: Sequence[SuiteCase] = ()) -> Estimate:
    """What the questions of a rehearsal would take, with those assumed for unknown claims."""
    assumed = arbiter.questions.requests(
        [
            ClaimPair(want=gold.content, got=gold.content)
            for case in unknown
            for gold in case.expected
            for _ in range(ASSUMED_PER_GOLD_CLAIM)
        ]
    )
    estimate = arbiter.questions.door.estimate(
        list(arbiter.requests.values()),
        assumed=assumed,
        is_usable=arbiter.questions.is_usable,
    )
    notes = estimate.notes
    if assumed:
        model = arbiter.questions.door.endpoint.model_version
        notes = (
            f"{len(assumed)} of the judge's calls are assumed, {ASSUMED_PER_GOLD_CLAIM} for each "
            "gold claim of a document that has no answer yet; once it has one they are counted. "
            f'budget_usd or budget_tokens of "{model}" is a limit that holds',
            *notes,
        )
    return replace(
        estimate,
        purpose=Purpose.JUDGE,
        assumed=len(assumed),
        is_bound=not assumed,
        notes=notes,
    )


def has_open_verdicts(
    project: Project, key: PartitionKey, judge: JudgeSettings, cases: Sequence[SuiteCase]
) -> bool:
    """Whether a judged partition has unjudged pairs that may be judged now.

    They are where the model would be asked again, or where the record has a verdict by now, which
    another run was given. What a model answered readably stays, a swayed verdict and a committed
    recording too. Of a judge of one's own every unjudged pair is asked about again.
    """
    if not judge.asks_somebody:
        return False
    try:
        stored = project.store.read_judged_cases(key)
    except DamagedFileError:
        return True  # making it again is what mends it
    n_open = sum(map(_n_open, stored.cases)) if stored else 0
    if not n_open:
        return False
    if judge.plugin is not None:
        return True
    extracted = project.store.read_extractions(key)
    by_id = {one.fixture_id: one for one in extracted.extractions} if extracted else {}
    pairs = [
        (case, by_id[case.fixture.fixture_id]) for case in cases if case.fixture.fixture_id in by_id
    ]
    arbiter = rehearsal(project, judge, key.set_name)
    judged = rehearse(project, judge, pairs, arbiter=arbiter)
    return bool(arbiter.missing) or sum(map(_n_open, judged)) != n_open


def _n_open(case: JudgedCase) -> int:
    n_claims = sum(claim.outcome is ClaimOutcome.UNJUDGED for claim in case.claims)
    n_gold = sum(gold.outcome is GoldOutcome.UNJUDGED for gold in case.gold)
    return case.n_unjudged_pairs + n_claims + n_gold


def _of_plugin(name: str) -> Estimate:
    return Estimate(
        planned=0,
        recorded=0,
        calls=0,
        input_tokens=0,
        output_tokens=0,
        usd=Decimal(0),
        purpose=Purpose.JUDGE,
        notes=(f"the judge {name} is an installed package's; what it calls is not counted here",),
    )
