"""Owns the script of a mock service, as it is built in Python or was read from TOML."""

from __future__ import annotations

import base64
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from mutkit.model.matcher import CLOSED, UNSET, Json
from mutkit.model.service import Answer, Fault, Route, Turn, Wanted

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import TypedDict

    from typing_extensions import Unpack

    from mutkit.model.matcher import Matcher
    from mutkit.model.service import Compare

    class Where(TypedDict, total=False):
        """The keys of ``request`` but for method and path."""

        query: dict[str, str | Matcher]
        headers: dict[str, str | Matcher]
        json: Json
        body: str | Matcher
        nth: int

    class How(TypedDict, total=False):
        """The keys of a route but for ``request`` and ``answer``."""

        name: str
        effect: bool
        operation: str
        idempotent: bool
        stores: str
        id: str
        reads: str
        fault: Fault | None
        reads_fail: Fault | None
        compare: Compare


@dataclass(frozen=True)
class ServiceScript:
    """What one mock service does; immutable, so that a builder's call gives a new script.

    ``route`` what it answers, of which the first that fits is taken; ``turn`` what it answers as a model server;
    ``record_secrets`` names headers and query values that are recorded though they are named like secrets.
    """

    __pydantic_config__: ClassVar[dict[str, Any]] = CLOSED

    note: str = ""
    route: tuple[Route, ...] = ()
    turn: tuple[Turn, ...] = ()
    record_secrets: tuple[str, ...] = ()

    @classmethod
    def from_toml(cls, path: Path) -> ServiceScript:
        """Return the script in the file; SpecError names every fault in it."""
        from mutkit.hermetic.services.read import read_service

        return read_service(path)

    def on(
        self,
        method: str,
        path: str,
        *,
        status: int = 200,
        json: Json = UNSET,
        content: str | bytes | Path | None = None,
        headers: Mapping[str, str] | None = None,
        where: Where | None = None,
        **how: Unpack[How],
    ) -> ServiceScript:
        """Add a route: requests with this method and path, and what ``where`` says of them, are answered so.

        ``content`` is text, bytes or a file; the rest as in ``Route``.
        """
        answer = Answer(status, dict(headers or {}), json=json)
        if isinstance(content, str):
            answer = replace(answer, text=content)
        elif isinstance(content, bytes):
            answer = replace(answer, base64=base64.b64encode(content).decode())
        elif content is not None:
            answer = replace(answer, file=str(content.absolute()))
        route = Route(Wanted(method, path, **(where or {})), answer, **how)
        return replace(self, route=(*self.route, route))

    def answering(self, *turns: Turn) -> ServiceScript:
        """Add turns of a mock model."""
        return replace(self, turn=(*self.turn, *turns))

    def recording(self, *names: str) -> ServiceScript:
        """Record these headers and query values though they are named like secrets."""
        return replace(self, record_secrets=(*self.record_secrets, *names))

    def ready(self) -> ServiceScript:
        """Return the script with the bytes of its files in it; SpecError holds all that does not go together."""
        from mutkit.errors import SpecError
        from mutkit.hermetic.services.check import problems_of

        problems = problems_of(self)
        if problems:
            raise SpecError(problems)
        return replace(self, route=tuple(_with_file(route) for route in self.route))

    @property
    def titles(self) -> frozenset[str]:
        """Return the titles under which requests are recorded."""
        turns = ("POST /v1/responses", "POST /v1/chat/completions", "POST /api/chat") if self.turn else ()
        return frozenset((*(route.title for route in self.route), *turns))

    @property
    def recorded(self) -> frozenset[str]:
        """Return the names, in lower case, of what is recorded though it is named like a secret: also what names an
        operation.
        """
        from mutkit.hermetic.services.paths import things_of

        named = {name for route in self.route for kind, name in things_of(route.operation) if kind != "json"}
        return frozenset(name.lower() for name in (*self.record_secrets, *named))


def _with_file(route: Route) -> Route:
    if route.answer.file is None:
        return route
    content = base64.b64encode(Path(route.answer.file).read_bytes()).decode()
    return replace(route, answer=replace(route.answer, file=None, base64=content))
