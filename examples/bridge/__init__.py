"""Owns the bridge: an MCP server that lets a client run the command-line agent ``codex``; see README.md."""
