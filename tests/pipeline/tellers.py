"""A small project of suites whose runs a test judges by hand, so that nothing has to be embedded.

``facts-001`` is a benchmark suite and ``facts-cal-001`` a calibration suite of the general
extractor; ``teller`` serves both from predictions. ``coins-001`` and ``coins-cal-001`` are the
coin extractor's.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from evals_pipeline.core.outcomes import (
    ClaimOutcome,
    ExtractionStatus,
    GoldOutcome,
    UncertaintyNature,
)
from evals_pipeline.core.records import GoldClaim
from evals_pipeline.core.run_records import (
    Claim,
    JudgedCase,
    JudgedClaim,
    JudgedGold,
    PartitionKey,
    RunStamp,
)
from evals_pipeline.pipeline.digests import input_digests
from evals_pipeline.pipeline.project import Project

STAMP = RunStamp(
    run_id="r", commit=None, at=datetime(2026, 11, 9, tzinfo=UTC), package_version="0.1.0"
)
SETTINGS = """
[tool.evals]
runs = 2
calibration_judge = "embedding"

[tool.evals.models.teller]
provider = "predictions"
files = {facts-001 = "teller.jsonl", facts-cal-001 = "teller-cal.jsonl"}

[tool.evals.models."coin-catalogue@1"]
provider = "code"

[tool.evals.models."asked@1"]
provider = "openai"
model = "asked-2026-01-01"
base_url = "http://127.0.0.1:9/v1"

[tool.evals.extractors.general]
prompt = "general.md"
"""
PROMPT = "---\noutput: claims\n---\nList the facts of {{ document }}\n"
SUITE = """{header}suite_id: {suite_id}
name: Facts
version: 1.0.0
domain: shipping
source_types: [{source_type}]
cases:
  - case_id: {suite_id}-1
    source_snapshot:
      content_hash: "{digest}"
    inline_content: "A ship sank."
    expected:
      - content: "A ship sank."
        confidence_min: {floor}
        uncertainty_nature: EPISTEMIC
"""
OUTCOMES = {
    "1": ClaimOutcome.MATCHED,
    "u": ClaimOutcome.UNDER_CONFIDENCE,
    "0": ClaimOutcome.SPURIOUS,
    "?": ClaimOutcome.UNJUDGED,
}


@dataclass(frozen=True)
class Tellers:
    root: Path

    def make(self) -> "Tellers":
        self.write("pyproject.toml", SETTINGS)
        self.write("general.md", PROMPT)
        self.suite("facts-001", "NOTE", floor=0.5)
        self.suite("facts-cal-001", "NOTE", folder="suites/calibration")
        self.suite("coins-001", "NUMISTA_API_COIN")
        self.suite(
            "coins-cal-001",
            "NUMISTA_API_COIN",
            folder="suites/calibration",
            header="# Partial gold: legends are left out.\n",
        )
        for place, suite in (("teller", "facts-001"), ("teller-cal", "facts-cal-001")):
            lines = [
                json.dumps({"fixture": f"{suite}-1", "run_index": run, "claims": []})
                for run in (0, 1)
            ]
            self.write(f"{place}.jsonl", "\n".join(lines))
        return self

    def write(self, place: str, text: str) -> Path:
        path = self.root / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def suite(
        self,
        suite_id: str,
        source_type: str,
        *,
        folder: str = "suites",
        floor: float = 0.0,
        header: str = "",
    ) -> None:
        text = SUITE.format(
            suite_id=suite_id,
            source_type=source_type,
            digest=hashlib.sha256(b"A ship sank.").hexdigest(),
            floor=floor,
            header=header,
        )
        self.write(f"{folder}/{suite_id}.yaml", text)

    def without_a_wish(self) -> "Tellers":
        """Nobody says who labels the claims of a model."""
        text = (self.root / "pyproject.toml").read_text(encoding="utf-8")
        self.write("pyproject.toml", text.replace('calibration_judge = "embedding"\n', ""))
        return self

    def open(self, **environ: str) -> Project:
        return Project.open(self.root, environ=environ)

    def record(
        self,
        suite: str,
        *runs: dict[float, str],
        model: str = "teller",
        project: Project | None = None,
        failed: Sequence[int] = (),
        unstated: int = 0,
    ) -> None:
        """Stores judged runs: ``{0.9: "11u0"}`` are four claims stating 0.9.

        1 matched, u matched below the floor, 0 spurious, ? unjudged. ``unstated`` more claims of
        each run state no confidence.
        """
        project = project or self.open()
        for run_index, stated in enumerate(runs):
            key = PartitionKey(set_name=suite, model_version=model, run_index=run_index)
            case = judged_case(f"{suite}-1", run_index, stated, unstated=unstated)
            if run_index in failed:
                case = failed_case(f"{suite}-1", run_index)
            project.store.write_judged_cases(
                key, [case], input_digests(project, suite, model), STAMP
            )


def judged_case(
    case_id: str, run_index: int, stated: dict[float, str], *, unstated: int = 0
) -> JudgedCase:
    gold = GoldClaim(
        content="A ship sank.", confidence_min=0.5, uncertainty_nature=UncertaintyNature.EPISTEMIC
    )
    claims = [
        _judged(confidence, OUTCOMES[letter])
        for confidence, letters in stated.items()
        for letter in letters
    ]
    claims += [_judged(None, ClaimOutcome.SPURIOUS)] * unstated
    return JudgedCase(
        case_id=case_id,
        run_index=run_index,
        status=ExtractionStatus.OK,
        claims=tuple(claims),
        gold=(
            JudgedGold(gold=gold, outcome=GoldOutcome.MISSED, claim_index=None, similarity=None),
        ),
    )


def failed_case(case_id: str, run_index: int) -> JudgedCase:
    return JudgedCase(
        case_id=case_id,
        run_index=run_index,
        status=ExtractionStatus.ERROR,
        reason="no answer",
        claims=(),
        gold=(),
    )


def _judged(confidence: float | None, outcome: ClaimOutcome) -> JudgedClaim:
    claim = Claim(
        content="A ship sank.",
        confidence=confidence,
        confidence_flag="absent" if confidence is None else None,
    )
    return JudgedClaim(
        claim=claim,
        outcome=outcome,
        gold_index=None,
        similarity=None,
        rendering="A ship sank.",
    )
