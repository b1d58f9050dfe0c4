"""Counts as a person reads them."""


def counted(n: int, noun: str, plural: str | None = None) -> str:
    """The noun with its number before it.

    >>> counted(1, "run"), counted(1200, "run"), counted(0, "entry", "entries")
    ('1 run', '1200 runs', '0 entries')
    """
    return f"{n} {noun if n == 1 else plural or noun + 's'}"
