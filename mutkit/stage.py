"""Owns the stage: where and within which limits one run of a variant takes place."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from mutkit.process import Cancellation


@dataclass(frozen=True)
class Stage:
    """What a harness or a probe needs to start a program on one variant.

    ``tree``: the workspace that holds the variant, and the working directory; ``scratch``: an empty folder of this
    run alone (HOME, TMPDIR, byte-code, reports), outside of ``tree``, removed by the caller; ``python``: the
    interpreter, absolute; ``python_path``: folders of the workspace to be put on PYTHONPATH so that an editable
    install of the subject resolves to the workspace and not to the source tree; ``deadline``: seconds that the run
    may take; ``base``: folder of campaign.toml (mock scripts are relative to it); ``cancellation``: set when the
    whole run is interrupted; ``source``: the tree that ``tree`` is a copy of, where known, so that a subject loaded
    from there is noticed.
    """

    tree: Path
    scratch: Path
    python: str
    base: Path
    deadline: float
    python_path: tuple[str, ...] = ()
    cancellation: Cancellation = field(default_factory=Cancellation)
    source: Path | None = None

    @property
    def worker(self) -> int:
        """Return the number at the end of the workspace's name, 0 where it has none: no two that are in use at a time
        have the same.
        """
        name = self.tree.name
        return int(name[len(name.rstrip("0123456789")) :] or "0")
