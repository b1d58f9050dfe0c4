"""Masks documents that are text: in their own encoding, with everything else left as it was."""

from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterator
from dataclasses import dataclass, replace

from evals_pipeline.core.errors import RefusedError
from evals_pipeline.sets.redaction.embedded import without_files
from evals_pipeline.sets.redaction.json_text import json_passages, json_values
from evals_pipeline.sets.redaction.markup import markup_passages
from evals_pipeline.sets.redaction.masking import Masker, MaskingReport, Place
from evals_pipeline.sets.redaction.passages import Passage, plain_passage
from evals_pipeline.sets.text import decode_text, text_of

_MARKS = ((BOM_UTF8, "utf-8"), (BOM_UTF16_LE, "utf-16-le"), (BOM_UTF16_BE, "utf-16-be"))
_ENCODINGS: tuple[str, ...] = (
    "utf-8",
    "windows-1252",
    "iso8859-15",
    "iso8859-2",
    "cp1250",
    "cp1251",
    "shift_jis",
)
_MAIL_ENCODINGS = ("content-transfer-encoding: base64", "content-transfer-encoding: quoted-print")
_MOST_PLACES = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class MaskedDocument:
    """A document in which nothing is left that was looked for, and what was done to it."""

    content: bytes
    report: MaskingReport


def mask_text_document(
    content: bytes, *, media_type: str, masker: Masker, keep_files: bool = False
) -> MaskedDocument:
    """A masked copy of a text document.

    Args:
        content: Its bytes.
        media_type: What it is; HTML, XML and JSON are searched as what they are.
        masker: Finds and replaces.
        keep_files: Whether pictures and other files inside the text stay. Nothing in them is found.

    Raises:
        RefusedError: It cannot be read for certain, or something is found in the masked copy.
    """
    text, encoding, mark = _decode_exactly(content, media_type=media_type)
    if media_type == "message/rfc822" and any(mark in text.lower() for mark in _MAIL_ENCODINGS):
        message = (
            "parts of this mail are encoded, so that nothing in them can be found. "
            "Save it as text or as HTML, and add that."
        )
        raise RefusedError(message)
    n_files = 0
    if not keep_files:
        text, n_files = without_files(text)
    masked, report = masker.mask(text, passages_of(text, media_type=media_type))
    masked_content = mark + masked.encode(encoding)
    check(masker, masked, views_of(masked, masked_content, media_type=media_type))
    if n_files:
        report = replace(report, removed=(count_of(n_files, "picture or file", "inside it"),))
    return MaskedDocument(content=masked_content, report=report)


def passages_of(text: str, *, media_type: str) -> Iterator[Passage]:
    """The passages of a text document, by what it is."""
    if "html" in media_type:
        yield from markup_passages(text)
    elif media_type.endswith(("/xml", "+xml")):
        yield from markup_passages(text, is_xml=True)
    elif media_type.endswith(("/json", "+json")):
        yield from json_passages(text)
    else:
        yield plain_passage(text)


def views_of(text: str, content: bytes, *, media_type: str) -> Iterator[Passage]:
    """Every way in which a masked document may be read again: as it was searched, and as a whole.

    A value spread over several texts of a JSON document, or over what a reader of HTML puts
    together, is found here, although it could not be replaced.
    """
    seen = [*passages_of(text, media_type=media_type)]
    yield from seen
    whole = plain_passage(text)
    if seen != [whole]:
        yield whole
    if media_type.endswith(("/json", "+json")):
        yield plain_passage(json_values(text))
    elif (read := text_of(content, media_type=media_type)) is not None and read != text:
        yield plain_passage(read)


def check(masker: Masker, text: str, views: Iterator[Passage]) -> None:
    """Looks again.

    Raises:
        RefusedError: Something is found; says of what kind and where, never what.
    """
    left = masker.leftovers(text, views)
    if left:
        message = (
            f"a second look at the masked copy still finds {spelled_places(left)}. It stands there "
            "in pieces that cannot be replaced as one. Mask the pieces with --mask, or say --keep "
            "TEXT where it is nothing to hide. Nothing was written."
        )
        raise RefusedError(message)


def spelled_places(places: tuple[Place, ...]) -> str:
    """Places in a row, ``IBAN (line 3), PHONE (line 9)``."""
    shown = [f"{place.reason} (line {place.line})" for place in places[:_MOST_PLACES]]
    more = len(places) - _MOST_PLACES
    return ", ".join(shown) + (f" and {more} more" if more > 0 else "")


def count_of(n: int, what: str, where: str = "") -> str:
    """``3 pictures inside it``."""
    return f"{n} {what}{'' if n == 1 else 's'} {where}".strip()


def _decode_exactly(content: bytes, *, media_type: str) -> tuple[str, str, bytes]:
    """The letters of a text, its encoding and its byte order mark, such that they give its bytes.

    Raises:
        RefusedError: No encoding gives the bytes back.
    """
    mark, encodings = b"", _ENCODINGS
    for known_mark, encoding in _MARKS:
        if content.startswith(known_mark):
            mark, content, encodings = known_mark, content[len(known_mark) :], (encoding,)
            break
    as_read = decode_text(mark + content, media_type=media_type)
    for encoding in encodings:
        try:
            text = content.decode(encoding)
        except UnicodeDecodeError:
            continue
        is_as_read = text.replace("\r\n", "\n").replace("\r", "\n") == as_read
        if is_as_read and text.encode(encoding) == content and "\x00" not in text:
            return text, encoding, mark
    raise RefusedError("is not text in an encoding that can be told. Save it as UTF-8.")
