"""How mock children end, and what signals and readers that leave do."""

from __future__ import annotations

import os
import select
import signal
import subprocess
from pathlib import Path
from typing import Literal

import pytest

from mutkit.hermetic import MockCommands, Script
from tests.mock_driving import call, last, read_all, start


@pytest.mark.parametrize(
    ("reaction", "code", "ended"),
    [("die", -signal.SIGTERM, ("signal", signal.SIGTERM)), (7, 7, ("exit", 7))],
)
def test_a_signal_is_recorded_and_does_what_the_script_says(
    mock: MockCommands,
    reaction: int,
    code: int,
    ended: tuple[str, int],
) -> None:
    """SIGTERM ends a hanging mock by the signal, or with an exit code."""
    with start(mock, Script().write("ready\n").hang().on_signal("TERM", reaction)) as child:
        assert child.stdout is not None
        child.stdout.readline()
        child.terminate()
        assert child.wait(30) == code
    [seen] = mock.calls("codex")
    assert (seen.signals, seen.ended, seen.code) == ((signal.SIGTERM,), *ended)


def test_a_mock_can_ignore_a_signal(mock: MockCommands) -> None:
    """An ignored SIGINT is recorded, and the mock goes on: the SIGTERM behind it is what ends it."""
    with start(mock, Script().write("ready\n").hang().on_signal("INT", "ignore").on_signal("TERM", 1)) as child:
        assert child.stdout is not None
        child.stdout.readline()
        child.send_signal(signal.SIGINT)  # of two that wait, Python handles the lower number first
        child.terminate()
        assert child.wait(30) == 1
    assert mock.calls("codex")[0].signals == (signal.SIGINT, signal.SIGTERM)


@pytest.mark.parametrize("name", ["KILL", "SEGV", "SIGTERM"])
def test_a_mock_can_die_by_a_signal_of_its_own(mock: MockCommands, name: str) -> None:
    """The parent sees a death by that signal, after the output."""
    number = signal.Signals["SIG" + name.removeprefix("SIG")]
    done = call(mock, Script().write("half").kill(name))
    assert (done.returncode, done.stdout) == (-number, b"half")
    assert (mock.calls("codex")[0].ended, mock.calls("codex")[0].code) == ("signal", number)


def test_a_mock_can_close_its_output_and_live_on(mock: MockCommands) -> None:
    """The reader sees the end of the output while the process still runs."""
    with start(mock, Script().write("all").close("stdout").hang()) as child:
        assert child.stdout is not None
        assert child.stdout.read() == b"all"
        assert child.poll() is None
        child.kill()


def test_a_grandchild_keeps_the_output_open_after_the_exit(mock: MockCommands) -> None:
    """The mock is gone, its output has no end until the grandchild is."""
    with start(mock, Script().write("x").grandchild(300).exit(0)) as child:
        assert child.stdout is not None
        assert child.wait(30) == 0
        assert os.read(child.stdout.fileno(), 10) == b"x"
        os.set_blocking(child.stdout.fileno(), False)
        with pytest.raises(BlockingIOError):
            os.read(child.stdout.fileno(), 10)
        os.set_blocking(child.stdout.fileno(), True)
        mock.end()
        assert os.read(child.stdout.fileno(), 10) == b""


def test_leaving_the_context_ends_what_still_runs(tmp_path: Path) -> None:
    """A mock that hangs and ignores SIGTERM does not outlive its test."""
    with MockCommands(tmp_path / "mock", check=False) as mock:
        child = start(mock, Script().write("ready\n").hang().on_signal("TERM", "ignore"))
        assert child.stdout is not None
        child.stdout.readline()
    assert child.wait(30) == -signal.SIGKILL
    child.communicate()


@pytest.mark.parametrize("name", ["HUP", "INT", "QUIT", "TERM", "USR1", "USR2"])
def test_every_signal_that_a_script_may_name_is_recorded(mock: MockCommands, name: str) -> None:
    """With the time at which it came; the exit code is the script's."""
    number = signal.Signals[f"SIG{name}"]
    with start(mock, Script().write("ready\n").hang().on_signal(name, 40)) as child:  # type: ignore[arg-type]
        assert child.stdout is not None
        child.stdout.readline()
        child.send_signal(number)
        assert child.wait(30) == 40
    [when] = last(mock).signal_times
    assert last(mock).signals == (number,)
    assert 0 < when <= (last(mock).seconds or 0)


def test_a_signal_in_the_middle_of_a_long_write_loses_nothing_of_the_record(mock: MockCommands) -> None:
    """A thousand chunks and more are written when it comes: the record has as many as were read."""
    with start(mock, Script().repeat("x", 1_000_000, chunk=1, pace="exact").on_signal("TERM", 9)) as child:
        assert child.stdout is not None
        for _ in range(1500):
            assert os.read(child.stdout.fileno(), 65536) == b"x"
        child.terminate()
        read = 1500 + len(b"".join(read_all(child.stdout.fileno())))
        assert child.wait(30) == 9
    seen = last(mock)
    assert sum(seen.chunks) == read
    assert [(one.chunks, one.planned, one.complete) for one in seen.exact] == [(read, 1_000_000, False)]


@pytest.mark.parametrize("at_end", [None, 0, 5])
def test_a_hanging_mock_honours_or_ignores_the_end_of_its_input(mock: MockCommands, at_end: int | None) -> None:
    """With a code it ends by it and has recorded the input, without it only a signal ends it."""
    with start(mock, Script().write("ready\n").hang(at_end)) as child:
        assert child.stdout is not None
        assert child.stdin is not None
        child.stdout.readline()
        child.stdin.write(b"in")
        child.stdin.close()
        if at_end is None:
            with pytest.raises(subprocess.TimeoutExpired):
                child.wait(0.2)
            child.terminate()
            assert child.wait(30) == -signal.SIGTERM
        else:
            assert child.wait(30) == at_end
            assert (last(mock).stdin, last(mock).stdin_ended) == (b"in", True)
    assert last(mock).hangs


@pytest.mark.parametrize(
    ("reaction", "code", "ended"),
    [(96, 96, "reader-gone"), (3, 3, "reader-gone"), ("die", -signal.SIGPIPE, "signal"), ("ignore", 7, "exit")],
)
@pytest.mark.parametrize("pace", ["none", "exact"])
def test_a_reader_that_leaves_is_answered_as_the_script_says(
    mock: MockCommands, reaction: Literal["die", "ignore"] | int, code: int, ended: str, pace: Literal["none", "exact"]
) -> None:
    """By an exit code, by SIGPIPE as most programs, or by going on with the next step."""
    script = Script().read_stdin("line").write("lost", pace=pace, chunk=1).write("said", to="stderr").exit(7)
    with start(mock, script.on_reader_gone(reaction)) as child:
        assert child.stdout is not None
        assert child.stdin is not None
        assert child.stderr is not None
        child.stdout.close()
        child.stdin.write(b"\n")
        child.stdin.flush()
        assert child.wait(30) == code
        said = child.stderr.read()
    assert (last(mock).ended, last(mock).reader_gone) == (ended, (1,))
    assert said == {"die": b"", "ignore": b"said"}.get(str(reaction), b"mock codex: the reader has closed stdout\n")


def test_dying_by_a_fault_leaves_no_core_file(mock: MockCommands, tmp_path: Path) -> None:
    """The parent sees the signal, and that no memory was dumped."""
    import resource

    mock.add("codex", Script().kill("SEGV"))
    before = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (before[1], before[1]))
    try:
        child = os.posix_spawn(f"{mock.path}/codex", ["codex"], {"PATH": mock.path})
    finally:
        resource.setrlimit(resource.RLIMIT_CORE, before)
    _, status = os.waitpid(child, 0)
    assert (os.WTERMSIG(status), os.WCOREDUMP(status)) == (signal.SIGSEGV, False)


@pytest.mark.parametrize("held", ["stderr", "stdin"])
def test_a_grandchild_can_hold_any_stream(mock: MockCommands, held: Literal["stderr", "stdin"]) -> None:
    """The one it holds stays open, the others end with the mock."""
    with start(mock, Script().grandchild(300, held)) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        assert child.stderr is not None
        assert child.wait(30) == 0
        assert child.stdout.read() == b""
        if held == "stderr":
            os.set_blocking(child.stderr.fileno(), False)
            assert child.stderr.read() is None

            with pytest.raises(BrokenPipeError):
                os.write(child.stdin.fileno(), b"x")
        else:
            assert child.stderr.read() == b""
            assert os.write(child.stdin.fileno(), b"x") == 1
        mock.end()


def test_a_grandchild_holds_nothing_else_that_the_mock_was_started_with(mock: MockCommands) -> None:
    """Other descriptors of its parent would stay open as long as it lives, and nobody could say why."""
    mock.add("codex", Script().grandchild(300))
    reader, writer = os.pipe()
    child = subprocess.Popen(["codex"], env={"PATH": mock.path}, pass_fds=(writer,), stdout=subprocess.DEVNULL)
    os.close(writer)
    assert child.wait(30) == 0
    assert select.select([reader], [], [], 30)[0]
    assert os.read(reader, 1) == b""
    os.close(reader)
