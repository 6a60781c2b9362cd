"""The policy that releases the demonstration's table of hospital discharges."""

from __future__ import annotations

POLICY = """\
# How the hospital discharges are released.
#
# A role for every attribute, a hierarchy for every quasi-identifier, what the release promises, and
# how it is searched for.

# -------- Identifiers: left out of the release --------

[attributes.patient_id]
role = "identifier"

[attributes.name]
role = "identifier"

# Follows from the admission and the length of stay.
[attributes.discharge_date]
role = "identifier"

# -------- Quasi-identifiers: what neighbours, colleagues and visitors know --------

[attributes.age]
role = "quasi-identifier"
hierarchy = { intervals = { width = 5, levels = 4, top = 90 } }

[attributes.sex]
role = "quasi-identifier"
hierarchy = "suppress"

# 74108, 7410*, 741**, ...
[attributes.zip]
role = "quasi-identifier"
hierarchy = { mask = { from = "right" } }

[attributes.admission_date]
role = "quasi-identifier"
hierarchy = { date = { levels = ["month", "quarter"] } }

[attributes.ward]
role = "quasi-identifier"

[attributes.ward.hierarchy.tree."*"]
"Children" = ["Neonatology", "Paediatrics"]
"Women and birth" = ["Obstetrics", "Gynaecology"]
"Medicine" = ["Internal medicine", "Cardiology", "Psychiatry"]
"Operations" = ["Surgery", "Orthopaedics", "Urology"]

# Up to a week, or longer.
[attributes.length_of_stay]
role = "quasi-identifier"
hierarchy = { intervals = { breaks = [8], levels = 1 } }

# -------- Sensitive: what would harm a person who is found --------

[attributes.diagnosis]
role = "sensitive"

[attributes.discharge_status]
role = "sensitive"

[attributes.cost]
role = "sensitive"

# -------- Promises --------

# By all quasi-identifiers together: everybody looks like at least four others.
[[promises]]
model = "k-anonymity"
k = 5

# What everybody knows of a neighbour: at least nineteen others.
[[promises]]
model = "k-anonymity"
k = 20
on = ["age", "sex", "zip"]

# What a visitor knows without knowing the person.
[[promises]]
model = "k-anonymity"
k = 10
on = ["sex", "admission_date", "ward"]

# -------- Search and output --------

# Each record is published at the finest levels at which enough others are equal to it.
[method]
algorithm = "optimal"
local_recoding = true

[output]
format = "csv"
"""
"""The text of the policy, as a custodian would write it."""
