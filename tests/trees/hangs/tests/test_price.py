import signal

import pytest

from price import tax, total


@pytest.fixture(autouse=True)
def deadline():
    def late(number, frame):
        raise TimeoutError("late")

    signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, 0.5)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)


def test_ten_pieces_are_cheaper():
    assert total(10) == 90


def test_tax_is_a_number():
    assert isinstance(tax(10), int)
