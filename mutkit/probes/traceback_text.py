"""Owns reading the last Python traceback in what a process left on its standard error."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class LastError:
    """The exception that a traceback ends with: its ``type`` as Python prints it, and its ``message``.

    The module is left out for built-in exceptions and those of the main program.
    """

    type: str
    message: str


_HEADER = re.compile(r"(?:Traceback|(?P<group>  \+ Exception Group Traceback)) \(most recent call last\):")
_SYNTAX_PLACE = re.compile(r'  File ".*", line \d+')
_NAMED = re.compile(r"(?P<type>[^\W\d][\w.]*(?:<locals>\.[\w.]+)*)(?:: (?P<message>.*))?")
_GROUP_MARGIN = "  | "


def last_error(stderr: bytes) -> LastError | None:
    """Return the exception of the last traceback in ``stderr``, None where there is none.

    Of chained exceptions it is the last, which is the one that was not caught; of an exception group the
    group itself. All that follows the traceback counts as its message: a message may have many lines.
    """
    lines = stderr.decode("utf-8", "backslashreplace").replace("\r\n", "\n").rstrip("\n").split("\n")
    for at in range(len(lines) - 1, -1, -1):
        header = _HEADER.fullmatch(lines[at])
        if header:
            rest = lines[at + 1 :]
            return _named(_without_margin(rest) if header["group"] else rest)
        if _SYNTAX_PLACE.fullmatch(lines[at]) and (found := _bare_syntax_error(lines[at + 1 :])):
            return found
    return None


def _without_margin(lines: list[str]) -> list[str]:
    """Return the part of a group's traceback that is about the group itself, without the line on its left."""
    own = []
    for line in lines:
        if not line.startswith(_GROUP_MARGIN) and line != _GROUP_MARGIN.rstrip():
            break
        own.append(line[len(_GROUP_MARGIN) :])
    return own


def _named(lines: list[str]) -> LastError | None:
    """Return the exception that is named by the first line that is not indented."""
    for at, line in enumerate(lines):
        if not line.startswith(" "):
            found = _NAMED.fullmatch(line)
            if found is None:
                return None
            name = found["type"].removeprefix("__main__.")  # 3.10 prints it, later versions do not
            return LastError(name, "\n".join([found["message"] or "", *lines[at + 1 :]]))
    return None


def _bare_syntax_error(lines: list[str]) -> LastError | None:
    """Return the error of a main program that does not compile: Python prints no header for it."""
    found = _named(lines)
    return found if found and found.type in ("SyntaxError", "IndentationError", "TabError") else None
