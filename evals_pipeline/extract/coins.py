"""The coin-catalogue extractor: a catalogue's API record of a coin (Numista's shape), as claims.

Deterministic: the same record gives the same claims in the same order, worded by ``coin_claims``.
"""

from evals_pipeline.core import strict_json
from evals_pipeline.core.errors import InputError
from evals_pipeline.core.outcomes import ExtractionStatus, OutputKind
from evals_pipeline.extract.coin_claims import coin_claims
from evals_pipeline.extract.coin_record import coin_record
from evals_pipeline.extract.protocol import Draft, SourceDocument

SOURCE_TYPE = "NUMISTA_API_COIN"


class CoinCatalogueExtractor:
    """States what a coin's catalogue record says."""

    extractor_id = "coin-catalogue"
    version = "1"
    output = OutputKind.CLAIMS
    must_not: frozenset[str] = frozenset()
    required_properties = ("title", "issuer", "composition")
    recommended_properties = (
        "years",
        "face_value",
        "weight_g",
        "size_mm",
        "obverse",
        "reverse",
        "edge",
        "mint",
        "reference",
    )

    def accepts(self, source_type: str) -> bool:
        """Whether the document is a coin's record from the catalogue's API."""
        return source_type == SOURCE_TYPE

    def extract(self, document: SourceDocument) -> Draft:
        """The record's claims; ``unparsable`` when it is no JSON object or states nothing."""
        try:
            record = strict_json.loads(document.content, where=document.fixture_id)
        except InputError as refusal:
            reason = "; ".join(fault.problem for fault in refusal.faults)
            return Draft(status=ExtractionStatus.UNPARSABLE, reason=reason)
        if not isinstance(record, dict):
            reason = "the record is not a JSON object"
            return Draft(status=ExtractionStatus.UNPARSABLE, reason=reason)
        coin = coin_record(record)
        if coin.category not in (None, "coin"):
            reason = f"the record is of the category {coin.category!r}, not a coin"
            return Draft(status=ExtractionStatus.DECLINED, reason=reason)
        claims = tuple(coin_claims(coin))
        if not claims:
            reason = "the record states nothing of a coin"
            return Draft(status=ExtractionStatus.UNPARSABLE, reason=reason)
        return Draft(claims=claims)
