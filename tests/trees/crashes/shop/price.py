import sys


def total(count):
    if count > 9:
        return count * 9
    return count * 10


def main(words):
    if not words[0].isdigit():
        print("not a number", file=sys.stderr)
        return 2
    print(total(int(words[0])))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
