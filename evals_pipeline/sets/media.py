"""What sort of document bytes are: by extension in a golden set, by their start in a suite."""

import json
from pathlib import PurePath

UNKNOWN = "application/octet-stream"

# A table of our own: the standard library's differs from machine to machine.
_BY_EXTENSION = {
    ".csv": "text/csv",
    ".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    ".eml": "message/rfc822",
    ".gif": "image/gif",
    ".htm": "text/html",
    ".html": "text/html",
    ".jpeg": "image/jpeg",
    ".jpg": "image/jpeg",
    ".json": "application/json",
    ".md": "text/markdown",
    ".pdf": "application/pdf",
    ".png": "image/png",
    ".tif": "image/tiff",
    ".tiff": "image/tiff",
    ".tsv": "text/tab-separated-values",
    ".ttl": "text/turtle",
    ".txt": "text/plain",
    ".webp": "image/webp",
    ".xhtml": "application/xhtml+xml",
    ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    ".xml": "application/xml",
    ".yaml": "application/yaml",
    ".yml": "application/yaml",
}
_BY_START = (
    (b"%PDF-", "application/pdf"),
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
    (b"II*\x00", "image/tiff"),
    (b"MM\x00*", "image/tiff"),
    (b"<!doctype html", "text/html"),
    (b"<html", "text/html"),
    (b"<?xml", "application/xml"),
)


def media_type_of_name(name: str) -> str:
    """The media type that a file's extension states; unknown extensions are octet streams."""
    return _BY_EXTENSION.get(PurePath(name).suffix.lower(), UNKNOWN)


def media_type_of_content(content: bytes) -> str:
    """The media type that bytes without a telling name look like.

    Only what can be decided is: known openings, whole JSON documents, UTF-8 text. The rest is an
    octet stream.
    """
    start = content[:64].removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    for opening, media_type in _BY_START:
        if start.startswith(opening.lower()):
            return media_type
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return UNKNOWN
    if "\x00" in text:
        return UNKNOWN
    if start[:1] in (b"{", b"["):
        try:
            json.loads(text)
        except (ValueError, RecursionError):
            return "text/plain"
        return "application/json"
    return "text/plain"
