import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parents[1]


def run(count, **how):
    words = [sys.executable, "-m", "shop.price", str(count)]
    return subprocess.run(words, capture_output=True, text=True, check=True, **how).stdout.strip()


def test_inherited_environment():
    assert run(10, cwd=HERE) == "90"
