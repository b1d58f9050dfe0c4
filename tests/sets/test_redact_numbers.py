import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stdnum import iban, luhn

from evals_pipeline.sets.redaction.accounts import find_accounts, find_cards
from evals_pipeline.sets.redaction.findings import Finding
from evals_pipeline.sets.redaction.folding import fold
from evals_pipeline.sets.redaction.ibans import find_ibans
from evals_pipeline.sets.redaction.label_words import NumberLabel, label_before
from tests.sets.redacting import CARD, GERMAN_IBAN, IBAN, close_calls, found_by


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        (f"Pay to {IBAN}, please", [IBAN]),
        ("IBAN:GB13TEST00000077304103 BIC TESTGB00", ["GB13TEST00000077304103"]),
        ("GB13 TEST 0000 0077\n     3041 03 by Friday", ["GB13 TEST 0000 0077\n     3041 03"]),
        ("GB13 TEST 0000 00-\n77 3041 03", ["GB13 TEST 0000 00-\n77 3041 03"]),
        ("de65 0000 0000 0048 1172 01", ["de65 0000 0000 0048 1172 01"]),
        (
            "GB13\u00a0TEST\u200b0000\u00ad0077\u20093041 03",
            ["GB13\u00a0TEST\u200b0000\u00ad0077\u20093041 03"],
        ),
        (
            "ＧＢ１３ ＴＥＳＴ ００００ ００７７ ３０４１ ０３",
            ["ＧＢ１３ ＴＥＳＴ ００００ ００７７ ３０４１ ０３"],
        ),
        (f"{IBAN} or {GERMAN_IBAN}", [IBAN, GERMAN_IBAN]),
        ("VAT no. GB 000 7730 41", []),
        ("No 12 3456 7890 123 arrived", []),
        ("it 60 x", []),
    ],
)
def test_ibans_are_found_however_they_are_written(text, masked):
    assert found_by(find_ibans, text) == masked


@pytest.mark.parametrize(
    "text",
    [
        "GB13TEST00000077304103BIC",
        "IBANGB13TEST00000077304103",
        "Iban:gb13test00000077304103",
        "GB13-TEST-0000-0077-3041-03",
        "GB13\u202fTEST\u202f0000\u202f0077\u202f3041\u202f03",
        "GB13TEST 000000 77304103",
        "GB13TEST0000\n0077304103",
        "GB13 TEST 0000 00\n77 3041 03",
        "IBAN GB13  TEST 0000 0077   3041 03",
        "|GB13\tTEST\t0000\t0077\t3041\t03|",
    ],
)
def test_an_iban_is_found_glued_to_its_label_in_groups_and_wrapped(text):
    found = [*find_ibans(fold(text))]
    assert [one.normal for one in found if isinstance(one, Finding)] == ["GB13TEST00000077304103"]


@pytest.mark.parametrize("net", range(1000, 9000, 1000))
def test_amounts_and_words_beside_one_another_are_no_iban(net):
    # One of a hundred such lines passes the checksum, read from inside the word "Subtotal".
    for n in range(net, net + 1000):
        tax, gross = f"{n * 0.2:.2f}", f"{n * 1.2:.2f}"
        text = f"Subtotal {n}.00 {tax} {gross} due on receipt. Thank you\n"
        assert found_by(find_ibans, text) == []


@pytest.mark.parametrize(
    "text",
    [
        # Each passes the checksum, and breaks one rule of how an IBAN is written.
        "Total 140.00\n2024-04-03\nRegistered office",
        "XDE65 0000 0000 0048 1172 01",
        "DE65 0000 0000 0048 1172 0122",
        "DE65 0000-0000 0048.1172 01",
        "DE65 00000 000\n\n0048 1172 01",
        "DE6\n5 0000 0000 0048 1172 01",
        "De65 0000 0000 0048 1172 01",
    ],
)
def test_what_no_one_writes_as_an_iban_is_none(text):
    assert found_by(find_ibans, text) == []


def test_a_slip_in_a_labelled_iban_is_masked_all_the_same():
    # The letter O for a zero; the checksum cannot hold.
    text = "IBAN: DE65 0000 O000 0048 1172 01 BIC TESTDE00"
    assert found_by(find_ibans, text) == ["DE65 0000 O000 0048 1172 01"]
    assert found_by(find_ibans, "IBAN GB13 TEST 0000 0077\nTotal due 12") == ["GB13 TEST 0000 0077"]


def test_an_unlabelled_run_whose_checksum_fails_is_reported_and_left():
    text = "code GB14 TEST 0000 0077 3041 03"
    assert found_by(find_ibans, text) == []
    assert close_calls(find_ibans, text) == ["GB14 TEST 0000 0077 3041 03"]


def test_a_masked_iban_is_nothing_to_mask():
    assert found_by(find_ibans, "IBAN [IBAN-1] 12 High Street, account [IBAN-22]") == []


@given(
    country=st.sampled_from(["DE", "FI", "NO", "AT", "PT"]),
    digits=st.text("0123456789", min_size=40, max_size=40),
    group=st.sampled_from([2, 3, 4, 5]),
    gap=st.sampled_from([" ", "\u00a0", "-", ".", " \n  ", "\u200b"]),
)
@settings(max_examples=50)
def test_any_valid_iban_is_found_in_any_grouping(country, digits, group, gap):
    length = {"DE": 22, "FI": 18, "NO": 15, "AT": 20, "PT": 25}[country]
    bban = digits[: length - 4]
    compact = country + iban.calc_check_digits(f"{country}00{bban}") + bban
    parts = [compact[:4], *(compact[i : i + group] for i in range(4, length, group))]
    written = gap.join(parts)
    found = [*find_ibans(fold(f"to {written} now"))]
    assert [one.normal for one in found] == [compact]


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        (f"Visa {CARD} exp 12/27", [CARD]),
        ("4012-8888-8888-1881", ["4012-8888-8888-1881"]),
        ("4012888888881881", ["4012888888881881"]),
        ("3782 822463 10005", ["3782 822463 10005"]),
        ("40128888\n   88881881", ["40128888\n   88881881"]),
        ('{"score": 0.4012888888881881}', []),
        ("7,4012888888881881,x", ["4012888888881881"]),
        ("0/ 4012 8888 8888 1881", ["4012 8888 8888 1881"]),
        ("EAN 4006381333931", []),
        ("quantities 2024 1234 5678 9012", []),
        ("card no. 1000000000001", ["1000000000001"]),
        ("40128888888818810000", []),
    ],
)
def test_card_numbers_need_scheme_and_checksum_or_a_label(text, masked):
    assert found_by(find_cards, text) == masked


def test_a_number_grouped_like_a_card_whose_checksum_fails_is_reported():
    assert close_calls(find_cards, "4012 8888 8888 1882") == ["4012 8888 8888 1882"]
    assert close_calls(find_cards, "invoice 002511900048269") == ["002511900048269"]


@given(st.text("0123456789", min_size=15, max_size=15).map(lambda rest: "4" + rest[:14]))
@settings(max_examples=50)
def test_every_visa_number_is_found_and_no_number_with_another_check_digit(start):
    check = luhn.calc_check_digit(start)
    for digit in "0123456789":
        found = found_by(find_cards, f"<{start}{digit}>")
        assert found == ([start + digit] if digit == check else [])


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("Account number 3300 1306 55  Bill date", ["3300 1306 55"]),
        ("Sort code 20-00-00 Account 12345678", ["20-00-00", "12345678"]),
        ("Kto. 1234567 100,00", ["1234567"]),
        ("Bankgiro 000-4817", ["000-4817"]),
        ("Account,33001306,5", ["33001306"]),
        ("Kontonummer\n12345678", ["12345678"]),
        ("transfer to 1234.56.78903", ["1234.56.78903"]),
        ("19-2000145399/0800", ["19-2000145399/0800"]),
        ("Statement of account 03/04/2026", []),
        ("accounting 12345678", []),
        ("Account holder since 2019", []),
        ("order 1234.56.78904", []),
    ],
)
def test_account_numbers_are_labelled_or_pass_their_checksum(text, masked):
    found = found_by(find_accounts, text)
    assert sorted(set(found)) == sorted(masked)


@given(st.text("0123456789 .,-/+()ABCDEIN\n", max_size=60))
@settings(max_examples=50)
def test_no_text_makes_a_detector_fail_or_point_outside(text):
    for detector in (find_ibans, find_cards, find_accounts):
        for one in detector(fold(text)):
            assert 0 <= one.start < one.end <= len(text)
            assert re.search(r"\d", text[one.start : one.end])


def test_long_columns_and_rows_of_numbers_take_no_longer_than_other_text():
    numbers = [str(10 + i % 89) for i in range(20_000)]
    column, row = "\n".join(numbers), " ".join(numbers)
    started = time.process_time()
    assert found_by(find_cards, f"{column}\n{CARD}") == [CARD]
    assert found_by(find_accounts, f"account {row}") == [" ".join(numbers[:10])]
    # Less than a second; as often as the square of their number it would be hours.
    assert time.process_time() - started < 20


@pytest.mark.parametrize("label", ["VİSA", "vısa", "Viſa", "Visa"])
def test_a_label_is_read_in_any_letters_that_are_taken_for_one_another(label):
    assert label_before(f"{label}: ", len(label) + 2) is NumberLabel.CARD
