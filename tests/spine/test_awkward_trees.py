"""Owns the tests of awkward projects: the real command line on a copy of each tree, its verdicts, no trace left."""

from __future__ import annotations

import json
import os
import py_compile
import shutil
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from mutkit.digest import difference, tree_digest
from mutkit.report import report_schema

ROOT = Path(__file__).parents[2]
TREES = ROOT / "tests" / "trees"

KILLED = ("killed", "as-modelled")
SURVIVED = ("survived", "as-modelled")
BASELINE_RED = ("baseline-failed", "baseline-red")
NOT_COLLECTED = ("inconclusive", "nothing-collected")
NOT_LOADED = ("inconclusive", "mutant-not-loaded")
SOURCE_CHANGED = ("inconclusive", "source-changed")
UNSTABLE = ("unstable", "baseline-unstable")


# What a tree needs that cannot stand in a repository. Each takes the copy; the place beside it is free.


def _environment(tree: Path) -> Path:
    """Make a virtual environment beside the tree that has pytest of this one; return its site-packages."""
    place = tree.parent / "venv"
    venv.create(place, symlinks=True, with_pip=False)
    purelib = sysconfig.get_path("purelib", vars={"base": str(place), "platbase": str(place)})
    (Path(purelib) / "outer.pth").write_text(f"{Path(pytest.__file__).parents[1]}\n")
    return Path(purelib)


def install_inside(tree: Path) -> None:
    """Make the environment in the tree itself, with the package of ``src`` in editable mode."""
    install_by_path(tree)
    (tree.parent / "venv").rename(tree / ".venv")


def install_by_path(tree: Path) -> None:
    """Install the package of ``src`` in editable mode as most build backends do: a folder in a .pth file."""
    (_environment(tree) / "shop.pth").write_text(f"{tree / 'src'}\n")


FINDER = """\
import sys
from importlib.util import spec_from_file_location

MAPPING = {{"shop": {folder!r}}}


class _EditableFinder:
    @classmethod
    def find_spec(cls, fullname, path=None, target=None):
        if fullname in MAPPING:
            folder = MAPPING[fullname]
            return spec_from_file_location(fullname, folder + "/__init__.py", submodule_search_locations=[folder])
        return None


def install():
    sys.meta_path.append(_EditableFinder)
"""


def install_by_finder(tree: Path) -> None:
    """Install the package of ``src`` in editable mode as setuptools does: a finder on ``sys.meta_path``."""
    site = _environment(tree)
    (site / "__editable___shop_1_0_finder.py").write_text(FINDER.format(folder=str(tree / "src" / "shop")))
    line = "import __editable___shop_1_0_finder; __editable___shop_1_0_finder.install()\n"
    (site / "__editable__.shop-1.0.pth").write_text(line)


def install_a_copy(tree: Path) -> None:
    """Install the package of ``src`` as a copy."""
    shutil.copytree(tree / "src" / "shop", _environment(tree) / "shop")


def link_absolutely(tree: Path) -> None:
    """Make the links that hold the copy's own place."""
    (tree / "absolute.txt").symlink_to(tree / "data" / "file.txt")
    (tree / "absolute-folder").symlink_to(tree / "data")


def poison_bytecode(tree: Path) -> None:
    """Leave byte-code of another program beside the source, of the same size and time, which Python would trust."""
    source = tree / "price.py"
    content, status = source.read_bytes(), source.stat()
    source.write_bytes(content.replace(b"(9 if", b"(1 if"))
    os.utime(source, ns=(status.st_atime_ns, status.st_mtime_ns))
    py_compile.compile(str(source), doraise=True)
    source.write_bytes(content)
    os.utime(source, ns=(status.st_atime_ns, status.st_mtime_ns))


@dataclass(frozen=True)
class Row:
    """What one tree must give: exit ``code``, verdict and first reason a spec, files that a mutant's run changes.

    ``written`` are names that a case writes into the original: it runs that, or knows its place.
    """

    tree: str
    code: int
    verdicts: Mapping[str, tuple[str, str]]
    prepare: Callable[[Path], None] | None = None
    changed: Mapping[str, list[str]] = field(default_factory=dict)
    jobs: int = 2
    written: frozenset[str] = frozenset()

    @property
    def id(self) -> str:
        """Return the tree's name, and how it was prepared."""
        return self.tree + (f"-{self.prepare.__name__}" if self.prepare else "")


USUAL = {"no-reduction": KILLED, "wrong-tax": SURVIVED}
ORIGINAL_RUNS = {"no-reduction": KILLED, "original-runs": NOT_LOADED}
BYTECODE = frozenset({"__pycache__"})
TABLE = [
    Row("async", 1, USUAL),
    Row("bom", 1, USUAL),
    Row("changes-directory", 1, USUAL),
    Row("changes-its-parameters", 1, USUAL),
    Row("child-process", 1, {"no-reduction": KILLED, "silent-refusal": SURVIVED}),
    Row("clears-environment", 1, {"no-reduction": KILLED, "crash-for-tax": ("wrong-reason", "not-as-modelled")}),
    Row("crashes", 1, {"segmentation-fault": KILLED, "other-signal": ("wrong-reason", "not-as-modelled")}),
    Row("crlf", 1, USUAL),
    Row("editable", 1, USUAL, install_by_path),
    Row("editable", 1, USUAL, install_by_finder),
    Row("editable-child", 6, ORIGINAL_RUNS, install_by_path, written=BYTECODE),
    Row("editable-child", 6, ORIGINAL_RUNS, install_by_finder, written=BYTECODE),
    Row("environment-inside", 1, USUAL, install_inside),
    Row("exits-at-once", 6, {"no-reduction": KILLED, "exits-at-once": ("inconclusive", "report-cut-short")}),
    Row("gitignored-data", 1, USUAL),
    Row("hangs", 1, {"hang": KILLED, "unmodelled-hang": ("timed-out", "probe-timed-out")}),
    Row("installed-copy", 6, {"no-reduction": KILLED, "copy-runs": NOT_LOADED}, install_a_copy),
    Row("latin-1", 1, {"no-umlaut": KILLED, "wrong-unit": SURVIVED}),
    Row("links", 1, USUAL, link_absolutely, {"no-reduction": ["changed: data/file.txt"]}, jobs=1),
    Row("module-constant", 1, USUAL),
    Row("namespace-package", 1, {"no-reduction": KILLED, "other-order": ("no-effect", "same-as-baseline")}),
    Row("non-ascii-ids", 1, USUAL),
    Row("not-importable", 1, {"no-reduction": KILLED, "unknown-name": ("not-viable", "probe-import-failed")}),
    Row("nothing-collected", 6, {"no-reduction": NOT_COLLECTED, "wrong-tax": NOT_COLLECTED}),
    Row("odd-output", 1, {"no-reduction": KILLED, "odd-message": ("wrong-reason", "not-as-modelled")}),
    Row("pytest-plugin", 1, USUAL),
    Row("red-baseline", 4, {"no-reduction": BASELINE_RED, "wrong-tax": BASELINE_RED}),
    Row("rewrites-golden", 1, USUAL, changed={"no-reduction": ["changed: tests/golden.txt"]}, jobs=1),
    Row("src-layout", 1, {"no-reduction": KILLED, "not-what-it-says": ("unfaithful", "not-as-modelled")}),
    Row(
        "stale-bytecode",
        1,
        {"reduction-7": KILLED, "reduction-8": KILLED, "wrong-tax": SURVIVED},
        poison_bytecode,
        jobs=1,
    ),
    Row("stubborn-children", 1, USUAL),
    Row(
        "writes-to-the-original",
        6,
        {"no-reduction": SOURCE_CHANGED, "wrong-tax": SOURCE_CHANGED},
        written=frozenset({"notes.txt"}),
    ),
    Row("xdist", 1, USUAL),
]

# By the counter's start: exit code and both verdicts. Of the five runs (baseline, null mutant, canary, two mutants)
# another one is hit each time.
SEVENTHS: dict[int, tuple[int, tuple[str, str], tuple[str, str]]] = {
    0: (1, KILLED, SURVIVED),
    1: (6, KILLED, ("unstable", "repeats-disagree")),
    2: (1, ("collateral", "as-modelled"), SURVIVED),
    3: (1, KILLED, SURVIVED),
    4: (6, KILLED, ("unstable", "killer-needs-others")),
    5: (6, UNSTABLE, UNSTABLE),
    6: (4, BASELINE_RED, BASELINE_RED),
}


@dataclass(frozen=True)
class Outcome:
    """What a run gave: its exit code, its judgements by id, and all that it printed."""

    code: int
    judgements: dict[str, dict[str, Any]]
    output: str

    @property
    def verdicts(self) -> dict[str, tuple[str, str]]:
        """Return verdict and first reason by spec."""
        return {name: (one["verdict"], one["reasons"][0]["slug"]) for name, one in self.judgements.items()}


def run_a_copy(
    folder: Path,
    name: str,
    prepare: Callable[[Path], None] | None = None,
    jobs: int = 2,
    written: frozenset[str] = frozenset(),
    **env: str,
) -> Outcome:
    """Run mutkit on a copy of a tree in ``folder``.

    The copy must be what it was (``written`` names aside), no process and no file may be left of the run.
    """
    tree, scratch, report = folder / "tree", folder / "tmp", folder / "report.json"
    shutil.copytree(TREES / name, tree, symlinks=True)
    scratch.mkdir()
    if prepare is not None:
        prepare(tree)
    before = tree_digest(tree, written)
    done = subprocess.run(
        [sys.executable, "-m", "mutkit", "run", "specs", "--jobs", str(jobs), "--json", str(report)],
        cwd=tree,
        env={**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(scratch), "AWKWARD_ORIGINAL": str(tree), **env},
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
    )
    output = done.stdout + done.stderr
    assert report.exists(), f"ended with {done.returncode}: {output}"
    found = json.loads(report.read_text(encoding="utf-8"))
    jsonschema.validate(found, report_schema())
    assert found["exit"]["code"] == done.returncode
    assert difference(before, tree_digest(tree, written)) == (), output
    assert _living_below(folder) == []
    assert [path for path in scratch.rglob("*") if not path.is_dir() and path.name != "lock"] == []
    return Outcome(done.returncode, {one["id"]: one for one in found["judgements"]}, output)


def _living_below(folder: Path) -> list[int]:
    """Return the processes whose working directory is below ``folder``, whether it still exists or not."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                place = os.readlink(entry / "cwd")
            except OSError:
                continue
            if place.startswith(f"{folder.resolve()}/"):
                found.append(int(entry.name))
    return found


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row.id)
def test_an_awkward_tree_gives_its_verdicts_and_stays_as_it_was(tmp_path: Path, row: Row) -> None:
    """Verdict, first reason, exit code and changed files are those of the table."""
    outcome = run_a_copy(tmp_path, row.tree, row.prepare, row.jobs, row.written)
    assert outcome.verdicts == row.verdicts, outcome.output
    assert outcome.code == row.code
    changed = {name: one["changed_files"] for name, one in outcome.judgements.items() if one["changed_files"]}
    assert changed == row.changed


@pytest.mark.parametrize("start", list(SEVENTHS))
def test_a_case_that_fails_each_seventh_time_is_never_a_kill(tmp_path: Path, start: int) -> None:
    """Whichever run is the seventh, no failure that has nothing to do with the mutant makes it killed."""
    counter = tmp_path / "counter"
    counter.write_text(str(start))
    outcome = run_a_copy(tmp_path, "one-in-seven", jobs=1, AWKWARD_COUNTER=str(counter))
    code, no_reduction, wrong_tax = SEVENTHS[start]
    assert outcome.verdicts == {"no-reduction": no_reduction, "wrong-tax": wrong_tax}, outcome.output
    assert outcome.code == code


def test_a_case_that_fails_by_chance_is_never_a_kill(tmp_path: Path) -> None:
    """Six repeats must agree: a failure by chance in all of them, on a green baseline, comes once in a million runs."""
    outcome = run_a_copy(tmp_path, "random-failures")
    assert outcome.verdicts["wrong-tax"][0] in {"survived", "unstable", "baseline-failed"}, outcome.output
    assert outcome.code in {1, 4, 6}


def test_odd_output_is_shown_harmlessly_in_any_encoding_and_reported_whole(tmp_path: Path) -> None:
    """On an ASCII stream, too: no escape sequence comes through, and JSON on standard output has each character."""
    shutil.copytree(TREES / "odd-output", tmp_path / "tree")
    done = subprocess.run(
        [sys.executable, "-m", "mutkit", "run", "specs", "--json", "-"],
        cwd=tmp_path / "tree",
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "ascii", "TMPDIR": str(tmp_path)},
        capture_output=True,
        timeout=110,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    report = json.loads(done.stdout.decode("utf-8"))
    observed = {one["id"]: one["observed"]["mutant"] for one in report["judgements"]}
    assert observed["odd-message"]["message"] == "\udcff\x1b[31m\u2713"
    assert b"\x1b" not in done.stderr
    assert rb"\udcff\u001b[31m\u2713" in done.stderr


def test_each_tree_has_a_row_and_says_why_it_is_there() -> None:
    """No tree is forgotten by the table."""
    named = {row.tree for row in TABLE} | {"one-in-seven", "random-failures"}
    assert {path.name for path in TREES.iterdir() if path.is_dir() and path.name != "__pycache__"} == named
    for name in named:
        title, _, why = (TREES / name / "README.md").read_text(encoding="utf-8").partition("\n\n")
        assert title == f"# {name}"
        assert why.strip()
