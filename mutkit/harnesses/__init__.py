"""Owns the running of suites: which harness runs one, and what each hands back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mutkit.harnesses.pytest_suite import run_pytest
from mutkit.harnesses.python_path import workspace_path

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mutkit.model.campaign import Suite
    from mutkit.model.case import SuiteRun
    from mutkit.stage import Stage

__all__ = ["HARNESSES", "run_suite", "workspace_path"]

HARNESSES: dict[str, Callable[[Suite, Stage, Sequence[str] | None], SuiteRun]] = {"pytest": run_pytest}
"""The harnesses by the word that campaign.toml uses."""


def run_suite(suite: Suite, stage: Stage, cases: Sequence[str] | None = None) -> SuiteRun:
    """Run ``suite`` on the variant of ``stage`` in a fresh process and return how each case ended.

    ``cases`` are the ids to run (``path/of/file.py::Class::test[param]``, relative to the tree), None for the
    whole suite. What goes wrong is a trouble in the result; raises ``Cancelled`` where the stage's
    cancellation is set.
    """
    return HARNESSES[suite.harness](suite, stage, cases)
