"""Times in UTC, such as `2026-03-01T00:00:00.050Z`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime, timedelta

UTC = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]{1,9}))?Z")
EPOCH = datetime(1970, 1, 1)
MILLISECOND = timedelta(milliseconds=1)


def parse_utc(text: str) -> int:
    """Milliseconds since 1970. Raises ValueError for another form, and for a day that the calendar does not have."""
    match = UTC.fullmatch(text)
    if match is None:
        raise ValueError("the text is not a time in UTC; use the form 2026-03-01T00:00:00Z")
    year, month, day, hour, minute, second = (int(part) for part in match.groups()[:6])
    whole = (datetime(year, month, day, hour, minute, second) - EPOCH) // MILLISECOND
    return whole + int((match[7] or "")[:3].ljust(3, "0"))


def is_utc(value: object) -> bool:
    """Whether `parse_utc` reads the value."""
    try:
        return isinstance(value, str) and parse_utc(value) is not None
    except ValueError:
        return False


def latest_utc(times: Sequence[str]) -> str:
    """The latest time; of equal ones, the last in the list."""
    return sorted(times, key=parse_utc)[-1]


def format_utc(milliseconds: int) -> str:
    """RFC 3339 with milliseconds."""
    return f"{(EPOCH + milliseconds * MILLISECOND).isoformat(timespec='milliseconds')}Z"
