"""Why a fit is refused, in one word, in a sentence with its figures, and with what would mend it.

The order of the codes is the order in which they are looked for: first what makes any fit
meaningless, then what the fit itself shows, last what held-out runs show. The first that holds is
the fit's refusal; the others stand in its notes.
"""

from dataclasses import dataclass
from enum import StrEnum


class RefusalCode(StrEnum):
    """The refusals, in the order in which they are looked for."""

    NO_POPULATION = "no_population"
    NO_JUDGE = "no_judge"
    UNJUDGED = "unjudged"
    NO_PAIRS = "no_pairs"
    DEGENERATE_LABELS = "degenerate_labels"
    DEGENERATE_CONFIDENCES = "degenerate_confidences"
    ON_BOUND = "on_bound"
    TOO_FEW_PAIRS = "too_few_pairs"
    NOT_IMPROVING = "not_improving"
    NO_HELDOUT = "no_heldout"
    HELDOUT_REGRESSION = "heldout_regression"


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """One refusal: its code, what was found, what would mend it."""

    code: RefusalCode
    reason: str
    remedy: str


REMEDIES: dict[RefusalCode, str] = {
    RefusalCode.NO_POPULATION: (
        "Write a calibration suite whose source types this extractor is the routing choice for "
        "(suites/calibration/), then calibrate."
    ),
    RefusalCode.NO_JUDGE: (
        "Name a model in judge.model of [tool.evals], or state --judge embedding (for good: "
        'calibration_judge = "embedding") and bear in mind that a paraphrase it misses is a wrong '
        "label."
    ),
    RefusalCode.UNJUDGED: (
        "See that the judge can be reached and answers in its form, then judge again; a pair that "
        "nobody judged is neither right nor wrong."
    ),
    RefusalCode.NO_PAIRS: (
        "Ask the extractor for a confidence between 0 and 1 with everything that it states."
    ),
    RefusalCode.DEGENERATE_LABELS: (
        "Change the gold coverage: a fit needs right and wrong ones. For a deterministic extractor "
        "leave a third to a quarter of its claims unnamed and say so in the file's header; for a "
        "model name every claim, add documents that it finds hard, and take the refusal for what "
        "it says."
    ),
    RefusalCode.DEGENERATE_CONFIDENCES: (
        "The gold cannot mend it. Add documents in which the author's own certainty varies, or ask "
        "in the prompt for confidences that tell cases apart; 0 and 1 cannot be moved."
    ),
    RefusalCode.ON_BOUND: (
        "Nothing in the suite mends it: the stated confidence does not rise with being right (or "
        "parts right from wrong completely). Change how the extractor states confidence."
    ),
    RefusalCode.TOO_FEW_PAIRS: (
        "Add documents to the population, or pool more passes of a model with --runs."
    ),
    RefusalCode.NOT_IMPROVING: (
        "It is a property of the extractor: its errors do not have the shape that this method "
        "mends. Keep the stated confidence, or try the other method."
    ),
    RefusalCode.NO_HELDOUT: (
        "Record runs of a set that the fit does not see first, then calibrate again."
    ),
    RefusalCode.HELDOUT_REGRESSION: (
        "The population is of another kind than the sets it was checked on. Calibrate on texts "
        "like those that are extracted in earnest; this fit must not be used there."
    ),
}
"""What mends each refusal where nothing more particular is known."""
