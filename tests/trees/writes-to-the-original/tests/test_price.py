import os

from price import tax, total


def test_ten_pieces_are_cheaper():
    assert total(10) == 90


def test_one_piece_costs_ten():
    assert total(1) == 10


def test_tax_is_a_number():
    assert isinstance(tax(10), int)


def test_that_writes_to_the_original():
    with open(os.path.join(os.environ["AWKWARD_ORIGINAL"], "notes.txt"), "a") as file:
        file.write("here I was\n")
