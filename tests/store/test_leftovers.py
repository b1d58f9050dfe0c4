import os

from evals_pipeline.store.leftovers import sweep


def test_only_temporary_files_older_than_an_hour_go(tmp_path):
    ages = {"old.parquet.1-a.tmp": 4_000, "young.parquet.1-b.tmp": 3_000, "data.parquet": 9_000}
    now = 1_000_000.0
    for name, age in ages.items():
        path = tmp_path / "tables" / name
        path.parent.mkdir(exist_ok=True)
        path.touch()
        os.utime(path, (now - age, now - age))
    assert sweep(tmp_path, now_s=now) == 1
    assert sorted(path.name for path in (tmp_path / "tables").iterdir()) == [
        "data.parquet",
        "young.parquet.1-b.tmp",
    ]


def test_nothing_to_sweep(tmp_path):
    assert sweep(tmp_path / "nowhere") == 0
