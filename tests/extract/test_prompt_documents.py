"""Documents as models can take them: text, pages, pictures."""

import base64

import pypdfium2
import pytest

from evals_pipeline.core.errors import InputError
from evals_pipeline.core.fingerprints import sha256_bytes
from evals_pipeline.extract.documents import MAX_PAGES, show_document
from evals_pipeline.extract.protocol import SourceDocument

PNG = b"\x89PNG\r\n\x1a\n"


def document(content=b"x", *, text="x", media_type="text/plain"):
    return SourceDocument(
        fixture_id="d", name="d", source_type="T", media_type=media_type, content=content, text=text
    )


def pdf(n_pages=2):
    made = pypdfium2.PdfDocument.new()
    for _ in range(n_pages):
        made.new_page(72, 144)
    path = __import__("io").BytesIO()
    made.save(path)
    made.close()
    return path.getvalue()


SCAN = document(pdf(), text=None, media_type="application/pdf")
WITH_TEXT = document(pdf(), text="words", media_type="application/pdf")
PHOTO = document(PNG, text=None, media_type="image/png")


@pytest.mark.parametrize("form", ["auto", "text", "pdf_images"])
def test_text_is_shown_as_text(form):
    assert show_document(document(), form=form).text == "x"


def test_pages_are_rendered_where_there_is_no_text_or_where_pictures_are_asked_for():
    for shown in (
        show_document(SCAN, form="auto"),
        show_document(WITH_TEXT, form="pdf_images"),
        show_document(WITH_TEXT, form="image"),
    ):
        assert shown.text is None
        assert len(shown.images) == 2
    assert show_document(WITH_TEXT, form="auto").text == "words"


def test_a_page_is_a_png_of_150_dots_an_inch_named_by_document_and_page():
    first, second = show_document(SCAN, form="auto").images
    head, _, data = first.data_url.partition(",")
    png = base64.b64decode(data)

    assert head == "data:image/png;base64"
    assert png.startswith(PNG)
    # One inch by two, from the header of the picture.
    assert (int.from_bytes(png[16:20]), int.from_bytes(png[20:24])) == (150, 300)
    assert first.identity == f"sha256:{sha256_bytes(SCAN.content)}#page=1&dpi=150"
    assert second.identity.endswith("#page=2&dpi=150")


def test_a_picture_is_sent_as_it_is():
    (image,) = show_document(PHOTO, form="auto").images

    assert image.data_url == "data:image/png;base64," + base64.b64encode(PNG).decode()
    assert image.identity == f"sha256:{sha256_bytes(PNG)}"


@pytest.mark.parametrize(
    ("what", "form", "problem"),
    [
        (PHOTO, "text", "has no text"),
        (document(text=" \n"), "text", "is empty"),
        (document(text=None, media_type="application/zip"), "auto", "cannot be shown"),
        (document(), "image", "cannot be shown"),
        (document(b"%PDF-broken", text=None, media_type="application/pdf"), "auto", "readable"),
        (document(pdf(MAX_PAGES + 1), text=None, media_type="application/pdf"), "auto", "21 pages"),
    ],
)
def test_what_cannot_be_shown_is_said(what, form, problem):
    with pytest.raises(InputError, match=problem):
        show_document(what, form=form)
