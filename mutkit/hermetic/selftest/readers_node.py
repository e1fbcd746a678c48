"""Owns the readers of Node, which gives UNIX sockets to its children and may itself be at the end of a pipe."""

from __future__ import annotations

import functools
import json
import os
import shutil
import subprocess
from pathlib import Path

from mutkit.hermetic.selftest.reading import Reader, Reading, Task, started

NODE = "node"
_PROGRAM = Path(__file__).with_name("readers.js")


def _node(kind: str, task: Task) -> Reading:
    """Let Node start the mock and read it."""
    with started(task, stdout=subprocess.DEVNULL, argv=_words(kind, task, *task.argv)) as (_, watch):
        pass
    return _result(task, expired=watch.expired)


def _stdin(task: Task) -> Reading:
    """Put the mock's output, a pipe, on the standard input of Node."""
    reader, writer = os.pipe()
    try:
        with task.errors.open("ab") as errors:
            node = subprocess.Popen(
                _words("stdin", task), env=dict(task.env), stdin=reader, stderr=errors, start_new_session=True
            )
    finally:
        os.close(reader)
    with node:
        try:
            with started(task, stdout=writer) as (_, watch):
                os.close(writer)
            node.wait(task.seconds)
        except BaseException:
            node.kill()
            raise
    return _result(task, expired=watch.expired)


def _words(kind: str, task: Task, *command: str) -> tuple[str, ...]:
    node = shutil.which(NODE)
    assert node is not None, "the row says that Node is needed"
    return (node, str(_PROGRAM), kind, str(task.pause * 1000), str(task.folder / "read"), *command)


def _result(task: Task, *, expired: bool) -> Reading:
    data, sizes = task.folder / "read", task.folder / "read.sizes"
    if not sizes.exists():  # it was killed, or died by itself: nothing that it read is known
        return Reading(b"", (), expired)
    runs = json.loads(sizes.read_bytes())
    return Reading(data.read_bytes(), tuple(size for size, times in runs for _ in range(times)), expired)


READERS = (
    Reader("node data", "unix socket", functools.partial(_node, "data"), needs=NODE),
    Reader("node for-await", "unix socket", functools.partial(_node, "for-await"), needs=NODE),
    Reader("node stdin", "pipe", _stdin, needs=NODE),
)
