"""Conformance: does an extractor fill in what it promises, over the suite fixtures?"""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from evals_pipeline.core import record_json
from evals_pipeline.core.errors import InputError, RefusedError
from evals_pipeline.core.records import Fixture
from evals_pipeline.extract.conformance import (
    ConformanceReport,
    PropertyChange,
    RefusedFixture,
    compare_reports,
    conformance_report,
    contract_of,
)
from evals_pipeline.extract.run import run_code_extractor
from evals_pipeline.pipeline.documents import source_document
from evals_pipeline.pipeline.extractors import PromptRoute
from evals_pipeline.pipeline.grid import extractor_of
from evals_pipeline.pipeline.project import Project
from evals_pipeline.places import Place
from evals_pipeline.sets import load_corpus

REPORTS_FOLDER = "conformance"


def conform(
    project: Project, extractor_id: str, *, fixtures_folders: Sequence[Path] = ()
) -> ConformanceReport:
    """The completeness of a code extractor over folders of fixtures, by default the project's.

    A fixture that does not load stands in the report with its faults and is not measured.

    Raises:
        UnknownNameError: no such extractor.
        RefusedError: it is a prompt, or promises nothing, or there is no fixture.
    """
    extractor = extractor_of(project, extractor_id)
    contract = None if isinstance(extractor, PromptRoute) else contract_of(extractor)
    if contract is None or isinstance(extractor, PromptRoute):
        message = (
            f"{extractor_id} promises no properties, so there is nothing to conform to. An "
            "extractor promises with required_properties and recommended_properties "
            "(docs/how-to/add-an-extractor.md)."
        )
        raise RefusedError(message)
    folders = tuple(fixtures_folders) or project.fixtures_folders
    corpus = load_corpus(folders)
    if not corpus.fixtures and not corpus.faulty:
        named = ", ".join(str(folder) for folder in folders)
        raise RefusedError(f"{named}: no fixture (a folder with manifest.yaml) is there.")
    extractions = [
        run_code_extractor(
            extractor,
            source_document(
                Fixture(
                    fixture_id=one.fixture_id,
                    name=one.fixture_id,
                    sha256=one.content_hash,
                    source_type=one.source_type,
                    media_type=one.media_type,
                    path=one.path,
                )
            ),
            run_index=0,
        )
        for one in corpus.fixtures
    ]
    return conformance_report(
        contract,
        extractions,
        acceptors={one.fixture_id: one.expected_acceptors for one in corpus.fixtures},
        corpus_hash=corpus.digest,
        refused=[
            RefusedFixture(
                fixture_id=one.fixture_id,
                is_expected=None
                if one.expected_acceptors is None
                else extractor_id in one.expected_acceptors,
                problem=str(one.error),
            )
            for one in corpus.faulty
        ],
    )


def last_report(project: Project, extractor_id: str) -> ConformanceReport | None:
    """The newest saved report of an extractor; None when there is none."""
    folder = _folder(project, extractor_id)
    saved = [name for name in folder.names() if name.endswith(".json")]
    if not saved:
        return None
    newest = folder / saved[-1]
    try:
        return record_json.from_text(ConformanceReport, newest.read_bytes().decode("utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise InputError.one(str(newest), f"cannot be read: {error}") from error


def changes_since(
    before: ConformanceReport, after: ConformanceReport
) -> tuple[tuple[PropertyChange, ...], str | None]:
    """What changed since an earlier report; or, second, why the two cannot be compared."""
    try:
        return compare_reports(before, after), None
    except RefusedError as refusal:
        return (), str(refusal)


def save_report(
    project: Project, extractor_id: str, report: ConformanceReport, *, at: datetime
) -> Place:
    """Keeps a report under ``storage/conformance/<extractor>/``."""
    path = _folder(project, extractor_id) / f"{at.strftime('%Y%m%dT%H%M%S.%fZ')}.json"
    project.make_storage()
    path.put(f"{record_json.to_text(report)}\n".encode())
    return path


def _folder(project: Project, extractor_id: str) -> Place:
    return project.storage / REPORTS_FOLDER / extractor_id
