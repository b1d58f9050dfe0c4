"""Settings to endpoints, keys from the environment, secrets out of texts."""

from decimal import Decimal

import pytest

from evals_pipeline.core.errors import SetupError
from evals_pipeline.core.settings import ModelSettings, parse_settings
from evals_pipeline.llm.endpoint import OPENAI_URL, Endpoint, Redactor


def settings(toml: str) -> ModelSettings:
    text = f'[tool.evals.models."m@1"]\n{toml}'
    return parse_settings(text, where="pyproject.toml", environ={}).models["m@1"]


def test_an_endpoint_is_what_the_settings_say():
    found = Endpoint.of_settings(
        settings(
            'provider = "openai"\nmodel = "tiny"\nbase_url = "http://127.0.0.1:1/v1/"\n'
            "temperature = 0.2\nseed = 5\nbudget_usd = 1.5\nparameters = {top_p = 0.5}\n"
        )
    )

    assert (found.model, found.pin, found.base_url) == ("tiny", "tiny", "http://127.0.0.1:1/v1")
    assert (found.temperature, found.seed) == (Decimal("0.2"), 5)
    assert found.budget_usd == Decimal("1.5")
    assert found.parameters == {"top_p": Decimal("0.5")}


def test_the_pin_may_be_another_name_than_the_one_asked_for():
    found = Endpoint.of_settings(
        settings('provider = "openai"\nmodel = "alias"\nprovider_model = "tiny-2026-01-02"')
    )

    assert (found.model, found.pin, found.base_url) == ("alias", "tiny-2026-01-02", OPENAI_URL)


def test_parameters_do_not_replace_settings():
    with pytest.raises(SetupError, match="model, temperature"):
        Endpoint.of_settings(
            settings(
                'provider = "openai"\nmodel = "t"\nparameters = {temperature = 1, model = "x"}'
            )
        )


def test_other_providers_have_no_endpoint():
    with pytest.raises(SetupError, match="asks no model"):
        Endpoint.of_settings(settings('provider = "code"'))


def test_a_server_without_a_key_needs_none():
    local = Endpoint(model_version="m", model="m", pin="m", base_url="http://127.0.0.1:1/v1")

    assert local.key_from({}) == "not-needed"
    said = "a key is not-needed"
    assert Redactor([local.key_from({})]).message(said) == said


@pytest.mark.parametrize("key", ["sk-\u2019quoted", "sk\nsk"])
def test_a_key_with_letters_that_no_key_has_is_refused_without_showing_it(key):
    named = Endpoint(model_version="m", model="m", pin="m", api_key_env="K")

    with pytest.raises(SetupError, match="Copy the key again") as raised:
        named.key_from({"K": key})
    assert "sk" not in str(raised.value)


@pytest.mark.parametrize("environ", [{}, {"K": ""}, {"K": "  "}])
def test_a_key_that_is_named_has_to_be_there(environ):
    named = Endpoint(model_version="m", model="m", pin="m", api_key_env="K")

    with pytest.raises(SetupError, match="K is not set"):
        named.key_from(environ)


@pytest.mark.parametrize(
    "url",
    ["http://h:99999/v1", "http:///v1", "http://[::1/v1", "http://a b/v1", "ftp://h/v1", "h/v1"],
)
def test_an_address_that_is_none_is_refused(url):
    with pytest.raises(SetupError, match="is no address"):
        Endpoint(model_version="m", model="m", pin="m", base_url=url).check_address()


def test_secrets_and_passwords_are_taken_out():
    redact = Redactor(["sk-abc", "sk-abc-def", ""])

    assert redact.message("sk-abc-def, sk-abc") == "[redacted], [redacted]"
    assert redact.message("at https://me:pw@host/x") == "at https://[redacted]@host/x"


def test_the_words_of_a_model_lose_secrets_and_nothing_else():
    redact = Redactor(["sk-abc-def", "test"])

    said = "a test at https://me@host/x: "
    assert redact.content(said + "sk-abc-def") == said + "[redacted]"


@pytest.mark.parametrize(
    "spelled",
    [
        'sk-a/b"c',
        r"sk-a\/b\"c",
        r"\u0073\u006b\u002Da\u002fb\u0022c",
        r"\\u0073k-a\\\/b\\\"c",
    ],
)
def test_a_secret_is_taken_out_however_json_spells_it(spelled):
    assert Redactor(['sk-a/b"c']).content(f"<{spelled}>") == "<[redacted]>"


def test_a_shown_address_holds_no_secret():
    secret = Endpoint(
        model_version="m", model="m", pin="m", base_url="https://me:pw@host/v1?api-key=s"
    )

    assert secret.shown_url == "https://host/v1"
