"""Consumers of the events of a gateway."""
