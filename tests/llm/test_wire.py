"""How long a provider asks to wait."""

from datetime import UTC, datetime

import pytest

from evals_pipeline.llm.wire import retry_after_s

NOW = datetime(2026, 3, 4, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "3"}, 3.0),
        ({"retry-after": " 0.5 "}, 0.5),
        ({"retry-after-ms": "250", "retry-after": "3"}, 0.25),
        ({"retry-after": "Wed, 04 Mar 2026 12:00:30 GMT"}, 30.0),
        ({"retry-after": "Wed, 04 Mar 2026 11:00:00 GMT"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "Mon, 01 Jan 99999999999999999999 00:00:00 GMT"}, None),
        ({"retry-after": "-5"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
    ],
)
def test_how_long_to_wait(headers, seconds):
    assert retry_after_s(headers, now=NOW) == seconds
