"""What the tests of masking share: a masker of a fresh set, and values that nobody has."""

from collections.abc import Callable, Iterable
from pathlib import Path

from evals_pipeline.sets.redaction.findings import Finding, Lookalike
from evals_pipeline.sets.redaction.folding import fold
from evals_pipeline.sets.redaction.ledger import Ledger
from evals_pipeline.sets.redaction.masking import Masker
from evals_pipeline.sets.redaction.terms import read_term

# Bank and country as the structure wants them, accounts that no bank has.
IBAN = "GB13 TEST 0000 0077 3041 03"
GERMAN_IBAN = "DE65 0000 0000 0048 1172 01"
CARD = "4012 8888 8888 1881"
EMAIL = "ada.hope@quay.example"
PHONE = "0161 496 0117"

Detector = Callable[[str], Iterable[Finding | Lookalike]]


def found_by(detector: Detector, text: str) -> list[str]:
    """What a detector masks of a text."""
    found = detector(fold(text))
    return [text[one.start : one.end] for one in found if isinstance(one, Finding)]


def close_calls(detector: Detector, text: str) -> list[str]:
    """What a detector reports and leaves."""
    found = detector(fold(text))
    return [text[one.start : one.end] for one in found if isinstance(one, Lookalike)]


def ledger_in(folder: Path, *, new_key: bool = False) -> Ledger:
    return Ledger.open(folder, environ={"XDG_CONFIG_HOME": str(folder / "config")}, new_key=new_key)


def save(ledger: Ledger) -> None:
    text = ledger.text()
    if text is not None:
        ledger.save_key()
        ledger.path.write_text(text, encoding="utf-8")


def masker_in(
    folder: Path,
    *masks: str,
    keeps: Iterable[str] = (),
    regions: Iterable[str] = ("GB",),
) -> Masker:
    return Masker.of(
        ledger_in(folder),
        regions=regions,
        terms=[read_term(text) for text in masks],
        keeps=keeps,
    )
