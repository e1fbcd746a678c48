"""Owns cancellation: one switch that wakes every wait on every thread at once."""

from __future__ import annotations

import contextlib
import os
import weakref


class Cancelled(Exception):  # noqa: N818 -- it is no error: somebody asked for it
    """The wait was cut short by a ``Cancellation``; the processes in question have been ended."""


class Cancellation:
    """A switch that is turned once: every waiting function then ends its processes and raises ``Cancelled``.

    Safe to be called from any thread and from a signal handler.
    """

    def __init__(self) -> None:
        """Make a switch that is off."""
        self._cancelled = False
        self._wake_end, self._bell = os.pipe()
        os.set_blocking(self._bell, False)
        weakref.finalize(self, _close, self._wake_end, self._bell)

    @property
    def cancelled(self) -> bool:
        """Return whether ``cancel`` has been called."""
        return self._cancelled

    def cancel(self) -> None:
        """Turn the switch on; a second call does nothing."""
        if not self._cancelled:
            self._cancelled = True
            # The byte is never read, so the other end stays readable for every waiter, present and future.
            with contextlib.suppress(BlockingIOError):
                os.write(self._bell, b"!")

    def fileno(self) -> int:
        """Return a file descriptor that is readable from the moment of ``cancel`` on, for selectors."""
        return self._wake_end

    def check(self) -> None:
        """Raise ``Cancelled`` if the switch is on."""
        if self._cancelled:
            raise Cancelled


def _close(*descriptors: int) -> None:
    for descriptor in descriptors:
        os.close(descriptor)
