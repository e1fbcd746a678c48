"""Owns the self-test as a table for people and as JSON for programs (``mutkit-mock-selftest/1``)."""

from __future__ import annotations

import platform
from typing import TYPE_CHECKING, Any

from mutkit.hermetic.selftest.proving import Row, State

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mutkit.errors import ExitCode

SCHEMA = "mutkit-mock-selftest/1"
_STYLES = {State.HOLDS: "", State.BROKEN: "bad", State.CANNOT: "unsure", State.ABSENT: "faint"}
_HEAD = f"{'reader':<17}{'descriptor':<12}{'mode':<23}"


def head_line() -> str:
    """Return the head of the table."""
    return f"{_HEAD}{'writes':>8}{'reads':>8}{'merged':>8}{'lost':>6}{'seconds':>9}{'bytes/s':>12}  result"


def row_line(row: Row) -> tuple[str, str]:
    """Return the line of one row, with its style."""
    head = f"{row.reader.name:<17}{row.reader.descriptor:<12}{row.mode:<23}"
    if row.state in (State.ABSENT, State.CANNOT):
        return _STYLES[row.state], f"{head}{row.state.value}: {row.reason}"
    if row.reader.refused:
        words = f"refused, as it must be: {row.reason}" if row.state is State.HOLDS else f"BROKEN: {row.reason}"
        return _STYLES[row.state], head + words
    merged = f"{row.difference.merged:,}" if row.reader.sees_reads else "-"
    figures = f"{row.writes:>8,}{row.reads:>8,}{merged:>8}{row.difference.lost:>6,}{row.seconds:>9.2f}{_rate(row):>12,}"
    return _STYLES[row.state], f"{head}{figures}  {_words(row)}"


def _rate(row: Row) -> int:
    return round(row.size / row.seconds) if row.seconds else 0


def _words(row: Row) -> str:
    if row.state is State.BROKEN:
        return f"BROKEN: {row.reason}"
    way = " and ".join(row.ways)
    return f"holds ({way})" if row.reader.sees_reads else "nothing lost; glued by design"


def summary_lines(rows: Sequence[Row], code: ExitCode, words: str) -> list[tuple[str, str]]:
    """Return the last lines: what readers glue by design, and what it all comes to."""
    glued = dict.fromkeys((row.reader.name, row.reader.glues) for row in rows if row.reader.glues)
    notes = [("faint", f"{name}: {why}, so that only its content is compared") for name, why in glued]
    return [("", ""), *notes, ("good" if not code else "bad", f"exit {int(code)}: {words}")]


def as_json(rows: Sequence[Row], code: ExitCode, words: str) -> dict[str, Any]:
    """Return what ``json.dumps`` takes."""
    return {
        "schema": SCHEMA,
        "machine": {"system": platform.system(), "release": platform.release(), "python": platform.python_version()},
        "exit": {"code": int(code), "reason": words},
        "rows": [_row(row) for row in rows],
    }


def _row(row: Row) -> dict[str, Any]:
    return {
        "reader": row.reader.name,
        "descriptor": row.reader.descriptor,
        "sees_reads": row.reader.sees_reads,
        "mode": row.mode,
        "result": row.state.value,
        "reason": row.reason,
        "ways": list(row.ways),
        "bytes": row.size,
        "writes": row.writes,
        "reads": row.reads,
        "proofs": row.proofs,
        **vars(row.difference),
        "seconds": round(row.seconds, 3),
        "bytes_per_second": _rate(row),
    }
