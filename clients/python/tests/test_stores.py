"""One suite for every store."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from settlement_bus_downstream import (
    EventStore,
    FileStore,
    Known,
    MemoryStore,
    ProcessedEvent,
    SqliteStore,
    StoreInUseError,
)
from settlement_bus_downstream.stores import file

Open = Callable[[Path, int], EventStore]

STORES: dict[str, Open] = {
    "memory": lambda folder, max_events: MemoryStore(max_events=max_events),
    "file": lambda folder, max_events: FileStore(folder / "events", max_events=max_events),
    "sqlite": lambda folder, max_events: SqliteStore(folder / "events.db", max_events=max_events),
}
DURABLE = {name: STORES[name] for name in ("file", "sqlite")}


@pytest.fixture(params=list(STORES.values()), ids=list(STORES))
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[EventStore]:
    opened = request.param(tmp_path, 10)
    yield opened
    opened.close()
    opened.close()


def event(number: int, subject: str = "ALPHA/prudential", sequence: int | None = None) -> ProcessedEvent:
    of_subject = number if sequence is None else sequence
    return ProcessedEvent(f"id-{number}", subject, f"{of_subject:020}", f"2026-03-02T06:00:00.{number:03}Z")


def test_knows_nothing_at_first(store: EventStore) -> None:
    assert store.find(event(1)) == Known(False, None, "")


def test_holds_what_was_saved(store: EventStore) -> None:
    store.save(event(1))
    assert store.find(event(1)).holds_id
    assert store.find(event(2)) == Known(False, f"{1:020}", "")
    assert store.find(event(1, "other")) == Known(True, None, "")


def test_keeps_the_highest_sequence_of_a_subject(store: EventStore) -> None:
    for number, sequence in enumerate((5, 9, 7)):
        store.save(event(number, sequence=sequence))
    assert store.find(event(4)).highest_sequence == f"{9:020}"


def test_a_repeat_changes_nothing(store: EventStore) -> None:
    for _ in range(30):
        store.save(event(1))
    assert store.find(event(1)) == Known(True, f"{1:020}", "")


def test_reports_the_removal_of_the_oldest_ids(store: EventStore, caplog: pytest.LogCaptureFixture) -> None:
    for number in range(10):
        store.save(event(number))
    assert not caplog.records
    store.save(event(10))
    assert store.find(event(0)) == Known(False, f"{10:020}", event(0).signed_at)
    assert all(store.find(event(number)).holds_id for number in range(1, 11))
    assert [record.getMessage() for record in caplog.records] == [
        f"the store removed the oldest 1 ids, of events signed until {event(0).signed_at}"
    ]


def test_a_subject_that_may_have_been_removed_has_the_sequence_of_the_event(store: EventStore) -> None:
    store.save(event(0, "ALPHA/0"))
    for number in range(1, 12):
        store.save(event(number, f"ALPHA/{number % 11}"))
    assert store.find(event(1, "ALPHA/1")) == Known(False, f"{1:020}", event(1).signed_at)
    assert store.find(event(12, "ALPHA/1")).highest_sequence is None
    assert store.find(event(12, "ALPHA/0")).highest_sequence == f"{11:020}"


@pytest.mark.parametrize("open_store", DURABLE.values(), ids=DURABLE.keys())
def test_holds_everything_when_it_is_opened_again(open_store: Open, tmp_path: Path) -> None:
    first = open_store(tmp_path, 10)
    for number in range(25):
        first.save(event(number, subject=f"ALPHA/{number % 7}"))
    expected = [first.find(event(number, f"ALPHA/{number % 7}")) for number in range(25)]
    first.close()
    again = open_store(tmp_path, 10)
    assert [again.find(event(number, f"ALPHA/{number % 7}")) for number in range(25)] == expected
    again.close()


@pytest.mark.parametrize("open_store", DURABLE.values(), ids=DURABLE.keys())
def test_what_was_saved_survives_the_end_of_the_process(open_store: Open, tmp_path: Path) -> None:
    kind = "FileStore" if open_store is STORES["file"] else "SqliteStore"
    name = "events" if kind == "FileStore" else "events.db"
    code = f"""
import os, sys
from settlement_bus_downstream import {kind}, ProcessedEvent
store = {kind}({str(tmp_path / name)!r}, max_events=10)
store.save(ProcessedEvent('id-1', 'ALPHA/prudential', '{1:020}', '2026-03-02T06:00:00.001Z'))
os.kill(os.getpid(), 9)
"""
    ended = subprocess.run([sys.executable, "-c", code], env={"PYTHONPATH": ":".join(sys.path)}, check=False)
    assert ended.returncode == -9
    again = open_store(tmp_path, 10)
    assert again.find(event(1)).holds_id
    again.close()


def test_file_drops_an_unfinished_line(tmp_path: Path) -> None:
    first = FileStore(tmp_path / "events")
    first.save(event(1))
    first.close()
    with (tmp_path / "events").open("ab") as log:
        log.write(b'{"id": "id-2", "subj')
    again = FileStore(tmp_path / "events")
    assert again.find(event(1)).holds_id
    again.save(event(3))
    again.close()
    last = FileStore(tmp_path / "events")
    assert [last.find(event(number)).holds_id for number in (1, 2, 3)] == [True, False, True]
    last.close()


def test_file_names_a_damaged_line_and_stays_free(tmp_path: Path) -> None:
    (tmp_path / "events").write_bytes(b'{"idsRemovedUntil": "", "subjectsRemovedUntil": ""}\nhello\n')
    for _ in range(2):
        with pytest.raises(ValueError, match=r"line 2 of .*events is not a line of this store"):
            FileStore(tmp_path / "events")


def test_file_is_compacted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file, "MIN_LINES_TO_COMPACT", 10)
    store = FileStore(tmp_path / "events", max_events=10)
    for number in range(100):
        store.save(event(number, subject=f"ALPHA/{number % 3}"))
    known = [store.find(event(number, "ALPHA/0")) for number in range(100)]
    store.close()
    assert (tmp_path / "events").read_bytes().count(b"\n") < 50
    again = FileStore(tmp_path / "events", max_events=10)
    assert [again.find(event(number, "ALPHA/0")) for number in range(100)] == known
    again.close()


def test_file_is_open_only_once(tmp_path: Path) -> None:
    first = FileStore(tmp_path / "events")
    with pytest.raises(StoreInUseError, match="is open in another process"):
        FileStore(tmp_path / "events")
    first.close()
    FileStore(tmp_path / "events").close()


@pytest.mark.parametrize("open_store", STORES.values(), ids=STORES.keys())
def test_needs_room_for_an_id(open_store: Open, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="max_events must be at least 1"):
        open_store(tmp_path, 0)


def test_file_removes_a_part_of_a_line_that_was_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = FileStore(tmp_path / "events")
    store.save(event(1))
    with monkeypatch.context() as context:
        context.setattr(os, "fsync", lambda descriptor: os.fstat(-1))
        with pytest.raises(OSError, match="Bad file descriptor"):
            store.save(event(2))
    assert not store.find(event(2)).holds_id
    store.save(event(3))
    store.close()
    again = FileStore(tmp_path / "events")
    assert [again.find(event(number)).holds_id for number in (1, 2, 3)] == [True, False, True]
    again.close()
