"""Owns the tests of looking at a real program: its writes, their order, its input, its end."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

from mutkit.errors import UsageError
from mutkit.hermetic.capture import Capture, capture, outputs
from mutkit.model.ending import Exited, Signalled


def _python(code: str, **how: object) -> Capture:
    return capture([sys.executable, "-I", "-S", "-c", f"import os, sys, time, signal\n{code}"], **how)  # type: ignore[arg-type]


def _seen(found: Capture) -> list[tuple[int, bytes]]:
    return [(chunk.fd, chunk.data) for chunk in found.chunks]


WRITES = """
writes = [(1, b"a\\n"), (2, b"b\\n"), (1, b"c"), (1, b"d"), (2, b"e" * 10000), (2, b"f"), (1, b"g" * 4096)]
writes += [(1, b"h" * 4096), (1, b"i" * 8192), (1, b"j" * 300000), (1, b"\\xff\\0\\r\\n"), (2, b"end")]
writes += [(1 + at % 2, b"%d" % at) for at in range(100)]
"""


def test_each_write_is_a_chunk_in_the_order_in_which_it_was_written() -> None:
    """Writes of one byte and of 300,000, of whole packets and of more, to two streams and without a pause."""
    expected: dict[str, list[tuple[int, bytes]]] = {}
    exec(WRITES, expected)
    found = _python(f"{WRITES}\nfor fd, data in writes: os.write(fd, data)")
    assert _seen(found) == expected["writes"]
    assert (found.boundaries, found.unsure, found.ending) == ("writes", 0, Exited(0))


def test_without_events_writes_are_put_together_by_their_packets(monkeypatch: pytest.MonkeyPatch) -> None:
    """Some kernels report no writes: then a packet that is not full ends a write, and the order is what we saw."""
    monkeypatch.setattr(outputs, "works", lambda: False)
    found = _python("os.write(1, b'x' * 10000); os.write(1, b'yz'); os.write(1, b'')\nos.write(1, b'1')")
    assert [data for _, data in _seen(found)] == [b"x" * 10000, b"yz", b"1"]
    assert found.boundaries == "writes"


def test_plain_pipes_give_all_bytes_and_are_told_as_reads() -> None:
    """For a program that cannot live with packets: nothing is lost, and nobody is told that boundaries are writes."""
    code = "assert os.fpathconf(1, 'PC_PIPE_BUF'); import fcntl; assert not fcntl.fcntl(1, 3) & os.O_DIRECT\n"
    found = _python(code + "for at in range(300): os.write(1 + at % 2, b'%d,' % at)", packets=False)
    streams = [b"".join(data for fd, data in _seen(found) if fd == wanted) for wanted in (1, 2)]
    assert streams == [b"".join(b"%d," % at for at in range(start, 300, 2)) for start in (0, 1)]
    assert (found.boundaries, found.ending) == ("reads", Exited(0))


def test_what_was_taken_of_the_input_and_when_is_seen() -> None:
    """All of it after the first write; nothing; a line of it."""
    whole = _python(
        "os.write(1, b'?'); data = sys.stdin.buffer.read(); os.write(1, b'%d' % len(data))", stdin=b"x" * 200000
    )
    assert (whole.stdin_given, whole.stdin_taken, whole.stdin_after) == (200000, 200000, 1)
    assert _seen(whole) == [(1, b"?"), (1, b"200000")]
    none = _python("os.write(1, b'!')", stdin=b"question")
    assert (none.stdin_given, none.stdin_taken) == (8, 0)
    line = _python("while os.read(0, 1) != b'\\n': pass\nos.write(1, b'!')", stdin=b"one\ntwo\n")
    assert (line.stdin_taken, line.stdin_taken_of, line.stdin_after) == (4, b"one\n", 0)
    assert _python("assert sys.stdin.read() == ''").ending == Exited(0), "without input there is its end"


def test_how_it_ended_is_seen() -> None:
    """An exit code and a signal are different things."""
    assert _python("sys.exit(7)").ending == Exited(7)
    assert _python("os.kill(os.getpid(), signal.SIGSEGV)").ending == Signalled(11)


@pytest.mark.parametrize(
    ("on_term", "reaction"),
    [("signal.SIG_DFL", "die"), ("signal.SIG_IGN", "ignore"), ("lambda *_: (os.write(1, b'bye'), os._exit(3))", 3)],
)
def test_a_program_that_hangs_is_ended_and_what_it_did_on_sigterm_is_seen(
    on_term: str, reaction: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The deadline is no error: what came before it is there, what came after is counted."""
    monkeypatch.setattr("mutkit.hermetic.capture.running._GRACE", 0.5)
    code = f"signal.signal(15, {on_term}); os.write(1, b'%d' % os.getpid())\nwhile True: time.sleep(60)"
    found = _python(code, deadline=2.0)
    assert (found.ending, found.on_term, len(found.chunks)) == (None, reaction, 1)
    assert found.late == (3 if reaction == 3 else 0)
    assert not Path(f"/proc/{found.chunks[0].data.decode()}").exists(), "it still runs"


def test_a_process_left_behind_that_keeps_the_output_open_is_seen() -> None:
    """The program is over long before its output is; what the other writes then is counted, not mixed in."""
    code = (
        "os.write(1, b'mine')\nif not os.fork():\n"
        "    os.close(2); time.sleep(0.8); os.write(1, b'late'); os._exit(0)\nos._exit(0)"
    )
    found = _python(code)
    assert (_seen(found), found.ending, found.late) == ([(1, b"mine")], Exited(0), 4)
    assert list(found.held) == [1]
    assert found.held[1] > 0.1


def test_a_stream_that_is_closed_long_before_the_end_is_seen() -> None:
    """Closing standard output and living on is something that a mock can do too."""
    found = _python("os.write(1, b'x'); os.close(1); time.sleep(0.8); os.write(2, b'y')")
    assert (_seen(found), dict(found.closed)) == ([(1, b"x"), (2, b"y")], {1: 1})


def test_a_program_that_is_not_there_is_the_callers_mistake() -> None:
    """No traceback: the name, and why."""
    before = set(os.listdir("/proc/self/fd"))
    with pytest.raises(UsageError, match="no-such-program: cannot be started: No such file") as caught:
        capture(["no-such-program"], b"x")
    assert caught.value.slug == "record-program"
    assert set(os.listdir("/proc/self/fd")) == before, "descriptors were left open"


def test_an_interruption_ends_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C while it runs: the program, in a session of its own, does not live on."""
    pids: list[str] = []

    def interrupt(self: outputs.Outputs, seconds: float) -> None:
        until = time.monotonic() + 30
        while not self.chunks and time.monotonic() < until:
            pump(self, seconds)
        pids.append(self.chunks[0].data.decode())
        raise KeyboardInterrupt

    pump = outputs.Outputs.pump
    monkeypatch.setattr(outputs.Outputs, "pump", interrupt)
    with pytest.raises(KeyboardInterrupt):
        _python("os.write(1, b'%d' % os.getpid()); time.sleep(600)")
    assert not Path(f"/proc/{pids[0]}").exists(), "it still runs"
