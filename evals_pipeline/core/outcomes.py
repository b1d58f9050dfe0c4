"""The closed vocabularies of statuses, outcomes and verdicts (docs/glossary.md)."""

from collections.abc import Iterable
from enum import StrEnum


class ExtractionStatus(StrEnum):
    """How one extraction ended; only ``ok`` carries values."""

    OK = "ok"
    DECLINED = "declined"
    ERROR = "error"
    TRUNCATED = "truncated"
    UNPARSABLE = "unparsable"


class ClaimOutcome(StrEnum):
    """What the judge says of an emitted claim."""

    MATCHED = "matched"
    UNDER_CONFIDENCE = "under_confidence"
    SPURIOUS = "spurious"
    UNJUDGED = "unjudged"


class GoldOutcome(StrEnum):
    """What became of a gold claim."""

    MATCHED = "matched"
    UNDER_CONFIDENCE = "under_confidence"
    MISSED = "missed"
    UNJUDGED = "unjudged"


class FieldOutcome(StrEnum):
    """What the judge says of one field of one document in one run."""

    CORRECT = "correct"
    CORRECT_NULL = "correct_null"
    WRONG = "wrong"
    MISSED = "missed"
    INVENTED = "invented"
    UNREADABLE = "unreadable"
    ERROR = "error"

    @property
    def is_correct(self) -> bool:
        """True for the two outcomes that count as right."""
        return self in (FieldOutcome.CORRECT, FieldOutcome.CORRECT_NULL)


class Presence(StrEnum):
    """How an extracted value was there or absent; the last three are all absence."""

    VALUE = "value"
    NULL = "null"
    KEY_MISSING = "key_missing"
    BLANK = "blank"

    @property
    def is_absent(self) -> bool:
        """True for null, a missing key and a blank string."""
        return self is not Presence.VALUE


class UncertaintyNature(StrEnum):
    """Whether a gold claim's uncertainty lies in knowledge or in the world."""

    EPISTEMIC = "EPISTEMIC"
    ALEATORIC = "ALEATORIC"


class GateVerdict(StrEnum):
    """What a gate says as a whole."""

    PASS = "pass"
    FAIL = "fail"
    REFUSED = "refused"

    @classmethod
    def over(cls, verdicts: Iterable["GateVerdict"]) -> "GateVerdict":
        """One verdict for several gates: a red one decides, then a refused one; none is refused.

        A failure stands whatever the refused gates would have said, so it comes first.
        """
        seen = set(verdicts)
        if cls.FAIL in seen:
            return cls.FAIL
        return cls.PASS if seen == {cls.PASS} else cls.REFUSED


class FieldVerdict(StrEnum):
    """What the gate says of one field."""

    UNCHANGED = "unchanged"
    IMPROVED = "improved"
    ACKNOWLEDGED = "acknowledged"
    UNACKNOWLEDGED = "unacknowledged"
    REGRESSION = "regression"
    NEW = "new"
    VANISHED = "vanished"

    @property
    def fails(self) -> bool:
        """True for the verdicts that make the gate fail."""
        return self in (
            FieldVerdict.UNACKNOWLEDGED,
            FieldVerdict.REGRESSION,
            FieldVerdict.VANISHED,
        )


class SetKind(StrEnum):
    """The two halves of the product."""

    CLAIMS = "claims"
    FIELDS = "fields"


class OutputKind(StrEnum):
    """What an extractor emits."""

    CLAIMS = "claims"
    FIELDS = "fields"
