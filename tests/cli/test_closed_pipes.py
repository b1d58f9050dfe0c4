"""How commands end when whoever reads their output goes away before it is printed."""

import os
import subprocess
import sys

import pytest


@pytest.fixture
def into_closed_pipe(scored):
    """Runs a command whose standard output nobody reads; its status and standard error."""

    def call(*arguments, with_stderr=False):
        reading, writing = os.pipe()
        os.close(reading)
        try:
            ended = subprocess.run(
                [sys.executable, "-m", "evals_pipeline.cli.main", *arguments],
                stdout=writing,
                stderr=writing if with_stderr else subprocess.PIPE,
                check=False,
                timeout=120,
            )
        finally:
            os.close(writing)
        return ended.returncode, (ended.stderr or b"").decode()

    return call


@pytest.mark.parametrize("arguments", [("list",), ("--help",), ("list", "--format", "json")])
def test_without_a_verdict_the_end_is_quiet_and_is_no_red_gate(into_closed_pipe, arguments):
    assert into_closed_pipe(*arguments) == (141, "")


@pytest.mark.parametrize("form", ["table", "json", "markdown"])
def test_the_verdict_of_a_gate_outlives_its_reader(into_closed_pipe, form):
    red = into_closed_pipe("gate", "bills", "--model", "hasty", "--no-save", "--format", form)
    assert red == (1, "")
    green = into_closed_pipe("gate", "bills", "--model", "steady", "--no-save", "--format", form)
    assert green == (0, "")


def test_a_refusal_that_nobody_reads_is_still_one(into_closed_pipe):
    assert into_closed_pipe("gate", "nonesuch", with_stderr=True) == (2, "")
    assert into_closed_pipe("nonesuch", with_stderr=True) == (2, "")
    status, said = into_closed_pipe("gate", "nonesuch")
    assert (status, "does not exist" in said) == (2, True)
