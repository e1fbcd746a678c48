"""Owns running one mock command by hand, on the standard streams and in the environment that are there."""

from __future__ import annotations

import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from mutkit.errors import HostError
from mutkit.hermetic import MockCommands
from mutkit.model.ending import Exited, Signalled

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mutkit.model.mock_call import Call

_PASSED_ON = (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGUSR1, signal.SIGUSR2)
_PR_SET_PDEATHSIG = 1


@dataclass(frozen=True)
class ByHand:
    """How the mock ended, and the call as it was recorded."""

    ending: Exited | Signalled
    calls: tuple[Call, ...]


def run_by_hand(script: Path, name: str, argv: Sequence[str], folder: Path) -> ByHand:
    """Run the script in the file as command ``name`` with the words ``argv``; return when it has ended.

    ``folder`` is an empty one, for the mock and its recording.

    It has our own standard streams, environment, working directory and process group, and gets the signals that
    processes send to us; what the terminal sends (Ctrl-C) it gets by itself. It does not outlive us; what its script
    leaves behind does. SpecError for a wrong script, HostError where this machine cannot run it.
    """
    mocks = MockCommands(folder)
    mocks.add(name, script)
    ending = _run([str(Path(mocks.path) / name), *argv])
    return ByHand(ending, tuple(mocks.calls(name)))


def _run(argv: list[str]) -> Exited | Signalled:
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # ignored by whoever started us, no child's end could be seen
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {*_PASSED_ON, signal.SIGCHLD})
    try:
        child = subprocess.Popen(argv, close_fds=False, preexec_fn=_prepare(before))  # noqa: PLW1509  no threads here
        code = _wait(child)
    except OSError as error:
        message = f"{argv[0]} cannot be started ({error.strerror}). `mutkit doctor` tells more."
        raise HostError(message, slug="temporary-folder") from error
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    return Signalled(-code) if code < 0 else Exited(code)


def _prepare(mask: set[int | signal.Signals]) -> Callable[[], None]:
    """Return what the child does before it becomes the mock: no signal blocked that was not, and never an orphan."""
    import ctypes

    prctl = ctypes.CDLL(None).prctl if sys.platform == "linux" else None

    def prepare() -> None:
        if prctl is not None:
            prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)

    return prepare


def _wait(child: subprocess.Popen[bytes]) -> int:
    """Wait for the end and return the code as subprocess has it; pass on what other processes send to us."""
    while True:
        info = signal.sigwaitinfo({*_PASSED_ON, signal.SIGCHLD})
        if info.si_signo == signal.SIGCHLD:
            code = child.poll()
            if code is not None:
                return code
        elif info.si_code <= 0:  # sent by a process; the terminal sends to the whole group, which has the mock in it
            child.send_signal(info.si_signo)
