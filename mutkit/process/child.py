"""Owns talking to a program that runs, and waiting for its end."""

from __future__ import annotations

import contextlib
import os
import selectors
import time
from typing import TYPE_CHECKING

from mutkit.errors import HostError
from mutkit.model.ending import Capture, Ending, Exited, Lost, NotStarted, ProcessResult, Signalled, TimedOut
from mutkit.process.cancellation import Cancellation
from mutkit.process.link import END_LIMIT, START_LIMIT, Link, encode_job, pipe_name, sweep
from mutkit.process.pipes import InputPipe, OutputPipe

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path
    from types import TracebackType

    from mutkit.process.network import Network


CAP = 16 * 2**20
"""Bytes of each output stream that are kept."""


class Child:
    """A program that runs, to be talked to; leaving the context ends it and all its descendants.

    To be used by one thread at a time. A program that cannot be started is like one that ended at once:
    nothing can be sent, there is no output, and ``finish`` returns ``NotStarted``. Every waiting method
    raises ``Cancelled`` when the cancellation comes.
    """

    def __init__(
        self,
        argv: Sequence[str],
        *,
        cwd: Path,
        env: Mapping[str, str],
        cap: int = CAP,
        cancellation: Cancellation | None = None,
        network: Network | None = None,
    ) -> None:
        """Start ``argv`` in ``cwd`` with exactly ``env``; ``cap``: bytes kept of each output stream; ``network``:
        what it can reach (None: what this process can).

        ``argv[0]`` without a slash is looked for along the PATH of ``env``. Raises HostError if this machine
        cannot start any process, Cancelled if the cancellation came before.
        """
        self._argv = tuple(argv)
        self._cancellation = cancellation or Cancellation()
        self._cancellation.check()
        self._started: float | None = None
        self._ended: float | None = None
        self._ending: Ending | None = None
        self._leftovers = 0
        self._done = False
        self._result: ProcessResult | None = None
        self._stdout: OutputPipe | None = None
        self._stderr: OutputPipe | None = None
        self._link: Link | None = None
        try:
            job = encode_job(self._argv, cwd, env)
        except ValueError as error:
            self._ending = NotStarted(str(error))
            return
        self._open(job, cap, network.namespaces if network else ())

    def _open(self, job: bytes, cap: int, namespaces: tuple[int, ...]) -> None:
        descriptors: list[int] = []
        try:
            for _ in range(3):
                descriptors += os.pipe()
            in_theirs, in_ours, out_ours, out_theirs, err_ours, err_theirs = descriptors
            self._link = Link(job, (in_theirs, out_theirs, err_theirs), namespaces)
        except BaseException as error:
            for descriptor in descriptors:
                os.close(descriptor)
            if isinstance(error, OSError):
                raise HostError(f"cannot start a process: {error}") from error
            raise
        for descriptor in (in_theirs, out_theirs, err_theirs):
            os.close(descriptor)
        self._stdin = InputPipe(in_ours)
        self._stdout = OutputPipe(out_ours, cap, queued=True)
        self._stderr = OutputPipe(err_ours, cap)
        self._queue_limit = max(cap, 1)
        self._pipes = frozenset(pipe_name(descriptor) for descriptor in (in_ours, out_ours, err_ours))

    def _pump(self, timeout: float, *, cancellable: bool = True) -> None:
        """Wait up to ``timeout`` seconds for anything to happen, and deal with it."""
        self._obey(cancellable)
        with selectors.DefaultSelector() as selector:
            if cancellable:
                selector.register(self._cancellation, selectors.EVENT_READ, None)
            self._watch(selector)
            for key, _ in selector.select(max(timeout, 0.0)):
                if key.data is not None:
                    key.data()
        self._obey(cancellable)

    def _obey(self, cancellable: bool) -> None:
        if cancellable and self._cancellation.cancelled:
            self._end()
            self._cancellation.check()

    def _watch(self, selector: selectors.BaseSelector) -> None:
        if self._link is None or self._stdout is None or self._stderr is None:
            return
        if self._link.is_open:
            selector.register(self._link, selectors.EVENT_READ, self._listen)
        # Whoever talks but does not listen gets no more than the queue holds: then the program has to wait.
        if self._stdout.is_open and self._stdout.queue_size < self._queue_limit:
            selector.register(self._stdout.descriptor, selectors.EVENT_READ, self._stdout.read_some)
        if self._stderr.is_open:
            selector.register(self._stderr.descriptor, selectors.EVENT_READ, self._stderr.read_some)
        if self._stdin.is_open and self._stdin.pending:
            selector.register(self._stdin.descriptor, selectors.EVENT_WRITE, self._stdin.write_some)

    def _listen(self) -> None:
        if self._link is None:
            return
        for word, rest in self._link.messages():
            self._note(word, rest)
        if not self._link.is_open and self._ended is None:
            self._ended = time.monotonic()

    def _note(self, word: str, rest: str) -> None:
        now = time.monotonic()
        if word == "started":
            self._started = now
        elif word == "done":
            self._leftovers = int(rest)
            self._done = True
        elif word == "unable":
            raise HostError(f"no program can be started in a network of its own: {rest}", slug="network-namespace")
        else:
            self._ended = now
            if self._ending is None:
                self._ending = _ending_of(word, rest)

    def send(self, data: bytes, timeout: float) -> bool:
        """Write ``data`` to the program's input within ``timeout`` seconds; return whether all was taken.

        False if the program does not read (then what it did not take yet is kept for it) or has closed its
        input.
        """
        if self._link is None or not self._stdin.is_open:
            return False
        limit = time.monotonic() + timeout
        self._stdin.add(data)
        self._stdin.write_some()
        while self._stdin.is_open and self._stdin.pending and not self._is_over:
            left = limit - time.monotonic()
            if left <= 0:
                return False
            self._pump(left)
        return self._stdin.is_open and not self._stdin.pending

    def receive(self, timeout: float) -> bytes | None:
        """Return the next bytes of output; ``b""`` at its end; None after ``timeout`` seconds without any."""
        if self._stdout is None:
            return b""
        limit = time.monotonic() + timeout
        while (data := self._stdout.take()) is None:
            left = limit - time.monotonic()
            if not self._stdout.is_open:
                return b""
            if self._is_over:
                self._drain()
            elif left <= 0:
                return None
            else:
                self._pump(left)
        return data

    def feed(self, data: bytes) -> None:
        """Give ``data`` as the whole rest of the input, to be written while other things are waited for."""
        if self._link is not None:
            self._stdin.add(data)
            self._stdin.close_when_written()

    def close_stdin(self) -> None:
        """Let the program see the end of its input, after what was sent."""
        if self._link is not None and self._stdin.is_open:
            self._stdin.close_when_written()

    @property
    def _is_over(self) -> bool:
        return self._link is None or self._done or not self._link.is_open

    def finish(self, timeout: float) -> ProcessResult:
        """Wait up to ``timeout`` seconds for the end, then end all descendants too; return what is known.

        What descendants outlive the program are ended too. The ending is ``TimedOut`` only if the program had
        not ended in time.
        """
        if self._result is None:
            if self._stdout is not None:
                self._stdout.stop_queueing()
                self._queue_limit = self._stdout.queue_size + 1
            self._await_end(timeout)
            self._close()
            self._result = self._make_result()
        return self._result

    def _await_end(self, timeout: float) -> None:
        limit = time.monotonic() + timeout
        while not self._is_over and self._ended is None:
            left = limit - time.monotonic()
            self._pump(left)
            if left <= 0 and self._ended is None:
                self._ending = TimedOut(timeout)
                break
        self._await_nothing_left(cancellable=True)

    def wait_until_started(self) -> None:
        """Wait until the program runs or has been refused; HostError if neither comes about."""
        limit = time.monotonic() + START_LIMIT
        while not self._is_over and self._started is None and self._ended is None:
            left = limit - time.monotonic()
            if left <= 0:
                raise HostError(f"a process could not be started within {START_LIMIT:.0f} s")
            self._pump(left)

    def _await_nothing_left(self, *, cancellable: bool) -> None:
        if self._link is None:
            return
        if self._ended is None:
            self._link.stop()
        limit = time.monotonic() + END_LIMIT
        while not self._is_over and (left := limit - time.monotonic()) > 0:
            self._pump(left, cancellable=cancellable)
        self._drain()

    def _drain(self) -> None:
        """Read what is left in the pipes, without waiting: whoever still holds them is none of ours."""
        for pipe in (self._stdout, self._stderr):
            if pipe is not None and pipe.is_open:
                for _ in range(64):
                    if not pipe.is_open or not pipe.read_some():
                        break
                pipe.close()

    def _end(self) -> None:
        """End everything, whatever its state; the ending stays what it is."""
        if self._link is not None and self._stdout is not None:
            self._stdout.stop_queueing()
            self._queue_limit = self._stdout.queue_size + 1
            try:
                self._await_nothing_left(cancellable=False)
            finally:
                self._close()

    def _close(self) -> None:
        if self._link is None:
            return
        link, self._link = self._link, None
        self._stdin.close()
        for pipe in (self._stdout, self._stderr):
            if pipe is not None:
                pipe.close()
        how = link.close()
        if not self._done:
            if self._ending is None:
                self._ending = Lost(how)
            sweep(link.session, self._pipes)

    def _make_result(self) -> ProcessResult:
        ended = time.monotonic() if self._ended is None else self._ended
        return ProcessResult(
            argv=self._argv,
            ending=self._ending or Lost("nothing is known of its end"),
            stdout=Capture() if self._stdout is None else self._stdout.capture,
            stderr=Capture() if self._stderr is None else self._stderr.capture,
            duration=0.0 if self._started is None else ended - self._started,
            leftovers=self._leftovers,
        )

    def __enter__(self) -> Child:  # noqa: PYI034 -- typing.Self came with 3.11
        """Return the child itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the program and all its descendants, if they still run."""
        with contextlib.ExitStack() as stack:
            stack.callback(self._close)
            self._end()


def _ending_of(word: str, rest: str) -> Ending:
    if word == "exited":
        return Exited(int(rest))
    if word == "signalled":
        return Signalled(int(rest))
    return NotStarted(rest.partition(" ")[2])
