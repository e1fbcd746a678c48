"""Owns how requests are shown when an assertion fails: one a line, and the nearest with what differs."""

from __future__ import annotations

import difflib
import json
from typing import TYPE_CHECKING

from mutkit.model.describe import quoted
from mutkit.model.matcher import UNSET, is_json_subset

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mutkit.model.matcher import Json
    from mutkit.model.service import Request

SHOWN = 50
"""How many requests are listed."""


def line(request: Request) -> str:
    """Return one request as a line."""
    query = "".join(f"{'&' if at else '?'}{key}={value}" for at, (key, value) in enumerate(request.query))
    body = f" {quoted(request.body, 80)}" if request.body else ""
    effect = ", effect took place" if request.effect else ""
    by = f", by {request.route}" if request.route else ", unexpected"
    operation = f", operation {request.operation}" if request.operation else ""
    asked = f"{request.method} {request.path}{query}" if request.method else "(no HTTP request)"
    return f"  {request.number}. {asked}{body} -> {request.answer or 'no answer yet'}{by}{operation}{effect}"


def listing(requests: Sequence[Request]) -> str:
    """Return all requests, one a line."""
    lines = [line(request) for request in requests[:SHOWN]]
    more = [f"  and {len(requests) - SHOWN} more"] if len(requests) > SHOWN else []
    return "\n".join(["requests:", *(lines or ["  none"]), *more])


def nearest(requests: Iterable[Request], method: str, path: str, wanted: Json, body: bytes | None) -> str:
    """Return the request that differs least from what is wanted and how; empty where one does not differ, or where
    there is none.
    """
    best: tuple[int, str] | None = None
    for request in requests:
        differences = _differences(request, method, path, wanted, body)
        if not differences:
            return ""
        if best is None or len(differences) < best[0]:
            best = len(differences), "\n".join([f"closest is request {request.number}:", *differences])
    return best[1] if best is not None else ""


def _differences(request: Request, method: str, path: str, wanted: Json, body: bytes | None) -> list[str]:
    found = []
    if request.method != method:
        found.append(f"  method is {request.method}, not {method}")
    if request.path != path:
        found.append(f"  path is {request.path}, not {path}")
    if body is not None and request.body != body:
        found.append(f"  body is {quoted(request.body)}, not {quoted(body)}")
    if wanted is not UNSET:
        try:
            given = request.json()
        except (ValueError, RecursionError):
            given = UNSET
        if given is UNSET:
            found.append(f"  body is no JSON: {quoted(request.body)}")
        elif not is_json_subset(wanted, given):
            found += [f"  {one}" for one in _json_diff(wanted, given)]
    return found


def _json_diff(wanted: Json, given: Json) -> list[str]:
    """Return the lines in which two JSON values differ."""
    one, other = (
        json.dumps(value, indent=1, sort_keys=True, ensure_ascii=False).split("\n") for value in (wanted, given)
    )
    return list(difflib.unified_diff(one, other, "wanted", "sent", lineterm="", n=1))[:40]
