import pytest

from evals_pipeline.core.errors import InputError
from evals_pipeline.extract.prompts import load_prompt
from evals_pipeline.sets.golden import load_golden_set
from evals_pipeline.sets.new_set import NewField, NewSet, guess_kind, read_field, write_new_set

FIELDS = (
    "bill_number",
    "due_date: date(%d.%m.%Y)",
    "supplier",
    "status:enum(paid, no, in part)",
    "lines:table(description, amount:money)",
    "tags:list",
)


def new(*fields, name="bills", **more):
    made = tuple(read_field(text) for text in fields)
    return NewSet(name=name, source_type="BILL", fields=made, **more)


def test_a_new_set_loads_and_says_what_was_answered(tmp_path):
    written = write_new_set(tmp_path, new(*FIELDS, locale="de_DE", currency="EUR"))
    assert sorted(path.name for path in written) == [".gitattributes", "prompt.md", "set.yaml"]
    golden = load_golden_set(tmp_path / "bills")
    kinds = {spec.name: spec.kind for spec in golden.fields}
    assert kinds == {
        "bill_number": "identifier",
        "due_date": "date",
        "supplier": "text",
        "status": "enum",
        "lines": "table",
        "tags": "list",
    }
    specs = {spec.name: spec for spec in golden.fields}
    assert specs["due_date"].formats == ("%d.%m.%Y",)
    assert [*specs["status"].values] == ["paid", "no", "in part"]
    assert [column.kind for column in specs["lines"].columns] == ["text", "money"]
    assert (golden.convention.locale, golden.convention.currency) == ("de_DE", "EUR")
    assert golden.documents == ()
    prompt = load_prompt((tmp_path / "bills" / "prompt.md").read_bytes(), where="prompt.md")
    assert '"lines":[{"description":"<text>","amount":"<amount>"}]' in prompt.system


def test_a_set_that_is_there_is_not_touched(tmp_path):
    write_new_set(tmp_path, new("total"))
    before = (tmp_path / "bills" / "set.yaml").read_text(encoding="utf-8")
    with pytest.raises(InputError, match="exists already"):
        write_new_set(tmp_path, new("number"))
    assert (tmp_path / "bills" / "set.yaml").read_text(encoding="utf-8") == before


@pytest.mark.parametrize(
    ("made", "problem"),
    [
        (new("total", name="../x"), "cannot be the name"),
        (new("a:money", "a:date"), "duplicate key"),
        (new("status:enum"), "values is missing"),
        (new("total:monney"), "no such kind"),
        (new("total", locale="xx_YY"), "no such locale"),
    ],
)
def test_what_would_not_load_is_not_written(made, problem, tmp_path):
    with pytest.raises(InputError, match=problem):
        write_new_set(tmp_path, made)
    assert list(tmp_path.iterdir()) == []


def test_fields_are_read_from_one_line():
    assert read_field("total") == NewField(name="total", kind="money")
    assert read_field(" a_b : date ( %d/%m/%Y ) ").parts == ("%d/%m/%Y",)
    with pytest.raises(InputError, match="is no field"):
        read_field("a b c")


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("net_total", "money"),
        ("vat_rate", "percent"),
        ("iban", "identifier"),
        ("is_paid", "boolean"),
        ("quantity", "number"),
        ("line_items", "table"),
        ("customer", "text"),
        ("monthly_rent", "money"),
        ("deposit_date", "date"),
        ("notice_weeks", "number"),
        ("weeks_overdue_note", "text"),
    ],
)
def test_names_suggest_kinds(name, kind):
    assert guess_kind(name) == kind
