"""Owns ``python -m mutkit``."""

from mutkit.cli import main

main()
