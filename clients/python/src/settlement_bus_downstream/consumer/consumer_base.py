"""What both kinds of consumers share."""

from __future__ import annotations

import ssl as tls
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from ..event import Event
from ..stores import EventStore
from ..trust import Trust
from .backoff import backoff_seconds
from .errors import InvalidOptionError, ProcessingFailedError
from .handlers import Handler, Handlers
from .inbox import Inbox, Received, Step, current_trust
from .options import ConnectionOptions, DeliveryMode, Start
from .reports import Fault

FIRST_RETRY_SECONDS = 0.2
DEFAULT_MAX_ATTEMPTS = 10


@dataclass(frozen=True, slots=True)
class Offer:
    """The step of an iteration: the loop handles the event."""

    event: Event

    def __call__(self) -> None:
        """The loop has handled it."""


class ConsumerBase:
    """Options and handlers of a consumer."""

    def __init__(
        self,
        *,
        url: str,
        user: str,
        password: str | Callable[[], str],
        trust: Trust | Callable[[], Trust],
        store: EventStore,
        client_id: str | None = None,
        from_: Start = "oldest",
        channels: Sequence[str] | None = None,
        delivery: DeliveryMode = "acknowledged",
        newest_per_subject: bool = False,
        window: int = 100,
        max_attempts: float = DEFAULT_MAX_ATTEMPTS,
        max_delay: float = 30.0,
        protocol: str = "dsb-messages",
        ssl: tls.SSLContext | None = None,
        liveness: float = 15.0,
    ) -> None:
        """See `ConnectionOptions` for the options of the connection. Raises InvalidOptionError.

        `channels` are by default those of the trust file that have a trusted gateway. A function for `trust` is called
        for each message, so that the file can be replaced; channels are read once. `store` recognises repeats; who
        opened it closes it. With `newest_per_subject`, an event of kind state is left out, and reported as `outdated`,
        when it is older than one of the same subject; urgent events, such as `margin.breached`, are never left out.
        `max_attempts` limits the attempts to process a message; `math.inf` retries until `stop`.
        """
        trusted = current_trust(trust)
        if not isinstance(trusted, Trust):
            rule = 'takes a Trust, such as Trust.from_file("trust.json"), or a function that returns it'
            raise InvalidOptionError("trust", rule)
        wanted = wanted_channels(channels, trusted)
        if not max_attempts >= 1:
            raise InvalidOptionError("max_attempts", "takes a number of at least 1")
        self._options = ConnectionOptions(
            url=url,
            user=user,
            password=password,
            client_id=client_id,
            delivery=delivery,
            from_=from_,
            channels=wanted,
            window=window,
            protocol=protocol,
            ssl=ssl,
            max_delay=max_delay,
            liveness=liveness,
        )
        self._max_attempts = max_attempts
        self._handlers = Handlers()
        self._inbox = Inbox(
            trust=trust,
            store=store,
            handlers=self._handlers,
            url=url,
            channels=wanted,
            is_acknowledged=delivery == "acknowledged",
            newest_per_subject=newest_per_subject,
        )

    def on(self, name: str) -> Callable[[Handler], Handler]:
        """Registers the decorated function for events or reports. Several functions are called in their order.

        Events: a name (`margin.breached`), a full type or a pattern (`margin.*`, `*`); called with the Event.
        Reports: `refused` (Refusal), `gap` (Gap), `state` (State), `fault` (Fault), `outdated` (Outdated). Raises
        ValueError for other names.
        """
        return self._handlers.on(name)

    def _steps_of_handlers(self, event: Event) -> list[Step]:
        return [partial(handler, event) for handler in self._handlers.of_event(event)]

    def _report_failure(self, received: Received, error: Exception, attempt: int) -> float:
        """Reports a failed attempt. Returns the seconds until the next one, or raises ProcessingFailedError."""
        message_id = received.message_id
        reason = f"attempt {attempt} to process the message {message_id} failed"
        self._inbox.report_fault(Fault(reason, error=error, message_id=message_id, attempt=attempt))
        if attempt >= self._max_attempts:
            raise ProcessingFailedError(message_id, attempt) from error
        return backoff_seconds(attempt, base=FIRST_RETRY_SECONDS, maximum=self._options.max_delay)


def wanted_channels(named: Sequence[str] | None, trust: Trust) -> tuple[str, ...]:
    """Raises InvalidOptionError when every message of a named channel, or of all channels, would be refused."""
    trusted = [fqcn for fqcn in trust.channels if trust.senders_of(fqcn).gateways]
    channels = tuple(trusted if named is None else named)
    if not channels:
        rule = "names no channel with a trusted gateway; export the trust file again, or add the channels to it"
        raise InvalidOptionError("trust", rule)
    unknown = next((fqcn for fqcn in channels if not trust.senders_of(fqcn).gateways), None)
    if unknown is not None:
        rule = f"names no trusted gateway of the channel {unknown}; add the gateway, or leave the channel out"
        raise InvalidOptionError("trust", rule)
    return channels
