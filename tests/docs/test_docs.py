"""The documentation says what the program does: commands, settings, formats, links, output."""

import itertools
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest

from evals_pipeline.cli.main import cli
from evals_pipeline.core import outcomes
from evals_pipeline.core.judge_settings import JudgeSettings
from evals_pipeline.core.run_records import PartitionKey
from evals_pipeline.core.settings import (
    OTHER_VARIABLES,
    AlertSettings,
    ModelSettings,
    PriceOverride,
    PromptExtractorSettings,
    ResolveSettings,
    Settings,
)
from evals_pipeline.extract.prompts import VARIABLES, PromptHead
from evals_pipeline.pipeline.extraction import extract_partition
from evals_pipeline.pipeline.freshness import planned_runs
from evals_pipeline.pipeline.judging import judge_partition
from evals_pipeline.pipeline.project import Project
from evals_pipeline.pipeline.scoring import score_model
from evals_pipeline.pipeline.stamps import make_stamp
from evals_pipeline.sets.labels import CorrectionModel, LabelModel
from evals_pipeline.sets.set_model import FieldModel, GateModel, SetModel, known_kinds
from evals_pipeline.sets.suite_model import (
    CaseModel,
    ExpectedModel,
    GoldSubjectModel,
    SnapshotModel,
    SuiteModel,
)
from evals_pipeline.store.tables import TABLES
from tests.docs.pages import (
    DOCS,
    ROOT,
    Block,
    Named,
    anchors,
    blocks,
    commands,
    links,
    pages,
    sections,
    text_of,
)

GATED = ("constructed-llm-2026-07@plain", "constructed-llm-2026-07@hinted")
RECORDED = ("qwen2.5-coder-0.5b-instruct-q4@plain", "qwen2.5-coder-0.5b-instruct-q4@hinted")


# --- commands -----------------------------------------------------------------------------------


def command_paths() -> Iterator[tuple[str, ...]]:
    """Every command that can be called, groups followed into their commands."""

    def walk(group: click.Group, path: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
        with click.Context(group) as context:
            for name in group.list_commands(context):
                found = group.get_command(context, name)
                if isinstance(found, click.Group):
                    yield from walk(found, (*path, name))
                else:
                    yield (*path, name)

    yield from walk(cli, ())


def command_at(words: tuple[str, ...]) -> tuple[click.Command, tuple[str, ...]]:
    """The command that words name, with the words that are its own."""
    command: click.Command = cli
    while isinstance(command, click.Group) and words and not words[0].startswith("-"):
        with click.Context(command) as context:
            found = command.get_command(context, words[0])
        assert found is not None, f"there is no command {words[0]!r}"
        command, words = found, words[1:]
    return command, words


def all_commands() -> list[Named]:
    return [one for page in pages() for one in commands(page)]


def test_pages_name_commands():
    assert len(all_commands()) > 50


def examples_in_help() -> Iterator[Named]:
    """The command lines that the commands' own help gives as examples."""
    for path in command_paths():
        command, _ = command_at(path)
        shown = (command.epilog or "").partition(":")[2]
        for example in re.split(r";\s+(?=evals )", shown):
            words = shlex.split(example)
            yield Named(where=f"help of {' '.join(path)}: {example.strip()}", words=(*words[1:],))


def test_every_command_has_an_example_in_its_help():
    lacking = [
        path for path in command_paths() if "evals " not in (command_at(path)[0].epilog or "")
    ]
    assert not lacking


@pytest.mark.parametrize(
    "named", [*all_commands(), *examples_in_help()], ids=lambda named: named.where
)
def test_every_command_exists_with_its_options(named: Named):
    command, words = command_at(named.words)
    with click.Context(command) as context:
        _, _, given = command.make_parser(context).parse_args(list(words))
        values = dict(zip(given, given, strict=True))
    for parameter in values:
        if isinstance(parameter.type, click.Choice):
            stated = _stated(words, parameter)
            assert set(stated) <= set(parameter.type.choices), named.where


def _stated(words: tuple[str, ...], parameter: click.Parameter) -> list[str]:
    """The values that words give an option."""
    return [
        value
        for name, value in itertools.pairwise(words)
        if name in parameter.opts and value.islower()
    ]


@pytest.mark.parametrize("path", list(command_paths()), ids=" ".join)
def test_every_command_and_option_is_in_the_reference(path: tuple[str, ...]):
    found = sections(DOCS / "commands.md")
    title = f"evals {' '.join(path)}"
    assert title in found
    command, _ = command_at(path)
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            names = [name for name in parameter.opts if name.startswith("--")]
            assert any(f"`{name}" in found[title] for name in names), (title, names)


# --- settings and formats -----------------------------------------------------------------------


def names_in_code(page: Path) -> set[str]:
    """Every word that a page sets in code type or shows in a block."""
    return set(re.findall(r"[A-Za-z_]\w*", " ".join(_code_of(page))))


def _code_of(page: Path) -> Iterator[str]:
    yield from (block.text for block in blocks(page))
    yield from re.findall(r"`([^`\n]+)`", text_of(page))


@pytest.mark.parametrize(
    "model",
    [
        Settings,
        JudgeSettings,
        ResolveSettings,
        AlertSettings,
        ModelSettings,
        PromptExtractorSettings,
        PriceOverride,
    ],
)
def test_every_setting_is_in_the_reference(model: type[Any]):
    documented = names_in_code(DOCS / "settings.md")
    assert {name for name in model.model_fields if name != "name"} <= documented


def test_every_variable_is_in_the_reference():
    text = text_of(DOCS / "settings.md")
    tables = {"judge", "resolve", "alerts", "models", "extractors", "prices"}
    single = [name for name in Settings.model_fields if name not in tables]
    variables = {
        *OTHER_VARIABLES,
        *(f"EVALS_{name.upper()}" for name in single),
        *(f"EVALS_JUDGE_{name.upper()}" for name in JudgeSettings.model_fields),
        *(f"EVALS_RESOLVE_{name.upper()}" for name in ResolveSettings.model_fields),
        *(f"EVALS_ALERTS_{name.upper()}" for name in AlertSettings.model_fields),
    }
    assert not {name for name in variables if f"`{name}`" not in text}


@pytest.mark.parametrize(
    "model",
    [
        SetModel,
        FieldModel,
        GateModel,
        LabelModel,
        CorrectionModel,
        SuiteModel,
        CaseModel,
        ExpectedModel,
        SnapshotModel,
        GoldSubjectModel,
        PromptHead,
    ],
)
def test_every_key_of_a_file_is_in_the_formats(model: type[Any]):
    keys = {info.alias or name for name, info in model.model_fields.items()}
    assert keys <= names_in_code(DOCS / "formats.md")


def test_every_variable_of_a_prompt_is_in_the_formats():
    assert set(VARIABLES) <= names_in_code(DOCS / "formats.md")


def test_every_kind_has_a_place_in_the_formats():
    own = {kind for kind in known_kinds()}
    assert own <= names_in_code(DOCS / "formats.md")


def test_every_table_of_the_store_is_described():
    documented = names_in_code(DOCS / "operations.md")
    assert {table.name for table in TABLES if table.is_in_catalogue} <= documented


@pytest.mark.parametrize(
    "vocabulary",
    [
        outcomes.ExtractionStatus,
        outcomes.ClaimOutcome,
        outcomes.GoldOutcome,
        outcomes.FieldOutcome,
        outcomes.Presence,
        outcomes.FieldVerdict,
        outcomes.GateVerdict,
    ],
)
def test_every_word_of_a_vocabulary_is_in_the_glossary(vocabulary: type[outcomes.StrEnum]):
    assert {word.value for word in vocabulary} <= names_in_code(DOCS / "glossary.md")


# --- links --------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_resolves(page: Path):
    for link in links(page):
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), f"{page.name}: {link}"
        assert target.is_relative_to(ROOT), f"{page.name}: {link}"
        if anchor:
            assert anchor in anchors(target), f"{page.name}: {link}"


def test_every_page_is_reached_from_the_site():
    navigation = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    missing = [
        str(page.relative_to(DOCS))
        for page in DOCS.rglob("*.md")
        if str(page.relative_to(DOCS)) not in navigation
    ]
    assert not missing


# --- output -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def project_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the repository's project, what its pages show of it scored."""
    folder = tmp_path_factory.mktemp("documented")
    for name in ("golden", "suites"):
        shutil.copytree(ROOT / name, folder / name)
    shutil.copy(ROOT / "pyproject.toml", folder / "pyproject.toml")
    project = Project.open(folder, environ={})
    stamp = make_stamp(folder)
    for model in (*GATED, *RECORDED):
        for run_index in planned_runs(project, "invoices", model):
            key = PartitionKey(set_name="invoices", model_version=model, run_index=run_index)
            extract_partition(project, key, stamp=stamp)
            judge_partition(project, key, stamp=stamp)
        score_model(project, "invoices", model, stamp=stamp)
    return folder


def blocks_to_run() -> list[Block]:
    return [block for page in pages() for block in blocks(page) if block.status is not None]


def test_some_output_is_tested():
    assert len(blocks_to_run()) >= 5


@pytest.mark.parametrize("block", blocks_to_run(), ids=lambda block: block.name)
def test_shown_output_is_what_comes_out(
    block: Block, project_folder: Path, monkeypatch: pytest.MonkeyPatch
):
    if block.language == "python":
        monkeypatch.chdir(project_folder)
        _run_python(block)
        return
    commands_and_outputs = re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]
    status = 0
    for part in commands_and_outputs:
        lines = part.replace("\\\n", " ").splitlines()
        status, printed = _run(lines[0], project_folder)
        expected = "\n".join(line.rstrip() for line in lines[1:]).strip("\n")
        assert re.fullmatch(_as_pattern(expected), printed), printed
    assert status == block.status


def _run_python(block: Block) -> None:
    """Runs a block after those before it on its page, which it may build on."""
    names: dict[str, Any] = {}
    for one in blocks(block.page):
        if one.language == "python" and one.status is not None and one.line <= block.line:
            exec(compile(one.text, one.name, "exec"), names)


def _run(line: str, folder: Path) -> tuple[int, str]:
    words = shlex.split(line)
    environ = {name: value for name, value in os.environ.items() if name[:6] != "EVALS_"}
    environ |= {"COLUMNS": "100", "PYTHONUTF8": "1"}
    while "=" in words[0]:
        name, _, environ[name] = words.pop(0).partition("=")
    assert words[0] in ("evals", ".venv/bin/evals"), line
    done = subprocess.run(
        [sys.executable, "-m", "evals_pipeline.cli.main", *words[1:]],
        cwd=folder,
        env=environ,
        capture_output=True,
        text=True,
        check=False,
    )
    printed = done.stdout if done.stdout.strip() else done.stderr
    return done.returncode, "\n".join(line.rstrip() for line in printed.splitlines()).strip("\n")


def _as_pattern(expected: str) -> str:
    """The expected text; … in a line stands for any letters, a line of it for any lines."""
    lines = (re.escape(line).replace("…", ".*") for line in expected.splitlines())
    return r"\n".join(r"[\s\S]*" if line == ".*" else line for line in lines)


def test_the_json_pages_name_every_key(project_folder: Path):
    documented = names_in_code(DOCS / "json.md")
    for line in (
        f"evals gate invoices --model {GATED[1]} --no-save --format json",
        "evals list --format json",
        "evals validate golden/invoices --format json",
        f"evals trace invoices --model {GATED[1]} --field due_date --format json",
        "evals baseline show invoices --format json",
        "evals golden verify invoices --format json",
        "evals explain --kind text --json a b",
        f"evals score invoices --predictions golden/invoices/predictions/{GATED[1]}.jsonl "
        "--format json",
    ):
        _, printed = _run(line, project_folder)
        unnamed = set(_keys(json.loads(printed))) - documented
        assert not unnamed, line


def _keys(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from _keys(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _keys(inner)
