"""Writes a PDF of pictures with an invisible layer of text, and nothing else.

Every byte is written here, so that nothing of another document can be in it: no properties, no
identifier, no date. Equal pages give equal bytes, which a document named by its hash needs.
"""

import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from evals_pipeline.sets.redaction.pdf_pages import SCALE, Box

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MARK = b"%PDF-1.7\n%\xe2\xe3\xcf\xd3 masked copy\n"
"""How a file of ours begins: its invisible text is exact, and its pictures are its pages."""

_WIDTH = 0.5  # of every letter of the invisible font, in parts of its size
_DESCENT = 0.21
# Widths of the letters of placeholders in Helvetica-Bold, in thousandths of its size.
_NARROW = {"I": 278, "[": 333, "]": 333, "-": 333, " ": 278}
_WIDE = dict(
    zip(
        "AEFGJLMOPQSTVWXYZ",
        (722, 667, 611, 778, 556, 611, 833, 778, 667, 778, 667, 611, 667, 944, 667, 667, 611),
        strict=True,
    )
)
_PLACEHOLDER_WIDTHS = _NARROW | _WIDE | dict.fromkeys("0123456789", 556)
_USUAL_WIDTH = 722
_MANY_COLOURS = 512


@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    """Letters without a space between them, in their box; ``text`` may end in a space.

    ``is_shown``: drawn for people to see, as placeholders are, on the background ``is_dark`` tells.
    """

    text: str
    box: Box
    is_shown: bool = False
    is_dark: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class NewPage:
    """A page to write: its picture as ``pdf_pages`` gives it, and the words on it in order."""

    picture: "NDArray[np.uint8]"
    words: Sequence[Word]


def write_pdf(pages: Sequence[NewPage]) -> bytes:
    """The bytes of a PDF with these pages."""
    letters = sorted({letter for page in pages for word in page.words for letter in word.text})
    codes = {letter: number for number, letter in enumerate(letters, start=1)}
    # 1 catalogue, 2 pages, 3 to 7 fonts, then three objects a page.
    first = 8
    kids = " ".join(f"{first + 3 * i} 0 R" for i in range(len(pages)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode("ascii"),
        *_fonts(codes),
    ]
    for i, page in enumerate(pages):
        objects += _page(page, codes, number=first + 3 * i)
    return _file(objects)


def _fonts(codes: Mapping[str, int]) -> Iterator[bytes]:
    """Objects 3 to 7: the visible font, and the invisible one that has any letter there is."""
    yield (
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold /Encoding /WinAnsiEncoding >>"
    )
    yield (
        b"<< /Type /Font /Subtype /Type0 /BaseFont /Unseen /Encoding /Identity-H"
        b" /DescendantFonts [5 0 R] /ToUnicode 7 0 R >>"
    )
    yield (
        b"<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Unseen /DW 500 /CIDToGIDMap /Identity"
        b" /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >>"
        b" /FontDescriptor 6 0 R >>"
    )
    yield (
        b"<< /Type /FontDescriptor /FontName /Unseen /Flags 5 /FontBBox [0 -210 500 790]"
        b" /ItalicAngle 0 /Ascent 790 /Descent -210 /CapHeight 700 /StemV 80 >>"
    )
    yield _stream("", _to_unicode(codes))


def _to_unicode(codes: Mapping[str, int]) -> bytes:
    lines = [
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap",
        "/CMapName /Unseen def /CMapType 2 def",
        "1 begincodespacerange <0000> <FFFF> endcodespacerange",
    ]
    entries = [*codes.items()]
    for start in range(0, len(entries), 100):
        part = entries[start : start + 100]
        lines.append(f"{len(part)} beginbfchar")
        lines += (f"<{code:04X}> <{_utf16(letter)}>" for letter, code in part)
        lines.append("endbfchar")
    lines.append("endcmap end end")
    return "\n".join(lines).encode("ascii")


def _utf16(letter: str) -> str:
    return letter.encode("utf-16-be", errors="replace").hex().upper()


def _page(page: NewPage, codes: Mapping[str, int], *, number: int) -> Iterator[bytes]:
    height, width = page.picture.shape[:2]
    yield (
        f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {width / SCALE:.2f} {height / SCALE:.2f}]"
        f" /Contents {number + 1} 0 R /Resources << /XObject << /P {number + 2} 0 R >>"
        " /Font << /H 3 0 R /U 4 0 R >> >> >>"
    ).encode("ascii")
    yield _stream("", "\n".join(_content(page, codes)).encode("ascii"))
    yield _image(page.picture)


def _content(page: NewPage, codes: Mapping[str, int]) -> Iterator[str]:
    height, width = page.picture.shape[:2]
    yield f"q {width / SCALE:.2f} 0 0 {height / SCALE:.2f} 0 0 cm /P Do Q"
    yield "BT"
    for word in page.words:
        size = max(1.0, (word.box.bottom - word.box.top) / SCALE)
        across = max(0.1, (word.box.right - word.box.left) / SCALE)
        left = word.box.left / SCALE
        baseline = (height - word.box.bottom) / SCALE + _DESCENT * size
        if word.is_shown:
            # Stretched to where the value ended, so that what follows it stays joined to it.
            size *= 0.8
            widths = (_PLACEHOLDER_WIDTHS.get(one, _USUAL_WIDTH) for one in word.text.rstrip(" "))
            stretch = 100 * across / (size * sum(widths) / 1000)
            font = f"0 Tr {1 if word.is_dark else 0} g /H {size:.2f} Tf {stretch:.2f} Tz"
            text = f"({word.text})"
        else:
            stretch = 100 * across / (len(word.text.rstrip(" ")) * _WIDTH * size)
            font = f"3 Tr /U {size:.2f} Tf {stretch:.2f} Tz"
            text = "<" + "".join(f"{codes[letter]:04X}" for letter in word.text) + ">"
        yield f"{font} 1 0 0 1 {left:.2f} {baseline:.2f} Tm {text} Tj"
    yield "ET"


def _image(pixels: "NDArray[np.uint8]") -> bytes:
    import numpy as np  # kept out of what loads golden sets

    height, width, colours = pixels.shape
    predictor = ""
    if len(np.unique(pixels[::7, ::7].reshape(-1, colours), axis=0)) > _MANY_COLOURS:
        # A photograph packs better as differences to the pixel before.
        steps = pixels.copy()
        steps[:, 1:] = np.subtract(pixels[:, 1:], pixels[:, :-1])
        pixels = steps
        predictor = f" /DecodeParms << /Predictor 2 /Colors {colours} /Columns {width} >>"
    data = zlib.compress(pixels.tobytes(), 6)
    space = "DeviceGray" if colours == 1 else "DeviceRGB"
    head = (
        f"/Type /XObject /Subtype /Image /Width {width} /Height {height} /BitsPerComponent 8"
        f" /ColorSpace /{space} /Filter /FlateDecode{predictor}"
    )
    return _stream(head, data)


def _stream(head: str, data: bytes) -> bytes:
    opening = f"<< {head} /Length {len(data)} >>\nstream\n".encode("ascii")
    return opening + data + b"\nendstream"


def _file(objects: Sequence[bytes]) -> bytes:
    parts = [MARK]
    offsets: list[int] = []
    length = len(parts[0])
    for number, body in enumerate(objects, start=1):
        part = b"%d 0 obj\n%s\nendobj\n" % (number, body)
        offsets.append(length)
        length += len(part)
        parts.append(part)
    parts.append(b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1))
    parts += (b"%010d 00000 n \n" % offset for offset in offsets)
    parts.append(
        b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n"
        % (len(objects) + 1, length)
    )
    return b"".join(parts)
