"""Owns the number of a worker: another one for each of those that run tests at the same time."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

VARIABLE = "MUTKIT_WORKER"
"""The environment variable that holds the number, for suites that mutkit runs and for programs in a sandbox."""

_XDIST = "PYTEST_XDIST_WORKER"
_STEP = 1000
"""More than the workers that pytest-xdist starts for one suite."""


def worker_index(environment: Mapping[str, str] = os.environ) -> int:
    """Return the number, from 0: of mutkit's worker and of pytest-xdist's, each where there is one.

    With both, as in a suite that mutkit runs and that runs its cases with pytest-xdist, no two are alike.
    """
    own = environment.get(VARIABLE, "")
    found = re.fullmatch(r"gw(\d+)", environment.get(_XDIST, ""))
    return (int(own) * (_STEP if found else 1) if own.isdecimal() else 0) + (int(found[1]) if found else 0)
