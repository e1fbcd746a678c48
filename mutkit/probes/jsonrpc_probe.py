"""Owns the JSON-RPC probe: a server on standard streams is asked, and its last answer is observed."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

from mutkit.model.describe import quoted
from mutkit.model.effect import Effect, Hung, NothingSeen, Refused, Returned
from mutkit.model.probe_run import ProbeRun
from mutkit.probes.endings import effect_without_answer
from mutkit.probes.framing import ContentLengthFraming, Framing, NewlineFraming, OverLimitError
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
_INITIALIZED = {"method": "notifications/initialized"}


class _MalformedError(Exception):
    """What came as an answer is none; the message says why."""


class _Talk:
    """A conversation with one server: what was sent, and the messages that come back until the deadline."""

    def __init__(self, child: Child, framing: Framing, deadline: float) -> None:
        self._child = child
        self._framing = framing
        self._until = time.monotonic() + deadline
        self._messages: Iterator[bytes] = iter(())
        self._last_id = 0
        self._notified = False  # since the last request
        self.sent = bytearray()
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
        """Send a request and return its answer; None when the output or the time ended instead.

        An error with the id null says that a message could not be read, not which. It is the answer if nothing
        but the request is open; after a notification only if no other answer comes.
        """
        self._last_id += 1
        self.send({**message, "id": self._last_id})
        self._notified, notified = False, self._notified
        unreadable: dict[str, Any] | None = None
        while (answer := self._next()) is not None:
            if "method" in answer:
                self._serve(answer)
            elif self._is_own(answer):
                return _checked(answer)
            elif unreadable is None and "error" in answer and answer.get("id", 0) is None:
                unreadable = _checked(answer)
                if not notified:
                    return unreadable
        return unreadable

    def notify(self, message: dict[str, Any]) -> None:
        """Send a notification."""
        self._notified = True
        self.send(message)

    def _is_own(self, message: dict[str, Any]) -> bool:
        return type(message.get("id")) is int and message["id"] == self._last_id

    def _next(self) -> dict[str, Any] | None:
        """Return the next JSON object that the server sends, None at the end of its output or of the time."""
        while True:
            for raw in self._messages:
                message = self._read(raw)
                if isinstance(message, dict):
                    return message
            data = self._child.receive(self.left)
            if not data:
                self.ended = data is not None
                return None
            self._messages = self._framing.push(data)

    def _read(self, raw: bytes) -> Json:
        """Return the JSON in a message, None if it is none: then it is a log line, which the capture has."""
        strangers: list[str] = []

        def note(word: str) -> str:
            strangers.append(word)
            return word

        try:
            message = json.loads(raw, parse_constant=note)
        except (ValueError, RecursionError):
            return None
        if not strangers:
            return message
        if isinstance(message, dict) and "method" not in message and self._is_own(message):
            raise _MalformedError(f"{strangers[0]} is no JSON, and stands in the answer {quoted(message)}")
        return None

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
    with Child(
        argv,
        cwd=surroundings.cwd,
        env=surroundings.env,
        cancellation=stage.cancellation,
        network=surroundings.network,
    ) as child:
        talk = _Talk(child, framing, surroundings.deadline)
        try:
            effect = _converse(probe, talk, surroundings.with_urls(probe.send))
        except OverLimitError as error:
            effect = NothingSeen("output-over-cap", str(error))
        except _MalformedError as error:
            effect = NothingSeen("answer-malformed", str(error))
        child.close_stdin()
        # Who closed its output may still be about to crash; who answered or hung has had its time.
        result = child.finish(talk.left if effect is None and talk.ended else GRACE)
    if effect is None and not talk.ended:
        effect = Hung(surroundings.deadline)  # whatever it did once its input was closed
    if effect is None:
        effect = effect_without_answer(result, surroundings.deadline)
    return ProbeRun(effect, result, bytes(talk.sent))


def _converse(probe: JsonRpcProbe, talk: _Talk, send: Any) -> Effect | None:
    """Hold the conversation, in which ``send`` is the probe's with its URLs; return its effect, None where the server
    did not answer.
    """
    if probe.handshake == "mcp":
        answer = talk.ask(_INITIALIZE)
        if answer is None:
            return None
        if "result" not in answer:
            return NothingSeen("handshake-refused", f"initialize was answered with {quoted(answer)}")
        talk.notify(_INITIALIZED)
    messages = (send,) if isinstance(send, dict) else send
    last: dict[str, Any] | None = None
    for message in messages:
        words = {key: value for key, value in message.items() if key not in ("notify", "id", "jsonrpc")}
        if message.get("notify") is True:
            talk.notify(words)
            continue
        last = talk.ask(words)
        if last is None:
            return None
    if last is None:
        return NothingSeen("nothing-asked", "the probe sends notifications only, which have no answer")
    return _effect_of(last, probe.show)


def _effect_of(answer: dict[str, Json], pointer: str) -> Effect:
    error = answer.get("error")
    if isinstance(error, dict):
        return Refused(error["code"], error["message"], error.get("data"))
    value = at_pointer(answer, pointer)
    if value is MISSING:
        return NothingSeen("pointer-missing", f"{pointer} is not in the answer {quoted(answer)}")
    return Returned(value)


def _checked(answer: dict[str, Any]) -> dict[str, Any]:
    """Return the answer if it is one as the standard has it; _MalformedError if not."""
    fault = ""
    if answer.get("jsonrpc") != "2.0":
        fault = 'has no "jsonrpc": "2.0"'
    elif ("result" in answer) == ("error" in answer):
        fault = "has both result and error" if "result" in answer else "has neither result nor error"
    elif "error" in answer and not _is_error(answer["error"]):
        fault = "has an error without a whole number as code and a text as message"
    if fault:
        raise _MalformedError(f"the answer {fault}: {quoted(answer)}")
    return answer


def _is_error(error: Json) -> bool:
    return isinstance(error, dict) and type(error.get("code")) is int and isinstance(error.get("message"), str)
