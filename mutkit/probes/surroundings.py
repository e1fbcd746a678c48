"""Owns what is around a probed program: an environment made from nothing, a PATH of mocks, fresh folders."""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mutkit.hermetic import calls, install, link_tools

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mutkit.model.campaign import Probe
    from mutkit.model.mock_call import Call
    from mutkit.probes.services import ProbeServices
    from mutkit.process import Network
    from mutkit.stage import Stage

_FOLDERS = {
    "HOME": "home",
    "TMPDIR": "tmp",
    "XDG_CACHE_HOME": "home/.cache",
    "XDG_CONFIG_HOME": "home/.config",
    "XDG_DATA_HOME": "home/.local/share",
    "XDG_STATE_HOME": "home/.local/state",
    "XDG_RUNTIME_DIR": "run",
    "CODEX_HOME": "home/.codex",
}


@dataclass(frozen=True)
class Surroundings:
    """Where one probe runs: ``folder`` is its own, ``cwd`` in the tree, ``env`` the whole environment,
    ``deadline`` in seconds, ``network`` what its program can reach.
    """

    folder: Path
    cwd: Path
    env: dict[str, str]
    deadline: float
    words: dict[str, str]
    urls: dict[str, str]
    network: Network

    @classmethod
    def make(cls, probe: Probe, stage: Stage, network: Network, services: ProbeServices) -> Surroundings:
        """Make the folders, mock commands and links that the probe asks for, under ``stage.scratch``."""
        folder = Path(tempfile.mkdtemp(prefix="probe-", dir=stage.scratch))
        mocks = {name: stage.base / script for name, script in probe.mocks.items()}
        commands = install(folder / "bin", mocks, folder / "calls", stage.python)
        link_tools(commands, probe.tools)
        env = {"PATH": str(commands)}
        for name, place in _FOLDERS.items():
            (folder / place).mkdir(parents=True, exist_ok=True)
            env[name] = str(folder / place)
        (folder / _FOLDERS["XDG_RUNTIME_DIR"]).chmod(0o700)
        env |= {
            "TZ": "UTC",
            "LANG": "C.UTF-8",
            "LC_ALL": "C.UTF-8",
            "PYTHONHASHSEED": "0",
            "PYTHONNOUSERSITE": "1",
            "PYTHONPATH": os.pathsep.join(dict.fromkeys([*stage.python_path, str(stage.tree)])),
        }
        env |= services.env
        words = {"{python}": stage.python, "{tree}": str(stage.tree), **services.words}
        made = cls(folder, stage.tree / probe.cwd, env, probe.timeout or stage.deadline, words, services.words, network)
        env.update({name: made.fill(value) for name, value in probe.env.items()})
        return made

    def fill(self, word: str) -> str:
        """Return ``word`` with ``{python}``, ``{tree}`` and ``{service:name}`` replaced."""
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
            for name, url in self.urls.items():
                value = value.replace(name, url)
        return value

    def argv(self, run: Iterable[str]) -> tuple[str, ...]:
        """Return the words of a command line, filled."""
        return tuple(self.fill(word) for word in run)

    def calls(self) -> tuple[Call, ...]:
        """Return what the mock commands recorded."""
        return tuple(calls(self.folder / "calls"))
