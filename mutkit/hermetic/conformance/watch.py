"""Owns looking at one scenario: calls a program as it says, and gathers what can be seen of it from outside."""

from __future__ import annotations

import json
import os
import re
import select
import shutil
import signal
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mutkit.hermetic.conformance.scenarios import Call, Scenario

DEADLINE = 60.0
"""Seconds for one call."""

WATCHED = 2.0
"""Seconds for which a program is watched that waits for the end of its standard input."""

MCP_SERVER = """
import json, sys
TOOLS = [{"name": n, "description": n, "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}}}
         for n in ("echo", "fail", "boom")]
for line in sys.stdin:
    message = json.loads(line)
    method, params = message.get("method"), message.get("params") or {}
    if "id" not in message:
        continue
    answer = {"result": {}}
    if method == "initialize":
        answer = {"result": {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}},
                             "serverInfo": {"name": "demo", "version": "1"}}}
    elif method == "tools/list":
        answer = {"result": {"tools": TOOLS}}
    elif method == "tools/call" and params["name"] == "echo":
        answer = {"result": {"content": [{"type": "text", "text": params["arguments"]["text"]}]}}
    elif method == "tools/call" and params["name"] == "fail":
        answer = {"result": {"content": [{"type": "text", "text": "it failed"}], "isError": True}}
    elif method == "tools/call":
        answer = {"error": {"code": -32603, "message": "boom"}}
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], **answer}), flush=True)
"""


class Program(Protocol):
    """What is looked at: the real program, or the mock."""

    env: dict[str, str]

    def prepare(self, home: Path, scenario: Scenario) -> None:
        """Make what the program needs in the fresh ``home``, its CODEX_HOME."""

    def begin(self, call: Call, number: int) -> list[str]:
        """Make ready for the call with this number, from 1, and return the words that start the program."""

    def within(self, argv: list[str]) -> list[str]:
        """Return the command that starts ``argv`` where the program belongs."""

    def chunks(self) -> list[int] | None:
        """Return the sizes of the last call's writes to standard output, where the program tells them."""

    def is_in_turn(self) -> bool:
        """Return whether the turn of the call under way has begun to wait for the model."""


class Watcher:
    """Looks at scenarios, each in a fresh folder below ``folder``."""

    def __init__(self, program: Program, folder: Path, *, model: str, strace: str | None) -> None:
        """Take the program, a folder, a model's name that the program knows, and strace where it is there."""
        self._program = program
        self._folder = folder
        self._model = model
        self._strace = strace

    def watch(self, scenario: Scenario) -> list[dict[str, Any]]:
        """Return what each call showed."""
        root = self._folder / "scene"
        shutil.rmtree(root, ignore_errors=True)
        home, _ = make_scene(root, scenario)
        self._program.prepare(home, scenario)
        return _Scene(self._program, root, self._model, self._strace).play(scenario)


def make_scene(root: Path, scenario: Scenario) -> tuple[Path, Path]:
    """Make the folders of a scenario; return CODEX_HOME and the working directory."""
    home, cwd = root / "home", root / "work"
    for folder in (home, cwd / "sub", root / "tmp"):
        folder.mkdir(parents=True)
    for name, text in scenario.files.items():
        (cwd / name).write_text(text, encoding="utf-8")
    if scenario.git:
        for folder in (cwd / ".git" / "objects", cwd / ".git" / "refs"):
            folder.mkdir(parents=True)
        (cwd / ".git" / "HEAD").write_text("ref: refs/heads/main\n", encoding="ascii")
    return home, cwd


def read_new(home: Path, sizes: dict[Path, int]) -> list[dict[str, Any]]:
    """Return what came new to each rollout file; ``sizes`` knows what was there."""
    found = []
    sessions = home / "sessions"
    for path in sorted(sessions.rglob("*")):
        if path.is_file():
            data = path.read_bytes()
            new = data[sizes.get(path, 0) :]
            if new:
                name = str(path.relative_to(sessions))
                found.append({"name": name, "is_new": path not in sizes, "text": new})
            sizes[path] = len(data)
    return found


class _Scene:
    """One scenario under way."""

    def __init__(self, program: Program, root: Path, model: str, strace: str | None) -> None:
        self._program, self._root, self._model, self._strace = program, root, model, strace
        self._cwd = root / "work"
        self._thread = ""
        self._sizes: dict[Path, int] = {}

    def play(self, scenario: Scenario) -> list[dict[str, Any]]:
        """Make the calls."""
        return [self._call(call, number) for number, call in enumerate(scenario.calls, start=1)]

    def _call(self, call: Call, number: int) -> dict[str, Any]:
        out = self._cwd / "out.txt"
        if call.before is not None:
            out.write_text(call.before, encoding="utf-8")
        words = {"{id}": self._thread, "{ID}": self._thread.upper(), "{model}": self._model}
        argv = [words.get(word, word) for word in call.argv]
        start = self._program.begin(call, number)
        trace = self._root / "trace"
        if call.writes and self._strace:
            start = [self._strace, "-f", "-qq", "-e", "trace=write,writev", "-y", "-s", "0", "-o", str(trace), *start]
        env = {
            **self._program.env,
            "HOME": str(self._root),
            "CODEX_HOME": str(self._root / "home"),
            "TMPDIR": str(self._root / "tmp"),
            "TZ": "UTC",
            "LC_ALL": "C.UTF-8",
        }
        ended = _run(self._program.within([*start, *argv]), self._cwd, env, call, self._program)
        pipe = ended.pop("pipe")
        if number == 1:
            found = re.search(rb'"thread_id":"([^"]+)"', ended["stdout"])
            self._thread = found.group(1).decode() if found else ""
        ended["out"] = out.read_text("utf-8") if out.exists() else None
        ended["rollouts"] = read_new(self._root / "home", self._sizes)
        ended["root"] = str(self._root)
        chunks = self._program.chunks() if call.writes else None
        if call.writes and chunks is not None:
            ended["writes"] = chunks
        elif call.writes and self._strace:
            ended["writes"] = _writes(trace.read_text("utf-8", "replace"), pipe)
        return ended


def _writes(trace: str, pipe: int) -> list[int]:
    """Return the sizes of the writes into the pipe: helpers of the program write to descriptors 1 of their own."""
    found = []
    for line in trace.split("\n"):
        call, _, rest = line.partition(f"(1<pipe:[{pipe}]>, ")
        if call.endswith(("write", "writev")) and rest:
            sizes = (
                re.findall(r"iov_len=(\d+)", rest) if call.endswith("writev") else re.findall(r", (\d+)(?:\)| <)", rest)
            )
            found.append(sum(map(int, sizes if call.endswith("writev") else sizes[:1])))
    return found


def _run(argv: Sequence[str], cwd: Path, env: dict[str, str], call: Call, program: Program) -> dict[str, Any]:
    piped = call.stdin is not None or call.stdin_open
    nobody = _pipe_without_reader() if call.reader_gone else None
    child = subprocess.Popen(
        argv,
        cwd=cwd,
        env=env,
        stdin=subprocess.PIPE if piped else subprocess.DEVNULL,
        stdout=subprocess.PIPE if nobody is None else nobody,
        stderr=subprocess.PIPE,
    )
    try:
        head = b""
        pipe = 0 if child.stdout is None else os.fstat(child.stdout.fileno()).st_ino
        if nobody is not None:
            os.close(nobody)
        if call.signal:
            head = _until_in_turn(child, call, program)
            child.send_signal(getattr(signal, f"SIG{call.signal}"))
        if call.stdin_open:
            return {**_watched(child), "pipe": pipe}
        out, err = child.communicate(call.stdin, timeout=DEADLINE)
        return {"exit": child.returncode, "stdout": head + (out or b""), "stderr": err, "pipe": pipe}
    finally:
        if child.poll() is None:
            child.kill()
            child.wait()


def _pipe_without_reader() -> int:
    reader, writer = os.pipe()
    os.close(reader)
    return writer


def _watched(child: subprocess.Popen[bytes]) -> dict[str, Any]:
    """Let its standard input stay open for a while, then end the program; ``waits`` says whether it still ran."""
    try:
        child.wait(WATCHED)
        waits = False
    except subprocess.TimeoutExpired:
        waits = True
        child.kill()
    out, err = child.communicate()
    return {"exit": child.returncode, "stdout": out, "stderr": err, "waits": waits}


def _until_in_turn(child: subprocess.Popen[bytes], call: Call, program: Program) -> bytes:
    """Read until the turn waits for the model; return what was read."""
    assert child.stdout is not None
    head = b""
    until = time.monotonic() + DEADLINE
    while time.monotonic() < until:
        if select.select([child.stdout], [], [], 0.02)[0]:
            piece = os.read(child.stdout.fileno(), 65536)
            if not piece:
                return head
            head += piece
        said = all(item["type"] != "agent_message" or item["text"].encode() in head for item in call.turn.items)
        if program.is_in_turn() and ((said and b"turn.started" in head) or "--json" not in call.argv):
            return head
    raise TimeoutError("the turn has not begun")


def as_json(seen: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return observations with text for bytes."""
    return json.loads(json.dumps(seen, default=lambda data: data.decode("utf-8", "backslashreplace")))  # type: ignore[no-any-return]
