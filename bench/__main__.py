"""``make bench``: every figure of speed and memory that the product promises, one line each."""

import sys

from bench import calls, claims, fields, scale, startup


def main() -> None:
    """Runs all measurements; minutes on two cores, best on an idle machine."""
    startup.main([])
    fields.main([])
    claims.main([])
    calls.main([])
    scale.main([])
    sys.stdout.write("each bound is stated beside its figure; none of them is a test\n")


if __name__ == "__main__":
    main()
