"""Owns the test that docs/mock-services.md is true: its scripts are read, its Python is run, its keys are all there."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path
from typing import Any

import tomli

from mutkit.hermetic.services import MockService, ServiceScript
from mutkit.load.validate import toml_keys
from mutkit.model import service
from mutkit.model.effect import ServiceShows

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs/mock-services.md").read_text(encoding="utf-8")
TOML = re.findall(r"```toml\n(.*?)```", TEXT, re.DOTALL)


def test_the_scripts_on_the_page_are_scripts(tmp_path: Path) -> None:
    """A reader who copies one has no fault in it; what is for other files is TOML."""
    read = []
    for number, text in enumerate(TOML):
        if "[[" in text:
            (tmp_path / f"{number}.toml").write_text(text, encoding="utf-8")
            read.append(ServiceScript.from_toml(tmp_path / f"{number}.toml"))
        else:
            assert tomli.loads(text)
    assert [(len(script.route), len(script.turn)) for script in read] == [(3, 0), (0, 2)]


def test_the_python_on_the_page_runs() -> None:
    """Its assertions are its own."""
    names: dict[str, Any] = {}
    blocks = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    for code in blocks:
        exec(compile(code, "docs/mock-services.md", "exec"), names)
    assert len(blocks) == 2
    assert names["request"].operation == "op-1"


def test_all_keys_and_names_are_on_the_page() -> None:
    """Of routes, faults, turns, what a spec states, and of a service and its requests."""
    kinds: list[Any] = [service.Route, service.Wanted, service.Answer, service.Fault, service.Turn, service.ToolCall]
    kinds += [service.TurnError, service.TurnFault, service.Usage, ServiceShows, ServiceScript]
    for kind in kinds:
        assert [key for key in toml_keys(kind) if f"`{key}`" not in TEXT and f"[[{key}]]" not in TEXT] == [], kind
    public = {name for name in vars(MockService) if not name.startswith("_")}
    public |= {item.name for item in fields(service.Request)} - {"compare"}
    assert {name for name in public if f"`{name}" not in TEXT} == set()
