"""Items generalized class by class, held against trying out what few known items tell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import indistinct as ind
from indistinct.errors import PolicyError
from indistinct.metadata import ValueMetadata
from indistinct.microdata.frequencies import Cells
from indistinct.privacy.known_records import KnownRecords
from indistinct.recoding.items import known, known_items_protected

VALUES = ("a", "b", "c", "d", "e", "f", None)
CHAINS = tuple(
    (value, home, top, "*")
    for value, (home, top) in {
        "a": ("ab", "left"), "b": ("ab", "left"), "c": ("cd", "left"), "d": ("cd", "left"),
        "e": ("ef", "right"), "f": ("ef", "right"),
    }.items()
)  # fmt: skip
SETS = st.lists(st.sampled_from(VALUES), min_size=1, max_size=4, unique=True)
CLASSES = st.lists(st.lists(SETS, min_size=1, max_size=7), min_size=1, max_size=3)
PROMISES = st.builds(
    lambda k, bound, m: KnownRecords(k=k, bound=bound, m=m, sensitive="s"),
    st.one_of(st.none(), st.integers(1, 4)),
    st.sampled_from([0.3, 0.5, 0.75, 1.0]),
    st.integers(1, 3),
) | st.builds(
    lambda k, m: KnownRecords(k=k, m=m, sensitive="s"), st.integers(1, 4), st.integers(1, 3)
)

Sets = Sequence[frozenset[str | None]]


def broken(people: Sets, promise: KnownRecords) -> bool:
    """Whether a class breaks the promise, by trying every set of known items."""
    if all(own == {"*"} for own in people):
        return promise.k is not None and len(people) < promise.k
    every = sorted({item for own in people for item in own}, key=str)
    for size in range(promise.m + 1):
        for chosen in combinations(every, size):
            left = [own for own in people if own.issuperset(chosen)]
            if not left:
                continue
            if size and promise.k is not None and len(left) < promise.k:
                return True
            for item in every:
                if item in chosen or promise.bound is None:
                    continue
                if sum(item in own for own in left) > promise.bound * len(left) + 1e-9:
                    return True
    return False


def achieved(classes: Sequence[Sets], promise: KnownRecords) -> dict[str, float]:
    """The fewest people with a combination, and the largest share."""
    fewest, largest = [], []
    for people in classes:
        if all(own == {"*"} for own in people):
            fewest.append(len(people))
            continue
        every = sorted({item for own in people for item in own}, key=str)
        for size in range(promise.m + 1):
            for chosen in combinations(every, size):
                left = [own for own in people if own.issuperset(chosen)]
                if left and size:
                    fewest.append(len(left))
                shares = [
                    sum(item in own for own in left) / len(left)
                    for item in every
                    if left and item not in chosen
                ]
                largest += [share for share in shares if share]
    return {"k": min(fewest, default=None), "bound": max(largest, default=None)}  # type: ignore[dict-item,type-var]


def cells(people: Sequence[Sequence[str | None]], tree: bool) -> Cells:
    domain = tuple(sorted({v for own in people for v in own}, key=lambda v: (v is None, v or "")))
    place = {value: at for at, value in enumerate(domain)}
    value = [place[v] for own in people for v in sorted(own, key=lambda v: (v is None, v or ""))]
    about = ValueMetadata(chains=CHAINS) if tree else ValueMetadata()
    indptr = np.cumsum([0, *map(len, people)]).astype(np.int64)
    ones = np.ones(len(value), np.int64)
    return Cells(indptr, np.array(value, np.int32), ones, domain, False, about)


def published(
    classes: list[list[list[str | None]]], promise: KnownRecords, tree: bool
) -> list[Sets]:
    people = [own for part in classes for own in part]
    class_of = np.array([at for at, part in enumerate(classes) for _ in part], np.int32)
    sets = cells(people, tree)
    done = known_items_protected("s", sets, class_of, promise)
    shown = [done.labels[node] for node in done.published]
    found: list[list[frozenset[str | None]]] = [[] for _ in classes]
    for person, group in enumerate(class_of.tolist()):
        found[group].append(frozenset(shown[sets.indptr[person] : sets.indptr[person + 1]]))
    return [tuple(part) for part in found]


@settings(max_examples=300)
@given(CLASSES, PROMISES, st.booleans())
def test_every_class_keeps_the_promise(
    classes: list[list[list[str | None]]], promise: KnownRecords, tree: bool
) -> None:
    shown = published(classes, promise, tree)
    for people, before in zip(shown, classes, strict=True):
        if len(people) < promise.class_size:
            assert set(people) == {frozenset({"*"})}, "as little as can be shown"
            continue
        assert not broken(people, promise)
        if not broken([frozenset(own) for own in before], promise):
            assert people == tuple(frozenset(own) for own in before), "nothing had to be done"


@settings(max_examples=200)
@given(CLASSES, PROMISES, st.booleans())
def test_nobody_guesses_what_is_behind_a_star(
    classes: list[list[list[str | None]]], promise: KnownRecords, tree: bool
) -> None:
    """Values that a class does not show are those behind its stars: of two values, the other."""
    for people, before in zip(published(classes, promise, tree), classes, strict=True):
        if promise.bound is None or all(own == {"*"} for own in people):
            continue
        both = [({*own}, shown) for own, shown in zip(before, people, strict=True)]
        nothing: set[str | None] = set()
        for have in (nothing, *({value} for value in VALUES)):
            there = [own for own, shown in both if have <= own and have <= shown]
            for value in nothing.union(*there) - have:
                right = sum(value in own for own in there)
                assert right <= promise.bound * len(there) + 1e-9


@settings(max_examples=100)
@given(CLASSES, PROMISES, st.booleans())
def test_labels_cover_what_they_stand_for(
    classes: list[list[list[str | None]]], promise: KnownRecords, tree: bool
) -> None:
    above = {chain[0]: {*chain} for chain in CHAINS}
    for people, before in zip(published(classes, promise, tree), classes, strict=True):
        for shown, own in zip(people, before, strict=True):
            covers = [above.get(v, {None, "*"}) if tree else {v, "*"} for v in own]
            assert all(shown & of for of in covers)
            assert all(any(label in of for of in covers) for label in shown)


@settings(max_examples=60)
@given(CLASSES, PROMISES, st.randoms(use_true_random=False))
def test_the_order_of_people_does_not_matter(
    classes: list[list[list[str | None]]], promise: KnownRecords, random: Any
) -> None:
    shown = published(classes, promise, True)
    turned = [list(part) for part in classes]
    orders = []
    for part in turned:
        order = list(range(len(part)))
        random.shuffle(order)
        orders.append(order)
        part[:] = [part[at] for at in order]
    for own, now, order in zip(shown, published(turned, promise, True), orders, strict=True):
        assert [own[at] for at in order] == list(now)


def test_rare_items_are_stars_and_frequent_ones_stay() -> None:
    classes: list[list[list[str | None]]] = [[["a"]] * 6 + [["c"], ["d"], ["e"], ["e", "a"]]]
    shown = published(classes, KnownRecords(k=2, sensitive="s"), True)[0]
    assert shown.count(frozenset({"a"})) == 6
    assert shown.count(frozenset({"cd"})) == 2
    assert frozenset({"e", "a"}) in shown
    alone = published(classes, KnownRecords(k=2, sensitive="s"), False)[0]
    assert alone.count(frozenset({"*"})) == 2
    few = published([[["a"], ["b"]]], KnownRecords(k=3, sensitive="s"), True)[0]
    assert set(few) == {frozenset({"*"})}


def test_too_many_combinations_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(known, "MOST_COMBINATIONS", 2)
    with pytest.raises(PolicyError, match="choose a smaller m"):
        published([[["a", "b", "c"]]], KnownRecords(k=1, m=2, sensitive="s"), True)


def test_who_knows_more_items_than_anybody_has() -> None:
    classes: list[list[list[str | None]]] = [[["a"]] * 6 + [["c", "d"], ["d", "e"], ["e", "a"]]]
    bounds: dict[str, Any]
    for bounds in ({"k": 2}, {"bound": 0.5}):
        many, all_of_them = (KnownRecords(m=m, sensitive="s", **bounds) for m in (2**31, 2))
        assert published(classes, many, True) == published(classes, all_of_them, True)


# From a table to a release


def visits() -> pl.DataFrame:
    random = np.random.default_rng(5)
    rows = [
        (f"P{at:03d}", "fm"[at % 2], VALUES[own] or "", "ABC"[int(random.integers(0, 3))])
        for at in range(60)
        for own in random.choice(6, 3, p=[0.4, 0.3, 0.15, 0.1, 0.03, 0.02])
    ]
    return pl.DataFrame(rows, ["id", "sex", "s", "ward"], orient="row")


def policy(*promises: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "source": {"person": "id"},
        "attributes": {
            "sex": {"role": "quasi-identifier", "hierarchy": "suppress"},
            "s": {"role": "sensitive", "hierarchy": {"tree": {"*": {
                "left": {"ab": ["a", "b"], "cd": ["c", "d"]}, "right": ["e", "f"]}}}},
            "ward": {"role": "sensitive"},
        },
        "promises": [{"model": "k-anonymity", "k": 5}, *promises],
        "method": {"seed": 1},
        **more,
    }  # fmt: skip


KNOWN = {"model": "known-records", "k": 4, "m": 2, "sensitive": "s"}


@pytest.mark.parametrize("algorithm", ["optimal", "mondrian", "k-member", "heuristic"])
def test_a_release_keeps_it(algorithm: str) -> None:
    asked = policy(KNOWN, method={"seed": 1, "algorithm": algorithm})
    table = visits()
    release = ind.anonymize(table, asked)
    verdict = release.run.to_dict()["promises"][1]
    assert verdict["model"] == "known-records"
    assert verdict["parameters"] == {"k": 4, "m": 2}
    assert verdict["holds"]
    assert verdict["achieved"]["k"] is None or verdict["achieved"]["k"] >= 4
    again = ind.audit(release, asked)
    assert again.holds
    found = ind.attack(table, release, asked, only=["known-records"])["known-records"]
    before = ind.attack(table, ind.anonymize(table, policy()), asked, only=["known-records"])
    assert before["known-records"].success["certain"] > found.success["certain"]
    document = release.private["items.json"]["s"]
    assert document["scope"] == "classes"
    assert 0 < document["ncp"] <= 1


def test_nobody_is_singled_out_by_what_is_promised() -> None:
    """Of the promised attributes m known values leave at least k people."""
    asked = policy({"model": "known-records", "k": 3, "m": 3})
    release = ind.anonymize(visits(), asked)
    figures = release.run.to_dict()["singled_out"]["known-records"]
    assert figures["1"]["singled_out"] == 0
    only = policy({**KNOWN, "m": 3})
    del only["attributes"]["ward"]
    told = ind.anonymize(visits().drop("ward"), only).run.to_dict()["singled_out"]["known-records"]
    assert [told[c]["singled_out"] for c in "123"] == [0, 0, 0]


def test_a_bound_makes_nothing_certain() -> None:
    asked = policy({"model": "known-records", "bound": 0.7, "m": 2, "sensitive": "s"})
    del asked["attributes"]["ward"]
    told = ind.anonymize(visits().drop("ward"), asked).run.to_dict()["singled_out"]
    assert [told["known-records"][c]["certain"] for c in "12"] == [0, 0]


def test_suppressed_people_are_a_class() -> None:
    rare = {"id": ["Q1", "Q2", "Q2"], "sex": ["x"] * 3, "s": ["a", "e", "f"], "ward": ["A"] * 3}
    table = pl.concat([visits(), pl.DataFrame(rare)])
    method = {"seed": 1, "suppression_limit": 0.1}
    asked = policy(KNOWN, method=method, output={"suppressed": "keep"})
    release = ind.anonymize(table, asked)
    kept = release.tables.filter(pl.col("sex") == "*")
    assert kept["s"].to_list() == ["*"] * 3
    assert ind.audit(release, asked).holds


def test_what_it_cannot_stand_beside() -> None:
    for other in (
        {"model": "max-posterior", "bound": 0.5, "sensitive": "s"},
        {"model": "km-anonymity", "k": 3, "m": 2, "sensitive": "s"},
        {"model": "known-records", "bound": 0.5, "sensitive": "s"},
    ):
        with pytest.raises(PolicyError, match="cannot be combined with known-records"):
            ind.Policy.from_dict(policy(KNOWN, other))
    allowed = policy(KNOWN, {"model": "max-posterior", "bound": 0.9, "sensitive": "ward"})
    assert ind.anonymize(visits(), allowed).certificate.promises[2]["holds"]


def test_neither_k_nor_bound_is_nothing_to_promise() -> None:
    with pytest.raises(PolicyError, match="needs 'k' or 'bound'"):
        ind.Policy.from_dict(policy({"model": "known-records", "sensitive": "s"}))


@pytest.mark.parametrize("algorithm", ["optimal", "mondrian", "k-member"])
@pytest.mark.parametrize("on", [None, ["age"]])
def test_classes_have_the_people_that_it_promises(algorithm: str, on: list[str] | None) -> None:
    """Whoever knows the class finds k people, also where nothing is left of the items."""
    people = [(f"P{at}", 20 + at, "fm"[at % 2], f"own {at}") for at in range(12)]
    table = pl.DataFrame(people, ["id", "age", "sex", "s"], orient="row")
    promised = {"model": "known-records", "k": 4, "sensitive": "s"}
    asked = {
        "source": {"person": "id"},
        "attributes": {
            "age": {"role": "quasi-identifier", "hierarchy": {"intervals": 2}},
            "sex": {"role": "quasi-identifier", "hierarchy": "suppress"},
            "s": {"role": "sensitive"},
        },
        "promises": [promised if on is None else {**promised, "on": on}],
        "method": {"algorithm": algorithm, "seed": 1},
    }
    release = ind.anonymize(table, asked)
    sizes = release.tables.group_by(on or ["age", "sex"]).agg(pl.col("id").n_unique())["id"]
    assert sizes.min() >= 4
    assert release.certificate.promises[0]["achieved"]["k"] == sizes.min()
    found = ind.attack(table, release, asked, only=["known-records"])["known-records"]
    assert found.figures["1"]["singled_out"] == 0
