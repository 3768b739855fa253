"""What a consumer does with received messages, without connection and threads."""

from __future__ import annotations

import logging
from collections import deque
from dataclasses import dataclass

from websockets.asyncio.client import ClientConnection

from ..definitions import announces_state
from ..event import Event
from ..message import Message
from ..stores import EventStore, Known, ProcessedEvent
from ..trust import Trust
from ..verify.message import verify_message
from .frames import Gap, GatewayFault
from .handlers import Handlers
from .stream import ReceivedFrame, State

logger = logging.getLogger("settlement_bus_downstream")


@dataclass(frozen=True, slots=True)
class Refusal:
    """A message that is refused. It is acknowledged, and comes only once."""

    message: Message
    reason: str
    """A RejectionReason, or `replayed`: a later event of the subject is known, and the id may have been removed."""
    detail: str


@dataclass(frozen=True, slots=True)
class Delivery:
    """A verified event that was not processed before."""

    event: Event
    message: Message
    connection: ClientConnection


class Inbox:
    """Verifies messages, drops repeats, and collects acknowledgements."""

    def __init__(self, trust: Trust, store: EventStore, handlers: Handlers, *, newest_per_subject: bool) -> None:
        self._trust = trust
        self._store = store
        self._handlers = handlers
        self._newest_per_subject = newest_per_subject
        self._pending: deque[tuple[Message, ClientConnection]] = deque()
        self._processed: dict[ClientConnection, list[str]] = {}

    def put(self, received: ReceivedFrame | State) -> None:
        """Adds the messages of a frame, and reports everything else."""
        if isinstance(received, State):
            self._report_state(received)
            return
        frame, connection = received.frame, received.connection
        if isinstance(frame, Gap):
            if not self._handlers.report("gap", frame):
                logger.error("messages missed", extra={"channel": frame.fqcn})
            return
        for fault in (frame,) if isinstance(frame, GatewayFault) else frame.faults:
            if not self._handlers.report("fault", fault):
                logger.warning("gateway fault", extra={"code": fault.code, "reason": fault.reason})
        if not isinstance(frame, GatewayFault):
            self._pending.extend((message, connection) for message in frame.messages)
            for message_id in frame.malformed_ids:
                self._acknowledge(message_id, connection)

    def take(self) -> Delivery | None:
        """The next event to handle. None when there is none among the received messages."""
        while self._pending:
            message, connection = self._pending.popleft()
            delivery = self._judge(message, connection)
            if delivery is not None:
                return delivery
            self._acknowledge(message.id, connection)
        return None

    def finish(self, delivery: Delivery) -> None:
        """Saves that an event was processed; its message can then be acknowledged."""
        event = delivery.event
        self._store.save(ProcessedEvent(event.id, event.subject, event.sequence, event.signed_at or ""))
        self._acknowledge(delivery.message.id, delivery.connection)

    def take_processed(self) -> dict[ClientConnection, list[str]]:
        """Ids of messages to acknowledge, by connection."""
        processed, self._processed = self._processed, {}
        return processed

    def _judge(self, message: Message, connection: ClientConnection) -> Delivery | None:
        verdict = verify_message(message, self._trust)
        if not verdict.ok:
            self._refuse(Refusal(message, verdict.reason, verdict.detail))
            return None
        event = verdict.event
        known = self._store.find(event.id, event.subject)
        if known.holds_id:
            return None
        if is_replay(event, known):
            detail = f"a later event of {event.subject} is known, and ids signed before {known.held_since} were removed"
            self._refuse(Refusal(message, "replayed", detail))
            return None
        if self._newest_per_subject and is_outdated(event, known):
            return None
        return Delivery(event, message, connection)

    def _refuse(self, refusal: Refusal) -> None:
        if not self._handlers.report("refused", refusal):
            fields = {"message_id": refusal.message.id, "reason": refusal.reason, "detail": refusal.detail}
            logger.warning("message refused", extra=fields)

    def _report_state(self, state: State) -> None:
        if not self._handlers.report("state", state):
            logger.info("gateway connection", extra={"state": state.name, "reason": state.reason})

    def _acknowledge(self, message_id: str, connection: ClientConnection) -> None:
        self._processed.setdefault(connection, []).append(message_id)


def is_replay(event: Event, known: Known) -> bool:
    """Whether an event may be one whose id was removed: not newer than its subject, and signed before ids are held."""
    if known.highest_sequence is None or event.sequence > known.highest_sequence:
        return False
    return (event.signed_at or "") <= known.held_since


def is_outdated(event: Event, known: Known) -> bool:
    """Whether a newer event has replaced the state that this one announces."""
    return (
        announces_state(event.type) and known.highest_sequence is not None and event.sequence < known.highest_sequence
    )
