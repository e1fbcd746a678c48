async def total(count):
    if count > 9:
        return count * 9
    return count * 10


async def tax(amount):
    return amount // 5
