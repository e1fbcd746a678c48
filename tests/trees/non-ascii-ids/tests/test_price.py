import pytest

from price import tax, total

RAISED = str.maketrans("0123456789", "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079")


def raised(value):
    return "n" + str(value).translate(RAISED)


@pytest.mark.parametrize("count", [1, 10, 20], ids=raised)
def test_price(count):
    assert total(count) == count * (9 if count > 9 else 10)


@pytest.mark.parametrize("amount", [10, 20], ids=raised)
def test_tax_is_a_number(amount):
    assert isinstance(tax(amount), int)
