"""Reads the pages of a PDF: each letter with its place, and a picture of the page.

What a page shows and what it says have to agree, or masking the one leaves the other. So pages are
refused whose text was recognised in a picture, or cannot be read at all.
"""

import ctypes
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from evals_pipeline.core.errors import InputError, RefusedError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from pypdfium2 import PdfDocument, PdfObject, PdfPage

DPI = 150
SCALE = DPI / 72
MOST_PAGES = 200
_DEEPEST = 15
_INVISIBLE_MODE = 3
_MOST_UNREADABLE = 0.005
_HYPHENS = frozenset({0x02, 0xFFFE})


class Box(NamedTuple):
    """Where something is on the picture of its page, in pixels from the top left."""

    left: float
    top: float
    right: float
    bottom: float

    def joined(self, other: "Box") -> "Box":
        """The smallest box around both."""
        return Box(
            min(self.left, other.left),
            min(self.top, other.top),
            max(self.right, other.right),
            max(self.bottom, other.bottom),
        )


class Letter(NamedTuple):
    """One letter of a page; no box: pdfium put it in, as between two words."""

    text: str
    box: Box | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A page: its letters in reading order, and its picture in rows from the top.

    The picture has one number a pixel where it is all grey, else red, green and blue.
    """

    letters: Sequence[Letter]
    picture: "NDArray[np.uint8]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pages:
    """The pages of a document, and what of it is not on them any more."""

    pages: tuple[Page, ...]
    n_pictures: int
    n_notes: int
    n_files: int


def read_pages(content: bytes, *, keep_pictures: bool, trust_text: bool = False) -> Pages:
    """The pages of a PDF, its pictures taken out unless they are to be kept.

    Links, comments, form fields, attachments and the document's properties are on no page.

    Args:
        content: Its bytes.
        keep_pictures: Whether pictures stay.
        trust_text: Whether invisible text is known to be what the pages show.

    Raises:
        InputError: It is damaged or locked.
        RefusedError: A page's text cannot be read, or was recognised in a picture; or too many
            pages.
    """
    import pypdfium2  # loads a shared library that most runs do not need

    try:
        document = pypdfium2.PdfDocument(content)
    except pypdfium2.PdfiumError as error:
        remedy = "Give a whole PDF without a password."
        raise InputError.one("PDF", f"cannot be opened: {error}", remedy=remedy) from error
    try:
        if len(document) > MOST_PAGES:
            raise RefusedError(f"has {len(document)} pages; at most {MOST_PAGES} are masked.")
        return _read(document, keep_pictures=keep_pictures, trust_text=trust_text)
    finally:
        document.close()


def _read(document: "PdfDocument", *, keep_pictures: bool, trust_text: bool) -> Pages:
    from pypdfium2 import raw

    pages: list[Page] = []
    n_pictures = n_notes = 0
    for number in range(len(document)):
        page = document[number]
        letters = _letters(page, where=f"page {number + 1}", trust_text=trust_text)
        n_notes += raw.FPDFPage_GetAnnotCount(page)
        if not keep_pictures:
            n_pictures += _take_pictures_out(page)
        pages.append(Page(letters=letters, picture=_picture(page)))
        page.close()
    return Pages(
        pages=tuple(pages),
        n_pictures=n_pictures,
        n_notes=n_notes,
        n_files=document.count_attachments(),
    )


def _letters(page: "PdfPage", *, where: str, trust_text: bool) -> list[Letter]:
    from pypdfium2 import raw

    n_objects, is_recognised = _objects(page)
    if is_recognised and not trust_text:
        message = (
            f"the text of {where} was recognised in a picture; what was misread there cannot be "
            "found. Mask the page by hand, and add it with --already-masked."
        )
        raise RefusedError(message)
    text_page = page.get_textpage()
    try:
        count = text_page.count_chars()
        to_picture = _Projection.of(page)
        letters = [_letter(to_picture, text_page, i) for i in range(count)]
        n_unreadable = sum(
            raw.FPDFText_HasUnicodeMapError(text_page, i) == 1 or _says_nothing(letters[i].text)
            for i in range(count)
        )
    finally:
        text_page.close()
    is_blank = not any(letter.text.strip() for letter in letters)
    if n_objects and is_blank:
        message = (
            f"{where} has no text that can be read: it is a picture or drawn in outlines. "
            "Mask it by hand, and add it with --already-masked."
        )
        raise RefusedError(message)
    if n_unreadable > _MOST_UNREADABLE * max(count, 1):
        message = (
            f"{where} shows letters that its text does not have, so what is shown cannot be found. "
            "Print it into a new PDF, or mask it by hand and add it with --already-masked."
        )
        raise RefusedError(message)
    return letters


def _says_nothing(text: str) -> bool:
    """Whether a letter is one that only its own font knows, or none at all."""
    return bool(text) and unicodedata.category(text) in ("Co", "Cc", "Cn") and text not in "\r\n\t"


def _objects(page: "PdfPage") -> tuple[int, bool]:
    """How many things a page draws, and whether any of its text is invisible."""
    from pypdfium2 import raw

    n_objects, is_recognised = 0, False
    for one in page.get_objects(max_depth=_DEEPEST):
        n_objects += 1
        if one.type == raw.FPDF_PAGEOBJ_TEXT:
            is_recognised |= raw.FPDFTextObj_GetTextRenderMode(one) == _INVISIBLE_MODE
    return n_objects, is_recognised


def _letter(to_picture: "_Projection", text_page: object, index: int) -> Letter:
    from pypdfium2 import raw

    code = raw.FPDFText_GetUnicode(text_page, index)
    text = "-" if code in _HYPHENS else chr(code) if 0 < code < 0x110000 else ""
    if raw.FPDFText_IsGenerated(text_page, index) == 1 and code not in _HYPHENS:
        return Letter(text, None)
    return Letter(text, _box(to_picture, text_page, index))


def _box(to_picture: "_Projection", text_page: object, index: int) -> Box | None:
    """Around a letter's ink and around its place in the line, whichever is further out."""
    from pypdfium2 import raw

    found: Box | None = None
    left, right, bottom, top = (ctypes.c_double() for _ in range(4))
    if raw.FPDFText_GetCharBox(text_page, index, left, right, bottom, top):
        found = to_picture.box(left.value, top.value, right.value, bottom.value)
    loose = raw.FS_RECTF()
    if raw.FPDFText_GetLooseCharBox(text_page, index, loose):
        box = to_picture.box(loose.left, loose.top, loose.right, loose.bottom)
        found = found.joined(box) if found else box
    return found


class _Projection(NamedTuple):
    """Where a point of a page stands on its picture, whichever way the page is turned."""

    x: tuple[float, float, float]
    y: tuple[float, float, float]

    @classmethod
    def of(cls, page: "PdfPage") -> "_Projection":
        """The projection of a page; pdfium is asked about three points of it."""
        corner, right, up = (_point(page, *at) for at in ((0, 0), (_FAR, 0), (0, _FAR)))
        steps = [
            ((right[i] - corner[i]) / _FAR, (up[i] - corner[i]) / _FAR, corner[i]) for i in (0, 1)
        ]
        return cls(x=steps[0], y=steps[1])

    def box(self, left: float, top: float, right: float, bottom: float) -> Box:
        """The box of a rectangle of the page."""
        across = [
            self.x[0] * x + self.x[1] * y + self.x[2] for x, y in ((left, top), (right, bottom))
        ]
        down = [
            self.y[0] * x + self.y[1] * y + self.y[2] for x, y in ((left, top), (right, bottom))
        ]
        return Box(min(across), min(down), max(across), max(down))


_FAR = 1000.0
_FINE = 100  # the function gives whole numbers, so it is asked about a larger picture


def _point(page: "PdfPage", x: float, y: float) -> tuple[float, float]:
    from pypdfium2 import raw

    across, down = ctypes.c_int(), ctypes.c_int()
    width, height = size_of(page)
    raw.FPDF_PageToDevice(page, 0, 0, width * _FINE, height * _FINE, 0, x, y, across, down)
    return across.value / _FINE, down.value / _FINE


def size_of(page: "PdfPage") -> tuple[int, int]:
    """The width and height of a page's picture."""
    width, height = page.get_size()
    return -int(-width * SCALE // 1), -int(-height * SCALE // 1)


def _take_pictures_out(page: "PdfPage") -> int:
    """Removes every picture from a page, also those inside of forms; says how many."""
    from pypdfium2 import raw

    pictures = [*_pictures(page)]
    for one in pictures:
        container = one.container
        if container is None:
            raw.FPDFPage_RemoveObject(page, one)
        else:
            raw.FPDFFormObj_RemoveObject(container, one)
    left = [*_pictures(page)]
    if left:
        message = "holds pictures that cannot be taken out. Mask it by hand: --already-masked."
        raise RefusedError(message)
    return len(pictures)


def _pictures(page: "PdfPage") -> Iterator["PdfObject"]:
    from pypdfium2 import raw

    yield from page.get_objects(filter=(raw.FPDF_PAGEOBJ_IMAGE,), max_depth=_DEEPEST)


def _picture(page: "PdfPage") -> "NDArray[np.uint8]":
    bitmap = page.render(scale=SCALE, may_draw_forms=False, draw_annots=False, rev_byteorder=True)
    pixels = bitmap.to_numpy()[:, :, :3]
    is_grey = (pixels[:, :, 0] == pixels[:, :, 1]).all() and (
        pixels[:, :, 1] == pixels[:, :, 2]
    ).all()
    picture: NDArray[np.uint8] = pixels[:, :, : 1 if is_grey else 3].copy()
    return picture
