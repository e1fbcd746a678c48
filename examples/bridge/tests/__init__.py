"""Owns the suite of the bridge: 34 cases on the real process, with a mock ``codex`` alone in reach."""
