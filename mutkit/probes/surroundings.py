"""Owns what is around a probed program: an environment made from nothing, a PATH of mocks, fresh folders."""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mutkit.hermetic import calls, install, link_tools
from mutkit.hermetic.sandbox.folders import make_environment
from mutkit.hermetic.sandbox.worker import VARIABLE

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mutkit.model.campaign import Probe
    from mutkit.model.mock_call import Call
    from mutkit.probes.services import ProbeServices
    from mutkit.process import Network
    from mutkit.stage import Stage


@dataclass(frozen=True)
class Surroundings:
    """Where one probe runs: ``folder`` is its own, ``cwd`` in the tree, ``env`` the whole environment,
    ``deadline`` in seconds, ``words`` what is replaced in texts, ``services`` what is on its loopback, ``network`` what
    its program can reach.
    """

    folder: Path
    cwd: Path
    env: dict[str, str]
    deadline: float
    words: dict[str, str]
    services: ProbeServices
    network: Network

    @classmethod
    def make(cls, probe: Probe, stage: Stage, network: Network, services: ProbeServices) -> Surroundings:
        """Make the folders, mock commands and links that the probe asks for, under ``stage.scratch``."""
        folder = Path(tempfile.mkdtemp(prefix="probe-", dir=stage.scratch))
        mocks = {name: stage.base / script for name, script in probe.mocks.items()}
        commands = install(folder / "bin", mocks, folder / "calls", stage.python)
        link_tools(commands, probe.tools)
        env = {"PATH": str(commands), **make_environment(folder, (), {}), VARIABLE: str(stage.worker)}
        env["PYTHONPATH"] = os.pathsep.join(dict.fromkeys([*stage.python_path, str(stage.tree)]))
        env |= services.env
        words = {"{python}": stage.python, "{tree}": str(stage.tree), **services.words}
        made = cls(folder, stage.tree / probe.cwd, env, probe.timeout or stage.deadline, words, services, network)
        env.update({name: made.fill(value) for name, value in probe.env.items()})
        return made

    def fill(self, word: str) -> str:
        """Return ``word`` with ``{python}``, ``{tree}`` and ``{service:name}`` replaced, and as a sandbox does
        ``{port}``, ``{port:name}`` and ``{worker}``.
        """
        word = self.services.fill(word)  # first: what is put in by the others is not to be filled again
        for name, value in self.words.items():
            word = word.replace(name, value)
        return word

    def with_urls(self, value: Any) -> Any:
        """Return a JSON value with ``{service:name}`` replaced in its texts; nothing else is, for the program's own
        input may hold any words.
        """
        if isinstance(value, dict):
            return {key: self.with_urls(one) for key, one in value.items()}
        if isinstance(value, (list, tuple)):
            return [self.with_urls(one) for one in value]
        if isinstance(value, str):
            for name, url in self.services.words.items():
                value = value.replace(name, url)
        return value

    def argv(self, run: Iterable[str]) -> tuple[str, ...]:
        """Return the words of a command line, filled."""
        return tuple(self.fill(word) for word in run)

    def calls(self) -> tuple[Call, ...]:
        """Return what the mock commands recorded."""
        return tuple(calls(self.folder / "calls"))
