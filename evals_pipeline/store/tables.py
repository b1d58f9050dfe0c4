"""The tables of the store: their columns, and the words that describe each column to a reader.

A table's partition says how its rows are split into files: by evaluation set, by model version, by
run index. Every row of every table ends with the keys to walk back by: the run, the commit and the
moment that made it, and the digests of what it was made from.
"""

from dataclasses import dataclass, field
from enum import StrEnum


class ColumnType(StrEnum):
    """What a column holds, as DuckDB names it; JSON text and exact decimals are VARCHAR."""

    TEXT = "VARCHAR"
    INTEGER = "BIGINT"
    REAL = "DOUBLE"
    TRUTH = "BOOLEAN"
    MOMENT = "TIMESTAMP"


@dataclass(frozen=True, slots=True)
class Column:
    """One column; every column is nullable, and null means absent or unmeasured."""

    name: str
    type: ColumnType
    description: str


class Level(StrEnum):
    """A step of a table's partition, outermost first; the folder name is ``<level>=<value>``."""

    SET = "set"
    MODEL_VERSION = "model_version"
    RUN_INDEX = "run_index"
    PART = "part"


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """One table. ``payload`` columns hold whole records as JSON and stay out of the views."""

    name: str
    description: str
    levels: tuple[Level, ...]
    columns: tuple[Column, ...]
    is_in_catalogue: bool = True
    payload: tuple[str, ...] = field(default=())

    @property
    def all_columns(self) -> tuple[Column, ...]:
        """Key columns, own columns, and the stamp that every row carries."""
        return (*self.key_columns, *self.columns, *STAMP_COLUMNS)

    @property
    def key_columns(self) -> tuple[Column, ...]:
        """The columns that repeat the partition."""
        return tuple(_KEYS[level] for level in self.levels if level in _KEYS)


def _text(name: str, description: str) -> Column:
    return Column(name, ColumnType.TEXT, description)


def _integer(name: str, description: str) -> Column:
    return Column(name, ColumnType.INTEGER, description)


def _real(name: str, description: str) -> Column:
    return Column(name, ColumnType.REAL, description)


def _truth(name: str, description: str) -> Column:
    return Column(name, ColumnType.TRUTH, description)


_KEYS = {
    Level.SET: _text("set_name", "The evaluation set: a claim suite or a golden set"),
    Level.MODEL_VERSION: _text("model_version", "The exact thing that answered"),
    Level.RUN_INDEX: _integer("run_index", "0-based number of the repeat"),
}

STAMP_COLUMNS = (
    _text("run_id", "Dagster's run, or local"),
    _text("commit", "Git commit of the working tree; null outside git"),
    Column("recorded_at", ColumnType.MOMENT, "When the row was made, UTC"),
    _text("package_version", "Version of evals_pipeline that made the row"),
    _text("corpus_digest", "Digest of the documents"),
    _text("prompt_digest", "SHA-256 of the prompt; null for code and predictions"),
    _text("extractor_digest", "The extractor and its version"),
    _text("gold_digest", "Digest of the gold claims or the labels"),
    _text("schema_digest", "Digest of the fields and how they compare"),
    _text("judge_digest", "Digest of the judge's settings and code"),
)

_FIXTURE = _text("fixture_id", "Case id in a suite, SHA-256 of the document in a golden set")
_SET = (Level.SET,)
_MODEL = (Level.SET, Level.MODEL_VERSION)
_RUN = (Level.SET, Level.MODEL_VERSION, Level.RUN_INDEX)
_PAYLOAD = _text("payload", "The whole record as JSON; read it through the store")
_ANSWER_KEY = _text("answer_key", "Key of the recorded answer under storage/answers")
_EXTRACTOR = _text("extractor", "Extractor that made the extraction")

FIXTURES = Table(
    name="fixtures",
    description="The source documents of each evaluation set",
    levels=_SET,
    columns=(
        _FIXTURE,
        _text("name", "Name for people"),
        _text("sha256", "SHA-256 of the bytes"),
        _text("source_type", "What kind of source it is"),
        _text("media_type", "Media type of the bytes"),
        _text("path", "File that holds the bytes; null when they stand inline in the suite"),
    ),
)

EXTRACTIONS = Table(
    name="extractions",
    description="One answer of one extractor for one fixture in one run",
    levels=_RUN,
    columns=(
        _FIXTURE,
        _text("fixture_name", "Name of the fixture for people"),
        _text("fixture_sha256", "SHA-256 of the fixture's bytes"),
        _text("status", "ok, declined, error, truncated or unparsable"),
        _text("reason", "Why the status is not ok"),
        _truth("recovered", "The values stood inside prose or fences"),
        _truth("repaired", "The text was not strict JSON and was read leniently"),
        _integer("n_claims", "Claims emitted"),
        _integer("n_fields", "Field values emitted"),
        _EXTRACTOR,
        _text("prompt_sha256", "SHA-256 of the prompt that was sent"),
        _ANSWER_KEY,
        _text("provider_model", "Model name that the provider returned"),
        _text("system_fingerprint", "Fingerprint that the provider returned"),
        _text("finish_reason", "Why the answer ended, as the provider says"),
        _integer("input_tokens", "Input tokens, cached ones included"),
        _integer("cached_input_tokens", "Input tokens served from the provider's cache"),
        _integer("output_tokens", "Output tokens"),
        _text("cost_usd", "Exact cost in US dollars; null is unknown, not free"),
        _text("price_table", "Version of the prices"),
        _truth("cost_is_new", "False when the answer came from the record and cost nothing new"),
        _integer("retries", "Calls beyond the first"),
        _real("duration_s", "Seconds the answer took"),
        _PAYLOAD,
    ),
    payload=("payload",),
)

CLAIMS = Table(
    name="claims",
    description="Claims as extractors emitted them",
    levels=_RUN,
    columns=(
        _FIXTURE,
        _integer("claim_index", "0-based place in the answer"),
        _text("content", "The claim"),
        _real("confidence", "Stated confidence in [0, 1]; null when absent or unusable"),
        _text("confidence_flag", "Why the confidence is null, with what was stated"),
        _text("subjects", "Subject names as a JSON array"),
        _text("properties", "Further properties as a JSON object"),
    ),
)

FIELD_VALUES = Table(
    name="field_values",
    description="Field values as extractors gave them",
    levels=_RUN,
    columns=(
        _FIXTURE,
        _text("field", "Field of the set's schema"),
        _text("value", "The value as JSON"),
        _text("presence", "value, null, key_missing or blank"),
        _real("confidence", "Stated confidence in [0, 1]; null when absent or unusable"),
        _text("confidence_flag", "Why the confidence is null, with what was stated"),
        _text("note", "What was noticed when the value was read"),
    ),
)

CASES = Table(
    name="judged_cases",
    description="One case of a suite in one run, judged",
    levels=_RUN,
    columns=(
        _FIXTURE,
        _text("status", "Status of the extraction"),
        _text("reason", "Why the status is not ok"),
        _integer("n_claims", "Claims emitted"),
        _integer("n_gold", "Gold claims"),
        _PAYLOAD,
    ),
    payload=("payload",),
)

CLAIM_MATCHES = Table(
    name="claim_matches",
    description="What the judge says of each emitted claim and of each gold claim",
    levels=_RUN,
    columns=(
        _FIXTURE,
        _text("side", "claim for an emitted one, gold for an expected one"),
        _integer("position", "0-based place among the claims of its side"),
        _text("content", "The claim"),
        _text("outcome", "matched, under_confidence, spurious, missed or unjudged"),
        _integer("matched_position", "Place of its match on the other side; null without one"),
        _real("similarity", "Cosine, in [-1, 1] as it came, to the match, else to the nearest"),
        _real("confidence", "Stated confidence of an emitted claim"),
        _real("confidence_min", "Floor of a gold claim"),
        _truth("required", "Whether a gold claim counts for recall"),
        _text("suspect", "Reasons of the guards as a JSON array"),
        _text("rendering", "Text whose similarity counted"),
        _text("near", "Nearest claims of the other side as a JSON array"),
        _text("note", "What the judge noted"),
        _EXTRACTOR,
        _ANSWER_KEY,
    ),
)

FIELD_MATCHES = Table(
    name="field_matches",
    description="What the judge says of each field of each document in each run",
    levels=_RUN,
    columns=(
        _FIXTURE,
        _text("document", "Name of the document for people"),
        _text("field", "Field of the set's schema"),
        _text("kind", "Kind of value"),
        _text("outcome", "correct, correct_null, wrong, missed, invented, unreadable or error"),
        _text("want", "Canonical form of the label; null is absent"),
        _text("got", "Canonical form of the value; null is absent"),
        _text("want_raw", "The label as JSON"),
        _text("got_raw", "The value as JSON"),
        _text("presence", "value, null, key_missing or blank"),
        _text("answer", "Canonical answer that disagreement compares"),
        _real("confidence", "Stated confidence in [0, 1]"),
        _integer("reading", "Number of the accepted reading that matched"),
        _text("trace", "Steps of the comparison as a JSON array"),
        _truth("in_document", "Whether the value was found in the document's text"),
        _text("note", "What the judge noted"),
        _EXTRACTOR,
        _ANSWER_KEY,
    ),
)

METRICS = Table(
    name="metrics",
    description="Every figure of a set for one model version; a null has its reason beside it",
    levels=_MODEL,
    columns=(
        _text("scope", "set, field or slice"),
        _text("field", "Field of the set's schema; null for the whole set"),
        _text("slice", "Slice of the set, such as source=acme; null outside slices"),
        _text("metric", "What is measured"),
        _real("value", "The figure: the mean over runs where there are several"),
        _text("reason", "Why the value is null"),
        _integer("n", "Count that the figure is over"),
        _integer("count", "How many of n the figure counts, where it is a share"),
        _real("ci_low", "Lower end of the 95 % interval"),
        _real("ci_high", "Upper end of the 95 % interval"),
        _real("min", "Smallest value of a run"),
        _real("max", "Largest value of a run"),
        _real("stdev", "Sample standard deviation over runs; null for one run"),
        _text("values_by_run", "Values by run as a JSON array"),
        _integer("n_runs_used", "Runs that the figure is over"),
        _integer("n_runs_expected", "Runs that the settings ask for"),
    ),
)

BASELINES = Table(
    name="baselines",
    description="The baseline that stands: how many of how many runs were right",
    levels=_MODEL,
    columns=(
        _text("field", "Field of the set's schema"),
        _FIXTURE,
        _text("document", "Name of the document for people"),
        _integer("correct", "Runs that were right"),
        _integer("n", "Runs"),
        _text("label_digest", "Digest of the label that it was scored against"),
        _text("provider_model", "Model name as the provider reported it"),
        _integer("n_runs", "Runs that the baseline was recorded from"),
        _text("baseline_recorded_at", "When the baseline was recorded"),
    ),
)

CALIBRATION_FITS = Table(
    name="calibration_fits",
    description="Fits of stated confidence to observed correctness, the refused ones too",
    levels=_MODEL,
    columns=(
        _text("method", "temperature or isotonic"),
        _truth("is_accepted", "Only an accepted fit may be applied"),
        _text("refusal", "Why the fit was refused"),
        _text("refusal_code", "The refusal in one word"),
        _text("remedy", "What would mend the refusal"),
        _integer("n_pairs", "Pairs of confidence and correctness"),
        _integer("n_movable", "Pairs strictly between 0 and 1"),
        _real("temperature", "Fitted temperature; null for another method"),
        _text("parameters", "Parameters of the fit as JSON"),
        _real("ece_before", "Calibration error before, in sample"),
        _real("ece_after", "Calibration error after, in sample"),
        _integer("heldout_n", "Pairs of runs that the fit did not see"),
        _real("heldout_ece_before", "Calibration error before, held out"),
        _real("heldout_ece_after", "Calibration error after, held out"),
    ),
)

GATES = Table(
    name="gates",
    description="Verdicts of the gate, one row for the set and one for each field",
    levels=_MODEL,
    columns=(
        _text("scope", "set or field"),
        _text("field", "Field of the set's schema; null for the whole set"),
        _text("verdict", "Of the set: pass, fail, refused; of a field: what became of it"),
        _text("baseline", "Exact accuracy of the baseline as a fraction"),
        _text("now", "Exact accuracy now as a fraction"),
        _text("delta", "Exact difference as a fraction"),
        _real("delta_value", "The difference as a number"),
        _text("tolerance", "How far the field may drop"),
        _integer("n_documents", "Documents present on both sides"),
        _text("acknowledged", "Reason of the acknowledgement in the commit"),
        _real("p_value", "Exact McNemar test"),
        _real("noise", "Spread between runs"),
        _truth("is_unstable", "Disagreement at or above the set's limit"),
        _text("reasons", "Why the gate failed or refused, as a JSON array"),
        _text("baseline_source", "Where the baseline was read from"),
    ),
)

COSTS = Table(
    name="costs",
    description="Every answer that was paid for, once, in the run that paid for it",
    levels=(*_RUN, Level.PART),
    columns=(
        _text("purpose", "extraction or judge"),
        _text("label", "Fixture, or pair of claims, that the answer was for"),
        _ANSWER_KEY,
        _text("provider_model", "Model name that the provider returned"),
        _integer("input_tokens", "Input tokens, cached ones included"),
        _integer("cached_input_tokens", "Input tokens served from the provider's cache"),
        _integer("output_tokens", "Output tokens"),
        _text("cost_usd", "Exact cost in US dollars; null is unknown, not free"),
        _text("price_table", "Version of the prices"),
        _integer("retries", "Calls beyond the first"),
        _real("duration_s", "Seconds the answer took"),
    ),
)

RECORDS = Table(
    name="records",
    description="Whole records as JSON, in parts",
    levels=(*_MODEL, Level.PART),
    columns=(
        _text("kind", "Class of the record"),
        _text("place", "Where in the record this part belongs"),
        _PAYLOAD,
    ),
    is_in_catalogue=False,
    payload=("payload",),
)

TABLES: tuple[Table, ...] = (
    FIXTURES,
    EXTRACTIONS,
    CLAIMS,
    FIELD_VALUES,
    CASES,
    CLAIM_MATCHES,
    FIELD_MATCHES,
    METRICS,
    BASELINES,
    CALIBRATION_FITS,
    GATES,
    COSTS,
    RECORDS,
)
TABLES_BY_NAME = {table.name: table for table in TABLES}
