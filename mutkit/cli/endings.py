"""Owns ending this process as another one ended."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

from mutkit.model.ending import Exited

if TYPE_CHECKING:
    from mutkit.model.ending import Signalled


def end_as(ending: Exited | Signalled) -> int:
    """Return the exit code to end with, or die by the signal; no core is dumped for it a second time."""
    if isinstance(ending, Exited):
        return ending.code
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    if ending.number != signal.SIGKILL:
        signal.signal(ending.number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {ending.number})
    os.kill(os.getpid(), ending.number)
    return 128 + ending.number  # as a shell says it; reached only where the signal ends nobody
