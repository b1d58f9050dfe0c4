"""What characters mean whatever their shape: digits of any script, spaces, dashes, quotes.

Compatibility normalisation (NFKC) is never applied to whole strings: it would turn a superscript
two into the digit 2. Only shapes that typesetting chose are folded, character by character.
"""

import re
import unicodedata

_DASHES = "‐‑‒–—―−⁃﹘﹣－"
_APOSTROPHES = "'’‘‛ʼʹ′＇´"
_DOUBLE_QUOTES = '"“”„‟″«»＂〃'
_ARABIC_DECIMAL, _ARABIC_GROUP = "٫", "٬"
_SPACES = frozenset({"Zs", "Zl", "Zp"})
_INVISIBLE = frozenset({"Cc", "Cf"})

ARABIC_DECIMAL = _ARABIC_DECIMAL
"""The one character that marks decimals in every locale that writes it."""


class _Fold(dict[int, str | None]):
    """A translation table that works out each character once, when it is first met."""

    def __init__(self, shapes: dict[str, str]) -> None:
        super().__init__({ord(char): to for chars, to in shapes.items() for char in chars})

    def __missing__(self, code: int) -> str | None:
        folded = self.fold(chr(code))
        self[code] = folded
        return folded

    def fold(self, char: str) -> str | None:
        """What ``char`` becomes; None removes it."""
        if char.isspace() or unicodedata.category(char) in _SPACES:
            return " "
        if unicodedata.category(char) in _INVISIBLE:
            return None
        if 0xFF01 <= ord(char) <= 0xFF5E:
            return chr(ord(char) - 0xFEE0)
        return char


class _NumericFold(_Fold):
    def fold(self, char: str) -> str | None:
        digit = unicodedata.decimal(char, None)
        return super().fold(char) if digit is None else str(digit)


class _TextFold(_Fold):
    def fold(self, char: str) -> str | None:
        if _is_variation_selector(char):
            return None
        if _is_presentation_form(char):
            return unicodedata.normalize("NFKC", char)
        return super().fold(char)


class _IdentifierFold(_TextFold):
    def fold(self, char: str) -> str | None:
        digit = unicodedata.decimal(char, None)
        folded = super().fold(char) if digit is None else str(digit)
        if folded is None:
            return None
        kept = [part for part in folded if unicodedata.category(part)[0] in "LNM"]
        return "".join(kept) or None


def _is_variation_selector(char: str) -> bool:
    return "\ufe00" <= char <= "\ufe0f" or "\U000e0100" <= char <= "\U000e01ef"


def _is_presentation_form(char: str) -> bool:
    """Ligatures, Arabic shapes by position, half-width katakana, Dutch and Croatian digraphs."""
    return (
        "\ufb00" <= char <= "\ufdff"
        or "\ufe70" <= char <= "\ufefc"
        or "\uff61" <= char <= "\uff9f"
        or char in "ĳĲǄǅǆǇǈǉǊǋǌ"
    )


_NUMERIC = _NumericFold(
    {_DASHES: "-", _APOSTROPHES: "'", _ARABIC_GROUP: "'", _ARABIC_DECIMAL: _ARABIC_DECIMAL}
)
_TEXT = _TextFold({_DASHES: "-", _APOSTROPHES: "'", _DOUBLE_QUOTES: '"', "…": "..."})
_IDENTIFIER = _IdentifierFold({})
# Han and kana are written without spaces; what stands between them is layout.
_HAN_KANA = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff々"
_SPACE_AT_HAN = re.compile(rf"(?<=[{_HAN_KANA}]) | (?=[{_HAN_KANA}])")
_NOT_ALPHANUMERIC = {code: None for code in range(128) if not chr(code).isalnum()}
# Printable ASCII, letters of Western Europe and the commonest currency signs: composed already,
# none of them typesetting. Most values consist of them alone, and need nothing folded but case.
_UNTYPESET = re.compile(r"[ -~À-ÖØ-öø-ÿ€£¥]*")


def fold_numeric(text: str) -> str:
    """A number or date with ASCII digits, one sort of dash, apostrophe and space, no controls.

    >>> fold_numeric("−١٬٢٣٤٫٥\\u00a0€")
    "-1'234٫5 €"
    """
    if not _UNTYPESET.fullmatch(text):
        text = unicodedata.normalize("NFC", text).translate(_NUMERIC)
    return " ".join(text.split())


def fold_text(text: str) -> str:
    """Running text with the typesetting taken out and the case folded; superscripts stay.

    >>> fold_text("  Oﬃce\\u00a0“North” – 10²")
    'office "north" - 10²'
    """
    if _UNTYPESET.fullmatch(text):
        return " ".join(text.casefold().split())
    folded = unicodedata.normalize("NFC", text).translate(_TEXT).casefold()
    return _SPACE_AT_HAN.sub("", " ".join(unicodedata.normalize("NFC", folded).split()))


def fold_identifier(text: str) -> str:
    """Letters and digits only, upper case, digits of any script as ASCII digits.

    >>> fold_identifier("inv\\u200b-００１/a")
    'INV001A'
    """
    if text.isascii():
        return text.translate(_NOT_ALPHANUMERIC).upper()
    folded = unicodedata.normalize("NFC", text).translate(_IDENTIFIER).upper()
    return unicodedata.normalize("NFC", folded)
