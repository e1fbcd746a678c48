"""Owns reading: from paths on the command line to campaigns and specs, with every problem at once."""

from mutkit.load.schema import json_schema
from mutkit.load.select import Selection, load

__all__ = ["Selection", "json_schema", "load"]
