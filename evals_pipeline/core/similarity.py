"""The similarity of two texts: what is compared and shown of a cosine."""

from typing import overload


@overload
def clamped(cosine: float) -> float: ...
@overload
def clamped(cosine: None) -> None: ...
def clamped(cosine: float | None) -> float | None:
    """A cosine in [-1, 1] as a similarity in [0, 1]; None stays None.

    Texts that point away from each other are as unlike as texts can be, so below 0 there is nothing
    to tell apart. The record of a judgement keeps the cosine as it came.

    >>> clamped(0.83), clamped(-0.12), clamped(-0.0), clamped(None)
    (0.83, 0.0, 0.0, None)
    """
    return None if cosine is None else max(0.0, min(1.0, cosine))
