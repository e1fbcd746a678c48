"""Owns lines that fit a terminal: broken between words, what follows indented below its text."""

from __future__ import annotations

import re
import textwrap

_LABEL = re.compile(r"( *)([a-z]+(?: [a-z]+)? {2,})?")
_LEAST = 40
"""Columns: on a narrower terminal lines are as wide as this."""


def wrapped(text: str, width: int | None) -> list[str]:
    """Return ``text`` as lines of ``width`` columns at most; None: as one line.

    A text of one word (a case's id) stays whole, to be copied. Further lines begin below the text of a line with a
    label (``  really    it ...``), else two columns further in.
    """
    if width is None or len(text) <= width:
        return [text]
    found = _LABEL.match(text)
    assert found is not None
    if " " not in text[len(found[0]) :]:
        return [text]
    indent = len(found[0]) if found[2] else len(found[1]) + 2
    return textwrap.wrap(
        text[len(found[0]) :],
        max(width, _LEAST),
        initial_indent=found[0],
        subsequent_indent=" " * indent,
        break_on_hyphens=False,
    )
