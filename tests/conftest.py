"""Owns what holds for all tests: none may hang."""

from __future__ import annotations

import pytest

SECONDS = 180


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give each test a deadline; not in pyproject.toml, which the bridge's suite shares without pytest-timeout."""
    for item in items:
        if item.get_closest_marker("timeout") is None:
            item.add_marker(pytest.mark.timeout(SECONDS))
