"""What every probe must do with programs that misbehave: see it, end them, leave nothing running."""

from __future__ import annotations

import os
import textwrap
from typing import TYPE_CHECKING

import pytest

from mutkit.errors import UsageError
from mutkit.model.campaign import JsonRpcProbe, Probe, ProcessProbe, PythonProbe
from mutkit.model.effect import Died, Effect, Finished, Hung, NothingSeen, Returned
from mutkit.model.ending import Exited, Signalled
from mutkit.probes import run_probe

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from mutkit.model.probe_run import ProbeRun
    from mutkit.stage import Stage

KINDS = ("process", "jsonrpc", "python")

SERVER = """
import json, sys
from subject import answer
for line in sys.stdin:
    request = json.loads(line)
    value = answer()
    print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": value}), flush=True)
"""

PROGRAM = """
import json
from subject import answer
print(json.dumps(answer()))
"""


@pytest.fixture(params=KINDS)
def probing(request: pytest.FixtureRequest, tree: Path, stage: Callable[..., Stage]) -> Callable[..., ProbeRun]:
    """Return a function that probes a subject whose ``answer()`` has this body, with each kind of probe."""

    def probe_for(**more: object) -> Probe:
        if request.param == "process":
            return ProcessProbe("process", ("{python}", "program.py"), **more)  # type: ignore[arg-type]
        if request.param == "jsonrpc":
            run = ("{python}", "server.py")
            return JsonRpcProbe("jsonrpc", run, {"method": "ask"}, handshake="none", **more)  # type: ignore[arg-type]
        return PythonProbe("python", "subject:answer", **more)  # type: ignore[arg-type]

    def probe(body: str, deadline: float = 30.0, **more: object) -> ProbeRun:
        (tree / "subject.py").write_text("def answer():\n" + textwrap.indent(textwrap.dedent(body), "    "))
        (tree / "server.py").write_text(SERVER)
        (tree / "program.py").write_text(PROGRAM)
        return run_probe(probe_for(**more), stage(deadline))

    return probe


def value_of(effect: Effect) -> object:
    """Return what the subject answered, whichever kind of probe saw it."""
    if isinstance(effect, Finished):
        assert effect.code == 0, effect
        import json

        return json.loads(effect.stdout)
    assert isinstance(effect, Returned), effect
    return effect.value


def test_what_the_subject_answers_is_seen(probing: Callable[..., ProbeRun]) -> None:
    """The value comes through as it is."""
    assert value_of(probing("return {'a': [1, None, 'é\\u2028']}").effect) == {"a": [1, None, "é\u2028"]}


def test_a_hang_is_a_hang_and_is_ended(probing: Callable[..., ProbeRun], tmp_path: Path) -> None:
    """A subject that does not answer within the deadline hung, even if it ignores SIGTERM, and does not run
    on.
    """
    run = probing(
        f"""
        import os, signal
        open({str(tmp_path / "pid")!r}, "w").write(str(os.getpid()))
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        while True:
            signal.pause()
        """,
        deadline=1.5,
    )
    assert run.effect == Hung(1.5)
    pid = int((tmp_path / "pid").read_text())
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_a_crash_by_a_signal_is_told_with_the_signal(probing: Callable[..., ProbeRun]) -> None:
    """A subject that is killed died by that signal."""
    effect = probing("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)").effect
    assert isinstance(effect, Died)
    assert effect.ending == Signalled(11)


def test_an_exit_instead_of_an_answer_is_never_an_answer(probing: Callable[..., ProbeRun]) -> None:
    """``os._exit(0)`` is a death to who waits for an answer, an exit without output for a process."""
    effect = probing("import os; os._exit(0)").effect
    assert effect in (Died(Exited(0)), Finished(0, b"", b""))


def test_the_exception_that_ended_the_process_is_named(probing: Callable[..., ProbeRun]) -> None:
    """Where the subject's exception ends the process or leaves the function, it is known by type and message."""
    effect = probing("raise KeyError('gone')").effect
    if isinstance(effect, Finished):
        assert effect.code == 1
        assert effect.stderr.endswith(b"KeyError: 'gone'\n")
    elif isinstance(effect, Died):
        assert (effect.ending, effect.exception, effect.message) == (Exited(1), "KeyError", "'gone'")
    else:
        assert (effect.type, effect.message, effect.line) == ("KeyError", "'gone'", "subject.py:2")  # type: ignore[union-attr]


def test_64_mib_of_noise_do_not_stop_a_probe(probing: Callable[..., ProbeRun]) -> None:
    """A subject that floods its output is seen through, or told to be over the cap; it is never cut short in
    silence.
    """
    run = probing(
        """
        import sys
        for _ in range(64):
            sys.stdout.write("x" * 2**20)
        sys.stdout.write("\\n")
        return 7
        """,
    )
    if isinstance(run.effect, NothingSeen):
        assert run.effect.slug == "output-over-cap"
        assert run.result is not None
        assert run.result.stdout.total > 64 * 2**20
    else:
        assert value_of(run.effect) == 7


def test_a_fork_that_comes_back_answers_once(probing: Callable[..., ProbeRun]) -> None:
    """Of a subject that forks, both copies going on, the parent's answer counts, the copy is ended."""
    run = probing(
        """
        import os, signal
        if os.fork() == 0:
            os.close(1)
            signal.pause()
        return 'parent'
        """,
    )
    assert value_of(run.effect) == "parent"
    assert run.result is not None
    assert run.result.leftovers == 1


def test_nothing_of_the_callers_environment_is_inherited(
    probing: Callable[..., ProbeRun],
    monkeypatch: pytest.MonkeyPatch,
    tree: Path,
) -> None:
    """The environment is made from nothing, and what the probe names is added, with ``{tree}`` filled in."""
    monkeypatch.setenv("SECRET", "x")
    env = value_of(probing("import os; return dict(os.environ)", env={"ROOT": "{tree}/data"}).effect)
    assert isinstance(env, dict)
    assert "SECRET" not in env
    assert env["ROOT"] == f"{tree}/data"
    assert (env["TZ"], env["LC_ALL"], env["PYTHONHASHSEED"], env["PYTHONNOUSERSITE"]) == (
        "UTC",
        "C.UTF-8",
        "0",
        "1",
    )
    for name in ("HOME", "TMPDIR", "CODEX_HOME", "XDG_CACHE_HOME", "PATH"):
        assert env[name].startswith(str(tree.parent / "scratch")), name


def test_the_path_has_nothing_but_mocks_and_named_tools(probing: Callable[..., ProbeRun], tmp_path: Path) -> None:
    """A mock is found and its call is kept with the run; a named tool is found; any other command is not."""
    (tmp_path / "agent.toml").write_text('[[step]]\ntext = "from the mock"\n')
    run = probing(
        """
        import shutil, subprocess
        said = subprocess.run(["agent", "a b"], capture_output=True, text=True, check=True).stdout
        return [said, shutil.which("env") is not None, shutil.which("ls")]
        """,
        mocks={"agent": "agent.toml"},
        tools=("env",),
    )
    assert value_of(run.effect) == ["from the mock", True, None]
    assert [(call.name, call.argv, call.ended) for call in run.calls] == [("agent", ("a b",), "exit")]


def test_without_mocks_no_command_is_found_at_all(probing: Callable[..., ProbeRun], tree: Path) -> None:
    """PATH is a folder without programs, never empty: that would run files of the working directory."""
    (tree / "agent").write_text("#!/bin/sh\necho wrong\n")
    (tree / "agent").chmod(0o755)
    run = probing(
        """
        import subprocess
        seen = []
        for name in ("agent", "sh"):
            try:
                seen.append(subprocess.run([name], capture_output=True).stdout.decode())
            except OSError as error:
                seen.append(type(error).__name__)
        return seen
        """,
    )
    assert value_of(run.effect) == ["FileNotFoundError"] * 2


def test_a_tool_that_is_not_installed_is_said_before_anything_runs(probing: Callable[..., ProbeRun]) -> None:
    """A probe that names a program which this machine lacks stops with advice."""
    with pytest.raises(UsageError, match="no-such-tool") as caught:
        probing("return 1", tools=("no-such-tool",))
    assert caught.value.slug == "tool-missing"
