"""What people write, checked at the edge: models that refuse, and faults that say where and why.

YAML scalars arrive as text (``strict_yaml``), JSON and TOML scalars as themselves; the readers here
take both, and take nothing for granted: ``"false"`` in quotes is not a boolean.
"""

import re
from collections.abc import Callable, Mapping
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from typing import Annotated, Any, TypeVar, get_args, get_origin

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    WithJsonSchema,
)
from pydantic_core import ErrorDetails, PydanticCustomError

from evals_pipeline.core.errors import Fault, InputError, did_you_mean
from evals_pipeline.core.strict_yaml import QuotedText, YamlDoc, YamlPath

_NUMBER = re.compile(r"[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d{1,3})?", re.ASCII)
_COUNT = re.compile(r"[-+]?\d{1,18}", re.ASCII)
_FLAGS = {"true": True, "True": True, "false": False, "False": False}
_SHOWN = 60


# What pydantic finds, in the words of this package.
_PROBLEMS = {
    "dict_type": "must be keys and values",
    "greater_than": "must be above {gt:g}",
    "greater_than_equal": "must be {ge:g} or more",
    "less_than": "must be below {lt:g}",
    "less_than_equal": "must be {le:g} or less",
    "list_type": "must be a list",
    "model_type": "must be keys and values",
    "string_pattern_mismatch": "must be of the form {pattern}",
    "string_too_long": "must be at most {max_length} characters",
    "string_type": "must be text",
    "tuple_type": "must be a list",
}


class EdgeModel(BaseModel):
    """Base of all that is read from a person's file: frozen, and unknown keys are faults."""

    # Inputs stay out of tracebacks: they may be document text, or a key pasted in the wrong place.
    model_config = ConfigDict(
        extra="forbid", frozen=True, allow_inf_nan=False, hide_input_in_errors=True
    )


def complete_refusal(problem: str, *, remedy: str = "") -> PydanticCustomError:
    """What a reader raises when its message shall not be followed by the value that it got."""
    return PydanticCustomError("complete", "{problem}", {"problem": problem, "remedy": remedy})


def read_flag(raw: object) -> object:
    """A boolean from ``true`` and ``false``; anything else, and a quoted one, is refused."""
    if isinstance(raw, bool):
        return raw
    if isinstance(raw, QuotedText) and raw in _FLAGS:
        raise ValueError(f"must be a boolean; write {raw} without quotes")
    if isinstance(raw, str) and not isinstance(raw, QuotedText) and raw in _FLAGS:
        return _FLAGS[raw]
    raise ValueError("must be true or false")


def read_number(raw: object) -> object:
    """An exact Decimal from a number, or from a plain scalar that spells one."""
    if isinstance(raw, int | float | Decimal) and not isinstance(raw, bool):
        return raw if isinstance(raw, Decimal) else Decimal(str(raw))
    if isinstance(raw, str) and _NUMBER.fullmatch(raw):
        if isinstance(raw, QuotedText):
            raise ValueError("must be a number; write it without quotes")
        return Decimal(raw)
    raise ValueError("must be a number")


def read_count(raw: object) -> object:
    """A whole number from a number, or from a plain scalar that spells one."""
    if isinstance(raw, int) and not isinstance(raw, bool):
        return raw
    if isinstance(raw, str) and _COUNT.fullmatch(raw):
        if isinstance(raw, QuotedText):
            raise ValueError("must be a whole number; write it without quotes")
        return int(raw)
    raise ValueError("must be a whole number")


def read_text(raw: object) -> object:
    """Text that says something: neither nothing, nor blank, nor a list or a number."""
    if raw is None:
        raise ValueError("is empty; expected text")
    if not isinstance(raw, str):
        raise ValueError(f"must be text, not {_sort_of(raw)}")
    if not raw.strip():
        raise ValueError("is empty; expected text")
    return str(raw)


def read_moment(raw: object) -> object:
    """Text that is an ISO 8601 date or moment, as written."""
    text = read_text(raw)
    try:
        datetime.fromisoformat(str(text))
    except ValueError:
        raise ValueError("must be an ISO 8601 date, such as 2026-07-02") from None
    return text


def read_some(raw: object) -> object:
    """A list with at least one item, or keys and values with at least one key."""
    if isinstance(raw, list | tuple | dict) and not raw:
        raise ValueError("is empty; expected at least one")
    return raw


def member_of(vocabulary: type[StrEnum]) -> Callable[[object], object]:
    """A reader of one word of a closed vocabulary; another word is answered with the nearest."""

    def read_member(raw: object) -> object:
        known = [member.value for member in vocabulary]
        if isinstance(raw, str) and raw in known:
            return vocabulary(raw)
        words = f"{', '.join(known[:-1])} or {known[-1]}" if len(known) > 1 else known[0]
        if raw is None or (isinstance(raw, str) and not raw.strip()):
            raise complete_refusal(f"is empty; expected {words}")
        problem = f"must be {words}, got {str(raw)[:_SHOWN]!r}"
        raise complete_refusal(problem, remedy=did_you_mean(str(raw), known))

    return read_member


Flag = Annotated[bool, BeforeValidator(read_flag)]
Number = Annotated[float, BeforeValidator(read_number)]
Exact = Annotated[Decimal, BeforeValidator(read_number), WithJsonSchema({"type": "number"})]
Count = Annotated[int, BeforeValidator(read_count)]
Text = Annotated[str, BeforeValidator(read_text), Field(json_schema_extra={"minLength": 1})]
Moment = Annotated[str, BeforeValidator(read_moment)]

M = TypeVar("M", bound=EdgeModel)


def validate_yaml(model: type[M], doc: YamlDoc, *, where: str) -> M:
    """``doc`` as a ``model``.

    Raises:
        InputError: Every fault of the document, each with its line.
    """
    return validate(model, doc.value, where=where, line_of=doc.line_of)


def validate(
    model: type[M],
    value: object,
    *,
    where: str,
    line_of: Callable[[YamlPath], int | None] | None = None,
    inside: YamlPath = (),
) -> M:
    """``value`` as a ``model``.

    Args:
        model: The shape expected.
        value: What a strict reader returned.
        where: The file, for messages.
        line_of: Gives the line of a path, where lines are known.
        inside: The path in the file at which the value stands.

    Raises:
        InputError: Every fault of the value at once.
    """
    if not isinstance(value, Mapping):
        raise InputError.one(where, f"expected keys and values, got {_sort_of(value)}")
    try:
        return model.model_validate(value)
    except ValidationError as error:
        faults = [_fault(model, e, inside=inside) for e in error.errors(include_url=False)]
        raise InputError(
            fault_at(
                path,
                problem,
                where=where,
                line=line_of(path) if line_of else None,
                remedy=remedy,
            )
            for path, problem, remedy in faults
        ) from error


def fault_at(
    path: YamlPath,
    problem: str,
    *,
    where: str,
    line: int | None = None,
    remedy: str | None = None,
) -> Fault:
    """A fault inside a file: beside its line when that is known, else beside the inner path."""
    inner = spell_path(path)
    if line is not None:
        text = f"{inner}: {problem}" if inner else problem
        return Fault(where=where, problem=text, remedy=remedy, line=line)
    return Fault(where=f"{where}: {inner}" if inner else where, problem=problem, remedy=remedy)


def spell_path(path: YamlPath) -> str:
    """A path as people write it.

    >>> spell_path(("cases", 0, "expected", 2, "content"))
    'cases[0].expected[2].content'
    """
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return text.removeprefix(".")


def _fault(
    model: type[EdgeModel], error: ErrorDetails, *, inside: YamlPath
) -> tuple[YamlPath, str, str | None]:
    """Path, problem and remedy of one of pydantic's errors."""
    path = tuple(step for step in error["loc"] if step != "[key]")
    problem, remedy = error["msg"].removeprefix("Value error, "), None
    if error["type"] == "missing":
        problem, remedy = "missing", "Add it."
    elif error["type"] == "extra_forbidden":
        problem = "unknown key"
        remedy = did_you_mean(str(path[-1]), _known_keys(model, path[:-1])) or "Remove it."
    elif error["type"] == "complete":
        remedy = error["ctx"]["remedy"] or None
    else:
        if error["type"] in _PROBLEMS:
            problem = _PROBLEMS[error["type"]].format(**error.get("ctx", {}))
        if isinstance(error["input"], str | int | float | Decimal):
            problem = f"{problem}, got {str(error['input'])[:_SHOWN]!r}"
        elif error["type"] in _PROBLEMS:
            problem = f"{problem}, got {_sort_of(error['input'])}"
    return (*inside, *path), problem, remedy


def _known_keys(model: type[EdgeModel], path: YamlPath) -> list[str]:
    """The keys that may stand at ``path``; empty where that is no model."""
    annotation: Any = model
    for step in path:
        annotation = _inner(annotation, step)
    found = _choice(annotation, _is_model)
    return [info.alias or name for name, info in found.model_fields.items()] if found else []


def _inner(annotation: Any, step: str | int) -> Any:
    """The annotation of what stands under ``step`` of a value of this annotation."""
    if model := _choice(annotation, _is_model):
        fields = {info.alias or name: info for name, info in model.model_fields.items()}
        return fields[step].annotation if step in fields else None
    if many := _choice(annotation, lambda part: get_origin(part) in (dict, list, tuple)):
        return get_args(many)[1 if get_origin(many) is dict else 0]
    return None


def _choice(annotation: Any, is_wanted: Callable[[Any], bool]) -> Any:
    """``annotation`` itself or the part of its union or Annotated that is wanted, or None."""
    if is_wanted(annotation):
        return annotation
    parts = () if get_origin(annotation) in (dict, list, tuple) else get_args(annotation)
    return next((found for part in parts if (found := _choice(part, is_wanted))), None)


def _is_model(annotation: Any) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, EdgeModel)


def _sort_of(value: object) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, Mapping):
        return "keys and values"
    if isinstance(value, list | tuple):
        return "a list"
    return "true or false" if isinstance(value, bool) else "a single value"
