"""Owns taking out of a capture what must not stand in a script: secrets, and who and where it was recorded.

Everything in the output is replaced by something of the same length, so that no boundary moves and a secret that came
in two writes is found too.
"""

from __future__ import annotations

import base64
import contextlib
import json
import os
import re
import socket
import tempfile
import urllib.parse
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

_SECRET_NAME = re.compile(
    r"KEY|TOKEN|SECRET|PASSW|PASSPHRASE|CREDENTIAL|AUTH|COOKIE|PRIVATE|SIGNATURE|BEARER|JWT|_PAT$|DSN$|CONNECTION_STRING",
    re.IGNORECASE,
)
_SHORTEST = 6
"""A secret with fewer bytes would be found where it is none."""
_COMMON = frozenset({b"root", b"user", b"localhost", b"nobody"})
"""Names that say nothing about anybody, and stand in many a text for something else."""
_COMMON_FOLDERS = frozenset({b"/tmp", b"/var/tmp", b"/dev/shm"})

TOKENS: tuple[tuple[str, bytes], ...] = (
    ("sk-", rb"(?<![A-Za-z0-9])(sk-)[A-Za-z0-9_-]{16,}"),
    ("ghp_", rb"(?<![A-Za-z0-9])(gh[pousr]_)[A-Za-z0-9]{20,}"),
    ("github_pat_", rb"(?<![A-Za-z0-9])(github_pat_)\w{20,}"),
    ("glpat-", rb"(?<![A-Za-z0-9])(glpat-)[\w-]{16,}"),
    ("xox-", rb"(?<![A-Za-z0-9])(xox[abeprs]-)[A-Za-z0-9-]{10,}"),
    ("AKIA", rb"(?<![A-Za-z0-9])(AKIA|ASIA)[A-Z0-9]{16}"),
    ("AIza", rb"(?<![A-Za-z0-9])(AIza)[\w-]{30,}"),
    ("npm_", rb"(?<![A-Za-z0-9])(npm_)[A-Za-z0-9]{30,}"),
    ("hf_", rb"(?<![A-Za-z0-9])(hf_)[A-Za-z0-9]{30,}"),
    ("pypi-", rb"(?<![A-Za-z0-9])(pypi-)[\w-]{30,}"),
    ("JSON web token", rb"(?<![A-Za-z0-9])(eyJ)[\w-]{8,}\.[\w-]{8,}\.[\w-]*"),
    ("Bearer", rb"((?i:\bbearer)\s+)(?=[^\s\"']*[0-9])[\w.~+/=-]{8,}"),
    ("password in a URL", rb"(://[^\s/:@\"']+:)[^\s/@\"']+(?=@)"),
    ("private key", rb"(-----BEGIN [A-Z ]*PRIVATE KEY-----)[\s\S]+?(?=-----END)"),
)


@dataclass(frozen=True)
class Rule:
    """What is looked for; in place of what follows the pattern's first group comes ``word``, cut or filled up."""

    name: str
    pattern: re.Pattern[bytes]
    word: bytes

    def __call__(self, found: re.Match[bytes]) -> bytes:
        """Return something of the same length."""
        kept = found.group(1) if self.pattern.groups else b""
        rest = found.group()[len(kept) :]
        if b"\n" in rest:
            return kept + re.sub(rb"[^\r\n]", b"x", rest)
        return kept + filled(self.word, len(rest))


def filled(word: bytes, length: int) -> bytes:
    """Return ``word`` cut, or filled up with x, to that length."""
    return (word + b"x" * length)[:length]


class Scrubber:
    """Takes secrets and names out of bytes, and counts what it took."""

    def __init__(self, env: Mapping[str, str], keep: Collection[str] = ()) -> None:
        """Take the environment that the program has, and the names of variables whose values may stay.

        ``HOME``, ``USER``, ``HOSTNAME`` and ``TMPDIR`` among them let the home folder, the user's name, the host's
        name and temporary folders stay, from wherever they are known.
        """
        self.counts: Counter[str] = Counter()
        self.too_short: list[str] = []
        self._rules = [
            *self._of_secrets(env, keep),
            *(Rule(f"a token ({name})", re.compile(pattern), b"") for name, pattern in TOKENS),
            *_of_places(env, keep),
        ]

    def _of_secrets(self, env: Mapping[str, str], keep: Collection[str]) -> list[Rule]:
        found: list[tuple[str, bytes]] = []
        for name, value in env.items():
            if name in keep or not _SECRET_NAME.search(name):
                continue
            if len(value) >= _SHORTEST:
                found += [(name, form) for form in _forms(value)]
            elif value:
                self.too_short.append(name)
        found.sort(key=lambda item: -len(item[1]))  # one may be a part of another
        return [Rule(name, re.compile(re.escape(form)), b"REDACTED") for name, form in found]

    def scrub(self, data: bytes) -> bytes:
        """Return ``data`` with everything replaced by something of the same length."""
        return self._replace(data, lambda rule, found: rule(found))

    def as_glob(self, word: bytes) -> bytes:
        """Return a word of a command line, in which ``*`` stands for what must not be told."""
        return self._replace(word, lambda rule, found: (found.group(1) if rule.pattern.groups else b"") + b"*")

    def _replace(self, data: bytes, by: Callable[[Rule, re.Match[bytes]], bytes]) -> bytes:
        for rule in self._rules:

            def replaced(found: re.Match[bytes], rule: Rule = rule) -> bytes:
                new = by(rule, found)
                self.counts[rule.name] += new != found.group()  # what was replaced before may look alike
                return new

            data = rule.pattern.sub(replaced, data)
        return data


def _forms(value: str) -> Iterable[bytes]:
    """Return how a value may stand in output: as it is, in JSON, in a URL, in base64."""
    raw = os.fsencode(value)
    forms = [raw, os.fsencode(json.dumps(value)[1:-1]), base64.b64encode(raw).rstrip(b"=")]
    forms.append(urllib.parse.quote(raw, safe="").encode())
    return dict.fromkeys(forms)


def _of_places(env: Mapping[str, str], keep: Collection[str]) -> list[Rule]:
    """Return the rules for temporary folders, the home folder, and the names of user and host."""
    rules: list[Rule] = []
    if "TMPDIR" not in keep:
        rules += _of_temporary(os.fsencode(env.get("TMPDIR") or tempfile.gettempdir()).rstrip(b"/"))
    home = os.fsencode(env.get("HOME", "")).rstrip(b"/")
    if "HOME" not in keep and len(home) > 1:
        rules.append(Rule("HOME", re.compile(re.escape(home) + rb"(?![\w.-])"), b"/home/user"))
    if "USER" not in keep:
        rules += _of_names("user name", _users(env), b"user")
    if "HOSTNAME" not in keep:
        host = os.fsencode(socket.gethostname())
        rules += _of_names("host name", {host, host.partition(b".")[0], os.fsencode(env.get("HOSTNAME", ""))}, b"host")
    return rules


def _of_temporary(folder: bytes) -> list[Rule]:
    entry = rb"[^\s/\"'`:,;()<>\[\]{}\\]+"
    name = "temporary folder"
    rules = [Rule(name, re.compile(rb"(" + re.escape(folder) + rb"/)" + entry), b"")]
    if folder not in _COMMON_FOLDERS:
        rules += [
            Rule(name, re.compile(rb"(" + re.escape(common) + rb"/)" + entry), b"")
            for common in sorted(_COMMON_FOLDERS)
        ]
        rules.append(Rule(name, re.compile(re.escape(folder) + rb"(?![\w.-])"), b"/tmp/"))
    return rules


def _users(env: Mapping[str, str]) -> set[bytes]:
    found = {os.fsencode(env.get(name, "")) for name in ("USER", "LOGNAME", "USERNAME")}
    with contextlib.suppress(ImportError, KeyError):
        import pwd

        found.add(os.fsencode(pwd.getpwuid(os.getuid()).pw_name))
    return found


def _of_names(name: str, values: Iterable[bytes], word: bytes) -> list[Rule]:
    wanted = sorted((value for value in values if len(value) > 2 and value not in _COMMON), key=len, reverse=True)
    return [Rule(name, re.compile(rb"(?<![\w-])" + re.escape(value) + rb"(?![\w-])"), word) for value in wanted]
