"""A consumer for asyncio."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, suppress
from functools import cached_property
from types import AsyncGeneratorType, TracebackType

from ..event import Event
from .consumer_base import ConsumerBase, Offer
from .inbox import HandlersOf, Received, Step
from .reports import State
from .stream import ReceivedFrame, Stream


class AsyncConsumer(ConsumerBase):
    """As `Consumer`, in one event loop. Handlers of events are functions or coroutine functions.

    A handler that blocks the event loop for longer than the liveness interval loses the connection.
    """

    _receiving: asyncio.Task[ReceivedFrame | State] | None = None
    _iteration: AsyncGenerator[Event, None] | None = None
    _iterating_task: asyncio.Task[object] | None = None

    async def run(self) -> None:
        """Handles events until `stop`. Raises ConsumerError when no retry would help."""
        async with aclosing(self._process_all(self._steps_of_handlers)) as events:
            async for _ in events:
                pass

    def __aiter__(self) -> AsyncIterator[Event]:
        """The same events without handlers. An event is acknowledged when the next one is requested.

        `async with` closes the connection after a `break`; without it the event loop does.
        """
        # One generator: the event loop would close a second one around it at the same time.
        self._iteration = self._process_all(lambda event: [Offer(event)])
        self._iterating_task = _current_task()
        return self._iteration

    def stop(self) -> None:
        """Lets `run` or the iteration end after the present event. Call it in the event loop."""
        self._stopping.set()
        if self._receiving is not None:
            self._receiving.cancel()

    async def __aenter__(self) -> AsyncConsumer:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
        iteration = self._iteration
        # Another task ends its iteration itself, with the next event that it requests.
        is_own = self._iterating_task is _current_task()
        if is_own and isinstance(iteration, AsyncGeneratorType) and not iteration.ag_running:
            await iteration.aclose()

    @cached_property
    def _stopping(self) -> asyncio.Event:
        return asyncio.Event()

    async def _process_all(self, handlers_of: HandlersOf) -> AsyncGenerator[Event, None]:
        """Processes messages until `stop`, and yields the events of an iteration."""
        stream = Stream(self._options)
        try:
            while not self._stopping.is_set():
                received = self._inbox.take()
                if received is None:
                    await self._receive(stream)
                    continue
                failures = 0
                for step in self._inbox.steps(received, handlers_of):
                    if isinstance(step, Offer):
                        yield step.event
                        continue
                    while not await self._try(step, received, failures + 1):
                        failures += 1
                        if self._stopping.is_set():
                            return
                self._inbox.finish(received)
                await self._acknowledge(stream)
        finally:
            await stream.close()
            self._inbox.put(State("stopped"))

    async def _try(self, step: Step, received: Received, attempt: int) -> bool:
        try:
            result = step()
            if inspect.isawaitable(result):
                await result
        except Exception as error:
            delay = self._report_failure(received, error, attempt)
            with suppress(asyncio.TimeoutError):
                await asyncio.wait_for(self._stopping.wait(), delay)
            return False
        return True

    async def _receive(self, stream: Stream) -> None:
        """Waits in a task of its own, so that `stop` can be told from a cancellation of the caller."""
        self._receiving = asyncio.ensure_future(stream.receive())
        try:
            await asyncio.wait({self._receiving})
        finally:
            self._receiving.cancel()
        with suppress(asyncio.CancelledError):
            self._inbox.put(self._receiving.result())
        await self._acknowledge(stream)

    async def _acknowledge(self, stream: Stream) -> None:
        for connection, ids in self._inbox.take_processed().items():
            await stream.acknowledge(connection, ids)


def _current_task() -> asyncio.Task[object] | None:
    """None outside of an event loop, where an iteration may be made too."""
    try:
        return asyncio.current_task()
    except RuntimeError:
        return None
