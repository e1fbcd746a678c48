"""Owns the tests of `mutkit mock run` and `mutkit mock check` at the process boundary."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
MUTKIT = [sys.executable, "-m", "mutkit", "mock"]


def _start(folder: Path, *words: str, **more: Any) -> subprocess.Popen[bytes]:
    env = {**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(folder), "SEEN": "é"}
    return subprocess.Popen(
        [*MUTKIT, *words],
        **{"cwd": folder, "env": env, "stdin": -1, "stdout": -1, "stderr": -1, **more},
    )


def _mock(folder: Path, *words: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    with _start(folder, *words) as process:
        out, err = process.communicate(stdin, timeout=60)
    return subprocess.CompletedProcess(words, process.returncode, out, err)


def _script(folder: Path, text: str, name: str = "answer.toml") -> Path:
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


ECHOES = """\
record_env = ["SEEN"]
[[step]]
read_stdin = "end"
[[step]]
base64 = "/wAN"
[[step]]
text = "aside"
to = "stderr"
[end]
exit = 3
"""


def test_run_passes_streams_words_and_environment_and_ends_with_the_mocks_code(tmp_path: Path) -> None:
    """Whoever calls it sees the mock and nothing else, and the recording has what the mock saw."""
    _script(tmp_path, ECHOES)
    done = _mock(tmp_path, "run", "--calls", "c.json", "answer.toml", "--", "--json", "a b", stdin=b"\xffquestion")
    assert (done.returncode, done.stdout, done.stderr) == (3, b"\xff\x00\r", b"aside")
    recorded = json.loads((tmp_path / "c.json").read_text())
    assert recorded["schema"] == "mutkit-calls/1"
    (call,) = recorded["calls"]
    assert (call["name"], call["argv"], call["env"]) == ("answer", ["--json", "a b"], {"SEEN": "é"})
    assert (call["stdin"], call["stdin_ended"]) == ({"base64": "/3F1ZXN0aW9u"}, True)
    assert (call["fds"], call["ended"], call["code"]) == (["pipe"] * 3, "exit", 3)
    assert call["cwd"] == str(tmp_path)
    assert list(tmp_path.glob("mutkit-*/run-*")) == [], "a folder was left behind"


@pytest.mark.parametrize("name", ["SEGV", "KILL"])
def test_run_dies_by_the_signal_that_the_mock_dies_by(tmp_path: Path, name: str) -> None:
    """A caller that looks at the signal sees it, and the recording is shown all the same."""
    _script(tmp_path, f'[[step]]\ntext = "half a li"\n[end]\nsignal = "{name}"\n')
    done = _mock(tmp_path, "run", "--show", "--name", "codex", "answer.toml")
    assert (done.returncode, done.stdout) == (-signal.Signals[f"SIG{name}"], b"half a li")
    (call,) = json.loads(done.stderr)["calls"]
    assert (call["name"], call["ended"], call["chunks"]) == ("codex", "signal", [9])
    assert list(tmp_path.glob("mutkit-*/run-*")) == [], "a folder was left behind"


def test_a_signal_sent_to_run_reaches_the_mock(tmp_path: Path) -> None:
    """The mock's own answer to SIGTERM counts, here an exit code."""
    _script(tmp_path, '[[step]]\ntext = "up"\n[end]\nhang = true\n[signals]\nTERM = 5\n')
    with _start(tmp_path, "run", "--show", "answer.toml") as process:
        assert process.stdout is not None
        assert process.stdout.read(2) == b"up"
        process.terminate()
        _, err = process.communicate(timeout=60)
    assert process.returncode == 5
    assert json.loads(err)["calls"][0]["signals"] == [signal.SIGTERM]


def test_a_mock_does_not_outlive_run_even_if_that_is_killed(tmp_path: Path) -> None:
    """Its end of the pipe is closed at once, not after the 600 s that it may hang; the next run removes its folder."""
    _script(tmp_path, '[[step]]\ntext = "up"\n[end]\nhang = true\n')
    with _start(tmp_path, "run", "answer.toml") as process:
        assert process.stdout is not None
        assert process.stdout.read(2) == b"up"
        process.kill()
        assert process.communicate(timeout=60) == (b"", b"")
    assert len(list(tmp_path.glob("mutkit-*/run-*"))) == 1
    _script(tmp_path, "[end]\nexit = 4\n")
    assert _mock(tmp_path, "run", "answer.toml").returncode == 4
    assert list(tmp_path.glob("mutkit-*/run-*")) == []


def test_an_unexpected_call_is_97(tmp_path: Path) -> None:
    """The mock's own exit codes come through."""
    _script(tmp_path, 'argv = ["exec"]\n')
    done = _mock(tmp_path, "run", "answer.toml", "--", "exce")
    assert (done.returncode, b"unexpected call 1" in done.stderr) == (97, True)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("run", "none.toml"), "none.toml: cannot be read: No such file or directory [mock-script]"),
        (("run", "wrong.toml"), ": step[1].chunk: "),
        (("run", "--name", "a/b", "good.toml"), "'a/b' is not the name of a command [mock-name]"),
        (("run", "--calls", "no/such/c.json", "good.toml"), "--calls no/such/c.json: cannot be written"),
        (("check", "nowhere"), "mutkit: nowhere: there is no such file or folder [path-missing]"),
    ],
)
def test_mistakes_of_the_user_are_2_and_nothing_is_run(tmp_path: Path, words: tuple[str, ...], message: str) -> None:
    """One sentence, no traceback, no output of a mock."""
    _script(tmp_path, '[[step]]\ntext = "ran"\n', "good.toml")
    _script(tmp_path, '[[step]]\ntext = "ran"\n[[step]]\ntext = "x"\nchunk = -1\n', "wrong.toml")
    done = _mock(tmp_path, *words)
    assert (done.returncode, done.stdout) == (2, b""), done.stderr
    assert message in done.stderr.decode()
    assert b"Traceback" not in done.stderr


def test_check_tells_every_fault_of_every_script_at_once(tmp_path: Path) -> None:
    """Files, folders, campaigns: scripts are found, specs are none, and each fault names file, step and key."""
    (tmp_path / "campaign/mocks").mkdir(parents=True)
    _script(tmp_path, "title = 1", "campaign/campaign.toml")
    _script(tmp_path, "defect = 1", "campaign/spec.toml")
    _script(tmp_path, '[[step]]\ntext = "x"\nchunk = -1\n[[step]]\ntxet = "x"\n', "campaign/mocks/one.toml")
    _script(tmp_path, 'argv = "exec"\n', "campaign/mocks/two.toml")
    _script(tmp_path, ECHOES, "good.toml")
    done = _mock(tmp_path, "check", "--json", ".", "good.toml")
    assert done.returncode == 2, done.stderr
    told = json.loads(done.stdout)
    assert {(Path(one["file"]).name, one["key"].partition(".")[0]) for one in told} >= {
        ("one.toml", "step[1]"),
        ("two.toml", "argv"),
    }
    assert all(one["slug"] and one["message"] and one["advice"] for one in told), told
    assert {Path(one["file"]).name for one in told} == {"one.toml", "two.toml"}
    text = _mock(tmp_path, "check", "campaign").stderr.decode()
    assert text.splitlines()[-1] == f"{len(told)} problems"


def test_check_of_sound_scripts_is_0_and_of_none_is_5(tmp_path: Path) -> None:
    """Nothing defaults to success: a folder without scripts is no proof."""
    _script(tmp_path, ECHOES)
    done = _mock(tmp_path, "check", "answer.toml", ".")
    assert (done.returncode, done.stdout) == (0, b"1 script is sound\n")
    (tmp_path / "empty").mkdir()
    assert _mock(tmp_path, "check", "empty").returncode == 5


def test_check_refuses_an_answer_that_no_call_can_get(tmp_path: Path) -> None:
    """The answer above takes every call."""
    _script(tmp_path, '[[call]]\nargv = ["**"]\n[[call]]\nargv = ["exec"]\n')
    done = _mock(tmp_path, "check", "answer.toml")
    assert done.returncode == 2
    assert "call[1]" in done.stderr.decode()
