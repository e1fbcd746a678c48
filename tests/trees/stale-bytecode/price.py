LIMIT = 9


def total(count):
    return count * (9 if count > 9 else 10)


def tax(amount):
    return amount // 5


if __name__ == "__main__":
    print(total(10))
