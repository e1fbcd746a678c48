"""Owns the command that proves exact read boundaries on this machine."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Literal

import click

from mutkit.cli.output import is_terminal, print_lines

if TYPE_CHECKING:
    from mutkit.errors import ExitCode
    from mutkit.hermetic.selftest import Row


@click.command()
@click.option("--bytes", "size", default=100_000, show_default=True, type=click.IntRange(1, 10_000_000), metavar="N",
              help="How many bytes are written one at a time; in other modes about so many.")  # fmt: skip
@click.option("--reader", "names", multiple=True, metavar="NAME", help="Only this reader; may be given several times.")
@click.option("--json", "as_json", is_flag=True, help="Print the rows as JSON.")
@click.option("--pace", default="exact", type=click.Choice(["exact", "none"]), hidden=True)
def selftest(size: int, names: tuple[str, ...], *, as_json: bool, pace: Literal["exact", "none"]) -> ExitCode:
    """Prove that what a mock writes exactly is read exactly so, by every kind of reader on this machine.

    Each way to cut output (each byte, by size, at offsets, inside a character, a line end, an escape, the newline by
    itself) is read by os.read, buffered files, selectors, asyncio, sockets, and Node where it is there. What was read
    is compared with what the mock recorded. Readers that glue by design must lose nothing; files, terminals and TCP
    must be refused.

    Ends with 0 when each read was one write, with 1 when a byte was merged, lost or altered, with 71 when this machine
    does not let it be tried. Rows that are not run are listed with the reason.

    \b
    Examples:
      mutkit mock selftest
      mutkit mock selftest --bytes 2000 --reader os.read --reader "node data"
      mutkit mock selftest --json > selftest.json
    """
    from mutkit.cli.interrupts import interruptible
    from mutkit.hermetic import selftest as test
    from mutkit.workspace.run_folder import RunFolder, temporary_folder

    plan = test.planned(names)
    folder = RunFolder(temporary_folder())
    shown = _Shown(len(plan), quiet=as_json)
    try:
        with interruptible():
            rows = test.run(plan, size, folder.path, pace, shown.row)
    finally:
        folder.close()
    code, words = test.conclusion(rows)
    if as_json:
        click.echo(json.dumps(test.as_json(rows, code, words), indent=2))
    else:
        print_lines(test.summary_lines(rows, code, words), sys.stdout)
    return code


class _Shown:
    """Prints the table as it grows, and on a terminal what is going on."""

    def __init__(self, planned: int, *, quiet: bool) -> None:
        """Take how many rows there will be; ``quiet``: no table."""
        self._planned, self._done, self._quiet = planned, 0, quiet
        self._live = is_terminal(sys.stderr)
        if not quiet:
            from mutkit.hermetic.selftest import head_line

            print_lines([("strong", head_line())], sys.stdout)
        self._going_on()

    def row(self, row: Row) -> None:
        """Print one row."""
        from mutkit.hermetic.selftest import row_line

        self._done += 1
        if self._live:
            click.echo("\r\x1b[K", nl=False, err=True)
        if not self._quiet:
            print_lines([row_line(row)], sys.stdout)
        self._going_on()

    def _going_on(self) -> None:
        if self._live and self._done < self._planned:
            click.echo(f"\r\x1b[K{self._done} of {self._planned} rows", nl=False, err=True)
