"""Owns reading of mock scripts from TOML, with all faults at once."""

from __future__ import annotations

import functools
import json
from dataclasses import replace
from typing import TYPE_CHECKING

from mutkit.errors import Problem, SpecError
from mutkit.hermetic.scripts import values
from mutkit.hermetic.scripts.compile import compile_script
from mutkit.hermetic.scripts.faults import SLUG, Faults
from mutkit.model.mock import MockScript
from mutkit.toml import read as read_toml

if TYPE_CHECKING:
    from pathlib import Path

    from pydantic import TypeAdapter

    from mutkit.model.mock import Step


@functools.cache
def adapter() -> TypeAdapter[MockScript]:
    """Return pydantic's reader of scripts."""
    from pydantic import TypeAdapter  # late: it costs 70 ms

    return TypeAdapter(MockScript)


def read(path: Path) -> MockScript:
    """Return the script in the file, its paths absolute; SpecError names every fault in it."""
    from pydantic import ValidationError

    document = read_toml(path, str(path))
    if isinstance(document, Problem):
        raise SpecError([replace(document, slug=SLUG)])
    faults = Faults(str(path), document)
    data = values.plain(document.data, (), faults)
    try:
        script = adapter().validate_json(json.dumps(data))
    except ValidationError as error:
        values.tell(error.errors(include_url=False), document.data, faults)
        faults.tell()
        raise
    if script.profile is not None:
        from mutkit.hermetic.profiles.options import on_profile

        script = on_profile(script, faults)
        faults.tell()
    compile_script(script, path.parent, 0, faults)
    faults.tell()
    return _placed(script, path.parent.absolute())


def _placed(script: MockScript, base: Path) -> MockScript:
    """Return the script with its files as absolute paths: it may be installed from anywhere."""
    return replace(
        script,
        step=_placed_steps(script.step, base),
        call=tuple(replace(answer, step=_placed_steps(answer.step, base)) for answer in script.call),
        program=None if script.program is None else str(base / script.program),
    )


def _placed_steps(steps: tuple[Step, ...], base: Path) -> tuple[Step, ...]:
    return tuple(step if step.file is None else replace(step, file=str(base / step.file)) for step in steps)
