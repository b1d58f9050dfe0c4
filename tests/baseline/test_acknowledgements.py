import pytest

from evals_pipeline.baseline.acknowledgements import (
    accepted_fields,
    check_sets,
    misdirected,
    parse_accept,
    parse_messages,
)
from evals_pipeline.core.errors import InputError


def read(message: str) -> list[tuple[str, str, str]]:
    parsed = parse_messages([("4c81ba9f00", message)])
    return [(one.set_name, one.field, one.reason) for one in parsed.acknowledgements]


@pytest.mark.parametrize(
    "message",
    [
        "Say which date\n\nAccept-Drop: invoices/due_date Fax 7 shows none",
        "Say which date\n\nAccept-Drop: invoices/due_date Fax 7 shows none\n\nSigned-off-by: rk",
        "Say which date\n\naccept-drop : invoices/due_date   Fax 7\n   shows none\nMore: text",
        "* Say which date\r\n\r\nAccept-Drop: invoices/due_date Fax 7 shows none\r\n\r\n* Next",
    ],
)
def test_the_line_may_stand_anywhere_and_go_on_indented(message: str) -> None:
    assert read(message) == [("invoices", "due_date", "Fax 7 shows none")]


def test_a_sentence_about_it_accepts_nothing() -> None:
    assert read("Explain Accept-Drop: invoices/due_date as a trailer") == []


@pytest.mark.parametrize(
    "line",
    [
        "Accept-Drop:",
        "Accept-Drop: due_date why",
        "Accept-Drop: invoices/due_date",
        "Accept-Drop: / why",
    ],
)
def test_a_line_without_set_field_or_reason_is_handed_back(line: str) -> None:
    parsed = parse_messages([("4c81ba9f00", f"Subject\n\n{line}\n")])
    assert parsed.acknowledgements == ()
    assert "commit 4c81ba9" in parsed.unread[0]
    assert "expected Accept-Drop: <set>/<field> <reason>" in parsed.unread[0]


def test_several_fields_of_several_commits() -> None:
    parsed = parse_messages(
        [
            ("2" * 40, "Later\n\nAccept-Drop: invoices/total newer reason"),
            ("1" * 40, "Earlier\n\nAccept-Drop: invoices/total older\nAccept-Drop: bills/iban x"),
        ]
    )
    assert accepted_fields(parsed.acknowledgements, set_name="invoices") == {
        "total": "newer reason (commit 2222222)"
    }
    assert accepted_fields(parsed.acknowledgements, set_name="bills") == {
        "iban": "x (commit 1111111)"
    }


def test_a_misspelt_field_is_named_with_its_nearest() -> None:
    one = parse_accept("invoices/due_dat=Fax 7 shows none")
    (hint,) = misdirected([one], set_name="invoices", fields=["due_date", "total"])
    assert hint == (
        '--accept acknowledges invoices/due_dat, which is no field. Did you mean "due_date"?'
    )
    assert list(misdirected([one], set_name="bills", fields=["total"])) == []


@pytest.mark.parametrize(
    "text", ["", "invoices", "invoices/total", "invoices/total=", "/total=x", "invoices=x"]
)
def test_the_option_states_all_three(text: str) -> None:
    with pytest.raises(InputError, match="SET/FIELD=REASON"):
        parse_accept(text)


def test_an_option_that_names_a_set_which_is_not_gated_is_refused_with_the_sets_that_are():
    named = [parse_accept(f"{name}/total=cut off") for name in ("bills", "bils", "h")]
    check_sets(named[:1], gated=["bills"])
    with pytest.raises(InputError) as found:
        check_sets(named, gated=["bills"])
    assert [str(fault) for fault in found.value.faults] == [
        '--accept: bils/total accepts nothing, since bils is not gated here. Did you mean "bills"?',
        "--accept: h/total accepts nothing, since h is not gated here. Known: bills.",
    ]
