"""Receives the events of the bus until it is interrupted, and prints one JSON line for each.

Needs the package settlement-bus-downstream. Settings: GATEWAY_URL, GATEWAY_USER, GATEWAY_PASSWORD_FILE, CLIENT_ID,
TRUST_FILE (from `busbridge trust export`) and STORE_FILE.
"""

import json
import os
import signal
from pathlib import Path

from settlement_bus_downstream import Consumer, Event, Fault, Gap, Refusal, SqliteStore, State, Trust

password_file = Path(os.environ["GATEWAY_PASSWORD_FILE"])
consumer = Consumer(
    url=os.environ["GATEWAY_URL"],
    user=os.environ["GATEWAY_USER"],
    password=lambda: password_file.read_text("utf-8").strip(),
    client_id=os.environ["CLIENT_ID"],
    trust=Trust.from_file(os.environ["TRUST_FILE"]),
    store=SqliteStore(os.environ["STORE_FILE"]),
)


@consumer.on("*")
def book(event: Event) -> None:
    # Store the event here: it is acknowledged once this function has returned.
    report(event=event.id, name=event.name, subject=event.subject)


@consumer.on("margin.breached")
def warn(event: Event) -> None:
    report(breach=event.participant, margin=f"{event.data['tradingMargin']:,.2f} AUD")


@consumer.on("refused")
def refuse(refusal: Refusal) -> None:
    report(refused=refusal.message.id, reason=refusal.reason)


@consumer.on("gap")
@consumer.on("state")
@consumer.on("fault")
def note(what: Gap | State | Fault) -> None:
    report(note=str(what))


def report(**fields: str) -> None:
    print(json.dumps(fields), flush=True)


signal.signal(signal.SIGTERM, lambda *_: consumer.stop())
signal.signal(signal.SIGINT, lambda *_: consumer.stop())
consumer.run()
