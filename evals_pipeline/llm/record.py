"""The record of answers: ``storage/answers/<key>.json``, written at once, read before any call.

A file holds every sample ever taken under its key, so that nothing that was paid for is lost: a
fresh sampling and a second try after a truncated answer are added, never put in its place. What
counts is the newest good sample; inside a fresh sampling only its own samples count. A committed
recording is final: it stands in for the network, so that a truncated answer in it is one too.

Writing is atomic: a temporary file in the same folder, fsync, rename, fsync of the folder.
"""

import contextlib
import os
import secrets
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from pathlib import Path

from evals_pipeline.core import record_json
from evals_pipeline.core.errors import InputError, SetupError
from evals_pipeline.llm.answers import Answer, AnswerFile, AnswerOrigin, IsUsable
from evals_pipeline.llm.locks import key_lock, key_lock_if_free
from evals_pipeline.llm.recordings import Recordings

FILE_FORMAT = 1


class AnswerRecord:
    """Reads and writes recorded answers.

    Args:
        root: The folder of the record, ``storage/answers``; made when the first answer is written.
        recordings: Folders of committed answers, read when the record itself has none that is good.
    """

    def __init__(self, root: Path, *, recordings: Sequence[Path] = ()) -> None:
        self.root = root
        self._recordings = tuple(Recordings(folder) for folder in recordings)

    def find(
        self,
        key: str,
        *,
        pin: str,
        generation: str | None = None,
        is_usable: IsUsable | None = None,
    ) -> Answer | None:
        """The good answer under a key, as one that costs nothing new; None when it has to be asked.

        Args:
            key: From ``answer_key``.
            pin: The model name that must have answered.
            generation: The label of a fresh sampling, outside which nothing counts.
            is_usable: Says of a complete answer whether it is good for the one who asks.
        """
        found = self.read(key)
        best = found.best(pin=pin, generation=generation, is_usable=is_usable) if found else None
        if best is None and generation is None:
            best = self._find_committed(key, pin)
        return best.as_recorded() if best else None

    def _find_committed(self, key: str, pin: str) -> Answer | None:
        for recordings in self._recordings:
            found = recordings.read(key)
            final = found.final(pin=pin) if found else None
            if final is not None:
                return final
        return None

    def read(self, key: str) -> AnswerFile | None:
        """Everything recorded under a key; None when nothing is.

        Raises:
            InputError: the file is not what this package writes.
            SetupError: it cannot be read.
        """
        path = self.path_of(key)
        try:
            content = path.read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise SetupError(
                f"{path}: a recorded answer cannot be read, got {error.strerror}; nothing was "
                "asked, so that it is not paid for again. Make it readable."
            ) from None
        return read_answer_file(content, where=str(path))

    def add(self, origin: AnswerOrigin, answer: Answer) -> None:
        """Adds one sample; on return it is on the disk. The caller holds the key's lock."""
        found = self.read(answer.key)
        if found is None:
            found = AnswerFile(format=FILE_FORMAT, key=answer.key, origin=origin, samples=())
        self.put(found.with_sample(answer))

    def put(self, file: AnswerFile) -> None:
        """Writes a whole file in the place of the one that was there. As ``add``, under the lock.

        The temporary file has the key's name, so that what a killed run left is overwritten.
        """
        text = record_json.to_text(file) + "\n"
        self.root.mkdir(parents=True, exist_ok=True)
        _replace(self.path_of(file.key), text, temporary=self.root / f".{file.key}.writing")

    def remove(self, key: str) -> None:
        """Forgets a key."""
        self.path_of(key).unlink(missing_ok=True)

    def lock(self, key: str) -> AbstractAsyncContextManager[None]:
        """Held while a key is asked for and written."""
        return key_lock(self._lock_path(key))

    def lock_if_free(self, key: str) -> AbstractContextManager[bool]:
        """The same for whoever would rather go on than wait; gives whether it is held."""
        return key_lock_if_free(self._lock_path(key))

    def _lock_path(self, key: str) -> Path:
        return self.root / ".locks" / f"{key}.lock"

    def recorded_keys(self) -> Iterator[str]:
        """All recorded keys, sorted."""
        if self.root.is_dir():
            yield from sorted(path.stem for path in self.root.glob("*.json"))

    def path_of(self, key: str) -> Path:
        """Where a key's file is."""
        return self.root / f"{key}.json"

    def check_writable(self) -> None:
        """Makes sure before the first paid call that an answer can be kept.

        Raises:
            SetupError: the folder cannot be written.
        """
        try:
            self.root.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=self.root):
                pass
        except OSError as error:
            raise SetupError(
                f"{self.root}: answers cannot be kept here, got {error.strerror}; nothing was "
                "asked. Make the folder writable, or set storage to another one."
            ) from None


def read_answer_file(content: bytes, *, where: str) -> AnswerFile:
    """The file that ``AnswerRecord.put`` wrote.

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


def write_atomically(path: Path, text: str) -> None:
    """Writes a file so that a reader, or a crash, sees the old content or the new, never a part."""
    path.parent.mkdir(parents=True, exist_ok=True)
    # Not tempfile's own: that gives files that only their owner may read, and these are committed.
    own = f".{path.name}.{os.getpid()}-{secrets.token_hex(4)}.writing"
    _replace(path, text, temporary=path.with_name(own))


def _replace(path: Path, text: str, *, temporary: Path) -> None:
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
