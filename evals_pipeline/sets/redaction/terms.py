"""Names and addresses that a labeller gave: found in any case, spacing and hyphenation.

Only their letters and digits count. A term is known by a keyed digest of these, so that one given
with an earlier document is found in the next, although nobody kept it.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from evals_pipeline.core.errors import Fault, InputError
from evals_pipeline.sets.redaction.findings import Finding, Masked
from evals_pipeline.sets.redaction.folding import bare, words

_KIND_MARK = "="
_LONGEST_KIND = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """A text to be masked, with the kind that its placeholder names."""

    kind: str
    text: str


def read_term(written: str) -> Term:
    """A term as people write it: the text, or ``KIND=text``; without a kind it is a name.

    Raises:
        InputError: Fewer than two letters or digits, which would mask half the document.

    >>> read_term("ADDRESS=1 Grid Lane")
    Term(kind='ADDRESS', text='1 Grid Lane')
    """
    kind, mark, text = written.partition(_KIND_MARK)
    is_kind = kind.isascii() and kind.isalpha() and kind.isupper() and len(kind) <= _LONGEST_KIND
    if not (mark and is_kind):
        kind, text = Masked.NAME, written
    if len(bare(text)) < 2:
        raise InputError.one(
            "--mask", "a text of fewer than two letters or digits", remedy="Give more of it."
        )
    return Term(kind=str(kind), text=text.strip())


def read_term_list(content: str, *, where: str) -> tuple[Term, ...]:
    """The terms of a list, one a line; lines that are empty or begin with # are passed over.

    Raises:
        InputError: Every line that is no term, by its number, never with its text.
    """
    terms: list[Term] = []
    faults: list[Fault] = []
    for number, line in enumerate(content.removeprefix("\ufeff").splitlines(), start=1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        try:
            terms.append(read_term(line.strip()))
        except InputError as error:
            faults += InputError.one(where, error.faults[0].problem, line=number).faults
    if faults:
        raise InputError(faults)
    return tuple(terms)


@dataclass(frozen=True, slots=True, kw_only=True)
class TermFinder:
    """Finds terms by the keyed digests of their bare letters.

    ``kinds`` maps a digest to the kind of its term; ``lengths`` are those of the bare texts, so
    that only runs of words that can be a term are digested.
    """

    digest: Callable[[str], str]
    kinds: Mapping[str, str]
    lengths: frozenset[int]

    def find(self, text: str) -> Iterator[Finding]:
        """The terms of a text, longest first where several begin with one word."""
        if not self.kinds:
            return
        found = list(words(text))
        longest = max(self.lengths)
        first = 0
        while first < len(found):
            best: Finding | None = None
            last, run = first, ""
            while last < len(found) and len(run) + len(found[last].bare) <= longest:
                run += found[last].bare
                last += 1
                if len(run) in self.lengths and (kind := self.kinds.get(self.digest(run))):
                    start, end = found[first].start, found[last - 1].end
                    best = Finding(kind=kind, start=start, end=end, normal=run, is_term=True)
            if best is not None:
                yield best
                while first < len(found) and found[first].start < best.end:
                    first += 1
            else:
                first += 1
