"""How recorded answers lie: on a file system a file a key, in an object store an object a sample.

On a file system adding a sample replaces the key's file, under the key's lock. That lock ends at
the machine; so in an object store nothing is ever replaced: each sample is an object of its own,
named by its content, and any number of machines may add to one key without losing any.
"""

import contextlib
import hashlib
import os
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from evals_pipeline.core import record_json
from evals_pipeline.core.errors import InputError
from evals_pipeline.core.outcomes import ExtractionStatus
from evals_pipeline.llm.answers import Answer, AnswerFile, AnswerOrigin
from evals_pipeline.places import Place

FILE_FORMAT = 1
_SUFFIX = ".json"


class AnswerFiles(Protocol):
    """What is recorded under the keys of one folder. OSError where it cannot be read or written."""

    def where(self, key: str) -> str:
        """Where a key's samples are."""
        ...

    def read(self, key: str) -> AnswerFile | None:
        """Everything under a key; None when nothing is."""
        ...

    def add(self, key: str, origin: AnswerOrigin, sample: Answer) -> None:
        """Adds a sample; on return it lasts. Of failures that cost nothing the newest is kept."""
        ...

    def put(self, file: AnswerFile) -> None:
        """Adds a whole file's samples; on return they last."""
        ...

    def forget(self, file: AnswerFile, *, but: Sequence[Answer]) -> None:
        """Removes the samples of a file that was read, all but some."""
        ...

    def keys(self) -> list[str]:
        """All keys, sorted."""
        ...

    def check_writable(self) -> None:
        """Raises OSError where nothing could be added."""
        ...


_ROOM = 2**20
"""Bytes that have to be free before anything is asked."""


class FilesByKey:
    """``<key>.json`` with all samples of a key; whoever writes holds the key's lock."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def where(self, key: str) -> str:
        """The key's file."""
        return str(self._path(key))

    def read(self, key: str) -> AnswerFile | None:
        """The key's file."""
        path = self._path(key)
        try:
            content = path.read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return None
        return read_answer_file(content, where=str(path))

    def add(self, key: str, origin: AnswerOrigin, sample: Answer) -> None:
        """Replaces the key's file by one with the sample."""
        found = self.read(key)
        if found is None:
            found = AnswerFile(format=FILE_FORMAT, key=key, origin=origin, samples=())
        self.put(found.with_sample(sample))

    def put(self, file: AnswerFile) -> None:
        """Writes a whole file in the place of the one that was there.

        The temporary file has the key's name, so that what a killed run left is overwritten.
        """
        text = record_json.to_text(file) + "\n"
        self._folder.mkdir(parents=True, exist_ok=True)
        replace_file(self._path(file.key), text, temporary=self._folder / f".{file.key}.writing")

    def forget(self, file: AnswerFile, *, but: Sequence[Answer]) -> None:
        """Replaces the key's file by a smaller one, or removes it."""
        if not but:
            self._path(file.key).unlink(missing_ok=True)
        elif len(but) < len(file.samples):
            self.put(replace(file, samples=tuple(but)))

    def keys(self) -> list[str]:
        """The names of the files."""
        if not self._folder.is_dir():
            return []
        return sorted(path.stem for path in self._folder.glob(f"*{_SUFFIX}"))

    def check_writable(self) -> None:
        """Makes the folder, and a file in it that has no name, as long as some answers."""
        self._folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=self._folder) as probe:
            probe.write(bytes(_ROOM))

    def _path(self, key: str) -> Path:
        return self._folder / f"{key}{_SUFFIX}"


class ObjectsBySample:
    """``<key>/<digest>.json`` for each sample, never replaced; nobody has to hold a lock."""

    def __init__(self, folder: Place) -> None:
        self._folder = folder

    def where(self, key: str) -> str:
        """The folder of the key's objects."""
        return str(self._folder / key)

    def read(self, key: str) -> AnswerFile | None:
        """All samples that any machine has added, the oldest first."""
        files = [file for _, file in self._objects(key)]
        if not files:
            return None
        files.sort(key=lambda file: file.samples[0].at)
        return replace(files[0], samples=tuple(file.samples[0] for file in files))

    def add(self, key: str, origin: AnswerOrigin, sample: Answer) -> None:
        """Puts the sample's object in place, then removes the failures that it supersedes."""
        before = self._objects(key)
        self.put(AnswerFile(format=FILE_FORMAT, key=key, origin=origin, samples=(sample,)))
        for place, file in before:
            (old,) = file.samples
            if old != sample and not old.is_paid and old.status is ExtractionStatus.ERROR:
                place.remove()

    def put(self, file: AnswerFile) -> None:
        """Puts an object of each sample in place."""
        for sample in file.samples:
            text = record_json.to_text(replace(file, samples=(sample,))) + "\n"
            content = text.encode("utf-8")
            name = f"{hashlib.sha256(content).hexdigest()[:32]}{_SUFFIX}"
            (self._folder / file.key / name).put(content)

    def forget(self, file: AnswerFile, *, but: Sequence[Answer]) -> None:
        """Removes the objects of the samples; one that was added since stays."""
        gone = [sample for sample in file.samples if sample not in but]
        for place, found in self._objects(file.key):
            if found.samples[0] in gone:
                place.remove()

    def keys(self) -> list[str]:
        """The names of the folders."""
        return [name for name in self._folder.names() if not name.startswith(".")]

    def check_writable(self) -> None:
        """Puts an object there, which stays."""
        (self._folder / ".writable").put(b"")

    def _objects(self, key: str) -> list[tuple[Place, AnswerFile]]:
        folder = self._folder / key
        found = []
        for name in folder.names():
            place = folder / name
            try:
                content = place.read_bytes()
            except FileNotFoundError:
                continue  # removed since it was listed
            file = read_answer_file(content, where=str(place))
            if len(file.samples) != 1:
                raise InputError.one(str(place), f"holds {len(file.samples)} samples; expected one")
            found.append((place, file))
        return found


def answer_files(folder: Place) -> AnswerFiles:
    """The record's files in the way that their place needs."""
    return FilesByKey(folder.path) if folder.path is not None else ObjectsBySample(folder)


def read_answer_file(content: bytes, *, where: str) -> AnswerFile:
    """The file that was written.

    Raises:
        InputError: it is something else.
    """
    try:
        return record_json.from_text(AnswerFile, content.decode("utf-8"))
    except (InputError, UnicodeDecodeError) as error:
        raise InputError.one(
            where,
            f"not a recorded answer: {error}",
            remedy="Move the file away; its answer is then asked for again.",
        ) from None


def replace_file(path: Path, text: str, *, temporary: Path) -> None:
    """Writes ``temporary``, makes it durable and renames it to ``path``."""
    try:
        with temporary.open("w", encoding="utf-8") as handle:
            handle.write(text)
            handle.flush()
            os.fsync(handle.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    """Makes a rename durable; a system without that for folders has nothing to do."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
