"""Addresses, DIDs and signatures of secp256k1."""
