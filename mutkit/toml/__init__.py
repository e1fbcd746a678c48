"""Owns TOML files as such: reading one, on which line a key stands, values that no key of ours takes."""

from mutkit.toml.document import Document, Key, dotted, read, shown

__all__ = ["Document", "Key", "dotted", "read", "shown"]
