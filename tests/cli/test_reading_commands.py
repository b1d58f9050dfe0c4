"""Commands that read: list, validate, score, explain, trace; and what they do not load."""

import json
import subprocess
import sys

import pytest

from evals_pipeline.cli import commands
from evals_pipeline.cli.main import COMMANDS
from tests.defs.bills import NUMBERS
from tests.llm.asks import first_then
from tests.llm.loopback import completion, failure, loopback

LIGHT = ("dagster", "torch", "transformers", "sentence_transformers", "openai")


def test_list_says_who_serves_what(bills, evals):
    found = json.loads(evals("list", "--format", "json").out)
    sets = {one["set"]: one for one in found["sets"]}
    assert sets["bills"]["models"] == ["steady", "hasty", "asked@1"]
    assert sets["facts-001"]["models"] == ["teller"]
    assert {one["extractor"] for one in found["extractors"]} >= {"coin-catalogue", "invoice-rules"}


def test_a_terminal_too_narrow_for_a_table_loses_no_name(bills, evals, monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    lines = evals("list").out.splitlines()
    at = lines.index("set facts-001")
    assert [line.split() for line in lines[at + 1 : at + 4]] == [
        ["kind", "claims"], ["fixtures", "1"], ["model", "versions", "teller"],
    ]  # fmt: skip
    assert all(len(line) <= 40 for line in lines)


def test_validate_finds_every_fault_at_once(bills, evals):
    clean = evals("validate")
    # No extractor is the routing choice for NOTE: that is the one fault of this project.
    assert clean.status == 2
    assert "a suite has to match exactly one" in clean.out
    next((bills.folder / "documents").iterdir()).write_text("edited", encoding="utf-8")
    label = sorted((bills.folder / "labels").iterdir())[0]
    value = json.loads(label.read_text(encoding="utf-8"))
    del value["fields"]["due"]
    label.write_text(json.dumps(value), encoding="utf-8")
    found = evals("validate", "--format", "json")
    assert found.status == 2
    problems = " ".join(one["problem"] for one in json.loads(found.out)["faults"])
    assert "not labelled" in problems
    assert "SHA-256" in problems or "hash" in problems


def test_validate_names_a_document_that_cannot_be_opened(bills, evals):
    bills.unreadable("half.pdf", b"%PDF-1.4 and no more")
    found = evals("validate", "bills")
    assert found.status == 2
    assert "half.pdf: PDF: cannot be opened" in found.out
    assert "half.pdf: PDF: cannot be opened" in evals("golden", "verify", "--set", "bills").out
    bills.unreadable("void.txt", b" \n")
    assert "void.txt: is empty" in evals("validate", "bills").out


def test_validate_takes_a_place(bills, evals):
    assert evals("validate", "golden/bills").status == 0
    by_name = evals("validate", "bills")
    assert by_name.status == 0
    assert "golden/bills" in by_name.out
    assert evals("validate", "golden/nowhere").status == 2


def test_score_stores_nothing_and_needs_no_project(bills, evals, tmp_path, monkeypatch):
    away = tmp_path / "away"
    away.mkdir()
    monkeypatch.chdir(away)
    predictions = bills.folder / "hasty.jsonl"
    found = evals("score", str(bills.folder), "--predictions", str(predictions), "--format", "json")
    assert found.status == 0, found.err
    value = json.loads(found.out)
    fields = {one["field"]: one for one in value["fields"]}
    assert value["kind"] == "fields"
    assert (fields["due"]["n"], fields["due"]["correct"]) == (6, 4)
    assert fields["due"]["misses"][0]["got"] == "2026-06-01"
    assert list(away.iterdir()) == []
    assert not (bills.root / "storage").exists()


def test_score_tells_every_faulty_line(bills, evals):
    path = bills.write(
        "broken.jsonl",
        '{"fixture": "bill-A-1", "run_index": 0, "fields": {}}\n{oops\n'
        '{"fixture": "bill-A-9", "run_index": 0, "fields": {}}\n',
    )
    found = evals("score", "bills", "--predictions", str(path))
    assert found.status == 2
    assert "broken.jsonl:2" in found.err


@pytest.mark.parametrize("threshold", ["nan", "0", "1.1", "-0.2", "inf"])
def test_a_threshold_that_is_no_share_is_refused(bills, evals, threshold):
    predictions = str(bills.folder / "hasty.jsonl")
    scored = evals("score", "bills", "--predictions", predictions, f"--threshold={threshold}")
    explained = evals("explain", "--kind", "text", f"--threshold={threshold}", "a", "b")
    for found in (scored, explained):
        assert found.status == 2
        assert "range 0<x<=1" in found.err


def test_explain_says_why(evals):
    equal = evals("explain", "--kind", "money", "--locale", "fr_FR", "27.80", "27,80")
    assert equal.out.startswith("equal\n")
    unequal = evals("explain", "--kind", "money", "--locale", "en_US", "5", "5%")
    assert unequal.out.startswith("not equal\n")


def test_explain_answers_a_batch_line_by_line(bills, evals):
    path = bills.write(
        "batch.jsonl",
        '{"kind": "date", "locale": "en_GB", "golden": "2024-04-03", "extracted": "03/04/2024"}\n'
        '{"kind": "number", "golden": 1, "extracted": true}\n'
        '{"kind": "nonsense", "golden": 1, "extracted": 1}\n',
    )
    found = evals("explain", "--batch", str(path))
    lines = [json.loads(line) for line in found.out.splitlines()]
    assert [line.get("equal") for line in lines] == [True, False, None]
    assert "nonsense" in lines[2]["error"]


def test_trace_leads_from_a_figure_to_its_documents(scored, evals):
    found = evals("trace", "bills", "--field", "due", "--model", "hasty", "--format", "json")
    value = json.loads(found.out)
    against = [row for row in value["rows"] if row["counts"] == "against"]
    assert value["set"] == "bills"
    assert {row["name"] for row in against} == {"bill-A-2"}
    assert {row["document"] for row in against} == {scored.document("A-2").stem}
    assert {row["run_index"] for row in against} == {0, 1}
    paths = {row["name"]: row["path"] for row in value["rows"]}
    for number in NUMBERS:
        path = scored.document(number).relative_to(scored.root)
        assert paths[f"bill-{number}"] == path.as_posix()
    assert {(row["labelled_by"], row["labelled_at"]) for row in against} == {("kim", "2026-07-01")}
    one = evals("trace", "bills", "--field", "due", "--model", "hasty", "--fixture", "bill-A-1")
    assert "labelled by kim on 2026-07-01" in one.out
    assert "bill-A-1" in one.out
    assert evals("trace", "bills", "--field", "dew", "--model", "hasty").status == 2


@pytest.mark.parametrize(
    "arguments",
    [("--help",), ("list",), ("explain", "--kind", "text", "a", "b"), ("gate", "bills")],
)
def test_light_commands_load_nothing_heavy(bills, arguments):
    code = (
        "import sys\n"
        "from evals_pipeline.cli.main import main\n"
        "try:\n"
        f"    main({list(arguments)!r})\n"
        "except SystemExit:\n"
        "    pass\n"
        f"loaded = [name for name in {LIGHT!r} if name in sys.modules]\n"
        "print('LOADED', loaded)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        encoding="utf-8",
        cwd=bills.root,
        check=True,
    )
    assert done.stdout.splitlines()[-1] == "LOADED []"


def test_a_crash_does_not_look_like_a_red_gate(evals, tmp_path, monkeypatch):
    source = "import click\n\n@click.command()\ndef command():\n    raise ZeroDivisionError\n"
    (tmp_path / "crash.py").write_text(source, encoding="utf-8")
    monkeypatch.setattr(commands, "__path__", [*commands.__path__, str(tmp_path)])
    monkeypatch.setitem(COMMANDS, "crash", ("crash", "Breaks."))
    found = evals("crash")
    sys.modules.pop("evals_pipeline.cli.commands.crash")
    assert found.status == 2
    assert "ZeroDivisionError" in found.err
    assert "fault of evals itself" in found.err


def test_a_project_is_needed_where_one_is_needed(evals, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("EVALS_PROJECT", raising=False)
    found = evals("list")
    assert found.status == 2
    assert "[tool.evals]" in found.err


def test_given_claims_are_scored_although_their_document_changed(tmp_path, evals, monkeypatch):
    import numpy as np

    from evals_pipeline.judge.encoder import make_encoder
    from evals_pipeline.judge.vectors import VectorCache

    class Flat:
        name = make_encoder(None).name

        def encode(self, texts):
            return np.tile(np.eye(1, 384, dtype=np.float32), (len(texts), 1))

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    VectorCache(tmp_path / "cache" / "evals-pipeline" / "vectors", Flat()).vectors(["It floats."])
    folder = tmp_path / "shelf" / "raft-1"
    folder.mkdir(parents=True)
    (folder / "manifest.yaml").write_text("fixture_id: raft-1\nsource_type: NOTE\n", "utf-8")
    (folder / "snapshot.json").write_text(json.dumps({"content_hash": "0" * 64}), "utf-8")
    (folder / "content.bin").write_bytes(b"A raft. It floats.\n")
    suite = tmp_path / "raft.yaml"
    suite.write_text(
        "suite_id: raft-001\nname: Rafts\nversion: 1.0.0\ndomain: boats\nsource_types: [NOTE]\n"
        "cases:\n- case_id: raft\n  fixture: raft-1\n  expected:\n"
        "  - {content: It floats., confidence_min: 0.5, uncertainty_nature: EPISTEMIC}\n",
        "utf-8",
    )
    given = tmp_path / "given.jsonl"
    claim = {"content": "It floats.", "confidence": 0.9}
    given.write_text(json.dumps({"fixture": "raft", "claims": [claim]}) + "\n", "utf-8")
    found = evals(
        "score", str(suite), "--predictions", str(given), "--fixtures", str(folder.parent),
        "--format", "json",
    )  # fmt: skip
    assert found.status == 0, found.err
    assert json.loads(found.out)["metrics"]["recall"]["mean"] == 1
    assert "warning:" in found.err
    assert "the bytes have changed" in found.err


def test_a_model_that_only_judges_serves_no_set(bills, evals):
    settings = (bills.root / "pyproject.toml").read_text(encoding="utf-8")
    bills.write("pyproject.toml", settings.replace('sets = ["bills"]', "sets = []"))
    found = json.loads(evals("list", "--format", "json").out)
    assert [one["set"] for one in found["sets"] if "asked@1" in one["models"]] == []


def test_a_faulty_setting_is_told_and_not_taken_for_no_project(bills, evals, monkeypatch):
    monkeypatch.setenv("EVALS_TRESHOLD", "0.9")
    found = evals("score", "bills", "--predictions", "golden/bills/steady.jsonl")
    assert found.status == 2
    assert "EVALS_TRESHOLD" in found.err
    assert "no project" not in found.err


def test_how_often_an_answer_was_tried_again_is_shown(bills, evals, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    good = completion('{"number": "A-1", "due": null}', model="asked-2026-01-01")
    busy = failure(429, retry_after="0")
    with loopback(first_then(busy, good)) as server:
        settings = (bills.root / "pyproject.toml").read_text(encoding="utf-8")
        quick = settings.replace(
            'base_url = "http://127.0.0.1:9/v1"', f'base_url = "{server.url}"\nmax_concurrency = 1'
        )
        bills.write("pyproject.toml", quick)
        assert evals("run", "bills", "--model", "asked@1", "--runs", "1").status == 0
    answers = json.loads(evals("answers", "list", "--format", "json").out)["answers"]
    assert sorted(one["retries"] for one in answers) == [0, 0, 1]
    assert [one["retry_reasons"] for one in answers if one["retries"]] == [["HTTP 429: no"]]
    assert "retries" in evals("answers", "list").out
