"""Owns what commands print: problems, and lines with a style where there is a terminal."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from mutkit.errors import Problem
    from mutkit.report.text import Line


def harmless(text: str) -> str:
    """Return text of several lines with what a terminal would act on written as an escape."""
    from mutkit.report.text import harmless as harmless_line

    return "\n".join(harmless_line(line) for line in text.split("\n"))


def print_problems(problems: tuple[Problem, ...]) -> None:
    """Print problems on standard error, a line each, and how many there are."""
    from mutkit.model.describe import counted

    for problem in problems:
        click.echo(harmless(str(problem)), err=True)
    click.echo(counted(len(problems), "problem"), err=True)


def print_lines(lines: list[Line], out: Any) -> None:
    """Print lines to the stream ``out``, with their styles where it is a terminal that shows them."""
    from mutkit.report.text import STYLES

    coloured = is_terminal(out) and not os.environ.get("NO_COLOR")
    for style, text in lines:
        look = STYLES.get(style, "") if coloured else ""
        options: dict[str, Any] = {look: True} if look in ("bold", "dim") else {"fg": look} if look else {}
        click.echo(click.style(text, **options) if options else text, file=out)


def is_terminal(out: Any) -> bool:
    """Return whether people look at ``out`` themselves: a terminal, and neither a CI's nor one that can nothing."""
    return bool(out.isatty()) and not os.environ.get("CI") and os.environ.get("TERM") != "dumb"


def width_of(out: Any) -> int | None:
    """Return how many columns lines for ``out`` have: of a terminal its own (100 where unknown), else None."""
    if not is_terminal(out):
        return None
    named = os.environ.get("COLUMNS", "")
    if named.isdigit() and int(named):
        return int(named)
    try:
        return os.get_terminal_size(out.fileno()).columns or 100
    except OSError:
        return 100
