"""A consumer that calls functions in the thread that runs it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine, Generator, Iterator
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from functools import cached_property
from types import TracebackType
from typing import Any, TypeVar

from ..event import Event
from .consumer_base import ConsumerBase, Offer
from .inbox import HandlersOf, Received, Step
from .reports import State
from .stream import ReceivedFrame, Stream

Result = TypeVar("Result")


class Consumer(ConsumerBase):
    """Receives verified events from a gateway, in the order of each channel.

    An event is acknowledged once its handlers have returned and the store has saved its id. Handlers run in the thread
    that calls `run`; another thread keeps the connection alive while they do.
    """

    _receiving: Future[ReceivedFrame | State] | None = None

    def run(self) -> None:
        """Handles events until `stop`. Raises ConsumerError when no retry would help.

        A handler that raises is called again for the same event, with growing delays; later events wait for it.
        Ctrl-C raises KeyboardInterrupt once the connection is closed.
        """
        for _ in self._process_all(self._steps_of_handlers):
            pass

    def __iter__(self) -> Iterator[Event]:
        """The same events without handlers. An event is acknowledged when the next one is requested."""
        return self._process_all(lambda event: [Offer(event)])

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

    @cached_property
    def _stopping(self) -> threading.Event:
        return threading.Event()

    def _process_all(self, handlers_of: HandlersOf) -> Generator[Event, None, None]:
        """Processes messages until `stop`, and yields the events of an iteration."""
        with _BackgroundLoop() as loop:
            stream = Stream(self._options)
            try:
                while not self._stopping.is_set():
                    received = self._inbox.take()
                    if received is None:
                        self._receive(stream, loop)
                    elif (yield from self._process(received, handlers_of)):
                        self._inbox.finish(received)
                    self._acknowledge(stream, loop)
            finally:
                if self._receiving is not None:
                    self._receiving.cancel()
                loop.call(stream.close()).result()
                self._inbox.put(State("stopped"))

    def _process(self, received: Received, handlers_of: HandlersOf) -> Generator[Event, None, bool]:
        """Returns False when the consumer stopped before all steps had succeeded."""
        failures = 0
        for step in self._inbox.steps(received, handlers_of):
            if isinstance(step, Offer):
                yield step.event
            else:
                while not self._try(step, received, failures + 1):
                    failures += 1
                    if self._stopping.is_set():
                        return False
        return True

    def _try(self, step: Step, received: Received, attempt: int) -> bool:
        try:
            step()
        except Exception as error:
            self._stopping.wait(self._report_failure(received, error, attempt))
            return False
        return True

    def _receive(self, stream: Stream, loop: _BackgroundLoop) -> None:
        self._receiving = loop.call(stream.receive())
        if self._stopping.is_set():
            self._receiving.cancel()
        with suppress(CancelledError):
            self._inbox.put(self._receiving.result())

    def _acknowledge(self, stream: Stream, loop: _BackgroundLoop) -> None:
        for connection, ids in self._inbox.take_processed().items():
            loop.call(stream.acknowledge(connection, ids)).result()


class _BackgroundLoop:
    """An event loop in a thread, which answers pings while handlers run."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="settlement-bus", daemon=True)

    def call(self, coroutine: Coroutine[Any, Any, Result]) -> Future[Result]:
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop)

    def __enter__(self) -> _BackgroundLoop:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    def _run(self) -> None:
        self._loop.run_forever()
        # A second Ctrl-C leaves tasks that close the connection.
        self._loop.run_until_complete(_cancel_other_tasks())
        self._loop.close()


async def _cancel_other_tasks() -> None:
    tasks = asyncio.all_tasks() - {asyncio.current_task()}
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
