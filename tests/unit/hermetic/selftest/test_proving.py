"""Owns the tests of the self-test's rows: with every reader on this machine, and with readers that do it wrong."""

from __future__ import annotations

import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from mutkit.errors import ExitCode, UsageError
from mutkit.hermetic import selftest
from mutkit.hermetic.selftest import readers_node
from mutkit.hermetic.selftest.reading import Collected, Reader, Reading, Task, started
from mutkit.hermetic.selftest.running import conclusion, planned, readers

EACH_BYTE = selftest.MODES[0]
BY_NAME = {reader.name: reader for reader in readers()}
SIZE = 300


@pytest.mark.parametrize("name", list(BY_NAME))
def test_every_reader_here_gets_each_write_as_it_was_written(name: str, tmp_path: Path) -> None:
    """Every way to cut: one read for each write, as many proofs, and no byte lost; where readers glue, none lost."""
    reader = BY_NAME[name]
    rows = [selftest.prove(*row, SIZE, tmp_path / str(at)) for at, row in enumerate(planned([name]))]
    if reader.needs and shutil.which(reader.needs) is None:
        assert {row.state for row in rows} == {selftest.State.ABSENT}
        pytest.skip(f"{reader.needs} is not on this machine")
    assert [(row.mode, row.reason) for row in rows if row.state is selftest.State.BROKEN] == []
    assert {row.state for row in rows} <= {selftest.State.HOLDS, selftest.State.ABSENT}
    for row in rows:
        if row.state is selftest.State.HOLDS and reader.sees_reads and not reader.refused:
            assert row.reads == row.writes == row.proofs > 1
    absent = [row.mode for row in rows if row.state is selftest.State.ABSENT]
    assert absent == (["65,536 bytes"] if reader.descriptor == "unix socket" else [])


def _late(task: Task) -> Reading:
    """Read when the mock has ended: what it wrote without waiting has come together."""
    got = Collected()
    with started(task, bufsize=0) as (process, watch):
        assert process.stdout is not None
        process.wait()
        while piece := os.read(process.stdout.fileno(), 65536):
            got.add(piece)
    return got.reading(watch)


def test_without_pacing_merged_writes_are_reported(tmp_path: Path) -> None:
    """The test can fail: 300 writes that nobody paced are one read, of which 299 boundaries are missing."""
    row = selftest.prove(Reader("late", "pipe", _late), EACH_BYTE, SIZE, tmp_path / "row", pace="none")
    assert (row.state, row.writes, row.reads, row.proofs) == (selftest.State.BROKEN, SIZE, 1, 0)
    assert (row.difference.merged, row.difference.lost) == (SIZE - 1, 0)
    assert row.reason == "299 writes merged with the next"


def _spoilt(change: object) -> Reader:
    """Return os.read with its reads changed."""
    good = BY_NAME["os.read"]

    def read(task: Task) -> Reading:
        whole = good.read(task)
        pieces = [whole.data[at : at + 1] for at in range(len(whole.data))]
        change(pieces)  # type: ignore[operator]
        return Reading(b"".join(pieces), tuple(map(len, pieces)))

    return replace(good, read=read)


def test_a_reader_that_drops_a_byte_is_found_out(tmp_path: Path) -> None:
    """One byte of 300 is missing in the middle, and only that is reported."""
    row = selftest.prove(_spoilt(lambda pieces: pieces.pop(150)), EACH_BYTE, SIZE, tmp_path / "row")
    assert (row.state, row.difference.lost, row.difference.merged) == (selftest.State.BROKEN, 1, 0)
    assert row.reason == "1 byte lost"


def test_a_reader_that_changes_a_byte_is_found_out(tmp_path: Path) -> None:
    """No byte is missing, but one is another."""
    row = selftest.prove(
        _spoilt(lambda pieces: pieces.__setitem__(7, bytes([pieces[7][0] ^ 1]))), EACH_BYTE, SIZE, tmp_path / "row"
    )
    assert (row.state, row.reason) == (selftest.State.BROKEN, "1 byte altered")


def test_a_reader_that_glues_by_design_may_not_lose_a_byte(tmp_path: Path) -> None:
    """Merging is its nature, losing is not."""
    gluing = replace(_spoilt(lambda pieces: pieces.pop()), sees_reads=False, glues="it is its nature")
    row = selftest.prove(gluing, EACH_BYTE, SIZE, tmp_path / "row")
    assert (row.state, row.reason) == (selftest.State.BROKEN, "1 byte lost")


def test_a_mock_that_writes_where_it_must_refuse_is_found_out(tmp_path: Path) -> None:
    """A file has no reads: a mock that writes there and calls it exact would lie."""
    row = selftest.prove(BY_NAME["a file"], EACH_BYTE, SIZE, tmp_path / "row", pace="none")
    assert row.state is selftest.State.BROKEN
    assert "must refuse" in row.reason


def test_another_descriptor_than_the_row_says_is_no_proof(tmp_path: Path) -> None:
    """A row that says socket and used a pipe proves nothing about sockets."""
    row = selftest.prove(replace(BY_NAME["os.read"], descriptor="unix socket"), EACH_BYTE, SIZE, tmp_path / "row")
    assert (row.state, row.reason) == (selftest.State.BROKEN, "the mock's standard output was a pipe")


def _stuck(task: Task) -> Reading:
    """Read one byte, then wait for a mock that waits for the next read."""
    got = Collected()
    with started(replace(task, seconds=0.3), bufsize=0) as (process, watch):
        assert process.stdout is not None
        got.add(os.read(process.stdout.fileno(), 1))
        process.wait()
    return got.reading(watch)


def test_what_does_not_come_to_its_end_is_killed_and_told(tmp_path: Path) -> None:
    """A reader that stops reading does not hold up the self-test for ever."""
    row = selftest.prove(Reader("stuck", "pipe", _stuck), EACH_BYTE, SIZE, tmp_path / "row")
    assert row.state is selftest.State.BROKEN
    assert "it did not come to its end and was killed" in row.reason


def test_what_cannot_be_run_has_its_reason(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Without Node its rows are listed as not run; alone they prove nothing, which is exit 71."""
    monkeypatch.setenv("PATH", str(tmp_path))
    rows = [
        selftest.prove(*row, SIZE, tmp_path / str(at)) for at, row in enumerate(planned(["node data", "node stdin"]))
    ]
    assert {(row.state, row.reason) for row in rows} == {(selftest.State.ABSENT, "node is not on PATH")}
    code, words = conclusion(rows)
    assert (code, words) == (ExitCode.HOST, f"nothing could be proved on this machine: {len(rows)} not run")


def test_a_mock_that_cannot_be_started_is_no_finding_about_boundaries(tmp_path: Path) -> None:
    """The machine does not let it be tried: that is exit 71, and not merged or lost bytes."""

    def read(task: Task) -> Reading:
        return BY_NAME["os.read"].read(replace(task, argv=("/nowhere/mock",)))

    row = selftest.prove(replace(BY_NAME["os.read"], read=read), EACH_BYTE, SIZE, tmp_path / "row")
    assert row.state is selftest.State.CANNOT
    assert conclusion([row])[0] is ExitCode.HOST
    broken = replace(row, state=selftest.State.BROKEN)
    assert conclusion([row, broken])[0] is ExitCode.FINDINGS, "a finding is worth more than what could not be tried"


def test_an_unknown_reader_is_refused_with_all_names() -> None:
    """The message has what can be asked for."""
    with pytest.raises(UsageError, match=r"no reader has the name fgets; there are: os\.read, .*node stdin") as caught:
        planned(["os.read", "fgets"])
    assert caught.value.slug == "reader-unknown"
    assert readers_node.NODE in {reader.needs for reader in readers()}
