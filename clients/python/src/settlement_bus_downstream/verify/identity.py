"""Id, source and subject of an event, computed from its participant and data."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any
from urllib.parse import quote

from ..definitions import read_identities

PART = re.compile(
    r"\{(?P<path>[A-Za-z0-9.]+)(?::(?P<filter>[a-z]+))?\}|\[(?P<optional>[^\[\]]+)\]|(?P<text>[^{}\[\]]+)"
)
# Characters that encodeURIComponent leaves as they are.
UNRESERVED = "!'()*-._~"


def find_foreign_attribute(event: Mapping[str, Any]) -> str | None:
    """The first attribute that belongs to another fact; None when id, source and subject are those of the data."""
    templates = read_identities()[event["type"]]
    members = {**event["data"], "participant": event["participant"], "sequence": int(event["sequence"])}
    key, version, subject = (fill_template(templates[name], members) for name in ("key", "version", "subject"))
    expected = {
        "id": event_id(event["type"], event["participant"], key, version),
        "source": f"urn:settlement-bus-bridge:{quote(event['participant'], safe=UNRESERVED)}",
        "subject": subject,
    }
    return next((name for name, value in expected.items() if event[name] != value), None)


def event_id(event_type: str, participant: str, key: str, version: str) -> str:
    """SHA-256 of the parts, each after its length in bytes, as a UUID in the form of version 4 (RFC 9562 §5.4)."""
    digest = hashlib.sha256()
    for part in (event_type, participant, key, version):
        content = part.encode("utf-8")
        digest.update(f"{len(content)}:".encode("ascii") + content)
    octets = bytearray(digest.digest()[:16])
    octets[6] = octets[6] & 0x0F | 0x40
    octets[8] = octets[8] & 0x3F | 0x80
    text = octets.hex()
    return "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:]))


def fill_template(template: str, members: Mapping[str, Any]) -> str:
    """Fills a template of `identities.json`. Raises KeyError when a member outside brackets is absent."""
    filled = _fill(template, members)
    if filled is None:
        raise KeyError(f"a member of the template {template} is absent")
    return filled


def _fill(template: str, members: Mapping[str, Any]) -> str | None:
    """None when a member outside brackets is absent."""
    filled = ""
    for part in _parse(template):
        if part["text"] is not None:
            filled += part["text"]
        elif part["optional"] is not None:
            filled += _fill(part["optional"], members) or ""
        else:
            value = _fill_member(part["path"] or "", part["filter"], members)
            if value is None:
                return None
            filled += value
    return filled


@cache
def _parse(template: str) -> tuple[Mapping[str, str | None], ...]:
    parts = tuple(PART.finditer(template))
    if "".join(part[0] for part in parts) != template:
        raise ValueError(f"the template {template} is malformed")
    return tuple(part.groupdict() for part in parts)


def _fill_member(path: str, name: str | None, members: Mapping[str, Any]) -> str | None:
    value: Any = members
    for step in path.split("."):
        value = value.get(step) if isinstance(value, Mapping) else None
    if value is None:
        return "0" if name == "count" else None
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return text if name is None else FILTERS[name](text, path.rsplit(".", 1)[-1])


def _milliseconds(time: str) -> str:
    second, _, fraction = time.partition(".")
    return f"{second}.{fraction[:3].ljust(3, '0')}"


def _amount(amount: str) -> str:
    return amount.rstrip("0").rstrip(".") if "." in amount else amount


FILTERS: Mapping[str, Callable[[str, str], str]] = {
    "day": lambda text, name: text[:10],
    "milliseconds": lambda text, name: _milliseconds(text),
    "amount": lambda text, name: _amount(text),
    "calculation": lambda text, name: "forecast" if text == "true" else "actual",
    "count": lambda text, name: text,
    "name": lambda text, name: name,
}
