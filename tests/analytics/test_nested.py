"""Columns that lie within each other get a tree; others do not."""

from __future__ import annotations

import itertools
import tomllib
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import indistinct as ind
from indistinct.analytics.profile.columns import profile
from indistinct.analytics.profile.first_policy import first_policy
from indistinct.analytics.profile.nested import Nestable, columns_around, tree_of
from indistinct.hierarchies.tree import tree_taxonomy
from indistinct.sources.engines import open_table

PLACES = [
    (f"ward {region}{house}{ward}", f"house {region}{house}", f"region {region}")
    for region, house, ward in itertools.product("NESW", "abc", range(4))
]


def table(rows: int = 1200, **columns: Any) -> pl.DataFrame:
    random = np.random.default_rng(5)
    some = [PLACES[at] for at in random.integers(0, len(PLACES), rows)]
    return pl.DataFrame(
        {
            **dict(
                zip(("krakenh_station", "haus", "bezirk"), zip(*some, strict=True), strict=True)
            ),
            "age": random.integers(20, 90, rows),
            "sex": random.choice(["f", "m"], rows),
            **columns,
        }
    )


WIDE = [Nestable("ward", "place", 48, narrow=True), Nestable("house", None, 12, narrow=True)]
WIDE.append(Nestable("region", None, 4))


def renamed() -> pl.DataFrame:
    return table().rename({"krakenh_station": "ward", "haus": "house", "bezirk": "region"})


def test_columns_lie_within_each_other_whatever_they_are_called() -> None:
    found = columns_around(open_table(renamed()), WIDE)
    assert found == {"ward": ("house", "region"), "house": ("region",)}


def test_every_value_generalizes_to_what_it_lies_in() -> None:
    tree = tree_of(open_table(renamed()), WIDE)
    taxonomy = tree_taxonomy("ward", tree)
    assert {taxonomy.chains[taxonomy.code_of(ward)] for ward, *_ in PLACES} == {
        (*place, "*") for place in PLACES
    }


@pytest.mark.parametrize("rows", [0, 1, 3])
def test_others_have_to_lie_in_one_in_all_records(rows: int) -> None:
    odd = renamed().with_columns(
        house=pl.when(pl.int_range(pl.len()) < rows)
        .then(pl.lit("house Wa"))
        .otherwise(pl.col("house"))
    )
    found = columns_around(open_table(odd), WIDE[:2])
    assert bool(found) == (rows == 0)
    alike = [Nestable("ward", "place", 48, narrow=True), Nestable("house", "place", 12)]
    assert columns_around(open_table(odd), alike) == {"ward": ("house",)}


def test_few_records_and_columns_by_chance_make_no_tree() -> None:
    random = np.random.default_rng(1)
    rare = pl.DataFrame({"a": [str(at % 90) for at in range(100)], "b": ["x", "y"] * 50})
    columns = [Nestable("a", "place", 90, narrow=True), Nestable("b", "place", 2)]
    assert columns_around(open_table(rare), columns) == {}
    one_sided = pl.DataFrame(
        {"a": random.choice(list("uvwx"), 200), "b": ["y"] * 199 + ["n"]},
    )
    columns = [Nestable("a", "place", 4, narrow=True), Nestable("b", "place", 2)]
    assert columns_around(open_table(one_sided), columns) == {}


def test_columns_called_like_what_is_counted() -> None:
    found = renamed().rename({"ward": "count", "house": "len", "region": "n"})
    columns = [Nestable("count", None, 48, narrow=True), Nestable("len", None, 12)]
    assert columns_around(open_table(found), columns) == {"count": ("len",)}
    assert set(tree_of(open_table(found), columns)["*"]) == {house for _, house, _ in PLACES}


NAMES = st.sampled_from(["Lima", "Ancon", "Ate", "Barranca", "Ica", "*", None])


@settings(max_examples=200)
@given(st.lists(st.tuples(NAMES, NAMES, NAMES), min_size=1, max_size=25))
def test_equal_names_make_a_tree_all_the_same(rows: list[tuple[str | None, ...]]) -> None:
    """A value is under a label only if all of its records lie there, as far as is known."""
    frame = pl.DataFrame(rows, schema=["a", "b", "c"], orient="row").cast(pl.String)
    leaves = {row[0] for row in rows} - {None, "*"}
    if not leaves:
        return
    columns = [Nestable(name, None, 5) for name in "abc"]
    taxonomy = tree_taxonomy("a", tree_of(open_table(frame), columns))
    assert set(taxonomy.leaves) == leaves
    for leaf in leaves:
        own = {row[1:] for row in rows if row[0] == leaf}
        known = {(c, b if c is not None else None) for b, c in own}
        depth = 0
        while depth < 2 and len({path[: depth + 1] for path in known}) == 1:
            depth += next(iter(known))[depth] is not None or 9
        assert len(taxonomy.ancestors(leaf)) - 1 == depth % 9, (leaf, own)


def test_a_draft_generalizes_a_place_to_the_wider_one() -> None:
    data = table().rename({"krakenh_station": "station"})
    text = first_policy(profile(data))
    policy = tomllib.loads(text)
    tree = policy["attributes"]["station"]["hierarchy"]["tree"]
    assert set(tree["*"]) == {f"region {region}" for region in "NESW"}
    assert max(map(len, text.splitlines())) < 300
    assert "values generalize to 'haus', then 'bezirk' of their records;" in text
    assert policy["attributes"]["station"]["uncovered"] == "suppress"
    for name in ("haus", "bezirk"):
        policy["attributes"][name] = {"role": "identifier"}
    policy["method"]["seed"] = 1
    cells = ind.anonymize(data, policy).tables["station"]
    assert (cells == "*").mean() < 0.1
    later = pl.concat([data, data.head(20).with_columns(station=pl.lit("ward new"))])
    told = ind.anonymize(later, policy).run.told
    what = "'station': 1 value of 20 records not in its hierarchy, and published as *"
    assert any(one.startswith(what) for one in told)
    policy["attributes"]["station"]["hierarchy"] = "suppress"
    cells = ind.anonymize(data, policy).tables["station"]
    assert (cells == "*").mean() > 0.5
