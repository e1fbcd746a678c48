"""Owns the tests of workers: each task has a workspace to itself, and all stop together."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from mutkit.campaign.crew import as_they_end, crew
from mutkit.execute import Place
from mutkit.load import load
from mutkit.process import Cancellation, Cancelled, run
from mutkit.workspace import Workspaces
from tests.projects import write_project

JOBS = 4


def test_tasks_that_run_at_one_time_have_different_workspaces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No two workers share a copy: all tasks wait until all have one."""
    folder = write_project(tmp_path / "p")
    monkeypatch.chdir(folder)
    (loaded,) = load(["specs"]).specs
    meeting = threading.Barrier(JOBS, timeout=60)

    def task(place: Place) -> Path:
        meeting.wait()
        return place.workspace.path

    with Workspaces(folder, root=tmp_path) as workspaces:
        with crew(workspaces, loaded.campaign, JOBS, Cancellation()) as workers:
            futures = {workers.submit(task): str(number) for number in range(JOBS)}
            found = dict(as_they_end(futures))
        assert len(set(found.values())) == JOBS


def test_a_task_that_fails_ends_the_others_and_their_processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first exception ends the run; a process that another task waits for is ended, not waited for."""
    folder = write_project(tmp_path / "p")
    monkeypatch.chdir(folder)
    (loaded,) = load(["specs"]).specs
    started = threading.Event()
    endings: list[str] = []
    cancellation = Cancellation()

    def waits(place: Place) -> None:
        started.set()
        try:
            run(["/bin/sleep", "600"], cwd=place.workspace.path, env={}, deadline=600, cancellation=cancellation)
        except Cancelled:
            endings.append("cancelled")
            raise

    def fails(_: Place) -> None:
        started.wait(60)
        raise LookupError("the first one")

    with (
        Workspaces(folder, root=tmp_path) as workspaces,
        pytest.raises(LookupError, match="the first one"),
        crew(workspaces, loaded.campaign, 2, cancellation) as workers,
    ):
        list(as_they_end({workers.submit(waits): "waits", workers.submit(fails): "fails"}))
    assert endings == ["cancelled"]
