"""Owns the cases on what is run, and on runs that fail as a whole."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

from examples.bridge.tests.driver import assert_refused
from examples.bridge.tests.payloads import SESSION, STARTED, failed, line, message, run

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from examples.bridge.tests.conftest import StartBridge
    from examples.bridge.tests.mock_codex import Codex


@pytest.mark.v1
def test_each_tool_runs_its_own_command_line(bridge: StartBridge, codex: Codex, observe: Callable[[Any], Any]) -> None:
    """A start asks for events, a follow-up does not; a prompt that looks like an option stays a prompt."""
    codex.prints(run(message("done")))
    one = bridge()
    one.start("--help me", model="o9", sandbox="read-only")
    one.follow_up(SESSION, "and now?")
    one.follow_up(SESSION, "--help me", model="o9")
    observe([list(call.argv) for call in codex.calls])
    codex.calls.assert_argv(
        [
            ["exec", "--json", "--model", "o9", "--sandbox", "read-only", "--", "--help me"],
            ["exec", "resume", SESSION, "--", "and now?"],
            ["exec", "resume", "--model", "o9", SESSION, "--", "--help me"],
        ]
    )


@pytest.mark.v1
def test_a_run_that_takes_too_long_is_ended(bridge: StartBridge, codex: Codex, observe: Callable[[Any], Any]) -> None:
    """A child that never ends gets SIGTERM at the time limit and is gone, whatever it has said before."""
    output = run(message("draft"))
    codex.hangs(output)
    answer = bridge(BRIDGE_TIMEOUT="1.5").start()
    observe(answer.record())
    assert_refused(answer, "codex did not finish within 1.5 seconds and was ended")
    call = codex.calls.one()
    codex.calls.assert_chunks([len(output)])
    codex.calls.assert_signals("TERM")
    with pytest.raises(ProcessLookupError):
        os.kill(call.pid, 0)


@pytest.mark.v1
def test_a_failed_run_is_an_error(bridge: StartBridge, codex: Codex, observe: Callable[[Any], Any]) -> None:
    """A start that exits with another code than 0 has no answer; a reason in its events goes before standard error.

    The event with the reason is a last line that no newline ends.
    """
    one = bridge()
    codex.prints(run(message("draft")), errors=b"Error: out of luck\n", exit_code=3)
    answers = [one.start()]
    events = line(STARTED) + message("draft") + failed("stream disconnected").removesuffix(b"\n")
    codex.prints(events, errors=b"Error: out of luck\n", exit_code=1)
    answers.append(one.start())
    observe([answer.record() for answer in answers])
    assert_refused(answers[0], "codex exited with code 3: Error: out of luck")
    assert_refused(answers[1], "codex exited with code 1: stream disconnected")


@pytest.mark.v1
def test_a_failed_follow_up_is_an_error(bridge: StartBridge, codex: Codex, observe: Callable[[Any], Any]) -> None:
    """A follow-up that exits with another code than 0 has no answer."""
    codex.prints(b"half a reply", errors=b"Error: no rollout found\n", exit_code=1)
    answer = bridge().follow_up(SESSION)
    observe(answer.record())
    assert_refused(answer, "codex exited with code 1: Error: no rollout found")


@pytest.mark.v1
def test_a_usage_limit_is_named(bridge: StartBridge, codex: Codex, observe: Callable[[Any], Any]) -> None:
    """A usage limit on standard error is told from other failures, and from a transcript that speaks of one."""
    one = bridge()
    said = "ERROR: You've hit your usage limit. Try again at 3:15 PM."
    transcript = "user\nwhy the error: usage limit?\n"
    codex.prints(b"", errors=f"{transcript}ERROR: quoted usage limit\n{said}\nbye\n".encode(), exit_code=1)
    answers = [one.start()]
    codex.prints(b"", errors=f"{transcript}ERROR: stream disconnected\n".encode(), exit_code=1)
    answers.append(one.start())
    observe([answer.record() for answer in answers])
    assert_refused(answers[0], f"codex has reached its usage limit: {said}")
    assert_refused(answers[1], f"codex exited with code 1: {transcript}ERROR: stream disconnected")


@pytest.mark.v3
def test_a_call_that_starts_no_child_has_the_same_code(
    bridge: StartBridge, codex: Codex, observe: Callable[[Any], Any], tmp_path: Path
) -> None:
    """Wrong arguments, a bad session id and a missing folder are errors like any other of the tools."""
    codex.prints(run(message("never read")))
    one = bridge()
    nowhere = str(tmp_path / "nowhere")
    answers = [
        one.call("codex"),
        one.call("codex", prompt=7),
        one.call("codex", prompt="hi", colour="red"),
        one.follow_up("--last"),
        one.start(cwd=nowhere),
    ]
    observe([answer.record() for answer in answers])
    assert_refused(answers[0], "codex: the argument 'prompt' is missing")
    assert_refused(answers[1], "codex: the argument 'prompt' must be text")
    assert_refused(answers[2], "codex: there is no argument 'colour'")
    assert_refused(answers[3], 'codex-reply: "--last" is no session id')
    assert_refused(answers[4], f"codex could not be started: [Errno 2] No such file or directory: {nowhere!r}")
    codex.calls.assert_not_called()
