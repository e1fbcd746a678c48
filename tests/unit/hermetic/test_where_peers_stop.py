"""What stand-ins for commands are asked for and elsewhere cannot do; docs/hermetic.md has a row for each."""

from __future__ import annotations

import asyncio
import os
import selectors
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from mutkit.hermetic import MockCommands, Script

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def mocks(tmp_path: Path) -> Iterator[MockCommands]:
    """Return mock commands, checked when the test is over."""
    with MockCommands(tmp_path / "mocks") as commands:
        yield commands


def test_the_output_is_a_real_descriptor_that_selectors_wait_for(mocks: MockCommands) -> None:
    """Nothing is ready before the mock writes; then exactly one chunk is, and another only when that is read."""
    mocks.add("codex", Script().read_stdin("line").write("abcd", chunk=2, pace="exact"))
    with (
        subprocess.Popen(["codex"], env={"PATH": mocks.path}, stdin=-1, stdout=-1, bufsize=0) as child,
        selectors.DefaultSelector() as selector,
    ):
        assert child.stdin is not None
        assert child.stdout is not None
        selector.register(child.stdout, selectors.EVENT_READ)
        assert selector.select(0) == []
        child.stdin.write(b"go\n")
        reads: list[bytes] = []
        while not reads or reads[-1]:
            assert selector.select(30)
            reads.append(os.read(child.stdout.fileno(), 4096))
    assert reads == [b"ab", b"cd", b""]
    mocks.calls("codex").assert_exact()


def test_asyncio_reads_lines_while_the_child_runs_and_sees_its_end(mocks: MockCommands) -> None:
    """``readline`` returns each line when it is there; both streams are streams; the wait ends."""
    script = Script().write("one\n").write("err\n", to="stderr").read_stdin("line").write("two").exit(3)
    mocks.add("codex", script)

    async def talk() -> tuple[bytes, bytes, bytes, bytes, int]:
        pipe = subprocess.PIPE
        env = {"PATH": mocks.path}
        child = await asyncio.create_subprocess_exec("codex", env=env, stdin=pipe, stdout=pipe, stderr=pipe)
        assert child.stdin
        assert child.stdout
        assert child.stderr
        first, error = await child.stdout.readline(), await child.stderr.readline()
        child.stdin.write(b"go\n")
        last, end = await child.stdout.readline(), await child.stdout.read()
        return first, error, last, end, await child.wait()

    assert asyncio.run(asyncio.wait_for(talk(), 60)) == (b"one\n", b"err\n", b"two", b"", 3)


def test_whatever_way_a_program_starts_it_the_mock_is_what_runs(mocks: MockCommands) -> None:
    """A search of the path, a shell, ``posix_spawn`` and ``exec`` in a child of a child find it."""
    mock = mocks.add("codex", Script().exit(7))
    env = {"PATH": mocks.path}
    assert shutil.which("codex", path=mocks.path) == str(mock.path)
    assert subprocess.run(["/bin/sh", "-c", "codex from-sh; exit $?"], env=env, check=False).returncode == 7
    assert os.waitpid(os.posix_spawnp(str(mock.path), ["codex", "spawned"], env), 0)[1] == 7 << 8
    code = "import os; os.execvp('codex', ['codex', 'deeper'])"
    assert subprocess.run([sys.executable, "-ISc", code], env=env, check=False).returncode == 7
    mock.calls.assert_argv([["from-sh"], ["spawned"], ["deeper"]])


def test_time_limits_and_kills_of_the_program_are_real(mocks: MockCommands) -> None:
    """A mock that hangs runs into ``timeout=``, and ends when it is killed, by the signal."""
    mocks.add("codex", Script().write("so far").hang())
    with subprocess.Popen(["codex"], env={"PATH": mocks.path}, stdout=-1, bufsize=0) as child:
        assert child.stdout is not None
        assert child.stdout.read(6) == b"so far"
        with pytest.raises(subprocess.TimeoutExpired):
            child.wait(timeout=0.01)
        child.kill()
        assert child.wait(30) == -signal.SIGKILL


def test_standard_input_is_captured_however_it_is_written(mocks: MockCommands) -> None:
    """Written in pieces to the pipe, with bytes that are no text, up to an end that was seen."""
    mock = mocks.add("codex", Script().read_stdin())
    with subprocess.Popen(["codex"], env={"PATH": mocks.path}, stdin=-1, bufsize=0) as child:
        assert child.stdin is not None
        for piece in (b"one\r\n", b"\xff\x00", b"\xe2\x82"):
            child.stdin.write(piece)
        child.stdin.close()
    mock.calls.assert_stdin(b"one\r\n\xff\x00\xe2\x82", ended=True)


def test_environment_and_working_directory_are_asserted(mocks: MockCommands, tmp_path: Path) -> None:
    """As the child had them: a variable that was not handed on is told from one that was empty."""
    mock = mocks.add("codex", Script().recording("HOME", "EMPTY", "GONE"))
    env = {"PATH": mocks.path, "HOME": "/somewhere", "EMPTY": ""}
    subprocess.run(["codex"], env=env, cwd=tmp_path, check=True)
    mock.calls.assert_env({"HOME": "/somewhere", "EMPTY": "", "GONE": None})
    mock.calls.assert_cwd(tmp_path)
    with pytest.raises(AssertionError, match="GONE was not set instead of"):
        mock.calls.assert_env({"GONE": "x"})


def test_an_unexpected_call_fails_when_it_is_made(tmp_path: Path) -> None:
    """The program gets exit code 97 and the nearest expectation at once, so its own traceback shows the guilty call."""
    with MockCommands(tmp_path, check=False) as mocks:
        script = Script().answering(Script().expecting("exec", "--json", "**")).answering(Script().expecting("login"))
        mocks.add("codex", script)
        done = subprocess.run(
            ["codex", "exec", "--jsno", "hi"], env={"PATH": mocks.path}, capture_output=True, check=False
        )
    assert done.returncode == 97
    assert done.stdout == b""
    assert b"'--json'" in done.stderr
    assert b"'--jsno'" in done.stderr


def test_words_are_kept_apart(mocks: MockCommands) -> None:
    """Blanks, newlines, empty words, and bytes that are no text are what they were."""
    mock = mocks.add("codex", Script())
    words: list[str | bytes] = ["two words", "", "a\nb", "*", b"\xff"]
    subprocess.run(["codex", *words], env={"PATH": mocks.path}, check=True)
    mock.calls.assert_argv([words])


def test_signals_are_received_recorded_and_answered_as_scripted(mocks: MockCommands) -> None:
    """The first is ignored, the second ends it with an exit code of the script's choice."""
    mock = mocks.add("codex", Script().on_signal("INT", "ignore").on_signal("TERM", 5).write("x").hang())
    with subprocess.Popen(["codex"], env={"PATH": mocks.path}, stdout=-1) as child:
        assert child.stdout is not None
        assert child.stdout.read(1) == b"x"
        child.send_signal(signal.SIGINT)
        child.send_signal(signal.SIGTERM)
        assert child.wait(30) == 5
    mock.calls.assert_signals("INT", "TERM")


def test_many_calls_are_expected_and_asserted_without_listing_each(mocks: MockCommands) -> None:
    """One answer for any number of calls, one assertion for all of them."""
    mock = mocks.add("git", Script().expecting("show", "*"))
    subprocess.run(
        ["/bin/sh", "-c", "i=0; while [ $i -lt 30 ]; do git show $i; i=$((i+1)); done"],
        env={"PATH": mocks.path},
        check=True,
    )
    mock.calls.assert_called_with("show", "*", times=30)
    mock.calls.assert_ended(exit=0)


def test_a_command_without_a_mock_is_not_found(mocks: MockCommands) -> None:
    """The real ``ls``, which is on the path of this process, is no way out of a name that was mistyped."""
    mocks.add("la", Script())
    assert shutil.which("ls")
    with pytest.raises(FileNotFoundError):
        subprocess.run(["ls"], env={"PATH": mocks.path}, check=False)
