import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evals_pipeline.core.errors import InputError
from evals_pipeline.sets.redaction.emails import find_emails
from evals_pipeline.sets.redaction.passages import plain_passage
from evals_pipeline.sets.redaction.terms import Term, read_term, read_term_list
from tests.sets.redacting import found_by, masker_in


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("write to ada.hope@quay.example.", ["ada.hope@quay.example"]),
        ("<Ada@Quay.Example>", ["Ada@Quay.Example"]),
        ("mailto:ada%40quay.example?subject=x", ["ada%40quay.example"]),
        ("ada (at) quay (dot) example", ["ada (at) quay (dot) example"]),
        ("ada@\n  quay.example", ["ada@\n  quay.example"]),
        ("7@ ada@quay.example", ["ada@quay.example"]),
        ("ada@\nquay.example", ["ada@\nquay.example"]),
        ("ada@quay.\nexample and so on", ["ada@quay.\nexample"]),
        ("ada@quay.example.\nThanks", ["ada@quay.example"]),
        ("zoë@käse.example", ["zoë@käse.example"]),
        ("12 paper @ 4.50", []),
        ("@quay", []),
    ],
)
def test_mail_addresses_are_found(text, masked):
    assert found_by(find_emails, text) == masked


def test_all_spellings_of_an_address_are_one():
    texts = ["Ada@quay.example", "ada%40QUAY.example", "ada (at) quay (dot) example"]
    assert {one.normal for text in texts for one in find_emails(text)} == {"ada@quay.example"}


@pytest.mark.parametrize(
    "text",
    [
        "Zoë Hälm-Ørsted",
        "ZOË  HÄLM\nØRSTED",
        "Zoe\u0308 Ha\u0308lm-Ørsted",
        "zoe halm-\nørsted",
        "ZoëHälmØrsted",
        "Zo\u00adë\u00a0Hälm‐Ørsted",
    ],
)
def test_a_name_is_found_in_any_case_spacing_and_hyphenation(text, tmp_path):
    masker = masker_in(tmp_path, "Zoë Hälm-Ørsted")
    masked, report = masker.mask(f"to {text}, please", [plain_passage(f"to {text}, please")])
    assert masked == "to [NAME-1], please"
    assert report.masked == {"NAME": 1}


def test_a_name_is_not_found_inside_of_words(tmp_path):
    masker = masker_in(tmp_path, "Ann Lee")
    text = "Annlee is one name, Joann Leeds another, Ann is not Lee"
    masked, _ = masker.mask(text, [plain_passage(text)])
    # Letters in a row may be a name whose space was lost; parts of other words are not.
    assert masked == "[NAME-1] is one name, Joann Leeds another, Ann is not Lee"


def test_the_longer_of_two_terms_is_masked(tmp_path):
    masker = masker_in(tmp_path, "Ada", "Ada Hope", "ADDRESS=1 Quay Lane, Oxcombe")
    text = "Ada Hope, 1 Quay Lane\nOxcombe. Ada"
    masked, report = masker.mask(text, [plain_passage(text)])
    assert masked == "[NAME-1], [ADDRESS-1]. [NAME-2]"
    assert report.masked == {"NAME": 2, "ADDRESS": 1}


def test_terms_are_written_with_their_kind_or_are_names():
    assert read_term("KIND=x y") == Term(kind="KIND", text="x y")
    assert read_term("a=b") == Term(kind="NAME", text="a=b")
    with pytest.raises(InputError, match="fewer than two"):
        read_term("A.")


def test_a_list_of_terms_tells_faulty_lines_without_their_text():
    terms = read_term_list("# people\n\nAda Hope\nADDRESS=1 Quay Lane\n", where="list")
    assert [term.kind for term in terms] == ["NAME", "ADDRESS"]
    with pytest.raises(InputError) as caught:
        read_term_list("Ada\nX\nQ\n", where="list")
    assert [fault.line for fault in caught.value.faults] == [2, 3]
    assert "X" not in str(caught.value)


@given(
    name=st.text(st.characters(categories=("L",)), min_size=3, max_size=12),
    before=st.text(st.characters(categories=("Zs", "P")), min_size=1, max_size=5),
)
@settings(max_examples=40, deadline=None)
def test_a_masked_text_holds_the_term_no_more(name, before, tmp_path_factory):
    masker = masker_in(tmp_path_factory.mktemp("set"), name)
    text = f"{before}{name}{before} {name.upper()}"
    masked, _ = masker.mask(text, [plain_passage(text)])
    assert masker.leftovers(masked, [plain_passage(masked)]) == ()
    again, report = masker.mask(masked, [plain_passage(masked)])
    assert again == masked
    assert report.n_masked == 0
