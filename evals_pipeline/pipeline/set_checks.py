"""Questions that are asked of a set before anything is extracted from it."""

from collections.abc import Callable, Sequence
from functools import partial

from evals_pipeline.core.counts import counted
from evals_pipeline.core.errors import Fault, InputError
from evals_pipeline.core.outcomes import SetKind
from evals_pipeline.pipeline.check_results import CheckResult, Facts, listed
from evals_pipeline.pipeline.digests import set_digests
from evals_pipeline.pipeline.documents import fixtures_of
from evals_pipeline.pipeline.project import Project
from evals_pipeline.sets import load_golden_set, read_content


def corpus_intact(project: Project, set_name: str) -> CheckResult:
    """Whether every document still has the bytes that it was frozen with."""
    faults = _document_faults(project, set_name)
    if faults:
        return _faulty(faults, "document")
    facts: Facts = {}
    if not _faults(partial(fixtures_of, project, set_name)):
        n_documents = len(fixtures_of(project, set_name))
        facts = {"documents": n_documents, "corpus_digest": set_digests(project, set_name)[0]}
    return CheckResult(passed=True, description="Every document is as it was frozen.", facts=facts)


def labels_complete(project: Project, set_name: str) -> CheckResult:
    """Whether every field of every document of a golden set is labelled, and by whom and when."""
    try:
        golden = load_golden_set(project.golden_folders[set_name], verify_documents=False)
    except InputError as error:
        return _faulty(error.faults, "fault")
    n = len(golden.documents) * len(golden.fields)
    return CheckResult(
        passed=True,
        description=(
            f"All {len(golden.fields)} fields of {len(golden.documents)} documents are labelled."
        ),
        facts={"documents": len(golden.documents), "labels": n},
    )


def _document_faults(project: Project, set_name: str) -> tuple[Fault, ...]:
    """The faults of a set that its documents' bytes have, beyond those of its other files."""
    if project.kind_of(set_name) is SetKind.FIELDS:
        folder = project.golden_folders[set_name]
        known = set(_faults(lambda: load_golden_set(folder, verify_documents=False)))
        return tuple(
            fault for fault in _faults(lambda: load_golden_set(folder)) if fault not in known
        )
    fixtures = fixtures_of(project, set_name).values()
    return tuple(fault for fixture in fixtures for fault in _faults(partial(read_content, fixture)))


def _faults(load: Callable[[], object]) -> tuple[Fault, ...]:
    try:
        load()
    except InputError as error:
        return error.faults
    return ()


def _faulty(faults: Sequence[Fault], what: str) -> CheckResult:
    return CheckResult(
        passed=False,
        description=listed(f"{counted(len(faults), what)}", [str(fault) for fault in faults]),
        facts={"faults": len(faults)},
    )
