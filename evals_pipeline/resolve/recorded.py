"""What an authority answered, kept as a model's answers are: written at once, read before asking.

One file a question, ``<key>.json``, the key a SHA-256 over the authority and the question. A folder
of them can be committed and is then read in place of the network.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from evals_pipeline.core import strict_json
from evals_pipeline.core.errors import InputError
from evals_pipeline.core.fingerprints import digest_of
from evals_pipeline.core.records import JsonValue
from evals_pipeline.places import Place, as_place


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerFolder:
    """The record of one authority's answers.

    ``root`` is written to; ``recordings`` are committed folders, read when it has no answer.
    """

    authority: str
    root: Place
    recordings: tuple[Path, ...] = ()

    def find(self, question: Mapping[str, str]) -> JsonValue:
        """The recorded answer to a question; None when there is none.

        Raises:
            InputError: its file is not what ``add`` writes.
        """
        name = f"{self._key(question)}.json"
        for folder in (self.root, *map(as_place, self.recordings)):
            path = folder / name
            try:
                content = path.read_bytes()
            except (FileNotFoundError, NotADirectoryError):
                continue
            return _answer_in(content, path)
        return None

    def add(self, question: Mapping[str, str], answer: JsonValue, *, asked_at: datetime) -> Place:
        """Keeps an answer; a crash leaves the file that was there, or none."""
        path = self.root / f"{self._key(question)}.json"
        asked: dict[str, JsonValue] = dict(question)
        record: dict[str, JsonValue] = {
            "authority": self.authority,
            "question": asked,
            "asked_at": asked_at.isoformat(),
            "answer": answer,
        }
        path.put(f"{strict_json.dumps(record, indent=2)}\n".encode())
        return path

    def _key(self, question: Mapping[str, str]) -> str:
        asked: dict[str, JsonValue] = dict(question)
        return digest_of({"authority": self.authority, "question": asked})


def folders_of(root: Path | Place, recordings: Sequence[Path], *, authority: str) -> AnswerFolder:
    """The record of an authority under ``root``, each authority in a folder of its name."""
    own = as_place(root) / authority
    return AnswerFolder(authority=authority, root=own, recordings=tuple(recordings))


def _answer_in(content: bytes, path: Place) -> JsonValue:
    record = strict_json.loads(content, where=str(path))
    if not isinstance(record, dict) or "answer" not in record:
        raise InputError.one(
            str(path),
            "not a recorded answer of an authority",
            remedy="Move the file away; the authority is then asked again.",
        )
    return record["answer"]
