"""How fast fields are compared: a million comparisons, cold and with every value seen before.

``python -m bench.fields [COMPARISONS]`` prints seconds, comparisons a second and the ratio to
``stickler`` on eight such fields (as measured with its ``compare_with``; not installed here).
"""

import resource
import sys
import time
from collections.abc import Iterator
from random import Random

from evals_pipeline.core.outcomes import ExtractionStatus, Presence
from evals_pipeline.core.records import FieldSpec, Fixture, GoldenDocument, SourceConvention
from evals_pipeline.core.run_records import Extraction, FieldValue, Provenance
from evals_pipeline.judge.fields import FieldJudge

STICKLER_PER_SECOND = 19_000
GOAL_SECONDS_PER_MILLION = 20.0

FIELDS = (
    FieldSpec(name="invoice_number", kind="identifier"),
    FieldSpec(name="invoice_date", kind="date"),
    FieldSpec(name="due_date", kind="date"),
    FieldSpec(name="supplier", kind="text", threshold=0.85),
    FieldSpec(name="total", kind="money"),
    FieldSpec(name="quantity", kind="number"),
    FieldSpec(name="tax_rate", kind="percent"),
    FieldSpec(name="status", kind="enum", values={"paid": ("settled",), "open": ("unpaid",)}),
)
CONVENTION = SourceConvention(locale="de_DE", currency="EUR")


def documents(n: int, seed: int = 7) -> Iterator[tuple[GoldenDocument, Extraction]]:
    """``n`` documents of distinct values; one extracted value in ten is wrong or missing."""
    random = Random(seed)
    provenance = Provenance(extractor="bench")
    for number in range(n):
        label, value = _values(random)
        fixture = Fixture(
            fixture_id=f"{number:064x}",
            name=f"document-{number}",
            sha256="",
            source_type="INVOICE",
            media_type="text/plain",
        )
        golden = GoldenDocument(
            fixture=fixture,
            labelled_by="bench",
            labelled_at="2026-01-01",
            source=None,
            convention=CONVENTION,
            tags=(),
            labels={name: (text,) for name, text in label.items()},
        )
        fields = {
            name: FieldValue(value=text, presence=Presence.VALUE) for name, text in value.items()
        }
        yield (
            golden,
            Extraction(
                fixture_id=fixture.fixture_id,
                run_index=0,
                status=ExtractionStatus.OK,
                fields=fields,
                provenance=provenance,
            ),
        )


def _values(random: Random) -> tuple[dict[str, str], dict[str, str | None]]:
    cents = random.randrange(100, 10_000_000)
    whole, rest = divmod(cents, 100)
    year, month, day = (
        random.randrange(2000, 2030),
        random.randrange(1, 13),
        random.randrange(1, 29),
    )
    due = random.randrange(1, 29)
    quantity, number = random.randrange(1, 100_000), random.randrange(10**7)
    supplier = f"Muster & Söhne {random.randrange(50_000)} GmbH"
    label = {
        "invoice_number": f"RE-{number:07d}",
        "invoice_date": f"{year}-{month:02d}-{day:02d}",
        "due_date": f"{year}-{month:02d}-{due:02d}",
        "supplier": supplier,
        "total": f"{whole}.{rest:02d}",
        "quantity": str(quantity),
        "tax_rate": "19",
        "status": "paid",
    }
    value: dict[str, str | None] = {
        "invoice_number": f"re {number:07d}",
        "invoice_date": f"{day:02d}.{month:02d}.{year}",
        "due_date": f"{due}.{month}.{year}",
        "supplier": supplier.upper(),
        "total": f"{whole:,}".replace(",", ".") + f",{rest:02d} €",
        "quantity": f"{quantity:,}".replace(",", "."),
        "tax_rate": "19 %",
        "status": "settled",
    }
    wrong = random.choice(list(value))
    if random.random() < 0.8:
        value[wrong] = random.choice([None, "1", "Muster und Sohn 12 GmbH", "12.03.2021"])
    return label, value


def measure(n_comparisons: int) -> tuple[float, float]:
    """Seconds for ``n_comparisons`` of distinct values, and for as many of values seen before."""
    judge = FieldJudge()
    cold = 0.0
    n_documents = n_comparisons // len(FIELDS)
    for golden, extraction in documents(n_documents):
        started = time.process_time()
        judge.judge_document(FIELDS, golden, extraction, with_trace=False)
        cold += time.process_time() - started
    few = list(documents(1_000))
    for golden, extraction in few:
        judge.judge_document(FIELDS, golden, extraction, with_trace=False)
    started = time.process_time()
    for _ in range(max(1, n_documents // len(few))):
        for golden, extraction in few:
            judge.judge_document(FIELDS, golden, extraction, with_trace=False)
    return cold, time.process_time() - started


def main(arguments: list[str]) -> None:
    """Measures and prints."""
    n = int(arguments[0]) if arguments else 1_000_000
    cold, warm = measure(n)
    for what, seconds in (("distinct values", cold), ("values seen before", warm)):
        rate = n / seconds
        sys.stdout.write(
            f"fields, {what}: {n:,} comparisons in {seconds:.1f} s, {rate:,.0f}/s, "
            f"{rate / STICKLER_PER_SECOND:.1f} times stickler "
            f"(goal: {GOAL_SECONDS_PER_MILLION * n / 1e6:.1f} s)\n"
        )
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    sys.stdout.write(f"fields, peak memory: {peak:,.0f} MiB\n")


if __name__ == "__main__":
    main(sys.argv[1:])
