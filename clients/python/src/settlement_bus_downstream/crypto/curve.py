"""Recovery of signers (secp256k1) and hashes."""

from __future__ import annotations

from coincurve import PublicKey
from Crypto.Hash import keccak

# Half of the curve's order (SEC 2 §2.4.1), the highest low s (BIP-62 rule 5).
HALF_ORDER = 0x7FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF5D576E7357A4501DDFE92F46681B20A0
COMPACT_BYTES = 64


def keccak_256(data: bytes) -> bytes:
    """The hash of Ethereum, with the padding of the original submission."""
    return keccak.new(digest_bits=256, data=data).digest()


def recover_address(digest: bytes, compact: bytes, recovery: int) -> str | None:
    """The address of the signer, or None for an invalid or high-s signature."""
    if len(compact) != COMPACT_BYTES or int.from_bytes(compact[32:], "big") > HALF_ORDER:
        return None
    try:
        key = PublicKey.from_signature_and_message(compact + bytes([recovery]), digest, hasher=None)
    except Exception:
        return None
    return address_of(key.format(compressed=False))


def address_of(public_key: bytes) -> str:
    """The address of an uncompressed public key of 65 bytes, with its checksum."""
    return with_checksum(keccak_256(public_key[1:])[12:].hex())


def with_checksum(digits: str) -> str:
    """Writes 40 hexadecimal digits as an address with its checksum (EIP-55)."""
    lower = digits.lower()
    nibbles = keccak_256(lower.encode("ascii")).hex()
    return "0x" + "".join(
        digit.upper() if int(nibble, 16) >= 8 else digit for digit, nibble in zip(lower, nibbles, strict=False)
    )
