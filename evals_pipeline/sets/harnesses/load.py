"""Harness suites: one YAML file each, loaded whole or refused with every fault at once."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import assert_never

from evals_pipeline.core import strict_yaml
from evals_pipeline.core.edges import fault_at, validate_yaml
from evals_pipeline.core.errors import Fault, InputError
from evals_pipeline.core.fingerprints import sha256_bytes
from evals_pipeline.core.harness_records import (
    HarnessCase,
    HarnessKind,
    HarnessLabel,
    HarnessSuite,
    Validity,
)
from evals_pipeline.core.records import Fixture
from evals_pipeline.core.strict_yaml import YamlDoc, YamlPath
from evals_pipeline.sets.harnesses.suite_models import (
    MODELS,
    CaseModels,
    LabelModels,
    ModalityCaseModel,
    ModalityLabelModel,
    PolarityLabelModel,
    SuiteModels,
    ValidityCaseModel,
    ValidityLabelModel,
    ValiditySuiteModel,
)
from evals_pipeline.sets.media import media_type_of_content
from evals_pipeline.sets.paths import shown, stays_inside


@dataclass(frozen=True, slots=True, kw_only=True)
class HarnessDiscovery:
    """The suites of one harness in the order of their file names, and what did not load."""

    suites: tuple[HarnessSuite, ...]
    failures: tuple[tuple[Path, InputError], ...]
    warnings: tuple[str, ...]


def discover_harness_suites(folder: Path, *, kind: HarnessKind) -> HarnessDiscovery:
    """Loads every ``*.yaml`` that lies directly in ``folder``.

    A file that does not load is among the failures and keeps no other from loading; a folder that
    is not there holds none.
    """
    suites: list[HarnessSuite] = []
    failures: list[tuple[Path, InputError]] = []
    owners: dict[str, Path] = {}
    files = sorted(folder.iterdir(), key=lambda path: path.name) if folder.is_dir() else []
    for path in files:
        if path.suffix != ".yaml" or not path.is_file() or path.name.startswith("."):
            continue
        try:
            if not stays_inside(path, folder):
                raise InputError.one(shown(path), "a link that leads out of its folder")
            suite = load_harness_suite(path, kind=kind)
            if suite.suite_id in owners:
                raise InputError.one(
                    shown(path),
                    f"suite_id {suite.suite_id!r} is that of {shown(owners[suite.suite_id])}",
                    remedy="Give it an id of its own.",
                )
        except InputError as error:
            failures.append((path, error))
            continue
        owners[suite.suite_id] = path
        suites.append(suite)
    passed_over = tuple(
        f"{shown(path)}: not read; a suite's file name ends in .yaml"
        for path in files
        if path.suffix == ".yml"
    )
    warnings = tuple(warning for suite in suites for warning in suite.warnings)
    return HarnessDiscovery(
        suites=tuple(suites), failures=tuple(failures), warnings=warnings + passed_over
    )


def load_harness_suite(path: Path, *, kind: HarnessKind) -> HarnessSuite:
    """The suite of one harness in ``path``.

    Raises:
        InputError: The file cannot be read as such a suite; every fault at once, with its line.
    """
    where = shown(path)
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError.one(where, f"cannot be read: {error.strerror}") from error
    doc = strict_yaml.loads(content, where=where)
    model: SuiteModels = validate_yaml(MODELS[kind], doc, where=where)
    if faults := sorted(_faults(model, doc, where), key=lambda fault: fault.line or 0):
        raise InputError(faults)
    return HarnessSuite(
        kind=kind,
        suite_id=model.suite_id,
        name=model.name,
        version=model.version,
        domain=model.domain,
        source_type=model.source_type,
        cases=tuple(_case(case, source_type=model.source_type) for case in model.cases),
        date_tolerance_days=(
            model.date_tolerance_days if isinstance(model, ValiditySuiteModel) else 3
        ),
        metrics=model.metrics,
        published_by=model.published_by,
        published_at=model.published_at,
        path=path,
        digest=sha256_bytes(content),
        warnings=tuple(
            str(_fault(doc, where, (key,), "unknown key at the root; not read"))
            for key in model.model_extra or {}
        ),
    )


def _case(case: CaseModels, *, source_type: str) -> HarnessCase:
    text = case.entry if isinstance(case, ModalityCaseModel) else case.document
    content = text.encode("utf-8")
    return HarnessCase(
        case_id=case.case_id,
        fixture=Fixture(
            fixture_id=case.case_id,
            name=case.case_id,
            sha256=sha256_bytes(content),
            source_type=source_type,
            media_type=media_type_of_content(content),
            inline=content,
        ),
        labels=tuple(_label(label) for label in case.labels),
        narrative_expected=isinstance(case, ModalityCaseModel) and case.narrative_expected,
        reference_date=case.reference_date if isinstance(case, ValidityCaseModel) else None,
    )


def _label(label: LabelModels) -> HarnessLabel:
    match label:
        case ModalityLabelModel():
            return HarnessLabel(content=label.content, expected=label.modality.value)
        case PolarityLabelModel():
            return HarnessLabel(content=label.content, expected=label.polarity.value)
        case ValidityLabelModel():
            return HarnessLabel(
                content=label.content,
                expected=(Validity.DURABLE if label.is_durable else Validity.BOUNDED).value,
                valid_until=label.expected_valid_until,
            )
        case _:
            assert_never(label)


def _faults(model: SuiteModels, doc: YamlDoc, where: str) -> Iterator[Fault]:
    """What a shape cannot say: ids and claims that stand twice, labels against themselves."""
    ids: set[str] = set()
    cases: tuple[CaseModels, ...] = model.cases
    for i, case in enumerate(cases):
        if case.case_id in ids:
            problem = f"{case.case_id!r} is the id of an earlier case already"
            yield _fault(doc, where, ("cases", i, "case_id"), problem, "Give it an id of its own.")
        ids.add(case.case_id)
        contents: set[str] = set()
        labels: tuple[LabelModels, ...] = case.labels
        for j, label in enumerate(labels):
            path: YamlPath = ("cases", i, "labels", j)
            if label.content in contents:
                problem = "the same content is labelled twice in the case"
                yield _fault(doc, where, path, problem, "Keep one of the two.")
            contents.add(label.content)
            if isinstance(label, ValidityLabelModel):
                yield from _contradictions(label, doc, where, path)


def _contradictions(
    label: ValidityLabelModel, doc: YamlDoc, where: str, path: YamlPath
) -> Iterator[Fault]:
    if label.is_durable and label.expected_valid_until is not None:
        yield _fault(
            doc,
            where,
            (*path, "is_durable"),
            "durable, but expected_valid_until states a day",
            "Write is_durable: false, or expected_valid_until: null.",
        )
    if not label.is_durable and label.expected_valid_until is None:
        yield _fault(
            doc,
            where,
            (*path, "is_durable"),
            "not durable, but expected_valid_until states no day",
            "State the day, or write is_durable: true.",
        )


def _fault(
    doc: YamlDoc, where: str, path: YamlPath, problem: str, remedy: str | None = None
) -> Fault:
    return fault_at(path, problem, where=where, line=doc.line_of(path), remedy=remedy)
