"""Signed messages of the examples, and a small gateway."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import rfc8785
from coincurve import PrivateKey
from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.http11 import Request, Response
from websockets.typing import Subprotocol

from settlement_bus_downstream import Message, Trust
from settlement_bus_downstream.crypto.curve import address_of, keccak_256

REPOSITORY = Path(__file__).parents[3]
EXAMPLES = REPOSITORY / "libs/events/examples"
CHANNEL = "prudential.channels.bridge.apps.participant.iam.market"

# Keys of tests only.
GATEWAY = PrivateKey(hashlib.sha256(b"test gateway").digest())
BRIDGE = PrivateKey(hashlib.sha256(b"test bridge").digest())
STRANGER = PrivateKey(hashlib.sha256(b"stranger").digest())

Value = TypeVar("Value")


def did_of(key: PrivateKey) -> str:
    return f"did:ethr:{address_of(key.public_key.format(compressed=False))}"


def trust(participants: tuple[str, ...] = ("ALPHA",), channel: str = CHANNEL, origin: str | None = None) -> Trust:
    return Trust.from_json(
        {
            "version": 1,
            "signatureScheme": "eip191",
            "channels": {
                channel: {
                    "gateways": [{"did": did_of(GATEWAY)}],
                    "origins": [{"did": origin or did_of(BRIDGE), "participants": list(participants)}],
                }
            },
        }
    )


def example(name: str, **changes: Any) -> dict[str, Any]:
    """An example on the channel of the tests, without its proof."""
    event = json.loads((EXAMPLES / f"settlementbus.{name}.v1.json").read_text("utf-8"))
    event.pop("proof")
    return {**event, "channel": CHANNEL, **changes}


def signed(event: dict[str, Any], key: PrivateKey = BRIDGE, header: dict[str, Any] | None = None) -> str:
    """The event with a proof, as JSON."""
    protected = encode(json.dumps({"alg": "ES256K", "kid": did_of(key), **(header or {})}).encode())
    signature = key.sign_recoverable(f"{protected}.{encode(rfc8785.dumps(event))}".encode())[:64]
    return json.dumps({**event, "proof": f"{protected}..{encode(signature)}"}, separators=(",", ":"))


def message_of(text: str, number: int = 1, key: PrivateKey = GATEWAY, **changes: Any) -> dict[str, Any]:
    """A message of the bus, signed by a gateway. Its changes are not signed."""
    content = text.encode()
    digest = keccak_256(f"\x19Ethereum Signed Message:\n{len(content)}".encode() + content)
    signature = key.sign_recoverable(digest, hasher=None)
    return {
        "id": str(number),
        "fqcn": CHANNEL,
        "topic": changes.get("topic") or json.loads(text)["topic"],
        "payload": text,
        "signature": f"0x{signature[:64].hex()}{27 + signature[64]:02x}",
        "sender": did_of(key),
        "timestampNanos": 1_772_431_201_050_123_456,
        **changes,
    }


def genuine(name: str = "margin.breached", number: int = 1) -> Message:
    return Message.from_json(message_of(signed(example(name)), number))


def heartbeat(sequence: int, number: int | None = None) -> dict[str, Any]:
    """One of many events that differ: a heartbeat of the channel."""
    from settlement_bus_downstream.verify.identity import event_id

    event_type = "settlementbus.bridge.heartbeat.v1"
    event = example("bridge.heartbeat", sequence=f"{sequence:020}")
    event["data"] = {**event["data"], "channel": CHANNEL}
    event["subject"] = f"ALPHA/heartbeat/{CHANNEL}"
    event["id"] = event_id(event_type, "ALPHA", CHANNEL, str(sequence))
    return message_of(signed(event), sequence if number is None else number)


def encode(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


class Gateway:
    """A WebSocket server in a thread. It delivers what is not acknowledged again on each connection."""

    def __init__(self) -> None:
        self.messages: list[dict[str, Any]] = []
        self.frames: list[str] = []
        self.paths: list[str] = []
        self.authorizations: list[str | None] = []
        self.acknowledged: list[str] = []
        self.refuse_with: int | None = None
        self._connections: set[ServerConnection] = set()
        self._changed = threading.Condition()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever)

    def __enter__(self) -> Gateway:
        self._thread.start()
        self._server = self._call(self._serve)
        return self

    def __exit__(self, *_: object) -> None:
        self._call(self._stop)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    def wait_for(self, condition: Callable[[], bool]) -> None:
        """Waits until the gateway has received what the condition needs."""
        with self._changed:
            assert self._changed.wait_for(condition, timeout=20)

    def disconnect(self, code: int = 1001, reason: str = "") -> None:
        async def close() -> None:
            for connection in list(self._connections):
                await connection.close(code, reason)

        self._call(close)

    def _call(self, function: Callable[[], Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(function(), self._loop).result(timeout=20)

    async def _serve(self) -> Server:
        return await serve(
            self._deliver,
            "127.0.0.1",
            0,
            process_request=lambda *request: self.accept(*request),
            close_timeout=0.2,
            subprotocols=[Subprotocol("dsb-messages")],
        )

    async def _stop(self) -> None:
        self._server.close()
        await self._server.wait_closed()

    def accept(self, connection: ServerConnection, request: Request) -> Response | None:
        self._record(self.paths, request.path)
        self._record(self.authorizations, request.headers.get("authorization"))
        if self.refuse_with is None:
            return None
        body = json.dumps({"err": {"code": "REQ::UNAUTHENTICATED", "reason": "unknown user."}})
        return connection.respond(self.refuse_with, body)

    async def _deliver(self, connection: ServerConnection) -> None:
        self._connections.add(connection)
        for frame in self.frames:
            await connection.send(frame)
        waiting = [message for message in self.messages if message.get("id") not in self.acknowledged]
        if waiting:
            await connection.send(json.dumps(waiting))
        async for text in connection:
            for message_id in json.loads(text)["ack"]:
                self._record(self.acknowledged, message_id)
        self._connections.discard(connection)

    def _record(self, values: list[Value], value: Value) -> None:
        with self._changed:
            values.append(value)
            self._changed.notify_all()
