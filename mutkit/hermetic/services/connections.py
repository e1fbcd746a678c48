"""Owns the connections of a mock service: each is known, served once by its own thread, ended with the service."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
import traceback
from typing import TYPE_CHECKING, Any

from werkzeug.serving import ThreadedWSGIServer, WSGIRequestHandler

from mutkit.hermetic.services.routes import Incoming

if TYPE_CHECKING:
    from mutkit.hermetic.services.server import ServiceServer

GRACE = 2.0
"""Seconds that answers under way have to be sent, once the service ends, before their connections are closed."""


class Stop:
    """That the service ends: an event with a descriptor that can be waited for beside connections."""

    def __init__(self) -> None:
        """Make the descriptors; ``close`` gives them back."""
        self._event = threading.Event()
        self._read, self._write = socket.socketpair()

    def set(self) -> None:
        """Say that the service ends."""
        self._event.set()
        self._write.send(b"x")  # never read, so that it stays readable for all

    def wait(self, seconds: float) -> bool:
        """Wait so long at most; return whether the service ends."""
        return self._event.wait(seconds)

    def fileno(self) -> int:
        """Return the descriptor that is readable once the service ends."""
        return self._read.fileno()

    def close(self) -> None:
        """Give the descriptors back."""
        self._read.close()
        self._write.close()


class _Lines:
    """Reads lines of a stream and knows the last one."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self.last = b""

    def readline(self, limit: int) -> bytes:
        self.last = bytes(self._stream.readline(limit))
        return self.last


class Handler(WSGIRequestHandler):
    """Serves one request a connection, says nothing on standard error, and tells of requests that are none."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: Connections

    def parse_request(self) -> bool:
        """Read the head of a request. At the end of a connection http.server takes what there is for a whole head: a
        client that died in it would then be served.
        """
        lines = _Lines(self.rfile)
        if self.raw_requestline.endswith(b"\n"):
            self.rfile, rfile = lines, self.rfile  # type: ignore[assignment]
            try:
                if not super().parse_request():
                    return False
            finally:
                self.rfile = rfile
            if lines.last in (b"\r\n", b"\n"):
                return True
        self.close_connection = True
        self.server.service.note_incomplete(Incoming("", ""), "head")
        return False

    def run_wsgi(self) -> None:
        """Serve the request; it is the last of its connection."""
        super().run_wsgi()
        self.close_connection = True

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Answer what is no request, and record it."""
        line = self.raw_requestline[:200].decode("latin-1").rstrip()
        self.server.service.malformed(line, message or "")
        super().send_error(code, message, explain)

    def log(self, type: str, message: str, *args: Any) -> None:  # noqa: A002
        """Say nothing on standard error."""


class Connections(ThreadedWSGIServer):
    """Knows its connections and their threads, so that it can be ended without leaving any."""

    service: ServiceServer

    def __init__(self, *args: Any, **more: Any) -> None:
        """Take what werkzeug's server takes."""
        super().__init__(*args, **more)
        self.lock = threading.Lock()
        self.open: dict[socket.socket, threading.Thread] = {}

    def process_request(self, request: Any, client_address: Any) -> None:
        """Serve a connection in a thread of its own; it is known before the next one is accepted."""
        thread = threading.Thread(target=self.process_request_thread, args=(request, client_address), daemon=True)
        with self.lock:
            self.open[request] = thread
        thread.start()

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Serve a connection to its end."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            with self.lock:
                self.open.pop(request, None)

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ARG002
        """Keep an error of the service itself."""
        self.service.crashed(traceback.format_exc())

    def log(self, type: str, message: str, *args: Any) -> None:  # noqa: A002, ARG002
        """Keep what werkzeug says: it speaks of errors of the service alone."""
        self.service.crashed(message)

    def shut(self, how: int) -> list[threading.Thread]:
        """Shut all open connections down in one or both directions; return their threads."""
        with self.lock:
            for connection in self.open:
                with contextlib.suppress(OSError):
                    connection.shutdown(how)
            return list(self.open.values())

    def end(self) -> None:
        """Let all answers under way end: what has arrived is answered, nothing more is waited for."""
        threads = self.shut(socket.SHUT_RD)
        until = time.monotonic() + GRACE
        for thread in threads:
            thread.join(max(0.0, until - time.monotonic()))
        for thread in self.shut(socket.SHUT_RDWR):
            thread.join()
