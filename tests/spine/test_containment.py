"""Nothing is left of a run, however mutkit ends: no process, no folder, no byte of the source changed."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
import uuid
from pathlib import Path

import pytest

from mutkit.digest import tree_digest
from mutkit.workspace import Workspaces

# A program that uses mutkit as its own commands do. It is told what the child does, and tells how it ended.
DRIVER = """
import os, signal, sys
from pathlib import Path
from mutkit.process import Cancellation, run
from mutkit.workspace import Workspaces

tree, root, deadline, handles, *argv = sys.argv[1:]
cancellation = Cancellation()
if handles == "handles":
    signal.signal(signal.SIGINT, lambda *_: cancellation.cancel())
with Workspaces(Path(tree), root=Path(root)) as workspaces:
    workspace = workspaces.take("0")
    workspace.hold("module.py", b"value = 2\\n")
    result = run(
        argv,
        cwd=workspace.path,
        env=dict(os.environ),
        deadline=float(deadline),
        cap=1000,
        cancellation=cancellation,
    )
    changes = workspace.restore()
    told = ",".join(map(str, changes))
    print(result.ending, result.leftovers, result.stdout.total, told, workspaces.source_changes(), sep="|")
    # Not ru_maxrss: that begins with the size of whoever started this process.
    print(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0])
"""

# Children that misbehave; each tells, through the named pipe, that it is well under way.
READY = """
import os, signal, shutil
def ready(): os.close(os.open(os.environ['READY'], os.O_WRONLY))
"""
CHILDREN = {
    "loops for ever": "ready()\nwhile True: pass",
    "ignores every signal": (
        "for n in (1, 2, 15): signal.signal(n, signal.SIG_IGN)\nready()\nwhile True: signal.pause()"
    ),
    "deletes its tree": "shutil.rmtree(os.getcwd())\nready()\nsignal.pause()",
    "leaves daemons behind": (
        "for n in (1, 15): signal.signal(n, signal.SIG_IGN)\n"
        "r, w = os.pipe()\n"
        "for _ in range(3):\n"
        "    if os.fork() == 0:\n"
        "        os.setsid()\n"
        "        if os.fork() == 0:\n"
        "            os.write(w, b'x')\n"
        "            while True: signal.pause()\n"
        "        os._exit(0)\n"
        "n = 0\n"
        "while n < 3: n += len(os.read(r, 3))\n"
        "ready()\n"
        "signal.pause()"
    ),
    "floods its output": "ready()\nwhile True: os.write(1, bytes(65536))",
}


class Stage:
    """A source tree, a place to work in, a token that every process of the run bears, and the driver."""

    def __init__(self, folder: Path) -> None:
        """Lay everything out below `folder`."""
        self.token = f"token-{uuid.uuid4().hex}"
        self.tree, self.root, self.ready = folder / "tree", folder / "root", folder / "ready"
        self.tree.mkdir()
        self.root.mkdir()
        (self.tree / "module.py").write_text("value = 1\n")
        (self.tree / "data").write_bytes(bytes(100_000))
        os.mkfifo(self.ready)
        self.before = tree_digest(self.tree, frozenset())
        # There is a reader from the start: the child does not wait, and `poll` tells when it has been there.
        self.ready_end = os.open(self.ready, os.O_RDONLY | os.O_NONBLOCK)

    def start(self, code: str, *, deadline: float = 600, handles: bool = True) -> subprocess.Popen[str]:
        """Start the driver on a child that runs `code`."""
        child = [sys.executable, "-c", READY + code]
        words = [str(self.tree), str(self.root), str(deadline), "handles" if handles else "default"]
        return subprocess.Popen(
            [sys.executable, "-c", DRIVER, *words, *child],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=Path(__file__).parents[2],
            env={**os.environ, "TOKEN": self.token, "READY": str(self.ready)},
        )

    def await_ready(self) -> None:
        """Wait until the child has told that it is under way."""
        poll = select.poll()
        poll.register(self.ready_end, select.POLLIN)
        assert poll.poll(60_000), "the child never came so far"

    def alive(self) -> list[int]:
        """Return the processes that bear the token."""
        found = []
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                told = (folder / "environ").read_bytes()
            except OSError:
                continue
            if self.token.encode() in told:
                found.append(int(folder.name))
        return found

    def await_end_of_all(self, seconds: float = 30) -> None:
        """Wait for the end of every process that bears the token."""
        limit = time.monotonic() + seconds
        while pids := self.alive():
            assert time.monotonic() < limit, f"still alive: {pids}"
            try:
                descriptor = os.pidfd_open(pids[0])
            except ProcessLookupError:
                continue
            try:
                select.select([descriptor], [], [], limit - time.monotonic())
            finally:
                os.close(descriptor)

    def folders(self) -> list[str]:
        """Return the names of the folders of runs that are there."""
        return [path.name for path in self.root.glob("mutkit-*/run-*")]

    def check_source(self) -> None:
        """The source is, byte by byte, what it was."""
        assert tree_digest(self.tree, frozenset()) == self.before


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    """Give a laid-out stage."""
    return Stage(tmp_path)


def finish(driver: subprocess.Popen[str]) -> tuple[int, str, str]:
    """Return how the driver ended and what it printed."""
    out, err = driver.communicate(timeout=60)
    return driver.returncode, out, err


def test_a_run_to_the_end_leaves_nothing(stage: Stage) -> None:
    """The child sees the variant, and everything is gone at the end."""
    code, out, err = finish(stage.start("import module; print(module.value * 'x', end='')"))
    assert (code, err) == (0, "")
    assert out.splitlines()[0] == "exit 0|0|2||()"
    assert stage.alive() == []
    assert stage.folders() == []
    stage.check_source()


@pytest.mark.parametrize("child", CHILDREN)
def test_a_child_that_misbehaves_leaves_nothing(stage: Stage, child: str) -> None:
    """At its deadline it is ended with all that it started; what it did to its tree is put back and told."""
    code, out, err = finish(stage.start(CHILDREN[child], deadline=2))
    assert (code, err) == (0, "")
    ending, leftovers, total, changes, source = out.splitlines()[0].split("|")
    assert ending == "timed out after 2.0 s"
    assert leftovers == ("3" if child == "leaves daemons behind" else "0")
    assert changes == ("removed: data,removed: module.py" if child == "deletes its tree" else "")
    assert source == "()"
    assert (int(total) > 10_000_000) == (child == "floods its output")
    assert stage.alive() == []
    assert stage.folders() == []
    stage.check_source()


def test_a_gibibyte_of_output_does_not_fill_the_memory(stage: Stage) -> None:
    """All of it is taken and counted, little of it kept."""
    code, out, err = finish(stage.start("for _ in range(1024): os.write(1, bytes(1048576))\n", deadline=60))
    assert (code, err) == (0, "")
    story, memory = out.splitlines()
    assert story.split("|")[2] == str(1 << 30)
    assert int(memory) < 200 * 1024  # KiB


@pytest.mark.parametrize("child", CHILDREN)
@pytest.mark.parametrize("handles", [True, False])
def test_ctrl_c_leaves_nothing(stage: Stage, child: str, *, handles: bool) -> None:
    """Whether it is made a cancellation or comes as KeyboardInterrupt from wherever one is."""
    driver = stage.start(CHILDREN[child], handles=handles)
    stage.await_ready()
    driver.send_signal(signal.SIGINT)
    code, _, err = finish(driver)
    assert code == (1 if handles else -signal.SIGINT)
    assert err.splitlines()[-1] == ("mutkit.process.cancellation.Cancelled" if handles else "KeyboardInterrupt")
    assert stage.alive() == []
    assert stage.folders() == []
    stage.check_source()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("child", CHILDREN)
def test_a_termination_leaves_nothing(stage: Stage, child: str, number: signal.Signals) -> None:
    """What asks mutkit to end gives it the time to clean up."""
    driver = stage.start(CHILDREN[child])
    stage.await_ready()
    driver.send_signal(number)
    code, _, err = finish(driver)
    assert (code, err) == (128 + number, "")
    assert stage.alive() == []
    assert stage.folders() == []
    stage.check_source()


@pytest.mark.parametrize("child", CHILDREN)
def test_a_kill_leaves_no_process_and_the_next_run_clears_the_folder(stage: Stage, child: str) -> None:
    """kill -9 gives no time at all: the supervisor sees to the processes, the next run to the folder."""
    driver = stage.start(CHILDREN[child])
    stage.await_ready()
    assert len(stage.alive()) >= 3
    driver.kill()
    assert finish(driver)[0] == -signal.SIGKILL
    stage.await_end_of_all()
    stage.check_source()
    (left,) = stage.folders()
    with Workspaces(stage.tree, root=stage.root) as workspaces:
        assert workspaces.removed_leftovers == (left,)
    assert stage.folders() == []
