"""Drawings: where things stand follows from the numbers, and every drawing says what it shows."""

import re
from itertools import pairwise
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evals_pipeline.core.figures import CalibrationFigures, ConfidencePair, ReliabilityBin
from evals_pipeline.report.plots import (
    CostPoint,
    Strip,
    cost_plot,
    history_plot,
    outcome_bar,
    reliability_plot,
    strip_axis,
    strip_plot,
    threshold_plot,
)
from evals_pipeline.report.svg import Drawing, Scale, number
from evals_pipeline.score.calibration import calibration_figures
from tests.report.pages import BREAKING_OUT

STRIP = Strip(baseline=0.96, now=0.88, low=0.82, high=0.92, by_run=(0.88, 0.86, None))


def parts(svg: str, name: str) -> list[ElementTree.Element]:
    root = ElementTree.fromstring(svg)
    return [one for one in root.iter() if name in (one.get("class") or "").split()]


def label(svg: str) -> str:
    return ElementTree.fromstring(svg).get("aria-label") or ""


def texts(svg: str) -> list[str]:
    return [one.text or "" for one in ElementTree.fromstring(svg).iter("text")]


def drawn() -> list[str]:
    pairs = [ConfidencePair(confidence=0.9, is_correct=True)] * 3
    return [
        strip_plot(STRIP, (0.8, 1.0), name="total"),
        reliability_plot(calibration_figures(pairs, n_left_out=0), name="total"),
        threshold_plot([(0.5, 0.9, 0.8), (1.0, 0.1, None)], threshold=0.8),
        cost_plot([CostPoint(name="a", usd=0.1, accuracy=0.9)], measure="accuracy"),
        history_plot([0.9, None, 0.8], name="total", labels=["a", "b", "c"], low=0.5),
        outcome_bar({"matched": 3, "spurious": 1}, name="Claims"),
    ]


@pytest.mark.parametrize("svg", drawn())
def test_every_drawing_names_itself_and_stays_within_its_frame(svg) -> None:
    root = ElementTree.fromstring(svg)
    assert root.get("role") == "img"
    assert label(svg)
    width, height = (float(root.get(name, "0")) for name in ("width", "height"))
    for one in root.iter():
        for name, most in (("x", width), ("x1", width), ("cx", width), ("y", height)):
            if (value := one.get(name)) is not None:
                assert -1 <= float(value) <= most + 1


def test_a_drawing_loads_nothing_and_holds_no_markup_of_others() -> None:
    for svg in (
        strip_plot(STRIP, (0.8, 1.0), name=BREAKING_OUT),
        cost_plot([CostPoint(name=BREAKING_OUT, usd=1, accuracy=0.5)], measure=BREAKING_OUT),
        history_plot([0.5], name=BREAKING_OUT, labels=[BREAKING_OUT], low=0),
    ):
        root = ElementTree.fromstring(svg)
        assert {one.tag for one in root.iter()} <= {
            "svg", "title", "line", "rect", "circle", "polyline", "text",
        }  # fmt: skip
        assert not re.search(r'(?:href|src|style|on\w+)="', svg.split(">", 1)[0])
        assert not set("\x00\x1b\u202e") & set(svg)


def test_a_strip_puts_now_left_of_a_better_baseline() -> None:
    svg = strip_plot(STRIP, (0.8, 1.0), name="total")
    (now,), (before,) = parts(svg, "p-fell"), parts(svg, "p-baseline")
    assert float(now.get("cx", "")) < float(before.get("cx", ""))
    assert len(parts(svg, "p-run")) == 2
    assert label(svg) == (
        "Accuracy of total. now 0.880, baseline 0.960, 95 % interval 0.820 to 0.920"
    )


def test_nothing_measured_is_nothing_drawn() -> None:
    svg = strip_plot(Strip(baseline=None, now=None, low=None, high=None), (0.0, 1.0), name="t")
    assert not parts(svg, "p-now")
    assert "now n/a" in label(svg)
    assert "nothing to draw" in label(threshold_plot([], threshold=0.8))


def test_one_axis_serves_all_strips_and_ends_at_a_round_tenth() -> None:
    assert strip_axis([STRIP]) == (0.8, 1.0)
    assert strip_axis([]) == (0.0, 1.0)
    one = Strip(baseline=1.0, now=1.0, low=0.99, high=1.0)
    assert strip_axis([one]) == (0.9, 1.0)


def test_reliability_shows_the_count_of_every_bin_that_holds_something() -> None:
    pairs = [ConfidencePair(confidence=0.95, is_correct=n < 4) for n in range(5)]
    pairs += [ConfidencePair(confidence=0.15, is_correct=False)] * 2
    svg = reliability_plot(calibration_figures(pairs, n_left_out=1), name="total")
    assert [text for text in texts(svg) if text in ("5", "2")] == ["2", "5"]
    dots = parts(svg, "p-now")
    assert len(dots) == 2
    # 4 of 5 right at 0.95: to the right of and below the diagonal's corner.
    assert float(dots[1].get("cx", "")) > float(dots[0].get("cx", ""))
    assert float(dots[1].get("cy", "")) < float(dots[0].get("cy", ""))


def test_reliability_of_nothing_is_an_empty_frame() -> None:
    bins = tuple(
        ReliabilityBin(lower=k / 10, upper=(k + 1) / 10, n=0, mean_confidence=None, accuracy=None)
        for k in range(10)
    )
    empty = CalibrationFigures(ece=None, n=0, n_left_out=0, bins=bins, reason="nothing")
    svg = reliability_plot(empty, name="total")
    assert not parts(svg, "p-now")
    assert "n/a over 0 answers" in label(svg)


def test_thresholds_leave_out_what_is_unmeasured() -> None:
    svg = threshold_plot([(0.5, 0.9, None), (0.75, 0.8, 0.7), (1.0, 0.0, 0.0)], threshold=0.75)
    (recall,) = [one for one in parts(svg, "p-recall") if one.tag == "polyline"]
    assert len((recall.get("points") or "").split()) == 2
    assert "at 0.75: precision 0.800, recall 0.700" in label(svg)


def test_dearer_stands_to_the_right_and_better_above() -> None:
    cheap = CostPoint(name="cheap", usd=0.1, accuracy=0.9)
    dear = CostPoint(name="dear", usd=0.4, accuracy=0.95)
    svg = cost_plot([cheap, dear], measure="accuracy")
    dots = {(one.findtext("title") or "").split(":")[0]: one for one in parts(svg, "p-now")}
    left, right = dots["cheap"], dots["dear"]
    assert float(left.get("cx", "")) < float(right.get("cx", ""))
    assert float(left.get("cy", "")) > float(right.get("cy", ""))


def test_labels_of_points_close_by_stand_on_lines_of_their_own() -> None:
    points = [CostPoint(name=name, usd=0.2, accuracy=0.9) for name in ("a", "b", "c")]
    labels = parts(cost_plot(points, measure="accuracy"), "p-label")
    lines = sorted(float(one.get("y", "")) for one in labels)
    assert all(below - above >= 15 for above, below in pairwise(lines))


def test_parts_of_a_bar_are_as_wide_as_their_share() -> None:
    svg = outcome_bar({"matched": 3, "under-confident": 0, "spurious": 1}, name="Claims")
    (right,), (wrong,) = parts(svg, "o-matched"), parts(svg, "o-spurious")
    assert not parts(svg, "o-under-confident")
    widths = [float(one.get("width", "")) + 2 for one in (right, wrong)]
    assert widths[0] / widths[1] == pytest.approx(3)
    assert not parts(outcome_bar({"matched": 0}, name="Claims"), "o-matched")


@settings(max_examples=50)
@given(st.floats(-10, 10), st.floats(0, 1), st.floats(0, 1))
def test_a_scale_stays_between_its_ends(value, low, span) -> None:
    scale = Scale(low, low + span, start=10, end=90)
    assert 10 <= scale(value) <= 90


@settings(max_examples=50)
@given(st.floats(-1e6, 1e6))
def test_coordinates_are_plain_numbers(value) -> None:
    assert re.fullmatch(r"-?\d+(\.\d)?", number(value))


def test_a_drawing_shows_control_characters_as_escapes() -> None:
    drawing = Drawing(10, 10, title="a\x1bb")
    drawing.text(0, 0, "c\u202ed")
    assert "\\x1b" in drawing.as_text()
    assert "\\u202e" in drawing.as_text()
