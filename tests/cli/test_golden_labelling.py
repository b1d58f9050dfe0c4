"""The conversation of ``evals golden label``, with a labeller who answers from a list."""

import io
import json
import os
import pty
import subprocess
import sys
from datetime import date

import pytest

from evals_pipeline.cli.document_view import DocumentView
from evals_pipeline.cli.labelling_session import Outcome, Session
from evals_pipeline.pipeline.labelling import find_desk
from evals_pipeline.pipeline.project import Project
from evals_pipeline.pipeline.suggestions import suggestions_for
from tests.cli.golden_project import ANSWERS, LETTER, GoldenProject, start
from tests.sets.redacting import IBAN

GOOD = ["R-88213", "3. April 2026", "Papierhaus Kai GmbH", "4.820,00"]
ROWS = ["A4-Papier | 54,00", "Toner | 89,90", ""]


@pytest.fixture
def golden(tmp_path, monkeypatch, evals) -> GoldenProject:
    made = start(tmp_path, monkeypatch)
    made.put("kai-03.txt")
    evals("golden", "add", "../inbox/kai-03.txt", "--mask", "Ada Hope")
    return made


class Talk:
    """A conversation with given answers; ``said`` is the screen, prompts and answers included."""

    def __init__(self, *answers, suggest=None, by="Ada Quill", reference="kai-03"):
        project = Project.open()
        self.desk = find_desk(
            project, set_name=None, reference=reference, by=by, today=date(2031, 5, 4)
        )
        (draft,) = self.desk.to_label(reference)
        self.lines = []
        self.answers = list(answers)
        suggestions = suggestions_for(self.desk, draft, suggest) if suggest else None
        view = DocumentView(
            title=draft.name,
            place="here",
            text=self.desk.text(draft.doc),
            say=self.lines.append,
            width=80,
            height=20,
        )
        session = Session(
            desk=self.desk,
            draft=draft,
            ask=self._ask,
            say=self.lines.append,
            view=view,
            suggestions=suggestions,
        )
        self.outcome = session.run()

    def _ask(self, prompt):
        if not self.answers:
            raise EOFError
        answer = self.answers.pop(0)
        self.lines.append(f"{prompt}{answer}")
        return answer

    @property
    def said(self):
        return "\n".join(self.lines)


def test_a_document_is_labelled_field_by_field(golden):
    talk = Talk(*GOOD, *ROWS, IBAN, "")
    assert talk.outcome is Outcome.FINISHED
    label = golden.label()
    assert label["fields"] == {
        **ANSWERS,
        "due": "2026-04-03",
        "lines": [
            {"what": "A4-Papier", "amount": "54.00"},
            {"what": "Toner", "amount": "89.90"},
        ],
    }
    assert (label["labelled_by"], label["labelled_at"]) == ("Ada Quill", "2031-05-04")
    assert golden.files("drafts") == []
    assert "= 2026-04-03 (3. April 2026 is 2026-04-03: month by name) · line 3" in talk.said
    assert "masked: [IBAN-1]" in talk.said


def test_skipping_is_not_absence_and_work_goes_on_where_it_stopped(golden):
    first = Talk("R-88213", "", "absent", ":quit")
    assert first.outcome is Outcome.QUIT
    (path,) = golden.files("drafts")
    draft = json.loads(path.read_text(encoding="utf-8"))
    assert draft["fields"] == {"number": "R-88213", "supplier": None}
    second = Talk("3. April 2026", "4.820,00", "absent", "", "", by="mt")
    assert second.outcome is Outcome.LEFT_OPEN
    assert "number · identifier" not in second.said
    assert golden.files("labels") == []
    third = Talk("[IBAN-1]", "", by="mt")
    assert third.outcome is Outcome.FINISHED
    assert golden.label()["fields"]["lines"] is None
    assert golden.label()["labelled_by"] == "mt"


def test_an_end_of_input_loses_nothing(golden):
    assert Talk("R-88213").outcome is Outcome.QUIT
    (path,) = golden.files("drafts")
    assert json.loads(path.read_text(encoding="utf-8"))["fields"] == {"number": "R-88213"}


def test_what_cannot_be_read_is_asked_again_and_two_readings_are_a_question(golden):
    talk = Talk("R-88213", "3.4.26", "03.04.2026", "Kai || Papierhaus Kai GmbH", "4.820", "x", "1")
    assert "? ambiguous" in talk.said
    assert "reads in two ways:" in talk.said
    (path,) = golden.files("drafts")
    fields = json.loads(path.read_text(encoding="utf-8"))["fields"]
    assert fields["due"] == "2026-04-03"
    assert fields["supplier"] == {"any": ["Kai", "Papierhaus Kai GmbH"]}
    assert fields["total"] == "4820.00"


def test_a_value_that_stands_nowhere_is_said_and_can_be_taken_back(golden):
    talk = Talk("R-88231", ":back", "R-88213", ":back", "")
    assert "! not in the document" in talk.said
    assert "now R-88231; Enter keeps it" in talk.said
    (path,) = golden.files("drafts")
    assert json.loads(path.read_text(encoding="utf-8"))["fields"] == {"number": "R-88213"}


def test_a_table_is_typed_a_row_a_line_and_a_row_taken_back(golden):
    talk = Talk(*GOOD, "A4 | 54", ":undo", "A4-Papier", *ROWS[:1], "Toner | viel", ":doc", "", "")
    assert "1 cells, expected 2: what | amount" in talk.said
    assert "amount:" in talk.said
    (path,) = golden.files("drafts")
    rows = json.loads(path.read_text(encoding="utf-8"))["fields"]["lines"]
    assert rows == [{"what": "A4-Papier", "amount": "54.00"}]


def test_the_last_look_changes_a_field(golden):
    talk = Talk(*GOOD, "absent", "absent", "2", "4. April 2026", "nmber", "total", "", "")
    assert talk.outcome is Outcome.FINISHED
    assert "no such field: nmber" in talk.said
    assert golden.label()["fields"]["due"] == "2026-04-04"
    assert golden.label()["fields"]["total"] == "4820.00"


def test_help_and_the_document_are_a_word_away(golden):
    talk = Talk("?", ":find papierhaus", ":find nothing like it", ":open", ":nonsense", ":more")
    assert "The number of the bill." in talk.said
    assert "that is not the same as absent" in talk.said
    assert "   1 │ Papierhaus Kai GmbH" in talk.said
    assert "no line holds that" in talk.said
    assert str(golden.files("documents")[0]) in talk.said
    assert "no such command: :nonsense" in talk.said
    assert "the document ends here" in talk.said


def test_an_unreadable_value_can_be_kept_on_purpose(golden):
    Talk("R-88213", ":raw Ende April")
    (path,) = golden.files("drafts")
    assert json.loads(path.read_text(encoding="utf-8"))["fields"]["due"] == "Ende April"


def test_suggestions_are_shown_and_taken_only_when_said_so(golden):
    quiet = Talk("R-88213", ":quit")
    assert "says:" not in quiet.said
    document = golden.files("documents")[0].name
    answer = {
        "fixture": document[:64],
        "run_index": 0,
        "fields": {"due": "3. April 2026", "total": "1,00", "supplier": None},
    }
    (golden.root / "told.jsonl").write_text(json.dumps(answer) + "\n", encoding="utf-8")
    talk = Talk("=", "Kai", "", "=", suggest="told")
    assert "told says: 3. April 2026   (= takes it)" in talk.said
    assert "told says: absent" in talk.said
    assert "? there is no suggestion" in talk.said
    (path,) = golden.files("drafts")
    draft = json.loads(path.read_text(encoding="utf-8"))
    assert draft["fields"] == {"number": "R-88213", "due": "2026-04-03", "supplier": "Kai"}
    assert draft["tags"] == ["suggested-by:told"]


def test_a_rule_extractor_suggests_without_being_run_before(golden):
    talk = Talk(suggest="invoice-rules@1")
    assert "invoice-rules@1 says:" in talk.said


def test_what_is_masked_in_documents_is_masked_in_labels(golden):
    Talk("R-88213", "3. April 2026", "ADA  HOPE", "4.820,00", f"Konto {IBAN} | 1", "")
    (path,) = golden.files("drafts")
    fields = json.loads(path.read_text(encoding="utf-8"))["fields"]
    assert fields["supplier"] == "[NAME-1]"
    assert fields["lines"] == [{"what": "Konto [IBAN-1]", "amount": "1.00"}]
    # What stands in the masked document was looked at there and stays.
    assert fields["number"] == "R-88213"


def test_the_command_goes_through_all_open_documents(golden, evals, monkeypatch):
    golden.put("kai-04.txt", LETTER.replace("R-88213", "R-4"))
    evals("golden", "add", "../inbox/kai-04.txt")
    typed = [*GOOD, "absent", "[IBAN-1]", "", "R-4"]
    monkeypatch.setattr(sys, "stdin", io.StringIO("\n".join(typed) + "\n"))
    called = evals("golden", "label")
    assert called.status == 0
    assert "bills: 2 documents to label · you are Ada Quill" in called.out
    assert "labelled: golden/bills/labels/" in called.out
    assert "Still to label: kai-04 (5 open)" in called.err


def test_answers_come_from_options_and_files(golden, evals):
    part = evals("golden", "label", "kai-03", "--field", "number=R-88213", "--absent", "lines")
    assert part.status == 0, part.err
    assert "4 fields still open: due, supplier, total, iban" in part.err
    rest = golden.put("rest.json", json.dumps({k: ANSWERS[k] for k in ("due", "total", "iban")}))
    done = evals(
        "golden", "label", "kai-03", "--answers", rest, "--field", "supplier=Kai || Papier"
    )
    assert done.status == 0, done.err
    assert golden.label()["fields"]["supplier"] == {"any": ["Kai", "Papier"]}
    again = evals("golden", "label", "kai-03", "--field", "number=R")
    assert again.status == 2
    assert "evals golden correct" in again.err


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("--field", "due=3.4.26", "--field", "nmber=1"), "two digits"),
        (("--field", "due=3.4.26", "--field", "nmber=1"), 'Did you mean "number"'),
        (("--field", "total=4.820"), "reads in two ways, 4820.00 EUR or 4.82 EUR"),
        (("--field", "due="), "--absent due"),
        (("--field", "due=absent", "--absent", "due"), "is given twice"),
    ],
)
def test_faulty_answers_are_told_all_at_once_and_none_is_stored(arguments, reason, golden, evals):
    called = evals("golden", "label", "kai-03", "--field", "number=R-1", *arguments)
    assert called.status == 2
    assert reason in called.err
    (path,) = golden.files("drafts")
    assert json.loads(path.read_text(encoding="utf-8"))["fields"] == {}


def test_a_terminal_works_like_a_list_of_answers(golden):
    parent, child = pty.openpty()
    command = [sys.executable, "-m", "evals_pipeline.cli.main", "golden", "label", "kai-03"]
    process = subprocess.Popen(
        command, stdin=child, stdout=child, stderr=child, env={**os.environ, "TERM": "dumb"}
    )
    os.close(child)
    os.write(parent, b"R-88213\n:quit\n")
    screen = b""
    while True:
        try:
            screen += os.read(parent, 4096)
        except OSError:
            break
    assert process.wait(timeout=60) == 0
    assert "· line 3" in screen.decode()
    assert "saved. Still to label: kai-03 (5 open)" in screen.decode()
