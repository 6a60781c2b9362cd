"""Promises that count values hold where a class tells a number nearly: that is warned of."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

import indistinct as ind
from indistinct.metadata import ValueMetadata
from indistinct.warnings.near_values import told_of_shared_items

TOLD = "promises count near values as different"


def incomes(seed: int, kind: str) -> pl.DataFrame:
    """Incomes that lie near one another for everybody below fifty, or for nobody."""
    random, n = np.random.default_rng(seed), 300
    age = random.integers(20, 80, n)
    wide = random.integers(0, 600, n)
    near = {
        "chance": wide,
        "few": random.integers(0, 8, n),
        "dates": (np.datetime64("2023-01-01") + np.where(age < 50, wide % 20, wide)).astype(str),
    }.get(kind, np.where(age < 50, 100 + wide % 12, wide))
    return pl.DataFrame({"age": age, "sex": random.choice(["F", "M"], n), "income": near})


def keys(kind: str, algorithm: str = "mondrian") -> dict[str, Any]:
    income: dict[str, Any] = {"role": "sensitive"}
    promise: dict[str, Any] = {"model": "distinct-l-diversity", "l": 4}
    if kind == "ordered":
        promise = {"model": "t-closeness", "t": 0.6, "distance": "ordered"}
    if kind == "codes":
        income["type"] = "category"
    if kind == "rounded":
        income["transform"] = {"round": 100}
        promise["l"] = 2
    return {
        "attributes": {
            "age": {"role": "quasi-identifier", "hierarchy": {"intervals": 10}},
            "sex": {"role": "quasi-identifier"},
            "income": income,
        },
        "promises": [{"model": "k-anonymity", "k": 5}, promise | {"sensitive": "income"}],
        "method": {"algorithm": algorithm},
    }


@pytest.mark.parametrize(
    ("kind", "told"),
    [
        ("near", True),
        ("dates", True),
        ("chance", False),
        ("few", False),
        ("ordered", False),
        ("codes", False),
        ("rounded", False),
    ],
)
@pytest.mark.parametrize("seed", range(2))
def test_classes_of_near_values_are_warned_of(kind: str, told: bool, seed: int) -> None:
    release = ind.anonymize(incomes(seed, kind), keys(kind))
    assert all(item["holds"] for item in release.certificate.promises)
    found = [text for text in release.warnings if TOLD in text]
    assert bool(found) == told
    if kind == "near":
        classes = release.tables.group_by("age", "sex").agg(
            pl.len(), (pl.col("income").max() - pl.col("income").min()).alias("width")
        )
        middle = release.tables["income"].sort()
        spread = middle[int(0.95 * 300)] - middle[int(0.05 * 300)]
        close = classes.filter(pl.col("width") <= 0.05 * spread)["len"].sum() / 300
        assert close > 0.3
        assert abs(found[0].share - close) < 0.05  # type: ignore[attr-defined]


def test_buckets_of_near_values_are_warned_of() -> None:
    table = incomes(0, "near").with_columns(who=pl.int_range(300))
    table = table.with_columns(income=pl.col("who") % 20 + pl.when(pl.col("who") < 299).then(0))
    wide = pl.when(pl.col("who") < 40).then(pl.col("who") * 100).otherwise(pl.col("income"))
    policy = keys("near", "anatomy")
    policy["source"] = {"person": "who"}
    policy["attributes"]["who"] = {"role": "identifier"}
    policy["promises"] = [{"model": "max-posterior", "bound": 0.5, "sensitive": "income"}]
    release = ind.anonymize(table.with_columns(income=wide), policy)
    assert any(TOLD in text and "of the bucket" in text for text in release.warnings)


LISTS = "lists that have something in common"


@pytest.mark.parametrize(
    ("lists", "part"),
    [
        (["{0}; flu", "gout;{0}", "{0}"], 0.75),  # the last class is of no list
        (["{0}|flu", "{0} |gout", "eye|{0}"], 0.75),
        (["{0}; flu", "{0}; gout", "flu; gout"], 0.0),
        (["chronic; {0}", "chronic; flu", "chronic; gout"], 0.0),  # what all have is no news
        (["{0}, chronic", "flu, chronic", "gout, chronic"], 0.0),  # a comma of a name
        (["{0};", "flu;", "gout;"], 0.0),
    ],
)
def test_lists_with_something_in_common_are_warned_of(lists: list[str], part: float) -> None:
    """Three different texts in every class, and everybody of a class has the same illness."""
    illnesses = {"a": "HIV", "b": "asthma", "c": "cancer"}
    rows = [(town, text.format(one)) for town, one in illnesses.items() for text in lists]
    rows += [("d", text) for text in (["x; y", "z", "u"] if part else map(str.upper, lists))]
    policy = {
        "attributes": {"town": {"role": "quasi-identifier"}, "illness": {"role": "sensitive"}},
        "promises": [{"model": "distinct-l-diversity", "l": 3, "sensitive": "illness"}],
        "method": {"algorithm": "mondrian"},
    }
    release = ind.anonymize(pl.DataFrame(rows, ["town", "illness"], orient="row"), policy)
    told = [text.share for text in release.warnings if LISTS in text]  # type: ignore[attr-defined]
    assert told == [part] * (part > 0)


@pytest.mark.parametrize(
    ("lists", "warned"),
    [
        (["{0}; flu", "{0}; gout", "{0}; eye", "{0}; rash", "cold; ear"], True),
        (["{0}", "{0}; gout", "{0}; eye", "hip", "cold; ear"], True),
        (["{0}; flu", "{0}; gout", "hip; rash", "cold; ear"], False),
        (["{0}; flu", "{0}", "{0}", "{0}", "cold", "ear", "cold", "hip"], False),
    ],
)
@pytest.mark.parametrize("promise", ["max-posterior", "alpha-k-anonymity"])
def test_lists_that_share_more_than_a_bound_allows_are_warned_of(
    promise: str, lists: list[str], warned: bool
) -> None:
    """No list has more than half of a class, and what most of them hold has more."""
    illnesses = {"a": "HIV", "b": "asthma", "c": "cancer"}
    rows = [(town, text.format(one)) for town, one in illnesses.items() for text in lists]
    rows += [("d", text) for text in ("x; y", "z", "u")]
    bound = {"bound": 0.5} if promise == "max-posterior" else {"alpha": 0.5, "k": 3}
    policy = {
        "attributes": {"town": {"role": "quasi-identifier"}, "illness": {"role": "sensitive"}},
        "promises": [{"model": promise, "sensitive": "illness", **bound}],
        "method": {"algorithm": "mondrian"},
    }
    release = ind.anonymize(pl.DataFrame(rows, ["town", "illness"], orient="row"), policy)
    told = [text for text in release.warnings if LISTS in text]
    assert all("than a promise allows" in text for text in told)
    found = [text.share for text in told]  # type: ignore[attr-defined]
    people = len(lists) * 3
    assert found == [pytest.approx(people / (people + 3))] * warned


ITEMS = "no promise bounds what a class tells of"
TREE = {"*": {"low": ["A", "B"], "mid": ["C"], "high": ["D", "E"]}}
CHAINS = tuple((leaf, group, "*") for group, leaves in TREE["*"].items() for leaf in leaves)
LINK = {"quasi": "people", "sensitive": "buckets", "by": "bucket", "holding": "all"}


@pytest.mark.parametrize(
    ("buckets", "part"),
    [
        ({1: ["A", "C"], 2: ["A", "E"], 3: ["C"], 4: ["D"]}, 0.5),
        ({1: ["A"], 2: ["B"], 3: ["mid"], 4: ["high"]}, 0.5),  # both are low
        ({1: ["A"], 2: ["low"], 3: ["C"], 4: ["mid", "*"]}, 1.0),
        ({1: ["A"], 2: ["C"], 3: ["*"], 4: []}, 0.0),
        ({1: ["A"], 2: ["*"], 3: ["A"], 4: ["A"]}, 0.5),
        ({1: ["A"], 2: ["B"], 3: ["low"], 4: ["A"]}, 0.0),  # what all have is no news
    ],
)
def test_items_that_all_buckets_of_a_class_list_are_told(
    buckets: dict[int, list[str]], part: float
) -> None:
    """Two classes of four people each, of two buckets."""
    people = pl.DataFrame({"town": ["p"] * 4 + ["q"] * 4, "bucket": [1, 2, 1, 2, 3, 4, 3, 4]})
    rows = [(bucket, item) for bucket, items in buckets.items() for item in items]
    listed = pl.DataFrame(rows, {"bucket": pl.Int64, "item": pl.String}, orient="row")
    known = {"item": ValueMetadata(chains=CHAINS)}
    told = told_of_shared_items({"people": people, "buckets": listed}, LINK, known, ["town"])
    assert [text.share for text in told] == [part] * (part > 0)  # type: ignore[attr-defined]
    assert all(text.startswith(ITEMS) for text in told)


@pytest.mark.parametrize("bounded", [False, True])
def test_k_l_diversity_tells_of_classes_whose_buckets_share_an_item(bounded: bool) -> None:
    """Fingerprints of a class may all have an item, unless max-posterior bounds beliefs."""
    items = {
        "21q": ["CA", "EA", "A"], "34q": ["E"], "20p": ["A", "CA"],
        "20q": ["DAB", "DC", "A"], "34p": ["ECA"],
    }  # fmt: skip
    people = [(place, own) for place, several in items.items() for own in several]
    rows = [
        (who, place[:2], place[2], item) for who, (place, own) in enumerate(people) for item in own
    ]
    promises = [
        {"model": "k-anonymity", "k": 2},
        {"model": "kl-diversity", "k": 2, "l": 2, "sensitive": "item"},
    ]
    if bounded:
        promises.append({"model": "max-posterior", "bound": 0.9, "sensitive": "item"})
    policy = {
        "source": {"person": "who"},
        "attributes": {
            "who": {"role": "identifier"},
            "age": {"role": "quasi-identifier", "hierarchy": "suppress"},
            "town": {"role": "quasi-identifier"},
            "item": {"role": "sensitive", "hierarchy": {"tree": TREE}},
        },
        "promises": promises,
        "method": {"algorithm": "k-l-diversity"},
    }
    frame = pl.DataFrame(rows, ["who", "age", "town", "item"], orient="row")
    release = ind.anonymize(frame, policy)
    told = [text for text in release.warnings if text.startswith(ITEMS)]
    found = ind.attack(frame, release, policy, only=["homogeneity"]).attacks[0]
    assert bool(told) == bool(found.success["certain"]) == (not bounded)
    assert any(text.startswith(ITEMS) for text in release.certificate.warnings) == bool(told)
