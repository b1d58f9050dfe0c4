"""How long a person waits before anything happens: help, the code location, a stored gate.

``python -m bench.startup`` prints the median of five wall times each, against its bound.
"""

import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

N_TIMES = 5
COMMANDS: tuple[tuple[str, float, tuple[str, ...]], ...] = (
    ("evals --help", 0.5, ("-m", "evals_pipeline.cli.main", "--help")),
    ("code location", 3.0, ("-c", "import evals_pipeline.definitions")),
    (
        "evals gate invoices",
        2.0,
        ("-m", "evals_pipeline.cli.main", "gate", "invoices", "--no-save"),
    ),
)


def measure(arguments: Sequence[str]) -> float:
    """The median wall time of a Python command, in seconds; its output is thrown away."""
    times = []
    for _ in range(N_TIMES):
        started = time.perf_counter()
        subprocess.run([sys.executable, *arguments], capture_output=True, check=False)
        times.append(time.perf_counter() - started)
    return statistics.median(times)


def main(arguments: list[str]) -> None:
    """Measures and prints; run it in the project, after ``evals run``."""
    del arguments
    if not Path("pyproject.toml").is_file():
        raise SystemExit("run it in the project's folder")
    for what, bound, command in COMMANDS:
        sys.stdout.write(f"{what}: {measure(command):.2f} s (bound: {bound} s)\n")


if __name__ == "__main__":
    main(sys.argv[1:])
