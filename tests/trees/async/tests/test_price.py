import asyncio

from price import tax, total


def test_ten_pieces_are_cheaper():
    assert asyncio.run(total(10)) == 90


def test_one_piece_costs_ten():
    assert asyncio.run(total(1)) == 10


def test_tax_is_a_number():
    assert isinstance(asyncio.run(tax(10)), int)
