"""Long runs, each in a process of its own: how far they are, what came of them, and their stop."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from typing import Any, Final

from indistinct.types import Plain

PATIENCE: Final = 10.0
"""Seconds in which a run that is stopped tidies up, before it is killed."""


class Job:
    """One run.

    Arguments:
        number: how the page speaks of it.
        asked: what :mod:`indistinct.studio.worker` reads; ``kind`` says which run it is.
    """

    def __init__(self, number: int, asked: Plain) -> None:
        self.number = number
        self.asked = asked
        self.began = time.monotonic()
        self._told: Plain = {"what": "starting", "share": None}
        self._end: Plain | None = None
        self._stopping = False
        self._process = subprocess.Popen(
            [sys.executable, "-m", "indistinct.studio.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            start_new_session=True,  # Ctrl+C in the terminal is for the studio, which ends the run
        )
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
        if self._process.poll() is None:
            self._stopping = True
            self._process.terminate()
            try:
                self._process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()

    def _listen(self) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            self._process.stdin.write(json.dumps(self.asked) + "\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            pass
        for line in self._process.stdout:
            message: Plain = json.loads(line)
            if "what" in message:
                self._told = message
            else:
                self._end = {"seconds": time.monotonic() - self.began, **message}
        code = self._process.wait()
        if self._end is None:
            told = {"message": f"the run ended without a word (code {code})"}
            self._end = {"stopped": True} if code < 0 or self._stopping else {"problems": [told]}


class Jobs:
    """The runs of one studio."""

    def __init__(self) -> None:
        self._number = 0
        self._jobs: dict[int, Job] = {}
        self._changing = threading.Lock()

    def start(self, asked: Plain) -> Job:
        """Begin a run; one of the same kind that is still going on is stopped."""
        with self._changing:
            for job in self._jobs.values():
                if job.running and job.asked["kind"] == asked["kind"]:
                    job.stop()
            self._number += 1
            job = self._jobs[self._number] = Job(self._number, asked)
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
