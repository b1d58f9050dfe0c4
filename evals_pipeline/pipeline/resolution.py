"""The subject-resolution column of a suite: its gold subjects through the resolver, one by one."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime

import httpx

from evals_pipeline.core.errors import SetupError
from evals_pipeline.core.resolution_records import ResolutionFigures
from evals_pipeline.core.settings import ResolveSettings, WikidataUse
from evals_pipeline.pipeline.judges import vectors_for
from evals_pipeline.pipeline.project import Project
from evals_pipeline.pipeline.stamps import package_version
from evals_pipeline.resolve.authority_file import AuthorityFile, read_authority
from evals_pipeline.resolve.cascade import CascadeResolver
from evals_pipeline.resolve.figures import resolution_figures, resolve_gold
from evals_pipeline.resolve.identifiers import MentionedIdentifiers
from evals_pipeline.resolve.protocol import Authority
from evals_pipeline.resolve.ranking import ContextRank
from evals_pipeline.resolve.recorded import folders_of
from evals_pipeline.resolve.throttle import Throttle
from evals_pipeline.resolve.wikidata import WikidataAuthority
from evals_pipeline.resolve.wikidata_client import (
    TIMEOUT_S,
    WIKIDATA,
    WikidataClient,
    user_agent,
)

AUTHORITIES_FOLDER = "authorities"


def resolve_suite(
    project: Project, suite_name: str, *, wikidata: WikidataUse | None = None
) -> ResolutionFigures:
    """The three fractions of a suite's gold subjects; stores nothing but an authority's answers.

    Args:
        project: Where the suite and the settings are.
        suite_name: A suite; one without gold subjects has null fractions with the reason.
        wikidata: Over the settings' ``resolve.wikidata``.

    Raises:
        UnknownNameError, InputError: no such suite, or it or the authority file does not load.
        SetupError: Wikidata is to be asked live and no contact is set.
    """
    suite = project.suite(suite_name)
    use = wikidata or project.settings.resolve.wikidata
    with authorities(project, use) as asked:
        found = tuple(resolve_gold(suite.gold_subjects, CascadeResolver(asked)))
    notes = [f"asked in order: {', '.join(one.name for one in asked)}; {WIKIDATA} {use.value}"]
    return resolution_figures(suite.suite_id, found, notes=notes)


@contextmanager
def authorities(project: Project, use: WikidataUse) -> Iterator[tuple[Authority, ...]]:
    """The authorities of a project in the order of the cascade, open for as long as it is used."""
    settings = project.settings.resolve
    rank = ContextRank(
        similarity_of=lambda text, others: _similarities(project, text, others),
        least=settings.least,
        margin=settings.margin,
    )
    local: list[Authority] = []
    path = project.root / settings.authority
    if path.is_file():
        local.append(AuthorityFile(read_authority(path), rank=rank))
    elif settings.authority != ResolveSettings().authority:
        raise SetupError(f"resolve.authority: {settings.authority} does not exist. Correct it.")
    local.append(MentionedIdentifiers())
    if use is WikidataUse.OFF:
        yield tuple(local)
        return
    if use is WikidataUse.LIVE:
        project.make_storage()
    with _http(settings, use) as http:
        client = WikidataClient(
            folder=folders_of(
                project.storage / AUTHORITIES_FOLDER,
                [project.root / settings.recordings] if settings.recordings else [],
                authority=WIKIDATA,
            ),
            throttle=Throttle(interval_s=60 / settings.requests_per_minute),
            now=lambda: datetime.now(UTC),
            http=http,
            url=settings.wikidata_url,
        )
        yield (*local, WikidataAuthority(client, rank=rank))


@contextmanager
def _http(settings: ResolveSettings, use: WikidataUse) -> Iterator[httpx.Client | None]:
    if use is not WikidataUse.LIVE:
        yield None
        return
    if settings.contact is None:
        message = (
            "resolve.contact is not set: Wikidata asks whoever calls it to say whom it may write "
            "to. State an address in [tool.evals.resolve], or use recorded answers."
        )
        raise SetupError(message)
    headers = {"User-Agent": user_agent(package_version(), settings.contact)}
    with httpx.Client(headers=headers, timeout=TIMEOUT_S) as client:
        yield client


def _similarities(project: Project, text: str, others: Sequence[str]) -> list[float]:
    """Cosines of one text to several, by the judge's encoder and its cache."""
    rows = vectors_for(project, project.settings.judge).vectors([text, *others])
    return [float(rows[0] @ row) for row in rows[1:]]
