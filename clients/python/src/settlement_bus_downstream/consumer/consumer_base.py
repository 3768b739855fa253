"""What both kinds of consumers share."""

from __future__ import annotations

import logging
import ssl as tls
from collections.abc import Callable, Sequence

from ..stores import EventStore, MemoryStore
from ..trust import Trust
from .backoff import backoff_seconds
from .handlers import Failure, Handler, Handlers
from .inbox import Delivery, Inbox
from .options import ConnectionOptions, DeliveryMode, Start

logger = logging.getLogger("settlement_bus_downstream")

FIRST_RETRY_SECONDS = 0.5
MAX_RETRY_SECONDS = 60.0


class ConsumerBase:
    """Options and handlers of a consumer."""

    def __init__(
        self,
        *,
        url: str,
        user: str,
        password: str | Callable[[], str],
        trust: Trust,
        client_id: str | None = None,
        store: EventStore | None = None,
        from_: Start = "oldest",
        channels: Sequence[str] = (),
        delivery: DeliveryMode = "acknowledged",
        newest_per_subject: bool = False,
        window: int = 100,
        protocol: str = "dsb-messages",
        ssl: tls.SSLContext | None = None,
        max_delay: float = 10.0,
        liveness: float = 15.0,
    ) -> None:
        """See `ConnectionOptions` for the options of the connection.

        `store` keeps the ids of processed events; by default only in memory. With `newest_per_subject`, an event of
        kind state is left out when a newer one of its subject was processed.
        """
        self._options = ConnectionOptions(
            url=url,
            user=user,
            password=password,
            client_id=client_id,
            delivery=delivery,
            from_=from_,
            channels=tuple(channels),
            window=window,
            protocol=protocol,
            ssl=ssl,
            max_delay=max_delay,
            liveness=liveness,
        )
        self._handlers = Handlers()
        self._inbox = Inbox(
            trust,
            MemoryStore() if store is None else store,
            self._handlers,
            newest_per_subject=newest_per_subject,
        )

    def on(self, name: str) -> Callable[[Handler], Handler]:
        """Registers the decorated function for events or reports. Several functions are called in their order.

        Events: a name (`margin.breached`), a full type or a pattern (`margin.*`, `*`); called with the event.
        Reports: `refused` (Refusal), `gap` (Gap), `state` (State), `fault` (GatewayFault), `failed` (Failure).
        """
        return self._handlers.on(name)

    def _report_failure(self, delivery: Delivery, error: Exception, attempt: int) -> float:
        """Reports that a handler failed. Returns the seconds until the next attempt."""
        retry_in = backoff_seconds(attempt, base=FIRST_RETRY_SECONDS, maximum=MAX_RETRY_SECONDS)
        if not self._handlers.report("failed", Failure(delivery.event, error, attempt, retry_in)):
            fields = {"event_id": delivery.event.id, "attempt": attempt, "retry_in": retry_in}
            logger.error("event handler failed", exc_info=error, extra=fields)
        return retry_in
