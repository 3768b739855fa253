"""Frames of the gateway's WebSocket (`ws.yaml`)."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from ..message import MalformedMessageError, Message
from .reports import Fault, Gap


@dataclass(frozen=True, slots=True)
class MessagesFrame:
    """Messages in the order of their channel, and the ids of malformed ones, which are left out."""

    messages: tuple[Message, ...]
    faults: tuple[Fault, ...] = ()
    malformed_ids: tuple[str, ...] = ()


Frame = MessagesFrame | Gap | Fault


def parse_frame(text: str | bytes) -> Frame:
    """Reads one frame. A frame that is not JSON is a fault."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return Fault("a frame is not JSON")
    if isinstance(value, dict) and "err" in value:
        return _read_error(value["err"])
    if isinstance(value, dict) and isinstance(value.get("gap"), dict):
        gap = value["gap"]
        return Gap(str(gap.get("fqcn")), str(gap.get("after")), str(gap.get("upTo")))
    return _read_messages(value if isinstance(value, list) else [value])


def _read_messages(values: list[Any]) -> MessagesFrame:
    messages: list[Message] = []
    faults: list[Fault] = []
    malformed_ids: list[str] = []
    for value in values:
        try:
            messages.append(Message.from_json(value))
        except MalformedMessageError as error:
            faults.append(Fault(str(error)))
            if isinstance(value, dict) and isinstance(value.get("id"), str):
                malformed_ids.append(value["id"])
    return MessagesFrame(tuple(messages), tuple(faults), tuple(malformed_ids))


def _read_error(error: Any) -> Fault:
    """Gateways send an object with code and reason, or a text."""
    if not isinstance(error, dict):
        return Fault(str(error))
    reason = error.get("reason")
    return Fault(reason if isinstance(reason, str) else json.dumps(reason), str(error.get("code", "")))
