"""Owns asking a child process of our own to try what must not be tried in this one."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from mutkit.model.ending import Exited
from mutkit.process import run

INSIDE = str(Path(__file__).with_name("inside.py"))
LIMIT = 5.0
"""Seconds that a child has."""


def ask(word: str, folder: Path) -> tuple[bool, str]:
    """Let a child do what ``inside`` has under ``word``, in ``folder``; return whether it can, and its words."""
    argv = [sys.executable, "-I", "-S", INSIDE, word]
    done = run(argv, cwd=folder, env=dict(os.environ), deadline=LIMIT)
    if done.ending != Exited(0):
        said = done.stderr.text.strip().splitlines()
        return False, f"{done.ending}" + (f": {said[-1]}" if said else "")
    can, words = json.loads(done.stdout.head)
    return can, words
