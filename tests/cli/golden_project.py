"""A project with one golden set, as a labeller meets it: a git user, an inbox outside of it."""

import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.sets.redacting import EMAIL, IBAN, PHONE

SETTINGS = """
[tool.evals]
runs = 1

[tool.evals.models."invoice-rules@1"]
provider = "code"

[tool.evals.models.told]
provider = "predictions"
files = {bills = "told.jsonl"}
"""
SET = """
set: bills
source_type: INVOICE
locale: de_DE
currency: EUR
fields:
  number: {kind: identifier, description: The number of the bill.}
  due: {kind: date}
  supplier: {kind: text, threshold: 0.85}
  total: {kind: money}
  lines: {kind: table, columns: {what: {kind: text}, amount: {kind: money}}}
  iban: {kind: identifier}
"""
LETTER = f"""Papierhaus Kai GmbH
An: Ada Hope
Rechnung R-88213, zahlbar bis 3. April 2026
A4-Papier      54,00
Toner          89,90
Summe       4.820,00 EUR
IBAN {IBAN}
Tel. {PHONE}, {EMAIL}
"""
ANSWERS = {
    "number": "R-88213",
    "due": "3. April 2026",
    "supplier": "Papierhaus Kai GmbH",
    "total": "4820.00",
    "lines": [{"what": "A4-Papier", "amount": "54,00"}, {"what": "Toner", "amount": "89,90"}],
    "iban": "[IBAN-1]",
}


@dataclass(frozen=True)
class GoldenProject:
    """The project and what lies around it."""

    root: Path
    inbox: Path

    @property
    def folder(self) -> Path:
        return self.root / "golden" / "bills"

    def make(self) -> "GoldenProject":
        self.inbox.mkdir(parents=True)
        self.folder.mkdir(parents=True)
        (self.root / "pyproject.toml").write_text(SETTINGS, encoding="utf-8")
        (self.folder / "set.yaml").write_text(SET, encoding="utf-8")
        subprocess.run(["git", "init", "--quiet", str(self.root)], check=True)
        return self

    def put(self, name: str, content: str | bytes = LETTER) -> str:
        """A file in the inbox; its path."""
        path = self.inbox / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return str(path)

    def files(self, folder: str) -> list[Path]:
        """The files of a folder of the set, by name."""
        path = self.folder / folder
        return sorted(path.iterdir()) if path.is_dir() else []

    def label(self) -> dict[str, object]:
        """The only label."""
        (path,) = self.files("labels")
        value: dict[str, object] = json.loads(path.read_text(encoding="utf-8"))
        return value

    def everything(self) -> bytes:
        """The bytes of all files of the repository, git's own left out."""
        paths = sorted(self.root.rglob("*"))
        return b"\n".join(
            path.read_bytes() for path in paths if path.is_file() and ".git" not in path.parts
        )


def start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> GoldenProject:
    """The project, with Ada Quill at its terminal."""
    for name in [name for name in os.environ if name.startswith(("EVALS_", "GIT_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    git_config = tmp_path / "gitconfig"
    git_config.write_text("[user]\n\tname = Ada Quill\n", encoding="utf-8")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(git_config))
    monkeypatch.setenv("GIT_CONFIG_SYSTEM", os.devnull)
    made = GoldenProject(root=tmp_path / "project", inbox=tmp_path / "inbox").make()
    monkeypatch.chdir(made.root)
    return made
