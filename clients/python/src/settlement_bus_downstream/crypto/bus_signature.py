"""The gateway's signature of a bus message."""

from __future__ import annotations

import re
from typing import Literal

from .curve import keccak_256, recover_address

SignatureScheme = Literal["eip191", "keccak256"]
"""`eip191`: personal_sign of the payload's UTF-8 bytes. `keccak256`: of their hash, as newer gateways do."""

SIGNATURE_SCHEMES: tuple[SignatureScheme, ...] = ("eip191", "keccak256")
SIGNATURE = re.compile(r"0x[0-9a-fA-F]{130}")
FIRST_V = 27


def has_signature_form(signature: str) -> bool:
    """Whether it is 65 bytes as `0x` and hexadecimal digits, with v 0, 1, 27 or 28."""
    return SIGNATURE.fullmatch(signature) is not None and _recovery_of(bytes.fromhex(signature[2:])) in (0, 1)


def recover_signer(payload: str, signature: str, scheme: SignatureScheme) -> str | None:
    """The address that signed the payload. None when the signature is malformed or recovers no signer."""
    if not has_signature_form(signature):
        return None
    raw = bytes.fromhex(signature[2:])
    try:
        content = payload.encode("utf-8")
    except UnicodeEncodeError:  # A lone surrogate has no UTF-8 form (RFC 3629 §3).
        return None
    prefix = f"\x19Ethereum Signed Message:\n{len(content)}".encode("latin-1") if scheme == "eip191" else b""
    return recover_address(keccak_256(prefix + content), raw[:64], _recovery_of(raw))


def _recovery_of(raw: bytes) -> int:
    return raw[64] - FIRST_V if raw[64] >= FIRST_V else raw[64]
