"""Owns what the end of a probed process means: which effect it is where the process did not answer."""

from __future__ import annotations

from mutkit.model.effect import Died, Hung, NothingSeen
from mutkit.model.ending import Exited, Lost, NotStarted, ProcessResult, Signalled, TimedOut
from mutkit.probes.traceback_text import escaped_error

STDERR_TAIL = 8192
"""Bytes of standard error that go with the effect of a process that died."""

TRACEBACK_TAIL = 2**20
"""Bytes of standard error in which a traceback is looked for; the longest are of functions that call one another
without end.
"""

UNCAUGHT = 1
"""The exit code of a Python whose program let an exception escape."""


def effect_without_answer(result: ProcessResult, after: float) -> Died | Hung | NothingSeen:
    """Return the effect of a process that ended as ``result`` says, or hung for ``after`` seconds, without an
    answer.

    An exception is named only where it ended the process: one that was caught and logged did not.
    """
    match result.ending:
        case NotStarted(reason):
            return NothingSeen("probe-not-started", f"{result.argv[0]} could not be started: {reason}")
        case Lost(reason):
            return NothingSeen("probe-lost", f"nothing is known of the end of {result.argv[0]}: {reason}")
        case TimedOut():
            return Hung(after)
        case Exited() | Signalled() as ending:
            tail = result.stderr.tail
            error = escaped_error(tail[-TRACEBACK_TAIL:]) if ending == Exited(UNCAUGHT) else None
            if error is None:
                return Died(ending, stderr=tail[-STDERR_TAIL:])
            return Died(ending, error.type, error.message, tail[-STDERR_TAIL:])
