"""Owns the tests of the JSON Schemas: what the loader takes they take, what it refuses they refuse."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jsonschema
import pytest
import tomli

from mutkit.load import json_schema
from tests.projects import CAMPAIGN, SPEC

ROOT = Path(__file__).parents[3]
SPECS = sorted(path for path in (ROOT / "specs").glob("*/*.toml") if path.name != "campaign.toml")
MOCKS = sorted((ROOT / "specs").glob("*/mocks/*/*.toml")) + sorted((ROOT / "mocks").glob("*/*.toml"))
CAMPAIGNS = sorted((ROOT / "specs").glob("*/campaign.toml"))


def _check(kind: Any, text: str) -> None:
    schema = json_schema(kind)
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.Draft202012Validator(schema).validate(tomli.loads(text))


@pytest.mark.parametrize("path", SPECS, ids=[f"{p.parent.name}/{p.stem}" for p in SPECS])
def test_every_spec_of_ours_fits_the_schema(path: Path) -> None:
    """An editor marks nothing in a sound spec."""
    _check("spec", path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", CAMPAIGNS, ids=[p.parent.name for p in CAMPAIGNS])
def test_every_campaign_of_ours_fits_the_schema(path: Path) -> None:
    """An editor marks nothing in a sound campaign."""
    _check("campaign", path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", MOCKS, ids=[f"{p.parent.name}/{p.stem}" for p in MOCKS])
def test_every_mock_script_of_ours_fits_the_schema(path: Path) -> None:
    """An editor marks nothing in a sound script."""
    _check("mock", path.read_text(encoding="utf-8"))


MOCK = """
argv = ["exec", "**"]
signals = { TERM = "ignore", INT = 1 }
reader_gone = "die"
[[step]]
expect = { json = { a = 1 } }
[[step]]
generate = { kind = "crlf" }
chunk = "inside-crlf"
[end]
exit = 3
"""


def test_a_script_with_all_kinds_of_values_fits_the_schema() -> None:
    """Choices of texts and numbers too."""
    _check("mock", MOCK)


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("mock", MOCK.replace("chunk =", "chunks =")),
        ("mock", MOCK.replace("inside-crlf", "inside-cr")),
        ("mock", MOCK.replace("TERM", "TREM")),
        ("mock", MOCK.replace("exit = 3", "exit = 3.5")),
        ("spec", SPEC.replace("defect =", "defekt =")),
        ("spec", SPEC.replace('in = "greet"', "in = 3")),
        ("spec", SPEC.replace('in = "greet"', 'in_ = "greet"')),
        ("spec", SPEC.replace('returns = "Hello  !"', 'returns = { globb = "x" }')),
        ("campaign", CAMPAIGN.replace('cases = ["tests"]', 'cases = "tests"')),
        ("campaign", CAMPAIGN.replace('kind = "python"', 'kind = "pyton"')),
    ],
    ids=[
        "step",
        "chunk mode",
        "signal",
        "exit code",
        "unknown key",
        "wrong type",
        "python's name",
        "matcher key",
        "list",
        "kind",
    ],
)
def test_the_schemas_refuse_what_the_loader_refuses(kind: str, text: str) -> None:
    """An editor marks what `mutkit lint` would tell."""
    with pytest.raises(jsonschema.ValidationError):
        _check(kind, text)
