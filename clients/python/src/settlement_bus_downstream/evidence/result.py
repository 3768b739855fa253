"""What the verification of an evidence file finds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from ..verify.rejection import RejectionReason

KeyState = Literal["trusted", "retired", "revoked", "not-trusted", "not-checked"]
"""`retired`: no longer trusted. `revoked`: perhaps in other hands since a later time. `not-checked`: no trust file."""

ConsistentReason = Literal[
    "signer-not-verified",
    "unsigned",
    "scheme-not-trusted",
    "sender-not-allowed",
    "origin-not-allowed",
    "participant-not-allowed",
    "not-trusted-then",
    "revoked",
]
"""Why the signers of undamaged evidence are not verified."""

InvalidReason = Literal["damaged", "not-evidence", "event-mismatch", "key-mismatch"] | RejectionReason
"""Why a file proves nothing."""


@dataclass(frozen=True, slots=True)
class EvidenceKey:
    """A signer of the evidence."""

    did: str
    public_key: str
    state: KeyState
    since: str | None = None
    """Since when it is no longer trusted, or may be in other hands."""


@dataclass(frozen=True, slots=True)
class ClaimedTime:
    """When something happened, and who says so. No signature proves a time."""

    what: Literal["fact", "detected", "signed", "stored", "archived"]
    at: str
    claimed_by: Literal["bridge", "bus", "subscriber"]


@dataclass(frozen=True, slots=True)
class EvidenceResult:
    """What an evidence file says. The lists have sentences for people; they are empty when the file is invalid.

    `verified`: both signatures are valid, and the trust file trusts both signers for this event. `consistent`: the file
    is undamaged, and who signed it is not verified. `invalid`: it proves nothing.
    """

    status: Literal["verified", "consistent", "invalid"]
    reason: ConsistentReason | InvalidReason | None = None
    """Why it is not verified."""
    detail: str = ""
    """The reason as a sentence, without the content of the file."""
    event: Mapping[str, Any] | None = None
    """The event as it was signed; its amounts are texts. Unless the result is verified, anyone can have written it."""
    event_id: str | None = None
    type: str | None = None
    participant: str | None = None
    gateway: EvidenceKey | None = None
    """None when nobody signed the event, as `origin` is."""
    origin: EvidenceKey | None = None
    times: tuple[ClaimedTime, ...] = ()
    proved: tuple[str, ...] = ()
    not_proved: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    """What follows from a key that was retired or revoked later."""

    @property
    def ok(self) -> bool:
        """Whether it is verified."""
        return self.status == "verified"
