"""The connection to a gateway, which is opened again until it is stopped."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.typing import Subprotocol

from .backoff import backoff_seconds
from .errors import ADVICE, GatewayRefusedError, SupersededError
from .frames import Frame, parse_frame
from .options import ConnectionOptions
from .reports import State

MAX_FRAME_BYTES = 64 * 1_048_576
OPEN_TIMEOUT_SECONDS = 10.0
CLOSE_TIMEOUT_SECONDS = 1.0
FIRST_DELAY_SECONDS = 0.2
STABLE_SECONDS = 5.0
CLOSE_SUPERSEDED = 4409
MAX_REFUSAL_BYTES = 1_024


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

        Raises GatewayRefusedError and SupersededError when another attempt would not help.
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
        try:
            password = options.read_password()
        except Exception as problem:
            return self._retry_later(f"the function of the password failed: {type(problem).__name__}")
        credentials = f"{options.user}:{password}".encode()
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
            error = _read_refusal(bytes(refused.response.body or b""))
            reason = f"the connection was refused with {status}{error and f': {error}'}"
            # The password may have been replaced after it was read.
            if status in ADVICE and (status != 401 or not self._may_have_replaced(password)):
                raise GatewayRefusedError(status, reason) from None
            return self._retry_later(reason)
        except Exception as error:
            return self._retry_later(str(error) or type(error).__name__)
        self._opened_at = time.monotonic()
        return State("connected")

    def _may_have_replaced(self, password: str) -> bool:
        """Whether the password was replaced, or may be once it can be read."""
        try:
            return self._options.read_password() != password
        except Exception:
            return True

    def _disconnected(self, closed: ConnectionClosed) -> State:
        self._connection = None
        received = closed.rcvd
        if received is not None and received.code == CLOSE_SUPERSEDED:
            raise SupersededError(self._options.client_id) from None
        if time.monotonic() - self._opened_at >= STABLE_SECONDS:
            self._failures = 0
        if received is None:
            return self._retry_later("the connection was lost")
        return self._retry_later(received.reason or f"closed with {received.code}")

    def _retry_later(self, reason: str) -> State:
        self._failures += 1
        delay = backoff_seconds(self._failures, base=FIRST_DELAY_SECONDS, maximum=self._options.max_delay)
        self._retry_at = time.monotonic() + delay
        return State("disconnected", reason, delay)


def _read_refusal(body: bytes) -> str:
    """Code and reason of the gateway's error. Other bodies are left out: they can contain anything."""
    try:
        error = json.loads(body[:MAX_REFUSAL_BYTES])["err"]
        return f"{error['code']}: {error['reason']}"
    except (ValueError, KeyError, TypeError):
        return ""
