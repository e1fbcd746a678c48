"""Owns the commands on mock children: run one by hand, check scripts."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from mutkit.cli.mock_profiles import conformance, profiles
from mutkit.cli.mock_record import record
from mutkit.cli.mock_selftest import selftest
from mutkit.cli.output import print_problems
from mutkit.errors import ExitCode


@click.group(
    epilog="""\b
Exit codes of a mock itself, where its script does not come to its end:
  95  forgotten: it hung, and nobody ended it for 600 s
  96  the reader closed the pipe while the mock wrote
  97  unexpected: called with words for which the script has no answer
  98  unable: the script asks for what cannot be done here
"""
)
def mock() -> None:
    """Run, check and make scripts of mock children.

    \b
    Examples:
      mutkit mock check mocks                   every fault of all scripts
      mutkit mock run answer.toml -- exec hi    what the program sees, by hand
    """


@mock.command()
@click.argument("script", type=click.Path(path_type=Path))
@click.argument("argv", nargs=-1, type=click.UNPROCESSED)
@click.option("--name", help="The command's name.  [default: the file's name without .toml]")
@click.option("--calls", "calls_file", metavar="FILE", help="Write the recording as JSON; - is standard error.")
@click.option("--show", is_flag=True, help="Print the recording on standard error, as --calls -.")
def run(script: Path, argv: tuple[str, ...], name: str | None, calls_file: str | None, *, show: bool) -> int:
    """Run a mock by hand: ends as the mock ends.

    What stands after -- are the words that the mock is called with. It has the standard streams and the environment of
    this command; the exit code is the mock's, and if it dies by a signal, so does this command.

    \b
    Examples:
      mutkit mock run answer.toml -- exec --json hi
      echo question | mutkit mock run --show answer.toml
      mutkit mock run answer.toml --name git --calls calls.json -- status -s
    """
    from mutkit.cli.endings import end_as
    from mutkit.cli.files import refuse_target, write
    from mutkit.hermetic.by_hand import run_by_hand
    from mutkit.workspace.run_folder import RunFolder, temporary_folder

    target = calls_file or ("-" if show else None)
    refuse_target(target, option="--calls")
    folder = RunFolder(temporary_folder())
    try:
        done = run_by_hand(script, name or script.stem, argv, folder.path / "mock")
    finally:
        folder.close()
    if target is not None:
        from mutkit.cli.call_json import calls_as_json

        text = json.dumps(calls_as_json(done.calls), indent=2) + "\n"
        if target == "-" or show:
            sys.stderr.write(text)
            sys.stderr.flush()
        if target != "-":
            write(target, text, option="--calls")
    return end_as(done.ending)


@mock.command()
@click.argument("paths", nargs=-1, required=True, metavar="SCRIPT...", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print the problems as a JSON list.")
def check(paths: tuple[Path, ...], *, as_json: bool) -> ExitCode:
    """Check scripts of mock children without running them: every fault at once.

    SCRIPT is a script's file, or a folder: all .toml files in and below it, but for campaigns and their specs. An
    answer that no call can get, because one above takes all its calls, is refused.

    \b
    Examples:
      mutkit mock check answer.toml
      mutkit mock check specs mocks --json
    """
    from mutkit.cli.mock_files import check_scripts, script_files

    files = script_files(paths)
    problems = check_scripts(files)
    if as_json:
        click.echo(json.dumps([vars(problem) for problem in problems], indent=2))
    elif problems:
        print_problems(problems)
    if problems:
        return ExitCode.USAGE
    if not files:
        click.echo("no script was found, so nothing was checked", err=True)
        return ExitCode.NOTHING_RAN
    if not as_json:
        click.echo(f"{len(files)} script{' is' if len(files) == 1 else 's are'} sound")
    return ExitCode.KILLED


mock.add_command(conformance)
mock.add_command(profiles)
mock.add_command(record)
mock.add_command(selftest)
