"""Exact pace: each read(2) gets exactly one chunk, and the record has the proofs. Real pipes and sockets throughout."""

from __future__ import annotations

import fcntl
import json
import os
import select
import shutil
import socket
import subprocess
from typing import TYPE_CHECKING

import pytest

from mutkit.hermetic import Script
from mutkit.model.mock_call import ExactProof
from tests.mock_driving import last, read_all, start, wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import Any

    from mutkit.hermetic import MockCommands

_GET_SIZE, _SET_SIZE = 1032, 1031  # F_GETPIPE_SZ and F_SETPIPE_SZ have names since Python 3.10, and none in typeshed
_NODE = shutil.which("node")
_READER = """
const {spawn} = require("child_process");
const child = spawn(process.argv[1], [], {stdio: ["ignore", "pipe", "inherit"]});
const reads = [];
child.stdout.on("data", data => reads.push(data.length));
child.on("close", code => console.log(JSON.stringify([code, reads])));
"""


@pytest.fixture
def pair() -> Iterator[tuple[socket.socket, socket.socket]]:
    """Return the two ends of a UNIX stream socket: ours, and the mock's."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        yield ours, theirs


def start_on(mock: MockCommands, script: Script, stdout: Any, **more: Any) -> subprocess.Popen[bytes]:
    """Start ``codex`` with this standard output."""
    mock.add("codex", script)
    return subprocess.Popen(["codex"], env={"PATH": mock.path}, stdout=stdout, stderr=subprocess.PIPE, **more)


@pytest.mark.parametrize(
    ("how", "reads"),
    [
        ({"chunk": 1}, [b"a", b"b", b"c", b"\xc3", b"\xa9"]),
        ({"chunk": 2}, [b"ab", b"c\xc3", b"\xa9"]),
        ({"cut_at": (1, 4)}, [b"a", b"bc\xc3", b"\xa9"]),
        ({}, [b"abc\xc3\xa9"]),
    ],
)
@pytest.mark.parametrize("kind", ["pipe", "unix socket"])
def test_each_read_gets_exactly_one_chunk(
    mock: MockCommands,
    pair: tuple[socket.socket, socket.socket],
    how: dict[str, Any],
    reads: list[bytes],
    kind: str,
) -> None:
    """Cut by size or by offsets: what was written in one piece is read in one piece, whatever the reader's speed."""
    script = Script().write("abcé", pace="exact", **how)
    ours, theirs = pair
    with start_on(mock, script, subprocess.PIPE if kind == "pipe" else theirs.fileno()) as child:
        theirs.close()
        assert read_all(ours.fileno() if child.stdout is None else child.stdout.fileno()) == reads
    count = len(reads)
    mode = "one-page pipe" if kind == "pipe" else "descriptor per chunk"
    proofs = count + 1 if kind == "pipe" else count
    assert last(mock).exact == (ExactProof(1, kind, mode, count, proofs, count),)
    assert last(mock).exact[0].complete


@pytest.mark.parametrize("kind", ["pipe", "unix socket"])
def test_two_thousand_single_bytes_are_two_thousand_reads(
    mock: MockCommands, pair: tuple[socket.socket, socket.socket], kind: str
) -> None:
    """No two writes are merged over a long run, none is lost at the exit, and the record has every one."""
    ours, theirs = pair
    script = Script().repeat("x", 2000, chunk=1, pace="exact")
    with start_on(mock, script, subprocess.PIPE if kind == "pipe" else theirs.fileno()) as child:
        theirs.close()
        assert read_all(ours.fileno() if child.stdout is None else child.stdout.fileno()) == [b"x"] * 2000
    assert last(mock).chunks == (1,) * 2000
    assert last(mock).exact[0].complete


@pytest.mark.skipif(_NODE is None, reason="there is no Node on this machine")
def test_in_node_each_data_event_is_one_chunk_also_behind_a_plain_write_and_before_the_exit(mock: MockCommands) -> None:
    """Node's streams are sockets; its event for a chunk comes once for each, and the last is not lost."""
    script = Script().write("plain").repeat("x", 2000, chunk=1, pace="exact").write("yy", pace="exact").write("end")
    mock.add("codex", script)
    done = subprocess.run(
        [str(_NODE), "-e", _READER, f"{mock.path}/codex"], capture_output=True, timeout=60, check=True
    )
    assert json.loads(done.stdout) == [0, [5, *[1] * 2000, 2, 3]]
    assert [(one.mode, one.chunks, one.complete) for one in last(mock).exact] == [
        ("descriptor per chunk", 2000, True),
        ("descriptor per chunk", 1, True),
    ]


def test_a_plain_write_is_not_glued_to_the_exact_chunk_behind_it(
    mock: MockCommands, pair: tuple[socket.socket, socket.socket]
) -> None:
    """On a socket a read goes on from a plain message into the next: here it must not, however late it comes."""
    ours, theirs = pair
    script = Script().write("plain").repeat("p", 40_000).write("ab", chunk=1, pace="exact")
    with start_on(mock, script, theirs.fileno()):
        theirs.close()
        wait_until(mock, lambda seen: seen.chunks[-2:] == (1, 1))  # read before, nothing could be glued together
        reads = read_all(ours.fileno())
    assert b"".join(reads[:-2]) == b"plain" + b"p" * 40_000
    assert reads[-2:] == [b"a", b"b"]


def test_a_mock_stays_until_what_it_wrote_to_a_marked_socket_is_taken(
    mock: MockCommands, pair: tuple[socket.socket, socket.socket]
) -> None:
    """Also what was written plainly behind an exact step: a Node that reads it in parts would lose the rest."""
    ours, theirs = pair
    with start_on(mock, Script().write("a", pace="exact").write("bb"), theirs.fileno()) as child:
        theirs.close()
        assert ours.recv(9) == b"a"
        assert select.select([ours], [], [], 30)[0]
        with pytest.raises(subprocess.TimeoutExpired):
            child.wait(0.2)
        assert ours.recv(9) == b"bb"
        assert child.wait(30) == 0
    assert last(mock).not_taken == ()


@pytest.mark.parametrize(
    ("sizes", "mode"),
    [
        ([1, 4096, 4095], "one-page pipe"),
        ([4097, 3], "drained pipe"),
        ([65536] * 3, "drained pipe"),
        ([100_000, 1, 131_072], "drained pipe"),
    ],
)
def test_chunks_of_any_size_that_fits_into_a_pipe_are_one_read_each(
    mock: MockCommands, sizes: list[int], mode: str
) -> None:
    """The pipe is made as large as the largest needs, and has its own size again afterwards."""
    ends = tuple(sum(sizes[: at + 1]) for at in range(len(sizes) - 1))
    reader, writer = os.pipe()
    before = fcntl.fcntl(reader, _GET_SIZE)
    with start_on(mock, Script().repeat("x", sum(sizes), cut_at=ends, pace="exact"), writer) as child:
        got = [len(os.read(reader, 2**20)) for _ in sizes]
        assert child.wait(30) == 0
    assert got == sizes
    assert fcntl.fcntl(reader, _GET_SIZE) == before
    os.close(reader)
    os.close(writer)
    [proof] = last(mock).exact
    assert (proof.mode, proof.complete) == (mode, True)


def test_a_reader_with_a_small_buffer_still_gets_no_two_chunks_at_once(mock: MockCommands) -> None:
    """A chunk that it takes in two reads is followed by the next in a read of its own."""
    with start(mock, Script().write("abcdefgh", chunk=4, pace="exact")) as child:
        assert child.stdout is not None
        assert list(iter(lambda: os.read(child.stdout.fileno(), 3), b"")) == [b"abc", b"d", b"efg", b"h"]  # type: ignore[union-attr]


def test_what_was_in_the_pipe_before_is_read_before_the_first_chunk(mock: MockCommands) -> None:
    """Plain writes of the script, more than a page of them: the exact step waits until they are taken."""
    with start(mock, Script().repeat("p", 60_000).write("ab", chunk=1, pace="exact").write("rest")) as child:
        assert child.stdout is not None
        select.select([child.stdout], [], [], 30)
        reads = read_all(child.stdout.fileno())
    assert b"".join(reads[:-3]) == b"p" * 60_000
    assert reads[-3:] == [b"a", b"b", b"rest"]


def test_the_order_of_two_streams_is_seen_by_the_reader(mock: MockCommands) -> None:
    """A step on standard error begins when the one on standard output was taken, and the other way round."""
    script = Script()
    for at in range(4):
        script = script.write(f"{at}", to="stdout" if at % 2 else "stderr", pace="exact")
    with start(mock, script) as child:
        assert child.stdout is not None
        assert child.stderr is not None
        seen = []
        open_ones = [child.stdout.fileno(), child.stderr.fileno()]
        while open_ones:
            ready, _, _ = select.select(open_ones, [], [], 30)
            assert ready
            for fd in ready:
                data = os.read(fd, 65536)
                seen += [(fd == child.stdout.fileno(), data)] if data else []
                if not data:
                    open_ones.remove(fd)
    assert seen == [(bool(at % 2), b"%d" % at) for at in range(4)]


def test_a_socket_that_does_not_block_and_takes_few_descriptors_gets_all(
    mock: MockCommands, pair: tuple[socket.socket, socket.socket]
) -> None:
    """Node makes its sockets so for all who share them; more chunks than the socket holds wait for the reader."""
    ours, theirs = pair
    theirs.setblocking(False)
    with start_on(mock, Script().repeat("x", 1500, chunk=1, pace="exact"), theirs.fileno()) as child:
        theirs.close()
        assert ours.recv(1, socket.MSG_PEEK) == b"x"
        assert read_all(ours.fileno()) == [b"x"] * 1500
        assert child.wait(30) == 0


def refused(mock: MockCommands, script: Script, stdout: Any) -> str:
    """Return what a mock says that exits with 98 at once."""
    with start_on(mock, script, stdout) as child:
        _, told = child.communicate(timeout=30)
    assert child.returncode == 98
    assert last(mock).ended == "unable"
    assert (last(mock).chunks, last(mock).exact) == ((), ())
    assert told.decode() == f"mock codex: {last(mock).message}\n"
    return last(mock).message


def test_what_has_no_boundaries_is_refused_with_the_reason_before_anything_is_written(
    mock: MockCommands, tmp_path: Path
) -> None:
    """Files, terminals, the null device, TCP, datagrams, packets: the reader would not see chunks, or prove none."""
    script = Script().write("x", pace="exact")
    needs = 'step[0]: pace = "exact" needs a pipe or a UNIX stream socket; stdout is '
    with (tmp_path / "out").open("wb") as file:
        assert refused(mock, script, file) == f"{needs}a file, where reads have no boundaries"
    assert (tmp_path / "out").read_bytes() == b""
    assert refused(mock, script, subprocess.DEVNULL) == f"{needs}/dev/null, where reads have no boundaries"
    terminal, inside = os.openpty()
    assert refused(mock, script, inside) == f"{needs}a terminal, where reads have no boundaries"
    os.close(inside)
    os.close(terminal)
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()) as tcp:
        assert refused(mock, script, tcp.fileno()) == f"{needs}a TCP socket, where nothing proves a read"
    for kind in (socket.SOCK_DGRAM, socket.SOCK_SEQPACKET):
        ours, theirs = socket.socketpair(socket.AF_UNIX, kind)
        with ours, theirs:
            assert "datagrams or packets" in refused(mock, script, theirs.fileno())


def test_a_chunk_that_cannot_be_one_read_is_refused_with_the_reason(
    mock: MockCommands, pair: tuple[socket.socket, socket.socket]
) -> None:
    """Larger than a message, or than a pipe may become: nothing of the step is written."""
    script = Script().repeat("x", 32_769, pace="exact")
    assert "a chunk of 32,769 bytes is more than one message on the UNIX socket stdout: 32,768" in refused(
        mock, script, pair[1].fileno()
    )
    with open("/proc/sys/fs/pipe-max-size") as limit:
        most = int(limit.read())
    if os.getuid():
        assert "cannot be made larger" in refused(mock, Script().repeat("x", most + 1, pace="exact"), subprocess.PIPE)


def test_the_largest_message_on_a_socket_is_one_read(
    mock: MockCommands, pair: tuple[socket.socket, socket.socket]
) -> None:
    """32,768 bytes, twice: the kernel keeps each in one piece."""
    ours, theirs = pair
    with start_on(mock, Script().repeat("x", 65_536, chunk=32_768, pace="exact"), theirs.fileno()):
        theirs.close()
        assert [len(one) for one in read_all(ours.fileno())] == [32_768, 32_768]


@pytest.mark.parametrize("kind", ["pipe", "unix socket"])
def test_a_chunk_that_nobody_takes_ends_at_its_deadline_and_says_which_it_was(
    mock: MockCommands, pair: tuple[socket.socket, socket.socket], kind: str
) -> None:
    """Exit 98, and a record of what was written."""
    script = Script().write("abc", chunk=1, pace="exact", deadline=0.05)
    with start_on(mock, script, subprocess.PIPE if kind == "pipe" else pair[1].fileno()) as child:
        _, told = child.communicate(timeout=30) if kind != "pipe" else (b"", child.stderr and child.stderr.read())
        assert child.wait(30) == 98
    at = 1 if kind == "pipe" else 3  # a socket takes them all, and is not empty at the end
    late = f"chunk {at} of 3 to stdout was not taken by the reader within 0.05 s"
    assert told == f"mock codex: step[0]: {late}\n".encode()
    assert last(mock).chunks == (1,) * at
    assert not last(mock).exact[0].complete or kind != "pipe"


@pytest.mark.parametrize("kind", ["pipe", "unix socket"])
def test_a_reader_that_leaves_is_noticed_at_once(
    mock: MockCommands, pair: tuple[socket.socket, socket.socket], kind: str
) -> None:
    """A pipe that nobody reads any more stays full, a socket is emptied by the kernel: both are a reader gone."""
    ours, theirs = pair
    script = Script().write("ab", chunk=1, pace="exact", deadline=600)
    with start_on(mock, script, subprocess.PIPE if kind == "pipe" else theirs.fileno()) as child:
        theirs.close()
        reader = child.stdout or ours
        wait_until(mock, lambda seen: len(seen.chunks) == (1 if kind == "pipe" else 2))  # what is there stays there
        reader.close()
        assert child.wait(30) == 96
    assert last(mock).ended == "reader-gone"


def test_a_mock_killed_in_an_exact_step_has_recorded_what_was_read(mock: MockCommands) -> None:
    """It waits for its reader, so the record is up to date: every chunk up to the one in the pipe."""
    with start(mock, Script().repeat("x", 1000, chunk=1, pace="exact")) as child:
        assert child.stdout is not None
        for _ in range(700):
            assert os.read(child.stdout.fileno(), 65536) == b"x"
        assert select.select([child.stdout], [], [], 30)[0]
        wait_until(mock, lambda seen: len(seen.chunks) >= 701)  # written down when the wait is long
        child.kill()
    seen = last(mock)
    assert (len(seen.chunks), seen.ended) == (701, "")
    assert [(one.chunks, one.planned, one.complete) for one in seen.exact] == [(701, 1000, False)]
