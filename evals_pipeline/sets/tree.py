"""Checking all that people wrote in one go: suites, fixtures, golden sets, labels, hashes."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from evals_pipeline.core.errors import Fault, InputError
from evals_pipeline.core.records import GoldenSet, Suite
from evals_pipeline.sets.fixtures import MANIFEST, find_fixture, fixture_ids
from evals_pipeline.sets.golden import SET_FILE, discover_golden_sets
from evals_pipeline.sets.golden_survey import GoldenSurvey, survey_golden_set
from evals_pipeline.sets.paths import shown, stays_inside
from evals_pipeline.sets.suites import (
    CALIBRATION,
    SuiteDiscovery,
    discover_calibration_suites,
    discover_claim_suites,
    discover_suites,
    load_suite,
)


@dataclass(slots=True, kw_only=True)
class TreeCheck:
    """What a check found; ``faults`` keep something from loading, ``warnings`` do not.

    ``surveys`` holds every golden set as far as it can be read, ``golden_sets`` those that load.
    """

    faults: list[Fault] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    suites: list[Suite] = field(default_factory=list)
    golden_sets: list[GoldenSet] = field(default_factory=list)
    surveys: list[GoldenSurvey] = field(default_factory=list)
    n_fixtures: int = 0
    places: dict[str, Path] = field(default_factory=dict)

    def add_suites(self, found: SuiteDiscovery) -> None:
        """Takes over what a discovery of suites found."""
        self.suites += found.suites
        self.warnings += found.warnings
        for _, error in found.failures:
            self.faults += error.faults

    def add_fixtures(self, fixtures_dir: Path) -> None:
        """Checks every fixture of a directory, whether a suite uses it or not."""
        for fixture_id in fixture_ids(fixtures_dir):
            self.n_fixtures += 1
            first = self.places.setdefault(fixture_id, fixtures_dir)
            if first != fixtures_dir:
                where, other = shown(fixtures_dir / fixture_id), shown(first / fixture_id)
                self.warnings.append(f"{where}: not used; {other} is looked at first")
            try:
                find_fixture(fixture_id, [fixtures_dir])
            except InputError as error:
                self.faults += error.faults

    def add_golden_set(self, folder: Path, *, name: str | None, verify_documents: bool) -> None:
        """Looks a golden set through with all its labels and documents, and for its prompt."""
        survey = survey_golden_set(folder, verify_documents=verify_documents, name=name)
        self.surveys.append(survey)
        self.faults += survey.faults
        if survey.golden is not None:
            self.golden_sets.append(survey.golden)
            self.warnings += survey.golden.warnings
        prompt = survey.prompt_path
        if prompt is not None and stays_inside(prompt, folder) and not prompt.is_file():
            remedy = "Write it, or leave prompt out when only code extracts this set."
            where = shown(prompt)
            self.faults.append(Fault(where=where, problem="the prompt is missing", remedy=remedy))

    def check_names(self) -> None:
        """Finds golden sets that carry the id of a suite; both name partitions and assets."""
        owners = {suite.suite_id: suite.path for suite in self.suites}
        for golden in self.surveys:
            if golden.name in owners:
                problem = f"set {golden.name!r} has the name of the suite {owners[golden.name]}"
                where = shown(golden.folder / SET_FILE)
                self.faults.append(Fault(where=where, problem=problem, remedy="Rename one."))


def validate_tree(
    *,
    suites_dir: Path,
    golden_dir: Path,
    fixtures_dirs: Sequence[Path],
    verify_documents: bool = True,
) -> TreeCheck:
    """Everything of a project at once; a fault anywhere hides none elsewhere.

    Args:
        suites_dir: Holds suites, also in ``suites/``, and calibration suites in ``calibration/``.
        golden_dir: Holds one folder a golden set.
        fixtures_dirs: Hold the fixtures of the suites.
        verify_documents: Whether the bytes of golden documents are hashed.
    """
    check = TreeCheck()
    for fixtures_dir in fixtures_dirs:
        check.add_fixtures(fixtures_dir)
    found = discover_claim_suites(suites_dir, fixtures_dirs=fixtures_dirs)
    check.add_suites(found)
    check.add_suites(
        discover_calibration_suites(suites_dir, fixtures_dirs=fixtures_dirs, beside=found)
    )
    for name, folder in discover_golden_sets(golden_dir).items():
        check.add_golden_set(folder, name=name, verify_documents=verify_documents)
    check.check_names()
    return check


def validate_path(path: Path, *, fixtures_dirs: Sequence[Path]) -> TreeCheck:
    """One place: a suite file, a golden set's folder or its ``set.yaml``, a fixture's folder, or a
    directory of any of these.

    Raises:
        InputError: The path does not exist, or holds nothing that can be checked.
    """
    check = TreeCheck()
    if path.name == SET_FILE:
        path = path.parent
    if (path / SET_FILE).is_file():
        check.add_golden_set(path, name=None, verify_documents=True)
    elif (path / MANIFEST).is_file():
        check.n_fixtures = 1
        try:
            find_fixture(path.resolve().name, [path.resolve().parent])
        except InputError as error:
            check.faults += error.faults
    elif path.is_file():
        try:
            suite = load_suite(path, fixtures_dirs=fixtures_dirs)
        except InputError as error:
            check.faults += error.faults
        else:
            check.suites.append(suite)
            check.warnings += suite.warnings
    elif path.is_dir():
        _check_directory(check, path, fixtures_dirs=fixtures_dirs)
    else:
        raise InputError.one(shown(path), "does not exist")
    return check


def _check_directory(check: TreeCheck, path: Path, *, fixtures_dirs: Sequence[Path]) -> None:
    for name, folder in discover_golden_sets(path).items():
        check.add_golden_set(folder, name=name, verify_documents=True)
    if any((folder / MANIFEST).is_file() for folder in path.iterdir()):
        check.add_fixtures(path)
    is_calibration = path.resolve().name == CALIBRATION
    check.add_suites(
        discover_suites(path, fixtures_dirs=fixtures_dirs, is_calibration=is_calibration)
    )
    if not (check.golden_sets or check.suites or check.n_fixtures or check.faults):
        raise InputError.one(
            shown(path), "holds no suite, golden set or fixture", remedy="Name one of them."
        )
