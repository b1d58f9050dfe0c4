from hypothesis import given, settings
from hypothesis import strategies as st

from evals_pipeline.core.fingerprints import digest_of, digest_parts, sha256_bytes, sha256_text


def test_sha256_of_the_published_vector():
    # FIPS 180-2, appendix B.1
    expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert sha256_bytes(b"abc") == expected
    assert sha256_text("abc") == expected


def test_the_order_of_keys_makes_no_difference():
    assert digest_of({"a": 1, "b": [2]}) == digest_of({"b": [2], "a": 1})
    assert digest_of([1, 2]) != digest_of([2, 1])


@settings(max_examples=50)
@given(st.lists(st.text(max_size=5)), st.lists(st.text(max_size=5)))
def test_parts_do_not_run_together(left: list[str], right: list[str]):
    assert (digest_parts(*left) == digest_parts(*right)) == (left == right)
