"""Frames of pandas where PyArrow is not installed."""

from __future__ import annotations

import subprocess
import sys

SCRIPT = """
import sys

sys.modules["pyarrow"] = None
import numpy as np
import pandas as pd
import indistinct as ind

n = 60
frame = pd.DataFrame(
    {
        "age": np.arange(n) % 7,
        "cost": np.linspace(0, 99.5, n),
        "sex": ["f", "m"] * (n // 2),
        "visit": pd.to_datetime(["2020-01-01", "2021-05-05"] * (n // 2)),
        "ill": [True, False] * (n // 2),
        "ward": pd.Categorical(["x", "y", None] * (n // 3)),
        "children": pd.array([1, None, 3] * (n // 3), dtype="Int64"),
        "mixed": pd.Series([1, "1", None] * (n // 3), dtype=object),
        "diagnosis": ["a", "b", "c"] * (n // 3),
    }
)
roles = {name: {"role": "insensitive"} for name in frame.columns}
roles["age"] = {"role": "quasi-identifier", "hierarchy": {"intervals": {"width": 5}}}
roles["sex"] = {"role": "quasi-identifier"}
roles["diagnosis"] = {"role": "sensitive"}
policy = {"attributes": roles, "promises": [{"model": "k-anonymity", "k": 5}]}
release = ind.anonymize(frame, policy)
assert isinstance(release.tables, pd.DataFrame)
kinds = release.tables.dtypes.drop(["age", "sex", "ward", "mixed"])
assert kinds.equals(frame.dtypes[kinds.index]), kinds
assert ind.audit(release).holds
assert ind.assess(frame, policy).records == ind.risk(frame, policy).records == n
ind.compare(frame, release, policy=policy)
ind.attack(frame, release, policy)
try:
    ind.assess(frame.assign(cost=pd.arrays.SparseArray(frame["cost"])))
except ind.DataError as error:
    print(error)
"""


def test_plain_frames_do_without_pyarrow() -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "attribute 'cost': reading values of type Sparse" in done.stdout
    assert "indistinct[pandas]" in done.stdout
