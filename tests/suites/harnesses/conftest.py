"""Owns the small projects that the harness tests run: files in a fresh tree, a run of them, its record."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, field
from textwrap import dedent
from typing import TYPE_CHECKING

import pytest

from mutkit.harnesses import run_suite
from mutkit.model.campaign import Suite
from mutkit.stage import Stage

if TYPE_CHECKING:
    from pathlib import Path

    from mutkit.model.case import CaseRecord, SuiteRun

PYTHON = os.environ.get("MUTKIT_SUBJECT_PYTHON", sys.executable)
"""The interpreter of the projects; another one shows that the harness works with its pytest."""


@dataclass(frozen=True)
class Ran:
    """A run, and the questions that tests ask of it."""

    run: SuiteRun

    @property
    def outcomes(self) -> dict[str, str]:
        """Return the outcome of each case by its id."""
        return {case.id: case.outcome.value for case in self.run.cases}

    @property
    def troubles(self) -> dict[str, str]:
        """Return the message of each trouble by its slug (of the last one of a kind)."""
        return {trouble.slug: trouble.message for trouble in self.run.troubles}

    @property
    def only(self) -> CaseRecord:
        """Return the run's one case."""
        (case,) = self.run.cases
        return case

    @property
    def full(self) -> bool:
        """Return whether the run is full evidence."""
        return self.run.complete and not self.run.troubles


@dataclass
class Project:
    """A tree, and runs of its suite."""

    root: Path
    runs: int = 0
    python: str = PYTHON
    python_path: tuple[str, ...] = ()
    source: Path | None = None
    env: dict[str, str] = field(default_factory=dict)

    @property
    def tree(self) -> Path:
        """Return the folder that holds the files."""
        return self.root / "tree"

    def write(self, name: str, text: str) -> Project:
        """Write one file; return the project, to go on."""
        file = self.tree / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(dedent(text), encoding="utf-8")
        return self

    def run(
        self,
        cases: list[str] | None = None,
        *,
        places: tuple[str, ...] = (".",),
        args: tuple[str, ...] = (),
        deadline: float = 60.0,
    ) -> Ran:
        """Run the suite in ``places``, or the named cases of it."""
        self.runs += 1
        scratch = self.root / f"scratch-{self.runs}"
        scratch.mkdir()
        stage = Stage(
            tree=self.tree,
            scratch=scratch,
            python=self.python,
            base=self.tree,
            deadline=deadline,
            python_path=self.python_path,
            source=self.source,
        )
        return Ran(run_suite(Suite(cases=places, args=args, env=self.env), stage, cases))


@pytest.fixture
def project(tmp_path: Path, request: pytest.FixtureRequest) -> Project:
    """Return an empty project with an ini file, so that no folder above decides anything.

    What goes wrong has nothing to do with the plugins of this machine, whose import is most of a run: there, none is.
    """
    plain = request.path.stem == "test_pytest_troubles"
    env = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"} if plain else {}
    return Project(tmp_path, env=env).write("pytest.ini", "[pytest]\n")
