from pathlib import Path

from label import __file__ as file
from label import label, unit


def test_the_label_has_an_umlaut_and_a_colon():
    assert label(3) == "Gr\xf6\xdfe: 3"


def test_the_unit_is_a_text():
    assert unit(3).startswith("F\xfc") or unit(3).startswith("Fu")


def test_the_file_is_latin_1():
    assert b"Gr\xf6\xdfe" in Path(file).read_bytes()
