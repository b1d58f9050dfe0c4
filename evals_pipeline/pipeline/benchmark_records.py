"""The saved record of a benchmark: every claim with its outcome, so that a fall can be read."""

import re
from datetime import datetime

from evals_pipeline.core import strict_json
from evals_pipeline.core.figures import ClaimFigures
from evals_pipeline.core.records import JsonValue
from evals_pipeline.core.resolution_records import ResolutionFigures
from evals_pipeline.core.run_records import RunStamp
from evals_pipeline.pipeline.project import Project
from evals_pipeline.places import Place
from evals_pipeline.report.resolution_table import resolution_json
from evals_pipeline.report.score_json import claims_json

RECORDS_FOLDER = "benchmarks"


def save_record(
    project: Project,
    extractor_id: str,
    figures: ClaimFigures,
    *,
    stamp: RunStamp,
    resolution: ResolutionFigures | None = None,
) -> Place:
    """Writes one benchmark's figures and claims under ``storage/benchmarks/<suite>/``.

    The resolution of the suite's gold subjects, where it has any, keeps every reference of each.

    Where ``record_claim_text = false``, outcomes and confidences are kept and texts left out.
    """
    suite = project.suite(figures.set_name)
    with_text = project.settings.record_claim_text
    judge: JsonValue = {
        name: None if value is None else str(value)
        for name, value in project.settings.judge.model_dump(mode="json").items()
    }
    record: dict[str, JsonValue] = {
        "extractor": extractor_id,
        "suite_version": suite.version,
        "suite_digest": suite.digest,
        "judge": judge,
        "at": stamp.at.isoformat(),
        "commit": stamp.commit,
        "package_version": stamp.package_version,
        "claim_text_recorded": with_text,
        "benchmark": claims_json(figures, with_claim_text=with_text),
        "resolution": None if resolution is None else resolution_json(resolution),
    }
    path = _path(project, extractor_id, figures, stamp.at)
    path.put(f"{strict_json.dumps(record, indent=2)}\n".encode())
    return path


def _path(project: Project, extractor_id: str, figures: ClaimFigures, at: datetime) -> Place:
    moment = at.strftime("%Y%m%dT%H%M%S.%fZ")
    who = re.sub(r"[^A-Za-z0-9._@-]", "_", f"{extractor_id}-{figures.model_version}")
    folder = project.storage / RECORDS_FOLDER / figures.set_name
    return folder / f"{moment}-{who}.json"


def shown_place(place: Place, project: Project) -> str:
    """Where something lies, from the project's folder where it is in it."""
    path = place.path
    if path is None or not path.is_relative_to(project.root):
        return str(place)
    return str(path.relative_to(project.root))
