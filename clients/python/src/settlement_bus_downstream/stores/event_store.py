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
    """Of the events of the subject that were ever saved, also when their ids were removed since."""
    held_since: str
    """The ids of events that were signed later are all held. Empty until the first id is removed."""


class EventStore(Protocol):
    """Keeps ids, and the highest sequence of each subject. A consumer calls it from one thread at a time."""

    def find(self, event_id: str, subject: str) -> Known:
        """Reads what is known of an event. It blocks, for less than a millisecond in the stores of this package."""

    def save(self, event: ProcessedEvent) -> None:
        """Saves an event that was processed. It is durable when the call returns; a repeat changes nothing.

        It may remove the oldest ids. `held_since` then says so, and the highest sequences stay.
        """

    def close(self) -> None:
        """Releases files and locks. A repeat is harmless."""


def report_removal(count: int, held_since: str) -> None:
    """Ids are not removed in silence, because a repeat of a removed one is refused as replayed."""
    logger.warning("oldest event ids removed", extra={"count": count, "held_since": held_since})
