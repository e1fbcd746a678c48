"""Private copies: what is copied, how a variant is held, and that everything is put back."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from mutkit.digest import tree_digest
from mutkit.errors import HostError, UsageError
from mutkit.workspace import LEFT_OUT, Workspace, Workspaces
from mutkit.workspace.copying import copy_tree

NONE: frozenset[str] = frozenset()


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Give a small source tree."""
    root = tmp_path / "tree"
    (root / "package").mkdir(parents=True)
    (root / "package" / "__init__.py").touch()
    (root / "package" / "module.py").write_text("value = 1\n")
    (root / "tool").write_text("#!/bin/sh\n")
    (root / "tool").chmod(0o755)
    return root


def enter(tree: Path, tmp_path: Path, **more: object) -> Workspaces:
    """Return workspaces that work in the test's own folder."""
    return Workspaces(tree, root=tmp_path, **more)  # type: ignore[arg-type]


def texts(changes: object) -> list[str]:
    """Return changes as texts."""
    return [str(change) for change in changes]  # type: ignore[attr-defined]


def test_a_copy_is_the_same_and_its_own(tree: Path, tmp_path: Path) -> None:
    """Same bytes, same modes, same times, and not one inode shared: a write cannot reach the source."""
    with enter(tree, tmp_path) as workspaces:
        first, second = workspaces.take("0").path, workspaces.take("1").path
        assert tree_digest(first, NONE) == tree_digest(second, NONE) == tree_digest(tree, NONE)
        for name in ("package/module.py", "tool"):
            statuses = [(root / name).stat() for root in (tree, first, second)]
            assert len({status.st_ino for status in statuses}) == 3
            assert {status.st_nlink for status in statuses} == {1}
            assert len({status.st_mtime_ns for status in statuses}) == 1
        (first / "package" / "module.py").write_text("value = 3\n")
        assert workspaces.source_changes() == ()
        assert (second / "package" / "module.py").read_text() == "value = 1\n"


def test_everything_is_removed_at_the_end(tree: Path, tmp_path: Path) -> None:
    """Also after an exception, which comes out as it is."""
    before = tree_digest(tree, NONE)

    def work() -> None:
        with enter(tree, tmp_path) as workspaces:
            assert workspaces.take("0").path.is_dir()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        work()
    assert list(tmp_path.glob("mutkit-*/run-*")) == []
    assert tree_digest(tree, NONE) == before


def test_version_control_caches_and_environments_are_left_out_by_name(tree: Path, tmp_path: Path) -> None:
    """What the ignore file of the project names is copied: a test may need it."""
    for name in sorted(LEFT_OUT | {"mine", "environment", "ignored"}):
        (tree / "package" / name).mkdir()
        (tree / "package" / name / "file").touch()
    (tree / "package" / "environment" / "pyvenv.cfg").touch()
    (tree / ".gitignore").write_text("ignored\n")
    with enter(tree, tmp_path, leave_out=["mine"]) as workspaces:
        path = workspaces.take("0").path
        assert sorted(item.name for item in (path / "package").iterdir()) == [
            "__init__.py",
            "ignored",
            "module.py",
        ]
        assert (path / "package" / "ignored" / "file").exists()
        assert workspaces.source_changes() == ()


def test_special_files_are_skipped_and_told(tree: Path, tmp_path: Path) -> None:
    """Copying a named pipe would wait for ever."""
    os.mkfifo(tree / "package" / "pipe")
    with enter(tree, tmp_path) as workspaces:
        assert workspaces.skipped == ("package/pipe",)
        workspace = workspaces.take("0")
        assert not (workspace.path / "package" / "pipe").exists()
        assert workspace.restore() == ()


@pytest.mark.parametrize("kind", ["relative", "absolute", "absolute through a link", "relative around the root"])
def test_a_link_into_the_source_points_into_the_workspace(tree: Path, tmp_path: Path, kind: str) -> None:
    """However it is written: what a test writes through it does not reach the source."""
    (tmp_path / "way").symlink_to(tree)
    target = {
        "relative": "../tool",
        "absolute": str(tree / "tool"),
        "absolute through a link": str(tmp_path / "way" / "tool"),
        "relative around the root": "../../tree/tool",
    }[kind]
    (tree / "package" / "link").symlink_to(target)
    with enter(tree, tmp_path) as workspaces:
        workspace = workspaces.take("0")
        link = workspace.path / "package" / "link"
        assert link.is_symlink()
        link.write_text("written through")
        assert workspaces.source_changes() == ()
        assert (workspace.path / "tool").read_text() == "written through"
        assert texts(workspace.restore()) == ["changed: tool"]
        assert link.is_symlink()


def test_a_link_out_of_the_tree_is_a_link_to_the_same_place(tree: Path, tmp_path: Path) -> None:
    """Relative to the copy it would point to nothing."""
    (tmp_path / "outside").write_text("shared")
    (tree / "package" / "relative").symlink_to("../../outside")
    (tree / "package" / "absolute").symlink_to(tmp_path / "outside")
    (tree / "package" / "dangling").symlink_to("nowhere")
    with enter(tree, tmp_path) as workspaces:
        package = workspaces.take("0").path / "package"
        for name in ("relative", "absolute"):
            assert (package / name).is_symlink()
            assert (package / name).read_text() == "shared"
        assert (package / "dangling").readlink() == Path("nowhere")


def test_a_tree_that_holds_the_temporary_folder_does_not_copy_itself(tree: Path) -> None:
    """Our own folder is no part of the tree, and its coming and going no change of it."""
    with Workspaces(tree, root=tree) as workspaces:
        path = workspaces.take("0").path
        assert path.is_relative_to(tree)
        assert sorted(item.name for item in path.iterdir()) == ["package", "tool"]
        assert workspaces.source_changes() == ()


def test_a_tree_that_is_no_folder_is_a_mistake(tree: Path, tmp_path: Path) -> None:
    """It is named as it was given."""
    with pytest.raises(UsageError, match="tool is no folder"):
        enter(tree / "tool", tmp_path)
    with pytest.raises(UsageError, match="gone is no folder"):
        enter(tree / "gone", tmp_path)


def test_editing_the_source_meanwhile_disturbs_no_workspace_and_is_told(tree: Path, tmp_path: Path) -> None:
    """Workspaces are made and put back from what the source was at the start."""
    with enter(tree, tmp_path) as workspaces:
        (tree / "package" / "module.py").write_text("value = 9\n")
        (tree / "tool").chmod(0o644)
        workspace = workspaces.take("0")
        assert (workspace.path / "package" / "module.py").read_text() == "value = 1\n"
        (workspace.path / "package" / "module.py").unlink()
        workspace.restore()
        assert (workspace.path / "package" / "module.py").read_text() == "value = 1\n"
        assert texts(workspaces.source_changes()) == ["changed: package/module.py", "changed: tool"]


def test_a_file_that_changes_between_look_and_copy_is_named(tree: Path, tmp_path: Path) -> None:
    """A copy that is neither the old nor the new state of the source is none."""
    entries = tree_digest(tree, NONE)
    (tree / "tool").write_text("another")
    with pytest.raises(HostError, match="tool changed while it was being copied") as caught:
        copy_tree(tree, tmp_path / "copy", entries, tree)
    assert caught.value.slug == "source-changed"


def test_a_held_variant_stands_there_with_the_mode_of_the_file(tree: Path, tmp_path: Path) -> None:
    """And is gone after restoring, which does not report it."""
    with enter(tree, tmp_path) as workspaces:
        workspace = workspaces.take("0")
        workspace.hold("tool", b"#!/bin/sh\nexit 1\n")
        assert (workspace.path / "tool").read_bytes() == b"#!/bin/sh\nexit 1\n"
        assert (workspace.path / "tool").stat().st_mode & 0o777 == 0o755
        modified = (tree / "tool").stat().st_mtime_ns
        assert workspace.restore() == ()
        assert tree_digest(workspace.path, NONE) == tree_digest(tree, NONE)
        assert (workspace.path / "tool").stat().st_mtime_ns == modified


def test_no_two_variants_of_a_file_bear_the_same_second(tree: Path, tmp_path: Path) -> None:
    """Nor that of the original, even if that lies in the future: byte-code is told stale by whole seconds."""
    file = tree / "package" / "module.py"
    os.utime(file, (4_000_000_000, 4_000_000_000))
    seen = {4_000_000_000}
    with enter(tree, tmp_path) as workspaces:
        workspace = workspaces.take("0")
        for number in range(4):
            workspace.hold("package/module.py", b"value = %d\n" % number)
            seen.add(int((workspace.path / "package" / "module.py").stat().st_mtime))
            if number == 1:
                workspace.restore()
    assert len(seen) == 5
    assert max(seen) < 4_000_000_100


def test_python_runs_the_variant_and_never_older_byte_code(tree: Path, tmp_path: Path) -> None:
    """Variants of one length within one second, run by a Python that writes and trusts byte-code in the
    workspace.
    """
    argv = [sys.executable, "-S", "-c", "from package import module; print(module.value)"]
    with enter(tree, tmp_path) as workspaces:
        workspace = workspaces.take("0")
        printed = []
        for number in range(6):
            workspace.hold("package/module.py", b"value = %d\n" % number)
            done = subprocess.run(argv, cwd=workspace.path, env={}, capture_output=True, check=True)
            printed.append(int(done.stdout))
            assert list((workspace.path / "package" / "__pycache__").glob("module.*.pyc"))
            if number == 3:
                assert workspace.restore() == ()
                assert not (workspace.path / "package" / "__pycache__").exists()
                assert (
                    subprocess.run(argv, cwd=workspace.path, env={}, capture_output=True, check=True).stdout == b"1\n"
                )
    assert printed == [0, 1, 2, 3, 4, 5]


def test_byte_code_that_is_never_checked_is_removed(tree: Path, tmp_path: Path) -> None:
    """Python can write byte-code that it then trusts without a look at the source."""
    argv = [sys.executable, "-S", "-c", "from package import module; print(module.value)"]
    poison = (
        "from py_compile import PycInvalidationMode, compile\n"
        "compile('package/module.py', invalidation_mode=PycInvalidationMode.UNCHECKED_HASH)"
    )
    with enter(tree, tmp_path) as workspaces:
        workspace = workspaces.take("0")
        subprocess.run([sys.executable, "-S", "-c", poison], cwd=workspace.path, env={}, check=True)
        workspace.hold("package/module.py", b"value = 2\n")
        assert subprocess.run(argv, cwd=workspace.path, env={}, capture_output=True, check=True).stdout == b"2\n"


@pytest.mark.parametrize(
    ("file", "why"),
    [
        ("link.py", "no regular file but a link"),
        ("package", "no regular file but a folder"),
        ("gone.py", "not in the tree"),
        (".git/config", "not in the tree|no folder"),
        ("linked/module.py", "leads through linked"),
        ("../tree/tool", "no plain path"),
        ("package/../tool", "no plain path"),
        ("./tool", "no plain path"),
        ("/etc/hostname", "no plain path"),
        ("tool\0", "no plain path"),
        ("", "no plain path"),
        (".", "no plain path"),
    ],
)
def test_only_a_regular_file_of_the_tree_is_replaced(tree: Path, tmp_path: Path, file: str, why: str) -> None:
    """Everything else is refused with its name, and nothing is written."""
    (tree / "link.py").symlink_to("package/module.py")
    (tree / "linked").symlink_to("package")
    (tree / ".git").mkdir()
    (tree / ".git" / "config").touch()
    with enter(tree, tmp_path) as workspaces:
        workspace = workspaces.take("0")
        with pytest.raises(UsageError, match=why) as caught:
            workspace.hold(file, b"")
        assert caught.value.slug == "not-a-source-file"
        assert repr(file) in str(caught.value)
        assert workspace.restore() == ()
        assert workspaces.source_changes() == ()


def test_a_file_that_a_run_made_a_link_is_not_written_through(tree: Path, tmp_path: Path) -> None:
    """A mutant may lay a link; holding refuses it, restoring replaces it, its target stays as it is."""
    (tmp_path / "outside").write_text("untouched")
    with enter(tree, tmp_path) as workspaces:
        workspace = workspaces.take("0")
        (workspace.path / "tool").unlink()
        (workspace.path / "tool").symlink_to(tmp_path / "outside")
        with pytest.raises(UsageError, match="no regular file"):
            workspace.hold("tool", b"x")
        shutil.rmtree(workspace.path / "package")
        (workspace.path / "package").symlink_to(tree / "package")
        with pytest.raises(UsageError, match="leads through package"):
            workspace.hold("package/module.py", b"x")
        assert texts(workspace.restore())[0] == "changed: package"
        assert tree_digest(workspace.path, NONE) == tree_digest(tree, NONE)
        assert (tmp_path / "outside").read_text() == "untouched"
        assert workspaces.source_changes() == ()


def test_a_hard_link_to_a_held_file_is_not_written_through(tree: Path, tmp_path: Path) -> None:
    """The variant gets an inode of its own each time."""
    with enter(tree, tmp_path) as workspaces:
        workspace = workspaces.take("0")
        (tmp_path / "kept").hardlink_to(workspace.path / "tool")
        workspace.hold("tool", b"variant")
        workspace.restore()
        assert (tmp_path / "kept").read_text() == "#!/bin/sh\n"


def damage(workspace: Workspace) -> None:
    """Do all that a run should not do to its tree."""
    root = workspace.path
    (root / "tool").write_text("rewritten")
    (root / "tool").chmod(0o600)
    shutil.rmtree(root / "package")
    (root / "package").write_text("a file now")
    (root / "new" / "deep").mkdir(parents=True)
    (root / "new" / "deep" / "file").touch()
    (root / "new" / "__pycache__").mkdir()
    os.mkfifo(root / "pipe")
    (root / ".pytest_cache").mkdir()


def test_whatever_a_run_did_is_put_back_and_told(tree: Path, tmp_path: Path) -> None:
    """Changes, removals, additions, exchanged kinds; caches are removed without a word."""
    with enter(tree, tmp_path) as workspaces:
        workspace = workspaces.take("0")
        damage(workspace)
        assert texts(workspace.restore()) == [
            "added: new",
            "added: new/deep",
            "added: new/deep/file",
            "changed: package",
            "removed: package/__init__.py",
            "removed: package/module.py",
            "added: pipe",
            "changed: tool",
        ]
        assert tree_digest(workspace.path, NONE) == tree_digest(tree, NONE)
        assert workspace.restore() == ()
        damage(workspace)
        assert len(workspace.restore()) == 8


def test_a_run_that_rewrites_the_held_file_is_told(tree: Path, tmp_path: Path) -> None:
    """The variant that ran is then not the one that was held."""
    with enter(tree, tmp_path) as workspaces:
        workspace = workspaces.take("0")
        workspace.hold("tool", b"variant")
        (workspace.path / "tool").write_text("other")
        assert texts(workspace.restore()) == ["changed: tool"]
        workspace.hold("tool", b"variant")
        (workspace.path / "tool").unlink()
        assert texts(workspace.restore()) == ["removed: tool"]


def test_a_rewrite_with_forged_time_and_size_is_found(tree: Path, tmp_path: Path) -> None:
    """Skipping unread what looks unchanged does not look at what a program can set."""
    with enter(tree, tmp_path) as workspaces:
        workspace = workspaces.take("0")
        file = workspace.path / "package" / "module.py"
        for _ in range(2):
            workspace.restore()
            status = file.stat()
            with file.open("r+") as opened:
                opened.write("value = 7\n")
            os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))
            assert texts(workspace.restore()) == ["changed: package/module.py"]
            assert file.read_text() == "value = 1\n"


def test_a_touched_file_is_no_change_but_gets_its_time_back(tree: Path, tmp_path: Path) -> None:
    """A build tool would take it for a newer one."""
    with enter(tree, tmp_path) as workspaces:
        workspace = workspaces.take("0")
        os.utime(workspace.path / "tool", (1, 1))
        assert workspace.restore() == ()
        assert (workspace.path / "tool").stat().st_mtime_ns == (tree / "tool").stat().st_mtime_ns


@pytest.mark.parametrize("how", ["removed", "moved", "link"])
def test_a_workspace_that_is_gone_is_made_anew(tree: Path, tmp_path: Path, how: str) -> None:
    """A mutant that deletes or moves its own folder, or puts a link to the source there, does no harm."""
    with enter(tree, tmp_path) as workspaces:
        workspace = workspaces.take("0")
        if how == "moved":
            workspace.path.rename(workspace.path.with_name("elsewhere"))
        else:
            shutil.rmtree(workspace.path)
        if how == "link":
            workspace.path.symlink_to(tree)
        assert len(workspace.restore()) == 4
        assert not workspace.path.is_symlink()
        assert tree_digest(workspace.path, NONE) == tree_digest(tree, NONE)
        assert workspaces.source_changes() == ()
    assert list(tmp_path.glob("mutkit-*/run-*")) == []


def test_a_copy_that_cannot_be_put_back_is_an_error(tree: Path, tmp_path: Path) -> None:
    """Never an approximation: if the master copy has been changed too, there is nothing to put back."""
    with enter(tree, tmp_path) as workspaces:
        workspace = workspaces.take("0")
        (workspace.path / "tool").unlink()
        (workspace.path.parent / "master" / "tool").write_text("changed")
        with pytest.raises(HostError, match="tool"):
            workspace.restore()


def test_a_scratch_folder_is_fresh_private_and_removed(tree: Path, tmp_path: Path) -> None:
    """Whatever was put in it, however deep."""
    with enter(tree, tmp_path) as workspaces:
        with workspaces.scratch() as first, workspaces.scratch() as second:
            assert first != second
            assert list(first.iterdir()) == []
            assert first.stat().st_mode & 0o777 == 0o700
            assert not first.is_relative_to(workspaces.take("0").path)
            here = os.open(first, os.O_RDONLY)
            for _ in range(1500):  # a path of this length cannot be named in one piece
                os.mkdir("deep", dir_fd=here)
                below = os.open("deep", os.O_RDONLY, dir_fd=here)
                os.close(here)
                here = below
            os.close(os.open("file", os.O_CREAT | os.O_WRONLY, dir_fd=here))
            os.close(here)
        assert not first.exists()
        assert not second.exists()


def test_leftovers_of_dead_runs_are_cleared_and_those_of_live_ones_are_not(tree: Path, tmp_path: Path) -> None:
    """A folder whose lock is free belongs to nobody; one that died before it had a lock as well."""
    home = tmp_path / f"mutkit-{os.getuid()}"
    for name in ("run-dead", "run-early", "run-live", "other"):
        (home / name).mkdir(parents=True)
        (home / name / "file").touch()
    home.chmod(0o700)
    (home / "run-dead" / "lock").touch()
    (home / "run-live" / "lock").touch()
    with (home / "run-live" / "lock").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with enter(tree, tmp_path) as workspaces:
            assert workspaces.removed_leftovers == ("run-dead", "run-early")
            with enter(tree, tmp_path) as others:
                assert others.removed_leftovers == ()
                assert workspaces.take("0").path.is_dir()
            assert workspaces.take("1").path.is_dir()
        assert sorted(item.name for item in home.iterdir()) == ["lock", "other", "run-live"]


@pytest.mark.parametrize("trouble", ["mode", "link", "owner"])
def test_a_folder_that_others_can_reach_is_not_used(tree: Path, tmp_path: Path, trouble: str) -> None:
    """In a shared temporary folder anybody may have made it."""
    home = tmp_path / f"mutkit-{os.getuid()}"
    if trouble == "link":
        (tmp_path / "theirs").mkdir(mode=0o700)
        home.symlink_to(tmp_path / "theirs")
    else:
        home.mkdir(mode=0o700)
    if trouble == "mode":
        home.chmod(0o770)
    if trouble == "owner":
        if os.getuid() != 0:
            pytest.skip("only root can give a folder away")
        os.chown(home, 65534, 65534)
    with pytest.raises(HostError, match="not a folder of yours alone") as caught, enter(tree, tmp_path):
        pass
    assert caught.value.slug == "temporary-folder"


def test_workspaces_can_be_used_on_another_thread(tree: Path, tmp_path: Path) -> None:
    """Where no signal handler can be set, everything else works."""
    paths: list[Path] = []

    def work() -> None:
        with enter(tree, tmp_path) as workspaces:
            paths.append(workspaces.take("0").path)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert len(paths) == 1
    assert not paths[0].exists()


def test_a_name_is_taken_once_and_is_a_word(tree: Path, tmp_path: Path) -> None:
    """Two workers never share a workspace."""
    with enter(tree, tmp_path) as workspaces:
        workspaces.take("0")
        with pytest.raises(ValueError, match="has been taken"):
            workspaces.take("0")
        with pytest.raises(ValueError, match="cannot name"):
            workspaces.take("../0")
