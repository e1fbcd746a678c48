"""Owns mock services as their authors write them: what an HTTP service answers, what counts as a write, how it fails;
and what it recorded.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from mutkit.model.matcher import CLOSED, UNSET, Json, Matcher


@dataclass(frozen=True)
class Wanted:
    """Which requests a route answers; all that is given must hold.

    ``method`` ("*": any); ``path`` in which ``*`` is any run of characters and ``{name}`` one segment that templates
    may use; ``query`` and ``headers`` what single values look like; ``json`` what the JSON of the body must contain;
    ``body`` what the body as text looks like; ``nth`` = 2 only the second request that fits all else (0: each).
    """

    __pydantic_config__: ClassVar[dict[str, Any]] = CLOSED

    method: str = "*"
    path: str = "*"
    query: dict[str, str | Matcher] = field(default_factory=dict)
    headers: dict[str, str | Matcher] = field(default_factory=dict)
    json: Json = UNSET
    body: str | Matcher | None = None
    nth: int = 0


@dataclass(frozen=True)
class Answer:
    """What is answered: ``status``, ``headers``, and at most one of ``text``, ``json``, ``base64`` and ``file`` (beside
    the script). Texts, also those in ``json``, may hold templates such as ``{id}``.
    """

    __pydantic_config__: ClassVar[dict[str, Any]] = CLOSED

    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    text: str | None = None
    json: Json = UNSET
    base64: str | None = None
    file: str | None = None


FaultKind = Literal["status", "close", "reset", "hang", "cut", "slow", "malformed"]


@dataclass(frozen=True)
class Fault:
    """How an answer goes wrong.

    ``kind``: ``status`` another status instead of the answer; ``close`` the connection is closed without a byte;
    ``reset`` it is reset (RST); ``hang`` nothing comes until the client goes away; ``cut`` the body ends early;
    ``slow`` it comes in pieces; ``malformed`` the status line is none. ``when``: before the effect (which does not
    take place) or after it. ``times``: only the first requests of the route (0: all). ``at``: bytes of the body that
    are sent first, by ``reset``, ``hang`` and ``cut``. ``chunked``: cut a chunked body instead of one with a length.
    ``chunk``, ``pause_ms``, ``pace``: how ``slow`` cuts and when the next piece follows.
    """

    __pydantic_config__: ClassVar[dict[str, Any]] = CLOSED

    kind: FaultKind
    when: Literal["before", "after"] | None = None
    times: int = 0
    status: int = 503
    at: int | None = None
    chunked: bool = False
    chunk: int = 1
    pause_ms: float = 0.0
    pace: Literal["none", "acked"] = "none"
    status_line: str = "HTTP/one two three"


Compare = Literal["all", "count", "none"]


@dataclass(frozen=True)
class Route:
    """One thing that the service answers.

    ``name`` in records (empty: method and path); ``effect`` whether it is a write, which counts as a mutation;
    ``operation`` a template that names the operation, such as ``{header:Idempotency-Key}``; ``idempotent`` whether a
    repeated operation gets the first answer and has no second effect; ``stores`` the collection that keeps the body
    under an ``id``; ``reads`` the collection from which ``{id}`` of the path is answered; ``fault`` of the answer;
    ``reads_fail`` the fault of later reads of what was stored; ``compare`` what of its requests counts when two runs
    are compared: ``all``, ``count`` (how many, but neither query nor body) or ``none`` (for what is polled).
    """

    __pydantic_config__: ClassVar[dict[str, Any]] = CLOSED

    request: Wanted = Wanted()
    answer: Answer = Answer()
    name: str = ""
    effect: bool = False
    operation: str = ""
    idempotent: bool = False
    stores: str = ""
    id: str = ""
    reads: str = ""
    fault: Fault | None = None
    reads_fail: Fault | None = None
    compare: Compare = "all"

    @property
    def title(self) -> str:
        """Return the route's name, or method and path where it has none."""
        return self.name or f"{self.request.method} {self.request.path}"


@dataclass(frozen=True)
class ToolCall:
    """A tool that the model asks for: ``arguments`` as a table, or as text (which need not be JSON); ``id`` is given
    where it is empty.
    """

    __pydantic_config__: ClassVar[dict[str, Any]] = CLOSED

    name: str
    arguments: dict[str, Any] | str = field(default_factory=dict)
    id: str = ""


@dataclass(frozen=True)
class Usage:
    """The tokens that an answer of a model says it took."""

    __pydantic_config__: ClassVar[dict[str, Any]] = CLOSED

    input: int = 11
    cached: int = 0
    output: int = 5
    reasoning: int = 0


@dataclass(frozen=True)
class TurnError:
    """An HTTP error instead of an answer of the model."""

    __pydantic_config__: ClassVar[dict[str, Any]] = CLOSED

    status: int
    message: str = "the mock model server was told to fail"
    type: str = "server_error"
    headers: dict[str, str] = field(default_factory=dict)


TurnFaultKind = Literal["cut", "reset", "idle", "invalid-json", "unfinished", "failed", "slow"]


@dataclass(frozen=True)
class TurnFault:
    """How a model's answer goes wrong.

    ``kind``: ``cut`` the connection closes in mid-stream, ``reset`` it is reset, ``idle`` nothing more comes,
    ``invalid-json`` an event holds no JSON, ``unfinished`` the stream ends properly but without its last event,
    ``failed`` the API's own event of failure comes, ``slow`` each byte is a send of its own. ``after``: so many events
    come first (answers that are not streamed: bytes of the body).
    """

    __pydantic_config__: ClassVar[dict[str, Any]] = CLOSED

    kind: TurnFaultKind
    after: int = 1
    pause_ms: float = 0.0


@dataclass(frozen=True)
class Turn:
    """What the model answers to one request.

    ``message`` is its text, in pieces of ``chunk`` characters (0: in one); ``call`` the tools that it asks for;
    ``reasoning`` a summary of its thoughts; ``error`` an HTTP error instead; ``fault`` how it goes wrong; ``expect``
    what the body of the request must look like; ``times`` how many requests it answers (0: all that follow).
    """

    __pydantic_config__: ClassVar[dict[str, Any]] = CLOSED

    message: str | None = None
    call: tuple[ToolCall, ...] = ()
    reasoning: str = ""
    chunk: int = 0
    usage: Usage = Usage()
    error: TurnError | None = None
    fault: TurnFault | None = None
    expect: str | Matcher | None = None
    times: int = 1


@dataclass(frozen=True)
class Request:
    """One request as the service saw it.

    ``number`` counts from 1; ``query`` and ``headers`` are pairs in their order, values of secret ones left out;
    ``route`` the title of the route that answered, empty for an unexpected one; ``operation`` its operation, empty
    where none is named; ``effect`` whether its effect took place; ``resource`` the id of what it stored or read;
    ``status`` the status code that was answered, None where none was; ``answer`` how, in words; ``sends`` the sizes of
    all sends; ``ended`` is "sent", "reset", "client-gone", "service-ended", or "" while it lasts; ``at`` and ``until``
    are seconds since the service began.
    """

    number: int
    method: str
    path: str
    query: tuple[tuple[str, str], ...] = ()
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = field(default=b"", repr=False)
    route: str = ""
    operation: str = ""
    effect: bool = False
    resource: str = ""
    compare: Compare = "all"
    status: int | None = None
    answer: str = ""
    sends: tuple[int, ...] = ()
    ended: str = ""
    at: float = 0.0
    until: float | None = None

    def json(self) -> Json:
        """Return the JSON of the body; ValueError where it is none."""
        import json

        return json.loads(self.body)

    def header(self, name: str) -> str | None:
        """Return the first value of a header, None where it is not there; case does not matter."""
        return next((value for key, value in self.headers if key.lower() == name.lower()), None)


@dataclass(frozen=True)
class Operation:
    """One operation: how often it was asked for, and how often its effect took place."""

    name: str
    deliveries: int
    effects: int


@dataclass(frozen=True)
class ServiceSeen:
    """What one service saw while a program ran: its ``name`` in the probe, and all requests in their order."""

    name: str
    requests: tuple[Request, ...] = ()

    @property
    def mutations(self) -> int:
        """Return how many effects took place."""
        return sum(request.effect for request in self.requests)

    @property
    def unexpected(self) -> int:
        """Return how many requests had no route."""
        return sum(not request.route for request in self.requests)

    @property
    def routes(self) -> dict[str, int]:
        """Return how often each route that was asked for was asked."""
        counts: dict[str, int] = {}
        for request in self.requests:
            if request.route:
                counts[request.route] = counts.get(request.route, 0) + 1
        return counts

    @property
    def written(self) -> bytes | None:
        """Return the body of the last request of which the effect took place, None where there was none."""
        return next((request.body for request in reversed(self.requests) if request.effect), None)

    def comparable(self) -> tuple[object, ...]:
        """Return what two runs that behave the same have in common. Headers, times and the order of requests are no
        part of it: programs that ask for several things at once have no order.
        """
        asked = []
        for request in self.requests:
            if request.compare == "none":
                continue
            more = (request.query, request.body) if request.compare == "all" else ((), b"")
            asked.append((request.method, request.path, *more, request.route, request.effect))
        return (self.name, self.mutations, tuple(sorted(asked)))
