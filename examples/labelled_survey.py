"""A survey in a file of SPSS: a policy drafted by its titles and labels, and a release of it.

python examples/labelled_survey.py
"""

from __future__ import annotations

import random
import tempfile
from pathlib import Path

import polars as pl
import pyreadstat

import indistinct as ind

TITLES = {
    "V001": "Case identification",
    "V012": "Respondent's current age",
    "V024": "Region",
    "V106": "Highest educational level",
    "V781": "Ever been tested for HIV",
}
LABELS = {
    "V024": {1: "North", 2: "East", 3: "South", 4: "West"},
    "V106": {0: "None", 1: "Primary", 2: "Secondary", 3: "Higher"},
    "V781": {0: "No", 1: "Yes"},
}

draw = random.Random(1)
people = pl.DataFrame(
    {
        "V001": [f"{1000 + 7 * at}" for at in range(600)],
        "V012": [float(draw.randint(15, 49)) for _ in range(600)],
        **{name: [float(draw.choice([*own])) for _ in range(600)] for name, own in LABELS.items()},
    }
)

with tempfile.TemporaryDirectory() as name:
    file = Path(name) / "survey.sav"
    pyreadstat.write_sav(people, str(file), column_labels=TITLES, variable_value_labels=LABELS)

    bench = ind.workbench(file)
    for item in bench.profile.attributes:
        print(f"{item.attribute}, {item.title}: {item.role}")
    policy = file.with_suffix(".toml")
    policy.write_text(bench.draft(), encoding="utf-8")
    release = ind.anonymize(file, policy)

    print(release.tables.head(3))
    print(release.certificate)
