"""Owns the start of pytest in the subject's interpreter: ``python -m pytest``, plus a folder on its path.

Used as ``{python} run.py ARGUMENTS``. As under ``python -m pytest`` the working directory comes first on
``sys.path``, not this script's folder; the folder of the report plugin comes last. xdist gives its workers
the same path and the same arguments, so that they report too.
"""

from __future__ import annotations

import os
import runpy
import sys

if __name__ == "__main__":
    sys.path[0] = os.getcwd()
    sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "on_path"))
    runpy.run_module("pytest", run_name="__main__", alter_sys=True)
