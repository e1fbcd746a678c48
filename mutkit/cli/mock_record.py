"""Owns the command that records a real program into a script."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from mutkit.errors import ExitCode, UsageError


@click.command(context_settings={"ignore_unknown_options": False})
@click.argument("argv", nargs=-1, required=True, type=click.UNPROCESSED, metavar="COMMAND...")
@click.option("-o", "--output", type=click.Path(path_type=Path), metavar="FILE",
              help="Where the script is written.  [default: standard output]")  # fmt: skip
@click.option("--force", is_flag=True, help="Replace FILE if it is there.")
@click.option(
    "--stdin", "source", metavar="FILE", help="What the program reads; - is standard input.  [default: nothing]"
)
@click.option("--timing", is_flag=True, help="Keep the pauses between writes, rounded to 5 ms.")
@click.option("--keep-env", "keep", multiple=True, metavar="NAME",
              help="The value of this variable is no secret; HOME, USER, HOSTNAME, TMPDIR too.")  # fmt: skip
@click.option("--deadline", default=60.0, show_default=True, type=click.FloatRange(0, 86400, min_open=True),
              metavar="SECONDS", help="A program that still runs then is ended; the script hangs.")  # fmt: skip
@click.option("--plain", is_flag=True, help="For programs that need plain pipes: chunks are those of our reads.")
def record(
    argv: tuple[str, ...],
    output: Path | None,
    source: str | None,
    keep: tuple[str, ...],
    deadline: float,
    *,
    force: bool,
    timing: bool,
    plain: bool,
) -> ExitCode:
    """Record a real program: make a script that replays it.

    COMMAND, after --, runs here and now, with this environment. Its script has what it wrote to both outputs, in the
    pieces and in the order in which it wrote them, whether it read its input, and how it ended.

    Secrets do not get into the script: values of variables that are named like secrets, strings that look like tokens,
    and the names of home, user, host and temporary folders are replaced by something as long. What was replaced is
    said on standard error.

    \b
    Examples:
      mutkit mock record -o git.toml -- git --version
      mutkit mock record -o codex.toml --stdin prompt.txt --timing -- codex exec --json -
    """
    from mutkit.cli.interrupts import interruptible
    from mutkit.cli.output import harmless
    from mutkit.hermetic import capture
    from mutkit.workspace.run_folder import RunFolder, temporary_folder

    if output is not None:
        capture.refuse_target(output, force=force)
    given = _input(source)
    folder = RunFolder(temporary_folder())
    try:
        with interruptible():
            done = capture.record(
                argv, folder.path, stdin=given, deadline=deadline, timing=timing, keep=keep, packets=not plain
            )
    finally:
        folder.close()
    if output is None:
        click.echo(done.text.encode("utf-8"), nl=False)
    else:
        capture.write_script(output, done.text, force=force)
    took = f"it took {done.capture.seconds:.2f} s"
    for remark in (*done.remarks, took, *([f"written to {output}"] if output else [])):
        click.echo(harmless(remark), err=True)
    return ExitCode.KILLED


def _input(source: str | None) -> bytes | None:
    if source is None:
        return None
    try:
        return sys.stdin.buffer.read() if source == "-" else Path(source).read_bytes()
    except OSError as error:
        raise UsageError(f"--stdin {source}: cannot be read: {error.strerror}", slug="record-input") from error
