"""Webhooks of the subscriber (Standard Webhooks)."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ..crypto.did import is_same_identity
from ..definitions import event_types
from ..event import Event
from ..times import latest_utc
from ..trust import Trust
from .message import verify_archived_event
from .payload import PayloadError, encode_utf8, parse_payload
from .rejection import RejectionReason
from .webhook_signature import decode_secret, is_signed

TOLERANCE_SECONDS = 300
TIMESTAMP = re.compile(r"[0-9]{1,15}")
# The signed members of every body.
TEXTS = ("id", "type", "source")
ALERTS = ("settlementbus.bridge.alert.raised.v1", "settlementbus.bridge.alert.cleared.v1")

WebhookRejectionReason = Literal["headers", "timestamp", "signature"] | RejectionReason
"""Why a webhook is refused. The reasons of events stand only with `trust`, except `not-an-event`."""


@dataclass(frozen=True, slots=True)
class RetiredKey:
    """A bridge that signed an event of the webhook and was retired afterwards."""

    did: str
    until: str


@dataclass(frozen=True, slots=True)
class Webhook:
    """A genuine webhook. The headers from `kind` to `is_replayed` are not signed."""

    event: Event
    kind: str | None
    severity: str | None
    problem: str | None
    state: str | None
    marks: tuple[str, ...]
    is_replayed: bool
    retired_keys: tuple[RetiredKey, ...] = ()
    """Who holds such a key can date events back: only the webhook's signature shows that these are old."""
    ok: Literal[True] = True


@dataclass(frozen=True, slots=True)
class RejectedWebhook:
    """The webhook is refused. `detail` is a sentence without body and secret."""

    reason: WebhookRejectionReason
    detail: str
    ok: Literal[False] = False


WebhookVerdict = Webhook | RejectedWebhook


def verify_webhook(
    body: bytes | str,
    headers: Mapping[str, str],
    *,
    secret: str | Sequence[str],
    now: float | None = None,
    trust: Trust | None = None,
) -> WebhookVerdict:
    """Verifies a webhook by its signature, and with `trust` also the proof of its event.

    `body` is as it was received, `secret` one or several, `now` in seconds since 1970. Raises ValueError for a wrong
    secret and for a `now` that is not finite, TypeError for a body that was parsed before.
    """
    if now is not None and not math.isfinite(now):
        raise ValueError("now is not a finite number of seconds; use time.time()")
    keys = [decode_secret(each) for each in ([secret] if isinstance(secret, str) else secret)]
    content = _to_bytes(body)
    # An empty header is a missing one.
    given = {name.lower(): value for name, value in headers.items() if value}
    names = ("webhook-id", "webhook-timestamp", "webhook-signature")
    if any(name not in given for name in names):
        return RejectedWebhook("headers", "webhook-id, webhook-timestamp or webhook-signature is missing")
    identifier, timestamp, signatures = (given[name] for name in names)
    if TIMESTAMP.fullmatch(timestamp) is None:
        return RejectedWebhook("headers", "webhook-timestamp is not a number of seconds")
    if not is_signed(encode_utf8(f"{identifier}.{timestamp}.") + content, signatures, keys):
        return RejectedWebhook("signature", "no signature was made with a known secret")
    if abs((time.time() if now is None else now) - int(timestamp)) > TOLERANCE_SECONDS:
        return RejectedWebhook("timestamp", f"webhook-timestamp is more than {TOLERANCE_SECONDS} s from now")
    return _read_event(content, given, trust)


def _read_event(content: bytes, headers: Mapping[str, str], trust: Trust | None) -> WebhookVerdict:
    try:
        text = content.decode("utf-8")
        attributes = parse_payload(text)
    except (PayloadError, UnicodeDecodeError):
        attributes = {}
    if not _is_event(attributes):
        return RejectedWebhook("not-an-event", "the body is not a CloudEvent with unique names")
    retired_keys: dict[str, RetiredKey] = {}
    origin = None if trust is None else _check_proofs(text, attributes, trust, retired_keys)
    if isinstance(origin, RejectedWebhook):
        return origin
    marks = headers.get("bridge-marks", "")
    return Webhook(
        event=Event(text, attributes, origin),
        kind=headers.get("bridge-kind"),
        severity=headers.get("bridge-severity"),
        problem=headers.get("bridge-problem"),
        state=headers.get("bridge-state"),
        marks=tuple(mark.strip() for mark in marks.split(",") if mark.strip()),
        is_replayed=headers.get("bridge-replayed") == "true",
        retired_keys=tuple(retired_keys.values()),
    )


def _check_proofs(
    text: str, event: dict[str, Any], trust: Trust, retired_keys: dict[str, RetiredKey]
) -> str | RejectedWebhook | None:
    """Verifies the proof of an event, and of the events in its data. Returns the DID of the bridge that signed it.

    `retired_keys` takes the bridges that were retired after they signed.
    """
    if "proof" in event:
        verdict = verify_archived_event(text, event, trust)
        if not verdict.ok:
            return RejectedWebhook(verdict.reason, verdict.detail)
        retired = _find_retired_key(verdict.origin, event["channel"], trust)
        if retired is not None:
            retired_keys.setdefault(retired.did, retired)
        return verdict.origin
    if event["type"] in event_types():
        # The services of the bridge post their alerts without the bus, so only the webhook's signature protects these.
        return None if event["type"] in ALERTS else RejectedWebhook("origin-proof", "the event has no proof")
    newest, others = event["data"].get("event", []), event["data"].get("events", [])
    for inside in [*_as_list(newest), *_as_list(others)]:
        if not _is_event(inside):
            return RejectedWebhook("not-an-event", "an event in the body is not a CloudEvent")
        if inside["type"] not in event_types():
            return RejectedWebhook("unknown-type", "the catalogue does not have the type of an event in the body")
        refused = _check_proofs("", inside, trust, retired_keys)
        if isinstance(refused, RejectedWebhook):
            return refused
    return None


def _find_retired_key(origin: str, channel: str, trust: Trust) -> RetiredKey | None:
    """None for a bridge that is still trusted on the channel."""
    if any(is_same_identity(entry.did, origin) for entry in trust.senders_of(channel).origins):
        return None
    entries = trust.entries_of(channel).origins
    ends = [entry.trusted_until for entry in entries if entry.trusted_until and is_same_identity(entry.did, origin)]
    return RetiredKey(origin, latest_utc(ends))


def _to_bytes(body: object) -> bytes:
    if isinstance(body, str):
        return encode_utf8(body)
    if isinstance(body, bytes | bytearray | memoryview):
        return bytes(body)
    raise TypeError("verify_webhook needs the body as it was received, a text or bytes; parse it afterwards")


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _is_event(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and isinstance(value.get("data"), dict)
        and all(isinstance(value.get(name), str) for name in TEXTS)
    )
