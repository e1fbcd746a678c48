from pathlib import Path

HERE = Path(__file__).parent
LINKS = ("link.txt", "folder/file.txt", "absolute.txt", "absolute-folder/file.txt")


def total(count):
    if count > 9:
        return count * 9
    return count * 10


def tax(amount):
    return amount // 5
