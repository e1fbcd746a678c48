"""Owns the client's side of the suite: starts the bridge, sends requests, waits with a deadline."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

TREE = Path(__file__).resolve().parents[3]
"""The tree in which this suite lies: its bridge is the one under test, whatever else is installed."""

GENERATIONS = {
    "pre-fix": "examples.bridge.history.pre_fix",
    "round-one": "examples.bridge.history.round_one",
    "final": "examples.bridge",
}

DEADLINE = 30.0
"""Seconds for one answer, on a busy machine too."""

KEPT = 2_000
"""Text longer than this many characters is recorded by its size, its digest and its ends."""


class BridgeDied(AssertionError):  # noqa: N818 - it reads as what happened
    """The bridge ended instead of answering."""


class NoAnswer(AssertionError):  # noqa: N818 - it reads as what happened
    """The bridge did not answer in time."""


class StillThere(AssertionError):  # noqa: N818 - it reads as what happened
    """The bridge did not end in time."""


class Answer(NamedTuple):
    """What one request was answered: the text and the session id, or the code and message of an error."""

    text: str | None = None
    session: str | None = None
    code: int | None = None
    message: str | None = None

    def record(self) -> dict[str, Any]:
        """Return what a case records of the answer, as JSON."""
        given = {name: value for name, value in self._asdict().items() if value is not None}
        return {name: _shortened(value) for name, value in given.items()}


class Bridge:
    """A running bridge."""

    def __init__(self, generation: str, env: Mapping[str, str], errors: Path) -> None:
        """Start the generation with this environment alone; ``errors`` is where its standard error goes."""
        self._errors = errors
        with errors.open("wb") as stderr:
            self._process = subprocess.Popen(
                [sys.executable, "-m", GENERATIONS[generation]],
                cwd=TREE,
                env=dict(env),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=stderr,
                bufsize=0,
            )
        self._buffer: list[bytes] = []
        self._last_id = 0
        self._is_known_dead = False

    def shake_hands(self) -> None:
        """Do what a client has to do first."""
        hello = {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "suite", "version": "1"},
        }
        self._wait_for(self._send("initialize", hello))
        self._post({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def close(self) -> None:
        """Close the bridge's input, which is the sign to end, and assert that it was alive and ends well.

        A death that a call was already answered with is not reported again.
        """
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()
        try:
            code = self._exit_code()
        finally:
            self._process.kill()
        assert code == 0 or self._is_known_dead, f"the bridge ended with exit code {code} instead of 0: {self._said()}"

    def start(self, prompt: str = "hi", **arguments: Any) -> Answer:
        """Call the tool ``codex``."""
        return self.call("codex", prompt=prompt, **arguments)

    def follow_up(self, session: str, prompt: str = "go on", **arguments: Any) -> Answer:
        """Call the tool ``codex-reply``."""
        return self.call("codex-reply", sessionId=session, prompt=prompt, **arguments)

    def call(self, tool: str, **arguments: Any) -> Answer:
        """Call a tool and return what it was answered."""
        answer = self._wait_for(self._send("tools/call", {"name": tool, "arguments": arguments}))
        if "error" in answer:
            return Answer(code=answer["error"]["code"], message=answer["error"]["message"])
        text, *more = (block["text"] for block in answer["result"]["content"])
        session = more[0].removeprefix("session id: ") if more else None
        return Answer(text=text, session=session)

    def _send(self, method: str, params: dict[str, Any]) -> int:
        self._last_id += 1
        self._post({"jsonrpc": "2.0", "id": self._last_id, "method": method, "params": params})
        return self._last_id

    def _post(self, message: dict[str, Any]) -> None:
        stdin = self._process.stdin
        assert stdin is not None
        try:
            stdin.write(json.dumps(message).encode() + b"\n")
        except BrokenPipeError:
            raise self._died() from None

    def _wait_for(self, request: int) -> dict[str, Any]:
        line = self._line(time.monotonic() + DEADLINE)
        answer: dict[str, Any] = json.loads(line.decode("utf-8"))
        assert answer.get("id") == request, f"an answer to request {answer.get('id')} instead of {request}"
        return answer

    def _line(self, deadline: float) -> bytes:
        stdout = self._process.stdout
        assert stdout is not None
        while not (self._buffer and b"\n" in self._buffer[-1]):
            ready, _, _ = select.select([stdout], [], [], max(0.0, deadline - time.monotonic()))
            if not ready:
                raise NoAnswer(f"the bridge gave no answer within {DEADLINE:g} seconds")
            chunk = os.read(stdout.fileno(), 1 << 20)
            if not chunk:
                raise self._died()
            self._buffer.append(chunk)
        line, _, rest = b"".join(self._buffer).partition(b"\n")
        self._buffer = [rest] if rest else []
        return line

    def _died(self) -> BridgeDied:
        code = self._exit_code()
        self._is_known_dead = True
        return BridgeDied(f"the bridge died with exit code {code} instead of answering: {self._said()}")

    def _exit_code(self) -> int:
        """Return the exit code as soon as there is one."""
        with open(os.pidfd_open(self._process.pid), "rb", buffering=0) as end:
            if not select.select([end], [], [], DEADLINE)[0]:
                raise StillThere(f"the bridge did not end within {DEADLINE:g} seconds")
        return self._process.wait()

    def _said(self) -> str:
        """Return the last line of the bridge's standard error."""
        return self._errors.read_text("utf-8", "replace").strip().rpartition("\n")[2]


def assert_answer(answer: Answer, text: str, session: str | None) -> None:
    """Assert that the answer is the whole text and the session id; say in a few words how it differs."""
    if answer.code is not None:
        raise AssertionError(f"an error instead of an answer: {answer.code} {answer.message}")
    given = answer.text or ""
    if given != text:
        raise AssertionError(f"another text than the child's: {_difference(given, text)}")
    if answer.session != session:
        raise AssertionError(f"session {answer.session!r} instead of {session!r}")


def assert_refused(answer: Answer, message: str) -> None:
    """Assert that the answer is the JSON-RPC error -32603 with exactly this message."""
    if answer.code is None:
        raise AssertionError(f"an answer instead of an error: {_excerpt(answer.text or '')}")
    if (answer.code, answer.message) != (-32603, message):
        raise AssertionError(f"another error: {answer.code} {answer.message} -- instead of: {message}")


def _difference(given: str, wanted: str) -> str:
    at = next(
        (i for i, (a, b) in enumerate(zip(given, wanted, strict=False)) if a != b),
        min(len(given), len(wanted)),
    )
    sizes = f"{len(given.encode())} bytes instead of {len(wanted.encode())}"
    return f"{sizes}, at character {at}: {_excerpt(given[at:])} instead of {_excerpt(wanted[at:])}"


def _excerpt(text: str) -> str:
    return repr(text) if len(text) <= 60 else f"{text[:60]!r}..."


def _shortened(value: Any) -> Any:
    import hashlib

    if not isinstance(value, str) or len(value) <= KEPT:
        return value
    data = value.encode("utf-8", "surrogatepass")
    digest = hashlib.sha256(data).hexdigest()
    return {"bytes": len(data), "sha256": digest, "begins": value[:60], "ends": value[-60:]}
