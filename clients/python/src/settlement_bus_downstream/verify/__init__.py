"""Verification of messages, events and webhooks."""
