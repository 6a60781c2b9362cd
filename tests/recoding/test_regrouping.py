"""Records put together anew where the whole table breaks a promise."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.recoding.tables import classes_keep

from indistinct.errors import PolicyError, Unsatisfiable
from indistinct.hierarchies.taxonomy import Taxonomy
from indistinct.metadata import ValueMetadata
from indistinct.microdata.frequencies import ClassTable
from indistinct.microdata.microdata import Microdata
from indistinct.privacy import Promise, promise
from indistinct.recoding.partition import PartitionSettings, deficits, partition
from indistinct.recoding.partition import mondrian as cutting
from indistinct.recoding.partition.deficits import Deficits
from indistinct.recoding.partition.regrouping import Recipes
from indistinct.recoding.plan import CellPlan
from indistinct.release.apply import change
from indistinct.release.audit import Audit, audit
from indistinct.requirement import Requirement
from indistinct.sources.engines import open_table

WARDS = tuple(a + b for a in "ABC" for b in "1234")
ILLS = "abcdefgh"
KNOWN = ValueMetadata(
    categories={ill: "WXYZ"[at // 2] for at, ill in enumerate(ILLS)},
    category_order=("W", "X", "Y", "Z"),
)
TREES = {
    "age": Taxonomy("age", [(str(age), str(age // 10 * 10), "*") for age in range(10, 80)]),
    "ward": Taxonomy("ward", [(ward, ward[0], "*") for ward in WARDS]),
}
ASKED: dict[str, dict[str, Any]] = {
    "max-posterior": {"bound": 0.5},
    "alpha-k-anonymity": {"alpha": 0.5, "k": 3},
    "recursive-cl-diversity": {"c": 1.0, "l": 2},
    "entropy-l-diversity": {"l": 3},
    "balanced-p-plus-sensitive": {"p": 2},
    "theta-sensitive": {"k": 3, "theta": "size"},
    "t-closeness": {"t": 0.25},
    "delta-disclosure": {"delta": 1.5},
}


def skewed(seed: int, most: int = 90, *, dense: bool = False) -> pl.DataFrame:
    """People of whom one illness has from 30 to 60 in a hundred."""
    random = np.random.default_rng(seed)
    people, ills = int(random.integers(40, most)), int(random.integers(4, 9))
    top = random.uniform(0.3, 0.6)
    shares = [top, *[(1 - top) / (ills - 1)] * (ills - 1)]
    named = random.permutation(list(ILLS[:ills]))
    ages = random.integers(10, 80, people)
    return pl.DataFrame(
        {
            "age": [str(age // 20 * 20 + 10 if dense else age) for age in ages.tolist()],
            "ward": random.choice(WARDS[::3] if dense else WARDS, people).tolist(),
            "ill": named[random.choice(ills, people, p=shares)].tolist(),
        }
    )


def encoded(texts: pl.DataFrame, *, by_record: bool = False) -> Microdata:
    names = [name for name in texts.columns if name != "ill"]
    trees = {name: TREES[name] for name in names}
    return Microdata.encode(texts, trees, ["ill"], by_record=by_record).knowing({"ill": KNOWN})


def about_ills(model: str, k: int = 2) -> list[Promise]:
    return [promise("k-anonymity", k=k), promise(model, **ASKED[model], sensitive="ill")]


def audited(texts: pl.DataFrame, found: Microdata, plan: CellPlan, asked: list[Promise]) -> Audit:
    """The audit of the release that a plan describes."""
    names = list(found.data.attributes)
    release = open_table(texts).publish(
        change(
            found.data,
            plan,
            [*names, "ill"],
            keep_suppressed=True,
            combination_of=found.combination_of,
        )
    )
    cells = found.data.table.sensitive["ill"]
    totals = dict(zip(cells.domain, map(float, cells.totals), strict=True))
    requirements = [
        Requirement(part.model, part.parameters, part.on, part.sensitive, "record", part.reference)
        for part in asked
    ]
    known = {"ill": replace(cells.known, reference=totals)}
    return audit(release, requirements, tuple(names), known=known)


@settings(max_examples=80)
@given(
    st.integers(0, 10_000),
    st.sampled_from(sorted(ASKED)),
    st.booleans(),
    st.booleans(),
    st.sampled_from([0.05, 0.2, 0.5, 1.0]),
    st.sampled_from([None, "set", "ancestor"]),
)
def test_what_is_regrouped_keeps_every_promise(
    seed: int, model: str, dense: bool, by_record: bool, limit: float, cells: str | None
) -> None:
    texts = skewed(seed, 60, dense=dense)
    found = encoded(texts, by_record=by_record)
    asked = about_ills(model)
    how = PartitionSettings(suppression_limit=limit, strict=not by_record, cells=cells)
    try:
        plan = partition(found.data, asked, "mondrian", how)
    except Unsatisfiable:
        return
    seen = audited(texts, found, plan, asked)
    assert classes_keep(seen), seen
    lost = int(found.data.weight[plan.suppressed].sum())
    assert seen.suppressed == lost <= limit * texts.height + 1e-9
    again = partition(found.data, asked, "mondrian", how)
    assert again.class_of.tolist() == plan.class_of.tolist()


@pytest.mark.parametrize("model", ["max-posterior", "balanced-p-plus-sensitive", "theta-sensitive"])
@pytest.mark.parametrize("dense", [False, True])
def test_as_many_releases_are_found_as_by_clustering(model: str, dense: bool) -> None:
    """Tables of which most break the promise as a whole, and limits that some of them need."""
    by_cutting, by_clustering = 0, 0
    for seed in range(20):
        found = encoded(skewed(seed, dense=dense), by_record=True).data
        limit = (0.05, 0.1, 0.2, 0.3, 0.5)[seed % 5]
        for algorithm in ("mondrian", "k-member"):
            how = PartitionSettings(suppression_limit=limit)
            try:
                partition(found, about_ills(model), algorithm, how)  # type: ignore[arg-type]
            except Unsatisfiable:
                continue
            by_cutting += algorithm == "mondrian"
            by_clustering += algorithm == "k-member"
    assert by_cutting >= by_clustering - 1
    assert by_cutting >= {"max-posterior": 14, "balanced-p-plus-sensitive": 4}.get(model, 8)


def ways(rows: int) -> Iterator[list[int]]:
    """The class of every row, in every way of putting rows into classes."""
    if rows == 0:
        yield []
        return
    for before in ways(rows - 1):
        for group in range(max(before, default=-1) + 2):
            yield [*before, group]


@pytest.mark.parametrize("model", sorted(ASKED))
def test_few_releases_without_suppression_are_missed(model: str) -> None:
    """Against every partition of tiny tables in which no two classes can look alike."""
    every = {rows: np.array(list(ways(rows))) for rows in (5, 6, 7)}
    part = about_ills(model)[1]
    possible, hit = 0, 0
    for seed in range(60):
        random = np.random.default_rng(seed)
        rows = int(random.integers(5, 8))
        ages = random.permutation(np.arange(10, 80))[:rows]
        ills = random.choice(list("aaabceg"), rows)
        texts = pl.DataFrame({"age": list(map(str, ages.tolist())), "ill": ills.tolist()})
        found = encoded(texts).data
        cells = found.table.sensitive["ill"]
        one = np.zeros((rows, len(cells.domain)), dtype=np.int64)
        one[np.arange(rows), cells.value] = 1
        groups = (every[rows][:, :, None] == np.arange(rows)).transpose(0, 2, 1).astype(np.int64)
        size = groups.sum(axis=2).ravel()
        table = ClassTable(
            np.zeros(0, dtype=np.int32),
            size,
            {"ill": (groups @ one).reshape(len(size), -1)},
            {"ill": cells.totals},
            {"ill": cells.about},
        )
        broken = part.breaks(table) | (size == 1)
        exists = bool((~broken.reshape(-1, rows).any(axis=1)).any())
        try:
            plan = partition(found, about_ills(model))
        except Unsatisfiable:
            possible += exists
            continue
        assert exists
        assert not plan.suppressed.any()
        possible += 1
        hit += 1
    assert possible >= 10
    assert hit >= 0.8 * possible, (hit, possible)


@settings(max_examples=80)
@given(st.integers(0, 10_000), st.sampled_from(sorted(ASKED)), st.booleans())
def test_the_limit_that_is_told_is_enough(seed: int, model: str, by_record: bool) -> None:
    found = encoded(skewed(seed, 60, dense=seed % 2 == 0), by_record=by_record).data
    asked = about_ills(model, 3)
    how = PartitionSettings(suppression_limit=0.01)
    try:
        partition(found, asked, "mondrian", how)
    except Unsatisfiable as error:
        problem = error.problems[0]
    else:
        return
    told = re.match(r"suppression_limit = (\d\.\d+) is enough", problem.remedy or "")
    if told is None:
        return
    limit = float(told[1])
    assert 0.01 < limit < 1.0
    plan = partition(found, asked, "mondrian", replace(how, suppression_limit=limit))
    lost = int(found.weight[plan.suppressed].sum())
    assert 0 < lost <= limit * found.table.records + 1e-9


def test_a_limit_that_would_be_enough_is_told() -> None:
    """Classes of three have three values each, and one value is there only once."""
    texts = pl.DataFrame({"age": [str(age) for age in range(20, 30)], "ill": list("aaabaabaac")})
    found = encoded(texts).data
    asked = about_ills("theta-sensitive")
    with pytest.raises(Unsatisfiable, match=r"suppression_limit = 0\.700 is enough"):
        partition(found, asked, "mondrian", PartitionSettings(suppression_limit=0.69))
    plan = partition(found, asked, "mondrian", PartitionSettings(suppression_limit=0.7))
    assert int(plan.suppressed.sum()) == 7


def test_equal_records_are_told_apart_where_that_is_asked_for() -> None:
    texts = pl.DataFrame({"age": ["20"] * 5 + ["70"] * 5, "ill": list("aaabcaaabc")})
    asked = about_ills("max-posterior")
    tight = PartitionSettings(suppression_limit=0.2)
    with pytest.raises(Unsatisfiable, match=r"any record; partition\.strict = false"):
        partition(encoded(texts).data, asked, "mondrian", tight)
    apart = encoded(texts, by_record=True).data
    plan = partition(apart, asked, "mondrian", replace(tight, strict=False))
    assert int(plan.suppressed.sum()) == 2


def test_large_tables_are_regrouped_only_where_it_is_needed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = encoded(skewed(3), by_record=True).data
    asked = about_ills("theta-sensitive")
    loose, tight = (PartitionSettings(suppression_limit=limit) for limit in (0.9, 0.0))
    best = partition(found, asked, "mondrian", loose)
    monkeypatch.setattr(cutting, "LARGE", 10)
    first = partition(found, asked, "mondrian", loose)
    assert first.search.value >= best.search.value - 1e-12
    ways = "of putting records together anew"
    monkeypatch.setattr(cutting, "SPARING", 10)
    with pytest.raises(Unsatisfiable, match=f"; 2 of 4 ways {ways} were tried"):
        partition(found, asked, "mondrian", tight)
    monkeypatch.setattr(cutting, "ONCE", 20)
    with pytest.raises(Unsatisfiable, match=f"enough, or .*; 1 of 4 ways {ways} was tried"):
        partition(found, asked, "mondrian", tight)
    monkeypatch.setattr(cutting, "MOST", 30)
    with pytest.raises(Unsatisfiable, match=f"; no way {ways} was tried, since the table has"):
        partition(found, asked, "mondrian", tight)


def test_tables_with_very_many_values_are_not_regrouped(monkeypatch: pytest.MonkeyPatch) -> None:
    found = encoded(skewed(3), by_record=True).data
    asked = about_ills("theta-sensitive")
    loose, tight = (PartitionSettings(suppression_limit=limit) for limit in (0.9, 0.0))
    assert not deficits.too_wide(found, asked)
    monkeypatch.setattr(deficits, "ROOM", 10)
    assert deficits.too_wide(found, asked)
    with pytest.raises(Unsatisfiable, match="sensitive values are very many"):
        partition(found, asked, "mondrian", tight)
    with pytest.raises(PolicyError, match="too many: k-member counts each of them"):
        partition(found, asked, "k-member", loose)


@settings(max_examples=100)
@given(st.lists(st.lists(st.integers(0, 3), min_size=3, max_size=3), min_size=1, max_size=12))
def test_nothing_is_expected_of_fewer_than_what_failed(tried: list[list[int]]) -> None:
    recipes = Recipes()
    failed: list[list[int]] = []
    for counts in tried:
        hopeless = any(all(a <= b for a, b in zip(counts, f, strict=True)) for f in failed)
        assert recipes.fails(np.array(counts)) == hopeless
        if not hopeless:
            recipes.fail(np.array(counts))
            failed.append(counts)


@settings(max_examples=60)
@given(st.integers(0, 10_000), st.sampled_from(sorted(ASKED)))
def test_a_class_with_one_more_is_judged_as_such(seed: int, model: str) -> None:
    """What is asked of many candidates at once is what each of them answers alone."""
    found = encoded(skewed(seed)).data
    wants = Deficits(found, [about_ills(model)[1]])
    random = np.random.default_rng(seed)
    class_ = wants.of(random.integers(0, wants.profiles, 5))
    every = np.arange(wants.profiles)
    broken = wants.broken_with(class_, every)
    one = {name: own[None, :] for name, own in class_.counts.items()}
    for profile in every.tolist():
        kept = wants.kept(wants.added(class_, profile))
        assert kept == (broken[profile] == 0)
        assert kept == wants.fits(one, np.array([class_.size]), profile)[0]
    order = random.permutation(every)
    first = wants.kept_by_first(order, 3)
    for count in range(1, len(order) + 1):
        several = wants.of(order[:count])
        assert first[count - 1] == (wants.kept(several) and several.size >= 3)
