"""Masks a PDF by writing it anew: a picture of each page without the text, and the masked text.

The new file holds what a page showed and said, and nothing more: editing the old one would leave
behind what fonts, older revisions, hidden layers and properties still say.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from evals_pipeline.core.errors import RefusedError
from evals_pipeline.sets.redaction.masking import Masker
from evals_pipeline.sets.redaction.passages import Edit, plain_passage
from evals_pipeline.sets.redaction.pdf_pages import Box, Letter, Page, read_pages
from evals_pipeline.sets.redaction.pdf_writer import MARK, NewPage, Word, write_pdf
from evals_pipeline.sets.redaction.text_documents import MaskedDocument, check, count_of
from evals_pipeline.sets.text import PDFIUM_LOCK, text_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_MARGIN = 2  # pixels around a letter that its soft edges may reach
_PAGE_END = "\n\n"
_SPACES = (" ", "\t", "\xa0")


def mask_pdf(content: bytes, *, masker: Masker, keep_pictures: bool = False) -> MaskedDocument:
    """A masked copy of a PDF.

    Args:
        content: Its bytes.
        masker: Finds and replaces.
        keep_pictures: Whether pictures stay on the pages. Nothing in them is found.

    Raises:
        InputError: It is damaged or locked.
        RefusedError: A page cannot be rewritten, or something is found in the masked copy.
    """
    is_ours = content.startswith(MARK)
    with PDFIUM_LOCK:
        read = read_pages(content, keep_pictures=keep_pictures or is_ours, trust_text=is_ours)
    texts = ["".join(letter.text or " " for letter in page.letters) for page in read.pages]
    source = _PAGE_END.join(texts)
    edits, report = masker.edits(source, [plain_passage(source)])
    pages: list[NewPage] = []
    start = 0
    for page, text in zip(read.pages, texts, strict=True):
        inside = [e for e in edits if start <= e.start < start + len(text)]
        pages.append(
            _new_page(page, [Edit(e.start - start, e.end - start, e.text) for e in inside])
        )
        start += len(text) + len(_PAGE_END)
    masked = write_pdf(pages)
    _check_written(masked, pages)
    text = text_of(masked, media_type="application/pdf") or ""
    check(masker, text, iter([plain_passage(text)]))
    removed = (
        (read.n_pictures, "picture", "on its pages"),
        (read.n_notes, "link, comment or form field", ""),
        (read.n_files, "attachment", ""),
    )
    taken_out = tuple(count_of(n, what, where) for n, what, where in removed if n)
    return MaskedDocument(content=masked, report=replace(report, removed=taken_out))


def _new_page(page: Page, edits: Sequence[Edit]) -> NewPage:
    picture = page.picture
    words: list[Word] = []
    position = 0
    for edit in sorted(edits):
        words += _words(page.letters, position, edit.start)
        pieces = [*_pieces(page.letters, edit.start, edit.end)]
        are_dark = [_paint_over(picture, piece.box) for piece in pieces]
        if edit.text and pieces:
            # What follows a value that ends on another line does not follow its placeholder.
            space = " " if len(pieces) == 1 and pieces[0].ends_in_space else ""
            text = edit.text + space
            words.append(Word(text=text, box=pieces[0].box, is_shown=True, is_dark=are_dark[0]))
        position = edit.end
    words += _words(page.letters, position, len(page.letters))
    return NewPage(picture=picture, words=words)


class _Piece(NamedTuple):
    """Letters that stand together on one line."""

    text: str
    box: Box
    ends_in_space: bool


def _words(letters: Sequence[Letter], start: int, end: int) -> Iterator[Word]:
    """The words between two places, each with the space that follows it on its line."""
    for piece in _pieces(letters, start, end, at_spaces=True):
        text = _in_writing_order(piece.text) + (" " if piece.ends_in_space else "")
        yield Word(text=text, box=piece.box)


def _pieces(
    letters: Sequence[Letter], start: int, end: int, *, at_spaces: bool = False
) -> Iterator[_Piece]:
    """The letters between two places, parted where a line ends, and at spaces if wanted."""
    text, box = "", None
    last: Box | None = None
    for i in range(start, end):
        letter = letters[i]
        is_space = not letter.text.strip() or letter.box is None
        is_new_line = not is_space and last and letter.box and _is_next_line(last, letter.box)
        if box is not None and is_new_line:
            yield _Piece(text, box, ends_in_space=False)
            text, box = "", None
        if box is not None and is_space and at_spaces:
            yield _Piece(text, box, ends_in_space=letter.text in _SPACES)
            text, box = "", None
        if not is_space and letter.box is not None:
            text += letter.text
            box = letter.box if box is None else box.joined(letter.box)
            last = letter.box
    if box is not None:
        follows = letters[end].text if end < len(letters) else ""
        yield _Piece(text, box, ends_in_space=follows in _SPACES and bool(follows))


def _in_writing_order(text: str) -> str:
    """Right-to-left words as they stand on the page, which is how readers expect them stored."""
    if any("\u0590" <= char <= "\u08ff" or "\ufb1d" <= char <= "\ufefc" for char in text):
        return text[::-1]
    return text


def _is_next_line(last: Box, box: Box) -> bool:
    """Whether a letter is on another line than the one before it.

    They share less than a third of their height then, and do not stand one above the other, as the
    letters of a line that runs up the page do.
    """
    shared = min(last.bottom, box.bottom) - max(last.top, box.top)
    height = min(last.bottom - last.top, box.bottom - box.top)
    return 3 * shared < height and abs(last.left - box.left) > height / 2


def _paint_over(picture: "NDArray[np.uint8]", box: Box) -> bool:
    """Fills a box with the colour that most of it has; says whether that is a dark one."""
    import numpy as np  # kept out of what loads golden sets

    top, left = max(0, int(box.top) - _MARGIN), max(0, int(box.left) - _MARGIN)
    part = picture[top : int(box.bottom) + _MARGIN + 1, left : int(box.right) + _MARGIN + 1]
    if not part.size:
        return False
    places = [256**n for n in reversed(range(int(part.shape[2])))]
    colours, counts = np.unique(part @ np.array(places, dtype=np.uint32), return_counts=True)
    colour = int(colours[int(counts.argmax())])
    background = [colour // place % 256 for place in places]
    part[:] = np.array(background, dtype=np.uint8)
    return bool(sum(background) < 128 * len(background))


def _check_written(content: bytes, pages: Sequence[NewPage]) -> None:
    """Reads the new file: its text is the text put in, and there is nothing beside the pages.

    Raises:
        RefusedError: It is not.
    """
    import pypdfium2  # loads a shared library that most runs do not need
    from pypdfium2 import raw

    text = text_of(content, media_type="application/pdf") or ""
    expected = "".join("".join(word.text for word in page.words) for page in pages)
    with PDFIUM_LOCK:
        document = pypdfium2.PdfDocument(content)
        try:
            beside = document.count_attachments() + len(
                "".join(document.get_metadata_dict().values())
            )
            beside += sum(raw.FPDFPage_GetAnnotCount(document[i]) for i in range(len(document)))
        finally:
            document.close()
    # Pdfium has a sign of its own for a hyphen at a line's end.
    text = text.translate({0x02: "-", 0xFFFE: "-"})
    if "".join(text.split()) != "".join(_logical(expected).split()):
        message = (
            "its text does not come back as it was written. "
            "Save the document as text, or mask it by hand and add it with --already-masked."
        )
        raise RefusedError(message)
    if beside:
        raise RefusedError("the masked copy holds more than its pages; it was not written.")


def _logical(text: str) -> str:
    """Words in writing order back as they are read."""
    return " ".join(_in_writing_order(word) for word in text.split())
