"""What a consumer reports besides events. No text contains a secret or a payload."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ..event import Event
from ..message import Message


@dataclass(frozen=True, slots=True)
class Refusal:
    """A message that fails a check. It is acknowledged afterwards, and is then lost for this consumer.

    A function that raises keeps it: the message is verified again after a delay.
    """

    message: Message
    reason: str
    """A RejectionReason, or `replayed`: its id is not held any more, and its subject has a later event."""
    detail: str


@dataclass(frozen=True, slots=True)
class Gap:
    """Messages of a channel were removed before this consumer received them."""

    fqcn: str
    after: str
    """Id of the last message before the gap."""
    up_to: str
    """Id of the last message in it."""


@dataclass(frozen=True, slots=True)
class Outdated:
    """An event that `newest_per_subject` left out. It is saved and acknowledged afterwards."""

    event: Event
    message: Message


@dataclass(frozen=True, slots=True)
class State:
    """State of the connection."""

    name: Literal["connected", "disconnected", "stopped"]
    reason: str = ""
    retry_in: float = 0.0
    """Seconds until the next attempt."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault after which the consumer continues."""

    reason: str
    code: str = ""
    """Code of an error that the gateway reported."""
    error: Exception | None = None
    """What a handler or the store raised."""
    message_id: str | None = None
    attempt: int = 0
    """Of a failed attempt to process a message, from 1."""
