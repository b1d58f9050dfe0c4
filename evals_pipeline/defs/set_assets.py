"""The assets of a set that stand for its files: fixtures, gold and prompt; cheap, unpartitioned.

Their data version is the digest of what they stand for. Fixtures and gold are two, so that a
changed label makes the matches stale and leaves the extractions alone. What is read, and how it is
described, differs between sets and harness suites: ``FileReading`` holds that.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import dagster as dg

from evals_pipeline.core.errors import EvalsError
from evals_pipeline.core.fingerprints import digest_parts
from evals_pipeline.core.outcomes import SetKind
from evals_pipeline.core.records import Fixture
from evals_pipeline.defs.failures import failing_clearly
from evals_pipeline.defs.metadata import OWNERS, Result, table_metadata
from evals_pipeline.defs.partitions import Grid
from evals_pipeline.defs.snapshots import answer_source
from evals_pipeline.pipeline.digests import set_digests
from evals_pipeline.pipeline.documents import fixtures_of
from evals_pipeline.pipeline.project import Project
from evals_pipeline.pipeline.stamps import make_stamp
from evals_pipeline.store.tables import FIXTURES


@dataclass(frozen=True, slots=True, kw_only=True)
class Documents:
    """The documents of a set, and the digests of the documents and of the gold."""

    fixtures: Sequence[Fixture]
    corpus: str
    gold: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FileReading:
    """How the files of one sort of set are read and described.

    Every reader raises ``EvalsError`` for a set that does not load. ``read_gold`` gives metadata
    and the data version; ``read_sources`` the name and digest of what each model version has.
    """

    documents_are: str
    gold_is: str
    gold_kind: str
    note_on_prompt: str
    read_documents: Callable[[Project], Documents]
    read_gold: Callable[[Project], tuple[Mapping[str, str | int], str]]
    read_sources: Callable[[Project], Mapping[str, tuple[str, str]]]


def file_assets(root: Path, grid: Grid) -> list[dg.AssetsDefinition]:
    """The assets that stand for an evaluation set's files."""
    return assets_of_files(root, grid, _reading_of(grid))


def assets_of_files(root: Path, grid: Grid, reading: FileReading) -> list[dg.AssetsDefinition]:
    """The fixtures, gold and prompt of any sort of set."""
    return [
        _fixtures(root, grid, reading),
        _gold(root, grid, reading),
        _prompt(root, grid, reading),
    ]


def _reading_of(grid: Grid) -> FileReading:
    is_fields = grid.kind is SetKind.FIELDS
    what = "labels and the fields they belong to" if is_fields else "gold claims"

    def documents(project: Project) -> Documents:
        corpus, gold, _ = set_digests(project, grid.set_name)
        found = fixtures_of(project, grid.set_name)
        return Documents(fixtures=list(found.values()), corpus=corpus, gold=gold)

    def gold(project: Project) -> tuple[Mapping[str, str | int], str]:
        _, digest, schema = set_digests(project, grid.set_name)
        return {"gold_digest": digest, "schema_digest": schema}, digest_parts(digest, schema)

    def sources(project: Project) -> Mapping[str, tuple[str, str]]:
        found = {model: answer_source(project, grid.set_name, model) for model in grid.models}
        return {model: (source.name, source.digest) for model, source in found.items()}

    return FileReading(
        documents_are=(
            f"The source documents of `{grid.set_name}`, each known by the SHA-256 of its bytes. "
            "Materialise it to list them and to have them verified; it costs nothing."
        ),
        gold_is=(
            f"The {what} that `{grid.set_name}` is judged against, as people wrote them. "
            "Materialise it after a correction, so that Dagster knows which matches are stale."
        ),
        gold_kind="json" if is_fields else "yaml",
        note_on_prompt="; a sensor does so by itself",
        read_documents=documents,
        read_gold=gold,
        read_sources=sources,
    )


def _fixtures(root: Path, grid: Grid, reading: FileReading) -> dg.AssetsDefinition:
    @dg.asset(
        key=grid.key("fixtures"),
        group_name=grid.safe_name,
        description=reading.documents_are,
        kinds={"file", "duckdb"},
        owners=OWNERS,
        metadata=table_metadata(FIXTURES),
    )
    def fixtures(context: dg.AssetExecutionContext) -> Result:
        project = Project.open(root)
        try:
            found = reading.read_documents(project)
        except EvalsError as error:
            return _faulty(error)
        stamp = make_stamp(root, run_id=context.op_execution_context.run_id)
        with failing_clearly():
            project.store.write_fixtures(
                grid.set_name, found.fixtures, corpus=found.corpus, gold=found.gold, stamp=stamp
            )
        return dg.MaterializeResult(
            metadata={"documents": len(found.fixtures), "corpus_digest": found.corpus},
            data_version=dg.DataVersion(found.corpus),
        )

    return fixtures


def _gold(root: Path, grid: Grid, reading: FileReading) -> dg.AssetsDefinition:
    @dg.asset(
        key=grid.key("gold"),
        group_name=grid.safe_name,
        description=reading.gold_is,
        kinds={reading.gold_kind},
        owners=OWNERS,
    )
    def gold() -> Result:
        try:
            metadata, version = reading.read_gold(Project.open(root))
        except EvalsError as error:
            return _faulty(error)
        return dg.MaterializeResult(metadata=metadata, data_version=dg.DataVersion(version))

    return gold


def _prompt(root: Path, grid: Grid, reading: FileReading) -> dg.AssetsDefinition:
    @dg.asset(
        key=grid.key("prompt"),
        group_name=grid.safe_name,
        description=(
            f"What the model versions of `{grid.set_name}` answer from: the prompt that each is "
            "sent, or its file of predictions; code has neither. Materialise it to note a change"
            f"{reading.note_on_prompt}."
        ),
        kinds={"markdown"},
        owners=OWNERS,
    )
    def prompt() -> Result:
        try:
            sources = reading.read_sources(Project.open(root))
        except EvalsError as error:
            return _faulty(error)
        parts = [f"{model}:{digest}" for model, (_, digest) in sources.items()]
        return dg.MaterializeResult(
            metadata={f"source/{model}": name for model, (name, _) in sources.items()},
            data_version=dg.DataVersion(digest_parts(*parts)),
        )

    return prompt


def _faulty(error: EvalsError) -> Result:
    """A faulty set is materialised as such: its checks say what is wrong and block the rest."""
    return dg.MaterializeResult(
        metadata={"faults": dg.MetadataValue.text(str(error))},
        data_version=dg.DataVersion(f"faulty-{digest_parts(str(error))[:16]}"),
    )
