"""How texts write numbers: words, scales, units, currencies and months, as tables.

The guards read claims with these. The tables hold what is written one way only; what could be
something else ("one", "second", "May" on its own) is left to the reader of quantities.
"""

from collections.abc import Iterator
from fractions import Fraction
from functools import cache

from babel.dates import get_month_names

LANGUAGES = ("en", "de", "fr", "es", "it", "pt", "nl", "pl")

CARDINALS: dict[str, int] = {
    word: value
    for value, words in enumerate(
        (
            "zero",
            "",
            "two zwei deux zwo",
            "three drei trois tres tre três drie trzy",
            "four vier quatre cuatro quatro cztery",
            "five fünf cinq cinco cinque vijf pięć",
            "six sechs seis zes sześć",
            "seven sieben siete sette sete zeven siedem",
            "eight acht huit ocho oito osiem",
            "nine neun nueve nove negen dziewięć",
            "ten zehn dix diez dieci dez tien dziesięć",
            "eleven onze undici",
            "twelve zwölf douze doce dodici doze twaalf dwanaście",
            "thirteen dreizehn treize trece",
            "fourteen vierzehn quatorze catorce",
            "fifteen fünfzehn quinze",
            "sixteen sechzehn dieciséis",
            "seventeen siebzehn",
            "eighteen achtzehn",
            "nineteen neunzehn",
        )
    )
    for word in words.split()
}
"""Words for whole numbers below twenty but one."""

TENS: dict[str, int] = {
    word: value
    for value, words in (
        (20, "twenty zwanzig vingt veinte venti vinte twintig"),
        (30, "thirty dreißig trente treinta trenta trinta dertig"),
        (40, "forty vierzig quarante cuarenta quaranta"),
        (50, "fifty fünfzig cinquante cincuenta cinquanta"),
        (60, "sixty sechzig soixante sesenta sessanta"),
        (70, "seventy siebzig setenta settanta"),
        (80, "eighty achtzig ochenta ottanta oitenta"),
        (90, "ninety neunzig noventa novanta"),
    )
    for word in words.split()
}

ORDINALS: dict[str, int] = {
    word: value
    for value, words in enumerate(
        (
            "",
            "first erste ersten erster premier première primero primera",
            "second zweite zweiten deuxième segundo segunda",
            "third dritte dritten troisième tercero tercera",
            "fourth vierte vierten quatrième cuarto cuarta",
            "fifth fünfte fünften cinquième quinto quinta",
            "sixth sechste sechsten",
            "seventh siebte siebten",
            "eighth achte achten",
            "ninth neunte neunten",
            "tenth zehnte zehnten",
            "eleventh",
            "twelfth",
        )
    )
    for word in words.split()
}

LOOSE: dict[str, Fraction] = {
    "one": Fraction(1),
    "half": Fraction(1, 2),
    "couple": Fraction(2),
    "pair": Fraction(2),
    "both": Fraction(2),
    "twice": Fraction(2),
    "double": Fraction(2),
    "doubled": Fraction(2),
    "triple": Fraction(3),
    "tripled": Fraction(3),
}
"""Words that may stand for a number, and as often do not."""

DENOMINATORS: dict[str, int] = {
    "halves": 2,
    "thirds": 3,
    "quarters": 4,
    "fourths": 4,
    "fifths": 5,
    "sixths": 6,
    "eighths": 8,
    "tenths": 10,
}

SCALES: dict[str, Fraction] = {
    word: Fraction(10) ** power
    for power, words in (
        (2, "hundred hundert"),
        (3, "thousand tausend mille mil thsd"),
        (4, "万 萬"),
        (5, "lakh lakhs"),
        (6, "million millions millionen mio mln mn millón millones milione milioni milhões"),
        (7, "crore crores"),
        (8, "億 亿"),
        (9, "billion billions bn bln milliarde milliarden mrd milliard milliards miliardi miljard"),
        (12, "trillion trillions tn trn billionen billones 兆"),
    )
    for word in words.split()
} | {"dozen": Fraction(12), "dutzend": Fraction(12)}

GLUED_SCALES: dict[str, Fraction] = {
    letter: Fraction(10) ** power
    for power, letters in ((3, "k K"), (6, "M"), (9, "B"), (12, "T"))
    for letter in letters.split()
}
"""Letters that scale only where they touch the number; ``m`` does so only behind a currency."""

CURRENCIES: dict[str, str] = {
    "$": "dollar", "us$": "USD", "a$": "AUD", "au$": "AUD", "c$": "CAD", "ca$": "CAD",
    "hk$": "HKD", "nz$": "NZD", "s$": "SGD", "r$": "BRL",
    "€": "EUR", "£": "GBP", "¥": "JPY", "₹": "INR", "₩": "KRW", "₽": "RUB", "円": "JPY",
    "dollar": "dollar", "dollars": "dollar", "euro": "EUR", "euros": "EUR", "yen": "JPY",
    "pfund": "GBP", "sterling": "GBP", "rupee": "INR", "rupees": "INR", "yuan": "CNY",
    "zloty": "PLN", "złotych": "PLN", "francs": "CHF", "franken": "CHF", "dólares": "dollar",
}  # fmt: skip
CURRENCY_CODES = frozenset(
    {"USD", "EUR", "GBP", "JPY", "CHF", "CAD", "AUD", "NZD", "CNY", "INR", "SEK", "NOK", "DKK"}
    | {"PLN", "CZK", "HUF", "BRL", "MXN", "ZAR", "KRW", "RUB", "TRY", "HKD", "SGD", "ILS", "KWD"}
    | {"AED", "SAR", "THB"}
)
DOLLARS = frozenset({"dollar", "USD", "AUD", "CAD", "HKD", "NZD", "SGD"})
"""What a bare dollar may stand for."""

UNITS: dict[str, tuple[str, Fraction]] = {
    spelling: (dimension, Fraction(factor))
    for dimension, factor, spellings in (
        ("percent", "1", "% ％ percent percents percentage pct prozent pourcent procent"),
        ("points", "1/100", "bp bps"),
        ("mass", "1/1000000", "mg milligram milligrams"),
        ("mass", "1/1000", "g gram grams gramm gramme grammes gramos"),
        ("mass", "1", "kg kgs kilo kilos kilogram kilograms kilogramm"),
        ("mass", "1000", "t tonne tonnes tonnen"),
        ("mass", "0.45359237", "lb lbs"),
        ("mass", "0.028349523125", "oz ounce ounces"),
        ("pound", "1", "pound pounds"),
        ("length", "1/1000", "mm millimetre millimetres millimeter millimeters"),
        ("length", "1/100", "cm centimetre centimetres centimeter centimeters"),
        ("length", "1", "m metre metres meter meters"),
        ("length", "1000", "km kilometre kilometres kilometer kilometers"),
        ("length", "0.0254", "inch inches"),
        ("length", "0.3048", "ft foot feet"),
        ("length", "0.9144", "yard yards"),
        ("length", "1609.344", "mile miles"),
        ("area", "1", "m² m2 sqm"),
        ("area", "10000", "ha hectare hectares"),
        ("volume", "1/1000", "ml millilitre millilitres milliliter milliliters"),
        ("volume", "1", "l litre litres liter liters"),
        ("speed", "1", "km/h kph kmh"),
        ("speed", "1.609344", "mph"),
        ("power", "1", "W watt watts"),
        ("power", "1000", "kW kilowatt kilowatts"),
        ("power", "1000000", "MW megawatt megawatts"),
        ("power", "1000000000", "GW gigawatt gigawatts"),
        ("energy", "1", "kWh"),
        ("energy", "1000", "MWh"),
        ("data", "1", "KB kB"),
        ("data", "1000", "MB megabyte megabytes"),
        ("data", "1000000", "GB gigabyte gigabytes"),
        ("data", "1000000000", "TB terabyte terabytes"),
        ("celsius", "1", "°C ℃"),
        ("fahrenheit", "1", "°F"),
        ("duration", "1/1000", "ms millisecond milliseconds"),
        ("duration", "1", "s sec secs second seconds sekunden"),
        ("duration", "60", "min mins minute minutes minuten"),
        ("duration", "3600", "h hr hrs hour hours stunden"),
        ("duration", "86400", "day days"),
        ("duration", "604800", "week weeks"),
        ("months", "1", "month months"),
        ("months", "12", "year years"),
        ("cent", "1", "cent cents"),
    )
    for spelling in spellings.split()
} | {
    "per cent": ("percent", Fraction(1)),
    "percentage point": ("points", Fraction(1)),
    "percentage points": ("points", Fraction(1)),
    "basis point": ("points", Fraction(1, 100)),
    "basis points": ("points", Fraction(1, 100)),
}
"""Spelling to dimension and factor; short ones and those with capitals count as written here."""

MONTHS_SHORT = {
    "jan": 1, "feb": 2, "mar": 3, "apr": 4, "jun": 6, "jul": 7, "aug": 8, "sep": 9, "sept": 9,
    "oct": 10, "okt": 10, "nov": 11, "dec": 12, "dez": 12,
}  # fmt: skip


@cache
def months() -> dict[str, int]:
    """Month names in lower case to their numbers, in the languages that the guards read."""
    return MONTHS_SHORT | dict(_month_names())


@cache
def numeral_words() -> frozenset[str]:
    """Every word that may be a number or part of one, months included."""
    tables = (CARDINALS, TENS, ORDINALS, LOOSE, DENOMINATORS, SCALES, months())
    return frozenset(word for table in tables for word in table)


def _month_names() -> Iterator[tuple[str, int]]:
    for language in LANGUAGES:
        for context in ("format", "stand-alone"):
            names = get_month_names("wide", context=context, locale=language)
            yield from ((names[number].casefold(), number) for number in range(1, 13))
