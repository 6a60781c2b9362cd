"""Long runs in a process of its own, which can be stopped and takes nothing with it.

``python -m indistinct.studio.worker`` reads what to do from standard input, one line of JSON, tells
on standard output how far it is, a line each, and at last what came of it; then it waits for the
next line, and what it has imported and compiled serves again. Where standard input ends, the studio
is gone: the run ends as by a signal, with nothing half written.
"""

from __future__ import annotations

import json
import os
import queue
import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any, TextIO

import indistinct
from indistinct import IndistinctError, PolicyError
from indistinct.studio.workspace import OURS, of_system
from indistinct.types import Plain

Progress = Callable[[str, float | None], None]

OFTEN = 0.1
"""Seconds between two lines of progress on the same step, at least."""


STANDARDS = ("0.2", "0.09", "hipaa-safe-harbor")
"""What a release is held against."""


def main() -> None:
    """Do what standard input says, one run after the other."""
    out, sys.stdout = sys.stdout, sys.stderr
    lines: queue.SimpleQueue[str] = queue.SimpleQueue()
    signal.signal(signal.SIGTERM, _interrupt)
    threading.Thread(target=_watch, args=(lines,), daemon=True).start()
    while not _stopped.is_set():
        try:
            asked = json.loads(lines.get())
            _say(out, _told(asked, out))
        except KeyboardInterrupt:
            _say(out, {"stopped": True})


def _told(asked: Plain, out: TextIO) -> Plain:
    """What comes of one run."""
    last: tuple[float, str] = (0.0, "")

    def progress(what: str, share: float | None) -> None:
        nonlocal last
        if _stopped.is_set():  # what raised the interruption may have been told to go on
            raise KeyboardInterrupt
        now = time.monotonic()
        if what != last[1] or now - last[0] > OFTEN:
            last = (now, what)
            _say(out, {"what": what, "share": share})

    try:
        asked = {**asked, "policy": _shown_policy(asked)}
        return {"result": RUNS[asked["kind"]](asked, progress)}
    except IndistinctError as error:
        return {"problems": [item.to_dict() for item in error.problems]}
    except MemoryError:
        return {"problems": [{"message": "the table does not fit into the memory"}]}
    except OSError as error:
        return {"problems": [{"message": of_system(error)}]}
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - told without its message, which could hold a value
        return {"problems": [{"message": f"internal error: {type(error).__name__}: {OURS}"}]}


def _shown_policy(asked: Plain) -> indistinct.Policy | Path:
    """The policy that the page showed when the run was asked for, whatever becomes of its file.

    A policy of which nothing is promised yet will do to assess a table, and stays in its file.

    Raises:
        PolicyError: the file holds another text by now, or is no policy.
    """
    file = Path(asked["policy"])
    found = file.read_bytes()
    policy = None
    if found.decode("utf-8-sig").splitlines() == asked["text"].splitlines():
        policy = file if asked["kind"] == "assess" else indistinct.Policy.load(file)
    if policy is None or (isinstance(policy, indistinct.Policy) and policy.content != found):
        raise PolicyError(
            "changed-meanwhile",
            "the file of the policy holds another text than the page",
            file=str(file),
            remedy="open the table again, or change the policy here, which writes the file anew",
        )
    return policy


def assess(asked: Plain, progress: Progress) -> Plain:
    """How much every column tells, and which combinations are as good as a name."""
    return indistinct.assess(asked["data"], asked["policy"], progress=progress).to_dict()


def release(asked: Plain, progress: Progress) -> Plain:
    """Make a release, write it, and audit the files that were written."""
    out = Path(asked["out"])
    made = indistinct.anonymize(asked["data"], asked["policy"], progress=progress)
    progress("writing", None)
    made.write(out)
    progress("auditing the files", None)
    name = "quasi" if made.linked else "release"
    files = sorted(path for path in out.iterdir() if path.is_file())

    def head(stem: str) -> list[dict[str, str | None]]:
        return indistinct.workbench(next(p for p in files if p.stem == stem)).head(8)

    return {
        "out": str(out),
        "policy": asked["text"],
        "files": [path.name for path in files],
        "run": json.loads((out / "private" / "run.json").read_text(encoding="utf-8")),
        "measures": dict(made.measures),
        "visits": made.private.get("visits.json"),
        "audit": indistinct.audit(out).to_dict(),
        "rows": head(name),
        "listed": head("sensitive") if made.linked else [],
        "partition": _partition(made),
    }


def _partition(made: indistinct.Release) -> Any:
    """The classes of a release as boxes, where it tells them."""
    found: Any = made.private.get("evidence.json", {})
    return found.get("partition")


def prove(asked: Plain, progress: Progress) -> Plain:
    """What attackers learn from a release, and the risk before and after it."""
    found: Plain = {}
    data, policy, out = asked["data"], asked["policy"], Path(asked["out"])
    runs: dict[str, Callable[[], Plain]] = {
        "attack": lambda: _attacked(asked, progress),
        "before": lambda: indistinct.risk(data, policy, progress=progress).to_dict(),
        "after": lambda: indistinct.risk(out, standard=STANDARDS, progress=progress).to_dict(),
    }
    for name, run in runs.items():
        progress("attacking the release" if name == "attack" else "counting the risk", None)
        try:
            found[name] = run()
        except IndistinctError as error:
            found[name] = {"problems": [item.to_dict() for item in error.problems]}
    return found


def _attacked(asked: Plain, progress: Progress) -> Plain:
    """What attackers learn; where the release has a report for its custodian, that tells it too."""
    data, policy, out = asked["data"], asked["policy"], Path(asked["out"])
    private = out / "private"
    if not (private / "report.html").exists():
        return indistinct.attack(data, out, policy, progress=progress).to_dict()
    indistinct.write_report(out, data=data, policy=policy, progress=progress)
    kept: Any = json.loads((private / "evidence.json").read_text(encoding="utf-8"))
    attacks: Plain = kept["attacks"]
    return attacks


def alternatives(asked: Plain, progress: Progress) -> Plain:
    """What other methods would keep under the same promises."""
    return indistinct.alternatives(asked["data"], asked["policy"], progress=progress).to_dict()


def explore(asked: Plain, progress: Progress) -> Plain:
    """What releases with other k keep and risk."""
    found = indistinct.explore(asked["data"], asked["policy"], k=asked["k"], progress=progress)
    told = found.to_dict()
    points = [{key: item[key] for key in item if key != "policy"} for item in told["points"]]
    return {"points": points, "recommended": told["recommended"], "why": found.why}


def beside(asked: Plain, progress: Progress) -> Plain:
    """Releases with several k beside each other: rows, values, pairs of columns, what they lose."""
    data, policy, pair = asked["data"], asked["policy"], asked["pair"]
    found = indistinct.explore(data, policy, k=asked["k"], progress=progress)
    made = [
        (f"k = {point.k}", indistinct.anonymize(data, point.policy, progress=progress))
        for point in found.points
        if point.published is not None
    ]
    if not made:
        return {"releases": []}
    if any(release.linked for _, release in made):
        pair = None
    compared = indistinct.compare(
        data,
        *(release for _, release in made),
        policy=policy,
        names=[name for name, _ in made],
        contingency=None if pair is None else tuple(pair),
        progress=progress,
    ).to_dict()
    for item, (_, release) in zip(compared["releases"], made, strict=True):
        rows = release.tables["quasi"] if release.linked else release.tables
        item["head"] = rows.head(5).to_dicts()
        item["spreads"] = release.spreads()
        item["linked"], item["partition"] = release.linked, _partition(release)
    # What was counted in the table is the same for all of them.
    before: Any = made[0][1].private.get("evidence.json", {})
    compared["before"] = before.get("attributes", [])
    return compared


RUNS = {
    "explore": explore,
    "beside": beside,
    "assess": assess,
    "alternatives": alternatives,
    "release": release,
    "prove": prove,
}


_stopped = threading.Event()
"""Whether the run was asked to end."""


def _say(out: TextIO, message: Plain) -> None:
    out.write(json.dumps(message, default=str) + "\n")
    out.flush()


def _interrupt(number: int, frame: FrameType | None) -> None:
    del number, frame
    _stopped.set()
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise KeyboardInterrupt


def _watch(lines: queue.SimpleQueue[str]) -> None:
    """Pass on what is asked, and end the run where the studio ends."""
    for line in sys.stdin:
        lines.put(line)
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    main()
