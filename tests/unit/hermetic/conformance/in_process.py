"""A profile's program played in this process: a call that does to the machine what a mock child does, without one."""

from __future__ import annotations

import functools
import os
import types
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from mutkit.hermetic.conformance.mock import options_of
from mutkit.hermetic.conformance.shape import shape
from mutkit.hermetic.conformance.watch import make_scene, read_new
from mutkit.hermetic.scripts.profiles import profile
from mutkit.hermetic.scripts.profiles.find import folder

if TYPE_CHECKING:
    import pytest

    from mutkit.hermetic.conformance.scenarios import Scenario


class Ended(Exception):  # noqa: N818 - it reads as what happened
    """The program has ended with this exit code."""


class FakeCall:
    """What a program does with its call, gathered."""

    def __init__(self, argv: list[str], options: dict[str, Any], number: int, cwd: Path, stdin: bytes) -> None:
        """Take what the program was called with."""
        self.argv, self.options, self.number, self.name, self.cwd = argv, options, number, "codex", str(cwd)
        self.streams = {"stdout": b"", "stderr": b""}
        self.reader_gone: Any = None
        self._stdin = stdin

    def write(self, data: bytes | str, *, to: str = "stdout", newline: str = "none", **_how: Any) -> None:
        """Gather what is written."""
        whole = data if isinstance(data, bytes) else data.encode("utf-8", "surrogateescape")
        self.streams[to] += whole + (b"" if newline == "none" else b"\n")

    def write_file(self, path: str, data: str, *, append: bool = False) -> None:
        """Write a file."""
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        with Path(path).open("a" if append else "w", encoding="utf-8", newline="") as file:
            file.write(data)

    def read_stdin(self) -> bytes:
        """Return all of it."""
        return self._stdin

    def on_signal(self, name: str, reaction: Any) -> None:
        """Take no note: nobody sends any."""

    def exit(self, code: int = 0) -> NoReturn:
        """End."""
        raise Ended(code)

    def fail(self, message: str) -> NoReturn:
        """Fail the test."""
        raise AssertionError(message)


@functools.cache
def _program() -> types.ModuleType:
    source = folder() / "codex" / "codex.py"
    module = types.ModuleType("codex_profile")
    exec(compile(source.read_bytes(), source, "exec"), module.__dict__)
    return module


def answer(
    name: str, argv: list[str], cwd: Path, *, number: int = 1, stdin: bytes = b"", **options: Any
) -> tuple[int, str, str]:
    """Let a profile answer a call; return its exit code, what it wrote to standard output and to standard error."""
    call = FakeCall(argv, dict(profile(name, **options).model.options), number, cwd, stdin)
    code = 0
    try:
        _program().answer(call)
    except Ended as ended:
        code = ended.args[0]
    out, err = (call.streams[stream].decode("utf-8") for stream in ("stdout", "stderr"))
    return code, out, err


def play(name: str, scenario: Scenario, root: Path, monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """Return the shapes of a scenario's calls."""
    home, cwd = make_scene(root, scenario)
    monkeypatch.setenv("CODEX_HOME", str(home))
    monkeypatch.setenv("TZ", "UTC")
    monkeypatch.chdir(cwd)
    sizes: dict[Path, int] = {}
    shapes, thread = [], ""
    turns = [options_of(call.turn) for call in scenario.calls]
    for number, call in enumerate(scenario.calls, start=1):
        if call.before is not None:
            (cwd / "out.txt").write_text(call.before, encoding="utf-8")
        words = [thread if word == "{id}" else word for word in call.argv]
        code, out, err = answer(name, words, cwd, number=number, stdin=call.stdin or b"", turns=turns)
        thread = thread or out.partition('"thread_id":"')[2][:36]
        file = cwd / "out.txt"
        seen = {"exit": code, "stdout": out, "stderr": err, "out": file.read_text() if file.exists() else None}
        rollouts = [{**one, "text": one["text"].decode("utf-8")} for one in read_new(home, sizes)]
        shapes.append(shape({**seen, "rollouts": rollouts, "root": os.fspath(root)}))
    return shapes
