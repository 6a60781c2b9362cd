"""How much longer 57 policies take than one: 19 values of k times three limits, on the Adult data.

As whole commands, which is what somebody waits for. The ratio should stay at 4 or below.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import indistinct as ind
from common import adult_file, adult_frame, adult_hierarchy, parser


def seconds(work: Callable[[], object]) -> float:
    """The least time of three, after one that warms up."""
    work()
    found = []
    for _ in range(3):
        began = time.perf_counter()
        work()
        found.append(time.perf_counter() - began)
    return min(found)


def main() -> None:
    """Measure both, and print the ratios."""
    shared = parser(__doc__).parse_args().shared
    table = adult_frame(shared)
    policy = ind.Policy.from_dict(
        {
            "source": {"separator": ";"},
            "attributes": {
                name: {
                    "role": "quasi-identifier",
                    "hierarchy": {
                        "file": str(adult_hierarchy(shared, name).resolve()),
                        "separator": ";",
                    },
                }
                for name in table.columns
            },
            "promises": [{"model": "k-anonymity", "k": 5}],
            "method": {"suppression_limit": 0.02},
        }
    )
    with tempfile.TemporaryDirectory() as name:
        file = Path(name) / "policy.toml"
        file.write_text(policy.to_toml(), encoding="utf-8")
        begin = [sys.executable, "-m", "indistinct"]
        given = [str(adult_file(shared)), "--policy", str(file)]
        run = [*begin, "anonymize", *given, "--out", str(Path(name) / "out")]
        explore = [*begin, "explore", *given, "--k", "2..20", "--suppression", "0,0.02,0.05"]
        one, many = (
            seconds(lambda todo=todo: subprocess.run(todo, check=True, capture_output=True))
            for todo in (run, explore)
        )
    print(f"whole commands: one run {one:.2f} s, 57 points {many:.2f} s: {many / one:.1f} times")


if __name__ == "__main__":
    main()
