"""Owns what a folder tree is known by: its entries, and how two states of it differ."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias


class Kind(str, enum.Enum):
    """What stands at a path; ``SPECIAL`` is a socket, a named pipe or a device, and is never opened."""

    FILE = "file"
    LINK = "link"
    FOLDER = "folder"
    SPECIAL = "special"


@dataclass(frozen=True)
class Entry:
    """One path of a tree.

    ``content`` is the SHA-256 of a file as 64 hex digits, the target of a link, else empty; ``mode`` the permission
    bits of a file or folder (0 for what has none of its own).
    """

    kind: Kind
    content: str = ""
    mode: int = 0


Snapshot: TypeAlias = Mapping[str, Entry]
"""All entries of a tree by their path, relative to its root, with ``/``."""


class Difference(str, enum.Enum):
    """In which way a path differs."""

    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"


@dataclass(frozen=True)
class Change:
    """A path that is not as it was."""

    path: str
    difference: Difference

    def __str__(self) -> str:
        """Return ``changed: src/a.py``."""
        return f"{self.difference.value}: {self.path}"
