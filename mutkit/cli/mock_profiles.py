"""Owns the commands on ready-made mocks: list them, compare them with the real programs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mutkit.errors import ExitCode

if TYPE_CHECKING:
    from mutkit.hermetic.conformance.conformance import Conformance


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print them as a JSON list.")
def profiles(*, as_json: bool) -> ExitCode:
    """List the ready-made mocks of real programs, with their files.

    \b
    Examples:
      mutkit mock profiles
      mutkit mock run "$(mutkit mock profiles --json | jq -r '.[-1].file')" -- exec --json hi
    """
    from mutkit.hermetic.scripts import Script
    from mutkit.hermetic.scripts.profiles.find import file_of, names

    rows = [
        {"name": name, "file": str(file_of(name)), "note": Script.from_toml(file_of(name)).model.note}
        for name in names()
    ]
    if as_json:
        click.echo(json.dumps(rows, indent=2))
    for row in [] if as_json else rows:
        click.echo(f"{row['name']:<14} {row['note']}\n{'':<14} {row['file']}")
    return ExitCode.KILLED


@click.command()
@click.argument("name", metavar="PROFILE")
@click.option("--package", default="", help="A folder that has the program, or what npm knows it as.")
@click.option(
    "--against", type=click.Path(path_type=Path), help="Compare with what --save wrote instead of with the program."
)
@click.option("--only", multiple=True, metavar="TEXT", help="Scenarios with this in their name; may be repeated.")
@click.option("--save", type=click.Path(path_type=Path), help="Write what the real program showed, as JSON.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def conformance(
    name: str, package: str, against: Path | None, only: tuple[str, ...], save: Path | None, *, as_json: bool
) -> ExitCode:
    """Compare a ready-made mock with the real program, scenario by scenario.

    Installs the program's npm package into a temporary folder (about 100 MB are fetched), runs it with nothing but a
    loopback and a model server on it, runs the mock with the same command lines, and compares events and lines of files
    by keys and order, what is said, exit codes and writes. Ids, times and places are not compared.

    Exit codes: 0 nothing differs, 1 something does, 2 wrong words, 71 it cannot be run here (no npm, no network
    namespace).

    \b
    Examples:
      mutkit mock conformance codex/0.171
      mutkit mock conformance codex/0.171 --package @openai/codex@latest
      mutkit mock conformance codex/0.144 --package ./node_modules --only resume
    """
    from mutkit.hermetic.conformance.captures import save as save_captures
    from mutkit.hermetic.conformance.conformance import conformance as compare

    if package and against is not None:
        raise click.UsageError("--package and --against say two different things; keep one")
    done = compare(
        name, package=package, against=against, only=only, seen=lambda scenario: click.echo(scenario, err=True)
    )
    if save is not None:
        save_captures(save, done.program, done.real)
    click.echo(_json(name, done) if as_json else _text(name, done))
    return ExitCode.KILLED if done.conforms else ExitCode.FINDINGS


def _json(name: str, done: Conformance) -> str:
    rows = [{"scenario": row.scenario, "differences": list(row.differences)} for row in done.rows]
    return json.dumps({"profile": name, "program": done.program, "scenarios": rows}, indent=2, ensure_ascii=False)


def _text(name: str, done: Conformance) -> str:
    width = max(len(row.scenario) for row in done.rows)
    lines = [f"{name} beside {done.program}", ""]
    for row in done.rows:
        lines.append(f"{row.scenario:<{width}}  {len(row.differences) or 'the same'}")
        lines += [f"  {one}" for one in row.differences]
    differ = sum(bool(row.differences) for row in done.rows)
    return "\n".join([*lines, "", f"{len(done.rows)} scenarios, {differ} of them differ"])
