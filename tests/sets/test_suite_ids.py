from pathlib import Path

import pytest

from evals_pipeline.sets.suite_ids import stated_suite_id


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("suite_id: logs-001\ncases: []\n", "logs-001"),
        ("suite_id: 'logs-001'\ncases: [\n", "logs-001"),
        ('suite_id: "logs-001"  # the first\na: b: c\n', "logs-001"),
        ("\ufeffsuite_id: logs-001\n\tcases: x\n", "logs-001"),
        ("name: logs\n", None),
        ("suite_id: \n", None),
        ("suite_id: [a]\n", None),
        ("- suite_id: inner\n", None),
        ("x:\n  suite_id: inner\n: [\n", None),
        ("", None),
    ],
)
def test_the_id_is_read_of_a_file_that_does_not_load(tmp_path: Path, text: str, found: str | None):
    path = tmp_path / "a.yaml"
    path.write_text(text, encoding="utf-8")
    assert stated_suite_id(path) == found


def test_a_file_that_is_not_text_or_not_there_states_none(tmp_path: Path):
    assert stated_suite_id(tmp_path / "none.yaml") is None
    (tmp_path / "b.yaml").write_bytes(b"\xff\xfe\x00")
    assert stated_suite_id(tmp_path / "b.yaml") is None
