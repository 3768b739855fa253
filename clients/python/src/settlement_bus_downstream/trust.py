"""The gateways and bridges that the receiver trusts."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

from jsonschema import Draft7Validator
from jsonschema.exceptions import ValidationError

from .crypto.bus_signature import SignatureScheme
from .crypto.did import is_same_identity, parse_did
from .definitions import read_trust_schema
from .times import is_utc, parse_utc
from .verify.schema import missing_members

ALL_PARTICIPANTS = "*"
BRIDGE_TYPES = "settlementbus.bridge."
ALERT_CLEARED = "settlementbus.bridge.alert.cleared.v1"
# How far the clocks of bridges, subscribers and databases may differ.
TOLERANCE_MS = 60_000


class InvalidTrustError(ValueError):
    """The content is not that of a trust file. The message names the place and what is allowed."""

    def __init__(self, path: str, problem: str) -> None:
        self.path = path
        super().__init__(f"{path} of the trust file {problem}" if path else f"the trust file {problem}")


@dataclass(frozen=True, slots=True)
class TrustEntry:
    """A gateway or bridge, and when it was trusted: times in RFC 3339, UTC."""

    did: str
    trusted_from: str | None = None
    trusted_until: str | None = None
    revoked_since: str | None = None

    @property
    def is_trusted(self) -> bool:
        """Neither retired nor revoked."""
        return self.trusted_until is None and self.revoked_since is None

    def covers(self, at: int) -> bool:
        """Whether it was trusted at a time: milliseconds since 1970."""
        has_begun = self.trusted_from is None or at >= parse_utc(self.trusted_from) - TOLERANCE_MS
        return has_begun and (self.trusted_until is None or at <= parse_utc(self.trusted_until) + TOLERANCE_MS)


@dataclass(frozen=True, slots=True)
class OriginTrustEntry(TrustEntry):
    """A bridge that may sign events about these participants."""

    participants: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TrustedSenders:
    """The senders that are trusted on one channel now."""

    gateways: tuple[str, ...] = ()
    origins: tuple[OriginTrustEntry, ...] = ()
    participants: frozenset[str] = frozenset()
    """Those that the file names at that time, on any channel. The alerts about others may end."""

    def may_announce(self, origin: str, event_type: str, participant: str) -> bool:
        """Whether an origin may announce an event about a participant.

        `*` stands only in events about the bridge itself, which every trusted origin may announce.
        """
        own = [entry for entry in self.origins if is_same_identity(entry.did, origin)]
        if participant == ALL_PARTICIPANTS:
            return bool(own) and event_type.startswith(BRIDGE_TYPES)
        if event_type == ALERT_CLEARED and participant not in self.participants:
            # It only ends an alert about a former participant.
            return bool(own)
        return any(participant in entry.participants for entry in own)


@dataclass(frozen=True, slots=True)
class ChannelTrust:
    """Every entry of a channel, with those that were retired or revoked."""

    gateways: tuple[TrustEntry, ...] = ()
    origins: tuple[OriginTrustEntry, ...] = ()

    def trusted_now(self, participants: frozenset[str]) -> TrustedSenders:
        """Without the entries that were retired or revoked."""
        return TrustedSenders(
            gateways=tuple(entry.did for entry in self.gateways if entry.is_trusted),
            origins=tuple(entry for entry in self.origins if entry.is_trusted),
            participants=participants,
        )

    def retired_after(self, at: int) -> tuple[OriginTrustEntry, ...]:
        """The bridges that were trusted at a time and retired later, without those that were revoked.

        `at` is in milliseconds since 1970.
        """
        revoked = [entry.did for entry in self.origins if entry.revoked_since is not None]
        return tuple(
            entry
            for entry in self.origins
            if entry.trusted_until is not None
            and entry.covers(at)
            and not any(is_same_identity(did, entry.did) for did in revoked)
        )


class Trust:
    """The gateways and bridges of each channel. There is no default: whoever receives events decides."""

    def __init__(self, signature_scheme: SignatureScheme, channels: dict[str, ChannelTrust]) -> None:
        self.signature_scheme = signature_scheme
        self.channels = channels
        origins = (origin for channel in channels.values() for origin in channel.origins if origin.is_trusted)
        self._participants = frozenset(code for origin in origins for code in origin.participants)
        self._senders = {fqcn: channel.trusted_now(self._participants) for fqcn, channel in channels.items()}

    @classmethod
    def from_file(cls, path: str | Path) -> Trust:
        """Reads a trust file, as `busbridge trust export` writes it. Raises InvalidTrustError."""
        try:
            value = json.loads(Path(path).read_text("utf-8"))
        except (ValueError, RecursionError):
            raise InvalidTrustError("", "is not JSON") from None
        return cls.from_json(value)

    @classmethod
    def from_json(cls, value: Any) -> Trust:
        """Reads the parsed content of a trust file. Raises InvalidTrustError."""
        problem = next(Draft7Validator(read_trust_schema()).iter_errors(value), None)
        if problem is not None:
            raise _describe(problem)
        channels: dict[str, ChannelTrust] = {}
        for fqcn, channel in value["channels"].items():
            path = f"/channels/{_escape(fqcn)}"
            for kind in ("gateways", "origins"):
                for index, entry in enumerate(channel[kind]):
                    _check_entry(f"{path}/{kind}/{index}", entry)
            channels[fqcn] = ChannelTrust(
                gateways=tuple(TrustEntry(**_entry(entry)) for entry in channel["gateways"]),
                origins=tuple(
                    OriginTrustEntry(**_entry(entry), participants=tuple(entry["participants"]))
                    for entry in channel["origins"]
                ),
            )
        return cls(cast(SignatureScheme, value["signatureScheme"]), channels)

    def senders_of(self, fqcn: str) -> TrustedSenders:
        """The senders that are trusted on a channel now. None for an unknown channel."""
        return self._senders.get(fqcn, TrustedSenders())

    def senders_at(self, fqcn: str, at: int | None) -> TrustedSenders:
        """As `senders_of`, together with the bridges that were retired only after a time: milliseconds since 1970."""
        senders = self.senders_of(fqcn)
        retired = () if at is None else self.entries_of(fqcn).retired_after(at)
        return replace(senders, origins=senders.origins + retired)

    def participants_at(self, at: int) -> frozenset[str]:
        """The participants that the entries of any channel named at a time: milliseconds since 1970."""
        origins = (origin for channel in self.channels.values() for origin in channel.origins if origin.covers(at))
        return frozenset(code for origin in origins for code in origin.participants)

    def entries_of(self, fqcn: str) -> ChannelTrust:
        """Every entry of a channel, with those that were retired or revoked."""
        return self.channels.get(fqcn, ChannelTrust())


def _entry(entry: dict[str, Any]) -> dict[str, Any]:
    return {
        "did": entry["did"],
        "trusted_from": entry.get("from"),
        "trusted_until": entry.get("until"),
        "revoked_since": entry.get("revoked"),
    }


def _check_entry(path: str, entry: dict[str, Any]) -> None:
    """Checks what the schema cannot express."""
    if parse_did(entry["did"]) is None:
        raise InvalidTrustError(
            f"{path}/did",
            "is not a DID of the form did:<method>:0x<40 hexadecimal digits>, or has a wrong checksum (EIP-55)",
        )
    for name in ("from", "until", "revoked"):
        if name in entry and not is_utc(entry[name]):
            raise InvalidTrustError(f"{path}/{name}", "is not a valid time")
    if "from" in entry and "until" in entry and parse_utc(entry["until"]) < parse_utc(entry["from"]):
        raise InvalidTrustError(f"{path}/until", "is before from; it must be at or after it")


def _describe(problem: ValidationError) -> InvalidTrustError:
    path = "".join(f"/{_escape(str(name))}" for name in problem.absolute_path)
    schema = problem.schema if isinstance(problem.schema, dict) else {}
    if problem.validator == "required":
        return InvalidTrustError(path, f"lacks {', '.join(missing_members(problem))}")
    if problem.validator == "additionalProperties":
        allowed = list(schema.get("properties", {}))
        unknown = [json.dumps(name) for name in cast(Any, problem.instance) if name not in allowed]
        return InvalidTrustError(path, f"has the unknown member {unknown[0]}; allowed are {', '.join(allowed)}")
    if problem.validator in ("const", "enum"):
        values: Any = problem.validator_value if problem.validator == "enum" else [problem.validator_value]
        return InvalidTrustError(path, f"must be {' or '.join(map(str, values))}")
    rule = f"must match {problem.validator} {json.dumps(problem.validator_value)}"
    description = schema.get("description")
    return InvalidTrustError(path, rule if description is None else f"is wrong: {rule}. {description}")


def _escape(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")
