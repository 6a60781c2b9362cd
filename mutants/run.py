"""Change one thing in a copy of the code, and see whether a test notices.

    python mutants/run.py [--sample N] [--seed S] [--jobs J] [--trust] [ROOM ...]

``mutants/rooms.toml`` names the rooms, their tests, how many mutants are drawn and the least share
of them that tests must catch. Cosmic Ray says what can be changed and changes it. Places are drawn
first, and one change for each, so that an operator with many replacements counts no more than
another. Annotations are left out: nothing runs them.

Each mutant runs in a copy of the tree, first against the tests of its room that have the name of
its file in theirs, then against all tests of its room. One that runs much longer than the tests
without it counts as caught; processor time is measured, so a busy machine catches nothing.

Exit codes: 0 every room catches enough, 1 one does not, 2 nothing can be said (the tests fail
without any change, or a listed equivalent mutant cannot be made any more).
"""

from __future__ import annotations

import argparse
import ast
import importlib.util
import os
import queue
import random
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from cosmic_ray.commands import init
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator
from cosmic_ray.work_db import WorkDB, use_db

ROOT = Path(__file__).resolve().parents[1]
PASSED, NONE_SELECTED = 0, 5
FAILED = {1, 2}
"""What pytest ends with where a test failed, or the code could not be imported."""
MOST_SECONDS = 900
"""Of processor time, where the tests have not been timed without a change."""

Span = tuple[tuple[int, int], tuple[int, int]]


class InconclusiveError(Exception):
    """The run cannot tell what tests catch."""


@dataclass(frozen=True)
class Room:
    """Files, the tests that have to notice what is changed in them, and how these are run."""

    name: str
    files: list[str]
    tests: list[str]
    options: list[str]
    environment: dict[str, str]
    untouched: tuple[str, ...]
    """Files that are not changed, and how lines begin that are not changed either."""
    equivalent: list[dict[str, str]]


@dataclass(frozen=True)
class Mutant:
    """A file with one change."""

    path: str
    line: int
    before: str
    after: str
    code: str

    def __str__(self) -> str:
        """The place, and the line before and after."""
        return f"{self.path}:{self.line}\n    - {self.before}\n    + {self.after}"


def main(arguments: list[str]) -> int:
    """Draw mutants of every room asked for, run them, and tell which survived."""
    settings = tomllib.loads((ROOT / "mutants" / "rooms.toml").read_text(encoding="utf-8"))
    rooms = read_rooms(settings)
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rooms", nargs="*", metavar="ROOM", help=f"of {', '.join(rooms)}")
    parser.add_argument("--sample", type=int, default=settings["sample"], help="mutants of a room")
    parser.add_argument("--seed", type=int, default=settings["seed"])
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument(
        "--trust", action="store_true", help="do not run the tests without a change first"
    )
    asked = parser.parse_args(arguments)
    unknown = [name for name in asked.rooms if name not in rooms]
    if unknown:
        parser.error(f"no room is called {', '.join(unknown)}")
    chosen = [rooms[name] for name in asked.rooms or rooms]
    print(f"{asked.sample} mutants of each room, seed {asked.seed}", flush=True)
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        copies = [copy_tree(Path(folder) / str(job)) for job in range(asked.jobs)]
        caught = [run_room(room, asked, copies) >= settings["least"] for room in chosen]
    return 0 if all(caught) else 1


def read_rooms(settings: dict) -> dict[str, Room]:
    """The rooms as ``rooms.toml`` has them, each with its equivalent mutants."""
    rooms = {}
    entries = settings.get("equivalent", [])
    for name, room in settings["rooms"].items():
        untouched = (*settings["untouched"], *room.get("untouched", ()))
        files = [file for source in room["sources"] for file in python_files(source)]
        files = [file for file in files if file not in untouched]
        rooms[name] = Room(
            name=name,
            files=files,
            tests=room["tests"],
            options=room.get("options", []),
            environment=room.get("environment", {}),
            untouched=untouched,
            equivalent=[entry for entry in entries if entry["path"] in files],
        )
    for entry in entries:
        if not any(entry in room.equivalent for room in rooms.values()):
            raise InconclusiveError(f"{entry['path']}: no room changes this file")
    return rooms


def copy_tree(place: Path) -> Path:
    """Copy what belongs to the project to a folder, and return the folder."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file():
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, place / name)
    return place


def run_room(room: Room, asked: argparse.Namespace, copies: list[Path]) -> float:
    """Run the mutants of a room, print what became of them, and return the percentage caught."""
    mutants = draw(room, asked.sample, random.Random(asked.seed))
    limit = MOST_SECONDS if asked.trust else time_tests(room, copies[0])
    free: queue.SimpleQueue[Path] = queue.SimpleQueue()
    for copy in copies:
        free.put(copy)

    def judge(mutant: Mutant) -> str:
        copy = free.get()
        try:
            return run_mutant(room, mutant, copy, limit)
        finally:
            free.put(copy)

    print(f"\n{room.name}", flush=True)
    ends = []
    with ThreadPoolExecutor(len(copies)) as pool:
        for mutant, end in zip(mutants, pool.map(judge, mutants), strict=True):
            print(f"  {end}: {mutant}", flush=True)
            ends.append(end)
    survived = ends.count("survived")
    share = 100 * (1 - survived / len(ends)) if ends else 100.0
    print(
        f"{room.name}: {len(ends) - survived} of {len(ends)} caught ({share:.0f} %), "
        f"{ends.count('stopped')} of them stopped",
        flush=True,
    )
    return share


def draw(room: Room, number: int, chance: random.Random) -> list[Mutant]:
    """As many mutants of a room, in places that chance draws, without the equivalent ones."""
    places = sorted(
        (path, span, tuple(sorted(changes)))
        for file in room.files
        for path, span, changes in changeable(file, room.untouched)
    )
    check_equivalent(room, places)
    chance.shuffle(places)
    drawn: list[Mutant] = []
    for path, span, changes in places:
        if len(drawn) == number:
            break
        mutant = make(path, span, *chance.choice(changes))
        if mutant is not None and not is_equivalent(mutant, room):
            drawn.append(mutant)
    return drawn


def python_files(source: str) -> list[str]:
    """The Python files of a folder, or the one file, as paths in the repository."""
    place = ROOT / source
    files = sorted(place.rglob("*.py")) if place.is_dir() else [place]
    return [str(file.relative_to(ROOT)) for file in files]


def changeable(
    path: str, untouched: tuple[str, ...]
) -> Iterator[tuple[str, Span, list[tuple[str, int]]]]:
    """Every place of a file, with the operators that change it and which of their changes it is."""
    text = (ROOT / path).read_text(encoding="utf-8")
    lines = text.splitlines()
    annotations = list(annotation_spans(text))
    places: dict[Span, list[tuple[str, int]]] = {}
    with use_db(":memory:", WorkDB.Mode.create) as found:
        init([ROOT / path], found, {})
        mutations = [change for item in found.work_items for change in item.mutations]
    for change in mutations:
        span = (tuple(change.start_pos), tuple(change.end_pos))
        if lines[span[0][0] - 1].strip().startswith(untouched):
            continue
        if not any(start <= span[0] and span[1] <= end for start, end in annotations):
            places.setdefault(span, []).append((change.operator_name, change.occurrence))
    for span, changes in places.items():
        yield path, span, changes


def annotation_spans(text: str) -> Iterator[Span]:
    """Where the annotations of arguments, results and variables stand."""
    for node in ast.walk(ast.parse(text)):
        notes = (getattr(node, "annotation", None), getattr(node, "returns", None))
        for note in notes:
            if isinstance(note, ast.expr) and note.end_lineno is not None:
                end = (note.end_lineno, note.end_col_offset or 0)
                yield (note.lineno, note.col_offset), end


def make(path: str, span: Span, operator: str, occurrence: int) -> Mutant | None:
    """The mutant, or None where the change leaves no Python or nothing else than before."""
    text = (ROOT / path).read_text(encoding="utf-8")
    code = mutate_code(text, get_operator(operator)(), occurrence)
    if code is None or code == text:
        return None
    try:
        ast.parse(code)
    except SyntaxError:
        return None
    before, after = text.splitlines(), code.splitlines()
    shorter = len(after) < len(before)
    pairs = enumerate(zip(before, after, strict=False))
    at = span[0][0] - 1 if shorter else next(at for at, (old, new) in pairs if old != new)
    changed = "" if shorter else after[at].strip()
    return Mutant(path, at + 1, before[at].strip(), changed, code)


def is_equivalent(mutant: Mutant, room: Room) -> bool:
    """Is the mutant listed as one that behaves as the code does?"""
    found = {"path": mutant.path, "before": mutant.before, "after": mutant.after}
    return any(found.items() <= entry.items() for entry in room.equivalent)


def check_equivalent(
    room: Room, places: list[tuple[str, Span, tuple[tuple[str, int], ...]]]
) -> None:
    """Refuse an entry without a reason, and one that no change of the code as it is can make."""
    for entry in room.equivalent:
        lines = (ROOT / entry["path"]).read_text(encoding="utf-8").splitlines()
        mutants = (
            make(path, span, *change)
            for path, span, changes in places
            if path == entry["path"] and lines[span[0][0] - 1].strip() == entry["before"]
            for change in changes
        )
        wanted = (entry["before"], entry["after"])
        if not entry["reason"].strip():
            raise InconclusiveError(f"{entry['path']}: an equivalent mutant needs a reason")
        if not any(mutant and (mutant.before, mutant.after) == wanted for mutant in mutants):
            raise InconclusiveError(
                f"{entry['path']}: no mutant changes {wanted[0]!r} to {wanted[1]!r}"
            )


def time_tests(room: Room, copy: Path) -> int:
    """How many seconds of processor time a mutant may take; the tests must pass without one."""
    code, seconds = run_tests(room, copy, MOST_SECONDS)
    if code != PASSED:
        raise InconclusiveError(
            f"{room.name}: its tests fail without any change (pytest ends with {code})"
        )
    return 30 + int(3 * seconds)


def run_mutant(room: Room, mutant: Mutant, copy: Path, limit: int) -> str:
    """What became of a mutant: ``caught``, ``stopped`` (by limit or crash) or ``survived``."""
    file = copy / mutant.path
    original = file.read_text(encoding="utf-8")
    try:
        write(file, mutant.code)
        named = f"{file.stem} or {file.stem.replace('_', '-')}"
        for selection in (("-k", named), ()):
            code, _ = run_tests(room, copy, limit, *selection)
            if code in FAILED or code < 0:
                return "stopped" if code < 0 else "caught"
            if code not in {PASSED, NONE_SELECTED}:
                raise InconclusiveError(f"{mutant}\npytest ends with {code}")
    finally:
        write(file, original)
    return "survived"


def write(file: Path, code: str) -> None:
    """Write a source, and forget what was compiled of it: its size and second may be the same."""
    file.write_text(code, encoding="utf-8")
    Path(importlib.util.cache_from_source(str(file))).unlink(missing_ok=True)


def run_tests(room: Room, copy: Path, limit: int, *selection: str) -> tuple[int, float]:
    """Run a room's tests in a copy until one fails.

    Args:
        room: whose tests.
        copy: the folder with the tree.
        limit: seconds of processor time.
        selection: further options of pytest.

    Returns:
        pytest's exit code (negative: the signal that ended it) and the seconds of processor time.

    """
    sources = os.pathsep.join(str(copy / place) for place in ("src", "reproductions/src"))
    process = subprocess.Popen(
        [
            *("sh", "-c", 'ulimit -t "$0" && exec "$@"', str(limit)),
            *(sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *selection),
            *room.options,
            *room.tests,
        ],
        cwd=copy,
        env=os.environ | {"PYTHONPATH": sources} | room.environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, used.ru_utime + used.ru_stime


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except InconclusiveError as reason:
        print(reason, file=sys.stderr)
        sys.exit(2)
