from __future__ import annotations

import base64
import hashlib
import hmac
import json
from typing import Any

import pytest

from settlement_bus_downstream import WebhookVerdict, verify_webhook
from support import STRANGER, example, signed, trust

SECRET = "whsec_" + base64.b64encode(b"a secret of the tests").decode()
OTHER_SECRET = "whsec_" + base64.b64encode(b"another one").decode()
NOW = 1_772_431_201
BODY = signed(example("margin.breached"))


def headers_of(body: str, secret: str = SECRET, **changes: str) -> dict[str, str]:
    key = base64.b64decode(secret.removeprefix("whsec_"))
    identifier = str(json.loads(body)["id"]) if body.startswith("{") else "1"
    content = f"{identifier}.{NOW}.{body}".encode()
    signature = base64.b64encode(hmac.new(key, content, hashlib.sha256).digest()).decode()
    standard = {"Webhook-Id": identifier, "Webhook-Timestamp": str(NOW), "Webhook-Signature": f"v1,{signature}"}
    return {**standard, **changes}


def verify(body: str = BODY, headers: dict[str, str] | None = None, **options: Any) -> WebhookVerdict:
    return verify_webhook(body, headers or headers_of(body), **{"secret": SECRET, "now": NOW, **options})


def test_accepts_an_event_and_reads_the_headers() -> None:
    more = {"Bridge-Kind": "alert", "Bridge-Problem": "7", "Bridge-Marks": "late, clockSkew", "Bridge-Replayed": "true"}
    verdict = verify(headers=headers_of(BODY, **more), trust=trust())
    assert verdict.ok, verdict
    assert (verdict.event.name, verdict.event.text) == ("margin.breached", BODY)
    assert (verdict.kind, verdict.problem, verdict.severity) == ("alert", "7", None)
    assert (verdict.marks, verdict.is_replayed) == (("late", "clockSkew"), True)


def test_accepts_one_of_several_signatures_and_secrets() -> None:
    both = f"{headers_of(BODY, OTHER_SECRET)['Webhook-Signature']} v2,x {headers_of(BODY)['Webhook-Signature']}"
    assert verify(headers=headers_of(BODY, **{"Webhook-Signature": both})).ok
    assert verify(secret=[OTHER_SECRET, SECRET]).ok


def test_an_event_of_the_subscriber_needs_no_proof() -> None:
    body = json.dumps({**example("bridge.alert.raised"), "local": True})
    verdict = verify(body, trust=trust())
    assert verdict.ok
    assert (verdict.event.is_local, verdict.event.origin) == (True, None)


def test_verifies_the_events_in_other_messages() -> None:
    def digest(*events: object) -> str:
        data = {"events": list(events), "event": json.loads(BODY)}
        return json.dumps({"id": "1", "type": "settlementbus.delivery.digest.v1", "source": "s", "data": data})

    assert verify(digest(json.loads(BODY)), trust=trust()).ok
    unsigned = example("margin.breached")
    for event, reason in ((unsigned, "origin-proof"), ({**unsigned, "type": "x"}, "unknown-type"), (1, "not-an-event")):
        verdict = verify(digest(json.loads(BODY), event), trust=trust())
        assert not verdict.ok
        assert verdict.reason == reason
        assert verify(digest(event)).ok


def test_accepts_the_time_limit_and_nothing_beyond() -> None:
    assert verify(now=NOW + 300).ok
    assert verify(now=NOW - 300).ok
    for now in (NOW + 301, NOW - 301):
        verdict = verify(now=now)
        assert not verdict.ok
        assert verdict.reason == "timestamp"


UNSIGNED = json.dumps(example("margin.breached"))
FORGED = signed(example("margin.breached"), STRANGER)


@pytest.mark.parametrize(
    ("body", "headers", "reason"),
    [
        (BODY.replace("-60000.5", "-60000.6"), headers_of(BODY), "signature"),
        (BODY, headers_of(BODY, OTHER_SECRET), "signature"),
        (BODY, headers_of(BODY, **{"Webhook-Id": "2"}), "signature"),
        (BODY, headers_of(BODY, **{"Webhook-Timestamp": str(NOW + 1)}), "signature"),
        (BODY, headers_of(BODY, **{"Webhook-Signature": ""}), "headers"),
        (BODY, headers_of(BODY, **{"Webhook-Timestamp": "now"}), "headers"),
        (BODY, {"webhook-id": "1"}, "headers"),
        ("hello", headers_of("hello"), "not-an-event"),
        ('{"id":"1"}', headers_of('{"id":"1"}'), "not-an-event"),
        (FORGED, headers_of(FORGED), "origin-not-allowed"),
        (UNSIGNED, headers_of(UNSIGNED), "origin-proof"),
    ],
)
def test_refuses(body: str, headers: dict[str, str], reason: str) -> None:
    verdict = verify(body, headers, trust=trust())
    assert not verdict.ok
    assert verdict.reason == reason


@pytest.mark.parametrize("secret", ["secret!", "whsec_", "", "whsec_YWJj\n", "whsec_YWI", "whsec_YWJj="])
def test_a_wrong_secret_is_a_wrong_setting(secret: str) -> None:
    with pytest.raises(ValueError, match="must be whsec_ and base64"):
        verify_webhook("", {}, secret=secret)


def test_a_parsed_body_is_misuse() -> None:
    with pytest.raises(TypeError, match="as it was received"):
        verify_webhook(json.loads(BODY), {}, secret=SECRET)


@pytest.mark.parametrize("to_bytes", [bytes, bytearray, memoryview])
def test_the_body_may_be_in_any_buffer(to_bytes: Any) -> None:
    assert verify_webhook(to_bytes(BODY.encode()), headers_of(BODY), secret=SECRET, now=NOW).ok


@pytest.mark.parametrize("now", [float("nan"), float("inf")])
def test_a_time_that_is_not_finite_is_misuse(now: float) -> None:
    with pytest.raises(ValueError, match="now is not a finite number"):
        verify(now=now)
