"""Owns the check of service scripts: what does not go together, what is not there, what can never be reached."""

from __future__ import annotations

import base64
import binascii
import re
from pathlib import Path
from typing import TYPE_CHECKING

from mutkit.errors import Problem
from mutkit.hermetic.services.paths import names_in, pattern, unknown_templates
from mutkit.model.matcher import UNSET, Matcher, glob_pieces
from mutkit.model.service import Fault, Wanted
from mutkit.toml import dotted, shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mutkit.hermetic.services.script import ServiceScript
    from mutkit.model.service import Answer, Route, Turn
    from mutkit.toml import Document, Key

ADVICE = "See docs/mock-services.md."
_OWN_HEADERS = ("content-length", "transfer-encoding", "connection")
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_FAULT_KEYS = {
    "status": ("status",),
    "at": ("cut", "reset", "hang"),
    "chunked": ("cut", "reset", "hang"),
    "chunk": ("slow",),
    "pause_ms": ("slow",),
    "pace": ("slow",),
    "status_line": ("malformed",),
}
"""The kinds of fault for which a key means something."""

Found = tuple["Key", str, str]
"""One fault: key, what is wrong, what to do."""


def problems_of(script: ServiceScript, document: Document | None = None) -> list[Problem]:
    """Return all that is wrong with a script; ``document`` is the file that it was read from."""
    found: list[Problem] = []
    for key, message, advice in faults_of(script):
        if document is not None:
            found.append(document.problem("service-script", message, advice, key))
        else:
            found.append(Problem("service-script", message, advice, "service script", None, dotted(key)))
    return found


def faults_of(script: ServiceScript) -> Iterator[Found]:
    """Give all faults of a script, in the order of its routes and turns."""
    if not script.route and not script.turn:
        yield (), "has neither a route nor a turn", "Add [[route]] or [[turn]]."
    stored = {route.stores for route in script.route}
    for at, route in enumerate(script.route):
        for key, message, advice in (*_route(route, stored), *_faults(route)):
            yield ("route", at, *key), message, advice
        earlier = next((before for before in script.route[:at] if _covers(before.request, route.request)), None)
        if earlier is not None:
            advice = "Put it before that route, or give one of them `nth` or another condition."
            yield ("route", at), f"is never reached: {earlier.title} answers all that fits it", advice
    for at, turn in enumerate(script.turn):
        for key, message, advice in _turn(turn, last=at == len(script.turn) - 1):
            yield ("turn", at, *key), message, advice


def _covers(before: Wanted, after: Wanted) -> bool:
    """Return whether every request that fits ``after`` fits ``before``, as far as can be told from their words."""
    conditions = (before.query, before.headers, before.json, before.body, before.nth)
    free = conditions == ({}, {}, UNSET, None, 0)
    same = conditions == (after.query, after.headers, after.json, after.body, after.nth)
    shape = [re.sub(r"\{\w+\}", "{}", path) for path in (before.path, after.path)]
    return (free or same) and before.method in ("*", after.method) and (before.path == "*" or shape[0] == shape[1])


def _route(route: Route, stored: set[str]) -> Iterator[Found]:
    yield from _wanted(route.request)
    yield from _answer(route)
    names = names_in(route.request.path)
    for key in ("operation", "id"):
        for template in unknown_templates(getattr(route, key), names):
            yield (key,), f"holds {template}, which is no template here", _templates(names, template)
    if not route.effect:
        for key in ("operation", "idempotent", "stores", "id", "reads_fail"):
            if getattr(route, key):
                yield (key,), "is for writes", "Add `effect = true`, or take it out."
    yield from _stores(route)
    if route.reads and route.effect:
        yield ("reads",), "stands beside `effect`", "A route reads or writes."
    if route.reads and "id" not in names:
        yield ("reads",), "needs {id} in the path", 'Write path = "/files/{id}".'
    if route.reads and route.reads not in stored:
        known = ", ".join(sorted(stored - {""})) or "none"
        yield ("reads",), f"names {route.reads}, which no route stores", f"Stored are: {known}."


def _stores(route: Route) -> Iterator[Found]:
    if route.idempotent and not route.operation:
        yield ("idempotent",), "needs `operation`", 'Say what names one: operation = "{header:Idempotency-Key}".'
    for key in ("id", "reads_fail"):
        if getattr(route, key) and route.effect and not route.stores:
            yield (key,), "needs `stores`", "Name the collection that keeps what is written."


def _wanted(wanted: Wanted) -> Iterator[Found]:
    if wanted.method != "*" and not re.fullmatch("[A-Z]+", wanted.method):
        yield ("request", "method"), f"is {wanted.method!r}", "Write GET, POST, ... or *."
    if not wanted.path.startswith(("/", "*")):
        yield ("request", "path"), f"is {wanted.path!r}", "It begins with / or *."
    if "?" in wanted.path:
        yield ("request", "path"), "holds a query", "Put it under `query`."
    try:
        pattern(wanted.path)
    except re.error as error:
        yield ("request", "path"), f"cannot be used: {error}", "Each {name} stands once."
    if wanted.nth < 0:
        yield ("request", "nth"), f"is {wanted.nth}", "It counts from 1; 0 is each."
    matchers: list[tuple[Key, str | Matcher | None]] = [(("request", "body"), wanted.body)]
    matchers += [(("request", "query", name), value) for name, value in wanted.query.items()]
    matchers += [(("request", "headers", name), value) for name, value in wanted.headers.items()]
    for key, matcher in matchers:
        if isinstance(matcher, Matcher):
            yield from ((key, message, advice) for message, advice in _matcher(matcher))


def _matcher(matcher: Matcher) -> Iterator[tuple[str, str]]:
    if not matcher.given():
        yield "is empty", "A matcher that says nothing matches everything."
    if matcher.file is not None:
        yield "has `file`", "Only specs have it: write the value itself."
    try:
        re.compile(matcher.regex or "")
        glob_pieces(matcher.glob or "", only_star=False)
    except re.error as error:
        yield f"is no pattern: {error}", "Correct it."


def _answer(route: Route) -> Iterator[Found]:
    answer, names = route.answer, names_in(route.request.path)
    given = [key for key in ("text", "base64", "file") if getattr(answer, key) is not None]
    given += ["json"] if answer.json is not UNSET else []
    if len(given) > 1:
        yield ("answer",), f"has {' and '.join(f'`{key}`' for key in given)}", "Keep one."
    if not 200 <= answer.status <= 599:
        yield ("answer", "status"), f"is {answer.status}", "It is 200 to 599."
    yield from _content(answer)
    for name in answer.headers:
        if not _TOKEN.fullmatch(name):
            yield ("answer", "headers", name), "is no name of a header", "Correct it."
        if name.lower() in _OWN_HEADERS:
            yield ("answer", "headers", name), "is set by the service", "A `fault` makes it wrong."
    for key, value in (("json", answer.json), ("text", answer.text), ("headers", answer.headers)):
        for template in unknown_templates(value, names):
            yield ("answer", key), f"holds {template}, which is no template here", _templates(names, template)


def _content(answer: Answer) -> Iterator[Found]:
    if answer.base64 is not None:
        try:
            base64.b64decode(answer.base64, validate=True)
        except binascii.Error as error:
            yield ("answer", "base64"), f"is not base64: {error}", "Correct it."
    if answer.file is not None:
        try:
            Path(answer.file).read_bytes()
        except OSError as error:
            message = f"{shown(Path(answer.file))} cannot be read: {error.strerror}"
            yield ("answer", "file"), message, "It stands beside the script."


def _templates(names: set[str], template: str) -> str:
    own = "".join(f", {{{name}}}" for name in sorted(names - {"id"}))
    known = "{id}, {n}, {number}, {size}, {sha256}, {operation}, {url}, {json:/...}, {header:...}, {query:...}"
    return f"Known are {known}{own}. For the text itself write {{{template}}}."


def _faults(route: Route) -> Iterator[Found]:
    fault = route.fault
    if fault is not None:
        yield from _one_fault(("fault",), fault)
        if route.effect and fault.when is None and fault.kind != "slow":
            advice = 'Say whether the effect takes place: when = "before" (not) or "after".'
            yield ("fault", "when"), "is missing", advice
        if not route.effect and fault.when is not None:
            yield ("fault", "when"), "is for writes", "Add `effect = true` to the route, or take it out."
    if route.reads_fail is not None:
        yield from _one_fault(("reads_fail",), route.reads_fail)
        if route.reads_fail.when is not None:
            yield ("reads_fail", "when"), "is for writes", "Take it out: reads have no effect."


def _one_fault(key: Key, fault: Fault) -> Iterator[Found]:
    plain = Fault(fault.kind)
    for name, kinds in _FAULT_KEYS.items():
        if getattr(fault, name) != getattr(plain, name) and fault.kind not in kinds:
            yield (*key, name), f"means nothing for {fault.kind}", f"It is for {', '.join(kinds)}."
    if not 300 <= fault.status <= 599:
        yield (*key, "status"), f"is {fault.status}", "It is 300 to 599."
    bounds = {"times": (fault.times, 0), "at": (fault.at or 0, 0), "chunk": (fault.chunk, 1)}
    for name, (value, least) in {**bounds, "pause_ms": (fault.pause_ms, 0)}.items():
        if value < least:
            yield (*key, name), f"is {value}", f"It is {least} or more."
    if fault.chunked and fault.kind in ("reset", "hang") and fault.at is None:
        yield (*key, "chunked"), "needs `at`", "Without it not even the status line is sent."
    if fault.pace != "none" and fault.pause_ms:
        yield (*key, "pace"), "stands beside `pause_ms`", "Keep one."


def _turn(turn: Turn, *, last: bool) -> Iterator[Found]:
    answers = turn.message is not None or bool(turn.call) or bool(turn.reasoning)
    if turn.error is not None and (answers or turn.fault is not None):
        yield ("error",), "stands beside an answer", "Keep `error`, or `message`, `call`, `reasoning` and `fault`."
    if turn.error is not None and not 300 <= turn.error.status <= 599:
        yield ("error", "status"), f"is {turn.error.status}", "It is 300 to 599."
    if turn.chunk < 0:
        yield ("chunk",), f"is {turn.chunk}", "It is 0 or more characters."
    if turn.times < 0 or (turn.times == 0 and not last):
        what = "is 0, so that later turns are never reached" if turn.times == 0 else f"is {turn.times}"
        yield ("times",), what, "Only the last turn may answer all that follows."
    if turn.fault is not None and turn.fault.after < 0:
        yield ("fault", "after"), f"is {turn.fault.after}", "It is 0 or more events."
    if isinstance(turn.expect, Matcher):
        yield from ((("expect",), message, advice) for message, advice in _matcher(turn.expect))
