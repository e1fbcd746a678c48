LIMIT = 9
SHARE = 5


def total(count):
    return count * (9 if count > LIMIT else 10)


def tax(amount):
    return amount // SHARE
