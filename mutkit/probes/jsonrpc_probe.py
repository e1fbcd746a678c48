"""Owns the JSON-RPC probe: a server on standard streams is asked, and its last answer is observed."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

from mutkit.model.describe import quoted
from mutkit.model.effect import Effect, Hung, NothingSeen, Refused, Returned
from mutkit.model.probe_run import ProbeRun
from mutkit.probes.endings import effect_without_answer
from mutkit.probes.framing import ContentLengthFraming, Framing, NewlineFraming
from mutkit.probes.json_pointer import MISSING, at_pointer
from mutkit.process import Child

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mutkit.model.campaign import JsonRpcProbe
    from mutkit.model.matcher import Json
    from mutkit.probes.surroundings import Surroundings
    from mutkit.stage import Stage

PROTOCOL_VERSION = "2025-06-18"
"""The revision of MCP that is spoken; the last with a handshake that all servers know."""

GRACE = 1.0
"""Seconds that a server has to end by itself once it has answered and its input is closed."""

_INITIALIZE = {
    "method": "initialize",
    "params": {
        "protocolVersion": PROTOCOL_VERSION,
        "capabilities": {},
        "clientInfo": {"name": "mutkit", "version": "1"},
    },
}
_INITIALIZED = {"method": "notifications/initialized", "notify": True}


class _Talk:
    """A conversation with one server: what was sent, and the messages that come back until the deadline."""

    def __init__(self, child: Child, framing: Framing, deadline: float) -> None:
        self._child = child
        self._framing = framing
        self._until = time.monotonic() + deadline
        self._messages: Iterator[bytes] = iter(())
        self._last_id = 0
        self.sent = b""
        self.ended = False

    @property
    def left(self) -> float:
        """Return the seconds until the deadline, 0 at least."""
        return max(0.0, self._until - time.monotonic())

    def send(self, message: dict[str, Any]) -> None:
        """Send a message. That a server does not read shows in that it does not answer."""
        text = json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False, separators=(",", ":"))
        data = self._framing.wrap(text.encode("utf-8", "surrogatepass"))
        self.sent += data
        self._child.send(data, self.left)

    def ask(self, message: dict[str, Any]) -> dict[str, Any] | None:
        """Send a request and return its answer; None when the output or the time ended instead."""
        self._last_id += 1
        self.send({**message, "id": self._last_id})
        while (answer := self._next()) is not None:
            if "method" in answer:
                self._serve(answer)
            elif type(answer.get("id")) is int and answer["id"] == self._last_id:
                return answer
        return None

    def _next(self) -> dict[str, Any] | None:
        """Return the next JSON object that the server sends, None at the end of its output or of the time."""
        while True:
            for raw in self._messages:
                try:
                    message = json.loads(raw)
                except (ValueError, RecursionError):
                    continue  # a log line: the capture has it
                if isinstance(message, dict):
                    return message
            data = self._child.receive(self.left)
            if not data:
                self.ended = data is not None
                return None
            self._messages = self._framing.push(data)

    def _serve(self, message: dict[str, Any]) -> None:
        """Answer what the server asks of its client; a notification gets none."""
        if "id" not in message:
            return
        if message["method"] == "ping":
            self.send({"id": message["id"], "result": {}})
        else:
            error = {"code": -32601, "message": f"mutkit's probe does not serve {message['method']}"}
            self.send({"id": message["id"], "error": error})


def run_jsonrpc_probe(probe: JsonRpcProbe, stage: Stage, surroundings: Surroundings) -> ProbeRun:
    """Start the server, send the messages in order, each after the answer to the one before; observe the last
    answer.
    """
    framing = NewlineFraming() if probe.framing == "newline" else ContentLengthFraming()
    argv = surroundings.argv(probe.run)
    with Child(argv, cwd=surroundings.cwd, env=surroundings.env, cancellation=stage.cancellation) as child:
        talk = _Talk(child, framing, surroundings.deadline)
        effect = _converse(probe, talk)
        child.close_stdin()
        # Who closed its output may still be about to crash; who answered or hung has had its time.
        result = child.finish(talk.left if effect is None and talk.ended else GRACE)
    if effect is None and not talk.ended:
        effect = Hung(surroundings.deadline)  # whatever it did once its input was closed
    if effect is None:
        effect = effect_without_answer(result, surroundings.deadline)
    return ProbeRun(effect, result, talk.sent)


def _converse(probe: JsonRpcProbe, talk: _Talk) -> Effect | None:
    """Hold the conversation; return its effect, None where the server did not answer."""
    if probe.handshake == "mcp":
        answer = talk.ask(_INITIALIZE)
        if answer is None:
            return None
        if "result" not in answer:
            return NothingSeen("handshake-refused", f"initialize was answered with {quoted(answer)}")
        talk.send({key: value for key, value in _INITIALIZED.items() if key != "notify"})
    messages = (probe.send,) if isinstance(probe.send, dict) else probe.send
    last: dict[str, Any] | None = None
    for message in messages:
        words = {key: value for key, value in message.items() if key not in ("notify", "id", "jsonrpc")}
        if message.get("notify") is True:
            talk.send(words)
            continue
        last = talk.ask(words)
        if last is None:
            return None
    if last is None:
        return NothingSeen("nothing-asked", "the probe sends notifications only, which have no answer")
    return _effect_of(last, probe.show)


def _effect_of(answer: dict[str, Json], pointer: str) -> Effect:
    error = answer.get("error")
    if error is not None:
        code, message = (error.get("code"), error.get("message")) if isinstance(error, dict) else (None, None)
        if type(code) is not int or not isinstance(message, str) or "result" in answer:
            return NothingSeen("answer-malformed", f"this is no JSON-RPC error answer: {quoted(answer)}")
        return Refused(code, message, error.get("data"))
    value = at_pointer(answer, pointer)
    if value is MISSING:
        return NothingSeen("pointer-missing", f"{pointer} is not in the answer {quoted(answer)}")
    return Returned(value)
