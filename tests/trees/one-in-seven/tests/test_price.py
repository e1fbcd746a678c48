import os
from pathlib import Path

from price import tax, total


def test_ten_pieces_are_cheaper():
    assert total(10) == 90


def test_tax_is_a_number():
    counter = Path(os.environ["AWKWARD_COUNTER"])
    number = int(counter.read_text()) + 1
    counter.write_text(str(number))
    assert isinstance(tax(10), int)
    assert number % 7 != 0
