def total(count):
    if count > 9:
        return count * 9
    return "\udcff\x1b[31m\u2713\0" * (count > 1) or count * 10


def tax(amount):
    return amount // 5
