"""What digests and workspaces do for a user who may not do everything, as root may."""

from __future__ import annotations

import os
import shutil
import tempfile
import traceback
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from mutkit.digest import tree_digest
from mutkit.errors import HostError
from mutkit.workspace import Workspaces

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

NOBODY = 65534


@pytest.fixture
def folder() -> Iterator[Path]:
    """Give a folder that can be reached by every user; pytest's own can not."""
    path = Path(tempfile.mkdtemp(prefix="mutkit-test-"))
    yield path
    shutil.rmtree(path)


def as_a_user(folder: Path, function: Callable[[], None]) -> None:
    """Run a function that must not fail as a user to whom `folder` belongs, and who is not root."""
    if os.getuid() != 0:
        function()
        return
    for path in (folder, *folder.rglob("*")):
        os.chown(path, NOBODY, NOBODY, follow_symlinks=False)
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            os.setgid(NOBODY)
            os.setuid(NOBODY)
            function()
            code = 0
        except BaseException:  # noqa: BLE001 -- this process ends here, whatever comes
            traceback.print_exc()
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


def test_a_file_that_cannot_be_read_is_named(folder: Path) -> None:
    """A tree of which a part is unknown has no digest and no copy; nothing is left of the attempt."""
    tree = folder / "tree"
    tree.mkdir()
    (tree / "secret").touch(mode=0)

    def look() -> None:
        with pytest.raises(HostError, match=r"cannot read .*secret"):
            tree_digest(tree, frozenset())
        with pytest.raises(HostError, match=r"cannot read .*secret"), Workspaces(tree, root=folder):
            pass

    as_a_user(folder, look)
    assert list(folder.glob("mutkit-*/run-*")) == []


def test_read_only_trees_are_copied_held_restored_and_removed(folder: Path) -> None:
    """The copy is as read-only as the source, and is worked on all the same."""
    tree = folder / "tree"
    (tree / "package").mkdir(parents=True)
    (tree / "package" / "module.py").write_text("x = 1\n")
    (tree / "package" / "module.py").chmod(0o444)
    (tree / "package").chmod(0o555)

    def work() -> None:
        with Workspaces(tree, root=folder) as workspaces:
            workspace = workspaces.take("0")
            package = workspace.path / "package"
            workspace.hold("package/module.py", b"x = 2\n")
            assert (package / "module.py").read_bytes() == b"x = 2\n"
            assert (package.stat().st_mode & 0o777, (package / "module.py").stat().st_mode & 0o777) == (
                0o555,
                0o444,
            )
            assert workspace.restore() == ()
            assert tree_digest(workspace.path, frozenset()) == tree_digest(tree, frozenset())

    as_a_user(folder, work)
    (tree / "package").chmod(0o755)
    assert list(folder.glob("mutkit-*/run-*")) == []


def test_rights_that_a_run_takes_away_are_given_back(folder: Path) -> None:
    """A folder or file that nobody may enter or read is put back as well, and what is in it."""
    tree = folder / "tree"
    (tree / "package").mkdir(parents=True)
    (tree / "package" / "module.py").write_text("x = 1\n")
    (tree / "other.py").write_text("y = 1\n")

    def work() -> None:
        with Workspaces(tree, root=folder) as workspaces:
            workspace = workspaces.take("0")
            (workspace.path / "package" / "module.py").write_text("x = 3\n")
            (workspace.path / "package" / "added").mkdir()
            (workspace.path / "package" / "added" / "file").touch()
            (workspace.path / "package" / "added").chmod(0)
            (workspace.path / "package").chmod(0)
            (workspace.path / "other.py").chmod(0)
            assert [str(change) for change in workspace.restore()] == [
                "changed: other.py",
                "changed: package",
                "added: package/added",
                "added: package/added/file",
                "changed: package/module.py",
            ]
            assert tree_digest(workspace.path, frozenset()) == tree_digest(tree, frozenset())
            # What is removed may be locked as well.
            with workspaces.scratch() as scratch:
                (scratch / "file").touch()
                scratch.chmod(0)
            (workspace.path / "package").chmod(0)
            workspace.path.chmod(0)

    as_a_user(folder, work)
    assert list(folder.glob("mutkit-*/run-*")) == []
