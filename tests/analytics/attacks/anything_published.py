"""Tables in which anything may be published, and what holds of any finding in them."""

from __future__ import annotations

import json

import numpy as np
from hypothesis import strategies as st
from tests.analytics.attacks.contexts import numbers

from indistinct.analytics.attacks import Finding
from indistinct.hierarchies.taxonomy import Taxonomy

AGES = Taxonomy("age", [[str(age), f"{age // 5 * 5}+", "*"] for age in range(20, 30)])
TOWNS = Taxonomy(
    "town", [["Bonn", "Rhine", "*"], ["Köln", "Rhine", "*"], ["Ulm", "South", "*"], ["Hof", "*"]]
)
TAXONOMIES = {"age": AGES, "town": TOWNS}
VALUES = ("flu", "gout", "HIV", "cancer")

CELLS = st.tuples(
    st.sampled_from(["[20, 24]", "[25, 29]", "20+", "25+", "*", "{20, 29}", "22", "strange"]),
    st.sampled_from(["Rhine", "South", "Bonn", "*", "{Bonn, Hof}"]),
)


def holds(result: Finding, people: int) -> None:
    assert result.people == people
    for shares in (result.success, result.prior):
        assert list(shares) == ["0.5", "0.95", "certain"]
        low, high, certain = shares.values()
        assert 0.0 <= certain <= high + 1e-9
        assert high <= low + 1e-12
        assert low <= 1.0
    assert -1.0 - 1e-9 <= result.gain["mean"] <= result.gain["max"] + 1e-12
    assert result.gain["max"] <= 1.0 + 1e-9
    assert result.note == "" or result.note.endswith(".")
    assert np.isfinite(numbers(result.figures)).all()
    json.dumps(result.to_dict(), allow_nan=False)
