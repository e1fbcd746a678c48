"""Owns the look at one request: whether a route is meant, and why not."""

from __future__ import annotations

import functools
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mutkit.hermetic.services.paths import pattern
from mutkit.model.describe import quoted
from mutkit.model.matcher import UNSET, is_json_subset, matches

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mutkit.model.matcher import Json, Matcher
    from mutkit.model.service import Route, Wanted

SHOWN = 120
"""Characters of a value that a message shows."""


@dataclass(frozen=True)
class Incoming:
    """A request as it came in, secrets included: it is not kept."""

    method: str
    path: str
    query: tuple[tuple[str, str], ...] = ()
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""

    @functools.cached_property
    def json(self) -> Json:
        """Return the JSON of the body, ``UNSET`` where it is none."""
        try:
            return json.loads(self.body)
        except (ValueError, RecursionError):
            return UNSET


def misfits(wanted: Wanted, request: Incoming) -> list[str]:
    """Return in words what of a request does not fit, ``nth`` aside; nothing where all fits.

    Values of headers and of the query are not shown: they may be secrets.
    """
    found = []
    if wanted.method not in ("*", request.method):
        found.append(f"method is {request.method}, not {wanted.method}")
    if not pattern(wanted.path).fullmatch(request.path):
        found.append(f"path {request.path} is not {wanted.path}")
    found += _pairs("query", wanted.query.items(), request.query, fold=False)
    found += _pairs("header", wanted.headers.items(), request.headers, fold=True)
    if wanted.json is not UNSET and (request.json is UNSET or not is_json_subset(wanted.json, request.json)):
        found.append(f"body {quoted(request.body, SHOWN)} does not hold the JSON {quoted(wanted.json, SHOWN)}")
    if wanted.body is not None and not matches(wanted.body, request.body):
        found.append(f"body {quoted(request.body, SHOWN)} does not fit")
    return found


def _pairs(
    what: str, wanted: Iterable[tuple[str, str | Matcher]], given: Iterable[tuple[str, str]], *, fold: bool
) -> Iterator[str]:
    for name, matcher in wanted:
        values = [value for key, value in given if key == name or (fold and key.lower() == name.lower())]
        if not values:
            yield f"{what} {name} is missing"
        elif not any(matches(matcher, value) for value in values):
            yield f"{what} {name} does not fit"


def closest(routes: Iterable[Route], request: Incoming, counts: Iterable[int]) -> str:
    """Return the route that a request is nearest to, and what does not fit; ``counts`` are the requests that fitted
    each route but for ``nth``.
    """
    best: tuple[int, str] | None = None
    for route, count in zip(routes, counts, strict=True):
        why = misfits(route.request, request)
        if not why and route.request.nth:
            why = [f"it is request {count} of this route, which answers request {route.request.nth} alone"]
        # A route for the same path is nearer than any other, however much else does not fit.
        far = len(why) + (0 if pattern(route.request.path).fullmatch(request.path) else 10)
        if best is None or far < best[0]:
            best = far, f"closest: {route.title}: {'; '.join(why)}"
    return best[1] if best is not None else "the service has no routes"
