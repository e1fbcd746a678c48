"""Owns the file of observations: which value was recorded by which attempt at a case.

Every program may append to it, so anything may stand there.
"""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

from mutkit.harnesses.pytest_events import parse_line
from mutkit.model.case import Trouble

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mutkit.harnesses.pytest_events import Attempt


def read_observations(data: bytes, attempts: Sequence[Attempt]) -> tuple[dict[int, list[Any]], list[Trouble]]:
    """Return what the attempts recorded, by their index, and a trouble for lines that belong to none.

    A line with ``case`` belongs to the attempt of that case that was under way; a line without it (written
    by another program) to the one case that was under way.
    """
    found: dict[int, list[Any]] = {}
    strays = 0
    offset = 0
    for line in data.splitlines(keepends=True):
        offset, start = offset + len(line), offset
        try:
            content = parse_line(line)
            value = _observed(content)
        except (ValueError, KeyError, TypeError):
            strays += 1
            continue
        under_way = [
            index
            for index, attempt in enumerate(attempts)
            if attempt.first <= start
            and (start < attempt.last or not attempt.ended)
            and content.get("case", attempt.case) == attempt.case
        ]
        if len(under_way) == 1:
            found.setdefault(under_way[0], []).append(value)
        else:
            strays += 1
    if not strays:
        return found, []
    message = f"{strays} observed lines hold no value, or belong to no case that was running alone"
    return found, [Trouble("observation-unclaimed", message)]


def _observed(content: dict[str, Any]) -> Any:
    if "bytes" in content:
        return base64.b64decode(content["bytes"], validate=True)
    if "raises" in content:
        return {"raises": str(content["raises"]), "message": str(content["message"])}
    return content["value"]
