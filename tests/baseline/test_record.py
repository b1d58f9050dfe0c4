import json
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evals_pipeline.baseline.parse import parse_baseline
from evals_pipeline.baseline.record import baseline_path, dump_baseline, make_baseline
from evals_pipeline.core.errors import RefusedError
from evals_pipeline.core.figures import Baseline, BaselinePins, DocumentTally
from tests.scored import document_id, measurement, policy

PICTURE = {"total": {"a": "110", "b": "111"}, "due": {"a": "000", "b": "111"}}


def recorded(picture=PICTURE) -> Baseline:
    return make_baseline(measurement(picture), policy=policy())


def test_the_file_is_a_head_and_one_line_per_document_and_field() -> None:
    lines = dump_baseline(recorded()).splitlines()
    first_field = lines.index('"due": {')
    assert all("runs" not in line for line in lines[:first_field] if '"n_runs"' not in line)
    of_a = [line for line in lines if document_id("a") in line]
    assert len(of_a) == 2
    assert '"correct": 0' in of_a[0]
    assert '"correct": 2' in of_a[1]
    assert '"name": "a", "runs": 3' in of_a[1]


def test_the_file_is_json_with_sorted_keys() -> None:
    whole = json.loads(dump_baseline(recorded()))
    assert list(whole["pins"]) == sorted(whole["pins"])
    assert list(whole["fields"]) == ["due", "total"]
    documents = list(whole["fields"]["total"])
    assert documents == sorted(documents)


def test_a_document_that_breaks_changes_its_lines_and_no_other() -> None:
    before = dump_baseline(recorded()).splitlines()
    after = dump_baseline(recorded(PICTURE | {"due": {"a": "000", "b": "110"}})).splitlines()
    changed = [new for old, new in zip(before, after, strict=True) if old != new]
    assert len(changed) == 1
    assert document_id("b") in changed[0]


def test_the_order_of_documents_and_fields_changes_nothing() -> None:
    turned = {field: dict(reversed(row.items())) for field, row in reversed(PICTURE.items())}
    assert dump_baseline(recorded(turned)) == dump_baseline(recorded())


def test_one_model_version_has_one_file() -> None:
    assert baseline_path(Path("golden/invoices"), "acme-2026@b") == Path(
        "golden/invoices/baselines/acme-2026@b.json"
    )


def test_cost_and_calibration_come_back() -> None:
    kept = replace(
        recorded(), cost_usd=Decimal("0.41230"), calibration={"total": Decimal("0.080000")}
    )
    assert parse_baseline(dump_baseline(kept), where="b") == kept


@pytest.mark.parametrize(
    ("now", "reason"),
    [
        (measurement({"total": {"a": "e", "b": "1"}}), "1 of 2 extractions failed"),
        (measurement({"total": {"a": "1"}}, model_version="acme-latest"), "is an alias"),
        (measurement({"total": {"a": "1"}}, provider_model="acme-latest"), "is an alias"),
        (replace(measurement({"total": {"a": "1"}}), n_unjudged=1), "unjudged"),
    ],
)
def test_unfit_figures_are_never_recorded(now, reason: str) -> None:
    with pytest.raises(RefusedError, match=reason):
        make_baseline(now, policy=policy())


text = st.text(st.characters(codec="utf-8"), min_size=1, max_size=12).filter(str.strip)
lines = st.dictionaries(text, st.tuples(text, st.integers(0, 3), text), min_size=1, max_size=4)


@settings(max_examples=50, deadline=None)
@given(
    names=st.lists(text, min_size=1, max_size=3, unique=True),
    rows=lines,
    pins=st.fixed_dictionaries({name: text for name in BaselinePins.__slots__}),
    prompt=st.none() | text,
)
def test_what_is_written_is_read_back(names, rows, pins, prompt) -> None:
    tallies = tuple(
        DocumentTally(fixture_id=key, document=name, correct=right, n=3, gold_digest=label)
        for key, (name, right, label) in sorted(rows.items())
    )
    kept = Baseline(
        pins=BaselinePins(**pins | {"n_runs": 3, "prompt_sha256": prompt}),
        fields={name: tallies for name in sorted(names)},
    )
    assert parse_baseline(dump_baseline(kept).encode("utf-8"), where="b") == kept
