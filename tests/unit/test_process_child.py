"""Talking to a program that runs: what is sent, what is received, and when it ends."""

from __future__ import annotations

import os
import sys
import threading
import time
from typing import TYPE_CHECKING

import pytest

from mutkit.model.ending import Exited, NotStarted, Signalled, TimedOut
from mutkit.process import Cancellation, Cancelled, Child

if TYPE_CHECKING:
    from pathlib import Path

ENV = {"PATH": os.environ["PATH"]}


def python(code: str, cwd: Path, **more: object) -> Child:
    """Start Python on some code."""
    return Child([sys.executable, "-I", "-S", "-c", code], cwd=cwd, env=ENV, **more)  # type: ignore[arg-type]


def receive_until(child: Child, wanted: bytes) -> bytes:
    """Receive until `wanted` has come or the output has ended."""
    received = b""
    while wanted not in received and (data := child.receive(20)):
        received += data
    return received


def test_a_conversation_goes_to_and_fro(tmp_path: Path) -> None:
    """Each line that is sent comes back before the next is sent, and all is in the result as well."""
    with Child(["cat"], cwd=tmp_path, env=ENV) as child:
        for line in (b"one\n", b"two\n"):
            assert child.send(line, 20)
            assert receive_until(child, b"\n") == line
        child.close_stdin()
        assert child.receive(20) == b""
        result = child.finish(20)
    assert result.ending == Exited(0)
    assert result.stdout.head == b"one\ntwo\n"


def test_silence_is_none_and_the_end_is_empty(tmp_path: Path) -> None:
    """A program that says nothing yet is told apart from one that will not say anything more."""
    with Child(["cat"], cwd=tmp_path, env=ENV) as child:
        assert child.receive(0.05) is None
        child.close_stdin()
        assert child.receive(20) == b""
        assert child.receive(20) == b""


def test_output_that_came_before_the_end_is_received_after_it(tmp_path: Path) -> None:
    """The last words of a program that has died are not lost."""
    with python("import os; os.write(1, b'last'); os.kill(os.getpid(), 9)", tmp_path) as child:
        assert receive_until(child, b"last") == b"last"
        assert child.receive(20) == b""
        assert child.finish(20).ending == Signalled(9)


def test_sending_to_a_program_that_does_not_read_is_false_in_time(tmp_path: Path) -> None:
    """A full pipe costs no more than the time that was given."""
    with python("import signal; signal.pause()", tmp_path) as child:
        before = time.monotonic()
        assert child.send(b"x" * 1_000_000, 0.2) is False
        assert time.monotonic() - before < 10


def test_sending_to_a_program_that_has_closed_its_input_is_false(tmp_path: Path) -> None:
    """No BrokenPipeError: it is a fact about the program."""
    with python("import os, signal; os.close(0); os.write(1, b'closed'); signal.pause()", tmp_path) as child:
        assert receive_until(child, b"closed") == b"closed"
        assert child.send(b"x" * 1_000_000, 20) is False
        assert child.send(b"x", 20) is False


def test_sending_to_a_program_that_has_ended_is_false(tmp_path: Path) -> None:
    """Also where the pipe would still have room."""
    with python("", tmp_path) as child:
        assert child.receive(20) == b""
        assert child.finish(20).ending == Exited(0)
        assert child.send(b"x", 20) is False


def test_much_is_sent_to_a_program_that_answers_meanwhile(tmp_path: Path) -> None:
    """Two full pipes would be a deadlock if sending did not listen."""
    data = os.urandom(1 << 19) * 4
    with Child(["cat"], cwd=tmp_path, env=ENV) as child:
        assert child.send(data, 20)
        child.close_stdin()
        assert receive_until(child, b"never") == data


def test_a_program_that_floods_a_silent_listener_has_to_wait(tmp_path: Path) -> None:
    """What nobody receives is bounded by the cap, not by the memory."""
    code = "import os\nwhile True: os.write(1, b'x' * 65536)"
    with python(code, tmp_path, cap=200_000) as child:
        assert child.send(b"x" * 1_000_000, 0.3) is False
        assert child._stdout is not None
        assert 200_000 <= child._stdout.queue_size < 200_000 + 65536
        assert child.finish(0.3).ending == TimedOut(0.3)


def test_finishing_a_program_that_goes_on_is_a_time_out(tmp_path: Path) -> None:
    """The time is counted from the call."""
    with Child(["cat"], cwd=tmp_path, env=ENV) as child:
        assert child.finish(0.2).ending == TimedOut(0.2)


def test_finishing_twice_gives_the_same_result(tmp_path: Path) -> None:
    """The end comes once."""
    with python("raise SystemExit(3)", tmp_path) as child:
        assert child.finish(20) is child.finish(20)


def test_leaving_the_context_ends_the_program_and_its_descendants(tmp_path: Path) -> None:
    """Their copies of a pipe of ours are gone: its other end sees the end."""
    fifo = tmp_path / "held"
    os.mkfifo(fifo)
    reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    with Child(["sh", "-c", "exec 5>held; sleep 600 & echo ready; wait"], cwd=tmp_path, env=ENV) as child:
        assert receive_until(child, b"ready\n") == b"ready\n"
        with pytest.raises(BlockingIOError):
            os.read(reader, 1)
    assert os.read(reader, 1) == b""
    os.close(reader)


def test_an_exception_inside_the_context_comes_out_of_it(tmp_path: Path) -> None:
    """Cleaning up does not hide what went wrong, and takes no time even if the program has hardly been
    started.
    """
    before = time.monotonic()
    with pytest.raises(KeyboardInterrupt), Child(["cat"], cwd=tmp_path, env=ENV):
        raise KeyboardInterrupt
    assert time.monotonic() - before < 5


def test_a_program_that_cannot_be_started_is_like_one_that_has_ended(tmp_path: Path) -> None:
    """Nothing can be sent, nothing comes, and the result says why."""
    for argv in (["no-such-tool"], ["nul\0"]):
        with Child(argv, cwd=tmp_path, env=ENV) as child:
            assert child.receive(20) == b""
            assert child.finish(20).ending == NotStarted(
                "No such file or directory: no-such-tool"
                if argv == ["no-such-tool"]
                else "'nul\\x00' holds a NUL character"
            )
            assert child.send(b"x", 20) is False


def test_a_cancellation_wakes_a_receiver(tmp_path: Path) -> None:
    """Whoever waits for an answer does not wait for its time-out."""
    cancellation = Cancellation()
    with Child(["cat"], cwd=tmp_path, env=ENV, cancellation=cancellation) as child:
        assert child.send(b"x\n", 20)
        assert receive_until(child, b"\n")
        timer = threading.Thread(target=cancellation.cancel)
        timer.start()
        with pytest.raises(Cancelled):
            child.receive(60)
        timer.join()
        assert child.receive(60) == b""
