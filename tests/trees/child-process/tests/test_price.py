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


def test_scrubbed_environment():
    assert run(10, env={"PYTHONPATH": str(HERE)}) == "90"


def test_another_directory(tmp_path):
    assert run(10, cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(HERE)}) == "90"


def test_a_word_is_refused():
    assert subprocess.run([sys.executable, "-m", "shop.price", "x"], cwd=HERE, stderr=subprocess.DEVNULL).returncode == 2
