"""Ctrl-C between the runs of a command."""

import os
import signal

import pytest

from evals_pipeline.defs.materialise import watching_for_ctrl_c


@pytest.fixture
def deaf():
    """A handler that forgets, as Dagster's does at the end of a run."""
    before = signal.signal(signal.SIGINT, lambda *_: None)
    yield
    signal.signal(signal.SIGINT, before)


def test_a_ctrl_c_that_somebody_else_took_in_is_seen(deaf):
    with watching_for_ctrl_c() as came:
        assert not came()
        os.kill(os.getpid(), signal.SIGINT)
        assert came()
        assert not came()  # said once


def test_other_signals_and_earlier_ones_are_none(deaf):
    os.kill(os.getpid(), signal.SIGINT)
    with watching_for_ctrl_c() as came:
        assert not came()
