"""Owns the tests of `mutkit mock selftest` at the process boundary."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def _selftest(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "mutkit", "mock", "selftest", *words],
        env={**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(folder)},
        capture_output=True,
        check=False,
        text=True,
        timeout=120,
    )


def test_a_table_and_the_conclusion_are_printed_and_nothing_is_left_behind(tmp_path: Path) -> None:
    """One line a row with its figures, and in a pipe nothing that only a terminal can show."""
    done = _selftest(tmp_path, "--bytes", "50", "--reader", "os.read", "--reader", "a file")
    lines = done.stdout.splitlines()
    assert (done.returncode, done.stderr) == (0, "")
    assert lines[0].split() == ["reader", "descriptor", "mode", "writes", "reads", "merged", "lost", "seconds",
                                "bytes/s", "result"]  # fmt: skip
    assert lines[1].split()[:8] == ["os.read", "pipe", "each", "byte", "50", "50", "0", "0"]
    assert [line for line in lines if "refused, as it must be" in line]
    assert lines[-1].startswith("exit 0: every read was one write (")
    assert "\x1b" not in done.stdout
    assert list(tmp_path.glob("mutkit-*/run-*")) == [], "a folder was left behind"
    assert list(tmp_path.glob("mutkit-*/lock")), "it was looked for in the wrong place"


def test_merged_writes_end_with_1_and_are_counted_in_the_json(tmp_path: Path) -> None:
    """A mock that does not pace its writes is caught by a slow reader."""
    done = _selftest(tmp_path, "--bytes", "200", "--reader", "os.read", "--pace", "none", "--json")
    report = json.loads(done.stdout)
    slow = next(row for row in report["rows"] if row["mode"] == "each byte, slow reader")
    assert (done.returncode, report["schema"], report["exit"]["code"]) == (1, "mutkit-mock-selftest/1", 1)
    assert (slow["result"], slow["writes"], slow["lost"]) == ("broken", 200, 0)
    assert slow["merged"] == slow["writes"] - slow["reads"] > 0


def test_a_wrong_name_is_a_usage_error(tmp_path: Path) -> None:
    """Exit 2, the message, no table."""
    done = _selftest(tmp_path, "--reader", "fgets")
    assert (done.returncode, done.stdout) == (2, "")
    assert "[reader-unknown]" in done.stderr


def test_without_a_place_to_work_in_it_ends_with_71(tmp_path: Path) -> None:
    """That the machine cannot is no verdict on boundaries."""
    gone = tmp_path / "gone"
    env = {**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(gone)}
    code = (
        "import sys, tempfile; gone = sys.argv.pop(1); tempfile.gettempdir = lambda: gone;"
        "from mutkit.cli import main; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(gone), "mock", "selftest", "--reader", "os.read"],
        env=env,
        capture_output=True,
        check=False,
        text=True,
        timeout=60,
    )
    assert done.returncode == 71, done.stderr
    assert "[temporary-folder]" in done.stderr
