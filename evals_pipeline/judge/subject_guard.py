"""Do two texts speak of different names?

Only where that can be read off dependably: where the extractor says what a claim is about and the
gold claim, which names somebody, names none of it; where two texts are the same but for a name
that was exchanged; and where they are the same but for two names that changed places.
"""

from collections.abc import Sequence
from difflib import SequenceMatcher

from evals_pipeline.judge.names import (
    TOKEN,
    are_names,
    are_namesakes,
    is_capital,
    is_headline,
    may_be_one,
    names_of,
    opens_as_name,
    without_wording,
    words_of,
)

# Between two names: who comes first says nothing.
_EITHER_WAY = frozenset(
    {"and", "or", "with", "vs", "versus", "both", "between", "plus", "against", "near", "next"}
    | {"beside", "opposite", "met", "meets", "meet", "married", "marries", "marry", "borders"}
    | {"bordered", "border", "adjoins", "adjoined", "neighbours", "neighbors", "equals", "equalled"}
    | {"resembles", "resembled", "tied", "drew", "played", "plays", "faced", "faces", "like", "as"}
    | {"und", "oder", "mit", "et", "ou", "avec", "y", "e", "o", "con", "com"}
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
    named = [subject.strip() for subject in subjects if subject.strip()]
    if named and (missed := _unnamed(want, got, named)):
        return (f"subject: want {missed}, got {', '.join(named)}",)
    wanted, given = TOKEN.findall(want), TOKEN.findall(got)
    if is_headline(wanted) or is_headline(given):
        return ()
    return _swapped(wanted, given) or _exchanged(wanted, given)


def _unnamed(want: str, got: str, subjects: Sequence[str]) -> str | None:
    """The gold claim's names, where it has some and neither subjects nor ``got`` share in any."""
    names = names_of(want) or _opening(want) or _elided_subject(want, got)
    given = (*subjects, *names_of(got), *_opening(got))
    if namesakes := [name for name in names if any(are_namesakes(name, one) for one in subjects)]:
        is_told = any(name in one or one in name for name in names for one in given)
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
        None, [word.casefold() for word in wanted], [word.casefold() for word in given], False
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

    "Acme paid Borealis" against "Borealis paid Acme"; not where it makes no difference who is
    named first ("Acme and Borealis", "Acme met Borealis").
    """
    here, there = _parted(wanted), _parted(given)
    if len(here) != len(there):
        return ()
    apart = [
        place
        for place, (one, other) in enumerate(zip(here, there, strict=True))
        if one.casefold() != other.casefold()
    ]
    if len(apart) != 2:
        return ()
    first, second = apart
    is_swap = (here[first], here[second]) == (there[second], there[first])
    are_capital = all(is_capital(name) for name in (here[first], here[second]))
    between = {word.casefold() for word in here[first + 1 : second]}
    if not is_swap or not are_capital or not between or between & _EITHER_WAY:
        return ()
    one, other = here[first], here[second]
    return (f"subject: want {one} before {other}, got {other} before {one}",)


def _parted(tokens: Sequence[str]) -> list[str]:
    """The words of a text, those of a name of several words as one."""
    parts: list[str] = []
    for place, token in enumerate(tokens):
        if parts and is_capital(token) and is_capital(tokens[place - 1]):
            parts[-1] += f" {token}"
        else:
            parts.append(token)
    return parts
