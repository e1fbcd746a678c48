"""Owns what model servers put on the wire for one turn: OpenAI's Responses and chat completions, Ollama's chat; as one
JSON document or as a stream of events.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mutkit.model.matcher import Json
    from mutkit.model.service import ToolCall, Turn

CREATED = 1767225600
"""The time that every answer says it was made at (2026-01-01): answers are the same in each run."""


@dataclass(frozen=True)
class Streamed:
    """A turn as a stream: ``events`` without the one that ends it, ``last`` which does, ``failed`` the API's own event
    of failure, ``kind`` the content type.
    """

    events: tuple[bytes, ...]
    last: bytes
    failed: bytes
    kind: str


def pieces_of(text: str, size: int) -> list[str]:
    """Return a text in pieces of so many characters (0: in one)."""
    return [text[at : at + size] for at in range(0, len(text), size)] if size else [text]


def arguments_of(call: ToolCall) -> str:
    """Return a tool call's arguments as text."""
    return call.arguments if isinstance(call.arguments, str) else _compact(call.arguments)


def _compact(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _event(name: str, value: dict[str, Json]) -> bytes:
    return f"event: {name}\ndata: {_compact({'type': name, **value})}\n\n".encode("utf-8", "surrogatepass")


def _data(value: Json) -> bytes:
    return f"data: {_compact(value)}\n\n".encode("utf-8", "surrogatepass")


def _line(value: Json) -> bytes:
    return f"{_compact(value)}\n".encode("utf-8", "surrogatepass")


# The Responses API.


def responses_items(turn: Turn, number: int) -> list[dict[str, Json]]:
    """Return the output items of a turn."""
    items: list[dict[str, Json]] = []
    if turn.reasoning:
        summary = [{"type": "summary_text", "text": turn.reasoning}]
        items.append({"type": "reasoning", "id": f"rs_{number}", "summary": summary})
    if turn.message is not None:
        content = [{"type": "output_text", "text": turn.message, "annotations": []}]
        message = {"type": "message", "id": f"msg_{number}", "role": "assistant", "status": "completed"}
        items.append({**message, "content": content})
    for at, call in enumerate(turn.call):
        item = {"type": "function_call", "id": f"fc_{number}_{at}", "call_id": call.id or f"call_{number}_{at}"}
        items.append({**item, "name": call.name, "arguments": arguments_of(call), "status": "completed"})
    return items


def responses_object(turn: Turn, number: int, model: str, **more: Json) -> dict[str, Json]:
    """Return the whole response object of a turn."""
    usage = turn.usage
    return {
        "id": f"resp_{number}",
        "object": "response",
        "created_at": CREATED,
        "status": "completed",
        "model": model,
        "output": responses_items(turn, number),
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "error": None,
        "incomplete_details": None,
        "usage": {
            "input_tokens": usage.input,
            "input_tokens_details": {"cached_tokens": usage.cached},
            "output_tokens": usage.output,
            "output_tokens_details": {"reasoning_tokens": usage.reasoning},
            "total_tokens": usage.input + usage.output,
        },
        **more,
    }


def responses_stream(turn: Turn, number: int, model: str) -> Streamed:
    """Return a turn as the events of the Responses API."""
    begun = responses_object(turn, number, model, status="in_progress", output=[], usage=None)
    found: list[tuple[str, dict[str, Json]]] = [("created", {"response": begun}), ("in_progress", {"response": begun})]
    for at, item in enumerate(responses_items(turn, number)):
        found += _item_events(item, at, turn.chunk)
    numbered = [_event(f"response.{name}", {"sequence_number": at, **one}) for at, (name, one) in enumerate(found)]
    end = {"sequence_number": len(found)}
    error = {"code": "server_error", "message": "the mock model server was told to fail"}
    failed = responses_object(turn, number, model, status="failed", output=[], usage=None, error=error)
    return Streamed(
        tuple(numbered),
        _event("response.completed", {**end, "response": responses_object(turn, number, model)}),
        _event("response.failed", {**end, "response": failed}),
        "text/event-stream",
    )


def _item_events(item: dict[str, Json], at: int, size: int) -> Iterator[tuple[str, dict[str, Json]]]:
    """Give the events of one output item, names without `response.`."""
    empty: dict[str, dict[str, Json]] = {
        "message": {"content": []},
        "function_call": {"arguments": ""},
        "reasoning": {"summary": []},
    }
    begun = {**item, **empty[item["type"]], **({"status": "in_progress"} if "status" in item else {})}
    yield "output_item.added", {"output_index": at, "item": begun}
    where = {"item_id": item["id"], "output_index": at}
    if item["type"] == "message":
        part = item["content"][0]
        yield "content_part.added", {**where, "content_index": 0, "part": {**part, "text": ""}}
        for piece in pieces_of(part["text"], size):
            yield "output_text.delta", {**where, "content_index": 0, "delta": piece}
        yield "output_text.done", {**where, "content_index": 0, "text": part["text"]}
        yield "content_part.done", {**where, "content_index": 0, "part": part}
    elif item["type"] == "function_call":
        for piece in pieces_of(item["arguments"], size):
            yield "function_call_arguments.delta", {**where, "delta": piece}
        yield "function_call_arguments.done", {**where, "arguments": item["arguments"]}
    else:
        text = item["summary"][0]["text"]
        for piece in pieces_of(text, size):
            yield "reasoning_summary_text.delta", {**where, "summary_index": 0, "delta": piece}
        yield "reasoning_summary_text.done", {**where, "summary_index": 0, "text": text}
    yield "output_item.done", {"output_index": at, "item": item}


# Chat completions.


def chat_object(turn: Turn, number: int, model: str) -> dict[str, Json]:
    """Return a turn as one chat completion."""
    message: dict[str, Json] = {"role": "assistant", "content": turn.message}
    if turn.call:
        message["tool_calls"] = [_chat_call(call, number, at) for at, call in enumerate(turn.call)]
    if turn.reasoning:
        message["reasoning_content"] = turn.reasoning
    finish = "tool_calls" if turn.call else "stop"
    choice = {"index": 0, "message": message, "finish_reason": finish, "logprobs": None}
    head = {"id": f"chatcmpl-{number}", "object": "chat.completion", "created": CREATED, "model": model}
    return {**head, "choices": [choice], "usage": _chat_usage(turn)}


def _chat_call(call: ToolCall, number: int, at: int) -> dict[str, Json]:
    function = {"name": call.name, "arguments": arguments_of(call)}
    return {"id": call.id or f"call_{number}_{at}", "type": "function", "function": function}


def _chat_usage(turn: Turn) -> dict[str, Json]:
    usage = turn.usage
    return {
        "prompt_tokens": usage.input,
        "completion_tokens": usage.output,
        "total_tokens": usage.input + usage.output,
        "prompt_tokens_details": {"cached_tokens": usage.cached},
        "completion_tokens_details": {"reasoning_tokens": usage.reasoning},
    }


def chat_stream(turn: Turn, number: int, model: str, *, with_usage: bool) -> Streamed:
    """Return a turn as chunks of a chat completion; ``with_usage`` adds the chunk that clients ask for so."""
    head = {"id": f"chatcmpl-{number}", "object": "chat.completion.chunk", "created": CREATED, "model": model}

    def one(delta: dict[str, Json], finish: str | None = None) -> bytes:
        return _data({**head, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})

    events = [one({"role": "assistant", "content": ""})]
    events += [one({"reasoning_content": piece}) for piece in pieces_of(turn.reasoning, turn.chunk) if piece]
    events += [one({"content": piece}) for piece in pieces_of(turn.message or "", turn.chunk) if piece]
    for at, call in enumerate(turn.call):
        whole = {"index": at, **_chat_call(call, number, at)}
        events.append(one({"tool_calls": [{**whole, "function": {"name": call.name, "arguments": ""}}]}))
        for piece in pieces_of(arguments_of(call), turn.chunk):
            events.append(one({"tool_calls": [{"index": at, "function": {"arguments": piece}}]}))
    events.append(one({}, "tool_calls" if turn.call else "stop"))
    if with_usage:
        events.append(_data({**head, "choices": [], "usage": _chat_usage(turn)}))
    failed = _data({"error": {"message": "the mock model server was told to fail", "type": "server_error"}})
    return Streamed(tuple(events), b"data: [DONE]\n\n", failed, "text/event-stream")


# Ollama.


def ollama_object(turn: Turn, model: str) -> dict[str, Json]:
    """Return a turn as one answer of Ollama's /api/chat."""
    return {**_ollama(model, _ollama_message(turn, turn.message or "")), **_ollama_end(turn)}


def ollama_stream(turn: Turn, model: str) -> Streamed:
    """Return a turn as JSON lines of Ollama's /api/chat."""
    pieces = [piece for piece in pieces_of(turn.message or "", turn.chunk) if piece]
    lines = [_line({**_ollama(model, {"role": "assistant", "content": piece}), "done": False}) for piece in pieces]
    if turn.call or turn.reasoning:
        lines.append(_line({**_ollama(model, _ollama_message(turn, "")), "done": False}))
    last = _line({**_ollama(model, {"role": "assistant", "content": ""}), **_ollama_end(turn)})
    failed = _line({"error": "the mock model server was told to fail"})
    return Streamed(tuple(lines), last, failed, "application/x-ndjson")


def _ollama(model: str, message: dict[str, Json]) -> dict[str, Json]:
    return {"model": model, "created_at": "2026-01-01T00:00:00Z", "message": message}


def _ollama_message(turn: Turn, text: str) -> dict[str, Json]:
    message: dict[str, Json] = {"role": "assistant", "content": text}
    if turn.reasoning:
        message["thinking"] = turn.reasoning
    if turn.call:
        message["tool_calls"] = [{"function": {"name": one.name, "arguments": one.arguments}} for one in turn.call]
    return message


def _ollama_end(turn: Turn) -> dict[str, Any]:
    counts = {"prompt_eval_count": turn.usage.input, "eval_count": turn.usage.output}
    times = dict.fromkeys(("total_duration", "load_duration", "prompt_eval_duration", "eval_duration"), 1)
    return {"done": True, "done_reason": "stop", **times, **counts}


STREAMS: dict[str, Callable[[Turn, int, str, Json], Streamed]] = {
    "/v1/responses": lambda turn, number, model, _: responses_stream(turn, number, model),
    "/v1/chat/completions": lambda turn, number, model, asked: chat_stream(
        turn, number, model, with_usage=bool((asked.get("stream_options") or {}).get("include_usage"))
    ),
    "/api/chat": lambda turn, _, model, __: ollama_stream(turn, model),
}
"""The streamed form of a turn, by the path that is asked."""

OBJECTS: dict[str, Callable[[Turn, int, str], dict[str, Json]]] = {
    "/v1/responses": responses_object,
    "/v1/chat/completions": chat_object,
    "/api/chat": lambda turn, _, model: ollama_object(turn, model),
}
"""The form of a turn as one document."""

STREAMS_UNLESS_TOLD = frozenset({"/api/chat"})
"""Paths that stream unless the request says `stream: false`; the others stream if it says `stream: true`."""
