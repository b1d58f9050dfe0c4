"""The settings of a project: ``[tool.evals]`` of its pyproject.toml, under the environment.

Keys of providers are never settings: a model names the environment variable that holds its key.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from decimal import Decimal
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import BeforeValidator, Field, model_validator

from evals_pipeline.core.edges import (
    Count,
    EdgeModel,
    Exact,
    Flag,
    Number,
    Text,
    member_of,
    spell_path,
    validate,
)
from evals_pipeline.core.errors import Fault, InputError, SetupError, did_you_mean
from evals_pipeline.core.judge_settings import JudgeKind, JudgeSettings
from evals_pipeline.core.model_version import check_model_version
from evals_pipeline.core.setting_values import (
    Executor,
    Folders,
    PathSetting,
    StorageSetting,
    Variable,
)
from evals_pipeline.core.strict_yaml import QuotedText, YamlPath


class WikidataUse(StrEnum):
    """Whether subjects are looked up in Wikidata: not at all, in recorded answers, or live."""

    OFF = "off"
    RECORDED = "recorded"
    LIVE = "live"


class Provider(StrEnum):
    """What answers for a model version."""

    OPENAI = "openai"
    CODE = "code"
    PREDICTIONS = "predictions"


class StructuredOutput(StrEnum):
    """How an endpoint is asked for JSON; ``auto`` takes the strictest way that it has."""

    AUTO = "auto"
    JSON_SCHEMA = "json_schema"
    JSON_OBJECT = "json_object"
    TEXT = "text"


class DocumentInput(StrEnum):
    """In which form a document is put before a model."""

    AUTO = "auto"
    TEXT = "text"
    PDF_IMAGES = "pdf_images"
    IMAGE = "image"


class ModelSettings(EdgeModel):
    """One model version: its key, what answers for it, and how it is asked.

    ``files`` (predictions) maps a set to its JSONL; ``prompts`` replaces a set's prompt for this
    model version; ``sets``, when stated, are the only sets that it serves (none, where a model only
    judges), and ``runs`` the most repeats that it has; ``provider_model`` names the model that a
    predictions file came from, or that ``model`` has to answer as where that is another name;
    ``against`` names the model version whose baseline this one is gated with.
    """

    name: str
    provider: Annotated[Provider, BeforeValidator(member_of(Provider))]
    model: Text | None = None
    base_url: Text | None = Field(default=None, pattern=r"^https?://")
    api_key_env: Variable | None = None
    recordings: PathSetting | None = None
    files: dict[str, PathSetting] = Field(default_factory=dict)
    prompts: dict[str, PathSetting] = Field(default_factory=dict)
    provider_model: Text | None = None
    against: Text | None = None
    sets: tuple[Text, ...] | None = None
    runs: Count | None = Field(default=None, ge=1, le=1000)
    max_concurrency: Count = Field(default=8, ge=1, le=1000)
    timeout_s: Number = Field(default=60.0, gt=0)
    max_retries: Count = Field(default=5, ge=0, le=100)
    requests_per_minute: Number | None = Field(default=None, gt=0)
    max_output_tokens: Count | None = Field(default=None, ge=1)
    temperature: Number | None = Field(default=0.0, ge=0)
    seed: Count | None = None
    structured: Annotated[StructuredOutput, BeforeValidator(member_of(StructuredOutput))] = (
        StructuredOutput.AUTO
    )
    input: Annotated[DocumentInput, BeforeValidator(member_of(DocumentInput))] = DocumentInput.AUTO
    budget_usd: Exact | None = Field(default=None, ge=0)
    budget_tokens: Count | None = Field(default=None, ge=0)
    parameters: dict[str, Any] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _needs_of_its_provider(self) -> Self:
        if self.provider is Provider.OPENAI and self.model is None:
            raise ValueError('provider "openai" needs model, the exact name to ask for')
        if self.provider is Provider.PREDICTIONS and not self.files:
            raise ValueError('provider "predictions" needs files, {set = "path.jsonl"}')
        if self.provider is Provider.CODE and not re.fullmatch(r"[^@]+@[^@]+", self.name):
            raise ValueError('provider "code" needs a key of the form "<extractor>@<version>"')
        return self


class PromptExtractorSettings(EdgeModel):
    """A prompt that emits claims, as an extractor; empty ``source_types`` accepts every type."""

    name: str
    prompt: PathSetting
    source_types: tuple[Text, ...] = ()
    must_not: tuple[Text, ...] = ()


class PriceOverride(EdgeModel):
    """Prices of a model in US dollars per million tokens; what is not stated stays unknown."""

    input: Exact | None = Field(default=None, ge=0)
    cached_input: Exact | None = Field(default=None, ge=0)
    output: Exact | None = Field(default=None, ge=0)


class ResolveSettings(EdgeModel):
    """How gold subjects are resolved.

    ``authority`` is a file of names and references, read when it is there; ``recordings`` a folder
    of Wikidata's answers that is read before the network. ``contact`` is whom Wikidata may write
    to, without which it is not asked live. ``least`` and ``margin`` say how clearly the context has
    to speak for one sense of a name.
    """

    authority: PathSetting = Path("suites/subjects/authority.yaml")
    wikidata: Annotated[WikidataUse, BeforeValidator(member_of(WikidataUse))] = WikidataUse.OFF
    wikidata_url: Text = Field(default="https://www.wikidata.org/w/api.php", pattern=r"^https?://")
    contact: Text | None = None
    recordings: PathSetting | None = None
    requests_per_minute: Number = Field(default=60.0, gt=0)
    least: Number = Field(default=0.25, ge=0, le=1)
    margin: Number = Field(default=0.05, ge=0, le=1)


class AlertSettings(EdgeModel):
    """Where a failed run is posted; off without ``webhook_env``, the variable with the address."""

    webhook_env: Variable | None = None
    dagster_url: Text | None = Field(default=None, pattern=r"^https?://")


class Settings(EdgeModel):
    """All settings, with the defaults of a project that states none.

    ``calibration_judge`` is who labels claims for a fit; None: a model those of a model, ``judge``
    the others. ``confirm_limit`` counts calls; ``min_documents`` and ``max_documents`` are where a
    hint on the size of a golden set begins. ``fixtures_dir`` names folders of suite fixtures beside
    ``fixtures`` under ``suites_dir``. Paths are relative to the project's folder.
    """

    runs: Count = Field(default=3, ge=1, le=1000)
    judge: JudgeSettings = Field(default_factory=JudgeSettings)
    resolve: ResolveSettings = Field(default_factory=ResolveSettings)
    alerts: AlertSettings = Field(default_factory=AlertSettings)
    models: dict[str, ModelSettings] = Field(default_factory=dict)
    extractors: dict[str, PromptExtractorSettings] = Field(default_factory=dict)
    prices: dict[str, PriceOverride] = Field(default_factory=dict)
    confirm_limit: Count = Field(default=200, ge=0)
    storage: StorageSetting = Path("storage")
    executor: Executor = "in_process"
    suites_dir: PathSetting = Path("suites")
    fixtures_dir: Folders = ()
    golden_dir: PathSetting = Path("golden")
    record_claim_text: Flag = True
    calibration_judge: Annotated[JudgeKind | None, BeforeValidator(member_of(JudgeKind))] = None
    min_documents: Count = Field(default=40, ge=0)
    max_documents: Count = Field(default=600, ge=1)
    prompts_wait_for_commit: Flag = False

    @model_validator(mode="after")
    def _names_that_exist(self) -> Self:
        judge = self.judge
        if judge.low > judge.threshold:
            raise ValueError(f"judge.low {judge.low} is above judge.threshold {judge.threshold}")
        if judge.asks_model and judge.model is None:
            raise ValueError(
                "judge: asking a model needs judge.model, a key of [tool.evals.models]"
            )
        if self.calibration_judge is JudgeKind.LLM and judge.model is None:
            raise ValueError(
                "calibration_judge: asking a model needs judge.model, a key of [tool.evals.models]"
            )
        if self.min_documents > self.max_documents:
            raise ValueError(
                f"min_documents {self.min_documents} is above max_documents {self.max_documents}"
            )
        known = list(self.models)
        if judge.model is not None and judge.model not in self.models:
            raise ValueError(
                f"judge.model {judge.model!r} is no model version. "
                f"{did_you_mean(judge.model, known)}"
            )
        for model in self.models.values():
            if model.against is not None and model.against not in self.models:
                raise ValueError(
                    f"models.{model.name}.against {model.against!r} is no model version. "
                    f"{did_you_mean(model.against, known)}"
                )
        return self


_TABLE = ("tool", "evals")
ENVIRONMENT_PREFIX = "EVALS_"
OTHER_VARIABLES = frozenset({"EVALS_PROJECT", "EVALS_ACCEPT", "EVALS_REDACTION_KEY"})
"""Variables with our prefix that are no settings; read by the command line alone."""


def parse_settings(pyproject_text: str, *, where: str, environ: Mapping[str, str]) -> Settings:
    """The settings that ``pyproject_text`` states, with the environment over them.

    ``EVALS_RUNS=5`` replaces ``runs``, ``EVALS_JUDGE_THRESHOLD=0.85`` replaces ``judge.threshold``;
    every setting that is a single value has such a variable, tables have none.

    Raises:
        InputError: The text is not TOML, or settings are unknown or out of range; all at once.
        SetupError: A variable ``EVALS_…`` names no setting, or a model version key is unusable.
    """
    try:
        document = tomllib.loads(pyproject_text.removeprefix("\ufeff"), parse_float=Decimal)
    except tomllib.TOMLDecodeError as error:
        raise InputError.one(where, f"not TOML: {error}") from error
    table = document.get("tool", {})
    stated = table.get("evals", {}) if isinstance(table, dict) else {}
    if not isinstance(stated, dict):
        raise InputError.one(where, "tool.evals must be a table")
    raw = {key: _mark_text(value) for key, value in stated.items()}
    for kind in ("models", "extractors"):
        raw[kind] = _named(raw.get(kind, {}), kind=kind, where=where)
    setup = [*_unusable_keys(raw["models"])]
    replaced, unknown = _apply_environment(raw, environ)
    setup += unknown

    def line_of(path: YamlPath) -> int | None:
        return None if path in replaced else _toml_line(pyproject_text, path)

    try:
        settings = validate(Settings, raw, where=where, line_of=line_of, inside=_TABLE)
    except InputError as error:
        variables = {f"{where}: {spell_path(path)}": name for path, name in replaced.items()}
        raise InputError(
            (
                *(Fault(where=where, problem=problem) for problem in setup),
                *(replace(one, where=variables.get(one.where, one.where)) for one in error.faults),
            )
        ) from error
    if setup:
        raise SetupError("\n".join(setup))
    return settings


def _unusable_keys(models: Mapping[str, Any]) -> Iterator[str]:
    for name in models:
        try:
            check_model_version(name)
        except SetupError as error:
            yield str(error)


def folders_alone(pyproject_text: str, *, environ: Mapping[str, str]) -> Settings:
    """Where things lie, of settings that are faulty elsewhere; the defaults where that is faulty.

    So that what lies there can be looked at although nothing can be run.
    """
    try:
        document = tomllib.loads(pyproject_text.removeprefix("\ufeff"), parse_float=Decimal)
        stated = dict(document["tool"]["evals"])
    except (tomllib.TOMLDecodeError, KeyError, TypeError, ValueError):
        stated = {}
    found: dict[str, Any] = {}
    for name in _FOLDERS:
        own = {name: _mark_text(stated[name])} if name in stated else {}
        variable = f"{ENVIRONMENT_PREFIX}{name.upper()}"
        own |= {name: environ[variable]} if variable in environ else {}
        with suppress(InputError):
            found[name] = getattr(validate(Settings, own, where=name), name)
    return Settings().model_copy(update=found)


_FOLDERS = ("suites_dir", "fixtures_dir", "golden_dir")


def _mark_text(value: Any) -> Any:
    """TOML text is always quoted, so ``runs = "3"`` is no number."""
    if isinstance(value, str):
        return QuotedText(value)
    if isinstance(value, list):
        return [_mark_text(item) for item in value]
    return {k: _mark_text(v) for k, v in value.items()} if isinstance(value, dict) else value


def _named(tables: Any, *, kind: str, where: str) -> Any:
    if not isinstance(tables, dict):
        raise InputError.one(where, f"tool.evals.{kind} must be a table of tables")
    named = {}
    for name, table in tables.items():
        if not isinstance(table, dict) or "name" in table:
            problem = "must be a table without the key name (its key is its name)"
            raise InputError.one(where, f"tool.evals.{spell_path((kind, name))} {problem}")
        named[name] = {**table, "name": name}
    return named


def _variables() -> dict[str, tuple[str, ...]]:
    tables = {"judge", "resolve", "alerts", "models", "extractors", "prices"}
    paths: list[tuple[str, ...]] = [(n,) for n in Settings.model_fields if n not in tables]
    paths += [("judge", name) for name in JudgeSettings.model_fields]
    paths += [("resolve", name) for name in ResolveSettings.model_fields]
    paths += [("alerts", name) for name in AlertSettings.model_fields]
    return {ENVIRONMENT_PREFIX + "_".join(path).upper(): path for path in paths}


def _apply_environment(
    raw: dict[str, Any], environ: Mapping[str, str]
) -> tuple[dict[YamlPath, str], list[str]]:
    """Puts variables over ``raw``: which path each of them replaced, and which name no setting."""
    replaced: dict[YamlPath, str] = {}
    known = _variables()
    secrets = {table.get("api_key_env") for table in raw["models"].values()}
    if isinstance(alerts := raw.get("alerts"), dict):
        secrets.add(environ.get("EVALS_ALERTS_WEBHOOK_ENV") or alerts.get("webhook_env"))
    unknown = []
    for variable in sorted(name for name in environ if name.startswith(ENVIRONMENT_PREFIX)):
        path = known.get(variable)
        if path is None:
            if variable not in OTHER_VARIABLES and variable not in secrets:
                unknown.append(f"{variable}: no such setting. {did_you_mean(variable, [*known])}")
            continue
        table = raw
        for step in path[:-1]:
            inner = table.get(step)
            table[step] = dict(inner) if isinstance(inner, dict) else {}
            table = table[step]
        table[path[-1]] = environ[variable]
        replaced[*_TABLE, *path] = variable
    return replaced, unknown


def _toml_line(text: str, path: YamlPath) -> int | None:
    """The line where the deepest part of ``path`` that stands in the text is stated."""
    found: int | None = None
    table: tuple[str, ...] = ()
    wanted = tuple(str(step) for step in path)
    for number, line in enumerate(text.splitlines(), start=1):
        stripped = line.strip()
        if header := re.fullmatch(r"\[+(.+?)\]+\s*(#.*)?", stripped):
            table = tuple(_dotted(header.group(1)))
            if table == wanted[: len(table)] and len(table) > 2:
                found = number
        elif assignment := re.match(r'([\w."@ -]+?)\s*=', stripped):
            place = (*table, *_dotted(assignment.group(1)))
            if place == wanted[: len(place)]:
                found = number
    return found


def _dotted(text: str) -> list[str]:
    return [a or b for a, b in re.findall(r'"([^"]*)"|([\w@-]+)', text)]
