"""Owns how a long command ends early: Ctrl-C, SIGTERM and SIGHUP alike."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def interruptible() -> Iterator[None]:
    """Let Ctrl-C, SIGTERM and SIGHUP end the run in the same way, once: what follows is clearing up, not to be cut
    short.
    """
    import signal

    ending = False

    def interrupt(number: int, _frame: Any) -> None:
        nonlocal ending
        if ending:
            return
        ending = True
        os.write(
            2, f"\nmutkit: {signal.Signals(number).name}: ending the processes, removing the workspaces\n".encode()
        )
        raise KeyboardInterrupt

    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = {number: signal.signal(number, interrupt) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
