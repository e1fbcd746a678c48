"""What is done about a program whose supervisor has vanished."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from mutkit.process.link import pipe_name, sweep

# Above the greatest process id that Linux gives: the session of nobody.
NOBODYS = 1 << 22

FAMILY = """
import os, signal, sys
r, w = os.pipe()
if os.fork() == 0:
    for stream in (0, 1, 2): os.close(stream)
    os.write(w, b"x")
    while True: signal.pause()
os.read(r, 1)
print("ready", flush=True)
signal.pause()
"""


def test_a_program_is_found_by_its_streams_and_its_kin_by_their_session() -> None:
    """Where its process id has not been told, and one of its children has closed all streams."""
    life, held = os.pipe()
    program = subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", FAMILY], stdout=subprocess.PIPE, pass_fds=(held,), start_new_session=True
    )
    os.close(held)
    assert program.stdout is not None
    assert program.stdout.readline() == b"ready\n"
    sweep(NOBODYS, frozenset({pipe_name(program.stdout.fileno())}))
    assert program.wait(20) == -9
    # The end of this pipe means that the child is gone as well, which had it too.
    assert os.read(life, 1) == b""
    program.stdout.close()
    os.close(life)


def test_nobody_else_is_harmed() -> None:
    """A process that has nothing to do with the program goes on, even in our own session."""
    other = subprocess.Popen([sys.executable, "-I", "-S", "-c", FAMILY], stdout=subprocess.PIPE, start_new_session=True)
    near = subprocess.Popen(["cat"], stdin=subprocess.PIPE)
    assert other.stdout is not None
    assert other.stdout.readline() == b"ready\n"
    ours, theirs = os.pipe()
    sweep(NOBODYS, frozenset({pipe_name(ours)}))
    assert (other.poll(), near.poll()) == (None, None)
    sweep(other.pid, frozenset())
    assert other.wait(20) == -9
    assert near.poll() is None
    near.communicate()
    other.stdout.close()
    os.close(ours)
    os.close(theirs)


@pytest.mark.parametrize("session", [0, 1])
def test_the_sessions_of_the_system_are_refused(session: int) -> None:
    """No supervisor has one of these, and very many processes do."""
    with pytest.raises(ValueError, match="no supervisor's"):
        sweep(session, frozenset())
