"""The same release from a Polars, a pandas and a DuckDB table; each comes back as what it was.

python examples/frames.py
"""

from __future__ import annotations

from pathlib import Path

import duckdb
import pandas as pd
import polars as pl
from visits import visits

import indistinct as ind

policy = ind.Policy.load(Path(__file__).parent / "release.toml")

polars_frame = pl.DataFrame(visits())
pandas_frame = pd.DataFrame(visits())
relation = duckdb.connect().from_arrow(polars_frame.to_arrow())

for frame in (polars_frame, pandas_frame, relation):
    release = ind.anonymize(frame, policy)
    kind = type(release.tables)
    print(f"{kind.__module__}.{kind.__name__}: {release.plan.levels}")
