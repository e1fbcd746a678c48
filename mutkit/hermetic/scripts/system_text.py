"""Owns text that stands for bytes of the system: words, variables, paths, standard input."""

from __future__ import annotations


def system_bytes(text: str) -> bytes:
    """Return the bytes that Python shows as this text: UTF-8, and lone surrogates for bytes that are none.

    So the words of a recorded call can be expected. A surrogate that stands for no byte is kept as three.
    """
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")
