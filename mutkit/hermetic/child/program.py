"""Owns answers that are computed: the program's function is called with the call, and what it does is recorded.

Part of the child, imported only for such scripts.
"""

from __future__ import annotations

import marshal
import sys
import time

from .mock import UNABLE
from .streams import NAMES, UnableError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any, NoReturn

    from .mock import Mock

_CODEX_LINE = 1024  # bytes that the codex CLI writes as one piece, newline included
_MODULE = "mutkit_mock_program"


class ProgramCall:
    """One call of the mock command, as its program sees it: what it was called with, and what it can do."""

    def __init__(self, mock: Mock, options: dict[str, Any]) -> None:
        """Take the mock process and the script's options."""
        self._mock = mock
        self.name: str = mock.name
        self.number: int = mock.record.number
        self.options = options
        self.argv: list[str] = sys.argv[1:]

    @property
    def cwd(self) -> str:
        """Return the working directory."""
        import posix

        return posix.getcwd()

    def write(
        self,
        data: bytes | str,
        *,
        to: str = "stdout",
        newline: str = "none",
        chunk: int = 0,
        cut_at: Iterable[int] = (),
        pace: str = "none",
        pause_ms: float = 0,
        deadline: float = 30,
    ) -> None:
        """Write to a stream; the words mean what they mean in a script."""
        if newline not in ("none", "with", "separate", "codex") or to not in NAMES[1:] or pace not in ("none", "exact"):
            raise ValueError(f"no such way to write: to={to!r}, newline={newline!r}, pace={pace!r}")
        data = _as_bytes(data)
        if newline == "codex":
            newline = "with" if len(data) < _CODEX_LINE else "separate"
        how = {
            "chunk": chunk,
            "cut_at": sorted(cut_at),
            "exact": pace == "exact",
            "pause": pause_ms / 1000,
            "deadline": deadline,
        }
        fd = NAMES.index(to)
        self._mock.write(fd, data + b"\n" if newline == "with" else data, how)
        if newline == "separate":
            self._mock.write(fd, b"\n", {**how, "cut_at": []})

    def write_file(self, path: str | bytes, data: bytes | str, *, append: bool = False) -> None:
        """Write a file; folders are made. A path that begins with $NAME/ is below that variable's folder."""
        self._mock.write_file(_as_bytes(path), _as_bytes(data), append=append)

    def read_stdin(self, until: str = "end") -> bytes:
        """Return standard input to its end, or one line of it with its line feed; empty at the end."""
        return self._mock.stdin.read_line() if until == "line" else self._mock.stdin.read_all()

    def on_signal(self, name: str, reaction: str | int | Callable[[ProgramCall, int], object]) -> None:
        """Say what a signal does: "die", "ignore", an exit code, or a function of the call and the signal's number."""
        number = _number_of(name)
        self._mock.signals[number] = (lambda got: reaction(self, got)) if callable(reaction) else reaction

    @property
    def reader_gone(self) -> Any:
        """Return what is done when the reader of a stream has gone."""
        return self._mock.reader_gone

    @reader_gone.setter
    def reader_gone(self, reaction: str | int | Callable[[ProgramCall], object]) -> None:
        """Say what is done: an exit code, "die", "ignore", or a function of the call."""
        self._mock.reader_gone = (lambda: reaction(self)) if callable(reaction) else reaction

    def pause(self, ms: float) -> None:
        """Do nothing for ``ms`` milliseconds."""
        self._mock.record.flush()
        time.sleep(ms / 1000)

    def exit(self, code: int = 0) -> NoReturn:
        """End with an exit code."""
        self._mock.finish(code)

    def die(self, name: str) -> NoReturn:
        """End by a signal, "KILL"."""
        self._mock.die(_number_of(name))

    def hang(self, at_stdin_end: int | None = None) -> NoReturn:
        """Do not end, or only with an exit code when standard input ends."""
        self._mock.hang(at_stdin_end)

    def fail(self, message: str) -> NoReturn:
        """End with exit code 98: the program cannot do what is asked of it."""
        self._mock.finish(UNABLE, message, how="unable", drain=False)


class _Printed:
    """What print() writes to: a stream of the mock, so that it is recorded."""

    encoding = "utf-8"

    def __init__(self, call: ProgramCall, to: str) -> None:
        self._call, self._to = call, to
        self._line = ""

    def write(self, text: str) -> int:
        """Write the lines that are complete, and keep the rest."""
        lines, feed, rest = (self._line + text).rpartition("\n")
        self._line = rest
        if feed:
            self._call.write(lines + feed, to=self._to)
        return len(text)

    def flush(self) -> None:
        """Write what is left of a line."""
        line, self._line = self._line, ""
        if line:
            self._call.write(line, to=self._to)


def run(mock: Mock) -> NoReturn:
    """Call the script's program and end when it returns, or as it says."""
    program = mock.script["program"]
    call = ProgramCall(mock, _options(program["options"]))
    mock.writer.mark = True  # it may go on with an exact pace at any time
    mock.record.add("step", program["function"])
    sys.stdout, sys.stderr = printed = _Printed(call, "stdout"), _Printed(call, "stderr")
    mock.before_end = [one.flush for one in printed]
    try:
        _load(program["file"])[program["function"]](call)
    except UnableError:
        raise
    except SystemExit as left:
        if not isinstance(left.code, (int, type(None))):
            mock.finish(1, str(left.code))
        mock.finish((left.code or 0) & 255)
    except Exception as error:  # noqa: BLE001 - whatever it is, the record and the reader must have it
        mock.finish(UNABLE, _told(error), how="unable", drain=False)
    mock.finish(0)


def _options(text: str) -> dict[str, Any]:
    if text in ("", "{}"):
        return {}
    import json

    return json.loads(text)  # type: ignore[no-any-return]


def _load(file: str) -> dict[str, Any]:
    """Run the program's file as a module, from the byte-code beside it where that is of this Python."""
    module = type(sys)(_MODULE)
    module.__file__ = file
    sys.modules[_MODULE] = module
    try:
        with open(f"{file}.{sys.implementation.cache_tag}", "rb") as stored:
            code = marshal.loads(stored.read())  # noqa: S302 - install.py made it
    except OSError:
        with open(file, "rb") as source:
            code = compile(source.read(), file, "exec", dont_inherit=True)
    exec(code, module.__dict__)  # noqa: S102 - it is what the script's author wrote
    return module.__dict__


def _told(error: BaseException) -> str:
    """Return the exception with the lines of the program that it came through."""
    import traceback

    ours = run.__code__.co_filename.rpartition("/")[0]
    frames = [one for one in traceback.extract_tb(error.__traceback__) if one.filename.rpartition("/")[0] != ours]
    lines = traceback.format_list(frames[-4:]) + traceback.format_exception_only(type(error), error)
    return "the program failed\n" + "".join(lines).rstrip()


def _number_of(name: str) -> int:
    import _signal  # type: ignore[import-not-found]

    return int(getattr(_signal, f"SIG{name.removeprefix('SIG')}"))


def _as_bytes(value: bytes | str) -> bytes:
    return value if isinstance(value, bytes) else value.encode("utf-8", "surrogateescape")
