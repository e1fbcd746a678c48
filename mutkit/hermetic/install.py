"""Owns the folder that is to be the whole PATH of a program under test: mock commands, and links to named
real tools.
"""

from __future__ import annotations

import marshal
import os
import shlex
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from mutkit.errors import UsageError
from mutkit.hermetic.scripts import Script

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_SHEBANG_LIMIT = 127
"""Kernels before 5.1 cut the first line of a program there."""

_CHILD = Path(__file__).with_name("child")
"""The package that makes up a mock child; its modules import no others of mutkit."""

_LAUNCHER = """\
import sys
sys.path.insert(0, {support!r})
from mutkit_mock import main
main.main({script!r}, {record!r}, {name!r})
"""


def install(folder: Path, mocks: Mapping[str, Script | Path], record: Path, python: str) -> Path:
    """Make an executable for each command in ``folder`` and return the folder, absolute.

    ``mocks`` maps command names to scripts or script files; ``record`` is where calls are recorded;
    ``python`` the absolute path of the interpreter. Both folders are made where they are missing. SpecError
    for a script that is wrong.
    """
    folder, record = folder.absolute(), record.absolute()
    support = folder / ".mutkit"
    support.mkdir(parents=True, exist_ok=True)
    record.mkdir(parents=True, exist_ok=True)
    (support / "mutkit_mock").mkdir(exist_ok=True)
    for part in _CHILD.glob("*.py"):
        shutil.copyfile(part, support / "mutkit_mock" / part.name)
    for name, given in mocks.items():
        if not name or "/" in name or name.startswith("."):
            raise UsageError(f"{name!r} is not the name of a command", slug="mock-name")
        script = Script.from_toml(given) if isinstance(given, Path) else given
        compiled = support / f"{name}.script"
        compiled.write_bytes(marshal.dumps(script.compiled(shown=f"mock {name}"), 2))  # format 2: any Python reads it
        source = _LAUNCHER.format(support=str(support), script=str(compiled), record=str(record), name=name)
        _write_launcher(folder / name, support / f"{name}.py", source, python)
    return folder


def link_tools(folder: Path, tools: Iterable[str], path: str | None = None) -> None:
    """Put links to real programs, found on ``path`` (None: the PATH of this process), into ``folder``.

    UsageError (slug ``tool-missing``) where one is not there.
    """
    for tool in tools:
        found = shutil.which(tool, path=path)
        if found is None:
            raise UsageError(
                f"the tool {tool!r} is not on PATH. Install it, or take it out of `tools`.",
                slug="tool-missing",
            )
        (folder / Path(tool).name).symlink_to(Path(found).absolute())


def _write_launcher(target: Path, program: Path, source: str, python: str) -> None:
    """Write the executable. A first line takes one word without blanks; what does not fit goes through
    /bin/sh.
    """
    shebang = f"#!{python} -IS\n"
    if len(os.fsencode(shebang)) <= _SHEBANG_LIMIT and not any(blank in python for blank in " \t\n"):
        text = shebang + source
    else:
        program.write_text(source, encoding="utf-8", errors="surrogateescape")
        text = f'#!/bin/sh\nexec {shlex.quote(python)} -IS {shlex.quote(str(program))} "$@"\n'
    target.write_text(text, encoding="utf-8", errors="surrogateescape")
    target.chmod(0o755)
