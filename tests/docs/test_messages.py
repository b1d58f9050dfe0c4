"""Pages, anchors, commands and options that messages tell people to read or run exist."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from evals_pipeline.cli.main import cli
from tests.docs.pages import ROOT, anchors

PACKAGE = ROOT / "evals_pipeline"
PLACE = "X"
"""Stands for what a message fills in."""

_PAGE = re.compile(r"\b(docs/[\w/.-]+?\.md)(?:#([\w-]+))?")
# A command line is set off from the sentence it stands in: by quotes, or behind a colon.
_COMMAND = re.compile(r"""(?:["`]|(?:run|See|with|next|evals list): )(evals [a-z][^"`;\n]*)""")
_OPTION = re.compile(r"(?<=\s)--[a-z][a-z-]*")


def texts_of(path: Path) -> Iterator[str]:
    """The texts of a module, what f-strings fill in replaced; other files are one text."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        yield text
        return
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.JoinedStr):
            parts = (one.value if isinstance(one, ast.Constant) else PLACE for one in node.values)
            yield "".join(map(str, parts))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def sources() -> list[Path]:
    found = [path for path in PACKAGE.rglob("*") if path.suffix in (".py", ".j2", ".js", ".json")]
    roots = [ROOT / name for name in ("Makefile", "pyproject.toml", "dagster.yaml")]
    set_files = [*ROOT.glob("golden/*/*.yaml"), *ROOT.glob("suites/**/*.yaml")]
    return sorted([*found, *roots, *set_files])


def said(pattern: re.Pattern[str]) -> list[tuple[str, str]]:
    """Where and what, for everything in the texts that a pattern finds."""
    return sorted(
        {
            (str(path.relative_to(ROOT)), match[0] if pattern is _PAGE else match[1])
            for path in sources()
            for text in texts_of(path)
            for match in pattern.finditer(text)
        }
    )


def test_messages_name_pages_and_commands():
    assert len(said(_PAGE)) > 8
    assert len(said(_COMMAND)) > 50


@pytest.mark.parametrize(("where", "named"), said(_PAGE), ids=lambda one: one)
def test_every_page_that_a_message_names_exists(where: str, named: str):
    path, _, anchor = named.partition("#")
    assert (ROOT / path).is_file(), where
    assert not anchor or anchor in anchors(ROOT / path), where


@pytest.mark.parametrize(("where", "line"), said(_COMMAND), ids=lambda one: one)
def test_every_command_that_a_message_names_exists(where: str, line: str):
    command: click.Command = cli
    for word in line.split()[1:]:
        if not isinstance(command, click.Group) or not re.match(r"[a-z]", word):
            break
        with click.Context(command) as context:
            found = command.get_command(context, re.sub(r"[^a-z-]+$", "", word))
        assert found is not None, f"{where}: {line}"
        command = found
    known = {name for one in command.params for name in (*one.opts, *one.secondary_opts)}
    assert set(_OPTION.findall(line)) <= {*known, "--help"}, f"{where}: {line}"
