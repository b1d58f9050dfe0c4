"""Which words of a text are names, as far as capitals and the words around them can tell.

Languages that capitalise otherwise (German nouns, scripts without case) are read as well as that
allows: a word is taken for a name only where nothing common explains its capital.
"""

import re
import unicodedata
from collections.abc import Sequence

from evals_pipeline.judge.notation import CURRENCY_CODES

TOKEN = re.compile(r"[^\W_]+(?:[.'’&-][^\W_]+)*")
_MARKS = re.compile("[\u0300-\u036f]")
# Letters that no mark makes, and how umlauts are spelt where there are none.
_BASE_LETTERS = str.maketrans(dict(zip("øłđðıħ", "olddih", strict=True)) | {"æ": "ae", "œ": "oe"})
_SPELT_OUT = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ø": "oe", "å": "aa"})
_ALIASES = tuple(
    frozenset(names.split("|"))
    for names in (
        "us|u.s|usa|u.s.a|united states|america|american",
        "uk|u.k|united kingdom|britain|british|great britain",
        "eu|e.u|european union",
        "uae|united arab emirates",
        "un|u.n|united nations",
        "gdr|ddr|east germany|german democratic republic",
        "frg|brd|west germany|federal republic of germany",
        "burma|myanmar",
        "holland|netherlands|dutch",
        "czechia|czech republic",
        "beijing|peking",
        "mumbai|bombay",
        "kyiv|kiev",
        "iran|persia",
        "thailand|siam",
        "istanbul|constantinople",
        "william|bill|will|billy",
        "robert|bob|rob|bobby",
        "richard|dick|rick",
        "james|jim|jimmy",
        "john|jack|johnny",
        "anthony|tony",
        "michael|mike|mick",
        "thomas|tom",
        "edward|ted|ed|eddie",
        "joseph|joe",
        "elizabeth|liz|beth|betty",
        "katherine|catherine|kate|kathy|cathy",
        "margaret|peggy|maggie|meg",
        "charles|chuck|charlie",
        "henry|harry|hank",
    )
)
# Capitals that begin a sentence, a month, a day or a pronoun name nobody.
_NO_NAME = frozenset(
    {"the", "a", "an", "i", "he", "she", "it", "they", "we", "his", "her", "its", "their", "this"}
    | {"that", "these", "those", "there", "in", "on", "at", "by", "for", "from", "with", "as", "of"}
    | {"and", "but", "or", "if", "when", "after", "before", "while", "mr", "mrs", "ms", "dr"}
    | {"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "january"}
    | {"february", "march", "april", "may", "june", "july", "august", "september", "october"}
    | {"november", "december", "der", "die", "das", "ein", "eine", "le", "la", "les", "un", "une"}
    | {"el", "los", "las", "una", "no", "not", "all", "some", "one", "two", "its", "our", "my"}
)


def _set_of(words: str) -> frozenset[str]:
    return frozenset(words.split())


_TITLES = _set_of(
    "professor prof president chairman chairwoman chair director minister senator governor mayor "
    "king queen prince princess sir dame lord lady captain colonel general judge justice pope "
    "bishop former ex herr frau madame monsieur"
)
_OPENING_ADVERBS = _set_of(
    "today yesterday now then here recently lately currently formerly originally later initially "
    "eventually afterwards"
)
# Nouns that begin a sentence without an article, and words that are no nouns at all.
_COMMON = _set_of(
    "revenue turnover income profit output demand supply growth inflation unemployment debt "
    "equity cash capital trade interest credit rent tax money business industry agriculture "
    "commerce water rain snow ice wind air oil gas coal steel iron wood timber stone paper food "
    "meat grain wheat rice bread milk beer wine fuel electricity power energy heat light sound "
    "traffic work labour labor research science art music software hardware data evidence news "
    "press media staff personnel management leadership police government parliament congress "
    "court council people children kids men women everyone everybody someone somebody anyone "
    "anybody nobody none both many several few most each another others whoever mankind humanity "
    "society today yesterday tomorrow now then here recently lately currently formerly originally "
    "later initially eventually afterwards overall life death war peace time history nature help "
    "production construction man woman mother father mum mom dad grandmother grandfather weight "
    "mass height length width depth diameter thickness size volume price cost value age area "
    "capacity speed distance temperature pressure population turnout throughput headcount obverse "
    "reverse edge rim issuer legend metal title fire stock total entry delivery breakfast autumn "
    "fall spring summer winter morning noon evening night midnight dawn dusk christmas easter "
    "soil earth sand clay mud dust ash smoke fog mist hail thunder lightning sunlight daylight "
    "moonlight sunshine weather climate space land ground sea ocean maize corn barley oats rye "
    "soy sugar salt pepper flour butter cheese coffee tea cocoa chocolate fruit fish beef pork "
    "chicken tobacco alcohol honey garlic rubber cotton wool silk linen leather glass plastic "
    "concrete cement brick tin lead zinc nickel aluminium aluminum bronze brass copper silver "
    "gold platinum uranium hydrogen oxygen nitrogen carbon helium lithium petrol gasoline diesel "
    "kerosene rubbish garbage trash waste sewage litter cargo freight luggage baggage mail post "
    "furniture equipment machinery gear clothing jewellery jewelry football soccer tennis golf "
    "cricket rugby hockey chess cycling rowing athletics baseball cancer malaria flu influenza "
    "cholera typhoid tuberculosis asthma diabetes disease illness health medicine surgery therapy "
    "pain sleep hunger thirst stress fear anger joy love hope faith crime fraud theft murder "
    "arson violence terror terrorism torture slavery poverty wealth luck law order freedom "
    "knowledge advice information progress success failure blame mathematics maths math physics "
    "chemistry biology geography economics literature poetry prose theatre theater cinema film "
    "dance radio television internet email broadband blood flesh skin hair bone cattle poultry "
    "livestock wildlife vegetation lumber access transport transit shipping aviation rail "
    "bankruptcy insolvency trust welfare pay overtime approval refusal arrival departure "
    "demolition repair storage usage use abuse input intake"
)
_COMMON_ENDING = re.compile(
    r".*(?:tion|sion|ment|ness|ity|ance|ence|ism|ship|ure|ing|ency|ancy|ology|wards?|hood)"
)
_VERBS = _set_of(
    "is was has had will would can could may might must shall should does did isn't wasn't hasn't "
    "won lost paid made sold bought led held became began grew fell rose took gave went came said "
    "told built wrote met left kept sent spent set put cut hit beat ran drew drove flew chose "
    "broke spoke stood sat saw got found founded fought taught brought thought lent bid quit "
    "withdrew sank sang swam hosts owns sells buys produces"
)
_AFTER_A_VERB = _set_of(
    "the a an its his her their this that these those to in on at by for from with as of over into "
    "under about all both no not more less"
)
_DOES_NOT_COUNT = _set_of(
    "the a an is was are were be been has have had did does do of in on at by to for that and its "
    "his her their also then"
)


def folded(text: str) -> str:
    """A text as names are compared: without case and accents, which are often left out.

    >>> folded("São Paulo"), folded("Tromsø"), folded("STRAẞE")
    ('sao paulo', 'tromso', 'strasse')
    """
    bare = _MARKS.sub("", unicodedata.normalize("NFKD", text))
    return unicodedata.normalize("NFC", bare).casefold().translate(_BASE_LETTERS)


def are_names(words: Sequence[str], text: Sequence[str], start: int) -> bool:
    """Whether words of a text, from ``start`` on, are names: their capitals have no other reason.

    At the beginning of a sentence one word is a name when it is written in capitals, when another
    capital follows it, or when it is the subject of a verb and no common noun.
    """
    if not words or not all(is_capital(word) for word in words):
        return False
    if any(word.casefold() in _TITLES for word in words):
        return False
    if start > 0 or len(words) > 1 or _is_acronym(words[0]):
        return True
    after = text[1] if len(text) > 1 else ""
    return (bool(after) and is_capital(after)) or opens_as_name(text)


def opens_as_name(text: Sequence[str]) -> bool:
    """Whether the first word of a text is a name: a capital alone, before its verb, not common.

    A plural is taken for one only beside a verb in the singular ("Texas is", not "Texts were").

    >>> opens_as_name("Norway joined the league".split()), opens_as_name("Rain fell".split())
    (True, False)
    """
    if len(text) < 2 or not is_capital(text[0]):
        return False
    word, after = text[0].casefold(), text[1].casefold()
    if word in _COMMON or word in _TITLES or _COMMON_ENDING.fullmatch(word):
        return False
    is_singular = after in {"is", "was", "has", "does"} or _is_third_person(text)
    if word.endswith("s") and not word.endswith("ss"):
        return is_singular
    return is_singular or after in _VERBS or re.fullmatch(r"[^\W\d_]{2,}ed", after) is not None


def _is_third_person(text: Sequence[str]) -> bool:
    """Whether the second word is a verb in -s: "Norway joins the", not "Annual costs rose"."""
    is_followed = len(text) > 2 and (text[2].casefold() in _AFTER_A_VERB or text[2][0].isdigit())
    return is_followed and text[1].endswith("s")


def names_of(text: str) -> list[str]:
    """Runs of capitalised words that are names, as far as capitals can tell."""
    tokens = list(TOKEN.finditer(text))
    if is_headline([token[0] for token in tokens]):
        return []
    names: list[str] = []
    run: list[re.Match[str]] = []
    for token in tokens:
        if run and is_capital(token[0]) and text[run[-1].end() : token.start()] == " ":
            run.append(token)
            continue
        names += _name_of(run, text)
        run = [token] if is_capital(token[0]) else []
    return [*names, *_name_of(run, text)]


def _name_of(run: Sequence[re.Match[str]], text: str) -> list[str]:
    if not run:
        return []
    is_first = (
        not text[: run[0].start()].strip(" \"'([“„«")
        or text[: run[0].start()].rstrip()[-1] in ".!?:"
    )
    if is_first and len(run) == 1 and not _is_acronym(run[0][0]):
        return []
    return [" ".join(token[0] for token in run)]


def without_title(words: Sequence[str]) -> Sequence[str]:
    """A run of capitalised words without what stands before the name: a title, an adverb.

    >>> without_title(["Yesterday", "President", "Adams"]), without_title(["Prince"])
    (['Adams'], ['Prince'])
    """
    start = 0
    while start < len(words) - 1 and words[start].casefold() in _TITLES | _OPENING_ADVERBS:
        start += 1
    return words[start:]


def is_capital(word: str) -> bool:
    """Whether a word could be (part of) a name; codes and currencies are for the number guard."""
    return (
        word[0].isupper()
        and word.casefold() not in _NO_NAME
        and word not in CURRENCY_CODES
        and not any(letter.isdigit() for letter in word)
    )


def is_headline(words: Sequence[str]) -> bool:
    """Whether capitals say nothing because nearly every word has one."""
    long_words = [word for word in words if len(word) > 3 and word[0].isalpha()]
    return len(long_words) > 3 and sum(word[0].isupper() for word in long_words) > 0.6 * len(
        long_words
    )


def without_wording(words: Sequence[str]) -> tuple[Sequence[str], int]:
    """Words without the articles, prepositions and auxiliaries at both ends, and where they start.

    >>> without_wording(["has", "Acme", "the"]), without_wording(["the"])
    ((['Acme'], 1), ([], 1))
    """
    start, end = 0, len(words)
    while start < end and words[start].casefold() in _DOES_NOT_COUNT:
        start += 1
    while end > start and words[end - 1].casefold() in _DOES_NOT_COUNT:
        end -= 1
    return words[start:end], start


def words_of(text: str) -> list[str]:
    """The words that can tell one name from another."""
    return [
        word
        for word in (folded(token) for token in TOKEN.findall(text))
        if len(word) > 2 and word not in _NO_NAME
    ]


def may_be_one(one: str, other: str) -> bool:
    """Whether two names may stand for one: a shared word, an acronym, a known other name.

    >>> may_be_one("Müller", "Mueller"), may_be_one("Müller", "Möller")
    (True, False)
    """
    a, b = folded(one).rstrip("."), folded(other).rstrip(".")
    if a == b or set(words_of(one)) & set(words_of(other)):
        return True
    if _spelt_out(one) == _spelt_out(other):
        return True
    if any(a in names and b in names for names in _ALIASES):
        return True
    if a.startswith(b[:4]) or b.startswith(a[:4]):
        return True
    for short, long in ((one, other), (other, one)):
        initials = "".join(word[0] for word in re.split(r"[\s-]+", long) if word[0].isupper())
        letters = short.replace(".", "").replace(" ", "")
        if len(letters) > 1 and letters.isupper() and initials.startswith(letters):
            return True
    return False


def _spelt_out(name: str) -> str:
    return folded(name.casefold().translate(_SPELT_OUT))


def are_namesakes(one: str, other: str) -> bool:
    """Whether two names share their last word and state different ones before it.

    >>> are_namesakes("Anna Berg", "Karl Berg"), are_namesakes("Anna Berg", "A. Berg")
    (True, False)
    """
    a, b = TOKEN.findall(one), TOKEN.findall(other)
    if min(len(a), len(b)) < 2 or folded(a[-1]) != folded(b[-1]):
        return False
    first, second = a[:-1], b[:-1]
    return (
        all(is_capital(word) and word.casefold() not in _TITLES for word in (*first, *second))
        and not may_be_one(" ".join(first), " ".join(second))
        and not may_be_one(first[0], second[0])
    )


def _is_acronym(word: str) -> bool:
    return word.isupper() and len(word) > 1
