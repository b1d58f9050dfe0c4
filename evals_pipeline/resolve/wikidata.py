"""Wikidata as an authority: search by name, keep the senses of that very name, let context choose.

The search finds prefixes and near spellings as well; only a hit whose label or alias is the name
itself is a sense of it. A name that is a common word has many senses, none of which may be meant:
then the context has to speak clearly for one, or the name stays without a reference.
"""

import re

from evals_pipeline.core.resolution_records import ExternalRef
from evals_pipeline.resolve.protocol import Finding, LookUp, SubjectQuery, folded
from evals_pipeline.resolve.ranking import ContextRank
from evals_pipeline.resolve.wikidata_client import WIKIDATA, Candidate, WikidataClient

# Items about a name or about a list of senses; no text that uses the name means one of these.
_OF_NAMES = re.compile(
    r"\b(family name|surname|given name|disambiguation page|Wikimedia (list|category|template))\b",
    re.IGNORECASE,
)


class WikidataAuthority:
    """Links a name to the item that is meant, where search and context agree on one."""

    name = WIKIDATA

    def __init__(self, client: WikidataClient, *, rank: ContextRank) -> None:
        self._client = client
        self._rank = rank

    def look_up(self, query: SubjectQuery) -> LookUp:
        """The item that the name means in its mention.

        Raises:
            AuthorityUnreachableError: Wikidata could not be asked.
        """
        hits = self._client.search(query.name)
        senses = [hit for hit in hits if _is_sense(hit, query.name)]
        if not senses:
            return LookUp(finding=None, step=f"{len(hits)} hits, none of that very name")
        ranked = self._rank.choose(query.mention, [hit.description for hit in senses])
        if ranked.chosen is None:
            return LookUp(finding=None, step=f"{len(senses)} senses, {ranked.why}")
        chosen = senses[ranked.chosen]
        ref = ExternalRef(
            namespace=WIKIDATA, id=chosen.id, confidence=ranked.score, authority=WIKIDATA
        )
        return LookUp(
            finding=Finding(ref=ref, canonical_name=chosen.label or query.name),
            step=f"{len(senses)} senses, {chosen.id} fits the mention ({ranked.why})",
        )


def _is_sense(hit: Candidate, name: str) -> bool:
    is_named = folded(name) in (folded(hit.label), folded(hit.matched))
    return is_named and not _OF_NAMES.search(hit.description)
