"""Owns the checks of programs that are of use: Node, git."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from mutkit.hermetic.doctor.asking import LIMIT
from mutkit.hermetic.doctor.finding import Finding, Result
from mutkit.model.ending import Exited
from mutkit.process import run


def node(folder: Path) -> Finding:
    """Let Node compute something."""
    follows = "what Node readers see is not tried by `mutkit mock selftest` here"
    return _program("node", ["-p", "process.version"], folder, follows)


def git(folder: Path) -> Finding:
    """Let git make a repository."""
    follows = "runs need no git; suites that name it as a tool fail"
    return _program("git", ["--version"], folder, follows)


def _program(name: str, words: list[str], folder: Path, follows: str) -> Finding:
    place = shutil.which(name)
    if place is None:
        return Finding(name, Result.NO, "not on PATH", follows)
    done = run([place, *words], cwd=folder, env=dict(os.environ), deadline=LIMIT)
    said = (done.stdout.text.strip().splitlines() or [""])[0]
    if done.ending != Exited(0) or not said:
        why = (done.stderr.text.strip().splitlines() or ["it said nothing"])[-1]
        return Finding(name, Result.NO, f"{place}: {done.ending}: {why}", follows, measured={"path": place})
    version = said.removeprefix("git version ").removeprefix("v")
    return Finding(name, Result.YES, f"{place}, version {version}", measured={"path": place, "version": version})
