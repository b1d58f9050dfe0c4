"""How a command ends at Ctrl-C: with a status of its own, for 1 would be a red gate."""

import json
import os
import signal
import subprocess
import sys
import time

from tests.defs.bills import Bills
from tests.llm.loopback import completion, loopback

# Where the tests themselves run in the background, Ctrl-C would be ignored by the child as well.
EVALS = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
from evals_pipeline.cli.main import main
main()
"""


def test_an_interrupted_command_is_no_red_gate():
    asked = json.dumps({"kind": "money", "golden": "5", "extracted": "5.00"})
    with subprocess.Popen(
        [sys.executable, "-c", EVALS, "explain", "--batch", "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as running:
        assert running.stdin is not None
        assert running.stdout is not None
        assert running.stderr is not None
        running.stdin.write(asked + "\n")
        running.stdin.flush()
        assert json.loads(running.stdout.readline())["equal"]  # it now waits for the next line
        running.send_signal(signal.SIGINT)
        assert running.wait(timeout=60) == 130
        assert running.stderr.read() == "evals: interrupted; what was written stays.\n"


def test_an_interrupted_run_keeps_what_was_paid_and_begins_nothing_more(tmp_path):
    bills = Bills(tmp_path / "project").make()
    answer = completion('{"number": "A-1", "due": null}', model="asked-2026-01-01", delay_s=1.0)
    environ = {name: value for name, value in os.environ.items() if not name.startswith("EVALS_")}
    environ.pop("DAGSTER_HOME", None)
    with loopback(lambda call: answer) as server:
        settings = (bills.root / "pyproject.toml").read_text(encoding="utf-8")
        bills.write("pyproject.toml", settings.replace("http://127.0.0.1:9/v1", server.url))
        with subprocess.Popen(
            [sys.executable, "-c", EVALS, "run", "bills", "--model", "asked@1"],
            cwd=bills.root,
            env=environ,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        ) as running:
            deadline = time.monotonic() + 60
            while len(server.calls) < 3 and time.monotonic() < deadline:
                time.sleep(0.02)
            running.send_signal(signal.SIGINT)
            _, said = running.communicate(timeout=60)
        n_calls = len(server.calls)

    assert running.returncode == 130
    assert "stopping: 3 calls in flight" in said
    assert said.endswith("evals: interrupted; what was written stays.\n")
    assert n_calls == 3  # those of the first of two runs
    assert len(list((bills.root / "storage" / "answers").glob("*.json"))) == 3
