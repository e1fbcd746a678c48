"""Owns the words that stand for a worker's number and its ports in command lines and variables."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

_WORD = re.compile(r"\{(?:port(?::(?P<name>[A-Za-z0-9_.-]+))?|(?P<worker>worker))\}")


def fill(text: str, worker: int, port: Callable[[str], int]) -> str:
    """Return ``text`` with ``{worker}``, ``{port}`` and ``{port:name}`` replaced; ``port`` gives that of a name."""
    return _WORD.sub(lambda found: str(worker if found["worker"] else port(found["name"] or "")), text)
