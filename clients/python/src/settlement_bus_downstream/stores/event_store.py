"""What a consumer needs of a store of processed events."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Protocol

logger = logging.getLogger("settlement_bus_downstream")


@dataclass(frozen=True, slots=True)
class ProcessedEvent:
    """What is kept of an event that was processed."""

    id: str
    subject: str
    sequence: str
    signed_at: str


@dataclass(frozen=True, slots=True)
class Known:
    """What a store knows of an event and its subject."""

    holds_id: bool
    highest_sequence: str | None
    """Of the subject. None: it never held an event of it. When the subject may have been removed, that of the event."""
    held_since: str
    """The ids of events that were signed later are all held. Empty until the first id is removed."""


class EventStore(Protocol):
    """Keeps which events were processed. Each consumer has its own store, and calls it from one thread at a time."""

    def find(self, event: ProcessedEvent) -> Known:
        """Reads what is known after the last `save` that returned. It blocks, usually for less than a millisecond."""

    def save(self, event: ProcessedEvent) -> None:
        """Keeps an event. It is durable, as far as the store is, when the call returns. A repeat changes nothing.

        It may remove the oldest ids and subjects, and says so in the log and in what `find` returns. A call that raised
        kept nothing, and may be repeated.
        """

    def close(self) -> None:
        """Releases files and locks. A repeat is harmless."""


def report_removal(what: str, count: int, signed_until: str) -> None:
    """Nothing is removed in silence, because a repeat of what was removed is refused as replayed."""
    logger.warning("the store removed the oldest %d %s, of events signed until %s", count, what, signed_until)
