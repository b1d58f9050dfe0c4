"""How a large golden set is scored: time and peak memory over documents × 20 fields × 3 runs.

``python -m bench.scale [DOCUMENTS…]`` makes a set of that many documents in a temporary folder,
scores its predictions as ``evals score`` does, and prints one line each. 100000 documents take
minutes and a few hundred megabytes of disk.
"""

import hashlib
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

N_FIELDS = 20
N_RUNS = 3
BOUND_MIB = 2048
DEFAULT = ("2000", "10000")


def make_set(folder: Path, n_documents: int) -> Path:
    """Writes a golden set and its predictions; gives the predictions' path."""
    kinds = ("identifier", "money", "date", "text")
    names = [f"field_{number:02d}" for number in range(N_FIELDS)]
    fields = "\n".join(f"  {name}: {{kind: {kinds[i % 4]}}}" for i, name in enumerate(names))
    for part in ("documents", "labels"):
        (folder / part).mkdir(parents=True)
    (folder / "set.yaml").write_text(
        f"set: {folder.name}\nsource_type: PAGE\nlocale: en_GB\ncurrency: GBP\nfields:\n{fields}\n"
        "gate: {tolerance: 1 docs}\n",
        encoding="utf-8",
    )
    predictions = folder / "predictions.jsonl"
    with predictions.open("w", encoding="utf-8") as file:
        for number in range(n_documents):
            text = f"page {number}\n"
            digest = hashlib.sha256(text.encode()).hexdigest()
            values = {name: _value(i, number) for i, name in enumerate(names)}
            label = {
                "doc": f"{digest}.txt",
                "name": f"page-{number}",
                "labelled_by": "bench",
                "labelled_at": "2026-01-01",
                "fields": values,
            }
            (folder / "documents" / f"{digest}.txt").write_text(text, encoding="utf-8")
            (folder / "labels" / f"{digest}.json").write_text(json.dumps(label), encoding="utf-8")
            for run_index in range(N_RUNS):
                wrong = {**values, names[number % N_FIELDS]: None}
                given = wrong if (number + run_index) % 10 == 0 else values
                line = {"fixture": digest, "run_index": run_index, "fields": given}
                file.write(json.dumps(line) + "\n")
    return predictions


def _value(kind: int, number: int) -> str:
    match kind % 4:
        case 0:
            return f"INV-{number:06d}"
        case 1:
            return f"{number}.{number % 100:02d}"
        case 2:
            return f"2026-{number % 12 + 1:02d}-{number % 28 + 1:02d}"
        case _:
            return f"Supplier {number % 500} Ltd"


def _score(folder: Path) -> None:
    from evals_pipeline.core.figures import SetFigures
    from evals_pipeline.pipeline.offline import open_set, score_predictions

    started = time.perf_counter()
    found = open_set(None, str(folder))
    loaded = time.perf_counter()
    figures = score_predictions(found, folder / "predictions.jsonl")
    done = time.perf_counter()
    if not isinstance(figures, SetFigures):
        raise SystemExit("a golden set gives field figures")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    n_documents = figures.statuses.planned // N_RUNS
    sys.stdout.write(
        f"scale, {n_documents:,} documents × {N_FIELDS} fields × {N_RUNS} runs: load "
        f"{loaded - started:.1f} s, score {done - loaded:.1f} s "
        f"({figures.n / (done - loaded):,.0f} values/s), peak {peak:,.0f} MiB "
        f"(bound: {BOUND_MIB:,} MiB at 100,000 documents)\n"
    )


def main(arguments: list[str]) -> None:
    """Measures and prints; each size in a process of its own, so that the peak is its own."""
    if arguments[:1] == ["--score"]:
        _score(Path(arguments[1]))
        return
    for count in arguments or DEFAULT:
        with tempfile.TemporaryDirectory() as root:
            folder = Path(root) / "pages"
            folder.mkdir()
            make_set(folder, int(count))
            subprocess.run(
                [sys.executable, "-m", "bench.scale", "--score", str(folder)], check=True
            )


if __name__ == "__main__":
    main(sys.argv[1:])
