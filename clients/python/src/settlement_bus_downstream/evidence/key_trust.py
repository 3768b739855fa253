"""Whether a trust file trusted a key when an event was archived."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

from ..crypto.did import is_same_identity
from ..times import latest_utc, parse_utc
from ..trust import TrustEntry
from .result import KeyState

Entry = TypeVar("Entry", bound=TrustEntry)


@dataclass(frozen=True, slots=True)
class KeyTimes:
    """Times that decide, in milliseconds since 1970."""

    archived_at: int
    latest: int
    """The latest of the times at which the event was signed, stored and archived."""


@dataclass(frozen=True, slots=True)
class KeyTrust(Generic[Entry]):
    """The state of a key, since when, and the entries that trusted it when the event was archived."""

    state: KeyState
    since: str | None = None
    entries: tuple[Entry, ...] = ()
    failure: Literal["unknown", "not-trusted-then", "revoked"] | None = None
    """Why it is not trusted."""


def find_key_trust(entries: Sequence[Entry], did: str, times: KeyTimes) -> KeyTrust[Entry]:
    """Whether the entries of a channel trusted a key when the event was archived, and at its latest time."""
    own = [entry for entry in entries if is_same_identity(entry.did, did)]
    if not own:
        return KeyTrust("not-trusted", failure="unknown")
    revoked = min((entry.revoked_since for entry in own if entry.revoked_since), key=parse_utc, default=None)
    if revoked is not None and times.latest >= parse_utc(revoked):
        return KeyTrust("not-trusted", revoked, failure="revoked")
    then = tuple(entry for entry in own if entry.covers(times.archived_at) and entry.covers(times.latest))
    if not then:
        return KeyTrust("not-trusted", failure="not-trusted-then")
    if revoked is not None:
        return KeyTrust("revoked", revoked, then)
    ends = [entry.trusted_until for entry in own if entry.trusted_until]
    if len(ends) == len(own):
        return KeyTrust("retired", latest_utc(ends), then)
    return KeyTrust("trusted", entries=then)
