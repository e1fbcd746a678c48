"""Owns exact read boundaries: what is written as one chunk is what one read gets, held by the kernel and proved.

Part of the child, imported only where a script asks for it. Two ways, by what the reader's end is:

- a pipe is written only when it is seen to be empty (FIONREAD takes the lock under which a read runs, and so does the
  write), so that a read finds one chunk at most. Shrunk to what the largest chunk takes, one page if it can be, the
  pipe is full with one chunk in it, and poll() sleeps until it is taken.
- on a UNIX stream socket each chunk is a message with a descriptor, and a read ends behind such a message.
"""

from __future__ import annotations

import errno
import fcntl
import posix
import select
import sys
import termios
import time

from .streams import NAMES, UnableError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .record import Record

_F_SETPIPE_SZ, _F_GETPIPE_SZ, _O_DIRECT = 1031, 1032, getattr(posix, "O_DIRECT", 0)
_YIELDS = 50  # looks between which others are just let run
_PATIENCE = 0.005  # seconds: a longer wait is worth bringing the record up to date
_NAP, _LONGEST_NAP = 0.00002, 0.002  # seconds between two looks where no event tells
_MESSAGE = 32768
"""Bytes that are one message on a UNIX socket, whatever the size of a page: the kernel cuts larger writes, and only the
first piece carries the descriptor (measured: 36,544 with pages of 4,096).
"""


def sizes_of(length: int, chunk: int, cut_at: list[int]) -> tuple[int, int]:
    """Return how many chunks ``pieces`` makes of so many bytes, and the size of the largest."""
    if chunk:
        return -(-length // chunk), min(chunk, length)
    stops = [0, *(stop for stop in sorted(set(cut_at)) if 0 < stop < length), length]
    sizes = [stops[at + 1] - stops[at] for at in range(len(stops) - 1)]
    return (len(sizes) if length else 0), max(sizes)


class _Waiting:
    """What both kinds have in common: counts, and waiting with a deadline."""

    mode = ""

    def __init__(self, fd: int, record: Record) -> None:
        """Take the descriptor and the open record, which is brought up to date before a long wait."""
        self.fd = fd
        self._record = record
        self._poll = select.poll()
        self._poll.register(fd, select.POLLOUT)
        self.chunks = self.proofs = self._count = 0
        self._deadline = 30.0

    def _begin(self, count: int, deadline: float) -> None:
        self._count, self._deadline = count, deadline
        self.chunks = self.proofs = 0

    def _ready(self, since: float) -> int:
        """Return the events that poll() saw, waiting up to the deadline; 0 is the deadline."""
        for seconds in (_PATIENCE, min(self._left(since), _LOOK)):
            found = self._poll.poll(max(0.0, seconds) * 1000)
            if found:
                return found[0][1]
            self._record.flush()
        return 0

    def _left(self, since: float) -> float:
        return since + self._deadline - time.monotonic()

    def _waiting(self, request: int) -> int:
        return int.from_bytes(fcntl.ioctl(self.fd, request, b"\0\0\0\0"), sys.byteorder)

    def _late(self) -> UnableError:
        chunk = f"chunk {self.chunks} of {self._count} to" if self.chunks else "what was before the first chunk in"
        return UnableError(f"{chunk} {NAMES[self.fd]} was not taken by the reader within {self._deadline:g} s")


class Pipe(_Waiting):
    """A pipe that is seen to be empty before each chunk and after the last."""

    def begin(self, count: int, largest: int, deadline: float) -> None:
        """Make the pipe as small as ``largest`` bytes allow; UnableError where they do not fit into it."""
        self._begin(count, deadline)
        page = posix.sysconf("SC_PAGESIZE")
        self._size = fcntl.fcntl(self.fd, _F_GETPIPE_SZ)
        self._restore_to = self._size
        self.mode = "one-page pipe" if largest <= page else "drained pipe"
        if largest > page and fcntl.fcntl(self.fd, fcntl.F_GETFL) & _O_DIRECT:
            raise UnableError(f"{NAMES[self.fd]} is a pipe of packets, which cuts chunks of more than {page:,} bytes")
        self._wanted = page
        while self._wanted < largest:
            self._wanted *= 2
        if self._wanted > self._size:
            self._grow(largest)

    def _grow(self, largest: int) -> None:
        try:
            self._size = fcntl.fcntl(self.fd, _F_SETPIPE_SZ, self._wanted)
        except OSError as error:
            raise UnableError(
                f"a chunk of {largest:,} bytes does not fit into the pipe of {self._size:,}, which cannot be made "
                f"larger ({error.strerror}); /proc/sys/fs/pipe-max-size has the limit"
            ) from error

    def write(self, chunk: bytes) -> None:
        """Wait until the pipe is empty, then write one chunk."""
        self._wait()
        if self._size > self._wanted:
            try:
                self._size = fcntl.fcntl(self.fd, _F_SETPIPE_SZ, self._wanted)
            except OSError:  # it stays as large as it is, and is looked at instead
                self._size = self._wanted
        self._record.hold()
        try:
            written = posix.write(self.fd, chunk)
            self._record.wrote(self.fd, written)
        finally:
            self._record.release()
        self.chunks += 1
        if written != len(chunk):
            raise UnableError(
                f"chunk {self.chunks} of {self._count} to {NAMES[self.fd]} was cut: someone else writes there"
            )

    def end(self) -> None:
        """Wait until the last chunk is taken, and give the pipe its size back."""
        self._wait()
        self.restore()

    def restore(self) -> None:
        """Give the pipe its size back, where the kernel lets us."""
        try:
            if fcntl.fcntl(self.fd, _F_GETPIPE_SZ) != self._restore_to:
                fcntl.fcntl(self.fd, _F_SETPIPE_SZ, self._restore_to)
        except OSError:
            pass

    def _wait(self) -> None:
        """Return when the pipe is seen to be empty; BrokenPipeError where nobody is left to empty it."""
        since, looks = time.monotonic(), 0
        while True:
            events = self._ready(since)
            if not self._waiting(termios.FIONREAD):
                self.proofs += 1
                return
            if events & select.POLLERR:
                raise BrokenPipeError(errno.EPIPE, "the reader has closed the pipe with data in it")
            if self._left(since) <= 0:
                raise self._late()
            looks = _sleep(looks)


class Socket(_Waiting):
    """A UNIX stream socket on which each chunk is a message with a descriptor."""

    mode = "descriptor per chunk"

    def __init__(self, fd: int, record: Record) -> None:
        """Take the descriptor and the open record; UnableError where it is no UNIX stream socket."""
        import _socket

        super().__init__(fd, record)
        self._socket = _socket.socket(fileno=posix.dup(fd))  # it closes what it is given
        family, kind = self._option(_socket.SO_DOMAIN), self._option(_socket.SO_TYPE)
        if family != _socket.AF_UNIX or kind != _socket.SOCK_STREAM:
            what = {_socket.AF_INET: "a TCP", _socket.AF_INET6: "a TCP"}.get(family, "a network")
            what = "a UNIX socket of datagrams or packets" if family == _socket.AF_UNIX else f"{what} socket"
            raise UnableError(
                f'pace = "exact" needs a pipe or a UNIX stream socket; {NAMES[fd]} is {what}, '
                "where nothing proves a read"
            )
        self._limit = min(_MESSAGE, self._option(_socket.SO_SNDBUF) // 2 - 64)  # what the kernel puts into one message
        self._flags = _socket.MSG_DONTWAIT | _socket.MSG_NOSIGNAL
        sent = posix.open("/dev/null", posix.O_RDONLY | posix.O_CLOEXEC)
        self._ancillary = [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, sent.to_bytes(4, sys.byteorder))]

    def _option(self, name: int) -> int:
        import _socket

        return self._socket.getsockopt(_socket.SOL_SOCKET, name)

    def begin(self, count: int, largest: int, deadline: float) -> None:
        """Refuse, as UnableError, chunks that the kernel would cut."""
        self._begin(count, deadline)
        if largest > self._limit:
            raise UnableError(
                f"a chunk of {largest:,} bytes is more than one message on the UNIX socket {NAMES[self.fd]}: "
                f"{self._limit:,} bytes at most"
            )

    def write(self, chunk: bytes) -> None:
        """Send one chunk as a message of its own."""
        since, looks = time.monotonic(), 0
        while True:
            self._record.hold()
            try:
                sent = self._socket.sendmsg([chunk], self._ancillary, self._flags)
                self._record.wrote(self.fd, sent)
                break
            except BlockingIOError:
                crowded = False
            except OSError as error:
                if error.errno == errno.ECONNRESET:
                    raise BrokenPipeError(errno.EPIPE, "the reader has closed the socket") from error
                if error.errno != errno.ETOOMANYREFS:  # too many descriptors on their way: the reader must take some
                    raise
                crowded = True
            finally:
                self._record.release()
            if crowded:
                looks = _sleep(looks)
            else:
                self._ready(since)
            if self._left(since) <= 0:
                raise self._late()
        self.chunks += 1
        if sent != len(chunk):
            raise UnableError(f"chunk {self.chunks} of {self._count} to {NAMES[self.fd]} was cut by the kernel")
        self.proofs += 1

    def write_marked(self, data: bytes) -> None:
        """Write plainly, but so that no read goes on from here into the first chunk of an exact step."""
        self._begin(0, _FOR_EVER)
        for start in range(0, len(data), self._limit):
            self.write(data[start : start + self._limit])

    def end(self) -> None:
        """Wait until the reader has taken everything."""
        self.drain(self._deadline)

    def drain(self, deadline: float) -> None:
        """Wait until the reader has taken everything; BrokenPipeError where it left without."""
        import _socket

        self._deadline = deadline
        since, looks = time.monotonic(), 0
        while self._waiting(termios.TIOCOUTQ):
            if self._left(since) <= 0:
                raise self._late()
            if _nap(looks) > _PATIENCE / 4:
                self._record.flush()
            looks = _sleep(looks)
        if self._option(_socket.SO_ERROR) == errno.ECONNRESET:  # closed with data in it, which is why nothing is left
            raise BrokenPipeError(errno.EPIPE, "the reader has closed the socket with data in it")


_LOOK = 3600.0  # seconds: poll() takes no more than some days
_FOR_EVER = 10.0**9  # seconds: a plain write waits as long as the reader lives


def _sleep(looks: int) -> int:
    """Wait after so many looks in vain, at first just by letting others run; return how many looks there will be."""
    time.sleep(_nap(looks))
    return looks + 1


def _nap(looks: int) -> float:
    """Return how long to sleep after so many looks: a reader that is awake takes the chunk sooner than any timer."""
    return 0.0 if looks < _YIELDS else min(_NAP * 1.5 ** min(looks - _YIELDS, 20), _LONGEST_NAP)
