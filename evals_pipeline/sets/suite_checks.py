"""What the shape of a suite file cannot say: cross references, fixtures and hashes."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from evals_pipeline.core.edges import fault_at
from evals_pipeline.core.errors import Fault, InputError, did_you_mean
from evals_pipeline.core.fingerprints import sha256_text
from evals_pipeline.core.strict_yaml import YamlDoc, YamlPath, YamlValue
from evals_pipeline.sets.fixtures import SuiteFixture, find_fixture
from evals_pipeline.sets.subjects import default_mention


@dataclass(slots=True, kw_only=True)
class SuiteCheck:
    """What no shape can say: cross references, fixtures and hashes, on the values as typed.

    It looks at typed values, so that a fault of shape elsewhere hides none of these.
    """

    doc: YamlDoc
    where: str
    fixtures_dirs: Sequence[Path]
    verify_content: bool
    fixtures: dict[str, SuiteFixture] = field(default_factory=dict)

    def faults(self) -> list[Fault]:
        """Every fault found; afterwards ``fixtures`` holds those that could be loaded."""
        found = [*self._repeated_cases(), *self._gold_subjects()]
        for path, case in self._mappings("cases"):
            found += self._source(path, case)
        return found

    def fault(self, path: YamlPath, problem: str, remedy: str | None = None) -> Fault:
        """A fault at ``path``, with its line."""
        line = self.doc.line_of(path)
        return fault_at(path, problem, where=self.where, line=line, remedy=remedy)

    def _mappings(self, key: str) -> Iterator[tuple[YamlPath, dict[str, YamlValue]]]:
        root = self.doc.value
        items = root.get(key) if isinstance(root, dict) else None
        for i, item in enumerate(items if isinstance(items, list) else []):
            if isinstance(item, dict):
                yield (key, i), item

    def _repeated_cases(self) -> Iterator[Fault]:
        first: dict[str, int | None] = {}
        for path, case in self._mappings("cases"):
            case_id = case.get("case_id")
            if not isinstance(case_id, str):
                continue
            if case_id in first:
                problem = f"{str(case_id)!r} is the id of the case on line {first[case_id]} already"
                yield self.fault((*path, "case_id"), problem, "Give it an id of its own.")
            first.setdefault(case_id, self.doc.line_of((*path, "case_id")))

    def _source(self, path: YamlPath, case: dict[str, YamlValue]) -> Iterator[Fault]:
        fixture, snapshot = case.get("fixture"), case.get("source_snapshot")
        inline = case.get("inline_content")
        if (fixture is None) == (snapshot is None):
            both = "both" if fixture is not None else "neither"
            problem = f"expected exactly one of fixture and source_snapshot, got {both}"
            yield self.fault(path, problem)
        elif isinstance(fixture, str):
            if inline is not None:
                problem = "belongs to a source_snapshot; a fixture has its own content"
                yield self.fault((*path, "inline_content"), problem)
            yield from self._fixture((*path, "fixture"), fixture)
        elif isinstance(snapshot, dict):
            yield from self._inline(path, snapshot.get("content_hash"), inline)

    def _fixture(self, path: YamlPath, fixture_id: str) -> Iterator[Fault]:
        if fixture_id in self.fixtures:
            return
        try:
            self.fixtures[str(fixture_id)] = find_fixture(
                fixture_id, self.fixtures_dirs, verify_content=self.verify_content
            )
        except InputError as error:
            for fault in error.faults:
                yield self.fault(path, f"{fault.where}: {fault.problem}", fault.remedy)

    def _inline(self, path: YamlPath, stated: YamlValue, inline: YamlValue) -> Iterator[Fault]:
        if not isinstance(inline, str):
            problem = "the inline content of the snapshot is missing"
            yield self.fault((*path, "inline_content"), problem, "Write it as a block (|).")
        elif isinstance(stated, str) and stated.lower() != sha256_text(inline):
            yield self.fault(
                (*path, "source_snapshot", "content_hash"),
                "not the SHA-256 of inline_content",
                f"It is {sha256_text(inline)}; check the content, then write that.",
            )

    def _gold_subjects(self) -> Iterator[Fault]:
        contents = {case.get("case_id"): _contents(case) for _, case in self._mappings("cases")}
        seen: set[tuple[str, str]] = set()
        for path, subject in self._mappings("gold_subjects"):
            case_id, name = subject.get("case_id"), subject.get("name")
            if not isinstance(case_id, str) or not isinstance(name, str) or not name.strip():
                continue
            if (case_id, name.casefold()) in seen:
                yield self.fault(path, f"{str(name)!r} stands twice for {case_id}")
            seen.add((case_id, name.casefold()))
            if case_id not in contents:
                known = [str(known_id) for known_id in contents if known_id is not None]
                problem = f"no case has the id {str(case_id)!r}"
                yield self.fault((*path, "case_id"), problem, did_you_mean(case_id, known))
            elif subject.get("mention") is None and not default_mention(name, contents[case_id]):
                problem = f"no gold claim of {case_id} names {str(name)!r} as a whole word"
                yield self.fault(path, problem, "State mention, the text that names it.")


def _contents(case: dict[str, YamlValue]) -> list[str]:
    expected = case.get("expected")
    claims = expected if isinstance(expected, list) else []
    contents = [claim.get("content") for claim in claims if isinstance(claim, dict)]
    return [str(content) for content in contents if isinstance(content, str)]
