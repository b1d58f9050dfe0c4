"""What changed in a prompt since the baseline, and how the committed figures moved over commits."""

from collections.abc import Iterator
from difflib import SequenceMatcher
from pathlib import Path

from evals_pipeline.baseline.choose import RevisionChoice, choose_revision
from evals_pipeline.baseline.git import Repository
from evals_pipeline.baseline.pairing import summed_up
from evals_pipeline.baseline.parse import parse_baseline
from evals_pipeline.baseline.record import baseline_path
from evals_pipeline.core.errors import InputError, RefusedError
from evals_pipeline.core.figures import SetFigures
from evals_pipeline.core.outcomes import SetKind
from evals_pipeline.pipeline.grid import Serving, serving
from evals_pipeline.pipeline.project import Project
from evals_pipeline.report.html.page import DiffKind, DiffLine, HistoryPoint, PromptChange

MOST_COMMITS = 30
_CONTEXT = 2


def prompt_change(
    project: Project, set_name: str, model_version: str, *, since: str | None = None
) -> PromptChange:
    """The prompt now against the prompt that the gate's baseline was measured with.

    Where the settings gate a model version against another one, the two prompts are compared.
    """
    how = serving(project, set_name, model_version)
    if how.prompt_path is None:
        return PromptChange(path=None, before=None, note=_no_prompt(how))
    path = _relative(project, how.prompt_path)
    if how.model.against is not None:
        return _against(project, set_name, how, path)
    try:
        return _since_revision(project, set_name, how.prompt_path, path, since)
    except (RefusedError, OSError) as refusal:
        return PromptChange(path=path, before=None, note=str(refusal))


def history_of(
    project: Project, set_name: str, model_version: str, figures: SetFigures
) -> tuple[HistoryPoint, ...]:
    """The figures of every committed baseline, the oldest first, and today's as the last point.

    Empty where no baseline was ever committed. A baseline that no longer reads is passed over.
    """
    path = baseline_path(project.golden_set(set_name).path, model_version)
    try:
        repository = Repository.containing(path.parent.parent)
    except RefusedError:
        return ()
    if repository is None:
        return ()
    points = list(_committed(repository, path))
    if points:
        points.append(_today(figures))
    return tuple(points)


def subject_of(root: Path) -> str | None:
    """The first line of the message of the commit that is checked out; None outside git."""
    try:
        repository = Repository.containing(root)
    except RefusedError:
        return None
    entries = repository.log(limit=1) if repository else ()
    return entries[0].subject if entries else None


def _committed(repository: Repository, path: Path) -> Iterator[HistoryPoint]:
    for entry in reversed(repository.log(path, limit=MOST_COMMITS)):
        content = repository.bytes_at(entry.sha, path)
        try:
            found = None if content is None else parse_baseline(content, where=entry.sha)
        except InputError:
            continue
        if found is not None:
            counts = {name: summed_up(tallies) for name, tallies in found.fields.items()}
            yield HistoryPoint(
                commit=entry.sha,
                day=entry.day,
                subject=entry.subject,
                shares={name: right / n for name, (right, n) in counts.items() if n},
            )


def _today(figures: SetFigures) -> HistoryPoint:
    shares = {one.field: one.accuracy for one in figures.fields if one.accuracy is not None}
    return HistoryPoint(commit="now", day="", subject="figures of today", shares=shares)


def _no_prompt(how: Serving) -> str:
    if how.code is not None:
        return f"Code answers ({how.model.name}), so there is no prompt."
    return "A predictions file answers; the prompt behind it is not known here."


def _against(project: Project, set_name: str, how: Serving, path: str) -> PromptChange:
    other = how.model.against or ""
    before = serving(project, set_name, other).prompt_path
    if before is None or how.prompt_path is None:
        return PromptChange(path=path, before=None, note=f"{other} has no prompt to compare with.")
    return _compared(before.read_text("utf-8"), how.prompt_path, path=path, name=other)


def _since_revision(
    project: Project, set_name: str, prompt: Path, path: str, since: str | None
) -> PromptChange:
    repository = Repository.containing(project.root)
    if repository is None:
        return PromptChange(path=path, before=None, note="Outside git there is no earlier prompt.")
    choice = _choice(project, repository, set_name, prompt, since)
    if choice.revision is None:
        return PromptChange(path=path, before=None, note=f"Compared with {choice.why}.")
    before = repository.bytes_at(choice.revision, prompt)
    if before is None:
        note = f"The prompt is new since {choice.name}."
        return PromptChange(path=path, before=None, note=note)
    return _compared(before.decode("utf-8", "replace"), prompt, path=path, name=choice.name)


def _choice(
    project: Project, repository: Repository, set_name: str, prompt: Path, since: str | None
) -> RevisionChoice:
    watched: tuple[Path, ...] = (prompt,)
    if project.kind_of(set_name) is SetKind.FIELDS:
        folder = project.golden_set(set_name).path
        watched += tuple(folder / name for name in ("set.yaml", "labels", "documents"))
    return choose_revision(repository, since=since, watched=watched, anchor=prompt)


def _compared(before: str, prompt: Path, *, path: str, name: str) -> PromptChange:
    lines = tuple(difference(before, prompt.read_text("utf-8")))
    note = None if lines else f"The prompt is as it was at {name}."
    return PromptChange(path=path, before=name, lines=lines, note=note)


def difference(before: str, after: str) -> Iterator[DiffLine]:
    """The changed lines of a text with two lines around them; nothing for equal texts."""
    left, right = before.splitlines(), after.splitlines()
    matcher = SequenceMatcher(None, left, right, autojunk=False)
    for number, group in enumerate(matcher.get_grouped_opcodes(_CONTEXT)):
        if all(tag == "equal" for tag, *_ in group):
            continue
        if number or group[0][1]:
            yield DiffLine(kind=DiffKind.GAP, text="")
        for tag, a, b, c, d in group:
            if tag == "equal":
                yield from (DiffLine(kind=DiffKind.SAME, text=line) for line in left[a:b])
                continue
            yield from (DiffLine(kind=DiffKind.REMOVED, text=line) for line in left[a:b])
            yield from (DiffLine(kind=DiffKind.ADDED, text=line) for line in right[c:d])


def _relative(project: Project, path: Path) -> str:
    is_inside = path.is_relative_to(project.root)
    return (path.relative_to(project.root) if is_inside else path).as_posix()
