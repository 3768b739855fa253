"""A consumer for asyncio."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing, suppress
from functools import cached_property
from types import TracebackType
from typing import Any

from ..event import Event
from .consumer_base import ConsumerBase
from .inbox import Delivery
from .stream import ReceivedFrame, State, Stream


class AsyncConsumer(ConsumerBase):
    """As `Consumer`, in one event loop. Handlers of events are functions or coroutine functions.

    A handler that blocks the event loop for longer than the liveness interval loses the connection.
    """

    _receiving: asyncio.Task[ReceivedFrame | State] | None = None

    async def run(self) -> None:
        """Handles events until `stop`. Raises GatewayRefusedError when every further attempt would be refused."""
        async with aclosing(self._deliveries()) as deliveries:
            async for delivery in deliveries:
                if await self._handle(delivery):
                    self._inbox.finish(delivery)

    async def __aiter__(self) -> AsyncIterator[Event]:
        """The same events without handlers. An event is acknowledged when the next one is requested."""
        async with aclosing(self._deliveries()) as deliveries:
            async for delivery in deliveries:
                yield delivery.event
                self._inbox.finish(delivery)

    @cached_property
    def _stopping(self) -> asyncio.Event:
        return asyncio.Event()

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

    async def _deliveries(self) -> AsyncGenerator[Delivery, None]:
        stream = Stream(self._options)
        try:
            while not self._stopping.is_set():
                delivery = self._inbox.take()
                await self._acknowledge(stream)
                if delivery is not None:
                    yield delivery
                else:
                    await self._receive(stream)
        finally:
            await self._acknowledge(stream)
            await stream.close()
            self._inbox.put(State("stopped"))

    async def _receive(self, stream: Stream) -> None:
        """Waits in a task of its own, so that `stop` can be told from a cancellation of the caller."""
        self._receiving = asyncio.ensure_future(stream.receive())
        try:
            await asyncio.wait({self._receiving})
        finally:
            self._receiving.cancel()
        with suppress(asyncio.CancelledError):
            self._inbox.put(self._receiving.result())

    async def _acknowledge(self, stream: Stream) -> None:
        for connection, ids in self._inbox.take_processed().items():
            await stream.acknowledge(connection, ids)

    async def _handle(self, delivery: Delivery) -> bool:
        """Calls the handlers until all have returned. False when the consumer stopped before."""
        attempt = 0
        for handler in self._handlers.of_event(delivery.event):
            while not await self._try(handler, delivery, attempt := attempt + 1):
                if self._stopping.is_set():
                    return False
        return True

    async def _try(self, handler: Callable[[Event], Any], delivery: Delivery, attempt: int) -> bool:
        try:
            result = handler(delivery.event)
            if inspect.isawaitable(result):
                await result
        except Exception as error:
            with suppress(asyncio.TimeoutError):
                await asyncio.wait_for(self._stopping.wait(), self._report_failure(delivery, error, attempt))
            return False
        return True
