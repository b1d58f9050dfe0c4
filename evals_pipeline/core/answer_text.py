"""A model's answer as text, read strictly into one JSON value or refused with the reason.

Models wrap their answer in prose, fences or a thinking block; those are stepped over, and the
result says so (``recovered``). One slip is mended, the trailing comma, and the result says that
too (``repaired``). Nothing else is guessed: an answer that was cut, that holds two different
objects, or that strict JSON refuses (duplicate keys, NaN, …) carries no value at all.

Reading takes time linear in the text, whatever the text is.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from evals_pipeline.core import strict_json
from evals_pipeline.core.errors import InputError
from evals_pipeline.core.outcomes import ExtractionStatus
from evals_pipeline.core.records import JsonValue

_CUT_REASONS = frozenset(
    {"length", "max_tokens", "max_output_tokens", "max_completion_tokens", "model_length"}
)
_WITHHELD_REASONS = frozenset({"content_filter", "safety", "refusal", "recitation"})

# A whole JSON string, or the rest of the text when its closing quote never comes.
_STRING = r'"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)'
_BRACKETS = re.compile(rf"{_STRING}|[{{}}\[\]]", re.DOTALL)
_TRAILING_COMMA = re.compile(rf"({_STRING})|,(?=\s*+[}}\]])", re.DOTALL)

# What matters between values: a value that looks like JSON begins, or thinking begins or ends.
# Braces and brackets of prose ({name}, [1], [sic]) do not look like JSON and are passed over.
_THINKING = r"think|thinking|thought|reasoning"
_BETWEEN = re.compile(
    rf'(?P<json>\{{\s*+["}}]|\[\s*+(?:\{{\s*+["}}]|\]))'
    rf"|<(?P<think>{_THINKING})>|(?P<endthink></(?:{_THINKING})>)",
    re.IGNORECASE,
)


def was_cut(finish_reason: str | None) -> bool:
    """Whether a provider's finish reason says that the output limit ended the answer.

    >>> was_cut("length"), was_cut("stop"), was_cut(None)
    (True, False, False)
    """
    return (finish_reason or "").strip().lower() in _CUT_REASONS


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedAnswer:
    """What an answer says, or why it says nothing.

    ``value`` is None unless ``status`` is ok, then an object or an array. ``recovered``: text stood
    around the value. ``repaired``: trailing commas were taken out.
    """

    value: JsonValue
    status: ExtractionStatus
    reason: str | None = None
    recovered: bool = False
    repaired: bool = False


def parse_answer(text: str, *, finish_reason: str | None) -> ParsedAnswer:
    """The one JSON object (or array of objects) that a model's answer holds.

    Args:
        text: The answer as it came.
        finish_reason: Why the provider says that the model stopped; None when it is not known.

    Returns:
        Status ok with the value; ``truncated`` when the provider says so, or when the text ends
        inside a value and nothing says that the model stopped by itself; else ``unparsable``.

    >>> parse_answer('Sure: {"a": 1}', finish_reason="stop").recovered
    True
    """
    ended_early = early_end(finish_reason)
    if ended_early is not None:
        return ended_early
    plain = text.removeprefix("\ufeff").strip()
    if not plain:
        return _refused("the answer is empty")
    if plain[0] in "{[":
        whole = _whole(plain)
        if whole is not None:
            return whole
    return _inside_text(plain, is_end_known=bool((finish_reason or "").strip()))


def early_end(finish_reason: str | None) -> ParsedAnswer | None:
    """The refusal of an answer that its provider cut or withheld; None when it ran to its end."""
    ended = (finish_reason or "").strip().lower()
    if was_cut(ended):
        return _refused(
            f"the output limit was reached (finish reason {finish_reason})",
            status=ExtractionStatus.TRUNCATED,
        )
    if ended in _WITHHELD_REASONS:
        return _refused(f"the provider withheld the answer (finish reason {finish_reason})")
    return None


def _whole(plain: str) -> ParsedAnswer | None:
    """The answer when the text is JSON and nothing else; None when there is more to it."""
    if _end_of_value(plain, 0) != len(plain):
        return None
    return _read(plain, recovered=False)


def _inside_text(plain: str, *, is_end_known: bool) -> ParsedAnswer:
    """The answer when something stands around the value, or when the value is not sound."""
    answers: list[ParsedAnswer] = []
    for piece in _pieces(plain):
        if piece.kind == "drafts_end":
            answers.clear()
        elif piece.kind == "value":
            answers.append(_read(piece.text, recovered=True))
        elif piece.kind == "open_thinking":
            return _unended("the thinking never ends and no answer follows", is_end_known)
        else:
            return _unended("the text ends inside a JSON value", is_end_known)
    if not answers:
        return _refused("the answer holds no JSON object")
    for answer in answers:
        if answer.status is not ExtractionStatus.OK:
            return answer
    # Empty braces in prose ("I could not find {} in it") state no field, and so deny none.
    stating = [answer for answer in answers if answer.value != {}] or answers
    if len({strict_json.dumps(answer.value) for answer in stating}) > 1:
        return _refused(f"the answer holds {len(stating)} JSON values that contradict one another")
    return stating[-1]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Piece:
    """One thing met between values: value, drafts_end, open_value or open_thinking."""

    kind: str
    text: str = ""


def _pieces(plain: str) -> Iterator[_Piece]:
    """Top-level values and thinking marks in order; nothing inside a value is looked at."""
    position = 0
    while mark := _BETWEEN.search(plain, position):
        if mark["json"]:
            end = _end_of_value(plain, mark.start())
            if end is None:
                yield _Piece(kind="open_value")
                return
            yield _Piece(kind="value", text=plain[mark.start() : end])
            position = end
        elif mark["endthink"]:
            # Some chat templates open the block in the prompt, so that only its end is answered.
            yield _Piece(kind="drafts_end")
            position = mark.end()
        else:
            close = re.compile(rf"</{mark['think']}>", re.IGNORECASE).search(plain, mark.end())
            if close is None:
                yield _Piece(kind="open_thinking")
                return
            position = close.end()


def _end_of_value(text: str, start: int) -> int | None:
    """Index behind the bracket that closes the one at ``start``; None when none does."""
    depth = 0
    for token in _BRACKETS.finditer(text, start):
        if token[0] in ("{", "["):
            depth += 1
        elif token[0] in ("}", "]"):
            depth -= 1
            if depth == 0:
                return token.end()
    return None


def _read(text: str, *, recovered: bool) -> ParsedAnswer:
    """One candidate read strictly, if need be once more without its trailing commas."""
    try:
        value = strict_json.loads(text, where="answer")
    except InputError as refusal:
        mended = _TRAILING_COMMA.sub(lambda found: found[1] or "", text)
        if mended == text:
            return _refused(_problems(refusal))
        try:
            value = strict_json.loads(mended, where="answer")
        except InputError as still:
            return _refused(_problems(still))
        return ParsedAnswer(
            value=value, status=ExtractionStatus.OK, recovered=recovered, repaired=True
        )
    return ParsedAnswer(value=value, status=ExtractionStatus.OK, recovered=recovered)


def _problems(refusal: InputError) -> str:
    return "; ".join(fault.problem for fault in refusal.faults)


def _unended(reason: str, is_end_known: bool) -> ParsedAnswer:
    """Cut off, unless the provider said that the model had finished by itself."""
    if is_end_known:
        return _refused(reason)
    return _refused(f"{reason}, and no finish reason was given", status=ExtractionStatus.TRUNCATED)


def _refused(
    reason: str, *, status: ExtractionStatus = ExtractionStatus.UNPARSABLE
) -> ParsedAnswer:
    return ParsedAnswer(value=None, status=status, reason=reason)
