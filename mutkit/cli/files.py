"""Owns the files that commands write: refused in time, and whole or not at all."""

from __future__ import annotations

import contextlib
from pathlib import Path

import click


def refuse_target(name: str | None, option: str = "--json") -> None:
    """Refuse a report's file that cannot be written, before a run is spent on it."""
    if name in (None, "-"):
        return
    path = Path(str(name))
    if path.is_file():
        path.unlink()  # a report of an earlier run must not be taken for one of this run, however this one ends
    if not path.name or path.is_dir():
        raise click.ClickException(f"{option} {name!r}: name a file (or -)")
    if not path.absolute().parent.is_dir():
        raise click.ClickException(f"{option} {name}: cannot be written: there is no folder {path.parent}")


def written(name: str | None) -> frozenset[Path]:
    """Return the files that a run itself writes, as far as they can be known: its report, and where its output goes."""
    found = set() if name is None or name == "-" else {Path(name).resolve()}
    for descriptor in (1, 2):
        with contextlib.suppress(OSError):
            found.add(Path(f"/proc/self/fd/{descriptor}").readlink())
    return frozenset(found)


def write(name: str, text: str, option: str = "--json") -> None:
    """Write a JSON report as UTF-8, whole or not at all; ``-`` is standard output."""
    # A lone surrogate has no bytes; in JSON it is written as an escape, which is what this makes of it.
    content = text.encode("utf-8", "backslashreplace")
    if name == "-":
        click.echo(content, nl=False)
        return
    path = Path(name)
    part = path.with_name(f"{path.name}.part")
    try:
        part.write_bytes(content)
        part.replace(path)
    except OSError as error:
        raise click.ClickException(f"{option} {name}: cannot be written: {error.strerror}") from error
