"""The audit of a table that some other program has made.

python examples/audit_another_tool.py
"""

from __future__ import annotations

import polars as pl

import indistinct as ind

theirs = pl.DataFrame(
    {
        "age": ["20-29", "20-29", "30-39", "30-39", "30-39", "40-49", "*"],
        "sex": ["F", "F", "M", "M", "M", "F", "*"],
        "diagnosis": ["asthma", "flu", "asthma", "flu", "flu", "asthma", "migraine"],
    }
)

verdict = ind.audit(theirs, promises=[{"model": "k-anonymity", "k": 2}], quasi=["age", "sex"])
print(verdict)
print("suppressed rows, which are in no class:", verdict.suppressed)
