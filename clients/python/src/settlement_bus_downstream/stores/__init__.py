"""Stores of the ids that were processed."""

from .event_store import EventStore, Known, ProcessedEvent
from .file import FileStore, StoreInUseError
from .memory import MemoryStore
from .sqlite import SqliteStore

__all__ = [
    "EventStore",
    "FileStore",
    "Known",
    "MemoryStore",
    "ProcessedEvent",
    "SqliteStore",
    "StoreInUseError",
]
