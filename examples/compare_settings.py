"""What several promises, other objectives and local recoding cost, in one table.

python examples/compare_settings.py
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
from visits import visits

import indistinct as ind

frame = pl.DataFrame(visits())
plain = ind.Policy.load(Path(__file__).parent / "release.toml").to_dict()

settings: dict[str, dict[str, Any]] = {
    "k = 5": {},
    "k = 10": {"promises": [ind.KAnonymity(k=10)]},
    "k = 5, 20 on place and sex": {
        "promises": [ind.KAnonymity(k=5), ind.KAnonymity(k=20, on=("postcode", "sex"))]
    },
    "nobody left out": {"method": {"suppression_limit": 0.0}},
    "by entropy": {"method": {"suppression_limit": 0.05, "objective": "non-uniform-entropy"}},
    "recoded locally": {"method": {"suppression_limit": 0.05, "local_recoding": True}},
}

rows = []
for name, changed in settings.items():
    release = ind.anonymize(frame, ind.Policy.from_dict({**plain, **changed}))
    measures = release.measures
    rows.append(
        {
            "what": name,
            "left out": release.run.suppressed,
            "loss": round(measures["loss"], 3),
            "entropy": round(measures["non-uniform-entropy"], 3),
            "classes": release.certificate.classes["count"],
        }
    )

with pl.Config(tbl_hide_dataframe_shape=True, tbl_hide_column_data_types=True):
    print(pl.DataFrame(rows))
