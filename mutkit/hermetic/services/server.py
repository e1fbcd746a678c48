"""Owns the HTTP server of a mock service: pytest-httpserver with connections and threads that are known, and answers
that are written byte for byte.
"""

from __future__ import annotations

import select
import socket
import threading
import traceback
from typing import TYPE_CHECKING, Any

from pytest_httpserver import HTTPServer, RequestMatcher
from werkzeug.exceptions import HTTPException
from werkzeug.wrappers import Response

from mutkit.hermetic.services.book import Decision
from mutkit.hermetic.services.connections import Connections, Handler, Stop
from mutkit.hermetic.services.delivery import Delivery, deliver, drop_unread, reset, wait_for_the_end
from mutkit.hermetic.services.record import Record, without_secrets
from mutkit.hermetic.services.routes import Incoming
from mutkit.model.service import Request

if TYPE_CHECKING:
    from collections.abc import Iterable

    from werkzeug.wrappers import Request as HttpRequest

    from mutkit.hermetic.services.book import Book


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
        server = Connections(self.host, self.port, self._app(), Handler, fd=self._listening.fileno())
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
        assert isinstance(server, Connections)
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
