"""Owns the record of a service: each request as it is seen, filled in before anything is sent; no secrets."""

from __future__ import annotations

import re
import threading
import time
from dataclasses import replace
from typing import TYPE_CHECKING

from mutkit.model.service import Request

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

HIDDEN = "(not recorded)"
"""Stands for the value of a secret."""

_SECRET = re.compile("authorization|cookie|key|token|secret|password", re.IGNORECASE)


def without_secrets(pairs: Iterable[tuple[str, str]], named: frozenset[str]) -> tuple[tuple[str, str], ...]:
    """Return pairs of names and values; what is named like a secret loses its value unless ``named`` (lower case)
    has it.
    """
    return tuple((key, value if key.lower() in named or not _SECRET.search(key) else HIDDEN) for key, value in pairs)


class Record:
    """The requests of one service, in the order in which they came in; safe from any thread."""

    def __init__(self) -> None:
        """Begin with no requests; times are counted from here."""
        self._changed = threading.Condition()
        self._requests: list[Request] = []
        self._sends: list[list[int]] = []
        self._start = time.monotonic()

    def now(self) -> float:
        """Return the seconds since the service began."""
        return time.monotonic() - self._start

    def add(self, request: Request) -> int:
        """Add a request; return its place."""
        with self._changed:
            self._requests.append(request)
            self._sends.append([])
            self._changed.notify_all()
            return len(self._requests) - 1

    def sending(self, place: int, size: int) -> None:
        """Note that a piece of so many bytes is about to be sent."""
        self._sends[place].append(size)

    def ended(self, place: int, how: str) -> None:
        """Note how the answer to a request ended."""
        with self._changed:
            self._requests[place] = replace(self._requests[place], ended=how, until=self.now())
            self._changed.notify_all()

    @property
    def count(self) -> int:
        """Return how many requests there are."""
        return len(self._requests)

    def all(self) -> tuple[Request, ...]:
        """Return all requests as they are now."""
        with self._changed:
            pairs = zip(self._requests, self._sends, strict=True)
            return tuple(replace(request, sends=tuple(sends)) for request, sends in pairs)

    def wait(self, holds: Callable[[tuple[Request, ...]], bool], seconds: float) -> bool:
        """Wait until ``holds`` of all requests, so long at most; return whether it does."""
        with self._changed:
            return self._changed.wait_for(lambda: holds(self.all()), seconds)
