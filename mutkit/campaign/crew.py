"""Owns the workers: as many threads as jobs, each with a workspace of its own, all stopped together."""

from __future__ import annotations

import itertools
import queue
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from typing import TypeVar

from mutkit.execute import Place, interpreter
from mutkit.harnesses import workspace_path
from mutkit.model.campaign import LoadedCampaign
from mutkit.process import Cancellation
from mutkit.workspace import Workspaces

K = TypeVar("K")
T = TypeVar("T")


class Crew:
    """Runs tasks on workspaces, each task on one workspace that no other task uses meanwhile."""

    def __init__(self, workspaces: Workspaces, campaign: LoadedCampaign, jobs: int, cancellation: Cancellation) -> None:
        """Take what all workers share; workspaces are copied when a worker first needs one."""
        self._workspaces = workspaces
        self._campaign = campaign
        self._cancellation = cancellation
        self._idle: queue.SimpleQueue[Place] = queue.SimpleQueue()
        self._numbers = itertools.count(1)  # `next` of it is one step, whichever thread takes it
        self._pool = ThreadPoolExecutor(jobs, thread_name_prefix="worker")

    def submit(self, task: Callable[[Place], T]) -> Future[T]:
        """Queue a task; it gets the place to run in."""
        return self._pool.submit(self._run, task)

    def _run(self, task: Callable[[Place], T]) -> T:
        place = self._take()
        try:
            return task(place)
        finally:
            self._idle.put(place)

    def _take(self) -> Place:
        try:
            return self._idle.get_nowait()
        except queue.Empty:
            workspace = self._workspaces.take(f"worker-{next(self._numbers)}")
        python = interpreter(self._campaign, sys.executable)
        python_path = workspace_path(python, self._campaign.tree, workspace.path)
        return Place(self._workspaces, workspace, self._campaign, python, python_path, self._cancellation)

    def stop(self, *, cancel: bool) -> None:
        """Wait for the running tasks to end; with ``cancel`` end their processes and drop the queued tasks."""
        if cancel:
            self._cancellation.cancel()
        self._pool.shutdown(wait=True, cancel_futures=cancel)


@contextmanager
def crew(workspaces: Workspaces, campaign: LoadedCampaign, jobs: int, cancellation: Cancellation) -> Iterator[Crew]:
    """Give a crew; whatever ends the block, no task and no process of it lives on."""
    workers = Crew(workspaces, campaign, jobs, cancellation)
    whole = False
    try:
        yield workers
        whole = True
    finally:
        workers.stop(cancel=not whole)


def as_they_end(futures: dict[Future[T], K]) -> Iterator[tuple[K, T]]:
    """Give what each future stands for, and its result, as it ends; the first exception of a task is raised at once."""
    open_ = set(futures)
    while open_:
        done, open_ = wait(open_, return_when=FIRST_COMPLETED)
        for future in done:
            yield futures[future], future.result()
