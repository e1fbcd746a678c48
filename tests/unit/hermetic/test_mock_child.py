"""What a mock child does: writes, ends, signals, recordings. Real processes and pipes throughout."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from mutkit.errors import UsageError
from mutkit.hermetic import MockCommands, Script

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def mock(tmp_path: Path) -> Iterator[MockCommands]:
    """Return mock commands in a temporary folder; what still runs is ended afterwards."""
    with MockCommands(tmp_path / "mock", check=False) as commands:
        yield commands


def call(
    mock: MockCommands,
    script: Script,
    *argv: str,
    stdin: bytes = b"",
    **env: str,
) -> subprocess.CompletedProcess[bytes]:
    """Make ``codex`` follow the script, and call it to its end."""
    mock.add("codex", script)
    return subprocess.run(
        ["codex", *argv],
        env={"PATH": mock.path, **env},
        input=stdin,
        capture_output=True,
        timeout=30,
        check=False,
    )


def start(mock: MockCommands, script: Script, *argv: str) -> subprocess.Popen[bytes]:
    """Make ``codex`` follow the script, and start it with pipes."""
    mock.add("codex", script)
    return subprocess.Popen(
        ["codex", *argv],
        env={"PATH": mock.path},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def read_all(fd: int) -> list[bytes]:
    """Return what each read(2) of up to 65,536 bytes gave, to the end of input."""
    return list(iter(lambda: os.read(fd, 65536), b""))


def test_steps_write_to_both_streams_in_order_and_the_exit_code_is_the_scripts(mock: MockCommands) -> None:
    """Text is UTF-8, bytes are bytes, JSON is one compact line with its characters as they are."""
    script = Script().json({"a": [1, "é\u2028"]}).write(b"\xff\x00").write("oops\n", to="stderr").exit(3)
    done = call(mock, script)
    assert (done.returncode, done.stdout, done.stderr) == (
        3,
        '{"a":[1,"é\u2028"]}\n'.encode() + b"\xff\x00",
        b"oops\n",
    )


@pytest.mark.parametrize(("size", "chunks"), [(1023, (1024,)), (1024, (1024, 1)), (5000, (5000, 1))])
def test_a_line_is_written_as_codex_writes_it(mock: MockCommands, size: int, chunks: tuple[int, ...]) -> None:
    """Up to 1,024 bytes with its newline a line is one write; else the newline is a write of its own."""
    done = call(mock, Script().write("x" * size, newline="codex"))
    assert done.stdout == b"x" * size + b"\n"
    assert mock.calls("codex")[0].chunks == chunks


def test_newline_separate_is_a_write_of_its_own_even_for_short_lines(mock: MockCommands) -> None:
    """Body and newline are two writes."""
    call(mock, Script().json({}, newline="separate"))
    assert mock.calls("codex")[0].chunks == (2, 1)


def test_5_mib_in_one_line_come_through(mock: MockCommands) -> None:
    """A repeated text does not have to stand in the script to be written."""
    done = call(mock, Script().repeat("é", 5 * 2**19, newline="with"))
    assert done.stdout == "é".encode() * (5 * 2**19) + b"\n"


@pytest.mark.parametrize(
    ("how", "reads"),
    [
        ({"chunk": 1}, [b"a", b"b", b"c", b"\xc3", b"\xa9"]),
        ({"chunk": 2}, [b"ab", b"c\xc3", b"\xa9"]),
        ({"cut_at": (1, 4)}, [b"a", b"bc\xc3", b"\xa9"]),
        ({}, [b"abc\xc3\xa9"]),
    ],
)
def test_with_exact_pace_each_read_gets_exactly_one_chunk(
    mock: MockCommands,
    how: dict[str, int],
    reads: list[bytes],
) -> None:
    """Cut by size or by offsets: what was written in one piece is read in one piece, whatever the reader's
    speed.
    """
    with start(mock, Script().write("abcé", pace="exact", **how)) as child:  # type: ignore[arg-type]
        assert child.stdout is not None
        assert read_all(child.stdout.fileno()) == reads


def test_five_thousand_single_bytes_are_five_thousand_reads(mock: MockCommands) -> None:
    """No two writes are merged over a long run, and the record has every one."""
    with start(mock, Script().repeat("x", 5000, chunk=1, pace="exact")) as child:
        assert child.stdout is not None
        assert read_all(child.stdout.fileno()) == [b"x"] * 5000
    assert mock.calls("codex")[0].chunks == (1,) * 5000


def test_exact_pace_refuses_what_has_no_boundaries(mock: MockCommands, tmp_path: Path) -> None:
    """In a file nothing is a read: exit 98 and a message."""
    mock.add("codex", Script().write("x", pace="exact"))
    with (tmp_path / "out").open("wb") as out:
        done = subprocess.run(
            ["codex"], env={"PATH": mock.path}, stdout=out, stderr=subprocess.PIPE, timeout=30, check=False
        )
    assert done.returncode == 98
    assert b"file" in done.stderr
    assert (mock.calls("codex")[0].ended, mock.calls("codex")[0].fds[1]) == ("unable", "file")


def test_a_exact_writer_whose_reader_leaves_does_not_wait_for_ever(mock: MockCommands) -> None:
    """A pipe that nobody reads any more stays full; the mock notices and ends with 96."""
    with start(mock, Script().write("ab", chunk=1, pace="exact")) as child:
        assert child.stdout is not None
        select.select([child.stdout], [], [], 30)  # the first chunk is in the pipe, and stays there
        child.stdout.close()
        assert child.wait(30) == 96
    assert mock.calls("codex")[0].ended == "reader-gone"


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


def test_an_unexpected_call_fails_at_once_and_says_what_was_expected(mock: MockCommands) -> None:
    """Exit 97, nothing on standard output, expectation and call on standard error and in the record."""
    done = call(mock, Script().expecting("exec", "--json", "*").write("no"), "resume", "é")
    assert (done.returncode, done.stdout) == (97, b"")
    assert b"expected: ['exec', '--json', '*']" in done.stderr
    assert "called:   ['resume', 'é']".encode() in done.stderr
    [seen] = mock.calls("codex")
    assert seen.ended == "unexpected"
    assert "resume" in seen.unexpected


@pytest.mark.parametrize(
    ("wanted", "given", "fits"),
    [
        (("exec", "*"), ("exec", "hi"), True),
        (("exec", "*"), ("exec",), False),
        (("exec", "*"), ("exec", "a", "b"), False),
        (("exec", "**"), ("exec",), True),
        (("**", "-o", "*", "**"), ("exec", "-o", "f", "hi"), True),
        (("**", "-o", "*", "**"), ("exec", "hi"), False),
        (("--a=*z",), ("--a=z",), True),
        (("--a=*z",), ("--a=",), False),
        (("*b*b*",), ("abb",), True),
        (("*b*b*",), ("ab",), False),
        (("ab*ba",), ("aba",), False),
        ((), ("x",), False),
        ((), (), True),
    ],
)
def test_words_fit_their_pattern(
    mock: MockCommands,
    wanted: tuple[str, ...],
    given: tuple[str, ...],
    fits: bool,
) -> None:
    """``*`` is any run of characters in a word, ``**`` any run of words, all else is itself."""
    assert (call(mock, Script().expecting(*wanted), *given).returncode == 0) is fits


def test_the_first_answer_that_fits_is_given(mock: MockCommands) -> None:
    """By words and by the number of the call; where none fits, the call is unexpected."""
    script = (
        Script()
        .answering(Script().write("first"), nth=1)
        .answering(Script().expecting("resume", "**").write("again").exit(4))
        .answering(Script().write("third"), nth=3)
    )
    answers = [call(mock, script, *argv) for argv in (["resume"], ["resume", "x"], ["y"], ["z"])]
    assert [(one.stdout, one.returncode) for one in answers] == [
        (b"first", 0), (b"again", 4), (b"third", 0), (b"", 97),
    ]  # fmt: skip
    assert [one.number for one in mock.calls("codex")] == [1, 2, 3, 4]


def test_calls_at_the_same_time_are_counted_once_each(mock: MockCommands) -> None:
    """Eight calls at once get the numbers 1 to 8."""
    mock.add("codex", Script().read_stdin())
    started = [subprocess.Popen(["codex"], env={"PATH": mock.path}, stdin=subprocess.PIPE) for _ in range(8)]
    for child in started:
        child.communicate(timeout=60)
    seen = mock.calls("codex")
    assert [one.number for one in seen] == [*range(1, 9)]
    assert {one.pid for one in seen} == {child.pid for child in started}


def test_a_file_is_written_where_the_words_or_a_variable_say(mock: MockCommands, tmp_path: Path) -> None:
    """``path_after`` takes the path from the call, ``$NAME/`` from the environment; folders are made."""
    script = (
        Script()
        .write("last message", path_after="-o")
        .write("one\n", path="$CODEX_HOME/sessions/r.jsonl", append=True)
        .write("two\n", path="$CODEX_HOME/sessions/r.jsonl", append=True)
    )
    home = tmp_path / "home"
    done = call(mock, script, "exec", "-o", str(tmp_path / "out"), CODEX_HOME=str(home))
    assert (done.returncode, done.stdout) == (0, b"")
    assert (tmp_path / "out").read_text() == "last message"
    assert (home / "sessions/r.jsonl").read_text() == "one\ntwo\n"
    assert mock.calls("codex")[0].files[0] == (str(tmp_path / "out"), 12)


def test_a_file_step_without_its_word_or_variable_is_refused(mock: MockCommands) -> None:
    """Exit 98 and a message, instead of a file in a place that nobody meant."""
    assert call(mock, Script().write("x", path_after="-o"), "exec", "-o").returncode == 98
    assert b"CODEX_HOME" in call(mock, Script().write("x", path="$CODEX_HOME/f")).stderr


def test_a_mock_can_wait_for_a_file(mock: MockCommands, tmp_path: Path) -> None:
    """A test decides when the mock goes on."""
    with start(mock, Script().write("a\n").wait_for(tmp_path / "go").write("b\n")) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"a\n"
        (tmp_path / "go").touch()
        assert child.stdout.readline() == b"b\n"


@pytest.mark.parametrize("folder", ["plain", "with blank", 'it\'s $HOME "quoted"', "long" + "g" * 200])
def test_an_interpreter_at_any_path_is_found(tmp_path: Path, folder: str) -> None:
    """A first line takes no blanks and not every length: such go through a shell, arguments unharmed."""
    (tmp_path / folder).mkdir()
    python = tmp_path / folder / "python"
    python.symlink_to(sys.executable)
    mock = MockCommands(tmp_path / "mock", python=str(python))
    mock.add("codex", Script().write("ok"))
    done = subprocess.run(["codex", "a b", "", "$x"], env={"PATH": mock.path}, capture_output=True, check=False)
    assert (done.stdout, done.stderr) == (b"ok", b"")
    assert mock.calls("codex")[0].argv == ("a b", "", "$x")


def test_only_mocks_and_named_tools_are_on_the_path(tmp_path: Path) -> None:
    """A real tool is there if it is named, and is the real one."""
    mock = MockCommands(tmp_path / "mock", tools=["env"])
    mock.add("codex", Script())
    assert {entry.name for entry in Path(mock.path).iterdir()} == {"codex", "env", ".mutkit"}
    shown = subprocess.run(["env"], env={"PATH": mock.path, "A": "1"}, capture_output=True, text=True, check=True)
    assert "A=1" in shown.stdout


def test_a_tool_that_is_missing_is_said(tmp_path: Path) -> None:
    """With its name and the slug of its explanation."""
    with pytest.raises(UsageError, match="no-such-tool") as caught:
        MockCommands(tmp_path / "mock", tools=["no-such-tool"])
    assert caught.value.slug == "tool-missing"


@pytest.mark.parametrize("name", ["", "a/b", ".hidden"])
def test_a_mock_needs_the_name_of_a_command(mock: MockCommands, name: str) -> None:
    """A path is no name: PATH would not be asked."""
    with pytest.raises(UsageError) as caught:
        mock.add(name, Script())
    assert caught.value.slug == "mock-name"


def test_leaving_the_context_ends_what_still_runs(tmp_path: Path) -> None:
    """A mock that hangs and ignores SIGTERM does not outlive its test."""
    with MockCommands(tmp_path / "mock", check=False) as mock:
        child = start(mock, Script().write("ready\n").hang().on_signal("TERM", "ignore"))
        assert child.stdout is not None
        child.stdout.readline()
    assert child.wait(30) == -signal.SIGKILL
    child.communicate()


def test_a_mock_starts_without_the_modules_that_cost_time(mock: MockCommands) -> None:
    """What a mock imports beside what a bare interpreter has is its own few modules, and nothing of the library."""
    mock.add("codex", Script().write("x\n"))
    program = Path(mock.path) / "codex"
    source = program.read_text()
    told = source.replace("main('", "import posix\nposix._exit = lambda code: print(*sys.modules)\nmain('")
    assert told != source
    program.write_text(told)
    done = subprocess.run(["codex"], env={"PATH": mock.path}, capture_output=True, text=True, check=False)
    bare = subprocess.run(
        [sys.executable, "-I", "-S", "-c", "import sys; print(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = set(done.stdout.splitlines()[1].split()) - set(bare.stdout.split())
    assert loaded == {
        "mutkit_mock",
        *(
            f"mutkit_mock.{name}"
            for name in ("main", "matching", "mock", "record", "secrets", "stdin", "streams", "words")
        ),
    }


def test_a_stopped_builder_is_not_changed_by_later_calls(mock: MockCommands) -> None:
    """Scripts are values: what is derived from one leaves it as it was."""
    base = Script().write("a")
    assert call(mock, base.write("b").exit(2)).stdout == b"ab"
    assert call(mock, base).stdout == b"a"
