"""Both consumers against a WebSocket server."""

from __future__ import annotations

import asyncio
import gc
import json
import logging
import signal
import threading
from collections.abc import Callable, Iterator
from datetime import datetime, timezone
from typing import Any

import pytest
from websockets.asyncio.server import ServerConnection
from websockets.http11 import Request, Response

from settlement_bus_downstream import (
    AsyncConsumer,
    ChannelRefusedError,
    Consumer,
    Event,
    Fault,
    Gap,
    GatewayRefusedError,
    InvalidOptionError,
    MemoryStore,
    Outdated,
    ProcessedEvent,
    ProcessingFailedError,
    Refusal,
    State,
    SupersededError,
    Trust,
)
from settlement_bus_downstream.consumer import consumer_base
from settlement_bus_downstream.consumer.consumer import _BackgroundLoop
from support import CHANNEL, STRANGER, Gateway, example, heartbeat, message_of, signed, trust

HEARTBEATS = [heartbeat(number) for number in range(1, 8)]
IDS = [message["id"] for message in HEARTBEATS]


@pytest.fixture
def gateway() -> Iterator[Gateway]:
    with Gateway() as started:
        yield started


@pytest.fixture(autouse=True)
def _short_delays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(consumer_base, "FIRST_RETRY_SECONDS", 0.001)


def options(gateway: Gateway, **changes: Any) -> dict[str, Any]:
    standard = {"url": gateway.url, "user": "me", "password": "open sesame", "client_id": "mine"}
    also = {"trust": trust(), "store": MemoryStore(), "max_delay": 0.05}
    return {**standard, **also, **changes}


def run(consumer: Consumer | AsyncConsumer) -> None:
    if isinstance(consumer, AsyncConsumer):
        asyncio.run(consumer.run())
    else:
        consumer.run()


BOTH = pytest.mark.parametrize("kind", [Consumer, AsyncConsumer])
Kind = Callable[..., Consumer | AsyncConsumer]


def sequences(events: list[Event]) -> list[int]:
    return [int(event.sequence) for event in events]


@BOTH
def test_handles_events_in_order_and_acknowledges_them(gateway: Gateway, kind: Kind) -> None:
    gateway.messages = HEARTBEATS
    both = trust(channel="b & c")
    both.channels[CHANNEL] = trust().channels[CHANNEL]
    consumer = kind(**options(gateway, trust=Trust("eip191", both.channels), window=7))
    events: list[Event] = []

    @consumer.on("bridge.heartbeat")
    def handle(event: Event) -> None:
        events.append(event)
        if len(events) == len(HEARTBEATS):
            consumer.stop()

    run(consumer)
    assert sequences(events) == list(range(1, 8))
    gateway.wait_for(lambda: gateway.acknowledged == IDS)
    query = f"clientId=mine&ack=explicit&window=7&gaps=report&from=oldest&fqcn=b+%26+c&fqcn={CHANNEL}"
    assert gateway.paths == [f"/events?{query}"]
    assert gateway.authorizations == ["Basic bWU6b3BlbiBzZXNhbWU="]


@BOTH
def test_a_failed_handler_is_called_again_before_later_events(gateway: Gateway, kind: Kind) -> None:
    gateway.messages = HEARTBEATS[:3]
    consumer = kind(**options(gateway))
    calls: list[int] = []
    faults: list[Fault] = []
    consumer.on("fault")(faults.append)

    @consumer.on("*")
    def handle(event: Event) -> None:
        calls.append(int(event.sequence))
        if calls.count(2) < 3 and calls[-1] == 2:
            raise RuntimeError("the disk is full")
        if calls[-1] == 3:
            consumer.stop()

    run(consumer)
    assert calls == [1, 2, 2, 2, 3]
    assert [(str(fault.error), fault.attempt) for fault in faults] == [("the disk is full", n) for n in (1, 2)]
    gateway.wait_for(lambda: gateway.acknowledged == IDS[:3])


@BOTH
def test_what_fails_until_the_stop_is_not_acknowledged(gateway: Gateway, kind: Kind) -> None:
    gateway.messages = HEARTBEATS[:2]
    store = MemoryStore()
    consumer = kind(**options(gateway, store=store))
    failed: list[int] = []

    @consumer.on("*")
    def handle(event: Event) -> None:
        if event.sequence == f"{2:020}":
            raise RuntimeError

    @consumer.on("fault")
    def report(fault: Fault) -> None:
        failed.append(fault.attempt)
        if len(failed) == 2:
            consumer.stop()

    run(consumer)
    gateway.wait_for(lambda: gateway.acknowledged == IDS[:1])
    assert len(store.ids) == 1


@BOTH
def test_reconnects_and_drops_repeats(gateway: Gateway, kind: Kind) -> None:
    gateway.messages = HEARTBEATS[:3]
    consumer = kind(**options(gateway))
    events: list[Event] = []
    states: list[State] = []
    consumer.on("state")(states.append)

    @consumer.on("*")
    def handle(event: Event) -> None:
        events.append(event)
        if len(events) == 3 and not gateway.acknowledged.count("reset"):
            gateway.wait_for(lambda: len(gateway.acknowledged) == 2)
            gateway.acknowledged = ["reset"]
            gateway.messages = HEARTBEATS[:4]
            gateway.disconnect(1001, "the gateway stops")
        if len(events) == 4:
            consumer.stop()

    run(consumer)
    assert sequences(events) == [1, 2, 3, 4]
    assert [state.name for state in states] == ["connected", "disconnected", "connected", "stopped"]
    assert (states[1].reason, states[1].retry_in > 0) == ("the gateway stops", True)
    gateway.wait_for(lambda: gateway.acknowledged == ["reset", *IDS[:4]])


@BOTH
def test_refused_messages_are_reported_and_acknowledged(gateway: Gateway, kind: Kind) -> None:
    forged = message_of(signed(example("margin.breached")), 90, STRANGER)
    gateway.messages = [forged, {**HEARTBEATS[0], "id": "91", "payload": "{}"}, HEARTBEATS[1]]
    consumer = kind(**options(gateway))
    refusals: list[Refusal] = []
    consumer.on("refused")(refusals.append)
    consumer.on("*")(lambda event: consumer.stop())
    run(consumer)
    assert [refusal.reason for refusal in refusals] == ["sender-not-allowed", "signer-mismatch"]
    gateway.wait_for(lambda: gateway.acknowledged == ["90", "91", IDS[1]])


@BOTH
def test_reports_that_fail(gateway: Gateway, kind: Kind, caplog: pytest.LogCaptureFixture) -> None:
    """One about a refused message is called again. One about a state is not, and the consumer continues."""
    gateway.messages = [message_of(signed(example("margin.breached")), 90, STRANGER), HEARTBEATS[0]]
    consumer = kind(**options(gateway))
    calls: list[str] = []

    @consumer.on("refused")
    def refuse(refusal: Refusal) -> None:
        calls.append(refusal.message.id)
        if len(calls) == 1:
            raise OSError("the disk is full")

    @consumer.on("state")
    def note(state: State) -> None:
        raise KeyError(state.name)

    consumer.on("*")(lambda event: consumer.stop())
    run(consumer)
    assert calls == ["90", "90"]
    assert "a function for state failed" in [record.getMessage() for record in caplog.records]
    gateway.wait_for(lambda: gateway.acknowledged == ["90", IDS[0]])


@BOTH
def test_without_functions_what_is_wrong_is_a_warning(
    gateway: Gateway, kind: Kind, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    gateway.refuse_with = 503
    gateway.messages = HEARTBEATS[:1]
    consumer = kind(**options(gateway))
    calls: list[Event] = []

    class Admit(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            gateway.refuse_with = None

    @consumer.on("*")
    def handle(event: Event) -> None:
        calls.append(event)
        if len(calls) == 1:
            raise KeyError("nope")
        consumer.stop()

    monkeypatch.setattr(logging.getLogger("settlement_bus_downstream"), "handlers", [Admit()])
    run(consumer)
    warnings = [record for record in caplog.records if record.levelno == logging.WARNING]
    disconnected, fault = warnings[0].getMessage(), warnings[-1]
    reason = "the connection was refused with 503: REQ::UNAUTHENTICATED: unknown user."
    assert disconnected == f"state: disconnected from {gateway.url} ({reason}); the consumer keeps trying"
    assert fault.getMessage() == "fault: attempt 1 to process the message 1 failed: KeyError: 'nope'"
    assert fault.exc_info is not None
    assert fault.exc_info[0] is KeyError


@BOTH
def test_a_warning_that_repeats_the_previous_one_is_left_out(
    gateway: Gateway, kind: Kind, caplog: pytest.LogCaptureFixture
) -> None:
    accept = gateway.accept

    def refuse_three_times(connection: ServerConnection, request: Request) -> Response | None:
        gateway.refuse_with = 503 if len(gateway.paths) < 3 else None
        return accept(connection, request)

    gateway.accept = refuse_three_times  # type: ignore[method-assign]
    gateway.messages = HEARTBEATS[:1]
    consumer = kind(**options(gateway))
    consumer.on("*")(lambda event: consumer.stop() if event.sequence == f"{2:020}" else None)
    thread = threading.Thread(target=run, args=(consumer,))
    thread.start()
    gateway.wait_for(lambda: gateway.acknowledged == IDS[:1])
    gateway.messages = HEARTBEATS[:2]
    gateway.paths.clear()
    gateway.disconnect()
    thread.join()
    warnings = [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING]
    reasons = [warning.removeprefix(f"state: disconnected from {gateway.url} ") for warning in warnings]
    refused = "(the connection was refused with 503: REQ::UNAUTHENTICATED: unknown user.); the consumer keeps trying"
    assert reasons == [refused, "(closed with 1001); the consumer keeps trying", refused]


@BOTH
def test_gaps_and_faults_are_reported(gateway: Gateway, kind: Kind) -> None:
    gateway.frames = [
        '{"gap":{"fqcn":"c","after":"1","upTo":"3"}}',
        '{"err":{"code":"BUS::UNHEALTHY","reason":["no broker"]}}',
        '{"err":{"code":"BUS::SUPERSEDED","reason":"the connection closes next"}}',
        "hello",
        json.dumps([{"id": "5", "fqcn": "c"}]),
    ]
    gateway.messages = HEARTBEATS[:1]
    consumer = kind(**options(gateway))
    gaps: list[Gap] = []
    faults: list[Fault] = []
    consumer.on("gap")(gaps.append)
    consumer.on("fault")(faults.append)
    consumer.on("*")(lambda event: consumer.stop())
    run(consumer)
    assert gaps == [Gap("c", "1", "3")]
    assert faults == [
        Fault('["no broker"]', "BUS::UNHEALTHY"),
        Fault("a frame is not JSON"),
        Fault("payload of a message must be a text"),
    ]
    gateway.wait_for(lambda: gateway.acknowledged == ["5", IDS[0]])


@BOTH
def test_plain_delivery_has_no_query_and_acknowledges_nothing(gateway: Gateway, kind: Kind) -> None:
    gateway.messages = HEARTBEATS[:2]
    consumer = kind(**options(gateway, delivery="plain", client_id=None, window=1))
    events: list[Event] = []

    @consumer.on("bridge.*")
    def handle(event: Event) -> None:
        events.append(event)
        if len(events) == 2:
            consumer.stop()

    run(consumer)
    assert gateway.paths == ["/events"]
    assert gateway.acknowledged == []


@BOTH
@pytest.mark.parametrize("status", [400, 401, 403, 404])
def test_a_final_refusal_ends_the_run(gateway: Gateway, kind: Kind, status: int) -> None:
    gateway.refuse_with = status
    # The gateway's own text ends with a full stop.
    problem = rf"with {status}: REQ::UNAUTHENTICATED: unknown user\. [A-Z]"
    consumer = kind(**options(gateway))
    states: list[str] = []
    consumer.on("state")(lambda state: states.append(state.name))
    with pytest.raises(GatewayRefusedError, match=problem) as raised:
        run(consumer)
    assert "sesame" not in str(raised.value)
    assert states == ["stopped"]


@BOTH
def test_other_refusals_are_tried_again(gateway: Gateway, kind: Kind) -> None:
    gateway.refuse_with = 503
    gateway.messages = HEARTBEATS[:1]
    consumer = kind(**options(gateway))
    states: list[State] = []

    @consumer.on("state")
    def report(state: State) -> None:
        states.append(state)
        if len(states) == 2:
            gateway.refuse_with = None

    consumer.on("*")(lambda event: consumer.stop())
    run(consumer)
    assert [state.name for state in states][:2] == ["disconnected", "disconnected"]
    assert states[0].reason == "the connection was refused with 503: REQ::UNAUTHENTICATED: unknown user."


def test_the_iterator_acknowledges_with_the_next_request(gateway: Gateway) -> None:
    gateway.messages = HEARTBEATS[:3]
    with Consumer(**options(gateway)) as consumer:
        for event in consumer:
            if event.sequence == f"{3:020}":
                break
    gateway.wait_for(lambda: gateway.acknowledged == IDS[:2])


def test_the_asynchronous_iterator_acknowledges_with_the_next_request(gateway: Gateway) -> None:
    gateway.messages = HEARTBEATS[:3]

    async def iterate() -> None:
        async with AsyncConsumer(**options(gateway)) as consumer:
            async for event in consumer:
                if event.sequence == f"{3:020}":
                    consumer.stop()

    asyncio.run(iterate())
    gateway.wait_for(lambda: gateway.acknowledged == IDS[:3])


@pytest.mark.parametrize("is_closed", [True, False])
# The connection of the library has generators, which only a close ends.
@pytest.mark.filterwarnings("ignore:asynchronous generator <async_generator object Connection:ResourceWarning")
def test_the_asynchronous_iteration_can_be_left(gateway: Gateway, is_closed: bool) -> None:
    gateway.messages = HEARTBEATS[:2]
    faults: list[Any] = []
    states: list[str] = []

    async def iterate() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, fault: faults.append(fault))
        consumer = AsyncConsumer(**options(gateway))
        consumer.on("state")(lambda state: states.append(state.name))
        if not is_closed:
            async for _ in consumer:
                break
            return
        async with consumer:
            async for _ in consumer:
                break
        assert states == ["connected", "stopped"]

    asyncio.run(iterate())
    gc.collect()
    assert faults == []


def test_an_iteration_in_another_task_ends_with_the_block(gateway: Gateway) -> None:
    async def iterate() -> None:
        connected = asyncio.Event()
        async with AsyncConsumer(**options(gateway)) as consumer:
            consumer.on("state")(lambda _: connected.set())

            async def count() -> int:
                return len([event async for event in consumer])

            counting = asyncio.ensure_future(count())
            await connected.wait()
        assert await counting == 0

    asyncio.run(iterate())


def test_an_iteration_whose_body_waits_in_another_task_ends_by_itself(gateway: Gateway) -> None:
    gateway.messages = HEARTBEATS[:2]

    async def iterate() -> None:
        handling, may_continue = asyncio.Event(), asyncio.Event()
        async with AsyncConsumer(**options(gateway)) as consumer:

            async def collect() -> list[Event]:
                events = []
                async for event in consumer:
                    events.append(event)
                    handling.set()
                    await may_continue.wait()
                return events

            collecting = asyncio.ensure_future(collect())
            await handling.wait()
            may_continue.set()
        assert sequences(await collecting) == [1]

    asyncio.run(iterate())
    gateway.wait_for(lambda: gateway.acknowledged == IDS[:1])


def test_a_coroutine_function_can_be_a_handler(gateway: Gateway) -> None:
    gateway.messages = HEARTBEATS[:1]
    consumer = AsyncConsumer(**options(gateway))

    @consumer.on("*")
    async def handle(event: Event) -> None:
        await asyncio.sleep(0)
        consumer.stop()

    run(consumer)
    gateway.wait_for(lambda: gateway.acknowledged == IDS[:1])


def test_a_slow_handler_keeps_the_connection(gateway: Gateway) -> None:
    gateway.messages = HEARTBEATS[:2]
    consumer = Consumer(**options(gateway, liveness=0.1))
    states: list[State] = []
    consumer.on("state")(states.append)

    @consumer.on("*")
    def handle(event: Event) -> None:
        threading.Event().wait(0.5)
        if event.sequence == f"{2:020}":
            consumer.stop()

    run(consumer)
    assert [state.name for state in states] == ["connected", "stopped"]


def test_another_thread_can_stop_a_waiting_consumer(gateway: Gateway) -> None:
    consumer = Consumer(**options(gateway))
    consumer.on("state")(lambda state: threading.Thread(target=consumer.stop).start())
    consumer.run()


def test_an_interrupt_closes_the_connection(gateway: Gateway) -> None:
    gateway.messages = HEARTBEATS[:1]
    consumer = Consumer(**options(gateway))
    states: list[str] = []
    consumer.on("state")(lambda state: states.append(state.name))
    consumer.on("*")(lambda _: signal.raise_signal(signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        consumer.run()
    assert states == ["connected", "stopped"]
    assert gateway.acknowledged == []


def test_a_second_interrupt_leaves_no_task() -> None:
    with _BackgroundLoop() as loop:
        waiting = loop.call(asyncio.Event().wait())
    assert waiting.cancelled()


def test_cancelling_the_task_ends_an_asynchronous_consumer(gateway: Gateway) -> None:
    async def cancel() -> None:
        consumer = AsyncConsumer(**options(gateway))
        task = asyncio.ensure_future(consumer.run())
        consumer.on("state")(lambda state: task.cancel())
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancel())


@pytest.mark.parametrize(
    ("start", "query"),
    [
        ("oldest", "&from=oldest"),
        ("now", "&from=now"),
        (datetime(2026, 3, 1, tzinfo=timezone.utc), "&from=2026-03-01T00%3A00%3A00.000Z"),
    ],
)
def test_from_is_where_a_new_client_begins(gateway: Gateway, start: Any, query: str) -> None:
    gateway.messages = HEARTBEATS[:1]
    consumer = Consumer(**options(gateway, from_=start))
    consumer.on("*")(lambda event: consumer.stop())
    consumer.run()
    assert gateway.paths == [f"/events?clientId=mine&ack=explicit&window=100&gaps=report{query}&fqcn={CHANNEL}"]


def test_an_event_whose_id_may_have_been_removed_is_refused(gateway: Gateway) -> None:
    store = MemoryStore()
    store.save(ProcessedEvent("x", f"ALPHA/heartbeat/{CHANNEL}", f"{3:020}", "2026-03-02T06:00:00.000Z"))
    store.ids_removed_until = "2030-01-01T00:00:00.000Z"
    gateway.messages = HEARTBEATS[:4]
    consumer = Consumer(**options(gateway, store=store))
    refusals: list[Refusal] = []
    consumer.on("refused")(refusals.append)
    consumer.on("*")(lambda event: consumer.stop())
    consumer.run()
    assert [(refusal.message.id, refusal.reason) for refusal in refusals] == [(n, "replayed") for n in IDS[:3]]
    gateway.wait_for(lambda: gateway.acknowledged == IDS[:4])


def test_newest_per_subject_leaves_out_an_older_state(gateway: Gateway) -> None:
    store = MemoryStore()
    warning = example("margin.warning")
    breached = example("margin.breached")
    for event in (warning, breached):
        store.save(ProcessedEvent("x" + event["id"], event["subject"], "9" * 20, event["signedat"]))
    fact = example("payment.due")
    store.save(ProcessedEvent("y", fact["subject"], "9" * 20, fact["signedat"]))
    messages = [signed(event) for event in (warning, breached, fact)]
    gateway.messages = [message_of(text, number) for number, text in enumerate(messages, 1)]
    consumer = Consumer(**options(gateway, store=store, newest_per_subject=True))
    names: list[str] = []
    outdated: list[Outdated] = []
    consumer.on("outdated")(outdated.append)

    @consumer.on("*")
    def handle(event: Event) -> None:
        names.append(event.name)
        if event.name == "payment.due":
            consumer.stop()

    consumer.run()
    assert names == ["margin.breached", "payment.due"]
    assert [(each.event.id, each.message.id) for each in outdated] == [(warning["id"], "1")]
    assert warning["id"] in store.ids
    gateway.wait_for(lambda: gateway.acknowledged == ["1", "2", "3"])


def test_an_event_without_a_function_is_not_saved(gateway: Gateway) -> None:
    store = MemoryStore()
    breached = example("margin.breached")
    gateway.messages = [HEARTBEATS[0], message_of(signed(breached), 2)]
    consumer = Consumer(**options(gateway, store=store))
    consumer.on("margin.breached")(lambda _: consumer.stop())
    consumer.run()
    assert list(store.ids) == [breached["id"]]


@BOTH
def test_a_kept_message_is_verified_with_the_new_trust(gateway: Gateway, kind: Kind) -> None:
    trusts = [trust(), trust(participants=("OTHER",)), trust(participants=("OTHER",))]
    gateway.messages = HEARTBEATS[:1]
    consumer = kind(**options(gateway, trust=lambda: trusts.pop(0) if trusts else trust()))
    reasons: list[str] = []
    events: list[Event] = []

    @consumer.on("refused")
    def keep(refusal: Refusal) -> None:
        reasons.append(refusal.reason)
        raise RuntimeError("keep it")

    @consumer.on("*")
    def handle(event: Event) -> None:
        events.append(event)
        consumer.stop()

    run(consumer)
    assert reasons == ["participant-not-allowed"] * 2
    assert sequences(events) == [1]
    gateway.wait_for(lambda: gateway.acknowledged == IDS[:1])


def test_default_channels_have_a_trusted_gateway(gateway: Gateway) -> None:
    entry = {"did": "did:ethr:0x" + "1" * 40, "revoked": "2026-01-01T00:00:00Z"}
    both = {
        CHANNEL: {"gateways": [{"did": entry["did"]}], "origins": []},
        "former": {"gateways": [entry], "origins": []},
    }
    trusted = Trust.from_json({"version": 1, "signatureScheme": "eip191", "channels": both})
    consumer = Consumer(**options(gateway, trust=trusted))

    @consumer.on("state")
    def stop(_: State) -> None:
        consumer.stop()

    consumer.run()
    assert gateway.paths[0].count("fqcn=") == 1


@BOTH
def test_attempts_are_limited(gateway: Gateway, kind: Kind) -> None:
    gateway.messages = HEARTBEATS[:1]
    consumer = kind(**options(gateway, max_attempts=3))
    calls: list[str] = []

    @consumer.on("*")
    def handle(event: Event) -> None:
        calls.append(event.id)
        raise KeyError("x")

    with pytest.raises(ProcessingFailedError, match="in 3 attempts") as raised:
        run(consumer)
    assert (len(calls), type(raised.value.__cause__)) == (3, KeyError)
    assert gateway.acknowledged == []


@BOTH
def test_a_handler_that_returned_is_not_called_again_when_the_store_fails(gateway: Gateway, kind: Kind) -> None:
    class FullStore(MemoryStore):
        failures = 2

        def save(self, event: ProcessedEvent) -> None:
            self.failures -= 1
            if self.failures >= 0:
                raise OSError("the disk is full")
            super().save(event)
            consumer.stop()

    gateway.messages = HEARTBEATS[:1]
    consumer = kind(**options(gateway, store=FullStore()))
    calls: list[Event] = []
    consumer.on("*")(calls.append)
    run(consumer)
    assert len(calls) == 1
    gateway.wait_for(lambda: gateway.acknowledged == IDS[:1])


@BOTH
def test_a_refused_channel_and_a_second_consumer_end_the_run(gateway: Gateway, kind: Kind) -> None:
    gateway.frames = ['{"err":{"code":"BUS::CHANNEL_NOT_FOUND","reason":"There is no channel c."}}']
    with pytest.raises(ChannelRefusedError, match=r"There is no channel c\. Correct channels"):
        run(kind(**options(gateway)))
    gateway.frames = []
    consumer = kind(**options(gateway))

    @consumer.on("state")
    def replace(state: State) -> None:
        if state.name == "connected":
            gateway.disconnect(4409)

    with pytest.raises(SupersededError, match='client_id "mine"'):
        run(consumer)


def test_a_password_that_was_replaced_is_tried(gateway: Gateway) -> None:
    passwords = ["old", "new"]
    gateway.refuse_with = 401
    consumer = Consumer(**options(gateway, password=lambda: passwords[0]))

    @consumer.on("state")
    def replace(state: State) -> None:
        if state.name == "disconnected":
            gateway.refuse_with = None
        else:
            consumer.stop()

    original = gateway.accept

    def accept(connection: Any, request: Any) -> Any:
        passwords[:] = ["new"]
        return original(connection, request)

    gateway.accept = accept  # type: ignore[method-assign]
    consumer.run()
    assert gateway.authorizations == ["Basic bWU6b2xk", "Basic bWU6bmV3"]


def test_a_password_function_that_raises_is_called_again(gateway: Gateway) -> None:
    passwords: list[str | Exception] = [RuntimeError("sealed"), "old", RuntimeError("sealed")]
    gateway.refuse_with = 401
    states: list[str] = []

    def password() -> str:
        value = passwords.pop(0) if passwords else "new"
        if isinstance(value, Exception):
            raise value
        return value

    consumer = Consumer(**options(gateway, password=password))

    @consumer.on("state")
    def follow(state: State) -> None:
        states.append(state.reason)
        if len(states) == 2:
            gateway.refuse_with = None
        if state.name == "connected":
            consumer.stop()

    consumer.run()
    assert states[0] == "the function of the password failed: RuntimeError"
    assert gateway.authorizations == ["Basic bWU6b2xk", "Basic bWU6bmV3"]


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"url": "gateway:4012"}, "url takes the address"),
    ({"url": "http://gateway.example:4012"}, "url takes the address"),
    ({"url": "https://me:secret@gateway.example"}, "url takes the address"),
    ({"client_id": None}, "client_id takes a name"),
    ({"delivery": "plain", "from_": "now"}, "from_ needs acknowledged delivery"),
    ({"delivery": "other"}, "delivery takes"),
    ({"window": 0}, "window takes a whole number from 1"),
    ({"from_": datetime(2026, 3, 1)}, "from_ takes a datetime with a time zone"),
    ({"from_": "yesterday"}, "from_ takes oldest, now"),
    ({"max_attempts": 0}, "max_attempts takes"),
    ({"trust": Trust("eip191", {})}, "trust names no channel"),
    ({"trust": "trust.json"}, "trust takes a Trust, such as Trust.from_file"),
    ({"trust": lambda: None}, "trust takes a Trust, such as Trust.from_file"),
    ({"channels": ["other"]}, "trust names no trusted gateway of the channel other"),
]


@pytest.mark.parametrize(("changes", "problem"), WRONG)
def test_wrong_options_are_named(gateway: Gateway, changes: dict[str, Any], problem: str) -> None:
    with pytest.raises(InvalidOptionError, match=problem):
        Consumer(**options(gateway, **changes))


@pytest.mark.parametrize("name", ["margin.breach", "margin", "settlementbus.margin.breached.v2", "other.*"])
def test_an_unknown_name_is_refused(gateway: Gateway, name: str) -> None:
    with pytest.raises(ValueError, match=f'no event type matches "{name}"'):
        Consumer(**options(gateway)).on(name)
