"""Strict YAML: every scalar stays what the author typed, and every value knows its line.

YAML 1.1 turns ``NO`` into false, ``02142`` into a number and ``2024-01-05`` into a date. Here a
scalar is text until a typed reader (``edges.py``) is asked for a number or a boolean. Only a plain
empty value, ``~`` and ``null`` are None.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

import yaml

from evals_pipeline.core.errors import Fault, InputError

MAX_BYTES = 5 * 2**20
MAX_DEPTH = 64
MAX_ALIASED_NODES = 10_000

YamlValue: TypeAlias = "str | list[YamlValue] | dict[str, YamlValue] | None"
YamlPath: TypeAlias = tuple[str | int, ...]

_NULLS = frozenset({"", "~", "null", "Null", "NULL"})
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class QuotedText(str):
    """A scalar that the author put in quotes or in a block: text and nothing else."""

    __slots__ = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class YamlDoc:
    """A YAML document as typed.

    ``value`` holds dicts, lists, text and None; a quoted scalar is a ``QuotedText``. ``lines``
    gives for the path of every key and every list item the line it starts on, counted from 1.
    ``quoted`` holds the paths of quoted scalars.
    """

    value: YamlValue
    lines: Mapping[YamlPath, int]
    quoted: frozenset[YamlPath]

    def line_of(self, path: YamlPath) -> int | None:
        """The line of ``path``, else of the nearest parent that has one."""
        for end in range(len(path), -1, -1):
            if path[:end] in self.lines:
                return self.lines[path[:end]]
        return None


def loads(text: str | bytes, *, where: str) -> YamlDoc:
    """Reads one YAML document.

    Anchors, aliases and merge keys are followed; an explicit key wins over a merged one.

    Raises:
        InputError: Not YAML, not UTF-8, over 5 MB, several documents, a key twice, a tag, a key
            that is no text, aliases that unfold to more than 10 000 values, or deeper nesting
            than 64. Keys that stand twice are all named.
    """
    decoded = _decode(text, where=where)
    reader = _Reader(where=where)
    try:
        value = reader.read(yaml.parse(decoded, Loader=_LOADER))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        problem = " ".join(filter(None, (error.context, error.problem)))
        line = mark.line + 1 if mark else None
        raise InputError.one(where, f"not YAML: {problem}", line=line) from error
    except yaml.YAMLError as error:
        raise InputError.one(where, f"not YAML: {' '.join(str(error).split())}") from error
    if reader.faults:
        raise InputError(reader.faults)
    return YamlDoc(value=value, lines=reader.lines, quoted=frozenset(reader.quoted))


def _decode(text: str | bytes, *, where: str) -> str:
    if len(text) > MAX_BYTES:
        raise InputError.one(where, f"longer than {MAX_BYTES} bytes, got {len(text)}")
    try:
        # Text goes through bytes too, so that half of a surrogate pair is refused here.
        content = text.encode("utf-8") if isinstance(text, str) else text
        return content.decode("utf-8-sig")
    except UnicodeEncodeError as error:
        raise InputError.one(where, "holds half of a surrogate pair") from error
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise InputError.one(
            where, f"not UTF-8 at byte {error.start}", line=line, remedy="Save it as UTF-8."
        ) from error


@dataclass(slots=True, kw_only=True)
class _Tree:
    """A node with its line, before paths are known; one of the three contents is set."""

    line: int
    scalar: str | None = None
    items: "list[_Tree] | None" = None
    pairs: "list[tuple[_Tree, _Tree]] | None" = None


@dataclass(slots=True, kw_only=True)
class _Reader:
    """Builds values from parser events, with every fault that does not end the reading."""

    where: str
    faults: list[Fault] = field(default_factory=list)
    lines: dict[YamlPath, int] = field(default_factory=dict)
    quoted: set[YamlPath] = field(default_factory=set)
    anchors: dict[str, _Tree] = field(default_factory=dict)
    n_aliased: int = 0
    visited: set[int] = field(default_factory=set)
    open: set[int] = field(default_factory=set)

    def read(self, events: Iterator[yaml.Event]) -> YamlValue:
        root: _Tree | None = None
        for event in events:
            if isinstance(event, yaml.DocumentStartEvent):
                if root is not None:
                    raise self._refuse("holds several documents; expected one", event)
                root = self._tree(next(events), events, depth=0)
        if root is None:
            return None
        self.lines[()] = root.line
        return self._value(root, ())

    def _tree(self, event: yaml.Event, events: Iterator[yaml.Event], *, depth: int) -> _Tree:
        if depth > MAX_DEPTH:
            raise self._refuse(f"nested deeper than {MAX_DEPTH} levels", event)
        if not isinstance(event, yaml.NodeEvent):
            raise self._refuse("ends inside a value", event)
        if isinstance(event, yaml.AliasEvent):
            if event.anchor not in self.anchors:
                raise self._refuse(f"the alias *{event.anchor} has no anchor before it", event)
            return self.anchors[event.anchor]
        tag = getattr(event, "tag", None)
        if tag is not None:
            raise self._refuse(f"has the tag {tag}; tags are not read", event)
        tree = _Tree(line=_line(event))
        if event.anchor is not None:
            self.anchors[event.anchor] = tree
        if isinstance(event, yaml.ScalarEvent):
            tree.scalar = event.value if event.implicit[0] else QuotedText(event.value)
        elif isinstance(event, yaml.SequenceStartEvent):
            tree.items = list(self._trees(events, yaml.SequenceEndEvent, depth=depth + 1))
        else:
            inner = self._trees(events, yaml.MappingEndEvent, depth=depth + 1)
            tree.pairs = list(zip(inner, inner, strict=True))
        return tree

    def _trees(
        self, events: Iterator[yaml.Event], end: type[yaml.Event], *, depth: int
    ) -> Iterator[_Tree]:
        while not isinstance(event := next(events), end):
            yield self._tree(event, events, depth=depth)

    def _value(self, tree: _Tree, path: YamlPath) -> YamlValue:
        self._enter(tree)
        value: YamlValue
        if tree.scalar is not None:
            value = None if tree.scalar in _NULLS else tree.scalar
            if isinstance(tree.scalar, QuotedText):
                self.quoted.add(path)
                value = tree.scalar
        elif tree.items is not None:
            value = [self._placed(item, item, (*path, i)) for i, item in enumerate(tree.items)]
        else:
            entries = self._entries(tree).items()
            value = {name: self._placed(key, item, (*path, name)) for name, (key, item) in entries}
        self.open.discard(id(tree))
        return value

    def _placed(self, mark: _Tree, tree: _Tree, path: YamlPath) -> YamlValue:
        self.lines[path] = mark.line
        return self._value(tree, path)

    def _entries(self, tree: _Tree) -> dict[str, tuple[_Tree, _Tree]]:
        """The keys of a mapping with their values; what it states itself wins over a merge."""
        stated: dict[str, tuple[_Tree, _Tree]] = {}
        merged: dict[str, tuple[_Tree, _Tree]] = {}
        for key, item in tree.pairs or []:
            if not key.scalar:
                self._fault("a key must be text that is not empty", key.line)
            elif key.scalar == "<<" and not isinstance(key.scalar, QuotedText):
                merged = {**self._merged(item), **merged}
            elif (name := str(key.scalar)) in stated:
                first = stated[name][0].line
                self._fault(f"duplicate key {name!r}, first on line {first}", key.line)
            else:
                stated[name] = (key, item)
        return {**merged, **stated}

    def _merged(self, tree: _Tree) -> dict[str, tuple[_Tree, _Tree]]:
        merged: dict[str, tuple[_Tree, _Tree]] = {}
        for source in [tree] if tree.items is None else tree.items:
            if source.pairs is None:
                self._fault("a merge key (<<) takes a mapping or a list of mappings", source.line)
                continue
            self._enter(source)
            merged = {**self._entries(source), **merged}
            self.open.discard(id(source))
        return merged

    def _enter(self, tree: _Tree) -> None:
        """Refuses a node that holds itself, and aliases that unfold without end."""
        if id(tree) in self.open:
            raise InputError.one(self.where, "an alias holds itself", line=tree.line)
        if len(self.open) > MAX_DEPTH:  # aliases may nest deeper than the text does
            problem = f"nested deeper than {MAX_DEPTH} levels"
            raise InputError.one(self.where, problem, line=tree.line)
        self.open.add(id(tree))
        self.n_aliased += id(tree) in self.visited
        self.visited.add(id(tree))
        if self.n_aliased > MAX_ALIASED_NODES:
            problem = f"aliases unfold to more than {MAX_ALIASED_NODES} values"
            raise InputError.one(self.where, problem, line=tree.line)

    def _fault(self, problem: str, line: int) -> None:
        self.faults.append(Fault(where=self.where, problem=problem, line=line))

    def _refuse(self, problem: str, event: yaml.Event) -> InputError:
        return InputError.one(self.where, problem, line=_line(event))


def _line(event: yaml.Event) -> int:
    return event.start_mark.line + 1 if event.start_mark else 1
