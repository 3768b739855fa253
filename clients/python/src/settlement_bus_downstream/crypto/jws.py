"""Detached JWS (RFC 7515 appendix F) with ES256K (RFC 8812)."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from typing import Any, Literal

from .curve import COMPACT_BYTES, recover_address
from .did import parse_did

JwsFailure = Literal["malformed", "signature"]


def claimed_signer(jws: str) -> str | None:
    """The `kid` of the header, not yet verified."""
    kid = (_parse_header(jws.split(".")[0]) or {}).get("kid")
    return kid if isinstance(kid, str) else None


def verify_detached_jws(jws: str, payload: bytes, did: str) -> JwsFailure | None:
    """Checks that the DID's holder signed the payload. High s is refused, so an event has one proof."""
    parts = jws.split(".")
    expected = parse_did(did)
    if len(parts) != 3 or parts[1] != "" or expected is None:
        return "malformed"
    header = _parse_header(parts[0])
    compact = _decode(parts[2])
    if header is None or compact is None or len(compact) != COMPACT_BYTES:
        return "malformed"
    # RFC 7515 §4.1.11: an unknown critical extension must be refused, and none is supported.
    if header.get("alg") != "ES256K" or "crit" in header:
        return "malformed"
    digest = hashlib.sha256(f"{parts[0]}.{_encode(payload)}".encode("ascii")).digest()
    # A DID has an address and no public key, so both candidate keys are recovered.
    signers = (recover_address(digest, compact, recovery) for recovery in (0, 1))
    return None if expected[1] in signers else "signature"


def _parse_header(text: str) -> dict[str, Any] | None:
    decoded = _decode(text)
    try:
        header = None if decoded is None else json.loads(decoded.decode("utf-8"))
    except (ValueError, RecursionError):
        return None
    return header if isinstance(header, dict) else None


def _decode(text: str) -> bytes | None:
    """Strict base64url without padding (RFC 7515 §2); None for any other encoding of the same bytes."""
    try:
        decoded = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        return None
    return decoded if text and _encode(decoded) == text else None


def _encode(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode("ascii")
