"""A local authority file: names with their references, written and answered for by people.

    subjects:
      - {ref: "wikidata:Q495", name: Turin, aliases: [Torino], description: city in Italy}
      - {ref: null, name: Quillhaven}           # known: no authority holds it

A name that stands for several entries is decided by how well their descriptions fit the mention,
and left undecided where that is not clear.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import BeforeValidator, Field

from evals_pipeline.core import strict_yaml
from evals_pipeline.core.edges import EdgeModel, Text, fault_at, read_some, validate_yaml
from evals_pipeline.core.errors import Fault, InputError
from evals_pipeline.core.resolution_records import ExternalRef
from evals_pipeline.resolve.protocol import Finding, LookUp, SubjectQuery, folded, folded_names
from evals_pipeline.resolve.ranking import ContextRank

LOCAL = "authority file"


class EntryModel(EdgeModel):
    """One entity; ``ref`` must be stated, null where no authority holds it."""

    ref: Annotated[Text, Field(pattern=r"^[^\s:]+:\S+$")] | None
    name: Text
    aliases: tuple[Text, ...] = ()
    description: Text | None = None


class AuthorityModel(EdgeModel):
    """The file."""

    subjects: Annotated[tuple[EntryModel, ...], BeforeValidator(read_some)]


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthorityEntry:
    """One entity of the file; ``names`` in the form in which names are compared."""

    ref: str | None
    name: str
    names: frozenset[str]
    description: str | None


class AuthorityFile:
    """The entries of a file as an authority."""

    name = LOCAL

    def __init__(self, entries: tuple[AuthorityEntry, ...], *, rank: ContextRank) -> None:
        self._entries = entries
        self._rank = rank

    def look_up(self, query: SubjectQuery) -> LookUp:
        """The entry of that name, the fitting one where several have it."""
        wanted = folded(query.name)
        found = [entry for entry in self._entries if wanted in entry.names]
        if not found:
            return LookUp(finding=None, step="no entry of that name")
        if len(found) == 1:
            return LookUp(finding=_finding(found[0], 1.0), step=f"one entry, {_shown(found[0])}")
        ranked = self._rank.choose(query.mention, [entry.description or "" for entry in found])
        if ranked.chosen is None:
            return LookUp(finding=None, step=f"{len(found)} entries, {ranked.why}")
        chosen = found[ranked.chosen]
        step = f"{len(found)} entries, {_shown(chosen)} fits the mention ({ranked.why})"
        return LookUp(finding=_finding(chosen, ranked.score), step=step)


def read_authority(path: Path) -> tuple[AuthorityEntry, ...]:
    """The entries of an authority file.

    Raises:
        InputError: It cannot be read, or is no authority file; every fault at once.
    """
    where = str(path)
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError.one(where, f"cannot be read: {error.strerror}") from error
    doc = strict_yaml.loads(content, where=where)
    model = validate_yaml(AuthorityModel, doc, where=where)
    entries = tuple(
        AuthorityEntry(
            ref=entry.ref,
            name=entry.name,
            names=folded_names([entry.name, *entry.aliases]),
            description=entry.description,
        )
        for entry in model.subjects
    )
    faults = [
        fault_at(path_of, problem, where=where, line=doc.line_of(path_of), remedy=_DESCRIBE)
        for path_of, problem in _unclear(entries)
    ]
    if faults:
        raise InputError(_in_order(faults))
    return entries


_DESCRIBE = "Give each of them a description, by which the mention decides."


def _unclear(entries: tuple[AuthorityEntry, ...]) -> list[tuple[tuple[str | int, ...], str]]:
    """Entries that share a name with another one and give nothing to tell them apart by."""
    unclear: list[tuple[tuple[str | int, ...], str]] = []
    for place, entry in enumerate(entries):
        shares = any(other is not entry and other.names & entry.names for other in entries)
        if shares and entry.description is None:
            problem = f"{entry.name!r} shares a name with another entry and has no description"
            unclear.append((("subjects", place), problem))
    return unclear


def _in_order(faults: list[Fault]) -> list[Fault]:
    return sorted(faults, key=lambda fault: fault.line or 0)


def _finding(entry: AuthorityEntry, confidence: float) -> Finding:
    if entry.ref is None:
        return Finding(ref=None, canonical_name=entry.name)
    namespace, _, identifier = entry.ref.partition(":")
    ref = ExternalRef(namespace=namespace, id=identifier, confidence=confidence, authority=LOCAL)
    return Finding(ref=ref, canonical_name=entry.name)


def _shown(entry: AuthorityEntry) -> str:
    return entry.ref or "which no authority holds"
