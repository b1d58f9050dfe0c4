"""What ``evals golden`` prints: counts, kinds and places, never what was masked."""

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from evals_pipeline.cli.output import print_json, print_table, say
from evals_pipeline.core.counts import counted
from evals_pipeline.core.visible import visible_line
from evals_pipeline.pipeline.adding import Added, AddSummary
from evals_pipeline.pipeline.label_checks import LabelCheck
from evals_pipeline.pipeline.labelling import LabellingDesk
from evals_pipeline.pipeline.people import would_be_committed
from evals_pipeline.pipeline.remasking import Look
from evals_pipeline.sets.redaction.masking import MaskingReport

_MOST_SHOWN = 30


def print_added(
    desk: LabellingDesk,
    summary: AddSummary,
    files: Sequence[Path],
    *,
    form: str,
) -> None:
    """What came in and what was masked in it."""
    if form == "json":
        print_json({"set": desk.set_name, "documents": [_added(one) for one in summary.added]})
    else:
        for one in summary.added:
            state = "" if one.is_new else "  (in the set already)"
            click.echo(f"{one.name}  {one.document.sha256[:12]}{state}")
            for line in _report_lines(one.document.report, is_declared=one.document.is_declared):
                click.echo(f"  {line}")
    for number in summary.unmet_terms:
        say(f"warning: --mask text number {number} stands in none of the files; is it written so?")
    for number in summary.unmet_keeps:
        say(f"warning: --keep text number {number} stands in none of the files")
    for path in files:
        if would_be_committed(path, desk.project.root):
            say(f"warning: {path} lies in the repository, not masked; move it out of it")
    if summary.new_key_path is not None:
        say(
            f"note: placeholders of this set are tied to a key, {summary.new_key_path}. Keep it, "
            "and hand it to whoever adds documents elsewhere; never commit it."
        )
    if any(one.is_new for one in summary.added) and form != "json":
        only = [_pasted(summary.added[0])] if len(summary.added) == 1 else []
        say(f"next: {shlex.join(['evals', 'golden', 'label', *only, '--set', desk.set_name])}")


def _pasted(one: Added) -> str:
    """How a command names a document: by its name, unless that would be read as an option."""
    return one.document.sha256[:12] if one.name.startswith("-") else one.name


def _report_lines(report: MaskingReport, *, is_declared: bool) -> list[str]:
    counts = _counts(report)
    lines: list[str] = []
    if is_declared:
        lines.append("stored as it is, on your word")
        if counts:
            lines.append(f"left in it: {counts}")
    else:
        lines.append(f"masked: {counts or 'nothing was found to mask'}")
    if report.removed:
        lines.append(f"taken out: {'; '.join(report.removed)}")
    if report.kept:
        lines.append(f"kept because you said so: {report.kept}")
    for place in report.lookalikes[:_MOST_SHOWN]:
        lines.append(f"left, line {place.line}: a number that {place.reason}")
    if report.lookalikes:
        lines.append("mask such a number with --mask TEXT if it is one")
    return lines


def _counts(report: MaskingReport) -> str:
    parts = []
    for kind, count in sorted(report.masked.items()):
        n_values = report.values.get(kind, count)
        several = f" ({n_values} different)" if count != n_values else ""
        parts.append(f"{kind} {count}{several}")
    return ", ".join(parts)


def _added(one: Added) -> dict[str, Any]:
    return {
        "name": one.name,
        "doc": one.document.doc,
        "is_new": one.is_new,
        "already_masked": one.document.is_declared,
        **_report(one.document.report),
    }


def _report(report: MaskingReport) -> dict[str, Any]:
    return {
        "masked": {str(kind): count for kind, count in report.masked.items()},
        "values": {str(kind): count for kind, count in report.values.items()},
        "kept": report.kept,
        "removed": list(report.removed),
        "lookalikes": [{"line": p.line, "reason": p.reason} for p in report.lookalikes],
    }


def print_check(checks: Sequence[LabelCheck], *, form: str) -> None:
    """What a look at labels found."""
    if form == "json":
        print_json({"sets": [_check(check) for check in checks]})
        return
    print_table(
        ("set", "labelled", "open", "faults", "values found", "not found", "cannot say"),
        [
            (
                check.set_name,
                str(check.labelled),
                str(len(check.drafts)),
                str(len(check.faults)),
                str(check.found),
                str(len(check.not_found)),
                str(check.unsaid),
            )
            for check in checks
        ],
        right=("labelled", "open", "faults", "values found", "not found", "cannot say"),
    )
    for check in checks:
        for fault in check.faults:
            click.echo(str(fault))
        for draft in check.drafts:
            click.echo(f"open: {draft}")
        for warning in check.warnings:
            say(f"warning: {warning}")
        if check.not_found:
            click.echo(
                f"{check.set_name}: labelled values that do not stand in their document's text. No "
                "fault by itself, but the place to look first:"
            )
            for one in check.not_found[:_MOST_SHOWN]:
                value = visible_line(one.value, limit=60)
                click.echo(f"  {one.document} ({one.doc[:8]}) {one.field}: {value}")
            if len(check.not_found) > _MOST_SHOWN:
                click.echo(
                    f"  and {len(check.not_found) - _MOST_SHOWN} more; --format json has all"
                )


def _check(check: LabelCheck) -> dict[str, Any]:
    return {
        "set": check.set_name,
        "labelled": check.labelled,
        "open": [str(draft) for draft in check.drafts],
        "faults": [str(fault) for fault in check.faults],
        "found": check.found,
        "not_to_say": check.unsaid,
        "not_found": [
            {"name": one.document, "doc": one.doc, "field": one.field, "value": one.value}
            for one in check.not_found
        ],
        "warnings": list(check.warnings),
    }


def print_looks(found: Mapping[str, Sequence[Look]], *, form: str, is_written: bool) -> None:
    """What is, or was, to be masked in documents that are there."""
    if form == "json":
        print_json(
            {
                "sets": [
                    {"set": name, "documents": [_look(look) for look in looks]}
                    for name, looks in found.items()
                ]
            }
        )
        return
    for name, looks in found.items():
        n_open = sum(1 for look in looks if look.n_open)
        n_declared = sum(1 for look in looks if look.is_declared)
        verb = "were rewritten" if is_written else "hold something to mask"
        click.echo(
            f"{name}: {counted(len(looks), 'document')}, {n_open} {verb}, "
            f"{n_declared} declared to be masked already"
        )
        for look in looks:
            if not look.n_open:
                continue
            in_label = f", in its label {look.in_label}" if look.in_label else ""
            counts = _counts(look.report) or "nothing"
            click.echo(f"  {look.name} ({look.doc[:8]}): {counts}{in_label}")
            if look.refusal:
                click.echo(f"    not rewritten: {look.refusal}")
            elif look.new_doc and look.new_doc != look.doc:
                click.echo(f"    now {look.new_doc[:12]}")
        if is_written and n_open:
            say(
                f"{name}: the earlier bytes are still in git's history if they were committed. "
                "Predictions and baselines that name these documents by hash have to be made anew."
            )
        elif n_open:
            say(f"mask them: evals golden redact {shlex.quote(name)} --write")


def _look(look: Look) -> dict[str, Any]:
    return {
        "name": look.name,
        "doc": look.doc,
        "already_masked": look.is_declared,
        "in_label": look.in_label,
        "new_doc": look.new_doc,
        "refusal": look.refusal,
        **_report(look.report),
    }
