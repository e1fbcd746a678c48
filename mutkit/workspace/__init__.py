"""Owns workspaces: private copies of the source tree, each of which holds one variant; the source is never
written.
"""

from __future__ import annotations

from mutkit.workspace.private import Workspace
from mutkit.workspace.workspaces import LEFT_OUT, Workspaces

__all__ = ["LEFT_OUT", "Workspace", "Workspaces"]
