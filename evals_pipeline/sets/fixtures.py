"""The fixtures of suites: one folder each, with a manifest, a snapshot and the bytes."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, ConfigDict

from evals_pipeline.core import strict_json, strict_yaml
from evals_pipeline.core.edges import EdgeModel, Text, validate, validate_yaml
from evals_pipeline.core.errors import Fault, InputError, did_you_mean
from evals_pipeline.sets.content import hash_mismatch, sha256_file
from evals_pipeline.sets.media import UNKNOWN, media_type_of_content
from evals_pipeline.sets.paths import is_plain_name, shown, stays_inside

MANIFEST, SNAPSHOT, CONTENT = "manifest.yaml", "snapshot.json", "content.bin"


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteFixture:
    """A fixture folder as loaded; its bytes stay in ``path`` until they are asked for.

    ``snapshot`` holds what the snapshot file states, ``content_hash`` the SHA-256 of the bytes.
    """

    fixture_id: str
    source_type: str
    expected_acceptors: tuple[str, ...]
    notes: str | None
    snapshot: dict[str, object]
    content_hash: str
    path: Path
    media_type: str
    warnings: tuple[str, ...] = field(default=())


def _read_hash(text: str) -> str:
    if len(text) != 64 or not all(char in "0123456789abcdefABCDEF" for char in text):
        raise ValueError("must be the SHA-256 of the content, 64 hex digits")
    return text.lower()


ContentHash = Annotated[Text, AfterValidator(_read_hash)]


class Manifest(EdgeModel):
    """What a fixture's manifest states; unknown keys are let through and warned of."""

    model_config = ConfigDict(extra="allow")

    fixture_id: Text
    source_type: Text
    expected_acceptors: tuple[Text, ...] = ()
    notes: str | None = None


class _StoredSnapshot(EdgeModel):
    model_config = ConfigDict(extra="ignore")

    content_hash: ContentHash


def load_fixture(folder: Path, *, verify_content: bool = True) -> SuiteFixture:
    """The fixture that ``folder`` holds, its bytes checked against its snapshot.

    Args:
        folder: The fixture's folder.
        verify_content: False turns bytes that differ from the snapshot into a warning, for work
            that never reads them; ``content_hash`` is that of the bytes in any case.

    Raises:
        InputError: A file is missing, faulty or a link out of the folder, the id is not the
            folder's name, or the bytes are not those of the snapshot; all faults at once.
    """
    where = shown(folder)
    missing = [name for name in (MANIFEST, SNAPSHOT, CONTENT) if not (folder / name).is_file()]
    if missing:
        raise InputError(Fault(where=f"{where}/{name}", problem="missing") for name in missing)
    outside = [n for n in (MANIFEST, SNAPSHOT, CONTENT) if not stays_inside(folder / n, folder)]
    if outside:
        raise InputError(
            Fault(where=f"{where}/{name}", problem="a link that leads out of its folder")
            for name in outside
        )
    faults: list[Fault] = []
    manifest = _read_manifest(folder, faults)
    snapshot, content_hash = _read_snapshot(folder, faults)
    found = sha256_file(folder / CONTENT)
    changed: list[Fault] = []
    if content_hash is not None and content_hash != found:
        problem = hash_mismatch(expected=content_hash, found=found)
        remedy = f"Restore the bytes, or state the new hash in {SNAPSHOT}."
        changed.append(Fault(where=f"{where}/{CONTENT}", problem=problem, remedy=remedy))
    if verify_content:
        faults += changed
    if faults or manifest is None:
        raise InputError(faults)
    warnings = [str(fault) for fault in changed]
    for key in sorted(manifest.model_extra or {}):
        warnings.append(f"{where}/{MANIFEST}: unknown key {key!r}; not read")
    return SuiteFixture(
        fixture_id=manifest.fixture_id,
        source_type=manifest.source_type,
        expected_acceptors=manifest.expected_acceptors,
        notes=manifest.notes,
        snapshot=snapshot,
        content_hash=found,
        path=folder / CONTENT,
        media_type=_media_type(folder / CONTENT),
        warnings=tuple(warnings),
    )


def _read_manifest(folder: Path, faults: list[Fault]) -> Manifest | None:
    where = shown(folder / MANIFEST)
    try:
        doc = strict_yaml.loads((folder / MANIFEST).read_bytes(), where=where)
        manifest = validate_yaml(Manifest, doc, where=where)
    except InputError as error:
        faults.extend(error.faults)
        return None
    if manifest.fixture_id != folder.name:
        problem = f"fixture_id is {manifest.fixture_id!r}; expected the folder's name"
        faults.append(Fault(where=where, problem=problem, line=doc.line_of(("fixture_id",))))
    return manifest


def _read_snapshot(folder: Path, faults: list[Fault]) -> tuple[dict[str, object], str | None]:
    where = shown(folder / SNAPSHOT)
    try:
        value = strict_json.loads((folder / SNAPSHOT).read_bytes(), where=where)
        content_hash = validate(_StoredSnapshot, value, where=where).content_hash
    except InputError as error:
        faults.extend(error.faults)
        return {}, None
    return dict(value) if isinstance(value, dict) else {}, content_hash


def _media_type(path: Path) -> str:
    with path.open("rb") as stream:
        start = stream.read(64)
        whole = start + stream.read(_SNIFFED)
    return media_type_of_content(whole) if len(whole) <= _SNIFFED else UNKNOWN


_SNIFFED = 64 * 2**20


def find_fixture(
    fixture_id: str, fixtures_dirs: Sequence[Path], *, verify_content: bool = True
) -> SuiteFixture:
    """The fixture of that id, from the first of ``fixtures_dirs`` that has a folder for it.

    Raises:
        InputError: The id is not a plain name, nothing has it, or its folder is faulty.
    """
    if not is_plain_name(fixture_id):
        raise InputError.one(
            fixture_id[:80],
            "not a plain name; expected letters, digits, '.', '_' and '-'",
            remedy="A fixture is named, never reached by a path.",
        )
    for fixtures_dir in fixtures_dirs:
        folder = fixtures_dir / fixture_id
        if folder.is_dir():
            if not stays_inside(folder, fixtures_dir):
                raise InputError.one(shown(folder), "a link that leads out of its folder")
            return load_fixture(folder, verify_content=verify_content)
    known = [name for fixtures_dir in fixtures_dirs for name in fixture_ids(fixtures_dir)]
    places = ", ".join(shown(place) for place in fixtures_dirs) or "no fixtures folder"
    near = did_you_mean(fixture_id, known)
    elsewhere = "Where it lies elsewhere, name that folder in fixtures_dir or by --fixtures."
    raise InputError.one(
        fixture_id, f"no such fixture in {places}", remedy=f"{near} {elsewhere}".lstrip()
    )


def fixture_ids(fixtures_dir: Path) -> list[str]:
    """The names of the fixture folders, sorted; none when there is no such directory."""
    if not fixtures_dir.is_dir():
        return []
    return sorted(
        path.name for path in fixtures_dir.iterdir() if path.is_dir() and path.name[0] != "."
    )
