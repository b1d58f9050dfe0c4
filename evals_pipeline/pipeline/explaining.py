"""Why two values, or two claims, are or are not equal."""

from collections.abc import Sequence
from typing import Any

from evals_pipeline.core.errors import EvalsError, NoProjectError
from evals_pipeline.core.judge_settings import JudgeSettings
from evals_pipeline.core.records import JsonValue
from evals_pipeline.judge.encoder import make_encoder
from evals_pipeline.judge.explain import explain_request
from evals_pipeline.judge.explain_claim import explain_claim
from evals_pipeline.judge.vectors import VectorCache
from evals_pipeline.pipeline.judges import with_overrides
from evals_pipeline.pipeline.offline import vectors_folder
from evals_pipeline.pipeline.project import Project

CLAIM = "claim"
_MATCH_WORDS = {True: "match", False: "no match", None: "the LLM judge decides"}


def explain_values(
    kind: str,
    want: str,
    got: str,
    *,
    locale: str | None = None,
    currency: str | None = None,
    formats: Sequence[str] = (),
    threshold: float | None = None,
) -> dict[str, Any]:
    """What the field judge says of one label and one extracted value, with every step.

    Raises:
        InputError, UnknownNameError: the kind, the locale or a setting is not known.
    """
    request: dict[str, JsonValue] = {"kind": kind, "golden": want, "extracted": got}
    if locale:
        request["locale"] = locale
    if currency:
        request["currency"] = currency
    if formats:
        request["formats"] = list(formats)
    if threshold is not None:
        request["threshold"] = threshold
    return dict(explain_request(request).as_json())


def explain_object(request: JsonValue) -> dict[str, Any]:
    """One line of a batch; an unknown kind or setting is answered with its error."""
    if isinstance(request, dict) and request.get("kind") == CLAIM:
        want, got = request.get("golden"), request.get("extracted")
        if isinstance(want, str) and isinstance(got, str):
            return explain_claims(want, got)
    try:
        return dict(explain_request(request).as_json())
    except EvalsError as error:
        return {"error": str(error)}


def explain_claims(
    want: str, got: str, *, subjects: Sequence[str] = (), threshold: float | None = None
) -> dict[str, Any]:
    """Whether an emitted claim matches a gold claim: similarity, renderings, guards."""
    try:
        project: Project | None = Project.open()
    except NoProjectError:
        project = None
    base = project.settings.judge if project else JudgeSettings()
    judge = with_overrides(base, threshold=threshold)
    vectors = VectorCache(vectors_folder(project), make_encoder(judge.encoder))
    found = explain_claim(want, got, tuple(subjects), judge, vectors)
    return {
        "equal": found.is_match,
        "outcome": _MATCH_WORDS[found.is_match],
        "similarity": found.similarity,
        "want": want,
        "got": found.rendering,
        "suspect": list(found.suspect),
        "trace": list(found.trace),
    }
