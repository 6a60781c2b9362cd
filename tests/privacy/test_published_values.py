"""Figures that others computed: the tables of Khan and others (2020), and the Adult table."""

from __future__ import annotations

import functools
import json
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray

from indistinct.metadata import ValueMetadata
from indistinct.microdata.domains import SensitiveDomain
from indistinct.microdata.frequencies import ClassTable
from indistinct.privacy import promise

# The categories and values of Khan and others (2020).

CATEGORIES: dict[str | None, str] = {
    "HIV": "top secret",
    "Cancer": "top secret",
    "Hepatitis": "secret",
    "Phthisis": "secret",
    "Asthma": "less secret",
    "Obesity": "less secret",
    "Flu": "non secret",
    "Indigestion": "non secret",
}
ORDER = ("non secret", "less secret", "secret", "top secret")
DISEASES = SensitiveDomain(tuple(CATEGORIES), ValueMetadata(CATEGORIES, ORDER))


def of_diseases(classes: list[list[str]]) -> ClassTable:
    counted: list[Counter[str | None]] = [Counter(one) for one in classes]
    cells = np.array([[one[name] for name in CATEGORIES] for one in counted], np.int64)
    return ClassTable(
        np.arange(len(cells), dtype=np.int32),
        cells.sum(axis=1),
        {"disease": cells},
        {},
        {"disease": DISEASES},
    )


@functools.cache
def khan(shared: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((shared / "spec/oracles.json").read_text())["C_003"]
    return found


def each(model: str, parameter: str, seen: ClassTable, **settings: Any) -> list[Any]:
    """What is achieved by every class alone."""
    asked = promise(model, sensitive="disease", **settings)
    found = []
    for group in range(len(seen.size)):
        cells = {"disease": seen.cells["disease"][group : group + 1]}
        one = ClassTable(
            np.zeros(1, np.int32), seen.size[group : group + 1], cells, {}, seen.domains
        )
        found.append(asked.achieved(one)[parameter])
    return found


@pytest.mark.parametrize("name", ["1b", "4a", "4b", "8a", "8b", "init1a"])
def test_tables_of_the_paper(shared: Path, name: str) -> None:
    expected = khan(shared)["tables"][name]
    seen = of_diseases(expected["classes"])
    k = expected["k"]
    theta = promise("theta-sensitive", k=k, sensitive="disease")
    assert theta.breaks(seen).tolist() == [not kept for kept in expected["ge_theta"]]
    assert each("distinct-l-diversity", "l", seen, l=2) == expected["distinct"]
    assert each("p-sensitive", "p", seen, p=2) == expected["distinct"]
    assert each("p-plus-sensitive", "p", seen, p=2) == expected["categories"]
    shares = each("theta-sensitive", "mu", seen, k=k)
    for share, variance in zip(shares, expected["variance"], strict=True):
        assert share == pytest.approx(float(Fraction(variance)) * 12 / (k * k - 1))
    one_value = promise("distinct-l-diversity", l=2, sensitive="disease").breaks(seen)
    one_category = promise("p-plus-sensitive", p=2, sensitive="disease").breaks(seen)
    detected = expected["detect"]
    assert int(one_value.sum()) == detected["homogeneity"]
    assert int(seen.size[one_value].sum()) == detected["rec_h"]
    assert int(one_category.sum()) == detected["similarity"]
    assert int(seen.size[one_category].sum()) == detected["rec_s"]


@pytest.mark.parametrize("name", ["4a", "4b"])
@pytest.mark.parametrize("over", ["distinct", "records"])
def test_weights_of_the_paper(shared: Path, name: str, over: str) -> None:
    expected = khan(shared)
    seen = of_diseases(expected["tables"][name]["classes"])
    asked = promise("p-alpha-sensitive", p=3, alpha=1, over=over, sensitive="disease")
    weight = Fraction(expected["weights_0_1/3_2/3_1_total"][name][over])
    assert asked.achieved(seen)["alpha"] == pytest.approx(float(weight))
    assert not asked.breaks(seen).any()


def test_table_8b_is_what_its_authors_promise(shared: Path) -> None:
    """p = 4, p+ = 3, alpha = 4/3, and a rank variance above theta(4)."""
    seen = of_diseases(khan(shared)["tables"]["8b"]["classes"])
    for model, settings in (
        ("p-sensitive", {"p": 4}),
        ("p-plus-sensitive", {"p": 3}),
        ("p-alpha-sensitive", {"p": 4, "alpha": 4 / 3}),
        ("theta-sensitive", {"k": 4}),
        ("max-posterior", {"bound": 0.25}),
    ):
        assert not promise(model, sensitive="disease", **settings).breaks(seen).any()


def test_rank_variance_is_no_measure_of_diversity() -> None:
    """Ninety equal values of a hundred pass; evenly frequent ones fail where uneven ones pass."""
    skewed = np.array([[90, *[1] * 10]], np.int64)
    seen = ClassTable(np.zeros(1, np.int32), np.array([100]), {"disease": skewed})
    assert not promise("theta-sensitive", k=4, sensitive="disease").breaks(seen).any()
    assert promise("max-posterior", sensitive="disease").breaks(seen).all()
    twenty = promise("theta-sensitive", k=20, sensitive="disease")
    cells = np.array([[7, *[1] * 13], [*[2] * 6, *[1] * 8]], np.int64)
    seen = ClassTable(np.arange(2, dtype=np.int32), np.array([20, 20]), {"disease": cells})
    assert twenty.breaks(seen).tolist() == [False, True]


# The Adult census table


@functools.cache
def adult(shared: Path, quasi: tuple[str, ...], sensitive: str) -> ClassTable:
    """The classes of the raw table, by these columns."""
    frame = pl.read_csv(shared / "data/adult/adult.csv", separator=";", infer_schema=False)
    numbered = frame.select(
        pl.struct(quasi).rank("dense").sub(1).alias("class"), pl.col(sensitive).alias("value")
    )
    labels = sorted(numbered["value"].unique().to_list())
    code = numbered["value"].replace_strict(labels, range(len(labels))).to_numpy()
    group = numbered["class"].to_numpy()
    cells: NDArray[np.int64] = np.zeros((int(group.max()) + 1, len(labels)), np.int64)
    np.add.at(cells, (group, code), 1)
    return ClassTable(
        np.arange(len(cells), dtype=np.int32),
        cells.sum(axis=1),
        {sensitive: cells},
        {sensitive: cells.sum(axis=0)},
        {sensitive: SensitiveDomain(tuple(labels))},
    )


@pytest.mark.parametrize("place", range(4))
def test_adult(shared: Path, place: int) -> None:
    text = (shared / "oracles/adult_model_values.json").read_text()
    case = json.loads(text)["cases"][place]
    expected, name = case["values"], case["sensitive"]
    seen = adult(shared, tuple(case["quasi_identifiers"]), name)

    def achieved(model: str, parameter: str, **settings: Any) -> float | int | None:
        return promise(model, sensitive=name, **settings).achieved(seen)[parameter]

    assert len(seen.size) == expected["n_ec"]
    assert achieved("k-anonymity", "k", k=2) == expected["k"]
    assert achieved("alpha-k-anonymity", "alpha", alpha=0.5, k=2) == expected["alpha"]
    assert achieved("alpha-k-anonymity", "k", alpha=0.5, k=2) == expected["k"]
    assert achieved("max-posterior", "bound") == expected["alpha"]
    assert achieved("distinct-l-diversity", "l", l=2) == expected["distinct_l"]
    entropy = achieved("entropy-l-diversity", "l", l=2)
    assert entropy == pytest.approx(expected["entropy_l_real"])
    assert achieved("recursive-cl-diversity", "c", c=3, l=2) is None
    assert expected["recursive_c_infimum_for_that_l"] is None
    gain = achieved("basic-beta-likeness", "beta", beta=1)
    assert gain == pytest.approx(expected["basic_beta"])
    assert achieved("enhanced-beta-likeness", "beta", beta=1) is None
    assert expected["enhanced_beta_unsatisfiable"]
    assert achieved("delta-disclosure", "delta", delta=1) is None
    assert expected["delta_ln_strict"] == "inf"
    skipped = achieved("delta-disclosure", "delta", delta=1, absent="skip")
    assert skipped == pytest.approx(expected["delta_ln_skipping_absent"])
    assert achieved("t-closeness", "t", t=0.2) == pytest.approx(expected["t_equal"])
    if "t_ordered_rank" in expected:
        ordered = achieved("t-closeness", "t", t=0.2, distance="ordered")
        assert ordered == pytest.approx(expected["t_ordered_rank"])


def test_table_3_of_victor_and_lopez(shared: Path) -> None:
    """Six classes of two, of two values and of one discharge status each."""
    document = json.loads((shared / "spec" / "oracles.json").read_text(encoding="utf-8"))
    expected = document["B_001"]["table3"]
    groups = [
        ("Hepatitis", "Influenza"), ("Malaria", "Hepatitis"), ("HIV", "H1N1"),
        ("Malaria", "Hepatitis"), ("H1N1", "HIV"), ("Malaria", "Influenza"),
    ]  # fmt: skip
    labels = tuple(sorted({value for group in groups for value in group}))
    ranks: dict[str | None, int] = dict.fromkeys(labels, 4) | {"HIV": 1, "H1N1": 1}
    cells = np.array([[group.count(label) for label in labels] for group in groups], np.int64)
    seen = ClassTable(
        np.arange(6, dtype=np.int32),
        cells.sum(axis=1),
        {"s": cells},
        {"s": cells.sum(axis=0)},
        {"s": SensitiveDomain(labels, ValueMetadata(ranks=ranks))},
    )
    assert seen.size.tolist() == expected["sizes"]
    assert (cells > 0).sum(axis=1).tolist() == expected["distinct_sensitive"]
    ks = {"1": 2, "4": 2}

    def broken(**settings: Any) -> list[bool]:
        asked = {"k": ks, "sensitive": "s"} | settings
        found: list[bool] = promise("knm-anonymity", **asked).breaks(seen).tolist()
        return found

    # Of five values half are two, rounded down; rounded up they would be three.
    assert promise("knm-anonymity", k=ks, sensitive="s").labels_wanted(expected["c"]) == 2  # type: ignore[attr-defined]
    assert broken() == broken(diversity=expected["c_half_floor"]) == [False] * 6
    assert broken(diversity=expected["c_half_ceil"]) == [True] * 6
    assert broken(k={"1": 3, "4": 2}) == [False, False, True, False, True, False]
    assert broken(count="rank") == [False] * 6
    of_one_rank = [len({ranks[value] for value in group}) == 1 for group in groups]
    assert sum(of_one_rank) == expected["status_homogeneous_classes"]
