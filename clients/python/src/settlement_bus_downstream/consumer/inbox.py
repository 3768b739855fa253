"""What a consumer does with received messages, without connection and threads."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from websockets.asyncio.client import ClientConnection

from ..definitions import announces_state, is_urgent
from ..event import Event
from ..message import Message
from ..stores import EventStore, Known, ProcessedEvent
from ..trust import Trust
from ..verify.message import verify_message
from .errors import ChannelRefusedError, concerns_channel
from .handlers import Handlers, Report
from .reports import Fault, Gap, Outdated, Refusal, State
from .stream import ReceivedFrame

logger = logging.getLogger("settlement_bus_downstream")

Step = Callable[[], Any]
HandlersOf = Callable[[Event], Sequence[Step]]


@dataclass(frozen=True, slots=True)
class Received:
    """A message or a gap, in the order of its channel."""

    item: Message | Gap
    connection: ClientConnection

    @property
    def message_id(self) -> str:
        """Id of the message, or of the last one in the gap."""
        return self.item.up_to if isinstance(self.item, Gap) else self.item.id


class Inbox:
    """Queues what was received, decides what is done with it, and collects acknowledgements."""

    def __init__(
        self,
        *,
        trust: Trust | Callable[[], Trust],
        store: EventStore,
        handlers: Handlers,
        url: str,
        channels: Sequence[str],
        is_acknowledged: bool,
        newest_per_subject: bool,
    ) -> None:
        self._trust = trust
        self._store = store
        self._handlers = handlers
        self._url = url
        self._channels = frozenset(channels)
        self._is_acknowledged = is_acknowledged
        self._newest_per_subject = newest_per_subject
        self._queue: deque[Received] = deque()
        self._processed: dict[ClientConnection, list[str]] = {}
        self._last_warning: str | None = None

    def put(self, received: ReceivedFrame | State) -> None:
        """Queues messages and gaps, and reports states and faults. Raises ChannelRefusedError."""
        if isinstance(received, State):
            if received.name == "disconnected" and self._is_acknowledged:
                # The bus delivers them again.
                self._queue.clear()
            self._notify("state", received)
            return
        frame, connection = received.frame, received.connection
        if isinstance(frame, Gap):
            self._queue.append(Received(frame, connection))
        elif isinstance(frame, Fault):
            self._put_fault(frame)
        else:
            for fault in frame.faults:
                self._put_fault(fault)
            for message_id in frame.malformed_ids:
                self._acknowledge(message_id, connection)
            # Gateways of other projects deliver every channel.
            wanted = [message for message in frame.messages if message.fqcn in self._channels]
            self._queue.extend(Received(message, connection) for message in wanted)

    def take(self) -> Received | None:
        """The next message or gap; None when everything that was received has been taken."""
        return self._queue.popleft() if self._queue else None

    def steps(self, received: Received, handlers_of: HandlersOf) -> Iterator[Step]:
        """What must succeed, in this order, before a message is acknowledged. A step that raised is called again."""
        item = received.item
        if isinstance(item, Gap):
            yield partial(self._report, "gap", item)
            return
        verified: list[Event] = []
        yield lambda: self._verify(item, verified)
        if not verified:
            return
        event = verified[0]
        steps = handlers_of(event)
        if not steps:
            # Heartbeats would replace other events in the store.
            return
        identity = ProcessedEvent(event.id, event.subject, event.sequence, event.signed_at or "")
        found: list[Known] = []
        yield lambda: found.append(self._store.find(identity))
        known = found[0]
        if known.holds_id:
            return
        if is_replay(identity, known):
            detail = (
                f"ids of events signed at {event.signed_at} are not held any more, and its subject has a later event"
            )
            yield partial(self._report, "refused", Refusal(item, "replayed", detail))
            return
        if self._newest_per_subject and is_outdated(event, known):
            yield partial(self._report, "outdated", Outdated(event, item))
        else:
            yield from steps
        yield partial(self._store.save, identity)

    def _verify(self, message: Message, verified: list[Event]) -> None:
        """Adds the event, or reports the refusal. Each attempt reads the trust anew: a corrected file admits it."""
        verdict = verify_message(message, current_trust(self._trust))
        if verdict.ok:
            verified.append(verdict.event)
        else:
            self._report("refused", Refusal(message, verdict.reason, verdict.detail))

    def finish(self, received: Received) -> None:
        """All steps have succeeded, so the message can be acknowledged."""
        if isinstance(received.item, Message):
            self._acknowledge(received.item.id, received.connection)

    def take_processed(self) -> dict[ClientConnection, list[str]]:
        """Ids of messages to acknowledge, by connection."""
        processed, self._processed = self._processed, {}
        return processed

    def report_fault(self, fault: Fault) -> None:
        """Reports a fault after which the consumer continues."""
        self._notify("fault", fault)

    def _put_fault(self, fault: Fault) -> None:
        if concerns_channel(fault.code):
            raise ChannelRefusedError(fault.code, fault.reason)
        # The connection closes next, with a code.
        if not fault.code.endswith("::SUPERSEDED"):
            self.report_fault(fault)

    def _notify(self, name: Report, report: object) -> None:
        """As `_report`. The failure of a function is logged, because nothing can be repeated."""
        try:
            self._report(name, report)
        except Exception:
            logger.exception("a function for %s failed", name)

    def _report(self, name: Report, report: object) -> None:
        """Calls the functions for a report. Without one it is logged: as a warning, unless nothing is wrong.

        A warning that repeats the previous one is left out.
        """
        if self._handlers.report(name, report):
            return
        is_normal = isinstance(report, Outdated) or (isinstance(report, State) and report.name != "disconnected")
        error = report.error if isinstance(report, Fault) else None
        text = describe(report, self._url)
        warning = None if is_normal else f"{name}: {text}"
        is_repeated = warning is not None and warning == self._last_warning
        self._last_warning = warning
        if not is_repeated:
            logger.log(logging.INFO if is_normal else logging.WARNING, "%s: %s", name, text, exc_info=error)

    def _acknowledge(self, message_id: str, connection: ClientConnection) -> None:
        self._processed.setdefault(connection, []).append(message_id)


def describe(report: object, url: str) -> str:
    """A report for a log, without payload. `url` is the address of the gateway."""
    if isinstance(report, Refusal):
        return f"message {report.message.id} as {report.reason}: {report.detail}"
    if isinstance(report, Gap):
        return f"messages of {report.fqcn} were missed, after {report.after} up to {report.up_to}"
    if isinstance(report, Outdated):
        return f"event {report.event.id} is older than the state of {report.event.subject}"
    if isinstance(report, State) and report.name == "disconnected":
        return f"disconnected from {url} ({report.reason}); the consumer keeps trying"
    if isinstance(report, State):
        return report.name
    if isinstance(report, Fault) and report.error is not None:
        return f"{report.reason}: {type(report.error).__name__}: {report.error}"
    return str(getattr(report, "reason", report))


def is_replay(event: ProcessedEvent, known: Known) -> bool:
    """Whether an event may be a repeat whose id was removed from the store.

    An event that others overtook has a lower sequence too, but its id would still be held.
    """
    if known.holds_id or known.highest_sequence is None:
        return False
    return event.signed_at <= known.held_since and event.sequence <= known.highest_sequence


def current_trust(trust: Trust | Callable[[], Trust]) -> Trust:
    """A function is called. What it raises is raised."""
    return trust() if callable(trust) else trust


def is_outdated(event: Event, known: Known) -> bool:
    """Whether a newer event has replaced the state that this one announces. Urgent events are never replaced."""
    if is_urgent(event.type):
        return False
    return (
        announces_state(event.type) and known.highest_sequence is not None and event.sequence < known.highest_sequence
    )
