"""The invoice extractor: what it reads off layouts of several languages, and what it survives."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evals_pipeline.core.outcomes import ExtractionStatus, OutputKind, Presence
from evals_pipeline.extract.invoices import ALIASES, SOURCE_TYPE, InvoiceRulesExtractor
from evals_pipeline.extract.protocol import Extractor, SourceDocument
from evals_pipeline.extract.run import run_code_extractor

BRITISH = """\
Quillfeather Pumps Ltd                                     INVOICE
2 Sluice Lane, Harnham HX99 1AA

To:                                    Invoice no.     QP-0815
Ottermere Baths                        Date            3 June 2025
The Pool House                         Delivered       28 May 2025
Harnham HX99 2BB                       Your order      OB/551
                                       Payment due     3 July 2025

Description                     Qty    Unit price      Amount
Impeller, bronze                  2        140.50      281.00
Gasket set 80 x 120               3         12.00       36.00

                                Goods total           £317.00
                                VAT at 20%             £63.40
                                Total due             £380.40

VAT reg. no. GB 000 1234 56
IBAN GB33 TEST 0000 0012 3456 78
"""

GERMAN_LETTER = """\
Fährhaus Druck GmbH · Deichweg 4 · 26999 Sielhafen
Gemeinde Binsenau                          Lieferdatum     02.05.2025
Kämmerei                                   Ihre Bestellung B-77
26998 Binsenau

                                           Sielhafen, 9. Mai 2025

Rechnung Nr. 2025-031

Pos.  Bezeichnung               Menge   Einzelpreis   Gesamt EUR
1     Faltblatt A5            1.000          0,45       450,00

                              Summe netto              450,00
                              zzgl. 19 % USt.           85,50
                              Rechnungsbetrag      535,50 EUR

Zahlbar bis zum 8. Juni 2025 ohne Abzug.
USt-IdNr. DE099999999          IBAN DE12 0000 0000 0000 0000 01
"""

FRENCH_HEADS = """\
PAPETERIE LANGELOT SARL
3 rue du Pont, 26999 Saint-Orvan
N° TVA : FR 00 000111222

Client : Lycée des Aulnes

Facture n°      Date          Réf. commande     Échéance
F-204           11/03/2025    LA 25-9           10/04/2025

Total HT                               1 200,00 €
TVA 20 %                                 240,00 €
Total TTC                              1 440,00 €
"""

SWEDISH = """\
Sjöboda Rör AB
Fakturanr: 5512
Fakturadatum: 2025-02-03
Förfallodatum: 2025-03-05
Kund: Föreningen Backsippan

Arbete, tim                      8        520,00      4 160,00

Summa exkl. moms                                     4 160,00
Moms 25 %                                            1 040,00
Att betala SEK                                       5 200,00
"""

AMERICAN = """\
PRAIRIE BOLT CO.                               INVOICE
12 Rail St                         Invoice #:  7781
Plainview, NE 68099                Date:       04/05/2025
                                   Due date:   05/05/2025

BILL TO                 SHIP TO
Two Rivers Dairy, Inc.  Same
1 Creamery Rd
Plainview, NE 68098

QTY   DESCRIPTION            UNIT PRICE    AMOUNT
10    Hex bolt 1/2 in              1.10     11.00
4     Anchor kit                   9.75     39.00

                             Subtotal      $50.00
                             Sales tax 5%   $2.50
                             TOTAL         $52.50
"""

EXPECTED = {
    "british": (
        BRITISH,
        "en_GB",
        {
            "invoice_number": "QP-0815",
            "invoice_date": "3 June 2025",
            "due_date": "3 July 2025",
            "po_number": "OB/551",
            "supplier": "Quillfeather Pumps Ltd",
            "supplier_vat": "GB 000 1234 56",
            "customer": "Ottermere Baths",
            "net_total": "£317.00",
            "tax_total": "£63.40",
            "total": "£380.40",
            "currency": "£",
        },
    ),
    "german letter": (
        GERMAN_LETTER,
        "de_DE",
        {
            "invoice_number": "2025-031",
            "invoice_date": "9. Mai 2025",
            "due_date": "8. Juni 2025",
            "po_number": "B-77",
            "supplier": "Fährhaus Druck GmbH",
            "supplier_vat": "DE099999999",
            "customer": "Gemeinde Binsenau",
            "net_total": "450,00",
            "tax_total": "85,50",
            "total": "535,50 EUR",
            "currency": "EUR",
        },
    ),
    "values below their heads": (
        FRENCH_HEADS,
        "fr_FR",
        {
            "invoice_number": "F-204",
            "invoice_date": "11/03/2025",
            "due_date": "10/04/2025",
            "po_number": "LA 25-9",
            "customer": "Lycée des Aulnes",
            "total": "1 440,00 €",
            "iban": None,
        },
    ),
    "swedish": (
        SWEDISH,
        "sv_SE",
        {
            "invoice_number": "5512",
            "invoice_date": "2025-02-03",
            "due_date": "2025-03-05",
            "po_number": None,
            "customer": "Föreningen Backsippan",
            "net_total": "4 160,00",
            "tax_total": "1 040,00",
            "total": "5 200,00",
            "currency": "SEK",
        },
    ),
    "american": (
        AMERICAN,
        "en_US",
        {
            "invoice_number": "7781",
            "invoice_date": "04/05/2025",
            "due_date": "05/05/2025",
            "supplier": "PRAIRIE BOLT CO.",
            "supplier_vat": None,
            "customer": "Two Rivers Dairy, Inc.",
            "net_total": "$50.00",
            "tax_total": "$2.50",
            "total": "$52.50",
            "iban": None,
        },
    ),
}


def document(text, *, locale=None, field_names=(), media_type="text/plain"):
    return SourceDocument(
        fixture_id="doc-1",
        name="an invoice",
        source_type=SOURCE_TYPE,
        media_type=media_type,
        content=(text or "").encode(errors="surrogatepass"),
        text=text,
        locale=locale,
        field_names=field_names,
    )


def fields_of(text, locale=None, field_names=()):
    draft = InvoiceRulesExtractor().extract(document(text, locale=locale, field_names=field_names))
    assert draft.status is ExtractionStatus.OK
    return draft.fields


def value(text, field, locale="en_GB"):
    return fields_of(text, locale)[field].value


def test_is_an_extractor_of_fields_for_invoices_only():
    extractor = InvoiceRulesExtractor()
    assert isinstance(extractor, Extractor)
    assert (extractor.extractor_id, extractor.version) == ("invoice-rules", "1")
    assert extractor.output is OutputKind.FIELDS
    assert extractor.accepts("INVOICE")
    assert not extractor.accepts("RECEIPT")


@pytest.mark.parametrize("case", EXPECTED)
def test_reads_layouts_of_several_countries_as_they_stand(case):
    text, locale, expected = EXPECTED[case]
    found = fields_of(text, locale)
    assert {name: found[name].value for name in expected} == expected


def test_states_absence_as_null_without_a_confidence():
    found = fields_of("Invoice no: A-1\nTotal: 5.00\n", "en_GB")
    assert found["due_date"].presence is Presence.NULL
    assert found["due_date"].confidence is None
    assert found["lines"].presence is Presence.NULL


def test_grades_by_rule_and_names_the_rule():
    found = fields_of(BRITISH, "en_GB")
    assert found["invoice_number"].note == "invoice number beside its label"
    labelled = fields_of("Invoice date: 3 June 2025\n", "en_GB")["invoice_date"]
    guessed = fields_of("Some firm\nwritten 3 June 2025 at the harbour\n", "en_GB")["invoice_date"]
    assert labelled.confidence > guessed.confidence


def test_line_items_read_columns_whether_or_not_they_survived():
    rows = value(BRITISH, "lines")
    assert rows == [
        {
            "description": "Impeller, bronze",
            "quantity": "2",
            "unit_price": "140.50",
            "amount": "281.00",
        },
        {
            "description": "Gasket set 80 x 120",
            "quantity": "3",
            "unit_price": "12.00",
            "amount": "36.00",
        },
    ]
    collapsed = re.sub(r"(?<=\S) {2,}", " ", BRITISH)
    assert value(collapsed, "lines") == rows


def test_a_space_that_groups_thousands_is_told_from_one_that_parts_columns():
    text = "Benämning Antal À-pris Belopp\nArmatur 36 748,00 26 928,00\nKabel 3 1 289,00 3 867,00\n"
    rows = value(text, "lines", "sv_SE")
    # 36 × 748,00 = 26 928,00 and 3 × 1 289,00 = 3 867,00; no other reading multiplies out.
    assert [(row["quantity"], row["unit_price"], row["amount"]) for row in rows] == [
        ("36", "748,00", "26 928,00"),
        ("3", "1 289,00", "3 867,00"),
    ]


def test_multiplications_written_out_are_line_items():
    rows = value("Proofreading, hours: 3 x £38.00 = £114.00\n", "lines")
    assert rows == [
        {
            "description": "Proofreading, hours",
            "quantity": "3",
            "unit_price": "38.00",
            "amount": "£114.00",
        }
    ]


def test_terms_are_no_due_date():
    assert value("Invoice date: 3 June 2025\nTerms: 30 days net\n", "due_date") is None


def test_dates_of_other_things_are_not_the_date_of_issue():
    text = "Invoice no: 7\nDelivery date: 1 May 2025\nOrder date: 20 April 2025\n"
    assert value(text, "invoice_date") is None


def test_a_total_below_zero_keeps_its_sign():
    text = "Subtotal  -£10.00\nVAT at 20%  -£2.00\nTotal credit  -£12.00\n"
    found = fields_of(text, "en_GB")
    assert [found[name].value for name in ("net_total", "tax_total", "total")] == [
        "-£10.00",
        "-£2.00",
        "-£12.00",
    ]


def test_sums_that_add_up_win_over_a_likelier_label():
    text = "Net total: 100.00\nVAT: 20.00\nTotal due: 70.00\nGrand total: 120.00\n"
    assert value(text, "total") == "120.00"


def test_an_iban_is_found_without_a_label_when_its_check_digits_hold():
    assert value("Pay to GB33 TEST 0000 0012 3456 78 please", "iban") is None
    assert value("Pay to GB82 WEST 1234 5698 7654 32 please", "iban") == (
        "GB82 WEST 1234 5698 7654 32"
    )


def test_answers_to_the_names_that_a_set_asks_for():
    names = ("issue_date", "seller", "gross_total", "order_reference", "mood")
    found = fields_of(BRITISH, "en_GB", names)
    assert set(found) == {"issue_date", "seller", "gross_total", "order_reference"}
    assert found["issue_date"].value == "3 June 2025"
    assert found["gross_total"].value == "£380.40"


def test_every_alias_leads_to_a_value_that_it_knows():
    known = set(fields_of(BRITISH, "en_GB"))
    assert set(ALIASES.values()) <= known
    assert not set(ALIASES) & known


@pytest.mark.parametrize("text", [None, "", " \n\f\n"])
def test_a_document_without_text_is_an_error_and_no_empty_answer(text):
    draft = InvoiceRulesExtractor().extract(document(text, media_type="image/png"))
    assert draft.status is ExtractionStatus.ERROR
    assert "image/png" in draft.reason


def test_languages_that_it_does_not_know_are_read_with_all_vocabularies():
    found = fields_of("Rechnungsnummer: 12-7\nFakturadatum: 2025-02-03\n", "fi_FI")
    assert found["invoice_number"].value == "12-7"
    assert found["invoice_date"].value == "2025-02-03"


WORDS = st.one_of(
    st.sampled_from(["Invoice no.", "Date:", "Total", "VAT", "IBAN", "Bill to", "Qty", "Amount"]),
    st.sampled_from(["12.50", "1 200", "3 June 2025", "04/05/2025", "GB33", "1.234.567,89", "٣"]),
    st.sampled_from(["x", "=", "(", ")", "%", "£", "-", "²", "GmbH", "·", "https://", "\u00a0"]),
    st.sampled_from(["\t", "  ", "\n", "\f", "\r\n"]),
)
TEXTS = st.lists(st.one_of(WORDS, st.text(max_size=8)), max_size=40).map("".join)


def shown(text):
    """The text as lines hold it: page and line breaks alike, tabs as gaps."""
    for mark in ("\r\n", "\r", "\f"):
        text = text.replace(mark, "\n")
    return text.replace("\t", "    ")


@settings(max_examples=50, deadline=None)
@given(text=TEXTS, locale=st.sampled_from([None, "en_GB", "de_DE", "sv_SE", "xx_YY", ""]))
def test_whatever_the_text_every_value_stands_in_it_and_twice_is_the_same(text, locale):
    once = run_code_extractor(
        InvoiceRulesExtractor(), document(text + "\nx", locale=locale), run_index=0
    )
    again = run_code_extractor(
        InvoiceRulesExtractor(), document(text + "\nx", locale=locale), run_index=1
    )
    assert once.status is ExtractionStatus.OK, once.reason
    assert once.fields == again.fields
    seen = shown(text)
    for name, field in once.fields.items():
        if isinstance(field.value, str):
            assert field.value in seen, name
        if field.confidence is not None:
            assert 0 <= field.confidence <= 1


@pytest.mark.parametrize(
    "text",
    [
        "x" + " " * 20_000 + "y",
        "Invoice no. 5 Total 5.00 VAT 1.00 " * 1_000,
        "123 " * 20_000,
        "Total 5.00\nVAT 1.00\nNet total 4.00\n" * 500,
    ],
    ids=["a gap", "one line of labels", "digits", "sums"],
)
def test_texts_that_are_no_invoices_end_in_an_answer_too(text):
    """Each took minutes by a careless pattern; the suite's time limit is what fails here."""
    assert fields_of(text, "sv_SE")["due_date"].value is None
