"""Owns the tests of scripts made from captures: what they look like."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mutkit.hermetic.capture import Capture, Chunk
from mutkit.hermetic.capture.writing import script_text
from mutkit.model.ending import Exited, Signalled


def _text(folder: Path, *writes: tuple[int, bytes, float], timing: bool = False, **more: Any) -> str:
    chunks = tuple(Chunk(*write) for write in writes)
    seen = Capture(**{"chunks": chunks, "ending": Exited(0), "boundaries": "writes", "seconds": 1.0, **more})
    return script_text(seen, "recorded from x", ["a"], ["a remark"], folder, timing=timing)


def test_a_recording_reads_as_a_person_would_have_written_it(tmp_path: Path) -> None:
    """Lines as lines, JSON without escapes, many small writes as one text with its cuts, long repetition as such."""
    text = _text(
        tmp_path,
        (1, b'{"type":"start"}\n', 0),
        (2, b"one\ntwo\n", 0),
        (1, b"a", 0),
        (1, b"bc", 0),
        (1, b"d\n", 0),
        (2, b"12", 0),
        (2, b"34", 0),
        (2, b"5", 0),
        (1, b"\xff", 0),
        (1, b"ab" * 4000 + b"\n", 0),
        ending=Signalled(9),
    )
    assert text == (
        '# a remark\nnote = "recorded from x"\nargv = ["a"]\n\n'
        '[[step]]\ntext = \'{"type":"start"}\'\nnewline = "with"\n\n'
        '[[step]]\ntext = """\none\ntwo\n"""\nto = "stderr"\n\n'
        '[[step]]\ntext = "abcd\\n"\ncut_at = [1, 3]\n\n'
        '[[step]]\ntext = "12345"\nto = "stderr"\nchunk = 2\n\n'
        '[[step]]\nbase64 = "/w=="\n\n'
        '[[step]]\nrepeat = { text = "ab", times = 4000 }\nnewline = "with"\n\n'
        '[end]\nsignal = "KILL"\n'
    )


def test_pauses_are_kept_only_where_they_are_wanted_and_rounded(tmp_path: Path) -> None:
    """5 ms is the grain, what is shorter is no pause, and the time before the end counts too."""
    writes = ((1, b"a\n", 0.012), (1, b"b\n", 0.0141), (1, b"c\n", 0.5))
    assert "pause_ms" not in _text(tmp_path, *writes)
    timed = _text(tmp_path, *writes, timing=True)
    steps = [block.split("\n", 1)[1].split("\n")[0] for block in timed.split("\n\n") if block.startswith("[[step]]")]
    assert steps == ["pause_ms = 10", 'text = "a"', 'text = "b"', "pause_ms = 485", 'text = "c"', "pause_ms = 500"]


@pytest.mark.parametrize(
    ("more", "wanted"),
    [
        ({"stdin_given": 5, "stdin_taken": 5, "stdin_after": 1}, 'text = "x"\n\n[[step]]\nread_stdin = "end"\n'),
        (
            {"stdin_given": 9, "stdin_taken": 4, "stdin_taken_of": b"a\nb\n"},
            'argv = ["a"]\n\n[[step]]\nread_stdin = "line"\n\n[[step]]\nread_stdin = "line"\n\n[[step]]\ntext = "x"\n',
        ),
        ({"closed": {1: 1}}, 'text = "x"\n\n[[step]]\nclose = "stdout"\n'),
        ({"held": {1: 0.31, 2: 0.2}}, 'grandchild = { seconds = 0.4, holds = ["stdout", "stderr"] }\n\n[end]'),
        ({"ending": None}, "[end]\nhang = true\n"),
        ({"ending": None, "on_term": "ignore"}, '[end]\nhang = true\n\n[signals]\nTERM = "ignore"\n'),
        ({"ending": None, "on_term": 3}, "[end]\nhang = true\n\n[signals]\nTERM = 3\n"),
        ({"ending": Exited(7)}, "[end]\nexit = 7\n"),
    ],
)
def test_all_that_was_seen_is_a_step_or_an_end(tmp_path: Path, more: dict[str, Any], wanted: str) -> None:
    """Input taken, streams closed, processes left behind, hanging, what it did on SIGTERM."""
    assert wanted in _text(tmp_path, (1, b"x", 0), **more)


def test_input_that_was_not_taken_in_lines_has_no_step(tmp_path: Path) -> None:
    """A mock can read lines or all; a step that reads something else than the program did would be wrong."""
    assert "read_stdin" not in _text(tmp_path, (1, b"x", 0), stdin_given=9, stdin_taken=4, stdin_taken_of=b"abcd")
    assert "read_stdin" not in _text(tmp_path, (1, b"x", 0), stdin_given=9, stdin_taken=0)


def test_a_script_that_would_write_something_else_is_never_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is read back and compared before anybody gets it."""
    monkeypatch.setattr("mutkit.hermetic.capture.writing.string", lambda _: '"other"')
    with pytest.raises(AssertionError, match="would not write what was captured"):
        _text(tmp_path, (1, b"x", 0))
