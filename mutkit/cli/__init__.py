"""Owns the command line: parse, call one function, print, choose an exit code."""

from mutkit.cli.entry import cli, main

__all__ = ["cli", "main"]
