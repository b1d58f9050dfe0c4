import pytest

from evals_pipeline.sets.subjects import default_mention


@pytest.mark.parametrize(
    ("name", "contents", "expected"),
    [
        ("Alma", ["The Almanac", "The Alma left.", "Alma sank."], "The Alma left."),
        ("Lind & Co.", ["Lind & Company", "paid to Lind & Co."], "paid to Lind & Co."),
        ("Sail", ["they sail home", "Sail is a brand."], "Sail is a brand."),
        ("SAIL", ["they sail home"], "they sail home"),
        ("Zoe\u0308", ["Zoë wrote."], "Zoë wrote."),
        ("Alma", ["Almas", "xAlma"], None),
        ("C++", ["Written in C++."], "Written in C++."),
        ("Alma", [], None),
    ],
)
def test_a_name_is_found_as_a_whole_word(name: str, contents: list[str], expected: str | None):
    assert default_mention(name, contents) == expected
