"""Owns the tests of `mutkit mock record` at the process boundary: recorded, checked, replayed, compared."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from mutkit.hermetic import Call, MockCommands
from mutkit.hermetic.capture import capture

ROOT = Path(__file__).parents[2]
TOKEN = "ghp_" + "Ab0" * 12


def _start(folder: Path, *words: str, env: dict[str, str] | None = None) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "mutkit", "mock", *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(folder), **(env or {})},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def _mock(
    folder: Path, *words: str, stdin: bytes = b"", env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[bytes]:
    with _start(folder, *words, env=env) as process:
        out, err = process.communicate(stdin, timeout=60)
    return subprocess.CompletedProcess(words, process.returncode, out, err)


def _program(folder: Path, code: str) -> list[str]:
    (folder / "program.py").write_text(f"import os, sys, time, signal\n{code}\n", encoding="utf-8")
    return [sys.executable, "-I", "-S", "program.py"]


def _replayed(folder: Path, script: Path, argv: list[str], stdin: bytes | None = None) -> tuple[Any, Call]:
    """Run the script as a mock in the way in which the program was run; return what was seen, and its recording."""
    with MockCommands(folder / "mocks") as mocks:
        mock = mocks.add("again", script)
        seen = capture([str(Path(mocks.path) / "again"), *argv], stdin)
        (call,) = mock.calls
    return seen, call


INTERLEAVED = r"""
data = sys.stdin.buffer.read()
for at in range(20):
    os.write(1 + at % 2, b"%d %s" % (at, b"\n" if at % 3 else b""))
os.write(1, b"x" * 300000 + b"\n")
os.write(2, b"\xff\xfe\x00")
for sign in "é€😀".encode():
    os.write(1, bytes([sign]))
os.write(1, b"%d" % len(data))
"""


@pytest.mark.parametrize(
    ("code", "stdin"),
    [(INTERLEAVED + "sys.exit(3)", b"question"), (INTERLEAVED + "os.kill(os.getpid(), signal.SIGTERM)", b"")],
    ids=["exit", "signal"],
)
def test_what_was_recorded_is_replayed_byte_for_byte_and_write_for_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str, stdin: bytes
) -> None:
    """The mock made of a program gives what the program gave, in the same pieces and order, and ends as it did."""
    argv = _program(tmp_path, code)
    monkeypatch.chdir(tmp_path)
    real = capture(argv, stdin)
    (tmp_path / "input").write_bytes(stdin)
    done = _mock(tmp_path, "record", "-o", "script.toml", "--stdin", "input", "--", *argv)
    assert (done.returncode, done.stdout) == (0, b""), done.stderr
    assert b"each chunk is one write of the program" in done.stderr
    assert _mock(tmp_path, "check", "script.toml").returncode == 0
    again, call = _replayed(tmp_path, tmp_path / "script.toml", argv[1:], stdin)
    assert [(one.fd, one.data) for one in again.chunks] == [(one.fd, one.data) for one in real.chunks]
    assert (again.ending, again.unsure) == (real.ending, 0)
    assert call.chunks == tuple(len(one.data) for one in real.chunks if one.fd == 1)
    assert (call.stdin, call.stdin_ended) == (stdin, bool(stdin))


def test_a_program_of_the_system_is_recorded_into_a_file_that_people_can_read(tmp_path: Path) -> None:
    """`git --version`, to standard output; only its own words are answered."""
    done = _mock(tmp_path, "record", "--", "git", "--version")
    version = subprocess.run(["git", "--version"], capture_output=True, check=True, text=True).stdout
    text = done.stdout.decode()
    assert done.returncode == 0, done.stderr
    assert f'note = "recorded from git"\nargv = ["--version"]\n\n[[step]]\ntext = "{version[:-1]}"\n' in text
    assert text.endswith("\n[end]\nexit = 0\n")


def test_no_secret_gets_into_the_script_and_what_was_scrubbed_is_told_without_its_value(tmp_path: Path) -> None:
    """Values of the environment, tokens, home; in output, in the middle of two writes, and in the words."""
    argv = _program(
        tmp_path,
        "key = os.environ['MY_API_KEY'].encode()\nos.write(1, b'<' + key[:5]); os.write(1, key[5:] + b'>')\n"
        "os.write(2, sys.argv[1].encode() + os.environ['HOME'].encode() + b'/x')",
    )
    env = {"MY_API_KEY": "sesame-open-42", "HOME": "/home/somebody", "KEPT_TOKEN": "kept-as-it-is"}
    words = [*argv, TOKEN, "kept-as-it-is"]
    done = _mock(tmp_path, "record", "-o", "s.toml", "--keep-env", "KEPT_TOKEN", "--", *words, env=env)
    text, said = (tmp_path / "s.toml").read_text(), done.stderr.decode()
    for secret in ("sesame", "n-42", TOKEN[4:20], "somebody"):
        assert secret not in text + said
    assert 'text = "<REDACTEDxxxxxx>"\ncut_at = [6]' in text
    assert f'text = "ghp_{"x" * 36}/home/userxxxx/x"' in text
    assert 'argv = ["-I", "-S", "program.py", "ghp_*", "kept-as-it-is"]' in text
    assert "scrubbed: MY_API_KEY (1 time), a token (ghp_) (2 times), HOME (1 time)" in said


def test_a_program_that_hangs_becomes_a_script_that_hangs(tmp_path: Path) -> None:
    """The deadline ends it; the script has what came before, and says what it did on SIGTERM."""
    argv = _program(tmp_path, "signal.signal(15, lambda *_: os._exit(4))\nos.write(1, b'up')\ntime.sleep(600)")
    done = _mock(tmp_path, "record", "--deadline", "2", "--", *argv)
    text = done.stdout.decode()
    assert done.returncode == 0
    assert text.endswith('[[step]]\ntext = "up"\n\n[end]\nhang = true\n\n[signals]\nTERM = 4\n')
    assert b"so the script hangs too; the program ended with exit code 4 on SIGTERM" in done.stderr


def test_a_file_is_never_overwritten_by_accident(tmp_path: Path) -> None:
    """Refused before the program runs; --force replaces it; a folder is refused either way; nothing is left over."""
    script, ran = tmp_path / "s.toml", tmp_path / "ran"
    script.write_text("mine")
    argv = _program(tmp_path, f"open({str(ran)!r}, 'w')")
    done = _mock(tmp_path, "record", "-o", "s.toml", "--", *argv)
    assert (done.returncode, script.read_text(), ran.exists()) == (2, "mine", False)
    assert b"s.toml: is there already. Name another file, or add --force. [record-target]" in done.stderr
    for target in (".", "no/folder.toml"):
        done = _mock(tmp_path, "record", "--force", "-o", target, "--", *argv)
        assert (done.returncode, ran.exists()) == (2, False)
        assert b"[record-target]" in done.stderr
    done = _mock(tmp_path, "record", "--force", "-o", "s.toml", "--", *argv)
    assert done.returncode == 0, done.stderr
    assert "[end]" in script.read_text()
    assert sorted(path.name for path in tmp_path.iterdir() if not path.name.startswith("mutkit-")) == [
        "program.py",
        "ran",
        "s.toml",
    ]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--", "no-such-program"], "no-such-program: cannot be started: No such file or directory [record-program]"),
        (["--stdin", "nowhere", "--", "true"], "--stdin nowhere: cannot be read: No such file or directory"),
        ([], "Missing argument"),
        (["--deadline", "0", "--", "true"], "--deadline"),
    ],
)
def test_mistakes_are_told_in_a_line(tmp_path: Path, words: list[str], said: str) -> None:
    """Exit 2, no traceback, no script."""
    done = _mock(tmp_path, "record", "-o", "s.toml", *words)
    assert done.returncode == 2
    assert said in done.stderr.decode()
    assert "Traceback" not in done.stderr.decode()
    assert not (tmp_path / "s.toml").exists()


def test_standard_input_can_be_what_the_program_reads(tmp_path: Path) -> None:
    """--stdin - passes on what comes in, to its end."""
    done = _mock(tmp_path, "record", "--stdin", "-", "--", "cat", stdin=b"to and fro\n")
    assert b'[[step]]\nread_stdin = "end"\n\n[[step]]\ntext = "to and fro"\nnewline = "with"\n' in done.stdout


def test_an_interrupted_recording_leaves_neither_script_nor_program(tmp_path: Path) -> None:
    """Ctrl-C: exit 130, the program is ended with us, and no half-written file is there."""
    pid = tmp_path / "pid"
    code = f"open('part', 'w').write(str(os.getpid())); os.rename('part', {str(pid)!r}); time.sleep(600)"
    with _start(tmp_path, "record", "-o", "s.toml", "--", *_program(tmp_path, code)) as process:
        until = time.monotonic() + 30
        while not pid.exists() and time.monotonic() < until:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=30)
    assert process.returncode == 130, said
    assert not Path(f"/proc/{pid.read_text()}").exists(), "the program still runs"
    assert not list(tmp_path.glob("*s.toml*"))
