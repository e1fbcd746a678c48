"""Owns the command that says what this machine can do."""

from __future__ import annotations

import json
import sys

import click

from mutkit.cli.output import print_lines, width_of
from mutkit.errors import ExitCode


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON.")
def doctor(*, as_json: bool) -> ExitCode:
    """Say what this machine can do, and what follows for runs: each thing is really tried.

    Ends with 0 when runs can be made here, with 71 when something is missing that they cannot do without.

    \b
    Examples:
      mutkit doctor
      TMPDIR=/mnt/big mutkit doctor --json
    """
    from mutkit.hermetic import doctor as ward
    from mutkit.workspace.run_folder import home_name

    found = ward.examine(home_name())
    code = ExitCode.HOST if found.hindrances else ExitCode.KILLED
    if as_json:
        click.echo(json.dumps(ward.as_json(found, int(code)), indent=2))
    else:
        print_lines(ward.as_lines(found, width_of(sys.stdout)), sys.stdout)
    return code
