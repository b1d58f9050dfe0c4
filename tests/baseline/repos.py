"""A project with one golden set in a real git repository, for tests of what the gate asks git."""

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

from evals_pipeline.baseline.acknowledgements import parse_accept
from evals_pipeline.baseline.gate import gate
from evals_pipeline.baseline.inputs import GateInputs
from evals_pipeline.baseline.measurement import Measurement
from evals_pipeline.baseline.record import baseline_path, dump_baseline, make_baseline
from evals_pipeline.core.figures import GateReport
from evals_pipeline.core.outcomes import FieldVerdict
from tests.scored import Picture, golden_set, measurement

MODEL = "acme-2026-08-15"


def git(folder: Path, *arguments: str) -> str:
    return subprocess.run(
        ["git", *arguments], cwd=folder, check=True, capture_output=True, encoding="utf-8"
    ).stdout.strip()


@dataclass
class Project:
    """A set ``golden/invoices`` under ``root``; ``commits`` are made where ``root`` lies."""

    root: Path

    @property
    def folder(self) -> Path:
        return self.root / "golden" / "invoices"

    @property
    def prompt(self) -> Path:
        return self.folder / "prompt.md"

    def write(self, place: str, text: str) -> None:
        path = self.folder / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def measure(self, picture: Picture, model: str = MODEL, **pinned: object) -> Measurement:
        """What a run with the prompt in the tree scores."""
        prompt = sha256(self.prompt.read_bytes()).hexdigest()
        golden = golden_set(picture, path=self.folder)
        return measurement(
            picture, golden, model_version=model, **{"prompt_sha256": prompt} | pinned
        )

    def record(self, picture: Picture, model: str = MODEL, **pinned: object) -> None:
        golden = golden_set(picture, path=self.folder)
        now = self.measure(picture, model, **pinned)
        path = baseline_path(self.folder, model)
        path.parent.mkdir(parents=True, exist_ok=True)
        text = dump_baseline(make_baseline(now, policy=golden.gate))
        path.write_text(text, encoding="utf-8")

    def commit(self, message: str) -> str:
        git(self.root, "add", "--all")
        git(self.root, "commit", "--quiet", "--allow-empty", "--message", message)
        return git(self.root, "rev-parse", "HEAD")

    def change(self, prompt: str, picture: Picture, message: str) -> str:
        """Commits a prompt with the baseline that it leads to, as the habit is."""
        self.write("prompt.md", prompt)
        self.record(picture)
        return self.commit(message)

    def gate(
        self,
        picture: Picture,
        *,
        since: str | None = None,
        accept: Sequence[str] = (),
        against: str | None = None,
        now: Measurement | None = None,
        other: Measurement | None = None,
    ) -> GateReport:
        inputs = GateInputs(
            golden=golden_set(picture, path=self.folder),
            model_version=MODEL,
            measurement=now or self.measure(picture),
            prompt_path=self.prompt,
            since=since,
            accepts=[parse_accept(text) for text in accept],
            against=against,
            against_measurement=other,
        )
        return gate(inputs)


def start(root: Path, *, inside: str = "") -> Project:
    """An empty repository at ``root`` with a set in it, nothing committed."""
    root.mkdir(parents=True, exist_ok=True)
    git(root, "init", "--quiet", "--initial-branch=main")
    project = Project(root / inside)
    project.write("prompt.md", "Read the invoice.\n")
    project.write("set.yaml", "set: invoices\n")
    project.write("labels/a.json", "{}\n")
    return project


def clone(project: Project, target: Path, *options: str) -> Project:
    """A clone of the project's repository, as somebody else or CI has it."""
    top = Path(git(project.root, "rev-parse", "--show-toplevel"))
    git(target.parent, "clone", "--quiet", *options, f"file://{top}", str(target))
    return replace(project, root=target / project.root.relative_to(top))


def verdict_of(report: GateReport, field: str = "due") -> FieldVerdict:
    """What the gate says of one field."""
    return next(row.verdict for row in report.fields if row.field == field)
