"""Hierarchies of one's own: a tree in the policy, a file, and one made in Python.

python examples/own_hierarchies.py
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import polars as pl
from visits import visits

import indistinct as ind

frame = pl.DataFrame(visits()).select("age", "smoker", "referral", "postcode", "diagnosis")

referral = {"tree": {"*": {"by somebody": ["family doctor", "hospital"], "own wish": []}}}

smoking = ind.Taxonomy(
    "smoker",
    [
        ("never", "not now", "*"),
        ("former", "not now", "*"),
        ("current", "current", "*"),
        ("n/a", "n/a", "*"),
    ],
)

with tempfile.TemporaryDirectory() as name:
    districts = ind.Taxonomy(
        "postcode",
        [(code, "east" if code < "81700" else "west", "*") for code in frame["postcode"].unique()],
    )
    ind.write_hierarchy(districts, Path(name) / "postcode.csv")
    policy = ind.Policy.from_dict(
        {
            "attributes": {
                "age": {"role": "quasi-identifier", "hierarchy": {"intervals": {"width": 10}}},
                "smoker": {"role": "quasi-identifier", "hierarchy": smoking},
                "referral": {"role": "quasi-identifier", "hierarchy": referral},
                "postcode": {"role": "quasi-identifier", "hierarchy": {"file": "postcode.csv"}},
                "diagnosis": {"role": "sensitive"},
            },
            "promises": [{"model": "k-anonymity", "k": 10}],
            "method": {"suppression_limit": 0.05},
        },
        directory=name,
    )
    release = ind.anonymize(frame, policy)

print(release.plan.levels)
print(release.tables.select("smoker", "referral", "postcode").unique().sort(pl.all()))
