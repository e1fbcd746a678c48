"""Mocks whose answer a Python function computes: what it is given, what it can do, how it fails."""

from __future__ import annotations

import signal
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from mutkit.hermetic import Script
from tests.mock_driving import call, last, read_all, start

if TYPE_CHECKING:
    from collections.abc import Callable

    from mutkit.hermetic import MockCommands

    Make = Callable[..., Script]

_PROGRAM = """
import dataclasses
import sys

@dataclasses.dataclass
class State:
    lines: int = 0

def {name}(call):
    # {note}
{body}
"""


@pytest.fixture
def program(tmp_path: Path) -> Make:
    """Return a function that makes a script of the body of a program's function."""

    def make(body: str, note: str = "", **options: object) -> Script:
        file = tmp_path / "answers.py"
        indented = "\n".join(f"    {line}" for line in body.splitlines())
        file.write_text(_PROGRAM.format(name="reply", body=indented, note=note), encoding="utf-8")
        return Script().program(file, "reply", options)

    return make


def test_a_program_sees_the_call_and_its_options_and_what_it_does_is_recorded(
    mock: MockCommands, program: Make, tmp_path: Path
) -> None:
    """Words, number, name, folder, options, input; streams, files and the exit code."""
    script = program(
        """
first = call.read_stdin("line")
rest = call.read_stdin()
state = State(len(rest.splitlines()))
call.write(f"{call.name} {call.number} {call.argv} {call.options} {first} {state}")
call.write(call.cwd, to="stderr", newline="with")
call.write_file("$HOME/deep/file", b"1")
call.write_file("$HOME/deep/file", "2", append=True)
call.exit(call.options["code"])
""",
        code=7,
        names=["é"],
    )
    done = call(mock, script, "é", stdin=b"1\n2\n3", env={"HOME": str(tmp_path)})
    assert done.stdout.decode() == "codex 1 ['é'] {'code': 7, 'names': ['é']} b'1\\n' State(lines=2)"
    assert done.stderr.decode() == f"{Path.cwd()}\n"
    assert done.returncode == 7
    assert (tmp_path / "deep/file").read_text() == "12"
    seen = last(mock)
    assert (seen.chunks, seen.stdin, seen.stdin_ended) == ((len(done.stdout),), b"1\n2\n3", True)
    assert [size for _, size in seen.files] == [1, 1]
    assert (seen.ended, seen.code) == ("exit", 7)


@pytest.mark.parametrize(
    ("how", "reads"),
    [
        ('chunk=1, pace="exact"', [b"a", b"b", b"c"]),
        ('cut_at=[2], pace="exact", newline="separate"', [b"ab", b"c", b"\n"]),
        ('newline="with", pace="exact"', [b"abc\n"]),
        ('newline="codex", pace="exact"', [b"abc\n"]),
    ],
)
def test_a_program_writes_in_chunks_as_a_script_does(
    mock: MockCommands, program: Make, how: str, reads: list[bytes]
) -> None:
    """With the same words and the same proofs."""
    with start(mock, program(f"call.write('abc', {how})")) as child:
        assert child.stdout is not None
        assert read_all(child.stdout.fileno()) == reads
    assert all(one.complete for one in last(mock).exact)
    assert sum(one.chunks for one in last(mock).exact) == len(reads)


def test_a_long_line_is_written_as_codex_writes_it(mock: MockCommands, program: Make) -> None:
    """From 1,024 bytes on the newline is a write of its own."""
    call(mock, program("call.write('x' * 1023, newline='codex'); call.write('x' * 1024, newline='codex')"))
    assert last(mock).chunks == (1024, 1024, 1)


def test_what_a_program_prints_is_output_of_the_mock(mock: MockCommands, program: Make) -> None:
    """Whole lines, and the rest of one at the end, in order with what is written otherwise; nothing is lost."""
    done = call(mock, program("print('a', 1)\ncall.write('b\\n')\nprint('c', file=sys.stderr)\nprint('d', end='')"))
    assert (done.stdout, done.stderr, last(mock).chunks) == (b"a 1\nb\nd", b"c\n", (4, 2, 1))


@pytest.mark.parametrize(
    ("body", "code", "said", "ended"),
    [
        ("", 0, b"", "exit"),
        ("sys.exit()", 0, b"", "exit"),
        ("sys.exit(3)", 3, b"", "exit"),
        ("sys.exit('sorry')", 1, b"mock codex: sorry\n", "exit"),
        ("call.die('KILL')", -9, b"", "signal"),
        ("call.fail('not scripted')", 98, b"mock codex: not scripted\n", "unable"),
        ("call.write_file('$NOWHERE/x', '')", 98, b"mock codex: the variable NOWHERE is not set\n", "unable"),
    ],
)
def test_a_program_ends_as_it_says(
    mock: MockCommands, program: Make, body: str, code: int, said: bytes, ended: str
) -> None:
    """By returning, by an exit code, by a signal, or by saying that it cannot."""
    done = call(mock, program(f"{body}\nreturn"))
    assert (done.returncode, done.stderr, last(mock).ended) == (code, said, ended)


def test_an_exception_in_a_program_is_shown_with_its_line_and_recorded(
    mock: MockCommands, program: Make, tmp_path: Path
) -> None:
    """Exit 98, the file as its author knows it, none of our own lines."""
    done = call(mock, program("call.write('x')\nraise ValueError('é is broken')"))
    assert (done.returncode, done.stdout) == (98, b"x")
    assert done.stderr.decode() == (
        "mock codex: the program failed\n"
        f'  File "{tmp_path}/answers.py", line 12, in reply\n'
        "    raise ValueError('é is broken')\n"
        "ValueError: é is broken\n"
    )
    assert "é is broken" in last(mock).message


def test_a_program_that_fails_when_it_is_loaded_says_so(mock: MockCommands, tmp_path: Path) -> None:
    """A module that is not there: only the standard library is."""
    (tmp_path / "bad.py").write_text("import no_such_module\ndef answer(call): pass\n")
    done = call(mock, Script().program(tmp_path / "bad.py"))
    assert done.returncode == 98
    assert b"ModuleNotFoundError: No module named 'no_such_module'" in done.stderr


def test_a_program_reacts_to_signals(mock: MockCommands, program: Make) -> None:
    """By ignoring one, by a function that may end the mock, by an exit code."""
    script = program(
        """
call.on_signal("INT", "ignore")
call.on_signal("TERM", lambda call, number: call.write(f"got {number}\\n"))
call.on_signal("USR1", 6)
call.write("ready\\n")
call.hang()
"""
    )
    with start(mock, script) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"ready\n"
        child.send_signal(signal.SIGINT)
        child.send_signal(signal.SIGTERM)
        assert child.stdout.readline() == b"got 15\n"
        child.send_signal(signal.SIGUSR1)
        assert child.wait(30) == 6
    assert last(mock).signals == (signal.SIGINT, signal.SIGTERM, signal.SIGUSR1)


@pytest.mark.parametrize(
    ("reaction", "code"), [("5", 5), ("'die'", -13), ("'ignore'", 3), ("lambda call: call.exit(4)", 4)]
)
def test_a_program_says_what_a_reader_that_leaves_means(
    mock: MockCommands, program: Make, reaction: str, code: int
) -> None:
    """An exit code, SIGPIPE, nothing, or what a function does."""
    script = program(f"call.reader_gone = {reaction}\ncall.read_stdin()\ncall.write('x')\ncall.exit(3)")
    with start(mock, script) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        child.stdout.close()
        child.stdin.close()
        assert child.wait(30) == code
    assert last(mock).reader_gone == (1,)


def test_a_changed_program_is_what_the_next_call_runs(mock: MockCommands, program: Make) -> None:
    """Its byte-code is made anew; without byte-code its source is run."""
    assert call(mock, program("print(1)")).stdout == b"1\n"
    assert call(mock, program("print(2)", note="changed")).stdout == b"2\n"
    for code in (Path(mock.path) / ".mutkit").glob("codex.program.py.*"):
        code.unlink()
    done = subprocess.run(["codex"], env={"PATH": mock.path}, capture_output=True, check=False)
    assert done.stdout == b"2\n"
