"""Who labelled a document and when, and what was corrected since: whom to ask when a test fails."""

from collections.abc import Iterable

from evals_pipeline.core.records import Correction, GoldenDocument, JsonValue, LaterLabel
from evals_pipeline.core.strict_json import dumps


def corrections_of(document: GoldenDocument, field: str) -> tuple[str, ...]:
    """The corrections of one labelled field in words, the first one first; mostly none."""
    if not document.corrections:
        return ()
    return tuple(_words(one) for one in document.corrections if one.field == field)


def labeller_of(document: GoldenDocument, field: str) -> LaterLabel:
    """Who first labelled one field, and when: mostly who labelled the document."""
    own = LaterLabel(by=document.labelled_by, at=document.labelled_at)
    return document.labelled_later.get(field, own)


def label_words(
    labelled_by: str | None, labelled_at: str | None, corrections: Iterable[str] = ()
) -> str | None:
    """Who answers for a label, in one line; None where nobody is stated.

    >>> label_words("rk", "2026-07-02", ["by mt on 2026-07-05, was absent: overlooked"])
    'labelled by rk on 2026-07-02; corrected by mt on 2026-07-05, was absent: overlooked'
    """
    if labelled_by is None:
        return None
    since = "".join(f"; corrected {one}" for one in corrections)
    return f"labelled by {labelled_by} on {labelled_at}{since}"


def _words(one: Correction) -> str:
    return f"by {one.by} on {one.at}, was {_value(one.old)}: {one.reason}"


def _value(value: JsonValue) -> str:
    if value is None:
        return "absent"
    return value if isinstance(value, str) else dumps(value)
