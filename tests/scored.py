"""Golden sets and their figures from small pictures of outcomes, for tests of what reads them.

``{"due_date": {"acme-1": "110"}}`` says: of acme-1's three runs two had the due date right. One
letter a run:

    1 correct    0 wrong       m missed     u unreadable
    n correct null             i invented   e no extraction     . no row at all
"""

from collections.abc import Iterator, Mapping
from decimal import Decimal
from fractions import Fraction
from hashlib import sha256
from pathlib import Path

from evals_pipeline.baseline.measurement import Measurement
from evals_pipeline.core.figures import BaselinePins, SetFigures
from evals_pipeline.core.outcomes import FieldOutcome, Presence
from evals_pipeline.core.records import (
    Correction,
    FieldSpec,
    Fixture,
    GatePolicy,
    GoldenDocument,
    GoldenSet,
    JsonValue,
    SourceConvention,
    Tolerance,
)
from evals_pipeline.core.run_records import FieldMatch, StatusCounts
from evals_pipeline.score.fields import score_fields

OUTCOMES = {
    "1": FieldOutcome.CORRECT,
    "0": FieldOutcome.WRONG,
    "m": FieldOutcome.MISSED,
    "u": FieldOutcome.UNREADABLE,
    "n": FieldOutcome.CORRECT_NULL,
    "i": FieldOutcome.INVENTED,
    "e": FieldOutcome.ERROR,
}
Picture = Mapping[str, Mapping[str, str]]
TWO_PERCENT = Tolerance(fraction=Fraction(1, 50))
ONE_DOCUMENT = Tolerance(documents=1)


def document_id(name: str) -> str:
    """The SHA-256 that a document of this name has in these tests."""
    return sha256(name.encode()).hexdigest()


def spec(name: str, *, weight: int = 1, tolerance: Tolerance | None = None) -> FieldSpec:
    return FieldSpec(name=name, kind="text", weight=Decimal(weight), tolerance=tolerance)


def policy(tolerance: Tolerance = TWO_PERCENT, **limits: object) -> GatePolicy:
    return GatePolicy(tolerance=tolerance, **limits)  # type: ignore[arg-type]  # of a test's own


def document(
    name: str,
    labels: Mapping[str, tuple[JsonValue, ...]],
    *,
    source: str | None = None,
    locale: str | None = None,
    tags: tuple[str, ...] = (),
    labelled_at: str = "2026-07-02",
    corrections: tuple[Correction, ...] = (),
) -> GoldenDocument:
    identity = document_id(name)
    return GoldenDocument(
        fixture=Fixture(
            fixture_id=identity,
            name=name,
            sha256=identity,
            source_type="INVOICE",
            media_type="application/pdf",
            inline=name.encode(),
        ),
        labelled_by="rk",
        labelled_at=labelled_at,
        source=source,
        convention=SourceConvention(locale=locale),
        tags=tags,
        labels=labels,
        corrections=corrections,
    )


def golden_set(
    picture: Picture,
    *,
    fields: tuple[FieldSpec, ...] = (),
    gate: GatePolicy | None = None,
    path: Path = Path("golden/invoices"),
    relabelled: tuple[tuple[str, str], ...] = (),
    documents: tuple[GoldenDocument, ...] | None = None,
) -> GoldenSet:
    """The set that a picture is of; ``relabelled`` names (field, document) with another label."""
    names = dict.fromkeys(name for row in picture.values() for name in row)
    if documents is None:
        documents = tuple(
            document(
                name,
                {
                    field: _label(field, name, row[name], relabelled)
                    for field, row in picture.items()
                },
            )
            for name in names
        )
    return GoldenSet(
        name=path.name,
        source_type="INVOICE",
        convention=SourceConvention(),
        fields=fields or tuple(spec(field) for field in picture),
        gate=gate or policy(),
        documents=documents,
        path=path,
        prompt_path=path / "prompt.md",
        schema_digest="5" * 64,
        corpus_digest="c" * 64,
        labels_digest="1" * 64,
    )


def _label(
    field: str, name: str, runs: str, relabelled: tuple[tuple[str, str], ...]
) -> tuple[JsonValue, ...]:
    if (field, name) in relabelled:
        return (f"{field} of {name}, corrected",)
    return (None,) if set(runs) & set("ni") else (f"{field} of {name}",)


def n_runs_of(picture: Picture) -> int:
    return max((len(runs) for row in picture.values() for runs in row.values()), default=0)


def matches(picture: Picture) -> Iterator[FieldMatch]:
    """The judged rows of a picture, run by run as the store gives them."""
    for run_index in range(n_runs_of(picture)):
        for field, row in picture.items():
            for name, runs in row.items():
                if runs[run_index] != ".":
                    yield match(field, name, run_index, runs[run_index])


def match(field: str, name: str, run_index: int, letter: str) -> FieldMatch:
    outcome = OUTCOMES[letter]
    want = None if letter in "ni" else f"{field} of {name}"
    got = {"1": want, "0": "something else", "u": "???", "i": "2026-03-04"}.get(letter)
    return FieldMatch(
        fixture_id=document_id(name),
        document=name,
        run_index=run_index,
        field=field,
        kind="text",
        outcome=outcome,
        want=want,
        got=got,
        want_raw="null" if want is None else f'"{want}"',
        got_raw=None if got is None else f'"{got}"',
        presence=None if letter == "e" else Presence.VALUE if got else Presence.NULL,
        answer=None if letter == "e" else f"value:{got}" if got else "absent",
    )


def statuses(picture: Picture) -> StatusCounts:
    """A document whose every field says error, or has no row, failed in that run."""
    cells = zip(*(["".join(row.values()) for row in picture.values()] or [""]), strict=True)
    letters = ["".join(cell) for cell in cells]
    failed = sum(set(cell) == {"e"} for cell in letters)
    absent = sum(set(cell) == {"."} for cell in letters)
    planned = len(letters)
    return StatusCounts(planned=planned, ok=planned - failed - absent, error=failed, absent=absent)


def figures(
    picture: Picture,
    golden: GoldenSet | None = None,
    *,
    model_version: str = "acme-2026-08-15",
    counts: StatusCounts | None = None,
) -> SetFigures:
    """The figures of a picture."""
    return score_fields(
        golden or golden_set(picture),
        matches(picture),
        model_version=model_version,
        run_indices=range(n_runs_of(picture)),
        statuses=counts or statuses(picture),
    )


def pins(scored: SetFigures, **changes: object) -> BaselinePins:
    stated: dict[str, object] = {
        "set_name": scored.set_name,
        "model_version": scored.model_version,
        "provider_model": scored.model_version,
        "prompt_sha256": "a" * 64,
        "extractor": "prompt",
        "schema_digest": "5" * 64,
        "corpus_digest": "c" * 64,
        "labels_digest": "1" * 64,
        "n_runs": len(scored.run_indices),
        "recorded_at": "2026-07-10T09:30:00+00:00",
        "package_version": "0.1.0",
    }
    return BaselinePins(**(stated | changes))  # type: ignore[arg-type]  # of a test's own


def measurement(
    picture: Picture,
    golden: GoldenSet | None = None,
    *,
    model_version: str = "acme-2026-08-15",
    counts: StatusCounts | None = None,
    **pinned: object,
) -> Measurement:
    """Figures with pins; keywords change the pins."""
    scored = figures(picture, golden, model_version=model_version, counts=counts)
    return Measurement(figures=scored, pins=pins(scored, **pinned))
