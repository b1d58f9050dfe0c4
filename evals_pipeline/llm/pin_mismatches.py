"""What endpoints answered as that are not the pinned model: remembered, so that it is paid once.

One small file for each address, model and pin under ``storage/answers/.pins``. It is written when
another model answers, and goes as soon as the pinned one does. While it is there, nothing more is
asked there, unless somebody asks for answers anew.
"""

from dataclasses import dataclass
from datetime import datetime

from evals_pipeline.core import record_json
from evals_pipeline.core.errors import InputError
from evals_pipeline.core.fingerprints import digest_parts
from evals_pipeline.llm.endpoint import Endpoint
from evals_pipeline.places import Place

FOLDER = ".pins"


@dataclass(frozen=True, slots=True, kw_only=True)
class PinMismatch:
    """Another model than the pinned one answered: as what, and when."""

    answered_by: str
    at: datetime


class PinMismatches:
    """The mismatches that are on record beside the answers in ``root``."""

    def __init__(self, root: Place) -> None:
        self._folder = root / FOLDER

    def find(self, endpoint: Endpoint) -> PinMismatch | None:
        """What answered last in the place of the pinned model; None when nothing did."""
        try:
            text = self._place(endpoint).read_bytes().decode("utf-8")
            return record_json.from_text(PinMismatch, text)
        except (OSError, UnicodeDecodeError, InputError):
            return None  # it only saves a call; the pin is compared with every answer all the same

    def note(self, endpoint: Endpoint, mismatch: PinMismatch) -> None:
        """Keeps that another model answered."""
        self._place(endpoint).put(f"{record_json.to_text(mismatch)}\n".encode())

    def clear(self, endpoint: Endpoint) -> None:
        """Forgets it: the pinned model has answered."""
        self._place(endpoint).remove()

    def _place(self, endpoint: Endpoint) -> Place:
        name = digest_parts(endpoint.base_url, endpoint.model, endpoint.pin)[:32]
        return self._folder / f"{name}.json"
