"""Owns running a real program once and looking at all that it does."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from typing import TYPE_CHECKING

from mutkit.errors import HostError, UsageError
from mutkit.hermetic.capture.captured import Capture
from mutkit.hermetic.capture.outputs import Outputs, bytes_in
from mutkit.model.ending import Exited, Signalled

if TYPE_CHECKING:
    from collections.abc import Sequence

_LOOK = 0.02  # seconds between two looks whether the program has ended
_GRACE = 2.0  # seconds that a program has to end after SIGTERM
_LONG = 0.1  # seconds that make a stream's end something by itself, and not a part of the program's


def capture(
    argv: Sequence[str], stdin: bytes | None = None, deadline: float = 60.0, *, packets: bool = True
) -> Capture:
    """Run ``argv`` with ``stdin`` (None: nothing, at its end) in our environment and working directory.

    It has ``deadline`` seconds; then SIGTERM is sent, later SIGKILL. ``packets=False`` gives it plain pipes, whose
    chunks are those of our reads. UsageError (slug ``record-program``) where it cannot be started.
    """
    try:
        outputs = Outputs(packets=packets)
    except OSError as error:
        raise HostError(f"no pipes can be made: {error.strerror}", slug="open-files") from error
    try:
        with _Input(stdin, outputs) as source:
            return _Run(argv, source, outputs, deadline).captured()
    finally:
        outputs.close()


class _Input:
    """The program's standard input: a pipe that is filled as it is emptied, or nothing."""

    def __init__(self, data: bytes | None, outputs: Outputs) -> None:
        self.data = data
        self.reader = self._writer = -1
        self._sent = 0
        if data is None:
            self.reader = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
            return
        self.reader, self._writer = os.pipe()
        os.set_blocking(self._writer, False)
        outputs.watch_input(self.reader)

    def __enter__(self) -> _Input:  # noqa: PYI034 - typing.Self came with 3.11
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self.reader)
        self._close()

    def feed(self) -> None:
        """Put as much into the pipe as it takes; close it behind the last byte."""
        if self._writer < 0 or self.data is None:
            return
        with contextlib.suppress(BlockingIOError):
            while self._sent < len(self.data):
                self._sent += os.write(self._writer, memoryview(self.data)[self._sent :])
            self._close()

    @property
    def taken(self) -> int:
        """Return how many bytes the program has taken."""
        return 0 if self.data is None else self._sent - bytes_in(self.reader)

    def _close(self) -> None:
        if self._writer >= 0:
            os.close(self._writer)
            self._writer = -1


class _Run:
    """One run of the program."""

    def __init__(self, argv: Sequence[str], source: _Input, outputs: Outputs, deadline: float) -> None:
        self._source, self._outputs = source, outputs
        source.feed()
        try:
            self._process = subprocess.Popen(
                argv,
                stdin=source.reader,
                stdout=outputs.writers[1],
                stderr=outputs.writers[2],
                start_new_session=True,
            )
        except OSError as error:
            message = f"{argv[0]}: cannot be started: {error.strerror}"
            raise UsageError(message, slug="record-program") from error
        outputs.close_writers()
        self._until = time.monotonic() + deadline

    def captured(self) -> Capture:
        """Look until it has ended and its streams too."""
        outputs = self._outputs
        try:
            self._look(self._until, ended=False)
            hung = self._process.poll() is None
            seconds, count = time.monotonic() - outputs.began, len(outputs.chunks)
            on_term = self._ask_to_end() if hung else "die"
            self._look(time.monotonic() if hung else self._until, ended=True)
            return self._result(seconds, count, on_term, hung=hung)
        finally:
            self._kill()

    def _look(self, until: float, *, ended: bool) -> None:
        """Take what is written, until the program has ended (or, ``ended``, its streams too) or to that time."""
        outputs, code = self._outputs, None
        while outputs.open or not ended:
            self._source.feed()
            outputs.pump(_LOOK)
            over = time.monotonic() > until
            if (code is not None and not ended) or over:
                return
            code = self._process.poll()  # once it has ended, one more look: what it wrote last
            if not outputs.open and not ended:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    code = self._process.wait(_LOOK)

    def _ask_to_end(self) -> int | str:
        """Send SIGTERM; return what it did then: an exit code, "die" or "ignore"."""
        self._process.send_signal(signal.SIGTERM)
        until = time.monotonic() + _GRACE
        self._look(until, ended=False)
        code = self._process.poll()
        if code is None:
            return "ignore"
        return "die" if code < 0 else code

    def _kill(self) -> None:
        """Kill what still runs of the program, and what still keeps its output open in its group."""
        if self._process.poll() is None or self._outputs.open:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def _result(self, seconds: float, count: int, on_term: int | str, *, hung: bool) -> Capture:
        outputs, source = self._outputs, self._source
        code = self._process.poll()
        ending = None if hung or code is None else Signalled(-code) if code < 0 else Exited(code)
        now = time.monotonic() - outputs.began
        ends = {fd: outputs.ended.get(fd, now) for fd in (1, 2)}
        return Capture(
            chunks=tuple(outputs.chunks[:count]),
            ending=ending,
            boundaries=outputs.boundaries,
            seconds=seconds,
            unsure=outputs.unsure,
            on_term=on_term,  # type: ignore[arg-type]
            stdin_given=None if source.data is None else len(source.data),
            stdin_taken=source.taken,
            stdin_taken_of=(source.data or b"")[: source.taken],
            stdin_after=min(outputs.stdin_after, count),
            closed={fd: outputs.chunks_at_end[fd] for fd, at in outputs.ended.items() if at < seconds - _LONG},
            held={} if hung else {fd: at - seconds for fd, at in ends.items() if at > seconds + _LONG},
            late=sum(len(chunk.data) for chunk in outputs.chunks[count:]),
        )
