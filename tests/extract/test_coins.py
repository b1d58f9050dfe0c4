"""The coin-catalogue extractor: what it states, in which words, and what it survives."""

import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evals_pipeline.core import strict_json
from evals_pipeline.core.outcomes import ExtractionStatus
from evals_pipeline.extract.coins import SOURCE_TYPE, CoinCatalogueExtractor
from evals_pipeline.extract.protocol import Extractor
from evals_pipeline.extract.run import run_code_extractor
from tests.extract.fakes import source_document

KRONE = {
    "title": "1 Krone - Haakon VII",
    "category": "coin",
    "type": "Standard circulation coins",
    "issuer": {"code": "norvege", "name": "Norway"},
    "min_year": 1925,
    "max_year": 1951,
    "value": {"text": "1 Krone", "currency": {"name": "Krone", "full_name": "Krone (1875-date)"}},
    "ruler": [{"id": 1, "name": "Haakon VII", "wikidata_id": "Q1"}],
    "composition": {"text": "Copper-nickel"},
    "weight": 7,
    "size": 25.10,
    "thickness": "1.9",
    "shape": {"text": "Round with a round hole"},
    "technique": {"text": "Milled"},
    "orientation": "medal",
    "demonetization": {"is_demonetized": True, "demonetization_date": "1974"},
    "obverse": {
        "description": "Crossed monograms<br>around the hole.",
        "lettering": "ALT FOR\r\nNORGE",
        "lettering_translation": "Everything for Norway",
        "engravers": ["Ivar Throndsen"],
    },
    "reverse": {"description": "Crown above the value", "designers": [{"name": "A. B."}, "C. D."]},
    "edge": {"description": "Reeded", "lettering": "★ ★"},
    "mints": [{"id": 2, "name": "Kongsberg"}, {"name": "Royal Mint"}, {"name": "Kongsberg"}],
    "references": [
        {"catalogue": {"code": "KM"}, "number": "385"},
        {"catalogue": "N", "number": 12},
    ],
    "series": "Monogram coins",
    "commemorated_topic": "the coronation",
}
NAME = "1 Krone - Haakon VII (Norway, 1925–1951)"


def extract(record, *, content=None):
    content = json.dumps(record).encode() if content is None else content
    document = source_document(content, source_type=SOURCE_TYPE)
    return run_code_extractor(CoinCatalogueExtractor(), document, run_index=0)


def contents(record):
    return [claim.content for claim in extract(record).claims]


def test_it_is_an_extractor_of_coin_records_only():
    extractor = CoinCatalogueExtractor()

    assert isinstance(extractor, Extractor)
    assert extractor.accepts("NUMISTA_API_COIN")
    assert not extractor.accepts("NUMISTA_API_BANKNOTE")
    assert not extractor.accepts("WEB_PAGE")


def test_a_full_record_is_stated_in_whole_sentences():
    assert contents(KRONE) == [
        f"{NAME} is made of copper-nickel, weighs 7 g, measures 25.1 mm in diameter, is 1.9 mm "
        "thick, is round with a round hole, is milled, has medal alignment and was demonetised in "
        "1974.",
        f"{NAME} was issued by Norway, is a standard circulation coin, has the face value 1 Krone "
        "and belongs to the currency Krone (1875-date).",
        f"{NAME} was issued under Haakon VII.",
        f"{NAME} was struck at the Kongsberg mint.",
        f"{NAME} was struck at Royal Mint.",
        f"{NAME} belongs to the series Monogram coins.",
        f"{NAME} commemorates the coronation.",
        f"The obverse of {NAME} shows: Crossed monograms around the hole.",
        f"The obverse of {NAME} bears the legend: ALT FOR / NORGE.",
        f"The legend on the obverse of {NAME} means: Everything for Norway.",
        f"The obverse of {NAME} was engraved by Ivar Throndsen.",
        f"The reverse of {NAME} shows: Crown above the value.",
        f"The reverse of {NAME} was designed by A. B. and C. D.",
        f"The edge of {NAME} is reeded.",
        f"The edge of {NAME} bears the legend: ★ ★.",
        f"{NAME} is listed in catalogues as KM# 385.",
        f"{NAME} is listed in catalogues as N# 12.",
    ]


def test_claims_carry_subjects_confidence_and_what_they_were_made_from():
    claims = {claim.content: claim for claim in extract(KRONE).claims}
    ruler = claims[f"{NAME} was issued under Haakon VII."]
    mint = claims[f"{NAME} was struck at the Kongsberg mint."]

    assert ruler.subjects == ("1 Krone - Haakon VII", "Haakon VII")
    assert ruler.properties["refs"] == {"Haakon VII": "wikidata:Q1"}
    assert mint.properties == {"mint": "Kongsberg"}
    assert all(claim.confidence is not None for claim in claims.values())
    assert len({claim.confidence for claim in claims.values()}) >= 5


def test_one_of_several_mints_is_less_sure_than_the_only_one():
    several = extract(KRONE | {"ruler": None}).claims[2]
    only = extract(KRONE | {"ruler": None, "mints": [{"name": "Kongsberg"}]}).claims[2]

    assert "Kongsberg" in several.content
    assert "Kongsberg" in only.content
    assert several.confidence < only.confidence


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"min_year": -44, "max_year": -42}, "(Norway, 44–42 BC)"),
        ({"min_year": -27, "max_year": 14}, "(Norway, 27 BC–14)"),
        ({"min_year": 1925, "max_year": 1925}, "(Norway, 1925)"),
        ({"min_year": None, "max_year": None}, "(Norway)"),
        ({"issuer": {"name": "Soviet Union"}}, "(USSR, 1925–1951)"),
        ({"issuer": {"name": "Soviet Union"}}, "was issued by the Soviet Union"),
        ({"shape": "Heptagon (7-sided)"}, "has the shape heptagon (7-sided)"),
        ({"shape": "Equilateral heptagon"}, "has the shape equilateral heptagon"),
        ({"shape": {"text": "Polygonal (12 sides)"}}, "is polygonal (12 sides)"),
        ({"issuer": None}, "(1925–1951)"),
        ({"title": None}, "This coin (Norway, 1925–1951)"),
        ({"shape": "Square"}, "measures 25.1 mm across"),
        ({"size2": 20}, "measures 25.1 mm by 20 mm"),
        ({"orientation": "three"}, "has three o'clock alignment"),
        ({"technique": {"text": "Cast"}}, "is cast"),
        ({"technique": {"text": "Milled, incuse"}}, "was produced as milled, incuse"),
        ({"demonetization": {"is_demonetized": True}}, "was demonetised."),
        ({"demonetization": {"is_demonetized": False}}, "has not been demonetised."),
        (
            {"demonetization": {"is_demonetized": True, "demonetization_date": "1974-06-01"}},
            "was demonetised on 1974-06-01.",
        ),
        ({"type": "Patterns"}, "is of the type patterns"),
        ({"composition": "Silver (.900)"}, "is made of silver (.900)"),
    ],
)
def test_variants_of_a_record_are_worded_accordingly(changes, sentence):
    assert any(sentence in content for content in contents(KRONE | changes)), contents(
        KRONE | changes
    )


def test_an_edge_described_in_several_words_is_quoted():
    assert f"The edge of {NAME} is described as: Plain with a groove." in contents(
        KRONE | {"edge": {"description": "Plain with a groove"}}
    )


@pytest.mark.parametrize("name", sorted(KRONE))
def test_every_property_may_be_missing(name):
    record = {key: value for key, value in KRONE.items() if key != name}

    assert extract(record).status is ExtractionStatus.OK
    assert len(contents(record)) >= len(contents(KRONE)) - 4


@pytest.mark.parametrize("name", sorted(KRONE))
@pytest.mark.parametrize(
    "odd", [True, -1, 0, 10**40, 1.5, "", " ", "<b></b>", [], [None], [[]], {}, {"name": 5}]
)
def test_an_odd_property_costs_no_more_than_itself(name, odd):
    extraction = extract(KRONE | {name: odd, "category": "coin"})

    assert extraction.status is ExtractionStatus.OK
    assert len(extraction.claims) >= len(contents(KRONE)) - 4


@pytest.mark.parametrize("weight", [0, -3, 10**9, "heavy", True, None])
def test_an_impossible_measure_is_not_stated(weight):
    assert not any("weighs" in content for content in contents(KRONE | {"weight": weight}))


def test_markup_entities_and_control_characters_do_not_reach_a_claim():
    record = KRONE | {"obverse": {"description": 'A <a href="x">ship</a>\x00 &amp; an\nanchor.'}}

    assert f"The obverse of {NAME} shows: A ship & an anchor." in contents(record)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"[]",
        b'"coin"',
        b"{}",
        b'{"error_message": "no such type"}',
        b'{"title": "x", "title": "y"}',
        b'{"weight": NaN}',
        b"\xff\xfe",
        b"[" * 100_000,
    ],
)
def test_what_is_no_record_is_unparsable(content):
    extraction = extract(None, content=content)

    assert extraction.status is ExtractionStatus.UNPARSABLE
    assert extraction.reason


def test_another_category_is_declined():
    assert extract({**KRONE, "category": "banknote"}).status is ExtractionStatus.DECLINED


def test_a_long_description_is_cut_in_the_open():
    record = KRONE | {"obverse": {"description": "sea " * 300_000}}
    shown = next(content for content in contents(record) if "obverse" in content)

    assert len(shown) < 2_200
    assert shown.endswith("….")


ODD = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**6), 10**6) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["name", "text", "code", "number", "catalogue", "currency", "description"]
            ),
            inner,
            max_size=3,
        )
    ),
    max_leaves=6,
)


@settings(max_examples=50, deadline=None)
@given(st.dictionaries(st.sampled_from([*sorted(KRONE), "size2"]), ODD))
def test_any_record_is_stated_declined_or_refused_and_always_alike(record):
    first = extract(record, content=strict_json.dumps(record).encode())
    second = extract(record, content=strict_json.dumps(record).encode())

    assert first.status is not ExtractionStatus.ERROR, first.reason
    assert (first.status, first.claims) == (second.status, second.claims)
    for claim in first.claims:
        assert re.search(r"\S\.$", claim.content)
        assert claim.confidence is not None
