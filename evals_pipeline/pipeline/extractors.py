"""The extractors of a project: code from entry points, then prompts from the settings."""

from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from evals_pipeline.core.outcomes import OutputKind
from evals_pipeline.core.settings import Settings
from evals_pipeline.extract.protocol import Extractor
from evals_pipeline.extract.registry import code_extractors

GENERAL = "general"


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptRoute:
    """A prompt that emits claims, as routing sees it; no ``source_types`` accepts every type."""

    extractor_id: str
    prompt_path: Path
    source_types: frozenset[str] = frozenset()
    must_not: frozenset[str] = frozenset()
    output: OutputKind = OutputKind.CLAIMS

    def accepts(self, source_type: str) -> bool:
        """A prompt without stated source types reads whatever has text."""
        return not self.source_types or source_type in self.source_types


AnyExtractor: TypeAlias = Extractor | PromptRoute


def load_extractors(settings: Settings, root: Path) -> tuple[AnyExtractor, ...]:
    """Every extractor in registration order, ``general`` last so that it is the fallback.

    Raises:
        SetupError: an entry point cannot be loaded, or two carry one name.
    """
    code: tuple[AnyExtractor, ...] = code_extractors()
    prompts: tuple[AnyExtractor, ...] = tuple(
        PromptRoute(
            extractor_id=name,
            prompt_path=root / options.prompt,
            source_types=frozenset(options.source_types),
            must_not=frozenset(options.must_not),
        )
        for name, options in sorted(
            settings.extractors.items(), key=lambda item: (item[0] == GENERAL, item[0])
        )
    )
    return (*code, *prompts)
