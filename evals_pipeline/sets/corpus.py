"""All the fixtures of some folders at once: what conformance is measured over.

A fixture that is faulty keeps no other from being used. It stands in the corpus with its faults, is
counted, and its bytes are part of the digest as well.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from evals_pipeline.core import strict_yaml
from evals_pipeline.core.edges import validate_yaml
from evals_pipeline.core.errors import InputError
from evals_pipeline.core.fingerprints import digest_parts
from evals_pipeline.sets.content import sha256_file
from evals_pipeline.sets.fixtures import (
    CONTENT,
    MANIFEST,
    Manifest,
    SuiteFixture,
    find_fixture,
    fixture_ids,
)
from evals_pipeline.sets.paths import shown, stays_inside


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultyFixture:
    """A fixture that cannot be loaded; ``expected_acceptors`` None: nor can its manifest."""

    fixture_id: str
    expected_acceptors: tuple[str, ...] | None
    error: InputError


@dataclass(frozen=True, slots=True, kw_only=True)
class FixtureCorpus:
    """The fixtures of some folders by id, those that load and those that do not.

    ``digest`` is the SHA-256 over the ids, source types and contents of all of them.
    """

    fixtures: tuple[SuiteFixture, ...]
    faulty: tuple[FaultyFixture, ...]
    digest: str


def load_corpus(fixtures_dirs: Sequence[Path]) -> FixtureCorpus:
    """The fixtures of ``fixtures_dirs``; of an id that several have, the first one's counts."""
    places: dict[str, Path] = {}
    for fixtures_dir in fixtures_dirs:
        for fixture_id in fixture_ids(fixtures_dir):
            places.setdefault(fixture_id, fixtures_dir)
    fixtures: list[SuiteFixture] = []
    faulty: list[FaultyFixture] = []
    parts: list[str] = []
    for fixture_id, fixtures_dir in sorted(places.items()):
        folder = fixtures_dir / fixture_id
        try:
            found = find_fixture(fixture_id, [fixtures_dir])
        except InputError as error:
            acceptors = _acceptors(folder)
            faulty.append(
                FaultyFixture(fixture_id=fixture_id, expected_acceptors=acceptors, error=error)
            )
            parts += [fixture_id, "faulty", _content_digest(folder)]
            continue
        fixtures.append(found)
        parts += [found.fixture_id, found.source_type, found.content_hash]
    return FixtureCorpus(
        fixtures=tuple(fixtures), faulty=tuple(faulty), digest=digest_parts(*parts)
    )


def _acceptors(folder: Path) -> tuple[str, ...] | None:
    path = folder / MANIFEST
    try:
        if not stays_inside(path, folder):
            return None
        doc = strict_yaml.loads(path.read_bytes(), where=shown(path))
        return validate_yaml(Manifest, doc, where=shown(path)).expected_acceptors
    except (OSError, InputError):
        return None


def _content_digest(folder: Path) -> str:
    path = folder / CONTENT
    return sha256_file(path) if path.is_file() and stays_inside(path, folder) else "absent"
