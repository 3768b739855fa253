"""Verification of messages of the bus, and of events without their message."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..crypto.bus_signature import SignatureScheme, has_signature_form, recover_signer
from ..crypto.did import did_has_address, is_same_identity, parse_did
from ..crypto.jws import claimed_signer, verify_detached_jws
from ..event import Event
from ..message import Message
from ..times import is_utc, parse_utc
from ..trust import Trust, TrustedSenders
from .identity import find_foreign_attribute
from .payload import PayloadError, canonical_json, parse_payload
from .rejection import Rejected, Verdict, Verified
from .schema import find_problems, validator_of


def verify_message(message: Message | Mapping[str, Any], trust: Trust) -> Verdict:
    """Verifies a message: its sender, its event, what its bridge may announce, then its channel.

    Raises MalformedMessageError when a mapping is not a message. Everything else is a verdict.
    """
    received = message if isinstance(message, Message) else Message.from_json(message)
    channel = _name_of_channel(received.fqcn, trust)
    return check_message(received, trust.senders_of(received.fqcn), trust.signature_scheme, channel)


def check_message(message: Message, senders: TrustedSenders, scheme: SignatureScheme, channel: str) -> Verdict:
    """As `verify_message`, with the senders that are trusted. `channel` is that of the message, for texts."""
    verdict = _check_sender(message, senders, scheme, channel) or _check_payload(message, senders, channel)
    return (_check_channel(message, verdict.event) or verdict) if verdict.ok else verdict


def verify_event(text: str, trust: Trust, *, channel: str | None = None) -> Verdict:
    """Verifies an event without its message. The gateway that posted it and its topic are not verified.

    `channel` is the channel whose senders are trusted; by default the one that the event names.
    """
    try:
        attributes = parse_payload(text)
    except PayloadError as error:
        return Rejected("not-an-event", str(error))
    return verify_parsed_event(text, attributes, trust, channel)


def verify_parsed_event(text: str, attributes: dict[str, Any], trust: Trust, channel: str | None = None) -> Verdict:
    """As `verify_event`, for a text that is already parsed."""
    named = _named_channel(attributes) if channel is None else channel
    verdict = _check_event(text, attributes, trust.senders_of(named), _name_of_channel(named, trust))
    if verdict.ok and channel is not None and verdict.event.channel != channel:
        return Rejected("channel-mismatch", f"the event was signed for {verdict.event.channel}")
    return verdict


def verify_archived_event(text: str, attributes: dict[str, Any], trust: Trust) -> Verdict:
    """As `verify_parsed_event`, for an event that was verified and archived when it arrived.

    Its bridge may have been retired since it signed.
    """
    named, signed_at = _named_channel(attributes), attributes.get("signedat")
    at = parse_utc(signed_at) if isinstance(signed_at, str) and is_utc(signed_at) else None
    return _check_event(text, attributes, trust.senders_at(named, at), _name_of_channel(named, trust))


def _named_channel(attributes: Mapping[str, Any]) -> str:
    named = attributes.get("channel")
    return named if isinstance(named, str) else ""


def _name_of_channel(channel: str, trust: Trust) -> str:
    """Names a channel of the trust file. Other names can contain anything."""
    return channel if channel in trust.channels else "its channel"


def _check_sender(message: Message, senders: TrustedSenders, scheme: SignatureScheme, channel: str) -> Rejected | None:
    address = recover_signer(message.payload, message.signature, scheme)
    if address is None:
        if not has_signature_form(message.signature):
            return Rejected("signature-format", "the signature does not have the form of 65 bytes")
        return Rejected("signature-format", "no public key can be recovered from the signature")
    if not did_has_address(message.sender, address):
        return Rejected("signer-mismatch", f"the payload was signed by {address} (signature scheme: {scheme})")
    if not any(is_same_identity(gateway, message.sender) for gateway in senders.gateways):
        return Rejected("sender-not-allowed", f"the gateway {message.sender} is not trusted on {channel}")
    return None


def _check_payload(message: Message, senders: TrustedSenders, channel: str) -> Verdict:
    try:
        attributes = parse_payload(message.payload)
    except PayloadError as error:
        return Rejected("not-an-event", str(error))
    return _check_event(message.payload, attributes, senders, channel, message)


def _check_event(
    text: str, attributes: dict[str, Any], senders: TrustedSenders, channel: str, message: Message | None = None
) -> Verdict:
    """Checks the proof of origin, the schema, id and subject, then what the bridge may announce.

    `channel` is that of the senders, for texts.
    """
    origin = _check_proof(attributes, senders, channel)
    if isinstance(origin, Rejected):
        return origin
    event_type = attributes.get("type")
    validator = validator_of(event_type) if isinstance(event_type, str) else None
    if validator is None:
        return Rejected("unknown-type", "the catalogue has no such type")
    problems = find_problems(validator, attributes)
    if problems:
        return Rejected("schema", "; ".join(problems))
    event = Event(text, attributes, origin, message)
    # Text columns of databases cannot store it.
    if "\0" in event.subject + event.participant:
        return Rejected("schema", "subject or participant contains a NUL character")
    foreign = find_foreign_attribute(attributes)
    if foreign is not None:
        return Rejected("schema", f"/{foreign} does not match the participant and data of the event")
    if not is_utc(event.signed_at):
        return Rejected("schema", "/signedat is not a valid date")
    if not senders.may_announce(origin, event.type, event.participant):
        return Rejected(
            "participant-not-allowed",
            f"the bridge {origin} is not trusted for events of this type about {event.participant} on {channel}",
        )
    return Verified(event, origin)


def _check_proof(attributes: dict[str, Any], senders: TrustedSenders, channel: str) -> str | Rejected:
    """The DID of the trusted bridge that signed the event."""
    proof = attributes.get("proof")
    if not isinstance(proof, str):
        return Rejected("origin-proof", "the event has no proof")
    malformed = Rejected("origin-proof", "the proof is not a detached JWS of this event")
    claimed = claimed_signer(proof)
    if claimed is None:
        return malformed
    origin = next((entry.did for entry in senders.origins if is_same_identity(entry.did, claimed)), None)
    if origin is None:
        is_named = parse_did(claimed) is not None
        signer = (
            f"the bridge {claimed} is not trusted" if is_named else "the signer of the proof is not trusted as a bridge"
        )
        return Rejected("origin-not-allowed", f"{signer} on {channel}")
    canonical = canonical_json({name: member for name, member in attributes.items() if name != "proof"})
    failure = "malformed" if canonical is None else verify_detached_jws(proof, canonical, origin)
    if failure == "malformed":
        return malformed
    if failure == "signature":
        return Rejected("origin-proof", "the proof was not made by the bridge that it names, or not for this event")
    return origin


def _check_channel(message: Message, event: Event) -> Rejected | None:
    """A signature covers no channel but that of the event, so a valid event can be moved to another channel."""
    if event.channel != message.fqcn:
        return Rejected("channel-mismatch", f"the event was signed for {event.channel}")
    if event.topic != message.topic:
        return Rejected("topic-mismatch", f"the event was signed for topic {event.topic}")
    return None
