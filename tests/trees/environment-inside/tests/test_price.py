from shop.price import tax, total


def test_ten_pieces_are_cheaper():
    assert total(10) == 90


def test_one_piece_costs_ten():
    assert total(1) == 10


def test_tax_is_a_number():
    assert isinstance(tax(10), int)
