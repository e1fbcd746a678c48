"""Owns the whole of a recording: run the program, scrub what it gave, write the script, say what came of it."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from mutkit.errors import UsageError
from mutkit.hermetic.capture.captured import Capture, Chunk
from mutkit.hermetic.capture.running import capture
from mutkit.hermetic.capture.scrubbing import Scrubber
from mutkit.hermetic.capture.steps import input_is_told
from mutkit.hermetic.capture.writing import script_text
from mutkit.model.describe import counted

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence


@dataclass(frozen=True)
class Recording:
    """The script's text, and what there is to say about it, a sentence each; ``capture`` is scrubbed."""

    text: str
    capture: Capture
    remarks: tuple[str, ...]


def record(
    argv: Sequence[str],
    folder: Path,
    *,
    stdin: bytes | None = None,
    deadline: float = 60.0,
    timing: bool = False,
    keep: Collection[str] = (),
    packets: bool = True,
) -> Recording:
    """Run a real program and return the script that replays it.

    ``folder`` is where the script is tried. ``stdin`` is its input (None: none), ``deadline`` in seconds how long it
    may take, ``timing`` whether pauses are kept, ``keep`` the variables whose values may stand in the script,
    ``packets`` as in ``capture``. UsageError where it cannot be started.
    """
    seen = capture(argv, stdin, deadline, packets=packets)
    scrubber = Scrubber(os.environ, keep)
    scrubbed = replace(seen, chunks=_scrubbed(seen.chunks, scrubber))
    words = [_shown(scrubber.as_glob(os.fsencode(word))) for word in argv[1:]]
    name = _shown(scrubber.scrub(os.fsencode(Path(argv[0]).name)))
    remarks = (*_of_the_run(scrubbed), *_of_scrubbing(scrubber))
    text = script_text(scrubbed, f"recorded from {name}", words, remarks, folder, timing=timing)
    return Recording(text, scrubbed, remarks)


def _scrubbed(chunks: tuple[Chunk, ...], scrubber: Scrubber) -> tuple[Chunk, ...]:
    """Scrub each stream as a whole and cut it again at the same places."""
    streams = {fd: scrubber.scrub(b"".join(chunk.data for chunk in chunks if chunk.fd == fd)) for fd in (1, 2)}
    at = {1: 0, 2: 0}
    found = []
    for chunk in chunks:
        start = at[chunk.fd]
        at[chunk.fd] += len(chunk.data)
        found.append(replace(chunk, data=streams[chunk.fd][start : at[chunk.fd]]))
    return tuple(found)


def _shown(word: bytes) -> str:
    """Return a word as text; a byte that is no UTF-8 becomes ``*``, which fits any."""
    return word.decode("utf-8", "replace").replace("\ufffd", "*")


def _of_the_run(seen: Capture) -> list[str]:
    """Return what was seen that the script alone does not tell."""
    found = [_summary(seen)]
    if seen.boundaries == "writes":
        found.append("each chunk is one write of the program")
    else:
        found.append("the chunks are those of our reads from plain pipes: the program may have written in other pieces")
    if seen.unsure:
        found.append(f"which came first, on stdout or on stderr, could not be told {seen.unsure} times")
    found += _of_the_end(seen)
    return found


def _summary(seen: Capture) -> str:
    ending = "still running at the deadline" if seen.ending is None else str(seen.ending)
    told = []
    for fd, name in ((1, "stdout"), (2, "stderr")):
        sizes = [len(chunk.data) for chunk in seen.chunks if chunk.fd == fd]
        told += [f"{counted(len(sizes), 'write')} ({counted(sum(sizes), 'byte')}) to {name}"] if sizes else []
    return f"{ending}; {' and '.join(told) or 'nothing was written'}"


def _of_the_end(seen: Capture) -> list[str]:
    found = []
    if seen.ending is None:
        what = {"ignore": "went on after SIGTERM and was killed", "die": "died by SIGTERM"}
        did = what.get(str(seen.on_term), f"ended with exit code {seen.on_term} on SIGTERM")
        found.append(f"so the script hangs too; the program {did}. Give a longer --deadline if it only needed time")
    elif seen.held:
        found.append("a process that it left behind kept its output open: the script has it as a grandchild")
    if seen.late:
        when = "SIGTERM" if seen.ending is None else "its end"
        found.append(f"{seen.late:,} bytes that came after {when} are not in the script")
    if seen.stdin_given:
        took = f"it took {seen.stdin_taken:,} of {seen.stdin_given:,} bytes of its input"
        found.append(took if input_is_told(seen) else f"{took}, which is no number of lines: the script reads none")
    return found


def _of_scrubbing(scrubber: Scrubber) -> list[str]:
    told = ", ".join(f"{name} ({counted(number, 'time')})" for name, number in scrubber.counts.items() if number)
    found = [f"scrubbed: {told}" if told else "nothing had to be scrubbed"]
    if scrubber.too_short:
        names = ", ".join(scrubber.too_short)
        found.append(f"not looked for, its value being too short to be told from other text: {names}")
    return found


def write_script(target: Path, text: str, *, force: bool) -> None:
    """Write the script, whole or not at all; UsageError (slug ``record-target``) where it cannot be written.

    A file that is there stays as it is, unless ``force``.
    """
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        with part.open("x", encoding="utf-8", newline="") as file:
            file.write(text)
        try:
            if force:
                part.replace(target)
            else:
                os.link(part, target)
        finally:
            part.unlink(missing_ok=True)
    except FileExistsError as error:
        raise _exists(target) from error
    except OSError as error:
        raise UsageError(f"{target}: cannot be written: {error.strerror}", slug="record-target") from error


def refuse_target(target: Path, *, force: bool) -> None:
    """Refuse, before anything is run, a file that could not be written afterwards."""
    if not target.absolute().parent.is_dir():
        raise UsageError(f"{target}: cannot be written: there is no folder {target.parent}", slug="record-target")
    if target.is_symlink() or target.exists():
        if not target.is_file():
            raise UsageError(f"{target}: is no file", slug="record-target")
        if not force:
            raise _exists(target)


def _exists(target: Path) -> UsageError:
    return UsageError(f"{target}: is there already. Name another file, or add --force.", slug="record-target")
