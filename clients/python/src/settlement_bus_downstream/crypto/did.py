"""DIDs of the form `did:<method>:<address>`; a network may precede the address."""

from __future__ import annotations

import re

from .curve import with_checksum

MAX_DID_LENGTH = 255
DID = re.compile(r"did:([a-z0-9]{1,32}):(?:[A-Za-z0-9._-]+:)*0x([0-9a-fA-F]{40})")


def parse_did(text: str) -> tuple[str, str] | None:
    """Method and address; None when the text is not a DID. A mixed-case address must have the right checksum."""
    match = DID.fullmatch(text) if len(text) <= MAX_DID_LENGTH else None
    if match is None:
        return None
    method, digits = match.groups()
    address = with_checksum(digits)
    is_mixed_case = digits not in (digits.lower(), digits.upper())
    return None if is_mixed_case and address != f"0x{digits}" else (method, address)


def is_same_identity(one: str, other: str) -> bool:
    """Whether two DIDs have the same method and address (DID Core §3.1). Network and checksum do not count."""
    parts = parse_did(one)
    return parts is not None and parts == parse_did(other)


def did_has_address(did: str, address: str) -> bool:
    """Whether a DID of any method has this address."""
    parts = parse_did(did)
    return parts is not None and parts[1] == address
