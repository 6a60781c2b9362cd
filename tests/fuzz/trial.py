"""Trying cases: what a command may do with hostile input, and what it may not."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import os
import random
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import polars as pl
from tests.fuzz.cases import DATA, OUT, SOUND, Case, case
from tests.fuzz.hostile import SECRET
from typer.testing import CliRunner

import indistinct as ind
from indistinct.cli import app
from indistinct.sources import memory

ENDS = (0, 2, 3)
"""What a command may end with: done, something the user can mend, a promise that cannot be met."""

MEMORY = 1 << 30


def sound_release() -> dict[str, bytes]:
    """The files of a release that holds, and the table it was made of."""
    draw = random.Random(0)
    rows = [
        (draw.randint(20, 59), draw.choice("fm"), draw.choice([SECRET, "flu", "asthma"]))
        for _ in range(60)
    ]
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerows([("age", "sex", "diagnosis"), *rows])
    frame = pl.DataFrame(rows, schema=["age", "sex", "diagnosis"], orient="row")
    with tempfile.TemporaryDirectory() as folder:
        out = ind.anonymize(frame, SOUND).write(Path(folder) / OUT)
        names = ("release.csv", "certificate.json")
        files = {name: (out / name).read_bytes() for name in names}
    return files | {f"{DATA}.csv": file.getvalue().encode()}


def complaints(one: Case) -> list[str]:
    """What a command did with a case that it may not do."""
    with tempfile.TemporaryDirectory() as folder, _within(Path(folder)):
        for name, data in one.files.items():
            path = Path(name)
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(data)
        memory.allow(MEMORY)
        try:
            done = CliRunner().invoke(app, list(one.words))
        except pl.exceptions.PanicException as error:
            return [f"raised {type(error).__name__}"]
        found = []
        if done.exit_code not in ENDS:
            found.append(f"ended with {done.exit_code}")
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            found.append(f"raised {type(done.exception).__name__}")
        if SECRET in done.stderr:
            found.append("showed a cell on standard error")
        if done.exit_code == 2 and done.stdout and not _is_error(done.stdout, one.words):
            found.append("printed a result, and failed")
        if done.exit_code == 2 and SECRET in done.stdout:
            found.append("showed a cell on standard output, and failed")
        if done.exit_code in (1, 2) and not done.stderr:
            found.append("failed without a word")
        if one.tampered and done.exit_code == 0:
            found.append("took a release that is not the certified one")
        left = [path.name for path in Path().iterdir() if path.name.startswith(f".{OUT}")]
        if left or (done.exit_code and Path(OUT).exists()):
            found.append("left something half written")
        return [f"{text}: {done.stderr[:400]}" for text in found]


def _is_error(text: str, words: Sequence[str]) -> bool:
    """Whether it is the one document of an error that was asked for, or what a check found."""
    if "--check" in words:
        return True
    try:
        document = json.loads(text)
    except ValueError:
        return False
    return "--json" in words and document.keys() == {"error", "exit_code", "problems"}


@contextlib.contextmanager
def _within(folder: Path) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)
        memory.allow(None)


def tried(seed: int, numbers: range, release: Mapping[str, bytes]) -> Iterator[str]:
    """What is wrong with cases of these numbers, a line for each."""
    for number in numbers:
        one = case(seed, number, release)
        for text in complaints(one):
            yield f"case {number} of seed {seed}: {' '.join(one.words)}: {text}"
