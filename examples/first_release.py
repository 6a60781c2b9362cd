"""A release from a CSV file and a policy, written to a folder and audited there.

python examples/first_release.py
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from visits import write

import indistinct as ind

HERE = Path(__file__).parent

with tempfile.TemporaryDirectory() as name:
    folder = Path(name)
    write(folder / "visits.csv")

    policy = ind.Policy.load(HERE / "release.toml")
    release = ind.anonymize(folder / "visits.csv", policy)
    release.write(folder / "visits-release")

    print(release.certificate)
    print("left out:", release.run.suppressed, "of", release.run.records)
    for attribute, level in release.plan.levels.items():
        print(f"  {attribute} is published at level {level}")

    verdict = ind.audit(folder / "visits-release")
    print("the files keep the promise:", verdict.holds)
