"""Asks Wikidata's search: identified, throttled, patient with a busy server, every answer kept.

The API's ways are those of MediaWiki: a failure may come with status 200 and an ``error`` object,
``maxlag`` asks it to refuse while its databases lag, and ``Retry-After`` says when to come again.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

import httpx

from evals_pipeline.core import strict_json
from evals_pipeline.core.errors import InputError
from evals_pipeline.core.records import JsonValue
from evals_pipeline.resolve.protocol import AuthorityUnreachableError
from evals_pipeline.resolve.recorded import AnswerFolder
from evals_pipeline.resolve.throttle import Throttle

WIKIDATA = "wikidata"
API_URL = "https://www.wikidata.org/w/api.php"
MAX_LAG_S = 5
MOST_TRIES = 4
TIMEOUT_S = 20.0
LONGEST_PAUSE_S = 60.0
MAX_BYTES = 4 * 2**20

_BUSY = frozenset({429, 500, 502, 503, 504})
_BUSY_CODES = ("maxlag", "ratelimited", "readonly", "internal_api_error")


def user_agent(version: str, contact: str) -> str:
    """How we name ourselves, as Wikimedia's policy asks: what we are, and whom to write to.

    >>> user_agent("0.1.0", "mara@example.org")
    'evals-pipeline/0.1.0 (mara@example.org) httpx'
    """
    return f"evals-pipeline/{version} ({contact}) httpx"


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """One hit of a search; ``matched`` is the label or alias that the search found it by."""

    id: str
    label: str
    description: str
    matched: str


@dataclass(slots=True, kw_only=True)
class WikidataClient:
    """Searches by name; ``http`` None answers from the record alone.

    ``now`` says when an answer was given, for the record. A server that stays busy or away through
    all tries is not asked again by this client, so that an outage costs one wait and not one a
    name.
    """

    folder: AnswerFolder
    throttle: Throttle
    now: Callable[[], datetime]
    http: httpx.Client | None = None
    url: str = API_URL
    language: str = "en"
    limit: int = 10
    _away: str | None = field(default=None, init=False)

    def search(self, name: str) -> tuple[Candidate, ...]:
        """The hits for a name, in the order of the search; () is an answer too, and is kept.

        Raises:
            AuthorityUnreachableError: no answer is recorded and none could be had.
            InputError: a recorded answer is damaged.
        """
        question = {
            "action": "wbsearchentities",
            "search": name,
            "language": self.language,
            "uselang": self.language,
            "type": "item",
            "limit": str(self.limit),
            "format": "json",
        }
        recorded = self.folder.find(question)
        if recorded is not None:
            return _candidates(recorded)
        if self.http is None:
            raise AuthorityUnreachableError("no answer is recorded, and it is not asked live")
        if self._away is not None:
            raise AuthorityUnreachableError(f"not asked again after {self._away}")
        answer = self._asked(self.http, question)
        found = _candidates(answer)
        self.folder.add(question, answer, asked_at=self.now())
        return found

    def _asked(self, http: httpx.Client, question: Mapping[str, str]) -> JsonValue:
        """The API's answer; a busy server is asked again, after the pause that it names."""
        for tried in range(1, MOST_TRIES + 1):
            self.throttle.wait()
            try:
                return self._answer(http, question)
            except _BusyError as busy:
                if tried == MOST_TRIES:
                    self._away = f"{busy}, {tried} times"
                    raise AuthorityUnreachableError(self._away) from None
                self.throttle.pause(min(busy.pause_s or 2.0**tried, LONGEST_PAUSE_S))
        raise AssertionError("the last try returns or raises")

    def _answer(self, http: httpx.Client, question: Mapping[str, str]) -> JsonValue:
        """One call.

        Raises:
            _BusyError: asking again may help.
            AuthorityUnreachableError: it will not.
        """
        try:
            response = http.get(self.url, params={**question, "maxlag": str(MAX_LAG_S)})
        except httpx.HTTPError as error:
            raise _BusyError(f"the call failed, {type(error).__name__}", pause_s=0.0) from None
        pause_s = _seconds(response.headers.get("Retry-After"))
        if response.status_code in _BUSY:
            raise _BusyError(f"HTTP {response.status_code}", pause_s=pause_s)
        if response.status_code != httpx.codes.OK:
            raise AuthorityUnreachableError(f"HTTP {response.status_code}")
        try:
            answer = strict_json.loads(response.content, where=WIKIDATA, max_bytes=MAX_BYTES)
        except InputError:
            raise AuthorityUnreachableError("the answer is no JSON") from None
        fields = answer if isinstance(answer, dict) else {}
        if isinstance(failure := fields.get("error"), dict):
            code = str(failure.get("code"))
            if code.startswith(_BUSY_CODES):
                raise _BusyError(f"the API says {code}", pause_s=pause_s)
            raise AuthorityUnreachableError(f"the API says {code}")
        if not isinstance(fields.get("search"), list):
            raise AuthorityUnreachableError("the answer is no list of hits")
        return answer


class _BusyError(Exception):
    """The server could not answer now; ``pause_s`` 0 when it names no pause."""

    def __init__(self, why: str, *, pause_s: float) -> None:
        super().__init__(why)
        self.pause_s = pause_s


def _seconds(header: str | None) -> float:
    """The pause that a header asks for; 0 when it asks for none that can be read."""
    try:
        return max(float(header or 0), 0.0)
    except ValueError:
        return 0.0


def _candidates(answer: JsonValue) -> tuple[Candidate, ...]:
    """The hits of an answer; one without an item's id is passed over."""
    hits = answer.get("search") if isinstance(answer, dict) else None
    found = [_candidate(hit) for hit in (hits if isinstance(hits, list) else [])]
    return tuple(one for one in found if one is not None)


def _candidate(hit: JsonValue) -> Candidate | None:
    if not isinstance(hit, dict) or not _text(hit.get("id")).startswith("Q"):
        return None
    match = hit.get("match")
    return Candidate(
        id=_text(hit.get("id")),
        label=_text(hit.get("label")),
        description=_text(hit.get("description")),
        matched=_text(match.get("text")) if isinstance(match, dict) else "",
    )


def _text(raw: JsonValue) -> str:
    return raw if isinstance(raw, str) else ""
