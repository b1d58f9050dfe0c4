"""How fast claims are judged: embedded once, judged again from the cache, and assigned at size.

``python -m bench.claims [REPEATS]`` prints seconds. The first judgement embeds every distinct text
with the packaged model; the second embeds nothing; the last one assigns 2,000 emitted claims to
2,000 gold claims whose vectors are there. Processor seconds on one thread, so that a busy machine
says nearly the same as an idle one.
"""

import re
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from random import Random

import numpy as np
import torch

from evals_pipeline.core.judge_settings import Assignment, JudgeSettings
from evals_pipeline.core.outcomes import ExtractionStatus, UncertaintyNature
from evals_pipeline.core.records import Fixture, GoldClaim, SuiteCase
from evals_pipeline.core.run_records import Claim, Extraction, JudgedCase, Provenance
from evals_pipeline.judge.claims import judge_cases
from evals_pipeline.judge.encoder import Vectors, make_encoder
from evals_pipeline.judge.vectors import VectorCache

N_GOLD, N_PER_CASE = 109, 10
N_LARGE = 2_000
GOAL_LARGE_S = 0.5

_TOWNS = (
    "Halden",
    "Oslo",
    "Varde",
    "Skive",
    "Nexø",
    "Tarm",
    "Ribe",
    "Mora",
    "Falun",
    "Gävle",
    "Umeå",
)
_FACTS = (
    "The mill in {town} ground {n} tonnes of rye in {year}.",
    "{town} opened its harbour railway in {year} with {n} wagons.",
    "The library of {town} lent {n} books to schools in {year}.",
    "In {year} the council of {town} planted {n} lime trees along the quay.",
    "The ferry at {town} carried {n} passengers a day in {year}.",
    "A storm in {year} took {n} roofs in {town}.",
    "The choir of {town} has sung at {n} weddings since {year}.",
    "{town}'s observatory recorded {n} clear nights in {year}.",
    "The dairy at {town} was sold for {n} crowns in {year}.",
    "Since {year} the bakery in {town} has employed {n} people.",
)


class RandomEncoder:
    """Random unit vectors, so that only the assignment is measured."""

    name = "random"

    def encode(self, texts: Sequence[str]) -> Vectors:
        """One random row a text; a claim and its gold share most of it."""
        rows = np.stack(
            [np.random.default_rng(int(text.split()[-1])).normal(size=384) for text in texts]
        )
        noise = np.random.default_rng(len(texts)).normal(size=rows.shape) * 0.3
        return np.asarray(rows + noise, dtype=np.float32)


def suite(rng: Random) -> list[SuiteCase]:
    """109 gold claims in cases of ten."""
    gold = [
        GoldClaim(
            content=rng.choice(_FACTS).format(
                town=_TOWNS[n % len(_TOWNS)], n=20 + 7 * n, year=1800 + n
            ),
            confidence_min=0.7,
            uncertainty_nature=UncertaintyNature.EPISTEMIC,
        )
        for n in range(N_GOLD)
    ]
    return [
        _case(f"case-{start}", gold[start : start + N_PER_CASE])
        for start in range(0, N_GOLD, N_PER_CASE)
    ]


def _case(case_id: str, gold: Iterable[GoldClaim]) -> SuiteCase:
    fixture = Fixture(
        fixture_id=case_id,
        name=case_id,
        sha256="",
        source_type="MEMO",
        media_type="text/plain",
        inline=b"",
    )
    return SuiteCase(
        case_id=case_id, fixture=fixture, expected=tuple(gold), declares_source_type=True
    )


def emissions(
    cases: Sequence[SuiteCase], run: int, rng: Random
) -> list[tuple[SuiteCase, Extraction]]:
    """What an imperfect extractor would say: words dropped, numbers changed, subjects left out."""
    return [
        (
            case,
            _extraction([_perturbed(wanted.content, rng) for wanted in case.expected], run=run),
        )
        for case in cases
    ]


def _perturbed(text: str, rng: Random) -> Claim:
    confidence = round(rng.random(), 3)
    way = rng.random()
    if way < 0.2:
        words = text.split()
        del words[rng.randrange(len(words))]
        return Claim(content=" ".join(words), confidence=confidence)
    if way < 0.4:
        swapped = re.sub(
            r"\d+", lambda found: str(int(found[0]) + rng.randrange(1, 40)), text, count=1
        )
        return Claim(content=swapped, confidence=confidence)
    if way < 0.6:
        town = next(town for town in _TOWNS if town in text)
        return Claim(content=text.replace(town, "it"), confidence=confidence, subjects=(town,))
    return Claim(content=text, confidence=confidence)


def _extraction(claims: Iterable[Claim], *, run: int = 0) -> Extraction:
    return Extraction(
        fixture_id="",
        run_index=run,
        status=ExtractionStatus.OK,
        claims=tuple(claims),
        provenance=Provenance(extractor="bench"),
    )


def measure_suite(n_runs: int, root: Path) -> tuple[float, float, int]:
    """Processor seconds of judging ``n_runs`` for the first and the second time; texts embedded."""
    rng = Random(7)
    cases = suite(rng)
    runs = [emissions(cases, run, rng) for run in range(n_runs)]
    encoder = make_encoder(None)
    encoder.encode(["loads the model before the clock starts"])
    seconds, embedded, judged = [], 0, []
    for _ in range(2):
        cache = VectorCache(root, encoder)
        started = time.process_time()
        judged.append([_judge(run, cache) for run in runs])
        seconds.append(time.process_time() - started)
        embedded = max(embedded, cache.n_embedded)
    if judged[0] != judged[1]:
        raise AssertionError("judging again gave another judgement")
    return seconds[0], seconds[1], embedded


def measure_large(assignment: Assignment) -> float:
    """Processor seconds of judging 2,000 against 2,000 claims whose vectors are there."""
    case = _case(
        "large",
        [
            GoldClaim(
                content=f"fact {n}",
                confidence_min=0,
                uncertainty_nature=UncertaintyNature.EPISTEMIC,
            )
            for n in range(N_LARGE)
        ],
    )
    extraction = _extraction(Claim(content=f"claim {n}", confidence=0.9) for n in range(N_LARGE))
    cache = VectorCache(None, RandomEncoder())
    settings = JudgeSettings(assignment=assignment)
    judge_cases([(case, extraction)], settings=settings, vectors=cache, arbiter=None)
    started = time.process_time()
    judge_cases([(case, extraction)], settings=settings, vectors=cache, arbiter=None)
    return time.process_time() - started


def _judge(run: Sequence[tuple[SuiteCase, Extraction]], cache: VectorCache) -> list[JudgedCase]:
    return judge_cases(run, settings=JudgeSettings(), vectors=cache, arbiter=None)


def main(arguments: list[str]) -> None:
    """Measures and prints."""
    n_runs = int(arguments[0]) if arguments else 20
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as root:
        first, second, embedded = measure_suite(n_runs, Path(root))
    sys.stdout.write(
        f"claims, {N_GOLD} gold × {n_runs} runs: first {first:.2f} s with {embedded:,} texts "
        f"embedded, again {second:.2f} s with none, {first / second:.0f} times faster\n"
    )
    for assignment in Assignment:
        seconds = measure_large(assignment)
        sys.stdout.write(
            f"claims, {N_LARGE:,} × {N_LARGE:,} {assignment.value}: {seconds:.2f} s "
            f"(goal: {GOAL_LARGE_S} s)\n"
        )


if __name__ == "__main__":
    main(sys.argv[1:])
