"""JSON Schemas of the files that people and other tools write, for editors and for other programs.

They are generated from the models that load those files. What a schema cannot say (that a hash is
that of its content, that a label states every field) only the loaders check.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from evals_pipeline.core.edges import EdgeModel
from evals_pipeline.core.strict_json import dumps
from evals_pipeline.sets.harnesses.suite_models import (
    ModalitySuiteModel,
    PolaritySuiteModel,
    ValiditySuiteModel,
)
from evals_pipeline.sets.labels import LabelModel
from evals_pipeline.sets.set_model import SetModel
from evals_pipeline.sets.suite_model import SuiteModel

SchemaName = Literal["suite", "set", "label", "modality", "polarity", "validity"]

_MODELS: Mapping[SchemaName, type[EdgeModel]] = {
    "suite": SuiteModel,
    "set": SetModel,
    "label": LabelModel,
    "modality": ModalitySuiteModel,
    "polarity": PolaritySuiteModel,
    "validity": ValiditySuiteModel,
}
_LIMITS = {
    "ge": "minimum",
    "gt": "exclusiveMinimum",
    "le": "maximum",
    "lt": "exclusiveMaximum",
}
PUBLISHED: Mapping[SchemaName, Path] = {
    "suite": Path("suites/suite.schema.json"),
    "set": Path("golden/set.schema.json"),
    "label": Path("golden/label.schema.json"),
    "modality": Path("suites/modality/suite.schema.json"),
    "polarity": Path("suites/polarity/suite.schema.json"),
    "validity": Path("suites/validity/suite.schema.json"),
}
"""Where each schema lies in a project, beside the files that it describes."""


def json_schema(name: SchemaName) -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of a suite, of one of a harness, of a set or of a label."""
    schema: dict[str, Any] = _in_schema_words(_MODELS[name].model_json_schema(by_alias=True))
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}


def _in_schema_words(schema: Any) -> Any:
    """Writes limits that pydantic leaves in its own words, beside ``type``, in JSON Schema's."""
    if isinstance(schema, list):
        return [_in_schema_words(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    words = _LIMITS if "type" in schema else {}
    return {words.get(key, key): _in_schema_words(value) for key, value in schema.items()}


def schema_text(name: SchemaName) -> str:
    """The text of a published schema."""
    return dumps(json_schema(name), indent=2) + "\n"


def write_schemas(project: Path) -> None:
    """Writes the schemas into a project, each beside the files that it describes."""
    for name, place in PUBLISHED.items():
        (project / place).parent.mkdir(parents=True, exist_ok=True)
        (project / place).write_text(schema_text(name), encoding="utf-8", newline="\n")
