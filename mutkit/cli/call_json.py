"""Owns recorded calls as JSON: ``mutkit-calls/1``."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mutkit.model.mock_call import Call

SCHEMA = "mutkit-calls/1"


def calls_as_json(calls: Iterable[Call]) -> dict[str, Any]:
    """Return what ``json.dumps`` takes: each call with the fields that ``Call`` has, ``argv`` for ``argv_bytes``.

    Bytes are text where they are UTF-8, else ``{"base64": ...}``.
    """
    return {"schema": SCHEMA, "calls": [_call(call) for call in calls]}


def _call(call: Call) -> dict[str, Any]:
    found = {field.name: _plain(getattr(call, field.name)) for field in dataclasses.fields(call)}
    return {("argv" if name == "argv_bytes" else name): value for name, value in found.items()}


def _plain(value: Any) -> Any:
    if isinstance(value, bytes):
        try:
            return value.decode("utf-8")
        except UnicodeDecodeError:
            import base64

            return {"base64": base64.b64encode(value).decode()}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: _plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, dict):
        return {str(_plain(key)): _plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [_plain(one) for one in value]
    return value
