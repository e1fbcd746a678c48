"""Owns running a program from its start to its end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mutkit.process.child import CAP, Child

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from mutkit.model.ending import ProcessResult
    from mutkit.process.cancellation import Cancellation
    from mutkit.process.network import Network


def run(
    argv: Sequence[str],
    *,
    cwd: Path,
    env: Mapping[str, str],
    deadline: float,
    stdin: bytes = b"",
    cap: int = CAP,
    cancellation: Cancellation | None = None,
    network: Network | None = None,
) -> ProcessResult:
    """Run ``argv`` in ``cwd`` with exactly ``env``, feed it ``stdin``; return its end and its output.

    ``deadline``: seconds from its start after which it and all its descendants are ended (``TimedOut``);
    ``cap``: bytes kept of each output stream (all are counted); ``network``: what it can reach (None: what this
    process can). A command that cannot be started gives
    ``NotStarted``. Raises Cancelled, after everything has been ended, when the cancellation comes; HostError
    if this machine cannot start any process.
    """
    with Child(argv, cwd=cwd, env=env, cap=cap, cancellation=cancellation, network=network) as child:
        child.feed(stdin)
        child.wait_until_started()
        return child.finish(deadline)
