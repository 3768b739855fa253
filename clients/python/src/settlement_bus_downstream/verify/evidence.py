"""Verification of evidence files without any other source."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from functools import cache
from typing import Any, Generic, Literal, TypeVar

from jsonschema import Draft7Validator

from ..crypto.curve import address_of
from ..crypto.did import did_has_address, is_same_identity
from ..definitions import read_evidence_schema
from ..trust import ChannelTrust, OriginTrustEntry, Trust, TrustedSenders, TrustEntry
from .message import verify_message
from .payload import PayloadError, canonical_json, parse_payload

EvidenceStatus = Literal["verified", "consistent", "invalid"]
KeyState = Literal["trusted", "retired", "revoked", "not-trusted", "not-checked"]

DIGEST_DIGITS = 64
EPOCH = datetime(1970, 1, 1)


@dataclass(frozen=True, slots=True)
class EvidenceKey:
    """A signer of the evidence. `since`: when it was retired, or since when it may be in other hands."""

    did: str
    public_key: str
    state: KeyState
    since: str | None = None


@dataclass(frozen=True, slots=True)
class EvidenceResult:
    """What an evidence file says.

    `verified`: both signatures are valid, and the trust file trusts both signers for this event. `consistent`: the file
    is undamaged, and who signed it is not verified. `invalid`: it proves nothing.
    """

    status: EvidenceStatus
    reason: str | None = None
    """Why it is not verified."""
    detail: str = ""
    event_id: str | None = None
    gateway: EvidenceKey | None = None
    origin: EvidenceKey | None = None
    notes: tuple[str, ...] = ()
    """What follows from a key that was retired or revoked later."""

    @property
    def ok(self) -> bool:
        """Whether it is verified."""
        return self.status == "verified"


def verify_evidence(evidence: bytes | str, trust: Trust | None = None) -> EvidenceResult:
    """Verifies an evidence file without any other source.

    The digest covers every byte, the signatures event and message; `trust` decides whose signatures count. `evidence`
    is the file, byte for byte; a text stands for its UTF-8 form.
    """
    content = evidence.encode("utf-8", "replace") if isinstance(evidence, str) else evidence
    if not _is_undamaged(content):
        return _invalid("damaged", "the digest at the end of the file is not that of the bytes before it")
    try:
        file = parse_payload(content.decode("utf-8"))
    except (PayloadError, UnicodeDecodeError):
        return _invalid("not-evidence", "the file is not one JSON object with unique names")
    archived = _millis(file["archived"]["at"]) if _validator().is_valid(file) else None
    if archived is None:
        return _invalid("not-evidence", "the content of the file is not that of evidence.schema.json")
    if file["eventId"] != file["event"].get("id"):
        return _invalid("event-mismatch", "the id of the file is not that of the event")
    if "unsigned" in file:
        detail = "the subscriber wrote this fault about itself; nobody signed it"
        return EvidenceResult("consistent", "unsigned", detail, file["eventId"])
    return _check_signatures(file) or _judge(file, archived, trust)


@cache
def _validator() -> Draft7Validator:
    return Draft7Validator(read_evidence_schema())


def _is_undamaged(content: bytes) -> bool:
    """Whether the last two lines are the digest of the bytes before them and the end of the object."""
    length = len(content) - len(_last_lines("0" * DIGEST_DIGITS))
    return length > 0 and content[length:] == _last_lines(hashlib.sha256(content[:length]).hexdigest())


def _last_lines(digest: str) -> bytes:
    return f'  "digest": "{digest}"\n}}\n'.encode("ascii")


def _invalid(reason: str, detail: str) -> EvidenceResult:
    return EvidenceResult("invalid", reason, detail)


def _check_signatures(file: dict[str, Any]) -> EvidenceResult | None:
    """Recomputes what follows from the message, and compares it with the file, whoever signed it."""
    message, gateway, origin = file["message"], file["gateway"], file["origin"]
    try:
        payload = parse_payload(message["payload"])
    except PayloadError as error:
        return _invalid("not-an-event", str(error))
    canonical = canonical_json(payload)
    if canonical is None or canonical != canonical_json(file["event"]):
        return _invalid("event-mismatch", "the event of the file is not that of the payload")
    signers = ChannelTrust(
        gateways=(TrustEntry(message["sender"]),),
        origins=(OriginTrustEntry(origin["did"], participants=(str(payload.get("participant")),)),),
    )
    verdict = verify_message(message, Trust(file["signatureScheme"], {message["fqcn"]: signers}))
    if not verdict.ok:
        return _invalid(verdict.reason, verdict.detail)
    # A key of 65 bytes is known by its address.
    keys_match = all(did_has_address(key["did"], address_of(_key_bytes(key))) for key in (gateway, origin))
    if gateway["did"] != message["sender"] or not keys_match:
        return _invalid("key-mismatch", "a signer of the file is not the one that its signature gives")
    if _millis(str(verdict.event.signed_at)) is None:
        return _invalid("schema", "/signedat is not a valid date")
    return None


def _key_bytes(key: dict[str, Any]) -> bytes:
    return bytes.fromhex(str(key["publicKey"]).removeprefix("0x"))


Entry = TypeVar("Entry", bound=TrustEntry)


@dataclass(frozen=True, slots=True)
class _KeyTrust(Generic[Entry]):
    state: KeyState
    failure: str | None = None
    since: str | None = None
    entries: tuple[Entry, ...] = ()


def _judge(file: dict[str, Any], archived: float, trust: Trust | None) -> EvidenceResult:
    """Decides whether the trust file trusts the signers for this event."""
    message, event = file["message"], file["event"]
    signed = _millis(event["signedat"]) or 0.0
    latest = max(signed, int(message["timestampNanos"]) // 1_000_000, archived)
    gateway_key, origin_key = file["gateway"], file["origin"]
    if trust is None:
        gateway_trust: _KeyTrust[TrustEntry] = _KeyTrust("not-checked", "signer-not-verified")
        origin_trust: _KeyTrust[OriginTrustEntry] = _KeyTrust("not-checked", "signer-not-verified")
    else:
        entries = trust.entries_of(message["fqcn"])
        gateway_trust = _find_trust(entries.gateways, gateway_key["did"], archived, latest, "sender-not-allowed")
        origin_trust = _find_trust(entries.origins, origin_key["did"], archived, latest, "origin-not-allowed")
    failure = gateway_trust.failure or origin_trust.failure
    if trust is not None and trust.signature_scheme != file["signatureScheme"]:
        failure = "scheme-not-trusted"
    participants = frozenset[str]() if trust is None else trust.participants_at(_moment(archived))
    announcer = TrustedSenders(origins=origin_trust.entries, participants=participants)
    if failure is None and not announcer.may_announce(origin_key["did"], event["type"], event["participant"]):
        failure = "participant-not-allowed"
    return EvidenceResult(
        "verified" if failure is None else "consistent",
        failure,
        "" if failure is None else "both signatures are valid, and the signers are not verified",
        file["eventId"],
        EvidenceKey(gateway_key["did"], gateway_key["publicKey"], gateway_trust.state, gateway_trust.since),
        EvidenceKey(origin_key["did"], origin_key["publicKey"], origin_trust.state, origin_trust.since),
        (*_note("gateway", gateway_trust), *_note("bridge", origin_trust)),
    )


def _find_trust(entries: Sequence[Entry], did: str, archived: float, latest: float, unknown: str) -> _KeyTrust[Entry]:
    """Whether the entries of a channel trusted a key when the event was archived, and at its latest time."""
    own = [entry for entry in entries if is_same_identity(entry.did, did)]
    if not own:
        return _KeyTrust("not-trusted", unknown)
    revoked = min((entry.revoked_since for entry in own if entry.revoked_since), key=_order, default=None)
    if revoked is not None and latest >= _order(revoked):
        return _KeyTrust("not-trusted", "revoked", revoked)
    then = tuple(entry for entry in own if entry.covers(_moment(archived)) and entry.covers(_moment(latest)))
    if not then:
        return _KeyTrust("not-trusted", "not-trusted-then")
    if revoked is not None:
        return _KeyTrust("revoked", None, revoked, then)
    ends = [entry.trusted_until for entry in own if entry.trusted_until]
    if len(ends) == len(own):
        return _KeyTrust("retired", None, max(ends, key=_order), then)
    return _KeyTrust("trusted", None, None, then)


def _moment(milliseconds: float) -> datetime:
    """A time in UTC, without a zone."""
    return EPOCH + timedelta(milliseconds=milliseconds)


def _note(signer: str, trust: _KeyTrust[Entry]) -> tuple[str, ...]:
    if trust.failure is None and trust.state == "retired":
        return (
            f"The key of the {signer} was retired at {trust.since}. "
            "Who has kept it can still sign, with times before that.",
        )
    if trust.failure is None and trust.state == "revoked":
        return (
            f"The key of the {signer} may be in other hands since {trust.since}. "
            "The times of the evidence are before that, but they are only claimed.",
        )
    return ()


def _order(time: str) -> float:
    return _millis(time) or 0.0


def _millis(time: str) -> float | None:
    """Milliseconds since 1970 of a time in UTC; None when it is not valid."""
    second, _, fraction = time.removesuffix("Z").partition(".")
    try:
        whole = datetime.fromisoformat(second).replace(tzinfo=timezone.utc)
    except ValueError:
        return None
    return whole.timestamp() * 1000 + int(fraction.ljust(9, "0")[:9]) / 1_000_000
