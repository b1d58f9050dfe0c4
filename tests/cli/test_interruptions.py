"""How a command ends at Ctrl-C: with a status of its own, for 1 would be a red gate."""

import json
import signal
import subprocess
import sys

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
