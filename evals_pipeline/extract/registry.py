"""The code extractors that are installed, in the order in which routing asks them.

A package of yours adds one through the entry point group ``evals_pipeline.extractors``: a class
without constructor arguments that satisfies ``extract.protocol.Extractor``, under its own id.
"""

from collections.abc import Callable

from evals_pipeline.core.registry import Registry, made_by
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
    return made_by(
        factory,
        name,
        what="extractor",
        protocol=Extractor,
        members="extractor_id, version, output, must_not, accepts and extract",
        named="extractor_id",
    )


def _is_own(extractor: Extractor) -> bool:
    return type(extractor).__module__.startswith("evals_pipeline.")
