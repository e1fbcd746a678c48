"""Owns the course of a mock child: record the call, choose the answer, follow its steps to its end.

It runs as a copy of this folder, under ``python -I -S``, so nothing else of mutkit is there; and it imports little at
all, since each module costs milliseconds at each start. The compiled script is a marshalled dictionary.
"""

from __future__ import annotations

import marshal
import posix
import time

from .matching import choose
from .mock import UNABLE, UNEXPECTED, Mock
from .record import Record
from .streams import UnableError

TYPE_CHECKING = False  # importing it from `typing` would import re and enum at each start
if TYPE_CHECKING:
    from typing import Any, NoReturn


def main(script: str, folder: str, name: str) -> NoReturn:
    """Run the compiled script at ``script`` as command ``name``, recording under ``folder``."""
    try:
        record = Record(folder, name)
        fd = posix.open(script, posix.O_RDONLY)
        compiled = posix.read(fd, posix.fstat(fd).st_size)
        posix.close(fd)
    except OSError as error:  # the folder was removed, or may not be written
        posix.write(2, f"mock {name}: no record or no script: {error}\n".encode("utf-8", "surrogateescape"))
        posix._exit(UNABLE)  # noqa: SLF001 - its name; os is an import
    mock = Mock(name, marshal.loads(compiled), record)  # noqa: S302 - install.py wrote it
    at = ""
    try:
        if mock.script.get("program"):
            from .program import run

            run(mock)
        answer = _answer(mock)
        for step in answer["steps"]:
            at = step.get("at", "")
            record.add("step", at)
            _do(mock, step)
        _end(mock, answer["end"])
    except UnableError as error:
        message = str(error)
    except (OSError, ImportError, MemoryError) as error:  # of files, of a full disk, of a broken installation
        message = f"{type(error).__name__}: {error}"
    mock.finish(UNABLE, f"{at}: {message}" if at else message, how="unable", drain=False)


def _answer(mock: Mock) -> dict[str, Any]:
    """Return the answer for this call, or fail as unexpected."""
    answers: list[dict[str, Any]] = mock.script["calls"]
    at = choose(mock, answers)
    if at is None:
        from .closest import unexpected

        mock.finish(UNEXPECTED, unexpected(mock, answers), how="unexpected")
    answer = answers[at]
    mock.record.add("answer", at)
    mock.signals = answer["signals"]
    mock.reader_gone = answer.get("reader_gone", mock.reader_gone)
    mock.writer.mark = any(step.get("exact") for step in answer["steps"])
    return answer


def _do(mock: Mock, step: dict[str, Any]) -> None:
    if "parts" in step:
        data = b"".join(part * times for part, times in step["parts"])
        if "path" in step:
            mock.write_file(step["path"], data, append=step["append"], after=step["after"])
        else:
            mock.write(step["fd"], data, step)
    elif "read" in step:
        mock.stdin.read_all() if step["read"] == "end" else mock.stdin.read_line()
    elif "expect" in step:
        from .expect import mismatch

        message = mismatch(mock, step)
        if message:
            mock.finish(UNEXPECTED, f"unexpected input at {step['at']}\n{message}", how="unexpected")
    elif "close" in step:
        posix.close(step["close"])
    elif "grandchild" in step:
        mock.grandchild(step["grandchild"], step["fds"])
    elif "wait_for" in step:
        mock.wait_for(step["wait_for"], step["limit"])
    elif step["pause"]:
        time.sleep(step["pause"])


def _end(mock: Mock, end: dict[str, Any]) -> NoReturn:
    if end["signal"]:
        mock.die(end["signal"])
    if end["hang"]:
        mock.hang(end.get("at_stdin_end"))
    mock.finish(end["exit"])
