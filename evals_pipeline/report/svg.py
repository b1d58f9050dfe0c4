"""Small drawings as SVG elements: built as a tree, so that no text can break out of them.

Colours come from the page's style sheet by class, so that one drawing serves paper, light and dark;
what a drawing says is also in its title and description, for those who do not see it.
"""

from collections.abc import Sequence
from decimal import Decimal
from xml.etree import ElementTree

from evals_pipeline.core.visible import visible_line

Element = ElementTree.Element


class Drawing:
    """An SVG under way, in units of CSS pixels."""

    def __init__(self, width: int, height: int, *, title: str, description: str = "") -> None:
        self.width, self.height = width, height
        self.root = Element(
            "svg",
            {
                "viewBox": f"0 0 {width} {height}",
                "width": str(width),
                "height": str(height),
                "role": "img",
                "aria-label": visible_line(
                    ". ".join(part for part in (title, description) if part)
                ),
            },
        )
        ElementTree.SubElement(self.root, "title").text = visible_line(title)

    def line(self, x1: float, y1: float, x2: float, y2: float, name: str) -> None:
        """A straight line of class ``name``."""
        self._add("line", name, x1=x1, y1=y1, x2=x2, y2=y2)

    def rect(self, x: float, y: float, width: float, height: float, name: str) -> Element:
        """A rectangle; a width below zero is none."""
        size = {"width": max(width, 0), "height": max(height, 0)}
        return self._add("rect", name, x=x, y=y, **size)

    def dot(self, x: float, y: float, radius: float, name: str) -> Element:
        """A filled circle."""
        return self._add("circle", name, cx=x, cy=y, r=radius)

    def path(self, points: Sequence[tuple[float, float]], name: str) -> None:
        """An open line through points."""
        if points:
            steps = " ".join(f"{number(x)},{number(y)}" for x, y in points)
            self._add("polyline", name).set("points", steps)

    def text(self, x: float, y: float, text: str, name: str = "", *, anchor: str = "start") -> None:
        """Words whose baseline starts (or ends, or is centred) at a point."""
        element = self._add("text", name, x=x, y=y)
        if anchor != "start":
            element.set("text-anchor", anchor)
        element.text = visible_line(text)

    def says(self, element: Element, text: str) -> None:
        """What the pointer is told over a part."""
        ElementTree.SubElement(element, "title").text = visible_line(text)

    def as_text(self) -> str:
        """The SVG."""
        return ElementTree.tostring(self.root, encoding="unicode")

    def _add(self, tag: str, name: str, **places: float) -> Element:
        element = ElementTree.SubElement(self.root, tag)
        if name:
            element.set("class", name)
        for key, value in places.items():
            element.set(key, number(value))
        return element


class Scale:
    """A linear scale from values to pixels, kept within its ends."""

    def __init__(self, low: float, high: float, *, start: float, end: float) -> None:
        self.low, self.high = low, high
        self.start, self.end = start, end

    def __call__(self, value: float) -> float:
        """The pixel of a value."""
        span = self.high - self.low
        share = (value - self.low) / span if span else 0.5
        return self.start + min(max(share, 0.0), 1.0) * (self.end - self.start)


def number(value: float) -> str:
    """A coordinate to a tenth of a pixel, without needless digits."""
    return format(Decimal(str(round(value, 1))).normalize(), "f")
