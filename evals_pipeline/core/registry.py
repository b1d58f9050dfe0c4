"""One registry for all plugins: extractors, value kinds, judges.

A package adds its own through an entry point of the registry's group; nothing here changes.
"""

from collections.abc import Callable
from importlib.metadata import EntryPoint, entry_points
from typing import Generic, TypeVar, cast

from evals_pipeline.core.errors import SetupError, UnknownNameError

T = TypeVar("T")


def offered_names(group: str) -> tuple[str, ...]:
    """The names that installed packages offer in a group, sorted; nothing is imported."""
    return tuple(sorted({point.name for point in entry_points(group=group)}))


class Registry(Generic[T]):
    """Named items of one sort, kept in the order of their registration.

    Args:
        what: The sort, for messages: "extractor".
        group: The entry point group that packages register under.
    """

    def __init__(self, what: str, group: str) -> None:
        self.what = what
        self.group = group
        self._items: dict[str, T] = {}
        self._loaded: dict[str, str] = {}

    def register(self, name: str, item: T) -> None:
        """Adds ``item`` under ``name``.

        Raises:
            SetupError: The name is empty or taken; two plugins must never shadow one another.
        """
        if not name.strip():
            raise SetupError(f"{self.what}: registered without a name. Give it one.")
        if name in self._items:
            raise SetupError(
                f"{self.what} {name!r} is registered twice: {self._items[name]!r} and {item!r}. "
                "Rename one of them."
            )
        self._items[name] = item

    def get(self, name: str) -> T:
        """The item of that name.

        Raises:
            UnknownNameError: Nothing has the name; the nearest one is offered.
        """
        try:
            return self._items[name]
        except KeyError:
            raise UnknownNameError(self.what, name, self.names()) from None

    def names(self) -> tuple[str, ...]:
        """All names, in the order of registration."""
        return tuple(self._items)

    def __contains__(self, name: object) -> bool:
        return name in self._items

    def load_entry_points(self) -> None:
        """Registers what installed packages offer in ``group``; a second call adds nothing.

        Raises:
            SetupError: An entry point cannot be imported, or its name is taken by another one.
        """
        for point in entry_points(group=self.group):
            # The same distribution is listed twice when its tree is also the working directory.
            if self._loaded.get(point.name) == point.value:
                continue
            self.register(point.name, cast("T", self._load(point)))
            self._loaded[point.name] = point.value

    def _load(self, point: EntryPoint) -> object:
        try:
            return point.load()
        except Exception as error:  # a plugin's import may fail in any way
            package = point.dist.name if point.dist else "unknown package"
            raise SetupError(
                f"{self.what} {point.name!r} of {package}: cannot be loaded from {point.value}: "
                f"{type(error).__name__}: {error}. Mend or uninstall that package."
            ) from error


def made_by(
    factory: Callable[[], T], name: str, *, what: str, protocol: type, members: str, named: str
) -> T:
    """The item that a plugin's class makes, checked against the protocol and its own name.

    Args:
        factory: The class that the entry point names.
        name: The entry point's name.
        what: The sort, for messages: "extractor".
        protocol: What the item must satisfy.
        members: The protocol's members in words, for the message.
        named: The attribute that holds the item's own name.

    Raises:
        SetupError: The item cannot be made, lacks a member, or calls itself something else.
    """
    try:
        item = factory()
    except Exception as crash:  # a plugin's constructor may fail in any way
        raise SetupError(
            f"{what} {name!r}: cannot be made: {type(crash).__name__}: {crash}. "
            "It must be a class that takes no arguments."
        ) from crash
    if not isinstance(item, protocol):
        raise SetupError(
            f"{what} {name!r}: {type(item).__name__} lacks a member of the protocol; "
            f"expected {members}."
        )
    own_name = getattr(item, named)
    if own_name != name:
        raise SetupError(
            f"{what} {name!r}: its {named} is {own_name!r}; "
            "expected the name of its entry point. Make the two equal."
        )
    return item
