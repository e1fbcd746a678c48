"""Owns the commands on campaigns and specs: lint, run, show, schema."""

from __future__ import annotations

import json
import os
import sys
from typing import Literal

import click

from mutkit.cli.files import refuse_target, write, written
from mutkit.cli.interrupts import interruptible
from mutkit.cli.output import print_lines, print_problems, width_of
from mutkit.errors import ExitCode

PATHS = click.argument("paths", nargs=-1, required=True, metavar="PATH...")


@click.command()
@PATHS
@click.option("--json", "as_json", is_flag=True, help="Print the problems as a JSON list.")
def lint(paths: tuple[str, ...], *, as_json: bool) -> ExitCode:
    """Check specs without running the subject.

    PATH is a spec file, a campaign's folder, or a folder of campaigns.

    \b
    Examples:
      mutkit lint specs
      mutkit lint specs/bridge --json
    """
    from mutkit.campaign.lint import lint as lint_all
    from mutkit.campaign.lint import only_stale
    from mutkit.load import load

    selection = load(paths, drafts=True)
    problems = lint_all(selection)
    if as_json:
        click.echo(json.dumps([vars(problem) for problem in problems], indent=2))
    elif problems:
        print_problems(problems)
    if problems:
        return ExitCode.STALE if only_stale(problems) else ExitCode.USAGE
    if not selection.specs:
        click.echo("no spec was found, so nothing was checked", err=True)
        return ExitCode.NOTHING_RAN
    if not as_json:
        number = len(selection.specs)
        click.echo(f"{number} spec{' is' if number == 1 else 's are'} sound: each matches exactly one place")
    return ExitCode.KILLED


@click.command()
@PATHS
@click.option("--only", multiple=True, metavar="ID", help="Run this spec alone (may be given again).")
@click.option(
    "--jobs",
    type=click.IntRange(1, 64),
    default=None,
    help="Workspaces at a time.  [default: one more than processors, at most 4]",
)
@click.option("--json", "json_file", metavar="FILE", help="Write the report as JSON; - is standard output.")
@click.option("--keep", is_flag=True, help="Keep a workspace with each mutant, and say where.")
def run(
    paths: tuple[str, ...], only: tuple[str, ...], jobs: int | None, json_file: str | None, *, keep: bool
) -> ExitCode:
    """Run mutants and judge them: exit 0 only if every selected spec is killed as modelled.

    \b
    Examples:
      mutkit run specs/bridge
      mutkit run specs/bridge --only accept-empty-final --keep
      mutkit run specs --json report.json
    """
    from mutkit.campaign.run import Options, run_campaigns
    from mutkit.load import load
    from mutkit.process import Cancellation
    from mutkit.report import as_json, final_lines
    from mutkit.report.progress import listener

    refuse_target(json_file)
    selection = load(paths, only=only)
    out = sys.stderr if json_file == "-" else sys.stdout
    options = Options(jobs=jobs or min((os.cpu_count() or 1) + 1, 4), keep=keep, written=written(json_file))
    with interruptible(), listener(out) as told:
        result = run_campaigns(selection, options, told, Cancellation())
    if result.problems:
        print_problems(result.problems)
    print_lines(final_lines(result, width_of(out)), out)
    if json_file is not None:
        write(json_file, json.dumps(as_json(result), indent=2, ensure_ascii=False) + "\n")
    return result.conclusion.code


@click.command()
@click.argument("spec", metavar="SPEC")
def show(spec: str) -> ExitCode:
    """Show a spec: defect, anchor in its source, diff, expectation.

    \b
    Example:
      mutkit show specs/bridge/accept-exit-0-without-message.toml
    """
    from mutkit.campaign.lint import hindrance_problem, only_stale
    from mutkit.load import load
    from mutkit.model.observation import Hindrance
    from mutkit.mutate import diff, mutate
    from mutkit.report import show_lines

    selection = load([spec], drafts=True)
    problems = list(selection.problems)
    for loaded in selection.specs:
        made = mutate(loaded)
        if isinstance(made, Hindrance):
            problems.append(hindrance_problem(loaded, made))
        else:
            print_lines(show_lines(loaded, made, diff(made, loaded.spec.file)), sys.stdout)
    if problems:
        print_problems(tuple(problems))
        return ExitCode.STALE if only_stale(problems) else ExitCode.USAGE
    if not selection.specs:
        click.echo("no spec was found, so nothing is shown", err=True)
        return ExitCode.NOTHING_RAN
    return ExitCode.KILLED


@click.command()
@click.argument("kind", type=click.Choice(["spec", "campaign", "mock", "report"]))
def schema(kind: Literal["spec", "campaign", "mock", "report"]) -> ExitCode:
    """Print the JSON Schema of spec files, of campaign.toml, of mock scripts or of the report.

    \b
    Example:
      mutkit schema spec > mutkit-spec.schema.json
    """
    from mutkit.load import json_schema
    from mutkit.report import report_schema

    found = report_schema() if kind == "report" else json_schema(kind)
    click.echo(json.dumps(found, indent=2))
    return ExitCode.KILLED
