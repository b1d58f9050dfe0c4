"""A document as a model can take it: its text, or pictures of its pages.

Pictures are named by the document's hash, the page and the resolution, so that the key of an answer
does not hang on the bytes that a renderer happens to write.
"""

import base64
import io
from dataclasses import dataclass
from typing import Any

from evals_pipeline.core.errors import InputError
from evals_pipeline.core.fingerprints import sha256_bytes
from evals_pipeline.extract.protocol import SourceDocument
from evals_pipeline.llm.request import ImagePart

DPI = 150
POINTS_PER_INCH = 72
MAX_PAGES = 20
PDF = "application/pdf"


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownDocument:
    """What a model gets to see: text, or pictures; one of the two is there."""

    text: str | None
    images: tuple[ImagePart, ...] = ()


def show_document(document: SourceDocument, *, form: str) -> ShownDocument:
    """The document in the form that the settings ask for.

    Args:
        document: The document; ``document.text`` is None where its media type has no text.
        form: ``text``, ``pdf_images`` (pages of a PDF as pictures, text of anything else),
            ``image`` (pictures only) or ``auto`` (text where there is any, else pictures).

    Raises:
        InputError: the document cannot be shown in that form.
    """
    if document.problem is not None:
        raise InputError.one(document.name, document.problem)
    if document.text is not None and not document.text.strip() and document.media_type != PDF:
        raise InputError.one(document.name, "is empty", remedy="Take it out of the set.")
    has_text = bool(document.text and document.text.strip())
    is_pdf = document.media_type == PDF
    as_text = (
        form == "text" or (form == "auto" and has_text) or (form == "pdf_images" and not is_pdf)
    )
    if as_text:
        if not has_text:
            raise InputError.one(
                document.name,
                f"has no text ({document.media_type})",
                remedy='Set input = "auto" for a model that takes pictures.',
            )
        return ShownDocument(text=document.text)
    if is_pdf:
        return ShownDocument(text=None, images=_pages(document))
    if document.media_type.startswith("image/"):
        return ShownDocument(text=None, images=(_picture(document),))
    raise InputError.one(document.name, f"cannot be shown as a picture ({document.media_type})")


def _picture(document: SourceDocument) -> ImagePart:
    return ImagePart(
        data_url=_data_url(document.content, document.media_type),
        identity=f"sha256:{sha256_bytes(document.content)}",
    )


def _pages(document: SourceDocument) -> tuple[ImagePart, ...]:
    """The pages of a PDF as PNG at 150 dots per inch."""
    import pypdfium2  # a large library, loaded only where pages are rendered

    try:
        pdf = pypdfium2.PdfDocument(document.content)
    except pypdfium2.PdfiumError:
        raise InputError.one(document.name, "not a readable PDF") from None
    try:
        if len(pdf) > MAX_PAGES:
            raise InputError.one(
                document.name, f"has {len(pdf)} pages, more than {MAX_PAGES} are not sent"
            )
        digest = sha256_bytes(document.content)
        return tuple(
            ImagePart(
                data_url=_data_url(_png(pdf[number]), "image/png"),
                identity=f"sha256:{digest}#page={number + 1}&dpi={DPI}",
            )
            for number in range(len(pdf))
        )
    finally:
        pdf.close()


def _png(page: Any) -> bytes:
    buffer = io.BytesIO()
    page.render(scale=DPI / POINTS_PER_INCH).to_pil().save(buffer, format="PNG")
    return buffer.getvalue()


def _data_url(content: bytes, media_type: str) -> str:
    return f"data:{media_type};base64,{base64.b64encode(content).decode('ascii')}"
