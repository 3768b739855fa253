"""A store in one file, to which a line is appended for each event."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from .event_store import EventStore, Known, ProcessedEvent
from .memory import DEFAULT_MAX_EVENTS, MemoryStore

try:
    import fcntl
except ImportError:  # pragma: no cover - Windows has no such locks
    fcntl = None  # type: ignore[assignment]

MIN_LINES_TO_COMPACT = 1_000


class StoreInUseError(RuntimeError):
    """Another process has the store open."""

    def __init__(self, path: Path) -> None:
        super().__init__(f"{path} is open in another process; end it, or give this consumer a store of its own")


class FileStore(EventStore):
    """Each event is on the disk when `save` returns. An unfinished last line of a crash is dropped.

    The ids and sequences are held in memory too. One process at a time can open the file.
    """

    def __init__(self, path: str | Path, *, max_events: int = DEFAULT_MAX_EVENTS) -> None:
        self.path = Path(path)
        self._state = MemoryStore(max_events=max_events)
        self._lock = self._acquire_lock()
        try:
            self._lines = self._load()
            self._log = self._open_log()
        except BaseException:
            self._lock.close()
            raise

    def find(self, event: ProcessedEvent) -> Known:
        return self._state.find(event)

    def save(self, event: ProcessedEvent) -> None:
        if event.id in self._state.ids:
            return
        self._append(_event_line(event))
        self._state.save(event)
        if self._lines > MIN_LINES_TO_COMPACT + 2 * (len(self._state.ids) + len(self._state.subjects)):
            self._compact()

    def close(self) -> None:
        self._log.close()
        self._lock.close()

    def _append(self, line: bytes) -> None:
        """A part of a line is removed, because the next one would not be readable."""
        size = self._log.tell()
        try:
            if self._log.write(line) < len(line):
                raise OSError(f"{self.path} could not be written completely")
            os.fsync(self._log.fileno())
        except OSError:
            self._undo(size)
            raise
        self._lines += 1

    def _undo(self, size: int) -> None:
        try:
            os.truncate(self.path, size)
        except OSError:
            # No further line may follow the incomplete one.
            self._log.close()
            raise

    def _load(self) -> int:
        """Reads the lines of earlier processes, and cuts off an unfinished one. Returns their number."""
        if not self.path.exists():
            return 0
        content = self.path.read_bytes()
        complete = content[: content.rfind(b"\n") + 1]
        if len(complete) < len(content):
            os.truncate(self.path, len(complete))
        lines = complete.splitlines()
        for number, line in enumerate(lines, start=1):
            try:
                self._apply(json.loads(line))
            except (ValueError, KeyError, TypeError):
                raise ValueError(
                    f"line {number} of {self.path} is not a line of this store; restore the file"
                ) from None
        return len(lines)

    def _apply(self, line: dict[str, Any]) -> None:
        state = self._state
        if "id" in line and "subject" in line:
            state.save(ProcessedEvent(line["id"], line["subject"], line["sequence"], line["signedat"]))
        elif "id" in line:
            state.add_id(line["id"], line["signedat"])
        elif "subject" in line:
            state.add_subject(line["subject"], line["sequence"], line["signedat"])
        else:
            state.ids_removed_until = max(state.ids_removed_until, line["idsRemovedUntil"])
            state.subjects_removed_until = max(state.subjects_removed_until, line["subjectsRemovedUntil"])

    def _compact(self) -> None:
        """Writes what is held into a new file, which then replaces the old one."""
        replacement = self.path.with_name(f"{self.path.name}.new")
        lines = list(self._state_lines())
        with replacement.open("wb") as file:
            file.writelines(lines)
            file.flush()
            os.fsync(file.fileno())
        replacement.replace(self.path)
        self._log.close()
        self._log = self._open_log()
        self._lines = len(lines)

    def _state_lines(self) -> Iterator[bytes]:
        state = self._state
        yield _line({"idsRemovedUntil": state.ids_removed_until, "subjectsRemovedUntil": state.subjects_removed_until})
        for subject, (sequence, signed_at) in state.subjects.items():
            yield _line({"subject": subject, "sequence": sequence, "signedat": signed_at})
        for event_id, signed_at in state.ids.items():
            yield _line({"id": event_id, "signedat": signed_at})

    def _open_log(self) -> IO[bytes]:
        log = self.path.open("ab", buffering=0)
        _sync_folder(self.path.parent)
        return log

    def _acquire_lock(self) -> IO[bytes]:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        lock = self.path.with_name(f"{self.path.name}.lock").open("ab")
        try:
            if fcntl is not None:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            lock.close()
            raise StoreInUseError(self.path) from None
        return lock


def _event_line(event: ProcessedEvent) -> bytes:
    return _line({"id": event.id, "subject": event.subject, "sequence": event.sequence, "signedat": event.signed_at})


def _line(value: dict[str, str]) -> bytes:
    return json.dumps(value).encode("ascii") + b"\n"


def _sync_folder(folder: Path) -> None:
    """A new or renamed file is durable once its folder is."""
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
