"""Release one table under three promises, attack each release, and lay them side by side.

python examples/what_is_still_learnt.py
"""

from __future__ import annotations

import polars as pl
from visits import visits

import indistinct as ind

ATTRIBUTES = {
    "age": {"role": "quasi-identifier", "hierarchy": {"intervals": {"width": 5, "top": 90}}},
    "sex": {"role": "quasi-identifier"},
    "postcode": {"role": "quasi-identifier", "hierarchy": {"mask": {"from": "right"}}},
    "diagnosis": {
        "role": "sensitive",
        "categories": {
            "order": ["skin", "lung", "metabolism", "heart"],
            "table": {
                "skin": ["L20 Eczema", "L40 Psoriasis"],
                "lung": ["J44 Chronic bronchitis", "J45 Asthma"],
                "metabolism": ["E10 Type 1 diabetes", "E11 Type 2 diabetes"],
                "heart": ["I10 Hypertension", "I48 Atrial fibrillation", "I50 Heart failure"],
            },
        },
    },
}

table = pl.DataFrame(visits()).select(*ATTRIBUTES)

promises: dict[str, list[ind.Promise]] = {
    "k-anonymity": [ind.KAnonymity(k=4)],
    "three values": [ind.KAnonymity(k=4), ind.DistinctLDiversity(l=3, sensitive="diagnosis")],
    "two kinds": [ind.KAnonymity(k=4), ind.PPlusSensitive(p=2, sensitive="diagnosis")],
}
releases = {}
for name, asked in promises.items():
    policy = ind.Policy(
        attributes=ATTRIBUTES, promises=asked, method={"algorithm": "mondrian", "seed": 1}
    )
    releases[name] = ind.anonymize(table, policy).tables
    known = ["membership", "categorical-similarity"]
    report = ind.attack(table, releases[name], policy, only=known)
    for found in report.to_dict()["attacks"]:
        likely = found["success"]["0.5"]
        print(f"{name}: {found['name']} believes the truth of {likely:.1%} of people")

side_by_side = ind.compare(table, releases, policy=policy)
for one in side_by_side.to_dict()["releases"]:
    ncp, error = one["ncp"]["normalized"], one["query_error"]["by_mode"]["uniform"]["median"]
    print(f"{one['name']}: NCP {ncp:.2%}, counts are off by {error:.1%} (median)")
