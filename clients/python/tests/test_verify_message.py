"""Messages with one broken part each."""

from __future__ import annotations

import json
from typing import Any

import pytest

from settlement_bus_downstream import Message, Verdict, verify_event, verify_message
from settlement_bus_downstream.crypto.jws import claimed_signer
from support import BRIDGE, CHANNEL, EXAMPLES, GATEWAY, STRANGER, did_of, example, genuine, message_of, signed, trust

NAMES = sorted(file.name.removeprefix("settlementbus.").removesuffix(".v1.json") for file in EXAMPLES.glob("*.json"))


@pytest.mark.parametrize("name", NAMES)
def test_accepts_each_type(name: str) -> None:
    verdict = verify_message(genuine(name), trust(("ALPHA",)))
    assert verdict.ok, verdict
    assert verdict.origin == did_of(BRIDGE)
    assert (verdict.event.name, verdict.event.message, verdict.event.origin) == (name, genuine(name), verdict.origin)


@pytest.mark.parametrize("name", NAMES)
def test_accepts_each_example_as_it_is(name: str) -> None:
    """The examples were signed by another implementation."""
    text = (EXAMPLES / f"settlementbus.{name}.v1.json").read_text("utf-8")
    event = json.loads(text)
    origin = claimed_signer(event["proof"])
    assert origin is not None
    assert verify_event(text, trust(channel=event["channel"], origin=origin)).ok


def changed(**changes: Any) -> Message:
    return Message.from_json(message_of(signed(example("margin.breached")), **changes))


def of_event(**changes: Any) -> Message:
    return Message.from_json(message_of(signed(example("margin.breached", **changes))))


def of_payload(payload: str) -> Message:
    return Message.from_json(message_of(payload, topic="margin.breached.v1"))


def data(**changes: Any) -> dict[str, Any]:
    return {**example("margin.breached")["data"], **changes}


PAYLOAD = signed(example("margin.breached"))

BROKEN: dict[str, tuple[Message, str]] = {
    "no signature": (changed(signature=""), "signature-format"),
    "a line feed after the signature": (changed(signature=changed().signature + "\n"), "signature-format"),
    "v of 29": (changed(signature=changed().signature[:-2] + "1d"), "signature-format"),
    "a signature of zeros": (changed(signature=f"0x{'0' * 128}1b"), "signature-format"),
    "another key": (changed(key=STRANGER, sender=did_of(GATEWAY)), "signer-mismatch"),
    "a changed payload": (changed(payload=PAYLOAD.replace("-60000.5", "-60000.6")), "signer-mismatch"),
    "a sender that is not a DID": (changed(sender="gateway"), "signer-mismatch"),
    "an untrusted gateway": (changed(key=STRANGER), "sender-not-allowed"),
    "an unknown channel": (changed(fqcn="other"), "sender-not-allowed"),
    "no JSON": (of_payload("hello"), "not-an-event"),
    "a list": (of_payload("[]"), "not-an-event"),
    "NaN": (of_payload('{"a":NaN}'), "not-an-event"),
    "a duplicate name": (of_payload(PAYLOAD.replace('{"', '{"id":"x","', 1)), "not-an-event"),
    "33 levels": (of_payload('{"a":' * 33 + "1" + "}" * 33), "not-an-event"),
    "100,000 levels": (of_payload('{"a":' * 100_000 + "1" + "}" * 100_000), "not-an-event"),
    "no proof": (of_payload(json.dumps(example("margin.breached"))), "origin-proof"),
    "32 levels": (of_payload('{"a":' * 32 + "1" + "}" * 32), "origin-proof"),
    "a proof of another event": (of_payload(PAYLOAD.replace("-60000.5", "-60000.6")), "origin-proof"),
    "a lone surrogate": (
        of_payload(PAYLOAD.replace('"level"', '"x":"\\ud800","level"')),
        "origin-proof",
    ),
    "a number that is infinite": (of_payload(PAYLOAD.replace('"level"', '"x":1e400,"level"')), "origin-proof"),
    "another algorithm": (
        Message.from_json(message_of(signed(example("margin.breached"), header={"alg": "ES256"}))),
        "origin-proof",
    ),
    "a critical extension": (
        Message.from_json(message_of(signed(example("margin.breached"), header={"crit": ["exp"]}))),
        "origin-proof",
    ),
    "an untrusted bridge": (
        Message.from_json(message_of(signed(example("margin.breached"), STRANGER))),
        "origin-not-allowed",
    ),
    "an unknown type": (of_event(type="settlementbus.margin.other.v1"), "unknown-type"),
    "a type that is not a text": (of_event(type=["settlementbus.margin.breached.v1"]), "unknown-type"),
    "an additional property": (of_event(other=1), "schema"),
    "local": (of_event(local=True), "schema"),
    "a number as the amount": (of_event(data=data(tradingMargin=1)), "schema"),
    "1.5 as an integer": (of_event(data=data(transition=1.5)), "schema"),
    "true as an integer": (of_event(data=data(transition=True)), "schema"),
    "the id of another fact": (of_event(id="70f3a627-04ad-4fad-ac5b-663d133bbdf9"), "schema"),
    "the subject of another participant": (of_event(subject="BETA/prudential"), "schema"),
    "another source": (of_event(source="urn:settlement-bus-bridge:BETA"), "schema"),
    "another channel in the event": (of_event(channel="other"), "channel-mismatch"),
    "another topic": (changed(topic="margin.restored.v1"), "topic-mismatch"),
    "no topic": (changed(topic=None), "topic-mismatch"),
}


@pytest.mark.parametrize(("message", "reason"), BROKEN.values(), ids=BROKEN.keys())
def test_refuses(message: Message, reason: str) -> None:
    verdict = verify_message(message, trust())
    assert not verdict.ok
    assert verdict.reason == reason
    assert "60000" not in verdict.detail


def test_refuses_a_participant_that_is_not_named() -> None:
    verdict = verify_message(genuine(), trust(("BETA",)))
    assert not verdict.ok
    assert verdict.reason == "participant-not-allowed"
    who = f"the bridge {did_of(BRIDGE)}"
    assert verdict.detail == f"{who} is not trusted for events of this type about ALPHA on {CHANNEL}"


STRANGE_PROOF = signed(example("margin.breached"), STRANGER)
OTHER_CHANNEL = trust(channel="other")
NOT_65_BYTES = "the signature does not have the form of 65 bytes"
DETAILS: dict[str, tuple[Verdict, str]] = {
    "a gateway": (
        verify_message(changed(key=STRANGER), trust()),
        f"the gateway {did_of(STRANGER)} is not trusted on {CHANNEL}",
    ),
    "a gateway on a channel that can have any name": (
        verify_message(changed(fqcn="\x1b[2J" * 1000), trust()),
        f"the gateway {did_of(GATEWAY)} is not trusted on its channel",
    ),
    "a bridge": (verify_event(STRANGE_PROOF, trust()), f"the bridge {did_of(STRANGER)} is not trusted on {CHANNEL}"),
    "a channel that the trust file lacks": (
        verify_event(PAYLOAD, OTHER_CHANNEL),
        f"the bridge {did_of(BRIDGE)} is not trusted on its channel",
    ),
    "a signer that is not a DID": (
        verify_event(signed(example("margin.breached"), header={"kid": "\n"}), trust()),
        f"the signer of the proof is not trusted as a bridge on {CHANNEL}",
    ),
    "another scheme": (
        verify_message(changed(key=STRANGER, sender=did_of(GATEWAY)), trust()),
        f"the payload was signed by {did_of(STRANGER)[9:]} (signature scheme: eip191)",
    ),
    "several rules of the schema": (
        verify_message(of_event(data={**data(tradingMargin=1, transition=1.5), "a": 1, "b": 1}), trust()),
        "/data must NOT have additional properties; /data must NOT have additional properties; "
        "/data/tradingMargin must NOT be valid; /data/tradingMargin must be string; /data/transition must be integer",
    ),
    "missing members": (
        verify_message(of_event(data={}), trust()),
        "; ".join(
            f"/data must have required property '{name}'"
            for name in ("tradingDay", "calculatedAt", "level", "previousLevel", "tradingMargin")
        ),
    ),
    "v of 2": (verify_message(changed(signature=f"0x{'1' * 128}02"), trust()), NOT_65_BYTES),
    "64 bytes": (verify_message(changed(signature=f"0x{'1' * 128}"), trust()), NOT_65_BYTES),
    "zeros": (
        verify_message(changed(signature=f"0x{'0' * 128}1b"), trust()),
        "no public key can be recovered from the signature",
    ),
}


@pytest.mark.parametrize(("verdict", "detail"), DETAILS.values(), ids=DETAILS.keys())
def test_the_detail_says_what_is_wrong(verdict: Verdict, detail: str) -> None:
    assert not verdict.ok
    assert verdict.detail == detail


def test_reads_whole_numbers_as_json_parse_does() -> None:
    payload = PAYLOAD.replace('"transition":0', '"transition":0.0e1')
    verdict = verify_message(of_payload(payload), trust())
    assert verdict.ok, verdict
    assert verdict.event.data["transition"] == 0


def test_verify_event_checks_a_given_channel() -> None:
    assert verify_event(PAYLOAD, trust(), channel=CHANNEL).ok
    verdict = verify_event(PAYLOAD, trust(channel="other"), channel="other")
    assert not verdict.ok
    assert verdict.reason == "channel-mismatch"


def test_an_empty_channel_is_a_channel() -> None:
    verdict = verify_event(PAYLOAD, trust(), channel="")
    assert not verdict.ok
    assert verdict.reason == "origin-not-allowed"
