"""What a labeller may type for a field, by its kind."""

from collections.abc import Iterator, Mapping

from evals_pipeline.core.records import FieldSpec

COMMANDS = (
    "absent        the document does not state the field",
    "Enter         leave it open and label it later; that is not the same as absent",
    "a || b        two accepted readings",
    '"absent"      in quotes, letter by letter',
    ":more  :doc  :find TEXT  :open     look at the document",
    ":back  :quit                       the field before; stop here",
    ":raw TEXT     keep a value that cannot be read; only the same letters will equal it",
)
_EXAMPLES: Mapping[str, str] = {
    "boolean": "yes or no, true or false",
    "date": "a date as the document writes it, or 2026-03-04",
    "enum": "one of its values, or a word that stands for one",
    "identifier": "letters and digits as printed; spaces, dashes and case make no difference",
    "money": "an amount as the document writes it, or 4820.15; with its currency if it is another",
    "number": "a number as the document writes it, or 4820.15",
    "percent": "19 %, or 19",
    "text": "the text as the document has it",
}


def explain_field(spec: FieldSpec) -> Iterator[str]:
    """What the field is, and what to type for it."""
    if spec.description:
        yield spec.description
    if spec.kind == "table":
        yield f"a row a line, cells parted by bars: {' | '.join(c.name for c in spec.columns)}"
        yield "an empty cell is absent, an empty line ends the table, :undo takes a row back"
        for column in spec.columns:
            yield f"  {column.name}: {_EXAMPLES.get(column.kind, column.kind)}"
    elif spec.kind == "list":
        yield "an item a line; an empty line ends the list, :undo takes an item back"
    else:
        yield _EXAMPLES.get(spec.kind, f"a value of kind {spec.kind}")
    for member, synonyms in spec.values.items():
        yield f"  {member}" + (f", also {', '.join(synonyms)}" if synonyms else "")
    if spec.formats:
        yield f"  dates are read as {', '.join(spec.formats)}"
