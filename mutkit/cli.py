"""Owns the command line: parse, call one function, print, choose an exit code."""

from __future__ import annotations

import contextlib
import errno
import io
import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import mutkit
from mutkit.errors import ExitCode, MutkitError, Problem, SpecError

if TYPE_CHECKING:
    from mutkit.report.text import Line

PATHS = click.argument("paths", nargs=-1, required=True, metavar="PATH...")


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
            _print_problems(error.problems)
            return error.exit_code
        case MutkitError():
            click.echo(_harmless(f"mutkit: {error} [{error.slug}]"), err=True)
            return error.exit_code
        case OSError() if error.errno in (errno.EPIPE, errno.ENOSPC):
            return ExitCode.HOST
    return _bug(error)


@click.group(context_settings={"help_option_names": ["-h", "--help"]}, epilog="Exit codes: docs/messages.md.")
@click.version_option(mutkit.__version__, prog_name="mutkit")
def cli() -> None:
    """Prove that a test suite notices the very defect that a mutation is named after.

    \b
    Examples:
      mutkit lint specs                 check every spec without running anything
      mutkit show specs/bridge/accept-empty-final.toml
      mutkit run specs/bridge           prove the campaign, exit 0 only if all are killed as modelled
    """


@cli.command()
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
        _print_problems(problems)
    if problems:
        return ExitCode.STALE if only_stale(problems) else ExitCode.USAGE
    if not selection.specs:
        click.echo("no spec was found, so nothing was checked", err=True)
        return ExitCode.NOTHING_RAN
    if not as_json:
        number = len(selection.specs)
        click.echo(f"{number} spec{' is' if number == 1 else 's are'} sound: each matches exactly one place")
    return ExitCode.KILLED


@cli.command()
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

    _refuse_target(json_file)
    selection = load(paths, only=only)
    out = sys.stderr if json_file == "-" else sys.stdout
    options = Options(jobs=jobs or min((os.cpu_count() or 1) + 1, 4), keep=keep, written=_written(json_file))
    with _interruptible(), listener(out) as told:
        result = run_campaigns(selection, options, told, Cancellation())
    if result.problems:
        _print_problems(result.problems)
    _print_lines(final_lines(result), out)
    if json_file is not None:
        _write(json_file, json.dumps(as_json(result), indent=2, ensure_ascii=False) + "\n")
    return result.conclusion.code


@cli.command()
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
            _print_lines(show_lines(loaded, made, diff(made, loaded.spec.file)), sys.stdout)
    if problems:
        _print_problems(tuple(problems))
        return ExitCode.STALE if only_stale(problems) else ExitCode.USAGE
    if not selection.specs:
        click.echo("no spec was found, so nothing is shown", err=True)
        return ExitCode.NOTHING_RAN
    return ExitCode.KILLED


@cli.command()
@click.argument("kind", type=click.Choice(["spec", "campaign", "report"]))
def schema(kind: str) -> ExitCode:
    """Print the JSON Schema of spec files, of campaign.toml or of the report.

    \b
    Example:
      mutkit schema spec > mutkit-spec.schema.json
    """
    from mutkit.load import json_schema
    from mutkit.report import report_schema

    found = report_schema() if kind == "report" else json_schema("spec" if kind == "spec" else "campaign")
    click.echo(json.dumps(found, indent=2))
    return ExitCode.KILLED


def _harmless(text: str) -> str:
    from mutkit.report.text import harmless

    return "\n".join(harmless(line) for line in text.split("\n"))


def _print_problems(problems: tuple[Problem, ...]) -> None:
    for problem in problems:
        click.echo(_harmless(str(problem)), err=True)
    click.echo(f"{len(problems)} problem{'s' if len(problems) != 1 else ''}", err=True)


def _print_lines(lines: list[Line], out: Any) -> None:
    from mutkit.report.text import STYLES

    for style, text in lines:
        look = STYLES.get(style, "")
        options: dict[str, Any] = {look: True} if look in ("bold", "dim") else {"fg": look} if look else {}
        click.echo(click.style(text, **options) if options else text, file=out)


def _refuse_target(name: str | None) -> None:
    """Refuse a report's file that cannot be written, before a run is spent on it."""
    if name in (None, "-"):
        return
    path = Path(str(name))
    if path.is_file():
        path.unlink()  # a report of an earlier run must not be taken for one of this run, however this one ends
    if not path.name or path.is_dir():
        raise click.ClickException(f"--json {name!r}: name a file (or - for standard output)")
    if not path.absolute().parent.is_dir():
        raise click.ClickException(f"--json {name}: cannot be written: there is no folder {path.parent}")


def _written(name: str | None) -> frozenset[Path]:
    """Return the files that a run itself writes, as far as they can be known: its report, and where its output goes."""
    found = set() if name is None or name == "-" else {Path(name).resolve()}
    for descriptor in (1, 2):
        with contextlib.suppress(OSError):
            found.add(Path(f"/proc/self/fd/{descriptor}").readlink())
    return frozenset(found)


def _write(name: str, text: str) -> None:
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
        raise click.ClickException(f"--json {name}: cannot be written: {error.strerror}") from error


@contextmanager
def _interruptible() -> Iterator[None]:
    """Let Ctrl-C, SIGTERM and SIGHUP end the run in the same way, once: what follows is clearing up, not to be cut
    short.
    """
    import signal

    ending = False

    def interrupt(number: int, _frame: Any) -> None:
        nonlocal ending
        if ending:
            return
        ending = True
        os.write(
            2, f"\nmutkit: {signal.Signals(number).name}: ending the processes, removing the workspaces\n".encode()
        )
        raise KeyboardInterrupt

    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = {number: signal.signal(number, interrupt) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _bug(error: Exception) -> ExitCode:
    """Write versions, command and traceback to a log, and say where it is."""
    import platform
    import tempfile
    import traceback

    text = "".join(traceback.format_exception(error))
    head = f"mutkit {mutkit.__version__}, Python {platform.python_version()}, {platform.platform()}\n{sys.argv!r}\n\n"
    with tempfile.NamedTemporaryFile("wb", prefix="mutkit-bug-", suffix=".log", delete=False) as log:
        log.write((head + text).encode("utf-8", "backslashreplace"))
    click.echo(f"mutkit: this is a bug of mutkit: {type(error).__name__}: {error}", err=True)
    click.echo(f"Please report it with {log.name}", err=True)
    return ExitCode.BUG
