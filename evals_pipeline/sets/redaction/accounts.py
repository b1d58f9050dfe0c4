"""Card and account numbers: by scheme and checksum, by form and checksum, or by the label.

A number that passes no test stays. One that comes close is reported, because only whoever has the
document before them can tell an account from an order.
"""

import re
from collections.abc import Callable, Iterator, Sequence

from stdnum import luhn
from stdnum.cz import bankaccount as cz_account
from stdnum.es import ccc
from stdnum.no import kontonr
from stdnum.nz import bankaccount as nz_account

from evals_pipeline.sets.redaction.digit_groups import (
    Group,
    digit_runs,
    has_fraction,
    is_date,
    is_fraction,
    joined,
)
from evals_pipeline.sets.redaction.findings import Finding, Lookalike, Masked
from evals_pipeline.sets.redaction.label_words import NumberLabel, label_before

# First digits and lengths of the card schemes in use.
_SCHEMES: tuple[tuple[re.Pattern[str], frozenset[int]], ...] = tuple(
    (re.compile(pattern), frozenset(lengths))
    for pattern, lengths in (
        (r"4", (13, 16, 19)),
        (r"5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720", (16,)),
        (r"3[47]", (15,)),
        (r"6011|64[4-9]|65", (16, 17, 18, 19)),
        (r"30[0-5]|3095|36|3[89]", (14, 15, 16, 17, 18, 19)),
        (r"35(?:2[89]|[3-8])", (16, 17, 18, 19)),
        (r"50|5[6-8]|6(?:304|7|390)", (13, 14, 15, 16, 17, 18, 19)),
        (r"62|81", (16, 17, 18, 19)),
        (r"220[0-4]|60|82|508|9792", (16,)),
    )
)
_SHAPES = (re.compile(r"4{3,4}[1-4]?"), re.compile(r"46[45]"), re.compile(r"4444[1-4]"))
_SHORTEST, _LONGEST = 13, 19
_ACCOUNT_DIGITS = range(5, 21)
_LONG = 8

_FORMS: tuple[tuple[re.Pattern[str], Callable[[str], bool]], ...] = (
    (re.compile(r"(?<![\d\-])\d{4}[ \-]\d{4}[ \-]\d{2}[ \-]\d{10}(?!\d)", re.ASCII), ccc.is_valid),
    (re.compile(r"(?<![\d.])\d{4}[ .]\d{2}[ .]\d{5}(?![\d.])", re.ASCII), kontonr.is_valid),
    (re.compile(r"(?<![\d\-])\d{2}-\d{4}-\d{7}-\d{2,3}(?!\d)", re.ASCII), nz_account.is_valid),
    (re.compile(r"(?<![\d\-])(?:\d{1,6}-)?\d{6,10}/\d{4}(?!\d)", re.ASCII), cz_account.is_valid),
)


def find_cards(text: str) -> Iterator[Finding | Lookalike]:
    """The card numbers of a folded text, and runs of digits that come close to one."""
    for run in digit_runs(text, shortest=_SHORTEST, over_lines=True):
        first = 0
        while first < len(run):
            found = _card_from(text, run, first)
            if found is None:
                first += 1
                continue
            yield found[0]
            first = found[1]


def _card_from(
    text: str, run: Sequence[Group], first: int
) -> tuple[Finding | Lookalike, int] | None:
    """The longest card number that begins with a group of the run, and the group after it."""
    close: tuple[Lookalike, int] | None = None
    # A column of numbers is one long run; no card number has more groups than digits.
    for last in range(min(len(run), first + _LONGEST), first, -1):
        groups = run[first:last]
        digits = joined(groups)
        if not _SHORTEST <= len(digits) <= _LONGEST or not _has_shape(groups):
            continue
        if len(groups) == 1 and is_fraction(text, groups[0]):
            continue
        start, end = groups[0].start, groups[-1].end
        is_labelled = label_before(text, start) is NumberLabel.CARD
        if is_labelled or (_is_of_scheme(digits) and luhn.is_valid(digits)):
            return Finding(kind=Masked.CARD, start=start, end=end, normal=digits), last
        if close is None and (reason := _how_close(digits, len(groups))):
            close = Lookalike(start=start, end=end, reason=reason), last
    return close


def _has_shape(groups: Sequence[Group]) -> bool:
    """One group, groups as cards print them, or one number broken over two lines."""
    if len(groups) == 1 or (len(groups) == 2 and "\n" in groups[1].gap):
        return True
    if any(set(group.gap) & set("()+/") for group in groups[1:]):
        return False
    lengths = "".join(str(len(group.digits)) for group in groups)
    return any(shape.fullmatch(lengths) for shape in _SHAPES)


def _is_of_scheme(digits: str) -> bool:
    return any(first.match(digits) and len(digits) in lengths for first, lengths in _SCHEMES)


def _how_close(digits: str, n_groups: int) -> str | None:
    if n_groups > 1 and len(digits) >= 15 and _is_of_scheme(digits):
        return "is grouped as a card number is, but its checksum fails"
    if n_groups == 1 and len(digits) >= 15 and luhn.is_valid(digits):
        return "passes the checksum of card numbers, but is of no card scheme"
    return None


def find_accounts(text: str) -> Iterator[Finding]:
    """The account numbers of a folded text: labelled ones, and national forms with a checksum."""
    for form, is_valid in _FORMS:
        for match in form.finditer(text):
            if is_valid(match.group()):
                yield _account(match.start(), match.end(), match.group())
    for run in digit_runs(text, shortest=_ACCOUNT_DIGITS.start):
        for first, group in enumerate(run):
            if label_before(text, group.start) is NumberLabel.ACCOUNT:
                yield from _labelled(text, run[first : first + _ACCOUNT_DIGITS.stop])
                break


def _labelled(text: str, groups: Sequence[Group]) -> Iterator[Finding]:
    """As many groups as an account number can have, without the amount that may follow."""
    for last in range(len(groups), 0, -1):
        taken = groups[:last]
        start, end = taken[0].start, taken[-1].end
        if is_date(text[start:end], with_short_years=False):
            return
        # Eight digits in a row before a comma are no amount but the cell before the next.
        is_amount = has_fraction(text, end) and len(taken[-1].digits) < _LONG
        if len(joined(taken)) in _ACCOUNT_DIGITS and not is_amount:
            yield _account(start, end, joined(taken))
            return


def _account(start: int, end: int, written: str) -> Finding:
    digits = "".join(char for char in written if char.isdigit())
    return Finding(kind=Masked.ACCOUNT, start=start, end=end, normal=digits)
