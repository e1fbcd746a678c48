"""Owns what must not be recorded: values that look like secrets, by the name of their variable or option.

Part of the child: it imports nothing.
"""

from __future__ import annotations

TYPE_CHECKING = False  # importing it from `typing` would import re and enum at each start
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

_SHORTEST = 6  # bytes: what is shorter turns up everywhere, and is no secret
_WORDS = frozenset(
    b"KEY KEYS TOKEN SECRET SECRETS PASSWORD PASSWORDS PASSWD PASSPHRASE CREDENTIAL CREDENTIALS AUTH COOKIE"
    b" COOKIES".split()
)
_TAILS = (b"APIKEY", b"TOKEN", b"SECRET", b"PASSWORD", b"PASSWD")  # also where no _ stands before: AUTHTOKEN


def is_secret(name: bytes) -> bool:
    """Return whether a variable or option called so holds a secret: one of the parts of its name says so."""
    parts = name.upper().replace(b"-", b"_").replace(b".", b"_").split(b"_")
    return any(part in _WORDS or part.endswith(_TAILS) for part in parts)


class Secrets:
    """The secrets of one call, and how they are told in the record: by the name alone."""

    def __init__(self, environ: Mapping[bytes, bytes], argv: list[bytes], unredacted: Iterable[bytes]) -> None:
        """Find them in the environment and the words; ``unredacted`` names variables and options that are none."""
        shown = {name.lstrip(b"-") for name in unredacted}
        self._names: dict[bytes, bytes] = {}  # from the value to the name
        for name, value in environ.items():
            if len(value) >= _SHORTEST and name not in shown and is_secret(name):
                self._names.setdefault(value, name)
        self._hidden: dict[int, bytes] = {}  # from the place of a word to what is recorded for it
        for at, word in enumerate(argv):
            self._look_at(at, word, argv[at + 1] if at + 1 < len(argv) else None, shown)
        self._ordered = sorted(self._names, key=len, reverse=True)

    def _look_at(self, at: int, word: bytes, following: bytes | None, shown: set[bytes]) -> None:
        option, equals, value = word.partition(b"=")
        name = option.lstrip(b"-")
        if not word.startswith(b"-") or name in shown or not is_secret(name):
            return
        if equals:
            self._hidden[at] = option + b"=<" + name + b">"
        elif following is None or following.startswith(b"--") or (following.startswith(b"-") and len(following) <= 2):
            return  # another option
        else:
            value = following
            self._hidden[at + 1] = b"<" + name + b">"
        if len(value) >= _SHORTEST:
            self._names.setdefault(value, name)

    def __bool__(self) -> bool:
        """Return whether there are any."""
        return bool(self._names or self._hidden)

    def argv(self, argv: list[bytes]) -> list[bytes]:
        """Return the words as they are recorded."""
        return [self._hidden.get(at) or self.clean(word) for at, word in enumerate(argv)]

    def clean(self, value: Any) -> Any:
        """Return bytes, text, or what holds them, with each secret replaced by its name."""
        if isinstance(value, bytes):
            for secret in self._ordered:
                if secret in value:
                    value = value.replace(secret, b"<" + self._names[secret] + b">")
            return value
        if isinstance(value, str):
            return self.clean(value.encode("utf-8", "surrogateescape")).decode("utf-8", "surrogateescape")
        if isinstance(value, (tuple, list)):
            return type(value)(self.clean(one) for one in value)
        if isinstance(value, dict):
            return {self.clean(key): self.clean(one) for key, one in value.items()}
        return value

    def held_back(self, data: bytes) -> int:
        """Return how many bytes at the end of ``data`` may be the beginning of a secret."""
        longest = min(len(data), len(self._ordered[0]) - 1) if self._ordered else 0
        for size in range(longest, 0, -1):
            tail = data[-size:]
            if any(len(secret) > size and secret.startswith(tail) for secret in self._ordered):
                return size
        return 0

    def clean_rest(self, data: bytes) -> bytes:
        """Return what was held back and did not go on, or did not become known to; a long beginning is a secret too."""
        if len(data) < _SHORTEST:
            return data
        return next((b"<" + self._names[one] + b">" for one in self._ordered if one.startswith(data)), data)
