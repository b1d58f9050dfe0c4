"""One project: its settings, its sets, its extractors and its store, read once."""

import contextlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from evals_pipeline.core.errors import (
    EvalsError,
    Fault,
    InputError,
    NoProjectError,
    RefusedError,
    SetupError,
    UnknownNameError,
)
from evals_pipeline.core.harness_records import HarnessKind
from evals_pipeline.core.outcomes import SetKind
from evals_pipeline.core.records import GoldenSet, Suite
from evals_pipeline.core.settings import ModelSettings, Settings, folders_alone, parse_settings
from evals_pipeline.pipeline.extractors import AnyExtractor, load_extractors
from evals_pipeline.places import DiskPlace, Place, make_unversioned, place_at
from evals_pipeline.sets import (
    SetOutline,
    SuiteDiscovery,
    discover_calibration_suites,
    discover_claim_suites,
    discover_golden_sets,
    load_golden_set,
    load_suite,
    read_outline,
    stated_suite_id,
)
from evals_pipeline.sets.harnesses import discover_harness_suites
from evals_pipeline.sets.paths import shown
from evals_pipeline.sets.suites import NESTED
from evals_pipeline.store import Store

SETTINGS_FILE = "pyproject.toml"
PROJECT_VARIABLE = "EVALS_PROJECT"


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadFailure:
    """A suite's file that could not be loaded, with every fault of it.

    ``name`` is the suite_id that the file states, or its stem where it states none.
    """

    name: str
    path: Path
    error: InputError

    @classmethod
    def of(cls, path: Path, error: InputError) -> "LoadFailure":
        """The failure of a file, under the id that can be read of it."""
        return cls(name=stated_suite_id(path) or path.stem, path=path, error=error)

    def is_called(self, name: str) -> bool:
        """Whether a person who says ``name`` means this file: by its id, stem or file name."""
        return name in (self.name, self.path.stem, self.path.name)

    def as_asked(self, name: str) -> InputError:
        """The error for somebody who asked for it by name."""
        n = len(self.error.faults)
        problem = f"the file of suite {name!r} could not be loaded: {n} fault{'s' * (n != 1)}"
        return InputError([Fault(where=shown(self.path), problem=problem), *self.error.faults])

    def __str__(self) -> str:
        return f"{self.name} ({self.path.name})"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Loaded:
    """The suites of one kind: those that load, by id, and those that do not."""

    discovery: SuiteDiscovery
    by_id: dict[str, Suite]
    failures: tuple[LoadFailure, ...]

    @classmethod
    def of(cls, found: SuiteDiscovery) -> "_Loaded":
        return cls(
            discovery=found,
            by_id={suite.suite_id: suite for suite in found.suites},
            failures=tuple(LoadFailure.of(path, error) for path, error in found.failures),
        )


def _of_a_harness(name: str, kind: HarnessKind) -> str:
    """What to say to whoever takes a suite of a harness for a set."""
    return (
        f"{name} is a {kind.value} suite, and this is for golden sets and claim suites. Measure it "
        f'by "evals run {name}", or report on it by '
        f'"{_HARNESS_COMMANDS[kind]} EXTRACTOR --suite {name}".'
    )


_HARNESS_COMMANDS = {
    HarnessKind.MODALITY: "evals benchmark-modality",
    HarnessKind.POLARITY: "evals benchmark-polarity",
    HarnessKind.VALIDITY: "evals benchmark-validity",
}


def _find_settings(start: Path | None, environ: Mapping[str, str]) -> tuple[Path, str]:
    """The project's folder and the text of its settings."""
    place = start or Path(environ.get(PROJECT_VARIABLE) or Path.cwd())
    for folder in (place.resolve(), *place.resolve().parents):
        path = folder / SETTINGS_FILE
        if path.is_file():
            text = path.read_text(encoding="utf-8")
            if "[tool.evals" in text:
                return folder, text
    message = (
        f"{place}: no {SETTINGS_FILE} with a [tool.evals] table here or above. "
        f"Change into the project, or set {PROJECT_VARIABLE} to its folder."
    )
    raise NoProjectError(message)


class Project:
    """A folder with ``[tool.evals]`` settings, and what is in it.

    Everything is read on first use and kept, so one object shows one moment; open a new one to see
    later edits. Nothing here changes a file.

    With ``verify_documents`` False the bytes of golden documents are not hashed, which is for those
    who only list what there is: whoever takes a figure from a document verifies it.
    """

    def __init__(
        self,
        root: Path,
        settings: Settings,
        environ: Mapping[str, str],
        *,
        verify_documents: bool = True,
    ) -> None:
        self.root = root
        self.settings = settings
        self.environ = environ
        self._verify_documents = verify_documents
        self._golden: dict[str, GoldenSet] = {}
        self._outlines: dict[str, SetOutline] = {}

    @classmethod
    def open(
        cls,
        start: Path | None = None,
        *,
        environ: Mapping[str, str] | None = None,
        verify_documents: bool = True,
    ) -> "Project":
        """The project that ``start`` lies in (default: EVALS_PROJECT, else the working folder).

        Raises:
            NoProjectError: no folder from ``start`` upwards has a ``pyproject.toml`` with
                ``[tool.evals]``.
            InputError: the settings are faulty.
        """
        env = dict(os.environ) if environ is None else environ
        folder, text = _find_settings(start, env)
        settings = parse_settings(text, where=SETTINGS_FILE, environ=env)
        return cls(folder, settings, env, verify_documents=verify_documents)

    @classmethod
    def open_despite(
        cls, *, environ: Mapping[str, str] | None = None
    ) -> tuple["Project", tuple[Fault, ...]]:
        """The project and the faults of its settings; with a fault, only its folders are settled.

        Raises:
            NoProjectError: as ``open``.
        """
        env = dict(os.environ) if environ is None else environ
        folder, text = _find_settings(None, env)
        try:
            return cls(folder, parse_settings(text, where=SETTINGS_FILE, environ=env), env), ()
        except InputError as error:
            faults = error.faults
        except SetupError as error:
            problems = str(error).splitlines()
            faults = tuple(Fault(where=SETTINGS_FILE, problem=problem) for problem in problems)
        return cls(folder, folders_alone(text, environ=env), env), faults

    @cached_property
    def storage(self) -> Place:
        """Where results and paid answers are kept; opening it touches neither disk nor network.

        Raises:
            SetupError: it is an object store whose package is not installed.
        """
        return place_at(self.root, self.settings.storage)

    def make_storage(self) -> None:
        """Makes the storage's folder, which git is to pass over, where it is one and is missing."""
        # A folder that cannot be made is told by what writes into it.
        with contextlib.suppress(OSError):
            if isinstance(self.storage, DiskPlace):
                make_unversioned(self.storage.here)

    @cached_property
    def store(self) -> Store:
        """The project's store; opening it writes nothing."""
        return Store(self.storage)

    @cached_property
    def extractors(self) -> tuple[AnyExtractor, ...]:
        """Code extractors in registration order, then prompt extractors, ``general`` last."""
        return load_extractors(self.settings, self.root)

    @property
    def suites_folder(self) -> Path:
        """Where claim suites lie, directly or in ``suites/``, and the other kinds in folders."""
        return self.root / self.settings.suites_dir

    @property
    def claim_suites_folder(self) -> Path:
        """Where a new claim suite belongs."""
        nested = self.suites_folder / NESTED
        return nested if nested.is_dir() else self.suites_folder

    @property
    def fixtures_folders(self) -> tuple[Path, ...]:
        """Where suite fixtures are looked for, in order: the project's own folder first."""
        own = self.suites_folder / "fixtures"
        stated = [self.root / folder for folder in self.settings.fixtures_dir]
        return tuple(dict.fromkeys((own, *stated)))

    @cached_property
    def golden_folders(self) -> dict[str, Path]:
        """Golden set names and their folders, by name."""
        return dict(discover_golden_sets(self.root / self.settings.golden_dir))

    @cached_property
    def _suites(self) -> "_Loaded":
        return _Loaded.of(
            discover_claim_suites(self.suites_folder, fixtures_dirs=self.fixtures_folders)
        )

    @cached_property
    def _calibration_suites(self) -> "_Loaded":
        return _Loaded.of(
            discover_calibration_suites(
                self.suites_folder,
                fixtures_dirs=self.fixtures_folders,
                beside=self._suites.discovery,
            )
        )

    def set_names(self) -> tuple[str, ...]:
        """Every evaluation set that loads by name: golden sets, then claim suites."""
        return (*self.golden_folders, *self._suites.by_id)

    def set_names_of_suites(self) -> tuple[str, ...]:
        """The claim suites that load, in filename order; calibration suites are not among them."""
        return tuple(self._suites.by_id)

    def calibration_names(self) -> tuple[str, ...]:
        """The calibration suites, which benchmark never looks at."""
        return tuple(self._calibration_suites.by_id)

    def load_failures(self) -> tuple[LoadFailure, ...]:
        """Suites that were skipped because they do not load (golden sets raise when opened)."""
        return (*self._suites.failures, *self._calibration_suites.failures)

    def failure_of(self, name: str) -> LoadFailure | None:
        """The file that does not load and that a person who says ``name`` means; None: no such."""
        if name in self.golden_folders or name in (*self.set_names(), *self.calibration_names()):
            return None
        return next((one for one in self.load_failures() if one.is_called(name)), None)

    def warnings(self) -> tuple[str, ...]:
        """What the suite loader said without refusing."""
        return (*self._suites.discovery.warnings, *self._calibration_suites.discovery.warnings)

    def kind_of(self, name: str) -> SetKind:
        """Whether a set measures claims or fields."""
        if name in self.golden_folders:
            return SetKind.FIELDS
        if name in self._suites.by_id or name in self._calibration_suites.by_id:
            return SetKind.CLAIMS
        raise self.no_set_error(name)

    def no_set_error(
        self, name: str, *, what: str = "set", beside: Sequence[str] = ()
    ) -> EvalsError:
        """Why a name is none of a set: its suite does not load, is of a harness, or is not there.

        ``what`` says what else it could have been, ``beside`` which names that has.
        """
        if (failure := self.failure_of(name)) is not None:
            return failure.as_asked(name)
        for kind in HarnessKind:
            found = discover_harness_suites(self.suites_folder / kind.value, kind=kind)
            if any(suite.suite_id == name for suite in found.suites):
                return RefusedError(_of_a_harness(name, kind))
            for path, error in found.failures:
                if (one := LoadFailure.of(path, error)).is_called(name):
                    return one.as_asked(name)
        known = (*beside, *self.set_names(), *self.calibration_names())
        return UnknownNameError(what, name, known)

    def golden_set(self, name: str) -> GoldenSet:
        """A golden set, its documents' hashes verified unless the project was opened without.

        Raises:
            UnknownNameError: no set has that name.
            InputError: its file, a label or a document is faulty; all faults at once.
        """
        if name not in self._golden:
            self._golden[name] = load_golden_set(
                self._golden_folder(name), verify_documents=self._verify_documents
            )
        return self._golden[name]

    def golden_outline(self, name: str) -> SetOutline:
        """What a golden set's own file says of it; its labels and documents are not looked at.

        Raises:
            UnknownNameError: no set has that name.
            InputError: its file is faulty.
        """
        if name not in self._outlines:
            self._outlines[name] = read_outline(self._golden_folder(name))
        return self._outlines[name]

    def _golden_folder(self, name: str) -> Path:
        if name not in self.golden_folders:
            raise UnknownNameError("golden set", name, tuple(self.golden_folders))
        return self.golden_folders[name]

    def suite(self, name: str) -> Suite:
        """A claim suite or calibration suite; the error of a suite that did not load is raised."""
        for suites in (self._suites.by_id, self._calibration_suites.by_id):
            if name in suites:
                return suites[name]
        self.kind_of(name)
        raise UnknownNameError(
            "suite", name, (*self._suites.by_id, *self._calibration_suites.by_id)
        )

    def suite_at(self, path: Path, fixtures_folders: tuple[Path, ...] = ()) -> Suite:
        """A suite file anywhere, its fixtures looked for in the given folders first."""
        return load_suite(path, fixtures_dirs=(*fixtures_folders, *self.fixtures_folders))

    def model(self, model_version: str) -> ModelSettings:
        """The settings of a model version."""
        models = self.settings.models
        if model_version not in models:
            raise UnknownNameError("model version", model_version, tuple(models))
        return models[model_version]

    def run_indices(self) -> tuple[int, ...]:
        """The run indices of every set's grid."""
        return tuple(range(self.settings.runs))
