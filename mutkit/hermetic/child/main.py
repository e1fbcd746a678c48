"""Owns what a mock child does once started: follow its compiled script, record everything.

It runs as a copy of this module and of the two that it imports, under ``python -I -S``, so nothing else of mutkit is
there; and it imports little at all, since each module costs milliseconds at each start. The compiled script is a
marshalled dictionary (script.py makes it). Exit codes of its own, told from the script's by the record: 95 hung too
long, 96 the reader went away, 97 unexpected call, 98 cannot do what the script says.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # `signal` costs an import of enum
import marshal
import os
import sys
import time

from .record import Record
from .streams import UnableError, Writer, kind_of, write_all
from .words import shown, words_match

TYPE_CHECKING = False  # importing it from `typing` would import re and enum at each start
if TYPE_CHECKING:
    from types import FrameType
    from typing import Any, NoReturn

FORGOTTEN, READER_GONE, UNEXPECTED, UNABLE = 95, 96, 97, 98
HANG_LIMIT = 600.0  # seconds: a mock that nobody ends must not live for ever


class Child:
    """One mock child at work."""

    def __init__(self, name: str, script: dict[str, Any], record: Record) -> None:
        """Take the command's name, its compiled script and the open record."""
        self.name = name
        self.script = script
        self.record = record
        self.argv = [os.fsencode(word) for word in sys.argv[1:]]
        self.signals: dict[int, Any] = {}

    def run(self) -> NoReturn:
        """Record the call, choose the answer, follow it to its end."""
        self._record_start()
        answer = self._answer()
        self.signals = answer["signals"]
        self.writer = Writer(self.record, mark=any(step.get("exact") for step in answer["steps"]))
        for number in (_signal.SIGHUP, _signal.SIGINT, _signal.SIGTERM):
            _signal.signal(number, self._on_signal)
        try:
            for step in answer["steps"]:
                self._step(step)
        except BrokenPipeError:
            self.finish(READER_GONE, "the reader has closed the pipe", how="reader-gone")
        except UnableError as error:
            self.finish(UNABLE, str(error), how="unable")
        self.writer.leave()
        self._end(answer["end"])

    def finish(self, code: int, message: str = "", how: str = "exit") -> NoReturn:
        """Record the end, say ``message`` on standard error, exit."""
        self.record.add("ended", (how, code))
        if message:
            try:  # noqa: SIM105 - contextlib costs an import at each start
                os.write(2, f"mock {self.name}: {message}\n".encode("utf-8", "surrogateescape"))
            except OSError:  # nobody listens: the record has it
                pass
        os._exit(code)

    def _record_start(self) -> None:
        add = self.record.add
        add("argv", self.argv)
        add("cwd", os.getcwdb())
        add("pids", (os.getpid(), os.getppid()))
        add("env", {name: os.environb.get(os.fsencode(name)) for name in self.script["env"]})
        add("fds", tuple(kind_of(fd) for fd in (0, 1, 2)))

    def _answer(self) -> dict[str, Any]:  # noqa: RET503 - finish() does not return
        """Return the first answer whose argv and number fit this call."""
        answers: list[dict[str, Any]] = self.script["calls"]
        for answer in answers:
            if answer["nth"] in (0, self.record.number) and (
                answer["argv"] is None or words_match(answer["argv"], self.argv)
            ):
                return answer
        wanted = "\n".join(
            "  expected: "
            + ("any words" if one["argv"] is None else shown(one["argv"]))
            + (f" (call {one['nth']} only)" if one["nth"] else "")
            for one in answers
        )
        message = f"unexpected call {self.record.number}\n{wanted}\n  called:   {shown(self.argv)}"
        self.record.add("unexpected", message)
        self.finish(UNEXPECTED, message, how="unexpected")

    def _on_signal(self, number: int, _frame: FrameType | None) -> None:
        self.record.add("signal", number)
        reaction = self.signals.get(number, "die")
        if reaction == "ignore":
            return
        if reaction == "die":
            self._die(number)
        self.finish(reaction)

    def _die(self, number: int) -> NoReturn:
        self.record.add("ended", ("signal", number))
        if number not in (_signal.SIGKILL, _signal.SIGSTOP):
            _signal.signal(number, _signal.SIG_DFL)
        os.kill(os.getpid(), number)
        while True:  # SIGCONT and the like do not end anybody
            time.sleep(HANG_LIMIT)

    def _step(self, step: dict[str, Any]) -> None:
        if "parts" in step:
            data = b"".join(part * times for part, times in step["parts"])
            if "path" in step:
                self._write_file(step, data)
            else:
                self.writer.write(step["fd"], data, step)
        elif "read" in step:
            self._read(whole=step["read"] == "end")
        elif "close" in step:
            os.close(step["close"])
        elif "grandchild" in step:
            self._grandchild(step["grandchild"], step["fds"])
        elif "wait_for" in step:
            self._wait_for(step["wait_for"], step["limit"])
        elif step["pause"]:
            time.sleep(step["pause"])

    def _write_file(self, step: dict[str, Any], data: bytes) -> None:
        path = step["path"]
        if step["after"]:
            places = [at for at, word in enumerate(self.argv[:-1]) if word == step["after"]]
            if not places:
                self.finish(UNABLE, f"no word after {shown([step['after']])} in {shown(self.argv)}", how="unable")
            path = self.argv[places[-1] + 1]
        elif path.startswith(b"$"):
            name, _, rest = path[1:].partition(b"/")
            if name not in os.environb:
                self.finish(UNABLE, f"the variable {name.decode()} is not set", how="unable")
            path = os.environb[name] + b"/" + rest
        # pathlib costs an import at each start
        os.makedirs(os.path.dirname(path) or b".", exist_ok=True)
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | (os.O_APPEND if step["append"] else os.O_TRUNC), 0o644)
        write_all(fd, data)
        os.close(fd)
        self.record.add("file", (path, len(data)))

    def _read(self, *, whole: bool) -> None:
        while True:
            piece = os.read(0, 65536 if whole else 1)
            self.record.add("stdin", piece) if piece else self.record.add("stdin-ended", True)
            if not piece or (not whole and piece == b"\n"):
                return

    def _grandchild(self, seconds: float, fds: list[int]) -> None:
        pid = os.fork()
        if pid:
            self.record.add("grandchild", pid)
            return
        os.setsid()
        for fd in {0, 1, 2} - set(fds):
            os.close(fd)
        for number in (_signal.SIGHUP, _signal.SIGINT, _signal.SIGTERM):
            _signal.signal(number, _signal.SIG_DFL)
        time.sleep(seconds)
        os._exit(0)

    def _wait_for(self, path: str, limit: float) -> None:
        until = time.monotonic() + limit
        while not os.path.exists(path):
            if time.monotonic() > until:
                self.finish(UNABLE, f"{path} did not appear within {limit} s", how="unable")
            time.sleep(0.002)

    def _end(self, end: dict[str, Any]) -> NoReturn:
        if end["signal"]:
            self._die(end["signal"])
        if not end["hang"]:
            self.finish(end["exit"])
        self.record.add("hangs", True)
        until = time.monotonic() + HANG_LIMIT
        while time.monotonic() < until:
            time.sleep(until - time.monotonic())
        self.finish(FORGOTTEN, f"nobody ended this hanging mock in {HANG_LIMIT:.0f} s", how="forgotten")


def main(script: str, folder: str, name: str) -> NoReturn:
    """Run the compiled script at ``script`` as command ``name``, recording under ``folder``."""
    record = Record(folder, name)
    with open(script, "rb") as file:
        compiled = marshal.load(file)  # noqa: S302 - install.py wrote it
    Child(name, compiled, record).run()
