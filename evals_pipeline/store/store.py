"""The store: what the pipeline writes and reads, by set, model version and run index.

Data lie in Parquet files, one per table and partition, each put in place whole; ``evals.duckdb`` is
a catalogue of views over them. Writers never wait for one another, nor for a reader.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from duckdb import DuckDBPyConnection

from evals_pipeline.core.errors import UnknownNameError
from evals_pipeline.core.figures import (
    Baseline,
    CalibrationFit,
    ClaimFigures,
    GateReport,
    SetFigures,
)
from evals_pipeline.core.harness_records import HarnessFigures
from evals_pipeline.core.records import Fixture
from evals_pipeline.core.resolution_records import ResolutionFigures
from evals_pipeline.core.run_records import (
    Extraction,
    FieldMatch,
    InputDigests,
    JudgedCase,
    PartitionKey,
    Provenance,
    RunStamp,
)
from evals_pipeline.places import Place, as_place
from evals_pipeline.store import (
    costs,
    extractions,
    fixtures,
    harnesses,
    matches,
    metrics,
    verdicts,
)
from evals_pipeline.store.catalogue import connect, refresh_catalogue
from evals_pipeline.store.costs import CostEntry, SpentCost
from evals_pipeline.store.export import export_tables
from evals_pipeline.store.extractions import StoredExtractions
from evals_pipeline.store.fixtures import StoredFixtures
from evals_pipeline.store.layout import Partition, partitions_of
from evals_pipeline.store.leftovers import sweep
from evals_pipeline.store.matches import StoredCases
from evals_pipeline.store.parquet import Header, read_header
from evals_pipeline.store.rows import partition_of
from evals_pipeline.store.tables import TABLES_BY_NAME, Table
from evals_pipeline.store.whole_records import Stored

_NO_PROVENANCE: Mapping[str, Provenance] = {}


class Store:
    """One storage. Making a Store touches nothing; the first write makes its folder.

    Every ``read_…`` gives None for what was never stored. Every ``write_…`` replaces what stood
    (costs are added), raises RefusedError for a NaN and StorageError for a full or read-only disk.
    """

    def __init__(self, root: Path | Place) -> None:
        self.root = root
        self._place = as_place(root)
        self._is_ready = False

    # --- by set -----------------------------------------------------------------------------

    def write_fixtures(
        self, set_name: str, found: Sequence[Fixture], *, corpus: str, gold: str, stamp: RunStamp
    ) -> None:
        """Stores a set's documents with the digests of its corpus and of its gold."""
        self._make_ready()
        fixtures.write_fixtures(self._place, set_name, found, corpus=corpus, gold=gold, stamp=stamp)

    def read_fixtures(self, set_name: str) -> StoredFixtures | None:
        """A set's documents as they were stored."""
        return fixtures.read_fixtures(self._place, set_name)

    # --- by set, model version and run index ----------------------------------------------------

    def write_extractions(
        self,
        key: PartitionKey,
        found: Sequence[Extraction],
        fixtures_by_id: Mapping[str, Fixture],
        digests: InputDigests,
        stamp: RunStamp,
    ) -> None:
        """Stores a partition's extractions."""
        header = self._header(digests, stamp)
        extractions.write_extractions(self._place, key, found, fixtures_by_id, header)

    def read_extractions(self, key: PartitionKey) -> StoredExtractions | None:
        """A partition's extractions, in the order they were written."""
        return extractions.read_extractions(self._place, key)

    def iter_extractions(self, key: PartitionKey) -> Iterator[Extraction]:
        """A partition's extractions one by one; none when it has none stored."""
        return extractions.iter_extractions(self._place, key)

    def write_judged_cases(
        self,
        key: PartitionKey,
        cases: Sequence[JudgedCase],
        digests: InputDigests,
        stamp: RunStamp,
        *,
        provenance: Mapping[str, Provenance] = _NO_PROVENANCE,
    ) -> None:
        """Stores a partition's judged cases; ``provenance`` by case id leads back to the answer."""
        header = self._header(digests, stamp)
        matches.write_judged_cases(self._place, key, cases, provenance, header)

    def read_judged_cases(self, key: PartitionKey) -> StoredCases | None:
        """A partition's judged cases, in the order they were written."""
        return matches.read_judged_cases(self._place, key)

    def write_field_matches(
        self,
        key: PartitionKey,
        found: Iterable[FieldMatch],
        digests: InputDigests,
        stamp: RunStamp,
        *,
        provenance: Mapping[str, Provenance] = _NO_PROVENANCE,
    ) -> None:
        """Stores a partition's judged fields as they stream by, in bounded memory."""
        header = self._header(digests, stamp)
        matches.write_field_matches(self._place, key, found, provenance, header)

    def iter_field_matches(
        self, key: PartitionKey, *, expected: InputDigests | None = None
    ) -> Iterator[FieldMatch]:
        """A partition's judged fields one by one; none when it has none stored.

        Refuses rows that were not made from ``expected``: what ``header`` said may have changed.
        """
        return matches.iter_field_matches(self._place, key, expected)

    def write_costs(
        self,
        key: PartitionKey,
        entries: Sequence[CostEntry],
        digests: InputDigests,
        stamp: RunStamp,
    ) -> int:
        """Adds what this run paid for; says how many of the entries were new."""
        return costs.write_costs(self._place, key, entries, self._header(digests, stamp))

    def iter_costs(self, set_name: str | None = None) -> Iterator[SpentCost]:
        """Everything that was ever paid for, for all sets or for one."""
        return costs.iter_costs(self._place, set_name)

    # --- by set and model version ---------------------------------------------------------------

    def write_metrics(
        self,
        figures: SetFigures | ClaimFigures,
        digests: InputDigests,
        stamp: RunStamp,
        *,
        n_runs_expected: int | None = None,
    ) -> None:
        """Stores the figures of the set and model version that they name."""
        header = self._header(digests, stamp)
        metrics.write_metrics(self._place, figures, header, n_runs_expected=n_runs_expected)

    def read_figures(
        self, set_name: str, model_version: str
    ) -> Stored[SetFigures | ClaimFigures] | None:
        """The figures that were stored last."""
        return metrics.read_figures(self._place, set_name, model_version)

    def write_gate(self, report: GateReport, digests: InputDigests, stamp: RunStamp) -> None:
        """Stores a gate's verdict, refusals included."""
        verdicts.write_gate(self._place, report, self._header(digests, stamp))

    def read_gate(self, set_name: str, model_version: str) -> Stored[GateReport] | None:
        """The verdict that was stored last."""
        return verdicts.read_gate(self._place, set_name, model_version)

    def write_baseline(self, baseline: Baseline, digests: InputDigests, stamp: RunStamp) -> None:
        """Stores the baseline that stands."""
        verdicts.write_baseline(self._place, baseline, self._header(digests, stamp))

    def read_baseline(self, set_name: str, model_version: str) -> Stored[Baseline] | None:
        """The baseline that was stored last."""
        return verdicts.read_baseline(self._place, set_name, model_version)

    def write_calibration_fits(
        self,
        set_name: str,
        model_version: str,
        fits: Sequence[CalibrationFit],
        digests: InputDigests,
        stamp: RunStamp,
    ) -> None:
        """Stores the fits that were tried, the refused ones as refused."""
        header = self._header(digests, stamp)
        verdicts.write_calibration_fits(self._place, set_name, model_version, fits, header)

    def read_calibration_fits(
        self, set_name: str, model_version: str
    ) -> Stored[tuple[CalibrationFit, ...]] | None:
        """The fits that were stored last."""
        return verdicts.read_calibration_fits(self._place, set_name, model_version)

    # --- beside the grid ----------------------------------------------------------------------

    def write_harness(
        self, figures: HarnessFigures, digests: InputDigests, stamp: RunStamp
    ) -> None:
        """Stores the figures of a harness suite for a model version."""
        harnesses.write_harness(self._place, figures, self._header(digests, stamp))

    def read_harness(self, set_name: str, model_version: str) -> Stored[HarnessFigures] | None:
        """The figures of a harness suite that were stored last."""
        return harnesses.read_harness(self._place, set_name, model_version)

    def write_resolution(
        self, figures: ResolutionFigures, digests: InputDigests, stamp: RunStamp
    ) -> None:
        """Stores how a suite's gold subjects were resolved."""
        harnesses.write_resolution(self._place, figures, self._header(digests, stamp))

    def read_resolution(self, set_name: str) -> Stored[ResolutionFigures] | None:
        """How a suite's gold subjects were resolved when that was stored last."""
        return harnesses.read_resolution(self._place, set_name)

    # --- the whole --------------------------------------------------------------------------

    def header(self, table: str, partition: Partition | PartitionKey) -> Header | None:
        """Who made a partition's rows from what, and how many there are, without reading them."""
        if isinstance(partition, PartitionKey):
            partition = partition_of(partition)
        return read_header(self._place, _table(table), partition)

    def partitions(self, table: str, set_name: str | None = None) -> tuple[Partition, ...]:
        """The partitions of a table that exist, for all sets or for one."""
        return tuple(partitions_of(self._place, _table(table), set_name))

    def refresh_catalogue(self) -> Path:
        """The catalogue's path, after it was made where it is missing or differs."""
        return refresh_catalogue(self._place)

    def connect(self) -> DuckDBPyConnection:
        """A DuckDB connection with the catalogue's views, for SQL over all tables.

        The caller closes it. It does not open the catalogue's file, which a person may hold.
        """
        self._make_ready()
        return connect(self._place)

    def sweep(self) -> int:
        """Removes what killed writers left more than an hour ago; says how many files."""
        return sweep(self._place.here)

    def export(
        self, target: Path, *, file_format: str = "parquet", with_claim_text: bool = True
    ) -> tuple[Path, ...]:
        """A snapshot of all tables: ``target`` ending in .duckdb is one file, else a folder of
        ``parquet`` or ``csv`` files. Says which files it wrote."""
        self._make_ready()
        return export_tables(
            self._place, target, file_format=file_format, with_claim_text=with_claim_text
        )

    def _header(self, digests: InputDigests, stamp: RunStamp) -> Header:
        self._make_ready()
        return Header(stamp=stamp, digests=digests, extras={})

    def _make_ready(self) -> None:
        """Once per Store: the folder, the catalogue, and no old temporary files."""
        if not self._is_ready:
            refresh_catalogue(self._place)
            sweep(self._place.here)
            self._is_ready = True


def _table(name: str) -> Table:
    if name not in TABLES_BY_NAME:
        raise UnknownNameError("table", name, tuple(TABLES_BY_NAME))
    return TABLES_BY_NAME[name]
