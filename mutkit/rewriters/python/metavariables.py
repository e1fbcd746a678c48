"""Owns the text of code patterns: ``$X``, ``$_`` and ``$$$X`` become names that Python parses, and back."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from mutkit.errors import AnchorError

ONE, RUN = "__mutkit_one_", "__mutkit_run_"
ANY = "_"
PLACEHOLDER = re.compile(r"__mutkit_(one|run)_([A-Z][A-Z0-9_]*|_)\b")
_METAVARIABLE = re.compile(r"(\$\$\$|\$)([A-Z][A-Z0-9_]*|_)(?![A-Za-z0-9_])")
_STRING = re.compile(r"(?<![A-Za-z0-9_])([A-Za-z]{0,3})(\"\"\"|'''|\"|')")


@dataclass(frozen=True)
class Metavariable:
    """``$X`` (one expression) or ``$$$X`` (``run``). ``name`` is ``_`` where nothing is to be captured."""

    name: str
    run: bool

    def __str__(self) -> str:
        """Return it as it is written in a pattern."""
        return ("$$$" if self.run else "$") + self.name


@dataclass
class Readable:
    """A pattern that Python can parse: ``text``, and at which offset of it which offset of the pattern
    stands.
    """

    text: str = ""
    offsets: list[tuple[int, int]] = field(default_factory=list)
    found: list[Metavariable] = field(default_factory=list)

    def original(self, offset: int) -> int:
        """Return the offset in the pattern for an offset in ``text``."""
        best = (0, 0)
        for mine, its in self.offsets:
            if mine > offset:
                break
            best = (mine, its)
        return best[1] + offset - best[0]


def metavariable(name: str) -> Metavariable | None:
    """Return the metavariable that the identifier ``name`` stands for, if it does."""
    match = PLACEHOLDER.fullmatch(name)
    return Metavariable(match[2], match[1] == "run") if match else None


def show(text: str) -> str:
    """Return ``text`` with placeholders spelled as in patterns again."""
    return PLACEHOLDER.sub(lambda match: str(Metavariable(match[2], match[1] == "run")), text)


def readable(pattern: str, slug: str) -> Readable:
    """Return the pattern with names in place of its metavariables.

    ``$`` in plain strings and comments, and in the text of f-strings, stands for itself. Raises
    ``AnchorError`` with ``slug`` for a ``$`` that begins no metavariable.
    """
    reserved = PLACEHOLDER.search(pattern)
    if reserved:
        raise AnchorError(slug, f"{place(pattern, reserved.start())}: names like `{reserved[0]}` are mutkit's own.")
    scanner = _Scanner(pattern, slug)
    scanner.code(0, closing="")
    return scanner.out


class _Scanner:
    """Walks over Python tokens just well enough to tell code from the text of strings."""

    def __init__(self, pattern: str, slug: str) -> None:
        self.pattern = pattern
        self.slug = slug
        self.out = Readable()

    def code(self, at: int, closing: str) -> int:
        """Copy code from ``at`` on, up to an unnested character of ``closing``; return where that stands."""
        depth = 0
        while at < len(self.pattern):
            char = self.pattern[at]
            string = _STRING.match(self.pattern, at)
            if string and not self.pattern[at - 1 : at].isalnum():
                at = self._string(string)
            elif char == "#" and not closing:
                end = re.compile(r"[^\r\n]*").match(self.pattern, at)
                at = self._copy(at, end.end() if end else at)
            elif char == "$":
                at = self._metavariable(at)
            elif closing and depth == 0 and self._closes(at, closing):
                return at
            else:
                depth += (char in "([{") - (char in ")]}")
                at = self._copy(at, at + 1)
        return at

    def _closes(self, at: int, closing: str) -> bool:
        char = self.pattern[at]
        if char == "!" and self.pattern[at + 1 : at + 2] == "=":
            return False
        return char in closing

    def _copy(self, start: int, end: int) -> int:
        self.out.text += self.pattern[start:end]
        return end

    def _metavariable(self, at: int) -> int:
        match = _METAVARIABLE.match(self.pattern, at)
        before = self.pattern[at - 1 : at]
        if not match or before == "$" or before.isalnum() or before == "_":
            word = re.compile(r"[A-Za-z0-9_]*\$+\w*").match(self.pattern, at)
            raise AnchorError(
                self.slug,
                f"{place(self.pattern, at)}: `{word[0] if word else '$'}` is no metavariable: write $NAME, "
                "$$$NAME, $_ or $$$_, the name in upper case and apart from other words.",
            )
        one = Metavariable(match[2], match[1] == "$$$")
        self.out.found.append(one)
        self.out.offsets.append((len(self.out.text), at))
        self.out.text += (RUN if one.run else ONE) + one.name
        self.out.offsets.append((len(self.out.text), match.end()))
        return match.end()

    def _string(self, match: re.Match[str]) -> int:
        prefix, quote = match[1].lower(), match[2]
        at = self._copy(match.start(), match.end())
        while at < len(self.pattern):
            if self.pattern.startswith(quote, at):
                return self._copy(at, at + len(quote))
            if self.pattern[at] == "\\":
                at = self._copy(at, min(at + 2, len(self.pattern)))
            elif "f" in prefix and self.pattern.startswith(("{{", "}}"), at):
                at = self._copy(at, at + 2)
            elif "f" in prefix and self.pattern[at] == "{":
                at = self._field(at, quote)
            elif self.pattern[at] in "\r\n" and len(quote) == 1:
                return at
            else:
                at = self._copy(at, at + 1)
        return at

    def _field(self, at: int, quote: str) -> int:
        """Copy ``{expression!r:spec}`` of an f-string: the expression is code, the specification is text with
        fields.
        """
        at = self.code(self._copy(at, at + 1), closing="}:!")
        while at < len(self.pattern) and not self.pattern.startswith(quote, at):
            if self.pattern[at] == "}":
                return self._copy(at, at + 1)
            at = self._field(at, quote) if self.pattern[at] == "{" else self._copy(at, at + 1)
        return at


def place(text: str, offset: int) -> str:
    """Return ``line 2, column 5`` (from 1) of an offset in a pattern, for messages."""
    before = text[:offset]
    return f"line {before.count(chr(10)) + 1}, column {offset - (before.rfind(chr(10)) + 1) + 1}"
