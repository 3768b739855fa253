"""Frames of the gateway's WebSocket (`ws.yaml`)."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from ..message import MalformedMessageError, Message


@dataclass(frozen=True, slots=True)
class Gap:
    """Messages of a channel were removed before this consumer received them."""

    fqcn: str
    after: str
    """Id of the last message before the gap."""
    up_to: str
    """Id of the last message in it."""


@dataclass(frozen=True, slots=True)
class GatewayFault:
    """An error that the gateway reported, or a frame that is not readable. The connection stays open."""

    reason: str
    code: str = ""


@dataclass(frozen=True, slots=True)
class MessagesFrame:
    """Messages in the order of their channel, and the ids of malformed ones, which are left out."""

    messages: tuple[Message, ...]
    faults: tuple[GatewayFault, ...] = ()
    malformed_ids: tuple[str, ...] = ()


Frame = MessagesFrame | Gap | GatewayFault


def parse_frame(text: str | bytes) -> Frame:
    """Reads one frame. A frame that is not JSON is a fault."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return GatewayFault("a frame is not JSON")
    if isinstance(value, dict) and "err" in value:
        return _read_error(value["err"])
    if isinstance(value, dict) and isinstance(value.get("gap"), dict):
        gap = value["gap"]
        return Gap(str(gap.get("fqcn")), str(gap.get("after")), str(gap.get("upTo")))
    return _read_messages(value if isinstance(value, list) else [value])


def _read_messages(values: list[Any]) -> MessagesFrame:
    messages: list[Message] = []
    faults: list[GatewayFault] = []
    malformed_ids: list[str] = []
    for value in values:
        try:
            messages.append(Message.from_json(value))
        except MalformedMessageError as error:
            faults.append(GatewayFault(str(error)))
            if isinstance(value, dict) and isinstance(value.get("id"), str):
                malformed_ids.append(value["id"])
    return MessagesFrame(tuple(messages), tuple(faults), tuple(malformed_ids))


def _read_error(error: Any) -> GatewayFault:
    """Gateways send an object with code and reason, or a text."""
    if not isinstance(error, dict):
        return GatewayFault(str(error))
    reason = error.get("reason")
    return GatewayFault(reason if isinstance(reason, str) else json.dumps(reason), str(error.get("code", "")))
