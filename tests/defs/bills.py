"""A small project of two sets, as the tests of the Dagster shell need it.

``bills`` is a golden set of three documents. A file of predictions serves it as ``steady`` (all
right) and as ``hasty`` (one due date wrong in every run), and a model that nobody calls is sent its
prompt. ``facts-001`` is a suite of one case.
"""

import hashlib
import json
import subprocess
from dataclasses import dataclass
from pathlib import Path

NUMBERS = ("A-1", "A-2", "A-3")
DUE = "2026-05-01"
SETTINGS = """
[tool.evals]
runs = 2

[tool.evals.models.steady]
provider = "predictions"
files = {bills = "golden/bills/steady.jsonl"}

[tool.evals.models.hasty]
provider = "predictions"
files = {bills = "golden/bills/hasty.jsonl"}
against = "steady"

[tool.evals.models."asked@1"]
provider = "openai"
model = "asked-2026-01-01"
base_url = "http://127.0.0.1:9/v1"
sets = ["bills"]

[tool.evals.models.teller]
provider = "predictions"
files = {facts-001 = "suites/teller.jsonl"}
"""
SET = """
set: bills
source_type: BILL
locale: en_GB
currency: GBP
prompt: prompt.md
fields:
  number: {kind: identifier}
  due: {kind: date}
gate: {tolerance: 0}
"""
PROMPT = """---
output: fields
---
Read the bill.

{{ document }}
"""
SUITE = """
suite_id: facts-001
name: Facts
version: 1.0.0
domain: shipping
source_types: [NOTE]
cases:
  - case_id: note-1
    source_snapshot:
      content_hash: "%s"
    inline_content: "A ship sank."
    expected:
      - content: "A ship sank."
        confidence_min: 0.5
        uncertainty_nature: EPISTEMIC
"""


def sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True)
class Bills:
    root: Path

    @property
    def folder(self) -> Path:
        return self.root / "golden" / "bills"

    @property
    def prompt(self) -> Path:
        return self.folder / "prompt.md"

    def write(self, place: str, text: str) -> Path:
        path = self.root / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def make(self) -> "Bills":
        self.write("pyproject.toml", SETTINGS)
        self.write(".gitignore", "storage/\n")
        self.write("golden/bills/set.yaml", SET)
        self.write("golden/bills/prompt.md", PROMPT)
        for number in NUMBERS:
            self.label(number, due=DUE)
        self.predict("steady", {})
        self.predict("hasty", {"A-2": "2026-06-01"})
        self.write("suites/facts-001.yaml", SUITE % sha("A ship sank."))
        answer = {"fixture": "note-1", "run_index": 0, "claims": []}
        self.write("suites/teller.jsonl", json.dumps(answer))
        return self

    def document(self, number: str) -> Path:
        return self.folder / "documents" / f"{sha(text_of(number))}.txt"

    def label(self, number: str, **fields: str | None) -> None:
        text = text_of(number)
        self.write(f"golden/bills/documents/{sha(text)}.txt", text)
        label = {
            "doc": f"{sha(text)}.txt",
            "name": f"bill-{number}",
            "labelled_by": "kim",
            "labelled_at": "2026-07-01",
            "fields": {"number": number, **fields},
        }
        self.write(f"golden/bills/labels/{sha(text)}.json", json.dumps(label))

    def unreadable(self, name: str, content: bytes) -> None:
        digest = hashlib.sha256(content).hexdigest()
        doc = f"{digest}{Path(name).suffix}"
        (self.folder / "documents" / doc).write_bytes(content)
        label = {
            "doc": doc,
            "name": name,
            "labelled_by": "kim",
            "labelled_at": "2026-07-01",
            "fields": {"number": None, "due": None},
        }
        self.write(f"golden/bills/labels/{digest}.json", json.dumps(label))

    def predict(self, model: str, wrong: dict[str, str], *, runs: int = 2) -> None:
        lines = [
            json.dumps(
                {
                    "fixture": f"bill-{number}",
                    "run_index": run_index,
                    "fields": {"number": number, "due": wrong.get(number, DUE)},
                }
            )
            for run_index in range(runs)
            for number in NUMBERS
        ]
        self.write(f"golden/bills/{model}.jsonl", "\n".join(lines))

    def git(self, *arguments: str) -> str:
        named = ["-c", "user.name=Kim Doe", "-c", "user.email=kim@example.org"]
        found = subprocess.run(
            ["git", *named, *arguments],
            cwd=self.root,
            check=True,
            capture_output=True,
            encoding="utf-8",
        )
        return found.stdout.strip()

    def commit(self, subject: str) -> str:
        if not (self.root / ".git").exists():
            self.git("init", "-q")
        self.git("add", "-A")
        self.git("commit", "-q", "-m", subject)
        return self.git("rev-parse", "HEAD")


def text_of(number: str) -> str:
    return f"Bill {number}\nDue 1 May 2026\n"
