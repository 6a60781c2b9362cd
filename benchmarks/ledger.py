"""Releases whose process is killed while they and their ledger entry appear: both, or neither.

``release.write`` of a policy with a ledger is killed (SIGKILL) at many moments, in a process of its
own each time: a quarter of them at one of all its steps (lines of Python, evenly spread), a quarter
at one of the steps from where the entry is written to the end, and half after a time, evenly spread
over what a whole run takes and a fifth more. Then the ledger is opened, as the next run opens it:
what it lists and what stands in the folder have to agree.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import pickle
import shutil
import signal
import statistics
import sys
import tempfile
import time
from multiprocessing.synchronize import Event
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import polars as pl

import indistinct as ind
from common import describe_machine, show
from indistinct.release.ledger import Ledger

PEOPLE = 200
LONG = 10**9
"""More steps than a run has."""


def publish(folder: str, last: int, begun: Event) -> None:
    """Write the release of a folder; die at a step, or tell how many there were.

    Arguments:
        folder: where it stands pickled.
        last: the step to die at; 0 for none, and without counting.
        begun: is set when it begins to write.
    """
    release = pickle.loads((Path(folder) / "release.pickle").read_bytes())  # noqa: S301, our own
    done = entered = 0

    def step(frame: FrameType, event: str, given: Any) -> Any:
        nonlocal done, entered
        del given
        if event == "call" and frame.f_code.co_name == "await_folder":
            entered = done
        if event == "line":
            done += 1
            if done >= last:
                os.kill(os.getpid(), signal.SIGKILL)
        return step

    begun.set()
    began = time.perf_counter()
    if last:
        sys.settrace(step)
    release.write(Path(folder) / "out", report=False)
    sys.settrace(None)
    (Path(folder) / "told").write_text(f"{entered} {done} {time.perf_counter() - began}")


def prepare(folder: Path) -> None:
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
    (folder / "release.pickle").write_bytes(pickle.dumps(ind.anonymize(table, policy)))


def run(folder: Path, last: int, seconds: float | None = None) -> bool:
    """Whether a run was killed, at a step or after some seconds; with an empty ledger before it."""
    shutil.rmtree(folder / "out", ignore_errors=True)
    for file in (folder / "ledger").glob("ledger.sqlite*"):
        file.unlink()
    Ledger.made(folder / "ledger")
    context = multiprocessing.get_context("forkserver")
    begun = context.Event()
    process = context.Process(target=publish, args=(str(folder), last, begun))
    process.start()
    if seconds is not None:
        begun.wait()
        time.sleep(seconds)
        process.kill()
    process.join()
    return process.exitcode == -signal.SIGKILL


def state(folder: Path) -> tuple[bool, bool]:
    """Whether the release is there, whole, and whether the ledger lists it."""
    out = folder / "out"
    there = (out / "certificate.json").exists()
    if there and not ind.audit(out).holds:
        raise SystemExit("a part of a release is there")
    if out.exists() and not there:
        raise SystemExit("a folder is there without a certificate")
    return there, len(Ledger(folder / "ledger").entries()) == 1


def main() -> None:
    """Kill runs, and print what was there afterwards."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=200)
    asked = parser.parse_args()
    print(describe_machine())
    multiprocessing.get_context("forkserver").set_forkserver_preload(["indistinct.verbs"])
    part = asked.kills // 4
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        prepare(folder)
        told = []
        for last in (LONG, 0, 0, 0):
            run(folder, last)
            told.append((folder / "told").read_text().split())
        entered, steps = map(int, told[0][:2])
        whole = statistics.median(float(one[2]) for one in told[1:])
        found = {}
        for what, moments in {
            "at a step": [(1 + at * steps // part, None) for at in range(part)],
            "from the entry on": [
                (entered + 1 + at * (steps - entered - 1) // (part - 1), None) for at in range(part)
            ],
            "after a time": [(0, at * whole * 1.2 / 2 / part) for at in range(2 * part)],
        }.items():
            row = [0] * 4
            for last, seconds in moments:
                row[0] += run(folder, last, seconds)
                there, listed = state(folder)
                row[1] += there and listed
                row[2] += not there and not listed
                row[3] += there != listed
            found[what] = row
    head = ["killed", "before the end", "release and entry", "neither", "one of the two"]
    title = f"{steps:,} steps, {steps - entered:,} from the entry on, {whole:.2f} s"
    show(title, head, [[what, *map(str, row)] for what, row in found.items()])
    if any(row[3] for row in found.values()):
        raise SystemExit("a release and its entry did not appear together")


if __name__ == "__main__":
    main()
