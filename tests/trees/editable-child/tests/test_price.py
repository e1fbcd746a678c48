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


def test_ten_pieces_with_an_empty_environment(tmp_path):
    assert run(10, env={}, cwd=tmp_path) == "90"
