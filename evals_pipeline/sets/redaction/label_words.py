"""The words before a number that say what it is, in the languages that documents come in.

A label speaks for the number that follows it and for no other: between the two stand at most a few
marks and one line or cell break, and no digit.
"""

import re
from enum import StrEnum
from functools import lru_cache


class NumberLabel(StrEnum):
    """What a label says of the number after it."""

    IBAN = "iban"
    CARD = "card"
    ACCOUNT = "account"
    PHONE = "phone"
    IDENTIFIER = "identifier"


_REACH = 48
# What follows a label's word before the number: "no.", "number:", "FR", "= +", quotes of JSON.
_TAIL = (
    r"(?:[\s.:,;|#\-=()/\"'\x01]"
    r"|\b(?:nos|num|number|nummer|numero|n[°º]|№|ist|est|[a-z]{2})\b){0,14}"
)

_WORDS: dict[NumberLabel, tuple[str, ...]] = {
    NumberLabel.IBAN: ("iban",),
    NumberLabel.CARD: (
        r"(?:credit|debit|bank)?[ \-]?card",
        "visa|master ?card|amex|american express|maestro|diners(?: club)?",
        "kreditkarten?|kartennummer|carte(?: bancaire)?|tarjeta|carta(?: di credito)?",
        "kort(?:nummer)?|pan",
    ),
    NumberLabel.ACCOUNT: (
        r"(?:bank[ \-]?)?account|acct|acc|a/c",
        r"sort[ \-]?code|routing|aba|bsb|transit",
        r"(?:bank)?kontonummer|(?:bank)?konto|kto|blz|bankleitzahl|ktonr|kontonr",
        r"compte(?: bancaire)?|rib|cuenta(?: bancaria| corriente)?|ccc|conto(?: corrente)?|c/c",
        r"rekeningnummer|rekening|rek|bankgiro|plusgiro|clearingnummer|clearing",
        r"tilinumero|numer konta|rachunek|conta(?: banc[aá]ria)?|giro",
    ),
    NumberLabel.PHONE: (
        r"tele(?:phone|fone|fono|foon|fon|fax)|phone|fone|fon|tel|t[eé]l|tlf|ph",
        r"t[eé]l[eé]phone|telefonnummer|rufnummer|durchwahl|handy|mobilnummer",
        r"mob(?:ile?|iel|il)?|m[oó]vil|cell(?:ulare|phone|ular)?|gsm|portable|portatile",
        r"(?:tele)?fax|facsimile|puh(?:elin)?|whatsapp|hotline|helpline|switchboard",
    ),
    NumberLabel.IDENTIFIER: (
        r"invoice|inv|bill|receipt|order|po|ref(?:eren[cz]e?|erencia)?|quote|contract|customer|client|item|sku",
        r"article|art|part|product|serial|job|case|ticket|policy|licen[cs]e|delivery|note|booking",
        r"vat|tax|tin|ein|utr|gst|abn|acn|crn|company|registration|reg|registered|charity|ean|gtin",
        r"isbn|issn|asin|imei|tracking|shipment|container|meter|mpan|mprn|id|code|batch|lot",
        r"rechnungs?(?:nummer|nr)?|bestell(?:ung|nummer|nr)?|auftrags?(?:nummer|nr)?|kunden"
        r"(?:nummer|nr)?|liefer(?:schein)?(?:nr)?|vertrags?(?:nummer|nr)?|artikel(?:nummer|nr)?",
        r"leitweg-?id|ust-?id(?:-?nr)?|ust|mwst|steuer(?:nummer|-?nr)?|hrb|hra|handelsregister",
        r"zeichen|beleg|facture|commande|r[eé]f[eé]rence|riferimento|referens|tva|siret|siren|rcs",
        r"naf|ape|devis|num[eé]ro de client",
        r"factura|pedido|albar[aá]n|cliente|nif|cif|iva|fattura|ordine|p\.? ?iva|partita iva",
        r"c\.?f|codice(?: fiscale)?|rea|factuur|bestelling|klant(?:nummer)?|kvk|btw|faktura",
        # The end of an address (info@quay.org 0161 …) labels nothing.
        r"(?<!\.)org\.?(?:anisations?)?(?:nummer|nr)?",
        r"fakturanummer|ordre|kundenr|cvr|momsnr|moms|ocr|kid",
    ),
}

_PATTERNS: dict[NumberLabel, re.Pattern[str]] = {
    label: re.compile(
        # A compound such as "Gläubigerkonto" is labelled by its end, "accounting" by nothing.
        rf"(?:{'|'.join(words)})(?:s|en)?(?![^\W\d_]){_TAIL}\Z"
        if label in (NumberLabel.ACCOUNT, NumberLabel.PHONE)
        else rf"(?<![^\W\d_])(?:{'|'.join(words)})(?![^\W\d_]){_TAIL}\Z"
    )
    for label, words in _WORDS.items()
}
_BARE_NUMBER = re.compile(r"(?<![^\W\d_])(?:no|nr|num|number|nummer|n[o°º]|№|#)[\s.:#\-]{0,4}\Z")
# Patterns are of small letters, because to ignore case takes several times as long. These have no
# small letter of one character, or are one that is read as another.
_SMALL = str.maketrans("İıſ", "iis")


def label_before(text: str, start: int) -> NumberLabel | None:
    """What the words before ``text[start]`` say of the number there; None when they say nothing.

    ``text`` is folded. Where several labels stand in a row the most revealing one counts: a
    "customer account number" is an account.

    >>> label_before("Tel. no: 0161", 9)
    <NumberLabel.PHONE: 'phone'>
    """
    window = text[max(0, start - _REACH) : start]
    for position in range(len(window) - 1, -1, -1):
        if window[position].isdigit():
            window = window[position + 1 :]
            break
    return _label_at_end(window.translate(_SMALL).lower())


@lru_cache(maxsize=4096)
def _label_at_end(window: str) -> NumberLabel | None:
    for label, pattern in _PATTERNS.items():
        if pattern.search(window):
            return label
    return NumberLabel.IDENTIFIER if _BARE_NUMBER.search(window) else None


_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])|[_\W]+")


def telling_name(*names: str) -> str:
    """Of the names that a format gives a value, nearest first, the one that says what it is.

    Names are parted into their words: ``phoneNumber`` and ``cbc:Telephone`` label a number as
    "phone number" and "Telephone" would.

    >>> telling_name("value", "contact_phone")
    'contact phone'
    """
    spelled = [_CAMEL.sub(" ", name).strip() for name in names]
    for name in spelled:
        if label_before(f"{name}: ", len(name) + 2) not in (None, NumberLabel.IDENTIFIER):
            return name
    return spelled[0] if spelled else ""
