"""Schemas and identities of the event types. The build of the wheel copies the files of the repository."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

PACKAGED = Path(__file__).parent / "definitions"


def _file(path: str) -> Path:
    """The copy in the installed package, or the file of the repository when it runs from source."""
    return PACKAGED / path.rsplit("/", 1)[-1] if PACKAGED.is_dir() else Path(__file__).parents[4] / path


@cache
def read_schema(event_type: str) -> dict[str, Any] | None:
    """The JSON Schema (draft-07) of an event type; None when the catalogue has no such type."""
    if event_type not in event_types():
        return None
    schema: dict[str, Any] = json.loads((_file("libs/events/schemas") / f"{event_type}.json").read_text("utf-8"))
    return schema


@cache
def read_trust_schema() -> dict[str, Any]:
    """The JSON Schema (draft-07) of a trust file."""
    file = _file("libs/downstream/trust.schema.json")
    schema: dict[str, Any] = json.loads(file.read_text("utf-8"))
    return schema


@cache
def read_evidence_schema() -> dict[str, Any]:
    """The JSON Schema (draft-07) of an evidence file."""
    file = _file("libs/downstream/evidence.schema.json")
    schema: dict[str, Any] = json.loads(file.read_text("utf-8"))
    return schema


@cache
def event_types() -> frozenset[str]:
    """Every type of the catalogue."""
    return frozenset(file.stem for file in _file("libs/events/schemas").glob("*.json"))


def announces_state(event_type: str) -> bool:
    """Whether each event of this type replaces the previous one of its subject."""
    return read_identities()[event_type].get("kind") == "state"


def is_urgent(event_type: str) -> bool:
    """Whether no newer event of their subject replaces events of this type."""
    return "urgent" in read_identities()[event_type]


@cache
def read_identities() -> dict[str, dict[str, Any]]:
    """Kind of each type, whether it is urgent, and the templates of its key, version and subject."""
    identities: dict[str, dict[str, Any]] = json.loads(_file("libs/events/identities.json").read_text("utf-8"))
    return identities
