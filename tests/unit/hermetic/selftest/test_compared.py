"""Owns the tests of the comparison of writes with reads: each fault is counted as itself."""

from __future__ import annotations

import pytest

from mutkit.hermetic.selftest.compared import Difference, compare

WRITTEN = b"abcdefgh"
BY_TWO = (2, 2, 2, 2)


@pytest.mark.parametrize(
    ("got", "reads", "difference"),
    [
        (b"abcdefgh", (2, 2, 2, 2), Difference()),
        (b"abcdefgh", (2, 4, 2), Difference(merged=1)),
        (b"abcdefgh", (8,), Difference(merged=3)),
        (b"abcdefgh", (2, 1, 1, 2, 2), Difference(split=1)),
        (b"abcdefgh", (2, 1, 3, 2), Difference(merged=1, split=1)),
        (b"abcdefg", (2, 2, 2, 1), Difference(lost=1)),
        (b"abdefgh", (2, 1, 2, 2), Difference(lost=1)),
        (b"abdefgh", (2, 3, 2), Difference(lost=1, merged=1)),
        (b"bcdefgh", (1, 2, 2, 2), Difference(lost=1)),
        (b"", (), Difference(lost=8)),
        (b"abcdefgh!", (2, 2, 2, 2, 1), Difference(extra=1)),
        (b"abc!efgh", (2, 2, 2, 2), Difference(altered=1)),
        (b"abcdefhg", (2, 2, 2, 2), Difference(altered=2)),
    ],
)
def test_each_fault_is_counted_as_what_it_is(got: bytes, reads: tuple[int, ...], difference: Difference) -> None:
    """Merged, split, lost, too many and altered are different faults, and boundaries around a lost byte still count."""
    assert compare(WRITTEN, BY_TWO, got, reads) == difference
    assert difference.content_is_whole == (got == WRITTEN)


def test_equal_bytes_beside_each_other_do_not_hide_a_lost_one() -> None:
    """One of many equal bytes is missing: it is one, wherever it was."""
    assert compare(b"x" * 9, (1,) * 9, b"x" * 8, (1,) * 8).lost == 1


def test_as_many_writes_as_the_self_test_makes_are_compared_in_one_go() -> None:
    """Each boundary is looked up once: with a look at all others for each of them this would take ten minutes."""
    size = 200_000
    assert compare(b"x" * size, (1,) * size, b"x" * size, (1,) * size) == Difference()
