"""The vectors of evidence, and damage at any place."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from settlement_bus_downstream import Trust, verify_evidence
from support import REPOSITORY

FILE = json.loads((REPOSITORY / "libs/events/vectors/evidence.json").read_text("utf-8"))
VECTORS: list[dict[str, Any]] = FILE["vectors"]


@pytest.mark.parametrize("vector", [pytest.param(vector, id=vector["name"]) for vector in VECTORS])
def test_gives_the_expected_result(vector: dict[str, Any]) -> None:
    trust = None if vector["trust"] is None else Trust.from_json(FILE["trusts"][vector["trust"]])
    result = verify_evidence(vector["text"].encode("utf-8"), trust)
    given: dict[str, Any] = {
        "ok": result.ok,
        "status": result.status,
        "reason": result.reason,
        "gateway": result.gateway and result.gateway.state,
        "origin": result.origin and result.origin.state,
        "detail": result.detail,
        "type": result.type,
        "participant": result.participant,
        "times": [{"what": each.what, "at": each.at, "claimedBy": each.claimed_by} for each in result.times],
        "proved": list(result.proved),
        "notProved": list(result.not_proved),
        "notes": list(result.notes),
    }
    expected = {"reason": None, "gateway": None, "origin": None, **vector["result"]}
    assert {name: given[name] for name in expected} == expected


def test_has_the_event_unless_the_file_is_invalid() -> None:
    for vector in VECTORS:
        event = verify_evidence(vector["text"]).event
        if vector["result"]["status"] == "invalid":
            assert event is None
        else:
            assert event == json.loads(vector["text"])["event"]


def test_details_are_sentences() -> None:
    for vector in VECTORS:
        detail = verify_evidence(vector["text"]).detail
        assert re.fullmatch(r"([A-Z].*[^.]\.)?", detail), detail


def test_invalid_evidence_says_nothing() -> None:
    result = verify_evidence(b"")
    assert (result.status, result.event, result.event_id, result.times) == ("invalid", None, None, ())
    assert (result.proved, result.not_proved, result.notes) == ((), (), ())


def test_finds_one_changed_byte_anywhere() -> None:
    content = VECTORS[0]["text"].encode("utf-8")
    for at in range(len(content)):
        changed = bytearray(content)
        changed[at] ^= 1 << (at % 8)
        assert verify_evidence(bytes(changed)).reason == "damaged"
