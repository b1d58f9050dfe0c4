"""A model's answers through the pipeline: paid once, kept through failures, told apart."""

import json
import shutil
import signal
import subprocess
import sys
import textwrap
import threading
import time

import pytest

from evals_pipeline.core.run_records import PartitionKey
from evals_pipeline.llm.archive import export_answers
from evals_pipeline.pipeline.extraction import extract_partition, to_retry
from evals_pipeline.pipeline.judging import judge_partition
from evals_pipeline.pipeline.model_answers import record_of
from evals_pipeline.pipeline.stamps import make_stamp
from tests.defs.bills import NUMBERS
from tests.llm.loopback import Act, completion, failure, loopback

KEY = PartitionKey(set_name="bills", model_version="asked@1", run_index=0)


@pytest.fixture
def serve(bills):
    """Points ``asked@1`` at a server that follows a script, without waiting between retries."""
    settings = (bills.root / "pyproject.toml").read_text(encoding="utf-8")

    def serving(url):
        quick = settings.replace("http://127.0.0.1:9/v1", url).replace(
            'sets = ["bills"]', 'sets = ["bills"]\nmax_retries = 0\nmax_concurrency = 1'
        )
        bills.write("pyproject.toml", quick)

    return serving


def right(call):
    number = call.asked.split("Bill ")[1].split("\n")[0]
    return completion(json.dumps({"number": number, "due": "2026-05-01"}), model="asked-2026-01-01")


def test_a_failed_call_is_a_status_and_is_tried_again(opened, serve):
    broken = {"A-2"}

    def script(call):
        return failure(500) if any(f"Bill {one}\n" in call.asked for one in broken) else right(call)

    with loopback(script) as server:
        serve(server.url)
        first = extract_partition(opened(), KEY, stamp=make_stamp(opened().root))
        assert (first.counts.ok, first.counts.error) == (2, 1)
        broken.clear()
        n_before = len(server.calls)
        second = extract_partition(opened(), KEY, stamp=make_stamp(opened().root))
        assert (second.counts.ok, second.counts.error) == (3, 0)
        assert len(server.calls) == n_before + 1


def test_a_truncated_answer_carries_nothing(opened, serve):
    def script(call):
        answer = json.dumps({"number": "A-1"})[:-3]
        return completion(answer, model="asked-2026-01-01", finish_reason="length")

    with loopback(script) as server:
        serve(server.url)
        project = opened()
        found = extract_partition(project, KEY, stamp=make_stamp(project.root))
    assert found.counts.truncated == len(NUMBERS)
    assert all(not one.fields for one in project.store.iter_extractions(KEY))


def test_another_model_stops_the_run_before_it_spends_more(opened, serve):
    def script(call):
        return completion("{}", model="asked-2026-09-09")

    with loopback(script) as server:
        serve(server.url)
        project = opened()
        with pytest.raises(Exception, match="asked-2026-09-09"):
            extract_partition(project, KEY, stamp=make_stamp(project.root))
        assert len(server.calls) == 1
    assert project.store.read_extractions(KEY) is None


def test_a_killed_run_goes_on_where_it_was(bills, opened, serve):
    """Killed after one of three answers: the next run makes the two missing calls."""
    is_open = threading.Event()
    answered = []

    def script(call):
        if answered and not is_open.is_set():
            return Act(hangs=True)
        answered.append(call.number)
        return right(call)

    code = textwrap.dedent(
        """
        import sys
        from pathlib import Path
        from evals_pipeline.core.run_records import PartitionKey
        from evals_pipeline.pipeline.extraction import extract_partition
        from evals_pipeline.pipeline.project import Project
        from evals_pipeline.pipeline.stamps import make_stamp
        project = Project.open(Path(sys.argv[1]), environ={})
        key = PartitionKey(set_name="bills", model_version="asked@1", run_index=0)
        extract_partition(project, key, stamp=make_stamp(project.root))
        """
    )
    with loopback(script) as server:
        serve(server.url)
        process = subprocess.Popen([sys.executable, "-c", code, str(bills.root)])
        deadline = time.monotonic() + 60
        written = bills.root / "storage" / "answers"
        while time.monotonic() < deadline:
            if len(server.calls) == 2 and list(written.glob("*.json")):
                break
            time.sleep(0.02)
        process.send_signal(signal.SIGKILL)
        process.wait(timeout=30)
        assert len(server.calls) == 2
        is_open.set()
        project = opened()
        found = extract_partition(project, KEY, stamp=make_stamp(project.root))
        assert found.counts.ok == 3
        assert (found.n_calls, found.n_recorded) == (2, 1)
        assert len(server.calls) == 4


def test_fresh_samples_anew_and_keeps_what_was_paid_for(opened, serve):
    with loopback(right) as server:
        serve(server.url)
        project = opened()
        extract_partition(project, KEY, stamp=make_stamp(project.root))
        extract_partition(project, KEY, stamp=make_stamp(project.root), fresh=True)
        assert len(server.calls) == 6
        files = list((project.root / "storage" / "answers").rglob("*.json"))
        samples = [len(json.loads(one.read_text(encoding="utf-8"))["samples"]) for one in files]
        assert samples == [2, 2, 2]


def test_a_truncated_answer_in_a_committed_recording_is_final(bills, opened, serve):
    def script(call):
        answer = json.dumps({"number": "A-1"})[:-3]
        return completion(answer, model="asked-2026-01-01", finish_reason="length")

    with loopback(script) as server:
        serve(server.url)
        project = opened()
        extract_partition(project, KEY, stamp=make_stamp(project.root))
        assert to_retry(opened(), KEY)
        export_answers(record_of(project), bills.root / "recorded")
        settings = (bills.root / "pyproject.toml").read_text(encoding="utf-8")
        bills.write(
            "pyproject.toml",
            settings.replace("max_retries = 0", 'max_retries = 0\nrecordings = "recorded"'),
        )
        shutil.rmtree(bills.root / "storage")
        n_before = len(server.calls)
        again = extract_partition(opened(), KEY, stamp=make_stamp(project.root))
        assert again.counts.truncated == len(NUMBERS)
        assert not to_retry(opened(), KEY)
        assert len(server.calls) == n_before


def test_a_document_that_cannot_be_read_fails_alone(bills, opened, serve):
    bills.unreadable("half.pdf", b"%PDF-1.4 and no more")
    bills.unreadable("void.txt", b" \n")
    with loopback(right) as server:
        serve(server.url)
        project = opened()
        stamp = make_stamp(project.root)
        found = extract_partition(project, KEY, stamp=stamp)
        judge_partition(project, KEY, stamp=stamp)
    assert (found.counts.ok, found.counts.error) == (len(NUMBERS), 2)
    assert len(server.calls) == len(NUMBERS)
    reasons = {one.reason for one in project.store.iter_extractions(KEY) if one.reason}
    assert any("nothing was asked: the PDF cannot be opened" in one for one in reasons)
    assert any("nothing was asked: is empty" in one for one in reasons)
