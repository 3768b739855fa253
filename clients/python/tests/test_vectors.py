"""The vectors that every implementation runs. Independent libraries signed them."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

import pytest

from settlement_bus_downstream import Trust, verify_message, verify_webhook
from support import REPOSITORY

FOLDER = REPOSITORY / "libs/events/vectors"


def cases() -> list[Any]:
    found = []
    for names, trust_name in ((("valid", "invalid"), "trust"), (("keccak256",), "keccak256-trust")):
        trust = Trust.from_file(FOLDER / f"{trust_name}.json")
        for name in names:
            vectors = json.loads((FOLDER / f"{name}.json").read_text("utf-8"))
            found += [pytest.param(trust, vector, id=f"{name}: {vector['name']}") for vector in vectors]
    return found


@pytest.mark.parametrize(("trust", "vector"), cases())
def test_gives_the_expected_verdict(trust: Trust, vector: dict[str, Any]) -> None:
    verdict = verify_message(vector["message"], trust)
    if verdict.ok:
        assert {"ok": True, "id": verdict.event.id, "origin": verdict.origin} == vector["verdict"]
        assert verdict.event.text == vector["message"]["payload"]
        assert verdict.event.data is not None
    else:
        assert {"ok": False, "reason": verdict.reason} == vector["verdict"], verdict.detail


WEBHOOKS = json.loads((FOLDER / "webhooks.json").read_text("utf-8"))


@pytest.mark.parametrize("vector", WEBHOOKS, ids=lambda vector: vector["name"])
def test_gives_the_expected_verdict_on_webhooks(vector: dict[str, Any]) -> None:
    trust = Trust.from_file(FOLDER / "trust.json") if vector["trust"] else None
    now = datetime.fromisoformat(vector["now"].replace("Z", "+00:00")).timestamp()
    verdict = verify_webhook(vector["body"], vector["headers"], secret=vector["secret"], now=now, trust=trust)
    if not verdict.ok:
        assert {"ok": False, "reason": verdict.reason} == vector["verdict"], verdict.detail
        return
    said = {"kind": verdict.kind, "severity": verdict.severity, "problem": verdict.problem, "state": verdict.state}
    headers = {name: value for name, value in said.items() if value is not None}
    retired = [{"did": key.did, "until": key.until} for key in verdict.retired_keys]
    expected = {"marks": [], "isReplayed": False, "retiredKeys": [], **vector["verdict"]}
    given = {**headers, "marks": list(verdict.marks), "isReplayed": verdict.is_replayed, "retiredKeys": retired}
    assert {"ok": True, "id": verdict.event.id, **given} == expected
