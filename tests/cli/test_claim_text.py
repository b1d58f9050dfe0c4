"""``record_claim_text = false``: no word of an emitted claim leaves the store by any command."""

import json

import duckdb
import pytest

from evals_pipeline.judge.encoder import make_encoder
from evals_pipeline.judge.vectors import VectorCache
from tests.judge.fakes import WordEncoder
from tests.pipeline.tellers import Tellers

SECRETS = ("Xenia", "771357924")
GOLD = "A ship sank 12 times in the bay."
CLAIMS = [
    {
        "content": "A ship sank 771357924 times in the bay.",
        "confidence": 0.9,
        "subjects": ["Xenia"],
    },
    {"content": "Xenia slept.", "confidence": "Xenia high", "subjects": ["Xenia"]},
]
TEXTS = [
    GOLD,
    "A ship sank 771357924 times in the bay.",
    "Xenia: A ship sank 771357924 times in the bay.",
    "Xenia slept.",
]


@pytest.fixture
def kept(bills, tmp_path, monkeypatch):
    """Of two claims one is suspect for its number, and one states words as its confidence."""
    made = Tellers(tmp_path / "tellers").make()
    monkeypatch.chdir(made.root)
    lines = [{"fixture": "facts-001-1", "run_index": run, "claims": CLAIMS} for run in (0, 1)]
    made.write("teller.jsonl", "\n".join(json.dumps(line) for line in lines))
    suite = made.root / "suites" / "facts-001.yaml"
    stated = suite.read_text(encoding="utf-8")
    suite.write_text(
        stated.replace('- content: "A ship sank."', f'- content: "{GOLD}"'), encoding="utf-8"
    )
    text = (made.root / "pyproject.toml").read_text(encoding="utf-8")
    made.write("pyproject.toml", text.replace("runs = 2", "runs = 2\nrecord_claim_text = false"))
    encoder = WordEncoder(name=make_encoder(None).name)
    VectorCache(made.root / "storage" / "vectors", encoder).vectors(TEXTS)
    return made


def without(text):
    assert not [secret for secret in SECRETS if secret in text]
    return text


def test_what_is_printed_and_saved_holds_no_word_of_a_claim(kept, evals):
    ran = evals("run", "facts-001", "--model", "teller")
    assert ran.status == 0, ran.err
    model = ("--model", "teller")
    asked = (
        ("benchmark", "general", *model),
        ("score", "facts-001", "--predictions", "teller.jsonl"),
        ("run", "facts-001", *model),
        ("trace", "facts-001", "--metric", "precision", "--all", *model),
        ("trace", "facts-001", "--metric", "recall", "--all", *model),
    )
    for arguments in asked:
        for form in ("table", "json"):
            found = evals(*arguments, "--format", form)
            assert found.status == 0, found.err
            without(found.out)
    records = list((kept.root / "storage" / "benchmarks" / "facts-001").glob("*.json"))
    assert records
    [case, _] = json.loads(without(records[0].read_text(encoding="utf-8")))["benchmark"]["cases"]
    numbered, slept = case["claims"]
    assert (numbered["content"], numbered["subjects"]) == (None, None)
    assert numbered["suspect"] == ["numbers"]
    assert slept["confidence_flag"] == "not a number"
    assert evals("report", "--output", "page.html").status == 0
    page = without((kept.root / "page.html").read_text(encoding="utf-8"))
    assert "confidence: not a number" in page


def test_the_same_project_tells_them_when_it_may(kept, evals, monkeypatch):
    monkeypatch.setenv("EVALS_RECORD_CLAIM_TEXT", "true")
    assert evals("run", "facts-001", "--model", "teller").status == 0
    traced = evals("trace", "facts-001", "--model", "teller", "--format", "json")
    assert all(secret in traced.out for secret in SECRETS)


def test_a_snapshot_holds_no_word_of_a_claim(kept, evals):
    assert evals("run", "facts-001", "--model", "teller").status == 0
    assert evals("export", "out.duckdb").status == 0
    with duckdb.connect("out.duckdb", read_only=True) as snapshot:
        for (table,) in snapshot.execute("SHOW TABLES").fetchall():
            without(str(snapshot.execute(f'SELECT * FROM "{table}"').fetchall()))
        [suspect] = snapshot.execute(
            "SELECT DISTINCT suspect FROM claim_matches WHERE suspect <> '[]'"
        ).fetchall()
        flags = snapshot.execute("SELECT DISTINCT confidence_flag FROM claims").fetchall()
        gold = snapshot.execute("SELECT content FROM claim_matches WHERE side = 'gold'").fetchall()
    assert suspect == ('["numbers"]',)
    assert ("not a number",) in flags
    assert gold == [(GOLD,)] * 2
    assert evals("export", "csv", "--as", "csv").status == 0
    assert evals("export", "parquet").status == 0
    for path in (kept.root / "csv").iterdir():
        without(path.read_text(encoding="utf-8"))
