"""The assets of a set that stand for its files: fixtures, gold and prompt; cheap, unpartitioned.

Their data version is the digest of what they stand for. Fixtures and gold are two, so that a
changed label makes the matches stale and leaves the extractions alone.
"""

from pathlib import Path

import dagster as dg

from evals_pipeline.core.errors import EvalsError
from evals_pipeline.core.fingerprints import digest_parts
from evals_pipeline.core.outcomes import SetKind
from evals_pipeline.defs.failures import failing_clearly
from evals_pipeline.defs.metadata import OWNERS, Result, table_metadata
from evals_pipeline.defs.partitions import Grid
from evals_pipeline.defs.snapshots import answer_source
from evals_pipeline.pipeline.digests import set_digests
from evals_pipeline.pipeline.documents import fixtures_of
from evals_pipeline.pipeline.project import Project
from evals_pipeline.pipeline.stamps import make_stamp
from evals_pipeline.store.tables import FIXTURES


def file_assets(root: Path, grid: Grid) -> list[dg.AssetsDefinition]:
    """The assets that stand for a set's files."""
    return [_fixtures(root, grid), _gold(root, grid), _prompt(root, grid)]


def _fixtures(root: Path, grid: Grid) -> dg.AssetsDefinition:
    @dg.asset(
        key=grid.key("fixtures"),
        group_name=grid.safe_name,
        description=(
            f"The source documents of `{grid.set_name}`, each known by the SHA-256 of its bytes. "
            "Materialise it to list them and to have them verified; it costs nothing."
        ),
        kinds={"file", "duckdb"},
        owners=OWNERS,
        metadata=table_metadata(FIXTURES),
    )
    def fixtures(context: dg.AssetExecutionContext) -> Result:
        project = Project.open(root)
        try:
            found = list(fixtures_of(project, grid.set_name).values())
            corpus, gold, _ = set_digests(project, grid.set_name)
        except EvalsError as error:
            return faulty(error)
        stamp = make_stamp(root, run_id=context.op_execution_context.run_id)
        with failing_clearly():
            project.store.write_fixtures(
                grid.set_name, found, corpus=corpus, gold=gold, stamp=stamp
            )
        return dg.MaterializeResult(
            metadata={"documents": len(found), "corpus_digest": corpus},
            data_version=dg.DataVersion(corpus),
        )

    return fixtures


def _gold(root: Path, grid: Grid) -> dg.AssetsDefinition:
    what = "labels and the fields they belong to" if grid.kind is SetKind.FIELDS else "gold claims"

    @dg.asset(
        key=grid.key("gold"),
        group_name=grid.safe_name,
        description=(
            f"The {what} that `{grid.set_name}` is judged against, as people wrote them. "
            "Materialise it after a correction, so that Dagster knows which matches are stale."
        ),
        kinds={"yaml" if grid.kind is SetKind.CLAIMS else "json"},
        owners=OWNERS,
    )
    def gold() -> Result:
        try:
            _, digest, schema = set_digests(Project.open(root), grid.set_name)
        except EvalsError as error:
            return faulty(error)
        return dg.MaterializeResult(
            metadata={"gold_digest": digest, "schema_digest": schema},
            data_version=dg.DataVersion(digest_parts(digest, schema)),
        )

    return gold


def _prompt(root: Path, grid: Grid) -> dg.AssetsDefinition:
    @dg.asset(
        key=grid.key("prompt"),
        group_name=grid.safe_name,
        description=(
            f"What the model versions of `{grid.set_name}` answer from: the prompt that each is "
            "sent, or its file of predictions; code has neither. Materialise it to note a change; "
            "a sensor does so by itself."
        ),
        kinds={"markdown"},
        owners=OWNERS,
    )
    def prompt() -> Result:
        project = Project.open(root)
        try:
            sources = {model: answer_source(project, grid.set_name, model) for model in grid.models}
        except EvalsError as error:
            return faulty(error)
        parts = [f"{model}:{source.digest}" for model, source in sources.items()]
        named = {model: source.name for model, source in sources.items()}
        return dg.MaterializeResult(
            metadata={f"source/{model}": name for model, name in named.items()},
            data_version=dg.DataVersion(digest_parts(*parts)),
        )

    return prompt


def faulty(error: EvalsError) -> Result:
    """A faulty set is materialised as such: its checks say what is wrong and block the rest."""
    return dg.MaterializeResult(
        metadata={"faults": dg.MetadataValue.text(str(error))},
        data_version=dg.DataVersion(f"faulty-{digest_parts(str(error))[:16]}"),
    )
