"""Subject resolution as it is stored: made, and whether it is still of today."""

from evals_pipeline.core.fingerprints import digest_of, digest_parts
from evals_pipeline.core.resolution_records import ResolutionFigures
from evals_pipeline.core.run_records import InputDigests, RunStamp
from evals_pipeline.pipeline.digests import file_digest
from evals_pipeline.pipeline.project import Project
from evals_pipeline.pipeline.resolution import resolve_suite
from evals_pipeline.store.storage_errors import DamagedFileError

RESOLUTION_VERSION = "1"
"""Raise it when the same mentions can be resolved otherwise than before."""


def suites_with_subjects(project: Project) -> tuple[str, ...]:
    """The claim suites that have gold subjects."""
    names = project.set_names_of_suites()
    return tuple(name for name in names if project.suite(name).gold_subjects)


def resolution_digests(project: Project, suite_id: str) -> InputDigests:
    """The digests of what a suite's resolution is made from, as far as it lies in the project."""
    suite, settings = project.suite(suite_id), project.settings.resolve
    authority = project.root / settings.authority
    stated = {key: str(value) for key, value in settings.model_dump(mode="json").items()}
    mentions = [f"{one.case_id}:{one.name}:{one.mention}" for one in suite.gold_subjects]
    return InputDigests(
        corpus=digest_parts(*mentions),
        prompt=None,
        extractor=file_digest(authority) if authority.is_file() else "no authority file",
        gold=suite.digest,
        schema=digest_parts("resolution", RESOLUTION_VERSION),
        judge=digest_of(stated),
    )


def measure_resolution(project: Project, suite_id: str, *, stamp: RunStamp) -> ResolutionFigures:
    """How a suite's gold subjects are resolved by the settings, stored.

    Raises:
        UnknownNameError, InputError, SetupError: as ``resolve_suite``.
    """
    figures = resolve_suite(project, suite_id)
    project.store.write_resolution(figures, resolution_digests(project, suite_id), stamp)
    return figures


def needs_resolving(project: Project, suite_id: str) -> bool:
    """Whether a suite's resolution is not stored of today, or an outage left it short."""
    try:
        stored = project.store.read_resolution(suite_id)
    except DamagedFileError:
        return True
    if stored is None or stored.record.n_outages:
        return True
    return stored.digests != resolution_digests(project, suite_id)
