"""Quasi-identifiers as what separates: published graphs, and small ones against enumeration."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date, timedelta
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import indistinct as ind
from indistinct.analytics.leakage.associations import association, associations, coarse
from indistinct.analytics.leakage.attribute_graph import AttributeGraph, Derivation, Edge
from indistinct.analytics.leakage.derivations import recognise
from indistinct.analytics.leakage.quasi_identifiers import discover
from indistinct.errors import PolicyError, Unsatisfiable


def chain(*names: str) -> list[Edge]:
    return [Edge(one, other) for one, other in itertools.pairwise(names)]


def graph(
    edges: Iterable[Edge],
    table: Sequence[str],
    *,
    identifiers: Sequence[str] = ("name",),
    sensitive: Sequence[str] = ("diagnosis",),
    derivations: Sequence[Derivation] = (),
    costs: dict[str, float] | None = None,
) -> AttributeGraph:
    return AttributeGraph(
        tuple(identifiers),
        tuple(sensitive),
        tuple(table),
        tuple(edges),
        tuple(derivations),
        costs or {},
    )


PARALLEL = graph(
    [edge for name in ("age", "gender", "job") for edge in chain("name", name, "diagnosis")],
    ["age", "gender", "job"],
)
SERIAL = graph(chain("name", "zip", "region", "diagnosis"), ["zip", "region"])
DIAMOND = graph(
    [*chain("name", "age", "visit", "diagnosis"), *chain("name", "zip", "visit")],
    ["age", "zip", "visit"],
)
OUTSIDE = graph(
    [*chain("name", "voter_no", "zip", "diagnosis"), *chain("voter_no", "age", "diagnosis")],
    ["zip", "age"],
)
DERIVED = graph(
    [*chain("name", "dob", "diagnosis"), *chain("name", "address", "diagnosis")],
    ["dob", "address", "age", "locality", "zip"],
    derivations=[
        Derivation("dob", "age"),
        Derivation("address", "locality", "part_of"),
        Derivation("address", "zip", "part_of"),
    ],
)
PARTS = graph(
    [*chain("name", "locality", "diagnosis"), *chain("name", "zip", "diagnosis")],
    ["locality", "zip"],
)
TWO_SENSITIVE = graph(
    [*chain("name", "age", "diagnosis"), *chain("name", "job", "income")],
    ["age", "job"],
    sensitive=["diagnosis", "income"],
)
TWO_CHAINS = graph(
    [*chain("name", "a", "b", "diagnosis"), *chain("name", "c", "d", "diagnosis")],
    ["a", "b", "c", "d"],
)
APART = graph([*chain("name", "zip"), *chain("age", "diagnosis")], ["zip", "age"])


@pytest.fixture
def expected(shared: Path) -> dict[str, Any]:
    """What others computed for the ten graphs."""
    oracles = json.loads((shared / "spec" / "oracles.json").read_text(encoding="utf-8"))
    found: dict[str, Any] = oracles["B_001"]["graph"]
    return found


@pytest.mark.parametrize(
    ("key", "given"),
    [
        ("E1_parallel", PARALLEL),
        ("E3_diamond", DIAMOND),
        ("E4_table_only", OUTSIDE),
        ("E6_union", DERIVED),
        ("E7_all_parts", PARTS),
        ("E8_two_sensitive", TWO_SENSITIVE),
        ("E9_union", TWO_CHAINS),
        ("E10_disconnected", APART),
    ],
)
def test_the_sets_that_others_computed(
    key: str, given: AttributeGraph, expected: dict[str, Any]
) -> None:
    assert list(discover(given).quasi_identifiers) == expected[key]


def test_a_series_has_two_cuts_and_single_vertices(expected: dict[str, Any]) -> None:
    found = discover(SERIAL)
    assert {key: list(getattr(found.cuts, name)) for key, name in (
        ("source", "source_side"), ("sink", "sink_side"), ("union", "union"),
    )} == expected["E2_serial"]  # fmt: skip
    assert found.cuts.single == ("region", "zip")


def test_what_is_parallel_has_no_single_vertex() -> None:
    assert discover(PARALLEL).cuts.single == ()
    assert discover(PARALLEL).cuts.union == ("age", "gender", "job")


def test_what_the_table_lacks_is_not_cut() -> None:
    assert OUTSIDE.cuts(anywhere=True).union == ("voter_no",)
    found = discover(OUTSIDE)
    assert found.anywhere is not None
    assert found.anywhere.single == ("voter_no",)
    assert found.quasi_identifiers == ("age", "zip")


def test_two_chains_cost_two(expected: dict[str, Any]) -> None:
    assert TWO_CHAINS.cuts().value == expected["E9_value"]


@pytest.mark.parametrize("way", [("name", "diagnosis"), ("name", "register", "diagnosis")])
def test_what_no_cut_can_protect_is_refused(way: tuple[str, ...], expected: dict[str, Any]) -> None:
    assert expected["E5_direct_edge"] == "error"
    bare = graph([*chain(*way), *chain("name", "zip", "diagnosis")], ["zip"])
    with pytest.raises(Unsatisfiable, match=" – ".join(way)):
        discover(bare)


def test_every_sensitive_attribute_without_protection_is_told() -> None:
    bare = graph(
        [*chain("name", "diagnosis"), *chain("mrn", "list", "income")],
        [],
        identifiers=["name", "mrn"],
        sensitive=["diagnosis", "income"],
    )
    with pytest.raises(Unsatisfiable) as caught:
        bare.cuts()
    assert len(caught.value.problems) == 2


def test_variants_replace_one_attribute_at_a_time() -> None:
    found = discover(DERIVED)
    assert [item.to_dict() for item in found.variants] == [
        {"replaced": "dob", "by": "age", "union": ["address", "age"]},
        {"replaced": "address", "by": "locality", "union": ["dob", "locality"]},
        {"replaced": "address", "by": "zip", "union": ["dob", "zip"]},
    ]
    why = {item.attribute: item for item in found.why}
    assert why["age"].stands_for == ("dob",)
    assert why["age"].way == ("name", "age", "diagnosis")
    assert why["age"].cuts == ()
    assert why["dob"].stands_for == ()


def test_what_is_derived_twice_over_stands_in_as_well() -> None:
    given = graph(
        chain("name", "dob", "diagnosis"),
        ["dob", "age", "group"],
        derivations=[Derivation("dob", "age"), Derivation("age", "group")],
    )
    assert discover(given).quasi_identifiers == ("age", "dob", "group")


def test_a_derivation_is_a_link() -> None:
    given = graph(
        [*chain("name", "dob"), *chain("age", "diagnosis")],
        ["dob", "age"],
        derivations=[Derivation("dob", "age")],
    )
    assert discover(given).quasi_identifiers == ("age", "dob")


def test_what_is_derived_from_something_outside_the_table() -> None:
    given = graph(
        [*chain("name", "dob", "diagnosis")], ["age"], derivations=[Derivation("dob", "age")]
    )
    with pytest.raises(Unsatisfiable):
        discover(given)
    given = graph(
        [*chain("name", "dob"), *chain("age", "diagnosis")],
        ["age"],
        derivations=[Derivation("dob", "age")],
    )
    assert discover(given).quasi_identifiers == ("age",)


def test_costs_decide_between_cuts() -> None:
    edges = [*chain("name", "a", "c", "diagnosis"), *chain("name", "b", "c")]
    assert graph(edges, "abc").cuts().union == ("c",)
    dear = graph(edges, "abc", costs={"c": 2.5}).cuts()
    assert (dear.union, dear.value, dear.single) == (("a", "b"), 2, ("c",))
    even = graph(edges, "abc", costs={"a": 0.1, "b": 0.2, "c": 0.3}).cuts()
    assert (even.union, even.value) == (("a", "b", "c"), Fraction(3, 10))
    assert (even.source_side, even.sink_side) == (("a", "b"), ("c",))


@pytest.mark.parametrize("cost", [0, -1, float("inf"), float("nan")])
def test_a_cost_is_above_nothing(cost: float) -> None:
    with pytest.raises(PolicyError, match="must cost more than 0"):
        graph(chain("name", "zip", "diagnosis"), ["zip"], costs={"zip": cost})


def test_roles_that_contradict_and_costs_of_nothing() -> None:
    with pytest.raises(PolicyError) as caught:
        graph([], ["zip"], identifiers=["x"], sensitive=["x"], costs={"zpi": 1})
    assert {item.code for item in caught.value.problems} == {"two-roles", "unknown-attribute"}


# -------- Against enumeration --------


@st.composite
def graphs(draw: st.DrawFn) -> AttributeGraph:
    table = [f"t{at}" for at in range(draw(st.integers(1, 6)))]
    outside = [f"o{at}" for at in range(draw(st.integers(0, 2)))]
    identifiers = [f"i{at}" for at in range(draw(st.integers(1, 2)))]
    sensitive = [f"s{at}" for at in range(draw(st.integers(1, 2)))]
    names = [*identifiers, *table, *outside, *sensitive]
    pairs = list(itertools.combinations(names, 2))
    edges = [Edge(*pair) for pair in pairs if draw(st.integers(0, 9)) < 4]
    costs = {name: draw(st.sampled_from([0.1, 0.2, 0.3, 1, 2])) for name in table}
    return graph(
        edges,
        table,
        identifiers=identifiers,
        sensitive=sensitive,
        costs=costs if draw(st.booleans()) else {},
    )


def leads_through(given: AttributeGraph, removed: set[str]) -> bool:
    """Whether an identifier reaches something sensitive without the removed attributes."""
    seen = set(given.identifiers)
    queue = list(seen)
    for name in queue:
        for edge in given.edges:
            for one, other in ((edge.one, edge.other), (edge.other, edge.one)):
                if one == name and other not in seen and other not in removed:
                    seen.add(other)
                    queue.append(other)
    return bool(seen & set(given.sensitive))


def cost_of(given: AttributeGraph, cut: Iterable[str]) -> Fraction:
    return sum((Fraction(str(given.costs.get(name, 1))) for name in cut), Fraction(0))


@settings(max_examples=400)
@given(graphs())
def test_the_union_of_all_minimum_cuts(given: AttributeGraph) -> None:
    cuts = [
        set(cut)
        for size in range(len(given.table) + 1)
        for cut in itertools.combinations(given.table, size)
        if not leads_through(given, set(cut))
    ]
    if not cuts:
        with pytest.raises(Unsatisfiable):
            given.cuts()
        return
    least = min(cost_of(given, cut) for cut in cuts)
    smallest = [cut for cut in cuts if cost_of(given, cut) == least]
    found = given.cuts()
    assert found.value == least
    assert set(found.union) == set().union(*smallest)
    assert set(found.source_side) in smallest
    assert set(found.sink_side) in smallest
    reached = leads_through(given, set())
    assert set(found.single) == {
        name for name in given.table if reached and not leads_through(given, {name})
    }
    for name in found.union:
        way = given.way_through(name)
        assert way in [given.way(set(cut) - {name}) for cut in smallest if name in cut]
        assert name in way
        assert way[0] in given.identifiers
        assert way[-1] in given.sensitive
        assert all(given.edge(*pair) for pair in itertools.pairwise(way))


@settings(max_examples=150)
@given(graphs())
def test_a_vertex_is_in_a_minimum_cut_if_it_pays_to_take_it_out(given: AttributeGraph) -> None:
    try:
        found = given.cuts()
    except Unsatisfiable:
        return
    for name in given.table:
        rest = graph(
            [edge for edge in given.edges if name not in (edge.one, edge.other)],
            [other for other in given.table if other != name],
            identifiers=given.identifiers,
            sensitive=given.sensitive,
            costs={other: cost for other, cost in given.costs.items() if other != name},
        )
        pays = rest.cuts().value == found.value - Fraction(str(given.costs.get(name, 1)))
        assert pays == (name in found.union)


# -------- Dependence --------


def test_independent_attributes_do_not_depend_even_with_many_values() -> None:
    draw = np.random.default_rng(1)
    one, other = draw.integers(0, 200, 2000), draw.integers(0, 40, 2000)
    v, information = association(one, other, np.ones(2000, dtype=np.int64))
    assert v < 0.1
    assert information < 0.05


def test_an_attribute_settles_another() -> None:
    draw = np.random.default_rng(2)
    age = draw.integers(0, 90, 5000)
    ones = np.ones(5000, dtype=np.int64)
    v, information = association(age, age // 10, ones)
    assert v > 0.99
    assert information > 0.95
    assert association(np.arange(5000), age // 10, ones) == (0.0, 0.0)
    assert association(np.zeros(5000, dtype=np.int64), age, ones) == (0.0, 0.0)


def test_bergsma_by_hand() -> None:
    # n = 40, counts 15 5 / 5 15: chi-square 10, phi-square 0.25 less 1/39, over 2 - 1/39 - 1.
    one, other = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    v, _ = association(one, other, np.array([15, 5, 5, 15]))
    assert v == pytest.approx(((0.25 - 1 / 39) / (1 - 1 / 39)) ** 0.5)


def test_missing_values_say_nothing() -> None:
    one, other = np.array([0, 1, -1, -1]), np.array([0, 1, 0, 1])
    assert association(one, other, np.array([50, 50, 9, 9]))[0] > 0.9
    (found,) = associations({"a": one, "b": other}, np.array([50, 50, 9, 9]))
    assert (found.one, found.other) == ("a", "b")
    assert found.strength == max(found.cramers_v, found.information)


def test_bins_are_about_equally_full() -> None:
    codes = np.arange(100)
    values = [*map(float, range(99)), None]
    binned = coarse(codes, values, np.ones(100, dtype=np.int64), bins=9)
    assert binned[99] == -1
    assert np.bincount(binned[:99]).tolist() == [11] * 9


# -------- Recognised from data --------


def people(count: int = 300) -> pl.DataFrame:
    draw = np.random.default_rng(3)
    born = [date(1930, 1, 1) + timedelta(days=int(day)) for day in draw.integers(0, 25000, count)]
    seen = [date(2023, 1, 1) + timedelta(days=int(day)) for day in draw.integers(0, 700, count)]
    streets = draw.choice(["High Street", "Mill Lane", "Station Road"], count)
    zips = draw.choice(["81667", "81925", "82031", "10115"], count)
    regions = {"81667": "Haidhausen", "81925": "Bogenhausen", "82031": "Land", "10115": "Mitte"}
    states = {"Haidhausen": "BY", "Bogenhausen": "BY", "Land": "BY", "Mitte": "BE"}
    return pl.DataFrame(
        {
            "dob": [str(day) for day in born],
            "visit": [str(day) for day in seen],
            "age": [
                str(now.year - day.year - ((now.month, now.day) < (day.month, day.day)))
                for day, now in zip(born, seen, strict=True)
            ],
            "birth_year": [str(day.year) for day in born],
            "address": [
                f"{street} {at % 90 + 1}, {code}"
                for at, (street, code) in enumerate(zip(streets, zips, strict=True))
            ],
            "zip": zips,
            "region": [regions[code] for code in zips],
            "state": [states[regions[code]] for code in zips],
            "weight": [str(value) for value in draw.integers(50, 110, count)],
            "flag": draw.choice(["y", "n"], count, p=[0.03, 0.97]),
        }
    )


def test_what_follows_from_what_is_recognised() -> None:
    frame = people()
    found = {(item.of, item.attribute): item for item in recognise(frame, {})}
    assert found["dob", "age"].why == "the years from dob to visit"
    assert found["dob", "age"].share == 1.0
    assert found["dob", "birth_year"].why == "the year of dob"
    assert found["address", "zip"].key == "part_of"
    assert found["zip", "region"].key == "derived_from"
    assert found["region", "state"].key == "derived_from"
    assert ("zip", "state") not in found
    assert ("region", "zip") not in found
    names = {name for pair in found for name in pair}
    assert not names & {"weight", "flag"}


def test_an_age_on_one_day_and_with_a_year_of_birth() -> None:
    frame = people().select(
        "dob",
        "birth_year",
        age=2024 - pl.col("birth_year").cast(pl.Int64) - (pl.col("dob").str.slice(5) > "06-30"),
    )
    kinds = {"age": "integer"}
    frame = frame.with_columns(pl.col("age").cast(pl.String))
    found = {(item.of, item.attribute): item.why for item in recognise(frame, kinds)}
    assert found["dob", "age"] == "the years since dob, on one day"
    years = recognise(frame.select("birth_year", "age"), kinds)
    assert [(item.of, item.attribute) for item in years] == [("birth_year", "age")]


@pytest.mark.parametrize("frame", [people(0), people(5), people(60).select("weight")])
def test_of_few_records_nothing_is_concluded(frame: pl.DataFrame) -> None:
    assert recognise(frame, {}) == ()


# -------- The verb --------

KEYS: dict[str, Any] = {
    "attributes": {
        "name": {"role": "identifier"},
        "dob": {"role": "insensitive"},
        "age": {"role": "insensitive", "derived_from": "dob"},
        "zip": {"role": "insensitive"},
        "diagnosis": {"role": "sensitive"},
    },
    "links": [
        {"from": "name", "to": ["dob", "zip"], "source": "voter register"},
        {"from": ["dob", "zip"], "to": "diagnosis"},
    ],
}


def patients() -> pl.DataFrame:
    day = pl.col("dob").str.slice(5)
    frame = people().select(
        "dob",
        age=(2024 - pl.col("birth_year").cast(pl.Int64) - (day > "06-30")).cast(pl.String),
        zip="zip",
    )
    draw = np.random.default_rng(4)
    return frame.with_columns(
        pl.Series("name", [f"P{at}" for at in range(frame.height)]),
        pl.Series("diagnosis", draw.choice(["flu", "asthma", "cancer"], frame.height)),
    )


def test_the_verb_and_its_document() -> None:
    found = ind.quasi(patients(), KEYS, rows=False)
    assert found.quasi_identifiers == ("age", "dob", "zip")
    assert repr(found) == "QuasiIdentifiers(age, dob, zip)"
    document = found.to_dict()
    json.dumps(document)
    assert document["quasi_identifiers"] == ["age", "dob", "zip"]
    assert document["cuts"] == {
        "source_side": ["dob", "zip"],
        "sink_side": ["dob", "zip"],
        "union": ["dob", "zip"],
        "single": [],
    }
    assert document["variants"] == [{"replaced": "dob", "by": "age", "union": ["age", "zip"]}]
    assert [item["attribute"] for item in document["why"]] == ["age", "dob", "zip"]
    assert document["why"][1]["path"] == ["name", "dob", "diagnosis"]
    kinds = {item["name"]: item["kind"] for item in document["graph"]["nodes"]}
    assert kinds == {
        "name": "identifier", "dob": "table", "age": "table", "zip": "table",
        "diagnosis": "sensitive",
    }  # fmt: skip
    assert len(document["graph"]["edges"]) == 5
    assert set(found.frame()["attribute"]) == {"dob", "age", "zip"}
    assert "<th>dob</th>" in found._repr_html_()
    assert any("insensitive so far" in note for note in found.notes)


def test_nothing_proposed_is_counted_unless_accepted() -> None:
    keys = {
        "attributes": {name: {"role": item["role"]} for name, item in KEYS["attributes"].items()},
        "links": KEYS["links"],
    }
    told = ind.quasi(patients(), keys)
    assert told.quasi_identifiers == ("dob", "zip")
    assert told.variants == ()
    ((proposal),) = [item for item in told.proposed if item.key != "links"]
    assert (proposal.of, proposal.attribute) == ("dob", "age")
    assert proposal.toml == '[attributes.age]\nderived_from = "dob"'
    assert ind.quasi(patients(), keys, accept=True).quasi_identifiers == ("age", "dob", "zip")


def test_published_tables_and_rows() -> None:
    keys = {"attributes": KEYS["attributes"]}
    plain = ind.quasi(
        patients(), keys, published={"register": ["name", "street", "zip"]}, rows=False
    )
    assert plain.quasi_identifiers == ()
    assert "rests on the stated links alone" in plain.warnings[0]
    assert plain.warnings[1].startswith("zip: others can link this to a person")
    assert "% of records are unique" in plain.warnings[1]
    assert plain.to_dict()["warnings"] == list(plain.warnings)
    assert any("nothing links an identifier to diagnosis" in note for note in plain.notes)
    linked = ind.quasi(patients(), keys, published={"register": ["name", "street", "zip"]})
    assert linked.quasi_identifiers == ("zip",)
    assert linked.warnings == ()
    frame = pl.DataFrame({"name": ["x"], "dob": ["y"], "zip": ["z"]})
    both = ind.quasi(patients(), keys, published={"register": frame})
    assert both.cuts.union == ("age", "dob", "zip")


def test_what_follows_from_a_known_column_is_known_too() -> None:
    """A register gives the postcode, a map the region: generalizing one postcode hides neither."""
    frame = pl.DataFrame(
        {
            "name": [f"P{at}" for at in range(8)],
            "zip": [str(at) for at in range(8)],
            "region": list("aabbccdd"),
            "ward": list("uvuvuvuv"),
            "diagnosis": list("xyxyzzyx"),
        }
    )
    keys: dict[str, Any] = {
        "attributes": {
            "name": {"role": "identifier"},
            **{name: {"role": "insensitive"} for name in ("zip", "region", "ward")},
            "diagnosis": {"role": "sensitive"},
        },
        "links": [
            {"from": "name", "to": "zip", "source": "register"},
            {"from": "zip", "to": "region", "source": "map"},
            {"from": "region", "to": "hospital", "source": "who cares for whom"},
            {"from": "hospital", "to": "ward", "source": "plan of the house"},
        ],
    }
    found = ind.quasi(frame, keys)
    assert found.quasi_identifiers == ("region", "ward", "zip")
    assert found.why[0].text == (
        "name – region – diagnosis (over zip: register; map; in one record)"
    )
    assert ind.quasi(frame, keys, rows=False).cuts.value == 0


@settings(max_examples=60)
@given(st.data())
def test_in_one_record_all_that_is_linked_to_a_person_counts(data: st.DataObject) -> None:
    """Against a walk over stated links: whatever it reaches has to be cut."""
    table = ["a", "b", "c", "d"]
    nodes = ["name", "u", "v", *table]
    links = data.draw(
        st.lists(st.tuples(st.sampled_from(nodes), st.sampled_from(nodes)), min_size=1, max_size=7)
    )
    reached = {"name"}
    for _ in nodes:
        reached |= {other for link in links if reached & set(link) for other in link}
    rows = [Edge(name, "diagnosis", "in one record", "row") for name in table]
    found = graph([*(Edge(*link) for link in links), *rows], table).with_known_columns().cuts()
    assert set(found.union) == reached & set(table)


def test_without_a_stated_link_what_others_usually_know_counts() -> None:
    found = ind.quasi(patients(), {"attributes": KEYS["attributes"]})
    assert set(found.quasi_identifiers) == {"age", "dob", "zip"}
    assert any("no link to an identifier is stated" in note for note in found.notes)
    bare = ind.quasi(patients(), {"attributes": KEYS["attributes"]}, rows=False)
    assert bare.quasi_identifiers == ()
    assert bare.warnings


def test_data_makes_edges() -> None:
    frame = patients().with_columns(
        diagnosis=pl.when(pl.col("zip") == "10115")
        .then(pl.lit("asthma"))
        .otherwise(
            pl.when(pl.col("zip") == "81667").then(pl.lit("flu")).otherwise(pl.col("diagnosis"))
        )
    )
    keys = {**KEYS, "links": KEYS["links"][:1]}
    assert ind.quasi(frame, keys, rows=False).quasi_identifiers == ()
    found = ind.quasi(frame, keys, threshold=0.3, rows=False)
    assert "zip" in found.quasi_identifiers
    edge = found.graph.edge("zip", "diagnosis")
    assert edge.origin == "data"
    assert edge.strength is not None
    assert edge.strength > 0.4
    assert found.graph.edge("dob", "age").origin == "derived"


def test_identifiers_need_not_be_columns() -> None:
    frame = patients().drop("name")
    links = [
        {"from": "name", "to": "zip", "source": "register"},
        {"from": "zip", "to": "diagnosis"},
    ]
    found = ind.quasi(frame, identifiers=["name"], sensitive=["diagnosis"], links=links)
    assert found.quasi_identifiers == ("zip",)
    with pytest.raises(
        PolicyError, match="'nmae' is not a column, and no link leads to it: did you"
    ):
        ind.quasi(frame, identifiers=["nmae"], sensitive=["diagnosis"], links=links)
    with pytest.raises(PolicyError, match="no identifier"):
        ind.quasi(frame.select("diagnosis"), sensitive=["diagnosis"])
    known = ind.quasi(frame, identifiers=["person"], sensitive=["diagnosis"], accept=True)
    assert set(known.quasi_identifiers) == {"age", "dob", "zip"}


@pytest.mark.parametrize("role", ["quasi-identifier", "insensitive"])
def test_weights_are_costs(role: str) -> None:
    keys = {
        **KEYS,
        "attributes": {
            **KEYS["attributes"],
            "zip": {"role": role, "weight": 3.0},
            "age": {"role": role},
        },
        "links": [
            {"from": "name", "to": "age"},
            {"from": "age", "to": "zip"},
            {"from": "zip", "to": "diagnosis"},
        ],
    }
    assert ind.quasi(patients(), keys, rows=False).cuts.union == ("age", "zip")
    assert ind.quasi(patients(), keys, rows=False, costs="weights").cuts.union == ("age",)
    assert ind.quasi(patients(), keys, rows=False, costs={"age": 5}).cuts.union == ("zip",)
    wrong: Any
    for wrong, said in (("weight", "costs cannot be 'weight'"), ({"age": "5"}, "more than 0")):
        with pytest.raises(PolicyError, match=said):
            ind.quasi(patients(), keys, rows=False, costs=wrong)


@pytest.mark.parametrize(
    ("links", "said"),
    [
        ({"from": "name", "to": "age"}, "links: must be a list of tables"),
        (["name"], "links[1]: must be a table of keys"),
        ([{"from": "name", "too": "age"}], "links[1].too: unknown key: did you mean 'to'?"),
    ],
)
def test_links_in_python_are_held_against_what_a_policy_may_say(links: Any, said: str) -> None:
    with pytest.raises(PolicyError) as caught:
        ind.quasi(patients(), identifiers="name", sensitive="diagnosis", links=links)
    assert said in str(caught.value)


@pytest.mark.parametrize("engine", ["pandas", "duckdb"])
def test_other_engines_find_the_same(engine: str) -> None:
    native = pytest.importorskip(engine)
    frame = patients()
    data = frame.to_pandas() if engine == "pandas" else native.from_arrow(frame.to_arrow())
    found, other = ind.quasi(frame, KEYS, threshold=0.2), ind.quasi(data, KEYS, threshold=0.2)
    assert found.to_dict() == other.to_dict()


# -------- Pictures --------


def test_the_graph_as_text_and_pictures() -> None:
    found = replace(discover(OUTSIDE), table="visits <x>")
    text = found.mermaid()
    assert text.startswith("flowchart LR\n")
    assert '["zip"]:::quasi' in text
    assert '["voter_no"]:::outside' in text
    drawn = found.picture().svg()
    assert drawn.startswith("<svg")
    assert "voter_no" in drawn
    assert "visits &lt;x&gt;" in drawn
    pytest.importorskip("vl_convert")
    pixels = found.picture().png()
    assert pixels is not None
    assert pixels.startswith(b"\x89PNG")


@settings(max_examples=60)
@given(graphs())
def test_every_graph_can_be_drawn(given: AttributeGraph) -> None:
    from indistinct.report.graphs import GraphPicture

    picture = GraphPicture("a graph", given, given.table[:1])
    assert picture.svg().count("<rect") >= 1
    assert picture.mermaid().count(":::") == len(given.kinds)
