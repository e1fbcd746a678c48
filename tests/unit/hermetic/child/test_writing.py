"""What mock children write, to streams and to files."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from mutkit.hermetic import Script
from tests.mock_driving import call, last, start

if TYPE_CHECKING:
    from mutkit.hermetic import MockCommands


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


def test_a_file_is_written_where_the_words_or_a_variable_say(mock: MockCommands, tmp_path: Path) -> None:
    """``path_after`` takes the path from the call, ``$NAME/`` from the environment; folders are made."""
    script = (
        Script()
        .write("last message", path_after="-o")
        .write("one\n", path="$CODEX_HOME/sessions/r.jsonl", append=True)
        .write("two\n", path="$CODEX_HOME/sessions/r.jsonl", append=True)
    )
    home = tmp_path / "home"
    done = call(mock, script, "exec", "-o", str(tmp_path / "out"), env={"CODEX_HOME": str(home)})
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


def test_a_path_may_be_beside_the_program_and_old_content_stays_where_it_is_not_written(
    mock: MockCommands, tmp_path: Path
) -> None:
    """Without ``append`` a file is replaced; what a step names no more is stale, as a crashed program leaves it."""
    (tmp_path / "stale").write_text("old")
    (tmp_path / "new").write_text("old and longer")
    script = Script().write("new", path=str(tmp_path / "new")).write("+", path=str(tmp_path / "new"), append=True)
    assert call(mock, script, "-o", str(tmp_path / "stale")).returncode == 0
    assert ((tmp_path / "new").read_text(), (tmp_path / "stale").read_text()) == ("new+", "old")


def test_what_the_machine_refuses_is_an_exit_98_that_names_the_step(mock: MockCommands, tmp_path: Path) -> None:
    """A file in the place of a folder: no traceback, and the record has the reason."""
    (tmp_path / "file").write_text("")
    done = call(mock, Script().write("a").write("x", path=str(tmp_path / "file/below")))
    assert (done.returncode, done.stdout) == (98, b"a")
    assert done.stderr.startswith(b"mock codex: step[1]: NotADirectoryError")
    assert last(mock).message in done.stderr.decode()


def test_a_stream_that_was_closed_before_is_no_place_to_write(mock: MockCommands) -> None:
    """Started without standard output, the mock gives its number to nothing else, and says what it cannot do."""
    mock.add("codex", Script().write("kept", path="$HOME/f").write("x"))
    env = {"PATH": mock.path, "HOME": str(mock.folder)}
    done = subprocess.run(["/bin/sh", "-c", "exec codex >&-"], env=env, stderr=subprocess.PIPE, check=False)
    assert (done.returncode, (mock.folder / "f").read_text()) == (98, "kept")
    assert done.stderr.startswith(b"mock codex: step[1]: OSError: [Errno 9]")


def test_streams_that_do_not_block_get_everything(mock: MockCommands) -> None:
    """A pipe that its reader made so is full long before the end; nothing is lost, nothing fails."""
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    mock.add("codex", Script().repeat("0123456789", 100_000))
    child = subprocess.Popen(["codex"], env={"PATH": mock.path}, stdout=writer)
    os.close(writer)
    with open(reader, "rb") as stream:
        assert len(stream.read()) == 1_000_000
    assert child.wait(30) == 0
