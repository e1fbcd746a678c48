"""Owns the form of effects, expectations and cases in reports: JSON values with long content cut and digested."""

from __future__ import annotations

import base64
import hashlib
from dataclasses import fields, is_dataclass
from typing import Any

from mutkit.model.case import CaseRecord
from mutkit.model.describe import describe_effect, describe_expectation
from mutkit.model.effect import Effect, Expectation, ServiceShows
from mutkit.model.ending import Exited, Signalled
from mutkit.model.matcher import Json, Matcher, as_bytes
from mutkit.model.service import Request, ServiceSeen
from mutkit.model.spec import Because

KEPT = 8192
"""How many bytes of one value a report keeps; longer ones show head, tail, length and digest."""


def value_json(value: Json | bytes) -> Json:
    """Return a value for a report: itself, or for bytes that are no UTF-8 and long values a table that says so."""
    raw = as_bytes(value)
    if len(raw) > KEPT:
        half = KEPT // 2
        return {
            "length": len(raw),
            "sha256": hashlib.sha256(raw).hexdigest(),
            "head": raw[:half].decode("utf-8", "backslashreplace"),
            "tail": raw[-half:].decode("utf-8", "backslashreplace"),
        }
    if isinstance(value, bytes):
        try:
            return value.decode("utf-8")
        except UnicodeDecodeError:
            return {"base64": base64.b64encode(value).decode("ascii")}
    return value


def effect_json(effect: Effect | None) -> Json:
    """Return an effect: its ``kind`` and fields, and ``text``, the sentence for people."""
    if effect is None:
        return None
    kind = {
        "Returned": "returns",
        "Refused": "error",
        "RaisedException": "raises",
        "Finished": "exits",
        "Died": "crashes",
        "Hung": "hangs",
        "NothingSeen": "nothing",
    }[type(effect).__name__]
    table: dict[str, Json] = {"kind": kind, "text": describe_effect(effect)}
    for item in fields(effect):
        value = getattr(effect, item.name)
        if item.name == "services":
            table |= {"services": {seen.name: service_json(seen) for seen in value}} if value else {}
        elif isinstance(value, Exited):
            table["exit"] = value.code
        elif isinstance(value, Signalled):
            table["signal"] = value.name
        else:
            table[item.name] = value_json(value)
    return table


def service_json(seen: ServiceSeen) -> dict[str, Json]:
    """Return what a mock service saw: its counter, and each request."""
    return {
        "mutations": seen.mutations,
        "unexpected": seen.unexpected,
        "requests": [_request(request) for request in seen.requests],
    }


def _request(request: Request) -> dict[str, Json]:
    return {
        "number": request.number,
        "method": request.method,
        "path": request.path,
        "query": [list(pair) for pair in request.query],
        "headers": [list(pair) for pair in request.headers],
        "body": value_json(request.body),
        "route": request.route,
        "operation": request.operation,
        "effect": request.effect,
        "answer": request.answer,
        "ended": request.ended,
    }


def expectation_json(expectation: Expectation) -> Json:
    """Return an expectation as its author wrote it, and ``text``, the sentence for people."""
    stated = {key: _stated(value) for key, value in expectation.given().items()}
    if expectation.services:
        stated["services"] = {name: _stated(one) for name, one in expectation.services.items()}
    return {**stated, "text": describe_expectation(expectation)}


def because_json(because: Because) -> Json:
    """Return a because as its author wrote it."""
    return {"raises": because.raises, "message": _stated(because.message)}


def case_json(record: CaseRecord) -> dict[str, Json]:
    """Return how a case ended."""
    return {
        "id": record.id,
        "outcome": record.outcome.value,
        "phase": record.phase.value,
        "exception": record.exception,
        "message": value_json(record.message),
        "place": record.place,
        "seconds": round(record.duration, 3),
        "observed": [value_json(value) for value in record.observed],
    }


def _stated(value: Any) -> Json:
    if isinstance(value, (Matcher, ServiceShows)):
        return {key: _stated(one) for key, one in value.given().items()}
    if is_dataclass(value) and not isinstance(value, type):
        pairs = {item.name: getattr(value, item.name) for item in fields(value)}
        return {key: _stated(one) for key, one in pairs.items() if one is not None}
    return value_json(value)
