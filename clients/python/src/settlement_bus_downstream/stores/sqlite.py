"""A store in a database of SQLite."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from .event_store import EventStore, Known, ProcessedEvent, report_removal

DEFAULT_MAX_EVENTS = 1_000_000

EVENTS, SUBJECTS = "processed_event", "processed_subject"
TABLES = {EVENTS: "ids", SUBJECTS: "subjects"}

SCHEMA = """
CREATE TABLE IF NOT EXISTS processed_event (
  position INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, signed_at TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS processed_subject (
  position INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, signed_at TEXT NOT NULL,
  sequence TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS processed_removal (of TEXT PRIMARY KEY, signed_until TEXT NOT NULL) WITHOUT ROWID;
"""

FIND = """
SELECT EXISTS (SELECT 1 FROM processed_event WHERE name = :id),
  (SELECT sequence FROM processed_subject WHERE name = :subject),
  coalesce((SELECT signed_until FROM processed_removal WHERE of = 'processed_event'), ''),
  coalesce((SELECT signed_until FROM processed_removal WHERE of = 'processed_subject'), '')
"""

HAS_SUBJECT = "SELECT EXISTS (SELECT 1 FROM processed_subject WHERE name = ?)"

# A subject that has a new event becomes the last one.
SAVE_SUBJECT = """
INSERT OR REPLACE INTO processed_subject (name, sequence, signed_at)
SELECT :subject, max(:sequence, coalesce(max(sequence), '')), max(:signed_at, coalesce(max(signed_at), ''))
FROM processed_subject WHERE name = :subject
"""

SAVE_REMOVAL = """
INSERT INTO processed_removal (of, signed_until) VALUES (?, ?)
ON CONFLICT (of) DO UPDATE SET signed_until = max(signed_until, excluded.signed_until)
"""


class SqliteStore(EventStore):
    """Each event is on the disk when `save` returns. The ids are not held in memory."""

    def __init__(self, path: str | Path, *, max_events: int = DEFAULT_MAX_EVENTS) -> None:
        if max_events < 1:
            raise ValueError("max_events must be at least 1")
        self.max_events = max_events
        # The consumer may run in another thread than the one that opens the store.
        self._database = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        self._database.execute("PRAGMA journal_mode = WAL")
        self._database.execute("PRAGMA synchronous = FULL")
        self._database.executescript(SCHEMA)
        self._counts = {table: self._count(table) for table in TABLES}

    def find(self, event: ProcessedEvent) -> Known:
        parameters = {"id": event.id, "subject": event.subject}
        holds_id, sequence, ids_until, subjects_until = self._database.execute(FIND, parameters).fetchone()
        if sequence is None and event.signed_at <= subjects_until:
            sequence = event.sequence
        return Known(bool(holds_id), sequence, ids_until)

    def save(self, event: ProcessedEvent) -> None:
        # An exception rolls the transaction back.
        with self._database:
            self._database.execute("BEGIN IMMEDIATE")
            added = self._database.execute(
                "INSERT INTO processed_event (name, signed_at) VALUES (?, ?) ON CONFLICT DO NOTHING",
                (event.id, event.signed_at),
            ).rowcount
            if added == 0:
                return
            has_subject = self._database.execute(HAS_SUBJECT, (event.subject,)).fetchone()[0]
            parameters = {"subject": event.subject, "sequence": event.sequence, "signed_at": event.signed_at}
            self._database.execute(SAVE_SUBJECT, parameters)
            counts = {
                EVENTS: self._remove_oldest(EVENTS, self._counts[EVENTS] + 1),
                SUBJECTS: self._remove_oldest(SUBJECTS, self._counts[SUBJECTS] + 1 - has_subject),
            }
        self._counts = counts

    def close(self) -> None:
        self._database.close()

    def _count(self, table: str) -> int:
        return int(self._database.execute(f"SELECT count(*) FROM {table}").fetchone()[0])

    def _remove_oldest(self, table: str, count: int) -> int:
        """Removes a tenth at once when there are too many, so that removals are rare. Returns the number of rows."""
        if count <= self.max_events:
            return count
        tenth = max(1, self.max_events // 10)
        oldest = f"SELECT position FROM {table} ORDER BY position LIMIT {tenth}"
        (signed_until,) = self._database.execute(
            f"SELECT max(signed_at) FROM {table} WHERE position IN ({oldest})"
        ).fetchone()
        self._database.execute(SAVE_REMOVAL, (table, signed_until))
        self._database.execute(f"DELETE FROM {table} WHERE position IN ({oldest})")
        report_removal(TABLES[table], tenth, signed_until)
        return count - tenth
