"""No text is embedded twice, whoever else reads and writes the same folder."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from evals_pipeline.core.errors import SetupError
from evals_pipeline.judge import vectors as vectors_module
from evals_pipeline.judge.vectors import VectorCache
from tests.judge.fakes import WordEncoder


class OddEncoder:
    name = "odd"

    def __init__(self, rows):
        self._rows = rows

    def encode(self, texts):
        return np.array(self._rows, dtype=np.float32)


def test_rows_follow_the_texts_and_each_text_is_embedded_once(tmp_path):
    encoder = WordEncoder()
    cache = VectorCache(tmp_path, encoder)

    rows = cache.vectors(["red fox", "grey owl", "red fox"])

    assert rows.shape[0] == 3
    assert np.array_equal(rows[0], rows[2])
    assert not np.array_equal(rows[0], rows[1])
    assert [sorted(batch) for batch in encoder.batches] == [["grey owl", "red fox"]]
    assert cache.n_embedded == 2


def test_a_second_cache_on_the_same_folder_embeds_only_what_is_new(tmp_path):
    first = VectorCache(tmp_path, WordEncoder()).vectors(["a", "b"])
    encoder = WordEncoder()
    cache = VectorCache(tmp_path, encoder)

    again = cache.vectors(["b", "c", "a"])

    assert encoder.batches == [["c"]]
    assert np.array_equal(again[[2, 0]], first)


def test_another_model_has_vectors_of_its_own(tmp_path):
    VectorCache(tmp_path, WordEncoder("model/a")).vectors(["a"])
    other = WordEncoder("model-a")
    VectorCache(tmp_path, other).vectors(["a"])

    assert other.batches == [["a"]]
    assert len(list(tmp_path.iterdir())) == 2


def test_a_cache_sees_what_another_one_wrote_meanwhile(tmp_path):
    late = WordEncoder()
    opened_first = VectorCache(tmp_path, late)
    opened_first.vectors(["a"])
    VectorCache(tmp_path, WordEncoder()).vectors(["b"])

    opened_first.vectors(["a", "b"])

    assert late.batches == [["a"]]


def test_many_small_segments_are_merged_and_nothing_is_lost(tmp_path):
    cache = VectorCache(tmp_path, WordEncoder())
    texts = [f"text {n}" for n in range(vectors_module._MERGE_ABOVE + 5)]
    alone = [cache.vectors([text])[0] for text in texts]

    folder = next(tmp_path.iterdir())
    assert len(list(folder.glob("*.segment"))) <= 6
    encoder = WordEncoder()
    assert np.array_equal(VectorCache(tmp_path, encoder).vectors(texts), np.stack(alone))
    assert encoder.batches == []


def test_a_reader_survives_a_merge_by_another_process(tmp_path):
    reader = VectorCache(tmp_path, WordEncoder())
    before = reader.vectors(["kept"])
    writer = VectorCache(tmp_path, WordEncoder())
    for n in range(vectors_module._MERGE_ABOVE + 2):
        writer.vectors([f"text {n}"])

    assert np.array_equal(reader.vectors(["kept", "text 3"])[:1], before)
    assert reader.n_embedded == 1


@pytest.mark.parametrize("damage", [b"", b"junk", None], ids=["empty", "junk", "cut"])
def test_a_damaged_segment_is_passed_over_and_its_texts_embedded_again(tmp_path, damage):
    VectorCache(tmp_path, WordEncoder()).vectors(["a", "b"])
    segment = next(tmp_path.rglob("*.segment"))
    segment.write_bytes(segment.read_bytes()[:-40] if damage is None else damage)
    encoder = WordEncoder()

    rows = VectorCache(tmp_path, encoder).vectors(["a"])

    assert encoder.batches == [["a"]]
    assert np.isfinite(rows).all()


def test_in_memory_nothing_is_written_and_nothing_embedded_twice(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    encoder = WordEncoder()
    cache = VectorCache(None, encoder)
    cache.vectors(["a", "b"])
    cache.vectors(["b", "c", "a"])

    assert [sorted(batch) for batch in encoder.batches] == [["a", "b"], ["c"]]
    assert list(tmp_path.iterdir()) == []


def test_rows_get_length_one_and_a_zero_row_stays_zero():
    rows = VectorCache(None, OddEncoder([[3.0, 4.0], [0.0, 0.0]])).vectors(["b", "a"])

    assert sorted(float(np.linalg.norm(row)) for row in rows) == pytest.approx([0.0, 1.0])


@pytest.mark.parametrize("rows", [[[1.0]], [1.0, 2.0], [[1.0], [float("nan")]]])
def test_an_encoder_that_answers_wrongly_is_named(rows):
    with pytest.raises(SetupError, match=r"odd gave an array of shape .* for 2 texts"):
        VectorCache(None, OddEncoder(rows)).vectors(["a", "b"])


def test_no_text_asks_nothing():
    encoder = WordEncoder()
    assert len(VectorCache(None, encoder).vectors([])) == 0
    assert encoder.batches == []


def test_half_a_surrogate_pair_is_embedded_as_a_replacement_character():
    encoder = WordEncoder()
    VectorCache(None, encoder).vectors(["bad \ud800 text"])
    assert encoder.batches == [["bad ��� text"]]


def test_threads_on_one_folder_agree(tmp_path):
    def work(start):
        cache = VectorCache(tmp_path, WordEncoder())
        return [cache.vectors([f"t{(start + n) % 12}"])[0] for n in range(12)]

    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(work, range(4)))

    expected = WordEncoder().encode([f"t{n}" for n in range(12)])
    for start, rows in enumerate(results):
        for n, row in enumerate(rows):
            assert np.allclose(row, expected[(start + n) % 12])


_WRITER = """
import sys
from pathlib import Path
from evals_pipeline.judge.vectors import VectorCache
from tests.judge.fakes import WordEncoder
cache = VectorCache(Path(sys.argv[1]), WordEncoder())
for n in range(60):
    cache.vectors([f"{sys.argv[2]} {n}", f"shared {n}"])
"""


def test_processes_that_write_and_merge_at_once_lose_nothing(tmp_path):
    writers = [
        subprocess.Popen([sys.executable, "-c", _WRITER, str(tmp_path), name])
        for name in ("one", "two", "three")
    ]
    assert [writer.wait(timeout=60) for writer in writers] == [0, 0, 0]

    texts = [f"{name} {n}" for name in ("one", "two", "three", "shared") for n in range(60)]
    encoder = WordEncoder()
    rows = VectorCache(tmp_path, encoder).vectors(texts)

    assert encoder.batches == []
    assert np.allclose(rows, WordEncoder().encode(texts))
