"""Owns asking a child process of our own to try what must not be tried in this one."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from mutkit.model.ending import Exited
from mutkit.process import run

if TYPE_CHECKING:
    from mutkit.process import Network

INSIDE = str(Path(__file__).with_name("inside.py"))
LIMIT = 5.0
"""Seconds that a child has."""


def ask(word: str, folder: Path, network: Network | None = None) -> tuple[bool, str]:
    """Let a child do what ``inside`` has under ``word``, in ``folder``; return whether it can, and its words.

    ``network``: what it can reach (None: what we can).
    """
    argv = [sys.executable, "-I", "-S", INSIDE, word]
    done = run(argv, cwd=folder, env=dict(os.environ), deadline=LIMIT, network=network)
    if done.ending != Exited(0):
        said = done.stderr.text.strip().splitlines()
        return False, f"{done.ending}" + (f": {said[-1]}" if said else "")
    can, words = json.loads(done.stdout.head)
    return can, words
