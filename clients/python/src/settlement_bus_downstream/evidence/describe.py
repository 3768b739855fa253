"""Sentences for people about evidence, and the times that it claims."""

from __future__ import annotations

from typing import Any

from ..times import format_utc
from .result import ClaimedTime, EvidenceKey

NOT_PROVED = (
    "When it was signed: bridge, bus and subscriber claim the times.",
    "That the fact is true: the bridge says what it read at the operator.",
    "Id and time of the message on the bus, marks, problems, deliveries, attempts and the trusted senders in the file: "
    "records of the subscriber, which nobody signed.",
)
NOT_PROVED_UNSIGNED = (
    "Everything in the file: it is a record of the subscriber, which nobody signed.",
    "That the file has not changed since it was exported: who changes it can change its digest too.",
)


def list_times(file: dict[str, Any]) -> tuple[ClaimedTime, ...]:
    """The times of signed evidence, none of which a signature proves."""
    event = file["event"]
    return (
        ClaimedTime("fact", event["time"], "bridge"),
        ClaimedTime("detected", event["detectedat"], "bridge"),
        ClaimedTime("signed", event["signedat"], "bridge"),
        ClaimedTime("stored", format_utc(int(file["message"]["timestampNanos"]) // 1_000_000), "bus"),
        archived_time(file),
    )


def archived_time(file: dict[str, Any]) -> ClaimedTime:
    """The only time of unsigned evidence."""
    return ClaimedTime("archived", file["archived"]["at"], "subscriber")


def list_proved(gateway: EvidenceKey, origin: EvidenceKey, channel: str) -> tuple[str, ...]:
    """What the signatures prove, and the trust file."""
    proved = (
        f"The holder of the key of {origin.did} signed the event: every member, its data, channel and topic.",
        f"The holder of the key of {gateway.did} signed the payload of the message, byte for byte.",
        "Id, subject and source belong to the participant and the data of the event, and it has the form of its type.",
    )
    if any(key.state in ("not-trusted", "not-checked") for key in (gateway, origin)):
        return proved
    return (*proved, f"The trust file names both keys on {channel} for the time at which the event was archived.")


def list_notes(gateway: EvidenceKey, origin: EvidenceKey) -> tuple[str, ...]:
    """What follows from keys of the past."""
    return (*_note("gateway", gateway), *_note("bridge", origin))


def _note(signer: str, key: EvidenceKey) -> tuple[str, ...]:
    if key.state == "retired":
        return (
            f"The key of the {signer} {key.did} was retired at {key.since}. Who has kept it can still sign, with times "
            "before that. Compare with another record when that matters.",
        )
    if key.state == "revoked":
        return (
            f"The key of the {signer} {key.did} is revoked: it may be in other hands since {key.since}. The times of "
            f"the evidence are before that, but they are only claimed. Compare with a record from before {key.since}.",
        )
    return ()
