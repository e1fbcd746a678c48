"""Owns the whole of the self-test: which rows there are, in which order, and what they come to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mutkit.errors import ExitCode, UsageError
from mutkit.hermetic.selftest import readers_asyncio, readers_node, readers_python, readers_refused
from mutkit.hermetic.selftest.modes import MODES
from mutkit.hermetic.selftest.proving import Row, State, prove

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from mutkit.hermetic.selftest.modes import Mode, Pace
    from mutkit.hermetic.selftest.reading import Reader


def readers() -> tuple[Reader, ...]:
    """Return every reader that there is, on this machine or not."""
    return (
        *readers_python.READERS,
        *readers_asyncio.READERS,
        *readers_node.READERS,
        *readers_refused.READERS,
    )


def planned(names: Iterable[str] = ()) -> list[tuple[Reader, Mode]]:
    """Return the rows of the readers with these names (none: of all), in order.

    UsageError (slug ``reader-unknown``) for a name that no reader has.
    """
    known = {reader.name: reader for reader in readers()}
    chosen = list(dict.fromkeys(names)) or list(known)
    unknown = [name for name in chosen if name not in known]
    if unknown:
        shown = ", ".join(known)
        raise UsageError(f"no reader has the name {', '.join(unknown)}; there are: {shown}", slug="reader-unknown")
    return [(known[name], mode) for name in chosen for mode in (MODES[:1] if known[name].refused else MODES)]


def run(
    plan: Iterable[tuple[Reader, Mode]], size: int, folder: Path, pace: Pace, seen: Callable[[Row], None]
) -> list[Row]:
    """Run the rows one after the other, ``size`` bytes each, in an empty folder; call ``seen`` with each when it is
    done.
    """
    rows = []
    for number, (reader, mode) in enumerate(plan):
        row = prove(reader, mode, size, folder / f"row-{number}", pace)
        seen(row)
        rows.append(row)
    return rows


def conclusion(rows: Sequence[Row]) -> tuple[ExitCode, str]:
    """Return the exit code and what it all comes to, in a sentence.

    1: a byte was merged, lost or altered; 71: rows could not be run though nothing about them is out of the ordinary,
    or none was run at all; 0: all that can be run here holds.
    """
    count = {state: sum(row.state is state for row in rows) for state in State}
    told = ", ".join(f"{number} {state.value}" for state, number in count.items() if number)
    if count[State.BROKEN]:
        return ExitCode.FINDINGS, f"boundaries are not exact here: {told}"
    if count[State.CANNOT]:
        return ExitCode.HOST, f"not all could be proved on this machine: {told}"
    if not count[State.HOLDS]:
        return ExitCode.HOST, f"nothing could be proved on this machine: {told or 'there were no rows'}"
    exact = [row for row in rows if row.state is State.HOLDS and row.reader.sees_reads]
    reads = sum(row.reads for row in exact)
    return ExitCode.KILLED, f"every read was one write ({reads:,} reads), no byte was lost: {told}"
