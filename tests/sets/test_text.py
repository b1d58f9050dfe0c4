import pytest

from evals_pipeline.core.errors import InputError
from evals_pipeline.sets.text import text_of


def pdf_of(*pages: str) -> bytes:
    """A PDF with one line of Helvetica a page."""
    kids = " ".join(f"{4 + 2 * i} 0 R" for i in range(len(pages)))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} /MediaBox [0 0 300 100]"
        " /Resources << /Font << /F 3 0 R >> >> >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for i, page in enumerate(pages):
        drawing = f"BT /F 12 Tf 20 50 Td ({page}) Tj ET"
        objects.append(f"<< /Type /Page /Parent 2 0 R /Contents {5 + 2 * i} 0 R >>")
        objects.append(f"<< /Length {len(drawing)} >> stream\n{drawing}\nendstream")
    text, offsets = "%PDF-1.4\n", []
    for number, body in enumerate(objects, start=1):
        offsets.append(len(text))
        text += f"{number} 0 obj {body} endobj\n"
    table = "".join(f"{offset:010} 00000 n \n" for offset in offsets)
    size, start = len(objects) + 1, len(text)
    text += f"xref\n0 {size}\n0000000000 65535 f \n{table}"
    text += f"trailer << /Size {size} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n"
    return text.encode("ascii")


def test_text_json_and_xml_come_as_they_are():
    assert text_of(b"a\r\nb\rc", media_type="text/plain") == "a\nb\nc"
    assert text_of(b'{"a": "\xc3\xa6"}', media_type="application/json") == '{"a": "æ"}'
    assert text_of(b"<a>1</a>", media_type="application/xml") == "<a>1</a>"
    assert text_of(b"ex:a ex:b 1 .", media_type="text/turtle") == "ex:a ex:b 1 ."


def test_html_gives_what_a_reader_sees():
    page = (
        b"<!DOCTYPE html><html><head><title>Toll &amp; tax</title><style>p {}</style>"
        b"<script>if (1 < 2) { '<p>no</p>' }</script></head><body><h1>Bill</h1><p>Two\n  lines<br>"
        b"here</p><table><tr><td>Tar</td><td>2&nbsp;kg</td></tr></table>1 &lt; 2</body></html>"
    )
    assert text_of(page, media_type="text/html; charset=utf-8") == (
        "Toll & tax\nBill\nTwo lines\nhere\nTar\t2\u00a0kg\n1 < 2"
    )


@pytest.mark.parametrize(
    ("content", "media_type"),
    [
        ("Łódź".encode(), "text/plain"),
        ("\ufeffŁódź".encode(), "text/plain"),
        ("\ufeffŁódź".encode("utf-16-le"), "text/plain"),
        ("\ufeffŁódź".encode("utf-16-be"), "text/plain"),
        ("Łódź".encode("iso8859-2"), "text/plain; charset=ISO-8859-2"),
        ("Łódź".encode("iso8859-2"), 'text/plain; charset="iso8859-2"'),
        ("Łódź".encode(), "text/plain; charset=iso-8859-2"),
    ],
)
def test_marks_come_before_utf8_and_utf8_before_declarations(content: bytes, media_type: str):
    assert text_of(content, media_type=media_type) == "Łódź"


def test_a_document_may_declare_its_own_encoding():
    page = '<html><meta charset="windows-1250"><p>Łódź</p></html>'.encode("windows-1250")
    assert text_of(page, media_type="text/html") == "Łódź"
    tree = '<?xml version="1.0" encoding="ISO-8859-2"?><a>ł</a>'.encode("iso8859-2")
    assert "<a>ł</a>" in (text_of(tree, media_type="application/xml") or "")


@pytest.mark.parametrize(
    "declared", ["", "; charset=iso-8859-1", "; charset=utf-8", "; charset=no"]
)
def test_bytes_that_declare_nothing_are_read_as_browsers_do(declared: str):
    # 0x80 is the euro sign in windows-1252 only; 0x81 means nothing there.
    assert text_of(b"\x80 5 caf\xe9", media_type=f"text/plain{declared}") == "€ 5 café"
    assert text_of(b"\xe9\x81", media_type="text/plain") == "é\ufffd"


@pytest.mark.parametrize("media_type", ["image/png", "application/octet-stream", "font/ttf"])
def test_what_needs_ocr_has_no_text(media_type: str):
    assert text_of(b"\x89PNG", media_type=media_type) is None


def test_a_pdf_gives_its_text_layer():
    content = pdf_of("Toll bill 7", "Second page")
    assert text_of(content, media_type="application/pdf") == "Toll bill 7\n\nSecond page"


def test_a_pdf_without_a_text_layer_has_no_text():
    assert text_of(pdf_of("", ""), media_type="application/pdf") is None


def test_a_damaged_pdf_is_refused():
    with pytest.raises(InputError, match="cannot be opened"):
        text_of(b"%PDF-1.7 and no more", media_type="application/pdf")
