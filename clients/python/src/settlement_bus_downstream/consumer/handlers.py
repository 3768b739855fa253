"""Functions that are called for events and for reports."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Literal, TypeVar

from ..definitions import event_types
from ..event import PREFIX, Event, short_name

Report = Literal["refused", "gap", "state", "fault", "outdated"]
REPORTS: tuple[Report, ...] = ("refused", "gap", "state", "fault", "outdated")

Handler = TypeVar("Handler", bound=Callable[..., Any])


class Handlers:
    """Handlers by event name, and by report."""

    def __init__(self) -> None:
        self._events: list[tuple[re.Pattern[str], Callable[[Event], Any]]] = []
        self._reports: dict[str, list[Callable[..., Any]]] = {report: [] for report in REPORTS}

    def on(self, name: str) -> Callable[[Handler], Handler]:
        """Registers the decorated function for a name, pattern or report. Raises ValueError for an unknown name."""
        pattern = None if name in self._reports else compile_pattern(name)

        def register(handler: Handler) -> Handler:
            if pattern is None:
                self._reports[name].append(handler)
            else:
                self._events.append((pattern, handler))
            return handler

        return register

    def of_event(self, event: Event) -> list[Callable[[Event], Any]]:
        """The handlers of an event, in the order of their registration."""
        return [handler for pattern, handler in self._events if pattern.fullmatch(event.type)]

    def report(self, name: Report, *values: object) -> bool:
        """Calls the handlers of a report. False when there is none."""
        for handler in self._reports[name]:
            handler(*values)
        return bool(self._reports[name])


def compile_pattern(name: str) -> re.Pattern[str]:
    """A pattern of full types. `*` stands for any text; prefix and version may be left out."""
    full = name if name.startswith(PREFIX) or name == "*" else f"{PREFIX}{name}"
    if not re.search(r"(\.v[0-9]+|\*)$", full):
        full += ".v1"
    pattern = re.compile(".*".join(re.escape(part) for part in full.split("*")))
    if not any(pattern.fullmatch(event_type) for event_type in event_types()):
        known = ", ".join(sorted(short_name(event_type) for event_type in event_types()))
        raise ValueError(f'no event type matches "{name}"; there are {", ".join(REPORTS)} and {known}')
    return pattern
