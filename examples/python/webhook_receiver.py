"""Receives webhooks of the subscriber, and prints one JSON line for each.

Needs the packages settlement-bus-downstream, fastapi and uvicorn. Settings: WEBHOOK_SECRETS (separated by spaces),
TRUST_FILE (from `busbridge trust export`), STORE_FILE and PORT.
"""

import json
import os

import uvicorn
from fastapi import FastAPI, Request, Response

from settlement_bus_downstream import Event, ProcessedEvent, SqliteStore, Trust, verify_webhook

secrets = os.environ.get("WEBHOOK_SECRETS", "").split()
if not secrets:
    raise SystemExit("WEBHOOK_SECRETS is missing. Set it to the secret of the sink, or to two, separated by a space.")
trust = Trust.from_file(os.environ["TRUST_FILE"])
store = SqliteStore(os.environ["STORE_FILE"])
app = FastAPI()


@app.post("/")
async def receive(request: Request) -> Response:
    verdict = verify_webhook(await request.body(), request.headers, secret=secrets, trust=trust)
    if not verdict.ok:
        report(refused=request.headers.get("webhook-id", ""), reason=verdict.reason)
        return Response(status_code=400)
    received = identify(verdict.event)
    # A repeated attempt has the same id.
    if not store.find(received).holds_id:
        # Store the event here: it is not sent again after a response of 2xx.
        report(event=verdict.event.id, type=verdict.event.type, kind=verdict.kind or "")
        store.save(received)
    return Response(status_code=204)


def identify(event: Event) -> ProcessedEvent:
    fields = (str(event.attributes.get(name, "")) for name in ("subject", "sequence", "signedat"))
    return ProcessedEvent(event.id, *fields)


def report(**fields: str) -> None:
    print(json.dumps(fields), flush=True)


if __name__ == "__main__":
    uvicorn.run(app, host="127.0.0.1", port=int(os.environ["PORT"]), log_level="warning")
