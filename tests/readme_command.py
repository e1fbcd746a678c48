"""Owns the way to the README's commands: run one by its name, exactly as a reader would type it."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def commands() -> dict[str, str]:
    """Return the README's commands by the name in the comment above each."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    found = re.findall(r"<!-- command: (\w+) -->\n```sh\n(.*?)\n```", text, re.DOTALL)
    return dict(found)


def main() -> int:
    """Run the commands named on the command line in a shell; stop at the first that does not end as it should."""
    for word in sys.argv[1:]:
        name, _, expected = word.partition("=")
        command = commands()[name]
        print(f"$ {command}", flush=True)
        code = subprocess.run(["/bin/sh", "-c", command], cwd=ROOT, check=False).returncode
        if code != int(expected or 0):
            print(f"{name}: exit {code} where {expected or 0} was expected", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
