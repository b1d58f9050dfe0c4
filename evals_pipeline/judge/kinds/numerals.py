"""A number with what stands around it: sign, parentheses, credit mark, unit or currency.

``read_numeral`` finds the one run of digits, reads the sign in all its shapes, and leaves the rest,
trimmed, for the kind to explain. What no kind explains makes the value unreadable.
"""

import re
from decimal import Decimal, InvalidOperation
from typing import NamedTuple

from evals_pipeline.core.records import JsonValue
from evals_pipeline.judge.kinds.characters import ARABIC_DECIMAL, fold_numeric
from evals_pipeline.judge.kinds.currencies import takes_dot
from evals_pipeline.judge.kinds.notation import is_in_range, notation_of, read_digits
from evals_pipeline.judge.kinds.protocol import Canonical, KindContext, Side

_MAX_LENGTH = 200
_PLAIN = re.compile(r"-?\d{1,60}(\.\d{1,30})?", re.ASCII)
# Digits with marks between them, and at most a symbol or a code beside them: nothing to fold.
_COMMON = re.compile(r"([€$£] ?)?(\d(?:[\d.,]*\d)?)( ?(?:[€$£%]|[A-Z]{3}))?", re.ASCII)
_RUN = re.compile(rf"(\D*)(\d[\d.,' {ARABIC_DECIMAL}]*)([eE][+-]?\d+)?(\D*)", re.ASCII)
_CORE_END = f".,' {ARABIC_DECIMAL}"
_SIGN = re.compile(r"[-+()]|[cd]r", re.IGNORECASE)
_NO_CENTS = re.compile(r"^ ?(?:[.,] ?--?|:-|/-|/=)(?![\d-])")
_CREDIT = re.compile(r"(?<![^\W\d_])(cr|dr)(?![^\W\d_])\.?", re.IGNORECASE)
_THREE_DIGITS = len(".000")
_MARKS = ".," + ARABIC_DECIMAL


class Numeral(NamedTuple):
    """An exact number and the words around it; ``value`` None with ``problem``: unreadable."""

    value: Decimal | None
    before: str = ""
    after: str = ""
    steps: tuple[str, ...] = ()
    problem: str | None = None


def read_numeral(value: JsonValue, context: KindContext) -> Numeral:
    """The number that a value writes, whatever its type.

    Numbers of JSON are exact plain decimals under every locale; true and false are not numbers.
    """
    if isinstance(value, str):
        return _read_text(value, context)
    if isinstance(value, bool):
        return _unreadable(f"{str(value).lower()} is not a number")
    if isinstance(value, int | float | Decimal):
        return _read_number(value)
    return _unreadable(f"{_sort_of(value)} is not a number")


def unreadable(numeral: Numeral) -> Canonical:
    """The canonical form of a value that is no number."""
    return Canonical(text=None, steps=numeral.steps, problem=numeral.problem)


def leftover(numeral: Numeral) -> str:
    """What stands around the number beside its sign, for a kind that has no use for it."""
    return " ".join(part for part in (numeral.before, numeral.after) if part)


def _unreadable(problem: str, steps: tuple[str, ...] = ()) -> Numeral:
    return Numeral(value=None, problem=problem, steps=steps)


def _sort_of(value: object) -> str:
    if isinstance(value, list | tuple):
        return "a list"
    return "an object" if isinstance(value, dict) else f"a {type(value).__name__}"


def _read_number(value: float | Decimal) -> Numeral:
    if isinstance(value, int) and value.bit_length() > 1024:
        return _unreadable("a number too long to write out")
    try:
        exact = Decimal(repr(value)) if isinstance(value, float) else Decimal(value)
    except InvalidOperation:
        return _unreadable("not a finite number")
    if not is_in_range(exact):
        return _unreadable(
            "a number too long to write out" if exact.is_finite() else "not a finite number"
        )
    return Numeral(value=exact)


def _read_text(text: str, context: KindContext) -> Numeral:
    if len(text) > _MAX_LENGTH:
        return _unreadable(f"{len(text)} characters are too long a number")
    plain = _PLAIN.fullmatch(text)
    if plain is not None and (plain[1] is None or _is_point_decimal(plain[1], context)):
        return Numeral(Decimal(text))
    if common := _COMMON.fullmatch(text):
        before, core, after = common.groups("")
        return _with_affixes(core, before, after, context=context)
    folded = fold_numeric(text)
    run = _RUN.fullmatch(folded)
    if run is None:
        return _unreadable(
            "more than one number" if re.search(r"\d", folded) else "no number in it"
        )
    before, digits, exponent, after = run.groups("")
    core = digits if exponent else digits.rstrip(_CORE_END)
    after = digits[len(core) :] + after
    if before and before[-1] in _MARKS:
        shared = _share_mark(before, core, context.locale)
        if shared is None:
            return _unreadable(f'unclear whether "." in {folded} marks decimals or an abbreviation')
        before, core = shared
    return _with_affixes(core + exponent, before, after, context=context)


def _with_affixes(core: str, before: str, after: str, *, context: KindContext) -> Numeral:
    value, step, problem = read_digits(core, locale=context.locale, side=context.side)
    steps = () if step is None else (step,)
    if value is None:
        return _unreadable(problem or "not a number", steps)
    return _signed(value, before, after, context=context, steps=steps)


def _is_point_decimal(fraction: str, context: KindContext) -> bool:
    """Whether a plain decimal's point marks decimals beyond question, so that no step is told."""
    if context.locale is None or notation_of(context.locale).decimal == ".":
        return True
    return context.side is Side.LABEL and len(fraction) != _THREE_DIGITS


def _share_mark(before: str, core: str, locale: str | None) -> tuple[str, str] | None:
    """Gives the mark at the end of ``before`` to the number or to the symbol, as it belongs.

    ``$.50`` and ``-.5`` are decimals, ``Rs.100`` and ``kr.100`` abbreviations; behind other letters
    (``USD.50``) it could be either: None.
    """
    symbol, mark = before[:-1], before[-1]
    if mark == "." and takes_dot(symbol, locale):
        return before, core
    return None if symbol[-1:].isalpha() else (symbol, mark + core)


def _signed(
    value: Decimal, before: str, after: str, *, context: KindContext, steps: tuple[str, ...]
) -> Numeral:
    if not (before or after):
        return Numeral(value, "", "", steps)
    if not _SIGN.search(before + " " + after):
        return Numeral(value, before.strip(), after.strip(), steps)
    if no_cents := _NO_CENTS.match(after):
        after = after[no_cents.end() :]
        steps += (f'"{no_cents.group().strip()}" stands for no minor units',)
    credit = _CREDIT.findall(before + " " + after)
    if credit:
        before, after = _CREDIT.sub("", before), _CREDIT.sub("", after)
    signs = [char for char in before + after if char in "+-"]
    opens, closes = (before + after).count("("), (before + after).count(")")
    parenthesised = opens == closes == 1 and "(" in before and ")" in after
    if (opens or closes) and not parenthesised:
        return _unreadable("parentheses that do not enclose the number", steps)
    if len(signs) + len(credit) + parenthesised > 1:
        return _unreadable("more than one sign", steps)
    is_negative = parenthesised or signs == ["-"]
    if parenthesised:
        steps += ("parentheses mean a negative number",)
    elif credit:
        is_negative = (credit[0].lower() == "cr") is not context.spec.credit_is_positive
        steps += (f"{credit[0]} counts as {'negative' if is_negative else 'positive'}",)
    elif is_negative and "-" in after:
        steps += ("the minus stands behind the number",)
    return Numeral(
        value=-value if is_negative else value,
        before=_trim(before),
        after=_trim(after),
        steps=steps,
    )


def _trim(affix: str) -> str:
    return " ".join(affix.translate(_SIGNS).split())


_SIGNS = str.maketrans("", "", "+-()")
