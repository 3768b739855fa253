from __future__ import annotations

from datetime import datetime, timedelta, timezone
from decimal import Decimal

import pytest

from settlement_bus_downstream import Event
from support import example


def event(**changes: object) -> Event:
    return Event("", example("margin.breached", **changes))


def test_amounts_are_decimals_and_everything_else_stays() -> None:
    data = event().data
    assert data["tradingMargin"] == Decimal("-60000.5")
    assert data["thresholds"]["warning"] == Decimal(250_000)
    assert type(data["thresholds"]["warning"]) is Decimal
    assert (data["level"], data["transition"], data["calculatedAt"]) == ("BREACHED", 0, "2026-03-02T14:00:00")
    assert event().attributes["data"]["tradingMargin"] == "-60000.5"


def test_amounts_in_lists_are_decimals() -> None:
    variables = Event("", example("statement.published")).data["variables"]
    assert all(isinstance(variable["value"], Decimal) for variable in variables)


def test_data_cannot_be_changed() -> None:
    with pytest.raises(TypeError):
        event().data["level"] = "OK"  # type: ignore[index]


def test_its_text_names_what_it_is() -> None:
    text = "Event(type='settlementbus.margin.breached.v1', id='{}', subject='ALPHA/prudential', origin=None)"
    assert repr(event()) == text.format(event().id)
    assert repr(Event("", {})) == "Event(type=None, id=None, subject=None, origin=None)"


def test_time_has_the_offset_of_the_market() -> None:
    given = event(time="2026-03-02T14:00:00.1234567+08:00").time
    assert given == datetime(2026, 3, 2, 14, 0, 0, 123_456, timezone(timedelta(hours=8)))
