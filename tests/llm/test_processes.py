"""Two processes at once, and a process that is killed: paid once, and resumed where it was."""

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from random import Random

from evals_pipeline.core import record_json
from tests.llm.asks import SECRET, door, questions
from tests.llm.loopback import Act, completion, failure, loopback

CHILD = """
import sys
from pathlib import Path
from tests.llm.asks import door, questions
door(sys.argv[1], Path(sys.argv[2]), max_concurrency=4).ask_all(questions(int(sys.argv[3])))
"""


def child(url, root, n):
    return subprocess.Popen(
        [sys.executable, "-c", CHILD, url, str(root), str(n)],
        env={**os.environ, "TINY_KEY": SECRET, "PYTHONPATH": os.pathsep.join(["."])},
    )


def timeless(record):
    """What is recorded, without the moments."""
    found = {}
    for key in record.recorded_keys():
        file = record_json.encode(record.read(key))
        for sample in file["samples"]:
            del sample["at"], sample["duration_s"]
        found[key] = file
    return found


def test_two_processes_at_once_pay_once_for_each_key(tmp_path):
    with loopback(lambda call: completion(delay_s=0.1)) as server:
        both = [child(server.url, tmp_path, 24) for _ in range(2)]

        assert [one.wait(60) for one in both] == [0, 0]
        assert Counter(Counter(call.asked for call in server.calls).values()) == {1: 24}
    assert not list((tmp_path / ".locks").iterdir())


def test_a_killed_run_goes_on_with_exactly_the_missing_calls(tmp_path):
    with loopback(lambda call: completion(f'{{"a": "{call.asked}"}}', delay_s=0.1)) as server:
        killed = child(server.url, tmp_path / "killed", 40)
        while len(server.calls) < 18:
            time.sleep(0.01)
        killed.send_signal(signal.SIGKILL)
        killed.wait(10)
        time.sleep(0.2)
        n_recorded = len(list((tmp_path / "killed").glob("*.json")))
        n_before = len(server.calls)

        resumed = door(server.url, tmp_path / "killed", max_concurrency=4)
        resumed.ask_all(questions(40))

        assert 0 < n_recorded < 40
        assert len(server.calls) - n_before == 40 - n_recorded
        undisturbed = door(server.url, tmp_path / "undisturbed")
        undisturbed.ask_all(questions(40))
    assert timeless(resumed.record) == timeless(undisturbed.record)


def test_an_interrupted_run_writes_what_is_in_flight(tmp_path):
    with loopback(lambda call: completion(delay_s=0.3)) as server:
        stopped = child(server.url, tmp_path, 40)
        while len(server.calls) < 6:
            time.sleep(0.01)
        stopped.send_signal(signal.SIGINT)
        stopped.wait(20)

        assert stopped.returncode != 0
        assert len(list(tmp_path.glob("*.json"))) == len(server.calls) < 40


def misbehaving(seed):
    """A server that does any of its tricks on any call; what it billed stands in ``billed``."""
    rng = Random(seed)
    billed = Counter()
    good = completion()
    tricks = [
        lambda: failure(429, retry_after="0.01"),
        lambda: failure(429),
        lambda: failure(500),
        lambda: Act(body=b"<html>"),
        lambda: Act(body=good.body, cut_at=30),
        lambda: Act(hangs=True),
        lambda: failure(400, "this one is not liked"),
        lambda: completion('{"a": 1', finish_reason="length"),
        lambda: completion("no json", usage=None, delay_s=0.05),
    ]

    def script(call):
        if rng.random() < 0.5:
            return rng.choice(tricks)()
        billed[call.asked] += 1
        return good

    return script, billed


def test_whatever_the_server_does_the_counts_add_up_and_a_good_answer_is_paid_once(tmp_path):
    script, billed = misbehaving(seed=5)
    asked = questions(60)
    n_calls = 0
    with loopback(script) as server:
        for _ in range(20):
            opened = door(
                server.url, tmp_path, timeout_s=1.0, max_concurrency=10, structured="json_schema"
            )
            answers = opened.ask_all(asked)
            n_calls += sum(1 + answer.retries for answer in answers if answer.is_new)
            assert n_calls == len(server.calls)
            assert len(answers) == 60
            assert all(answer.reason for answer in answers if answer.status.value != "ok")
            if opened.estimate(asked).calls == 0:
                break

    assert opened.estimate(asked).recorded == 60
    assert max(billed.values()) == 1
