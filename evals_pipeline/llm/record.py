"""The record of answers, ``storage/answers``: written at once, read before any call.

It holds every sample ever taken under a key, so that nothing that was paid for is lost: a
fresh sampling and a second try after a truncated answer are added, never put in its place. What
counts is the newest good sample; inside a fresh sampling only its own samples count. A committed
recording is final: it stands in for the network, so that a truncated answer in it is one too.

Writing is atomic and lasts: on a file system by a temporary file, fsync, rename, fsync of the
folder; in an object store by the store.
"""

import os
import secrets
from collections.abc import Iterator, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from pathlib import Path

from evals_pipeline.core.errors import SetupError
from evals_pipeline.llm.answer_files import answer_files, replace_file
from evals_pipeline.llm.answers import Answer, AnswerFile, AnswerOrigin, IsUsable
from evals_pipeline.llm.locks import key_lock, key_lock_if_free
from evals_pipeline.llm.recordings import Recordings
from evals_pipeline.places import Place, as_place


class AnswerRecord:
    """Reads and writes recorded answers.

    Args:
        root: The folder of the record, ``storage/answers``; made when the first answer is written.
        recordings: Folders of committed answers, read when the record itself has none that is good.
    """

    def __init__(self, root: Path | Place, *, recordings: Sequence[Path] = ()) -> None:
        self.root = as_place(root)
        self._files = answer_files(self.root)
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
        try:
            return self._files.read(key)
        except OSError as error:
            raise SetupError(
                f"{self._files.where(key)}: a recorded answer cannot be read, got "
                f"{error.strerror or error}; nothing was asked, so that it is not paid for again. "
                "Make it readable."
            ) from None

    def add(self, origin: AnswerOrigin, answer: Answer) -> None:
        """Adds one sample; on return it lasts. The caller holds the key's lock."""
        self._files.add(answer.key, origin, answer)

    def put(self, file: AnswerFile) -> None:
        """Adds a whole file, or replaces it by one that has all of its samples. As ``add``."""
        self._files.put(file)

    def forget(self, file: AnswerFile, *, but: Sequence[Answer] = ()) -> None:
        """Forgets the samples of a file that was read, all but some. As ``add``, under the lock."""
        self._files.forget(file, but=but)

    def lock(self, key: str) -> AbstractAsyncContextManager[None]:
        """Held while a key is asked for and written."""
        return key_lock(self._lock_path(key))

    def lock_if_free(self, key: str) -> AbstractContextManager[bool]:
        """The same for whoever would rather go on than wait; gives whether it is held."""
        return key_lock_if_free(self._lock_path(key))

    def _lock_path(self, key: str) -> Path:
        return self.root.here / ".locks" / f"{key}.lock"

    def recorded_keys(self) -> Iterator[str]:
        """All recorded keys, sorted.

        Raises:
            SetupError: they cannot be listed.
        """
        try:
            keys = self._files.keys()
        except OSError as error:
            raise SetupError(
                f"{self.root}: recorded answers cannot be listed, got {error.strerror or error}. "
                "Make it readable."
            ) from None
        yield from keys

    def check_writable(self) -> None:
        """Makes sure before the first paid call that an answer can be kept.

        Raises:
            SetupError: the folder cannot be written.
        """
        try:
            self._files.check_writable()
        except OSError as error:
            raise SetupError(
                f"{self.root}: answers cannot be kept here, got {error.strerror or error}; nothing "
                "was asked. Make the folder writable, or set storage to another one."
            ) from None


def write_atomically(path: Path, text: str) -> None:
    """Writes a file so that a reader, or a crash, sees the old content or the new, never a part."""
    path.parent.mkdir(parents=True, exist_ok=True)
    # Not tempfile's own: that gives files that only their owner may read, and these are committed.
    own = f".{path.name}.{os.getpid()}-{secrets.token_hex(4)}.writing"
    replace_file(path, text, temporary=path.with_name(own))
