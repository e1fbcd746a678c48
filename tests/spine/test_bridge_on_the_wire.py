"""Owns what the bridge promises beyond its answers: the protocol's corners, and no child left behind."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from examples.bridge.tests import driver
from examples.bridge.tests.mock_codex import Codex
from examples.bridge.tests.payloads import BANNER, SESSION, filled, message, run
from mutkit.hermetic import Sandbox, Script

if TYPE_CHECKING:
    pass

TREE = Path(__file__).resolve().parents[2]
DEADLINE = 30.0


def start(codex: Codex, *, module: str = "examples.bridge", **env: str) -> subprocess.Popen[bytes]:
    """Return a running bridge; no handshake is needed before a call."""
    return subprocess.Popen(
        [sys.executable, "-m", module],
        cwd=TREE,
        env={**codex.env, **env},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def request(number: int, method: str, **params: Any) -> bytes:
    """Return one request as a line."""
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode() + b"\n"


def reply_call(number: int, prompt: str = "go on") -> bytes:
    """Return a call of the follow-up tool as a line."""
    arguments = {"sessionId": SESSION, "prompt": prompt}
    return request(number, "tools/call", name="codex-reply", arguments=arguments)


def converse(bridge: subprocess.Popen[bytes], *lines: bytes) -> tuple[list[Any], str]:
    """Send the lines, end the input, and return all answers and standard error."""
    out, errors = bridge.communicate(b"".join(lines), timeout=DEADLINE)
    return [json.loads(line) for line in out.splitlines()], errors.decode()


def ask(bridge: subprocess.Popen[bytes], *lines: bytes) -> Any:
    """Send the lines, leave the input open, and return the next answer."""
    assert bridge.stdin is not None
    assert bridge.stdout is not None
    bridge.stdin.write(b"".join(lines))
    bridge.stdin.flush()
    assert select.select([bridge.stdout], [], [], DEADLINE)[0], "no answer"
    return json.loads(bridge.stdout.readline())


class Started:
    """Lets a case wait until the mock has come to a step, by a named pipe into which it writes there."""

    def __init__(self, folder: Path) -> None:
        """Take a folder for the pipe."""
        self.path = str(folder / "started")
        os.mkfifo(self.path)
        self._fd = os.open(self.path, os.O_RDONLY | os.O_NONBLOCK)

    def wait(self) -> None:
        """Wait for the mock."""
        assert select.select([self._fd], [], [], DEADLINE)[0], "the mock did not start"
        os.close(self._fd)


def assert_ended(process: int) -> None:
    """Assert that a process, given as a pidfd, ends."""
    assert select.select([process], [], [], DEADLINE)[0], "the child still runs"
    os.close(process)


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b"garbage\n", -32700),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":"\xff"}\n', -32700),
        (b"[" * 100_000 + b"\n", -32700),
        (b"[]\n", -32600),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}\n', -32600),
        (b'{"jsonrpc":"2.0","id":1}\n', -32600),
        (request(1, "nosuch"), -32601),
        (request(1, "server/discover"), -32601),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}\n', -32602),
        (request(1, "tools/call", name="nosuch"), -32602),
    ],
)
def test_a_bad_request_has_its_code_and_the_next_one_is_answered(codex: Codex, line: bytes, code: int) -> None:
    """Whatever a line holds, it is refused with JSON-RPC's code for it, and the bridge serves on."""
    bridge = start(codex)
    answers, errors = converse(bridge, line, request(2, "ping"))
    assert [answer.get("error", {}).get("code") for answer in answers] == [code, None]
    assert answers[1] == {"jsonrpc": "2.0", "id": 2, "result": {}}
    assert (bridge.returncode, errors) == (0, "")


def test_what_asks_for_no_answer_gets_none(codex: Codex) -> None:
    """Notifications, answers, blank lines: nothing is said; a last request needs no newline."""
    silent = [b'{"jsonrpc":"2.0","method":"nosuch"}\n', b'{"jsonrpc":"2.0","id":9,"result":{}}\n', b"\r\n"]
    answers, _ = converse(start(codex), *silent, request(2, "ping").rstrip())
    assert [answer["id"] for answer in answers] == [2]


@pytest.mark.parametrize(
    ("wanted", "given"),
    [("2024-11-05", "2024-11-05"), ("2025-06-18", "2025-06-18"), ("2099-01-01", "2025-11-25")],
)
def test_the_handshake_agrees_on_a_version(codex: Codex, wanted: str, given: str) -> None:
    """A version that the bridge knows is taken; for any other it names its newest."""
    answers, _ = converse(start(codex), request(1, "initialize", protocolVersion=wanted))
    assert answers[0]["result"]["protocolVersion"] == given


def test_the_end_of_input_ends_the_running_call_and_its_child(codex: Codex, tmp_path: Path) -> None:
    """A client that goes away leaves no child behind: the call ends in an error, the exit code is 0."""
    started = Started(tmp_path)
    codex.does(Script().write("x", path=started.path).hang())
    bridge = start(codex)
    assert ask(bridge, reply_call(1), request(2, "ping"))["id"] == 2
    started.wait()
    child = os.pidfd_open(codex.calls[0].pid)
    answers, _ = converse(bridge)
    assert [answer["error"]["message"] for answer in answers] == ["the run was ended because the client went away"]
    assert bridge.returncode == 0
    assert_ended(child)
    assert codex.calls[0].signals == (signal.SIGTERM,)


def test_sigterm_ends_the_bridge_and_its_child(codex: Codex, tmp_path: Path) -> None:
    """SIGTERM is heeded like the end of the input, and shows in the exit code."""
    started = Started(tmp_path)
    codex.does(Script().write("x", path=started.path).hang())
    bridge = start(codex)
    ask(bridge, reply_call(1), request(2, "ping"))
    started.wait()
    child = os.pidfd_open(codex.calls[0].pid)
    bridge.send_signal(signal.SIGTERM)
    bridge.communicate(timeout=DEADLINE)
    assert bridge.returncode == 128 + signal.SIGTERM
    assert_ended(child)


def test_a_child_that_does_not_heed_sigterm_is_killed(codex: Codex) -> None:
    """At the time limit a stubborn child gets SIGTERM, and SIGKILL after the grace."""
    codex.does(Script().write("half").on_signal("TERM", "ignore").hang())
    bridge = start(codex, BRIDGE_TIMEOUT="1.5", BRIDGE_GRACE="0.1")
    answer = ask(bridge, reply_call(1))
    assert answer["error"]["message"] == "codex did not finish within 1.5 seconds and was ended"
    (call,) = codex.calls
    assert call.signals == (signal.SIGTERM,)
    with pytest.raises(ProcessLookupError):
        os.kill(call.pid, 0)
    converse(bridge)


def test_a_second_call_is_answered_while_the_first_still_runs(codex: Codex, tmp_path: Path) -> None:
    """Calls run side by side: the first one's child ends only after the second one's answer has arrived."""
    started, answered = Started(tmp_path), tmp_path / "answered"
    first = Script().write("x", path=started.path).wait_for(answered).write("first")
    codex.does(Script().answering(first, ["**", "first"]).answering(Script().write("second"), ["**", "second"]))
    bridge = start(codex)
    ask(bridge, reply_call(1, "first"), request(2, "ping"))
    started.wait()
    second = ask(bridge, reply_call(3, "second"))
    assert (second["id"], second["result"]["content"][0]["text"]) == (3, "second")
    answered.touch()
    first_answer = ask(bridge)
    assert (first_answer["id"], first_answer["result"]["content"][0]["text"]) == (1, "first")
    assert converse(bridge)[0] == []


def session_after(codex: Codex, errors: bytes) -> str | None:
    """Return the session that a follow-up in ``SESSION`` names after its child printed this on standard error."""
    codex.prints(b"the reply", errors=errors)
    bridge = start(codex)
    _, named = ask(bridge, reply_call(1))["result"]["content"]
    converse(bridge)
    return str(named["text"]).removeprefix("session id: ")


QUOTE = b"user\nwhat is this?\nsession id: s-quoted\n"


def test_a_transcript_longer_than_what_is_kept_does_not_hide_the_session(codex: Codex) -> None:
    """The banner stands before a transcript of 20 KiB, which quotes another session near its beginning and its end."""
    transcript = QUOTE + filled("and so on\n", 20_000).encode() + b"\n" + QUOTE
    assert session_after(codex, b"Reading prompt...\n" + BANNER % b"s-78" + transcript) == "s-78"


@pytest.mark.parametrize(
    "errors",
    [
        QUOTE,
        b"Agent v9\n--------\nmodel: o9\n--------\nsession id: s-quoted\n",
        b"x" * 4_075 + b"\nsession id: s-quoted and more\n",
        b"x" * 4_070 + b"\nsession id: s-cut-at-4096\n" + QUOTE,
    ],
    ids=["no-banner", "banner-without-id", "no-id-alone", "cut-in-the-id"],
)
def test_only_a_whole_line_of_the_banner_names_a_session(codex: Codex, errors: bytes) -> None:
    """What the transcript quotes, and an id of which the end was not kept, is no session."""
    assert session_after(codex, errors) == SESSION


def test_the_end_of_a_long_standard_error_is_in_the_error(codex: Codex) -> None:
    """Of a child that fails after a transcript of 20 KiB the last 8 KiB are quoted, which tell why."""
    last = filled("and so on\n", 8_000).encode() + b"ERROR: out of luck"
    codex.prints(b"", errors=BANNER % b"s-78" + QUOTE + b"-" * 12_000 + last, exit_code=1)
    bridge = start(codex)
    said = ask(bridge, reply_call(1))["error"]["message"]
    assert said == "codex exited with code 1: " + "-" * (8_192 - len(last)) + last.decode()
    converse(bridge)


def test_the_suite_sees_a_bridge_that_died_after_its_last_answer(
    monkeypatch: pytest.MonkeyPatch, sandbox: Sandbox
) -> None:
    """A case whose every answer was right still fails if its bridge does not end with exit code 0."""
    monkeypatch.setitem(driver.GENERATIONS, "fails-at-the-end", "json.tool")  # refuses an empty input
    dead = driver.Bridge("fails-at-the-end", sandbox)
    with pytest.raises(AssertionError, match="the bridge ended with exit code 1 instead of 0"):
        dead.close()


def test_a_cancelled_call_is_ended_without_an_answer(codex: Codex, tmp_path: Path) -> None:
    """After ``notifications/cancelled`` the child is ended, and the bridge answers other requests alone."""
    started = Started(tmp_path)
    codex.does(Script().write("x", path=started.path).hang())
    bridge = start(codex)
    ask(bridge, reply_call(1), request(2, "ping"))
    started.wait()
    child = os.pidfd_open(codex.calls[0].pid)
    cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}
    assert ask(bridge, json.dumps(cancel).encode() + b"\n", request(3, "ping"))["id"] == 3
    assert_ended(child)
    assert converse(bridge)[0] == []


def test_a_flood_on_standard_error_blocks_nothing(codex: Codex) -> None:
    """A child that writes 1 MiB to standard error first can still give its reply."""
    codex.does(Script().repeat("warning\n", 2**17, to="stderr").write("the reply"))
    bridge = start(codex)
    assert ask(bridge, reply_call(1))["result"]["content"][0]["text"] == "the reply"
    converse(bridge)


def test_a_grandchild_that_holds_the_pipes_delays_no_answer(codex: Codex) -> None:
    """A helper that outlives the child, with its standard output open for ten minutes, is not waited for."""
    codex.does(Script().write("the reply").grandchild(600, "stdout", "stderr"))
    bridge = start(codex)
    assert ask(bridge, reply_call(1))["result"]["content"][0]["text"] == "the reply"
    converse(bridge)


def test_the_child_has_no_standard_input(codex: Codex) -> None:
    """The agent waits for the end of an open standard input, so it is given none."""
    codex.prints(b"the reply")
    bridge = start(codex)
    ask(bridge, reply_call(1))
    converse(bridge)
    assert codex.calls[0].fds[0] == "null"


def test_a_missing_agent_is_an_error_of_the_tool(codex: Codex) -> None:
    """Without any ``codex`` on the path the call is refused with code -32603."""
    bridge = start(codex)
    error = ask(bridge, reply_call(1))["error"]
    assert error["code"] == -32603
    assert error["message"] == "codex could not be started: [Errno 2] No such file or directory: 'codex'"
    converse(bridge)


def test_half_of_a_surrogate_pair_reaches_the_client_as_an_escape(codex: Codex) -> None:
    """A message may hold what has no UTF-8 form; the answer is valid JSON all the same."""
    codex.prints(run(message("half: X")).replace(b"X", rb"\ud83d"))
    call = request(1, "tools/call", name="codex", arguments={"prompt": "hi"})
    bridge = start(codex)
    assert ask(bridge, call)["result"]["content"][0]["text"] == "half: \ud83d"
    converse(bridge)


def test_a_bug_in_one_call_ends_the_process_and_every_child(codex: Codex, tmp_path: Path) -> None:
    """Round one dies of a text that is no string; it leaves a traceback, exit code 1 and no child."""
    started = Started(tmp_path)
    hanging = Script().write("x", path=started.path).hang()
    malformed = Script().write(run(message(None))).hang()
    codex.does(Script().answering(hanging, ["**", "go on"]).answering(malformed, ["**", "hi"]))
    bridge = start(codex, module="examples.bridge.history.round_one")
    ask(bridge, reply_call(1), request(2, "ping"))
    started.wait()
    child = os.pidfd_open(codex.calls[0].pid)
    call = request(3, "tools/call", name="codex", arguments={"prompt": "hi"})
    assert bridge.stdin is not None
    bridge.stdin.write(call)
    bridge.stdin.flush()
    assert bridge.wait(DEADLINE) == 1
    answers, errors = converse(bridge)
    assert answers == []
    assert errors.endswith("AttributeError: 'NoneType' object has no attribute 'strip'\n")
    assert_ended(child)


@pytest.mark.parametrize("given", ["soon", "0", "-1", "nan"])
def test_a_wrong_time_limit_is_refused_at_the_start(codex: Codex, given: str) -> None:
    """The bridge does not start with a limit that it would have to guess."""
    bridge = start(codex, BRIDGE_TIMEOUT=given)
    answers, errors = converse(bridge)
    assert (answers, bridge.returncode) == ([], 1)
    assert errors == f"BRIDGE_TIMEOUT must be a number of seconds above 0, not {given!r}\n"
