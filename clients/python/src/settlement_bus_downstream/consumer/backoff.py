"""Delays between attempts."""

from __future__ import annotations

import random


def backoff_seconds(attempt: int, *, base: float, maximum: float) -> float:
    """Doubles with each attempt up to the maximum; the random half keeps many clients from retrying at once."""
    delay = min(maximum, base * 2.0 ** min(attempt - 1, 30))
    return delay * random.uniform(0.5, 1.0)
