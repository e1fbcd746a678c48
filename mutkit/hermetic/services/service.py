"""Owns a running mock service: its URL, its counter, what it saw, and assertions that show what they found."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

from mutkit.errors import HostError
from mutkit.hermetic.services.asking import listing, nearest
from mutkit.hermetic.services.book import Book
from mutkit.hermetic.services.model_turns import ModelTurns
from mutkit.hermetic.services.script import ServiceScript
from mutkit.model.matcher import UNSET, Json

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from types import TracebackType

    from mutkit.hermetic.services.server import ServiceServer
    from mutkit.model.service import Operation, Request


class MockService:
    """A mock HTTP service on loopback; as a context it serves until it is left.

    When the context is left without an exception, ``check`` is called: a request that no route expects fails there,
    unless ``check`` has raised for it before.
    """

    def __init__(
        self, script: ServiceScript | Path, *, listening: socket.socket | Callable[[], socket.socket] | None = None
    ) -> None:
        """Take a script, or the TOML file that holds one; ``listening`` is a socket that listens (in another network
        namespace, say) and is closed with the service, or a function that makes one at the start, such as
        ``Network.listen``. SpecError holds all that is wrong with the script; the socket is then still the caller's.
        """
        read = script if isinstance(script, ServiceScript) else ServiceScript.from_toml(script)
        self.script = read.ready()
        self._given = listening
        self._server: ServiceServer | None = None
        self._extra = ModelTurns(self.script.turn) if self.script.turn else None
        self._book = Book(self.script.route, extra=self._extra)

    def start(self) -> MockService:
        """Serve, until ``stop``."""
        from mutkit.hermetic.services.server import ServiceServer  # late: it costs 100 ms

        given = self._given if self._given is not None else loopback
        self._server = ServiceServer(self._book, given() if callable(given) else given, self.script.recorded)
        self._server.start()
        return self

    def stop(self) -> None:
        """End the service, its connections and its threads; what it saw remains. Clients that wait see the end."""
        if self._server is not None:
            self._server.stop()

    def __enter__(self) -> MockService:  # noqa: PYI034 - typing.Self came with 3.11
        """Serve; return itself."""
        return self.start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End the service and, where nothing was raised, check it."""
        self.stop()
        if kind is None:
            self.check()

    def _running(self) -> ServiceServer:
        if self._server is None:
            raise RuntimeError("the mock service was not started: use it as a context")
        return self._server

    @property
    def url(self) -> str:
        """Return ``http://127.0.0.1:PORT``."""
        self._running()
        return self._book.url

    @property
    def requests(self) -> tuple[Request, ...]:
        """Return all requests so far, in the order in which they came."""
        return self._running().record.all()

    @property
    def mutations(self) -> int:
        """Return how often an effect took place."""
        self._running()
        return self._book.mutations

    @property
    def operations(self) -> dict[str, Operation]:
        """Return the operations by name: how often each was delivered, and how often it took effect."""
        return dict(self._book.operations)

    @property
    def unexpected(self) -> tuple[Request, ...]:
        """Return the requests for which there was no route, and those that were no HTTP."""
        return tuple(request for request in self.requests if not request.route)

    @property
    def failures(self) -> tuple[str, ...]:
        """Return the errors of the service itself, as text; there are none unless it has a bug."""
        return tuple(self._running().failures)

    def check(self) -> None:
        """Raise AssertionError for each unexpected request since the last check, and for errors of the service."""
        server = self._running()
        troubles, server.troubles = server.troubles, []
        if troubles or server.failures:
            raise AssertionError("\n".join([*troubles, *server.failures]))

    def wait_for(self, holds: Callable[[tuple[Request, ...]], bool], seconds: float = 10.0) -> tuple[Request, ...]:
        """Return the requests as soon as ``holds`` of them; AssertionError after ``seconds``."""
        if not self._running().record.wait(holds, seconds):
            raise AssertionError(f"that did not hold within {seconds} s of\n{listing(self.requests)}")
        return self.requests

    def wait_for_requests(self, count: int, seconds: float = 10.0) -> tuple[Request, ...]:
        """Return the requests as soon as there are ``count``."""
        return self.wait_for(lambda requests: len(requests) >= count, seconds)

    def assert_mutations(self, count: int) -> None:
        """Raise AssertionError, with all requests, unless exactly so many effects took place."""
        found = self.mutations
        if found != count:
            raise AssertionError(f"{found} mutations, not {count}:\n{listing(self.requests)}")

    def assert_requested(
        self, method: str, path: str, *, count: int | None = None, json: Json = UNSET, body: bytes | None = None
    ) -> tuple[Request, ...]:
        """Return the requests with this method, path, JSON (which the body must contain) and body.

        AssertionError, with the nearest request and what differs, unless there is one, or exactly ``count``.
        """
        requests = self.requests
        found = tuple(one for one in requests if not nearest([one], method, path, json, body))
        if len(found) == count or (count is None and found):
            return found
        wanted = "one at least" if count is None else str(count)
        lines = [f"{method} {path} was requested {len(found)} times, not {wanted}"]
        lines += [] if found else [nearest(requests, method, path, json, body) or "no request came at all"]
        raise AssertionError("\n".join([*lines, listing(requests)]))


def loopback() -> socket.socket:
    """Return a socket that listens on a free port of 127.0.0.1; HostError where there is none."""
    listening = socket.socket()
    try:
        listening.bind(("127.0.0.1", 0))
        listening.listen(128)
    except OSError as error:
        listening.close()
        raise HostError(f"nothing can listen on loopback: {error.strerror}") from error
    return listening
