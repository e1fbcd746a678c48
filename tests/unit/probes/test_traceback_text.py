"""Reading which exception ended a process, in what it left on standard error: of real Pythons, and of odd texts."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from mutkit.probes.traceback_text import EscapedError, escaped_error

if TYPE_CHECKING:
    from pathlib import Path


def stderr_of(tmp_path: Path, source: str, *how: str) -> bytes:
    """Return what this Python prints when it dies of ``source``."""
    (tmp_path / "program.py").write_text(source, encoding="utf-8")
    argv = [sys.executable, *(how or ("program.py",))]
    return subprocess.run(argv, cwd=tmp_path, capture_output=True, check=False).stderr


@pytest.mark.parametrize(
    ("source", "type_", "message"),
    [
        ("raise ValueError('no: good')", "ValueError", "no: good"),
        ("raise ValueError", "ValueError", ""),
        ("assert 1 == 2, 'a'", "AssertionError", "a"),
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
        ("import threading\ndef f(): 1/0\nthreading.Thread(target=f).start()", "ZeroDivisionError", "division by zero"),
        (
            "try:\n  1/0\nexcept ZeroDivisionError:\n  import logging; logging.exception('h'); raise",
            "ZeroDivisionError",
            "*",
        ),
    ],
)
def test_the_exception_that_ended_a_python_is_read(tmp_path: Path, source: str, type_: str, message: str) -> None:
    """As this Python prints it: nested, chained, without a message, in a thread, not compiled at all."""
    from mutkit.model.matcher import matches

    found = escaped_error(stderr_of(tmp_path, source))
    assert found is not None
    assert found.type == type_
    assert matches(message, found.message), found


@pytest.mark.parametrize("source", ["raise ValueError('one\\n\\n  two\\nthree')", "assert 0, 'one\\n\\n  two\\nthree'"])
def test_a_message_of_many_lines_is_read_where_it_is_sure_to_be_one(tmp_path: Path, source: str) -> None:
    """Under ``python -m`` the frame above the main program shows that nothing caught the exception; in a script the
    other lines may be later output.
    """
    found = escaped_error(stderr_of(tmp_path, source, "-m", "program"))
    assert found is not None
    assert found.message == "one\n\n  two\nthree"
    assert escaped_error(stderr_of(tmp_path, source)) is None


LOGGED = "import logging, sys\ndef f():\n  try: 1/0\n  except ArithmeticError: logging.exception('h')\n"


@pytest.mark.parametrize(
    "source",
    [
        LOGGED + "f()",
        LOGGED + "f(); sys.stderr.write('fatal: no model\\n')",
        "import logging, sys\ntry: 1/0\nexcept ArithmeticError: logging.exception('h')\nsys.exit('fatal: no model')",
        "import logging\ntry: compile('a b', 'x', 'exec')\nexcept SyntaxError: logging.exception('h')\nexit('x')",
        LOGGED.replace("1/0", "compile('a b', 'x', 'exec')").replace("ArithmeticError", "SyntaxError") + "f()",
        "class C:\n  def __del__(self): 1/0\nC()",
        "import traceback, threading\ndef f():\n  try: 1/0\n  except ArithmeticError: traceback.print_exc()\n"
        "threading.Thread(target=f).start()",
    ],
)
@pytest.mark.parametrize("how", [("program.py",), ("-m", "program")])
def test_an_exception_that_was_caught_and_told_did_not_end_the_process(
    tmp_path: Path, source: str, how: tuple[str, ...]
) -> None:
    """Its traceback begins where it was caught, or something was written after it, or nobody could raise it."""
    stderr = stderr_of(tmp_path, source, *how)
    assert b"Traceback" in stderr
    assert escaped_error(stderr) is None


@pytest.mark.skipif(sys.version_info < (3, 11), reason="exception groups came with 3.11")
def test_of_an_exception_group_it_is_the_group(tmp_path: Path) -> None:
    """The group is what ended the process; what is inside has tracebacks of its own, further right."""
    found = escaped_error(stderr_of(tmp_path, "raise ExceptionGroup('two', [ValueError('a'), KeyError('b')])"))
    assert found == EscapedError("ExceptionGroup", "two (2 sub-exceptions)")


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
    assert escaped_error(text) == EscapedError("ExceptionGroup", "a\nb (1 sub-exception)")


def test_log_lines_before_the_traceback_are_passed_over() -> None:
    """Of two tracebacks the last counts; an earlier one was logged and survived."""
    text = (
        b'INFO start\nTraceback (most recent call last):\n  File "a.py", line 1, in <module>\nValueError: logged\n'
        b'INFO went on\nTraceback (most recent call last):\n  File "b.py", line 1, in <module>\nb.Fatal: end\n'
    )
    assert escaped_error(text) == EscapedError("b.Fatal", "end")


def test_bytes_that_are_no_text_are_shown_as_escapes() -> None:
    """Nothing of the message is lost or guessed."""
    text = b'Traceback (most recent call last):\n  File "a\xff.py", line 1, in <module>\nValueError: \xff\xc3\n'
    assert escaped_error(text) == EscapedError("ValueError", "\\xff\\xc3")


def test_windows_line_ends_are_line_ends() -> None:
    """A child that writes text in that mode is read the same."""
    text = b'Traceback (most recent call last):\r\n  File "a.py", line 1, in <module>\r\nValueError: x\r\n'
    assert escaped_error(text) == EscapedError("ValueError", "x")


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"Segmentation fault\n",
        b"ValueError: said, not raised\n",
        b"Traceback (most recent call last):\n",
        b'Traceback (most recent call last):\n  File "a.py", line 1, in <module>\n',
        b'Traceback (most recent call last):\n  File "a.py", line 1, in <module>\n%%% no name\n',
        b'  File "a.py", line 1\nValueError: x\n',
        b'Traceback (most recent call last):\n  File "a.py", line 1, in f\nValueError: x\n',
        b'Traceback (most recent call last):\n  File "a.py", line 1, in <module>\nValueError: x\nlater\n',
        b"  + Exception Group Traceback (most recent call last):\n"
        b'  |   File "a.py", line 1, in f\n  | ExceptionGroup: x\n  +-+-\n    | E\n    +---\n',
        b"  + Exception Group Traceback (most recent call last):\n"
        b'  |   File "a.py", line 1, in <module>\n  | ExceptionGroup: x\n  +-+-\n    | E\n    +---\nlater\n',
    ],
)
def test_what_is_no_traceback_of_an_escaped_exception_names_none(text: bytes) -> None:
    """No header, nothing behind it, a frame of the program first, or more after it: there is nothing to name."""
    assert escaped_error(text) is None
