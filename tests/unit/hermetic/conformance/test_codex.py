"""What a codex profile does beyond what was captured: clock and ids by option, items that act, ways to write."""

from __future__ import annotations

import json
import subprocess
import time
from typing import TYPE_CHECKING, Any

import pytest

from mutkit.hermetic import MockCommands
from mutkit.hermetic.scripts.profiles import profile
from tests.unit.hermetic.conformance.in_process import answer

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

EXEC = ["exec", "--json", "--skip-git-repo-check"]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Return a fresh CODEX_HOME, on the other side of midnight from UTC."""
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TZ", "Etc/GMT-3")
    time.tzset()
    yield tmp_path / "home"
    monkeypatch.undo()
    time.tzset()


def events(text: str) -> list[dict[str, Any]]:
    """Return the events in an output."""
    return [json.loads(line) for line in text.split("\n") if line]


def rollouts(home: Path) -> list[Path]:
    """Return the rollout files."""
    return sorted(home.rglob("*.jsonl"))


def test_the_file_is_named_in_local_time_and_says_utc_inside(home: Path, tmp_path: Path) -> None:
    """Folder and name have the machine's time zone, the lines none."""
    answer("codex/0.171", [*EXEC, "hi"], tmp_path, now="2026-01-31T22:30:00Z")
    (file,) = rollouts(home)
    assert file.parent == home / "sessions" / "2026" / "02" / "01"
    assert file.name.startswith("rollout-2026-02-01T01-30-00-")
    lines = events(file.read_text("utf-8"))
    assert lines[0]["timestamp"] == "2026-01-31T22:30:00.000Z"
    assert [line["ordinal"] for line in lines] == list(range(len(lines)))
    assert [line["timestamp"] for line in lines] == sorted({line["timestamp"] for line in lines})


def test_with_now_and_seed_every_byte_is_the_same_in_each_run(home: Path, tmp_path: Path) -> None:
    """Ids and times come from the options alone; another seed gives other ids; they are UUIDs of version 7."""
    runs = []
    for seed in (1, 1, 2):
        _, out, _ = answer("codex/0.171", [*EXEC, "hi"], tmp_path, now="2026-01-31T22:30:00Z", seed=seed)
        (file,) = rollouts(home)
        runs.append((out, file.name, file.read_text("utf-8")))
        file.unlink()
    assert runs[0] == runs[1] != runs[2]
    thread = events(runs[0][0])[0]["thread_id"]
    assert thread[14] == "7"
    assert thread[19] in "89ab"
    assert int(thread[:8] + thread[9:13], 16) == 1769898600000, "the time in the id"


def test_each_call_takes_its_turn_and_later_calls_the_last(home: Path, tmp_path: Path) -> None:
    """Two turns, three calls; each a second later."""
    turns = [{"messages": ["one"]}, {"messages": ["two"], "usage": {"output_tokens": 50}}]
    said = []
    for number in (1, 2, 3):
        _, out, _ = answer(
            "codex/0.74", [*EXEC, "hi"], tmp_path, number=number, turns=turns, now="2026-01-31T22:30:00Z"
        )
        done = events(out)
        said.append((done[2]["item"]["text"], done[3]["usage"]["output_tokens"]))
    assert said == [("one", 5), ("two", 50), ("two", 50)]
    assert [file.name[:27] for file in rollouts(home)] == [f"rollout-2026-02-01T01-30-0{at}" for at in range(3)]


def test_a_file_change_with_content_is_really_made(home: Path, tmp_path: Path) -> None:
    """What the agent is said to have written is there, in the folder that it works in; what it deleted is gone."""
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "gone.txt").write_text("old", encoding="utf-8")
    changes = [
        {"path": "new/a.txt", "kind": "add", "content": "é\n"},
        {"path": "gone.txt", "kind": "delete", "content": ""},
        {"path": "only-said.txt", "kind": "add"},
    ]
    items = [{"type": "file_change", "changes": changes}]
    code, out, _ = answer("codex/0.171", [*EXEC, "-C", "sub", "hi"], tmp_path, items=items)
    assert code == 0
    assert (tmp_path / "sub" / "new" / "a.txt").read_bytes() == "é\n".encode()
    assert sorted(path.name for path in (tmp_path / "sub").iterdir()) == ["new"]
    assert [one["kind"] for one in events(out)[3]["item"]["changes"]] == ["add", "delete", "add"]


def test_the_newest_thread_of_the_folder_is_the_last(home: Path, tmp_path: Path) -> None:
    """`resume --last` looks at the working directory from 0.144 on, and `--all` does not."""
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
    _, first, _ = answer("codex/0.171", [*EXEC, "hi"], tmp_path / "one", seed=1)
    _, second, _ = answer("codex/0.171", [*EXEC, "hi"], tmp_path / "two", seed=2)
    resume = ["exec", "--json", "--skip-git-repo-check", "resume", "--last"]
    _, here, _ = answer("codex/0.171", [*resume, "again"], tmp_path / "one", seed=3)
    assert events(here)[0] == events(first)[0] != events(second)[0]
    answer("codex/0.171", [*resume, "again"], tmp_path / "two", seed=4)
    _, everywhere, _ = answer("codex/0.171", [*resume, "--all", "again"], tmp_path / "one", seed=5)
    assert events(everywhere)[0] == events(second)[0]


def test_what_the_profile_does_not_know_fails_as_unable(home: Path, tmp_path: Path) -> None:
    """Another sub-command is no silent success."""
    with pytest.raises(AssertionError, match="codex exec"):
        answer("codex/0.171", ["login"], tmp_path)


def test_events_are_written_as_the_options_say(tmp_path: Path) -> None:
    """Each byte of an event reaches the reader by itself; what codex would never print can be put in between."""
    with MockCommands(tmp_path / "mock") as mock:
        items = [{"type": "raw", "text": "banner\n"}, {"type": "agent_message", "text": "é"}]
        mock.add("codex", profile("codex/0.171", items=items, write={"chunk": 1, "pace": "exact"}))
        env = {"PATH": mock.path, "CODEX_HOME": str(tmp_path / "home")}
        done = subprocess.run(["codex", *EXEC, "hi"], env=env, cwd=tmp_path, capture_output=True, input=b"", check=True)
        assert done.stdout.split(b"\n")[2] == b"banner"
        assert json.loads(done.stdout.split(b"\n")[3])["item"]["text"] == "é"
        assert set(mock.calls("codex")[0].chunks) == {1}
