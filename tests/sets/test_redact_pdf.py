import pypdfium2
import pytest

from evals_pipeline.core.errors import InputError, RefusedError
from evals_pipeline.sets.redaction.pdf_documents import mask_pdf
from evals_pipeline.sets.text import text_of
from tests.sets.pdfs import make_pdf
from tests.sets.redacting import EMAIL, IBAN, PHONE, masker_in

PDF = "application/pdf"
LETTER = (
    "Quay Lane Stationers",
    "To Ada Hope, 1 Quay Lane,",
    "Oxcombe. Invoice INV-88213",
    f"Pay into IBAN {IBAN[:14]}",
    f"{IBAN[15:]} by 3 April 2026",
    f"Tel {PHONE}, {EMAIL}",
)
MASKS = ("Ada Hope", "ADDRESS=1 Quay Lane, Oxcombe")


def darkness(content, box, *, page=0):
    """How much of a box, in points from the bottom left, is dark on the drawn page, 0 to 1."""
    document = pypdfium2.PdfDocument(content)
    picture = document[page].render(scale=2).to_numpy()[:, :, 0]
    document.close()
    left, bottom, right, top = (round(2 * side) for side in box)
    height = picture.shape[0]
    return (picture[height - top : height - bottom, left:right] < 128).mean()


def test_the_text_is_the_same_but_for_what_is_masked(tmp_path):
    content = make_pdf(LETTER, ("Page two, café Müller – 5 €",))
    document = mask_pdf(content, masker=masker_in(tmp_path, *MASKS))
    assert text_of(document.content, media_type=PDF) == (
        "Quay Lane Stationers\nTo [NAME-1], [ADDRESS-1]\n. Invoice INV-88213\n"
        "Pay into IBAN [IBAN-1]\nby 3 April 2026\nTel [PHONE-1], [EMAIL-1]\n\n"
        "Page two, café Müller – 5 €"
    )
    assert document.report.masked == {"NAME": 1, "ADDRESS": 1, "IBAN": 1, "PHONE": 1, "EMAIL": 1}


def test_words_broken_at_the_end_of_a_line_are_found_and_written_back(tmp_path):
    content = make_pdf(("sent by Ada Ho-", "pe of Quay, statio-", "nery"))
    document = mask_pdf(content, masker=masker_in(tmp_path, "Ada Hope"))
    text = (text_of(document.content, media_type=PDF) or "").replace("\x02", "-\n")
    assert text == "sent by [NAME-1]\nof Quay, statio-\nnery"


def test_nothing_of_the_old_file_is_in_the_new_one(tmp_path):
    content = make_pdf(
        LETTER, title="for Ada Hope", picture=True, link=f"mailto:{EMAIL}", attachment="Ada Hope"
    )
    document = mask_pdf(content, masker=masker_in(tmp_path, *MASKS))
    assert document.report.removed == (
        "1 picture on its pages",
        "1 link, comment or form field",
        "1 attachment",
    )
    for secret in (b"Ada", b"quay.example", b"TEST 0000"):
        assert secret in content
        assert secret not in document.content
    opened = pypdfium2.PdfDocument(document.content)
    assert "".join(opened.get_metadata_dict().values()) == ""
    assert opened.count_attachments() == 0
    assert next(iter(opened[0].get_objects())).type == pypdfium2.raw.FPDF_PAGEOBJ_IMAGE
    opened.close()


def test_masked_letters_are_gone_from_the_picture_too(tmp_path):
    line = "Mail ada.hope@quay.example now"
    content = make_pdf((line,))
    document = mask_pdf(content, masker=masker_in(tmp_path))
    # The end of the address is beyond the placeholder's letters; "now" is beyond the address.
    blank = mask_pdf(make_pdf(("Mail", "now")), masker=masker_in(tmp_path))
    address, after = (70, 757, 195, 772), (203, 757, 230, 772)
    assert darkness(content, address) > 0.05
    assert darkness(document.content, after) == pytest.approx(darkness(content, after), abs=0.05)
    assert darkness(blank.content, address) == 0
    masked = pypdfium2.PdfDocument(document.content)
    # Without the visible placeholder, which is text, nothing is left in the box.
    (picture,) = masked[0].get_objects(filter=(pypdfium2.raw.FPDF_PAGEOBJ_IMAGE,))
    pixels = picture.get_bitmap().to_numpy()
    masked.close()
    height, width = pixels.shape[:2]
    top, bottom = round(height * (800 - 771) / 800), round(height * (800 - 758) / 800)
    left, right = round(width * 72 / 600), round(width * 193 / 600)
    assert pixels[top:bottom, left:right].min() == 255


def test_equal_documents_give_equal_bytes(tmp_path):
    first, second = (mask_pdf(make_pdf(LETTER), masker=masker_in(tmp_path)) for _ in range(2))
    assert first.content == second.content


def test_a_masked_copy_can_be_masked_again(tmp_path):
    masked = mask_pdf(make_pdf(LETTER), masker=masker_in(tmp_path)).content
    again = mask_pdf(masked, masker=masker_in(tmp_path, "Quay Lane Stationers"))
    assert again.report.masked == {"NAME": 1}
    assert (text_of(again.content, media_type=PDF) or "").startswith("[NAME-1]\n")


def test_a_turned_page_is_masked_where_it_shows(tmp_path):
    content = make_pdf((f"Mail {EMAIL} now",), rotate=90)
    document = mask_pdf(content, masker=masker_in(tmp_path))
    assert "".join((text_of(document.content, media_type=PDF) or "").split()) == "Mail[EMAIL-1]now"


def test_pictures_stay_where_they_are_to_be_kept(tmp_path):
    content = make_pdf(("text",), picture=True)
    box = (60, 610, 230, 680)
    without = mask_pdf(content, masker=masker_in(tmp_path)).content
    kept = mask_pdf(content, masker=masker_in(tmp_path), keep_pictures=True)
    assert darkness(without, box) == 0
    assert darkness(kept.content, box) > 0.9
    assert kept.report.removed == ()


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (make_pdf(("recognised",), picture=True, invisible=True), "recognised in a picture"),
        (make_pdf((), picture=True), "no text that can be read"),
        (make_pdf(("text",), (), picture=True), "page 2 has no text"),
    ],
)
def test_pages_whose_text_is_not_what_they_show_are_refused(content, reason, tmp_path):
    with pytest.raises(RefusedError, match=reason):
        mask_pdf(content, masker=masker_in(tmp_path))


def test_a_blank_page_is_no_picture(tmp_path):
    document = mask_pdf(make_pdf(("text",), ()), masker=masker_in(tmp_path))
    assert text_of(document.content, media_type=PDF) == "text\n\n"


def test_a_damaged_file_is_refused(tmp_path):
    with pytest.raises(InputError, match="cannot be opened"):
        mask_pdf(b"%PDF-1.7 nothing", masker=masker_in(tmp_path))
