"""Owns what an interpreter says of itself: from which folders, and by which redirections, it imports.

An editable install makes the subject importable from the source tree. A run must import the workspace
instead, so the same folders of the workspace go on PYTHONPATH, which is searched before any of the ways of
editable installs.
"""

from __future__ import annotations

import json
import os
import tempfile
from functools import lru_cache
from pathlib import Path
from typing import Any

from mutkit.errors import HostError
from mutkit.model.ending import Exited
from mutkit.process import run

DEADLINE = 60.0
"""Seconds that an interpreter may take to answer."""

_QUESTION = """
import json, os, sys, sysconfig
redirected = {}
for name, module in list(sys.modules.items()):
    if name.startswith("__editable__") and name.endswith("_finder"):
        redirected.update(module.MAPPING)
finder = getattr(sys.modules.get("editables.redirector"), "RedirectingFinder", None)
for name, file in getattr(finder, "_redirections", {}).items():
    init = os.path.basename(file).split(".")[0] == "__init__"
    redirected[name] = os.path.dirname(file) if init else file
libraries = [sysconfig.get_path(kind) for kind in ("stdlib", "platstdlib", "purelib", "platlib")]
answer = {"path": sys.path, "redirected": redirected, "libraries": libraries}
sys.stdout.write("\\n" + json.dumps(answer))
"""


def workspace_path(python: str, source: Path, tree: Path) -> tuple[str, ...]:
    """Return the folders of ``tree`` to put on PYTHONPATH, so that imports of ``source`` resolve to its copy.

    ``python`` is asked once; its entries of ``sys.path`` and its editable installs that lie in ``source``
    count. Raises HostError where the interpreter does not answer.
    """
    answer = _ask(python)
    places = [entry for entry in answer["path"] if entry and os.path.isdir(entry)]
    for name, target in answer["redirected"].items():
        # a.b.c at /src/a/b/c is found from /src; only what keeps its name can be found by a path.
        above = Path(target).with_suffix("") if Path(target).is_file() else Path(target)
        parts = tuple(name.split("."))
        if above.parts[-len(parts) :] == parts:
            places.append(str(above.parents[len(parts) - 1]))
    real = Path(os.path.realpath(source))
    found: dict[str, None] = {}
    for place in places:
        folder = Path(os.path.realpath(place))
        if folder.is_relative_to(real):
            found[str(tree / folder.relative_to(real))] = None
    libraries = {os.path.realpath(library) for library in answer["libraries"]}
    return tuple(place for place in found if str(real / Path(place).relative_to(tree)) not in libraries)


@lru_cache(maxsize=32)
def _ask(python: str) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="mutkit-ask-") as folder:
        result = run([python, "-c", _QUESTION], cwd=Path(folder), env=dict(os.environ), deadline=DEADLINE)
    if result.ending != Exited(0):
        raise HostError(f"The interpreter {python} cannot be used ({result.ending}): {result.stderr.text[-2000:]}")
    answer: dict[str, Any] = json.loads(result.stdout.head.rpartition(b"\n")[2])
    return answer
