"""A polarity suite and gold subjects in a project of tellers."""

import json

from tests.pipeline.tellers import Tellers

POLARITY = """suite_id: records-001
name: Records
version: 1.0.0
domain: records
source_type: RECORD
cases:
  - case_id: record-1
    document: We keep paper tickets. Ticket machines were turned down.
    labels:
      - {content: "Paper tickets are kept.", polarity: ASSERTED}
      - {content: "Ticket machines are used.", polarity: DECLINED}
"""


def with_records(tellers: Tellers) -> None:
    """A polarity suite of one document, which ``teller`` answers twice, once wrongly."""
    tellers.write("suites/polarity/records-001.yaml", POLARITY)
    predict(tellers, "ASSERTED", "DECLINED")
    text = (tellers.root / "pyproject.toml").read_text(encoding="utf-8")
    files = 'files = {records-001 = "records.jsonl", '
    tellers.write("pyproject.toml", text.replace("files = {", files, 1))


def predict(tellers: Tellers, *kept: str) -> None:
    """What ``teller`` says, run by run, of the tickets that are kept."""
    lines = [
        json.dumps(
            {
                "fixture": "record-1",
                "run_index": run,
                "claims": [
                    {"content": "Paper tickets are kept.", "confidence": 0.9, "polarity": said},
                    {
                        "content": "Ticket machines are used.",
                        "confidence": 0.5,
                        "polarity": "DECLINED",
                    },
                ],
            }
        )
        for run, said in enumerate(kept)
    ]
    tellers.write("records.jsonl", "\n".join(lines))


def with_subjects(tellers: Tellers) -> None:
    """Two gold subjects of ``facts-001``, one of which has a reference."""
    path = tellers.root / "suites" / "facts-001.yaml"
    subjects = (
        "gold_subjects:\n"
        '  - {case_id: facts-001-1, name: Turin, ref: "wikidata:Q495", mention: "To Turin."}\n'
        "  - {case_id: facts-001-1, name: Ship, ref: null}\n"
    )
    path.write_text(path.read_text(encoding="utf-8") + subjects, encoding="utf-8")
