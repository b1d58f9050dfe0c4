"""The vectors of texts, on disk by model and text, so that no text is embedded twice.

Vectors lie in *segments*: one file per batch that was embedded, its rows sorted by the SHA-256 of
their texts, never changed once written. A segment is written under a temporary name and put in
place by a rename, so any number of processes may read and write one folder at a time; the worst
that happens is that two embed the same text. Many small segments are merged now and then.
"""

import hashlib
import logging
import os
import re
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from filelock import FileLock, Timeout
from numpy.typing import NDArray

from evals_pipeline.core.errors import SetupError
from evals_pipeline.judge.encoder import Encoder, Vectors

_MERGE_ABOVE = 48
_SMALL = 50_000
_SUFFIX = ".segment"
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Segment:
    """Vectors with the SHA-256 of their texts, sorted by it, each once."""

    keys: NDArray[np.bytes_]
    vectors: Vectors


class VectorCache:
    """The vectors of one encoder under ``root``; ``root`` None keeps them in memory only.

    ``n_embedded`` counts the texts that this object had to embed.
    """

    def __init__(self, root: Path | None, encoder: Encoder) -> None:
        self._encoder = encoder
        self._folder = None if root is None else root / _folder_name(encoder.name)
        self._segments: dict[str, _Segment] = {}
        self.n_embedded = 0

    @property
    def encoder_name(self) -> str:
        """What identifies the model that the vectors come from."""
        return self._encoder.name

    def vectors(self, texts: Sequence[str]) -> Vectors:
        """One row of length 1 per text, in order; what is not stored is embedded in one batch.

        Raises:
            SetupError: The encoder gave another number of rows, or numbers that are not finite.
        """
        if not texts:
            return np.zeros((0, 0), dtype=np.float32)
        keys, first_at, back = np.unique(
            np.array([_key(text) for text in texts], dtype="S32"),
            return_index=True,
            return_inverse=True,
        )
        missing = self._missing(keys, self._segments.values())
        if len(missing):
            self._open_new_segments()
            missing = self._missing(keys, self._segments.values())
        if len(missing):
            rows = self._embed([_plain(texts[place]) for place in first_at[missing]])
            self._append(_Segment(keys=keys[missing], vectors=rows))
        return self._rows(keys)[back]

    def _embed(self, texts: Sequence[str]) -> Vectors:
        rows = np.asarray(self._encoder.encode(texts), dtype=np.float32)
        if rows.ndim != 2 or len(rows) != len(texts) or not np.isfinite(rows).all():
            raise SetupError(
                f"judge.encoder: {self._encoder.name} gave an array of shape {rows.shape} for "
                f"{len(texts)} texts; expected one row of finite numbers per text. "
                f"Use another encoder."
            )
        self.n_embedded += len(texts)
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        return np.asarray(rows / np.where(lengths > 0, lengths, 1), dtype=np.float32)

    @staticmethod
    def _missing(keys: NDArray[np.bytes_], segments: Iterable[_Segment]) -> NDArray[np.intp]:
        """The places of the keys that no segment holds."""
        is_missing = np.ones(len(keys), dtype=bool)
        for segment in segments:
            is_missing &= segment.keys[_places(segment, keys)] != keys
        return np.flatnonzero(is_missing)

    def _rows(self, keys: NDArray[np.bytes_]) -> Vectors:
        """The stored row of every key; all of them are stored by now."""
        width = max(segment.vectors.shape[1] for segment in self._segments.values())
        rows = np.zeros((len(keys), width), dtype=np.float32)
        for segment in self._segments.values():
            places = _places(segment, keys)
            held = np.flatnonzero(segment.keys[places] == keys)
            rows[held] = segment.vectors[places[held]]
        return rows

    # --- on disk ------------------------------------------------------------------------------

    def _open_new_segments(self) -> None:
        if self._folder is None or not self._folder.is_dir():
            return
        present = {path.name: path for path in sorted(self._folder.glob(f"*{_SUFFIX}"))}
        for name in set(self._segments) - set(present):
            del self._segments[name]
        for name, path in present.items():
            if name not in self._segments and (segment := _open_segment(path)) is not None:
                self._segments[name] = segment

    def _append(self, segment: _Segment) -> None:
        if self._folder is None:
            held = [*self._segments.values(), segment]
            self._segments = {"in memory": _merged(held)}
            return
        self._folder.mkdir(parents=True, exist_ok=True)
        self._segments[_write_segment(self._folder, segment)] = segment
        if len(_small(self._segments)) > _MERGE_ABOVE:
            self._merge(self._folder)

    def _merge(self, folder: Path) -> None:
        """Puts the small segments into one; whoever has an old one open keeps reading it."""
        try:
            with FileLock(folder / "merge.lock", timeout=0):
                self._open_new_segments()
                old = _small(self._segments)
                merged = _merged(list(old.values()))
                self._segments[_write_segment(folder, merged)] = merged
                for name in old:
                    del self._segments[name]
                    (folder / name).unlink(missing_ok=True)
        except Timeout:
            return  # another process is merging
        except OSError as problem:
            # The merge only saves time: without it every segment is still there and readable.
            _LOG.warning("vector cache: segments were not merged (%s)", problem)


def _places(segment: _Segment, keys: NDArray[np.bytes_]) -> NDArray[np.intp]:
    """Where each key stands in the segment, if it does; else some other place."""
    places = np.searchsorted(segment.keys, keys)
    places[places == len(segment.keys)] = 0
    return places


def _small(segments: dict[str, _Segment]) -> dict[str, _Segment]:
    return {name: segment for name, segment in segments.items() if len(segment.keys) < _SMALL}


def _merged(segments: Sequence[_Segment]) -> _Segment:
    keys, first_at = np.unique(
        np.concatenate([segment.keys for segment in segments]), return_index=True
    )
    vectors = np.concatenate([segment.vectors for segment in segments])
    return _Segment(keys=keys, vectors=vectors[first_at])


def _write_segment(folder: Path, segment: _Segment) -> str:
    """Writes keys and vectors one behind the other and returns the file's name."""
    name = f"{uuid.uuid4().hex}{_SUFFIX}"
    partial = folder / f".{name}.partial"
    with partial.open("wb") as file:
        np.save(file, segment.keys, allow_pickle=False)
        np.save(file, segment.vectors, allow_pickle=False)
        file.flush()
        os.fsync(file.fileno())
    partial.replace(folder / name)
    return name


def _open_segment(path: Path) -> _Segment | None:
    """The segment, its vectors mapped from disk; None where it was merged away or is damaged."""
    try:
        with path.open("rb") as file:
            keys = np.load(file, allow_pickle=False)
            np.lib.format.read_magic(file)
            shape, _, dtype = np.lib.format.read_array_header_1_0(file)
            vectors = np.memmap(file, dtype=dtype, mode="r", offset=file.tell(), shape=shape)
        if keys.dtype != "S32" or vectors.dtype != np.float32 or shape[:1] != keys.shape:
            raise ValueError("its two parts do not belong together")
    except FileNotFoundError:
        return None
    except (OSError, ValueError, EOFError) as problem:
        _LOG.warning("vector cache: %s is damaged and passed over (%s)", path.name, problem)
        return None
    return _Segment(keys=keys, vectors=vectors)


def _key(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def _plain(text: str) -> str:
    """The text with halves of surrogate pairs replaced, which no tokenizer takes."""
    return text.encode("utf-8", "surrogatepass").decode("utf-8", "replace")


def _folder_name(encoder_name: str) -> str:
    """A plain name; a digest keeps two names apart that become alike."""
    slug = re.sub(r"[^A-Za-z0-9._-]+", "-", encoder_name).strip("-.")[:60] or "encoder"
    return f"{slug}-{hashlib.sha256(encoder_name.encode('utf-8')).hexdigest()[:8]}"
