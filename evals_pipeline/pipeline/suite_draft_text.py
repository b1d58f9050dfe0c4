"""The text of a drafted suite: what an extractor stated, with comments on what to do about it."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from evals_pipeline.core import strict_yaml
from evals_pipeline.core.errors import InputError
from evals_pipeline.core.records import Fixture
from evals_pipeline.core.run_records import Claim, Extraction

SURE = 0.9
"""Stated confidence from which a drafted claim is marked as required."""

_HEAD = """\
A draft, made on {today} from what {who} stated. It is no gold yet: it says
what the extractor said, not what the sources say. Before you commit it:

1. Read every source, and every claim against it. Take out what is wrong. Add what the
   source says and the extractor left out, in your own words.
2. Decide what is required. Only a fact whose absence would mean that the extractor has
   lost its point counts in recall. The draft marks what was stated with a confidence of
   {sure} or more, else the surest claim of a case; that is a start, not a judgement.
3. Do not delete true but unimportant claims: precision is counted over everything that
   is emitted, so name them with required: false.
4. confidence_min is copied as it was stated. It is a floor: a claim that is stated below
   it is under-confident. Lower it where the next edition may be a little less sure.
5. Subjects stand beside a claim for your information. Matching puts them before claims
   that do not name them; do not name one twice.
6. Say what the suite is for here, instead of this; give it a name and a domain.

Then: evals validate, and evals benchmark {extractor} --suite {suite_id}"""

_ELSEWHERE = """
ATTENTION: routing gives {types} to {whose}, and a suite belongs to whom its
source types go to. Change source_types, or measure this one by --suite."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteHead:
    """What stands above the cases; ``who`` answered, ``owner`` is whom routing gives the types."""

    suite_id: str
    name: str
    domain: str
    source_types: tuple[str, ...]
    extractor_id: str
    who: str
    owner: tuple[str, ...]
    today: date


def draft_text(
    head: SuiteHead,
    fixtures: Sequence[Fixture],
    extractions: Sequence[Extraction],
    *,
    inline: frozenset[str],
) -> str:
    """The text of a drafted suite, with the comments that its author needs.

    Args:
        head: What stands above the cases.
        fixtures: The sources.
        extractions: What was stated of each, in the same order.
        inline: The ids of those whose content becomes part of the suite.
    """
    lines = [
        *_comments(head),
        f"suite_id: {head.suite_id}",
        f"name: {_quoted(head.name)}",
        "version: 0.1.0",
        f"domain: {_quoted(head.domain)}",
        f"source_types: [{', '.join(map(_quoted, head.source_types))}]",
        "cases:",
    ]
    for fixture, extraction in zip(fixtures, extractions, strict=True):
        lines += _case(fixture, extraction, is_inline=fixture.fixture_id in inline)
    return "\n".join(lines) + "\n"


def _comments(head: SuiteHead) -> list[str]:
    text = _HEAD.format(
        today=head.today.isoformat(),
        who=head.who,
        sure=SURE,
        extractor=head.extractor_id,
        suite_id=head.suite_id,
    )
    if head.owner != (head.extractor_id,):
        whose = " and ".join(head.owner) or "no extractor"
        text += "\n" + _ELSEWHERE.format(types=", ".join(head.source_types), whose=whose)
    return [f"# {line}".rstrip() for line in text.split("\n")]


def _case(fixture: Fixture, extraction: Extraction, *, is_inline: bool) -> list[str]:
    lines = [f"  - case_id: {_quoted(fixture.fixture_id)}"]
    if is_inline:
        text = (fixture.inline or b"").decode("utf-8")
        lines += ["    source_snapshot:", f'      content_hash: "{fixture.sha256}"']
        lines += _inline_content(text)
    else:
        lines.append(f"    fixture: {_quoted(fixture.fixture_id)}")
    claims = _distinct(extraction.claims)
    if not claims:
        return [*lines, "    # The extractor stated nothing here.", "    expected: []"]
    floor = min(SURE, max(claim.confidence or 0.0 for claim in claims))
    lines.append("    expected:")
    for claim in claims:
        lines += _expected(claim, is_required=(claim.confidence or 0.0) >= floor)
    return lines


def _expected(claim: Claim, *, is_required: bool) -> list[str]:
    lines = [f"      - content: {_quoted(claim.content)}"]
    if claim.confidence is None:
        why = claim.confidence_flag or "absent"
        lines.append(f"        confidence_min: 0.0  # none was stated ({_comment(why)})")
    else:
        lines.append(f"        confidence_min: {claim.confidence!r}")
    lines += [
        "        uncertainty_nature: EPISTEMIC",
        f"        required: {'true' if is_required else 'false'}",
    ]
    if claim.subjects:
        lines.append(f"        # subjects: {_comment(', '.join(claim.subjects))}")
    return lines


def _distinct(claims: Sequence[Claim]) -> list[Claim]:
    """Claims whose content stands once, each with its highest confidence, in their order."""
    best: dict[str, Claim] = {}
    for claim in claims:
        earlier = best.get(claim.content)
        if earlier is None or (claim.confidence or 0.0) > (earlier.confidence or 0.0):
            best[claim.content] = claim
    return list(best.values())


def _inline_content(text: str) -> list[str]:
    """The content as a block where that reads back letter by letter, else in quotes."""
    chomping = "+" if text.endswith("\n\n") else "" if text.endswith("\n") else "-"
    block = [f"    inline_content: |2{chomping}"]
    body = text[:-1] if text.endswith("\n") else text
    block += [f"      {line}" if line else "" for line in body.split("\n")]
    try:
        trial = strict_yaml.loads("root:\n" + "\n".join(block) + "\n", where="draft").value
    except InputError:
        trial = None
    root = trial.get("root") if isinstance(trial, dict) else None
    reads_back = isinstance(root, dict) and root.get("inline_content") == text
    return block if reads_back else [f"    inline_content: {_quoted(text)}"]


def _quoted(text: str) -> str:
    """A text in double quotes, which YAML reads as JSON does; what is not printed is escaped."""
    quoted = json.dumps(text, ensure_ascii=False)
    return "".join(c if c.isprintable() else json.dumps(c)[1:-1] for c in quoted)


def _comment(text: str) -> str:
    return " ".join(text.split())
