"""The vectors of evidence, and damage at any place."""

from __future__ import annotations

import json
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
    given: dict[str, Any] = {"ok": result.ok, "status": result.status}
    if result.reason is not None:
        given["reason"] = result.reason
    if result.gateway is not None and result.origin is not None:
        given |= {"gateway": result.gateway.state, "origin": result.origin.state}
    assert given == vector["result"], result.detail


def test_finds_one_changed_byte_anywhere() -> None:
    content = VECTORS[0]["text"].encode("utf-8")
    for at in range(len(content)):
        changed = bytearray(content)
        changed[at] ^= 1 << (at % 8)
        assert verify_evidence(bytes(changed)).reason == "damaged"


def test_says_what_follows_from_a_key_that_was_revoked_later() -> None:
    vector = next(each for each in VECTORS if each["name"] == "a key that was revoked later")
    result = verify_evidence(vector["text"], Trust.from_json(FILE["trusts"]["revoked"]))
    assert result.ok
    assert "may be in other hands since" in result.notes[0]
