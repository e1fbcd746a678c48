def total(count):
    if count > 9:
        return count * 9
    return count * 10


def tax(amount):
    return amount // 5
