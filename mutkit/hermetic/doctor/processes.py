"""Owns the checks of child processes: they start, their pipes carry data, a mock starts, orphans are found."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

from mutkit.hermetic import MockCommands, Script
from mutkit.hermetic.doctor.asking import LIMIT, ask
from mutkit.hermetic.doctor.files import CANNOT
from mutkit.hermetic.doctor.finding import Finding, Result
from mutkit.model.ending import Exited
from mutkit.process import run

_DATA = bytes(range(256)) * 1024
_ECHO = "import sys; data = sys.stdin.buffer.read(); sys.stdout.buffer.write(data); sys.stderr.buffer.write(data[::-1])"
_PER_JOB, _MANY = 16, 256
"""Descriptors that a workspace takes at most while it is in use; and so many that nothing is in the way."""


def child_processes(folder: Path) -> Finding:
    """Start a child the way that runs do, and send bytes through all three of its pipes."""
    argv = [sys.executable, "-I", "-S", "-c", _ECHO]
    done = run(argv, cwd=folder, env=dict(os.environ), deadline=LIMIT, stdin=_DATA)
    measured = {"ms": round(done.duration * 1000, 1)}
    if done.ending != Exited(0):
        return Finding("child-processes", Result.NO, f"a Python child: {done.ending}", CANNOT, True, measured)
    if (done.stdout.head, done.stderr.head) != (_DATA, _DATA[::-1]):
        detail = f"of {len(_DATA):,} bytes {done.stdout.total:,} and {done.stderr.total:,} came back, or others"
        return Finding("child-processes", Result.NO, detail, CANNOT, True, measured)
    detail = f"{len(_DATA) // 1024} KiB went in and came back, on both outputs, byte for byte"
    return Finding("child-processes", Result.YES, detail, "", True, measured)


def mock_child(folder: Path, python: str = sys.executable) -> Finding:
    """Make a mock command whose interpreter is ``python``, and call it."""
    version = ".".join(str(part) for part in sys.version_info[:3])
    with MockCommands(folder, python=python, check=False) as mocks:
        mocks.add("mock", Script().read_stdin().write(b"\xff\x00mock\n").exit(7))
        done = run(["mock", "a b"], cwd=folder, env={"PATH": mocks.path}, deadline=LIMIT, stdin=b"in")
        recorded = [(call.argv, call.stdin) for call in mocks.calls()]
        with (folder / "bin" / "mock").open("rb") as file:
            first = file.readline()
    measured = {"python": python, "version": version, "first_line": len(first), "ms": round(done.duration * 1000, 1)}
    if (done.ending, done.stdout.head, recorded) != (Exited(7), b"\xff\x00mock\n", [(("a b",), b"in")]):
        detail = f"a mock child on {python}: {done.ending}"
        if isinstance(done.ending, Exited):
            detail += f": {(done.stderr.text.strip().splitlines() or [f'it printed {done.stdout.head!r}'])[-1]}"
        return Finding("mock-child", Result.NO, detail, f"no mock child works, {CANNOT}", True, measured)
    detail = f"a mock on {python} ({version}) was called and recorded it"
    if first.startswith(b"#!/bin/sh"):
        detail += ", through /bin/sh: the interpreter's path does not fit in a #! line (too long, or has blanks)"
        follows = "each mock child starts a shell first; an environment with a shorter path needs none"
        return Finding("mock-child", Result.LIMITS, detail, follows, True, measured)
    return Finding("mock-child", Result.YES, f"{detail}; its #! line has {len(first)} bytes", "", True, measured)


def subreaper(folder: Path) -> Finding:
    """Try whether orphans come to us."""
    can, words = ask("subreaper", folder)
    if can:
        return Finding("orphans", Result.YES, words)
    return Finding("orphans", Result.NO, words, "processes that leave their group can outlive a run on this machine")


def groups(_folder: Path) -> Finding:
    """Start a child in a session of its own and end its whole group."""
    code = "import os, sys; print(os.getpid(), os.getpgrp(), os.getsid(0), flush=True); sys.stdin.read()"
    argv = [sys.executable, "-I", "-S", "-c", code]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True) as child:
        assert child.stdout is not None
        pid, group, session = (int(word) for word in child.stdout.readline().split())
        if {pid, group, session} == {child.pid}:
            os.killpg(group, signal.SIGKILL)
        else:
            child.kill()
        ended = child.wait(LIMIT)
    if {pid, group, session} != {child.pid} or ended != -signal.SIGKILL:
        detail = f"process {pid} has group {group} and session {session}, and ended with {ended}"
        return Finding("process-groups", Result.NO, detail, CANNOT, True)
    return Finding("process-groups", Result.YES, "a session of its own was made, and its group ended", "", True)


def open_files(_folder: Path) -> Finding:
    """Open as many descriptors as many workspaces take, and close them."""
    import resource

    soft, hard = (
        None if limit == resource.RLIM_INFINITY else limit for limit in resource.getrlimit(resource.RLIMIT_NOFILE)
    )
    opened: list[int] = []
    try:
        while len(opened) < _MANY:
            opened.append(os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC))
    except OSError:
        pass
    finally:
        for descriptor in opened:
            os.close(descriptor)
    return open_files_finding(len(opened), soft, hard)


def open_files_finding(opened: int, soft: int | None, hard: int | None) -> Finding:
    """Return the finding where ``opened`` descriptors (256 at most) could be opened; None: no limit."""
    measured = {"opened": opened, "soft": soft, "hard": hard}
    limits = f"limit {'none' if soft is None else f'{soft:,}'}, at most {'none' if hard is None else f'{hard:,}'}"
    detail = f"{opened} more could be opened at a time ({limits})"
    if opened < _PER_JOB:
        return Finding("open-files", Result.NO, detail, f"{CANNOT}; raise it: ulimit -n 1024", True, measured)
    if opened < _MANY:
        follows = f"enough for --jobs {opened // _PER_JOB}, not more; raise it: ulimit -n 1024"
        return Finding("open-files", Result.LIMITS, detail, follows, True, measured)
    return Finding("open-files", Result.YES, detail, "", True, measured)
