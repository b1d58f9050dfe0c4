"""What stands in the record of answers, what it cost, and what may go: list, prune, export.

Nothing here makes a call. Pruning takes by default only what nobody paid for; an answer that was
paid for goes only when it is named or superseded, and when that was asked for.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from pathlib import Path

from evals_pipeline.core import record_json
from evals_pipeline.core.outcomes import ExtractionStatus
from evals_pipeline.llm.answers import Answer, AnswerFile
from evals_pipeline.llm.record import AnswerRecord, write_atomically
from evals_pipeline.llm.recordings import Recordings
from evals_pipeline.llm.request import Purpose


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerFilter:
    """Which keys are meant; None takes every one."""

    keys: Collection[str] | None = None
    model_version: str | None = None
    set_name: str | None = None
    purpose: Purpose | None = None
    prompt_sha256: str | None = None

    def takes(self, file: AnswerFile) -> bool:
        """Whether a file is meant."""
        origin = file.origin
        return (
            (self.keys is None or file.key in self.keys)
            and self.model_version in (None, origin.model_version)
            and self.set_name in (None, origin.set_name)
            and self.purpose in (None, origin.purpose)
            and self.prompt_sha256 in (None, origin.prompt_sha256)
        )


EVERYTHING = AnswerFilter()


@dataclass(frozen=True, slots=True, kw_only=True)
class SpendLine:
    """One sample as something that was spent; ``usd`` None is unknown.

    ``tokens_*`` None: the provider did not say. A call that failed and whose tokens nobody counted
    has no price: the record keeps 0 where a provider is not expected to bill it, which is no
    knowledge of what it did.
    """

    key: str
    set_name: str
    model_version: str
    purpose: Purpose
    label: str
    run_index: int
    at: datetime
    run_id: str
    commit: str | None
    status: ExtractionStatus
    retries: int
    input_tokens: int | None
    cached_input_tokens: int | None
    output_tokens: int | None
    usd: Decimal | None
    price_table: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SpendTotal:
    """The sum of some lines; ``usd`` adds the priced ones, and ``n_priced`` says how many."""

    n: int
    n_priced: int
    n_metered: int
    input_tokens: int
    cached_input_tokens: int
    output_tokens: int
    usd: Decimal | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PruneReport:
    """What pruning removed, or would: whole keys, and samples in all.

    ``n_busy`` keys were left alone, because a run was asking for them.
    """

    keys: tuple[str, ...]
    n_samples: int
    n_busy: int = 0


def list_answers(record: AnswerRecord, *, only: AnswerFilter = EVERYTHING) -> Iterator[AnswerFile]:
    """The recorded files, by key."""
    for key in record.recorded_keys():
        file = record.read(key)
        if file is not None and only.takes(file):
            yield file


def spend_lines(record: AnswerRecord, *, only: AnswerFilter = EVERYTHING) -> Iterator[SpendLine]:
    """Everything that was spent, one line a sample, superseded and failed ones too."""
    for file in list_answers(record, only=only):
        for sample in file.samples:
            yield _spend_line(file, sample)


def _spend_line(file: AnswerFile, sample: Answer) -> SpendLine:
    origin, usage = file.origin, sample.usage
    return SpendLine(
        key=file.key,
        set_name=origin.set_name,
        model_version=origin.model_version,
        purpose=origin.purpose,
        label=origin.label,
        run_index=origin.run_index,
        at=sample.at,
        run_id=sample.run_id,
        commit=sample.commit,
        status=sample.status,
        retries=sample.retries,
        input_tokens=usage.input_tokens if usage else None,
        cached_input_tokens=usage.cached_input_tokens if usage else None,
        output_tokens=usage.output_tokens if usage else None,
        usd=None if _is_uncounted_failure(sample) else sample.cost.usd,
        price_table=sample.cost.price_table,
    )


def _is_uncounted_failure(sample: Answer) -> bool:
    return sample.status is ExtractionStatus.ERROR and sample.usage is None


def total_of(lines: Iterable[SpendLine]) -> SpendTotal:
    """The sum; money is None when not one line has a price."""
    rows = list(lines)
    priced = [line.usd for line in rows if line.usd is not None]
    return SpendTotal(
        n=len(rows),
        n_priced=len(priced),
        n_metered=sum(line.input_tokens is not None for line in rows),
        input_tokens=sum(line.input_tokens or 0 for line in rows),
        cached_input_tokens=sum(line.cached_input_tokens or 0 for line in rows),
        output_tokens=sum(line.output_tokens or 0 for line in rows),
        usd=sum(priced, Decimal(0)) if priced else None,
    )


def totals_by(
    lines: Iterable[SpendLine], group: Callable[[SpendLine], str]
) -> dict[str, SpendTotal]:
    """The sums of groups, for example by set, model version, day or commit; sorted by group."""
    groups: dict[str, list[SpendLine]] = {}
    for line in lines:
        groups.setdefault(group(line), []).append(line)
    return {name: total_of(groups[name]) for name in sorted(groups)}


def prune(
    record: AnswerRecord,
    *,
    only: AnswerFilter = EVERYTHING,
    remove_superseded: bool = False,
    remove_paid: bool = False,
    is_dry: bool = False,
) -> PruneReport:
    """Removes failures that cost nothing; more only when told to.

    Args:
        record: The record to prune; committed recordings are never touched.
        only: Which keys are looked at.
        remove_superseded: Also remove samples before the newest good one of a key.
        remove_paid: Also remove everything else that ``only`` takes.
        is_dry: Say what would go, and leave it.
    """
    gone: list[str] = []
    n_samples = n_busy = 0
    for key in list(record.recorded_keys()):
        with record.lock_if_free(key) as is_free:
            file = record.read(key)
            if file is None or not only.takes(file):
                continue
            if not is_free:
                n_busy += 1
                continue
            kept = () if remove_paid else _worth_keeping(file, without_superseded=remove_superseded)
            n_samples += len(file.samples) - len(kept)
            if not kept:
                gone.append(key)
            if not is_dry:
                record.forget(file, but=kept)
    return PruneReport(keys=tuple(gone), n_samples=n_samples, n_busy=n_busy)


def _worth_keeping(file: AnswerFile, *, without_superseded: bool) -> tuple[Answer, ...]:
    kept = tuple(sample for sample in file.samples if sample.is_paid or _is_complete(sample))
    if not without_superseded:
        return kept
    complete = [number for number, sample in enumerate(kept) if _is_complete(sample)]
    return kept[complete[-1] :] if complete else kept


def _is_complete(sample: Answer) -> bool:
    return sample.status is ExtractionStatus.OK


def export_answers(
    record: AnswerRecord,
    folder: Path,
    *,
    only: AnswerFilter = EVERYTHING,
    name: str = "answers",
    replace_all: bool = False,
) -> int:
    """Writes answers as ``<folder>/<name>.jsonl``, to be committed; gives their number.

    Of each key the newest complete sample is taken, else the newest truncated one; failures are no
    answers. What the file already holds stays, unless it is recorded anew or ``replace_all`` is
    set; lines are sorted by set, label and run. With nothing to write, nothing is touched.
    """
    path = folder / f"{name}.jsonl"
    files: dict[str, AnswerFile] = {}
    if not replace_all:
        files = _already_exported(path)
    elsewhere = set(Recordings(folder).keys()) - files.keys() if not replace_all else set()
    for file in list_answers(record, only=only):
        chosen = _to_export(file)
        if chosen is not None and file.key not in elsewhere:
            files[file.key] = replace(file, samples=(chosen,))
    ordered = sorted(files.values(), key=_export_order)
    if not ordered:
        return 0
    write_atomically(path, "".join(record_json.to_text(file) + "\n" for file in ordered))
    return len(ordered)


def _to_export(file: AnswerFile) -> Answer | None:
    complete = [sample for sample in file.samples if _is_complete(sample)]
    cut = [sample for sample in file.samples if sample.status is ExtractionStatus.TRUNCATED]
    return complete[-1] if complete else (cut[-1] if cut else None)


def _already_exported(path: Path) -> dict[str, AnswerFile]:
    if not path.is_file():
        return {}
    recordings = Recordings(path.parent)
    found: Sequence[AnswerFile | None] = [recordings.read(key) for key in recordings.keys_of(path)]
    return {file.key: file for file in found if file is not None}


def _export_order(file: AnswerFile) -> tuple[str, str, str, int, str]:
    origin = file.origin
    return (
        origin.set_name,
        origin.purpose.value,
        origin.label,
        origin.run_index,
        file.key,
    )
