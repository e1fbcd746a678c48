"""Owns ``python -m examples.bridge``: serves the final generation on standard input and output."""

from examples.bridge.bridge import main

if __name__ == "__main__":
    main()
