"""Does one of two texts deny what the other states?

Embeddings put "is riding" beside "is not riding". The guard reads cues of negation: *plain* ones
(not, never, without, nobody, kein, ne … pas), which deny, and *veiled* ones (fails to, lacks, has
yet to, unlikely), which may carry the same denial in other words. It speaks up where one text has
plain cues and the other has neither, where nothing but a negation was put in or taken out, and
where the two use opposite words of one pair (approved, rejected) with equally many negations.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

_TOKEN = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*")

# Spans that hold a cue and deny nothing, or nothing that the other wording would have to deny.
_NO_DENIAL = re.compile(
    r"\bnot (?:only|just|merely|simply|least)\b|\bno\.? ?(?=\d)|\bno\.? ?#|\bno doubt\b"
    r"|\bno problems?\b|\bno-[^\W\d_]|\bnumber no\b"
    r"|\b(?:no|not) (?:more|less|fewer|later|earlier|longer|higher|lower) than\b"
    r"|\bwhether or not\b|\bor not\b|\bif not\b|\bwhy not\b|\bnone other than\b|\bnothing but\b"
    r"|\bnot un(?=[^\W\d_])|\bnicht nur\b|\bpas seulement\b|\bnon seulement\b|\bno s[oó]lo\b"
    r"|\bnie tylko\b|\bnão só\b|\bnon solo\b",
    re.IGNORECASE,
)
_PLAIN = frozenset(
    {"not", "never", "cannot", "nobody", "none", "nothing", "nowhere", "neither", "nor", "without"}
    | {"no", "dont", "doesnt", "didnt", "isnt", "arent", "wasnt", "werent", "wont", "cant"}
    | {"couldnt", "hasnt"}
)
# Cues of other languages count only beside a word that shows the language.
_FOREIGN: tuple[tuple[frozenset[str], frozenset[str]], ...] = tuple(
    (frozenset(shown.split()), frozenset(cues.split()))
    for shown, cues in (
        (
            "der die das ein eine ist und wird wurde hat sind im auf den dem",
            "nicht kein keine keinen keiner keinem nie niemals niemand nichts ohne weder",
        ),
        (
            "le la les des une est et il elle dans du au je ne",
            "pas jamais aucun aucune rien sans",
        ),
        (
            "el la los las es y un una del está en que",
            "no nunca sin ningún ninguna ninguno nada nadie jamás",
        ),
        (
            "il la lo gli è un una di del che sono",
            "non mai senza nessun nessuno nessuna niente",
        ),
        ("o os a as um uma do da de que está", "não nunca sem nenhum nenhuma ninguém"),
        ("het een van en is de op", "niet geen nooit zonder niemand"),
        ("jest na do się w z i", "nie bez nigdy żaden żadna żadne nikt nic"),
    )
)
_ELIDED = re.compile(r"\b(?:[cdjlmnst]|qu)'")
_POLISH = re.compile(r"[ąćęłńóśźż]")
_CJK = re.compile(
    r"(?:では|じゃ)?(?<!しか)(?<!かもしれ)(?<!なければなら)(?<!だけでは)"
    r"(?:ません|なかった|なくても?|ない(?!と))"
    r"|[没沒不未无無](?=[\u4e00-\u9fff])"
)
_VEILED = re.compile(
    r"\b(?:fail\w*|unable|refus\w*|reject\w*|declin\w*|den(?:y|ies|ied|ying|ial)|lack\w*|absen\w+"
    r"|ban(?:s|ned)?|prohibit\w*|prevent\w*|avoid\w*|yet|unlikely|hardly|barely|scarcely|rarely"
    r"|seldom|instead|ceas\w+|stop\w*|exclu\w+|except|zero|missing|false|wrong|abandon\w*"
    r"|rul\w+ out|cancel\w*|far from|free of|unless|nor|few|little|only|impossible|contrary"
    r"|doubt\w*|void|vacant|empty"
    r"|withh\w+|omit\w*|miss(?:es|ed)?|neglect\w*|forb[aio]d\w*|halt\w*|block\w*|scrap\w*"
    r"|(?:un|in|im|ir|il|dis|non|mis)-?[^\W\d_]{4,}|[^\W\d_]{3,}less)\b|\b0\b|-free\b",
    re.IGNORECASE,
)

_OPPOSITES: tuple[tuple[frozenset[str], frozenset[str]], ...] = tuple(
    (frozenset(one.split()), frozenset(other.split()))
    for one, other in (
        (
            "approve approves approved approving accept accepts accepted accepting",
            "reject rejects rejected rejecting disapprove disapproved refuse refused refuses "
            "decline declined declines",
        ),
        ("grant grants granted granting", "deny denies denied denying refuse refused refuses"),
        ("confirm confirms confirmed confirming", "deny denies denied denying refute refuted"),
        (
            "allow allows allowed permit permits permitted",
            "ban bans banned forbid forbids forbidden prohibit prohibits prohibited",
        ),
        ("enable enables enabled enabling", "disable disables disabled disabling"),
        ("include includes included including", "exclude excludes excluded excluding"),
        (
            "increase increases increased increasing rise rises rose risen rising grow grows grew "
            "grown growing gain gains gained climb climbs climbed",
            "decrease decreases decreased decreasing fall falls fell fallen falling drop drops "
            "dropped dropping shrink shrinks shrank shrunk declined declines decline",
        ),
        ("succeed succeeds succeeded success successful", "fail fails failed failure failing"),
        ("passed passes", "failed fails"),
        ("open opens opened opening", "closed closes close closing shut"),
        ("guilty", "innocent"),
        ("true correct right", "false incorrect wrong"),
        ("alive", "dead"),
        ("present", "absent"),
        ("positive", "negative"),
        ("good", "bad"),
        ("profit profits", "loss losses"),
        ("full", "empty"),
        ("highest", "lowest"),
        ("maximum", "minimum"),
        ("genehmigt bewilligt angenommen", "abgelehnt zurückgewiesen"),
        ("approuvé approuvée accepté acceptée", "rejeté rejetée refusé refusée"),
        ("aprobado aprobada aceptado aceptada", "rechazado rechazada"),
    )
)
_PREFIXED = re.compile(r"(?:un|in|im|il|ir|non|dis)(?P<stem>[^\W\d_]{4,})")
# Adjectives and participles, where the prefix does deny; "inside" and "instead" end otherwise.
_DENIABLE = re.compile(
    r".*(?:able|ible|al|ive|ect|ete|ent|ant|id|ar|ate|ure|ite|ed|en|ful|ing|able|ked|sed|ble|ct|ous)"
    r"|agree|like|obey|approve|prove|allow|honest|happy|fair|safe|known|common|real|clear|lock|likely"
)
_NOT_OPPOSITE = frozenset(
    {"invaluable", "inflammable", "inhabitable", "infamous", "indifferent", "invest", "invested"}
    | {"informed", "income", "indeed", "impressed", "improved", "increased", "increasing"}
    | {"disposed", "distributed", "discovered", "displayed", "distinct", "instant", "investing"}
    | {"intended", "intent", "imported", "irate", "until", "disease", "discount", "distance"}
    | {"indented", "incited", "inserted", "inspired", "installed", "involved", "implied"}
)


_SCOPE = 6
_FUNCTION_WORDS = frozenset(
    {"the", "and", "but", "that", "has", "have", "had", "been", "was", "were", "are", "its", "his"}
    | {"her", "their", "this", "any", "for", "with", "from", "yet", "who", "which", "will", "would"}
    | {"being", "than", "into", "said", "says", "der", "die", "das", "und", "les", "des", "une"}
    | {"que", "los", "las", "una", "del"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Denials:
    """The plain cues of one text, what follows each, its words in order and as a set."""

    read: str
    plain: tuple[str, ...]
    scopes: tuple[tuple[str, ...], ...]
    words: tuple[str, ...]
    vocabulary: frozenset[str]


def negation_differences(want: str, got: str) -> tuple[str, ...]:
    """How one of two texts denies what the other states, in words; empty: it does not.

    >>> negation_differences("The permit was issued.", "The permit was not issued.")
    ('negation: got has "not"',)
    >>> negation_differences("It has yet to grow.", "It does not grow.")
    ()
    """
    wanted, given = _denials(want), _denials(got)
    opposite = _opposite_words(wanted, given)
    if opposite is not None:
        is_even = (len(wanted.plain) - len(given.plain)) % 2 == 0
        return (f"negation: want {opposite[0]!r}, got {opposite[1]!r}",) if is_even else ()
    for stronger, weaker, side in ((wanted, given, "want"), (given, wanted, "got")):
        if (
            stronger.plain
            and not weaker.plain
            and not _veiled(weaker.read) - _veiled(stronger.read)
            and any(_concerns(scope, weaker.vocabulary) for scope in stronger.scopes)
        ):
            return (f"negation: {side} has {_quoted(stronger.plain)}",)
        if len(stronger.plain) > len(weaker.plain) and _is_bare_insertion(stronger, weaker):
            return (f"negation: {side} has {_quoted(stronger.plain)}",)
    return ()


@lru_cache(maxsize=65_536)
def _denials(text: str) -> _Denials:
    straight = text.replace("’", "'").casefold()
    words = tuple(_TOKEN.findall(straight))
    vocabulary = frozenset(words)
    read = straight
    if not _PLAIN.isdisjoint(vocabulary) or any(
        not cues.isdisjoint(vocabulary) for _, cues in _FOREIGN
    ):
        read = _NO_DENIAL.sub(lambda found: " " * len(found[0]), straight)
    tokens = _TOKEN.findall(read)
    cues = _PLAIN | _foreign_cues(read, vocabulary)
    places = [n for n, word in enumerate(tokens) if word in cues or word.endswith("n't")]
    plain = [tokens[place] for place in places]
    scopes = [tuple(tokens[place + 1 : place + 1 + _SCOPE]) for place in places]
    if "neither" in plain and "nor" in plain:
        second = plain.index("nor")
        del plain[second], scopes[second]
    signs = _CJK.findall(read)
    return _Denials(
        read=read,
        plain=(*plain, *signs),
        scopes=(*scopes, *([()] * len(signs))),
        words=words,
        vocabulary=vocabulary,
    )


def _foreign_cues(read: str, vocabulary: frozenset[str]) -> frozenset[str]:
    """The plain cues of the languages, besides English, that the text shows."""
    is_shown_by_sign = bool(_ELIDED.search(read) or _POLISH.search(read))
    shown = [
        cues
        for marks, cues in _FOREIGN
        if not cues.isdisjoint(vocabulary)
        and (is_shown_by_sign or not marks.isdisjoint(vocabulary))
    ]
    return frozenset().union(*shown)


def _concerns(scope: Sequence[str], vocabulary: frozenset[str]) -> bool:
    """Whether a denial is of something that the other text speaks of.

    "… and nothing has been ruled out" denies nothing in a text that rules nothing out. With fewer
    than two words to go by the denial counts: the other text may put a single word differently.
    """
    words = [word for word in scope if len(word) > 2 and word not in _FUNCTION_WORDS]
    if len(words) < 2:
        return True
    stems = {word[:4] for word in vocabulary}
    return any(word[:4] in stems for word in words)


@lru_cache(maxsize=65_536)
def _veiled(read: str) -> frozenset[str]:
    """The veiled cues of a text."""
    return frozenset(found[0] for found in _VEILED.finditer(read))


def _opposite_words(wanted: _Denials, given: _Denials) -> tuple[str, str] | None:
    """A word of each text that are opposites, where neither text uses both sides of the pair."""
    want_words, got_words = wanted.vocabulary, given.vocabulary
    for one, other in _OPPOSITES:
        for left, right in ((one, other), (other, one)):
            if (
                want_words & left
                and got_words & right
                and not want_words & right
                and not got_words & left
            ):
                return min(want_words & left), min(got_words & right)
    if stem := _denied_stem(want_words, got_words):
        return stem, _with_prefix(stem, got_words)
    if stem := _denied_stem(got_words, want_words):
        return _with_prefix(stem, want_words), stem
    return None


def _denied_stem(words: frozenset[str], denying: frozenset[str]) -> str | None:
    """A word whose opposite by prefix the other text has: "paid" beside "unpaid"."""
    for word in sorted(denying - words - _NOT_OPPOSITE):
        found = _PREFIXED.fullmatch(word)
        if found and found["stem"] in words - denying and _DENIABLE.fullmatch(found["stem"]):
            return found["stem"]
    return None


def _with_prefix(stem: str, words: frozenset[str]) -> str:
    return next(word for word in sorted(words) if word.endswith(stem) and _PREFIXED.fullmatch(word))


def _is_bare_insertion(stronger: _Denials, weaker: _Denials) -> bool:
    """Whether taking one negation out of one text gives the other."""
    auxiliaries = {"do", "does", "did"}
    left = [word for word in stronger.words if word not in stronger.plain]
    right = [word for word in weaker.words if word not in weaker.plain]
    return [w for w in left if w not in auxiliaries] == [w for w in right if w not in auxiliaries]


def _quoted(cues: tuple[str, ...]) -> str:
    return ", ".join(f'"{cue}"' for cue in dict.fromkeys(cues))
