"""The connection to a gateway, which is opened again until it is stopped."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.typing import Subprotocol

from .backoff import backoff_seconds
from .frames import Frame, parse_frame
from .options import ConnectionOptions

MAX_FRAME_BYTES = 64 * 1_048_576
OPEN_TIMEOUT_SECONDS = 10.0
CLOSE_TIMEOUT_SECONDS = 1.0
FIRST_DELAY_SECONDS = 0.2
STABLE_SECONDS = 5.0
CLOSE_SUPERSEDED = 4409
FAILURES_WHEN_SUPERSEDED = 6
MAX_REFUSAL_BYTES = 1_024
# A gateway refuses these whenever they are repeated.
FINAL_STATUSES = {
    400: "check client_id, channels, window and from_",
    401: "check user and password",
    403: "give the user the right messages in the gateway's USERS_FILE, and check its roles at the broker",
    404: "check that url is the address of a gateway",
}


class GatewayRefusedError(RuntimeError):
    """The gateway refuses the connection, and will refuse it again."""

    def __init__(self, status: int, reason: str) -> None:
        self.status = status
        described = f": {reason}" if reason else ""
        super().__init__(f"the gateway refused the connection with {status}{described}; {FINAL_STATUSES[status]}")


@dataclass(frozen=True, slots=True)
class State:
    """State of the connection. `reason` is a text for a log and contains no payload and no secret."""

    name: Literal["connected", "disconnected", "stopped"]
    reason: str = ""
    retry_in: float = 0.0
    """Seconds until the next attempt."""
    is_superseded: bool = False
    """Another connection with the same client id replaced this one."""


@dataclass(frozen=True, slots=True)
class ReceivedFrame:
    """A frame and its connection, on which its messages are acknowledged."""

    frame: Frame
    connection: ClientConnection


class Stream:
    """Receives frames. Every method runs in one event loop."""

    def __init__(self, options: ConnectionOptions) -> None:
        self._options = options
        self._connection: ClientConnection | None = None
        self._opened_at = 0.0
        self._failures = 0
        self._retry_at = 0.0

    async def receive(self) -> ReceivedFrame | State:
        """The next frame, or a change of the connection's state. Connects first where that is needed.

        Raises GatewayRefusedError when another attempt would be refused too.
        """
        if self._connection is None:
            await asyncio.sleep(max(0.0, self._retry_at - time.monotonic()))
            return await self._connect()
        try:
            text = await self._connection.recv()
        except ConnectionClosed as closed:
            return self._disconnected(closed)
        return ReceivedFrame(parse_frame(text), self._connection)

    async def acknowledge(self, connection: ClientConnection, ids: Iterable[str]) -> None:
        """Acknowledges messages of a connection. An ended connection acknowledges nothing, so they come again."""
        listed = list(ids)
        if self._options.delivery != "acknowledged" or connection is not self._connection or not listed:
            return
        with contextlib.suppress(ConnectionClosed):
            await connection.send(json.dumps({"ack": listed}))

    async def close(self) -> None:
        """Closes the connection, within two seconds."""
        connection, self._connection = self._connection, None
        if connection is not None:
            await connection.close()

    async def _connect(self) -> State:
        options = self._options
        credentials = f"{options.user}:{options.read_password()}".encode()
        is_encrypted = options.address.startswith("wss:")
        tls: dict[str, Any] = {"ssl": options.ssl} if options.ssl is not None and is_encrypted else {}
        try:
            self._connection = await connect(
                options.address,
                subprotocols=[Subprotocol(options.protocol)],
                additional_headers={"authorization": f"Basic {base64.b64encode(credentials).decode()}"},
                user_agent_header=None,
                open_timeout=OPEN_TIMEOUT_SECONDS,
                close_timeout=CLOSE_TIMEOUT_SECONDS,
                ping_interval=options.liveness,
                ping_timeout=options.liveness,
                max_size=MAX_FRAME_BYTES,
                # A full queue would leave pings without a response while a handler runs.
                max_queue=options.window + 16,
                **tls,
            )
        except InvalidStatus as refused:
            status = refused.response.status_code
            reason = _read_refusal(bytes(refused.response.body or b""))
            if status in FINAL_STATUSES:
                raise GatewayRefusedError(status, reason) from None
            return self._retry_later(f"the connection was refused with {status}{reason and f': {reason}'}")
        except (OSError, TimeoutError, asyncio.TimeoutError, ValueError, EOFError) as error:
            return self._retry_later(str(error) or type(error).__name__)
        except Exception as error:
            return self._retry_later(str(error) or type(error).__name__)
        self._opened_at = time.monotonic()
        return State("connected")

    def _disconnected(self, closed: ConnectionClosed) -> State:
        self._connection = None
        received = closed.rcvd
        is_superseded = received is not None and received.code == CLOSE_SUPERSEDED
        if is_superseded:
            # Two consumers that replace each other would otherwise reconnect without a pause.
            self._failures = max(self._failures, FAILURES_WHEN_SUPERSEDED)
        elif time.monotonic() - self._opened_at >= STABLE_SECONDS:
            self._failures = 0
        reason = "the connection was lost" if received is None else received.reason or f"closed with {received.code}"
        if is_superseded:
            reason = f"another connection with the client id {self._options.client_id} replaced this one"
        return self._retry_later(reason, is_superseded=is_superseded)

    def _retry_later(self, reason: str, *, is_superseded: bool = False) -> State:
        self._failures += 1
        delay = backoff_seconds(self._failures, base=FIRST_DELAY_SECONDS, maximum=self._options.max_delay)
        self._retry_at = time.monotonic() + delay
        return State("disconnected", reason, delay, is_superseded)


def _read_refusal(body: bytes) -> str:
    """Code and reason of the gateway's error. Other bodies are left out: they can contain anything."""
    try:
        error = json.loads(body[:MAX_REFUSAL_BYTES])["err"]
        return f"{error['code']}: {error['reason']}"
    except (ValueError, KeyError, TypeError):
        return ""
