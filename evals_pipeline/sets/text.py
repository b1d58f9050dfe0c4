"""The text of a document, for rules and prompts that read text."""

import re
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE, lookup
from html.parser import HTMLParser
from threading import Lock
from typing import Any

from evals_pipeline.core.errors import InputError

FALLBACK_ENCODING = "windows-1252"
"""What bytes are read as that are not UTF-8 and declare nothing, as by browsers."""

_MARKS = ((BOM_UTF8, "utf-8"), (BOM_UTF16_LE, "utf-16-le"), (BOM_UTF16_BE, "utf-16-be"))
_CHARSET_PARAMETER = re.compile(r";\s*charset\s*=\s*\"?([\w.:-]+)", re.IGNORECASE)
_CHARSET_INSIDE = re.compile(rb"(?:charset|encoding)\s*=\s*[\"']?\s*([\w.:-]+)", re.IGNORECASE)
_TEXTUAL = frozenset({"application/json", "application/xml", "application/yaml", "message/rfc822"})
_HTML = frozenset({"text/html", "application/xhtml+xml"})
PDFIUM_LOCK = Lock()
"""Pdfium keeps global state and may be entered by one thread at a time."""


def text_of(content: bytes, *, media_type: str) -> str | None:
    """The text that ``content`` holds, or None when it holds none that can be read without OCR.

    Text, Markdown, CSV, XML and JSON come as they are, HTML without its tags, a PDF as its text
    layer with the pages parted by a blank line. Images, office files, unknown types and scanned
    PDFs give None.

    Args:
        content: The document's bytes.
        media_type: Its media type; a ``charset`` parameter is heeded.

    Raises:
        InputError: A PDF is damaged or locked.
    """
    essence = media_type.partition(";")[0].strip().lower()
    if essence == "application/pdf":
        return _pdf_text(content)
    if essence in _HTML:
        return _html_text(decode_text(content, media_type=media_type))
    if essence.startswith("text/") or essence in _TEXTUAL or essence.endswith(("+xml", "+json")):
        return decode_text(content, media_type=media_type)
    return None


def decode_text(content: bytes, *, media_type: str) -> str:
    """The letters of text bytes, without a byte order mark and with ``\\n`` between lines.

    The encoding is that of a byte order mark, else UTF-8, else the one that the media type or the
    document itself declares, else ``FALLBACK_ENCODING``; bytes without meaning show as U+FFFD.
    """
    text = _decode(content, media_type=media_type)
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _decode(content: bytes, *, media_type: str) -> str:
    for mark, encoding in _MARKS:
        if content.startswith(mark):
            return content[len(mark) :].decode(encoding, errors="replace")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        declared = _CHARSET_PARAMETER.search(media_type)
        inside = _CHARSET_INSIDE.search(content[:1024])
        name = declared.group(1) if declared else inside.group(1).decode("ascii") if inside else ""
        return content.decode(_text_encoding(name), errors="replace")


def _text_encoding(name: str) -> str:
    """``name`` when it is a text encoding other than UTF-8, which has failed already."""
    try:
        encoding = lookup(name).name
        "".encode(encoding)
    except LookupError:
        return FALLBACK_ENCODING
    # HTML reads Latin-1 as its superset, which is what such documents mean by it.
    return FALLBACK_ENCODING if encoding in ("utf-8", "ascii", "iso8859-1") else encoding


def check_pdf_opens(content: bytes) -> None:
    """Makes sure that a PDF can be opened; reads no text.

    Raises:
        InputError: It is damaged or locked.
    """
    with PDFIUM_LOCK:
        _opened(content).close()


def _opened(content: bytes) -> Any:
    import pypdfium2  # loads a shared library that most runs do not need

    try:
        return pypdfium2.PdfDocument(content)
    except pypdfium2.PdfiumError as error:
        raise InputError.one(
            "PDF", f"cannot be opened: {error}", remedy="Store a whole PDF without a password."
        ) from error


def _pdf_text(content: bytes) -> str | None:
    with PDFIUM_LOCK:
        document = _opened(content)
        try:
            pages = [document[i].get_textpage().get_text_bounded() for i in range(len(document))]
        finally:
            document.close()
    text = "\n\n".join(page.replace("\r\n", "\n").replace("\r", "\n").strip() for page in pages)
    return text if text.strip() else None


class _TextOfTags(HTMLParser):
    """Collects what a reader would see, with the breaks that block elements make."""

    _SILENT = frozenset({"script", "style", "template"})
    _CELLS = frozenset({"td", "th"})
    _BLOCKS = frozenset(
        {"address", "article", "aside", "blockquote", "br", "caption", "dd", "div", "dl", "dt"}
        | {"figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "head"}
        | {"header", "hr", "li", "main", "nav", "ol", "p", "pre", "section", "table", "tbody"}
        | {"tfoot", "thead", "title", "tr", "ul"}
    )

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self._silent_depth = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        del attrs
        if tag in self._SILENT:
            self._silent_depth += 1
        elif tag in self._BLOCKS:
            self.parts.append("\n")

    def handle_endtag(self, tag: str) -> None:
        if tag in self._SILENT:
            self._silent_depth = max(0, self._silent_depth - 1)
        elif tag in self._CELLS:
            self.parts.append("\t")
        elif tag in self._BLOCKS:
            self.parts.append("\n")

    def handle_data(self, data: str) -> None:
        if not self._silent_depth:
            self.parts.append(re.sub(r"[ \t\n\f]+", " ", data))


def _html_text(text: str) -> str:
    parser = _TextOfTags()
    parser.feed(text)
    parser.close()
    lines = [re.sub(r" *\t *", "\t", line).strip() for line in "".join(parser.parts).split("\n")]
    return "\n".join(line for line in lines if line)
