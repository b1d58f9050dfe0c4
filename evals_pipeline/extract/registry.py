"""The code extractors that are installed, in the order in which routing asks them.

A package of yours adds one through the entry point group ``evals_pipeline.extractors``: a class
without constructor arguments that satisfies ``extract.protocol.Extractor``, under its own id.
"""

from collections.abc import Callable

from evals_pipeline.core.errors import SetupError
from evals_pipeline.core.registry import Registry
from evals_pipeline.extract.protocol import Extractor

ENTRY_POINTS = "evals_pipeline.extractors"


def code_extractors() -> tuple[Extractor, ...]:
    """One instance of every installed code extractor: the package's own, then others by id.

    Raises:
        SetupError: A plugin cannot be imported or made, or is not an extractor of that id.
    """
    registry: Registry[Callable[[], Extractor]] = Registry("extractor", ENTRY_POINTS)
    registry.load_entry_points()
    extractors = [made(name, registry.get(name)) for name in registry.names()]
    return tuple(
        sorted(extractors, key=lambda extractor: (not _is_own(extractor), extractor.extractor_id))
    )


def made(name: str, factory: Callable[[], Extractor]) -> Extractor:
    """One extractor of a plugin, checked against the protocol."""
    try:
        extractor = factory()
    except Exception as crash:  # a plugin's constructor may fail in any way
        raise SetupError(
            f"extractor {name!r}: cannot be made: {type(crash).__name__}: {crash}. "
            "It must be a class that takes no arguments."
        ) from crash
    if not isinstance(extractor, Extractor):
        raise SetupError(
            f"extractor {name!r}: {type(extractor).__name__} lacks a member of the protocol; "
            "expected extractor_id, version, output, must_not, accepts and extract."
        )
    if extractor.extractor_id != name:
        raise SetupError(
            f"extractor {name!r}: its extractor_id is {extractor.extractor_id!r}; "
            "expected the name of its entry point. Make the two equal."
        )
    return extractor


def _is_own(extractor: Extractor) -> bool:
    return type(extractor).__module__.startswith("evals_pipeline.")
