"""Owns the client's side of the suite: starts the bridge, sends requests, waits for answers."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from mutkit.model.ending import Exited

if TYPE_CHECKING:
    from mutkit.hermetic import Sandbox
    from mutkit.model.ending import ProcessResult

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

    def __init__(self, generation: str, sandbox: Sandbox, **env: str) -> None:
        """Start the generation in the sandbox, with more environment variables."""
        sandbox.env.update(env)
        self._program = sandbox.start([sys.executable, "-m", GENERATIONS[generation]], cwd=TREE)
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
        self._program.close_stdin()
        result = self._program.finish(DEADLINE)
        well = result.ending == Exited(0) or self._is_known_dead
        assert well, f"the bridge ended with {_ending(result)} instead of 0: {_last_line(result)}"

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
        if not self._program.send(json.dumps(message).encode() + b"\n", DEADLINE):
            raise self._died()

    def _wait_for(self, request: int) -> dict[str, Any]:
        line = self._line(time.monotonic() + DEADLINE)
        answer: dict[str, Any] = json.loads(line.decode("utf-8"))
        assert answer.get("id") == request, f"an answer to request {answer.get('id')} instead of {request}"
        return answer

    def _line(self, deadline: float) -> bytes:
        while not (self._buffer and b"\n" in self._buffer[-1]):
            chunk = self._program.receive(max(0.0, deadline - time.monotonic()))
            if chunk is None:
                raise NoAnswer(f"the bridge gave no answer within {DEADLINE:g} seconds")
            if not chunk:
                raise self._died()
            self._buffer.append(chunk)
        line, _, rest = b"".join(self._buffer).partition(b"\n")
        self._buffer = [rest] if rest else []
        return line

    def _died(self) -> BridgeDied:
        result = self._program.finish(DEADLINE)
        self._is_known_dead = True
        return BridgeDied(f"the bridge died with {_ending(result)} instead of answering: {_last_line(result)}")


def _ending(result: ProcessResult) -> str:
    return f"exit code {result.ending.code}" if isinstance(result.ending, Exited) else str(result.ending)


def _last_line(result: ProcessResult) -> str:
    """Return the last line of standard error."""
    return result.stderr.text.strip().rpartition("\n")[2]


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
