"""Owns TOML text: reading it, and telling on which line a key stands."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import tomli

from mutkit.errors import Problem

Key = tuple[str | int, ...]

_HEADER = re.compile(r"\s*(\[\[?)\s*(.+?)\s*\]\]?\s*(?:#.*)?$")
_ASSIGNMENT = re.compile(
    r"""\s*((?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*'))*)\s*=\s*(.*)$"""
)
_PART = re.compile(r"""[A-Za-z0-9_-]+|"[^"]*"|'[^']*'""")


class Document:
    """One TOML file: its ``data``, and the line of each key."""

    def __init__(self, path: Path, shown: str, data: dict[str, Any], lines: dict[Key, int]) -> None:
        """Take what ``read`` found; ``shown`` is the path as messages write it."""
        self.path = path
        self.shown = shown
        self.data = data
        self._lines = lines
        self._named: dict[str, str] = {}

    def line(self, key: Key) -> int | None:
        """Return the 1-based line of the key, or of the nearest table around it that stands in the file."""
        for size in range(len(key), 0, -1):
            for found in (key[:size], (*key[:size], 0)):  # a table that is a list of tables stands at its first
                if found in self._lines:
                    return self._lines[found]
        return None

    def rename(self, old: str, new: str) -> None:
        """Give a top-level key another name in the data; messages keep the name that the file has."""
        self.data = {new if key == old else key: value for key, value in self.data.items()}
        self._named[new] = old

    def problem(self, slug: str, message: str, advice: str, key: Key = ()) -> Problem:
        """Return a problem at ``key`` of this file."""
        if key and key[0] in self._named:
            key = (self._named[str(key[0])], *key[1:])
        return Problem(slug, message, advice, self.shown, self.line(key), dotted(key))


def dotted(key: Key) -> str:
    """Return a key as TOML writes it, list positions as ``[0]``."""
    text = ""
    for part in key:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else str(part)
    return text


def shown(path: Path) -> str:
    """Return a path relative to the working directory where it lies below it."""
    here = Path.cwd()
    return path.relative_to(here).as_posix() if path.is_relative_to(here) else path.as_posix()


def read(path: Path, shown: str) -> Document | Problem:
    """Return the document at ``path``, or the problem that it cannot be read."""
    try:
        text = path.read_bytes().decode("utf-8")
    except OSError as error:
        return Problem("file-unreadable", f"cannot be read: {error.strerror}", "Check the path.", shown)
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        return Problem("toml-encoding", "is not UTF-8, which TOML must be", "Save it as UTF-8.", shown, line)
    if text.startswith("\ufeff"):
        advice = "Save it as UTF-8 without a byte order mark."
        return Problem("toml-encoding", "begins with a byte order mark", advice, shown, 1)
    try:
        data = tomli.loads(text)
    except RecursionError:
        return Problem("toml-syntax", "is not TOML that can be read: nested too deeply", "Flatten it.", shown)
    except ValueError as error:
        if not isinstance(error, tomli.TOMLDecodeError):  # Python's own limit, in words that differ by version
            return Problem("toml-syntax", "is not TOML that can be read: a number is too long", "Shorten it.", shown)
        message = re.sub(r" \(at line \d+, column \d+\)$", "", str(error))
        lineno = getattr(error, "lineno", None) or _line_in(str(error))
        return Problem("toml-syntax", f"is not TOML: {message}", "Correct the line.", shown, lineno)
    return Document(path, shown, data, _key_lines(text))


def _line_in(message: str) -> int | None:
    found = re.search(r"at line (\d+)", message)
    return int(found[1]) if found else None


def _key_lines(text: str) -> dict[Key, int]:
    """Return the line of each table and each key that begins a line (keys of inline tables share their line)."""
    lines: dict[Key, int] = {}
    counts: dict[Key, int] = {}
    table: Key = ()
    closing = ""
    depth = 0
    for number, line in enumerate(text.split("\n"), 1):
        if closing:
            closing = "" if closing in line else closing
            continue
        if depth > 0:
            depth += _open_brackets(line)
            continue
        if header := _HEADER.match(line):
            table = _table(_parts(header[2]), is_list=header[1] == "[[", counts=counts)
            lines.setdefault(table, number)
        elif assignment := _ASSIGNMENT.match(line):
            parts = _parts(assignment[1])
            for size in range(1, len(parts) + 1):  # a dotted key makes the tables on its way
                lines.setdefault(table + parts[:size], number)
            closing = _open_string(assignment[2])
            depth = 0 if closing else _open_brackets(assignment[2])
    return lines


def _parts(text: str) -> Key:
    return tuple(part.strip("\"'") for part in _PART.findall(text))


def _table(parts: Key, *, is_list: bool, counts: dict[Key, int]) -> Key:
    """Return the full key of a table header: the position is added for each list of tables on the way."""
    full: Key = ()
    for depth, part in enumerate(parts):
        full += (part,)
        last = depth == len(parts) - 1
        if last and is_list:
            counts[full] = counts.get(full, -1) + 1
        if full in counts:
            full += (counts[full],)
    return full


def _open_brackets(text: str) -> int:
    """Return how many more brackets a piece of a value opens than it closes; those in strings and comments aside."""
    bare = re.sub(r""""(?:[^"\\]|\\.)*"|'[^']*'|#.*""", "", text)
    return bare.count("[") + bare.count("{") - bare.count("]") - bare.count("}")


def _open_string(value: str) -> str:
    """Return the quotes that close a multi-line string which ``value`` opens and does not close."""
    found = [(value.find(quotes), quotes) for quotes in ('"""', "'''") if value.count(quotes) % 2]
    return min(found)[1] if found else ""
