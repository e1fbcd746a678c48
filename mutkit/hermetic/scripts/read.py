"""Owns reading of mock scripts from TOML, with all faults at once."""

from __future__ import annotations

import functools
import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from mutkit.errors import Problem, SpecError
from mutkit.hermetic.scripts.builder import Script
from mutkit.hermetic.scripts.compile import problem

if TYPE_CHECKING:
    from pathlib import Path

    from pydantic import TypeAdapter

    from mutkit.model.mock import Step


@functools.cache
def _adapter() -> TypeAdapter[Script]:
    from pydantic import TypeAdapter  # late: it costs 70 ms

    return TypeAdapter(Script)


def read(path: Path) -> Script:
    """Return the script in the file; SpecError names every fault in it."""
    import tomli
    from pydantic import ValidationError

    shown = str(path)
    try:
        text = path.read_bytes().decode("utf-8")
        data = json.dumps(tomli.loads(text))
    except OSError as error:
        raise SpecError([problem(shown, "", f"cannot be read: {error.strerror}", "Check the path.")]) from error
    except (ValueError, TypeError) as error:  # not UTF-8, not TOML, or a date
        raise SpecError([problem(shown, "", f"is not TOML as a script has it: {error}")]) from error
    try:
        script = _adapter().validate_json(data)
    except ValidationError as error:
        raise SpecError(_faults(shown, error)) from error
    script.compiled(path.parent, shown)
    return replace(
        script,
        step=_placed(script.step, path.parent),
        call=tuple(replace(answer, step=_placed(answer.step, path.parent)) for answer in script.call),
    )


def _placed(steps: tuple[Step, ...], base: Path) -> tuple[Step, ...]:
    """Return the steps with ``file`` as an absolute path: the script may be installed from anywhere."""
    return tuple(step if step.file is None else replace(step, file=str(base.absolute() / step.file)) for step in steps)


def _faults(shown: str, error: Any) -> list[Problem]:
    words = {"unexpected_keyword_argument": "is not a key"}
    found: dict[str, Problem] = {}
    for detail in error.errors(include_url=False):
        key = ""
        for part in detail["loc"]:
            key += f"[{part}]" if isinstance(part, int) else f".{part}" if key else part
        found.setdefault(key, problem(shown, key, words.get(detail["type"], detail["msg"])))
    return list(found.values())
