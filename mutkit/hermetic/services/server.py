"""Owns the HTTP server of a mock service: pytest-httpserver with connections and threads that are known, and answers
that are written byte for byte.
"""

from __future__ import annotations

import contextlib
import select
import socket
import threading
import time
import traceback
from typing import TYPE_CHECKING, Any

from pytest_httpserver import HTTPServer, RequestMatcher
from werkzeug.exceptions import HTTPException
from werkzeug.serving import ThreadedWSGIServer, WSGIRequestHandler
from werkzeug.wrappers import Response

from mutkit.hermetic.services.book import Decision
from mutkit.hermetic.services.delivery import Delivery, deliver, drop_unread, reset, wait_for_the_end
from mutkit.hermetic.services.record import Record, without_secrets
from mutkit.hermetic.services.routes import Incoming
from mutkit.model.service import Request

if TYPE_CHECKING:
    from collections.abc import Iterable

    from werkzeug.wrappers import Request as HttpRequest

    from mutkit.hermetic.services.book import Book

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


class _DeliveredError(ConnectionError):
    """Raised when an answer has been written to the connection: werkzeug then writes nothing more."""


class _Written(Response):
    """An answer that is written to the connection itself, past werkzeug's own writing."""

    def __init__(self, server: ServiceServer, place: int, delivery: Delivery) -> None:
        super().__init__()
        self._server, self._place, self._delivery = server, place, delivery

    def __call__(self, environ: Any, start_response: Any) -> Any:  # noqa: ARG002
        connection: socket.socket = environ["werkzeug.socket"]
        self._server.record.ended(self._place, self._write(connection))
        raise _DeliveredError

    def _write(self, connection: socket.socket) -> str:
        server, delivery = self._server, self._delivery
        try:
            for size in deliver(connection, delivery, server.stop_signal):
                server.record.sending(self._place, size)
        except OSError:
            return "client-gone"
        if delivery.end == "reset":
            reset(connection)
            return "reset"
        if delivery.end == "hang":
            return "service-ended" if wait_for_the_end(connection, server.stop_signal) else "client-gone"
        drop_unread(connection)
        return "sent"


class _Lines:
    """Reads lines of a stream and knows the last one."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self.last = b""

    def readline(self, limit: int) -> bytes:
        self.last = bytes(self._stream.readline(limit))
        return self.last


class _Handler(WSGIRequestHandler):
    """Serves one request a connection, says nothing on standard error, and tells of requests that are none."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Connections

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
        super().run_wsgi()
        self.close_connection = True

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        line = self.raw_requestline[:200].decode("latin-1").rstrip()
        self.server.service.malformed(line, message or "")
        super().send_error(code, message, explain)

    def log(self, type: str, message: str, *args: Any) -> None:  # noqa: A002
        pass


class _Connections(ThreadedWSGIServer):
    """Knows its connections and their threads, so that it can be ended without leaving any."""

    service: ServiceServer

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self.lock = threading.Lock()
        self.open: dict[socket.socket, threading.Thread] = {}

    def process_request(self, request: Any, client_address: Any) -> None:
        thread = threading.Thread(target=self.process_request_thread, args=(request, client_address), daemon=True)
        with self.lock:
            self.open[request] = thread
        thread.start()

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            with self.lock:
                self.open.pop(request, None)

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ARG002
        self.service.crashed(traceback.format_exc())

    def log(self, type: str, message: str, *args: Any) -> None:  # noqa: A002, ARG002
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


class _RouteMatcher(RequestMatcher):
    """Fits the request for which the book has chosen this route."""

    def __init__(self, server: ServiceServer, at: int) -> None:
        super().__init__("/")
        self._server, self._at = server, at

    def match(self, request: HttpRequest) -> bool:  # noqa: ARG002
        return self._server.chosen == self._at


class ServiceServer(HTTPServer):
    """The server of one mock service on a socket that listens already."""

    def __init__(self, book: Book, listening: socket.socket, named: Iterable[str]) -> None:
        """Take what the service answers, the socket (which is closed with the server), and the names of headers and
        query values that are recorded though they look like secrets.
        """
        host, port = listening.getsockname()[:2]
        super().__init__(host, port, threaded=True)
        self._incoming = Incoming("", "")
        self.record = Record()
        self.stop_signal = Stop()
        self.chosen: int | None = None
        self.troubles: list[str] = []
        self.failures: list[str] = []
        self._book = book
        self._named = frozenset(name.lower() for name in named)
        self._deciding = threading.Lock()
        self._listening = listening
        book.url = f"http://{self.format_host(host)}:{port}"
        for at in range(len(book.routes)):
            self.expect_request(str(at)).respond_with_handler(self._respond_by(at))

    def create_matcher(self, *words: Any, **_: Any) -> RequestMatcher:
        """Return the matcher of the route whose place stands for the path."""
        return _RouteMatcher(self, int(words[0]))

    def start(self) -> None:
        """Serve in a thread of its own."""
        server = _Connections(self.host, self.port, self._app(), _Handler, fd=self._listening.fileno())
        server.service = self
        server.timeout = 0
        self._listening.close()  # the server has a duplicate
        self.server = server
        self.server_thread = threading.Thread(target=self.thread_target, name="mutkit mock service", daemon=True)
        self.server_thread.start()

    def _app(self) -> Any:
        from werkzeug.wrappers import Request as Wrapped

        return Wrapped.application(self.application)

    def thread_target(self) -> None:
        """Serve until the end is said; then what clients have sent already, so that a count is complete."""
        assert self.server is not None
        poll = select.poll()
        poll.register(self.server.fileno(), select.POLLIN)
        poll.register(self.stop_signal.fileno(), select.POLLIN)
        while not self.stop_signal.wait(0):
            poll.poll()
            self._accept()
        while select.select([self.server], [], [], 0)[0]:
            self._accept()

    def _accept(self) -> None:
        assert self.server is not None
        if select.select([self.server], [], [], 0)[0]:
            self.server.handle_request()

    def stop(self) -> None:
        """End the server, its connections and all its threads."""
        server, thread = self.server, self.server_thread
        if server is None or thread is None:
            return
        assert isinstance(server, _Connections)
        self.stop_signal.set()
        thread.join()
        server.end()
        server.server_close()
        self.stop_signal.close()
        self.server = self.server_thread = None

    def application(self, request: HttpRequest) -> Any:
        """Record a request, decide what it is answered, and return that; one request at a time."""
        query, headers = tuple(request.args.items(multi=True)), tuple(request.headers.items())
        try:
            incoming = Incoming(request.method, request.path, query, headers, request.get_data())
        except (HTTPException, OSError):  # the client went away before its body was complete
            self.note_incomplete(Incoming(request.method, request.path, query, headers), "body")
            raise _DeliveredError from None
        with self._deciding:
            self._incoming = incoming
            self.chosen = self._book.route_for(incoming)
            try:
                return self.dispatch(request)
            except Exception:  # noqa: BLE001 - whatever it is, it must not look like an answer of the script
                self.crashed(traceback.format_exc())
                return Response("the mock service itself failed\n", 500)

    def respond_nohandler(self, request: HttpRequest, extra_message: str = "") -> Response:  # noqa: ARG002
        """Answer a request for which no route is meant."""
        decision = self._book.unexpected(self._incoming)
        return self._noted(decision)

    def _respond_by(self, at: int) -> Any:
        def respond(_: HttpRequest) -> Response:
            return self._noted(self._book.decide(at, self._incoming, self.record.count + 1))

        return respond

    def note_incomplete(self, incoming: Incoming, part: str) -> None:
        """Record a request of which the client sent only a part: its head or its body is not whole."""
        with self._deciding:
            self._incoming = incoming
            nothing = Decision(Delivery((), f"the {part} did not come to its end", None), "(incomplete request)")
            self.record.ended(self._add(nothing), "client-gone")

    def _noted(self, decision: Decision) -> Response:
        """Record a request with what it is answered; it is on record before a byte of the answer is sent."""
        if decision.unexpected:
            self.troubles.append(f"request {self.record.count + 1}: {decision.unexpected}")
        return _Written(self, self._add(decision), decision.delivery)

    def _add(self, decision: Decision) -> int:
        incoming = self._incoming
        request = Request(
            self.record.count + 1,
            incoming.method,
            incoming.path,
            without_secrets(incoming.query, self._named),
            without_secrets(incoming.headers, self._named),
            incoming.body,
            decision.route,
            decision.operation,
            decision.effect,
            decision.resource,
            decision.compare,
            decision.delivery.status,
            decision.delivery.shown,
            at=self.record.now(),
        )
        return self.record.add(request)

    def malformed(self, line: str, message: str) -> None:
        """Record that what a client sent is no HTTP request."""
        with self._deciding:
            number = self.record.count + 1
            self.troubles.append(f"request {number}: {line!r} is no HTTP request: {message}")
            at = self.record.now()
            self.record.add(Request(number, "", "", answer="400", status=400, ended="sent", at=at, until=at))

    def crashed(self, message: str) -> None:
        """Keep an error of the service itself, to be raised when it is checked."""
        self.failures.append(f"the mock service itself failed: {message}")
