"""Extractors and documents made up for the tests of this stage."""

from collections.abc import Callable

from evals_pipeline.core.fingerprints import sha256_bytes
from evals_pipeline.core.outcomes import OutputKind
from evals_pipeline.core.records import Fixture
from evals_pipeline.extract.protocol import Draft, SourceDocument


class FakeExtractor:
    """Accepts what it is told to and answers what it is told to."""

    version = "7"
    output = OutputKind.CLAIMS

    def __init__(
        self,
        extractor_id: str = "fake",
        *,
        accepted: tuple[str, ...] | None = None,
        must_not: tuple[str, ...] = (),
        answer: Callable[[SourceDocument], Draft] = lambda document: Draft(),
    ) -> None:
        self.extractor_id = extractor_id
        self.must_not = frozenset(must_not)
        self._accepted = accepted
        self._answer = answer

    def accepts(self, source_type: str) -> bool:
        return self._accepted is None or source_type in self._accepted

    def extract(self, document: SourceDocument) -> Draft:
        return self._answer(document)


def source_document(content: bytes = b"{}", *, source_type: str = "MEMO") -> SourceDocument:
    return SourceDocument(
        fixture_id="memo-1",
        name="a memo",
        source_type=source_type,
        media_type="application/json",
        content=content,
        text=content.decode("utf-8", errors="replace"),
    )


def fixture(fixture_id: str, *, name: str | None = None, sha256: str | None = None) -> Fixture:
    content = f"content of {fixture_id}".encode()
    return Fixture(
        fixture_id=fixture_id,
        name=name or fixture_id,
        sha256=sha256 or sha256_bytes(content),
        source_type="MEMO",
        media_type="text/plain",
        inline=content,
    )
