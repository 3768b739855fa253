"""A store without files."""

from __future__ import annotations

from itertools import islice

from .event_store import EventStore, Known, ProcessedEvent, report_removal

DEFAULT_MAX_EVENTS = 100_000


class MemoryStore(EventStore):
    """Forgets everything when the process ends; repeats of earlier events are then processed again.

    It keeps the ids and the subjects of the last `max_events`, which need about 40 MB by default.
    """

    def __init__(self, *, max_events: int = DEFAULT_MAX_EVENTS) -> None:
        if max_events < 1:
            raise ValueError("max_events must be at least 1")
        self.max_events = max_events
        self.ids: dict[str, str] = {}
        """Signing times, the oldest arrival first."""
        self.subjects: dict[str, tuple[str, str]] = {}
        """Highest sequence and last signing time, the least recent arrival first."""
        self.ids_removed_until = ""
        self.subjects_removed_until = ""

    def find(self, event: ProcessedEvent) -> Known:
        sequence = self.subjects.get(event.subject, (None, ""))[0]
        if sequence is None and event.signed_at <= self.subjects_removed_until:
            sequence = event.sequence
        return Known(event.id in self.ids, sequence, self.ids_removed_until)

    def save(self, event: ProcessedEvent) -> None:
        if event.id not in self.ids:
            self.add_id(event.id, event.signed_at)
            self.add_subject(event.subject, event.sequence, event.signed_at)
            self.remove_oldest()

    def close(self) -> None:
        """Nothing is open."""

    def add_id(self, event_id: str, signed_at: str) -> None:
        self.ids[event_id] = signed_at

    def add_subject(self, subject: str, sequence: str, signed_at: str) -> None:
        known_sequence, known_signed_at = self.subjects.pop(subject, ("", ""))
        self.subjects[subject] = (max(sequence, known_sequence), max(signed_at, known_signed_at))

    def remove_oldest(self) -> None:
        """Removes a tenth at once when there are too many, so that removals are rare enough to report."""
        tenth = max(1, self.max_events // 10)
        if len(self.ids) > self.max_events:
            oldest = list(islice(self.ids, tenth))
            self.ids_removed_until = max(self.ids_removed_until, *(self.ids.pop(each) for each in oldest))
            report_removal("ids", tenth, self.ids_removed_until)
        if len(self.subjects) > self.max_events:
            oldest = list(islice(self.subjects, tenth))
            self.subjects_removed_until = max(
                self.subjects_removed_until, *(self.subjects.pop(each)[1] for each in oldest)
            )
            report_removal("subjects", tenth, self.subjects_removed_until)
