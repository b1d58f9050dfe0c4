"""Which extractor a source type goes to."""

from evals_pipeline.extract.routing import owner_of, route
from tests.extract.fakes import FakeExtractor

COINS = FakeExtractor("coins", accepted=("COIN",))
POSTS = FakeExtractor("posts", accepted=("POST", "WEB_PAGE"), must_not=("WEB_PAGE",))
GENERAL = FakeExtractor("general")
ALL = (COINS, POSTS, GENERAL)


def test_the_first_that_accepts_is_the_choice_and_the_fallback_comes_last():
    assert route("COIN", ALL).extractor is COINS
    assert route("POST", ALL).extractor is POSTS
    assert route("LETTER", ALL).extractor is GENERAL


def test_must_not_stands_above_accepts():
    choice = route("WEB_PAGE", ALL)

    assert choice.extractor is GENERAL
    assert choice.reasons == (
        "coins does not accept WEB_PAGE",
        "posts must not take WEB_PAGE",
        "general accepts WEB_PAGE",
    )


def test_the_order_of_registration_decides():
    assert route("COIN", (GENERAL, COINS)).extractor is GENERAL


def test_nobody_is_an_answer_with_reasons():
    choice = route("LETTER", (COINS, POSTS))

    assert choice.extractor is None
    assert len(choice.reasons) == 2
    assert route("LETTER", ()).reasons == ("no extractor is registered",)


def test_a_crash_when_asked_declines_and_the_next_is_asked():
    class Moody(FakeExtractor):
        def accepts(self, source_type):
            raise RuntimeError("no")

    choice = route("COIN", (Moody("moody"), COINS))

    assert choice.extractor is COINS
    assert "moody crashed" in choice.reasons[0]


def test_only_true_is_acceptance():
    class Vague(FakeExtractor):
        def accepts(self, source_type):
            return "maybe"

    assert route("COIN", (Vague("vague"),)).extractor is None


def test_a_suite_belongs_to_whoever_is_the_choice_for_one_of_its_types():
    assert owner_of(("COIN",), ALL) == ("coins",)
    assert owner_of(("WEB_PAGE", "LETTER"), ALL) == ("general",)
    assert owner_of(("LETTER", "COIN"), ALL) == ("coins", "general")
    assert owner_of(("LETTER",), (COINS,)) == ()
