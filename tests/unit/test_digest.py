"""What a tree's digest sees, what it leaves alone, and how two states differ."""

from __future__ import annotations

import hashlib
import os
import socket
from typing import TYPE_CHECKING

import pytest

from mutkit.digest import Scan, bytes_digest, difference, tree_digest
from mutkit.errors import HostError
from mutkit.model.tree import Change, Difference, Entry, Kind

if TYPE_CHECKING:
    from pathlib import Path

NONE: frozenset[str] = frozenset()


def test_files_folders_and_links_are_told_by_kind_content_and_mode(tmp_path: Path) -> None:
    """Paths are relative, with slashes, in order."""
    (tmp_path / "folder").mkdir(mode=0o750)
    (tmp_path / "folder" / "file").write_bytes(b"content")
    (tmp_path / "folder" / "file").chmod(0o754)
    (tmp_path / "link").symlink_to("folder/file")
    assert tree_digest(tmp_path, NONE) == {
        "folder": Entry(Kind.FOLDER, mode=0o750),
        "folder/file": Entry(Kind.FILE, hashlib.sha256(b"content").hexdigest(), 0o754),
        "link": Entry(Kind.LINK, "folder/file"),
    }
    assert list(tree_digest(tmp_path, NONE)) == ["folder", "folder/file", "link"]
    assert bytes_digest(b"content") == hashlib.sha256(b"content").hexdigest()


def test_special_files_are_named_and_never_opened(tmp_path: Path) -> None:
    """Opening a named pipe would wait for ever."""
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "socket"))
        assert tree_digest(tmp_path, NONE) == {"pipe": Entry(Kind.SPECIAL), "socket": Entry(Kind.SPECIAL)}


def test_links_are_not_followed(tmp_path: Path) -> None:
    """Neither a loop nor a folder outside of the tree is entered."""
    outside, tree = tmp_path / "outside", tmp_path / "tree"
    outside.mkdir()
    (outside / "file").touch()
    tree.mkdir()
    (tree / "loop").symlink_to(".")
    (tree / "out").symlink_to(outside)
    assert list(tree_digest(tree, NONE)) == ["loop", "out"]


def test_names_are_left_out_wherever_they_stand_and_so_are_virtual_environments(tmp_path: Path) -> None:
    """A virtual environment is known by its pyvenv.cfg, whatever its name."""
    for folder in ("cache", "a/cache", "env", "kept"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "file").touch()
    (tmp_path / "env" / "pyvenv.cfg").touch()
    scan = Scan(tmp_path, frozenset({"cache"})).run()
    assert list(scan.entries) == ["a", "kept", "kept/file"]
    assert sorted(scan.left_out) == ["a/cache", "cache", "env"]


def test_a_name_that_is_no_text_is_a_name(tmp_path: Path) -> None:
    """Names are bytes on this system; they come back as they are."""
    (tmp_path / os.fsdecode(b"\xff\n")).touch()
    assert [os.fsencode(name) for name in tree_digest(tmp_path, NONE)] == [b"\xff\n"]


def test_every_kind_of_difference_is_told(tmp_path: Path) -> None:
    """Content, mode, kind and target of a link count; so do additions and removals."""
    for name in ("content", "gone", "kind", "mode", "same"):
        (tmp_path / name).write_text("1")
    (tmp_path / "link").symlink_to("a")
    before = tree_digest(tmp_path, NONE)
    (tmp_path / "content").write_text("2")
    (tmp_path / "gone").unlink()
    (tmp_path / "kind").unlink()
    (tmp_path / "kind").mkdir()
    (tmp_path / "mode").chmod(0o755)
    (tmp_path / "link").unlink()
    (tmp_path / "link").symlink_to("b")
    (tmp_path / "new").touch()
    assert difference(before, tree_digest(tmp_path, NONE)) == (
        Change("content", Difference.CHANGED),
        Change("gone", Difference.REMOVED),
        Change("kind", Difference.CHANGED),
        Change("link", Difference.CHANGED),
        Change("mode", Difference.CHANGED),
        Change("new", Difference.ADDED),
    )
    assert str(Change("new", Difference.ADDED)) == "added: new"


def test_an_earlier_scan_does_not_hide_a_change_with_forged_times(tmp_path: Path) -> None:
    """Equal size and time of modification are easily had; the time of the last change cannot be set."""
    file = tmp_path / "file"
    file.write_text("1")
    status = file.stat()
    # Taken long after the change, as far as it knows: only the stamps can tell.
    first = Scan(tmp_path, NONE).run()
    for path, stamp in first.stamps.items():
        first.stamps[path] = type(stamp)(stamp.inode, stamp.size, stamp.modified, stamp.changed, stamp.taken + 10**9)
    while file.stat().st_ctime_ns == status.st_ctime_ns:
        file.write_text("2")
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert file.stat().st_mtime_ns == status.st_mtime_ns
    second = Scan(tmp_path, NONE, earlier=first).run()
    assert difference(first.entries, second.entries) == (Change("file", Difference.CHANGED),)


def test_a_stamp_of_the_moment_of_a_change_is_not_trusted(tmp_path: Path) -> None:
    """Two changes within one tick of the clock bear the same time: then the file is read again."""
    file = tmp_path / "file"
    file.write_text("1")
    first = Scan(tmp_path, NONE).run()
    status = file.stat()
    file.write_text("2")
    # What the file bears now is made the stamp of the first look, as if both writes had been within one tick.
    later = Scan(tmp_path, NONE).run().stamps["file"]
    first.stamps["file"] = type(later)(later.inode, later.size, later.modified, later.changed, status.st_ctime_ns)
    second = Scan(tmp_path, NONE, earlier=first).run()
    assert second.entries["file"].content == bytes_digest(b"2")


def test_an_unchanged_file_is_not_read_again(tmp_path: Path) -> None:
    """The point of stamps: what they prove is taken over."""
    file = tmp_path / "file"
    file.write_text("1")
    first = Scan(tmp_path, NONE).run()
    stamp = first.stamps["file"]
    first.stamps["file"] = type(stamp)(stamp.inode, stamp.size, stamp.modified, stamp.changed, stamp.taken + 10**9)
    first.entries["file"] = Entry(Kind.FILE, "taken over", 0o644)
    assert Scan(tmp_path, NONE, earlier=first).run().entries["file"].content == "taken over"


def test_a_folder_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    """Also where the root itself is no folder at all."""
    (tmp_path / "file").touch()
    with pytest.raises(HostError, match=r"cannot read the folder .*file") as caught:
        tree_digest(tmp_path / "file", NONE)
    assert caught.value.slug == "unreadable"
