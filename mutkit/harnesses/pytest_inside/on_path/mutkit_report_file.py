"""Owns the file of a session's report: its lines, and what they say of exceptions.

Cases replace functions of the standard library while they run, or fork: what is needed to write a line is bound here,
before any case.
"""

from __future__ import annotations

import importlib.util
import json
import os
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from types import TracebackType

CAP = 65536
"""Messages are cut to this many characters, and say so."""

REPORT_FILE = Path(__file__)
"""This module, which is part of the harness where mutkit is itself the subject."""

OBSERVE_FILE = Path(__file__).resolve().parents[3] / "pytest_plugin.py"
"""The module with the `observe` fixture, which must come from the same mutkit as this file."""


def load_observe() -> ModuleType:
    """Return the module with the ``observe`` fixture, loaded under a name of its own."""
    spec = importlib.util.spec_from_file_location("mutkit_observe_fixture", OBSERVE_FILE)
    if spec is None or spec.loader is None:
        raise ImportError(str(OBSERVE_FILE))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


observe = load_observe()
"""That module."""

_system = SimpleNamespace(stat=os.stat, getpid=os.getpid, exit=os._exit, realpath=os.path.realpath)

_id: pytest.StashKey[str] = pytest.StashKey()

FORKED = 70
"""With what status a forked child of a case ends that would run the rest of the session a second time."""


class Report:
    """The file of the report, and what its lines are made of."""

    def __init__(self, run_file: str) -> None:
        """Take the file with the instructions."""
        self.run: dict[str, Any] = json.loads(Path(run_file).read_bytes())
        self.file: str = self.run["report"]
        self.tree = Path(self.run["tree"])
        self._roots = tuple(dict.fromkeys(f"{root}/" for root in (self.tree, _system.realpath(self.tree))))
        self._pid = _system.getpid()

    def line(self, event: str, **content: Any) -> None:
        """Append one event; a forked child that came back to the session says so instead, and ends."""
        pid = _system.getpid()
        if pid == self._pid:
            observe.append_line(self.file, {"event": event, "pid": pid, **content})
            return
        try:
            observe.append_line(self.file, {"event": "forked", "pid": pid, "id": content.get("id", "")})
        finally:
            _system.exit(FORKED)

    def case_id(self, item: pytest.Item) -> str:
        """Return the id of a case, relative to the tree; it stays what it was when first asked for."""
        known = item.stash.get(_id, None)
        if known is None:
            known = item.stash[_id] = str(observe.case_id(item, self.tree))
        return known

    def relative_path(self, path: Path) -> str:
        """Return a path relative to the tree, or absolute where it is outside of it."""
        return str(observe.relative_path(path, self.tree))

    def collect_error(self, path: Path, error: BaseException) -> None:
        """Append that a file or folder could not be collected."""
        self.line("collect-error", path=self.relative_path(path), **self.exception(error))

    def exception(self, error: BaseException) -> dict[str, str]:
        """Return type, message and innermost place in the tree of an exception."""
        return {
            "exception": observe.qualified_name(type(error)),
            "message": cut(text_of(error)),
            "place": self._place(error.__traceback__),
        }

    def _place(self, traceback: TracebackType | None) -> str:
        place = ""
        while traceback is not None:
            file = traceback.tb_frame.f_code.co_filename
            root = next((root for root in self._roots if file.startswith(root)), None)
            if root is not None:
                place = f"{file[len(root) :]}:{traceback.tb_lineno}"
            traceback = traceback.tb_next
        return place

    def observed_bytes(self) -> int:
        """Return how long the file of observations is now."""
        try:
            return int(_system.stat(self.run["observations"]).st_size)
        except OSError:
            return 0


def text_of(value: object) -> str:
    """Return ``str(value)``, or which exception that raised."""
    try:
        return str(value)
    except BaseException as failure:  # noqa: BLE001  (the subject's own __str__ may raise anything, SystemExit too)
        return f"<str() of it raised {observe.qualified_name(type(failure))}>"


def cut(message: str) -> str:
    """Return the message, cut to ``CAP`` characters with a note at its end where it is longer."""
    if len(message) <= CAP:
        return message
    return f"{message[:CAP]}\n[mutkit: cut after {CAP} of {len(message)} characters]"
