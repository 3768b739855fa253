"""Options of a consumer."""

from __future__ import annotations

import ssl as tls
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from ipaddress import ip_address
from typing import Literal
from urllib.parse import urlencode, urlsplit, urlunsplit

from .errors import InvalidOptionError

Start = Literal["oldest", "now"] | datetime
DeliveryMode = Literal["acknowledged", "plain"]

EVENTS_PATH = "/events"
SCHEMES = {"http": "ws", "https": "wss", "ws": "ws", "wss": "wss"}
MAX_WINDOW = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectionOptions:
    """How to connect to a gateway, and which messages it delivers."""

    url: str
    """Address of the gateway, http(s) or ws(s), without `/events`."""
    user: str
    password: str | Callable[[], str]
    """A function returns the password of each connection, so that it can be replaced."""
    client_id: str | None = None
    """Name under which the gateway keeps the offset of each channel. Each consumer needs its own."""
    delivery: DeliveryMode = "acknowledged"
    """`plain` sends each message once, without a client id: what is sent during an interruption is lost."""
    from_: Start = "oldest"
    """Where a client id begins that the bus does not know. A known one continues."""
    channels: Sequence[str] = ()
    """Channels to receive: fully qualified names."""
    window: int = 100
    """Maximum number of messages that are not acknowledged."""
    protocol: str = "dsb-messages"
    """Sub-protocol, as in the gateway's setting `EVENTS_PROTOCOL`."""
    ssl: tls.SSLContext | None = None
    """Trusted certificates, and the client's own one; by default those of the system."""
    max_delay: float = 30.0
    """Maximum delay between connection attempts, seconds."""
    liveness: float = 15.0
    """Interval of pings, seconds; the consumer reconnects after two intervals without a response."""

    def __post_init__(self) -> None:
        """Raises InvalidOptionError for a value that cannot work."""
        if not _is_safe_address(self.url):
            rule = "takes the address of the gateway with https://, or with http:// on this machine, without a query"
            raise InvalidOptionError("url", rule)
        if self.delivery not in ("acknowledged", "plain"):
            raise InvalidOptionError("delivery", "takes acknowledged or plain")
        if self.delivery == "acknowledged" and not self.client_id:
            raise InvalidOptionError("client_id", "takes a name of this consumer, such as treasury-1")
        if self.delivery == "plain" and self.from_ != "oldest":
            raise InvalidOptionError("from_", "needs acknowledged delivery: plain delivery begins now")
        if isinstance(self.from_, datetime) and self.from_.tzinfo is None:
            raise InvalidOptionError("from_", "takes a datetime with a time zone")
        if not isinstance(self.from_, datetime) and self.from_ not in ("oldest", "now"):
            raise InvalidOptionError("from_", "takes oldest, now or a datetime")
        if not 1 <= self.window <= MAX_WINDOW:
            raise InvalidOptionError("window", f"takes a whole number from 1 to {MAX_WINDOW}")

    @property
    def address(self) -> str:
        """Address of the WebSocket with its query."""
        scheme, host, path, *_ = urlsplit(self.url)
        query = urlencode(self._query()) if self.delivery == "acknowledged" else ""
        return urlunsplit((SCHEMES[scheme], host, path.rstrip("/") + EVENTS_PATH, query, ""))

    def read_password(self) -> str:
        """The password of the next connection."""
        return self.password() if callable(self.password) else self.password

    def _query(self) -> list[tuple[str, str]]:
        query = [
            ("clientId", self.client_id or ""),
            ("ack", "explicit"),
            ("window", str(self.window)),
            ("gaps", "report"),
        ]
        if isinstance(self.from_, datetime):
            start = self.from_.astimezone(timezone.utc).isoformat(timespec="milliseconds")
            query.append(("from", start.replace("+00:00", "Z")))
        else:
            query.append(("from", self.from_))
        return query + [("fqcn", channel) for channel in self.channels]


def _is_safe_address(url: str) -> bool:
    """Passwords are sent unencrypted only to this machine."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    if parts.scheme not in SCHEMES or not host or parts.query or parts.fragment or "@" in parts.netloc:
        return False
    return SCHEMES[parts.scheme] == "wss" or host == "localhost" or _is_loopback(host)


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
