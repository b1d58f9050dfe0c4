"""Do two texts speak of different names?

Only where that can be read off dependably: where the extractor says what a claim is about and the
gold claim, which names somebody, names none of it; where two texts are the same but for a name
that was exchanged; and where they are the same but for two names that changed places.
"""

import unicodedata
from collections.abc import Sequence
from difflib import SequenceMatcher
from itertools import product

from evals_pipeline.judge.names import (
    TOKEN,
    are_names,
    are_namesakes,
    folded,
    is_capital,
    is_headline,
    may_be_one,
    names_of,
    opens_as_name,
    without_title,
    without_wording,
    words_of,
)

# Between two names: who comes first says nothing.
_EITHER_WAY = frozenset(
    {"and", "or", "with", "vs", "versus", "both", "between", "plus", "against", "near", "next"}
    | {"beside", "opposite", "met", "meets", "meet", "married", "marries", "marry", "borders"}
    | {"bordered", "border", "adjoins", "adjoined", "neighbours", "neighbors", "equals", "equalled"}
    | {"resembles", "resembled", "tied", "drew", "played", "plays", "faced", "faces", "like", "as"}
    | {"nor", "alongside", "wed", "weds", "divorced", "adjacent", "differs", "differed", "rivals"}
    | {"sibling", "cousin", "colleague", "friend", "twin", "twinned", "similar", "different"}
    | {"und", "oder", "mit", "et", "ou", "avec", "y", "e", "o", "con", "com", "ni", "noch", "sowie"}
)
# "Anna Berg is Prime Minister", "Prime Minister is Anna Berg".
_IDENTITY = frozenset({"is", "was", "are", "were", "remains", "ist", "war", "est"})
# Small words that are part of names: "Bank of Norway", "Vincent van Gogh", "Los Angeles".
_WITHIN_NAMES = frozenset(
    {"of", "de", "da", "di", "do", "dos", "du", "del", "della", "von", "van", "den", "der", "ter"}
    | {"bin", "ibn", "al", "la", "le", "los", "las", "el"}
)


def subject_differences(want: str, got: str, *, subjects: Sequence[str] = ()) -> tuple[str, ...]:
    """Which names two texts disagree in, in words; empty: in none that can be told.

    Args:
        want: The gold claim's text.
        got: The emitted claim's text, as written.
        subjects: What the extractor says the emitted claim is about.

    >>> subject_differences("Acme Ltd paid the invoice.", "Borealis GmbH paid the invoice.")
    ('subject: want Acme Ltd, got Borealis GmbH',)
    >>> subject_differences("Acme sued Borealis.", "Borealis sued Acme.")
    ('subject: want Acme before Borealis, got Borealis before Acme',)
    """
    want, got, *subjects = (unicodedata.normalize("NFC", text) for text in (want, got, *subjects))
    named = [subject.strip() for subject in subjects if subject.strip()]
    if named and (missed := _unnamed(want, got, named)):
        return (f"subject: want {missed}, got {', '.join(named)}",)
    wanted, given = TOKEN.findall(want), TOKEN.findall(got)
    if swapped := _swapped(wanted, given):
        return swapped
    return () if is_headline(wanted) or is_headline(given) else _exchanged(wanted, given)


def _unnamed(want: str, got: str, subjects: Sequence[str]) -> str | None:
    """The gold claim's names, where it has some and neither subjects nor ``got`` share in any."""
    names = names_of(want) or _opening(want) or _elided_subject(want, got)
    given = (*subjects, *names_of(got), *_opening(got))
    if namesakes := [name for name in names if any(are_namesakes(name, one) for one in subjects)]:
        is_told = any(_is_within(name, one) for name in names for one in given)
        return None if is_told else ", ".join(namesakes)
    known = {word for text in (*subjects, got) for word in words_of(text)}
    subject_words = {word for subject in subjects for word in words_of(subject)}
    if not names or subject_words & set(words_of(want)):
        return None
    strange = [
        name
        for name in names
        if not set(words_of(name)) & known and not any(may_be_one(name, other) for other in given)
    ]
    return ", ".join(strange) if len(strange) == len(names) else None


def _is_within(one: str, other: str) -> bool:
    a, b = folded(one), folded(other)
    return a in b or b in a


def _opening(text: str) -> list[str]:
    """The name that a text begins with, where one word alone can be told to be one."""
    tokens = TOKEN.findall(text)
    return tokens[:1] if not is_headline(tokens) and opens_as_name(tokens) else []


def _elided_subject(want: str, got: str) -> list[str]:
    """What the gold claim puts before the very words of ``got``, if that is how the two differ."""
    whole, end = want.strip().rstrip(".").casefold(), got.strip().rstrip(".").casefold()
    before = want.strip()[: len(whole) - len(end)].strip(" :,")
    is_elided = bool(end) and whole.endswith(end) and before[:1].isupper()
    return [before] if is_elided and is_capital(before) else []


def _exchanged(wanted: Sequence[str], given: Sequence[str]) -> tuple[str, ...]:
    """Names that stand in the same place of texts that are otherwise the same."""
    changes = []
    for tag, i, j, k, m in SequenceMatcher(
        None, [folded(word) for word in wanted], [folded(word) for word in given], False
    ).get_opcodes():
        (one, at_one), (other, at_other) = without_wording(wanted[i:j]), without_wording(given[k:m])
        if tag != "equal" and (one or other):
            changes.append((one, i + at_one, other, k + at_other))
    n_changed = sum(max(len(one), len(other)) for one, _, other, _ in changes)
    if not changes or n_changed > 4 * len(changes):
        return ()
    found = []
    for one, at_one, other, at_other in changes:
        is_named = are_names(one, wanted, at_one) and are_names(other, given, at_other)
        if not is_named:
            return ()
        if not may_be_one(" ".join(one), " ".join(other)):
            found.append(f"subject: want {' '.join(one)}, got {' '.join(other)}")
    return tuple(found)


def _swapped(wanted: Sequence[str], given: Sequence[str]) -> tuple[str, ...]:
    """Two names that changed places, in texts of the same words in the same order otherwise.

    "John Adams beat Jefferson" against "Jefferson beat John Adams"; not where it makes no
    difference who is named first ("Acme and Borealis", "Acme met Borealis").
    """
    for bare, joining in product((False, True), (frozenset[str](), _WITHIN_NAMES)):
        here, there = (_parted(text, joining, bare=bare) for text in (wanted, given))
        if swapped := _swapped_parts(here, there):
            one, other = swapped
            return (f"subject: want {one} before {other}, got {other} before {one}",)
    return ()


def _swapped_parts(here: Sequence[str], there: Sequence[str]) -> tuple[str, str] | None:
    """The two names that changed places, as the first text writes them."""
    before, after = [folded(part) for part in here], [folded(part) for part in there]
    if len(before) != len(after):
        return None
    apart = [place for place, word in enumerate(before) if word != after[place]]
    if len(apart) != 2:
        return None
    first, second = apart
    is_swap = (before[first], before[second]) == (after[second], after[first])
    are_capital = all(_is_named(text[place]) for text in (here, there) for place in apart)
    if not is_swap or not are_capital or _is_either_way(before, first, second):
        return None
    return here[first], here[second]


def _is_either_way(words: Sequence[str], first: int, second: int) -> bool:
    """Whether it says the same which of two names comes first."""
    between = words[first + 1 : second]
    is_list = between == words[max(first - 1, 0) : first]  # "to Norway, to Sweden"
    return (
        is_list
        or set(between) <= _IDENTITY
        or not _EITHER_WAY.isdisjoint(between)
        or "distance" in words
    )


def _is_named(part: str) -> bool:
    return is_capital(part.rsplit(" ", 1)[-1])


def _parted(tokens: Sequence[str], joining: frozenset[str], *, bare: bool) -> list[str]:
    """The words of a text, those of a name of several words as one, without its article.

    The words of ``joining`` belong to a name where capitals stand on both sides of them; ``bare``
    takes away titles, which may stay in place ("President A beat B", "President B beat A").
    """
    parts: list[str] = []
    run: list[str] = []
    for place, token in enumerate(tokens):
        after = tokens[place + 1] if place + 1 < len(tokens) else ""
        is_joining = token.casefold() in joining and bool(after) and is_capital(after)
        if is_capital(token) or (is_joining and (run or token[0].isupper())):
            run.append(token)
            continue
        if run:
            parts.append(_name(run, bare=bare))
            run = []
        if not (token.casefold() == "the" and after and is_capital(after)):
            parts.append(token)
    return [*parts, _name(run, bare=bare)] if run else parts


def _name(run: Sequence[str], *, bare: bool) -> str:
    return " ".join(without_title(run) if bare else run)
