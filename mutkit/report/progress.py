"""Owns progress: a bar where there is a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TextIO

from mutkit.model.describe import counted
from mutkit.report.text import STYLES, judged_lines

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from mutkit.model.campaign import LoadedCampaign
    from mutkit.model.result import SpecResult


class Plain:
    """Prints a line when a campaign begins and one for each judgement: for CI logs and pipes."""

    def __init__(self, out: TextIO) -> None:
        """Take the stream to write to."""
        self._out = out

    def begun(self, campaign: LoadedCampaign, specs: int, steps: int) -> None:
        """Say what begins."""
        words = f"{counted(specs, 'spec')}, {counted(steps, 'step')}"
        print(f"{campaign.name}: {campaign.campaign.title}: {words}", file=self._out, flush=True)

    def step(self, name: str) -> None:
        """Say nothing: the judgements are progress enough for a log."""

    def judged(self, result: SpecResult) -> None:
        """Print the line of one spec."""
        for _, text in judged_lines(result):
            print(text, file=self._out, flush=True)


class Bar:
    """Draws a bar of the steps, and above it a line for each judgement."""

    def __init__(self, progress: Progress) -> None:
        """Take the bar to draw on."""
        self._progress = progress
        self._task: TaskID | None = None

    def begun(self, campaign: LoadedCampaign, specs: int, steps: int) -> None:
        """Start a bar for a campaign."""
        self._task = self._progress.add_task(f"{campaign.name}: {counted(specs, 'spec')}", total=steps, step="baseline")

    def step(self, name: str) -> None:
        """Advance by one."""
        if self._task is not None:
            self._progress.update(self._task, advance=1, step=name)

    def judged(self, result: SpecResult) -> None:
        """Print the line of one spec above the bar."""
        from rich.text import Text

        for style, text in judged_lines(result):
            self._progress.console.print(Text(text, style=STYLES.get(style, "")))


@contextmanager
def listener(out: TextIO) -> Iterator[Any]:
    """Give the listener that fits ``out``: a bar on a terminal, plain lines else (or under NO_COLOR, CI,
    TERM=dumb).
    """
    import os

    if not out.isatty() or os.environ.get("CI") or os.environ.get("TERM") == "dumb":
        yield Plain(out)
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console(file=out, stderr=out is sys.stderr, highlight=False)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, TextColumn("{task.fields[step]}"), console=console, transient=True) as progress:
        yield Bar(progress)
