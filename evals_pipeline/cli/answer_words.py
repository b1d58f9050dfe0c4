"""How answers and fields are worded for a labeller, each on one line."""

from evals_pipeline.core.records import FieldSpec, JsonValue
from evals_pipeline.core.visible import visible_line
from evals_pipeline.pipeline.label_answers import ABSENT, Answer

_LONGEST_SHOWN = 100


def spell(value: JsonValue) -> str:
    """A stored value on one line."""
    if value is None:
        return ABSENT
    if isinstance(value, dict) and value.keys() == {"any"} and isinstance(value["any"], list):
        return " or ".join(map(spell, value["any"]))
    if isinstance(value, list):
        shown = "; ".join(shorten(_row(one)) for one in value[:3])
        more = f"; and {len(value) - 3} more" if len(value) > 3 else ""
        return f"{len(value)}: {shown}{more}"
    return shorten(value)


def _row(value: JsonValue) -> str:
    if not isinstance(value, dict):
        return str(value)
    return " | ".join("" if cell is None else str(cell) for cell in value.values())


def spell_kind(spec: FieldSpec) -> str:
    """What sort of value a field takes."""
    if spec.kind == "table":
        return f"table: {' | '.join(column.name for column in spec.columns)}"
    if spec.kind == "list":
        return f"list of {spec.item.kind if spec.item else 'text'}"
    if spec.kind == "enum" and spec.values:
        return f"one of {', '.join(spec.values)}"
    return spec.kind


def how_read(spec: FieldSpec, answer: Answer) -> str:
    """How an answer was read, and whether the document says so."""
    if answer.value is None:
        return f"= {ABSENT}"
    parts = [f"= {shorten(answer.shown)}"]
    if spec.kind in ("text", "identifier"):
        # How these compare is no news to whoever typed them; what is kept is what was typed.
        parts = [f"= {spell(answer.value)}"]
    elif answer.steps:
        parts.append(f"({shorten('; '.join(answer.steps))})")
    if answer.is_found:
        parts.append(f"· line {answer.line}" if answer.line else "· stands in the document")
    elif answer.is_found is False:
        parts.append("· ! not in the document (:back to look again)")
    return " ".join(parts)


def shorten(value: JsonValue) -> str:
    """A value on one line, cut where it is long."""
    return visible_line(str(value), limit=_LONGEST_SHOWN)
