"""Owns the readers of asyncio: a protocol, which gets each read, and a stream, which has a buffer of its own."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any

from mutkit.hermetic.selftest.reading import Collected, Reader, Reading, watched

if TYPE_CHECKING:
    from mutkit.hermetic.selftest.reading import Task

_ROOM = 65536
_HOW: dict[str, Any] = {
    "stdin": asyncio.subprocess.DEVNULL,
    "stdout": asyncio.subprocess.PIPE,
    "start_new_session": True,
}


class _Protocol(asyncio.SubprocessProtocol):
    """Keeps what comes in until both the output and the process have ended."""

    def __init__(self, got: Collected, done: asyncio.Future[None]) -> None:
        self._got = got
        self._done = done

    def pipe_data_received(self, fd: int, data: bytes) -> None:  # noqa: ARG002  asyncio names it
        """Keep one read: the transport calls this once for each."""
        self._got.add(data)
        if self._got.pause:
            time.sleep(self._got.pause)  # the loop stands still: that is what a busy program is to its child

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002  asyncio names it
        """Note the end: asyncio calls this after the process has ended and its pipes are closed."""
        if not self._done.done():
            self._done.set_result(None)


def _protocol(task: Task) -> Reading:
    got = Collected(task.pause)

    async def go() -> Reading:
        loop = asyncio.get_running_loop()
        done = loop.create_future()
        with task.errors.open("ab") as errors:
            transport, _ = await loop.subprocess_exec(
                lambda: _Protocol(got, done), *task.argv, env=dict(task.env), stderr=errors, **_HOW
            )
        with watched(transport.get_pid(), task.seconds) as watch:
            await done
        transport.close()
        return got.reading(watch)

    return asyncio.run(go())


def _stream(task: Task) -> Reading:
    got = Collected(task.pause)

    async def go() -> Reading:
        with task.errors.open("ab") as errors:
            process = await asyncio.create_subprocess_exec(*task.argv, env=dict(task.env), stderr=errors, **_HOW)
        assert process.stdout is not None
        with watched(process.pid, task.seconds) as watch:
            while piece := await process.stdout.read(_ROOM):
                got.add(piece)
                await asyncio.sleep(task.pause)
            await process.wait()
        return got.reading(watch)

    return asyncio.run(go())


READERS = (
    Reader("asyncio protocol", "pipe", _protocol),
    Reader("asyncio stream", "pipe", _stream, sees_reads=False, glues="StreamReader has a buffer of its own"),
)
