"""Owns the end of one program and of all its descendants, as a process of its own.

Uses nothing but the standard library. Started as ``python -I -S supervisor.py <descriptor> <namespace>...``; the
descriptor is one end of a socket, the others are namespaces to be joined, in this order. What comes in: the
length of the job in eight bytes, the job (argv, cwd, env; bytes, marshalled), later perhaps one byte, ``stop``.
What goes out, a line each::

    started <pid>
    refused <errno> <the system's message>     the program could not be started
    unable <the system's message>              nothing could: a namespace cannot be joined
    exited <code> | signalled <number>         the program itself has ended
    done <leftovers>                           nothing of it is alive any more

The end of input on the socket means that whoever asked has vanished, and is treated like ``stop``.

On Linux the supervisor is the *subreaper* of all its descendants: one whose parent ends becomes the
supervisor's child, also in another session, so that waiting for children until there are none proves that
nothing is left. Elsewhere only the program's own process group can be ended; a descendant that leaves it gets
away.
"""

from __future__ import annotations

# The interpreter's start is most of what containment costs: `signal`, `contextlib` and `ctypes`, with the enums and
# collections that they bring along, would nearly double it. So the C modules that they wrap are used.
import _signal as signal  # type: ignore[import-not-found]
import marshal
import os
import select
import sys
import time

GRACE = 0.5
"""Seconds between SIGTERM and SIGKILL."""
SETTLE = 0.25
"""Seconds that descendants have to end by themselves after the program, before they count as leftovers."""
LIMIT = 5.0
"""Seconds of SIGKILL after which a process that does not die (another user's, or stuck) is given up."""
TICK = 0.02
"""Seconds between two looks at the descendants while they are being ended."""

LINUX = sys.platform == "linux"
PR_SET_CHILD_SUBREAPER = 36

Job = tuple[list[bytes], bytes, dict[bytes, bytes]]
"""What is to be started: argv, working directory, environment."""


def descendants(root: int) -> dict[int, str]:
    """Return the process ids of all descendants of ``root``, each with its state (``Z`` is a dead one)."""
    if not LINUX:
        return {}
    children: dict[int, list[tuple[int, str]]] = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            state, parent = _state_and_parent(name)
            children.setdefault(parent, []).append((int(name), state))
    found: dict[int, str] = {}
    waiting = [root]
    while waiting:
        for pid, state in children.get(waiting.pop(), ()):
            if pid not in found:
                found[pid] = state
                waiting.append(pid)
    return found


def _state_and_parent(pid: str) -> tuple[str, int]:
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            # The name of the program stands in parentheses and may hold anything, parentheses too.
            state, parent = file.read().rpartition(b") ")[2].split(None, 2)[:2]
    except (OSError, ValueError):
        return "?", -1
    return state.decode(), int(parent)


class Supervisor:
    """One program, from its start until nothing of it is left."""

    def __init__(self, link: int, namespaces: tuple[int, ...] = ()) -> None:
        """Take the descriptors of the socket to whoever asked, and of the namespaces that are to be joined."""
        self.link = link
        self.namespaces = namespaces
        self.main = 0
        self.main_status: int | None = None
        self.stopping = False
        self.any_left = True
        self.leftovers: set[int] = set()
        self.poll = select.poll()

    def run(self) -> None:
        """Start the program that the job describes, wait for its end, end the rest."""
        job = self._receive_job()
        if job is None:
            return
        if self.stopping:
            self._send("done 0")
            return
        self._listen()
        become_subreaper()
        try:
            join_all(self.namespaces)
        except OSError as error:
            self._release_streams()
            self._send(f"unable {error.strerror}")
            self._send("done 0")
            return
        try:
            self.main = start(*job)
        except OSError as error:
            self._send(f"refused {error.errno} {error.strerror}: {os.fsdecode(error.filename or b'')}")
            self._send("done 0")
            return
        finally:
            self._release_streams()
        self._send(f"started {self.main}")
        while self.main_status is None and not self.stopping:
            self._wait(None)
        self._end_all()

    def _receive_job(self) -> Job | None:
        received = b""
        while len(received) < 8 or len(received) < (size := 8 + int.from_bytes(received[:8], "big")):
            piece = os.read(self.link, 1 << 20)
            if not piece:
                return None
            received += piece
        # Whoever changes their mind at once says so in the same breath.
        self.stopping = len(received) > size
        job: Job = marshal.loads(received[8:])  # noqa: S302 -- it comes from our parent
        return job

    def _listen(self) -> None:
        os.set_inheritable(self.link, False)
        self.wake, bell = os.pipe()
        os.set_blocking(self.wake, False)
        os.set_blocking(bell, False)
        signal.set_wakeup_fd(bell, warn_on_full_buffer=False)
        # For the program too, which inherits it.
        signal.pthread_sigmask(signal.SIG_SETMASK, ())
        signal.signal(signal.SIGCHLD, lambda *_: None)
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, self._on_stop_signal)
        self.poll.register(self.link, select.POLLIN)
        self.poll.register(self.wake, select.POLLIN)

    def _on_stop_signal(self, *_: object) -> None:
        self.stopping = True

    def _release_streams(self) -> None:
        # The program's own copies are the only ones that count: its end of output must be seen as such.
        null = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1, 2):
            os.dup2(null, descriptor)
        os.chdir("/")

    def _send(self, line: str) -> None:
        # BrokenPipeError: nobody is there any more; the next poll sees it and stops.
        try:  # noqa: SIM105 -- contextlib is slow to import
            os.write(self.link, line.encode("utf-8", "surrogateescape").replace(b"\n", b" ") + b"\n")
        except BrokenPipeError:
            pass

    def _wait(self, timeout: float | None) -> None:
        """Wait up to ``timeout`` seconds for a death, a word on the link or a signal, and take note of it."""
        for descriptor, _ in self.poll.poll(None if timeout is None else max(0, int(timeout * 1000))):
            if descriptor == self.wake:
                os.read(self.wake, 4096)
            else:
                self.stopping = True
                self.poll.unregister(self.link)
        self._reap()

    def _reap(self) -> None:
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                self.any_left = False
                return
            if pid == 0:
                return
            if pid == self.main:
                self.main_status = status
                number = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
                self._send(f"signalled {number}" if number else f"exited {os.WEXITSTATUS(status)}")

    def _end_all(self) -> None:
        if self.main_status is not None:
            self._wait_while_any(SETTLE)
        self._signal_all_while_any(signal.SIGTERM, GRACE)
        self._signal_all_while_any(signal.SIGKILL, LIMIT)
        self._send(f"done {len(self.leftovers)}")

    def _alive(self) -> list[int]:
        found = descendants(os.getpid())
        self.leftovers.update(pid for pid, state in found.items() if pid != self.main and state != "Z")
        return list(found) if LINUX else [self.main]

    def _wait_while_any(self, seconds: float) -> None:
        limit = time.monotonic() + seconds
        self._reap()
        while self.any_left and (left := limit - time.monotonic()) > 0:
            self._wait(min(left, TICK))

    def _signal_all_while_any(self, number: int, seconds: float) -> None:
        """Send a signal to all descendants, new ones too, until none is left or ``seconds`` have passed."""
        limit = time.monotonic() + seconds
        told: set[int] = set()
        while self.any_left and time.monotonic() < limit:
            fresh = [pid for pid in self._alive() if pid not in told]
            for pid in fresh:
                tell(pid, number)
            if not LINUX:
                tell(-self.main, number)
            if number != signal.SIGKILL:
                told.update(fresh)
            self._wait_while_any(min(TICK, limit - time.monotonic()))


def tell(pid: int, number: int) -> None:
    """Send a signal to a process that may be gone, stopped, or another user's; negative ``pid``: a group."""
    try:
        os.kill(pid, number)
        # A stopped process acts on a signal only when it goes on.
        os.kill(pid, signal.SIGCONT)
    except (ProcessLookupError, PermissionError):
        pass


def become_subreaper() -> None:
    """Make this process the parent of every descendant whose own parent ends; does nothing off Linux."""
    if LINUX:
        try:
            import _ctypes

            prctl = _ctypes.dlsym(_ctypes.dlopen(None, 0), "prctl")  # type: ignore[arg-type]
            _ctypes.call_function(prctl, (PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0))
        except (ImportError, AttributeError):
            import ctypes

            ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def join_all(namespaces: tuple[int, ...]) -> None:
    """Move this process, and so the program, into some namespaces, and close them; OSError if refused."""
    if namespaces:
        sys.path.insert(0, os.path.dirname(__file__))
        from namespaces import join  # type: ignore[import-not-found]

        for descriptor in namespaces:
            join(descriptor)
            os.close(descriptor)


def start(argv: list[bytes], cwd: bytes, env: dict[bytes, bytes]) -> int:
    """Start the program in a process group of its own and return its process id; OSError if refused.

    It shares our session, by which it can be found even if it kills us before we can say a word about it.
    """
    os.chdir(cwd)
    refusal: OSError | None = None
    every_signal = [n for n in signal.valid_signals() if n not in (signal.SIGKILL, signal.SIGSTOP)]
    for path in candidates(argv[0], env):
        try:
            return os.posix_spawn(path, argv, env, setpgroup=0, setsigdef=every_signal)
        except OSError as error:
            # As execvp: go on along PATH, but "permission denied" says more than "not found" at its end.
            if not isinstance(error, (FileNotFoundError, NotADirectoryError, PermissionError)):
                raise
            if refusal is None or isinstance(error, PermissionError):
                refusal = error
    if refusal is None or not isinstance(refusal, PermissionError):
        raise FileNotFoundError(2, os.strerror(2), argv[0])
    raise refusal


def candidates(name: bytes, env: dict[bytes, bytes]) -> list[bytes]:
    """Return the paths at which a program may be: ``name`` if it has a slash, else along PATH of ``env``."""
    if b"/" in name or not name:
        return [name]
    folders = env.get(b"PATH", os.fsencode(os.defpath)).split(b":")
    return [(folder or b".") + b"/" + name for folder in folders]


if __name__ == "__main__":
    Supervisor(int(sys.argv[1]), tuple(int(word) for word in sys.argv[2:])).run()
