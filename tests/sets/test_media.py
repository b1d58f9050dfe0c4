import pytest

from evals_pipeline.sets.media import UNKNOWN, media_type_of_content, media_type_of_name


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a.pdf", "application/pdf"),
        ("a.PDF", "application/pdf"),
        ("a.htm", "text/html"),
        ("a.tar.jpeg", "image/jpeg"),
        ("a.md", "text/markdown"),
        ("a", UNKNOWN),
        ("a.zzz", UNKNOWN),
    ],
)
def test_an_extension_states_the_type(name: str, expected: str):
    assert media_type_of_name(name) == expected


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"%PDF-1.7", "application/pdf"),
        (b"\x89PNG\r\n\x1a\n....", "image/png"),
        (b"\xff\xd8\xff\xe0", "image/jpeg"),
        (b"\xef\xbb\xbf\n <!doctype HTML><p>", "text/html"),
        (b"<?xml version='1.0'?>", "application/xml"),
        (b' {"a": [1]}\n', "application/json"),
        (b'{"a": [1]} and prose', "text/plain"),
        (b"[" * 100_000, "text/plain"),
        ("Ærø".encode(), "text/plain"),
        (b"", "text/plain"),
        (b"a\x00b", UNKNOWN),
        (b"\xff\xfe\x00", UNKNOWN),
    ],
)
def test_bytes_tell_what_can_be_decided(content: bytes, expected: str):
    assert media_type_of_content(content) == expected
