"""What the benchmarks share: where the data lies, how time is taken, how a table is printed."""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from indistinct.hierarchies.files import read_hierarchy
from indistinct.hierarchies.taxonomy import Taxonomy
from indistinct.microdata.leveled import LeveledTable
from indistinct.microdata.microdata import Microdata

ADULT = (
    "sex",
    "age",
    "race",
    "marital-status",
    "education",
    "native-country",
    "workclass",
    "occupation",
    "salary-class",
)
"""The nine quasi-identifiers of the Adult table, in column order."""

EIGHT = tuple(name for name in ADULT if name != "salary-class")
"""The eight that the series over k and the Python packages work on."""

LOOP_SECONDS = 0.78
SORT_SECONDS = 0.63
"""What the two calibration loops took on the machine that the reference figures come from."""


@dataclass(frozen=True)
class Timed:
    """Seconds of several runs, and what the last one returned."""

    best: float
    median: float
    result: Any


def timed(work: Callable[[], Any], *, runs: int = 5, warm_ups: int = 2) -> Timed:
    """Best and median of some runs, after some that do not count."""
    for _ in range(warm_ups):
        work()
    seconds = []
    result = None
    for _ in range(runs):
        start = time.perf_counter()
        result = work()
        seconds.append(time.perf_counter() - start)
    return Timed(min(seconds), statistics.median(seconds), result)


@dataclass(frozen=True)
class Calibration:
    """How this machine compares with that of the reference figures, above 1 if it is slower.

    NumPy sorts with vector instructions where it can, several times faster; ``plain`` is the same
    sort without them, 0 where it could not be had.
    """

    loop: float
    plain: float
    sort: float

    def __str__(self) -> str:
        plain = f"{self.plain * SORT_SECONDS:.2f} s ({self.plain:.2f})" if self.plain else "unknown"
        return (
            f"calibration (of the reference machine): Python loop {self.loop * LOOP_SECONDS:.2f} s "
            f"({self.loop:.2f}), NumPy sort without vector instructions {plain}, "
            f"with them {self.sort * SORT_SECONDS:.2f} s ({self.sort:.2f})"
        )


SORT = """
import numpy, time
numbers = numpy.random.default_rng(0).integers(-(2**62), 2**62, 10_000_000)
best = 1e9
for _ in range(3):
    start = time.perf_counter()
    numpy.sort(numbers)
    best = min(best, time.perf_counter() - start)
print(best)
"""

VECTORS = (
    "X86_V3 X86_V4 AVX512_ICL AVX512_SPR",
    "AVX2 FMA3 AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL AVX512_SPR",
)
"""Names of vector instructions to NumPy, newer and older versions."""


def calibrate() -> Calibration:
    """Time a pure Python loop and a NumPy sort, best of three each."""

    def loop() -> int:
        s = 0
        for i in range(10_000_000):
            s = (s * 31 + i) & 0xFFFFFFFF
        return s

    return Calibration(
        loop=timed(loop, runs=3, warm_ups=0).best / LOOP_SECONDS,
        plain=max(_sorted(names) for names in VECTORS) / SORT_SECONDS,
        sort=_sorted(None) / SORT_SECONDS,
    )


def _sorted(without: str | None) -> float:
    """Seconds of the sort in a process of its own, without some instructions of the processor."""
    environment = dict(os.environ)
    if without is not None:
        environment["NPY_DISABLE_CPU_FEATURES"] = without
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", SORT],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    return float(done.stdout) if done.returncode == 0 else 0.0


def parser(doc: str | None) -> argparse.ArgumentParser:
    """The options every benchmark has."""
    arguments = argparse.ArgumentParser(description=(doc or "").splitlines()[0])
    arguments.add_argument(
        "--shared",
        type=Path,
        default=Path(__file__).resolve().parents[2] / "shared",
        help="folder with data/ and oracles/ (default: 'shared' beside the repository)",
    )
    return arguments


def need(path: Path) -> Path:
    """The path, or the end of the benchmark with a word why."""
    if not path.exists():
        print(f"skipped: there is no '{path.name}' in '{path.parent.name}' (see --shared)")
        sys.exit(0)
    return path


def adult_file(shared: Path) -> Path:
    """The Adult table."""
    return need(shared / "data" / "adult" / "adult.csv")


def adult_hierarchy(shared: Path, name: str) -> Path:
    """The hierarchy file of one of its attributes."""
    return need(shared / "data" / "adult" / f"adult_hierarchy_{name}.csv")


def adult_frame(shared: Path) -> pl.DataFrame:
    """The Adult table as texts."""
    return pl.read_csv(adult_file(shared), separator=";", infer_schema=False)


def adult_taxonomies(shared: Path, names: Sequence[str]) -> dict[str, Taxonomy]:
    """The hierarchies of some attributes of the Adult table."""
    return {name: read_hierarchy(adult_hierarchy(shared, name), name) for name in names}


def adult_table(shared: Path, names: Sequence[str] = ADULT) -> LeveledTable:
    """The Adult table encoded over some quasi-identifiers."""
    frame = adult_frame(shared).select(names)
    return Microdata.encode(frame, adult_taxonomies(shared, names)).data


def adult_policy(shared: Path, *, limit: float = 0.05) -> str:
    """A policy for the Adult table: eight quasi-identifiers, occupation sensitive, k = 5."""
    parts = ['[source]\nseparator = ";"']
    for name in ADULT:
        if name == "occupation":
            parts.append(f'[attributes."{name}"]\nrole = "sensitive"')
            continue
        file = adult_hierarchy(shared, name).as_posix()
        parts.append(
            f'[attributes."{name}"]\nrole = "quasi-identifier"\n'
            f'hierarchy = {{ file = "{file}", separator = ";" }}'
        )
    parts.append('[[promises]]\nmodel = "k-anonymity"\nk = 5')
    parts.append(f'[method]\nobjective = "loss"\nsuppression_limit = {limit}')
    return "\n".join(parts) + "\n"


def describe_machine() -> str:
    """Processor, cores, load, and the versions that matter."""
    load = "unknown"
    if hasattr(os, "getloadavg"):
        load = " ".join(f"{value:.2f}" for value in os.getloadavg())
    return (
        f"machine: {_processor()}, {os.cpu_count()} cores, load average {load}; "
        f"Python {platform.python_version()}, NumPy {np.__version__}, Polars {pl.__version__}"
    )


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def show(title: str, head: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Print a plain table."""
    table = [[str(cell) for cell in row] for row in rows]
    widths = [max(len(line[at]) for line in [list(head), *table]) for at in range(len(head))]
    print(f"\n{title}")
    for line in [list(head), ["-" * width for width in widths], *table]:
        print(
            "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        )


def ms(seconds: float) -> str:
    """Milliseconds, one place after the point below a hundred."""
    return f"{seconds * 1e3:.1f}" if seconds < 0.1 else f"{seconds * 1e3:.0f}"


def most_memory() -> float:
    """The most megabytes that this process ever held.

    Linux counts in ``ru_maxrss`` what the process held by which it was started: not asked there.
    """
    status = Path("/proc/self/status")
    if status.exists():
        told = dict(line.split(":", 1) for line in status.read_text().splitlines())
        return int(told["VmHWM"].split()[0]) / (1 << 10)
    import resource

    unit = 1 << 20 if sys.platform == "darwin" else 1 << 10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


@dataclass(frozen=True)
class Spent:
    """What one process took: seconds of the clock and of the processor, and peak megabytes."""

    wall: float
    cpu: float
    megabytes: float


def spent(command: Sequence[str | Path], environment: Mapping[str, str] | None = None) -> Spent:
    """What a command takes, which has to succeed; Python keeps what it compiled, as usual."""
    start = time.perf_counter()
    words = [str(word) for word in command]
    usual = {**(environment or os.environ)}
    usual.pop("PYTHONDONTWRITEBYTECODE", None)
    with subprocess.Popen(
        words, env=usual, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    ) as child:
        assert child.stderr is not None
        said = child.stderr.read()
        _, status, used = os.wait4(child.pid, 0)
        wall = time.perf_counter() - start
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        told = said.decode(errors="replace")
        sys.exit(f"{' '.join(words[:4])} ended with {child.returncode}: {told}")
    unit = 1 << 20 if sys.platform == "darwin" else 1 << 10
    return Spent(wall, used.ru_utime + used.ru_stime, used.ru_maxrss / unit)
