"""What the words for ports and workers stand for in a probe, with a network of its own and without."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from mutkit.hermetic.sandbox import ports
from mutkit.model.campaign import ProcessProbe
from mutkit.model.effect import Finished
from mutkit.probes import run_probe

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from mutkit.stage import Stage

PROGRAM = """
import json, os, socket, sys
for number in sys.argv[1:3]:
    socket.create_server(("127.0.0.1", int(number))).close()
print(json.dumps([sys.argv[1:], os.environ["ADDRESS"], os.environ["MUTKIT_WORKER"]]))
"""


def probed(tree: Path, stage: Callable[..., Stage]) -> list[Any]:
    """Return what a program says that listens on the ports it is given: its words, and two of its variables."""
    (tree / "program.py").write_text(PROGRAM)
    words = ("{python}", "program.py", "{port}", "{port:admin}", "--at={port:admin}", "{worker}", "{port:}", "{ports}")
    probe = ProcessProbe("process", words, env={"ADDRESS": "127.0.0.1:{port}/{worker}"})
    effect = run_probe(probe, stage()).effect
    assert isinstance(effect, Finished)
    assert effect.code == 0, effect
    return list(json.loads(effect.stdout))


@pytest.mark.parametrize("namespaces", ["on", "off"])
def test_ports_and_the_worker_are_put_in_where_the_probe_names_them(
    tree: Path, stage: Callable[..., Stage], namespaces: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the command line and in variables; a name has one port; what is no such word stays."""
    monkeypatch.setenv("MUTKIT_NAMESPACES", namespaces)
    numbered = tree.rename(tree.with_name("tree-7"))
    argv, address, worker = probed(numbered, lambda: replace(stage(), tree=numbered))
    one, admin, *rest = argv
    assert one != admin
    assert rest == [f"--at={admin}", "7", "{port:}", "{ports}"]
    assert address == f"127.0.0.1:{one}/7"
    assert worker == "7"


def test_ports_are_given_back_when_the_probe_is_over(
    tree: Path, stage: Callable[..., Stage], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A campaign has more probes than a worker has ports where all share one network."""
    monkeypatch.setenv("MUTKIT_NAMESPACES", "off")
    before = set(ports._shared._taken)
    probed(tree, stage)
    assert ports._shared._taken == before
