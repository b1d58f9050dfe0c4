"""A key is sent to its endpoint and stands nowhere else, whatever the endpoint makes of it."""

import json

from tests.llm.loopback import completion, failure, loopback

SECRET = "sk-toll-bridge-0123456789abcdef"


def repeats_the_key(call):
    """Fails with the key, answers with the key, answers well: one of each for three documents."""
    if "Bill A-1\n" in call.asked:
        return failure(500, f"no luck with Bearer {SECRET}")
    number = SECRET if "Bill A-2\n" in call.asked else "A-3"
    return completion(json.dumps({"number": number, "due": SECRET}), model="asked-2026-01-01")


def test_the_key_stands_in_no_file_and_no_line(bills, evals, tmp_path, monkeypatch):
    home = tmp_path / "dagster"
    home.mkdir()
    (home / "dagster.yaml").write_text("telemetry: {enabled: false}\n", encoding="utf-8")
    monkeypatch.setenv("DAGSTER_HOME", str(home))
    monkeypatch.setenv("TOLL_KEY", SECRET)
    settings = (bills.root / "pyproject.toml").read_text(encoding="utf-8")
    named = 'sets = ["bills"]\napi_key_env = "TOLL_KEY"\nmax_retries = 0\nruns = 1'
    with loopback(repeats_the_key) as server:
        bills.write(
            "pyproject.toml",
            settings.replace("http://127.0.0.1:9/v1", server.url).replace(
                'sets = ["bills"]', named
            ),
        )
        asked = "--model", "asked@1"
        told = [evals("run", "bills", *asked, "--yes")]
        assert {call.headers["authorization"] for call in server.calls} == {f"Bearer {SECRET}"}
        assert len(server.calls) == 3
    told += [
        evals("baseline", "record", "bills", *asked),
        evals("gate", "bills", *asked, "--format", "json"),
        evals("gate", "bills", *asked),
        evals("trace", "bills", *asked, "--field", "due"),
        evals("answers", "list"),
        evals("costs"),
        evals("report", "bills", "--output", str(tmp_path / "report.html")),
        evals("export", str(tmp_path / "tables"), "--as", "csv"),  # Parquet is compressed
    ]
    assert [one.status for one in told] == [0, 2, 2, 2, 0, 0, 0, 0, 0]
    said = "".join(one.out + one.err for one in told)
    written = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert "redacted" in said
    assert b"redacted" in written[tmp_path / "report.html"]
    assert any(path.suffix == ".db" for path in written)  # what Dagster logged is among them
    assert SECRET not in said
    assert [str(path) for path, content in written.items() if SECRET.encode() in content] == []
