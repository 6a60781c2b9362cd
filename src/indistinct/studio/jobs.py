"""Long runs, each in a process beside the page: how far they are, what came of them, their stop."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import threading
import time
from typing import Any, Final

from indistinct.types import Plain

PATIENCE: Final = 10.0
"""Seconds in which a run that is stopped tidies up, before it is killed."""

LONG: Final = 20.0
"""Seconds of a run after which its process ends, and gives its memory back."""


class Job:
    """One run.

    Arguments:
        number: how the page speaks of it.
        asked: what :mod:`indistinct.studio.worker` reads; ``kind`` says which run it is.
        spare: processes that have told what came of an earlier run, and wait for the next. One of
            them is taken, or a new one started, and comes back when this run has been told.
    """

    def __init__(self, number: int, asked: Plain, spare: Spare) -> None:
        self.number = number
        self.asked = asked
        self.began = time.monotonic()
        self._told: Plain = {"what": "starting", "share": None}
        self._end: Plain | None = None
        self._stopping = False
        self._ending = threading.Lock()
        self._spare = spare
        self._process = spare.take()
        threading.Thread(target=self._listen, daemon=True).start()

    @property
    def running(self) -> bool:
        """Whether it has not ended yet."""
        return self._end is None

    def to_dict(self) -> Plain:
        """How far it is, or what came of it."""
        state = {"job": self.number, "kind": self.asked["kind"], "running": self.running}
        return {**state, **(self._told if self._end is None else self._end)}

    def stop(self) -> None:
        """End it, with nothing half written; comes back when it has ended."""
        with self._ending:
            self._stopping = True
            if self._end is None:
                _terminate(self._process)

    def _listen(self) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            self._process.stdin.write(json.dumps(self.asked) + "\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            pass
        end: Plain | None = None
        for line in self._process.stdout:
            message: Plain = json.loads(line)
            if "what" in message:
                self._told = message
            else:
                end = {"seconds": time.monotonic() - self.began, **message}
                break
        if end is None:
            code = self._process.wait()
            told = {"message": f"the run ended without a word (code {code})"}
            end = {"stopped": True} if code < 0 or self._stopping else {"problems": [told]}
        with self._ending:
            self._end = end
            if self._stopping:
                _end(self._process)
            else:
                short = "result" in end and end["seconds"] < LONG
                self._spare.give(self._process, again=short)


class Spare:
    """Processes that wait for a run. What they have imported and compiled serves the next one."""

    def __init__(self) -> None:
        self._waiting: list[subprocess.Popen[str]] = []
        self._changing = threading.Lock()

    def take(self) -> subprocess.Popen[str]:
        """A process that reads one line and tells what came of it."""
        with self._changing:
            while self._waiting:
                process = self._waiting.pop()
                if process.poll() is None:
                    return process
        return subprocess.Popen(
            [sys.executable, "-m", "indistinct.studio.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            start_new_session=True,  # Ctrl+C in the terminal is for the studio, which ends the run
        )

    def give(self, process: subprocess.Popen[str], *, again: bool) -> None:
        """Take back a process whose run has been told, for another run or to end it."""
        if again:
            with self._changing:
                self._waiting.append(process)
        else:
            _end(process)

    def end(self) -> None:
        """End those that wait."""
        with self._changing:
            for process in self._waiting:
                _end(process)
            self._waiting.clear()


def _end(process: subprocess.Popen[str]) -> None:
    """End a process to which nobody listens any more."""
    _terminate(process)
    with contextlib.suppress(BrokenPipeError), process:
        pass


def _terminate(process: subprocess.Popen[str]) -> None:
    """Ask a process to end, and wait until it has."""
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


class Jobs:
    """The runs of one studio."""

    def __init__(self) -> None:
        self._number = 0
        self._jobs: dict[int, Job] = {}
        self._spare = Spare()
        self._changing = threading.Lock()

    def start(self, asked: Plain) -> Job:
        """Begin a run; one of the same kind that is still going on is stopped."""
        with self._changing:
            for job in self._jobs.values():
                if job.running and job.asked["kind"] == asked["kind"]:
                    job.stop()
            self._number += 1
            job = self._jobs[self._number] = Job(self._number, asked, self._spare)
        return job

    def told(self, number: int) -> Plain:
        """How far a run is, or what came of it; those of an earlier table were stopped.

        Raises KeyError where there never was such a run.
        """
        job = self._jobs.get(number)
        if job is not None:
            return job.to_dict()
        if not 0 < number <= self._number:
            raise KeyError(number)
        return {"job": number, "running": False, "stopped": True}

    def stop(self, number: int) -> None:
        """End a run, as :meth:`Job.stop` does; one of an earlier table has ended."""
        job = self._jobs.get(number)
        if job is not None:
            job.stop()
        else:
            self.told(number)

    def latest(self) -> list[Plain]:
        """The last run of every kind, without what came of it."""
        last: dict[str, Any] = {job.asked["kind"]: job for job in list(self._jobs.values())}
        return [
            {"job": job.number, "kind": kind, "running": job.running} for kind, job in last.items()
        ]

    def outcome(self, kind: str) -> Plain:
        """What came of the last run of a kind that was done."""
        told = [job.to_dict() for job in list(self._jobs.values()) if job.asked["kind"] == kind]
        done: list[Plain] = [item["result"] for item in told if "result" in item]
        return done[-1] if done else {}

    def end(self) -> None:
        """Stop all that is going on."""
        with self._changing:
            for job in self._jobs.values():
                job.stop()
            self._jobs.clear()
            self._spare.end()
