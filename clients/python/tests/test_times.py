from __future__ import annotations

import pytest

from settlement_bus_downstream.times import format_utc, is_utc, latest_utc, parse_utc


def test_reads_times_to_the_millisecond() -> None:
    assert parse_utc("1970-01-01T00:00:00Z") == 0
    assert parse_utc("2024-02-29T23:59:59.9Z") == 1_709_251_199_900
    assert parse_utc("2026-03-01T00:00:00.123456789Z") == 1_772_323_200_123
    assert format_utc(1_772_323_200_007) == "2026-03-01T00:00:00.007Z"


@pytest.mark.parametrize(
    "text",
    [
        "2026-02-30T00:00:00Z",
        "2025-02-29T00:00:00Z",
        "2026-13-01T00:00:00Z",
        "0000-01-01T00:00:00Z",
        "2026-03-01T24:00:00Z",
        "2026-03-01T00:00:60Z",
        "2026-03-01T00:00:00",
        "2026-03-01T00:00:00+00:00",
        "2026-03-01T00:00:00Z\n",
        "2026-03-01",
        "1772323200000",
    ],
)
def test_refuses_other_texts(text: str) -> None:
    assert not is_utc(text)
    with pytest.raises(ValueError, match=r"time in UTC|must be in|out of range"):
        parse_utc(text)


def test_of_equal_times_the_last_one_counts() -> None:
    times = ["2026-03-01T00:00:00Z", "2026-03-02T00:00:00Z", "2026-03-02T00:00:00.000Z", "2026-03-01T00:00:00.0Z"]
    assert latest_utc(times) == "2026-03-02T00:00:00.000Z"
