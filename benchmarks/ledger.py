"""Releases whose process is killed while they and their ledger entry appear: both, or neither.

``release.write`` of a policy with a ledger is killed (SIGKILL) at many moments, in a process of its
own each time: at system calls, evenly spread, from where the entry is written to the end; a quarter
as often at one of all its steps (lines of Python, evenly spread), and a quarter as often after a
time, evenly spread over what a whole run takes and a fifth more. Then the ledger is opened, as the
next run opens it: what it lists and what stands in the folder have to agree. Needs Linux (ptrace).
"""

from __future__ import annotations

import argparse
import ctypes
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
from indistinct.release.ledger import Ledger, Recording

PEOPLE = 200
LONG = 10**9
"""More steps than a run has."""

ATTACH, SYSCALL = 16, 24
"""Requests of ptrace."""


def publish(folder: str, last: int, begun: Event, go: Path | None) -> None:
    """Write the release of a folder; die at a step, or tell how many there were.

    Arguments:
        folder: where it stands pickled.
        last: the step to die at; 0 for none, and without counting.
        begun: is set when it begins to write, or before the entry where ``go`` is given.
        go: a file that is waited for before the entry is written.
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

    if go is not None:
        entered = Recording.await_folder

        def await_folder(record: Recording, certificate: Path) -> None:
            begun.set()
            while not go.exists():
                time.sleep(0.005)
            entered(record, certificate)

        Recording.await_folder = await_folder  # type: ignore[method-assign]
    else:
        begun.set()
    began = time.perf_counter()
    if last:
        sys.settrace(step)
    release.write(Path(folder) / "out", report=False)
    sys.settrace(None)
    (Path(folder) / "told").write_text(f"{done} {time.perf_counter() - began}")


def killed_at_call(process: int, go: Path, last: int) -> int:
    """Let a process go and kill it before a system call; how many it has made by then.

    Every call is seen twice, before it and after it.
    """
    trace = ctypes.CDLL(None, use_errno=True).ptrace
    trace.argtypes = [ctypes.c_long] * 4
    if trace(ATTACH, process, 0, 0):
        raise SystemExit("ptrace is not allowed here")
    os.waitpid(process, 0)
    go.touch()
    calls = signalled = 0
    while True:
        trace(SYSCALL, process, 0, signalled)
        _, status = os.waitpid(process, 0)
        if not os.WIFSTOPPED(status):
            return calls
        stop = os.WSTOPSIG(status)
        signalled = 0 if stop in (signal.SIGTRAP, signal.SIGSTOP) else stop
        calls += not signalled
        if calls >= last:
            os.kill(process, signal.SIGKILL)


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


def run(folder: Path, last: int, seconds: float | None = None, call: int = 0) -> tuple[bool, int]:
    """Whether a run was killed, and its system calls from the entry on, where one is named.

    Arguments:
        folder: where the release stands pickled; the ledger is empty before the run.
        last: the step that it is killed at.
        seconds: the time that it is killed after.
        call: the system call that it is killed at, from the entry on.
    """
    shutil.rmtree(folder / "out", ignore_errors=True)
    for file in (folder / "ledger").glob("ledger.sqlite*"):
        file.unlink()
    Ledger.made(folder / "ledger")
    context = multiprocessing.get_context("forkserver")
    begun, go = context.Event(), folder / "go"
    go.unlink(missing_ok=True)
    asked = (str(folder), last, begun, go if call else None)
    process = context.Process(target=publish, args=asked)
    process.start()
    calls = 0
    if call or seconds is not None:
        begun.wait()
    if call:
        calls = killed_at_call(process.pid or 0, go, call)
    elif seconds is not None:
        time.sleep(seconds)
        process.kill()
    process.join()
    return process.exitcode == -signal.SIGKILL, calls


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
        steps = int(told[0][0])
        whole = statistics.median(float(one[1]) for one in told[1:])
        calls = run(folder, 0, call=LONG)[1]
        found = {}
        for what, moments in {
            "at a system call from the entry on": [
                (0, None, 1 + at * calls // asked.kills) for at in range(asked.kills)
            ],
            "at a step": [(1 + at * steps // part, None, 0) for at in range(part)],
            "after a time": [(0, at * whole * 1.2 / part, 0) for at in range(part)],
        }.items():
            row = [0] * 4
            for moment in moments:
                row[0] += run(folder, *moment)[0]
                there, listed = state(folder)
                row[1] += there and listed
                row[2] += not there and not listed
                row[3] += there != listed
            found[what] = row
    head = ["killed", "before the end", "release and entry", "neither", "one of the two"]
    title = f"{steps:,} steps, {calls // 2:,} system calls from the entry on, {whole:.2f} s"
    show(title, head, [[what, *map(str, row)] for what, row in found.items()])
    if any(row[3] for row in found.values()):
        raise SystemExit("a release and its entry did not appear together")


if __name__ == "__main__":
    main()
