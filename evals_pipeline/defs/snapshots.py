"""What the sensors see: what every model version answers from, and what every set is made of.

A set of many documents is hashed again only when the size or a time stamp of one of its files has
changed since the last look of this process; what decides is the digest.
"""

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from evals_pipeline.core.errors import EvalsError
from evals_pipeline.core.fingerprints import digest_parts
from evals_pipeline.core.settings import Provider
from evals_pipeline.defs.partitions import Grid
from evals_pipeline.defs.sensor_decisions import Seen, Watched
from evals_pipeline.extract.prompts import read_prompt
from evals_pipeline.pipeline.digests import file_digest, question_digest, set_digests
from evals_pipeline.pipeline.grid import serving
from evals_pipeline.pipeline.project import Project

Things: TypeAlias = dict[str, Seen]
_Signature: TypeAlias = bytes
"""Changes whenever a file that was looked at is there, gone, longer or newer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerSource:
    """What a model version answers a set from: a prompt, a file of predictions, or code."""

    name: str
    digest: str
    prompt_path: Path | None = None
    predictions_path: Path | None = None


def answer_source(project: Project, set_name: str, model_version: str) -> AnswerSource:
    """What a model version answers from today.

    Raises:
        InputError: the set does not load, or the file is gone or cannot be read.
    """
    how = serving(project, set_name, model_version)
    path = how.prompt_path or how.predictions_path
    if path is None:
        return AnswerSource(name=f"code {how.extractor_id}", digest="code")
    return AnswerSource(
        name=_shown(project, path),
        digest=file_digest(path),
        prompt_path=how.prompt_path,
        predictions_path=how.predictions_path,
    )


class Lookout:
    """Looks at a project again and again, and remembers what need not be read anew."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], tuple[_Signature, Things]] = {}

    def prompts(self, project: Project, grid: Grid) -> tuple[Things, dict[str, Path]]:
        """The prompt of each model version that is sent one, and where each of them lies.

        One that does not load is none: a run would refuse it, so its earlier digest stands.
        """
        things: Things = {}
        paths: dict[str, Path] = {}
        for model in grid.models:
            try:
                source = answer_source(project, grid.set_name, model)
                if source.prompt_path is not None:
                    read_prompt(source.prompt_path)
            except EvalsError as error:
                # Whether it is a prompt that is missing cannot be told from a set that is faulty;
                # in both cases the earlier digest stands.
                if project.model(model).provider is Provider.OPENAI:
                    things[model] = Seen(digest=None, problem=_first_line(error))
                continue
            if source.prompt_path is not None:
                things[model] = Seen(digest=source.digest)
                paths[model] = source.prompt_path
        return things, paths

    def set_files(self, project: Project, grid: Grid) -> Things:
        """A set's documents, its gold, and the predictions of each model version that has some."""
        return self._remembered(
            ("set", grid.set_name),
            lambda: _signature(_files_of(project, grid), _folders_of(project, grid)),
            lambda: _set_things(project, grid),
        )

    def _remembered(
        self, key: tuple[str, str], sign: Callable[[], _Signature], look: Callable[[], Things]
    ) -> Things:
        signature = sign()
        known = self._known.get(key)
        if known is None or known[0] != signature:
            known = (signature, look())
            self._known[key] = known
        return known[1]


def _set_things(project: Project, grid: Grid) -> Things:
    try:
        corpus, gold, schema = set_digests(project, grid.set_name)
    except EvalsError as error:
        problem = _first_line(error)
        return {
            Watched.DOCUMENTS: Seen(digest=None, problem=problem),
            Watched.GOLD: Seen(digest=None, problem=problem),
        }
    things: Things = {
        Watched.DOCUMENTS: Seen(digest=corpus),
        Watched.GOLD: Seen(digest=digest_parts(gold, schema)),
    }
    for model in grid.models:
        try:
            source = answer_source(project, grid.set_name, model)
        except EvalsError as error:
            things[f"{Watched.PREDICTIONS} {model}"] = Seen(digest=None, problem=_first_line(error))
            continue
        if source.predictions_path is not None:
            things[f"{Watched.PREDICTIONS} {model}"] = Seen(digest=source.digest)
        question = question_digest(project, grid.set_name, serving(project, grid.set_name, model))
        things[f"{Watched.QUESTION} {model}"] = Seen(digest=question)
    return things


def _files_of(project: Project, grid: Grid) -> Iterator[Path]:
    """The files that a set's digests are over beside those of its folders, and the settings."""
    yield project.root / "pyproject.toml"
    for model in project.settings.models.values():
        if grid.set_name in model.files:
            yield project.root / model.files[grid.set_name]
    if grid.set_name in project.golden_folders:
        return
    for folder in dict.fromkeys((project.suites_folder, project.claim_suites_folder)):
        yield from folder.glob("*.yaml")
    yield from (project.suites_folder / "calibration").glob("*.yaml")


def _folders_of(project: Project, grid: Grid) -> tuple[Path, ...]:
    """The folders all of whose files count."""
    if grid.set_name in project.golden_folders:
        return (project.golden_folders[grid.set_name],)
    return tuple(project.fixtures_folders)


def _signature(files: Iterable[Path], folders: Iterable[Path]) -> _Signature:
    """What the files look like from outside: every few seconds a set of 20,000 is looked at so."""
    seen = [_looks(path) for path in files]
    for folder in folders:
        seen.extend(_below(folder))
    return hashlib.sha256("\n".join(sorted(seen)).encode("utf-8", "surrogateescape")).digest()


def _below(folder: Path) -> Iterator[str]:
    # os.scandir, for a Path made of every file takes five times as long.
    waiting = [os.fspath(folder)]
    while waiting:
        try:
            with os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    yield _looks(entry)
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
        except OSError:
            continue


def _looks(path: Path | os.DirEntry[str]) -> str:
    try:
        found = path.stat()
    except OSError:
        return f"{os.fspath(path)}|gone"
    return f"{os.fspath(path)}|{found.st_size}|{found.st_mtime_ns}|{found.st_ctime_ns}"


def _shown(project: Project, path: Path) -> str:
    try:
        return path.relative_to(project.root).as_posix()
    except ValueError:
        return path.as_posix()


def _first_line(error: EvalsError) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
