"""The JSON-RPC probe against real servers on pipes: what they answer, and how they fail to."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from mutkit.model.campaign import JsonRpcProbe
from mutkit.model.effect import Died, Effect, Hung, NothingSeen, Refused, Returned
from mutkit.model.ending import Exited
from mutkit.probes import run_probe
from mutkit.probes.framing import NewlineFraming
from mutkit.probes.jsonrpc_probe import _MalformedError, _Talk

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from mutkit.model.probe_run import ProbeRun
    from mutkit.stage import Stage

SERVER = """
import json, os, sys, time

def read():
    line = sys.stdin.buffer.readline()
    return json.loads(line) if line else None

def write(message):
    sys.stdout.buffer.write(json.dumps(message).encode() + b"\\n")
    sys.stdout.buffer.flush()

def answer(request, **what):
    write({"jsonrpc": "2.0", "id": request["id"], **what})
"""


class _Saying:
    """In place of a server: says these messages, then ends."""

    def __init__(self, *messages: dict[str, Any]) -> None:
        self._rest = [json.dumps(message).encode() + b"\n" for message in messages]

    def send(self, *_: object) -> bool:
        return True

    def receive(self, *_: object) -> bytes:
        return self._rest.pop(0) if self._rest else b""


@pytest.fixture
def probing(tree: Path, stage: Callable[..., Stage]) -> Callable[..., ProbeRun]:
    """Return a function that probes a server whose program ends with the given lines."""

    def probe(program: str, deadline: float = 30.0, **more: Any) -> ProbeRun:
        (tree / "server.py").write_text(SERVER + program)
        more = {"send": {"method": "ask", "params": {"q": "é"}}, "handshake": "none", **more}
        return run_probe(JsonRpcProbe("jsonrpc", ("{python}", "server.py"), **more), stage(deadline))

    return probe


def value_of(effect: Effect) -> Any:
    """Return what the server answered."""
    assert isinstance(effect, Returned), effect
    return effect.value


def test_the_answer_is_what_the_pointer_shows(probing: Callable[..., ProbeRun]) -> None:
    """And what was sent is kept, byte for byte."""
    run = probing(
        "r = read(); answer(r, result={'content': [{'text': r['params']['q']}]})",
        show="/result/content/0/text",
    )
    assert run.effect == Returned("é")
    assert run.sent == '{"jsonrpc":"2.0","method":"ask","params":{"q":"é"},"id":1}\n'.encode()


def test_a_result_of_null_is_a_value(probing: Callable[..., ProbeRun]) -> None:
    """Null is not missing."""
    assert probing("answer(read(), result=None)").effect == Returned(None)


def test_a_pointer_into_nothing_is_told_with_the_answer(probing: Callable[..., ProbeRun]) -> None:
    """The run shows nothing; the reason has the whole answer in it."""
    effect = probing("answer(read(), result={'other': 1})", show="/result/text").effect
    assert isinstance(effect, NothingSeen)
    assert effect.slug == "pointer-missing"
    assert '"other":1' in effect.reason


def test_an_error_answer_is_a_refusal(probing: Callable[..., ProbeRun]) -> None:
    """With code, message and data, whatever the pointer."""
    effect = probing("answer(read(), error={'code': -32603, 'message': 'no', 'data': [1]})").effect
    assert effect == Refused(-32603, "no", [1])


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ({"jsonrpc": "2.0", "error": "text"}, "error without"),
        ({"jsonrpc": "2.0", "error": {"code": True, "message": "x"}}, "error without"),
        ({"jsonrpc": "2.0", "error": {"code": 1}}, "error without"),
        ({"jsonrpc": "2.0", "error": None}, "error without"),
        ({"jsonrpc": "2.0"}, "neither"),
        ({"jsonrpc": "2.0", "result": 1, "error": None}, "both"),
        ({"jsonrpc": "2.0", "result": 1, "error": {"code": 1, "message": "x"}}, "both"),
        ({"result": 1}, "jsonrpc"),
        ({"jsonrpc": "1.0", "result": 1}, "jsonrpc"),
        ({"jsonrpc": 2.0, "result": 1}, "jsonrpc"),
        ({"jsonrpc": "2.0", "result": [float("nan")]}, "NaN"),
        ({"jsonrpc": "2.0", "result": float("-inf")}, "-Infinity"),
    ],
)
def test_an_answer_that_is_none_is_not_taken_for_one(answer: dict[str, Any], why: str) -> None:
    """Exactly one of result and error, an error with code and message, the version, and nothing but JSON."""
    talk = _Talk(_Saying({**answer, "id": 1}), NewlineFraming(), 5.0)  # type: ignore[arg-type]
    with pytest.raises(_MalformedError, match=why):
        talk.ask({"method": "x"})


def test_a_malformed_answer_shows_nothing(probing: Callable[..., ProbeRun]) -> None:
    """The reason has the answer in it; the words NaN and Infinity elsewhere are log lines."""
    effect = probing(
        "print('NaN'); print('{\"a\": Infinity} x'); print('{\"id\": 7, \"result\": NaN}'); answer(read())"
    ).effect
    assert isinstance(effect, NothingSeen)
    assert effect.slug == "answer-malformed"
    assert '{"id":1,"jsonrpc":"2.0"}' in effect.reason.replace('{"jsonrpc":"2.0","id":1}', '{"id":1,"jsonrpc":"2.0"}')


UNREADABLE = {"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": "what?"}}


def test_an_error_without_an_id_answers_the_only_request(probing: Callable[..., ProbeRun]) -> None:
    """A server that could not read the request cannot know its id; the probe does not wait for more."""
    assert probing(f"read(); write({UNREADABLE}); sys.stdin.read(); time.sleep(60)").effect == Refused(-32700, "what?")


def test_an_error_without_an_id_may_be_about_a_notification() -> None:
    """So after one the answer with the id counts, and the error only if there is none."""
    right = {"jsonrpc": "2.0", "id": 1, "result": 5}
    for said, answer in (((UNREADABLE, right), right), ((UNREADABLE,), UNREADABLE)):
        talk = _Talk(_Saying(*said), NewlineFraming(), 5.0)  # type: ignore[arg-type]
        talk.notify({"method": "n"})
        assert talk.ask({"method": "x"}) == answer


def test_only_notifications_since_the_last_answer_make_an_error_without_an_id_doubtful() -> None:
    """Whoever answered a later request has read what came before it."""
    first, second = ({"jsonrpc": "2.0", "id": number, "result": 5} for number in (1, 2))
    talk = _Talk(_Saying(first, UNREADABLE, second), NewlineFraming(), 5.0)  # type: ignore[arg-type]
    talk.notify({"method": "n"})
    assert talk.ask({"method": "x"}) == first
    assert talk.ask({"method": "y"}) == UNREADABLE


@pytest.mark.parametrize("framing", ["newline", "content-length"])
def test_a_message_without_an_end_shows_nothing(
    probing: Callable[..., ProbeRun], monkeypatch: pytest.MonkeyPatch, framing: str
) -> None:
    """It is neither a hang nor kept: after so many bytes the probe stops to listen."""
    monkeypatch.setattr("mutkit.probes.framing.LIMIT", 2**20)
    effect = probing("while True: os.write(1, b'x' * 65536)", framing=framing).effect
    assert isinstance(effect, NothingSeen)
    assert effect.slug == "output-over-cap"


def test_a_length_of_5000_digits_shows_nothing(probing: Callable[..., ProbeRun]) -> None:
    """It is not even a number that Python reads."""
    program = "print('Content-Length: ' + '9' * 5000 + '\\n\\n{}', flush=True); sys.stdin.read()"
    effect = probing(program, framing="content-length").effect
    assert isinstance(effect, NothingSeen)
    assert effect.slug == "output-over-cap"


def test_the_handshake_of_mcp_comes_first(probing: Callable[..., ProbeRun]) -> None:
    """``initialize``, its answer, the notification, then the request."""
    program = """
first = read(); answer(first, result={})
second = read()
third = read(); answer(third, result=[first, second, third])
"""
    effect = probing(program, handshake="mcp").effect
    first, second, third = value_of(effect)
    assert (first["method"], first["params"]["protocolVersion"]) == ("initialize", "2025-06-18")
    assert first["params"]["clientInfo"]["name"] == "mutkit"
    assert second == {"jsonrpc": "2.0", "method": "notifications/initialized"}
    assert (third["method"], third["id"]) == ("ask", 2)


def test_a_refused_handshake_is_no_answer_to_the_question(probing: Callable[..., ProbeRun]) -> None:
    """The program was never asked, so nothing was seen."""
    effect = probing("answer(read(), error={'code': -1, 'message': 'no'})", handshake="mcp").effect
    assert isinstance(effect, NothingSeen)
    assert effect.slug == "handshake-refused"


def test_each_request_waits_for_its_answer_and_the_last_is_observed(probing: Callable[..., ProbeRun]) -> None:
    """An earlier error answer does not stop the talk; notifications get no id."""
    program = """
seen = [read()]; answer(seen[0], error={'code': 1, 'message': 'first'})
seen.append(read()); seen.append(read()); answer(seen[2], result=seen)
"""
    effect = probing(program, send=({"method": "a"}, {"method": "b", "notify": True}, {"method": "c"})).effect
    assert effect == Returned(
        [
            {"jsonrpc": "2.0", "method": "a", "id": 1},
            {"jsonrpc": "2.0", "method": "b"},
            {"jsonrpc": "2.0", "method": "c", "id": 2},
        ],
    )


def test_a_probe_that_asks_nothing_sees_nothing(probing: Callable[..., ProbeRun]) -> None:
    """A notification has no answer to be observed."""
    effect = probing("read()", send={"method": "b", "notify": True}).effect
    assert isinstance(effect, NothingSeen)
    assert effect.slug == "nothing-asked"


def test_whatever_else_is_printed_is_passed_over_and_kept(probing: Callable[..., ProbeRun]) -> None:
    """Log lines, bytes that are no text, other ids (true is not 1), notifications, numbers, deep nesting."""
    program = """
request = read()
sys.stdout.buffer.write(b"log line\\n\\n\\xff\\n7\\n" + b"[" * 100000 + b"\\n"); sys.stdout.flush()
for other in (True, "1", 2, None, 1.0):
    write({"jsonrpc": "2.0", "id": other, "result": "wrong"})
write({"jsonrpc": "2.0", "method": "notifications/message", "params": {}})
answer(request, result="right")
"""
    run = probing(program)
    assert run.effect == Returned("right")
    assert run.result is not None
    assert run.result.stdout.head.startswith(b"log line\n\n\xff\n7\n[[")


def test_what_the_server_asks_of_its_client_is_answered(probing: Callable[..., ProbeRun]) -> None:
    """A ping gets an empty result, all else "method not found": a server that waits for it goes on."""
    program = """
request = read()
write({"jsonrpc": "2.0", "id": 1, "method": "ping"})
pong = read()
write({"jsonrpc": "2.0", "id": "r", "method": "roots/list"})
answer(request, result=[pong, read()])
"""
    effect = probing(program).effect
    pong, roots = value_of(effect)
    assert pong == {"jsonrpc": "2.0", "id": 1, "result": {}}
    assert (roots["id"], roots["error"]["code"]) == ("r", -32601)


def test_dying_instead_of_answering_names_the_exception(probing: Callable[..., ProbeRun]) -> None:
    """The traceback that standard error ends with is why."""
    effect = probing("read(); print('log', file=sys.stderr); {}['gone']").effect
    assert isinstance(effect, Died)
    assert (effect.ending, effect.exception, effect.message) == (Exited(1), "KeyError", "'gone'")
    assert effect.stderr.startswith(b"log\n")


LOGGING = "import logging; read()\ntry: 1/0\nexcept ArithmeticError: logging.exception('h')\n"


@pytest.mark.parametrize(
    ("last", "code"),
    [
        ("sys.exit(0)", 0),
        ("sys.stderr.write('fatal: no model\\n'); sys.exit(3)", 3),
        ("sys.exit('fatal: no model')", 1),
    ],
)
def test_an_exception_that_was_only_logged_did_not_end_the_server(
    probing: Callable[..., ProbeRun], last: str, code: int
) -> None:
    """It is shown with the rest of standard error, and not named as what the server died of."""
    effect = probing(LOGGING + last).effect
    assert isinstance(effect, Died)
    assert (effect.ending, effect.exception, effect.message) == (Exited(code), "", "")
    assert b"ZeroDivisionError" in effect.stderr


def test_an_exception_after_17_mib_of_noise_is_named(probing: Callable[..., ProbeRun]) -> None:
    """The end of standard error is kept, however much came before."""
    effect = probing("read(); sys.stderr.write(('x' * 1023 + '\\n') * (17 * 1024)); {}['gone']").effect
    assert isinstance(effect, Died)
    assert (effect.exception, effect.message) == ("KeyError", "'gone'")
    assert effect.stderr.endswith(b"KeyError: 'gone'\n")


@pytest.mark.parametrize("last", ["read()", "read(); os.close(1); sys.stdin.read(); os._exit(0)"])
def test_exit_0_without_an_answer_is_a_death(probing: Callable[..., ProbeRun], last: str) -> None:
    """Ending by itself, or closing the output and then ending: the client gets no answer."""
    assert probing(last).effect == Died(Exited(0))


def test_a_server_that_closed_its_output_may_take_its_time_to_die(
    probing: Callable[..., ProbeRun],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """How it ends belongs to what was seen, so it has the whole deadline for it, not the grace after an answer."""
    monkeypatch.setattr("mutkit.probes.jsonrpc_probe.GRACE", 0.0)
    assert probing("read(); os.close(1); sys.stdin.read(); os._exit(3)").effect == Died(Exited(3))


def test_an_answer_without_its_newline_is_none(probing: Callable[..., ProbeRun]) -> None:
    """The last line of a server that ended: a client waits for the rest of it and has nothing."""
    program = "r = read(); sys.stdout.write(json.dumps({'id': r['id'], 'result': 1})); sys.stdout.flush()"
    assert probing(program).effect == Died(Exited(0))


@pytest.mark.parametrize(
    "program",
    [
        "read(); sys.stdin.read(); time.sleep(60)",
        "read(); sys.stdin.read()",
        "time.sleep(60)",
        "read(); os.close(1); sys.stdin.read(); time.sleep(60)",
        "while True: write({'jsonrpc': '2.0', 'method': 'notifications/progress'})",
    ],
)
def test_no_answer_by_the_deadline_is_a_hang(probing: Callable[..., ProbeRun], program: str) -> None:
    """Also of a server that would end with its input, never reads, has closed its output, or talks of other
    things.
    """
    assert probing(program, deadline=1.0).effect == Hung(1.0)


def test_a_hang_in_the_handshake_is_a_hang(probing: Callable[..., ProbeRun]) -> None:
    """There the deadline counts too."""
    assert probing("read(); sys.stdin.read(); time.sleep(60)", deadline=1.0, handshake="mcp").effect == Hung(1.0)


def test_the_probes_own_timeout_comes_before_the_stages(probing: Callable[..., ProbeRun]) -> None:
    """What campaign.toml says wins."""
    assert probing("time.sleep(60)", deadline=60.0, timeout=0.5).effect == Hung(0.5)


def test_5_mib_go_out_and_come_back(probing: Callable[..., ProbeRun]) -> None:
    """In a request and in an answer, neither waiting for the other."""
    text = "é" * (5 * 2**19)
    effect = probing("r = read(); answer(r, result=r['params'])", send={"method": "echo", "params": text}).effect
    assert effect == Returned(text)


def test_an_answer_over_the_cap_of_the_capture_comes_through(probing: Callable[..., ProbeRun]) -> None:
    """20 MiB: the capture is cut, the answer is not."""
    effect = probing("answer(read(), result='x' * (20 * 2**20))").effect
    assert isinstance(effect, Returned)
    assert len(effect.value) == 20 * 2**20


def test_a_server_that_goes_on_after_its_answer_is_ended(probing: Callable[..., ProbeRun]) -> None:
    """It has a short time for it; the answer stands."""
    run = probing("answer(read(), result=1); time.sleep(60)")
    assert run.effect == Returned(1)
    assert run.result is not None
    assert run.result.duration < 20


def test_messages_with_a_length_header(probing: Callable[..., ProbeRun]) -> None:
    """As language servers have it."""
    program = """
size = int(sys.stdin.buffer.readline().split(b":")[1]); sys.stdin.buffer.readline()
request = json.loads(sys.stdin.buffer.read(size))
body = json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": request["params"]}).encode()
sys.stdout.buffer.write(b"Content-Length: %d\\r\\n\\r\\n" % len(body) + body); sys.stdout.flush()
"""
    assert probing(program, framing="content-length").effect == Returned({"q": "é"})


def test_a_program_that_is_not_there_shows_nothing(stage: Callable[..., Stage]) -> None:
    """It is no death: nothing was started."""
    run = run_probe(JsonRpcProbe("jsonrpc", ("no-such-program",), {"method": "x"}), stage())
    assert isinstance(run.effect, NothingSeen)
    assert run.effect.slug == "probe-not-started"


def test_a_real_mcp_server_is_probed(probing: Callable[..., ProbeRun], tree: Path, stage: Callable[..., Stage]) -> None:
    """A server on the MCP SDK, after the real handshake."""
    pytest.importorskip("mcp.server")
    (tree / "real.py").write_text(
        "from mcp.server import MCPServer\nserver = MCPServer('x')\n"
        "@server.tool()\ndef shout(text: str) -> str:\n    return text.upper()\nserver.run()\n",
    )
    probe = JsonRpcProbe(
        "jsonrpc",
        ("{python}", "real.py"),
        {"method": "tools/call", "params": {"name": "shout", "arguments": {"text": "é"}}},
        show="/result/content/0/text",
    )
    run = run_probe(probe, stage(60.0))
    assert run.effect == Returned("É"), run.result
    assert json.loads(run.sent.splitlines()[2])["id"] == 2
