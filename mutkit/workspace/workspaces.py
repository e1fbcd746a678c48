"""Owns all workspaces of one run of mutkit, from the first look at the source to the last trace removed."""

from __future__ import annotations

import re
import signal
import tempfile
import threading
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from mutkit.digest import difference, tree_digest
from mutkit.errors import UsageError
from mutkit.model.tree import Kind
from mutkit.workspace.copying import copy_tree
from mutkit.workspace.private import Workspace
from mutkit.workspace.removal import remove
from mutkit.workspace.run_folder import RunFolder, home_name, temporary_folder

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from types import FrameType, TracebackType

    from mutkit.model.tree import Change, Snapshot

LEFT_OUT: frozenset[str] = frozenset(
    {
        # Version control. Never its ignore files: what they name may well be needed by a test.
        *(".git", ".hg", ".svn", ".bzr", ".jj", "CVS"),
        # Caches of Python and its tools: stale byte-code runs the wrong program.
        *(
            "__pycache__",
            ".pytest_cache",
            ".mypy_cache",
            ".ruff_cache",
            ".hypothesis",
            ".pytype",
            ".coverage",
            ".import_linter_cache",
            ".benchmarks",
            ".ipynb_checkpoints",
            ".eggs",
        ),
        # Environments; others are known by their pyvenv.cfg.
        *(".tox", ".nox", ".venv"),
    }
)
"""Names that are no part of a source tree wherever they stand; so is a folder that holds a ``pyvenv.cfg``."""


class Workspaces:
    """The workspaces of one run; leaving the context removes every trace, also after an interrupt, SIGTERM or
    SIGHUP.

    ``tree``: the source tree, absolute, links resolved; ``source``: its state at the start; ``skipped``: its
    special files (sockets, named pipes, devices), which workspaces do not have; ``removed_leftovers``: names
    of the folders of dead runs that were cleared at the start.
    """

    tree: Path
    source: Snapshot
    skipped: tuple[str, ...]
    removed_leftovers: tuple[str, ...]

    def __init__(self, tree: Path, *, leave_out: Iterable[str] = (), root: Path | None = None) -> None:
        """Take the source tree, more names to leave out, and the folder to work in (``None``: the system's
        temporary one).

        UsageError if ``tree`` is no folder, HostError if there is no temporary one.
        """
        self.tree = tree.resolve()
        if not self.tree.is_dir():
            raise UsageError(f"{tree} is no folder: a campaign's `tree` names the folder to be copied", slug="no-tree")
        # Ours may lie within the tree: a copy must not hold itself.
        self._leave_out = LEFT_OUT | frozenset(leave_out) | {home_name()}
        self._temporary = (root or temporary_folder()).resolve()
        self._handlers: dict[int, object] = {}

    def __enter__(self) -> Workspaces:  # noqa: PYI034 -- typing.Self came with 3.11
        """Clear leftovers, look at the source tree and copy it once; HostError if that is impossible."""
        self._handlers = _exit_on_signals()
        self._folder: RunFolder | None = None
        try:
            self._folder = RunFolder(self._temporary)
            self.removed_leftovers = self._folder.removed
            self.source = tree_digest(self.tree, self._leave_out)
            self.skipped = tuple(path for path, entry in self.source.items() if entry.kind is Kind.SPECIAL)
            # Workspaces are made from this copy, so that editing the source during a run disturbs nothing.
            self._master = self._folder.path / "master"
            copy_tree(self.tree, self._master, self.source, self.tree)
        except BaseException:
            self._leave()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Remove every trace; HostError if that is impossible."""
        self._leave()

    def _leave(self) -> None:
        try:
            if self._folder is not None:
                self._folder.close()
        finally:
            for number, handler in self._handlers.items():
                signal.signal(number, handler)  # type: ignore[arg-type]

    def take(self, name: str) -> Workspace:
        """Make a private copy of the tree; ``name`` (a word) becomes its folder's. ValueError if it was taken
        before.
        """
        if not re.fullmatch(r"[A-Za-z0-9_.-]+", name) or name.startswith("."):
            raise ValueError(f"{name!r} cannot name a workspace")
        place = self._run_path / f"workspace-{name}"
        if place.exists():
            raise ValueError(f"the workspace {name!r} has been taken")
        pristine = copy_tree(self._master, place, self.source, self.tree)
        return Workspace(place, master=self._master, pristine=pristine, leave_out=self._leave_out)

    def keep(self, name: str, file: str, content: bytes) -> Path:
        """Make a copy of the tree that outlives the run, with ``content`` in ``file``; return its folder.

        It is the user's from then on: nothing of mutkit removes it.
        """
        place = Path(tempfile.mkdtemp(prefix="mutkit-kept-", dir=self._temporary)) / name
        pristine = copy_tree(self._master, place, self.source, self.tree)
        kept = Workspace(place, master=self._master, pristine=pristine, leave_out=self._leave_out)
        kept.hold(file, content)
        return place

    @property
    def _run_path(self) -> Path:
        if self._folder is None:
            raise ValueError("the workspaces have not been entered")
        return self._folder.path

    @contextmanager
    def scratch(self) -> Iterator[Path]:
        """Give a fresh, empty folder (mode 700) outside of all workspaces; it is removed with all that is in
        it.
        """
        path = Path(tempfile.mkdtemp(prefix="scratch-", dir=self._run_path))
        try:
            yield path
        finally:
            remove(path)

    def source_changes(self) -> tuple[Change, ...]:
        """Return what of the source tree is not as it was at the start, every file read again."""
        return difference(self.source, tree_digest(self.tree, self._leave_out))


def _exit_on_signals() -> dict[int, object]:
    """Make signals that would end this process at once end it by SystemExit, so that it cleans up; return
    what they did before.

    Only where nobody else has taken care of them, and only in the main thread, which alone may.
    """
    if threading.current_thread() is not threading.main_thread():
        return {}
    return {
        number: signal.signal(number, _exit)
        for number in (signal.SIGTERM, signal.SIGHUP)
        if signal.getsignal(number) is signal.SIG_DFL
    }


def _exit(number: int, _: FrameType | None) -> None:
    raise SystemExit(128 + number)
