"""``evals benchmark --fail-on``: the exact mean decides, and nothing unmeasured passes."""

import json

import pytest

from evals_pipeline.judge.vectors import VectorCache
from evals_pipeline.pipeline.judges import VECTORS_FOLDER, vectors_for
from tests.judge.fakes import WordEncoder
from tests.llm.loopback import completion, failure, loopback
from tests.pipeline.tellers import SETTINGS, SUITE, Tellers

TRUE = [f"{word} is true" for word in ("alder", "birch", "cedar", "dogwood", "elder")]
WRONG = [f"wrong number {word}" for word in ("one", "two", "three", "four", "five")]


@pytest.fixture
def tellers(bills, tmp_path, monkeypatch):
    made = Tellers(tmp_path / "tellers").make()
    monkeypatch.chdir(made.root)
    return made


def expect(tellers, *gold):
    """Makes these the gold claims of facts-001, the first required and the others as stated."""
    head, _ = SUITE.split("      - content:")
    path = tellers.root / "suites" / "facts-001.yaml"
    digest = path.read_text(encoding="utf-8").split('content_hash: "')[1][:64]
    head = head.format(header="", suite_id="facts-001", source_type="NOTE", digest=digest)
    wanted = "".join(
        f'      - content: "{content}"\n        confidence_min: 0\n'
        f"        uncertainty_nature: EPISTEMIC\n        required: {str(required).lower()}\n"
        for content, required in gold
    )
    path.write_text(head + wanted, encoding="utf-8")
    embed(tellers, *(content for content, _ in gold))


def predict(tellers, *runs):
    lines = [
        json.dumps(
            {
                "fixture": "facts-001-1",
                "run_index": run,
                "claims": [{"content": text, "confidence": 0.9} for text in claims],
            }
        )
        for run, claims in enumerate(runs)
    ]
    tellers.write("teller.jsonl", "\n".join(lines))
    embed(tellers, *(text for claims in runs for text in claims))


def embed(tellers, *texts):
    """Puts the vectors into the cache, so that the packaged encoder is never loaded."""
    project = tellers.open()
    name = vectors_for(project, project.settings.judge).encoder_name
    folder = project.root / project.settings.storage / VECTORS_FOLDER
    VectorCache(folder, WordEncoder(name)).vectors(texts)


def three_runs(tellers):
    """Precision and recall are 3/5, 4/5 and 1; confidence 0.9 leaves errors of 0.3, 0.1, 0.1."""
    tellers.write("pyproject.toml", SETTINGS.replace("runs = 2", "runs = 3"))
    expect(tellers, *((content, True) for content in TRUE))
    predict(tellers, *(TRUE[:n] + WRONG[n:] for n in (3, 4, 5)))


def benchmark(evals, fail_on, threshold):
    return evals(
        "benchmark",
        "general",
        *("--model", "teller", "--no-save", "--yes", "--format", "json"),
        *("--fail-on", fail_on, "--fail-threshold", threshold),
    )


def test_a_mean_that_is_exactly_the_threshold_passes(tellers, evals):
    three_runs(tellers)
    found = benchmark(evals, "precision", "0.8")
    assert (found.status, found.err) == (0, found.err)
    metrics = json.loads(found.out)["metrics"]
    assert metrics["precision"]["values"] == [0.6, 0.8, 1.0]
    assert metrics["precision"]["mean"] == 0.8
    assert benchmark(evals, "recall", "0.8").status == 0
    below = benchmark(evals, "recall", "0.80001")
    assert below.status == 1
    assert "mean recall is 0.8000, below 0.80001" in below.err
    # (0.3 + 0.1 + 0.1) / 3 = 1/6, which no decimal states.
    assert benchmark(evals, "calibration", "0.1667").status == 0
    above = benchmark(evals, "calibration", "0.1666")
    assert above.status == 1
    assert "mean calibration_error is 0.1667, above 0.1666" in above.err


def test_a_match_that_only_a_failed_call_of_the_judge_made_refuses(tellers, evals):
    """The claim lies closer to the optional gold claim, and goes to the required one for want."""
    with loopback(Judge()) as server:
        text = SETTINGS.replace("runs = 2", JUDGED).replace("http://127.0.0.1:9/v1", server.url)
        tellers.write("pyproject.toml", text)
        expect(tellers, ("alder birch cedar dogwood", False), ("alder birch cedar hazel", True))
        predict(tellers, ["alder birch cedar dogwood elder"])
        server_says_nothing = benchmark(evals, "recall", "0.9")
    assert server_says_nothing.status == 2
    assert "recall could not be measured: run 0: 1 of 1 required gold" in server_says_nothing.err
    figures = json.loads(server_says_nothing.out)
    assert figures["counts"]["unjudged_pairs"] == 1
    assert (figures["counts"]["unjudged"], figures["counts"]["gold_unjudged"]) == (1, 2)
    assert any("1 pair unjudged" in note for note in figures["notes"])


def test_nothing_is_decided_while_anything_is_unjudged(tellers, evals):
    """Recall is 1 whatever the verdict on the optional gold would be, and still nothing passes."""
    with loopback(Judge()) as server:
        text = SETTINGS.replace("runs = 2", JUDGED).replace("http://127.0.0.1:9/v1", server.url)
        tellers.write("pyproject.toml", text)
        expect(tellers, ("alder birch cedar dogwood", False), ("the mill burned", True))
        predict(tellers, ["alder birch cedar dogwood elder", "the mill burned"])
        found = benchmark(evals, "recall", "0.9")
    assert json.loads(found.out)["metrics"]["recall"]["mean"] == 1.0
    assert found.status == 2
    assert "the judge left pairs of 1 case open" in found.err
    assert "Run it again" in found.err


JUDGED = 'runs = 1\njudge = {kind = "llm", model = "asked@1", threshold = 0.95, low = 0.5}'


class Judge:
    """Says yes to every pair but the one with the optional gold claim, on which the call fails."""

    def __call__(self, call):
        material = json.loads(call.asked)
        if "dogwood" in material["gold"]:
            return failure(400)
        told = {"nonce": material["nonce"], "reason": "r", "match": True}
        return completion(json.dumps(told), model="asked-2026-01-01")
