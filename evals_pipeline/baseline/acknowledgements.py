"""Acknowledged drops: ``Accept-Drop: <set>/<field> <reason>`` in a commit's message.

A drop within the tolerance ships only when somebody wrote down why. The line may stand anywhere in
the message, since squash merges and tools that add their own trailers move it out of git's last
paragraph; it continues on indented lines.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from evals_pipeline.core.errors import Fault, InputError, did_you_mean

_TRAILER = re.compile(
    r"^accept-drop[ \t]*:[ \t]*(.*(?:\n[ \t]+\S.*)*)", re.IGNORECASE | re.MULTILINE
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Acknowledgement:
    """One field's drop, accepted for a reason; ``source`` is the commit or the option."""

    set_name: str
    field: str
    reason: str
    source: str

    @property
    def target(self) -> str:
        """``<set>/<field>``."""
        return f"{self.set_name}/{self.field}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedMessages:
    """What commits acknowledge, and lines that were meant to and do not."""

    acknowledgements: tuple[Acknowledgement, ...]
    unread: tuple[str, ...]


def parse_messages(messages: Iterable[tuple[str, str]]) -> ParsedMessages:
    """Reads the acknowledgements of commits, given as (commit, message) with the newest first.

    A line without a reason acknowledges nothing and is handed back as unread.

    >>> parsed = parse_messages([("4c81ba", "Shorten\\n\\nAccept-Drop: bills/total Fax 7 is cut")])
    >>> parsed.acknowledgements[0].target, parsed.acknowledgements[0].reason
    ('bills/total', 'Fax 7 is cut')
    """
    found: list[Acknowledgement] = []
    unread: list[str] = []
    for commit, message in messages:
        for match in _TRAILER.finditer(message.replace("\r\n", "\n")):
            target, _, reason = " ".join(match[1].split()).partition(" ")
            set_name, _, field = target.partition("/")
            if set_name and field and reason:
                source = f"commit {commit[:7]}"
                found.append(
                    Acknowledgement(set_name=set_name, field=field, reason=reason, source=source)
                )
            else:
                text = " ".join(match[1].split())
                unread.append(
                    f'commit {commit[:7]} has "Accept-Drop: {text}", which accepts nothing; '
                    "expected Accept-Drop: <set>/<field> <reason>"
                )
    return ParsedMessages(acknowledgements=tuple(found), unread=tuple(unread))


def parse_accept(text: str) -> Acknowledgement:
    """Reads ``SET/FIELD=REASON`` as the option --accept takes it.

    Raises:
        InputError: A part is missing.
    """
    target, _, reason = text.partition("=")
    set_name, _, field = target.strip().partition("/")
    if not (set_name and field and reason.strip()):
        raise InputError.one(
            "--accept", f"got {text!r}; expected SET/FIELD=REASON, each of them stated"
        )
    return Acknowledgement(set_name=set_name, field=field, reason=reason.strip(), source="--accept")


def check_sets(acknowledgements: Iterable[Acknowledgement], *, gated: Sequence[str]) -> None:
    """Of what an option accepts, every set has to be one that is gated; commits may name others.

    Raises:
        InputError: Some name another set, which would accept nothing.
    """
    strays = [one for one in acknowledgements if one.set_name not in gated]
    if strays:
        raise InputError(
            Fault(
                where=one.source,
                problem=f"{one.target} accepts nothing, since {one.set_name} is not gated here",
                remedy=did_you_mean(one.set_name, gated),
            )
            for one in strays
        )


def accepted_fields(
    acknowledgements: Sequence[Acknowledgement], *, set_name: str
) -> Mapping[str, str]:
    """Per field of a set, why its drop is accepted; the first acknowledgement of a field counts."""
    reasons: dict[str, str] = {}
    for one in acknowledgements:
        if one.set_name == set_name:
            reasons.setdefault(one.field, f"{one.reason} ({one.source})")
    return reasons


def misdirected(
    acknowledgements: Iterable[Acknowledgement], *, set_name: str, fields: Sequence[str]
) -> Iterator[str]:
    """Acknowledgements of this set that name no field of it."""
    for one in acknowledgements:
        if one.set_name == set_name and one.field not in fields:
            yield (
                f"{one.source} acknowledges {one.target}, which is no field. "
                f"{did_you_mean(one.field, fields)}"
            ).rstrip()
