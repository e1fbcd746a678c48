import pytest

from price import tax, total


@pytest.mark.parametrize("case", [[1, 10], [10, 90]])
def test_price(case):
    count, price = case
    case[1] *= -1
    assert total(count) == price


@pytest.mark.parametrize("case", [[10]])
def test_tax_is_a_number(case):
    case[0] *= -1
    assert isinstance(tax(case[0]), int)
