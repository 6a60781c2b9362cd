"""Three searches for the most rows: Table 1 of Arca and Hewett (2021), and brute force."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indistinct.errors import PolicyError, Unsatisfiable
from indistinct.hierarchies.taxonomy import Taxonomy
from indistinct.microdata.leveled import LeveledTable
from indistinct.microdata.microdata import Microdata, row_numbers
from indistinct.privacy.promise import promise
from indistinct.recoding.lattice import Lattice
from indistinct.recoding.limits import Limits
from indistinct.recoding.subtree import search as searching
from indistinct.recoding.subtree.search import (
    SearchResult,
    exhaustive,
    greedy,
    iab,
    most_tables,
    run,
)
from indistinct.recoding.subtree.space import DomainSpace, Space, space
from indistinct_reproductions.arca_hewett import (
    dominated_counterexample,
    levels_of,
    siblings_counterexample,
    table_1,
)

SHIELD = ("Zip", "Age", "AC")
Requirements = list[tuple[tuple[str, ...], int]]


def promises(requirements: Requirements) -> list[Any]:
    return [promise("k-anonymity", k=k, on=on) for on, k in requirements]


def over_table_1(requirements: Requirements, scope: str = "domain") -> Space:
    names = tuple(dict.fromkeys(name for on, _ in requirements for name in on))
    return space(scope, table_1().encoded(names).data, promises(requirements))


def levels(states: Space, result: SearchResult) -> dict[str, int]:
    found = levels_of(states.data, result.chosen)
    return {name: found[name] for name in SHIELD}


@pytest.fixture(scope="module")
def oracle(shared: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((shared / "spec" / "oracles.json").read_text("utf-8"))
    return document["A_000"]  # type: ignore[no-any-return]


# -------- Table 1 --------


def test_iab_goes_through_eleven_tables() -> None:
    states = over_table_1([(SHIELD, 3)])
    found = iab(states, tie_break="paper")
    assert (found.chosen.rows, levels(states, found)) == (21, {"Zip": 1, "Age": 1, "AC": 0})
    assert (found.generated, found.distinct, found.expanded) == (11, 11, 4)
    assert [(step.violations, step.rows) for step in found.steps[:4]] == [
        (5, 22), (2, 21), (3, 22), (0, 18),
    ]  # fmt: skip
    assert found.optimal
    assert found.bound == 21
    assert found.stopped_by is None


def test_least_general_looks_at_ties_too() -> None:
    found = iab(over_table_1([(SHIELD, 3)]))
    assert (found.generated, found.distinct, found.expanded) == (25, 24, 9)
    states = over_table_1([(SHIELD, 4)])
    assert levels(states, iab(states, tie_break="paper")) == {"Zip": 4, "Age": 3, "AC": 0}
    assert levels(states, iab(states)) == {"Zip": 4, "Age": 2, "AC": 0}


def test_exhaustive_and_greedy_on_table_1() -> None:
    full = exhaustive(over_table_1([(SHIELD, 3)]))
    assert (full.chosen.rows, full.distinct, full.generated) == (21, 71, 162)
    pruned = exhaustive(over_table_1([(SHIELD, 3)]), prune_satisfying=True)
    assert (pruned.chosen.rows, pruned.distinct, pruned.generated) == (21, 24, 25)
    states = over_table_1([(SHIELD, 3)])
    quick = greedy(states)
    assert (quick.chosen.rows, quick.distinct, quick.expanded) == (18, 3, 1)
    assert levels(states, quick) == {"Zip": 0, "Age": 0, "AC": 1}
    assert not quick.optimal


@pytest.mark.parametrize("k", [2, 3, 4, 5, 8])
def test_every_k_of_the_oracle(oracle: dict[str, Any], k: int) -> None:
    hold_against(oracle["search_k"][str(k)], [(SHIELD, k)])


def test_two_requirements_of_the_oracle(oracle: dict[str, Any]) -> None:
    said = oracle["search_two_requirements"]
    hold_against(said, [(tuple(on), k) for on, k in said["R"]])


def hold_against(said: dict[str, Any], requirements: Requirements) -> None:
    def fresh() -> Space:
        return over_table_1(requirements)

    states = fresh()
    start = states.read(states.root)
    assert [start.violations, start.rows] == said["root"]
    for method, found in (
        ("iab", iab(states, tie_break="paper")),
        ("greedy", greedy(fresh())),
        ("exhaustive", exhaustive(fresh())),
        ("exhaustive_stop_at_satisfying", exhaustive(fresh(), prune_satisfying=True)),
    ):
        own = {
            "rows": found.chosen.rows,
            "levels": levels(states, found),
            "levels_first": levels(states, found),
            "generated": found.generated,
            "edges": found.generated,
            "distinct": found.distinct,
            "expanded": found.expanded,
        }
        assert {name: own[name] for name in said[method]} == said[method], method


def test_the_trace_of_the_oracle_step_by_step(oracle: dict[str, Any]) -> None:
    states = over_table_1([(SHIELD, 3)])
    found = iab(states, tie_break="paper")

    def told(step: Any) -> tuple[dict[str, int], list[int]]:
        return levels_of(states.data, step), [step.violations, step.rows]

    trace: list[list[Any]] = []
    order = [step for step in found.steps if step.expanded is not None]
    for step in sorted(order, key=lambda step: step.expanded or 0):
        if step.parent is not None:
            trace.append(["expand", None, *told(step)])
        trace += [
            ["gen", child.generalized, *told(child)]
            for child in found.steps
            if child.parent == step.number
        ]
    assert trace == oracle["search_k"]["3"]["iab_trace"]


@pytest.mark.parametrize("k", [3, 4])
def test_least_general_of_the_oracle(oracle: dict[str, Any], k: int) -> None:
    found = iab(over_table_1([(SHIELD, k)]))
    said = oracle["search_k_least_general"][str(k)]
    own = {
        "rows": found.chosen.rows,
        "generated": found.generated,
        "distinct": found.distinct,
        "expanded": found.expanded,
    }
    assert own == said


def test_one_subtree_at_a_time() -> None:
    states = over_table_1([(SHIELD, 3)], "subtree")
    found = iab(states, tie_break="paper")
    assert (found.chosen.rows, found.distinct, found.generated) == (21, 29, 37)
    age = states.data.attributes.index("Age")
    assert set(states.levels_of(found.chosen.state)[age].tolist()) == {3}
    least = states.levels_of(iab(states).chosen.state)[age]
    ages = states.data.taxonomies["Age"].leaves
    assert least[ages.index("35")] == 1
    assert set(least.tolist()) == {0, 1}


def test_more_than_everybody_cannot_be_met() -> None:
    for search in (iab, greedy, exhaustive):
        with pytest.raises(Unsatisfiable, match="no generalization satisfies") as told:
            search(over_table_1([(SHIELD, 61)]))
        assert "17 violating rows of 17" in str(told.value)


def test_satisfied_from_the_start() -> None:
    for search in (iab, greedy, exhaustive):
        found = search(over_table_1([(SHIELD, 1)]))
        assert found.chosen.number == 0
        assert found.chosen.rows == 22


def test_stopped_before_anything_satisfies() -> None:
    for search in (exhaustive, greedy):
        with pytest.raises(Unsatisfiable, match="none of the 4 generalizations") as told:
            search(over_table_1([(SHIELD, 4)]), limits=Limits(nodes=1))
        assert "a larger node_limit" in str(told.value)


@pytest.mark.parametrize("nodes", [20, 30])
def test_a_limit_leaves_an_honest_bound(nodes: int) -> None:
    found = exhaustive(over_table_1([(SHIELD, 4)]), limits=Limits(nodes=nodes))
    assert found.chosen.rows < 21 <= found.bound
    assert found.stopped_by == "node_limit"
    assert not found.optimal


def test_without_time_iab_goes_down_the_quickest_way(ticking: Callable[[float], None]) -> None:
    ticking(1)
    found = iab(over_table_1([(SHIELD, 4)]), limits=Limits(seconds=0.5))
    assert found.chosen.satisfies
    assert found.chosen.rows <= 21 <= found.bound
    assert found.stopped_by == "time_limit"
    with pytest.raises(Unsatisfiable, match="stopped by time_limit"):
        iab(over_table_1([(SHIELD, 61)]), limits=Limits(seconds=0.5))


def test_searches_of_subtrees_stop_by_themselves(monkeypatch: pytest.MonkeyPatch) -> None:
    for scope, most in (("domain", 200_000), ("subtree", 24_890)):
        assert most_tables(over_table_1([(SHIELD, 3)], scope)) == most
    monkeypatch.setattr(searching, "READ", 50 * searching.TABLE)
    states = over_table_1([(SHIELD, 61)], "subtree")
    with pytest.raises(
        Unsatisfiable, match=r"stopped by node_limit \(49 tables where no limit"
    ) as told:
        exhaustive(states)
    assert 'scope = "domain", which has fewer tables, algorithm = "iab"' in str(told.value)
    found = iab(over_table_1([(SHIELD, 8)], "subtree"))
    assert (found.chosen.satisfies, found.stopped_by) == (True, "node_limit")
    assert not found.optimal


def test_progress_is_told() -> None:
    shares: list[float] = []
    exhaustive(over_table_1([(SHIELD, 3)]), limits=Limits(nodes=144), progress=shares.append)
    assert shares == sorted(shares)
    assert shares[-1] == 0.5


def test_searches_by_name() -> None:
    assert run("greedy", over_table_1([(SHIELD, 3)])).chosen.rows == 18
    with pytest.raises(PolicyError, match="did you mean 'greedy'"):
        run("greedi", over_table_1([(SHIELD, 3)]))


def test_the_tree_as_plain_data() -> None:
    found = iab(over_table_1([(SHIELD, 3)]), tie_break="paper")
    told = found.to_dict()
    assert told["chosen"] == found.chosen.number
    assert len(told["tables"]) == 12
    assert told["tables"][0] == {
        "number": 0, "parent": None, "generalized": None, "violations": 5, "rows": 22,
        "expanded": 1,
    }  # fmt: skip
    json.dumps(told)


# -------- Counterexamples --------


def test_lifting_siblings_together_is_not_optimal() -> None:
    data = siblings_counterexample().encoded(("A", "B")).data
    kept = {
        scope: iab(space(scope, data, promises([(("A", "B"), 2)]))).chosen.rows
        for scope in ("domain", "siblings", "subtree")
    }
    assert kept == {"domain": 6, "siblings": 7, "subtree": 8}


def test_the_first_found_may_be_dominated() -> None:
    data = dominated_counterexample().encoded(("A", "B")).data

    def found(**settings: Any) -> tuple[dict[str, int], int]:
        result = iab(space("domain", data, promises([(("A", "B"), 2)])), **settings)
        return levels_of(data, result.chosen), result.chosen.rows

    assert found(tie_break="paper") == ({"A": 2, "B": 2}, 4)
    assert found(tie_break="least_general") == ({"A": 1, "B": 2}, 4)


def test_counterexamples_of_the_oracle(oracle: dict[str, Any]) -> None:
    said = oracle["P_scope_counterexample"]
    records = [tuple(map(str, record)) for record in said["records"]]
    chains = {leaf: [leaf, *above] for leaf, above in said["hierarchy"].items()}
    trees = dict.fromkeys(("A", "B"), chains)
    for scope, key in (("siblings", "P_rows"), ("subtree", "V_rows"), ("domain", "F_rows")):
        states = made(records, trees, [(("A", "B"), 2)], scope)
        assert iab(states).chosen.rows == said[key]
    said = oracle["dominated_counterexample"]
    data = dominated_counterexample()
    assert [list(row[:2]) for row in data.texts.rows()] == said["records"]


def test_no_value_goes_above_the_highest_level() -> None:
    """Lifting No to Any would lift Low two levels: not where the second is out of bounds."""
    records = [("No",), ("No",), ("Low",), ("Med",)]
    chains = {"Low": ["Low", "Yes", "Any"], "Med": ["Med", "Yes", "Any"], "No": ["No", "Any"]}
    data = encoded(records, {"A": chains}, [(("A",), 2)])
    bounds = Lattice.of(data, highest={"A": 1})
    for scope in ("subtree", "siblings"):
        states = space(scope, data, promises([(("A",), 2)]), bounds)
        found = exhaustive(states)
        for step in found.steps:
            assert states.levels_of(step.state)[0].max() <= 1


# -------- Brute force, which shares no code with the searches --------

Record = tuple[str, ...]
Chains = Mapping[str, Sequence[str]]
NAMES = ("A", "B", "C")


def encoded(
    records: Sequence[Record], trees: Mapping[str, Chains], requirements: Requirements
) -> LeveledTable:
    names = [*NAMES[: len(trees)], "X"][: len(records[0])]
    texts = pl.DataFrame(list(records), schema=dict.fromkeys(names, pl.String), orient="row")
    shield = tuple(dict.fromkeys(name for on, _ in requirements for name in on))
    others = [name for name in names if name not in shield]
    return Microdata.encode(
        texts,
        {name: Taxonomy(name, list(trees[name].values())) for name in shield},
        unchanged={"rest": row_numbers(texts, others)},
    ).data


def made(
    records: Sequence[Record],
    trees: Mapping[str, Chains],
    requirements: Requirements,
    scope: str,
) -> Space:
    return space(scope, encoded(records, trees, requirements), promises(requirements))


def published(
    records: Sequence[Record], places: Mapping[str, int], recoding: Mapping[str, Mapping[str, str]]
) -> list[Record]:
    table = [list(record) for record in records]
    for name, become in recoding.items():
        for row in table:
            row[places[name]] = become[row[places[name]]]
    return [tuple(row) for row in table]


def reading(
    table: Sequence[Record], places: Mapping[str, int], requirements: Requirements
) -> tuple[int, int]:
    """Violating rows and rows; a class may break a promise with rows of ``*`` alone or without."""
    shield = {places[name] for on, _ in requirements for name in on}
    seen = [row for row in table if any(row[at] != "*" for at in shield)]
    bad = set()
    for on, k in requirements:
        sharing = Counter(tuple(row[places[name]] for name in on) for row in table)
        few = {cells for cells, count in sharing.items() if count < k}
        if seen:
            sharing = Counter(tuple(row[places[name]] for name in on) for row in seen)
            few |= {cells for cells, count in sharing.items() if count < k}
        bad |= {row for row in table if tuple(row[places[name]] for name in on) in few}
    return len(bad), len(set(table))


def level_recodings(chains: Chains) -> list[tuple[int, dict[str, str]]]:
    most = max(len(chain) for chain in chains.values())
    return [
        (level, {leaf: chain[min(level, len(chain) - 1)] for leaf, chain in chains.items()})
        for level in range(most)
    ]


def cut_recodings(chains: Chains) -> list[tuple[int, dict[str, str]]]:
    """Every set of nodes that has each leaf below exactly one of them."""
    children: dict[str, set[str]] = {}
    for chain in chains.values():
        for below, above in pairwise(chain):
            children.setdefault(above, set()).add(below)

    def cuts(node: str) -> Iterator[frozenset[str]]:
        yield frozenset([node])
        if node in children:
            for parts in product(*(list(cuts(child)) for child in sorted(children[node]))):
                yield frozenset().union(*parts)

    tops = sorted({chain[-1] for chain in chains.values()})
    found = []
    for parts in product(*(list(cuts(top)) for top in tops)):
        cut = frozenset().union(*parts)
        become = {leaf: next(n for n in chain if n in cut) for leaf, chain in chains.items()}
        height = sum(list(chains[leaf]).index(node) for leaf, node in become.items())
        found.append((height, become))
    return found


def best(
    records: Sequence[Record],
    trees: Mapping[str, Chains],
    requirements: Requirements,
    scope: str,
) -> tuple[int, int] | None:
    """The most rows of a satisfying table, and the least height among those; None: no table."""
    places = {name: NAMES.index(name) for name in trees}
    shield = list(dict.fromkeys(name for on, _ in requirements for name in on))
    recodings = level_recodings if scope == "domain" else cut_recodings
    found = []
    for choice in product(*(recodings(trees[name]) for name in shield)):
        recoding = {name: become for name, (_, become) in zip(shield, choice, strict=True)}
        violations, rows = reading(published(records, places, recoding), places, requirements)
        if violations == 0:
            found.append((-rows, sum(height for height, _ in choice)))
    return (-min(found)[0], min(found)[1]) if found else None


@st.composite
def chains(draw: st.DrawFn, prefix: str) -> dict[str, list[str]]:
    """A small tree: two groups below a root, some leaves straight below it, sometimes no root."""
    rooted = draw(st.integers(0, 4)) > 0
    found = {}
    for number in range(draw(st.integers(1, 4))):
        leaf, group = f"{prefix}{number}", draw(st.integers(0, 2))
        if group == 2 and rooted:
            found[leaf] = [leaf, "*"]
        else:
            found[leaf] = [leaf, f"{prefix}-{group}", *(["*"] if rooted else [])]
    return found


@st.composite
def cases(draw: st.DrawFn) -> tuple[list[Record], dict[str, dict[str, list[str]]], Requirements]:
    """Records of up to three attributes and one that is never generalized, with requirements."""
    trees = {name: draw(chains(name.lower())) for name in NAMES[: draw(st.integers(1, 3))]}
    cells = [st.sampled_from(sorted(tree)) for tree in trees.values()]
    records = draw(st.lists(st.tuples(*cells, st.sampled_from("012")), min_size=1, max_size=9))
    one = st.tuples(
        st.lists(st.sampled_from(sorted(trees)), min_size=1, unique=True).map(tuple),
        st.integers(1, 4),
    )
    return records, trees, draw(st.lists(one, min_size=1, max_size=3))


Case = tuple[list[Record], dict[str, dict[str, list[str]]], Requirements]


def found_by(search: Any, states: Space, **settings: Any) -> SearchResult | None:
    try:
        result: SearchResult = search(states, **settings)
    except Unsatisfiable:
        return None
    return result


@pytest.mark.parametrize("scope", ["domain", "subtree"])
@given(case=cases())
@settings(max_examples=150)
def test_iab_and_exhaustive_keep_as_many_rows_as_brute_force(scope: str, case: Case) -> None:
    truth = best(*case, scope)
    states = made(*case, scope)
    found = {
        "paper": found_by(iab, states, tie_break="paper"),
        "least general": found_by(iab, states),
        "exhaustive": found_by(exhaustive, states),
        "pruned": found_by(exhaustive, states, prune_satisfying=True),
    }
    for method, result in found.items():
        assert (result.chosen.rows if result else None) == (truth[0] if truth else None), method
        assert result is None or (result.optimal and result.bound == result.chosen.rows)
    quick = found_by(greedy, states)
    assert (quick is None) == (truth is None)
    if quick is not None and truth is not None:
        assert quick.chosen.rows <= truth[0] <= quick.bound
    least, full = found["least general"], found["exhaustive"]
    if least is not None and full is not None and truth is not None:
        assert states.height(least.chosen.state) == truth[1]
        assert least.distinct <= full.distinct


@given(case=cases())
@settings(max_examples=100)
def test_siblings_satisfy_and_keep_no_more_than_subtrees(case: Case) -> None:
    together = found_by(iab, made(*case, "siblings"))
    alone = found_by(iab, made(*case, "subtree"))
    assert (together is None) == (alone is None)
    if together is not None and alone is not None:
        assert together.chosen.satisfies
        assert together.chosen.rows <= alone.chosen.rows


@pytest.mark.parametrize("scope", ["domain", "siblings", "subtree"])
@given(case=cases())
@settings(max_examples=80)
def test_every_table_is_read_as_brute_force_reads_it(scope: str, case: Case) -> None:
    records, trees, requirements = case
    states = made(*case, scope)
    result = found_by(exhaustive, states)
    if result is None:
        return
    places = {name: NAMES.index(name) for name in trees}
    names = [name for name in states.data.attributes if name != "rest"]
    for step in result.steps:
        level = dict(zip(names, states.levels_of(step.state), strict=False))
        recoding = {
            name: {
                leaf: chain[min(int(level[name][at]), len(chain) - 1)]
                for at, (leaf, chain) in enumerate(trees[name].items())
            }
            for name in names
        }
        table = published(records, places, recoding)
        assert (step.violations, step.rows) == reading(table, places, requirements)
        if step.parent is not None:
            assert step.rows <= result.steps[step.parent].rows


@pytest.mark.parametrize("scope", ["domain", "subtree"])
@given(case=cases(), nodes=st.integers(1, 12))
@settings(max_examples=80)
def test_limits_never_lie(scope: str, case: Case, nodes: int) -> None:
    truth = best(*case, scope)
    for search in (iab, exhaustive):
        result = found_by(search, made(*case, scope), limits=Limits(nodes=nodes))
        if result is not None:
            assert truth is not None
            assert result.chosen.rows <= truth[0] <= result.bound
            if result.optimal:
                assert result.chosen.rows == truth[0]


def test_states_of_the_domain_are_levels() -> None:
    states = over_table_1([(SHIELD, 3)])
    assert isinstance(states, DomainSpace)
    assert states.root == (0, 0, 0, 0)
    np.testing.assert_array_equal(states.levels_of((1, 0, 0, 0))[0], np.ones(8))
