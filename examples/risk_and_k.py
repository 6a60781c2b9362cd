"""From "who could be found, and how?" to a release with a k for every sensitivity.

python examples/risk_and_k.py
"""

from __future__ import annotations

import polars as pl
from visits import visits

import indistinct as ind

table = pl.DataFrame(visits()).drop("visit_id", "visit_date", "cost", "remark", "referral")

# What people know of each other, and from where: the ways from a name to a diagnosis.
found = ind.quasi(
    table,
    identifiers=["name"],
    sensitive=["diagnosis"],
    links=[
        {"from": "name", "to": ["age", "sex", "postcode"], "source": "register of residents"},
        {"from": "name", "to": "smoker", "source": "anybody who looks"},
    ],
)
print("quasi-identifiers:", ", ".join(found.quasi_identifiers))

before = ind.risk(table, quasi=found.quasi_identifiers)
print(before.frame())

RANKS = {
    "I48 Atrial fibrillation": 1,
    "I50 Heart failure": 1,
    "E10 Type 1 diabetes": 2,
    "E11 Type 2 diabetes": 2,
    "I10 Hypertension": 3,
    "J44 Chronic bronchitis": 3,
    "J45 Asthma": 3,
    "L20 Eczema": 4,
    "L40 Psoriasis": 4,
}
hierarchies = {
    "age": {"intervals": {"width": 10, "top": 90}},
    "postcode": {"mask": {"from": "right"}},
}
policy = ind.Policy(
    attributes={
        "name": ind.Attribute(role="identifier"),
        "diagnosis": ind.Attribute(role="sensitive", ranks=ind.Ranks(table=RANKS)),
        **{
            name: ind.Attribute(role="quasi-identifier", hierarchy=hierarchies.get(name))
            for name in found.quasi_identifiers
        },
    },
    promises=[ind.KNMAnonymity(k="elbow", sensitive="diagnosis")],
    risk=ind.Risk(k_range=(2, 12)),
    method=ind.Method(algorithm="knm", suppression_limit=0.05, seed=1),
)
release = ind.anonymize(table, policy)
(promised,) = release.certificate.promises
print("chosen:", promised["parameters"]["k"], "achieved:", promised["achieved"])

after = ind.risk(release)
print(f"highest risk {before.prosecutor.highest:.0%} before, {after.prosecutor.highest:.0%} after")
