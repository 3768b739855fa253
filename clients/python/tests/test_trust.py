from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from settlement_bus_downstream import InvalidTrustError, Trust
from support import BRIDGE, GATEWAY, did_of


def file(**changes: Any) -> dict[str, Any]:
    entry = {"did": did_of(BRIDGE), "participants": ["ALPHA"]}
    channel = {"gateways": [{"did": did_of(GATEWAY)}], "origins": [entry]}
    return {"version": 1, "signatureScheme": "eip191", "channels": {"c": channel}, **changes}


def with_gateway(**entry: Any) -> dict[str, Any]:
    return file(channels={"c/d": {"gateways": [{"did": did_of(GATEWAY), **entry}], "origins": []}})


def test_reads_a_file(tmp_path: Path) -> None:
    path = tmp_path / "trust.json"
    path.write_text(json.dumps(file()), "utf-8")
    trust = Trust.from_file(path)
    assert trust.signature_scheme == "eip191"
    assert trust.senders_of("c").gateways == (did_of(GATEWAY),)
    assert trust.senders_of("other") == Trust.from_json(file(channels={})).senders_of("c")


def test_retired_and_revoked_keys_are_entries_but_not_trusted() -> None:
    for end in ("until", "revoked"):
        trust = Trust.from_json(with_gateway(**{end: "2026-03-01T00:00:00Z"}))
        assert trust.senders_of("c/d").gateways == ()
        assert len(trust.entries_of("c/d").gateways) == 1


def test_every_origin_may_announce_what_concerns_the_whole_bridge() -> None:
    senders = Trust.from_json(file()).senders_of("c")
    origin = did_of(BRIDGE).lower()
    heartbeat, breached = "settlementbus.bridge.heartbeat.v1", "settlementbus.margin.breached.v1"
    assert senders.may_announce(origin, heartbeat, "*")
    assert not senders.may_announce(origin, breached, "*")
    assert senders.may_announce(origin, breached, "ALPHA")
    assert not senders.may_announce(origin, heartbeat, "BETA")
    assert not senders.may_announce(did_of(GATEWAY), heartbeat, "*")


WRONG: dict[str, tuple[object, str, str]] = {
    "a list": ([], "", "the trust file must match type"),
    "no version": ({"signatureScheme": "eip191", "channels": {}}, "", "the trust file lacks version"),
    "another version": (file(version=2), "/version", "must be 1"),
    "another scheme": (file(signatureScheme="rsa"), "/signatureScheme", "must be eip191 or keccak256"),
    "an unknown member": (file(default=True), "", 'has the unknown member "default"; allowed are'),
    "no DID": (with_gateway(did="gateway"), "/channels/c~1d/gateways/0/did", "is not a DID"),
    "a wrong checksum": (
        with_gateway(did="did:ethr:0x7E5F4552091A69125d5DfCb7b8C2659029395BdF"),
        "/channels/c~1d/gateways/0/did",
        "has a wrong checksum",
    ),
    "a local time": (
        with_gateway(until="2026-03-01T00:00:00"),
        "/channels/c~1d/gateways/0/until",
        "must match pattern",
    ),
    "a line feed after a time": (
        with_gateway(until="2026-03-01T00:00:00Z\n"),
        "/channels/c~1d/gateways/0/until",
        "must match not",
    ),
    "no time": (with_gateway(until="2026-13-01T00:00:00Z"), "/channels/c~1d/gateways/0/until", "is not a valid time"),
    "30 February": (
        with_gateway(until="2026-02-30T00:00:00Z"),
        "/channels/c~1d/gateways/0/until",
        "is not a valid time",
    ),
    "an end before the begin": (
        with_gateway(**{"from": "2026-03-02T00:00:00Z", "until": "2026-03-01T00:00:00Z"}),
        "/channels/c~1d/gateways/0/until",
        "is before from",
    ),
}


@pytest.mark.parametrize(("value", "path", "problem"), WRONG.values(), ids=WRONG.keys())
def test_names_the_place_and_what_is_allowed(value: object, path: str, problem: str) -> None:
    with pytest.raises(InvalidTrustError) as raised:
        Trust.from_json(value)
    assert raised.value.path == path
    assert problem in str(raised.value)


def test_a_file_that_is_not_json(tmp_path: Path) -> None:
    (tmp_path / "trust.json").write_text("{", "utf-8")
    with pytest.raises(InvalidTrustError, match="the trust file is not JSON"):
        Trust.from_file(tmp_path / "trust.json")
