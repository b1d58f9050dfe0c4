"""Claim suites: one YAML file each, loaded whole or refused with every fault at once."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from evals_pipeline.core import strict_yaml
from evals_pipeline.core.edges import validate_yaml
from evals_pipeline.core.errors import InputError
from evals_pipeline.core.fingerprints import digest_parts, sha256_bytes
from evals_pipeline.core.records import Fixture, GoldClaim, GoldSubject, Suite, SuiteCase
from evals_pipeline.sets.fixtures import SuiteFixture
from evals_pipeline.sets.media import media_type_of_content
from evals_pipeline.sets.paths import shown, stays_inside
from evals_pipeline.sets.subjects import default_mention
from evals_pipeline.sets.suite_checks import SuiteCheck
from evals_pipeline.sets.suite_model import CaseModel, SuiteModel

CALIBRATION = "calibration"
NESTED = "suites"
"""The folder within ``suites_dir`` where suites lie in trees that keep all kinds side by side."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteDiscovery:
    """The suites of a directory in the order of their file names, and what could not be loaded."""

    suites: tuple[Suite, ...]
    failures: tuple[tuple[Path, InputError], ...]
    warnings: tuple[str, ...]


def discover_claim_suites(suites_dir: Path, *, fixtures_dirs: Sequence[Path]) -> SuiteDiscovery:
    """The claim suites of a tree: those directly in ``suites_dir``, then those in ``suites/``."""
    outer = discover_suites(suites_dir, fixtures_dirs=fixtures_dirs)
    inner = discover_suites(
        suites_dir / NESTED, fixtures_dirs=fixtures_dirs, taken=_owners(outer.suites)
    )
    return SuiteDiscovery(
        suites=outer.suites + inner.suites,
        failures=outer.failures + inner.failures,
        warnings=outer.warnings + inner.warnings,
    )


def discover_calibration_suites(
    suites_dir: Path, *, fixtures_dirs: Sequence[Path], beside: SuiteDiscovery
) -> SuiteDiscovery:
    """The calibration suites of a tree, none of which may have the id of a claim suite."""
    return discover_suites(
        suites_dir / CALIBRATION,
        fixtures_dirs=fixtures_dirs,
        is_calibration=True,
        taken=_owners(beside.suites),
    )


def _owners(suites: Sequence[Suite]) -> dict[str, Path]:
    return {suite.suite_id: suite.path for suite in suites}


def discover_suites(
    suites_dir: Path,
    *,
    fixtures_dirs: Sequence[Path],
    is_calibration: bool = False,
    verify_content: bool = True,
    taken: Mapping[str, Path] | None = None,
) -> SuiteDiscovery:
    """Loads every ``*.yaml`` that lies directly in ``suites_dir``.

    A file that cannot be loaded is among the failures and keeps no other from loading.

    Args:
        suites_dir: The directory; one that does not exist holds no suites.
        fixtures_dirs: Where fixtures are looked up.
        is_calibration: Whether these are calibration suites.
        verify_content: False warns of fixtures whose bytes have changed, instead of refusing.
        taken: Suite ids that are in use elsewhere, with the file of each.
    """
    owners = dict(taken or {})
    suites: list[Suite] = []
    failures: list[tuple[Path, InputError]] = []
    files = sorted(suites_dir.iterdir(), key=lambda path: path.name) if suites_dir.is_dir() else []
    for path in files:
        if path.suffix != ".yaml" or not path.is_file() or path.name.startswith("."):
            continue
        try:
            if not stays_inside(path, suites_dir):
                raise InputError.one(shown(path), "a link that leads out of its folder")
            suite = load_suite(
                path,
                fixtures_dirs=fixtures_dirs,
                is_calibration=is_calibration,
                verify_content=verify_content,
            )
            _claim_id(suite, owners)
        except InputError as error:
            failures.append((path, error))
            continue
        suites.append(suite)
    passed_over = tuple(
        f"{shown(path)}: not read; a suite's file name ends in .yaml"
        for path in files
        if path.suffix == ".yml"
    )
    warnings = tuple(warning for suite in suites for warning in suite.warnings)
    return SuiteDiscovery(
        suites=tuple(suites), failures=tuple(failures), warnings=warnings + passed_over
    )


def _claim_id(suite: Suite, owners: dict[str, Path]) -> None:
    if suite.suite_id in owners:
        other = shown(owners[suite.suite_id])
        doc = strict_yaml.loads(suite.path.read_bytes(), where=shown(suite.path))
        raise InputError.one(
            shown(suite.path),
            f"suite_id {suite.suite_id!r} is that of {other} already",
            remedy="Give it an id of its own.",
            line=doc.line_of(("suite_id",)),
        )
    owners[suite.suite_id] = suite.path


def load_suite(
    path: Path,
    *,
    fixtures_dirs: Sequence[Path],
    is_calibration: bool = False,
    verify_content: bool = True,
) -> Suite:
    """The suite in ``path``, its fixtures found and checked.

    Args:
        path: The suite file.
        fixtures_dirs: Where fixtures are looked up; the first that has the id counts.
        is_calibration: Whether it is a calibration suite.
        verify_content: False warns of fixtures whose bytes are no longer those of their snapshot,
            for scoring given outputs, where no document is read.

    Raises:
        InputError: The file cannot be read as a suite, or one of its fixtures cannot; every fault
            at once, with its line.
    """
    where = shown(path)
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError.one(where, f"cannot be read: {error.strerror}") from error
    doc = strict_yaml.loads(content, where=where)
    check = SuiteCheck(
        doc=doc, where=where, fixtures_dirs=fixtures_dirs, verify_content=verify_content
    )
    faults = check.faults()
    model: SuiteModel | None = None
    try:
        model = validate_yaml(SuiteModel, doc, where=where)
    except InputError as error:
        faults += error.faults
    if faults or model is None:
        raise InputError(sorted(faults, key=lambda fault: fault.line or 0))
    suite = _suite(model, check.fixtures, path=path, file_digest=sha256_bytes(content))
    warnings = (*_warnings(model, check, is_calibration=is_calibration),)
    return replace(suite, is_calibration=is_calibration, warnings=warnings)


def _suite(
    model: SuiteModel, fixtures: Mapping[str, SuiteFixture], *, path: Path, file_digest: str
) -> Suite:
    cases = tuple(
        SuiteCase(
            case_id=case.case_id,
            fixture=_case_fixture(case, fixtures, inline_type=model.source_types[0]),
            expected=tuple(
                GoldClaim(
                    content=claim.content,
                    confidence_min=claim.confidence_min,
                    uncertainty_nature=claim.uncertainty_nature,
                    required=claim.required,
                )
                for claim in case.expected
            ),
            declares_source_type=case.fixture is not None,
        )
        for case in model.cases
    )
    return Suite(
        suite_id=model.suite_id,
        name=model.name,
        version=model.version,
        domain=model.domain,
        source_types=tuple(dict.fromkeys(model.source_types)),
        cases=cases,
        gold_subjects=_subjects(model),
        metrics=tuple((metric.name, metric.definition) for metric in model.metrics),
        published_by=model.published_by,
        published_at=model.published_at,
        path=path,
        digest=digest_parts(file_digest, corpus_digest(cases)),
    )


def _subjects(model: SuiteModel) -> tuple[GoldSubject, ...]:
    contents = {case.case_id: [claim.content for claim in case.expected] for case in model.cases}
    return tuple(
        GoldSubject(
            case_id=subject.case_id,
            name=subject.name,
            ref=subject.ref,
            # SuiteCheck has refused subjects that neither state a mention nor are named by a claim.
            mention=subject.mention
            or default_mention(subject.name, contents[subject.case_id])
            or "",
        )
        for subject in model.gold_subjects
    )


def _case_fixture(
    case: CaseModel, fixtures: Mapping[str, SuiteFixture], *, inline_type: str
) -> Fixture:
    if case.fixture is not None:
        found = fixtures[case.fixture]
        return Fixture(
            fixture_id=case.case_id,
            name=case.case_id,
            sha256=found.content_hash,
            source_type=found.source_type,
            media_type=found.media_type,
            path=found.path,
        )
    content = (case.inline_content or "").encode("utf-8")
    return Fixture(
        fixture_id=case.case_id,
        name=case.case_id,
        sha256=sha256_bytes(content),
        source_type=inline_type,
        media_type=media_type_of_content(content),
        inline=content,
    )


def corpus_digest(cases: Sequence[SuiteCase]) -> str:
    """The SHA-256 over the documents of a suite: what an extraction was made from."""
    parts = [(case.case_id, case.fixture.source_type, case.fixture.sha256) for case in cases]
    return digest_parts(*(part for triple in sorted(parts) for part in triple))


def _warnings(model: SuiteModel, check: SuiteCheck, *, is_calibration: bool) -> Iterator[str]:
    for key in model.model_extra or {}:
        yield str(check.fault((key,), "unknown key at the root; not read"))
    for i, metric in enumerate(model.metrics):
        for key in metric.model_extra or {}:
            yield str(check.fault(("metrics", i, key), "unknown key in a metric; not read"))
    for fixture in check.fixtures.values():
        yield from fixture.warnings
    for i, case in enumerate(model.cases):
        seen: set[str] = set()
        for j, claim in enumerate(case.expected):
            path = ("cases", i, "expected", j)
            if claim.content in seen:
                yield str(check.fault(path, "the same content stands twice in the case"))
            seen.add(claim.content)
            if is_calibration and claim.confidence_min > 0:
                problem = "a calibration suite makes no claim about confidence"
                yield str(check.fault((*path, "confidence_min"), problem, "Write 0.0."))
