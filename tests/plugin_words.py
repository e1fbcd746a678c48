"""Owns the words that load the `observe` fixture in a pytest started by hand."""

from __future__ import annotations

import importlib.metadata


def plugin_words() -> list[str]:
    """Return nothing where mutkit is installed, so that its entry point does it, else the option that does.

    Both at once is an error of pytest: one module under two names.
    """
    installed = any(one.name == "mutkit" for one in importlib.metadata.entry_points(group="pytest11"))
    return [] if installed else ["-p", "mutkit.pytest_plugin"]
