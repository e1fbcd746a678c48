"""Prints what a mock child costs beside a bare interpreter, a shell's and a compiled stand-in, measured in turns, and
how fast exact boundaries are with each kind of reader.

Usage: ``python benchmarks/mock_children.py [--rounds 40] [--bytes 100000]``. Exit code 1 where a mock that ends at once
costs more than 1.6 times the bare interpreter (medians), or 100 KB of single bytes take 10 s.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TREE = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TREE))

from mutkit.hermetic import MockCommands, Script, selftest  # noqa: E402 - found in the tree above

BOUND, SECONDS = 1.6, 10.0

SHELL = """\
#!/bin/sh
printf '%s\\n' "$0 $*" >> "{folder}/shell.log"
printf '%s' '{content}'
exit 0
"""
"""As the mocks of shell test suites: the words in one line of a log, the answer, the code."""

C = """\
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
static char text[1024];
int main(int argc, char **argv) {
    int record = open("%s/c.log", O_WRONLY | O_CREAT | O_APPEND, 0644);
    for (int at = 0; at < argc; at++) dprintf(record, "%%s\\n", argv[at]);
    memset(text, 'x', sizeof text);
    if (write(1, text, sizeof text) < 0) return 1;
    return 0;
}
"""


def ways(folder: Path) -> dict[str, list[str]]:
    """Make the stand-ins that can be made here; return their command lines."""
    kilobyte = "x" * 1024
    mocks = MockCommands(folder / "mocks", check=False)
    mocks.add("at-once", Script())
    mocks.add("kilobyte", Script().write(kilobyte))
    shell = folder / "shell"
    shell.write_text(SHELL.format(folder=folder, content=kilobyte))
    shell.chmod(0o755)
    found = {
        "python -I -S -c pass": [sys.executable, "-I", "-S", "-c", "pass"],
        "mock that exits at once": [str(Path(mocks.path) / "at-once")],
        "mock that writes 1 KB": [str(Path(mocks.path) / "kilobyte")],
        "/bin/sh stand-in, 1 KB": [str(shell)],
    }
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler:
        source = folder / "c.c"
        source.write_text(C % folder)
        subprocess.run([compiler, "-O2", "-o", str(folder / "c"), str(source)], check=True)
        found["compiled C stand-in, 1 KB"] = [str(folder / "c")]
    return found


def milliseconds(argv: list[str]) -> float:
    """Return how long one start takes, to the end of the process."""
    began = time.perf_counter()
    pid = os.posix_spawn(argv[0], argv, os.environ, file_actions=QUIET)
    os.waitpid(pid, 0)
    return (time.perf_counter() - began) * 1000


QUIET = [(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_RDWR, 0) for fd in (0, 1)]


def spawns(folder: Path, rounds: int) -> bool:
    """Print what a start costs; return whether the bound holds."""
    commands = ways(folder)
    times: dict[str, list[float]] = {name: [] for name in commands}
    for argv in commands.values():
        milliseconds(argv)  # what is read for the first time is not what a start costs
    for _ in range(rounds):
        for name, argv in commands.items():
            times[name].append(milliseconds(argv))
    bare = times["python -I -S -c pass"]
    print(f"one start to its end, {rounds} rounds in turns, ms; times the bare interpreter (bound for a mock: {BOUND})")
    print(f"{'':<27}{'min':>8}{'median':>8}{'x min':>8}{'x median':>10}")
    for name, found in times.items():
        least, middle = min(found), statistics.median(found)
        ratios = f"{least / min(bare):>8.2f}{middle / statistics.median(bare):>10.2f}"
        print(f"{name:<27}{least:>8.2f}{middle:>8.2f}{ratios}")
    return statistics.median(times["mock that exits at once"]) <= BOUND * statistics.median(bare)


def boundaries(folder: Path, size: int) -> bool:
    """Print bytes per second of each reader, one byte per read; return whether all are fast enough."""
    print(f"\n{size:,} bytes, one at a time, from the start of the mock to its end (bound: {SECONDS:.0f} s)")
    print(selftest.head_line())
    modes = [mode for mode in selftest.MODES if mode.name in ("each byte", "each byte after 5,000")]
    rows = []
    for reader in selftest.readers():
        for mode in modes if not reader.refused else ():
            rows.append(selftest.prove(reader, mode, size, folder / f"{reader.name} {mode.name}"))
            print(selftest.row_line(rows[-1])[1])
    return all(row.seconds < SECONDS and row.state is not selftest.State.BROKEN for row in rows)


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--bytes", type=int, default=100_000)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        print(f"load {os.getloadavg()[0]:.1f}, {os.cpu_count()} processors, Python {sys.version.split()[0]}\n")
        cheap = spawns(folder, given.rounds)
        fast = boundaries(folder, given.bytes)
    sys.exit(0 if cheap and fast else 1)


if __name__ == "__main__":
    main()
