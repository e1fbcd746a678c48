"""Owns the entry point: the group of all commands, and the exit code of whatever happens."""

from __future__ import annotations

import errno
import io
import os
import sys
from pathlib import Path

import click

import mutkit
from mutkit.cli.campaigns import lint, run, schema, show
from mutkit.cli.doctor import doctor
from mutkit.cli.mock import mock
from mutkit.cli.output import harmless, print_problems
from mutkit.errors import ExitCode, MutkitError, SpecError


def main() -> None:
    """Run the command line; whatever happens, the process ends with a documented exit code."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by whoever started us
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115  it lives as long as we do
    for stream in (sys.stdout, sys.stderr):
        # What cases say may hold what the terminal's encoding, or any encoding, has no bytes for.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        code = cli.main(standalone_mode=False)
    except Exception as error:  # noqa: BLE001  the one place where a bug of ours is caught, to give it its own exit code
        code = _failed(error)
    except KeyboardInterrupt:
        code = ExitCode.INTERRUPTED
    except SystemExit:  # click's own end where nobody reads our output any more
        code = ExitCode.HOST
    sys.exit(int(ExitCode.BUG if code is None else code))  # nothing defaults to success


def _failed(error: Exception) -> ExitCode:
    """Say what went wrong, and return the exit code that it has."""
    match error:
        case click.exceptions.Abort():
            return ExitCode.INTERRUPTED
        case click.ClickException():
            error.show()
            return ExitCode.USAGE
        case SpecError():
            print_problems(error.problems)
            return error.exit_code
        case MutkitError():
            click.echo(harmless(f"mutkit: {error} [{error.slug}]"), err=True)
            return error.exit_code
        case OSError() if error.errno in (errno.EPIPE, errno.ENOSPC):
            return ExitCode.HOST
    return _bug(error)


def _bug(error: Exception) -> ExitCode:
    """Write versions, command and traceback to a log, and say where it is; without a place for one, print them."""
    import platform
    import tempfile
    import traceback

    text = "".join(traceback.format_exception(error))
    head = f"mutkit {mutkit.__version__}, Python {platform.python_version()}, {platform.platform()}\n{sys.argv!r}\n\n"
    click.echo(f"mutkit: this is a bug of mutkit: {type(error).__name__}: {error}", err=True)
    try:
        with tempfile.NamedTemporaryFile("wb", prefix="mutkit-bug-", suffix=".log", delete=False) as log:
            log.write((head + text).encode("utf-8", "backslashreplace"))
    except OSError:
        click.echo(f"Please report it with this:\n\n{head}{text}", err=True)
    else:
        click.echo(f"Please report it with {log.name}", err=True)
    return ExitCode.BUG


EXIT_CODES = """\b
Exit codes:
    0  every selected spec is killed as modelled; what was checked is sound
    1  findings: survived, wrong-reason, collateral, unfaithful, no-effect,
       not-viable or timed-out
    2  wrong command line, spec or script: nothing was run
    3  all that is not killed is stale: the source has moved on
    4  the baseline failed
    5  nothing was selected, or nothing ran
    6  inconclusive or unstable
   70  a bug of mutkit; a log is written
   71  this machine cannot run it (mutkit doctor says why); never a verdict
  130  interrupted
mutkit mock run ends as the mock ends: see mutkit mock --help.
"""


@click.group(context_settings={"help_option_names": ["-h", "--help"]}, epilog=EXIT_CODES)
@click.version_option(mutkit.__version__, prog_name="mutkit")
def cli() -> None:
    """Prove that a test suite notices the very defect that a mutation is named after.

    \b
    Examples:
      mutkit lint specs                 check every spec without running anything
      mutkit show specs/bridge/accept-empty-final.toml
      mutkit run specs/bridge           prove the campaign: exit 0 only if all are killed
    """


for command in (lint, run, show, schema, mock, doctor):
    cli.add_command(command)
