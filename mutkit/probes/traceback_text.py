"""Owns reading the traceback of the exception that ended a Python, in what it left on its standard error."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class EscapedError:
    """The exception that a traceback ends with: its ``type`` as Python prints it, and its ``message``.

    The module is left out for built-in exceptions and those of the main program.
    """

    type: str
    message: str


_HEADER = re.compile(r"(?:Traceback|(?P<group>  \+ Exception Group Traceback)) \(most recent call last\):")
_FRAME = re.compile(r'  File "(?P<file>.*)", line \d+, in (?P<function>.*)')
_SYNTAX_PLACE = re.compile(r'  File ".*", line \d+')
_NAMED = re.compile(r"(?P<type>[^\W\d][\w.]*(?:<locals>\.[\w.]+)*)(?:: (?P<message>.*))?")
_NOBODY_COULD_RAISE_IT = "Exception ignored "
_GROUP_MARGIN = "  | "
_RUNPY = "_run_module_as_main"
_OUTERMOST = ("<module>", _RUNPY, "_bootstrap", "_bootstrap_inner")
"""The functions in which the main program, the one of ``python -m``, and a thread begin."""


def escaped_error(stderr: bytes) -> EscapedError | None:
    """Return the exception whose traceback ``stderr`` ends with, None where it ends otherwise or the exception
    was caught.

    A traceback begins with the frame that caught the exception; so one that begins in a function of the program
    was printed by it, and what ended the process is something else. Of chained exceptions it is the last, which
    is the one that was not caught; of an exception group the group itself.

    Lines after the one with the exception's name are either more of its message or written later, which nobody
    can tell apart: then there is no exception to name. Only under ``python -m`` they are the message: there the
    frame above the main program shows that nothing in the program caught the exception.
    """
    lines = stderr.decode("utf-8", "backslashreplace").replace("\r\n", "\n").rstrip("\n").split("\n")
    for at in range(len(lines) - 1, -1, -1):
        header = _HEADER.fullmatch(lines[at])
        before = lines[at - 1] if at else ""
        if header:
            if before.startswith(_NOBODY_COULD_RAISE_IT):
                return None
            rest = lines[at + 1 :]
            return _of_group(rest) if header["group"] else _named(rest, _first_function(rest))
        if _SYNTAX_PLACE.fullmatch(lines[at]) and not (before.startswith(" ") or _HEADER.fullmatch(before)):
            found = _named(lines[at:], "<module>")
            if found and found.type in ("SyntaxError", "IndentationError", "TabError"):
                return found  # of a main program that does not compile: Python prints no header for it
    return None


def _of_group(lines: list[str]) -> EscapedError | None:
    """Return the exception group that these lines are about, if nothing follows its drawing."""
    own: list[str] = []
    for at, line in enumerate(lines):
        if not line.startswith(_GROUP_MARGIN) and line != _GROUP_MARGIN.rstrip():
            if not all(rest.startswith(("  +", "    ")) for rest in lines[at:]):
                return None
            break
        own.append(line[len(_GROUP_MARGIN) :])
    function = _first_function(own)
    # The line at its left marks each line of its message as such.
    return _named(own, _RUNPY) if function in _OUTERMOST else None


def _first_function(lines: list[str]) -> str:
    """Return the function of a traceback's first frame."""
    frame = _FRAME.fullmatch(lines[0]) if lines else None
    return frame["function"] if frame else ""


def _named(lines: list[str], begins_in: str) -> EscapedError | None:
    """Return the exception that is named by the first line that is not indented, if it escaped."""
    at = next((at for at, line in enumerate(lines) if not line.startswith(" ")), None)
    if at is None or begins_in not in _OUTERMOST or (at + 1 < len(lines) and begins_in != _RUNPY):
        return None
    found = _NAMED.fullmatch(lines[at])
    if found is None:
        return None
    name = found["type"].removeprefix("__main__.")  # 3.10 prints it, later versions do not
    return EscapedError(name, "\n".join([found["message"] or "", *lines[at + 1 :]]))
