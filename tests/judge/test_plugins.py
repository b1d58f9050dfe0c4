"""Judges of installed packages: found by name, asked about the band, unjudged where they fail."""

import sys

import pytest

from evals_pipeline.core.errors import EvalsError, InputError, SetupError, UnknownNameError
from evals_pipeline.core.judge_settings import JudgeSettings
from evals_pipeline.core.outcomes import ClaimOutcome
from evals_pipeline.core.registry import offered_names
from evals_pipeline.core.settings import parse_settings
from evals_pipeline.judge.arbiter import Verdict
from evals_pipeline.judge.claims import judge_cases
from evals_pipeline.judge.plugins import installed_judge, made
from tests.judge.fakes import CosineEncoder, case, claim, extraction, gold, in_memory

GOLD = ("a", "b", "c")
CLAIMS = {"x": (0.9, 0, 0), "y": (0, 0.7, 0), "z": (0, 0, 0.6)}


class Sworn:
    name = "sworn"
    version = "3"

    def __init__(self, answer=True):
        self.answer = answer
        self.asked = []

    def decide(self, pairs):
        self.asked += pairs
        if isinstance(self.answer, Exception):
            raise self.answer
        if callable(self.answer):
            return self.answer(pairs)
        return [Verdict(aligned=self.answer, reason="sworn") for _ in pairs]


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Installs a distribution with one judge, and gives the name of its entry point."""

    def install(name, *, version="3", member="decide"):
        module = f"{name}_judge_package"
        (tmp_path / f"{module}.py").write_text(
            "from evals_pipeline.judge.arbiter import Verdict\n\n"
            f"class Judge:\n    name = {name!r}\n    version = {version!r}\n\n"
            f"    def {member}(self, pairs):\n"
            "        return [Verdict(aligned=True, reason='near') for _ in pairs]\n",
            encoding="utf-8",
        )
        info = tmp_path / f"{name}-1.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Name: {name}\nVersion: 1\n", encoding="utf-8")
        entry = f"[evals_pipeline.judges]\n{name} = {module}:Judge\n"
        (info / "entry_points.txt").write_text(entry, encoding="utf-8")
        return name

    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    return install


def judged(judge, **settings):
    encoder = CosineEncoder(GOLD, CLAIMS)
    [found] = judge_cases(
        [(case([gold(text) for text in GOLD]), extraction([claim(text) for text in CLAIMS]))],
        settings=JudgeSettings.model_construct(kind=judge.name, **settings),
        vectors=in_memory(encoder),
        arbiter=judge,
    )
    return [one.outcome for one in found.claims]


def test_a_judge_is_asked_about_the_band_and_told_the_similarity():
    judge = Sworn()
    outcomes = judged(judge)

    assert outcomes == [ClaimOutcome.MATCHED, ClaimOutcome.MATCHED, ClaimOutcome.SPURIOUS]
    [pair] = judge.asked
    assert (pair.want, pair.got) == ("b", "y")
    assert pair.similarity == pytest.approx(0.7)


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (ValueError("broke"), "crashed (ValueError)"),
        (lambda pairs: [], "0 verdicts for 1 pairs"),
        (lambda pairs: [True for _ in pairs], "a bool in the place of a verdict"),
        (lambda pairs: [Verdict(aligned="yes", reason="") for _ in pairs], "neither true nor"),
        (lambda pairs: [Verdict(aligned=None, reason=None) for _ in pairs], "None"),
    ],
)
def test_whatever_fails_leaves_the_pair_unjudged_with_the_reason(answer, why):
    encoder = CosineEncoder(GOLD, CLAIMS)
    [found] = judge_cases(
        [(case([gold("b")]), extraction([claim("y")]))],
        settings=JudgeSettings.model_construct(kind="sworn"),
        vectors=in_memory(encoder),
        arbiter=Sworn(answer),
    )
    assert found.claims[0].outcome is ClaimOutcome.UNJUDGED
    assert why in (found.claims[0].note or "")


def test_what_a_judge_refuses_on_purpose_stops_the_run():
    with pytest.raises(EvalsError, match="licence"):
        judged(Sworn(SetupError("no licence. Get one.")))


def test_an_installed_judge_is_selected_by_its_name(package):
    name = package("postal")
    assert name in offered_names("evals_pipeline.judges")
    settings = parse_settings(
        '[tool.evals]\njudge = {kind = "postal"}\n', where="pyproject.toml", environ={}
    )
    assert (settings.judge.plugin, settings.judge.asks_model) == ("postal", False)
    assert settings.judge.asks_somebody
    assert installed_judge(name).version == "3"


def test_a_judge_that_is_not_installed_is_refused_where_it_is_named(package):
    package("notary")
    with pytest.raises(InputError, match=r'pyproject.toml:2: .*judge.kind.*"notary"'):
        parse_settings(
            '[tool.evals]\njudge = {kind = "notery"}\n', where="pyproject.toml", environ={}
        )
    with pytest.raises(UnknownNameError):
        installed_judge("notery")


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"name": "other"}, "Make the two equal"),
        ({"version": ""}, "its version is ''"),
        ({"version": 3}, "its version is 3"),
    ],
)
def test_a_judge_that_does_not_keep_to_the_protocol_is_refused(changes, why):
    def factory():
        judge = Sworn()
        for name, value in changes.items():
            setattr(judge, name, value)
        return judge

    with pytest.raises(SetupError, match=why):
        made("sworn", factory)


def test_a_thing_that_is_no_judge_is_refused():
    with pytest.raises(SetupError, match="lacks a member"):
        made("sworn", dict)
    with pytest.raises(SetupError, match="cannot be made"):
        made("sworn", lambda: Sworn(1, 2))
