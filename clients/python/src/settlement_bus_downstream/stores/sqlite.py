"""A store in a database of SQLite."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from .event_store import EventStore, Known, ProcessedEvent, report_removal

DEFAULT_MAX_IDS = 1_000_000

SCHEMA = """
CREATE TABLE IF NOT EXISTS processed_event (
  position INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, signed_at TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS processed_subject (name TEXT PRIMARY KEY, sequence TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS processed_removal (held_since TEXT NOT NULL);
"""

FIND = """
SELECT EXISTS (SELECT 1 FROM processed_event WHERE id = ?),
  (SELECT sequence FROM processed_subject WHERE name = ?),
  (SELECT max(held_since) FROM processed_removal)
"""

SAVE_SUBJECT = """
INSERT INTO processed_subject (name, sequence) VALUES (?, ?)
ON CONFLICT (name) DO UPDATE SET sequence = max(sequence, excluded.sequence)
"""


class SqliteStore(EventStore):
    """Each event is on the disk when `save` returns. Memory is not needed for the ids."""

    def __init__(self, path: str | Path, *, max_ids: int = DEFAULT_MAX_IDS) -> None:
        if max_ids < 1:
            raise ValueError("max_ids must be at least 1")
        self.max_ids = max_ids
        # The consumer may run in another thread than the one that opens the store.
        self._database = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        self._database.execute("PRAGMA journal_mode = WAL")
        self._database.execute("PRAGMA synchronous = FULL")
        self._database.executescript(SCHEMA)
        (self._count,) = self._database.execute("SELECT count(*) FROM processed_event").fetchone()

    def find(self, event_id: str, subject: str) -> Known:
        holds_id, sequence, held_since = self._database.execute(FIND, (event_id, subject)).fetchone()
        return Known(bool(holds_id), sequence, held_since or "")

    def save(self, event: ProcessedEvent) -> None:
        # The exception of a failed statement rolls the transaction back.
        with self._database:
            self._database.execute("BEGIN IMMEDIATE")
            added = self._database.execute(
                "INSERT INTO processed_event (id, signed_at) VALUES (?, ?) ON CONFLICT DO NOTHING",
                (event.id, event.signed_at),
            ).rowcount
            self._database.execute(SAVE_SUBJECT, (event.subject, event.sequence))
            removed = self._remove_oldest() if self._count + added > self.max_ids else 0
        self._count += added - removed

    def close(self) -> None:
        self._database.close()

    def _remove_oldest(self) -> int:
        """Removes a tenth at once, so that removals are rare enough to report. Returns their number."""
        count = max(1, self.max_ids // 10)
        oldest = "SELECT position FROM processed_event ORDER BY position LIMIT ?"
        (held_since,) = self._database.execute(
            f"SELECT max(signed_at) FROM processed_event WHERE position IN ({oldest})", (count,)
        ).fetchone()
        self._database.execute("INSERT INTO processed_removal (held_since) VALUES (?)", (held_since,))
        self._database.execute(
            "DELETE FROM processed_removal WHERE held_since < (SELECT max(held_since) FROM processed_removal)"
        )
        self._database.execute(f"DELETE FROM processed_event WHERE position IN ({oldest})", (count,))
        report_removal(count, held_since)
        return count
