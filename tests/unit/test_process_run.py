"""What `run` says of a program that runs to its end, and that nothing of it goes on."""

from __future__ import annotations

import os
import select
import signal
import sys
import threading
import time
import uuid
from pathlib import Path

import pytest

from mutkit.model.ending import Exited, Lost, NotStarted, ProcessResult, Signalled, TimedOut
from mutkit.process import Cancellation, Cancelled, run

ENV = {"PATH": os.environ["PATH"]}
LONG = "600"
IGNORES_TERM = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); signal.pause()"


def alive(token: str) -> list[int]:
    """Return the processes whose environment or command line holds `token`."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            told = (folder / "environ").read_bytes() + (folder / "cmdline").read_bytes()
            state = (folder / "stat").read_bytes().rpartition(b") ")[2][:1]
        except OSError:
            continue
        if token.encode() in told and state != b"Z":
            found.append(int(folder.name))
    return found


def sh(
    script: str, *, cwd: Path, deadline: float = 30, env: dict[str, str] | None = None, **more: object
) -> ProcessResult:
    """Run a shell script."""
    return run(["sh", "-c", script], cwd=cwd, env=ENV if env is None else env, deadline=deadline, **more)  # type: ignore[arg-type]


def py(
    code: str, *, cwd: Path, deadline: float = 30, env: dict[str, str] | None = None, **more: object
) -> ProcessResult:
    """Run Python code."""
    argv = [sys.executable, "-I", "-S", "-c", code]
    return run(argv, cwd=cwd, env=ENV if env is None else env, deadline=deadline, **more)  # type: ignore[arg-type]


@pytest.fixture
def token() -> str:
    """Give a word that no other process bears."""
    return f"token-{uuid.uuid4().hex}"


def test_an_exit_code_and_both_outputs_are_told(tmp_path: Path) -> None:
    """The plainest run: everything that the program did is in the result."""
    result = sh("printf out; printf err >&2; exit 3", cwd=tmp_path)
    assert result.ending == Exited(3)
    assert (result.stdout.head, result.stderr.head) == (b"out", b"err")
    assert result.argv == ("sh", "-c", "printf out; printf err >&2; exit 3")
    assert result.leftovers == 0
    assert 0 < result.duration < 30


@pytest.mark.parametrize(
    ("cap", "size", "tail"),
    [
        (2000, 1000, 1000),
        (2000, 2000, 2000),
        (2000, 2001, 2001),
        (0, 100, 100),
        (2000, 65_536 + 2000, 65_536),
        (100_000, 100_001, 65_536),
        (2000, 1_000_000, 65_536),
    ],
)
def test_the_end_of_an_output_is_kept_however_long_it_is(tmp_path: Path, cap: int, size: int, tail: int) -> None:
    """The first bytes up to the cap; and all, or the last 64 KiB of what is over it."""
    result = py(f"import os; os.write(2, bytes(n * n % 251 for n in range({size})))", cwd=tmp_path, cap=cap)
    written = bytes(n * n % 251 for n in range(size))
    assert result.stderr.total == size
    assert result.stderr.truncated == (size > cap)
    assert result.stderr.head == written[:cap]
    assert result.stderr.tail == written[-tail:]


def test_a_death_by_signal_is_no_exit_and_no_time_out(tmp_path: Path) -> None:
    """The signal is told by its number."""
    assert sh("kill -SEGV $$", cwd=tmp_path).ending == Signalled(signal.SIGSEGV)


def test_an_exit_code_that_looks_like_a_signal_is_an_exit(tmp_path: Path) -> None:
    """A shell's 128 + n, or 124 of `timeout`, are ordinary exit codes."""
    assert sh("exit 139", cwd=tmp_path).ending == Exited(139)
    assert sh("exit 124", cwd=tmp_path).ending == Exited(124)


def test_a_program_that_runs_for_ever_is_timed_out(tmp_path: Path, token: str) -> None:
    """At the deadline it is ended, and what it printed before is kept."""
    result = sh(f"echo before; exec sleep {LONG}", cwd=tmp_path, deadline=0.3, env={**ENV, "TOKEN": token})
    assert result.ending == TimedOut(0.3)
    assert result.stdout.head == b"before\n"
    assert alive(token) == []


def test_a_program_that_ignores_sigterm_is_killed(tmp_path: Path, token: str) -> None:
    """SIGTERM is a wish, SIGKILL is none."""
    result = py(IGNORES_TERM, cwd=tmp_path, deadline=0.3, env={**ENV, "TOKEN": token})
    assert isinstance(result.ending, TimedOut)
    assert alive(token) == []


def test_a_program_that_heeds_sigterm_can_clean_up(tmp_path: Path) -> None:
    """Between SIGTERM and SIGKILL there is time for last words."""
    code = (
        "import signal, sys, os\n"
        "signal.signal(signal.SIGTERM, lambda *_: (os.write(1, b'last words'), os._exit(0)))\n"
        "signal.pause()"
    )
    result = py(code, cwd=tmp_path, deadline=0.5)
    assert isinstance(result.ending, TimedOut)
    assert result.stdout.head == b"last words"


def test_a_stopped_program_is_ended_too(tmp_path: Path, token: str) -> None:
    """SIGSTOP does not hide a process from the deadline."""
    result = sh("kill -STOP $$; sleep 600", cwd=tmp_path, deadline=0.3, env={**ENV, "TOKEN": token})
    assert isinstance(result.ending, TimedOut)
    assert alive(token) == []


def test_a_stopped_program_can_clean_up_as_well(tmp_path: Path) -> None:
    """SIGTERM reaches it only when it goes on, so it is made to."""
    code = (
        "import signal, os\n"
        "signal.signal(signal.SIGTERM, lambda *_: (os.write(1, b'last words'), os._exit(0)))\n"
        "os.kill(os.getpid(), signal.SIGSTOP)\n"
        "signal.pause()"
    )
    result = py(code, cwd=tmp_path, deadline=0.5)
    assert result.stdout.head == b"last words"


DAEMON = f"""
import os, signal, sys
signal.signal(signal.SIGTERM, signal.SIG_IGN)
signal.signal(signal.SIGHUP, signal.SIG_IGN)
ready, tell = os.pipe()
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.write(tell, b"x")
        os.execvp("sleep", ["sleep", "{LONG}"])
    os._exit(0)
os.read(ready, 1)
"""


def test_a_daemon_in_another_session_does_not_outlive_the_time_out(tmp_path: Path, token: str) -> None:
    """A double fork with setsid leaves the process group and the parent, but not the supervisor."""
    result = py(DAEMON + "signal.pause()", cwd=tmp_path, deadline=0.6, env={**ENV, "TOKEN": token})
    assert isinstance(result.ending, TimedOut)
    assert result.leftovers == 1
    assert alive(token) == []


def test_a_daemon_does_not_outlive_a_clean_exit_and_is_counted(tmp_path: Path, token: str) -> None:
    """What is left after a normal end is ended, counted, and changes nothing of the exit code."""
    result = py(DAEMON + "sys.exit(7)", cwd=tmp_path, env={**ENV, "TOKEN": token})
    assert result.ending == Exited(7)
    assert result.leftovers == 1
    assert alive(token) == []


def test_a_grandchild_that_holds_the_output_open_does_not_make_one_wait(tmp_path: Path, token: str) -> None:
    """The end of the program counts, not the end of its output."""
    result = sh(f"sleep {LONG} & echo done", cwd=tmp_path, deadline=60, env={**ENV, "TOKEN": token})
    assert result.ending == Exited(0)
    assert result.stdout.head == b"done\n"
    assert result.duration < 20
    assert alive(token) == []


def test_children_that_end_by_themselves_are_no_leftovers(tmp_path: Path) -> None:
    """A helper that ends when it sees its parent's end is given the moment that it takes."""
    code = (
        "import os, time\n"
        "r, w = os.pipe()\n"
        "if os.fork() == 0:\n"
        "    os.close(w)\n"
        "    os.read(r, 1)\n"
        "    time.sleep(0.02)\n"
        "    os._exit(0)\n"
    )
    result = py(code, cwd=tmp_path)
    assert (result.ending, result.leftovers) == (Exited(0), 0)


def test_a_family_that_keeps_forking_is_ended(tmp_path: Path, token: str) -> None:
    """Each process forks its successor and ends: killing a list of processes once would not do."""
    code = "import os, time\nwhile os.fork() == 0:\n    os.setsid()\n    time.sleep(0.005)\nos._exit(0)"
    result = py(code, cwd=tmp_path, env={**ENV, "TOKEN": token})
    assert result.ending == Exited(0)
    assert result.leftovers >= 1
    assert alive(token) == []


def test_a_program_that_kills_its_supervisor_is_lost_and_killed(tmp_path: Path, token: str) -> None:
    """Nothing is known of its end then, which is neither an exit nor a time-out. What left its session is
    found too.
    """
    script = f"setsid sleep {LONG} & kill -9 $PPID; exec 0<&- 1>&- 2>&-; sleep {LONG}; true"
    result = sh(script, cwd=tmp_path, env={**ENV, "TOKEN": token})
    assert isinstance(result.ending, Lost)
    assert "SIGKILL" in result.ending.reason
    wait_for_end_of(token)


def wait_for_end_of(token: str, seconds: float = 20) -> None:
    """Wait for the end of every process that bears `token`."""
    limit = time.monotonic() + seconds
    while pids := alive(token):
        poll = select.poll()
        opened = []
        for pid in pids:
            try:
                opened.append(os.pidfd_open(pid))
            except ProcessLookupError:
                continue
            poll.register(opened[-1], select.POLLIN)
        try:
            left = limit - time.monotonic()
            assert left > 0, f"still alive: {pids}"
            if opened:
                poll.poll(left * 1000)
        finally:
            for descriptor in opened:
                os.close(descriptor)


def test_the_program_gets_exactly_the_environment_that_was_given(tmp_path: Path) -> None:
    """Nothing is added (no LC_CTYPE, no PYTHON...), nothing is lost, odd bytes stay as they are."""
    env = {"A": "1", "ODD": "\udcff\nx", "EMPTY": "", "PYTHONHOME": "/nowhere", "LC_ALL": "C"}
    result = run(["/usr/bin/env", "-0"], cwd=tmp_path, env=env, deadline=30)
    told = dict(pair.split(b"=", 1) for pair in result.stdout.head.split(b"\0") if pair)
    assert told == {os.fsencode(name): os.fsencode(value) for name, value in env.items()}


def test_an_empty_environment_stays_empty(tmp_path: Path) -> None:
    """The command is then looked for where the system looks by default."""
    result = run(["env"], cwd=tmp_path, env={}, deadline=30)
    assert (result.ending, result.stdout.head) == (Exited(0), b"")


def test_the_program_has_only_the_three_standard_streams(tmp_path: Path) -> None:
    """No pipe of another run, no control socket is inherited."""
    result = py("import os; print(sorted(map(int, os.listdir('/proc/self/fd'))))", cwd=tmp_path)
    # 3 is the folder that is being listed.
    assert result.stdout.head == b"[0, 1, 2, 3]\n"


def test_the_program_has_default_signals_and_a_group_of_its_own(tmp_path: Path) -> None:
    """What mutkit ignores or blocks is not passed on, and Ctrl-C on the terminal is not for the program."""
    previous = signal.signal(signal.SIGUSR1, signal.SIG_IGN)
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR2})
    try:
        result = run(["cat", "/proc/self/status"], cwd=tmp_path, env=ENV, deadline=30)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        signal.signal(signal.SIGUSR1, previous)
    status = dict(line.split(":\t", 1) for line in result.stdout.text.splitlines() if ":\t" in line)
    assert int(status["SigBlk"], 16) == 0
    # 32 and 33 are the C library's own and cannot be changed by any program.
    assert int(status["SigIgn"], 16) & ~(1 << 31 | 1 << 32) == 0
    told = py("import os; print(os.getsid(0) == os.getppid(), os.getpgid(0) == os.getpid())", cwd=tmp_path)
    assert told.stdout.head == b"True True\n"
    # Nor for the supervisor, which would end the program.
    told = py("import os; print(os.getsid(os.getppid()) == os.getppid())", cwd=tmp_path)
    assert told.stdout.head == b"True\n"


def test_the_command_is_looked_for_along_the_given_path(tmp_path: Path) -> None:
    """PATH of the given environment counts, not mutkit's own; a file that may not be run does not end the
    search.
    """
    for folder, mode in (("first", 0o644), ("second", 0o755), ("third", 0o755)):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "tool").write_text(f"#!/bin/sh\necho {folder}\n")
        (tmp_path / folder / "tool").chmod(mode)
    path = ":".join(str(tmp_path / folder) for folder in ("none", "first", "second", "third"))
    result = run(["tool"], cwd=tmp_path, env={"PATH": path}, deadline=30)
    assert result.stdout.head == b"second\n"


def test_a_relative_command_is_relative_to_the_given_folder(tmp_path: Path) -> None:
    """A command with a slash is looked for from the folder in which it runs."""
    (tmp_path / "tool").write_text("#!/bin/sh\necho here\n")
    (tmp_path / "tool").chmod(0o755)
    assert run(["./tool"], cwd=tmp_path, env=ENV, deadline=30).stdout.head == b"here\n"


def test_a_missing_command_is_not_started_and_named(tmp_path: Path) -> None:
    """The system's own words, and the name."""
    result = run(["no-such-tool"], cwd=tmp_path, env=ENV, deadline=30)
    assert result.ending == NotStarted("No such file or directory: no-such-tool")
    assert (result.stdout.total, result.stderr.total) == (0, 0)


def test_a_file_that_may_not_be_run_is_not_started(tmp_path: Path) -> None:
    """No right to execute, and no format that the system knows, are told apart."""
    plain, odd = tmp_path / "plain", tmp_path / "odd"
    plain.write_text("x")
    odd.write_text("no program")
    odd.chmod(0o755)
    assert run([str(plain)], cwd=tmp_path, env=ENV, deadline=30).ending == NotStarted(f"Permission denied: {plain}")
    assert run([str(odd)], cwd=tmp_path, env=ENV, deadline=30).ending == NotStarted(f"Exec format error: {odd}")


def test_a_missing_folder_is_not_started_and_named(tmp_path: Path) -> None:
    """It is the folder that is named, not the command."""
    gone = tmp_path / "gone"
    result = run(["true"], cwd=gone, env=ENV, deadline=30)
    assert result.ending == NotStarted(f"No such file or directory: {gone}")


@pytest.mark.parametrize(
    ("argv", "env"),
    [
        (["true\0"], {}),
        ([], {}),
        ([""], {}),
        (["true"], {"A": "b\0c"}),
        (["true"], {"A=B": "c"}),
        (["true"], {"": "c"}),
        (["true", "\ud800"], {}),
    ],
)
def test_what_no_system_can_start_is_not_started(tmp_path: Path, argv: list[str], env: dict[str, str]) -> None:
    """NUL characters, empty commands and impossible names of variables end in words, not in a traceback."""
    ending = run(argv, cwd=tmp_path, env=env, deadline=30).ending
    assert isinstance(ending, NotStarted)
    assert ending.reason


def test_too_long_a_command_line_is_not_started(tmp_path: Path) -> None:
    """The system's limit is told in its words."""
    ending = run(["true", "x" * 3_000_000], cwd=tmp_path, env=ENV, deadline=30).ending
    assert isinstance(ending, NotStarted)
    assert ending.reason.startswith("Argument list too long: ")


def test_input_is_fed_while_output_is_read(tmp_path: Path) -> None:
    """More than any pipe holds goes in and comes out at the same time."""
    data = os.urandom(1 << 20) * 3
    result = run(["cat"], cwd=tmp_path, env=ENV, deadline=30, stdin=data)
    assert result.ending == Exited(0)
    assert result.stdout.head == data


def test_a_program_that_does_not_read_its_input_ends_as_it_likes(tmp_path: Path) -> None:
    """Input that nobody takes is no error."""
    assert sh("exit 4", cwd=tmp_path, stdin=b"x" * 1_000_000).ending == Exited(4)
    assert sh("exec <&-; cat /dev/null; exit 5", cwd=tmp_path, stdin=b"x" * 1_000_000).ending == Exited(5)


def test_input_that_is_never_read_does_not_outlast_the_deadline(tmp_path: Path) -> None:
    """A full pipe to a program that sleeps does not block anything."""
    result = sh(f"sleep {LONG}", cwd=tmp_path, deadline=0.3, stdin=b"x" * 1_000_000)
    assert result.ending == TimedOut(0.3)


def test_without_input_the_program_sees_its_end_at_once(tmp_path: Path) -> None:
    """A program that reads all of its input first does not wait for ever."""
    result = sh("cat; echo end", cwd=tmp_path)
    assert result.stdout.head == b"end\n"


def _peak() -> int:
    """Return the greatest size of this process since it was last reset, in KiB."""
    return int(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0])


def test_a_flood_of_output_is_counted_and_its_beginning_kept(tmp_path: Path) -> None:
    """1 GiB of output neither blocks the program nor fills the memory of mutkit."""
    Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew, else an earlier one hides this one
    before = _peak()
    result = sh("printf begin; head -c 1073741824 /dev/zero; printf end >&2", cwd=tmp_path, deadline=60, cap=100_000)
    assert result.ending == Exited(0)
    assert result.stdout.total == 1073741824 + 5
    assert result.stdout.head == b"begin" + bytes(99_995)
    assert result.stdout.truncated
    assert result.stderr.head == b"end"
    assert _peak() - before < 64 * 1024


def test_endless_output_does_not_outlast_the_deadline(tmp_path: Path, token: str) -> None:
    """There is always more to read, and still the deadline comes."""
    result = sh("yes", cwd=tmp_path, deadline=0.3, cap=10, env={**ENV, "TOKEN": token})
    assert result.ending == TimedOut(0.3)
    assert result.stdout.head == b"y\n" * 5
    assert alive(token) == []


def test_runs_on_several_threads_do_not_disturb_each_other(tmp_path: Path) -> None:
    """Each gets its own exit code and output; no pipe leaks into a neighbour and keeps it waiting."""
    results: dict[int, ProcessResult] = {}

    def work(number: int) -> None:
        for _ in range(4):
            results[number] = sh(f"cat; exit {number}", cwd=tmp_path, stdin=b"%d" % number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {n: (r.ending, r.stdout.head) for n, r in results.items()} == {n: (Exited(n), b"%d" % n) for n in range(6)}


def test_a_cancellation_wakes_every_run_at_once_and_ends_its_processes(tmp_path: Path, token: str) -> None:
    """Two threads wait for programs that tell they have started; one call ends both."""
    cancellation = Cancellation()
    outcomes: list[str] = []
    fifo = tmp_path / "started"
    os.mkfifo(fifo)

    def work() -> None:
        try:
            sh(
                f"echo x > started; exec sleep {LONG}",
                cwd=tmp_path,
                env={**ENV, "TOKEN": token},
                cancellation=cancellation,
            )
        except Cancelled:
            outcomes.append("cancelled")

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    with fifo.open("rb") as told:
        assert told.read(2)
    cancellation.cancel()
    for thread in threads:
        thread.join(30)
    assert outcomes == ["cancelled", "cancelled"]
    assert cancellation.cancelled
    assert alive(token) == []


def test_after_a_cancellation_nothing_is_started(tmp_path: Path) -> None:
    """The switch stays on, and a second call changes nothing."""
    cancellation = Cancellation()
    cancellation.cancel()
    cancellation.cancel()
    with pytest.raises(Cancelled):
        sh("touch started", cwd=tmp_path, cancellation=cancellation)
    assert not (tmp_path / "started").exists()


def open_descriptors() -> list[str]:
    """Return this process's descriptors."""
    return sorted(os.listdir("/proc/self/fd"))


def test_no_descriptor_and_no_process_is_left_after_many_endings(tmp_path: Path) -> None:
    """Whatever the ending, what was opened is closed and what was started is waited for."""
    cancellation = Cancellation()
    before = open_descriptors()
    sh("exit 1", cwd=tmp_path, cancellation=cancellation)
    sh("kill -9 $$", cwd=tmp_path, cancellation=cancellation)
    run(["no-such-tool"], cwd=tmp_path, env=ENV, deadline=1, cancellation=cancellation)
    run([], cwd=tmp_path, env=ENV, deadline=1, cancellation=cancellation)
    sh(f"sleep {LONG}", cwd=tmp_path, deadline=0.1, cancellation=cancellation)
    assert open_descriptors() == before
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)
