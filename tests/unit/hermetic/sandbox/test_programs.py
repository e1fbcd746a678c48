"""How programs run in a sandbox: kept apart, as they are, and not beyond its end."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

import pytest

from mutkit.hermetic import MockTrouble, Network, Sandbox, Script
from mutkit.model.ending import Exited
from mutkit.model.isolation import Isolation
from mutkit.process import Cancellation
from mutkit.process.cancellation import Cancelled
from tests.dialling import OUTSIDE, dials, outside

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PYTHON = [sys.executable, "-I", "-S", "-c"]
WAITS = "import os, signal; print(os.getpid(), flush=True); signal.pause()"


@pytest.fixture
def closed(tmp_path: Path) -> Iterator[Sandbox]:
    """Give a sandbox with a network of its own."""
    with Sandbox(tmp_path / "box") as sandbox:
        if not sandbox.network.isolation.closed:
            pytest.skip(sandbox.network.isolation.reason)
        yield sandbox


@contextmanager
def ends(pid: int) -> Iterator[None]:
    """Assert that a process runs when the block is entered and is gone soon after it is left."""
    watch = os.pidfd_open(pid)
    try:
        assert not select.select([watch], [], [], 0)[0]
        yield
        assert select.select([watch], [], [], 30)[0]
    finally:
        os.close(watch)


def test_a_program_is_run_to_its_end_and_one_that_is_started_can_be_talked_to(tmp_path: Path) -> None:
    """Input, outputs and the exit code are its own."""
    echo = "import sys; [print(line.strip()[::-1], flush=True) for line in sys.stdin]; sys.exit(3)"
    with Sandbox(tmp_path / "box", network=Network(closed=False)) as sandbox:
        result = sandbox.run([*PYTHON, echo], b"ab\ncd\n", deadline=30)
        assert (result.stdout.head, result.ending) == (b"ba\ndc\n", Exited(3))
        program = sandbox.start([*PYTHON, echo])
        assert program.send(b"ef\n", 30)
        assert program.receive(30) == b"fe\n"
        program.close_stdin()
        assert program.finish(30).ending == Exited(3)


def test_a_program_that_is_run_or_started_reaches_the_loopback_alone(closed: Sandbox) -> None:
    """And the sandbox says so, once something ran in it."""
    assert closed.isolation is None
    with outside() as listener, closed.listen() as inside:
        code = dials(listener)
        assert closed.run([*PYTHON, code]).stdout.text == f"{OUTSIDE}\n"
        assert closed.run([*PYTHON, dials(inside)]).stdout.text == "reached\n"
        started = closed.start([*PYTHON, code]).finish(30)
        by_hand = subprocess.run(closed.command([*PYTHON, code]), env=closed.env, stdout=subprocess.PIPE, check=True)
    assert started.stdout.head == by_hand.stdout == f"{OUTSIDE}\n".encode()
    assert closed.isolation == Isolation("loopback only")


def test_without_namespaces_programs_run_all_the_same_and_the_sandbox_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same calls; what they reached is told, never guessed."""
    monkeypatch.setenv("MUTKIT_NAMESPACES", "off")
    with Sandbox(tmp_path / "box") as sandbox, outside() as listener:
        argv = [*PYTHON, dials(listener)]
        assert sandbox.run(argv).stdout.text == "reached\n"
        assert sandbox.command(argv) == argv
        assert sandbox.isolation == Isolation("open", "namespaces are turned off by MUTKIT_NAMESPACES=off")


ALL_THAT_IS_GIVEN = """
import os, sys
status = [line for line in open("/proc/self/status") if line.startswith(("Sig", "Uid", "Gid", "Groups", "Umask"))]
print(sys.argv[1:], os.getcwd(), sorted(os.environ.items()), os.getpgid(0) == os.getpid(), status)
print(sorted(os.listdir("/proc/self/fd")), os.read(int(sys.argv[2]), 100), sys.stdin.read(), flush=True)
if sys.argv[1] == "dies":
    os.kill(os.getpid(), 15)
sys.exit(7)
"""


@pytest.fixture
def odd_signals() -> Iterator[None]:
    """Block one signal and ignore another, as it is given on to what a test starts."""
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
    handler = signal.signal(signal.SIGUSR2, signal.SIG_IGN)
    yield
    signal.signal(signal.SIGUSR2, handler)
    signal.pthread_sigmask(signal.SIG_SETMASK, mask)


@pytest.mark.parametrize(("how", "code"), [("exits", 7), ("dies", -15)])
@pytest.mark.usefixtures("odd_signals")
def test_a_command_is_given_all_that_it_is_given_without_the_sandbox(closed: Sandbox, how: str, code: int) -> None:
    """Words, environment, working directory, descriptors, signals, group and input; and it ends as it ends."""
    read, write = os.pipe()
    said = []
    for wrap in (list, closed.command):
        os.write(write, b"through a descriptor")
        done = subprocess.run(
            wrap([*PYTHON, ALL_THAT_IS_GIVEN, how, str(read), "a  b", "", "é"]),
            env={"A": "1", "PATH": ""},  # no LC_*: an interpreter on the way must not add its own
            cwd=closed.cwd,
            pass_fds=[read],
            input=b"input",
            capture_output=True,
            start_new_session=True,
            check=False,
        )
        assert (done.returncode, done.stderr) == (code, b"")
        said.append(done.stdout.decode())
    os.close(read)
    os.close(write)
    assert said[0] == said[1]
    assert "through a descriptor" in said[0]


def test_a_command_is_the_process_that_was_started(closed: Sandbox) -> None:
    """Signals that a test sends reach the program, not something that stands before it."""
    with subprocess.Popen(closed.command([*PYTHON, WAITS]), env=closed.env, stdout=subprocess.PIPE) as program:
        assert program.stdout is not None
        assert int(program.stdout.readline()) == program.pid
        program.send_signal(signal.SIGTERM)
    assert program.returncode == -signal.SIGTERM


def test_a_command_that_cannot_be_started_ends_as_a_shell_would(closed: Sandbox) -> None:
    """127 where there is none, 126 where it is no program, 71 where the network is gone; each with a message."""
    (closed.folder / "bin" / "data").write_bytes(b"no program")
    closed.mock("codex", Script().exit(5))

    def run(name: str) -> tuple[int, str]:
        done = subprocess.run(closed.command([name]), env=closed.env, stderr=subprocess.PIPE, check=False)
        return done.returncode, done.stderr.decode()

    assert run("codex") == (5, "")  # it is found along the PATH that it is given
    assert run("no-such") == (127, "mutkit: no-such cannot be started: No such file or directory\n")
    assert run("data") == (126, "mutkit: data cannot be started: Permission denied\n")
    argv = closed.command(["codex"])
    closed.close()
    done = subprocess.run(argv, env=closed.env, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 71
    assert done.stderr.startswith(b"mutkit: the network that codex is to run in cannot be entered: ")


DAEMON = """
import os, signal
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        print(os.getpid(), flush=True)
        for number in (1, 2, 15):
            signal.signal(number, signal.SIG_IGN)
        for descriptor in range(3):
            os.close(descriptor)
        while True:
            signal.pause()
    os._exit(0)
os.wait()
"""


def test_closing_ends_a_daemon_of_a_command_that_has_left_its_group(closed: Sandbox) -> None:
    """Nobody has its number but the network that it is in."""
    said = subprocess.run(closed.command([*PYTHON, DAEMON]), env=closed.env, stdout=subprocess.PIPE, check=True).stdout
    with ends(int(said)):
        closed.close()


@pytest.mark.parametrize("namespaces", ["on", "off"])
def test_leaving_a_sandbox_ends_what_was_started_and_the_mocks_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, namespaces: str
) -> None:
    """With a network of its own or without, and though the block raised."""
    monkeypatch.setenv("MUTKIT_NAMESPACES", namespaces)

    def block(stack: ExitStack) -> None:
        with Sandbox(tmp_path / "box") as sandbox:
            stack.enter_context(ends(int(sandbox.start([*PYTHON, WAITS]).receive(30) or b"0")))
            sandbox.mock("codex", Script().write("ready\n").hang())
            mock = stack.enter_context(
                subprocess.Popen([f"{sandbox.path}/codex"], env=sandbox.env, stdout=subprocess.PIPE)
            )
            assert mock.stdout is not None
            assert mock.stdout.readline() == b"ready\n"
            stack.enter_context(ends(mock.pid))
            raise ZeroDivisionError

    with ExitStack() as stack, pytest.raises(ZeroDivisionError):
        block(stack)


def test_a_network_that_was_given_goes_on(tmp_path: Path) -> None:
    """It is for whoever made it to give up; what else runs in it goes on too."""
    with Network() as network:
        with Sandbox(tmp_path / "box", network=network) as sandbox:
            other = subprocess.Popen(network.command([*PYTHON, WAITS]), stdout=subprocess.PIPE, env={})
            assert other.stdout is not None
            assert int(other.stdout.readline()) == other.pid
            assert sandbox.network is network
        assert other.poll() is None
        network.listen().close()
        other.kill()
        other.wait()
        other.stdout.close()


def test_leaving_a_sandbox_tells_of_a_call_that_nobody_expected_and_ends_all_the_same(tmp_path: Path) -> None:
    """An exit code that the program swallowed fails the test; what was started is ended as well."""

    def block(stack: ExitStack) -> None:
        with Sandbox(tmp_path / "box", network=Network(closed=False)) as sandbox:
            sandbox.mock("codex", Script().expecting("exec"))
            stack.enter_context(ends(int(sandbox.start([*PYTHON, WAITS]).receive(30) or b"0")))
            assert sandbox.run(["codex", "login"]).ending == Exited(97)

    with ExitStack() as stack, pytest.raises(MockTrouble, match="has no answer"):
        block(stack)


def test_a_cancellation_ends_what_runs_in_a_sandbox(tmp_path: Path) -> None:
    """Whoever interrupts a run does not wait for its programs."""
    cancellation = Cancellation()
    with Sandbox(tmp_path / "box", network=Network(closed=False), cancellation=cancellation) as sandbox:
        program = sandbox.start([*PYTHON, WAITS])
        pid = int(program.receive(30) or b"0")
        with ends(pid):
            cancellation.cancel()
            with pytest.raises(Cancelled):
                program.receive(30)
            with pytest.raises(Cancelled):
                sandbox.run([*PYTHON, "pass"])
            sandbox.close()
