"""Record the golden set, show a part of it, or tell how another revision differs.

    python tests/golden/record.py --write [CASE...]   record these cases, or all of them
    python tests/golden/record.py --show CASE         print all that a case says
    python tests/golden/record.py --diff REV CASE...  print what differs from a revision

A case is the beginning of its name: ``--show promise-t`` shows all that begin so.
"""

from __future__ import annotations

import argparse
import difflib
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
if "PYTHONPATH" not in os.environ:
    sys.path.insert(0, str(ROOT / "src"))

from tests.golden.cases import CASES  # noqa: E402
from tests.golden.replay import digest, parts_of  # noqa: E402

CHANCE = "chance"
"""The key that lists the parts which another seed changes."""

DIGESTS = Path(__file__).with_name("digests.json")


def recorded() -> dict[str, Any]:
    """What was recorded: for each case the digests of its parts, and what a seed changes."""
    found: dict[str, Any] = json.loads(DIGESTS.read_text(encoding="utf-8"))
    return found


def digests_of(name: str) -> dict[str, Any]:
    """The digests of a case's parts, and the parts that another seed changes."""
    found = {part: digest(item) for part, item in parts_of(CASES[name]).items()}
    other = {part: digest(item) for part, item in parts_of(CASES[name], shift=1).items()}
    chance = sorted(part for part in {*found, *other} if found.get(part) != other.get(part))
    return found | ({CHANCE: chance} if chance else {})


def write(names: list[str], everything: bool) -> None:
    """Record cases, one a line."""
    kept = {} if everything else recorded()
    kept = {name: item for name, item in kept.items() if name in CASES}
    for name in names:
        kept[name] = digests_of(name)
    tight = {name: json.dumps(item, separators=(",", ":")) for name, item in kept.items()}
    lines = [f"{json.dumps(name)}:{tight[name]}" for name in sorted(kept)]
    DIGESTS.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def shown(names: list[str]) -> dict[str, Any]:
    """All that cases say."""
    return {name: parts_of(CASES[name]) for name in names}


def differences(revision: str, names: list[str]) -> str:
    """How what cases say differs from what a revision of the package says."""
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / "tree"
        git = ["git", "-C", str(ROOT), "worktree"]
        subprocess.run([*git, "add", "--detach", "-q", str(tree), revision], check=True)
        try:
            environment = {**os.environ, "PYTHONPATH": str(tree / "src")}
            command = [sys.executable, __file__, "--show", *names]
            made = subprocess.run(command, env=environment, check=True, capture_output=True)
        finally:
            subprocess.run([*git, "remove", "--force", str(tree)], check=True)
    before = made.stdout.decode().splitlines()
    after = text_of(shown(names)).splitlines()
    return "\n".join(difflib.unified_diff(before, after, revision, "here", lineterm="", n=6))


def text_of(documents: dict[str, Any]) -> str:
    """Documents with one value a line."""
    return json.dumps(documents, indent=1, sort_keys=True)


def main() -> None:
    """Do what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="CASE")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--write", action="store_true")
    what.add_argument("--show", action="store_true")
    what.add_argument("--diff", metavar="REV")
    asked = parser.parse_args()
    names = [name for name in CASES if any(name.startswith(part) for part in asked.names)]
    if asked.write:
        write(names or list(CASES), everything=not asked.names)
    elif asked.show:
        sys.stdout.write(text_of(shown(names)) + "\n")
    else:
        sys.stdout.write(differences(asked.diff, names) + "\n")


if __name__ == "__main__":
    main()
