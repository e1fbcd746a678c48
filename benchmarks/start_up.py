"""Measures start-up and lint beside what bounds them: a bare interpreter, and the import of libcst.

Run: python benchmarks/start_up.py [--runs 15]
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]

COMMANDS = {
    "python -c pass": ["-c", "pass"],
    "import click": ["-c", "import click"],
    "mutkit --help": ["-m", "mutkit", "--help"],
    "import libcst": ["-c", "import libcst"],
    "import libcst, pydantic, click": ["-c", "import libcst, pydantic, click"],
    "mutkit lint specs": ["-m", "mutkit", "lint", "specs"],
}


def seconds(words: list[str]) -> float:
    """Return the wall time of one process that must end with 0."""
    began = time.perf_counter()
    subprocess.run([sys.executable, *words], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - began


def main() -> None:
    """Print the table: commands in turn, so that all meet the same load."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=15)
    runs = parser.parse_args().runs
    times: dict[str, list[float]] = {name: [] for name in COMMANDS}
    for _ in range(runs):
        for name, words in COMMANDS.items():
            times[name].append(seconds(words))
    print(f"{'command':<34} {'min ms':>8} {'median ms':>10}")
    for name, found in times.items():
        print(f"{name:<34} {min(found) * 1000:>8.0f} {statistics.median(found) * 1000:>10.0f}")


if __name__ == "__main__":
    main()
