"""The vectors that every implementation runs. Independent libraries signed them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from settlement_bus_downstream import Trust, verify_message
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
