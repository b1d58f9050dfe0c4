import pytest

from evals_pipeline.core.errors import SetupError
from evals_pipeline.core.model_version import check_model_version, is_alias


@pytest.mark.parametrize("key", ["a", "acme-mini-2031-02-03", "rules@1", "v_1.2", "x" * 64])
def test_keys_that_name_a_folder_pass(key: str):
    assert check_model_version(key) == key


@pytest.mark.parametrize("key", ["", ".", "../x", "a/b", "-a", "a b", "x" * 65, "é", "a\n"])
def test_other_keys_are_refused(key: str):
    with pytest.raises(SetupError, match=r"tool\.evals\.models"):
        check_model_version(key)


@pytest.mark.parametrize(
    "name", ["acme-latest", "acme:latest", "LATEST", "router/auto", "m@stable"]
)
def test_pointers_are_aliases(name: str):
    assert is_alias(name)


@pytest.mark.parametrize("name", ["acme-2031-02-03", "latest-acme-2", "rules@1", "stablelm-7b"])
def test_names_are_not(name: str):
    assert not is_alias(name)
