"""Which columns of a table give people away, before a release and after it.

python examples/which_columns_leak.py
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

    found = ind.assess(folder / "visits.csv", combinations=2)
    print(f"{found.entropy:.2f} bits tell all {found.records} visits apart. Alone leak:")
    for leakage in found.singles:
        (column,) = leakage.attributes
        print(f"  {column:10} {leakage.loss:5.2f} bits, hides among {found.crowd(leakage):.0f}")
    print("to be shielded together:", ", ".join(found.shield.attributes))
    print(f"alone with these values: {found.uniqueness:.1%} of the visits")

    policy = ind.Policy.load(HERE / "release.toml")
    release = ind.anonymize(folder / "visits.csv", policy)
    after = ind.assess(folder / "visits.csv", policy, release=release.tables, threshold=0.3)
    assert after.change is not None
    print(after.change.frame())
    for column in after.change.exposed:
        print(column.attribute, "still leaks:", "; or ".join(act.text for act in column.actions))
