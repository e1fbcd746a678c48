"""Owns the checks of what the kernel keeps apart: networks and file trees."""

from __future__ import annotations

import os
from pathlib import Path

from mutkit.hermetic.doctor.asking import ask
from mutkit.hermetic.doctor.finding import Finding, Result

_OPEN = "probes and suites run with an open network, and the report says so"


def network(folder: Path) -> Finding:
    """Try a network of its own: user and network namespace, the loopback up inside, nothing else reached."""
    if os.environ.get("MUTKIT_NAMESPACES") == "off":
        return Finding("network-namespace", Result.NO, "turned off by MUTKIT_NAMESPACES=off", _OPEN)
    can, words = ask("network", folder)
    if can:
        return Finding("network-namespace", Result.YES, words)
    return Finding("network-namespace", Result.NO, words, _OPEN)


def overlay(folder: Path) -> Finding:
    """Try to mount an overlay in a user namespace."""
    can, words = ask("overlay", folder)
    if can:
        return Finding("overlay-mounts", Result.YES, words, "nothing: workspaces are copies all the same")
    return Finding("overlay-mounts", Result.NO, words, "nothing: workspaces are copies")
