"""Releases whose process is killed while they and their ledger entry appear: both, or neither.

``release.write`` of a policy with a ledger is killed (SIGKILL) at many moments, in a process of its
own each time: half of them at one of its steps (lines of Python, evenly spread from the first to
the last), half after a time (evenly spread over what a whole run takes). Then the ledger is opened,
as the next run opens it: what it lists and what stands in the folder have to agree.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import pickle
import signal
import statistics
import sys
import tempfile
import time
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import polars as pl

import indistinct as ind
from common import describe_machine, show

PEOPLE = 200
LONG = 10**9
"""More steps than a run has."""


def publish(folder: str, last: int) -> None:
    """Write the release of a folder; die at a step, or tell how many there were.

    Arguments:
        folder: where it stands pickled.
        last: the step to die at.
    """
    release = pickle.loads((Path(folder) / "release.pickle").read_bytes())  # noqa: S301, our own
    done = 0

    def step(frame: FrameType, event: str, given: Any) -> Any:
        nonlocal done
        del frame, given
        if event == "line":
            done += 1
            if done >= last:
                os.kill(os.getpid(), signal.SIGKILL)
        return step

    began = time.perf_counter()
    if last:
        sys.settrace(step)
    release.write(Path(folder) / "out", report=False)
    sys.settrace(None)
    (Path(folder) / "told").write_text(f"{done} {time.perf_counter() - began}")


def prepared(folder: Path) -> None:
    """A release of a policy with a ledger, pickled."""
    random = np.random.default_rng(1)
    table = pl.DataFrame(
        {
            "who": [f"P{at:04d}" for at in range(PEOPLE)],
            "age": random.integers(20, 60, PEOPLE),
            "ill": random.choice(["asthma", "flu", "gout"], PEOPLE),
        }
    )
    policy = {
        "attributes": {
            "who": {"role": "identifier"},
            "age": {"role": "quasi-identifier", "hierarchy": {"intervals": 5}},
            "ill": {"role": "sensitive"},
        },
        "promises": [{"model": "k-anonymity", "k": 4}],
        "ledger": {"path": str(folder / "ledger"), "person": "who"},
    }
    folder.mkdir()
    (folder / "release.pickle").write_bytes(pickle.dumps(ind.anonymize(table, policy)))


def run(folder: Path, last: int, seconds: float | None = None) -> bool:
    """Whether a run was killed: at a step, or after some seconds."""
    process = multiprocessing.get_context("forkserver").Process(
        target=publish, args=(str(folder), last)
    )
    process.start()
    if seconds is not None:
        time.sleep(seconds)
        process.kill()
    process.join()
    return process.exitcode == -signal.SIGKILL


def state(folder: Path) -> tuple[bool, bool]:
    """Whether the release is there, whole, and whether the ledger lists it."""
    out = folder / "out"
    there = (out / "certificate.json").exists()
    if there and not ind.audit(out).holds:
        raise SystemExit(f"{out} holds a part of a release")
    if out.exists() and not there:
        raise SystemExit(f"{out} is there without a certificate")
    return there, len(ind.Ledger(folder / "ledger").entries()) == 1


def main() -> None:
    """Kill runs, and print what was there afterwards."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=200)
    asked = parser.parse_args()
    print(describe_machine())
    multiprocessing.get_context("forkserver").set_forkserver_preload(["indistinct.verbs"])
    half = asked.kills // 2
    with tempfile.TemporaryDirectory() as name:
        base = Path(name)
        told = []
        for at, last in enumerate((LONG, 0, 0, 0)):
            prepared(base / f"whole-{at}")
            run(base / f"whole-{at}", last)
            told.append((base / f"whole-{at}" / "told").read_text().split())
        steps, whole = int(told[0][0]), statistics.median(float(one[1]) for one in told[1:])
        moments = [(1 + at * steps // (half - 1), None) for at in range(half)]
        moments += [(0, at * whole * 1.5 / half) for at in range(asked.kills - half)]
        found: dict[str, list[int]] = {"at a step": [0] * 4, "after a time": [0] * 4}
        for at, (last, seconds) in enumerate(moments):
            folder = base / str(at)
            prepared(folder)
            dead = run(folder, last, seconds)
            there, listed = state(folder)
            row = found["at a step" if seconds is None else "after a time"]
            row[0] += dead
            row[1] += there and listed
            row[2] += not there and not listed
            row[3] += there != listed
    head = ["killed", "before the end", "release and entry", "neither", "one of the two"]
    show(f"{steps:,} steps, {whole:.2f} s", head, [[key, *map(str, n)] for key, n in found.items()])
    if any(row[3] for row in found.values()):
        raise SystemExit("a release and its entry did not appear together")


if __name__ == "__main__":
    main()
