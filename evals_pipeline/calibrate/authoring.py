"""What the authoring contract of calibration suites asks for beyond their format.

The format is that of claim suites. A calibration suite only gives a fit its population, so it makes
no claim about confidence; and where a parser is measured, which is right about all that it was
written for, its gold is partial on purpose and the header says which part is left out.
"""

import re

from evals_pipeline.core import strict_yaml
from evals_pipeline.core.edges import fault_at
from evals_pipeline.core.errors import Fault
from evals_pipeline.core.records import Suite

# What a header says when it says that something is left out. Wide on purpose: the sentence is for
# people, and a check that rejects good prose is soon worked round.
_LEFT_OUT = re.compile(
    r"\b(partial|unnamed|omit(s|ted|ting)?|omissions?|left\s+out|leav(e|es|ing)\s+out"
    r"|not\s+named?|does\s+not\s+name|not\s+cover(ed)?)\b",
    re.IGNORECASE,
)


def authoring_faults(
    suite: Suite, text: str, *, is_deterministic: bool, where: str | None = None
) -> list[Fault]:
    """What a calibration suite does against the contract; empty for one that keeps it.

    Args:
        suite: The suite as loaded.
        text: The file as written, for its header and its lines.
        is_deterministic: Whether the extractor that owns it is code. Whether such a gold set is
            partial cannot be read from the file; that it says so, can.
        where: The file as messages name it.
    """
    place = where or suite.path.name
    faults = _floor_faults(suite, text, place)
    if is_deterministic and not _LEFT_OUT.search(header_of(text)):
        faults.append(
            Fault(
                where=place,
                line=1,
                problem="the header does not say which claims the gold leaves out",
                remedy=(
                    "A parser emits the same claims every time, so its gold is partial on purpose "
                    "(about two thirds to three quarters). Name in a comment at the top what is "
                    "left out, so that nobody completes it."
                ),
            )
        )
    return faults


def header_of(text: str) -> str:
    """The comment before the first key, its lines joined.

    >>> header_of("# Partial gold:\\n#\\n# legends are left out.\\nsuite_id: a\\n# not this")
    'Partial gold: legends are left out.'
    """
    words: list[str] = []
    for line in text.removeprefix("\ufeff").splitlines():
        stripped = line.strip()
        if stripped and not stripped.startswith("#"):
            break
        words += stripped.lstrip("#").split()
    return " ".join(words)


def _floor_faults(suite: Suite, text: str, where: str) -> list[Fault]:
    doc = strict_yaml.loads(text, where=where)
    return [
        fault_at(
            path := ("cases", i, "expected", j, "confidence_min"),
            f"a calibration suite states no floor, got {claim.confidence_min:g}",
            where=where,
            line=doc.line_of(path),
            remedy="Write 0.0: a match counts at any stated confidence.",
        )
        for i, case in enumerate(suite.cases)
        for j, claim in enumerate(case.expected)
        if claim.confidence_min > 0
    ]
