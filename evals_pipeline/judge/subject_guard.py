"""Do two texts speak of different names?

Only where that can be read off dependably: where the extractor says what a claim is about and the
gold claim, which names somebody, names none of it; and where two texts are the same but for a name
that was exchanged.
"""

import re
from collections.abc import Sequence
from difflib import SequenceMatcher

from evals_pipeline.judge.notation import CURRENCY_CODES

_TOKEN = re.compile(r"[^\W_]+(?:[.'’&-][^\W_]+)*")
_ALIASES = tuple(
    frozenset(names.split("|"))
    for names in (
        "us|u.s|usa|u.s.a|united states|america|american",
        "uk|u.k|united kingdom|britain|british|great britain",
        "eu|e.u|european union",
        "uae|united arab emirates",
        "un|u.n|united nations",
        "gdr|ddr|east germany|german democratic republic",
        "frg|brd|west germany|federal republic of germany",
        "burma|myanmar",
        "holland|netherlands|dutch",
        "czechia|czech republic",
    )
)
# Capitals that begin a sentence, a month, a day or a pronoun name nobody.
_NO_NAME = frozenset(
    {"the", "a", "an", "i", "he", "she", "it", "they", "we", "his", "her", "its", "their", "this"}
    | {"that", "these", "those", "there", "in", "on", "at", "by", "for", "from", "with", "as", "of"}
    | {"and", "but", "or", "if", "when", "after", "before", "while", "mr", "mrs", "ms", "dr"}
    | {"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "january"}
    | {"february", "march", "april", "may", "june", "july", "august", "september", "october"}
    | {"november", "december", "der", "die", "das", "ein", "eine", "le", "la", "les", "un", "une"}
    | {"el", "los", "las", "una", "no", "not", "all", "some", "one", "two", "its", "our", "my"}
)


def subject_differences(want: str, got: str, *, subjects: Sequence[str] = ()) -> tuple[str, ...]:
    """Which names two texts disagree in, in words; empty: in none that can be told.

    Args:
        want: The gold claim's text.
        got: The emitted claim's text, as written.
        subjects: What the extractor says the emitted claim is about.

    >>> subject_differences("Acme Ltd paid the invoice.", "Borealis GmbH paid the invoice.")
    ('subject: want Acme Ltd, got Borealis GmbH',)
    """
    named = [subject.strip() for subject in subjects if subject.strip()]
    if named and (missed := _unnamed(want, got, named)):
        return (f"subject: want {missed}, got {', '.join(named)}",)
    return _exchanged(want, got)


def _unnamed(want: str, got: str, subjects: Sequence[str]) -> str | None:
    """The gold claim's names, where it has some and neither subjects nor ``got`` share in any."""
    known = {word for text in (*subjects, got) for word in _words(text)}
    subject_words = {word for subject in subjects for word in _words(subject)}
    names = _names(want) or _elided_subject(want, got)
    if not names or subject_words & set(_words(want)):
        return None
    strange = [
        name
        for name in names
        if not set(_words(name)) & known
        and not any(_may_be_one(name, other) for other in (*subjects, *_names(got)))
    ]
    return ", ".join(strange) if len(strange) == len(names) else None


def _elided_subject(want: str, got: str) -> list[str]:
    """What the gold claim puts before the very words of ``got``, if that is how the two differ."""
    whole, end = want.strip().rstrip(".").casefold(), got.strip().rstrip(".").casefold()
    before = want.strip()[: len(whole) - len(end)].strip(" :,")
    is_elided = bool(end) and whole.endswith(end) and before[:1].isupper()
    return [before] if is_elided and _is_capital(before) else []


def _exchanged(want: str, got: str) -> tuple[str, ...]:
    """Names that stand in the same place of texts that are otherwise the same."""
    wanted, given = _TOKEN.findall(want), _TOKEN.findall(got)
    if _is_headline(wanted) or _is_headline(given):
        return ()
    changes = [
        (wanted[i:j], given[k:m])
        for tag, i, j, k, m in SequenceMatcher(
            None, [word.casefold() for word in wanted], [word.casefold() for word in given], False
        ).get_opcodes()
        if tag != "equal"
    ]
    if not changes or sum(max(len(one), len(other)) for one, other in changes) > 4 * len(changes):
        return ()
    found = []
    for one, other in changes:
        is_named = _are_names(one, wanted) and _are_names(other, given)
        if not is_named:
            return ()
        if not _may_be_one(" ".join(one), " ".join(other)):
            found.append(f"subject: want {' '.join(one)}, got {' '.join(other)}")
    return tuple(found)


def _are_names(words: Sequence[str], text: Sequence[str]) -> bool:
    """Whether words are names for sure: capitals that no sentence's beginning explains."""
    if not words or not all(_is_capital(word) for word in words):
        return False
    begins = tuple(text[: len(words)]) == tuple(words)
    return not begins or len(words) > 1 or (words[0].isupper() and len(words[0]) > 1)


def _names(text: str) -> list[str]:
    """Runs of capitalised words that are names, as far as capitals can tell."""
    tokens = list(_TOKEN.finditer(text))
    if _is_headline([token[0] for token in tokens]):
        return []
    names: list[str] = []
    run: list[re.Match[str]] = []
    for token in tokens:
        if run and _is_capital(token[0]) and text[run[-1].end() : token.start()] == " ":
            run.append(token)
            continue
        names += _name_of(run, text)
        run = [token] if _is_capital(token[0]) else []
    return [*names, *_name_of(run, text)]


def _name_of(run: Sequence[re.Match[str]], text: str) -> list[str]:
    if not run:
        return []
    is_first = (
        not text[: run[0].start()].strip(" \"'([“„«")
        or text[: run[0].start()].rstrip()[-1] in ".!?:"
    )
    if is_first and len(run) == 1 and not (run[0][0].isupper() and len(run[0][0]) > 1):
        return []
    return [" ".join(token[0] for token in run)]


def _is_capital(word: str) -> bool:
    """Whether a word could be (part of) a name; codes and currencies are for the number guard."""
    return (
        word[0].isupper()
        and word.casefold() not in _NO_NAME
        and word not in CURRENCY_CODES
        and not any(letter.isdigit() for letter in word)
    )


def _is_headline(words: Sequence[str]) -> bool:
    """Whether capitals say nothing because nearly every word has one."""
    long_words = [word for word in words if len(word) > 3 and word[0].isalpha()]
    return len(long_words) > 3 and sum(word[0].isupper() for word in long_words) > 0.6 * len(
        long_words
    )


def _words(text: str) -> list[str]:
    return [
        word
        for word in (token.casefold() for token in _TOKEN.findall(text))
        if len(word) > 2 and word not in _NO_NAME
    ]


def _may_be_one(one: str, other: str) -> bool:
    """Whether two names may stand for one: a shared word, an acronym, a known other name."""
    a, b = one.casefold().rstrip("."), other.casefold().rstrip(".")
    if set(_words(one)) & set(_words(other)):
        return True
    if any(a in names and b in names for names in _ALIASES):
        return True
    if a.startswith(b[:4]) or b.startswith(a[:4]):
        return True
    for short, long in ((one, other), (other, one)):
        initials = "".join(word[0] for word in re.split(r"[\s-]+", long) if word[0].isupper())
        letters = short.replace(".", "").replace(" ", "")
        if len(letters) > 1 and letters.isupper() and initials.startswith(letters):
            return True
    return False
