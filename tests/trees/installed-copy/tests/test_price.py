import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parents[1]


def run(count, **how):
    words = [sys.executable, "-m", "shop.price", str(count)]
    return subprocess.run(words, capture_output=True, text=True, check=True, **how).stdout.strip()


def test_ten_pieces_by_path():
    assert run(10, env={"PYTHONPATH": str(HERE / "src")}) == "90"


def test_ten_pieces_are_cheaper():
    from shop.price import total

    assert total(10) == 90
