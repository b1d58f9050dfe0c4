import json
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evals_pipeline.core.errors import RefusedError
from evals_pipeline.sets.redaction.text_documents import mask_text_document
from evals_pipeline.sets.text import text_of
from tests.sets.redacting import CARD, EMAIL, IBAN, PHONE, masker_in

HTML, JSON, XML = "text/html", "application/json", "application/xml"


def mask(folder, text, media_type, *masks, keeps=(), keep_files=False, encoding="utf-8"):
    document = mask_text_document(
        text.encode(encoding),
        media_type=media_type,
        masker=masker_in(folder, *masks, keeps=keeps),
        keep_files=keep_files,
    )
    return document.content.decode(encoding), document.report


def test_everything_of_a_letter_is_masked_and_counted(tmp_path):
    letter = (
        f"Ada Hope\r\n1 Quay Lane\r\nOxcombe\r\n\r\nPlease pay to IBAN {IBAN[:14]}\r\n"
        f"{IBAN[14:]}\r\nby card {CARD}. Tel {PHONE}, {EMAIL}.\r\n"
        "Invoice INV-88213, VAT GB 000 7730 41\r\nADA HOPE"
    )
    masked, report = mask(
        tmp_path, letter, "text/plain", "Ada Hope", "ADDRESS=1 Quay Lane, Oxcombe"
    )
    assert masked == (
        "[NAME-1]\r\n[ADDRESS-1]\r\n\r\nPlease pay to IBAN [IBAN-1]\r\n"
        "by card [CARD-1]. Tel [PHONE-1], [EMAIL-1].\r\n"
        "Invoice INV-88213, VAT GB 000 7730 41\r\n[NAME-1]"
    )
    assert report.masked == {"NAME": 2, "ADDRESS": 1, "IBAN": 1, "CARD": 1, "PHONE": 1, "EMAIL": 1}
    assert report.values["NAME"] == 1


def test_html_is_searched_across_tags_entities_attributes_and_comments(tmp_path):
    page = (
        f"<p title='ask Ada Hope'>A<b>da</b>&nbsp;H<i>o</i>pe, IBAN GB13&nbsp;<b>TEST</b> 0000\n"
        "<span>0077 30</span>41 03</p><a href='mailto:ada.hope%40quay.example?x=1'>ada.<wbr>hope"
        f"&#64;quay.example</a><!-- {PHONE} --><input name='phone' value='0161 496 0118'>"
        "<table><tr><td>Account number</td><td>3300 1306 55</td></tr></table>"
        '<script type=\'application/ld+json\'>{"telephone": "0161 496 0119"}</script>'
        "<script>call('a.hope@quay.example')</script>"
    )
    masked, report = mask(tmp_path, page, HTML, "Ada Hope")
    assert masked == (
        "<p title='ask [NAME-1]'>[NAME-1]<b></b><i></i>, IBAN [IBAN-1]<b></b><span></span></p>"
        "<a href='mailto:[EMAIL-1]?x=1'>[EMAIL-1]<wbr></a><!-- [PHONE-1] -->"
        "<input name='phone' value='[PHONE-2]'>"
        "<table><tr><td>Account number</td><td>[ACCOUNT-1]</td></tr></table>"
        '<script type=\'application/ld+json\'>{"telephone": "[PHONE-3]"}</script>'
        "<script>call('[EMAIL-2]')</script>"
    )
    assert report.n_masked == 10


def test_json_stays_json_and_keys_label_their_values(tmp_path):
    value = {
        "contact": {"phoneNumber": 441614960117, "mobile": "0161 496 0118", "name": "Ada Hope"},
        "iban": IBAN,
        "card": 4012888888881881,
        "share": 0.4012888888881881,
        "id": "INV-88213",
        "note": f"write to {EMAIL}\nsoon",
    }
    text = json.dumps(value).replace("Ada", "\\u0041da").replace("@", "\\u0040")
    masked, _ = mask(tmp_path, text, JSON, "Ada Hope")
    assert json.loads(masked) == {
        "contact": {"phoneNumber": "[PHONE-1]", "mobile": "[PHONE-2]", "name": "[NAME-1]"},
        "iban": "[IBAN-1]",
        "card": "[CARD-1]",
        "share": 0.4012888888881881,
        "id": "INV-88213",
        "note": "write to [EMAIL-1]\nsoon",
    }


def test_elements_of_xml_label_their_texts(tmp_path):
    invoice = (
        "<Invoice><cac:Contact><cbc:Telephone>01614960117</cbc:Telephone></cac:Contact>"
        "<cac:PayeeFinancialAccount><cbc:ID>33001306</cbc:ID></cac:PayeeFinancialAccount>"
        "<cbc:ID>33001307</cbc:ID><![CDATA[Ada Hope]]></Invoice>"
    )
    masked, _ = mask(tmp_path, invoice, XML, "Ada Hope")
    assert masked == (
        "<Invoice><cac:Contact><cbc:Telephone>[PHONE-1]</cbc:Telephone></cac:Contact>"
        "<cac:PayeeFinancialAccount><cbc:ID>[ACCOUNT-1]</cbc:ID></cac:PayeeFinancialAccount>"
        "<cbc:ID>33001307</cbc:ID><![CDATA[[NAME-1]]]></Invoice>"
    )


def test_a_value_in_pieces_that_cannot_be_replaced_is_refused(tmp_path):
    words = json.dumps([{"text": part} for part in IBAN.split()])
    with pytest.raises(RefusedError, match="second look") as caught:
        mask(tmp_path, words, JSON)
    assert "IBAN (line" in str(caught.value)
    assert "7730" not in str(caught.value)


def test_files_inside_of_text_are_taken_out(tmp_path):
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    picture = "".join(random.Random(7).choices(letters, k=400))
    page = f"<img src='data:image/png;base64,{picture}=='><p>Total 5</p>"
    masked, report = mask(tmp_path, page, HTML)
    assert masked == "<img src='data:image/png;base64,'><p>Total 5</p>"
    assert report.removed == ("1 picture or file inside it",)
    kept, report = mask(tmp_path, page, HTML, keep_files=True)
    assert kept == page
    assert report.removed == ()
    lines = "\n".join(picture[i : i + 76] for i in range(0, 400, 76))
    xml = f"<a><b mimeCode='application/pdf'>{lines}</b><c>5</c></a>"
    assert mask(tmp_path, xml, XML)[0] == "<a><b mimeCode='application/pdf'></b><c>5</c></a>"
    ruler = "-" * 300 + "\n" + "1" * 300
    assert mask(tmp_path, ruler, "text/plain")[0] == ruler


@pytest.mark.parametrize("encoding", ["utf-8", "windows-1252", "utf-8-sig", "utf-16"])
def test_a_text_keeps_its_encoding(tmp_path, encoding):
    masked, _ = mask(tmp_path, f"Müller & Söhne, {EMAIL}\r\n", "text/plain", encoding=encoding)
    assert masked == "Müller & Söhne, [EMAIL-1]\r\n"


def test_what_is_kept_stays_and_is_counted(tmp_path):
    text = f"Hotline {PHONE}, private 0161 496 0118"
    masked, report = mask(tmp_path, text, "text/plain", keeps=[PHONE])
    assert masked == f"Hotline {PHONE}, private [PHONE-1]"
    assert report.kept == 1


def test_a_number_that_was_left_is_named_by_its_line(tmp_path):
    _, report = mask(tmp_path, "a\nOrder 0161 496 0117\n", "text/plain")
    assert [(place.line, "labelled" in place.reason) for place in report.lookalikes] == [(2, True)]


def test_encoded_mail_is_refused(tmp_path):
    mail = "Subject: x\nContent-Transfer-Encoding: base64\n\nQWRhIEhvcGU=\n"
    with pytest.raises(RefusedError, match="encoded"):
        mask(tmp_path, mail, "message/rfc822")


SECRETS = st.sampled_from([IBAN, CARD, EMAIL, "+44 161 496 0117", "Ada Hope"])
CLUTTER = st.text("abc <>&;\"'=/\n\t0123456789.,:@", max_size=30)


@given(
    parts=st.lists(st.tuples(CLUTTER, SECRETS), min_size=1, max_size=4),
    media_type=st.sampled_from([HTML, XML]),
)
@settings(max_examples=40, deadline=None)
def test_no_markup_however_broken_hides_a_value(parts, media_type, tmp_path_factory):
    source = "".join(f"{clutter} {secret} " for clutter, secret in parts)
    folder = tmp_path_factory.mktemp("set")
    try:
        masked, _ = mask(folder, source, media_type, "Ada Hope")
    except RefusedError:
        return
    shown = masked + (text_of(masked.encode(), media_type=media_type) or "")
    for secret in ("7730 41", "8888 1881", "quay.example", "496 0117", "Ada Hope"):
        assert secret not in shown


@given(text=st.text(max_size=80))
@settings(max_examples=50, deadline=None)
def test_text_without_anything_to_mask_is_left_as_it_is(text, tmp_path_factory):
    harmless = "".join(char for char in text if not char.isdecimal() and char not in "@")
    content = harmless.encode("utf-8", errors="ignore")
    masker = masker_in(tmp_path_factory.mktemp("set"))
    try:
        document = mask_text_document(content, media_type="text/plain", masker=masker)
    except RefusedError:
        return
    assert document.content == content
