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
    assert Redactor([local.key_from({})])("a key is not-needed") == "a key is not-needed"


@pytest.mark.parametrize("environ", [{}, {"K": ""}, {"K": "  "}])
def test_a_key_that_is_named_has_to_be_there(environ):
    named = Endpoint(model_version="m", model="m", pin="m", api_key_env="K")

    with pytest.raises(SetupError, match="K is not set"):
        named.key_from(environ)


def test_secrets_and_passwords_are_taken_out():
    redact = Redactor(["sk-abc", "sk-abc-def", ""])

    assert redact("sk-abc-def, sk-abc") == "[redacted], [redacted]"
    assert redact("at https://me:pw@host/x") == "at https://[redacted]@host/x"


def test_a_shown_address_holds_no_secret():
    secret = Endpoint(
        model_version="m", model="m", pin="m", base_url="https://me:pw@host/v1?api-key=s"
    )

    assert secret.shown_url == "https://host/v1"
