"""A store without files."""

from __future__ import annotations

from itertools import islice

from .event_store import EventStore, Known, ProcessedEvent, report_removal

DEFAULT_MAX_IDS = 100_000


class MemoryStore(EventStore):
    """Forgets everything when the process ends; repeats of earlier events are then processed again."""

    def __init__(self, *, max_ids: int = DEFAULT_MAX_IDS) -> None:
        if max_ids < 1:
            raise ValueError("max_ids must be at least 1")
        self.max_ids = max_ids
        self.held_since = ""
        self.ids: dict[str, ProcessedEvent] = {}
        self.sequences: dict[str, str] = {}

    def find(self, event_id: str, subject: str) -> Known:
        return Known(event_id in self.ids, self.sequences.get(subject), self.held_since)

    def save(self, event: ProcessedEvent) -> None:
        if event.id in self.ids:
            return
        self.ids[event.id] = event
        self.raise_sequence(event.subject, event.sequence)
        if len(self.ids) > self.max_ids:
            self._remove_oldest()

    def close(self) -> None:
        """Nothing is open."""

    def raise_sequence(self, subject: str, sequence: str) -> None:
        """Keeps the higher one of the present and the given sequence of a subject."""
        self.sequences[subject] = max(sequence, self.sequences.get(subject, ""))

    def _remove_oldest(self) -> None:
        """Removes a tenth at once, so that removals are rare enough to report."""
        removed = list(islice(self.ids.values(), max(1, self.max_ids // 10)))
        for event in removed:
            del self.ids[event.id]
            self.held_since = max(self.held_since, event.signed_at)
        report_removal(len(removed), self.held_since)
