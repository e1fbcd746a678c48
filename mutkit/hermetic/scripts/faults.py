"""Owns the list of all that is wrong with one script, each fault with its key, its line and what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mutkit.errors import Problem, SpecError
from mutkit.toml import dotted

if TYPE_CHECKING:
    from mutkit.toml import Document, Key

SLUG = "mock-script"
ADVICE = "See docs/mock-children.md."


class Faults:
    """Collects faults of the script that messages call ``shown``; ``document`` knows its lines, where it was a file."""

    def __init__(self, shown: str, document: Document | None = None) -> None:
        """Take the script's name and its file."""
        self.shown = shown
        self._document = document
        self.problems: list[Problem] = []

    def add(self, key: Key, message: str, advice: str = ADVICE) -> None:
        """Add a fault at the key; the message goes on where the key ends (``is not 0 to 255``)."""
        line = None if self._document is None else self._document.line(key)
        self.problems.append(Problem(SLUG, message, advice, self.shown, line, dotted(key)))

    def tell(self) -> None:
        """Raise SpecError with everything that was found, in the order of the file; return where it is nothing."""
        if self.problems:
            raise SpecError(sorted(self.problems, key=lambda one: one.line or 0))
