from pathlib import Path

import pytest

from evals_pipeline.core.errors import EvalsError, InputError, SetupError
from evals_pipeline.core.judge_settings import Assignment, GuardMode, JudgeKind
from evals_pipeline.core.settings import Provider, Settings, parse_settings


def parse(text: str, **environ: str) -> Settings:
    return parse_settings(text, where="pyproject.toml", environ=environ)


def refusal(text: str, **environ: str) -> list[str]:
    with pytest.raises(EvalsError) as caught:
        parse(text, **environ)
    return str(caught.value).splitlines()


def test_a_project_that_states_nothing_has_the_defaults():
    found = parse("[project]\nname = 'x'\n")
    assert found == Settings()
    assert (found.runs, found.confirm_limit, found.storage) == (3, 200, Path("storage"))
    assert (found.judge.threshold, found.judge.low) == (0.80, 0.65)
    assert found.judge.assignment is Assignment.GREEDY


def test_everything_stated_is_read():
    found = parse(
        """
        [tool.evals]
        runs = 5
        judge = {kind = "llm", model = "m-2031-01-01", guards = "judge", threshold = 0.9}
        prices = {"m-2031-01-01" = {input = 0.25, output = 2}}
        [tool.evals.models."m-2031-01-01"]
        provider = "openai"
        model = "m-2031-01-01"
        base_url = "http://127.0.0.1:9/v1"
        api_key_env = "EVALS_KEY_OF_M"
        parameters = {top_p = 0.5, stop = ["x"]}
        [tool.evals.models."vendor.2"]
        provider = "predictions"
        files = {receipts = "golden/receipts/predictions/v.jsonl"}
        against = "m-2031-01-01"
        [tool.evals.extractors.general]
        prompt = "suites/prompts/general.md"
        """,
        EVALS_KEY_OF_M="secret",
    )
    assert found.judge.kind is JudgeKind.LLM
    assert found.judge.guards is GuardMode.JUDGE
    model = found.models["m-2031-01-01"]
    assert (model.name, model.provider) == ("m-2031-01-01", Provider.OPENAI)
    assert model.parameters["stop"] == ["x"]
    assert found.models["vendor.2"].files == {
        "receipts": Path("golden/receipts/predictions/v.jsonl")
    }
    assert found.extractors["general"].name == "general"
    price = found.prices["m-2031-01-01"]
    assert (str(price.input), price.cached_input) == ("0.25", None)


def test_the_environment_replaces_single_values():
    found = parse(
        "[tool.evals]\nruns = 2\njudge = {low = 0.5}",
        EVALS_RUNS="7",
        EVALS_JUDGE_THRESHOLD="0.75",
        EVALS_RECORD_CLAIM_TEXT="false",
        EVALS_STORAGE="/tmp/elsewhere",
        HOME="/root",
    )
    assert (found.runs, found.judge.threshold, found.judge.low) == (7, 0.75, 0.5)
    assert found.record_claim_text is False
    assert found.storage == Path("/tmp/elsewhere")


def test_all_faults_come_at_once_with_lines_and_near_names():
    text = """[tool.evals]
runs = "3"
judge = {kind = "embeding", treshold = 0.8}
[tool.evals.models."a@1"]
provider = "code"
modell = "x"
"""
    assert refusal(text) == [
        "pyproject.toml:2: tool.evals.runs: must be a whole number; write it without quotes, "
        "got '3'.",
        "pyproject.toml:3: tool.evals.judge.kind: must be embedding or llm, got 'embeding'. "
        'Did you mean "embedding"?',
        'pyproject.toml:3: tool.evals.judge.treshold: unknown key. Did you mean "threshold"?',
        'pyproject.toml:6: tool.evals.models.a@1.modell: unknown key. Did you mean "model"?',
    ]


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("runs = 0", "must be 1 or more"),
        ("judge = {threshold = 0}", "must be above 0"),
        ("judge = {threshold = nan}", "finite"),
        ("judge = {low = 0.9}", "above judge.threshold"),
        ("calibration_judge = 'embeding'", "must be embedding or llm, got"),
        ("calibration_judge = 'llm'", "calibration_judge: asking a model needs judge.model"),
        ("min_documents = 9\nmax_documents = 8", "9 is above max_documents 8"),
        ("judge = {guards = 'judge'}", "needs judge.model"),
        ("judge = {model = 'x'}", "is no model version"),
        ("record_claim_text = 'false'", "without quotes"),
        ("models = 3", "table of tables"),
        ("models = {a = {provider = 'code'}}", "<extractor>@<version>"),
        ("models = {a = {provider = 'openai'}}", "needs model"),
        ("models = {a = {provider = 'predictions'}}", "needs files"),
        ("models = {a = {provider = 'openai', model = 'm', against = 'b'}}", "against 'b'"),
        ("models = {a = {provider = 'openai', model = 'm', base_url = 'ftp://x'}}", "base_url"),
        ("models = {a = {name = 'a'}}", "without the key name"),
        ("models = {'a/b' = {provider = 'code'}}", "cannot be a key"),
    ],
)
def test_what_cannot_work_is_refused(line: str, problem: str):
    assert problem in "\n".join(refusal(f"[tool.evals]\n{line}\n"))


def test_a_key_pasted_for_its_variable_is_never_shown():
    text = "[tool.evals.models.a]\nprovider = 'openai'\nmodel = 'm'\napi_key_env = 'sk-31-secret'\n"
    with pytest.raises(InputError) as caught:
        parse(text)
    assert "never the key itself" in str(caught.value)
    assert "secret" not in f"{caught.value!r} {caught.value.__cause__}"


def test_faults_from_the_environment_name_the_variable():
    assert refusal("[tool.evals]\nruns = 2", EVALS_RUNS="many") == [
        "EVALS_RUNS: must be a whole number, got 'many'."
    ]


def test_a_variable_that_is_no_setting_is_refused():
    with pytest.raises(SetupError, match=r'EVALS_RUN: no such setting\. Did you mean "EVALS_RUNS"'):
        parse("", EVALS_RUN="5")


def test_what_is_no_toml_is_refused():
    assert "not TOML" in refusal("[tool")[0]


@pytest.mark.parametrize(
    "address", ["s3://bucket/folder", "file:///srv/evals", "abfs://box@account.example/folder"]
)
def test_storage_is_a_folder_or_an_address(address):
    assert parse(f'[tool.evals]\nstorage = "{address}"').storage == address
    assert parse("", EVALS_STORAGE=address).storage == address
    assert parse("", EVALS_STORAGE="s3/b:c").storage == Path("s3/b:c")


@pytest.mark.parametrize("address", ["sftp://host/folder", "s3://", "s3:///", "S3://b", "://x"])
def test_a_store_that_cannot_put_files_in_place_whole_is_refused(address):
    (line,) = refusal(f'[tool.evals]\nstorage = "{address}"')
    assert "must be a folder, or a bucket" in line
    assert "s3://" in line


def test_a_key_in_an_address_is_refused_and_never_shown():
    (line,) = refusal("", EVALS_STORAGE="s3://AKIA123:geheim@bucket/folder")
    assert "keys belong in the environment" in line
    assert "AKIA123" not in line
    assert "geheim" not in line


@pytest.mark.parametrize("name", ["in_process", "multiprocess", "a_package.executors:cluster"])
def test_an_executor_is_one_of_dagsters_or_named_by_module(name):
    assert parse(f'[tool.evals]\nexecutor = "{name}"').executor == name


@pytest.mark.parametrize("name", ["dask", "", "a b:c", "module:", ":x", "a:b:c"])
def test_what_names_no_executor_is_refused(name):
    (line,) = refusal(f'[tool.evals]\nexecutor = "{name}"')
    assert "executor" in line
