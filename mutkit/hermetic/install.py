"""Owns the folder that is to be the whole PATH of a program under test: mock commands, and links to named
real tools.
"""

from __future__ import annotations

import functools
import marshal
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mutkit.errors import UsageError
from mutkit.hermetic import bytecode
from mutkit.hermetic.scripts import Script

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_SHEBANG_LIMIT = 127
"""Kernels before 5.1 cut the first line of a program there."""

_CHILD = Path(__file__).with_name("child")
"""The package that makes up a mock child; its modules import no others of mutkit."""

_LAUNCHER = """\
import sys
try:
    with open({support!r} + sys.implementation.cache_tag, "rb") as bundle:
        import marshal
        code, modules = marshal.loads(bundle.read())
    exec(code)
    boot("mutkit_mock", modules)
except OSError:
    sys.path.insert(0, {support!r})
from mutkit_mock.main import main
main({script!r}, {record!r}, {name!r})
"""
"""An interpreter for which there is no byte-code, which it may have become since, takes the sources."""


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
    if not (support / "mutkit_mock").exists():
        (support / "mutkit_mock").mkdir()
        for part in _CHILD.glob("*.py"):
            shutil.copyfile(part, support / "mutkit_mock" / part.name)
    tag, bundle = _byte_code(python, "modules", _CHILD)
    if tag and not (support / tag).exists():
        _replace(support / tag, bundle)
    for name, given in mocks.items():
        if not name or "/" in name or name.startswith("."):
            raise UsageError(f"{name!r} is not the name of a command", slug="mock-name")
        script = Script.from_toml(given) if isinstance(given, Path) else given
        compiled = script.compiled(shown=f"mock {name}")
        if compiled.get("program"):
            compiled["program"] = {**compiled["program"], "file": _add_program(compiled, support, name, python)}
        _replace(support / f"{name}.script", marshal.dumps(compiled, 2))  # format 2: any Python reads it
        places = {"support": f"{support}/", "script": str(support / f"{name}.script"), "record": str(record)}
        _write_launcher(folder / name, support / f"{name}.py", _LAUNCHER.format(name=name, **places), python)
    return folder


def _add_program(script: dict[str, Any], support: Path, name: str, python: str) -> str:
    """Copy the file of a script's program, with its byte-code, and return the path of the copy."""
    file = Path(script["program"]["file"])
    copy = support / f"{name}.program.py"
    for old in support.glob(f"{name}.program.py.*"):
        old.unlink()
    shutil.copyfile(file, copy)
    tag, code = _byte_code(python, "program", file)
    if tag:
        _replace(copy.with_name(f"{copy.name}.{tag}"), code)
    return str(copy)


def _byte_code(python: str, what: str, path: Path) -> tuple[str, bytes]:
    """Return the byte-code that an interpreter makes, and its tag; no tag where it makes none."""
    stamps = tuple(part.stat().st_mtime_ns for part in (path.glob("*.py") if path.is_dir() else [path]))
    return _byte_code_once(python, what, path, stamps)


@functools.lru_cache(maxsize=32)
def _byte_code_once(python: str, what: str, path: Path, _stamps: tuple[int, ...]) -> tuple[str, bytes]:
    if Path(python).resolve() == Path(sys.executable).resolve():
        return bytecode.TAG, bytecode.modules(path) if what == "modules" else bytecode.program(path)
    command = [python, "-IS", bytecode.__file__, what, str(path)]
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=True, timeout=60)
    except (OSError, subprocess.SubprocessError):
        return "", b""  # it is started from its sources, and says itself what is wrong with it
    tag, _, code = done.stdout.partition(b"\n")
    return tag.decode(), code


def _replace(path: Path, data: bytes, mode: int = 0o644) -> None:
    """Write a file in one step: a mock that starts meanwhile reads the old or the new."""
    new = path.with_name(f"{path.name}.{os.getpid()}.new")
    new.write_bytes(data)
    new.chmod(mode)
    new.replace(path)


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
    _replace(target, text.encode("utf-8", "surrogateescape"), 0o755)
