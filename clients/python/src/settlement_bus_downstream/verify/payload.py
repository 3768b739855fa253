"""Payloads as JSON objects, read as `JSON.parse` reads them, and their canonical form (RFC 8785)."""

from __future__ import annotations

import json
import math
import re
from typing import Any, NoReturn

import rfc8785

# Events of the catalogue have at most six levels.
MAX_DEPTH = 32
# Above it a double has not every whole number (RFC 7493 §2.2).
MAX_SAFE_INTEGER = 2**53 - 1
MAX_SAFE_DIGITS = 17
LONE_SURROGATE = re.compile("[\ud800-\udfff]")


class PayloadError(ValueError):
    """The payload is not one JSON object with unique names. The message does not quote it."""


def parse_payload(text: str) -> dict[str, Any]:
    """Parses a payload as one JSON object with unique names, whatever its members.

    Raises PayloadError for anything else.
    """
    repeats: list[str] = []

    def to_object(members: list[tuple[str, Any]]) -> dict[str, Any]:
        value = dict(members)
        if len(value) != len(members):
            repeats.append("")
        return value

    try:
        value = json.loads(
            text,
            object_pairs_hook=to_object,
            parse_int=_to_number,
            parse_float=_to_number,
            parse_constant=_refuse_constant,
        )
    except RecursionError:
        raise PayloadError("the payload is nested too deeply") from None
    except ValueError:
        raise PayloadError("the payload is not JSON") from None
    if not isinstance(value, dict):
        raise PayloadError("the payload is not a JSON object")
    if _is_deeper_than(value, MAX_DEPTH):
        raise PayloadError("the payload is nested too deeply")
    if repeats:
        raise PayloadError("the payload has a duplicate name")
    return value


def encode_utf8(text: str) -> bytes:
    """The bytes of a text. A lone surrogate becomes U+FFFD, as in the Encoding Standard."""
    return LONE_SURROGATE.sub("\ufffd", text).encode("utf-8")


def canonical_json(value: object) -> bytes | None:
    """The canonical form; None for infinity and for lone surrogates, which have none."""
    try:
        return rfc8785.dumps(value)  # type: ignore[arg-type]
    except (rfc8785.CanonicalizationError, UnicodeEncodeError):
        return None


def _to_number(text: str) -> int | float:
    """Every number of JavaScript is a double. Whole ones become `int`, as they are written by both."""
    if len(text) <= MAX_SAFE_DIGITS and text.lstrip("-").isdigit():
        whole = int(text)
        if abs(whole) <= MAX_SAFE_INTEGER:
            return whole
    number = float(text)
    if math.isfinite(number) and number.is_integer() and abs(number) <= MAX_SAFE_INTEGER:
        return int(number)
    return number


def _refuse_constant(text: str) -> NoReturn:
    raise ValueError("NaN and Infinity are not JSON")


def _is_deeper_than(value: object, levels: int) -> bool:
    members = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    nested = [member for member in members if isinstance(member, dict | list)]
    return levels == 0 or any(_is_deeper_than(member, levels - 1) for member in nested)
