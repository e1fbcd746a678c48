"""Owns the JSON Schemas that editors use: written from the same dataclasses that read the files."""

from __future__ import annotations

import json
import warnings
from typing import Any, Literal

from mutkit.model.campaign import Campaign
from mutkit.model.spec import Spec

Kind = Literal["spec", "campaign", "mock"]


def json_schema(kind: Kind) -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of a spec file, of campaign.toml or of a mock script."""
    from mutkit.hermetic.scripts.read import adapter as mock_adapter
    from mutkit.load.validate import adapter

    with warnings.catch_warnings():
        # A key that is not given has a default of its own that JSON cannot say; leaving it out is right.
        warnings.filterwarnings("ignore", message=".*not JSON serializable.*")
        reader = mock_adapter() if kind == "mock" else adapter(Spec if kind == "spec" else Campaign)
        schema = reader.json_schema()
    text = json.dumps(schema).replace('"in_"', '"in"')
    named: dict[str, Any] = json.loads(text)
    named["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    named["title"] = f"mutkit {kind}"
    return named
