"""One fit from one population of pairs, accepted or refused (semantics: calibration fits).

Pure: the pairs come in, the calibration error comes in as a function, and a ``CalibrationFit`` goes
out in any case, since a refusal is a finding and is kept.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias, assert_never

from evals_pipeline.calibrate.isotonic import IsotonicFit, fit_isotonic, placed
from evals_pipeline.calibrate.refusals import REMEDIES, Refusal, RefusalCode
from evals_pipeline.calibrate.temperature import (
    HIGHEST,
    LOWEST,
    Bound,
    fit_temperature,
    is_movable,
    scaled,
)
from evals_pipeline.core.counts import counted
from evals_pipeline.core.errors import RefusedError
from evals_pipeline.core.figures import CalibrationFit, ConfidencePair

_FEWEST_DIGITS, _MOST_DIGITS = 4, 10
FEWEST_PAIRS = 20
"""Fewer movable pairs than this are refused.

With 20 pairs one label turned round moves the share of right ones by 0.05, half the width of a bin
of the calibration error; with fewer a single claim decides what the fit says.
"""

ErrorOf: TypeAlias = Callable[[Sequence[ConfidencePair]], float | None]
"""The calibration error of pairs, None over none."""

Parameters: TypeAlias = Mapping[str, float | tuple[float, ...]]


class Method(StrEnum):
    """How stated confidence is mapped onto observed correctness."""

    TEMPERATURE = "temperature"
    ISOTONIC = "isotonic"


@dataclass(frozen=True, slots=True, kw_only=True)
class Population:
    """Pairs with what is missing from them.

    ``n_unjudged`` claims hang on ``n_unjudged_pairs`` pairs that the judge gave no verdict on,
    ``n_left_out`` state no usable confidence; neither is among the pairs. ``sources`` names the
    sets that the pairs are from; ``n_runs`` counts the recorded runs that were read.
    """

    pairs: Sequence[ConfidencePair] = ()
    n_unjudged: int = 0
    n_unjudged_pairs: int = 0
    n_left_out: int = 0
    sources: tuple[str, ...] = ()
    n_runs: int = 1

    @property
    def left_open(self) -> str | None:
        """What the judge left open, in words; None: nothing."""
        counts = ((self.n_unjudged_pairs, "pair"), (self.n_unjudged, "claim"))
        return " and ".join(counted(n, noun) for n, noun in counts if n) or None


@dataclass(frozen=True, slots=True, kw_only=True)
class FitRequest:
    """What a fit is asked for; ``heldout`` are recorded runs that it must not have seen.

    ``refused`` are refusals that were found before there were pairs. ``remedies`` says more
    particularly than ``REMEDIES`` what would mend a refusal here.
    """

    set_name: str
    model_version: str
    method: Method
    population: Population
    heldout: Population
    refused: Mapping[RefusalCode, str] = field(default_factory=dict)
    remedies: Mapping[RefusalCode, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Mapping:
    """A fitted mapping of confidences; ``bound_reason`` when it is one that nothing supports."""

    parameters: Parameters
    apply: Callable[[float], float]
    bound_reason: str | None


def fit_confidence(request: FitRequest, *, error_of: ErrorOf) -> CalibrationFit:
    """The fit of a population, or its refusal with reason, figures and remedy.

    The calibration error before and after is over all pairs, 0 and 1 included, so that it is the
    one that reports show; the fit itself looks at the movable pairs only.
    """
    pairs = request.population.pairs
    movable = [pair for pair in pairs if is_movable(pair.confidence)]
    refusals = list(_refusals_before(request, movable))
    mapping = None if refusals and _is_unfittable(refusals) else _fitted(request.method, movable)
    before, after = _errors(pairs, mapping, error_of)
    heldout_before, heldout_after = _errors(request.heldout.pairs, mapping, error_of)
    if mapping is not None:
        refusals += _refusals_of_fit(request, mapping, len(movable), before, after)
        refusals += _refusals_held_out(request, heldout_before, heldout_after)
    refusals.sort(key=lambda refusal: list(RefusalCode).index(refusal.code))
    first = refusals[0] if refusals else None
    return CalibrationFit(
        set_name=request.set_name,
        model_version=request.model_version,
        method=request.method.value,
        n_pairs=len(pairs),
        n_movable=len(movable),
        parameters=mapping.parameters if mapping else {},
        ece_before=before,
        ece_after=after,
        heldout_n=len(request.heldout.pairs),
        heldout_ece_before=heldout_before,
        heldout_ece_after=heldout_after,
        refusal=first.reason if first else None,
        refusal_code=first.code.value if first else None,
        remedy=first.remedy if first else None,
        notes=(*request.notes, *(f"also refused, {r.code}: {r.reason}" for r in refusals[1:])),
        n_correct=sum(pair.is_correct for pair in pairs),
        n_left_out=request.population.n_left_out,
        sources=request.population.sources,
        heldout_sources=request.heldout.sources,
    )


def calibrated(confidence: float, fit: CalibrationFit) -> float:
    """A stated confidence as an accepted fit maps it.

    Raises:
        RefusedError: The fit was refused; a refused fit is never applied.
    """
    if fit.refusal is not None:
        raise RefusedError(
            f"{fit.set_name}: the {fit.method} fit of {fit.model_version} was refused "
            f"({fit.refusal_code}: {fit.refusal}) and is not applied. {fit.remedy or ''}".rstrip()
        )
    return _mapping_of(fit).apply(confidence)


# --- the fit ------------------------------------------------------------------------------------


def _fitted(method: Method, movable: Sequence[ConfidencePair]) -> _Mapping:
    match method:
        case Method.TEMPERATURE:
            found = fit_temperature(movable)
            return _of_temperature(found.temperature, _bound_reason(found.bound))
        case Method.ISOTONIC:
            line = fit_isotonic(movable)
            reason = (
                "the isotonic fit is flat: higher confidences are not more often right"
                if line.is_flat
                else None
            )
            return _of_line(line, reason)
        case _:
            assert_never(method)


def _mapping_of(fit: CalibrationFit) -> _Mapping:
    match Method(fit.method):
        case Method.TEMPERATURE:
            temperature = fit.parameters["temperature"]
            if isinstance(temperature, tuple):
                raise TypeError("a temperature is one number")
            return _of_temperature(temperature, None)
        case Method.ISOTONIC:
            confidences, values = fit.parameters["confidences"], fit.parameters["values"]
            if not isinstance(confidences, tuple) or not isinstance(values, tuple):
                raise TypeError("the knots of an isotonic fit are two tuples")
            return _of_line(IsotonicFit(confidences=confidences, values=values), None)


def _of_temperature(temperature: float, bound_reason: str | None) -> _Mapping:
    return _Mapping(
        parameters={"temperature": temperature},
        apply=lambda confidence: scaled(confidence, temperature),
        bound_reason=bound_reason,
    )


def _of_line(line: IsotonicFit, bound_reason: str | None) -> _Mapping:
    return _Mapping(
        parameters={"confidences": line.confidences, "values": line.values},
        apply=lambda confidence: placed(confidence, line),
        bound_reason=bound_reason,
    )


def _bound_reason(bound: Bound | None) -> str | None:
    match bound:
        case None:
            return None
        case Bound.HIGHEST:
            return (
                f"the best temperature is {HIGHEST:g} or beyond: higher confidences are not more "
                "often right"
            )
        case Bound.LOWEST:
            return (
                f"the best temperature is {LOWEST:g} or below: confidence parts right from wrong "
                "so well that any sharpening helps"
            )
        case _:
            assert_never(bound)


def _errors(
    pairs: Sequence[ConfidencePair], mapping: _Mapping | None, error_of: ErrorOf
) -> tuple[float | None, float | None]:
    """The calibration error of the pairs as stated and as mapped."""
    before = error_of(pairs)
    if mapping is None:
        return before, None
    moved = [
        ConfidencePair(confidence=mapping.apply(pair.confidence), is_correct=pair.is_correct)
        for pair in pairs
    ]
    return before, error_of(moved)


# --- refusals -----------------------------------------------------------------------------------


def _refusals_before(request: FitRequest, movable: Sequence[ConfidencePair]) -> Iterator[Refusal]:
    population = request.population
    n_pairs = len(population.pairs)
    for code, why in request.refused.items():
        yield _refusal(request, code, why)
    if not population.sources and RefusalCode.NO_POPULATION not in request.refused:
        yield _refusal(request, RefusalCode.NO_POPULATION, "there is no population to fit on")
    if population.left_open:
        of = n_pairs + population.n_left_out + population.n_unjudged
        reason = f"{population.left_open} of {of} left unjudged"
        yield _refusal(request, RefusalCode.UNJUDGED, reason)
    if population.sources and not n_pairs:
        yield _refusal(request, RefusalCode.NO_PAIRS, _no_pairs(population))
    if not n_pairs:
        return
    n_right = sum(pair.is_correct for pair in movable)
    if movable and n_right in (0, len(movable)):
        which = "right" if n_right else "wrong"
        reason = f"all {len(movable)} movable pairs are {which}"
        yield _refusal(request, RefusalCode.DEGENERATE_LABELS, reason)
    distinct = {pair.confidence for pair in movable}
    if len(distinct) < 2:
        yield _refusal(
            request, RefusalCode.DEGENERATE_CONFIDENCES, _one_confidence(distinct, n_pairs)
        )


def _no_pairs(population: Population) -> str:
    where = ", ".join(population.sources)
    if not population.n_runs:
        return f"no run of {where} is recorded and judged for today's files and settings"
    if population.n_left_out:
        return f"none of {population.n_left_out} in {where} states a usable confidence"
    return f"nothing in {where} states a confidence"


def _one_confidence(distinct: set[float], n_pairs: int) -> str:
    if distinct:
        return f"every movable confidence is {next(iter(distinct)):g}"
    return f"all {n_pairs} confidences are 0 or 1, which no fit moves"


def _is_unfittable(refusals: Sequence[Refusal]) -> bool:
    """Whether there is nothing that a mapping could be fitted to."""
    return any(refusal.code is not RefusalCode.UNJUDGED for refusal in refusals)


def _refusals_of_fit(
    request: FitRequest,
    mapping: _Mapping,
    n_movable: int,
    before: float | None,
    after: float | None,
) -> Iterator[Refusal]:
    if mapping.bound_reason is not None:
        yield _refusal(request, RefusalCode.ON_BOUND, mapping.bound_reason)
    if n_movable < FEWEST_PAIRS:
        reason = f"{n_movable} movable pairs, at least {FEWEST_PAIRS} are needed"
        yield _refusal(request, RefusalCode.TOO_FEW_PAIRS, reason)
    if before is not None and after is not None and after >= before:
        reason = f"the calibration error would {_moved('go', before, after)}"
        yield _refusal(request, RefusalCode.NOT_IMPROVING, reason)


def _refusals_held_out(
    request: FitRequest, before: float | None, after: float | None
) -> Iterator[Refusal]:
    heldout = request.heldout
    where = ", ".join(heldout.sources)
    if heldout.left_open:
        reason = f"{heldout.left_open} of the held-out runs ({where}) left unjudged"
        yield _refusal(request, RefusalCode.UNJUDGED, reason)
    if before is None or after is None:
        reason = "there is no recorded run that the fit was not fitted on"
        if heldout.sources:
            reason = f"the recorded runs of {where} state no usable confidence"
        yield _refusal(request, RefusalCode.NO_HELDOUT, reason)
    elif after > before:
        yield _refusal(
            request,
            RefusalCode.HELDOUT_REGRESSION,
            f"on {len(heldout.pairs)} held-out pairs ({where}) the calibration error would "
            f"{_moved('rise', before, after)}",
        )


def _moved(verb: str, before: float, after: float) -> str:
    """From where to where, with as many digits as tell the two apart.

    >>> _moved("go", 0.0417, 0.0521), _moved("go", 0.041666, 0.041671), _moved("go", 0.1, 0.1)
    ('go from 0.0417 to 0.0521', 'go from 0.041666 to 0.041671', 'stay unchanged at 0.1000')
    """
    for digits in range(_FEWEST_DIGITS, _MOST_DIGITS + 1):
        here, there = f"{before:.{digits}f}", f"{after:.{digits}f}"
        if here != there:
            return f"{verb} from {here} to {there}"
    return f"stay unchanged at {before:.{_FEWEST_DIGITS}f}"


def _refusal(request: FitRequest, code: RefusalCode, reason: str) -> Refusal:
    return Refusal(code=code, reason=reason, remedy=request.remedies.get(code, REMEDIES[code]))
