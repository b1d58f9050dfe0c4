import pytest

from evals_pipeline.core.visible import visible_line


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain 4820.15 €", "plain 4820.15 €"),
        ("a\nb\tc\rd", "a\\nb\\tc\\rd"),
        ("\x1b[2J\x07\x85", "\\x1b[2J\\x07\\x85"),
        ("1\u200b2\u202e\u2066\ufeff", "1\\u200b2\\u202e\\u2066\\ufeff"),
        ("\ud800", "\\ud800"),
        ("\U000e0001", "\\U000e0001"),
    ],
)
def test_what_cannot_be_seen_is_written_out(text: str, shown: str) -> None:
    assert visible_line(text) == shown


def test_what_is_too_long_ends_in_an_ellipsis() -> None:
    assert visible_line("abcdefgh", limit=5) == "abcd…"
    assert visible_line("abcde", limit=5) == "abcde"
