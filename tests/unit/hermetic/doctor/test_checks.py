"""Owns the tests of the doctor's checks, each with the failing case forced."""

from __future__ import annotations

import fcntl
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mutkit.errors import HostError
from mutkit.hermetic.doctor import boundaries, files, inside, isolation, processes, programs
from mutkit.hermetic.doctor.asking import ask
from mutkit.hermetic.doctor.examine import Check, within
from mutkit.hermetic.doctor.finding import Examination, Finding, Result
from mutkit.hermetic.doctor.shown import as_json, as_lines, conclusion
from mutkit.process import Network, run

YES, LIMITS, NO = Result.YES, Result.LIMITS, Result.NO


def _program(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)
    return path


def test_a_temporary_folder_that_is_not_there_is_told_with_the_one_that_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Python's own fall-back is not silent."""
    monkeypatch.setenv("TMPDIR", str(tmp_path / "none"))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    found = files.writable("mutkit-0")
    assert (found.result, found.measured["folder"]) == (LIMITS, str(tmp_path))
    assert str(tmp_path / "none") in found.detail


def test_a_temporary_folder_that_cannot_be_written_to_hinders(monkeypatch: pytest.MonkeyPatch) -> None:
    """/proc takes no files, not even root's."""
    monkeypatch.setattr("tempfile.tempdir", "/proc")
    assert files.writable("mutkit-0").hinders


@pytest.mark.parametrize("fault", ["others may write", "a link"])
def test_a_folder_of_all_runs_that_is_not_mine_alone_hinders_as_it_hinders_a_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    """The doctor must not promise what a run then refuses."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    home = tmp_path / "mutkit-0"
    if fault == "a link":
        home.symlink_to(tmp_path)
    else:
        home.mkdir()
        home.chmod(0o777)
    found = files.writable("mutkit-0")
    assert found.hinders
    assert str(home) in found.detail
    home.unlink() if fault == "a link" else home.rmdir()
    assert files.writable("mutkit-0").result is YES
    assert list(tmp_path.iterdir()) == []


def test_a_program_that_may_not_be_started_hinders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a noexec mount: here the mode bits are taken away."""
    assert files.programs(tmp_path).result is YES
    monkeypatch.setattr(Path, "chmod", lambda self, mode: os.chmod(self, mode & ~0o111))
    found = files.programs(tmp_path)
    assert found.hinders
    assert "Permission denied" in found.detail


@pytest.mark.parametrize(
    ("size", "number", "result"),
    [
        (2**31, None, YES),
        (2**31, 50_000, YES),
        (2**29, None, LIMITS),
        (2**31, 50, LIMITS),
        (2**23, None, NO),
        (2**31, 0, NO),
    ],
)
def test_little_room_is_a_limit_and_none_hinders(size: int, number: int | None, result: Result) -> None:
    """Bytes and files both run out."""
    found = files.room_finding(size, number)
    assert (found.result, found.hinders) == (result, result is NO)


@pytest.mark.parametrize(
    ("program", "said"),
    [
        ("#!/bin/sh\nexec /bin/cat\n", "of 262,144 bytes 262,144 and 0 came back"),
        ("#!/bin/sh\nexit 3\n", "a Python child: exit 3"),
    ],
    ids=["loses bytes", "fails"],
)
def test_a_child_that_fails_or_loses_bytes_hinders(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: str, said: str
) -> None:
    """What comes back is compared, byte for byte."""
    liar = str(_program(tmp_path, "liar", program))
    monkeypatch.setattr(processes, "run", lambda argv, **more: run([liar, *argv[1:]], **more))
    found = processes.child_processes(tmp_path)
    assert found.hinders
    assert said in found.detail


def test_a_path_that_does_not_fit_in_a_first_line_is_a_limit_and_a_mock_still_starts(tmp_path: Path) -> None:
    """Through /bin/sh, as the finding says."""
    folder = tmp_path / "with blanks"
    folder.mkdir()
    python = _program(folder, "python", f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    found = processes.mock_child(tmp_path / "m", str(python))
    assert found.result is LIMITS, found
    assert "/bin/sh" in found.detail


def test_a_mock_that_does_not_work_hinders_and_says_what_it_said(tmp_path: Path) -> None:
    """An interpreter that cannot run it."""
    python = _program(tmp_path, "python", "#!/bin/sh\necho no such thing >&2\nexit 9\n")
    (tmp_path / "m").mkdir()
    found = processes.mock_child(tmp_path / "m", str(python))
    assert found.hinders
    assert "exit 9: no such thing" in found.detail
    found = processes.mock_child(tmp_path / "m", str(tmp_path / "none"))
    assert found.hinders
    assert "not started" in found.detail


@pytest.mark.parametrize(
    ("opened", "result", "said"),
    [(256, YES, ""), (100, LIMITS, "--jobs 6"), (16, LIMITS, "--jobs 1"), (15, NO, "exit 71")],
)
def test_few_descriptors_allow_few_workspaces(opened: int, result: Result, said: str) -> None:
    """16 are enough for one."""
    found = processes.open_files_finding(opened, 300, None)
    assert (found.result, found.measured) == (result, {"opened": opened, "soft": 300, "hard": None})
    assert said in found.follows


def test_a_pipe_that_does_not_shrink_or_tell_its_state_is_no(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of the things that exact boundaries rest on is looked at, and nothing is left open."""
    before = len(os.listdir("/proc/self/fd"))
    assert boundaries.pipes(tmp_path).result is YES

    def never_less(*words: Any) -> int:
        return 65536

    for attribute, stand_in, said in (
        ("fcntl", never_less, "shrunk to one page has 65,536 bytes"),
        ("ioctl", lambda *_: b"\7\0\0\0", "FIONREAD is 7"),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(fcntl, attribute, stand_in)
            found = boundaries.pipes(tmp_path)
        assert (found.result, said in found.detail) == (NO, True), found
    with monkeypatch.context() as patch:
        patch.setattr(boundaries, "_F_SETPIPE_SZ", 1032)  # asks for the size instead of changing it
        assert boundaries.pipes(tmp_path).result is NO
    assert len(os.listdir("/proc/self/fd")) == before


def test_messages_without_descriptors_merge_and_the_check_sees_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The check would notice a kernel that does not stop a read there."""
    assert boundaries.sockets(tmp_path).result is YES

    class Plain(socket.socket):
        def sendmsg(self, buffers: Any, *_: Any) -> int:
            return super().sendmsg(buffers)

    def pair() -> tuple[socket.socket, ...]:
        return tuple(Plain(one.family, one.type, one.proto, one.detach()) for one in real())

    real = socket.socketpair
    monkeypatch.setattr(socket, "socketpair", pair)
    found = boundaries.sockets(tmp_path)
    assert found.result is NO
    assert "200 writes were read as [200" in found.detail


def test_a_loopback_that_refuses_is_no(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An address of nobody cannot be bound."""
    assert boundaries.loopback(tmp_path).result is YES
    real = boundaries._try_loopback
    monkeypatch.setattr(boundaries, "_try_loopback", lambda *_: real(socket.AF_INET, inside.OUTSIDE[0]))
    found = boundaries.loopback(tmp_path)
    assert found.result is NO
    assert "127.0.0.1" in found.detail


def test_a_network_that_is_not_closed_is_no(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Turned off, refused, or a child in it that reaches more than it may: each leaves it open, and says why."""
    with monkeypatch.context() as patch:
        patch.setenv("MUTKIT_NAMESPACES", "off")
        found = isolation.network(tmp_path)
    assert (found.result, "open network" in found.follows, found.hinders) == (NO, True, False)
    assert "MUTKIT_NAMESPACES=off" in found.detail
    broken = tmp_path / "holder.py"
    broken.write_text("raise SystemExit(3)\n")
    with monkeypatch.context() as patch:
        patch.setattr("mutkit.process.network.HOLDER", str(broken))
        found = isolation.network(tmp_path)
    assert (found.result, "ended at once" in found.detail) == (NO, True), found
    with Network() as real:
        if not real.isolation.closed:
            pytest.skip("no network namespace here")
    with monkeypatch.context() as patch:
        patch.setattr(isolation, "ask", lambda *_: ask("loopback-is-no-word", tmp_path))
        assert isolation.network(tmp_path).result is NO
    assert isolation.network(tmp_path).result is YES


def test_a_child_that_reaches_more_than_the_loopback_is_seen(tmp_path: Path) -> None:
    """The address of nobody is replaced by one that answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        text = Path(str(inside.__file__)).read_text(encoding="utf-8")
        changed = text.replace('("192.0.2.1", 9)', repr(server.getsockname()))
        assert changed != text
        (tmp_path / "inside.py").write_text(changed, encoding="utf-8")
        done = subprocess.run(
            [sys.executable, "-I", "-S", "inside.py", "loopback"], cwd=tmp_path, capture_output=True, check=True
        )
    assert done.stdout == b'[false, "127.0.0.1 was reached from inside"]\n'


@pytest.mark.parametrize("check", [processes.subreaper, isolation.overlay])
def test_a_child_that_cannot_try_it_is_no_with_its_last_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, check: Callable[[Path], Finding]
) -> None:
    """What goes wrong in the child is said, and is no bug."""
    broken = tmp_path / "inside.py"
    broken.write_text("raise RuntimeError('cannot')\n")
    monkeypatch.setattr("mutkit.hermetic.doctor.asking.INSIDE", str(broken))
    found = check(tmp_path)
    assert (found.result, found.detail) == (NO, "exit 1: RuntimeError: cannot")


def test_a_kernel_that_refuses_namespaces_is_told_in_its_own_words(tmp_path: Path) -> None:
    """The limit on user namespaces is set to none around the child."""
    around = ["unshare", "-r", "/bin/sh", "-c", 'echo 0 >/proc/sys/user/max_user_namespaces && exec "$@"', "sh"]
    if subprocess.run([*around, "true"], capture_output=True, check=False).returncode != 0:
        pytest.skip("no user namespace here, or no unshare")
    done = subprocess.run(
        [*around, sys.executable, "-I", "-S", str(inside.__file__), "overlay"],
        cwd=tmp_path,
        capture_output=True,
        check=True,
    )
    assert done.stdout == b'[false, "[Errno 28] unshare: No space left on device"]\n'


def test_programs_that_are_missing_or_broken_are_no(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file of the name on PATH is not enough: it has to work."""
    monkeypatch.setenv("PATH", str(tmp_path))
    assert programs.node(tmp_path).detail == "not on PATH"
    _program(tmp_path, "node", "#!/bin/sh\necho it is broken >&2\nexit 3\n")
    _program(tmp_path, "git", "#!/bin/sh\necho git version 2.1\n")
    assert programs.node(tmp_path).detail == f"{tmp_path}/node: exit 3: it is broken"
    found = programs.git(tmp_path)
    assert (found.result, found.measured) == (YES, {"path": f"{tmp_path}/git", "version": "2.1"})


def test_a_check_that_hangs_is_given_up_and_one_that_fails_is_no() -> None:
    """Nothing that the system says ends the examination; a bug of ours does."""
    never = threading.Event()

    def hang(_: Path) -> Finding:
        never.wait()
        return Finding("x", YES, "")

    def refuse(_: Path) -> Finding:
        raise HostError("nothing can be started")

    def bug(_: Path) -> Finding:
        raise ValueError

    found = within(0.01, Check("x", hang, True, "exit 71"), Path())
    assert (found.result, found.hinders, found.follows) == (NO, True, "exit 71")
    assert "no end" in found.detail
    never.set()
    found = within(30, Check("x", refuse, False, "so"), Path())
    assert (found.result, found.detail, found.hinders) == (NO, "nothing can be started", False)
    with pytest.raises(ValueError):
        within(30, Check("x", bug, True, ""), Path())


def test_lines_fit_the_width_and_the_conclusion_names_what_hinders() -> None:
    """Also where a path alone is wider than the column."""
    found = Examination(
        (
            Finding("temporary-folder", NO, f"/{'long/' * 40} cannot be written", "runs cannot be made", True),
            Finding("node", NO, "not on PATH"),
            Finding("git", LIMITS, "old"),
        )
    )
    lines = as_lines(found, 80)
    assert max(len(text) for _, text in lines) <= 80
    assert {text.split()[0]: style for style, text in lines if text[:1].strip()} == {
        "temporary-folder": "bad",
        "node": "unsure",
        "git": "unsure",
        "no": "bad",
    }
    assert conclusion(found) == "no run can be made here: temporary-folder"
    assert len(as_lines(found, None)) == 6
    assert as_json(found, 71)["run_possible"] is False
