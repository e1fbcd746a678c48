"""Owns what commands print: problems, and lines with a style where there is a terminal."""

from __future__ import annotations

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
    for problem in problems:
        click.echo(harmless(str(problem)), err=True)
    click.echo(f"{len(problems)} problem{'s' if len(problems) != 1 else ''}", err=True)


def print_lines(lines: list[Line], out: Any) -> None:
    """Print lines to the stream ``out``; click takes the styles away where that is no terminal."""
    from mutkit.report.text import STYLES

    for style, text in lines:
        look = STYLES.get(style, "")
        options: dict[str, Any] = {look: True} if look in ("bold", "dim") else {"fg": look} if look else {}
        click.echo(click.style(text, **options) if options else text, file=out)
