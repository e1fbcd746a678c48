"""Owns the reading of a session's report: from JSON lines to cases and troubles."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from mutkit.harnesses.pytest_events import read_events
from mutkit.harnesses.pytest_observations import read_observations
from mutkit.model.case import CaseRecord, Outcome, SuiteRun, Trouble
from mutkit.model.describe import counted
from mutkit.model.ending import NotStarted, ProcessResult, TimedOut

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from mutkit.harnesses.pytest_events import Events

SELECTING = ("-k", "-m", "--deselect", "--ignore", "--lf", "--last-failed", "--sw", "--stepwise")
"""Words of the campaign's ``args`` that ask for fewer cases."""

SHOWN = 10
"""How many names a message lists before it says how many more there are."""


def read_run(
    result: ProcessResult,
    report: Path,
    observations: Path,
    *,
    cases: Sequence[str] | None,
    args: Sequence[str],
) -> SuiteRun:
    """Return facts and troubles of a run from its ``report`` and ``observations`` (which may be missing)."""
    events = read_events(_contents(report))
    recorded = _contents(observations)
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
        *_plugin_troubles(events),
        *(
            Trouble("case-unsettled", f"{case} ended differently in one run: {_outcomes(outcomes[case])}")
            for case in unsettled
        ),
        *unclaimed,
    ]
    return SuiteRun(result, tuple(records.values()), complete, tuple(troubles))


def _ending_troubles(
    result: ProcessResult, events: Events, unfinished: Sequence[str], *, complete: bool
) -> list[Trouble]:
    ending = result.ending
    if isinstance(ending, NotStarted):
        return [Trouble("suite-not-started", f"{result.argv[0]}: {ending}")]
    where = (
        f"while {names(events.running)} ran" if events.running else f"with {counted(len(unfinished), 'case')} not run"
    )
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
        reasons.append(f"{counted(events.broken, 'line')} of the report cannot be read")
    if events.unclaimed:
        unclaimed = names(list(dict.fromkeys(events.unclaimed)))
        reasons.append(f"phases were reported of cases that had not started: {unclaimed}")
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


def _plugin_troubles(events: Events) -> list[Trouble]:
    """Return what cases and plugins did to the session itself."""
    troubles = []
    if events.forked:
        cases = names(sorted({event["id"] for event in events.forked if event.get("id")})) or "a plugin"
        message = f"a forked child came back to the session, in {cases}; let it end in os._exit (no --forked)"
        troubles.append(Trouble("forked-session", message))
    changed = dict.fromkeys(
        f"{event['id']} ({event['when']}) {event['ended']}, and was made {event['said']}"
        for event in events.all("changed")
    )
    if changed:
        troubles.append(
            Trouble("outcome-changed", f"plugins or conftest files change outcomes: {names(list(changed))}")
        )
    twice = sorted(
        {case for event in events.all("collected") for case, count in Counter(event["ids"]).items() if count > 1}
    )
    if twice:
        troubles.append(Trouble("case-id-ambiguous", f"collected more than once under one id: {names(twice)}"))
    return troubles


def _contents(file: Path) -> bytes:
    """Return the bytes of a file; none where no such file can be read (a case may put anything in its place)."""
    try:
        return file.read_bytes() if file.is_file() else b""
    except OSError:
        return b""


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
