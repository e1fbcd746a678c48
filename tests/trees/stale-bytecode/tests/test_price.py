import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parents[1]

from price import tax, total


def test_ten_pieces_are_cheaper():
    assert total(10) == 90


def test_ten_pieces_in_a_child():
    words = [sys.executable, "-c", "import price; print(price.total(10))"]
    assert subprocess.run(words, cwd=HERE, env={}, capture_output=True, text=True).stdout.strip() == "90"
    assert list(HERE.glob("__pycache__/price.*.pyc")) != []


def test_one_piece_costs_ten():
    assert total(1) == 10


def test_tax_is_a_number():
    assert isinstance(tax(10), int)
