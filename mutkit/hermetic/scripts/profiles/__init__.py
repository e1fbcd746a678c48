"""Owns ready-made mocks of real programs: found, used as scripts, compared with the programs themselves."""

from __future__ import annotations

from mutkit.hermetic.scripts.profiles.find import names
from mutkit.hermetic.scripts.profiles.options import profile

__all__ = ["names", "profile"]
