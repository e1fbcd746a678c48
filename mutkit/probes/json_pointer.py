"""Owns JSON Pointers (RFC 6901): the value at a place in a JSON document."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mutkit.model.matcher import Json

MISSING: Any = object()
"""What is returned for a place that a document does not have (null is a value)."""


def at_pointer(document: Json, pointer: str) -> Json:
    """Return the value at ``pointer`` (``""`` is the whole document), or ``MISSING``."""
    if pointer and not pointer.startswith("/"):
        return MISSING
    for part in pointer.split("/")[1:]:
        key = part.replace("~1", "/").replace("~0", "~")
        if isinstance(document, dict) and key in document:
            document = document[key]
        elif isinstance(document, list) and re.fullmatch("0|[1-9][0-9]*", key) and int(key) < len(document):
            document = document[int(key)]
        else:
            return MISSING
    return document
