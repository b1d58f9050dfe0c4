import pytest

from evals_pipeline.core.errors import InputError
from evals_pipeline.core.strict_yaml import MAX_BYTES, QuotedText, loads


def refusal(text: str | bytes) -> str:
    with pytest.raises(InputError) as caught:
        loads(text, where="set.yaml")
    return str(caught.value)


@pytest.mark.parametrize(
    "scalar",
    ["NO", "on", "y", "00731", "12:45", "2031-11-02", "2.50", "0x1F", "1_000", "1e5", ".5", "Off"],
)
def test_scalars_stay_what_was_typed(scalar: str):
    doc = loads(f"content: {scalar}\nrest: [{scalar}]\n", where="x")
    assert doc.value == {"content": scalar, "rest": [scalar]}


@pytest.mark.parametrize("scalar", ["", "~", "null", "Null", "NULL"])
def test_only_plain_nulls_are_nothing(scalar: str):
    assert loads(f"content: {scalar}\n", where="x").value == {"content": None}
    assert loads(f"content: '{scalar}'\n", where="x").value == {"content": scalar}


def test_lines_and_quotes_are_known_by_path():
    doc = loads("a:\n  - b: 'x'\n    c: y\n  - |\n    z\n", where="x")
    assert doc.value == {"a": [{"b": "x", "c": "y"}, "z\n"]}
    assert doc.lines["a", 0, "c"] == 3
    assert doc.line_of(("a", 0, "missing")) == 2
    assert doc.quoted == {("a", 0, "b"), ("a", 1)}
    assert isinstance(doc.value, dict)
    assert isinstance(doc.value["a"][0]["b"], QuotedText)


def test_all_repeated_keys_are_named_with_lines():
    assert refusal("a: 1\nb: {c: 1, c: 2}\na: 3\n").splitlines() == [
        "set.yaml:3: duplicate key 'a', first on line 1.",
        "set.yaml:2: duplicate key 'c', first on line 2.",
    ]


def test_aliases_and_merge_keys_are_followed():
    doc = loads("base: &b {k: 1, m: 'q'}\none:\n  <<: *b\n  k: 2\ntwo: *b\n", where="x")
    assert doc.value == {
        "base": {"k": "1", "m": "q"},
        "one": {"k": "2", "m": "q"},
        "two": {"k": "1", "m": "q"},
    }
    assert ("one", "m") in doc.quoted


def laughs(levels: int) -> str:
    lines = ["l0: &l0 [x, x, x, x, x, x, x, x, x]"]
    for i in range(1, levels):
        lines.append(f"l{i}: &l{i} [" + ", ".join([f"*l{i - 1}"] * 9) + "]")
    return "\n".join(lines)


def chain(length: int) -> str:
    lines = ["c0: &c0 [[[[[[[[[[[[x]]]]]]]]]]]]"]
    lines += [f"c{i}: &c{i} [[[[[[[[[[[[*c{i - 1}]]]]]]]]]]]]" for i in range(1, length)]
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (laughs(9), "aliases unfold to more than"),
        (chain(30), "nested deeper"),
        ("a: &a [*a]", "holds itself"),
        ("a: &a {<<: *a}", "holds itself"),
        ("<<: [1]", "merge key"),
        ("a: *nowhere", "no anchor"),
        ("a: !!python/name:os.system x", "tags are not read"),
        ("a: !!str 1", "tags are not read"),
        ("a: 1\n---\nb: 2", "several documents"),
        ("? [a]\n: 1", "a key must be text"),
        ("~x: 1\n'': 2", "a key must be text"),
        ("[" * 70 + "]" * 70, "nested deeper"),
        ("a: [1", "not YAML"),
        ("a: \x07", "not YAML"),
        ("a: \ud800", "surrogate"),
        ("#" * (MAX_BYTES + 1), "longer than"),
    ],
)
def test_what_cannot_be_read_is_refused(text: str, problem: str):
    assert problem in refusal(text)


def test_bytes_are_utf8_whatever_the_locale():
    assert loads(b"\xef\xbb\xbfname: \xe2\x80\x9cx\xe2\x80\x9d", where="x").value == {"name": "“x”"}
    assert refusal(b"a: 1\nb: \xe9\n").startswith("set.yaml:2: not UTF-8")


def test_an_empty_text_is_nothing():
    assert loads("# only a comment\n", where="x").value is None
