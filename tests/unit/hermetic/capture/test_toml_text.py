"""Owns the tests of text as TOML: every byte comes back, and people can read it."""

from __future__ import annotations

import random

import pytest
import tomli

from mutkit.hermetic.capture.toml_text import line, string

ALPHABET = "ab é😀 \"'\\\n\r\t\0\x1b\x7f\x85\u2028\ufeff\ud7ff"


@pytest.mark.parametrize("write", [string, line])
def test_every_text_comes_back(write: object) -> None:
    """Quotes of all kinds beside each other, line ends, what cannot be seen: 4,000 texts of awkward signs."""
    draw = random.Random(7)
    texts = ["".join(draw.choices(ALPHABET, k=draw.randrange(12))) for _ in range(3000)]
    texts += ["".join(draw.choices("\"'\\\n", k=draw.randrange(9))) for _ in range(1000)]
    document = "\n".join(f"t{at} = {write(text)}" for at, text in enumerate(texts))  # type: ignore[operator]
    assert list(tomli.loads(document).values()) == texts


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("plain", '"plain"'),
        ('{"type": "x"}', '\'{"type": "x"}\''),
        ('it\'s "quoted"', '"it\'s \\"quoted\\""'),
        ("one\ntwo\n", '"""\none\ntwo\n"""'),
        ('a = "x"\nb = "y"\n', '"""\na = "x"\nb = "y"\n"""'),
        ("C:\\dir\nD:\\dir\n", "'''\nC:\\dir\nD:\\dir\n'''"),
        ("one\r\ntwo\r\n", '"""\none\\r\ntwo\\r\n"""'),
        ("a\u2028b\x1b[0m", '"a\\u2028b\\u001b[0m"'),
    ],
)
def test_text_reads_as_it_was_written(text: str, written: str) -> None:
    """As few escapes as can be, and none hidden: what cannot be seen is written so that it can."""
    assert string(text) == written
