"""Owns the checks of what the kernel keeps apart: networks and file trees."""

from __future__ import annotations

from pathlib import Path

from mutkit.hermetic.doctor.asking import ask
from mutkit.hermetic.doctor.finding import Finding, Result
from mutkit.process import Network

_OPEN = "probes and suites run with an open network, and the report says so"


def network(folder: Path) -> Finding:
    """Start a child in a network of its own, as runs do: the loopback carries data inside, nothing else is reached."""
    with Network() as apart:
        if not apart.isolation.closed:
            return Finding("network-namespace", Result.NO, apart.isolation.reason, _OPEN)
        can, words = ask("loopback", folder, apart)
    if can:
        return Finding("network-namespace", Result.YES, words)
    return Finding("network-namespace", Result.NO, words, _OPEN)


def overlay(folder: Path) -> Finding:
    """Try to mount an overlay in a user namespace."""
    can, words = ask("overlay", folder)
    if can:
        return Finding("overlay-mounts", Result.YES, words, "nothing: workspaces are copies all the same")
    return Finding("overlay-mounts", Result.NO, words, "nothing: workspaces are copies")
