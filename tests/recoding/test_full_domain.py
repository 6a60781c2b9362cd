"""What a search says when there is nothing to find, and how it goes about large lattices."""

from __future__ import annotations

import itertools
import math
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any
from unittest import mock

import numpy as np
import polars as pl
import pytest
from tests.properties import brute_force

import indistinct as ind
from indistinct.errors import PolicyError, Unsatisfiable
from indistinct.hierarchies.taxonomy import Taxonomy
from indistinct.measures import objective
from indistinct.measures.discernibility import BoundDiscernibility
from indistinct.microdata.leveled import LeveledTable
from indistinct.microdata.microdata import Microdata
from indistinct.policy.sections import Method
from indistinct.privacy import Promise, promise
from indistinct.recoding import full_domain as module
from indistinct.recoding.full_domain import (
    Limits,
    Settings,
    allowed_units,
    full_domain,
    full_domain_for_each,
    heuristic,
    local,
    series,
)
from indistinct.recoding.full_domain.evaluation import Evaluator
from indistinct.recoding.full_domain.heuristic import HeuristicSearch
from indistinct.recoding.full_domain.optimal import LARGEST, Found, OptimalSearch
from indistinct.recoding.grouping import Grouper
from indistinct.recoding.lattice import Lattice
from indistinct.recoding.limits import Progress, silent
from indistinct.recoding.method import Asked
from indistinct.recoding.recoded import published_classes

assert brute_force.AtMost.model == "test-at-most"

AGE = [(str(age), f"{age // 5 * 5}s", f"{age // 10 * 10}s", "*") for age in range(20, 60)]
HEURISTIC_PATHS: list[tuple[int, float, list[dict[str, Any]], tuple[Any, ...]]] = [
    (60, 0.1, [{"model": "k-anonymity", "k": 3}], ("32322323", 60, 10)),
    (300, 0.1, [{"model": "k-anonymity", "k": 3}], ("31133331", 246, 481)),
    (300, 0.0, [{"model": "test-at-most", "most": 100}], ("00000000", 183, 401)),
]
"""Nodes looked at, suppression limit, promises; the node found, how many were, and rounds."""

ASKED: list[list[dict[str, Any]]] = [
    [{"model": "k-anonymity", "k": 4}],
    [{"model": "test-entropy", "l": 1.9, "sensitive": "s"}],
    [{"model": "k-anonymity", "k": 3}, {"model": "test-entropy", "l": 1.7, "sensitive": "s"}],
]
RANKED = {"model": "knm-anonymity", "diversity": False, "sensitive": "s"}
CHECKED: dict[str, list[int]] = {
    "loss": [15, 28, 32, 78, 78, 78, 18, 31, 39],
    "precision": [19, 25, 37, 77, 77, 75, 17, 33, 46],
    "non-uniform-entropy": [13, 25, 38, 76, 75, 75, 17, 29, 46],
    "discernibility": [15, 31, 33, 81, 81, 81, 20, 35, 37],
    "height": [19, 23, 27, 77, 75, 62, 17, 27, 29],
    "average-class-size": [18, 28, 38, 77, 77, 77, 18, 31, 47],
    "kl-divergence": [18, 31, 38, 81, 81, 81, 19, 37, 46],
}
"""How many nodes of 81 are looked at under these promises, each with three suppression limits."""

AREA = [("north", "land"), ("south", "land"), ("port", "coast")]


def people(n: int = 200, seed: int = 1) -> LeveledTable:
    random = np.random.default_rng(seed)
    frame = pl.DataFrame(
        {
            "age": [str(age) for age in random.integers(20, 60, n)],
            "area": [AREA[at][0] for at in random.choice(3, n, p=[0.6, 0.3, 0.1])],
            "s": [str(value) for value in random.integers(0, 4, n)],
        }
    )
    taxonomies = {"age": Taxonomy("age", AGE), "area": Taxonomy("area", AREA)}
    return Microdata.encode(frame, taxonomies, ["s"]).data


def four_with_values() -> LeveledTable:
    """Four attributes of three levels, 80 records with one of three values."""
    drawn = np.random.default_rng(5)
    names = ("a", "b", "c", "d")
    rows = {name: drawn.choice(6, 80, p=drawn.dirichlet(np.ones(6))).astype(str) for name in names}
    rows["s"] = drawn.choice(3, 80, p=[0.6, 0.25, 0.15]).astype(str)
    chains = [(str(at), f"{at // 2}h", "*") for at in range(6)]
    taxonomies = {name: Taxonomy(name, chains) for name in names}
    return Microdata.encode(pl.DataFrame(rows), taxonomies, ["s"]).data


def suppressed(data: LeveledTable, plan: object) -> int:
    return int(data.weight[plan.suppressed].sum())  # type: ignore[attr-defined]


class TestUnsatisfiable:
    def test_says_what_was_asked_how_close_it_came_and_what_would_help(self) -> None:
        data = people(60)
        asked = [promise("k-anonymity", k=58), promise("k-anonymity", k=2, on=["age"])]
        with pytest.raises(Unsatisfiable) as caught:
            full_domain(data, asked, objective("loss"), Settings(suppression_limit=0.1))
        error = caught.value
        assert error.exit_code == 3
        assert error.problems[0].code == "unsatisfiable"
        text = str(error)
        assert "no generalization keeps the promise" in text
        assert "k-anonymity(k=58); k-anonymity(k=2) on age" in text
        assert "at most 6 of 60 records suppressed" in text
        assert "a smaller k" in text
        assert "a hierarchy with one root for area" in text
        assert "levels age 3, area 1) has no class that keeps k-anonymity(k=58)\n" in text
        assert "suppression_limit" not in text

    def test_no_limit_is_named_where_no_class_keeps_the_promise(self) -> None:
        asked = [promise("test-entropy", l=3.93, sensitive="s"), promise("k-anonymity", k=3)]
        with pytest.raises(Unsatisfiable, match="has no class that keeps test-entropy") as caught:
            full_domain(people(60), asked, objective("loss"))
        assert "no generalization keeps the promise" in str(caught.value)
        assert "suppression_limit" not in str(caught.value)

    @pytest.mark.parametrize(("land", "coast"), [(57, 3), (20, 10), (50, 7)])
    def test_the_limit_that_it_names_would_do(self, land: int, coast: int) -> None:
        records = land + coast
        frame = pl.DataFrame({"area": ["north"] * land + ["port"] * coast})
        data = Microdata.encode(frame, {"area": Taxonomy("area", AREA)}).data
        asked = [promise("k-anonymity", k=15)]
        with pytest.raises(Unsatisfiable) as caught:
            full_domain(data, asked, objective("loss"))
        named = re.search(r"a suppression_limit of ([0-9.]+) or more", str(caught.value))
        assert named is not None
        limit = float(named[1])
        assert 0 < limit <= 1
        plan = full_domain(data, asked, objective("loss"), Settings(suppression_limit=limit))
        fewest = re.search(r"would suppress (\d+)", str(caught.value))
        assert fewest is not None
        assert suppressed(data, plan) == int(fewest[1]) == coast <= allowed_units(limit, records)
        assert limit == math.ceil(int(fewest[1]) / records * 1000) / 1000

    def test_a_max_level_is_named_as_what_stands_in_the_way(self) -> None:
        data = people(60)
        with pytest.raises(Unsatisfiable, match="a higher max_level for age"):
            full_domain(
                data,
                [promise("k-anonymity", k=5)],
                objective("loss"),
                Settings(max_level={"age": 0}),
            )

    def test_k_larger_than_the_table(self) -> None:
        data = people(60)
        asked = [promise("k-anonymity", k=61), promise("k-anonymity", k=99, on=["age"])]
        with pytest.raises(Unsatisfiable) as caught:
            full_domain(data, asked, objective("loss"), Settings(suppression_limit=0.9))
        assert caught.value.exit_code == 3
        assert [problem.code for problem in caught.value.problems] == ["k-exceeds-records"] * 2
        assert "the table has only 60 records" in str(caught.value)
        assert "smaller k" in str(caught.value)

    def test_everything_may_go_where_all_may_be_suppressed(self) -> None:
        data = people(60)
        plan = full_domain(
            data, [promise("k-anonymity", k=61)], objective("loss"), Settings(suppression_limit=1)
        )
        assert plan.suppressed.all()
        assert plan.search.value == pytest.approx(1.0)

    @pytest.mark.parametrize(
        ("limits", "stopped_by"),
        [(Limits(nodes=0), "node_limit"), (Limits(seconds=0.0), "time_limit")],
    )
    def test_a_search_that_was_stopped_says_so(
        self, limits: Limits, stopped_by: str, ticking: Callable[[float], None]
    ) -> None:
        """No suppression_limit is named where what was not looked at yet would suppress nothing."""
        ticking(0.01)
        asked = [promise("k-anonymity", k=2)]
        choice = Settings(suppression_limit=0.1, limits=limits)
        with pytest.raises(Unsatisfiable) as caught:
            full_domain(people(60), asked, objective("loss"), choice)
        text = str(caught.value)
        assert f"search stopped by {stopped_by} before a plan was found" in text
        assert "the closest attempt (levels age 3, area 1) would suppress 0\n" in text
        assert f"what would help: a larger {stopped_by}, a hierarchy with one root" in text
        assert "suppression_limit" not in text


class TestPromises:
    def test_about_attributes_that_are_not_there(self) -> None:
        data = people(60)
        asked = [promise("k-anonymity", k=2, on=["agee", "area"])]
        with pytest.raises(PolicyError, match="did you mean 'age'") as caught:
            full_domain(data, asked, objective("loss"))
        assert caught.value.exit_code == 2
        with pytest.raises(PolicyError, match="agee"):
            full_domain_for_each(data, [asked], objective("loss"))
        with pytest.raises(PolicyError, match="'illness'"):
            full_domain(
                data, [promise("test-entropy", l=2.0, sensitive="illness")], objective("loss")
            )

    def test_none_at_all(self) -> None:
        plan = full_domain(people(60), [], objective("loss"))
        assert plan.nodes == ((0, 0),)
        assert plan.search.value == 0.0
        assert plan.levels == {"age": 0, "area": 0}

    def test_several_sets_cascade(self) -> None:
        """Suppressing the violators of one breaks the other; both hold in the end."""
        rows = [("1", "a"), ("1", "b"), ("2", "b"), ("2", "c"), ("3", "c"), ("3", "c")]
        frame = pl.DataFrame(rows, schema=["x", "y"], orient="row")
        taxonomies = {
            "x": Taxonomy("x", [("1",), ("2",), ("3",)]),
            "y": Taxonomy("y", [("a",), ("b",), ("c",)]),
        }
        data = Microdata.encode(frame, taxonomies).data
        asked = [promise("k-anonymity", k=2, on=[name]) for name in ("x", "y")]
        plan = full_domain(data, asked, objective("loss"), Settings(suppression_limit=0.7))
        assert suppressed(data, plan) == 4
        with pytest.raises(Unsatisfiable, match="would suppress 4"):
            full_domain(data, asked, objective("loss"), Settings(suppression_limit=0.5))


class TestClosures:
    def test_a_general_node_may_suppress_more_than_a_specific_one(self) -> None:
        """A good class and a bad one merge into a bad one; that excludes nothing below."""
        rows = [("a", "u")] * 5 + [("a", "v")] * 5 + [("b", "u")] * 30
        frame = pl.DataFrame(rows, schema=["q", "s"], orient="row")
        taxonomy = Taxonomy("q", [("a", "*"), ("b", "*")])
        data = Microdata.encode(frame, {"q": taxonomy}, ["s"]).data
        asked = [promise("test-entropy", l=1.9, sensitive="s")]
        plan = full_domain(data, asked, objective("loss"), Settings(suppression_limit=0.75))
        assert plan.nodes == ((0,),)
        assert suppressed(data, plan) == 30
        assert plan.search.optimal

    def test_classes_of_two_rounds_that_are_published_alike_are_one(self) -> None:
        """Each round releases three records as x; a promise that no merging keeps is held."""
        rows = ["a1", "a1", "a2", "b1", "b1", "b2"]
        chains = [("a1", "x"), ("a2", "x"), ("b1", "y1", "x"), ("b2", "y2", "x"), ("c",)]
        taxonomy = Taxonomy("q", chains)
        data = Microdata.encode(pl.DataFrame({"q": rows}), {"q": taxonomy}).data
        asked = [promise("k-anonymity", k=3), promise("test-at-most", most=3)]
        choice = Settings(suppression_limit=0.5, local_recoding=True)
        plan = full_domain(data, asked, objective("loss"), choice)
        assert published_classes(data, plan).tolist() == [3]
        assert suppressed(data, plan) == 3
        easier = full_domain(data, asked[:1], objective("loss"), choice)
        assert published_classes(data, easier).tolist() == [6]
        assert suppressed(data, easier) == 0

    def test_too_few_that_are_left_join_what_was_published_last(self) -> None:
        """One of 61 and one of 62 have no class of their own: they share that of four in 60."""
        rows = ["20"] * 5 + ["25"] * 5 + ["60"] * 4 + ["61", "62"]
        chains = [(age, f"{age[0]}x", "*") for age in ("20", "25", "60", "61", "62")]
        taxonomy = Taxonomy("age", chains)
        data = Microdata.encode(pl.DataFrame({"age": rows}), {"age": taxonomy}).data
        asked = [promise("k-anonymity", k=5)]
        plan = full_domain(data, asked, objective("loss"), Settings(local_recoding=True))
        assert suppressed(data, plan) == 0
        assert sorted(published_classes(data, plan).tolist()) == [5, 5, 6]
        rows[10:] = ["60", "60", "60"]
        data = Microdata.encode(pl.DataFrame({"age": rows}), {"age": taxonomy}).data
        plan = full_domain(data, asked, objective("loss"), Settings(local_recoding=True))
        assert suppressed(data, plan) == 0
        assert sorted(published_classes(data, plan).tolist()) == [5, 8]


class TestSeries:
    def test_plans_and_gaps(self) -> None:
        data = people(60)
        series = [[promise("k-anonymity", k=k)] for k in (2, 58, 61)]
        plans = full_domain_for_each(data, series, objective("loss"), Settings())
        assert [plan is None for plan in plans] == [False, True, True]

    def test_a_lattice_that_is_too_large(self) -> None:
        data = wide(60)
        with pytest.raises(PolicyError, match="searched exactly"):
            full_domain_for_each(data, [[promise("k-anonymity", k=2)]], objective("loss"))


@pytest.mark.parametrize(("others", "level"), [("AABB", 0), ("AABBC", 1)])
def test_people_of_whom_nobody_is_in_the_table_are_published_with_others(
    others: str, level: int
) -> None:
    """Nobody of C is in the table: a class of theirs alone would tell that."""
    wards = Taxonomy("ward", [(one, "any", "*") for one in "ABC"])
    table, people = pl.DataFrame({"ward": list("AABB")}), pl.DataFrame({"ward": list(others)})
    data = Microdata.encode(table, {"ward": wards}, population=people).data
    asked = [promise("delta-presence", lower=0.5, upper=1, absent="suppressed")]
    plan = full_domain(data, asked, objective("loss"), Settings(suppression_limit=0.5))
    assert list(map(tuple, plan.nodes)) == [(level,)]
    assert not plan.suppressed[data.weight > 0].any()


def wide(n: int, attributes: int = 16) -> LeveledTable:
    """A table whose lattice is too large to go through."""
    random = np.random.default_rng(2)
    chains = [(str(at), f"low{at // 4}", f"mid{at // 8}", "*") for at in range(16)]
    names = [f"q{j:02d}" for j in range(attributes)]
    base = random.integers(0, 16, (n, 1))
    frame = pl.DataFrame(
        {
            name: [str(value) for value in (base[:, 0] + random.integers(0, 3, n)) % 16]
            for name in names
        }
    )
    return Microdata.encode(frame, {name: Taxonomy(name, chains) for name in names}).data


class TestLargeLattices:
    @pytest.mark.parametrize("algorithm", ["optimal", "heuristic"])
    def test_a_good_plan_is_found_and_called_no_more_than_that(self, algorithm: str) -> None:
        data = wide(500)
        shares: list[float] = []
        plan = full_domain(
            data,
            [promise("k-anonymity", k=5), promise("k-anonymity", k=20, on=["q00", "q01"])],
            objective("loss"),
            Settings(algorithm, suppression_limit=0.1, limits=Limits(nodes=1500)),  # type: ignore[arg-type]
            shares.append,
        )
        report = plan.search
        assert report.nodes == 4**16 > LARGEST
        assert report.algorithm == "heuristic"
        assert not report.optimal
        assert report.stopped_by in (None, "node_limit")
        assert report.checked <= 1500
        assert report.bound <= report.value < 1.0  # type: ignore[operator]
        assert published_classes(data, plan).min() >= 5
        assert suppressed(data, plan) <= 50
        assert shares
        assert all(0.0 <= share <= 1.0 for share in shares)
        assert shares == sorted(shares)

    def test_local_recoding_goes_through_some_of_their_nodes(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        data = wide(30, attributes=3)
        lattice, goal = Lattice.of(data), objective("loss").bind(data)
        monkeypatch.setattr(local, "SAMPLED", 20)
        for largest, all_of_them in ((65, True), (64, True), (63, False)):
            monkeypatch.setattr(local, "LARGEST", largest)
            looked_at = len(local._in_order(lattice, goal))
            assert looked_at == 4**3 if all_of_them else looked_at <= 20 + 2

    def test_the_same_under_the_same_limit(self) -> None:
        data = wide(200)
        choice = Settings(suppression_limit=0.1, limits=Limits(nodes=300))
        asked = [promise("k-anonymity", k=3)]
        plans = [full_domain(data, asked, objective("loss"), choice) for _ in range(2)]
        assert plans[0].nodes == plans[1].nodes

    def test_a_time_limit_is_kept(self, ticking: Callable[[float], None]) -> None:
        ticking(0.01)
        plan = full_domain(
            wide(500),
            [promise("k-anonymity", k=3)],
            objective("precision"),
            Settings(suppression_limit=0.1, limits=Limits(seconds=0.3)),
        )
        assert plan.search.stopped_by == "time_limit"
        assert plan.search.seconds == pytest.approx(0.32)
        assert 15 < plan.search.checked <= 31

    def test_the_seconds_of_a_search_are_its_own(self, ticking: Callable[[float], None]) -> None:
        ticking(1.0)
        began = [time.perf_counter() for _ in range(20)][-1]
        plan = full_domain(people(60), [promise("k-anonymity", k=2)], objective("loss"))
        assert plan.search.optimal
        assert 0 < plan.search.seconds < time.perf_counter() - began

    def test_a_heuristic_without_limits_has_ten_seconds(
        self, ticking: Callable[[float], None]
    ) -> None:
        data, asked = wide(60), [promise("k-anonymity", k=3)]
        full_domain(data, asked, objective("loss"), Settings(limits=Limits(nodes=20)))
        ticking(1.0)  # kernels look at the clock while they are compiled: they are by now
        plan = full_domain(data, asked, objective("loss"))
        assert plan.search.stopped_by == "time_limit"
        assert plan.search.seconds == pytest.approx(12.0)

    def test_what_only_specific_nodes_keep_is_found_too(self) -> None:
        """The most general node breaks the promise, so there is no way down from the top."""
        data = people(200)
        asked = [promise("test-at-most", most=30)]
        with pytest.raises(Unsatisfiable):
            full_domain(data, asked, objective("loss"), Settings(min_level={"age": 3, "area": 1}))
        for limit in (0.0, 0.1):
            choice = Settings("heuristic", suppression_limit=limit, limits=Limits(nodes=200))
            plan = full_domain(data, asked, objective("height"), choice)
            assert published_classes(data, plan).max() <= 30

    def test_not_finding_is_no_proof(self) -> None:
        data = people(200)
        with pytest.raises(Unsatisfiable, match="no generalization was found"):
            full_domain(
                data,
                [promise("test-at-most", most=0)],
                objective("loss"),
                Settings("heuristic", limits=Limits(nodes=200)),
            )
        with pytest.raises(Unsatisfiable, match="no generalization keeps"):
            full_domain(
                data,
                [promise("k-anonymity", k=150)],
                objective("loss"),
                Settings("heuristic", limits=Limits(nodes=200)),
            )

    def test_an_exhaustive_search_of_a_large_lattice_starts_well(self) -> None:
        """Above a size a short heuristic goes first; the optimum stays the optimum."""
        data = wide(300, attributes=8)
        asked = [promise("k-anonymity", k=4)]
        free = full_domain(data, asked, objective("loss"), Settings(suppression_limit=0.05))
        assert free.search.nodes == 4**8
        assert free.search.optimal
        assert free.search.algorithm == "optimal"
        stopped = full_domain(
            data,
            asked,
            objective("loss"),
            Settings(suppression_limit=0.05, limits=Limits(nodes=100)),
        )
        assert stopped.search.bound <= free.search.value <= stopped.search.value  # type: ignore[operator]


class TestEffort:
    """How much is looked at on the way, and who is told: bounds that no longer bound show here."""

    @pytest.mark.parametrize("measure", ["loss", "discernibility"])
    def test_progress_is_the_share_of_strata_gone_through(self, measure: str) -> None:
        data, shares = people(60), list[float]()
        asked = [promise("k-anonymity", k=5)]
        full_domain(data, asked, objective(measure), Settings(suppression_limit=0.1), shares.append)
        lattice, inherits_up = Lattice.of(data), objective(measure).bind(data).inherits_up
        strata = lattice.strata(lattice.height if inherits_up else -lattice.below)
        assert shares == [(at + 1) / len(strata) for at in range(len(strata))]

    def test_progress_of_a_heuristic_is_the_larger_share_of_its_limits(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        data, asked = wide(100, attributes=6), [promise("k-anonymity", k=3)]
        for nodes, seconds in ((60, None), (10_000, 3.0), (60, 1e9), (None, 3.0)):
            clock = itertools.count(100_000)  # it does not begin with the search
            monkeypatch.setattr(time, "perf_counter", lambda clock=clock: next(clock) / 100)
            shares, limits = list[float](), Limits(seconds, nodes)
            choice = Settings("heuristic", suppression_limit=0.1, limits=limits)
            plan = full_domain(data, asked, objective("loss"), choice, shares.append)
            assert plan.search.stopped_by == ("node_limit" if nodes == 60 else "time_limit")
            assert shares == sorted(shares)
            assert 0.0 < shares[0] < shares[-1] == 1.0

    @pytest.mark.parametrize(("seconds", "rounds"), [(None, 3), (1e9, 5)])
    def test_a_heuristic_gives_up_after_so_many_rounds_without_improvement(
        self, seconds: float | None, rounds: int, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(heuristic, "PATIENCE", 3)
        monkeypatch.setattr(heuristic, "PATIENCE_WITH_TIME", 5)
        shares: list[float] = []
        limits = Limits(seconds, 1_000)
        asked = [promise("k-anonymity", k=40)]  # which only the most general node keeps
        choice = Settings("heuristic", limits=limits, max_level={"age": 3, "area": 0})
        with pytest.raises(Unsatisfiable):
            full_domain(people(60), asked, objective("loss"), choice, shares.append)
        assert shares == []  # and where lasting promises exclude all nodes none is tried
        choice = Settings("heuristic", limits=limits, suppression_limit=0.9)
        full_domain(people(60), asked, objective("loss"), choice, shares.append)
        assert len(shares) == rounds

    @pytest.mark.parametrize(
        ("nodes", "limit", "asked", "expected"),
        HEURISTIC_PATHS,
    )
    def test_a_heuristic_goes_the_same_way_everywhere(
        self, nodes: int, limit: float, asked: list[dict[str, Any]], expected: tuple[Any, ...]
    ) -> None:
        shares: list[float] = []
        plan = full_domain(
            wide(120, attributes=8),
            [promise(**one) for one in asked],
            objective("loss"),
            Settings("heuristic", suppression_limit=limit, limits=Limits(nodes=nodes)),
            shares.append,
        )
        found = "".join(map(str, plan.nodes[0])), plan.search.checked, len(shares)
        assert found == expected

    @pytest.mark.parametrize("measure", CHECKED)
    def test_few_nodes_are_looked_at(self, measure: str) -> None:
        """The plan is the best of all nodes, and no more of them are looked at than before."""
        data, goal = four_with_values(), objective(measure)
        checked = []
        for asked, limit in itertools.product(ASKED, (0.0, 0.1, 0.3)):
            promises, bound = [promise(**one) for one in asked], goal.bind(data)
            evaluator = Evaluator(data, promises, bound, allowed_units(limit, 80), Grouper(data))
            keys = [
                tuple(key)
                for levels in itertools.product(range(3), repeat=4)
                if (key := evaluator.evaluate(np.array(levels)).key) is not None
            ]
            plan = full_domain(data, promises, goal, Settings(suppression_limit=limit))
            assert plan.search.value == pytest.approx(bound.value(np.array(min(keys))))
            checked.append(plan.search.checked)
        # Logarithms differ in last digits between processors: which costs are equal does, too.
        alike = 3 if goal.aggregated_by == "geometric" else 0
        assert checked == pytest.approx(CHECKED[measure], abs=alike)

    @pytest.mark.parametrize(
        ("asked", "most"), [([], 80), (ASKED[0], 3), (ASKED[0] * 2, 3), (ASKED[2], 80)]
    )
    def test_discernibility_knows_how_large_a_suppressed_class_can_be(
        self, asked: list[dict[str, Any]], most: int
    ) -> None:
        data = four_with_values()
        goal = objective("discernibility").bind(data)
        assert isinstance(goal, BoundDiscernibility)
        OptimalSearch(data, Lattice.of(data), goal).run([promise(**one) for one in asked], 80)
        assert goal.broken_at_most == most

    @pytest.mark.parametrize(
        ("given", "expected"),
        [
            (Limits(), Limits(None, 2_000)),
            (Limits(nodes=105), Limits(None, 10)),
            (Limits(seconds=1e6), Limits(1e5, 2_000)),
        ],
    )
    @pytest.mark.parametrize("size", [63, 64, 65])
    def test_a_tenth_of_the_limits_is_for_the_start_in_a_large_lattice(
        self, given: Limits, expected: Limits, size: int, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        started, good = list[Limits](), list[list[int]]()

        class Spy(HeuristicSearch):
            def run(
                self,
                promises: Sequence[Promise],
                allowed: int,
                limits: Limits | None = None,
                progress: Progress = silent,
            ) -> Found:
                assert limits is not None
                started.append(limits)
                found = super().run(promises, allowed, limits, progress)
                assert found.levels is not None
                good.append(found.levels.tolist())
                return found

        class First(OptimalSearch):
            def run(self, *arguments: Any, start: Sequence[Any] = (), **more: Any) -> Found:
                assert [levels.tolist() for levels in start] == good
                return super().run(*arguments, start=start, **more)

        monkeypatch.setattr(module, "OptimalSearch", First)
        monkeypatch.setattr(module, "HeuristicSearch", Spy)
        monkeypatch.setattr(module, "WARM_UP", size)
        monkeypatch.setattr(heuristic, "PATIENCE_WITH_TIME", 5)
        data = wide(60, attributes=3)
        plan = full_domain(
            data, [promise("k-anonymity", k=3)], objective("loss"), Settings(limits=given)
        )
        assert plan.search.algorithm == "optimal"
        assert started == ([expected] if size <= 64 else [])

    @pytest.mark.parametrize("again", [False, True])
    def test_it_looks_first_where_it_is_told_to_and_where_it_was_best_before(
        self, again: bool
    ) -> None:
        data, asked = wide(60, attributes=3), [promise("k-anonymity", k=3)]
        first = OptimalSearch(data, Lattice.of(data), objective("loss").bind(data))
        best = first.run(asked, 6).levels
        assert best is not None
        other = OptimalSearch(data, Lattice.of(data), objective("loss").bind(data))
        search, start = (first, []) if again else (other, [best])
        found = search.run(asked, 6, Limits(nodes=1), start=start)
        assert (found.checked, found.stopped_by) == (1, "node_limit")
        assert found.levels is not None
        assert found.levels.tolist() == best.tolist() != first.lattice.last.tolist()

    def test_no_attribute_is_more_general_than_its_cost_asks_for(self) -> None:
        """Levels 0 and 1 publish the same, so nothing is gained by the second."""
        chains = [("a", "a", "x", "*"), ("b", "b", "x", "*"), ("c", "c", "y", "*")]
        frame = pl.DataFrame({"p": list("aabbcc"), "q": list("aabbcc")})
        data = Microdata.encode(frame, {name: Taxonomy(name, chains) for name in "pq"}).data
        for k, level in ((2, 0), (6, 3)):
            asked = [promise("k-anonymity", k=k)]
            for algorithm in ("optimal", "heuristic"):
                choice = Settings(algorithm, limits=Limits(nodes=100))  # type: ignore[arg-type]
                assert full_domain(data, asked, objective("loss"), choice).nodes == ((level,) * 2,)
            (plan,) = full_domain_for_each(data, [asked], objective("loss"))
            assert plan is not None
            assert plan.nodes == ((level, level),)
        held = Settings(min_level={"q": 1})
        assert full_domain(data, [promise("k-anonymity", k=2)], objective("loss"), held).nodes == (
            (0, 1),
        )


class TestLocalRecoding:
    def test_a_rest_joins_others_only_where_more_is_left_than_is_allowed(self) -> None:
        rows = ["20"] * 5 + ["25"] * 5 + ["60"] * 8 + ["61", "62"]
        chains = [(age, f"{age[0]}x", "*") for age in ("20", "25", "60", "61", "62")]
        data = Microdata.encode(pl.DataFrame({"age": rows}), {"age": Taxonomy("age", chains)}).data
        asked = [promise("k-anonymity", k=5)]
        for limit, gone, sizes in (
            (0.1, 2, [5, 5, 8]),
            (0.05, 0, [5, 5, 10]),
            (0.0, 0, [5, 5, 10]),
        ):
            choice = Settings(suppression_limit=limit, local_recoding=True)
            plan = full_domain(data, asked, objective("loss"), choice)
            assert suppressed(data, plan) == gone
            assert sorted(published_classes(data, plan).tolist()) == sizes
            assert not plan.search.optimal  # nobody tried every local recoding
            assert plan.search.bound <= plan.search.value  # type: ignore[operator]

    def test_a_single_record_is_joined_to_others_like_many(self) -> None:
        """The one of a2 has no second value: it shares a class with a1, and b1 stays as it is."""
        rows = [("a1", "u"), ("a1", "v"), ("a2", "u"), ("b1", "u"), ("b1", "v")]
        chains = [(ward, ward[0], "*") for ward in ("a1", "a2", "b1")]
        frame = pl.DataFrame(rows, schema=["ward", "s"], orient="row")
        data = Microdata.encode(frame, {"ward": Taxonomy("ward", chains)}, ["s"]).data
        asked = [promise("test-distinct", l=2, sensitive="s")]
        plan = full_domain(data, asked, objective("loss"), Settings(local_recoding=True))
        assert suppressed(data, plan) == 0
        assert [plan.nodes[at] for at in plan.node_of] == [(1,), (1,), (0,)]

    @pytest.mark.parametrize("on", [None, ("age", "town")])
    def test_a_class_is_not_taken_back_that_others_need_for_a_promise_about_one_column(
        self, on: tuple[str, ...] | None
    ) -> None:
        """The north of the twenties would mend the south, and leave two in the north."""
        rows = [("20", "n1"), ("20", "s1"), ("21", "n2"), ("21", "s2"), ("34", "n2"), ("35", "n1")]
        taxonomies = {
            "age": Taxonomy("age", [(age, f"{age[0]}x", "*") for age in ("20", "21", "34", "35")]),
            "town": Taxonomy("town", [(at, at[0], "*") for at in ("n1", "n2", "s1", "s2")]),
        }
        frame = pl.DataFrame(rows, ["age", "town"], orient="row")
        data = Microdata.encode(frame, taxonomies).data
        asked = [promise("k-anonymity", k=2, on=on), promise("k-anonymity", k=3, on=("town",))]
        for limit in (0.0, 0.2):
            choice = Settings(suppression_limit=limit, local_recoding=True)
            plan = full_domain(data, asked, objective("loss"), choice)
            names, of = [], plan.node_of[Microdata.encode(frame, taxonomies).combination_of]
            for (_, town), at in zip(rows, of.tolist(), strict=True):
                if at >= 0:
                    names.append(taxonomies["town"].generalize(town, plan.nodes[at][1]))
            assert names
            assert all(names.count(name) >= 3 for name in names)

    def test_people_of_a_population_make_no_class_too_small(self) -> None:
        table, population = pl.DataFrame({"x": list("aaab")}), pl.DataFrame({"x": list("aaabcd")})
        chains = [(one, f"{one in 'ab'}", "*") for one in "acdb"]
        data = Microdata.encode(table, {"x": Taxonomy("x", chains)}, population=population).data
        assert sorted(data.weight.tolist()) == [0, 0, 1, 3]
        asked = [promise("k-anonymity", k=2)]
        rows, levels = np.arange(4, dtype=np.int32), np.arange(3)[:, None]
        found = local._large_throughout(data, asked, levels, rows)
        assert [int(level) for (level,) in found] == [1, 2]
        on_some = [promise("k-anonymity", k=2, on=("x",))]  # whose classes are looked at anyway
        found = local._large_throughout(data, on_some, levels, rows)
        assert [int(level) for (level,) in found] == [0, 1, 2]

    def test_a_rest_is_joined_whatever_people_the_population_has_beside(self) -> None:
        """The one of b2 shares a class with b1, and those of a stay as they are; b3 is empty."""
        wards = ["a1", "a1", "a2", "a2", "b1", "b1", "b2"]
        table, people = ({"ward": [*wards, *more]} for more in ([], ["b3"]))
        chains = [(ward, ward[0], "*") for ward in ("a1", "a2", "b1", "b2", "b3")]
        taxonomies = {"ward": Taxonomy("ward", chains)}
        frame, population = pl.DataFrame(table), pl.DataFrame(people)
        data = Microdata.encode(frame, taxonomies, population=population).data
        asked = [promise("k-anonymity", k=2)]
        plan = full_domain(data, asked, objective("loss"), Settings(local_recoding=True))
        nodes = [plan.nodes[at] for at in plan.node_of[data.weight > 0]]
        assert nodes == [(0,), (0,), (1,), (1,)]

    def test_of_other_nodes_or_another_order_nothing_is_said_to_be_refused(self) -> None:
        wards = ["a1", "a1", "a2", "a2", "b1", "b1", "b2"]
        chains = [(ward, ward[0], "*") for ward in sorted({*wards})]
        frame = pl.DataFrame({"ward": wards})
        data = Microdata.encode(frame, {"ward": Taxonomy("ward", chains)}).data
        asked, goal = [promise("k-anonymity", k=2)], objective("loss").bind(data)
        plan = full_domain(data, asked, objective("loss"), Settings(local_recoding=True))
        assert plan.nodes == ((0,), (1,))
        plain = plan.start
        assert plain is not None
        nothing = replace(plain, node_of=np.full_like(plain.node_of, -1))
        plan = replace(plan, start=nothing)
        other = replace(plan, nodes=plan.nodes[::-1], node_of=1 - plan.node_of)
        on_the_whole = [*asked, promise("test-at-most", most=9)]
        for lattice, promises, own, told in (
            (Lattice.of(data), asked, plan, True),
            (Lattice.of(data), asked, other, False),
            (Lattice.of(data, {"ward": 1}), asked, plan, False),
            (Lattice.of(data), on_the_whole, plan, False),
            (Lattice.of(data), asked, replace(plain, start=plain), False),
        ):
            found = local.refused_classes(data, lattice, promises, goal, own)
            assert (found is not None) is told

    @pytest.mark.parametrize("last", [0, 1, 2])
    def test_who_is_published_with_stars_alone_is_told_at_any_node(self, last: int) -> None:
        chains = [("a", "x", "*"), ("b", "*", "*"), ("c", "x", "*")]
        data = Microdata.encode(pl.DataFrame({"q": list("abc")}), {"q": Taxonomy("q", chains)}).data
        order = [[(2,), (1,), (0,)][(at + last) % 3] for at in range(3)]
        star, middle, leaf = (order.index((level,)) for level in (2, 1, 0))
        for of, starred in (
            ([star, middle, leaf], [True, True, False]),
            ([leaf, leaf, -1], [False, False, False]),
            ([middle, star, middle], [False, True, False]),
        ):
            labels, shown = local._published(data, order, np.array(of, np.int32))
            assert [at >= 0 and not own for at, own in zip(of, shown, strict=True)] == starred
            assert not shown[np.array(of) < 0].any()
            assert (labels[:, 0] == -1).tolist() == [at < 0 for at in of]
        assert labels[0, 0] == labels[2, 0] != labels[1, 0]

    @pytest.mark.parametrize(
        ("asked", "least"),
        [
            ([], 1),
            ([{"model": "k-anonymity", "k": 1}], 1),
            ([{"model": "k-anonymity", "k": 2}], 2),
            ([{"model": "k-anonymity", "k": 4}, {"model": "k-anonymity", "k": 3}], 4),
            ([{"model": "k-anonymity", "k": 3}, {"model": "k-anonymity", "k": 4}], 4),
            ([{"model": "k-anonymity", "k": 3, "on": ("age",)}], None),
            ([{"model": "test-at-most", "most": 3}], None),
            ([{"model": "k-map", "k": 3}], None),
            ([{"model": "test-distinct", "l": 2, "sensitive": "s"}], None),
            ([{"model": "k-anonymity", "k": 3}, {"model": "k-map", "k": 3}], None),
            ([{**RANKED, "k": {"1": 3, "2": 3}}], 3),
            ([{**RANKED, "k": {"1": 3, "2": 4}}], None),
        ],
    )
    def test_from_which_size_on_a_class_keeps_all_promises(
        self, asked: list[dict[str, Any]], least: int | None
    ) -> None:
        assert local._large_enough([promise(**one) for one in asked]) == least

    @pytest.mark.parametrize(("compared", "kept"), [("original", 2), ("published", 1)])
    def test_who_is_starred_is_compared_with_all_that_is_published(
        self, compared: str, kept: int
    ) -> None:
        """Half of all have u, and so has everybody of those whom no class holds."""
        rows = [("a", "u"), ("a", "v"), ("a", "v"), ("b", "u")]
        frame = pl.DataFrame(rows, ["q", "s"], orient="row")
        chains = [(one, "*") for one in "ab"]
        data = Microdata.encode(frame, {"q": Taxonomy("q", chains)}, ["s"]).data
        for nodes in ([(0,), (1,)], [(1,), (0,)]):
            node_of = np.array([nodes.index((0,)), nodes.index((1,))], np.int32)
            asked = promise("t-closeness", t=0.4, sensitive="s", reference=compared)
            local.settle_whole(data, [asked], nodes, node_of)
            assert np.count_nonzero(node_of >= 0) == kept

    @pytest.mark.parametrize("on", [None, ("q",)])
    @pytest.mark.parametrize(
        ("lasting_only", "allowed", "times"), [(True, 1, 1), (False, 0, 1), (False, 1, 2)]
    )
    def test_classes_are_judged_again_only_where_others_could_be_broken(
        self,
        monkeypatch: pytest.MonkeyPatch,
        on: tuple[str, ...] | None,
        lasting_only: bool,
        allowed: int,
        times: int,
    ) -> None:
        """The one of b is lost to k-anonymity, which is too much where nobody may be."""
        frame = pl.DataFrame({"q": list("aab"), "r": list("xxx")})
        chains = {"q": Taxonomy("q", [("a", "*"), ("b", "*")]), "r": Taxonomy("r", [("x", "*")])}
        data = Microdata.encode(frame, chains).data
        asked = [promise("k-anonymity", k=2, on=on)]
        asked += [] if lasting_only else [promise("test-at-most", most=9, on=on)]
        goal = objective("loss").bind(data)
        evaluator = Evaluator(data, asked, goal, allowed, Grouper(data))
        judged = mock.Mock(side_effect=evaluator.judge.broken)
        monkeypatch.setattr(evaluator.judge, "broken", judged)
        outcome, least, _ = evaluator.outcome(np.array([0, 0]))
        assert (outcome.suppressed, least) == (1, 1)
        assert judged.call_count == times

    def test_a_sample_of_a_large_lattice_has_its_ends_and_all_heights(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(local, "SAMPLED", 300)
        lattice = Lattice(np.array([1, 0, 2]), np.array([5, 3, 2]))
        levels = local._sample(lattice)
        assert len(np.unique(levels, axis=0)) == len(levels) <= 302
        assert levels.min(axis=0).tolist() == [1, 0, 2]
        assert levels.max(axis=0).tolist() == [5, 3, 2]
        assert set(levels.sum(axis=1).tolist()) == set(range(3, 11))
        # The same in every release: what is published follows from it.
        monkeypatch.setattr(local, "SAMPLED", 4)
        drawn = [[1, 3, 2], [3, 1, 2], [4, 0, 2], [4, 2, 2]]
        assert local._sample(lattice).tolist() == [[1, 0, 2], *drawn, [5, 3, 2]]
        monkeypatch.setattr(local, "SAMPLED", 0)
        assert local._sample(lattice).tolist() == [[1, 0, 2], [5, 3, 2]]


@pytest.mark.parametrize(("beyond", "algorithm"), [(0, "optimal"), (1, "heuristic")])
def test_a_lattice_of_the_largest_size_is_searched_exactly(
    monkeypatch: pytest.MonkeyPatch, beyond: int, algorithm: str
) -> None:
    data = wide(60, attributes=2)
    monkeypatch.setattr(module, "LARGEST", Lattice.of(data).size - beyond)
    asked, goal = [promise("k-anonymity", k=3)], objective("loss")
    assert full_domain(data, asked, goal).search.algorithm == algorithm
    if not beyond:
        assert len(full_domain_for_each(data, [asked], goal)) == 1
        return
    with pytest.raises(PolicyError) as caught:
        full_domain_for_each(data, [asked], goal)
    assert [one.code for one in caught.value.problems] == ["lattice-too-large"]


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ([], "weaker parameters"),
        ([{"model": "k-anonymity", "k": 2}], "a smaller k"),
        ([{"model": "k-anonymity", "k": 2}, {"model": "k-map", "k": 2}], "a smaller k"),
        ([{"model": "km-anonymity", "k": 2, "m": 2, "sensitive": "s"}], "weaker parameters"),
    ],
)
def test_what_to_make_smaller_has_a_name_where_there_is_one(
    asked: list[dict[str, Any]], said: str
) -> None:
    assert module._smaller([promise(**one) for one in asked]) == said


def test_other_limits_would_find_other_releases() -> None:
    """What is found by a seed, a number of tries or a size is the same with every version."""
    assert (LARGEST, module.WARM_UP, heuristic.SECONDS) == (1_000_000, 50_000, 10.0)
    assert (heuristic.PATIENCE, heuristic.PATIENCE_WITH_TIME) == (400, 10_000)
    assert (local.SAMPLED, local.LOOKED_BACK, local.TAKEN_BACK) == (200_000, 1000, 8)
    assert series.MEMORY == 256 * 1024 * 1024


class TestPlan:
    def test_settings_are_those_that_a_policy_asks_for(self) -> None:
        keys = Method(suppression_limit=0.25, local_recoding=True, time_limit=7, node_limit=11)
        asked = Asked(keys, {}, {"age": 1}, {"age": 2})
        expected = Settings("optimal", 0.25, {"age": 1}, {"age": 2}, Limits(7, 11), True)
        assert Settings.of(asked) == expected
        keys = Method(algorithm="heuristic", suppression_limit=0.25, time_limit=7, node_limit=11)
        asked = Asked(keys, {}, {}, {})
        assert Settings.of(asked) == Settings("heuristic", 0.25, limits=Limits(7, 11))
        assert Settings() == Settings("optimal", 0.0, {}, {}, Limits(None, None), False)

    def test_its_document(self) -> None:
        data = people(200)
        plan = full_domain(
            data, [promise("k-anonymity", k=5)], objective("loss"), Settings(suppression_limit=0.1)
        )
        found = plan.to_dict()
        assert found["algorithm"] == "optimal"
        assert found["scope"] == "domain"
        assert found["levels"] == plan.levels
        assert found["objective"] == {
            "measure": "loss",
            "aggregate": "geometric",
            "value": plan.search.value,
        }
        assert found["optimal"] is True
        assert found["bound"] == plan.search.value

    @pytest.mark.parametrize(("limit", "bound"), [(0.0, 1.0), (0.19, 1.0), (0.2, 0.2)])
    def test_another_order_might_keep_what_may_just_be_left_out(
        self, limit: float, bound: float
    ) -> None:
        """Without the one who is alone, ages might be published: the bound says what that costs."""
        frame = pl.DataFrame({"age": list("aabbc"), "ill": list("xxyyx")})
        policy = {
            "attributes": {
                "age": {"role": "quasi-identifier", "hierarchy": "suppress"},
                "ill": {"role": "sensitive"},
            },
            "promises": [
                {"model": "k-anonymity", "k": 2},
                {"model": "t-closeness", "t": 0.3, "sensitive": "ill"},
            ],
            "method": {"suppression_limit": limit},
        }
        plan = ind.anonymize(frame, policy).run.to_dict()["plan"]
        assert plan["objective"]["value"] == pytest.approx(1.0)
        assert plan["bound"] == pytest.approx(bound)
        assert plan["optimal"] is (bound == 1.0)

    def test_progress_goes_from_nothing_to_all(self) -> None:
        shares: list[float] = []
        full_domain(
            people(200), [promise("k-anonymity", k=5)], objective("loss"), None, shares.append
        )
        assert shares == sorted(shares)
        assert shares[-1] == 1.0

    def test_every_measure_finds_a_plan_on_any_table(self) -> None:
        """One record; one attribute of one leaf; no attributes at all."""
        one = Microdata.encode(pl.DataFrame({"a": ["x"]}), {"a": Taxonomy("a", [("x",)])}).data
        for measure, k in itertools.product(
            [
                "loss",
                "precision",
                "non-uniform-entropy",
                "discernibility",
                "average-class-size",
                "height",
                "kl-divergence",
            ],
            [1, 2],
        ):
            goal = objective(measure)
            asked = [promise("k-anonymity", k=k)]
            plan = full_domain(one, asked, goal, Settings(suppression_limit=1.0))
            assert plan.suppressed.tolist() == [k == 2]
