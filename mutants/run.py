"""Change one thing in a copy of the code, and see whether a test notices.

    python mutants/run.py [--sample N] [--seed S] [--jobs J] [ROOM ...]

``mutants/rooms.toml`` names the rooms, their tests, how many mutants are drawn and the least share
of them that tests must catch. Cosmic Ray says what can be changed and changes it. Places are drawn
first, and one change for each, so that an operator with many replacements counts no more than
another. Annotations, and decorators of abstract methods, are left out: nothing runs them. So is
`strict=True`, which asserts that lists are of one length, and `is` in place of `==`, and the other
way round: they are the same for the small numbers of tests. Nor is a word compared by order, which
means nothing.

All tests of a room run once without a change; a note says which of them run which part of the code.
A mutant is held against those that run its part, the fastest first, until one fails; where nothing
is known of its part (a constant, a default), against all, in a process that imports it. One that
runs much longer than the tests without it counts as caught; processor time is measured, so a busy
machine catches nothing.

Exit codes: 0 every room catches enough, 1 one does not, 2 nothing can be said (the tests fail
without any change, or a listed equivalent mutant cannot be made any more).
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import functools
import importlib.util
import json
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
from typing import Self

from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator, operator_names
from judge import CANNOT, FAILED, SURVIVED, block_of

ROOT = Path(__file__).resolve().parents[1]
MOST_SECONDS = 900
"""Of processor time, where the tests have not been timed without a change."""

ALIKE = frozenset(
    f"core/ReplaceComparisonOperator_{change}"
    for change in ("Eq_Is", "NotEq_IsNot", "Is_Eq", "IsNot_NotEq")
)
"""Operators whose changes are none: a small number, and None, is equal to itself alone."""

ORDERED = ("_Lt", "_LtE", "_Gt", "_GtE")
"""How operators end that compare by order; words are compared with ``==`` and ``!=`` alone."""

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
    block: int | None
    """The line with which the block of a function begins that is changed; None outside of any."""

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
    with contextlib.ExitStack() as opened, ThreadPoolExecutor(len(copies)) as pool:
        judges = [opened.enter_context(Judge(room, copy)) for copy in copies]
        tried = try_tests(room, judges, pool)
        free: queue.SimpleQueue[Judge] = queue.SimpleQueue()
        for judge in judges:
            free.put(judge)

        def one(mutant: Mutant) -> str:
            judge = free.get()
            try:
                return run_mutant(mutant, judge, tried)
            finally:
                free.put(judge)

        print(f"\n{room.name}", flush=True)
        ends = []
        for mutant, end in zip(mutants, pool.map(one, mutants), strict=True):
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
    idle = list(idle_spans(text))
    places: dict[Span, list[tuple[str, int]]] = {}
    nodes = list(ast_nodes(get_ast(text)))
    for name in operator_names():
        if get_operator(name).arguments() or name in ALIKE:
            continue
        operator = get_operator(name)()
        found = (span for node in nodes for span in operator.mutation_positions(node))
        for occurrence, span in enumerate(found):
            if lines[span[0][0] - 1].strip().startswith(untouched):
                continue
            if name.endswith(ORDERED) and lines[span[1][0] - 1][span[1][1] :].lstrip()[:1] == '"':
                continue
            if not any(start <= span[0] and span[1] <= end for start, end in idle):
                places.setdefault(span, []).append((name, occurrence))
    for span, changes in places.items():
        yield path, span, changes


def idle_spans(text: str) -> Iterator[Span]:
    """Where changes do nothing: annotations, marks of what is abstract, and lengths that are equal.

    What is abstract is replaced by others; that it is, mypy looks. And no test sees that lists are
    of one length where they are (``strict=True``).
    """
    for node in ast.walk(ast.parse(text)):
        notes = (getattr(node, "annotation", None), getattr(node, "returns", None))
        for note in notes:
            if isinstance(note, ast.expr) and note.end_lineno is not None:
                end = (note.end_lineno, note.end_col_offset or 0)
                yield (note.lineno, note.col_offset), end
        marks = getattr(node, "decorator_list", [])
        if any(ast.unparse(mark) == "abstractmethod" for mark in marks):
            yield (marks[0].lineno, 0), (node.lineno, 0)
        if isinstance(node, ast.keyword) and node.arg == "strict":
            yield (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)


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
    block = block_of(ast.parse(text), *span[0])
    return Mutant(path, at + 1, before[at].strip(), changed, code, block)


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


class Tried(dict[str, tuple[float, set[tuple[str, int]]]]):
    """Of every test the seconds of processor time it takes without a change, and what it runs.

    What it runs are blocks: a file, and the line with which the block begins.
    """

    def fitting(self, path: str, block: int | None = None) -> dict[str, float]:
        """The tests that run a block, or anything of a file, the fastest first, with their limits.

        Those of a file are followed by all others.
        """

        def unfit(test: str) -> bool:
            return not any(file == path and block in {None, line} for file, line in self[test][1])

        order = sorted(self, key=lambda test: (unfit(test), self[test][0]))
        chosen = [test for test in order if not (block and unfit(test))]
        return {test: 5 + 10 * self[test][0] for test in chosen}


class Judge:
    """A process of pytest that has collected the tests of a room, and forks for every mutant."""

    def __init__(self, room: Room, copy: Path, limit: float | None = None) -> None:
        """Start the process.

        Args:
            room: whose tests are collected.
            copy: the folder with the tree.
            limit: seconds of processor time after which the process ends; None for never.

        """
        self.room, self.copy = room, copy
        asked, told = os.pipe(), os.pipe()
        sources = os.pathsep.join(str(copy / place) for place in ("src", "reproductions/src"))
        own = {
            "PYTHONPATH": os.pathsep.join([str(copy / "mutants"), sources]),
            "MUTANTS_FILES": os.pathsep.join(room.files),
            "MUTANTS_PIPES": f"{asked[0]} {told[1]}",
            "TMPDIR": str(copy.parent),
            # Data beside the project is not beside the copy.
            "INDISTINCT_SHARED": os.environ.get("INDISTINCT_SHARED", str(ROOT.parent / "shared")),
        }
        most = "unlimited" if limit is None else str(int(limit))
        self.process = subprocess.Popen(
            [
                *("sh", "-c", 'ulimit -t "$0" && exec "$@"', most),
                *(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "judge"),
                "--hypothesis-profile=unshrunk",
                "-Wignore::SyntaxWarning",  # of `is 1`
                *room.options,
                *room.tests,
            ],
            cwd=copy,
            env=os.environ | room.environment | own,
            pass_fds=(asked[0], told[1]),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(asked[0])
        os.close(told[1])
        self.asked, self.told = os.fdopen(asked[1], "w"), os.fdopen(told[0])

    def __enter__(self) -> Self:
        """The judge."""
        return self

    def __exit__(self, *_: object) -> None:
        """Ask nothing more, and wait until the process has ended."""
        with contextlib.suppress(BrokenPipeError):
            self.asked.close()
        self.told.close()
        self.process.wait()

    @functools.cached_property
    def tests(self) -> list[str]:
        """The tests that were collected; none if the process has ended before."""
        line = self.told.readline()
        return json.loads(line)["tests"] if line else []

    def ask(
        self, codes: dict[str, str], limits: dict[str, float], *, note: bool = False
    ) -> tuple[int, list[dict]]:
        """Run tests in a fork in which files have other code, until one fails.

        Args:
            codes: the other code of each file.
            limits: the tests to run, in this order, and the processor seconds each may take.
            note: whether to tell of every test how long it takes and which blocks it runs.

        Returns:
            how the fork ended (negative: the signal that ended it), and what it told before.

        """
        what = {"codes": codes, "limits": limits, "note": note}
        self.asked.write(json.dumps(what) + "\n")
        self.asked.flush()
        told = []
        for line in self.told:
            told.append(json.loads(line))
            if "code" in told[-1]:
                return told.pop()["code"], told
        raise InconclusiveError(f"{self.room.name}: the process that judges has ended")


def try_tests(room: Room, judges: list[Judge], pool: ThreadPoolExecutor) -> Tried:
    """Run all tests without a change, dealt to the judges in turns; they must pass."""
    codes = {file: (ROOT / file).read_text(encoding="utf-8") for file in room.files}

    def share(number: int) -> tuple[int, list[dict]]:
        tests = judges[number].tests
        own = dict.fromkeys(tests[number :: len(judges)], float(MOST_SECONDS))
        return judges[number].ask(codes, own, note=True)

    tried = Tried()
    for code, told in pool.map(share, range(len(judges))):
        if code != SURVIVED:
            last = told[-1] if told else {}
            said = "\n".join([last.get("failed", ""), *last.get("said", ())])
            raise InconclusiveError(f"{room.name}: its tests fail without a change ({code}) {said}")
        for test in told:
            tried[test["test"]] = test["seconds"], {(file, line) for file, line in test["ran"]}
    if not tried:
        raise InconclusiveError(f"{room.name}: its tests cannot be collected")
    return tried


def run_mutant(mutant: Mutant, judge: Judge, tried: Tried) -> str:
    """What became of a mutant: ``caught``, ``stopped`` (by limit or crash) or ``survived``."""
    limits = tried.fitting(mutant.path, mutant.block) if mutant.block else {}
    code = judge.ask({mutant.path: mutant.code}, limits)[0] if limits else CANNOT
    if code == CANNOT:  # to be imported anew, and nobody knows which tests run it
        code = import_mutant(mutant, judge, tried.fitting(mutant.path))
    if code not in {SURVIVED, FAILED} and code >= 0:
        raise InconclusiveError(f"{mutant}\nthe process that judges it ends with {code}")
    return "stopped" if code < 0 else ("survived" if code == SURVIVED else "caught")


def import_mutant(mutant: Mutant, judge: Judge, limits: dict[str, float]) -> int:
    """How tests end in a process that imports the mutant."""
    file = judge.copy / mutant.path
    original = file.read_text(encoding="utf-8")
    try:
        write(file, mutant.code)
        with Judge(judge.room, judge.copy, MOST_SECONDS) as fresh:
            if not fresh.tests:
                return FAILED
            found = dict.fromkeys(fresh.tests, float(MOST_SECONDS))
            order = {test: limit for test, limit in limits.items() if test in found}
            return fresh.ask({}, order | (found | order))[0]
    finally:
        write(file, original)


def write(file: Path, code: str) -> None:
    """Write a source, and forget what was compiled of it: its size and second may be the same."""
    file.write_text(code, encoding="utf-8")
    Path(importlib.util.cache_from_source(str(file))).unlink(missing_ok=True)


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except InconclusiveError as reason:
        print(reason, file=sys.stderr)
        sys.exit(2)
