"""Owns one run of a pytest suite: the command, its instructions, and what its report amounts to.

Decisions, each for runs that can be compared:

- Judged by our report alone, never by pytest's exit code. A fresh process a run; never two sessions in one.
- The interpreter needs pytest, not mutkit: our plugin comes by path, last on ``sys.path``.
- The project's ``addopts`` are kept, but ``-x``, ``--maxfail``, ``--stepwise``, ``--collect-only`` and
  ``--pdb`` in them have no effect. What ``-k``, ``-m``, ``--deselect`` or ``--ignore`` in them hides is the
  trouble ``cases-deselected``, unless the campaign's ``args`` hold one of these words.
- pytest's cache is in the scratch folder (not disabled: ``--lf`` in ``addopts`` would become an unknown
  option).
- Named cases run with the same arguments as the whole suite (hence the same rootdir, ini file and conftest
  files); files without a named case are left out of collection, other cases of the rest are dropped after
  it.
- A file that cannot be collected does not keep the others from running (``--continue-on-collection-errors``).
- pytest-randomly: fixed seed, order as written. hypothesis: seed 0 and its own empty database.
  PYTHONHASHSEED is 0. pytest-xdist and pytest-cov work as ``addopts`` say; coverage data go to the scratch
  folder.
- Variables like CI are inherited, but explanations of assertions are always in full (verbosity 2), so that
  messages do not depend on them. PYTEST_* and PYTHON* are not inherited (``suite.env`` may set them).
- pytest-rerunfailures: the last attempt counts, and attempts with different outcomes are the trouble
  ``case-unsettled``.
"""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from mutkit.harnesses.environment import suite_environment
from mutkit.harnesses.pytest_report import read_run
from mutkit.process import Network, run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mutkit.model.campaign import Suite
    from mutkit.model.case import SuiteRun
    from mutkit.stage import Stage

RUNNER = Path(__file__).parent / "pytest_inside" / "run.py"


def run_pytest(suite: Suite, stage: Stage, cases: Sequence[str] | None = None) -> SuiteRun:
    """Run the suite, or the named ``cases`` of it, in ``stage.tree``; return facts and troubles."""
    folder = stage.scratch / "pytest"
    folder.mkdir(parents=True)
    report, observations, instructions = folder / "report", folder / "observations", folder / "run.json"
    instructions.write_text(
        json.dumps(
            {
                "report": str(report),
                "observations": str(observations),
                "tree": str(stage.tree),
                "source": str(stage.source or ""),
                "cases": None if cases is None else list(cases),
                "allowed": list(suite.args),
            }
        ),
        encoding="utf-8",
    )
    with Network(closed=suite.network == "loopback") as network:
        result = run(
            pytest_command(suite, stage, instructions, cases),
            cwd=stage.tree,
            env=suite_environment(suite, stage, os.environ, observations),
            deadline=stage.deadline,
            cancellation=stage.cancellation,
            network=network,
        )
    seen = read_run(result, report, observations, cases=cases, args=suite.args)
    return replace(seen, isolation=network.isolation)


def pytest_command(suite: Suite, stage: Stage, instructions: Path, cases: Sequence[str] | None) -> tuple[str, ...]:
    """Return the command line; the campaign's own words come last, so that they win."""
    return (
        stage.python,
        str(RUNNER),
        "-p",
        "mutkit_case_report",
        f"--mutkit-run={instructions}",
        "-o",
        f"cache_dir={stage.scratch / 'cache'}",
        "--continue-on-collection-errors",
        # Nobody reads what a case printed, and a mutant may print a gigabyte.
        "--show-capture=no",
        *suite.args,
        *_places(suite, stage.tree, cases),
    )


def _places(suite: Suite, tree: Path, cases: Sequence[str] | None) -> list[str]:
    """Return what to collect: the suite's places, less files without, plus other files with, a named case."""
    places = list(suite.cases)
    if cases is not None:
        files = dict.fromkeys(case.partition("::")[0] for case in cases)
        places = [place for place in places if not (tree / place).is_file() or Path(place).as_posix() in files]
        roots = [Path(place) for place in places]
        outside = [file for file in files if not any(Path(file).is_relative_to(root) for root in roots)]
        places += [file for file in outside if (tree / file).is_file()]
    # A name that begins with a dash would be an option.
    return [f"./{place}" if place.startswith("-") else place for place in places or suite.cases]
