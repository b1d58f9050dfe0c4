"""Plots as SVG text: reliability, thresholds, runs, history, cost against accuracy, outcomes.

Drawn by hand, since a page holds dozens of them, small, in two colour schemes: those of a
plotting library take a second to load and carry fonts and colours of their own.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, floor, log10

from evals_pipeline.core.counts import counted
from evals_pipeline.core.figures import CalibrationFigures
from evals_pipeline.report.numbers import share_text
from evals_pipeline.report.svg import Drawing, Scale

_STRIP_WIDTH, _STRIP_HEIGHT = 148, 22
_LABEL_WIDTH, _LABEL_HEIGHT = 220, 15


@dataclass(frozen=True, slots=True, kw_only=True)
class Strip:
    """What a field's strip shows, each on the axis of accuracy; None is not drawn."""

    baseline: float | None
    now: float | None
    low: float | None
    high: float | None
    by_run: tuple[float | None, ...] = ()


def strip_axis(strips: Sequence[Strip]) -> tuple[float, float]:
    """One axis for all strips of a table: from a round tenth below everything drawn, to 1."""
    drawn = [
        value
        for strip in strips
        for value in (strip.baseline, strip.now, strip.low, *strip.by_run)
        if value is not None
    ]
    return min(floor(min(drawn, default=0.0) * 10) / 10, 0.9), 1.0


def strip_plot(strip: Strip, axis: tuple[float, float], *, name: str) -> str:
    """A field's 95 % interval as a bar, its accuracy as a dot, runs as ticks, baseline hollow."""
    words = [f"now {share_text(strip.now)}"]
    if strip.baseline is not None:
        words.append(f"baseline {share_text(strip.baseline)}")
    if strip.low is not None and strip.high is not None:
        words.append(f"95 % interval {strip.low:.3f} to {strip.high:.3f}")
    drawing = Drawing(
        _STRIP_WIDTH, _STRIP_HEIGHT, title=f"Accuracy of {name}", description=", ".join(words)
    )
    at = Scale(*axis, start=7, end=_STRIP_WIDTH - 7)
    middle = _STRIP_HEIGHT / 2
    drawing.line(at(axis[0]), middle, at(axis[1]), middle, "p-rule")
    if strip.low is not None and strip.high is not None:
        drawing.rect(at(strip.low), middle - 3, at(strip.high) - at(strip.low), 6, "p-interval")
    for value in strip.by_run:
        if value is not None:
            drawing.line(at(value), middle - 7, at(value), middle - 4, "p-run")
    if strip.baseline is not None:
        drawing.dot(at(strip.baseline), middle, 4.5, "p-baseline")
    if strip.now is not None:
        fell = strip.baseline is not None and strip.now < strip.baseline
        drawing.dot(at(strip.now), middle, 3.5, "p-fell" if fell else "p-now")
    return drawing.as_text()


def reliability_plot(figures: CalibrationFigures, *, name: str) -> str:
    """Stated confidence against how often it was right, bin by bin, with the counts below.

    Bars of counts stand under each bin; a dot's place is its bin's mean confidence and accuracy,
    and the line from it to the diagonal is the gap that the calibration error adds up.
    """
    width, height, left, top, side = 232, 262, 34, 10, 190
    error = "n/a" if figures.ece is None else f"{figures.ece:.3f}"
    drawing = Drawing(
        width,
        height,
        title=f"Reliability of {name}",
        description=f"calibration error {error} over {counted(figures.n, 'answer')}",
    )
    at_x = Scale(0, 1, start=left, end=left + side)
    at_y = Scale(0, 1, start=top + side, end=top)
    for tick in (0, 0.5, 1):
        drawing.line(at_x(0), at_y(tick), at_x(1), at_y(tick), "p-grid")
        drawing.text(left - 6, at_y(tick) + 3.5, f"{tick:g}", "p-tick", anchor="end")
        drawing.text(at_x(tick), height - 3, f"{tick:g}", "p-tick", anchor="middle")
    drawing.line(at_x(0), at_y(0), at_x(1), at_y(1), "p-diagonal")
    most = max((one.n for one in figures.bins), default=0)
    floor_y = top + side + 40
    for one in figures.bins:
        if not one.n or one.mean_confidence is None or one.accuracy is None:
            continue
        bar = one.n / most * 20
        middle = (at_x(one.lower) + at_x(one.upper)) / 2
        drawing.rect(at_x(one.lower) + 1.5, floor_y - bar, side / 10 - 3, bar, "p-count")
        drawing.text(middle, floor_y - bar - 3, str(one.n), "p-tick p-n", anchor="middle")
        x, y = at_x(one.mean_confidence), at_y(one.accuracy)
        drawing.line(x, y, x, at_y(one.mean_confidence), "p-gap")
        dot = drawing.dot(x, y, 4, "p-now")
        drawing.says(
            dot,
            f"{one.lower:g} to {one.upper:g}: {counted(one.n, 'answer')}, "
            f"stated {one.mean_confidence:.3f}, right {one.accuracy:.3f}",
        )
    return drawing.as_text()


def threshold_plot(
    points: Sequence[tuple[float, float | None, float | None]], *, threshold: float
) -> str:
    """Precision and recall (points of threshold, precision, recall) over the threshold."""
    width, height, left, right, top, bottom = 620, 240, 38, 104, 12, 30
    drawing = Drawing(
        width,
        height,
        title="Precision and recall over the similarity threshold",
        description=_at_threshold(points, threshold),
    )
    low = points[0][0] if points else 0.0
    at_x = Scale(low, 1, start=left, end=width - right)
    at_y = Scale(0, 1, start=height - bottom, end=top)
    for tick in (0, 0.25, 0.5, 0.75, 1):
        drawing.line(left, at_y(tick), width - right, at_y(tick), "p-grid")
        drawing.text(left - 6, at_y(tick) + 3.5, f"{tick:g}", "p-tick", anchor="end")
    for tick in _ticks(low, 1, step=0.1):
        drawing.text(at_x(tick), height - 10, f"{tick:g}", "p-tick", anchor="middle")
    drawing.line(at_x(threshold), top, at_x(threshold), height - bottom, "p-threshold")
    drawing.text(at_x(threshold) + 4, height - bottom - 6, f"threshold {threshold:g}", "p-tick")
    ends: list[tuple[str, float, str]] = []
    for name, index in (("precision", 1), ("recall", 2)):
        line = [
            (at_x(point[0]), at_y(value)) for point in points if (value := point[index]) is not None
        ]
        drawing.path(line, f"p-line p-{name}")
        if line:
            ends.append((name, line[0][1], f"p-label p-{name}-label"))
    _labels_at_left(drawing, ends, x=width - right + 8)
    return drawing.as_text()


def _labels_at_left(drawing: Drawing, ends: Sequence[tuple[str, float, str]], *, x: float) -> None:
    """A legend with a sample of each line, in the order of the lines."""
    for row, (name, _, style) in enumerate(sorted(ends, key=lambda end: end[1])):
        y = 26 + row * 18
        drawing.line(x, y - 4, x + 14, y - 4, f"p-line p-{name}")
        drawing.text(x + 18, y, name, style)


def _at_threshold(
    points: Sequence[tuple[float, float | None, float | None]], threshold: float
) -> str:
    if not points:
        return "nothing to draw"
    _, precision, recall = min(points, key=lambda point: abs(point[0] - threshold))
    return f"at {threshold:g}: precision {share_text(precision)}, recall {share_text(recall)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class CostPoint:
    """A model version with what its answers cost and how many of them were right."""

    name: str
    usd: float
    accuracy: float


def cost_plot(points: Sequence[CostPoint], *, measure: str) -> str:
    """Cost to the right, accuracy upwards: what is up and to the left is better."""
    width, height, left, right, top, bottom = 560, 250, 46, 20, 14, 40
    described = "; ".join(f"{one.name}: {one.usd:.4f} USD, {one.accuracy:.3f}" for one in points)
    drawing = Drawing(width, height, title=f"Cost against {measure}", description=described)
    most = max((one.usd for one in points), default=0.0) or 1.0
    least = min((one.accuracy for one in points), default=0.0)
    low = max(0.0, floor(least * 20 - 0.5) / 20)
    at_x = Scale(0, most * 1.15, start=left, end=width - right)
    at_y = Scale(low, 1, start=height - bottom, end=top)
    for tick in _ticks(low, 1, step=0.05 if 1 - low <= 0.3 else 0.2):
        drawing.line(left, at_y(tick), width - right, at_y(tick), "p-grid")
        drawing.text(left - 6, at_y(tick) + 3.5, f"{tick:.2f}", "p-tick", anchor="end")
    for usd in _ticks(0, most, step=_round_step(most / 4)):
        drawing.text(at_x(usd), height - 22, f"{usd:g}", "p-tick", anchor="middle")
    drawing.text((left + width - right) / 2, height - 5, "US dollars", "p-tick", anchor="middle")
    placed: list[tuple[float, float]] = []
    for one in sorted(points, key=lambda point: -point.accuracy):
        x, y = at_x(one.usd), at_y(one.accuracy)
        drawing.says(drawing.dot(x, y, 5, "p-now"), f"{one.name}: {one.usd:.4f} USD")
        is_right = x > width * 0.6
        label_y = _free_line(y + 4, x, placed)
        placed.append((x, label_y))
        drawing.text(
            x - 9 if is_right else x + 9, label_y, one.name, "p-label",
            anchor="end" if is_right else "start",
        )  # fmt: skip
    return drawing.as_text()


def _free_line(y: float, x: float, placed: Sequence[tuple[float, float]]) -> float:
    """The first line at or below ``y`` that no label near ``x`` stands on; they come from above."""
    for other_x, other_y in placed:
        if abs(other_x - x) < _LABEL_WIDTH and abs(other_y - y) < _LABEL_HEIGHT:
            y = other_y + _LABEL_HEIGHT
    return y


def history_plot(
    values: Sequence[float | None], *, name: str, labels: Sequence[str], low: float
) -> str:
    """One field's figure over commits, oldest first; the last value stands beside the line."""
    width, height, left, right, top, bottom = 210, 74, 6, 44, 20, 8
    measured = [value for value in values if value is not None]
    last = share_text(measured[-1] if measured else None)
    described = ", ".join(
        f"{label} {share_text(value)}" for label, value in zip(labels, values, strict=True)
    )
    drawing = Drawing(width, height, title=f"{name} over commits", description=described)
    drawing.text(left, 12, name, "p-label")
    at_x = Scale(0, max(len(values) - 1, 1), start=left + 4, end=width - right)
    at_y = Scale(low, 1, start=height - bottom, end=top)
    drawing.line(left, at_y(1), width - right, at_y(1), "p-grid")
    drawing.line(left, at_y(low), width - right, at_y(low), "p-grid")
    line = [(at_x(place), at_y(v)) for place, v in enumerate(values) if v is not None]
    drawing.path(line, "p-line p-history")
    for (x, y), label in zip(
        line, (label for label, v in zip(labels, values, strict=True) if v is not None), strict=True
    ):
        drawing.says(drawing.dot(x, y, 2.5, "p-now"), label)
    if line:
        drawing.text(width - right + 6, line[-1][1] + 4, last, "p-value")
    return drawing.as_text()


def outcome_bar(counts: Mapping[str, int], *, name: str) -> str:
    """Shares of a whole as one bar, in the order given; each part carries its count where it fits.

    Classes are ``o-<outcome>``; the page's legend names them, and every part its own.
    """
    width, height = 640, 26
    total = sum(counts.values())
    described = ", ".join(f"{count} {outcome}" for outcome, count in counts.items())
    drawing = Drawing(width, height, title=name, description=described)
    x = 0.0
    for outcome, count in counts.items():
        share = count / total * width if total else 0
        if not count:
            continue
        part = drawing.rect(x, 0, max(share - 2, 1.5), height, f"o-{outcome.replace(' ', '-')}")
        drawing.says(part, f"{count} {outcome}")
        if share > 9 * len(str(count)) + 8:
            drawing.text(x + share / 2 - 1, 17, str(count), "p-inside", anchor="middle")
        x += share
    return drawing.as_text()


def _round_step(rough: float) -> float:
    """The largest of 1, 2, 5 times a power of ten that is not above ``rough``.

    >>> _round_step(0.11), _round_step(7)
    (0.1, 5.0)
    """
    power = 10.0 ** floor(log10(rough))
    return next(factor * power for factor in (5, 2, 1) if factor * power <= rough)


def _ticks(low: float, high: float, *, step: float) -> list[float]:
    first = ceil(round(low / step, 6))
    last = floor(round(high / step, 6))
    return [round(place * step, 6) for place in range(first, last + 1)]
