"""Harness figures and the resolution column as people and tools read them."""

import json
from dataclasses import replace
from datetime import date
from pathlib import Path

from evals_pipeline.core import strict_json
from evals_pipeline.core.harness_records import (
    AlignedCase,
    AlignedLabel,
    HarnessKind,
    HarnessLabel,
    HarnessSuite,
)
from evals_pipeline.core.outcomes import ExtractionStatus
from evals_pipeline.core.records import GoldSubject
from evals_pipeline.core.resolution_records import (
    ExternalRef,
    ResolutionOutcome,
    SubjectResolution,
)
from evals_pipeline.core.run_records import Claim, StatusCounts
from evals_pipeline.report.harness_table import harness_json, harness_table
from evals_pipeline.report.resolution_table import resolution_json, resolution_table
from evals_pipeline.report.terminal import as_text
from evals_pipeline.resolve.figures import resolution_figures
from evals_pipeline.score.harnesses import emitted_property, score_harness
from tests.report.expected import assert_as_accepted


def label(content, expected, emitted=None, *, want=None, got=None):
    return AlignedLabel(
        label=HarnessLabel(content=content, expected=expected, valid_until=want),
        claim=None if emitted is None else f"{content} (as emitted)",
        similarity=None if emitted is None else 0.91,
        emitted=emitted,
        is_stated=emitted is not None,
        valid_until=got,
    )


def figures(kind, *runs):
    suite = HarnessSuite(
        kind=kind,
        suite_id="records-001",
        name="Records",
        version="1.2.0",
        domain="records",
        source_type="RECORD",
        cases=(),
        path=Path("a.yaml"),
        digest="0",
    )
    cases = [
        AlignedCase(
            case_id="record-1",
            run_index=run,
            status=ExtractionStatus.OK,
            reason=None,
            labels=tuple(labels),
            n_emitted=len(labels),
            n_stating=len(labels),
        )
        for run, labels in enumerate(runs)
    ]
    return score_harness(
        suite,
        cases,
        extractor_id="general",
        model_version="acme-1",
        run_indices=range(len(runs)),
        statuses=StatusCounts(planned=len(runs), ok=len(runs)),
        judge="embedding",
        threshold=0.65,
    )


POLARITY = figures(
    HarnessKind.POLARITY,
    [
        label("Paper is kept.", "ASSERTED", "ASSERTED"),
        label("The door is green.", "ASSERTED", "DECLINED"),
        label("A machine is used.", "DECLINED", "DECLINED"),
        label("The keys are lost.", "HYPOTHETICAL"),
    ],
    [
        label("Paper is kept.", "ASSERTED", "ASSERTED"),
        label("The door is green.", "ASSERTED", "ASSERTED"),
        label("A machine is used.", "DECLINED", "UNREADABLE"),
        label("The keys are lost.", "HYPOTHETICAL"),
    ],
)
DAY = date(2026, 3, 13)
VALIDITY = figures(
    HarnessKind.VALIDITY,
    [
        label("It is shut.", "BOUNDED", "BOUNDED", want=DAY, got=date(2026, 3, 15)),
        label("It is dark.", "BOUNDED", "BOUNDED", want=DAY, got=date(2026, 4, 15)),
        label("It is old.", "DURABLE", "BOUNDED", got=DAY),
    ],
)


def test_the_report_on_harnesses_is_the_accepted_one():
    text = as_text(harness_table(POLARITY), width=110) + as_text(harness_table(VALIDITY), width=110)
    assert_as_accepted(text, "harness.txt")


def test_a_narrow_terminal_loses_no_count_and_no_name():
    lines = as_text(harness_table(POLARITY), width=80).splitlines()
    asserted = " ".join(next(line for line in lines if line.startswith(" ASSERTED")).split())
    assert asserted == "ASSERTED 1.000 (3/3) 0.750 (3/4) 3 ASSERTED, 1 DECLINED"
    lost = " ".join(next(line for line in lines if line.startswith(" HYPOTHETICAL")).split())
    assert lost == "HYPOTHETICAL n/a (0/0) n/a (0/0) 2 not aligned"
    assert "…" not in "".join(lines)


def test_a_date_that_cannot_be_read_is_shown_as_it_was_emitted():
    said = emitted_property(
        HarnessKind.VALIDITY,
        Claim(content="It is old.", confidence=0.9, properties={"valid_until": "19/06/2026"}),
    )
    told = replace(label("It is old.", "DURABLE", said.name), note=said.note)
    text = as_text(harness_table(figures(HarnessKind.VALIDITY, [told])), width=110)
    assert 'until no end, emitted an unreadable date: "19/06/2026": It is old.' in text


def test_the_json_keeps_every_label_and_hides_claims_when_asked():
    value = json.loads(strict_json.dumps(harness_json(POLARITY)))
    assert (value["harness"], value["labels"]) == ("polarity", {"n": 8, "aligned": 6})
    rate = value["rates"]["wrong_declined_rate"]
    assert (rate["mean"], rate["values"], rate["count"], rate["n"]) == (0.25, [0.5, 0.0], 1, 4)
    assert value["cases"][0]["labels"][1]["claim"] == "The door is green. (as emitted)"
    hypothetical = next(one for one in value["classes"] if one["class"] == "HYPOTHETICAL")
    assert (hypothetical["labels"], hypothetical["recall"]["mean"]) == (2, None)
    hidden = json.loads(strict_json.dumps(harness_json(POLARITY, with_claim_text=False)))
    assert "(as emitted)" not in json.dumps(hidden)
    dated = json.loads(strict_json.dumps(harness_json(VALIDITY)))
    assert dated["cases"][0]["labels"][0]["expected_valid_until"] == "2026-03-13"
    assert dated["date_tolerance_days"] == 3


def test_the_resolution_column_shows_counts_and_keeps_outages_apart():
    def resolved(name, want, outcome, *refs):
        return SubjectResolution(
            gold=GoldSubject(case_id="c", name=name, ref=want, mention=f"{name} is there."),
            outcome=outcome,
            canonical_name=name,
            refs=refs,
            steps=("wikidata: 2 senses",),
        )

    wrong = ExternalRef(namespace="wikidata", id="Q13", confidence=0.31, authority="wikidata")
    found = resolution_figures(
        "notes-001",
        [
            resolved("Turin", "wikidata:Q495", ResolutionOutcome.BARE_LOCAL),
            resolved("Harbor", None, ResolutionOutcome.WRONG_REF, wrong),
            resolved("Quillhaven", None, ResolutionOutcome.CORRECT),
            resolved("Leeds", "wikidata:Q39121", ResolutionOutcome.OUTAGE),
        ],
    )
    text = as_text(resolution_table(found), width=110)
    assert_as_accepted(text, "resolution.txt")
    value = json.loads(strict_json.dumps(resolution_json(found)))
    assert value["counts"] == {"gold": 4, "resolved": 3, "outages": 1}
    assert sum(value["metrics"].values()) == 1
    assert value["subjects"][1]["refs"] == [
        {"ref": "wikidata:Q13", "confidence": 0.31, "authority": "wikidata"}
    ]
