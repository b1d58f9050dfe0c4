"""Reliability diagrams in the terminal, with the count of every bin."""

from collections.abc import Sequence

from evals_pipeline.core.figures import CalibrationFigures, ReliabilityBin
from evals_pipeline.core.visible import visible_line
from evals_pipeline.report.numbers import UNMEASURED, share_text

BAR = 40
_RIGHT, _NOTHING, _STATED = "#", "-", "|"


def reliability_lines(figures: CalibrationFigures, *, with_empty: bool = True) -> list[str]:
    """The diagram as lines of plain text, the highest bin first, empty bins too unless left out.

    The bar is the share of right ones; ``|`` marks the mean stated confidence, so that a mark to
    the right of the bar's end shows more confidence than is earned.
    """
    head = f"{'stated':>9}  {'n':>6}  {'mean':>5}  {'right':>5}  0{' ' * (BAR - 2)}1"
    shown = [one for one in reversed(figures.bins) if one.n or with_empty]
    return [head, *(_line(one) for one in shown), *_foot(figures)]


def reliability_text(figures: CalibrationFigures) -> str:
    """The diagram as one text that ends with a line feed."""
    return "\n".join(reliability_lines(figures)) + "\n"


def _line(one: ReliabilityBin) -> str:
    place = f"{one.lower:.1f}-{one.upper:.1f}"
    if one.accuracy is None or one.mean_confidence is None:
        return f"{place:>9}  {one.n:>6}  {UNMEASURED:>5}  {UNMEASURED:>5}"
    filled = round(one.accuracy * BAR)
    bar = list(_RIGHT * filled + _NOTHING * (BAR - filled))
    bar[min(round(one.mean_confidence * BAR), BAR - 1)] = _STATED
    return (
        f"{place:>9}  {one.n:>6}  {one.mean_confidence:>5.2f}  {one.accuracy:>5.2f}  {''.join(bar)}"
    )


def _foot(figures: CalibrationFigures) -> Sequence[str]:
    left_out = f", {figures.n_left_out} without a usable confidence" if figures.n_left_out else ""
    counted = f"n {figures.n}{left_out}"
    if figures.ece is None:
        return [f"{counted}; {visible_line(figures.reason or UNMEASURED)}"]
    lines = [
        (
            f"{counted}; calibration error {share_text(figures.ece)}, in bins of equal count "
            f"{share_text(figures.ece_adaptive)}, Brier {share_text(figures.brier)}, AUROC "
            f"{share_text(figures.auroc)}"
        )
    ]
    if figures.reason:
        lines.append(visible_line(figures.reason))
    return lines
