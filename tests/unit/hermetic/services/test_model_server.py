"""The mock model server: what each API puts on the wire, streamed and not, and how it goes wrong."""

from __future__ import annotations

import http.client
import json
from typing import Any

import pytest

from mutkit.hermetic.services import Matcher, ModelServer, ToolCall, Turn, TurnError, TurnFault, Usage
from mutkit.model.service import TurnFaultKind
from tests.unit.hermetic.services.clients import Answered, ask

FULL = Turn("héllo", (ToolCall("ls", {"path": "ü"}),), "because", chunk=2, usage=Usage(100, 20, 7, 3))


def post(server: ModelServer, path: str, **asked: Any) -> Answered:
    """Ask the model."""
    return ask(server.url + path, "POST", json.dumps(asked).encode(), {"Content-Type": "application/json"})


def events(body: bytes) -> list[dict[str, Any]]:
    """Return the data of server-sent events; the name of each must be its type, where it has one."""
    found = []
    for block in body.decode().removesuffix("\n\n").split("\n\n"):
        lines = dict(line.split(": ", 1) for line in block.split("\n"))
        value = {"type": "[DONE]"} if lines["data"] == "[DONE]" else json.loads(lines["data"])
        assert lines.get("event") in (None, value.get("type"))
        found.append(value)
    return found


def test_the_responses_api_streams_its_events_in_order() -> None:
    """Each item is added, filled piece by piece and done; the last event has the whole and the usage."""
    with ModelServer(FULL) as server:
        answer = post(server, "/v1/responses", model="m", stream=True)
    assert answer.headers["content-type"] == "text/event-stream"
    got = events(answer.body)
    assert [one["sequence_number"] for one in got] == list(range(len(got)))
    kinds = [one["type"].removeprefix("response.") for one in got]
    assert [kind for at, kind in enumerate(kinds) if kind != kinds[at - 1]] == [
        "created", "in_progress",
        "output_item.added", "reasoning_summary_text.delta", "reasoning_summary_text.done", "output_item.done",
        "output_item.added", "content_part.added", "output_text.delta", "output_text.done", "content_part.done",
        "output_item.done",
        "output_item.added", "function_call_arguments.delta", "function_call_arguments.done", "output_item.done",
        "completed",
    ]  # fmt: skip
    assert [one["delta"] for one in got if one["type"] == "response.output_text.delta"] == ["hé", "ll", "o"]
    done = got[-1]["response"]
    assert done["output"] == [one["item"] for one in got if one["type"] == "response.output_item.done"]
    assert done["usage"] == {
        "input_tokens": 100,
        "input_tokens_details": {"cached_tokens": 20},
        "output_tokens": 7,
        "output_tokens_details": {"reasoning_tokens": 3},
        "total_tokens": 107,
    }
    assert (done["model"], done["output"][1]["content"][0]["text"]) == ("m", "héllo")
    assert json.loads(done["output"][2]["arguments"]) == {"path": "ü"}


def test_each_event_is_a_send_of_its_own() -> None:
    """So a client that reads as it comes sees a stream."""
    with ModelServer("abc") as server:
        body = post(server, "/v1/responses", stream=True).body
    assert len(server.requests[0].sends) == len(events(body)) + 2  # the head before, the last chunk after


def test_chat_completions_stream_and_end_with_done() -> None:
    """Pieces of the text, the call in parts, why it ended, the usage where it is asked for."""
    with ModelServer(FULL, FULL) as server:
        asked = {"stream": True, "stream_options": {"include_usage": True}}
        got = events(post(server, "/v1/chat/completions", **asked).body)
        without = events(post(server, "/chat/completions", stream=True).body)
    assert got[-1] == {"type": "[DONE]"}
    deltas = [one["choices"][0]["delta"] for one in got[:-2]]
    assert "".join(delta.get("content") or "" for delta in deltas) == "héllo"
    calls = [delta["tool_calls"][0] for delta in deltas if "tool_calls" in delta]
    assert calls[0]["function"] == {"name": "ls", "arguments": ""}
    assert "".join(call["function"]["arguments"] for call in calls) == '{"path":"ü"}'
    assert [one["choices"][0]["finish_reason"] for one in got[:-2]][-1] == "tool_calls"
    assert got[-2]["usage"]["total_tokens"] == 107
    assert not any("usage" in one for one in without)


def test_ollama_streams_json_lines_unless_it_is_told_not_to() -> None:
    """Arguments are a table there."""
    with ModelServer(FULL, FULL) as server:
        streamed = post(server, "/api/chat", model="m")
        whole = json.loads(post(server, "/api/chat", model="m", stream=False).body)
    assert streamed.headers["content-type"] == "application/x-ndjson"
    lines = [json.loads(line) for line in streamed.body.splitlines()]
    assert [line["done"] for line in lines] == [False] * 4 + [True]
    assert "".join(line["message"]["content"] for line in lines) == "héllo"
    assert lines[3]["message"]["tool_calls"] == [{"function": {"name": "ls", "arguments": {"path": "ü"}}}]
    assert lines[4]["eval_count"] == 7
    assert (whole["message"]["content"], whole["message"]["thinking"], whole["done"]) == ("héllo", "because", True)


def test_answers_in_one_document_say_the_same() -> None:
    """Of the two OpenAI APIs."""
    with ModelServer(FULL, FULL) as server:
        response = json.loads(post(server, "/v1/responses").body)
        completion = json.loads(post(server, "/v1/chat/completions").body)
    assert [item["type"] for item in response["output"]] == ["reasoning", "message", "function_call"]
    message = completion["choices"][0]["message"]
    assert (message["content"], message["tool_calls"][0]["function"]["name"]) == ("héllo", "ls")


def test_a_turn_that_says_nothing_is_an_answer_without_items() -> None:
    """Clients meet it."""
    with ModelServer(Turn()) as server:
        assert events(post(server, "/v1/responses", stream=True).body)[-1]["response"]["output"] == []


def test_a_request_too_many_and_one_that_is_not_expected_fail() -> None:
    """With what came; the turn that was not meant is still there."""
    with ModelServer(Turn("a", expect=Matcher(contains="please"))) as server:
        assert post(server, "/v1/responses", input="now").status == 500
        assert post(server, "/v1/responses", input="please").status == 200
        assert post(server, "/v1/responses", input="please").status == 500
        assert ask(server.url + "/v1/responses", "POST", b"[]").status == 500
        with pytest.raises(AssertionError) as caught:
            server.check()
    first, second, third = str(caught.value).splitlines()
    assert first == 'request 1: turn 1 expects another body than \'{"input": "now"}\''
    assert second == "request 3: the script has 1 turns; this request is one too many"
    assert third == 'request 4: POST /v1/responses needs a JSON object, not "[]"'


def test_the_last_turn_may_answer_all_that_follows() -> None:
    """And models are listed for clients that ask."""
    with ModelServer(Turn("a"), Turn("b", times=0)) as server:
        texts = [json.loads(post(server, "/api/chat", stream=False).body)["message"]["content"] for _ in range(4)]
        models = [json.loads(ask(server.url + path).body) for path in ("/v1/models", "/api/tags")]
    assert texts == ["a", "b", "b", "b"]
    assert [models[0]["data"][0]["id"], models[1]["models"][0]["name"]] == ["mock-model"] * 2


def test_an_http_error_has_the_form_of_its_api() -> None:
    """Status, headers, message."""
    error = Turn(error=TurnError(429, "slow down", "rate_limit", {"Retry-After": "1"}))
    with ModelServer(error, error) as server:
        openai = post(server, "/v1/responses", stream=True)
        ollama = post(server, "/api/chat")
    assert (openai.status, openai.headers["retry-after"]) == (429, "1")
    assert json.loads(openai.body)["error"]["message"] == "slow down"
    assert json.loads(ollama.body) == {"error": "slow down"}


def faulty(kind: TurnFaultKind, path: str = "/v1/responses", after: int = 6) -> bytes:
    """Return what a client gets of a streamed answer that goes wrong after so many events."""
    with ModelServer(Turn("abcdef", chunk=1, fault=TurnFault(kind, after=after))) as server:
        return post(server, path, stream=True).body


def test_a_stream_goes_wrong_after_so_many_events() -> None:
    """Cut: six events and then no end of the body; failed: the API says so; unfinished: all but the last event."""
    with pytest.raises(http.client.IncompleteRead) as cut:
        faulty("cut")
    assert len(events(cut.value.partial)) == 6
    with pytest.raises(ConnectionResetError):
        faulty("reset")
    failed = events(faulty("failed"))
    assert (len(failed), failed[-1]["type"], failed[-1]["response"]["status"]) == (7, "response.failed", "failed")
    assert events(faulty("unfinished"))[-1]["type"] == "response.output_item.done"
    assert b"[DONE]" not in faulty("unfinished", "/v1/chat/completions")
    whole = events(faulty("slow"))
    assert whole[-1]["type"] == "response.completed"


@pytest.mark.parametrize("path", ["/v1/responses", "/v1/chat/completions", "/api/chat"])
def test_an_event_that_is_no_json_stands_among_those_that_are(path: str) -> None:
    """The stream goes on after it."""
    mark = b"\n" if path == "/api/chat" else b"\n\n"
    blocks = faulty("invalid-json", path, after=2).removesuffix(mark).split(mark)
    broken = []
    for at, block in enumerate(blocks):
        text = block.partition(b"data: ")[2] if b"data: " in block else block
        try:
            json.loads(text)
        except ValueError:
            broken.append((at, text))
    assert broken[0][0] == 2
    assert [text for _, text in broken[1:]] in ([], [b"[DONE]"])


def test_an_idle_stream_gives_its_part_and_then_nothing() -> None:
    """Until the client has enough of it."""
    with ModelServer(Turn("abc", fault=TurnFault("idle", after=1))) as server:
        host = server.url.removeprefix("http://")
        connection = http.client.HTTPConnection(host, timeout=20)
        connection.request("POST", "/v1/responses", b'{"stream": true}')
        answer = connection.getresponse()
        line = answer.readline()
        answer.close()
        connection.close()
        server.wait_for(lambda requests: requests[0].ended == "client-gone")
    assert line == b"event: response.created\n"


@pytest.mark.parametrize(("kind", "got"), [("invalid-json", ValueError), ("cut", http.client.IncompleteRead)])
def test_a_document_goes_wrong_too(kind: TurnFaultKind, got: type[Exception]) -> None:
    """After so many bytes of the body."""
    with ModelServer(Turn("abc", fault=TurnFault(kind, after=10))) as server, pytest.raises(got):
        json.loads(post(server, "/v1/responses").body)
