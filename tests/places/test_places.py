"""What both kinds of places promise."""

import pytest


def test_what_is_put_is_read_and_replaced_whole(place):
    file = place / "a" / "x.json"
    assert not file.exists()
    with pytest.raises(FileNotFoundError):
        file.read_bytes()
    file.put(b"one")
    file.put("zwei ü".encode())
    assert file.exists()
    assert file.read_bytes().decode() == "zwei ü"
    assert file.name == "x.json"
    file.remove()
    file.remove()
    assert not file.exists()


def test_a_new_file_is_in_place_only_once_its_block_ends_well(place):
    file = place / "tables" / "data.parquet"
    file.put(b"old")
    with file.new_file() as temporary:
        temporary.write_bytes(b"new")
        assert file.read_bytes() == b"old"
    assert file.read_bytes() == b"new"
    with pytest.raises(ZeroDivisionError), file.new_file() as temporary:
        temporary.write_bytes(b"%d" % (1 / 0))
    assert file.read_bytes() == b"new"
    assert not temporary.exists()
    assert place.found(["tables", None]) == [("tables", "data.parquet")]


def test_an_open_file_is_of_one_moment(place):
    file = place / "data.parquet"
    file.put(b"old")
    with file.opened() as path, path.open("rb") as handle:
        file.put(b"new")
        assert handle.read() == b"old"
    with pytest.raises(FileNotFoundError), (place / "none").opened() as path, path.open("rb"):
        pass


def test_names_are_of_files_and_folders_directly_below(place):
    assert place.names() == []
    for name in ("b.json", "a.json", "deep/er/c.json"):
        (place / name).put(b"")
    assert place.names() == ["a.json", "b.json", "deep"]
    assert (place / "a.json" / "x").names() == []


@pytest.mark.parametrize("name", ["set=a%2Fb", "[a]*?", "na ïve", "x"])
def test_found_takes_a_step_literally_and_none_as_any(place, name):
    for step in (name, "y"):
        for run in ("0", "1"):
            (place / step / run / "data.parquet").put(b"")
    (place / name / "data.parquet").put(b"")
    found = place.found([name, None, "data.parquet"])
    assert sorted(found) == [(name, "0", "data.parquet"), (name, "1", "data.parquet")]
    assert len(place.found([None, None, "data.parquet"])) == 4
    assert place.found(["z", None, "data.parquet"]) == []


def test_the_name_tells_where_it_lies(place):
    text = str(place / "answers")
    assert text.endswith("/answers")
    assert ("://" in text) is (place.path is None)
