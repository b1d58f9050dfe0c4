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
    version, None for code and predictions. ``against`` names the model version whose baseline to
    compare with instead of its own; ``against_measurement`` holds that one's figures, for when it
    has no baseline.
    """

    golden: GoldenSet
    model_version: str
    measurement: Measurement | None
    prompt_path: Path | None = None
    since: str | None = None
    accepts: Sequence[Acknowledgement] = ()
    against: str | None = None
    against_measurement: Measurement | None = None

    @property
    def prompt_sha256(self) -> str | None:
        """The digest of the prompt that the figures were measured with."""
        return None if self.measurement is None else self.measurement.pins.prompt_sha256

    @property
    def watched(self) -> tuple[Path, ...]:
        """What counts as a change: the prompt and the set, not the baselines kept beside them."""
        folder = self.golden.path
        in_set = tuple(folder / name for name in ("set.yaml", "labels", "documents"))
        return in_set if self.prompt_path is None else (self.prompt_path, *in_set)
