"""Prints what it costs to run a program contained, beside running it plainly, measured in turns in one go.

Usage: ``python benchmarks/process_overhead.py [rounds]``.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from mutkit.process import run

if TYPE_CHECKING:
    from collections.abc import Callable

COMMAND = ["/bin/true"]


def contained() -> None:
    """Run the command as mutkit does."""
    run(COMMAND, cwd=Path("/"), env={}, deadline=30)


def plain() -> None:
    """Run the command as the standard library does."""
    subprocess.run(COMMAND, cwd="/", env={}, capture_output=True, check=True, stdin=subprocess.DEVNULL)


def interpreter() -> None:
    """Start the bare interpreter: what a supervisor cannot cost less than."""
    subprocess.run([sys.executable, "-I", "-S", "-c", ""], capture_output=True, check=True, stdin=subprocess.DEVNULL)


def milliseconds(function: Callable[[], None]) -> float:
    """Return how long one call takes."""
    before = time.perf_counter()
    function()
    return (time.perf_counter() - before) * 1000


def main() -> None:
    """Measure in turns, so that a busy machine slows all alike, and print the medians."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 40
    ways = {"mutkit.process.run": contained, "subprocess.run": plain, "python -I -S -c ''": interpreter}
    times: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(rounds):
        for name, function in ways.items():
            times[name].append(milliseconds(function))
    print(f"{' '.join(COMMAND)}, median of {rounds}, ms (least to most)")
    for name, measured in times.items():
        print(f"{name:20} {statistics.median(measured):7.1f}  ({min(measured):.1f} to {max(measured):.1f})")


if __name__ == "__main__":
    main()
