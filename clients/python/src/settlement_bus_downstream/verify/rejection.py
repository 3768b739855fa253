"""Verdicts of a verification."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ..event import Event

RejectionReason = Literal[
    "signature-format",
    "signer-mismatch",
    "sender-not-allowed",
    "not-an-event",
    "origin-proof",
    "origin-not-allowed",
    "unknown-type",
    "schema",
    "participant-not-allowed",
    "channel-mismatch",
    "topic-mismatch",
]
"""Why a message or an event is refused. The first check that fails gives the reason."""


@dataclass(frozen=True, slots=True)
class Verified:
    """The event is genuine. `origin` is the DID of the bridge that signed it."""

    event: Event
    origin: str
    ok: Literal[True] = True


@dataclass(frozen=True, slots=True)
class Rejected:
    """The message is refused. `detail` is a sentence without the payload."""

    reason: RejectionReason
    detail: str
    ok: Literal[False] = False


Verdict = Verified | Rejected
