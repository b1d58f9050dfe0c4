"""Every command that offers JSON prints documents of the versioned interface, strict and sorted."""

import hashlib
import json
import os
import shutil
from collections.abc import Iterator

import click
import pytest

from evals_pipeline.cli.main import cli
from evals_pipeline.core import strict_json
from evals_pipeline.core.json_interface import JSON_VERSION
from tests.pipeline.tellers import SUITE

MORE_SETTINGS = """
[tool.evals.models.general-teller]
provider = "predictions"

[tool.evals.models.general-teller.files]
notes-001 = "empty.jsonl"
notes-cal-001 = "empty.jsonl"
modality-001 = "empty.jsonl"
polarity-001 = "empty.jsonl"
validity-001 = "empty.jsonl"

[tool.evals.extractors.general]
prompt = "general.md"
"""
SUBJECTS = (
    'gold_subjects:\n  - {{case_id: case-1, name: Turin, ref: "wikidata:Q495", mention: M}}\n'
)
HARNESS = """suite_id: {kind}-001
name: Notes
version: 1.0.0
domain: shipping
source_type: NOTE
cases:
  - case_id: case-1
    {document}: A ship sank.
    labels:
      - {{content: "A ship sank.", {label}}}
"""
LABELS = {
    "modality": ("entry", "modality: FALSIFIABLE"),
    "polarity": ("document", "polarity: ASSERTED"),
    "validity": ("reference_date: 2026-01-01\n    document", "is_durable: true"),
}
COIN = '{"id": 7, "title": "5 Pfennigs", "min_year": 1950, "max_year": 1951}'

# One call for each command that offers JSON, with the exit status it ends with. A refusal and a
# red gate print their document all the same.
CALLS = {
    "list": ("list",),
    "validate": ("validate", "golden/bills"),
    "run": ("run", "bills", "--model", "steady"),
    "gate": ("gate", "bills", "--model", "hasty"),
    "baseline show": ("baseline", "show", "bills"),
    "benchmark": ("benchmark", "general", "--model", "general-teller", "--no-save"),
    "benchmark-modality": ("benchmark-modality", "general", "--model", "general-teller"),
    "benchmark-polarity": ("benchmark-polarity", "general", "--model", "general-teller"),
    "benchmark-validity": ("benchmark-validity", "general", "--model", "general-teller"),
    "calibrate": ("calibrate", "bills", "--model", "steady"),
    "calibrations list": ("calibrations", "list"),
    "compare": ("compare", "bills", "--model", "steady", "--model", "hasty"),
    "conform": ("conform", "coin-catalogue", "--no-save"),
    "costs": ("costs",),
    "answers list": ("answers", "list"),
    "explain": ("explain", "--kind", "money", "27.80", "27,80"),
    "golden add": ("golden", "add", "inbox/bill.txt", "--set", "bills", "--already-masked"),
    "golden verify": ("golden", "verify", "bills"),
    "golden redact": ("golden", "redact", "bills"),
    "prompt show": ("prompt", "show", "bills", "--model", "asked@1"),
    "resolve": ("resolve", "notes-001"),
    "score": ("score", "bills", "--predictions", "golden/bills/hasty.jsonl"),
    "trace": ("trace", "bills", "--field", "due", "--model", "hasty"),
}


def commands_with_json() -> Iterator[str]:
    """Every command that takes ``--format json``."""

    def walk(group: click.Group, path: tuple[str, ...]) -> Iterator[str]:
        with click.Context(group) as context:
            for name in group.list_commands(context):
                found = group.get_command(context, name)
                if isinstance(found, click.Group):
                    yield from walk(found, (*path, name))
                elif found is not None and any(_offers_json(one) for one in found.params):
                    yield " ".join((*path, name))

    yield from walk(cli, ())


def _offers_json(parameter: click.Parameter) -> bool:
    choices = parameter.type.choices if isinstance(parameter.type, click.Choice) else ()
    return "--format" in parameter.opts and "json" in choices


def test_every_command_with_json_is_called_here():
    # The formats of ``explain`` are those of dates; it takes --json.
    assert {*commands_with_json(), "explain"} == set(CALLS)


@pytest.fixture(scope="module")
def project(scored_once, tmp_path_factory):
    """Bills, scored, with a suite of each kind that a predictions file answers with no claim."""
    root = tmp_path_factory.mktemp("json") / "project"
    shutil.copytree(scored_once.root, root)

    def write(place, text):
        path = root / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    settings = (root / "pyproject.toml").read_text(encoding="utf-8")
    write("pyproject.toml", settings + MORE_SETTINGS)
    write("general.md", "---\noutput: claims\n---\nList the facts of {{ document }}\n")
    digest = hashlib.sha256(b"A ship sank.").hexdigest()
    suite = SUITE.format(
        header="", suite_id="notes-001", source_type="NOTE", digest=digest, floor=0
    ).replace("notes-001-1", "case-1")
    write("suites/notes-001.yaml", suite + SUBJECTS.format())
    write("suites/subjects/authority.yaml", 'subjects:\n  - {ref: "wikidata:Q495", name: Turin}\n')
    for kind, (document, label) in LABELS.items():
        text = HARNESS.format(kind=kind, document=document, label=label)
        write(f"suites/{kind}/{kind}-001.yaml", text)
    lines = [json.dumps({"fixture": "case-1", "run_index": run, "claims": []}) for run in (0, 1)]
    write("empty.jsonl", "\n".join(lines))
    coin = "suites/fixtures/coin"
    write(
        f"{coin}/manifest.yaml",
        "fixture_id: coin\nsource_type: NUMISTA_API_COIN\nexpected_acceptors: [coin-catalogue]\n",
    )
    digest = hashlib.sha256(COIN.encode()).hexdigest()
    write(f"{coin}/snapshot.json", json.dumps({"content_hash": digest}))
    write(f"{coin}/content.bin", COIN)
    write("inbox/bill.txt", "Bill A-9, due 1 May 2026\n")
    return root


@pytest.mark.parametrize("name", sorted(CALLS))
def test_every_json_document_is_versioned_strict_and_sorted(project, bills, evals, name):
    os.chdir(project)
    form = ("--json",) if name == "explain" else ("--format", "json")
    found = evals(*CALLS[name], *form)
    assert found.out, found.err
    value = strict_json.loads(found.out, where=name)
    assert found.out == strict_json.dumps(value, indent=2) + "\n"
    documents = value if isinstance(value, list) else [value]
    assert documents
    assert all(one["version"] == JSON_VERSION for one in documents)
