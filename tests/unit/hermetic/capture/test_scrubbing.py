"""Owns the tests of what must not get into a script: found in every form, replaced by something as long."""

from __future__ import annotations

import base64
import json

import pytest

from mutkit.hermetic.capture import scrubbing
from mutkit.hermetic.capture.scrubbing import Scrubber

ENV = {
    "SERVICE_API_KEY": 's3cr3t/"value"é',
    "HOME": "/home/alice.b",
    "USER": "alice",
    "TMPDIR": "/scratch/t",
    "LANG": "C.UTF-8",
    "PIN_TOKEN": "1234",
    "SHORT_KEY": "",
}


@pytest.fixture(autouse=True)
def _names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("socket.gethostname", lambda: "build-7.example.org")


def test_secrets_are_found_in_every_form_and_replaced_by_something_as_long() -> None:
    """As they are, inside JSON, in a URL, in base64; also beside other bytes that are no text."""
    secret = ENV["SERVICE_API_KEY"]
    forms = [
        secret.encode(),
        json.dumps(secret)[1:-1].encode(),
        b"s3cr3t%2F%22value%22%C3%A9",
        base64.b64encode(secret.encode()).rstrip(b"="),
    ]
    for form in forms:
        scrubber = Scrubber(ENV)
        assert scrubber.scrub(b"\xff<" + form + b">") == b"\xff<" + scrubbing.filled(b"REDACTED", len(form)) + b">"
        assert dict(+scrubber.counts) == {"SERVICE_API_KEY": 1}
    assert Scrubber(ENV).too_short == ["PIN_TOKEN"], "what is not looked for is told"


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("key sk-abcdefghij0123456789 ok", "key sk-"),
        ("sk-proj-abc_DEF-0123456789 ok", "sk-"),
        ("ghp_abcdefghijklmnopqrstuvwxyz0123456789 ok", "ghp_"),
        ("github_pat_11ABCDEFG0abcdefghijkl_x ok", "github_pat_"),
        ("glpat-abcdefghij0123456789 ok", "glpat-"),
        ("xoxb-123456789012-abcdef ok", "xoxb-"),
        ("AKIAIOSFODNN7EXAMPLE ok", "AKIA"),
        ("Authorization: Bearer abc.def-0123456789 ok", "Authorization: Bearer "),
        ('{"authorization":"bearer abcdef0123456789"} ok', '{"authorization":"bearer '),
        ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl ok", "eyJ"),
        ("https://me:hunter2@example.org ok", "https://me:"),
    ],
)
def test_strings_that_look_like_tokens_are_blanked_behind_what_tells_their_kind(text: str, kept: str) -> None:
    """The same length, the kind still to be seen, nothing else changed."""
    scrubbed = Scrubber({}).scrub(text.encode()).decode()
    assert len(scrubbed) == len(text)
    assert scrubbed.startswith(f"{kept}xx")
    assert scrubbed.endswith(" ok")
    changed = [old for old, new in zip(text, scrubbed, strict=True) if old != new]
    assert len(changed) >= 6


@pytest.mark.parametrize(
    "text",
    ["risk-assessment-of-all-things", "task-abcdefghijklmnopqrstuvwxyz", "the bearer of bad-tidings", "ghp_short"],
)
def test_words_that_are_no_tokens_stay(text: str) -> None:
    """A script that is scrubbed to death is of no use."""
    assert Scrubber({}).scrub(text.encode()) == text.encode()


def test_a_private_key_keeps_its_lines() -> None:
    """Line ends are where they were, the rest is gone."""
    key = b"-----BEGIN RSA PRIVATE KEY-----\nMIIabc\r\nDEF==\n-----END RSA PRIVATE KEY-----"
    blank = b"-----BEGIN RSA PRIVATE KEY-----\nxxxxxx\r\nxxxxx\n-----END RSA PRIVATE KEY-----"
    assert Scrubber({}).scrub(key) == blank


@pytest.mark.parametrize(
    ("text", "scrubbed", "name"),
    [
        ("in /home/alice.b/x", "in /home/userxxx/x", "HOME"),
        ("/home/alice.bc", "/home/userx.bc", "user name"),
        ("alice's malice", "userx's malice", "user name"),
        ("on build-7.example.org.", "on hostxxxxxxxxxxxxxxx.", "host name"),
        ("build-7: up", "hostxxx: up", "host name"),
        ("rebuild-7 build-78", "rebuild-7 build-78", ""),
        ('open("/scratch/t/run-17/f")', 'open("/tmp/xxxxx/xxxxxx/f")', "temporary folder"),
        ("cd /scratch/t", "cd /tmp/xxxxx", "temporary folder"),
        ("/tmp/abc.d: gone", "/tmp/xxxxx: gone", "temporary folder"),
    ],
)
def test_home_user_host_and_temporary_folders_are_replaced(text: str, scrubbed: str, name: str) -> None:
    """By something as long that says what it was; a name only as a word of its own."""
    scrubber = Scrubber(ENV)
    assert scrubber.scrub(text.encode()) == scrubbed.encode()
    assert set(+scrubber.counts) == ({name} if name else set())


def test_what_is_kept_by_name_stays() -> None:
    """Each of them can be named as no secret."""
    text = b's3cr3t/"value"\xc3\xa9 /home/alice.b alice build-7 /scratch/t/run-17'
    keep = ["SERVICE_API_KEY", "HOME", "USER", "HOSTNAME", "TMPDIR"]
    assert Scrubber(ENV, keep).scrub(text) == text


def test_words_of_a_command_line_get_wildcards() -> None:
    """What must not be told is any run of characters, so that the call of another machine fits too."""
    scrubber = Scrubber(ENV)
    assert scrubber.as_glob(b"--out=/scratch/t/run-17/answer.json") == b"--out=*/*/answer.json"
    assert scrubber.as_glob(b"/tmp/tmpab1/x") == b"/tmp/*/x"
    assert scrubber.as_glob(b"--key=sk-abcdefghij0123456789") == b"--key=sk-*"
    assert scrubber.as_glob(b"/home/alice.b/notes") == b"*/notes"
