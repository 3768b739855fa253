"""Verification of an evidence file without any other source."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from functools import cache
from typing import Any

from jsonschema import Draft7Validator

from ..crypto.curve import address_of
from ..crypto.did import did_has_address
from ..definitions import read_evidence_schema
from ..event import Event
from ..message import Message
from ..times import is_utc, parse_utc
from ..trust import OriginTrustEntry, Trust, TrustedSenders
from ..verify.message import check_message
from ..verify.payload import PayloadError, canonical_json, encode_utf8, parse_payload
from .describe import NOT_PROVED, NOT_PROVED_UNSIGNED, archived_time, list_notes, list_proved, list_times
from .key_trust import Entry, KeyTimes, KeyTrust, find_key_trust
from .result import ConsistentReason, EvidenceKey, EvidenceResult, InvalidReason

DIGEST_DIGITS = 64
DAMAGED = (
    "The digest at the end of the file is not that of the bytes before it. "
    "Mail or an editor may have changed the line ends."
)
# A key that is no longer trusted since a time proves nothing when one of these is later.
DECIDING_TIMES = ("signed", "stored", "archived")


def verify_evidence(evidence: bytes | str, trust: Trust | None = None) -> EvidenceResult:
    """Verifies an evidence file without any other source.

    The digest covers every byte, the signatures event and message; `trust` decides whose signatures count. `evidence`
    is the file, byte for byte; a text stands for its UTF-8 form.
    """
    content = encode_utf8(evidence) if isinstance(evidence, str) else evidence
    if not _is_undamaged(content):
        return _invalid("damaged", DAMAGED)
    file = _parse(content)
    if file is None:
        return _invalid("not-evidence", "The content of the file is not that of evidence.schema.json.")
    if file["eventId"] != file["event"].get("id"):
        return _invalid("event-mismatch", "The id of the file is not that of the event.")
    if not is_utc(file["archived"]["at"]):
        return _invalid("not-evidence", "The time at which the event was archived is not a valid time.")
    if "unsigned" in file:
        return _describe_unsigned(file)
    checked = _check_signatures(file)
    return _judge(file, checked, trust) if isinstance(checked, Event) else checked


def _is_undamaged(content: bytes) -> bool:
    """Whether the last two lines are the digest of the bytes before them and the end of the object."""
    length = len(content) - len(_last_lines("0" * DIGEST_DIGITS))
    return length > 0 and content[length:] == _last_lines(hashlib.sha256(content[:length]).hexdigest())


def _last_lines(digest: str) -> bytes:
    return f'  "digest": "{digest}"\n}}\n'.encode("ascii")


def _parse(content: bytes) -> dict[str, Any] | None:
    """None for a content that does not match the schema of evidence files."""
    try:
        file = parse_payload(content.decode("utf-8", "replace"))
    except PayloadError:
        return None
    return file if _validator().is_valid(file) else None


@cache
def _validator() -> Draft7Validator:
    return Draft7Validator(read_evidence_schema())


def _invalid(reason: InvalidReason, detail: str) -> EvidenceResult:
    return EvidenceResult("invalid", reason, detail)


def _describe_unsigned(file: dict[str, Any]) -> EvidenceResult:
    event = file["event"]
    return EvidenceResult(
        "consistent",
        "unsigned",
        "The subscriber wrote this fault about itself. Nobody signed it.",
        event=event,
        event_id=file["eventId"],
        type=event["type"],
        participant=event["participant"],
        times=(archived_time(file),),
        not_proved=NOT_PROVED_UNSIGNED,
    )


def _check_signatures(file: dict[str, Any]) -> Event | EvidenceResult:
    """Recomputes what follows from the message, and compares it with the file, whoever signed it."""
    message, gateway, origin = file["message"], file["gateway"], file["origin"]
    try:
        payload = parse_payload(message["payload"])
    except PayloadError as error:
        return _invalid("not-an-event", _to_sentence(str(error)))
    canonical = canonical_json(payload)
    if canonical is None or canonical != canonical_json(file["event"]):
        return _invalid("event-mismatch", "The event of the file is not that of the payload.")
    participant = payload.get("participant")
    # The schema of the event refuses a participant that is not a text.
    participants = (participant,) if isinstance(participant, str) else ()
    senders = TrustedSenders(
        gateways=(message["sender"],),
        origins=(OriginTrustEntry(origin["did"], participants=participants),),
        participants=frozenset(participants),
    )
    verdict = check_message(Message.from_json(message), senders, file["signatureScheme"], "its channel")
    if not verdict.ok:
        # The details about a schema begin with a path.
        schema = "the event does not match the schema of its type: " if verdict.reason == "schema" else ""
        return _invalid(verdict.reason, _to_sentence(schema + verdict.detail))
    # A key of 65 bytes is known by its address.
    keys_match = all(did_has_address(key["did"], address_of(_key_bytes(key))) for key in (gateway, origin))
    if gateway["did"] != message["sender"] or not keys_match:
        return _invalid("key-mismatch", "A signer of the file is not the one that its signature gives.")
    return verdict.event


def _to_sentence(detail: str) -> str:
    """The details of messages are parts of sentences."""
    return f"{detail[:1].upper()}{detail[1:]}."


def _key_bytes(key: dict[str, Any]) -> bytes:
    return bytes.fromhex(str(key["publicKey"]).removeprefix("0x"))


def _judge(file: dict[str, Any], event: Event, trust: Trust | None) -> EvidenceResult:
    """Decides whether the trust file trusts the signers for this event."""
    fqcn, times = file["message"]["fqcn"], list_times(file)
    key_times = KeyTimes(
        archived_at=parse_utc(file["archived"]["at"]),
        latest=max(parse_utc(time.at) for time in times if time.what in DECIDING_TIMES),
    )
    gateway_trust = origin_trust = None
    if trust is not None:
        entries = trust.entries_of(fqcn)
        gateway_trust = find_key_trust(entries.gateways, file["gateway"]["did"], key_times)
        origin_trust = find_key_trust(entries.origins, file["origin"]["did"], key_times)
    gateway, origin = _to_key(file["gateway"], gateway_trust), _to_key(file["origin"], origin_trust)
    verified = EvidenceResult(
        "verified",
        event=event.attributes,
        event_id=event.id,
        type=event.type,
        participant=event.participant,
        gateway=gateway,
        origin=origin,
        times=times,
        proved=list_proved(gateway, origin, fqcn),
        not_proved=NOT_PROVED,
        notes=list_notes(gateway, origin),
    )
    if trust is None or gateway_trust is None or origin_trust is None:
        detail = "Both signatures are valid. Without a trust file nobody says whose they are."
        return replace(verified, status="consistent", reason="signer-not-verified", detail=detail)
    refusal = (
        _check_scheme(file["signatureScheme"], trust)
        or _explain(gateway_trust, "sender-not-allowed", "gateway")
        or _explain(origin_trust, "origin-not-allowed", "bridge")
        or _check_participant(event, origin.did, origin_trust, trust.participants_at(key_times.archived_at))
    )
    if refusal is None:
        return verified
    reason, detail = refusal
    return replace(verified, status="consistent", reason=reason, detail=detail)


def _to_key(signer: dict[str, str], trust: KeyTrust[Entry] | None) -> EvidenceKey:
    if trust is None:
        return EvidenceKey(signer["did"], signer["publicKey"], "not-checked")
    return EvidenceKey(signer["did"], signer["publicKey"], trust.state, trust.since)


Refusal = tuple[ConsistentReason, str]


def _check_scheme(scheme: str, trust: Trust) -> Refusal | None:
    if trust.signature_scheme == scheme:
        return None
    return (
        "scheme-not-trusted",
        f"The gateway signed as {scheme}. The trust file has the signature scheme {trust.signature_scheme}.",
    )


def _explain(trust: KeyTrust[Entry], unknown: ConsistentReason, signer: str) -> Refusal | None:
    match trust.failure:
        case None:
            return None
        case "unknown":
            return unknown, f"The trust file does not name the {signer} on this channel."
        case "not-trusted-then":
            return trust.failure, f"The trust file did not trust the {signer} when the event was archived."
        case "revoked":
            return trust.failure, f"The key of the {signer} may have been in other hands already."


def _check_participant(
    event: Event, origin: str, trust: KeyTrust[OriginTrustEntry], participants: frozenset[str]
) -> Refusal | None:
    """`participants` are those of all entries at that time: the end of an alert about another one is allowed."""
    then = TrustedSenders(origins=trust.entries, participants=participants)
    if then.may_announce(origin, event.type, event.participant):
        return None
    detail = f"The trust file does not trust the bridge for events of this type about {event.participant}."
    return "participant-not-allowed", detail
