import sys
from pathlib import Path

import pytest

from evals_pipeline.core.errors import SetupError, UnknownNameError
from evals_pipeline.core.registry import Registry


def install(root: Path, *, package: str, entries: str) -> None:
    info = root / f"{package}-1.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Name: {package}\nVersion: 1\n", encoding="utf-8")
    (info / "entry_points.txt").write_text(f"[demo.things]\n{entries}\n", encoding="utf-8")


@pytest.fixture
def things() -> Registry[object]:
    return Registry("thing", "demo.things")


def test_items_are_found_by_name_in_order_of_registration(things: Registry[object]):
    things.register("b", 1)
    things.register("a", 2)
    assert things.get("a") == 2
    assert things.names() == ("b", "a")
    assert "a" in things
    assert "c" not in things


def test_a_name_cannot_be_taken_twice(things: Registry[object]):
    things.register("a", 1)
    with pytest.raises(SetupError, match="registered twice"):
        things.register("a", 2)
    with pytest.raises(SetupError, match="without a name"):
        things.register(" ", 2)


def test_an_unknown_name_is_answered_with_the_nearest(things: Registry[object]):
    things.register("invoice", 1)
    with pytest.raises(UnknownNameError, match='Did you mean "invoice"'):
        things.get("invioce")


def test_entry_points_of_a_package_are_registered_once(
    things: Registry[object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    install(tmp_path, package="demo", entries="joiner = os.path:join")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    things.load_entry_points()
    things.load_entry_points()
    assert things.names() == ("joiner",)
    assert things.get("joiner")("a", "b").endswith("b")


def test_two_packages_under_one_name_are_refused(
    things: Registry[object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    install(tmp_path, package="demo", entries="joiner = os.path:join")
    install(tmp_path, package="other", entries="joiner = os.path:split")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    with pytest.raises(SetupError, match="registered twice"):
        things.load_entry_points()


def test_a_plugin_that_cannot_be_imported_is_named(
    things: Registry[object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    install(tmp_path, package="demo", entries="broken = no_such_module_here:thing")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    with pytest.raises(SetupError, match="thing 'broken' of demo: cannot be loaded"):
        things.load_entry_points()
