"""A verified event."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from functools import cached_property
from types import MappingProxyType
from typing import Any

from .definitions import read_schema
from .message import Message

PREFIX = "settlementbus."
SUFFIX = ".v1"
# Every amount has this pattern, and nothing else has.
AMOUNT_PATTERN = "^-?(0|[1-9]"


def short_name(event_type: str) -> str:
    """`margin.breached` of `settlementbus.margin.breached.v1`."""
    return event_type.removeprefix(PREFIX).removesuffix(SUFFIX)


@dataclass(frozen=True, eq=False, repr=False)
class Event:
    """An event whose attributes and data match the schema of its type.

    `text` is the event as it was received, byte for byte, and `attributes` its parsed members, whose amounts are texts.
    """

    text: str
    attributes: Mapping[str, Any]
    origin: str | None = None
    """DID of the bridge that signed the event; None for an event without a verified proof."""
    message: Message | None = None
    """The message of the bus that carried the event, where there was one."""

    def __repr__(self) -> str:
        named = (f"{name}={self.attributes.get(name)!r}" for name in ("type", "id", "subject"))
        return f"Event({', '.join(named)}, origin={self.origin!r})"

    @property
    def id(self) -> str:
        """One fact always has one id: the key of your storage."""
        return str(self.attributes["id"])

    @property
    def type(self) -> str:
        """The full type, such as `settlementbus.margin.breached.v1`."""
        return str(self.attributes["type"])

    @property
    def name(self) -> str:
        """The type without prefix and version: `margin.breached`."""
        return short_name(self.type)

    @property
    def participant(self) -> str:
        """Code of the participant; `*` for all participants of the bridge."""
        return str(self.attributes["participant"])

    @property
    def subject(self) -> str:
        """What the event is about. `sequence` orders the events of one subject."""
        return str(self.attributes["subject"])

    @property
    def sequence(self) -> str:
        """20 digits, compared as texts."""
        return str(self.attributes["sequence"])

    @property
    def channel(self) -> str | None:
        """Channel for which the event was signed; None for an event that was not on the bus."""
        return self.attributes.get("channel")

    @property
    def topic(self) -> str | None:
        """Topic for which the event was signed."""
        return self.attributes.get("topic")

    @property
    def signed_at(self) -> str | None:
        """When the bridge signed the event: RFC 3339, UTC with milliseconds."""
        return self.attributes.get("signedat")

    @property
    def time(self) -> datetime:
        """The time of the fact, cut to microseconds. Raises ValueError for a day that the calendar has not."""
        second, _, fraction = self.attributes["time"].removesuffix("+08:00").partition(".")
        return datetime.fromisoformat(f"{second}.{fraction[:6].ljust(6, '0')}+08:00")

    @property
    def is_backfilled(self) -> bool:
        """A backfill of a past range raised the event."""
        return self.attributes.get("backfilled") is True

    @property
    def is_local(self) -> bool:
        """The subscriber wrote the event, so it has no proof."""
        return self.attributes.get("local") is True

    @cached_property
    def data(self) -> Mapping[str, Any]:
        """The data of the fact. Amounts are `Decimal`; times are texts in the operator's market time."""
        schema = (read_schema(self.type) or {}).get("properties", {}).get("data", {})
        converted: Mapping[str, Any] = _convert(self.attributes["data"], schema)
        return converted


def _convert(value: Any, schema: Mapping[str, Any]) -> Any:
    """Makes a `Decimal` of every text that the schema describes as an amount."""
    if isinstance(value, dict):
        properties = schema.get("properties", {})
        return MappingProxyType({name: _convert(member, properties.get(name, {})) for name, member in value.items()})
    if isinstance(value, list):
        return tuple(_convert(item, schema.get("items", {})) for item in value)
    is_amount = isinstance(value, str) and schema.get("pattern", "").startswith(AMOUNT_PATTERN)
    return Decimal(value) if is_amount else value
