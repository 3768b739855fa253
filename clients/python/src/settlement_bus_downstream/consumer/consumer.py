"""A consumer that calls functions in the thread that runs it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine, Generator, Iterator
from concurrent.futures import CancelledError, Future
from contextlib import closing, suppress
from functools import cached_property
from types import TracebackType
from typing import Any, TypeVar

from ..event import Event
from .consumer_base import ConsumerBase
from .inbox import Delivery
from .stream import ReceivedFrame, State, Stream

Result = TypeVar("Result")


class Consumer(ConsumerBase):
    """Receives verified events from a gateway, in the order of each channel.

    An event is acknowledged once its handlers have returned and the store has saved its id. Handlers run in the thread
    that calls `run`; another thread keeps the connection alive while they do.
    """

    _receiving: Future[ReceivedFrame | State] | None = None

    def run(self) -> None:
        """Handles events until `stop`. Raises GatewayRefusedError when every further attempt would be refused.

        A handler that raises is called again for the same event, with growing delays; later events wait for it.
        """
        with closing(self._deliveries()) as deliveries:
            for delivery in deliveries:
                if self._handle(delivery):
                    self._inbox.finish(delivery)

    def __iter__(self) -> Iterator[Event]:
        """The same events without handlers. An event is acknowledged when the next one is requested."""
        with closing(self._deliveries()) as deliveries:
            for delivery in deliveries:
                yield delivery.event
                self._inbox.finish(delivery)

    @cached_property
    def _stopping(self) -> threading.Event:
        return threading.Event()

    def stop(self) -> None:
        """Lets `run` or the iteration end after the present event. Any thread, and a signal handler, may call it."""
        self._stopping.set()
        if self._receiving is not None:
            self._receiving.cancel()

    def __enter__(self) -> Consumer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _deliveries(self) -> Generator[Delivery, None, None]:
        with _BackgroundLoop() as loop:
            stream = Stream(self._options)
            try:
                while not self._stopping.is_set():
                    delivery = self._inbox.take()
                    self._acknowledge(stream, loop)
                    if delivery is not None:
                        yield delivery
                    else:
                        self._receive(stream, loop)
            finally:
                if self._receiving is not None:
                    self._receiving.cancel()
                self._acknowledge(stream, loop)
                loop.call(stream.close()).result()
                self._inbox.put(State("stopped"))

    def _receive(self, stream: Stream, loop: _BackgroundLoop) -> None:
        self._receiving = loop.call(stream.receive())
        if self._stopping.is_set():
            self._receiving.cancel()
        with suppress(CancelledError):
            self._inbox.put(self._receiving.result())

    def _acknowledge(self, stream: Stream, loop: _BackgroundLoop) -> None:
        for connection, ids in self._inbox.take_processed().items():
            loop.call(stream.acknowledge(connection, ids)).result()

    def _handle(self, delivery: Delivery) -> bool:
        """Calls the handlers until all have returned. False when the consumer stopped before."""
        attempt = 0
        for handler in self._handlers.of_event(delivery.event):
            while not self._try(handler, delivery, attempt := attempt + 1):
                if self._stopping.is_set():
                    return False
        return True

    def _try(self, handler: Callable[[Event], Any], delivery: Delivery, attempt: int) -> bool:
        try:
            handler(delivery.event)
        except Exception as error:
            self._stopping.wait(self._report_failure(delivery, error, attempt))
            return False
        return True


class _BackgroundLoop:
    """An event loop in a thread, which answers pings while handlers run."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="settlement-bus", daemon=True)

    def call(self, coroutine: Coroutine[Any, Any, Result]) -> Future[Result]:
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop)

    def __enter__(self) -> _BackgroundLoop:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
