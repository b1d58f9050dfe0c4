"""Whoever does not call a model does not load what calling takes."""

import subprocess
import sys

SLOW = ("openai", "genai_prices", "httpx2", "pypdfium2", "torch", "dagster")


def test_opening_the_door_loads_no_client():
    program = (
        "import sys, evals_pipeline.llm.door, evals_pipeline.llm.archive,"
        "evals_pipeline.extract.prompt_extractor\n"
        f"print([name for name in {SLOW} if name in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)

    assert found.stdout.decode().strip() == "[]"
