"""Owns the lines of a session's report: which are well-formed, and which belong to one attempt at a case.

The file is open to every program of the suite, so nothing is taken for granted but that it holds bytes.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from math import isfinite
from typing import Any

from mutkit.model.case import CaseRecord, Outcome, Phase

BROKEN_OFF = (2, 3, 4)
"""Statuses of a session that did not run what it should: interrupted, internal error, usage error."""

NUMBER = (int, float)
ERROR = {"exception": str, "message": str, "place": str}

KEYS: dict[str, dict[str, Any]] = {
    "session": {"worker": str},
    "ignored": {"path": str},
    "deselected": {"ids": list},
    "collected": {"ids": list, "total": int},
    "collect-error": {"path": str, **ERROR},
    "collect-skipped": {"node": str, "message": str},
    "start": {"id": str, "observed": int},
    "phase": {"id": str, "when": str, "part": bool, "outcome": str, "duration": NUMBER, "observed": int, **ERROR},
    "changed": {"id": str, "when": str, "ended": str, "said": str},
    "forked": {"id": str},
    "interrupted": ERROR,
    "internal-error": ERROR,
    "end": {"worker": str, "status": int, "stopped": str, "foreign": list},
}
"""The kinds of lines, and of what type their values are (of lists: lists of texts)."""

WORDS = {"when": {"setup", "call", "teardown"}, "outcome": {"passed", "failed", "skipped"}}
"""The words that a phase may have."""

DEEPEST = 100
"""How many containers may lie within one another: what reads or compares values goes down by recursion."""


@dataclass
class Attempt:
    """One run of one case: its phases as reported, and the bytes of the observations before and after."""

    case: str
    first: int
    phases: list[dict[str, Any]] = field(default_factory=list)

    @property
    def ended(self) -> bool:
        """Return whether its phases were reported from first to last, each once: set-up, call, tear-down.

        Only a set-up that did not pass has no call.
        """
        whole = [(phase["when"], phase["outcome"]) for phase in self.phases if not phase["part"]]
        called = [] if whole and whole[0][1] != "passed" else ["call"]
        last = bool(self.phases) and self.phases[-1]["when"] == "teardown"
        return last and [when for when, _ in whole] == ["setup", *called, "teardown"]

    @property
    def last(self) -> int:
        """Return the length of the observations at its end."""
        return int(self.phases[-1]["observed"]) if self.phases else self.first

    def record(self, observed: tuple[Any, ...]) -> CaseRecord:
        """Return how the case ended: the first failed phase, else how its call (or its setup) ended."""
        failed = next((phase for phase in self.phases if phase["outcome"] == "failed"), None)
        whole = [phase for phase in self.phases if phase["when"] != "teardown" and not phase["part"]]
        phase = failed or whole[-1]
        if failed is None:
            outcome = Outcome.SKIPPED if phase["outcome"] == "skipped" else Outcome.PASSED
        else:
            outcome = Outcome.FAILED if phase["when"] == "call" else Outcome.ERROR
        return CaseRecord(
            id=self.case,
            outcome=outcome,
            phase=Phase(phase["when"]),
            exception=phase["exception"] if failed else "",
            message=phase["message"],
            place=phase["place"],
            duration=sum(phase["duration"] for phase in self.phases),
            observed=observed,
        )


@dataclass
class Events:
    """The events of a report, sorted by kind."""

    attempts: list[Attempt] = field(default_factory=list)
    selected: list[str] = field(default_factory=list)
    collected: int = 0
    others: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    forked: list[dict[str, Any]] = field(default_factory=list)
    broken: int = 0
    unclaimed: list[str] = field(default_factory=list)

    def all(self, kind: str) -> list[dict[str, Any]]:
        """Return the events of one kind, in the order in which they were reported."""
        return self.others.get(kind, [])

    @property
    def running(self) -> list[str]:
        """Return the cases that started and did not end."""
        return [attempt.case for attempt in self.attempts if not attempt.ended]

    @property
    def end(self) -> dict[str, Any] | None:
        """Return the end of the session itself, not of an xdist worker; None where there is none."""
        return next((event for event in self.all("end") if not event["worker"]), None)

    @property
    def whole(self) -> bool:
        """Return whether the session collected, and came to its end unbroken with all that it started."""
        faults = (self.broken, self.unclaimed, self.running, self.all("interrupted"), self.all("internal-error"))
        came_to_end = self.end is not None and self.end["status"] not in BROKEN_OFF
        return came_to_end and bool(self.all("collected")) and not any(faults)


def parse_line(line: bytes) -> Any:
    """Return the JSON value of a line; raise ``ValueError`` where it is none, not finite, or nested too deep."""
    try:
        value = json.loads(line, parse_constant=_refuse)
    except RecursionError:
        raise ValueError("nested too deep") from None
    level, depth = [value], 0
    while level:
        depth += 1
        if depth > DEEPEST:
            raise ValueError("nested too deep")
        if any(isinstance(item, float) and not isfinite(item) for item in level):  # 1e999
            raise ValueError("not finite")
        inner = [item for item in level if isinstance(item, (list, dict))]
        level = [part for item in inner for part in (item.values() if isinstance(item, dict) else item)]
    return value


def _refuse(word: str) -> Any:
    raise ValueError(f"{word} is no JSON")


def read_events(data: bytes) -> Events:
    """Return the events in the bytes of a report; lines that are no events are counted."""
    events = Events()
    found = [_event(line) for line in data.splitlines()]
    events.broken = found.count(None)
    good = [event for event in found if event is not None]
    sessions = {event["pid"] for event in good if event["event"] == "session"}
    current: dict[tuple[int, str], Attempt] = {}
    for event in good:
        kind = event["event"]
        # A conftest file that cannot be loaded is reported before there is a session.
        if kind == "forked" or (kind != "collect-error" and event["pid"] not in sessions):
            events.forked.append(event)
        elif kind == "start":
            current[event["pid"], event["id"]] = attempt = Attempt(event["id"], event["observed"])
            events.attempts.append(attempt)
        elif kind == "phase":
            if (event["pid"], event["id"]) in current:
                current[event["pid"], event["id"]].phases.append(event)
            else:
                events.unclaimed.append(event["id"])
        else:
            events.others.setdefault(kind, []).append(event)
            if kind == "collected":
                events.selected = list(dict.fromkeys([*events.selected, *event["ids"]]))
                events.collected = max(events.collected, event["total"])
    return events


def _event(line: bytes) -> dict[str, Any] | None:
    """Return the event in a line; None where it is none, or lacks what its kind needs."""
    try:
        event = parse_line(line)
    except ValueError:
        return None
    if not isinstance(event, dict) or not isinstance(event.get("pid"), int):
        return None
    keys = KEYS.get(event["event"]) if isinstance(event.get("event"), str) else None
    if keys is None or not all(isinstance(event.get(key), kind) for key, kind in keys.items()):
        return None
    lists = [event[key] for key, kind in keys.items() if kind is list]
    if not all(isinstance(item, str) for items in lists for item in items):
        return None
    if event["event"] == "phase" and not all(event[key] in words for key, words in WORDS.items()):
        return None
    return event
