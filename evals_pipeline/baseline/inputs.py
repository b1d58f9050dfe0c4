"""What a gate is asked."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from evals_pipeline.baseline.acknowledgements import Acknowledgement
from evals_pipeline.baseline.measurement import Measurement
from evals_pipeline.core.records import GoldenSet


@dataclass(frozen=True, slots=True, kw_only=True)
class GateInputs:
    """One golden set, one model version, and what was asked for on the command line.

    ``measurement`` is None where nothing was scored. ``prompt_path`` is the prompt of this model
    version, None for code and predictions; ``predictions_path`` the file of a model version that
    is one. ``against`` names the model version whose baseline to
    compare with instead of its own; ``against_measurement`` holds that one's figures, for when it
    has no baseline. A set of fewer than ``min_documents`` or more than ``max_documents`` gets a
    hint.
    """

    golden: GoldenSet
    model_version: str
    measurement: Measurement | None
    prompt_path: Path | None = None
    predictions_path: Path | None = None
    since: str | None = None
    accepts: Sequence[Acknowledgement] = ()
    against: str | None = None
    against_measurement: Measurement | None = None
    min_documents: int = 40
    max_documents: int = 600

    @property
    def prompt_sha256(self) -> str | None:
        """The digest of the prompt that the figures were measured with."""
        return None if self.measurement is None else self.measurement.pins.prompt_sha256

    @property
    def changing_path(self) -> Path | None:
        """The file whose change a gate judges: the prompt, or the predictions; None for code."""
        return self.prompt_path or self.predictions_path

    @property
    def watched(self) -> tuple[Path, ...]:
        """What counts as a change: that file and the set, not the baselines kept beside them."""
        folder = self.golden.path
        in_set = tuple(folder / name for name in ("set.yaml", "labels", "documents"))
        return in_set if self.changing_path is None else (self.changing_path, *in_set)
