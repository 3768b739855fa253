"""Verification of evidence files without any other source."""
