"""Owns the tests of reading a report: what a run amounts to, whatever happened to its process."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from mutkit.harnesses.pytest_events import read_events
from mutkit.harnesses.pytest_report import read_run
from mutkit.model.ending import Capture, Exited, Lost, NotStarted, ProcessResult, Signalled, TimedOut

if TYPE_CHECKING:
    from pathlib import Path

    from mutkit.model.case import SuiteRun
    from mutkit.model.ending import Ending

WELL = Exited(0)
FACTS = {"exception": "", "message": "", "place": "", "duration": 0.5, "observed": 0, "part": False}


def phases(case: str, call: str = "passed", pid: int = 1, observed: int = 0) -> list[dict[str, Any]]:
    """Return the events of one case with the outcome of its call."""
    whole = [{"event": "start", "pid": pid, "id": case, "observed": 0}]
    for when in ("setup", "call", "teardown"):
        outcome = call if when == "call" else "passed"
        phase = {**FACTS, "event": "phase", "pid": pid, "id": case, "when": when, "outcome": outcome}
        whole.append(phase | {"observed": observed})
    return whole


def session(*inside: list[dict[str, Any]], ids: tuple[str, ...], status: int = 0, **end: Any) -> list[dict[str, Any]]:
    """Return the events of a session around those of its cases."""
    start = {"event": "session", "pid": 1, "worker": ""}
    collected = {"event": "collected", "pid": 1, "total": len(ids), "ids": list(ids)}
    last = {"event": "end", "pid": 1, "worker": "", "status": status, "stopped": "", "foreign": [], **end}
    return [start, collected, *(event for events in inside for event in events), last]


def read(
    tmp_path: Path,
    events: list[Any],
    ending: Ending = WELL,
    observations: bytes = b"",
    args: tuple[str, ...] = (),
) -> SuiteRun:
    """Write the report and return what it is read as."""
    report, observed = tmp_path / "report", tmp_path / "observations"
    lines = [event if isinstance(event, str) else json.dumps(event) for event in events]
    report.write_text("".join(f"{line}\n" for line in lines))
    observed.write_bytes(observations)
    result = ProcessResult(("python",), ending, Capture(), Capture(b"last words", 10), 1.0)
    return read_run(result, report, observed, cases=None, args=args)


def slugs(run: SuiteRun) -> list[str]:
    """Return the slugs of a run's troubles."""
    return [trouble.slug for trouble in run.troubles]


def test_a_whole_report_is_full_evidence(tmp_path: Path) -> None:
    """A session with all its cases is complete and without trouble; durations are added up."""
    run = read(tmp_path, session(phases("a"), phases("b", "failed"), ids=("a", "b")), Exited(1))
    assert run.complete
    assert not run.troubles
    assert [(case.id, case.outcome.value, case.duration) for case in run.cases] == [
        ("a", "passed", 1.5),
        ("b", "failed", 1.5),
    ]


@pytest.mark.parametrize("drop", range(1, 5))
def test_a_report_that_lacks_a_line_is_never_complete(tmp_path: Path, drop: int) -> None:
    """Without the collected ids, a start, a last phase or the end, the run is no full evidence."""
    events = session(phases("a"), ids=("a",))
    needed = [event for event in events if event.get("when") not in ("setup", "call")]
    events.remove(needed[drop])
    run = read(tmp_path, events)
    assert not run.complete
    assert slugs(run)


def test_a_torn_line_makes_the_report_incomplete(tmp_path: Path) -> None:
    """What cannot be read is not passed over in silence."""
    run = read(tmp_path, [*session(phases("a"), ids=("a",)), '{"event": "pha'])
    assert not run.complete
    assert slugs(run) == ["report-cut-short"]


def test_a_second_attempt_that_never_ended_makes_the_run_incomplete(tmp_path: Path) -> None:
    """The first attempt's outcome does not stand for the one that was cut off."""
    again = [{"event": "start", "pid": 1, "id": "a", "observed": 0}]
    run = read(tmp_path, session(phases("a"), again, ids=("a",)))
    assert not run.complete
    assert "while a ran" in run.troubles[0].message


@pytest.mark.parametrize("status", [2, 3, 4])
def test_a_session_that_broke_off_is_incomplete_though_no_case_is_open(tmp_path: Path, status: int) -> None:
    """Interrupted, internal error and usage error are no ends."""
    run = read(tmp_path, session(ids=(), status=status))
    assert not run.complete
    assert "report-cut-short" in slugs(run)


@pytest.mark.parametrize(
    ("ending", "slug"),
    [
        (NotStarted("no such file"), "suite-not-started"),
        (TimedOut(2.0), "suite-timed-out"),
        (Exited(1), "report-missing"),
        (Signalled(9), "report-missing"),
        (Lost("the supervisor vanished"), "report-missing"),
    ],
)
def test_an_empty_report_is_named_after_the_end_of_the_process(tmp_path: Path, ending: Ending, slug: str) -> None:
    """Nothing was reported: how the process ended tells why."""
    run = read(tmp_path, [], ending)
    assert slugs(run) == [slug]
    assert not run.complete


def test_a_hang_after_the_last_case_is_a_time_out_of_a_complete_session(tmp_path: Path) -> None:
    """All cases ended, the process did not: both are said."""
    run = read(tmp_path, session(phases("a"), ids=("a",)), TimedOut(9.0))
    assert run.complete
    assert "after its last case" in run.troubles[0].message


def test_the_end_of_an_xdist_worker_is_not_the_end_of_the_session(tmp_path: Path) -> None:
    """Only the process that started the workers can say that all is done."""
    run = read(tmp_path, session(phases("a"), ids=("a",), worker="gw0"), Signalled(9))
    assert not run.complete
    assert "SIGKILL" in run.troubles[0].message


def test_a_line_of_another_program_while_two_cases_ran_is_claimed_by_none(tmp_path: Path) -> None:
    """With two cases under way there is no telling whose it is; a line with an id is sure."""
    lines = b'{"value": 1}\n{"case": "b", "value": 2}\n'
    workers = [{"event": "session", "pid": pid, "worker": f"gw{pid}"} for pid in (2, 3)]
    first, second = (phases(case, pid=pid, observed=len(lines)) for case, pid in (("a", 2), ("b", 3)))
    events = session(workers, first, second, ids=("a", "b"))
    run = read(tmp_path, events, observations=lines)
    assert [case.observed for case in run.cases] == [(), (2,)]
    assert slugs(run) == ["observation-unclaimed"]


def test_deselection_that_the_campaign_asked_for_is_no_trouble(tmp_path: Path) -> None:
    """``-k`` in the campaign's words explains missing cases; other words do not."""
    events = session(phases("a"), ids=("a",))
    events.insert(1, {"event": "deselected", "pid": 1, "ids": ["b"]})
    assert slugs(read(tmp_path, events, args=("-q",))) == ["cases-deselected"]
    assert slugs(read(tmp_path, events, args=("-kx",))) == []


def whens(*words: str) -> list[dict[str, Any]]:
    """Return the events of case ``a`` with these phases, each ``when`` or ``when outcome`` (else passed)."""
    start = {"event": "start", "pid": 1, "id": "a", "observed": 0}
    parts = [word.partition(" ") for word in words]
    common = {**FACTS, "event": "phase", "pid": 1, "id": "a"}
    return [start, *({**common, "when": when, "outcome": outcome or "passed"} for when, _, outcome in parts)]


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("setup",),
        ("setup", "call"),
        ("setup", "teardown"),
        ("call", "teardown"),
        ("teardown",),
        ("setup", "teardown", "call"),
        ("setup", "teardown", "call", "teardown"),
        ("setup", "call", "teardown", "call"),
        ("setup", "call", "call", "teardown"),
        ("setup failed", "call", "teardown"),
        ("setup skipped", "call", "teardown"),
    ],
)
def test_a_case_whose_phases_do_not_fit_together_has_not_ended(tmp_path: Path, words: tuple[str, ...]) -> None:
    """A call that is missing, a phase too many or out of order: no outcome, above all not a pass."""
    run = read(tmp_path, session(whens(*words), ids=("a",)))
    assert not run.cases
    assert not run.complete
    assert slugs(run) == ["report-cut-short"]


@pytest.mark.parametrize(
    ("words", "outcome"),
    [
        (("setup failed", "teardown"), "error"),
        (("setup skipped", "teardown"), "skipped"),
        (("setup", "call", "teardown failed"), "error"),
        (("setup", "call skipped", "teardown"), "skipped"),
    ],
)
def test_a_case_without_a_call_ends_as_its_set_up(tmp_path: Path, words: tuple[str, ...], outcome: str) -> None:
    """A set-up that did not pass has no call; that is a whole case."""
    run = read(tmp_path, session(whens(*words), ids=("a",)))
    assert [case.outcome.value for case in run.cases] == [outcome]
    assert run.complete


def test_a_phase_of_a_case_that_has_not_started_is_broken_evidence(tmp_path: Path) -> None:
    """A failure under another id (or that of another process) is not passed over."""
    stray = whens("call failed")[1] | {"id": "b"}
    run = read(tmp_path, session(phases("a"), [stray], ids=("a",)))
    assert not run.complete
    assert run.troubles[0].message.endswith("phases were reported of cases that had not started: b")


PHASE = {**FACTS, "event": "phase", "pid": 1, "id": "a", "when": "call", "outcome": "passed"}
END = {"event": "end", "pid": 1, "worker": "", "status": 0, "stopped": "", "foreign": []}
WHOLE: list[dict[str, Any]] = [
    PHASE,
    END,
    {"event": "session", "pid": 1, "worker": ""},
    {"event": "start", "pid": 1, "id": "a", "observed": 0},
    {"event": "collected", "pid": 1, "total": 1, "ids": ["a"]},
    {"event": "deselected", "pid": 1, "ids": ["a"]},
    {"event": "ignored", "pid": 1, "path": "a"},
    {"event": "changed", "pid": 1, "id": "a", "when": "call", "ended": "failed", "said": "passed"},
    {"event": "collect-error", "pid": 1, "path": "a", "exception": "E", "message": "", "place": ""},
    {"event": "collect-skipped", "pid": 1, "node": "a", "message": ""},
    {"event": "interrupted", "pid": 1, "exception": "E", "message": "", "place": ""},
    {"event": "internal-error", "pid": 1, "exception": "E", "message": "", "place": ""},
    {"event": "forked", "pid": 1, "id": "a"},
]


@pytest.mark.parametrize("event", WHOLE, ids=lambda event: event["event"])
def test_a_line_that_lacks_what_its_kind_needs_is_broken(event: dict[str, Any]) -> None:
    """Each key is needed, and of its type; whole lines are not broken."""
    assert read_events(json.dumps(event).encode()).broken == 0
    for key in event:
        for wrong in ({k: v for k, v in event.items() if k != key}, {**event, key: None}, {**event, key: [1]}):
            assert read_events(json.dumps(wrong).encode()).broken == 1, wrong


@pytest.mark.parametrize(
    "line",
    [
        json.dumps({**PHASE, "outcome": "retried"}),
        json.dumps({**PHASE, "when": "later"}),
        json.dumps({**PHASE, "duration": float("nan")}),
        json.dumps(PHASE).replace("0.5", "1e999"),
        json.dumps({**END, "event": "no such kind"}),
        "[" * 100_000,
        "[1]",
        "7",
        "\xff",
    ],
)
def test_a_line_that_is_no_event_makes_the_report_incomplete(tmp_path: Path, line: str) -> None:
    """Whatever a program writes there, it is counted, and never the end of the reader."""
    run = read(tmp_path, session(phases("a"), [line], ids=("a",)))  # type: ignore[list-item]
    assert not run.complete
    assert slugs(run) == ["report-cut-short"]


def test_lines_of_processes_that_began_no_session_are_told_and_do_not_count(tmp_path: Path) -> None:
    """A forked child that runs the rest of the session: neither its cases nor its end are the session's."""
    *events, _ = session(phases("a"), phases("b", pid=2), ids=("a", "b"))
    run = read(tmp_path, [*events, {**END, "pid": 2}])
    assert [case.id for case in run.cases] == ["a"]
    assert not run.complete
    assert slugs(run) == ["report-cut-short", "forked-session"]


def test_a_conftest_file_that_cannot_be_loaded_is_no_forked_session(tmp_path: Path) -> None:
    """An xdist worker gives up before its session starts: that is a failed collection."""
    failed = {"event": "collect-error", "pid": 2, "path": "conftest.py", "exception": "E", "message": "", "place": ""}
    assert slugs(read(tmp_path, session([failed], phases("a"), ids=("a",)))) == ["collection-failed"]


def test_one_id_in_several_workers_is_no_ambiguity(tmp_path: Path) -> None:
    """Each xdist worker collects all cases; only one collection that has an id twice is ambiguous."""
    again = {"event": "collected", "pid": 1, "total": 1, "ids": ["a"]}
    assert slugs(read(tmp_path, session([again], phases("a"), ids=("a",)))) == []
    assert slugs(read(tmp_path, session(phases("a"), phases("a"), ids=("a", "a")))) == ["case-id-ambiguous"]
    assert slugs(read(tmp_path, session(phases("a"), phases("a"), ids=("a",)))) == []
