"""The signature of a webhook (Standard Webhooks, "Signature scheme")."""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
from collections.abc import Sequence

from .payload import encode_utf8

# Complete base64 with padding, as the settings of the bridge require it.
SECRET = re.compile(r"(?:whsec_)?((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)")
VERSION = "v1,"


def is_signed(content: bytes, signatures: str, keys: Sequence[bytes]) -> bool:
    """Whether one of the signatures was made with one of the keys."""
    expected = [base64.b64encode(hmac.new(key, content, hashlib.sha256).digest()) for key in keys]
    given = [encode_utf8(text[len(VERSION) :]) for text in signatures.split(" ") if text.startswith(VERSION)]
    return any(hmac.compare_digest(one, other) for one in given for other in expected)


def decode_secret(secret: str) -> bytes:
    """The key of a secret `whsec_<base64>`. Raises ValueError, because a wrong secret is a wrong setting."""
    match = SECRET.fullmatch(secret)
    if match is None or not match[1]:
        raise ValueError("the webhook secret must be whsec_ and base64, as the settings of the sink have it")
    return base64.b64decode(match[1])
