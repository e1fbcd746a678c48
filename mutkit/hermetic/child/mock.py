"""Owns what a mock process can do: read, write, leave files and processes behind, end; each thing is recorded.

Part of the child: it runs under ``python -I -S`` and imports as little as it can. Exit codes of its own, told from the
script's by the record: 95 hung too long, 96 the reader went away, 97 unexpected call, 98 cannot do what is asked.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # `signal` costs an import of enum
import posix
import sys
import time

from .secrets import Secrets
from .stdin import Stdin
from .streams import NAMES, UnableError, Writer, kind_of
from .words import shown

TYPE_CHECKING = False  # importing it from `typing` would import re and enum at each start
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType
    from typing import Any, NoReturn

    from .record import Record

FORGOTTEN, READER_GONE, UNEXPECTED, UNABLE = 95, 96, 97, 98
HANG_LIMIT = 600.0  # seconds: a mock that nobody ends must not live for ever
_HANDLED = (_signal.SIGHUP, _signal.SIGINT, _signal.SIGQUIT, _signal.SIGTERM, _signal.SIGUSR1, _signal.SIGUSR2)


class Mock:
    """One mock process."""

    def __init__(self, name: str, script: dict[str, Any], record: Record) -> None:
        """Take the command's name, its compiled script and the open record, and record the call."""
        self.name, self.script, self.record = name, script, record
        coding = sys.getfilesystemencoding()
        self.argv = [word.encode(coding, "surrogateescape") for word in sys.argv[1:]]
        unredacted = [one.encode(coding, "surrogateescape") for one in script.get("unredacted", ())]
        self.secrets = Secrets(posix.environ, self.argv, unredacted)
        self.stdin = Stdin(record, self.secrets)
        self.writer = Writer(record)
        self.signals: dict[int, Any] = {}
        self.before_end: list[Callable[[], object]] = []
        self.reader_gone: int | str | Callable[[], object] = READER_GONE
        self._record_start()
        for number in _HANDLED:
            _signal.signal(number, self._on_signal)

    def note(self, key: str, value: object) -> None:
        """Record a fact, without the secrets in it."""
        self.record.add(key, self.secrets.clean(value) if self.secrets else value)

    def _record_start(self) -> None:
        parent = posix.getppid()
        names = [name.encode("utf-8", "surrogateescape") for name in self.script.get("env", ())]
        environ: dict[str, bytes | None] = {}
        for name in names:
            value = posix.environ.get(name)
            environ[name.decode("utf-8", "surrogateescape")] = value and self.secrets.clean(value)
        self.record.add_all(
            [
                ("argv", self.secrets.argv(self.argv)),
                ("cwd", self.secrets.clean(_cwd())),
                ("pids", (posix.getpid(), parent, _name_of(parent), posix.getuid())),
                ("env", environ),
                ("fds", tuple(kind_of(fd) for fd in (0, 1, 2))),
                ("inherited", _inherited(self.record.fd)),
                ("seed", self.script.get("seed")),
                ("began", time.time()),
            ]
        )

    # ---- ends

    def finish(self, code: int, message: str = "", how: str = "exit", *, drain: bool = True) -> NoReturn:
        """Record the end, say ``message`` on standard error, exit."""
        self._leave(drain=drain)
        message = self.secrets.clean(message)
        self._ended(how, code, message)
        if message:
            try:  # noqa: SIM105 - contextlib costs an import at each start
                posix.write(2, f"mock {self.name}: {message}\n".encode("utf-8", "surrogateescape"))
            except OSError:  # nobody listens: the record has it
                pass
        posix._exit(code)  # noqa: SLF001 - its name; os is an import

    def die(self, number: int, *, drain: bool = True) -> NoReturn:
        """Record the end and die by a signal."""
        self._leave(drain=drain)
        self._ended("signal", number, "")
        if number in _DUMP_CORE:
            import resource

            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # nobody wants the file
        if number not in (_signal.SIGKILL, _signal.SIGSTOP):
            _signal.signal(number, _signal.SIG_DFL)
        posix.kill(posix.getpid(), number)
        while True:  # SIGCONT and the like do not end anybody
            time.sleep(HANG_LIMIT)

    def hang(self, at_stdin_end: int | None = None) -> NoReturn:
        """Do not end, or only with the exit code ``at_stdin_end`` when standard input ends."""
        self.record.add("hangs", True)
        if at_stdin_end is not None:
            self.stdin.read_all()
            self.finish(at_stdin_end)
        until = time.monotonic() + HANG_LIMIT
        while time.monotonic() < until:
            time.sleep(until - time.monotonic())
        self.finish(FORGOTTEN, f"nobody ended this hanging mock in {HANG_LIMIT:.0f} s", how="forgotten")

    def _ended(self, how: str, code: int, message: str) -> None:
        self.record.add("ended", (how, code, message, self.record.offset(), time.time()))

    def _leave(self, *, drain: bool) -> None:
        actions, self.before_end = self.before_end, []
        for action in actions:
            action()
        self.stdin.leave()
        self.writer.leave(drain=drain)

    # ---- what comes from outside

    def _on_signal(self, number: int, _frame: FrameType | None) -> None:
        self.record.when_idle(lambda: self._react(number))

    def _react(self, number: int) -> None:
        self.record.add("signal", (number, self.record.offset()))
        reaction = self.signals.get(number, "die")
        if reaction == "die":
            self.die(number, drain=False)
        if isinstance(reaction, int):
            self.finish(reaction, drain=False)
        if reaction != "ignore":
            reaction(number)

    # ---- steps

    def write(self, fd: int, data: bytes, how: dict[str, Any]) -> None:
        """Write ``data`` to a stream as ``how`` says; where its reader has gone, do what is to be done then."""
        try:
            self.writer.write(fd, data, how)
        except BrokenPipeError:
            self.record.add("reader-gone", fd)
            reaction = self.reader_gone
            if reaction == "die":
                self.die(_signal.SIGPIPE, drain=False)
            if isinstance(reaction, int):
                self.finish(reaction, f"the reader has closed {NAMES[fd]}", how="reader-gone", drain=False)
            if not isinstance(reaction, str):
                reaction()

    def write_file(self, path: bytes, data: bytes, *, append: bool, after: bytes | None = None) -> None:
        """Write a file: at ``path``, or at the word after the option ``after``; folders are made."""
        if after:
            places = [at for at, word in enumerate(self.argv[:-1]) if word == after]
            if not places:
                raise UnableError(f"no word after {shown([after])} in {shown(self.secrets.argv(self.argv))}")
            path = self.argv[places[-1] + 1]
        elif path.startswith(b"$"):
            name, _, rest = path[1:].partition(b"/")
            if name not in posix.environ:
                raise UnableError(f"the variable {name.decode('utf-8', 'replace')} is not set")
            path = posix.environ[name] + b"/" + rest
        _make_folders(path)
        flags = posix.O_WRONLY | posix.O_CREAT | posix.O_CLOEXEC | (posix.O_APPEND if append else posix.O_TRUNC)
        fd = posix.open(path, flags, 0o666)
        view = memoryview(data)
        while view:
            view = view[posix.write(fd, view) :]
        posix.close(fd)
        self.note("file", (path, len(data)))

    def grandchild(self, seconds: float, fds: list[int]) -> None:
        """Leave a process behind, in a session of its own, that keeps the descriptors open."""
        pid = posix.fork()
        if pid:
            self.record.add("grandchild", pid)
            return
        posix.setsid()
        for fd in {0, 1, 2} - set(fds):
            try:  # noqa: SIM105 - contextlib costs an import
                posix.close(fd)
            except OSError:  # closed before
                pass
        posix.closerange(3, 1024)
        for number in _HANDLED:
            _signal.signal(number, _signal.SIG_DFL)
        time.sleep(seconds)
        posix._exit(0)  # noqa: SLF001 - its name; os is an import

    def wait_for(self, path: str, limit: float) -> None:
        """Return when the path exists; UnableError where it does not in time."""
        until = time.monotonic() + limit
        while True:
            try:
                posix.stat(path)
            except OSError:
                if time.monotonic() > until:
                    raise UnableError(f"{path} did not appear within {limit:g} s") from None
                time.sleep(0.002)
            else:
                return


_DUMP_CORE = (3, 4, 5, 6, 7, 8, 11, 24, 25, 31)  # QUIT ILL TRAP ABRT BUS FPE SEGV XCPU XFSZ SYS, as Linux counts


def _cwd() -> bytes:
    try:
        return posix.getcwdb()
    except OSError:  # it was removed
        return b""


def _name_of(pid: int) -> bytes:
    """Return the name of a process, or nothing where it cannot be told."""
    try:
        fd = posix.open(f"/proc/{pid}/comm", posix.O_RDONLY)
    except OSError:
        return b""
    name = posix.read(fd, 100)
    posix.close(fd)
    return name.rstrip(b"\n")


def _inherited(own: int) -> tuple[tuple[int, str], ...]:
    """Return the descriptors beyond the streams that the mock was started with, and what they are."""
    try:
        names = posix.listdir("/proc/self/fd")
    except OSError:
        return ()
    there = sorted(int(name) for name in names)
    kinds = ((fd, kind_of(fd)) for fd in there if fd > 2 and fd != own)
    return tuple((fd, kind) for fd, kind in kinds if kind != "closed")  # the folder that was listed is closed by now


def _make_folders(path: bytes) -> None:
    folder = path.rpartition(b"/")[0]
    if not folder:
        return
    try:
        posix.mkdir(folder)
    except FileNotFoundError:
        _make_folders(folder)
        posix.mkdir(folder)
    except OSError:  # it is there; what else is wrong shows when the file is opened
        pass
