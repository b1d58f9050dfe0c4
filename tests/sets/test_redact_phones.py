import pytest

from evals_pipeline.sets.redaction.phones import find_phones
from tests.sets.redacting import close_calls, found_by


def found(text, *regions):
    return found_by(lambda folded: find_phones(folded, regions), text)


@pytest.mark.parametrize(
    ("text", "region", "masked"),
    [
        ("Tel. 0161 496 0117 Invoice 20240567", "GB", ["0161 496 0117"]),
        ("(0161) 496 0117, +44 161 496 0118", "GB", ["(0161) 496 0117", "+44 161 496 0118"]),
        ("call 020 7946 0958 12.345.678,00", "GB", ["020 7946 0958"]),
        ("Fax +49 (0)89 1234567", "GB", ["+49 (0)89 1234567"]),
        ("Tlf 33 12 34 56 45 12 34 56", "DK", ["33 12 34 56", "45 12 34 56"]),
        ("3,0161 496 0117,5", "GB", ["0161 496 0117"]),
        ("7;01614960117,5.00", "GB", ["01614960117"]),
        ("(0221) 123456 12,50", "DE", ["(0221) 123456"]),
        ("Tél : 01.42.68.53.01", "FR", ["01.42.68.53.01"]),
        ("212.736.5000 ext 4", "US", ["212.736.5000"]),
        ("tel 555-0123", "US", ["555-0123"]),
        ("Tfno. 912 345 678", "ES", ["912 345 678"]),
        ("(0221) 123456 am 03.04.2024", "DE", ["(0221) 123456"]),
        ("01632 960 144", "GB", ["01632 960 144"]),
        ("Rowan Quay Ltd, (01632) 960144 1,204.50", "GB", ["(01632) 960144"]),
        ("call 01632-960-144 or 01632 960145", "GB", ["01632-960-144", "01632 960145"]),
        ("+44 1632 960 144 12.50", "GB", ["+44 1632 960 144"]),
        ("info@quay.org 0161 496 0117", "GB", ["0161 496 0117"]),
    ],
)
def test_phone_numbers_are_found_as_their_regions_write_them(text, region, masked):
    assert found(text, region) == masked


@pytest.mark.parametrize(
    ("text", "region"),
    [
        ("Bill TES-88131306, order A07700900123", "GB"),
        ("due 03.04.2024 or 04-05-2026", "DE"),
        ("Turned spindle 2 142.75 285.50", "GB"),
        ("CR 0.72 20 0 0 20", "GB"),
        ("ref 99000000-05676-98", "DE"),
        ("USt-IdNr. DE123456789", "DE"),
        ("Total 1 234 567,89", "FR"),
        ("CVR 12345678", "DK"),
        ("Total 16 329 601.44", "GB"),
        ("01632 960.14", "GB"),
        ("01632960144", "GB"),
        ("0163 29 60 144", "GB"),
        ("01632 96 01 44", "GB"),
        ("1632 960 144", "GB"),
        ("INV-01632 960 144", "GB"),
        ("qty 0 12345 678 901", "GB"),
    ],
)
def test_what_only_looks_like_a_phone_number_stays(text, region):
    assert found(text, region) == []


def test_a_valid_number_under_another_label_is_left_and_reported():
    text = "Item 02012345678, Invoice No. 0161 496 0117, Order no: 01632 960 144"
    assert found(text, "GB") == []
    close = close_calls(lambda folded: find_phones(folded, ["GB"]), text)
    assert close == ["02012345678", "0161 496 0117", "01632 960 144"]


def test_one_number_has_one_normal_form_however_it_is_written():
    texts = ["0161 496 0117", "+44 161 496 0117", "(0161) 496-0117", "0044 161 4960117"]
    normals = {one.normal for text in texts for one in find_phones(text, ["GB"])}
    assert normals == {"+441614960117"}


def test_without_a_region_only_international_and_labelled_numbers_are_found():
    assert found("0161 496 0117") == []
    assert found("+44 161 496 0117 and tel 0161 496 0118") == ["+44 161 496 0117", "0161 496 0118"]
