"""Owns the tests that the source tree stays byte-identical and no process lives on, whatever a run meets with."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from mutkit.digest import difference, tree_digest
from tests.projects import CAMPAIGN, SPEC, TESTS, write_project

S = "specs/greeting/blank-name.toml"
ROOT = Path(__file__).parents[2]
SECONDS = 60.0

HANGING = (
    TESTS
    + """

def test_that_hangs_under_the_mutant():
    import os, subprocess, sys
    try:
        greet(" ")
    except ValueError:
        return
    code = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(600)"
    subprocess.Popen([sys.executable, "-c", code], start_new_session=True)
    with open(os.environ["STARTED"], "w") as file:
        file.write("yes")
    subprocess.Popen([sys.executable, "-c", code]).wait()
"""
)


def _alive(token: str) -> list[int]:
    """Return the processes that carry ``token`` in their environment (this one aside)."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                environment = (entry / "environ").read_bytes()
                state = (entry / "stat").read_text().rpartition(")")[2].split()[0]
            except OSError:
                continue
            if token.encode() in environment and state != "Z":
                found.append(int(entry.name))
    return found


def _wait_until(holds: Callable[[], bool], what: str) -> None:
    """Wait for an event in another process, with a deadline."""
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline:
        if holds():
            return
        select.select([], [], [], 0.02)
    pytest.fail(f"not within {SECONDS} s: {what}")


@contextmanager
def running(folder: Path, scratch: Path, token: str) -> Iterator[subprocess.Popen[str]]:
    """Run mutkit on the project in ``folder`` with its temporary files in ``scratch``."""
    scratch.mkdir(exist_ok=True)
    env = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "TMPDIR": str(scratch),
        "STARTED": str(scratch.parent / "started"),
        "TOKEN": token,
    }
    process = subprocess.Popen(
        [sys.executable, "-m", "mutkit", "run", "specs", "--json", str(scratch.parent / "report.json")],
        cwd=folder,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupted_run_leaves_no_trace_and_ends_with_130(tmp_path: Path, number: signal.Signals) -> None:
    """Ctrl-C, SIGTERM and SIGHUP in mid-run: no process, no folder, no changed file; the report says what was
    judged.
    """
    folder = write_project(tmp_path / "p", {"tests/test_greeting.py": HANGING})
    before = tree_digest(folder, frozenset())
    token = f"token-{os.getpid()}-{number}"
    with running(folder, tmp_path / "tmp", token) as process:
        _wait_until((tmp_path / "started").exists, "the mutant runs")
        process.send_signal(number)
        output, _ = process.communicate(timeout=SECONDS)
    assert process.returncode == 130, output
    assert difference(before, tree_digest(folder, frozenset())) == ()
    assert _alive(token) == []
    assert [p for p in (tmp_path / "tmp").rglob("*") if p.is_file() and p.name != "lock"] == []
    report = json.loads((tmp_path / "report.json").read_text())
    assert report["exit"]["code"] == 130


def test_after_kill_9_the_source_is_untouched_no_process_lives_and_the_next_run_clears_up(tmp_path: Path) -> None:
    """What cannot be cleaned up by a dead process is cleaned up by its supervisors and by the next run."""
    folder = write_project(tmp_path / "p", {"tests/test_greeting.py": HANGING})
    before = tree_digest(folder, frozenset())
    token = f"token-{os.getpid()}-kill"
    with running(folder, tmp_path / "tmp", token) as process:
        _wait_until((tmp_path / "started").exists, "the mutant runs")
        process.kill()
        process.wait(SECONDS)
    _wait_until(lambda: not _alive(token), "all processes of the killed run have ended")
    assert difference(before, tree_digest(folder, frozenset())) == ()
    assert list((tmp_path / "tmp").rglob("workspace-*")) != []
    write_project(folder)
    with running(folder, tmp_path / "tmp", token) as process:
        output, _ = process.communicate(timeout=SECONDS)
    assert process.returncode == 0, output
    assert "leftover of a dead run removed" in output
    assert list((tmp_path / "tmp").rglob("workspace-*")) == []


@dataclass(frozen=True)
class Hostile:
    """A mutant that misbehaves: code, model, what comes of it; ``seconds`` are what one run of it may take."""

    code: str
    defective: str
    verdict: str = "killed"
    seconds: float = 60.0
    changed: tuple[str, ...] = ()


HOSTILE = {
    "deletes files in its tree": Hostile(
        "import pathlib, shutil\n    shutil.rmtree('docs')\n    pathlib.Path('notes.txt').unlink()\n    return 'gone'",
        'returns = "gone"',
        changed=("removed: docs", "removed: docs/page.md", "removed: notes.txt"),
    ),
    "loops for ever": Hostile("while True: pass", "hangs = true", verdict="timed-out", seconds=4.0),
    "forks children that ignore SIGTERM": Hostile(
        "import os, signal, time\n"
        "    if os.fork() == 0:\n"
        "        os.setsid()\n"
        "        signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "        time.sleep(600)\n"
        "    return 'forked'",
        'returns = "forked"',
    ),
    "writes 1 GiB to standard output": Hostile(
        "import sys\n    for _ in range(1024): sys.__stdout__.buffer.write(b'x' * 2**20)\n    return 'flooded'",
        'returns = "flooded"',
    ),
}


@pytest.mark.parametrize("name", list(HOSTILE))
def test_a_hostile_mutant_changes_nothing_outside_of_its_workspace(tmp_path: Path, name: str) -> None:
    """Whatever the mutant does, the source is byte-identical, no process lives on, and there is a judgement."""
    hostile = HOSTILE[name]
    spec = (
        SPEC.replace('replace = ""', f'replace = """\nif not name.strip():\n    {hostile.code}\n"""')
        .replace('returns = "Hello  !"', hostile.defective)
        .replace('args = [" "]', f'args = [" "]\ntimeout = {hostile.seconds}')
    )
    campaign = CAMPAIGN.replace('cases = ["tests"]', f'cases = ["tests"]\ntimeout = {hostile.seconds}\nconfirm = 1')
    files: dict[str, str | bytes | None] = {S: spec, "specs/greeting/campaign.toml": campaign}
    folder = write_project(tmp_path / "p", {**files, "docs/page.md": "x", "notes.txt": "y"})
    before = tree_digest(folder, frozenset())
    token = f"token-{os.getpid()}-{name.split(maxsplit=1)[0]}"
    with running(folder, tmp_path / "tmp", token) as process:
        output, _ = process.communicate(timeout=2 * SECONDS)
    (judgement,) = json.loads((tmp_path / "report.json").read_text())["judgements"]
    assert judgement["verdict"] == hostile.verdict, output
    assert tuple(judgement["changed_files"]) == hostile.changed
    assert difference(before, tree_digest(folder, frozenset())) == ()
    assert _alive(token) == []
