"""What a stored row was made from, as digests: the same today means that it need not be redone."""

from dataclasses import replace
from pathlib import Path

from evals_pipeline.core.errors import InputError, SetupError
from evals_pipeline.core.fingerprints import digest_of, digest_parts, sha256_bytes
from evals_pipeline.core.judge_settings import JudgeSettings
from evals_pipeline.core.outcomes import SetKind
from evals_pipeline.core.records import JsonValue
from evals_pipeline.core.run_records import InputDigests
from evals_pipeline.core.settings import ModelSettings, Provider
from evals_pipeline.extract.answer_schema import field_views, schema_for_fields
from evals_pipeline.extract.prompts import VARIABLES, read_prompt, variables_of
from evals_pipeline.judge.plugins import installed_judge
from evals_pipeline.pipeline.grid import Serving, serving
from evals_pipeline.pipeline.judges import judge_of
from evals_pipeline.pipeline.project import Project

CLAIM_JUDGE_VERSION = "2"
"""Raise it when the same claims can be judged otherwise than before."""
FIELD_JUDGE_VERSION = "1"
"""Raise it when the same values can be judged otherwise than before."""
FIGURES_VERSION = "2"
"""Raise it when the same judgements can give other figures than before."""

_ANSWER_SETTINGS = ("model", "temperature", "seed", "max_output_tokens", "structured", "input")


def input_digests(
    project: Project, set_name: str, model_version: str, judge: JudgeSettings | None = None
) -> InputDigests:
    """The digests of today's files and settings for one set and model version.

    Raises:
        InputError: the set, its prompt or its predictions file cannot be read.
        RefusedError: the model version cannot serve the set.
    """
    how = serving(project, set_name, model_version)
    corpus, gold, schema = set_digests(project, set_name)
    return InputDigests(
        corpus=corpus,
        prompt=None if how.prompt_path is None else file_digest(how.prompt_path),
        extractor=extractor_digest(how),
        gold=gold,
        schema=schema,
        judge=judge_digest(project, set_name, model_version, judge),
        question=question_digest(project, set_name, how),
    )


def set_digests(project: Project, set_name: str) -> tuple[str, str, str]:
    """Digests of a set's documents, of its gold, and of how its fields compare."""
    if project.kind_of(set_name) is SetKind.FIELDS:
        golden = project.golden_set(set_name)
        return golden.corpus_digest, golden.labels_digest, golden.schema_digest
    suite = project.suite(set_name)
    corpus = digest_parts(*(f"{c.case_id}:{c.fixture.sha256}" for c in suite.cases))
    return corpus, suite.digest, digest_parts("claims")


def same_extraction(stored: InputDigests, today: InputDigests) -> bool:
    """Whether a stored extraction would be made from the same documents and asked the same."""
    return today == of_judging(stored, today=today)


def of_judging(extracted: InputDigests, *, today: InputDigests) -> InputDigests:
    """The digests of a judgement of today of what was extracted, perhaps from earlier files."""
    return replace(
        today,
        corpus=extracted.corpus,
        prompt=extracted.prompt,
        extractor=extracted.extractor,
        question=extracted.question,
    )


def changed_inputs(stored: InputDigests, today: InputDigests) -> tuple[str, ...]:
    """The names of the inputs that differ, in the reader's words."""
    names = {
        "corpus": "documents",
        "prompt": "prompt",
        "extractor": "extractor or its parameters",
        "question": "what the set puts into the question",
        "gold": "labels or gold claims",
        "schema": "fields and how they compare",
        "judge": "judge settings",
    }
    return tuple(
        words for name, words in names.items() if getattr(stored, name) != getattr(today, name)
    )


def file_digest(path: Path) -> str:
    """SHA-256 of a file's bytes.

    Raises:
        InputError: it cannot be read.
    """
    try:
        return sha256_bytes(path.read_bytes())
    except OSError as error:
        problem = f"cannot be read ({error.strerror})"
        raise InputError.one(
            str(path), problem, remedy="Restore it, or change the path."
        ) from error


def question_digest(project: Project, set_name: str, how: Serving) -> str:
    """What a set puts into the question besides the documents, so far as the extractor takes it in.

    A prompt is asked for the fields by the schema of its answer, and is given what else its text
    names; code is given the names of the fields and the notation; predictions are read by the
    names.
    """
    used = frozenset(VARIABLES) if how.prompt_path is None else _variables_of(how.prompt_path)
    parts: dict[str, JsonValue] = {}
    if project.kind_of(set_name) is not SetKind.FIELDS:
        if how.predictions_path is None and "source_type" in used:
            cases = project.suite(set_name).cases
            parts["source_types"] = [case.fixture.source_type for case in cases]
        return digest_of(parts)
    golden = project.golden_set(set_name)
    parts["fields"] = [spec.name for spec in golden.fields]
    if how.predictions_path is not None:
        return digest_of(parts)
    if "source_type" in used:
        parts["source_type"] = golden.source_type
    if used & {"locale", "currency", "formats"}:
        parts["notation"] = golden.notation_digest
    if how.prompt_path is not None:
        parts["schema"] = schema_for_fields(golden.fields, with_confidence=False)
    if how.prompt_path is not None and "fields" in used:
        views = field_views(golden.fields)
        parts["views"] = [[one.name, one.kind, one.description, *one.values] for one in views]
    return digest_of(parts)


def _variables_of(path: Path) -> frozenset[str]:
    """The variables of a prompt; all where it does not load, which extracting it tells."""
    try:
        return variables_of(read_prompt(path))
    except InputError:
        return frozenset(VARIABLES)


def extractor_digest(how: Serving) -> str:
    """What answers, in the version and with the settings that it answers with."""
    if how.code is not None:
        return f"{how.code.extractor_id}@{how.code.version}"
    if how.predictions_path is not None:
        return f"predictions:{file_digest(how.predictions_path)}"
    return f"prompt:{digest_of(_answer_settings(how.model))}"


def _answer_settings(model: ModelSettings) -> JsonValue:
    """The settings that can change an answer; speed, keys and budgets are not among them."""
    if model.provider is not Provider.OPENAI:
        raise SetupError(f"models.{model.name}: a {model.provider} model sends no prompt.")
    stated = model.model_dump(mode="json", include=set(_ANSWER_SETTINGS))
    parameters: JsonValue = {key: str(value) for key, value in sorted(model.parameters.items())}
    named: dict[str, JsonValue] = {key: str(value) for key, value in stated.items()}
    return {**named, "parameters": parameters}


def judge_digest(
    project: Project, set_name: str, model_version: str, judge: JudgeSettings | None = None
) -> str:
    """Who judges the answers, and how."""
    if project.kind_of(set_name) is SetKind.FIELDS:
        return digest_parts("fields", FIELD_JUDGE_VERSION)
    judge = judge or judge_of(project, set_name, model_version)
    stated = {key: str(value) for key, value in judge.model_dump(mode="json").items()}
    if judge.plugin is not None:
        stated["plugin"] = f"{judge.plugin}@{installed_judge(judge.plugin).version}"
    return digest_of({"version": CLAIM_JUDGE_VERSION, **stated})
