"""The conversation of ``evals golden label``: one document, field by field.

Nothing here knows a terminal: it asks and says through what it is given, so that it can be tested
and piped. Every answer is saved before the next question.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum

from evals_pipeline.cli.answer_words import how_read, shorten, spell, spell_kind
from evals_pipeline.cli.document_view import DocumentView
from evals_pipeline.cli.field_help import COMMANDS, explain_field
from evals_pipeline.core.errors import InputError
from evals_pipeline.core.records import FieldSpec, JsonValue
from evals_pipeline.core.visible import visible_line
from evals_pipeline.pipeline.label_answers import ABSENT, Answer, AnswerReader, Choice, Unread
from evals_pipeline.pipeline.labelling import LabellingDesk
from evals_pipeline.pipeline.suggestions import TAG, Suggestions
from evals_pipeline.sets.label_files import Draft

TAKE = "="


class Outcome(Enum):
    """How the conversation about a document ended."""

    FINISHED = "finished"
    LEFT_OPEN = "left open"
    QUIT = "quit"


class _Quit(Exception):  # noqa: N818 - no error: the labeller has had enough
    """The labeller stops."""


class _Back(Exception):  # noqa: N818 - no error: the labeller goes back
    """The labeller wants the field before."""


@dataclass(slots=True, kw_only=True)
class Session:
    """One labeller at one document.

    Args:
        desk: Stores what is said.
        draft: The document.
        ask: Gives one line that the labeller types after a prompt; EOFError ends the session.
        say: Shows one line.
        suggestions: What a model version says of the document; None where nobody asked for it.
    """

    desk: LabellingDesk
    draft: Draft
    ask: Callable[[str], str]
    say: Callable[[str], None]
    view: DocumentView
    suggestions: Suggestions | None = None
    _reader: AnswerReader = field(init=False)

    def __post_init__(self) -> None:
        self._reader = self.desk.reader(self.draft)

    def run(self) -> Outcome:
        """Asks for every field that is open, then for a last look."""
        try:
            self.view.show_start()
            self._ask_fields(list(self._specs))
            return self._review()
        except (_Quit, EOFError, KeyboardInterrupt):
            self.say("")
            return Outcome.QUIT

    @property
    def _specs(self) -> dict[str, FieldSpec]:
        return dict(self.desk.desk.specs)

    # --- fields ---------------------------------------------------------------------------------

    def _ask_fields(self, names: Sequence[str]) -> None:
        position = 0
        is_going_back = False
        while position < len(names):
            name = names[position]
            if name in self.draft.fields and not is_going_back:
                position += 1
                continue
            is_going_back = False
            try:
                self._ask_field(name)
            except _Back:
                is_going_back = True
                position = max(0, position - 1)
                continue
            position += 1

    def _ask_field(self, name: str) -> None:
        spec = self._specs[name]
        number = list(self._specs).index(name) + 1
        self.say("")
        self.say(f"{number:>3}/{len(self._specs)}  {name} · {spell_kind(spec)}")
        if name in self.draft.fields:
            self.say(f"        now {spell(self.draft.fields[name])}; Enter keeps it")
        self._offer(spec)
        while True:
            typed = self._line(spec)
            if not typed:
                if name not in self.draft.fields:
                    self.say("        left open")
                return
            answer = self._answer(spec, typed)
            if answer is not None and self._record(spec, answer):
                return

    def _record(self, spec: FieldSpec, answer: Answer) -> bool:
        try:
            self.draft = self.desk.record(self.draft, spec.name, answer.value)
        except InputError as error:
            self.say(f"        ? {error.faults[0].problem}")
            return False
        stored = self.draft.fields[spec.name]
        if stored != answer.value:
            self.say(f"        masked: {shorten(stored)}")
        else:
            self.say(f"        {how_read(spec, answer)}")
        return True

    def _line(self, spec: FieldSpec, prompt: str = "      > ") -> str:
        """A line that is an answer; commands are carried out on the way."""
        while True:
            typed = self.ask(prompt).strip()
            if typed in ("?", ":help"):
                for line in (*explain_field(spec), *COMMANDS):
                    self.say(f"        {line}")
            elif typed.startswith(":") and not typed.startswith(":raw "):
                self._command(typed)
            else:
                return typed

    def _command(self, typed: str) -> None:
        name, _, rest = typed[1:].partition(" ")
        match name:
            case "quit" | "q":
                raise _Quit
            case "back" | "b":
                raise _Back
            case "more" | "m":
                self.view.show_more()
            case "doc" | "d":
                self.view.show_start()
            case "find" | "f" if rest.strip():
                self.view.show_found(rest.strip())
            case "open" | "o":
                self.say(f"        {self.desk.path(self.draft.doc)}")
            case _:
                self.say(
                    f"        ? no such command: {visible_line(typed, limit=40)}; ? lists them"
                )

    # --- answers --------------------------------------------------------------------------------

    def _answer(self, spec: FieldSpec, typed: str) -> Answer | None:
        if typed == TAKE:
            return self._taken(spec)
        if typed.startswith(":raw "):
            return self._reader.as_it_is(spec, typed.removeprefix(":raw ").strip())
        if typed.casefold() != ABSENT and spec.kind == "list":
            return self._items(spec, typed)
        if typed.casefold() != ABSENT and spec.kind == "table":
            return self._rows(spec, typed)
        return self._settled(self._reader.read_typed(spec, typed))

    def _settled(self, answer: Answer | Choice | Unread) -> Answer | None:
        """The answer, after a question where it reads in two ways; None: to be typed again."""
        match answer:
            case Answer():
                return answer
            case Unread(problem=problem):
                self.say(f"        ? {visible_line(problem, limit=200)}")
                return None
            case Choice(options=options):
                return self._chosen(options)

    def _chosen(self, options: Sequence[Answer]) -> Answer | None:
        self.say("        reads in two ways:")
        for number, option in enumerate(options, start=1):
            why = f"  {option.steps[0]}" if option.steps else ""
            self.say(f"          {number}  {option.shown}{why}")
        while True:
            typed = self.ask("      which? ").strip()
            if typed.isdecimal() and 1 <= int(typed) <= len(options):
                return options[int(typed) - 1]
            if not typed:
                return None

    def _items(self, spec: FieldSpec, first: str) -> Answer | None:
        """A list, an item a line; an empty line ends it."""
        item = spec.item or FieldSpec(name="item", kind="text")
        items: list[JsonValue] = []
        typed = first
        while typed:
            if typed == ":undo":
                self._undo(items)
            else:
                answer = self._settled(self._reader.read_typed(item, typed))
                if answer is not None:
                    items.append(answer.value)
            typed = self._part(spec, f"  item {len(items) + 1} > ")
        return self._settled(self._reader.read_json(spec, list(items)))

    def _rows(self, spec: FieldSpec, first: str) -> Answer | None:
        """A table, a row a line, cells parted by bars; an empty line ends it."""
        rows: list[JsonValue] = []
        typed = first
        while typed:
            if typed == ":undo":
                self._undo(rows)
            else:
                row = self._reader.read_cells(spec, typed)
                if isinstance(row, Unread):
                    self.say(f"        ? {visible_line(row.problem, limit=200)}")
                else:
                    rows.append(dict(row))
            typed = self._part(spec, f"  row {len(rows) + 1} > ")
        return self._settled(self._reader.read_json(spec, list(rows)))

    def _part(self, spec: FieldSpec, prompt: str) -> str:
        while True:
            typed = self.ask(f"    {prompt}").strip()
            if typed == ":undo" or not typed.startswith((":", "?")):
                return typed
            if typed == "?":
                for line in explain_field(spec):
                    self.say(f"        {line}")
            else:
                self._command(typed)

    def _undo(self, parts: list[JsonValue]) -> None:
        if parts:
            parts.pop()
        self.say(f"        {len(parts)} left")

    # --- suggestions ----------------------------------------------------------------------------

    def _offer(self, spec: FieldSpec) -> None:
        if self.suggestions is None or spec.name not in self.suggestions.values:
            return
        value = spell(self.suggestions.values[spec.name])
        self.say(f"        {self.suggestions.model_version} says: {value}   ({TAKE} takes it)")

    def _taken(self, spec: FieldSpec) -> Answer | None:
        if self.suggestions is None or spec.name not in self.suggestions.values:
            self.say("        ? there is no suggestion; type the value")
            return None
        answer = self._settled(self._reader.read_json(spec, self.suggestions.values[spec.name]))
        if answer is not None:
            self.draft = self.desk.tag(self.draft, f"{TAG}:{self.suggestions.model_version}")
        return answer

    # --- the end --------------------------------------------------------------------------------

    def _review(self) -> Outcome:
        while True:
            self.say("")
            self._show_all()
            for name in self.desk.desk.surplus(self.draft):
                value = spell(self.draft.fields[name])
                self.say(f"     {name}  {value}  (the set has no such field now; it is left out)")
            missing = self.desk.desk.missing(self.draft)
            verb = "leaves them for later" if missing else "makes it a label"
            typed = self.ask(f"Enter {verb}; a field's name or number changes it > ").strip()
            if not typed:
                break
            if typed in (":quit", ":q"):
                raise _Quit
            self._ask_again(typed)
        if missing:
            return Outcome.LEFT_OPEN
        path = self.desk.finish(self.draft)
        self.say(f"labelled: {path.relative_to(self.desk.project.root)}")
        return Outcome.FINISHED

    def _ask_again(self, typed: str) -> None:
        names = list(self._specs)
        if typed.isdecimal() and 1 <= int(typed) <= len(names):
            typed = names[int(typed) - 1]
        if typed not in names:
            self.say(f"? no such field: {visible_line(typed, limit=40)}")
            return
        try:
            self._ask_field(typed)
        except _Back:
            return

    def _show_all(self) -> None:
        widest = max(len(name) for name in self._specs)
        for number, name in enumerate(self._specs, start=1):
            value = "(open)"
            if name in self.draft.fields:
                value = spell(self.draft.fields[name])
            self.say(f"{number:>3}  {name:<{widest}}  {value}")
