"""What is recorded of a call, and that it is readable however the call ended."""

from __future__ import annotations

import os
import socket
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING

from mutkit.hermetic import Script
from tests.mock_driving import call, last, start, wait_until

if TYPE_CHECKING:
    from mutkit.hermetic import MockCommands


def test_the_call_is_recorded(mock: MockCommands, tmp_path: Path) -> None:
    """Words (even bytes that are no text), folder, processes, named variables, standard input and its end."""
    mock.add("codex", Script().read_stdin().recording("CODEX_HOME", "NOT_SET"))
    child = subprocess.Popen(
        [b"codex", b"a b", b"", b"\xff\n"],
        env={"PATH": mock.path, "CODEX_HOME": "/h", "SECRET": "s"},
        cwd=tmp_path,
        stdin=subprocess.PIPE,
    )
    child.communicate(b"line\n\x00", timeout=30)
    [seen] = mock.calls("codex")
    assert seen.argv_bytes == (b"a b", b"", b"\xff\n")
    assert seen.argv[:2] == ("a b", "")
    assert (seen.cwd, seen.pid, seen.ppid) == (str(tmp_path), child.pid, os.getpid())
    assert seen.env == {"CODEX_HOME": "/h", "NOT_SET": None}
    assert (seen.stdin, seen.stdin_ended, seen.fds[0]) == (b"line\n\x00", True, "pipe")
    assert (seen.ended, seen.code) == ("exit", 0)


def test_a_line_of_standard_input_is_read_and_no_more(mock: MockCommands) -> None:
    """A mock server may answer between two lines of input."""
    with start(mock, Script().read_stdin("line").write("one\n").read_stdin("line").write("two\n")) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        child.stdin.write(b"1\n")
        child.stdin.flush()
        assert child.stdout.readline() == b"one\n"
        child.stdin.write(b"2\n")
        child.stdin.flush()
        assert child.stdout.readline() == b"two\n"
    assert (mock.calls("codex")[0].stdin, mock.calls("codex")[0].stdin_ended) == (b"1\n2\n", False)


def test_what_a_killed_mock_did_remains_readable(mock: MockCommands) -> None:
    """SIGKILL takes nothing of the record of the steps that are done, nor of the call itself."""
    with start(mock, Script().write("warning\n", to="stderr").write("ready\n").hang(), "x") as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"ready\n"
        child.kill()
    [seen] = mock.calls("codex")
    assert (seen.argv, seen.stderr_chunks, seen.ended, seen.code) == (("x",), (8,), "", None)


def test_a_record_that_was_cut_in_mid_line_is_read_up_to_there(mock: MockCommands) -> None:
    """A line without its newline is not counted."""
    call(mock, Script().write("x"), "word")
    [file] = (mock.folder / "calls").glob("*.call")
    whole = file.read_bytes()
    file.write_bytes(whole[: whole.index(b"('wrote'") + 5])
    [seen] = mock.calls("codex")
    assert (seen.argv, seen.chunks, seen.ended) == (("word",), (), "")


def test_calls_at_the_same_time_are_counted_once_each(mock: MockCommands) -> None:
    """Eight calls at once get the numbers 1 to 8."""
    mock.add("codex", Script().read_stdin())
    started = [subprocess.Popen(["codex"], env={"PATH": mock.path}, stdin=subprocess.PIPE) for _ in range(8)]
    for child in started:
        child.communicate(timeout=60)
    seen = mock.calls("codex")
    assert [one.number for one in seen] == [*range(1, 9)]
    assert {one.pid for one in seen} == {child.pid for child in started}


def test_the_surroundings_of_a_call_are_recorded(mock: MockCommands) -> None:
    """User, parent, descriptors beyond the streams, times, the answer and the step that were reached."""
    mock.add("codex", Script().answering(Script().on_call(2)).answering(Script().write("a").write("b").exit(2)))
    reader, writer = os.pipe()
    before = time.time()
    child = subprocess.Popen(["codex"], env={"PATH": mock.path}, pass_fds=(writer,), stdout=subprocess.DEVNULL)
    child.wait(30)
    after = time.time()
    os.close(reader)
    os.close(writer)
    seen = last(mock)
    assert seen.uid == os.getuid()
    assert seen.parent == Path("/proc/self/comm").read_text().rstrip("\n")
    assert seen.inherited == ((writer, "pipe"),)
    assert before <= seen.began <= after
    assert seen.seconds is not None
    assert seen.seconds < after - before
    assert (seen.answer, seen.step) == (1, "call[1].step[1]")


def test_the_kinds_of_descriptors_are_told_apart(mock: MockCommands, tmp_path: Path) -> None:
    """Pipe, sockets of each family, file, terminal, the null device, another device, closed."""
    mock.add("codex", Script())
    unix, other = socket.socketpair()
    datagrams, _ = pair = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    server = socket.create_server(("127.0.0.1", 0))
    tcp = socket.create_connection(server.getsockname())
    terminal, inside = os.openpty()
    with open(tmp_path / "f", "wb") as file, open("/dev/zero", "rb") as device, unix, other, server, tcp:
        for streams in ((unix, tcp, file), (subprocess.DEVNULL, inside, device), (datagrams, subprocess.PIPE, file)):
            numbers = [stream if isinstance(stream, int) else stream.fileno() for stream in streams]
            subprocess.Popen(
                ["codex"], env={"PATH": mock.path}, stdin=numbers[0], stdout=numbers[1], stderr=numbers[2]
            ).communicate(timeout=30)
        subprocess.run(["/bin/sh", "-c", "exec codex <&- >&- 2>&-"], env={"PATH": mock.path}, check=True)
    for one in pair:
        one.close()
    os.close(terminal)
    os.close(inside)
    assert [one.fds for one in mock.calls("codex")] == [
        ("unix socket", "tcp socket", "file"),
        ("null", "tty", "device"),
        ("socket", "pipe", "file"),
        ("closed", "closed", "closed"),
    ]


def test_a_chunk_in_which_a_mock_was_killed_is_told(mock: MockCommands) -> None:
    """Of a write that fills the pipe nobody can tell how much was taken: the record says which it was."""
    with start(mock, Script().write("first").repeat("x", 1_000_000)) as child:
        assert child.stdout is not None
        assert child.stdout.read(6) == b"firstx"
        child.kill()
    seen = last(mock)
    assert (seen.chunks, seen.unfinished, seen.step) == ((5,), (1, 1_000_000), "step[1]")


def test_a_line_of_which_a_part_came_is_recorded_while_the_mock_waits(mock: MockCommands) -> None:
    """What was read so far is in the record when the mock is killed."""
    with start(mock, Script().write("ready\n").read_stdin("line")) as child:
        assert child.stdout is not None
        assert child.stdin is not None
        assert child.stdout.readline() == b"ready\n"
        child.stdin.write(b"par")
        child.stdin.flush()
        wait_until(mock, lambda seen: seen.stdin == b"par")
        child.kill()
    assert (last(mock).stdin, last(mock).stdin_ended) == (b"par", False)


def test_a_long_line_of_input_is_read_in_full(mock: MockCommands) -> None:
    """More than a pipe holds in a line, and what follows is left to the next step."""
    line = b"x" * 200_000 + b"\n"
    call(mock, Script().read_stdin("line").expect(line="rest").expect(end=True), stdin=line + b"rest\n")
    assert (last(mock).stdin, last(mock).code) == (line + b"rest\n", 0)


def test_many_calls_are_numbered_in_their_order(mock: MockCommands) -> None:
    """The next free number is found without trying all; a foreign file in between is not overwritten."""
    mock.add("codex", Script().write("x"))
    record = mock.folder / "calls"
    for number in (*range(1, 40), 41):
        (record / f"codex.{number:05d}.call").write_text("('argv', ())\n")
    for _ in range(2):
        subprocess.run(["codex"], env={"PATH": mock.path}, capture_output=True, check=True)
    assert [one.number for one in mock.calls("codex") if one.chunks] == [40, 42]


def test_a_mock_that_cannot_record_does_nothing_but_say_so(mock: MockCommands) -> None:
    """Without its record no call would be seen: exit 98 before any output."""
    mock.add("codex", Script().write("x"))
    (mock.folder / "calls").rmdir()
    done = subprocess.run(["codex"], env={"PATH": mock.path}, capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (98, b"")
    assert b"no record" in done.stderr
