"""A message of the bus, as the gateway delivers it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

DEFAULT_TOPIC = "default"


class MalformedMessageError(ValueError):
    """The value is not a message of the bus."""


@dataclass(frozen=True, slots=True)
class Message:
    """A message of the bus. Nothing in it is verified."""

    id: str
    fqcn: str
    payload: str
    signature: str
    sender: str
    timestamp_nanos: int = 0
    topic: str = DEFAULT_TOPIC
    transaction_id: str | None = None

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Message:
        """Reads a message as the gateway writes it. Raises MalformedMessageError."""
        if not isinstance(value, Mapping):
            raise MalformedMessageError("a message must be a JSON object")
        # Some gateways send null for a field without a value, or a number as the id.
        given = {name: member for name, member in value.items() if member is not None}
        if isinstance(given.get("id"), int):
            given["id"] = str(given["id"])
        for name in ("id", "fqcn", "payload", "signature", "sender"):
            if not isinstance(given.get(name), str):
                raise MalformedMessageError(f"{name} of a message must be a text")
        for name in ("topic", "transactionId"):
            if not isinstance(given.get(name, ""), str):
                raise MalformedMessageError(f"{name} of a message must be a text, or absent")
        return cls(
            id=given["id"],
            fqcn=given["fqcn"],
            payload=given["payload"],
            signature=given["signature"],
            sender=given["sender"],
            timestamp_nanos=_nanoseconds(given.get("timestampNanos")),
            topic=given.get("topic", DEFAULT_TOPIC),
            transaction_id=given.get("transactionId"),
        )


def _nanoseconds(value: object) -> int:
    """Digits as a number or a text; some gateways round the number, with an exponent."""
    try:
        nanoseconds = int(value)  # type: ignore[call-overload]
    except (TypeError, ValueError, OverflowError):
        nanoseconds = -1
    if isinstance(value, bool) or nanoseconds < 0:
        raise MalformedMessageError("timestampNanos of a message must be a number of nanoseconds")
    return int(nanoseconds)
