"""Reliability diagrams, with the count of every bin: in the terminal, and as SVG for pages."""

import warnings
from collections.abc import Sequence
from io import StringIO
from typing import Any

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


# --- SVG ----------------------------------------------------------------------------------------

_BLUE, _ORANGE, _GREY = "#0072B2", "#D55E00", "#767676"


def reliability_svg(figures: CalibrationFigures, *, title: str) -> str:
    """The diagram as the text of an SVG: share of right ones by bin over the counts of the bins.

    The same figures give the same text. Colours are told apart with any sight; every bar carries
    its count. The title is drawn as it is written, no part of it as a formula.
    """
    import matplotlib as mpl  # loaded only where something is drawn
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    with mpl.rc_context({"svg.hashsalt": "reliability", "svg.fonttype": "none"}):
        drawing = Figure(figsize=(5.2, 5.6), layout="constrained")
        canvas = FigureCanvasSVG(drawing)
        above, below = drawing.subplots(2, 1, sharex=True, gridspec_kw={"height_ratios": [3, 1]})
        _draw_shares(above, figures)
        _draw_counts(below, figures)
        above.set_title(title, fontsize=11, loc="left", parse_math=False)
        text = StringIO()
        with warnings.catch_warnings():
            # Letters stay letters in the SVG, so it does not matter which ones our font lacks.
            warnings.filterwarnings("ignore", message=r"Glyph .* missing from")
            canvas.print_svg(text, metadata={"Date": None, "Title": title})
    drawn = text.getvalue()
    return drawn[drawn.index("<svg") :]  # without the prolog, so that it stands in a page too


def _draw_shares(axes: Any, figures: CalibrationFigures) -> None:
    filled = [one for one in figures.bins if one.accuracy is not None]
    axes.plot([0, 1], [0, 1], color=_GREY, linestyle="--", linewidth=1, label="as stated")
    axes.bar(
        [one.lower for one in filled],
        [one.accuracy for one in filled],
        width=0.1,
        align="edge",
        color=_BLUE,
        alpha=0.75,
        edgecolor="white",
        label="right",
    )
    axes.plot(
        [one.mean_confidence for one in filled],
        [one.accuracy for one in filled],
        color=_ORANGE,
        marker="o",
        linestyle="none",
        markersize=5,
        label="mean stated",
    )
    axes.set_ylim(0, 1.02)
    axes.set_ylabel("share right")
    axes.legend(loc="upper left", frameon=False, fontsize=9)


def _draw_counts(axes: Any, figures: CalibrationFigures) -> None:
    axes.bar(
        [one.lower for one in figures.bins],
        [one.n for one in figures.bins],
        width=0.1,
        align="edge",
        color=_GREY,
        edgecolor="white",
    )
    for one in figures.bins:
        if one.n:
            axes.text(one.lower + 0.05, one.n, str(one.n), ha="center", va="bottom", fontsize=8)
    axes.set_xlim(0, 1)
    axes.set_ylim(0, max((one.n for one in figures.bins), default=0) * 1.25 + 1)
    axes.set_xticks([k / 10 for k in range(11)])
    error = f"calibration error {share_text(figures.ece)}"
    said = error if figures.ece is not None else figures.reason or UNMEASURED
    axes.set_xlabel(f"stated confidence ({said})", parse_math=False)
    axes.set_ylabel("n")
