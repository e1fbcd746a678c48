"""Owns the state of a service: what was written, which operations there were, and what a request is answered."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Protocol

from mutkit.hermetic.services.delivery import Delivery, Reply, faulty, plain
from mutkit.hermetic.services.paths import Facts, fill, fill_text, pattern
from mutkit.hermetic.services.routes import closest, misfits
from mutkit.model.matcher import UNSET, as_bytes
from mutkit.model.service import Answer, Fault, Operation

if TYPE_CHECKING:
    from mutkit.hermetic.services.routes import Incoming
    from mutkit.model.matcher import Json
    from mutkit.model.service import Compare, Route


@dataclass(frozen=True)
class Decision:
    """What one request is answered, and what it meant; the fields are those of ``Request``."""

    delivery: Delivery
    route: str = ""
    operation: str = ""
    effect: bool = False
    resource: str = ""
    compare: Compare = "all"
    unexpected: str = ""


class Extra(Protocol):
    """Answers requests that no route is meant for; a mock model, say."""

    def decide(self, request: Incoming) -> Decision | None:
        """Return what the request is answered, None where it is not meant."""


@dataclass
class _Stored:
    body: bytes
    kind: str
    failing: Fault | None
    reads: int = 0


@dataclass
class Book:
    """The routes of a service with all that it remembers. One request at a time: the caller holds a lock."""

    routes: tuple[Route, ...]
    url: str = ""
    extra: Extra | None = None
    mutations: int = 0
    operations: dict[str, Operation] = field(default_factory=dict)
    _fitted: list[int] = field(default_factory=list)
    _answered: dict[int, int] = field(default_factory=dict)
    _stored: dict[tuple[str, str], _Stored] = field(default_factory=dict)
    _made: dict[str, int] = field(default_factory=dict)
    _given: dict[str, tuple[Reply, str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Begin to count the requests that fit each route."""
        self._fitted = [0] * len(self.routes)

    def route_for(self, request: Incoming) -> int | None:
        """Return the place of the route that answers a request, None where there is none; called once for each."""
        fitting = [at for at, route in enumerate(self.routes) if not misfits(route.request, request)]
        for at in fitting:
            self._fitted[at] += 1
        return next((at for at in fitting if self.routes[at].request.nth in (0, self._fitted[at])), None)

    def unexpected(self, request: Incoming) -> Decision:
        """Return what a request is answered for which there is no route: the extra's answer, or 500 and why."""
        found = self.extra.decide(request) if self.extra is not None else None
        if found is not None:
            return found
        near = closest(self.routes, request, self._fitted)
        return refusal(request, f"{request.method} {request.path} is not expected by this mock service; {near}")

    def decide(self, at: int, request: Incoming, number: int) -> Decision:
        """Return what a request is answered by the route at a place, and let its effect take place."""
        route = self.routes[at]
        self._answered[at] = self._answered.get(at, 0) + 1
        found = pattern(route.request.path).fullmatch(request.path)
        words = {"n": self._answered[at], "number": number, "url": self.url, **(found.groupdict() if found else {})}
        facts = Facts(words, request.body, request.headers, request.query)
        operation = fill_text(route.operation, facts)
        words["operation"] = operation
        if route.idempotent and operation in self._given:
            reply, resource = self._given[operation]
            self._count(operation, effect=False)
            return Decision(self._send(reply, None, request), route.title, operation, False, resource, route.compare)
        fault = route.fault
        if fault is not None and fault.times and self._answered[at] > fault.times:
            fault = None
        effect = route.effect and not (fault is not None and fault.when == "before")
        resource, reply = self._act(route, request, facts, words, effect=effect)
        if route.reads:
            fault = self._failing(route, resource) or fault
        if operation:
            self._count(operation, effect=effect)
            if effect:
                self._given.setdefault(operation, (reply, resource))
        delivery = self._send(reply, fault, request)
        return Decision(delivery, route.title, operation, effect, resource, route.compare)

    def _act(
        self, route: Route, request: Incoming, facts: Facts, words: dict[str, Json], *, effect: bool
    ) -> tuple[str, Reply]:
        """Let the effect of a request take place, or read what was stored; return the id and the answer."""
        resource = str(words.get("id") or "")
        self.mutations += effect
        if route.stores and not resource:
            made = self._made.get(route.stores, 0) + 1
            named = replace(facts, words={**words, "n": made})
            resource = words["id"] = fill_text(route.id or f"{route.stores}-{{n}}", named)
            self._made[route.stores] = made if effect else made - 1
        if route.stores and effect:
            kind = next((value for key, value in request.headers if key.lower() == "content-type"), "")
            self._stored[route.stores, resource] = _Stored(request.body, kind, route.reads_fail)
        if not route.reads:
            return resource, rendered(route.answer, facts)
        stored = self._stored.get((route.reads, resource))
        if stored is None:
            missing = {"error": f"there is no {resource} in {route.reads}"}
            return resource, rendered(Answer(404, json=missing), facts)
        stored.reads += 1
        facts = replace(facts, body=stored.body)
        if route.answer == replace(Answer(), status=route.answer.status, headers=route.answer.headers):
            headers = ((("Content-Type", stored.kind),) if stored.kind else ()) + _headers(route.answer, facts)
            return resource, Reply(route.answer.status, headers, (stored.body,))
        return resource, rendered(route.answer, facts)

    def _failing(self, route: Route, resource: str) -> Fault | None:
        stored = self._stored.get((route.reads, resource))
        if stored is None or stored.failing is None:
            return None
        return stored.failing if not stored.failing.times or stored.reads <= stored.failing.times else None

    def _send(self, reply: Reply, fault: Fault | None, request: Incoming) -> Delivery:
        head_only = request.method == "HEAD"
        if fault is None:
            return plain(reply, head_only=head_only)
        if fault.kind == "status":
            text = {"error": f"the mock service was told to answer {fault.status}"}
            return plain(rendered(Answer(fault.status, json=text), Facts({})), head_only=head_only)
        return faulty(reply, fault, head_only=head_only)

    def _count(self, operation: str, *, effect: bool) -> None:
        before = self.operations.get(operation, Operation(operation, 0, 0))
        self.operations[operation] = Operation(operation, before.deliveries + 1, before.effects + effect)


def rendered(answer: Answer, facts: Facts) -> Reply:
    """Return an answer with its templates filled; the content of ``file`` stands under ``base64`` by now."""
    headers = _headers(answer, facts)
    kind = ""
    if answer.json is not UNSET:
        filled = fill(answer.json, facts)
        body, kind = json.dumps(filled, ensure_ascii=False).encode("utf-8", "surrogatepass"), "application/json"
    elif answer.text is not None:
        body, kind = as_bytes(fill_text(answer.text, facts)), "text/plain; charset=utf-8"
    elif answer.base64 is not None:
        body, kind = base64.b64decode(answer.base64), "application/octet-stream"
    else:
        body = b""
    if kind and not any(name.lower() == "content-type" for name, _ in headers):
        headers = (("Content-Type", kind), *headers)
    return Reply(answer.status, headers, (body,))


def _headers(answer: Answer, facts: Facts) -> tuple[tuple[str, str], ...]:
    return tuple((name, fill_text(value, facts)) for name, value in answer.headers.items())


def refusal(request: Incoming, why: str) -> Decision:
    """Return the answer to a request that the script does not expect: 500 with the reason as text."""
    reply = Reply(500, (("Content-Type", "text/plain; charset=utf-8"),), (as_bytes(f"{why}\n"),))
    return Decision(plain(reply, head_only=request.method == "HEAD"), unexpected=why)
