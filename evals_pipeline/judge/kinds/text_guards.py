"""What makes two similar texts say different things: a number, or a negation, on one side only.

A similarity of characters is nearly blind to both: "Unit 4" and "Unit 5" share five sixths of their
characters. The word lists hold the negations of the languages that documents of this sort are in; a
language that is not among them is compared by similarity and numbers alone.
"""

import re
from collections import Counter

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_GROUP = re.compile(r"[.,](?=\d{3}(?!\d))")
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")
_NUMBER_SIGN = re.compile(r"\bno\b\.? ?(?=[\d#])")  # "No. 5" is a number, not a negation

_NEGATION_WORDS = """
    not no non never without none neither nor cannot
    nicht kein keine keinen keinem keiner keines ohne nie niemals
    ne pas sans jamais aucun aucune sin nunca ningún ninguna senza mai nessun nessuna
    não sem nenhum nenhuma niet geen zonder inte ikke ej utan uden uten ingen inget
    nie bez не без нет nem nélkül ei ilman
"""
_NEGATIONS = frozenset(_NEGATION_WORDS.split())
_PREFIXES = ("un", "non", "dis", "in", "im", "ir", "il")
_SHORTEST_STEM = 4


def what_differs(want: str, got: str) -> str | None:
    """What keeps two similar, folded texts apart, in words; None when nothing does.

    >>> what_differs("northside clinic", "northside clinic - building 4")
    'only one side has the number 4'
    """
    numbers = _numbers(want), _numbers(got)
    if numbers[0] != numbers[1]:
        only = sorted(((numbers[0] - numbers[1]) + (numbers[1] - numbers[0])).elements())
        return f"only one side has the number {only[0]}"
    words = Counter(_words(want)), Counter(_words(got))
    only_want, only_got = words[0] - words[1], words[1] - words[0]
    for word in sorted((only_want + only_got).elements()):
        if word in _NEGATIONS or word.endswith("n't"):
            return f'only one side says "{word}"'
    return _prefixed(only_want, only_got) or _prefixed(only_got, only_want)


def _numbers(text: str) -> Counter[str]:
    """The numbers with their group marks out, so that 1,250 and 1250 are one."""
    return Counter(_GROUP.sub("", number) for number in _NUMBER.findall(text))


def _words(text: str) -> list[str]:
    return _WORD.findall(_NUMBER_SIGN.sub(" ", text))


def _prefixed(these: Counter[str], others: Counter[str]) -> str | None:
    for word in these:
        if len(word) < _SHORTEST_STEM:
            continue
        for prefix in _PREFIXES:
            if prefix + word in others:
                return f'one side says "{word}" and the other "{prefix + word}"'
    return None
