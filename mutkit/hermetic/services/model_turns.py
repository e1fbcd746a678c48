"""Owns the mock model: which turn answers which request, and how a turn goes wrong on the wire."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from mutkit.hermetic.services.book import Decision, refusal
from mutkit.hermetic.services.delivery import Delivery, Reply, chunk, faulty, head, plain
from mutkit.hermetic.services.model_streams import OBJECTS, STREAMS, STREAMS_UNLESS_TOLD
from mutkit.model.describe import quoted
from mutkit.model.matcher import matches
from mutkit.model.service import Fault

if TYPE_CHECKING:
    from typing import Literal

    from mutkit.hermetic.services.model_streams import Streamed
    from mutkit.hermetic.services.routes import Incoming
    from mutkit.model.matcher import Json
    from mutkit.model.service import Turn, TurnFault

MODEL = "mock-model"
"""The model that is listed, and that answers name where the request names none."""

BROKEN = b'data: {"type": "response.output_text.delta", "delta": \n\n'
BROKEN_LINE = b'{"model": "mock-model", "message": \n'


class ModelTurns:
    """Answers the paths of model servers, one turn after the other."""

    def __init__(self, turns: tuple[Turn, ...]) -> None:
        """Take the turns in their order."""
        self._left = [(turn, turn.times) for turn in turns]
        self._all = len(turns)
        self.answered = 0

    def decide(self, request: Incoming) -> Decision | None:
        """Return what a request is answered, None where it is not for a model server."""
        path = request.path if request.path in STREAMS else f"/v1{request.path}"
        if request.method == "GET" and request.path in ("/v1/models", "/models", "/api/tags"):
            return Decision(plain(_listing(request.path)), f"GET {request.path}", compare="none")
        if request.method != "POST" or path not in STREAMS:
            return None
        asked = request.json
        if not isinstance(asked, dict):
            return refusal(request, f"POST {request.path} needs a JSON object, not {quoted(request.body, 120)}")
        if not self._left:
            return refusal(request, f"the script has {self._all} turns; this request is one too many")
        turn, times = self._left[0]
        if turn.expect is not None and not matches(turn.expect, request.body):
            why = f"turn {self._all - len(self._left) + 1} expects another body than {quoted(request.body)}"
            return refusal(request, why)
        if times:
            self._left[:1] = [(turn, times - 1)] if times > 1 else []
        self.answered += 1
        return Decision(_delivery(turn, path, asked, self.answered), f"POST {path}", compare="count")


def _listing(path: str) -> Reply:
    if path == "/api/tags":
        listed: Json = {"models": [{"name": MODEL, "model": MODEL}]}
    else:
        listed = {"object": "list", "data": [{"id": MODEL, "object": "model", "created": 0, "owned_by": "mutkit"}]}
    return _json(listed)


def _json(value: Json, status: int = 200, headers: tuple[tuple[str, str], ...] = ()) -> Reply:
    body = json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass")
    return Reply(status, (("Content-Type", "application/json"), *headers), (body,))


def _delivery(turn: Turn, path: str, asked: dict[str, Json], number: int) -> Delivery:
    """Return how a turn goes over the wire, with its fault."""
    if turn.error is not None:
        error: Json = {"message": turn.error.message, "type": turn.error.type, "param": None, "code": turn.error.type}
        value = {"error": turn.error.message if path == "/api/chat" else error}
        return plain(_json(value, turn.error.status, tuple(turn.error.headers.items())))
    model = str(asked.get("model") or MODEL)
    if asked.get("stream") is True or (path in STREAMS_UNLESS_TOLD and asked.get("stream") is not False):
        return _streamed(STREAMS[path](turn, number, model, asked), turn.fault)
    reply = _json(OBJECTS[path](turn, number, model))
    return plain(reply) if turn.fault is None else _document(reply, turn.fault)


def _document(reply: Reply, fault: TurnFault) -> Delivery:
    """Return the delivery of an answer in one document that goes wrong; what has no meaning there is a cut."""
    match fault.kind:
        case "invalid-json" | "unfinished" | "failed":
            return plain(Reply(reply.status, reply.headers, (reply.body[: max(1, len(reply.body) // 2)],)))
        case "slow":
            return faulty(reply, Fault("slow", pause_ms=fault.pause_ms))
    kinds: dict[str, Literal["hang", "reset", "cut"]] = {"idle": "hang", "reset": "reset", "cut": "cut"}
    return faulty(reply, Fault(kinds[fault.kind], at=fault.after))


def _streamed(stream: Streamed, fault: TurnFault | None) -> Delivery:
    """Return the delivery of a stream: each event is a chunk, and a send, of its own."""
    events = list(stream.events)
    if fault is None:
        return _chunks(stream, [*events, stream.last], "200, streamed")
    first = events[: fault.after]
    told = f"200, {fault.kind} after {len(first)} of {len(events) + 1} events"
    match fault.kind:
        case "slow":
            whole = plain(Reply(200, _kind(stream), (*events, stream.last), stream=True))
            data = b"".join(whole.pieces)
            pieces = tuple(data[at : at + 1] for at in range(len(data)))
            return Delivery(pieces, f"200 in {len(pieces):,} sends", 200, fault.pause_ms / 1000)
        case "cut" | "reset" | "idle":
            ends: dict[str, Literal["close", "reset", "hang"]] = {"cut": "close", "reset": "reset", "idle": "hang"}
            return _chunks(stream, first, told, end=ends[fault.kind])
        case "invalid-json":
            broken = BROKEN_LINE if stream.kind == "application/x-ndjson" else BROKEN
            return _chunks(stream, [*first, broken, *events[fault.after :], stream.last], told)
        case "failed":
            return _chunks(stream, [*first, stream.failed], told)
    return _chunks(stream, events, "200, the stream is unfinished")


def _kind(stream: Streamed) -> tuple[tuple[str, str], ...]:
    return (("Content-Type", stream.kind), ("Cache-Control", "no-cache"))


def _chunks(
    stream: Streamed, events: list[bytes], shown: str, end: Literal["close", "reset", "hang"] | None = None
) -> Delivery:
    """Return events as chunks; with an ``end`` they are not ended properly."""
    pieces = (head(Reply(200, _kind(stream), ()), None), *(chunk(event) for event in events))
    if end is None:
        return Delivery((*pieces, b"0\r\n\r\n"), shown, 200)
    return Delivery(pieces, shown, 200, end=end)
