"""The ledger of a set: which placeholder stands for what, without saying what.

``redaction.jsonl`` beside ``set.yaml`` is committed. It holds a keyed digest (HMAC-SHA-256) of each
masked value, so that a value keeps its placeholder in every later document, whoever adds it. The
key is never in the repository: without it the few billion phone numbers or names there are cannot
be tried against the digests. It lies in the user's configuration folder under its fingerprint, and
is handed from one labeller to the next, or given as EVALS_REDACTION_KEY.

Lines only ever get added, each on its own, so that two branches merge by keeping the lines of both.
"""

import hmac
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Literal

from pydantic import Field

from evals_pipeline.core import strict_json
from evals_pipeline.core.edges import Count, EdgeModel, Moment, Text, validate
from evals_pipeline.core.errors import Fault, InputError, SetupError
from evals_pipeline.core.records import JsonValue
from evals_pipeline.sets.paths import shown
from evals_pipeline.sets.redaction.folding import bare
from evals_pipeline.sets.redaction.keys import (
    KEY_BYTES,
    KEY_VARIABLE,
    decoded,
    fingerprint,
    key_folder,
    save_key,
    stated_key,
)
from evals_pipeline.sets.redaction.terms import Term, TermFinder

LEDGER_FILE = "redaction.jsonl"
_MAC_LETTERS = 32
TERM, KEEP = "TERM", "KEEP"


class _Line(EdgeModel):
    """One line: a placeholder, a text that is kept, or a document declared to be masked already."""

    what: Literal["placeholder", "keep", "declared"]
    key: Text | None = None
    mac: Text | None = None
    kind: Text | None = Field(default=None, pattern=r"^[A-Z]{1,20}$")
    number: Count | None = Field(default=None, ge=1)
    length: Count | None = Field(default=None, ge=1)
    document: Text | None = None
    by: Text | None = None
    at: Moment | None = None


@dataclass(slots=True, kw_only=True)
class Ledger:
    """The ledger as read, with what is added to it until ``text`` is written.

    The key is looked up, or made, when a digest is first needed: a set whose documents were all
    masked elsewhere needs none.
    """

    path: Path
    environ: Mapping[str, str]
    lines: tuple[_Line, ...] = ()
    new_key: bool = False
    _added: list[_Line] = field(default_factory=list)
    _by_mac: dict[str, _Line] = field(default_factory=dict)
    _highest: dict[str, int] = field(default_factory=dict)
    _key: bytes | None = None
    _is_made: bool = False

    def __post_init__(self) -> None:
        for line in self.lines:
            self._index(line)

    def _index(self, line: _Line) -> None:
        # Digests of different keys never meet, so one index holds those of all keys.
        if line.mac is not None:
            self._by_mac.setdefault(line.mac, line)
        if line.kind is not None and line.number is not None:
            self._highest[line.kind] = max(line.number, self._highest.get(line.kind, 0))

    def _add(self, line: _Line) -> None:
        self._added.append(line)
        self._index(line)

    @property
    def _everything(self) -> tuple[_Line, ...]:
        return (*self.lines, *self._added)

    @classmethod
    def open(
        cls, set_folder: Path, *, environ: Mapping[str, str], new_key: bool = False
    ) -> "Ledger":
        """The ledger of a set; one that does not exist yet is empty.

        Args:
            set_folder: Holds ``set.yaml``.
            environ: Says where keys lie, or holds one.
            new_key: Whether to begin with a new key, because the earlier one is lost.

        Raises:
            InputError: A line is faulty; all of them.
        """
        path = set_folder / LEDGER_FILE
        lines = _read_lines(path) if path.is_file() else []
        return cls(path=path, environ=environ, lines=tuple(lines), new_key=new_key)

    @property
    def key(self) -> bytes:
        """The set's key.

        Raises:
            SetupError: The ledger was begun with a key that is not on this machine.
        """
        if self._key is None:
            self._key = self._find_key()
        return self._key

    def _find_key(self) -> bytes:
        known = [line.key for line in self.lines if line.key is not None]
        stated = stated_key(self.environ)
        if stated is not None and (not known or self.new_key or fingerprint(stated) in known):
            return stated
        if known and not self.new_key:
            for name in dict.fromkeys(reversed(known)):
                path = key_folder(self.environ) / f"{name}.key"
                if path.is_file():
                    return decoded(path.read_text(encoding="ascii"), where=str(path))
            path = key_folder(self.environ) / f"{known[-1]}.key"
            message = (
                f"{shown(self.path)}: its key is not on this machine, so a value masked before "
                f"would get another placeholder. Get {path} from whoever added documents, or set "
                f"{KEY_VARIABLE}; if it is lost, begin with a new one by --new-key."
            )
            raise SetupError(message)
        self._is_made = True
        return secrets.token_bytes(KEY_BYTES)

    def has_key(self) -> bool:
        """Whether the key is here, or none is needed yet."""
        try:
            return bool(self.key)
        except SetupError:
            return False

    def mac(self, kind: str, normal: str) -> str:
        """The keyed digest of a value of a kind."""
        message = f"{kind}\0{normal}".encode()
        return hmac.new(self.key, message, sha256).hexdigest()[:_MAC_LETTERS]

    def placeholder(self, kind: str, normal: str, *, is_term: bool = False) -> str:
        """What stands for a value: the placeholder that it has already, else the next of its kind.

        Args:
            kind: What the value is, as ``IBAN``.
            normal: The value in one spelling.
            is_term: Whether a labeller gave it, so that later documents are searched for it.
        """
        mac = self.mac(TERM if is_term else kind, normal)
        line = self._by_mac.get(mac)
        if line is None:
            line = _Line(
                what="placeholder",
                key=fingerprint(self.key),
                mac=mac,
                kind=kind,
                number=self._highest.get(kind, 0) + 1,
                length=len(normal) if is_term else None,
            )
            self._add(line)
        return f"[{line.kind}-{line.number}]"

    def knows(self, kind: str, normal: str, *, is_term: bool = False) -> bool:
        """Whether a value was masked in this set before."""
        is_any = any(line.what == "placeholder" for line in self.lines)
        return is_any and self.mac(TERM if is_term else kind, normal) in self._by_mac

    def term_finder(self, terms: Iterable[Term]) -> TermFinder:
        """Finds the given terms, and those of earlier documents."""
        given = {bare(term.text): term.kind for term in terms}
        return self._finder(TERM, "placeholder", given)

    def keep_finder(self, texts: Iterable[str]) -> TermFinder:
        """Finds the given texts that are to be kept, and those that were kept before."""
        return self._finder(KEEP, "keep", dict.fromkeys(map(bare, texts), KEEP))

    def _finder(self, domain: str, what: str, given: Mapping[str, str]) -> TermFinder:
        known = [line for line in self._everything if line.what == what and line.length]
        kinds = {line.mac: line.kind or domain for line in known if line.mac}
        lengths = {line.length for line in known if line.length}
        for normal, kind in given.items():
            kinds.setdefault(self.mac(domain, normal), kind)
            lengths.add(len(normal))
        return TermFinder(
            digest=lambda normal: self.mac(domain, normal), kinds=kinds, lengths=frozenset(lengths)
        )

    def keep(self, normal: str) -> None:
        """Notes a text that is not masked although it looks like something to be masked."""
        mac = self.mac(KEEP, normal)
        if mac not in self._by_mac:
            key = fingerprint(self.key)
            self._add(_Line(what="keep", key=key, mac=mac, length=len(normal)))

    def declare(self, document: str, *, by: str, at: str) -> None:
        """Notes who said of a document that it was masked already, or holds nothing to mask."""
        if document not in self.declared():
            self._add(_Line(what="declared", document=document, by=by, at=at))

    def declared(self) -> frozenset[str]:
        """The documents that were stored as they came, on somebody's word."""
        stated = (line.document for line in self._everything)
        return frozenset(document for document in stated if document is not None)

    def save_key(self) -> Path | None:
        """Puts a key that was made into the user's configuration folder; None: nothing to do."""
        if not self._is_made or self._key is None or not self._added:
            return None
        path = save_key(self._key, self.environ)
        self._is_made = False
        return path

    def text(self) -> str | None:
        """The whole file with what was added; None when nothing was."""
        if not self._added:
            return None
        stated = (line.model_dump(mode="json", exclude_none=True) for line in self._everything)
        return "".join(strict_json.dumps(line) + "\n" for line in stated)


def _read_lines(path: Path) -> list[_Line]:
    lines: list[_Line] = []
    faults: list[Fault] = []
    for number, text in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if not text.strip():
            continue
        where = f"{shown(path)}:{number}"
        try:
            value: JsonValue = strict_json.loads(text, where=where)
            lines.append(validate(_Line, value, where=where))
        except InputError as error:
            faults += error.faults
    if faults:
        raise InputError(faults)
    return lines
