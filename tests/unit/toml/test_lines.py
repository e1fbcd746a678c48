"""Owns the tests of where keys stand: tables, lists of tables, dotted keys, strings over several lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from mutkit.errors import Problem
from mutkit.toml import Document, Key, read

TEXT = '''\
title = "x"
long = """
[not.a.table]
key = 3
"""
after = 1

[a."b c"]
d.e = 2

[[list]]
one = 1
[list.sub]
deep = 1

[[list]]
rows = [
    ["x"],
["b"]
]
one = 2
inline = { x = 1, y = { z = 2 } }
'''


@pytest.mark.parametrize(
    ("key", "line"),
    [
        (("title",), 1),
        (("long",), 2),
        (("not", "a", "table"), None),
        (("after",), 6),
        (("a", "b c"), 8),
        (("a", "b c", "d", "e"), 9),
        (("list", 0), 11),
        (("list", 0, "one"), 12),
        (("list", 0, "sub", "deep"), 14),
        (("list", 1), 16),
        (("list", 1, "rows"), 17),
        (("list", 1, "one"), 21),
        (("list", 1, "inline", "y", "z"), 22),
        (("list", 1, "missing"), 16),
        (("list",), 11),
        (("nowhere",), None),
    ],
    ids=str,
)
def test_a_key_is_found_on_its_line_or_on_that_of_the_table_around_it(
    tmp_path: Path, key: Key, line: int | None
) -> None:
    """Messages send a reader to the right line."""
    file = tmp_path / "x.toml"
    file.write_text(TEXT)
    document = read(file, "x.toml")
    assert isinstance(document, Document)
    assert document.line(key) == line


def test_a_file_that_cannot_be_read_is_a_problem_and_no_exception(tmp_path: Path) -> None:
    """A folder in the place of a file is told in the system's words."""
    problem = read(tmp_path, "x.toml")
    assert isinstance(problem, Problem)
    assert problem.slug == "file-unreadable"
