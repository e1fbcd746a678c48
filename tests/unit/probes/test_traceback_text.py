"""Reading the last traceback of what a process left on standard error: of real Pythons, and of odd texts."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from mutkit.probes.traceback_text import LastError, last_error

if TYPE_CHECKING:
    from pathlib import Path


def stderr_of(tmp_path: Path, source: str) -> bytes:
    """Return what this Python prints when it dies of ``source``."""
    (tmp_path / "program.py").write_text(source, encoding="utf-8")
    return subprocess.run([sys.executable, "program.py"], cwd=tmp_path, capture_output=True, check=False).stderr


@pytest.mark.parametrize(
    ("source", "type_", "message"),
    [
        ("raise ValueError('no: good')", "ValueError", "no: good"),
        ("raise ValueError", "ValueError", ""),
        ("raise ValueError('one\\n\\n  two\\nthree')", "ValueError", "one\n\n  two\nthree"),
        ("assert 1 == 2, 'a\\nb'", "AssertionError", "a\nb"),
        ("class E(Exception): pass\nraise E('x')", "E", "x"),
        ("def f():\n  class E(Exception): pass\n  raise E('x')\nf()", "f.<locals>.E", "x"),
        ("import json\njson.loads('{')", "json.decoder.JSONDecodeError", "Expecting*"),
        ("try:\n  1/0\nexcept ZeroDivisionError:\n  raise KeyError('k')", "KeyError", "'k'"),
        (
            "try:\n  1/0\nexcept ZeroDivisionError as e:\n  raise OSError(2, 'gone') from e",
            "FileNotFoundError",
            "*gone",
        ),
        ("def f(): f()\nf()", "RecursionError", "maximum recursion depth exceeded*"),
        ("def f(:\n  pass", "SyntaxError", "*"),
        ("if 1:\npass", "IndentationError", "expected an indented block*"),
        ("compile('a b', 'x', 'exec')", "SyntaxError", "invalid syntax*"),
        ("class Über(Exception): pass\nraise Über('é')", "Über", "é"),
        ("raise KeyboardInterrupt", "KeyboardInterrupt", ""),
    ],
)
def test_the_exception_that_ended_a_python_is_read(tmp_path: Path, source: str, type_: str, message: str) -> None:
    """As this Python prints it: nested, chained, with many lines, without a message, not compiled at all."""
    from mutkit.model.matcher import matches

    found = last_error(stderr_of(tmp_path, source))
    assert found is not None
    assert found.type == type_
    assert matches(message, found.message), found


@pytest.mark.skipif(sys.version_info < (3, 11), reason="exception groups came with 3.11")
def test_of_an_exception_group_it_is_the_group(tmp_path: Path) -> None:
    """The group is what ended the process; what is inside has tracebacks of its own, further right."""
    found = last_error(stderr_of(tmp_path, "raise ExceptionGroup('two', [ValueError('a'), KeyError('b')])"))
    assert found == LastError("ExceptionGroup", "two (2 sub-exceptions)")


def test_a_group_with_a_cause_and_lines_in_its_message() -> None:
    """The text of Python 3.11, word for word, with a second line in the message."""
    text = b"""\
Traceback (most recent call last):
  File "x.py", line 2, in <module>
    1/0
    ~^~
ZeroDivisionError: division by zero

During handling of the above exception, another exception occurred:

  + Exception Group Traceback (most recent call last):
  |   File "x.py", line 4, in <module>
  |     raise ExceptionGroup("a\\nb", [ValueError("v")])
  | ExceptionGroup: a
  | b (1 sub-exception)
  +-+---------------- 1 ----------------
    | Traceback (most recent call last):
    |   File "x.py", line 3, in f
    | ValueError: v
    +------------------------------------
"""
    assert last_error(text) == LastError("ExceptionGroup", "a\nb (1 sub-exception)")


def test_log_lines_before_the_traceback_are_passed_over() -> None:
    """Of two tracebacks the last counts; an earlier one was logged and survived."""
    text = (
        b'INFO start\nTraceback (most recent call last):\n  File "a.py", line 1, in a\nValueError: logged\n'
        b'INFO went on\nTraceback (most recent call last):\n  File "b.py", line 1, in b\nb.Fatal: end\n'
    )
    assert last_error(text) == LastError("b.Fatal", "end")


def test_bytes_that_are_no_text_are_shown_as_escapes() -> None:
    """Nothing of the message is lost or guessed."""
    text = b'Traceback (most recent call last):\n  File "a\xff.py", line 1, in a\nValueError: \xff\xc3\n'
    assert last_error(text) == LastError("ValueError", "\\xff\\xc3")


def test_windows_line_ends_are_line_ends() -> None:
    """A child that writes text in that mode is read the same."""
    text = b'Traceback (most recent call last):\r\n  File "a.py", line 1, in a\r\nValueError: x\r\n'
    assert last_error(text) == LastError("ValueError", "x")


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"Segmentation fault\n",
        b"ValueError: said, not raised\n",
        b"Traceback (most recent call last):\n",
        b'Traceback (most recent call last):\n  File "a.py", line 1, in a\n',
        b'Traceback (most recent call last):\n  File "a.py", line 1, in a\n%%% no name\n',
        b'  File "a.py", line 1\nValueError: x\n',
    ],
)
def test_what_is_no_traceback_names_no_exception(text: bytes) -> None:
    """No header, or nothing behind it: there is nothing to name."""
    assert last_error(text) is None
