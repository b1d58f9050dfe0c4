"""E-mail addresses, also percent-encoded, broken over lines, or written "name (at) domain"."""

import re
from collections.abc import Iterator

from evals_pipeline.sets.redaction.findings import Finding, Masked
from evals_pipeline.sets.redaction.folding import UNSEEN

_BREAK = r"[ \t]{0,2}\n[ \t]{0,24}"
_AT = rf"(?:[{UNSEEN}]?(?:@|%40)[{UNSEEN}]?(?:{_BREAK})?| ?[(\[{{] ?(?:at|ät|@) ?[)\]}}] ?)"
_DOT = rf"(?:[{UNSEEN}]?\.[{UNSEEN}]?| ?[(\[] ?(?:dot|punkt|point|punto) ?[)\]] ?)"
_LABEL = rf"[^\W_](?:[\w\-{UNSEEN}]{{0,61}}[^\W_])?"
_ADDRESS = re.compile(
    rf"(?<![\w.+\-])(?P<local>[\w.+\-'{UNSEEN}]{{1,64}}){_AT}"
    # A domain may be broken after its only dot; after a later one the next line is the next line.
    rf"(?>{_LABEL}(?:{_DOT}{_LABEL}){{1,8}}|{_LABEL}\.{_BREAK}[a-z]{{2,24}}\b)"
    # What is followed by another sign was the name before that one.
    r"(?!@|%40)",
    re.IGNORECASE,
)


def find_emails(text: str) -> Iterator[Finding]:
    """The e-mail addresses of a folded text."""
    for match in _ADDRESS.finditer(text):
        start = match.start() + _lead(match["local"])
        if start < match.end("local"):
            normal = _normal(text[start : match.end()])
            yield Finding(kind=Masked.EMAIL, start=start, end=match.end(), normal=normal)


def _lead(local: str) -> int:
    """How much before the name is punctuation of the sentence, or the end of an encoded sign."""
    return len(local) - len(local.lstrip(f".-+'{UNSEEN}"))


def _normal(written: str) -> str:
    text = re.sub(rf"[\s{UNSEEN}]+", "", written.casefold())
    text = re.sub(r"%40|[(\[{](?:at|ät|@)[)\]}]", "@", text)
    return re.sub(r"[(\[](?:dot|punkt|point|punto)[)\]]", ".", text)
