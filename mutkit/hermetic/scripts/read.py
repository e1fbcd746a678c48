"""Owns reading of mock scripts from TOML, with all faults at once."""

from __future__ import annotations

import functools
import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

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
    document = read_toml(path, str(path))
    if isinstance(document, Problem):
        raise SpecError([replace(document, slug=SLUG)])
    faults = Faults(str(path), document)
    script, sound = _script(values.plain(document.data, (), faults), faults)
    if script.profile is not None:
        from mutkit.hermetic.scripts.profiles.options import on_profile

        script = on_profile(script, faults)
        faults.tell()  # what follows looks at the profile's own program
    compile_script(script, path.parent, 0, faults, whole=sound)
    faults.tell()
    return _placed(script, path.parent.absolute())


def check(path: Path) -> list[Problem]:
    """Return everything that is wrong with the script in the file, in the order of the file; nothing is run."""
    try:
        read(path)
    except SpecError as error:
        return list(error.problems)
    return []


def _script(data: Any, faults: Faults) -> tuple[MockScript, bool]:
    """Return the script, and whether it is whole: what has a fault is left out of it, so that the rest can be looked
    at.
    """
    from pydantic import ValidationError

    try:
        return adapter().validate_json(json.dumps(data)), True
    except ValidationError as error:
        wrong = values.tell(error.errors(include_url=False), data, faults)
    try:
        return adapter().validate_json(json.dumps(values.without(data, wrong))), False
    except ValidationError:  # so much is wrong that nothing is left
        return MockScript(), False


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
