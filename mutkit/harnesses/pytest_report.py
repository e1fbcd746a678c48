"""Owns the reading of a session's report: from JSON lines to cases and troubles."""

from __future__ import annotations

import base64
import binascii
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mutkit.model.case import CaseRecord, Outcome, Phase, SuiteRun, Trouble
from mutkit.model.ending import NotStarted, ProcessResult, TimedOut

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

SELECTING = ("-k", "-m", "--deselect", "--ignore", "--lf", "--last-failed", "--sw", "--stepwise")
"""Words of the campaign's ``args`` that ask for fewer cases."""

BROKEN_OFF = (2, 3, 4)
"""Statuses of a session that did not run what it should: interrupted, internal error, usage error."""

SHOWN = 10
"""How many names a message lists before it says how many more there are."""


@dataclass
class Attempt:
    """One run of one case: its phases as reported, and the bytes of the observations before and after."""

    case: str
    pid: int
    first: int
    phases: list[dict[str, Any]] = field(default_factory=list)

    @property
    def ended(self) -> bool:
        """Return whether its last phase was reported."""
        return bool(self.phases) and self.phases[-1]["when"] == "teardown"

    @property
    def last(self) -> int:
        """Return the length of the observations at its end."""
        return int(self.phases[-1]["observed"]) if self.phases else self.first

    def record(self, observed: tuple[Any, ...]) -> CaseRecord:
        """Return how the case ended: the first failed phase, else how its call (or its setup) ended."""
        failed = next((phase for phase in self.phases if phase["outcome"] == "failed"), None)
        before = [phase for phase in self.phases if phase["when"] != "teardown"] or self.phases
        phase = failed or before[-1]
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
    broken: int = 0

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
        broke = self.broken or self.running or self.all("interrupted") or self.all("internal-error")
        came_to_end = self.end is not None and self.end["status"] not in BROKEN_OFF
        return came_to_end and bool(self.all("collected")) and not broke


def read_run(
    result: ProcessResult,
    report: Path,
    observations: Path,
    *,
    cases: Sequence[str] | None,
    args: Sequence[str],
) -> SuiteRun:
    """Return facts and troubles of a run from its ``report`` and ``observations`` (which may be missing)."""
    events = read_events(report.read_bytes() if report.exists() else b"")
    recorded = observations.read_bytes() if observations.exists() else b""
    lines, unclaimed = read_observations(recorded, events.attempts)
    records: dict[str, CaseRecord] = {}
    outcomes: dict[str, set[Outcome]] = {}
    for index, attempt in enumerate(events.attempts):
        if attempt.ended:
            record = attempt.record(tuple(lines.get(index, ())))
            records[attempt.case] = record
            outcomes.setdefault(attempt.case, set()).add(record.outcome)
    unsettled = [case for case, seen in outcomes.items() if len(seen) > 1]
    unfinished = [case for case in dict.fromkeys(events.selected) if case not in records]
    complete = events.whole and not unfinished
    troubles = [
        *_ending_troubles(result, events, unfinished, complete=complete),
        *_collection_troubles(events, cases),
        *_hiding_troubles(events, args),
        *_tree_troubles(events),
        *(
            Trouble("case-unsettled", f"{case} ended differently in one run: {_outcomes(outcomes[case])}")
            for case in unsettled
        ),
        *unclaimed,
    ]
    return SuiteRun(result, tuple(records.values()), complete, tuple(troubles))


def read_events(data: bytes) -> Events:
    """Return the events in the bytes of a report; lines that are no events are counted."""
    events = Events()
    current: dict[tuple[int, str], Attempt] = {}
    for line in data.splitlines():
        try:
            event = json.loads(line)
            kind, pid = event["event"], event["pid"]
        except (ValueError, KeyError, TypeError):
            events.broken += 1
            continue
        if kind == "start":
            current[pid, event["id"]] = attempt = Attempt(event["id"], pid, event["observed"])
            events.attempts.append(attempt)
        elif kind == "phase":
            if (pid, event["id"]) in current:
                current[pid, event["id"]].phases.append(event)
        else:
            events.others.setdefault(kind, []).append(event)
            if kind == "collected":
                events.selected = list(dict.fromkeys([*events.selected, *event["ids"]]))
                events.collected = max(events.collected, event["total"])
    return events


def read_observations(data: bytes, attempts: Sequence[Attempt]) -> tuple[dict[int, list[Any]], list[Trouble]]:
    """Return what the attempts recorded, by their index, and a trouble for lines that belong to none.

    A line with ``case`` belongs to the attempt of that case that was under way; a line without it (written
    by another program) to the one case that was under way.
    """
    found: dict[int, list[Any]] = {}
    strays = 0
    offset = 0
    for line in data.splitlines(keepends=True):
        offset, start = offset + len(line), offset
        try:
            content = json.loads(line)
            value = _observed(content)
        except (ValueError, KeyError, TypeError, binascii.Error):
            strays += 1
            continue
        under_way = [
            index
            for index, attempt in enumerate(attempts)
            if attempt.first <= start
            and (start < attempt.last or not attempt.ended)
            and content.get("case", attempt.case) == attempt.case
        ]
        if len(under_way) == 1:
            found.setdefault(under_way[0], []).append(value)
        else:
            strays += 1
    if not strays:
        return found, []
    message = f"{strays} observed lines hold no value, or belong to no case that was running alone"
    return found, [Trouble("observation-unclaimed", message)]


def _observed(content: dict[str, Any]) -> Any:
    if "bytes" in content:
        return base64.b64decode(content["bytes"], validate=True)
    if "raises" in content:
        return {"raises": str(content["raises"]), "message": str(content["message"])}
    return content["value"]


def _ending_troubles(
    result: ProcessResult, events: Events, unfinished: Sequence[str], *, complete: bool
) -> list[Trouble]:
    ending = result.ending
    if isinstance(ending, NotStarted):
        return [Trouble("suite-not-started", f"{result.argv[0]}: {ending}")]
    where = f"while {names(events.running)} ran" if events.running else f"with {len(unfinished)} cases not run"
    if isinstance(ending, TimedOut):
        when = "after its last case" if complete else where if events.selected else "while collecting"
        return [Trouble("suite-timed-out", f"the suite {ending}, {when}")]
    if not events.all("session") and not events.all("collect-error"):
        return [Trouble("report-missing", f"pytest did not start a session ({ending}): {tail(result)}")]
    if complete or (events.all("collect-error") and not events.all("session")):
        return []
    reasons = [
        f"{event['exception']}: {event['message']}"
        for kind in ("interrupted", "internal-error")
        for event in events.all(kind)
    ]
    if events.end is not None and events.end["stopped"]:
        reasons.append(events.end["stopped"])
    if events.broken:
        reasons.append(f"{events.broken} lines of the report cannot be read")
    why = "; ".join(reasons) or f"{ending}: {tail(result)}"
    return [Trouble("report-cut-short", f"the session ended {where}: {why}")]


def _collection_troubles(events: Events, cases: Sequence[str] | None) -> list[Trouble]:
    troubles = {
        f"{event['path']}: {event['exception']}: {event['message']}"
        + (f" ({event['place']})" if event["place"] else "")
        for event in events.all("collect-error")
    }
    found = [Trouble("collection-failed", message) for message in sorted(troubles)]
    if events.all("session") and events.all("collected") and not events.collected and not troubles:
        found.append(Trouble("nothing-collected", "no case was found in the files and folders of the suite"))
    known = {*events.selected, *_deselected(events)}
    if events.all("collected"):
        skips = list(dict.fromkeys(f"{skip['node']}: {skip['message']}" for skip in events.all("collect-skipped")))
        why = f"; skipped while collecting: {names(skips)}" if skips else ""
        missing = [case for case in cases or () if case not in known]
        found += [Trouble("case-missing", f"{case} was not found{why}") for case in missing]
    return found


def _deselected(events: Events) -> list[str]:
    gone = dict.fromkeys(case for event in events.all("deselected") for case in event["ids"])
    return [case for case in gone if case not in events.selected]


def _hiding_troubles(events: Events, args: Sequence[str]) -> list[Trouble]:
    if any(word.startswith(SELECTING) for word in args):
        return []
    advice = "to run fewer cases on purpose, say so in the suite's args"
    hidden = list(dict.fromkeys(event["path"] for event in events.all("ignored")))
    troubles = (
        [Trouble("cases-deselected", f"the project's own options ignore {names(hidden)}; {advice}")] if hidden else []
    )
    gone = _deselected(events)
    if gone:
        troubles.append(
            Trouble("cases-deselected", f"the project's own options or plugins deselect {names(gone)}; {advice}")
        )
    return troubles


def _tree_troubles(events: Events) -> list[Trouble]:
    foreign = {file for event in events.all("end") for file in event["foreign"]}
    foreign |= {case for case in events.selected if case.startswith("/")}
    if not foreign:
        return []
    return [Trouble("wrong-tree", f"loaded from outside of the workspace: {names(sorted(foreign))}")]


def _outcomes(outcomes: set[Outcome]) -> str:
    return ", ".join(sorted(outcome.value for outcome in outcomes))


def names(items: Sequence[str]) -> str:
    """Return the items as a list for people, the first ``SHOWN`` of them."""
    more = len(items) - SHOWN
    return ", ".join(items[:SHOWN]) + (f" and {more} more" if more > 0 else "")


def tail(result: ProcessResult) -> str:
    """Return the last lines of what the process wrote to standard error, or else to standard output."""
    text = result.stderr.text.strip() or result.stdout.text.strip()
    return "\n".join(text.splitlines()[-20:])[-2000:] or "it printed nothing"
