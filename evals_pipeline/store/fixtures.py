"""A set's documents as rows, and back."""

from collections.abc import Sequence
from dataclasses import dataclass

from evals_pipeline.core.records import Fixture
from evals_pipeline.core.run_records import RunStamp
from evals_pipeline.places import Place
from evals_pipeline.store.layout import Partition
from evals_pipeline.store.parquet import Columns, Header, opened, write_rows
from evals_pipeline.store.tables import FIXTURES

_READ = ("fixture_id", "name", "sha256", "source_type", "media_type", "path")


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredFixture:
    """A document as it was stored; its bytes stay where they are."""

    fixture_id: str
    name: str
    sha256: str
    source_type: str
    media_type: str
    path: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredFixtures:
    """A set's documents with the digests of the whole corpus and of its gold."""

    fixtures: tuple[StoredFixture, ...]
    corpus: str
    gold: str
    stamp: RunStamp


def write_fixtures(
    root: Place,
    set_name: str,
    fixtures: Sequence[Fixture],
    *,
    corpus: str,
    gold: str,
    stamp: RunStamp,
) -> None:
    """Stores a set's documents."""
    columns: Columns = {
        "fixture_id": [fixture.fixture_id for fixture in fixtures],
        "name": [fixture.name for fixture in fixtures],
        "sha256": [fixture.sha256 for fixture in fixtures],
        "source_type": [fixture.source_type for fixture in fixtures],
        "media_type": [fixture.media_type for fixture in fixtures],
        "path": [fixture.path and fixture.path.as_posix() for fixture in fixtures],
    }
    header = Header(
        stamp=stamp, digests=None, extras={"corpus_digest": corpus, "gold_digest": gold}
    )
    write_rows(root, FIXTURES, Partition(set_name=set_name), [columns], header)


def read_fixtures(root: Place, set_name: str) -> StoredFixtures | None:
    """A set's documents; None when they were never stored."""
    partition = Partition(set_name=set_name)
    with opened(root, FIXTURES, partition) as file:
        if file is None:
            return None
        rows = file.rows(_READ)
        return StoredFixtures(
            fixtures=tuple(StoredFixture(**dict(zip(_READ, row, strict=True))) for row in rows),
            corpus=file.header.extras["corpus_digest"],
            gold=file.header.extras["gold_digest"],
            stamp=file.header.stamp,
        )
