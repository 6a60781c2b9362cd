"""Known records, held against trying out every set of known values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations, product
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.analytics.attacks.contexts import of_records
from tests.analytics.attacks.people_contexts import lists, of_people

from indistinct.analytics.attacks import Finding, Skipped, known_records
from indistinct.analytics.attacks.context import AttackContext
from indistinct.hierarchies.taxonomy import Taxonomy
from indistinct.metadata import ValueMetadata

VALUES = ("a", "b", "c", "d", "e", "f")
TREE = {"a": "vowel", "e": "vowel", "b": "early", "c": "early", "d": "early", "f": "early"}
KNOWN = ValueMetadata(chains=tuple((value, home, "*") for value, home in TREE.items()))
SETS = st.lists(st.sampled_from(VALUES), min_size=1, max_size=5, unique=True)
CLASSES = st.lists(st.lists(SETS, min_size=1, max_size=5), min_size=1, max_size=3)

People = Sequence[tuple[int, frozenset[tuple[str, ...]]]]
"""The class and the items of everybody; an item is the labels that cover a value."""
Rows = Sequence[tuple[int, frozenset[str]]]
"""The class of every row, and the labels it shows."""


def won(found: Finding | Skipped) -> Finding:
    assert isinstance(found, Finding)
    return found


def expected(people: People, rows: Rows) -> dict[str, dict[str, float]]:
    """The figures by trying out every set of known items; ``*`` stands for any, if it has to."""
    settled = [(at, exactly(at, own, rows) if fits(at, own, rows) else own) for at, own in people]
    return figures(settled, rows)


def exactly(
    group: int, items: frozenset[tuple[str, ...]], rows: Rows
) -> frozenset[tuple[str, ...]]:
    """Items without the star, where rows of the class show them more exactly."""
    found = set()
    for item in items:
        plain = tuple(label for label in item if label != "*")
        shown = any(set(plain) & own for at, own in rows if at == group)
        found.add(plain if shown else item)
    return frozenset(found)


def fits(group: int, items: frozenset[tuple[str, ...]], rows: Rows) -> bool:
    """Whether a row of the class shows all items, each as exactly as any row does."""
    own = exactly(group, items, rows)
    return any(all(set(item) & shown for item in own) for at, shown in rows if at == group)


def figures(people: People, rows: Rows) -> dict[str, dict[str, float]]:
    """The figures of items whose labels are settled."""
    told = {}
    for c in (1, 2, 3):
        singled, average, certain = [], [], []
        for group, items in people:
            fitting = [shown for at, shown in rows if at == group]
            sets = list(combinations(sorted(items), min(c, len(items))))
            alone = sure = 0
            if any(all(shown & set(item) for item in items) for shown in fitting):
                for known in sets:
                    left = [s for s in fitting if all(s & set(item) for item in known)]
                    alone += len(left) == 1
                    others = items - set(known)
                    new = [
                        item
                        for item in others
                        if all(
                            any(
                                label != "*" and sum(label in own for own in items) == 1
                                for label in s & set(item)
                            )
                            for s in left
                        )
                    ]
                    sure += bool(new)
            singled.append(alone > 0)
            average.append(alone / len(sets))
            certain.append(sure > 0)
        told[str(c)] = {
            "singled_out": float(np.mean(singled)),
            "average": float(np.mean(average)),
            "certain": float(np.mean(certain)),
        }
    return told


def close(found: Finding, figures: dict[str, dict[str, float]]) -> None:
    for c, own in figures.items():
        assert found.figures[c] == pytest.approx(own), c


@settings(max_examples=150)
@given(CLASSES)
def test_long_releases(classes: list[list[list[str]]]) -> None:
    rows = [(at, frozenset(own)) for at, part in enumerate(classes) for own in part]
    people = [(at, frozenset((value,) for value in own)) for at, own in rows]
    found = won(known_records.run(of_people(classes)))
    close(found, expected(people, rows))
    assert found.success["certain"] == expected(people, rows)["1"]["singled_out"]


@settings(max_examples=100)
@given(CLASSES, st.sets(st.sampled_from(VALUES)), st.sets(st.sampled_from(VALUES)))
def test_generalized_values(
    classes: list[list[list[str]]], lifted: set[str], starred: set[str]
) -> None:
    """Some values are published as the node above them, or as a star, in some classes only."""
    every = [(at, own) for at, part in enumerate(classes) for own in part]
    published = [
        sorted(
            {
                "*" if v in starred and at != 1 else TREE[v] if v in lifted and at % 2 == 0 else v
                for v in own
            }
        )
        for at, own in every
    ]
    rows = [(at, frozenset(own)) for (at, _), own in zip(every, published, strict=True)]
    labels = sorted({label for own in published for label in own})
    scene = of_people(classes, published=published, known={"s": KNOWN})
    over = scene.covering("s").over
    names = scene.labels("s")
    values = scene.covering("s").values
    star = ("*",) if "*" in labels else ()
    covers = {
        value: (*(names[at] for at in over[n] if names[at] != "*"), *star)
        for n, value in enumerate(values)
    }
    assert set(names) == set(labels)
    people = [(at, frozenset(covers[v] for v in own if covers[v])) for at, own in every]
    close(won(known_records.run(scene)), expected(people, rows))


@settings(max_examples=100)
@given(CLASSES, CLASSES)
def test_who_is_not_published(
    classes: list[list[list[str]]], others: list[list[list[str]]]
) -> None:
    """Rows of others single nobody out whose values they do not show."""
    published = [own for part in others for own in part]
    count = sum(map(len, classes))
    rows_of = [at for at, part in enumerate(classes) for _ in part]
    published = (published * count)[:count]
    rows = [(at, frozenset(own)) for at, own in zip(rows_of, published, strict=True)]
    there = {value for own in published for value in own}
    people = [
        (at, frozenset((value,) for value in own if value in there))
        for at, part in enumerate(classes)
        for own in part
    ]
    scene = of_people(classes, published=published, known={"s": KNOWN})
    close(won(known_records.run(scene)), expected(people, rows))


@settings(max_examples=60)
@given(st.lists(st.tuples(*[st.sampled_from("xyz")] * 4), min_size=1, max_size=12))
def test_rows(table: list[tuple[str, ...]]) -> None:
    """Every record of another person: one value of every attribute."""
    names = ["q", "s", "t", "u"]
    frame = pl.DataFrame(table, schema=names, orient="row")
    scene = of_records(
        ["q"], ["s", "t", "u"], frame, frame,
        {"q": Taxonomy("q", [(value, "*") for value in sorted(set(frame["q"]))])},
    )  # fmt: skip
    rows = [("xyz".index(q), frozenset(f"{n} {v}" for n, v in zip(names[1:], own, strict=True)))
            for q, *own in table]  # fmt: skip
    people = [(at, frozenset((label,) for label in own)) for at, own in rows]
    close(won(known_records.run(scene)), expected(people, rows))


def test_linked_tables_show_what_buckets_list() -> None:
    classes = [[["a"], ["b"], ["c"]]]
    scene = of_people(classes, published=[["a", "b"], ["c"]], bucket_of=[0, 0, 1], semantics="one")
    found = won(known_records.run(scene))
    assert found.figures["1"] == pytest.approx(
        {"singled_out": 1 / 3, "average": 1 / 3, "certain": 0.0}
    )
    assert found.success["0.5"] == 1.0


Listed = list[tuple[frozenset[str], ...]]
"""The set of each attribute, of everybody."""


def of_sets(listed: Listed, bucket_of: Sequence[int], **more: Any) -> AttackContext:
    """People of one class whose buckets list their sets of values, attribute by attribute."""
    names = ("s", "t")[: len(listed[0])]
    published: dict[str, list[list[str]]] = {
        name: [
            [
                "{" + ", ".join(sorted(own[at])) + "}" if len(own[at]) > 1 else min(own[at])
                for own, of in zip(listed, bucket_of, strict=True)
                if of == bucket
            ]
            for bucket in range(max(bucket_of) + 1)
        ]
        for at, name in enumerate(names)
    }
    scene = of_people([[sorted(own[0]) for own in listed]], bucket_of=bucket_of, semantics="one",
                      published=published["s"], **more)  # fmt: skip
    return replace(
        scene,
        sensitive=names,
        values={n: lists([sorted(own[at]) for own in listed]) for at, n in enumerate(names)},
        buckets={name: lists(published[name]) for name in names},
    )


def counted(listed: Listed, bucket_of: Sequence[int]) -> dict[str, dict[str, float]]:
    """The figures by trying out every row, and in it every set of each attribute."""
    told = {}
    items_of = [[{(at, value) for value in part} for at, part in enumerate(own)] for own in listed]
    every_row = [
        (row, set().union(*one))
        for row, bucket in enumerate(bucket_of)
        for one in product(
            *zip(
                *(o for o, of in zip(items_of, bucket_of, strict=True) if of == bucket), strict=True
            )
        )
    ]
    for c in (1, 2, 3):
        singled, average, certain = [], [], []
        for own in items_of:
            items = set().union(*own)
            sets = list(combinations(sorted(items), min(c, len(items))))
            alone = sure = 0
            for known in sets:
                left = [(row, one) for row, one in every_row if one.issuperset(known)]
                alone += len({row for row, _ in left}) == 1
                every = set.intersection(*(one for _, one in left))
                sure += bool((every & items) - set(known))
            singled.append(alone > 0)
            average.append(alone / len(sets))
            certain.append(sure > 0)
        told[str(c)] = {
            "singled_out": float(np.mean(singled)),
            "average": float(np.mean(average)),
            "certain": float(np.mean(certain)),
        }
    return told


def test_of_sets_that_have_the_known_value_the_others_become_certain() -> None:
    listed = [(frozenset(own),) for own in ("ab", "cd", "ef", "ab", "ac", "e")]
    bucket_of = [0, 0, 0, 1, 1, 1]
    found = won(known_records.run(of_sets(listed, bucket_of)))
    close(found, counted(listed, bucket_of))
    assert found.figures["1"]["certain"] == pytest.approx(4 / 6)  # type: ignore[index]


OWN = st.sets(st.sampled_from(VALUES), min_size=1, max_size=4).map(frozenset)


@settings(max_examples=150)
@given(st.data(), st.integers(1, 2), st.integers(1, 7), st.booleans())
def test_sets_of_values_in_buckets(
    data: st.DataObject, attributes: int, people: int, ordered: bool
) -> None:
    listed = data.draw(st.lists(st.tuples(*[OWN] * attributes), min_size=people, max_size=people))
    drawn = data.draw(st.lists(st.integers(0, 2), min_size=people, max_size=people))
    bucket_of = [sorted(set(drawn)).index(bucket) for bucket in drawn]
    kinds = ValueMetadata(categories=TREE, category_order=("early", "vowel"))
    # Where nobody has several values, the highest category may be what is published.
    several = all(any(len(own[at]) > 1 for own in listed) for at in range(attributes))
    known = {"s": kinds, "t": kinds} if ordered and several else {}
    close(
        won(known_records.run(of_sets(listed, bucket_of, known=known))), counted(listed, bucket_of)
    )


def test_a_lower_value_allows_the_highest_category_of_others() -> None:
    """Rows show the highest category: who had a cold may stand where only grave ills are listed."""
    kinds = ValueMetadata(
        categories={"cold": "mild", "HIV": "grave"}, category_order=("mild", "grave")
    )
    scene = of_people(
        [[["cold"], ["cold", "HIV"], ["HIV"]]],
        published=[["mild"], ["grave"], ["grave"]],
        bucket_of=[0, 1, 2],
        semantics="one",
        known={"s": kinds},
    )
    found = won(known_records.run(scene))
    assert found.figures["1"]["singled_out"] == 0.0  # type: ignore[index]


def test_somebody_of_many_values_is_known_by_the_rarest() -> None:
    common = [f"c{at}" for at in range(40)]
    found = won(known_records.run(of_people([[[*common, "rare"], common]])))
    assert found.figures["1"] == {"singled_out": 0.5, "average": 1 / 64, "certain": 1.0}


def test_some_people_are_drawn_where_all_take_too_long() -> None:
    classes = [[["a", str(at)] for at in range(50)] for _ in range(40)]
    scene = of_people(classes)
    found = won(known_records.run(scene, most=20_000.0))
    number = found.figures["looked_at"]
    assert isinstance(number, int)
    assert 1 <= number < 2000
    assert found.figures["error"] == pytest.approx(known_records.margin(number))
    assert found.figures["1"] == {"singled_out": 1.0, "average": 0.5, "certain": 1.0}
    assert found.people == 2000


def test_of_very_many_people_some_are_drawn_and_the_share_is_that_of_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    scene = of_people([[["a"] if at % 3 else ["a", str(at)] for at in range(60)]])
    everybody = won(known_records.run(scene))
    assert "drawn" not in everybody.note
    monkeypatch.setattr(known_records, "MANY", 59)
    monkeypatch.setattr(known_records, "DRAWN", 20)
    drawn = [won(known_records.run(replace(scene, seed=seed))) for seed in range(40)]
    assert drawn[0].figures["looked_at"] == 20
    assert "Found from 20 people drawn at random, give or take 21.9%." in drawn[0].note
    whole = everybody.figures["1"]
    assert isinstance(whole, dict)
    for key, share in whole.items():
        each = np.array([one.figures["1"][key] for one in drawn])  # type: ignore[index,call-overload]
        assert each.mean() == pytest.approx(share, abs=2 * known_records.margin(20 * 40))
        assert (abs(each - share) <= known_records.margin(20)).mean() >= 0.9
    monkeypatch.setattr(known_records, "DRAWN", 60)
    assert won(known_records.run(scene)).figures["1"] == whole


@settings(max_examples=40)
@given(CLASSES, st.data())
def test_some_people_need_the_rows_of_their_classes_alone(
    classes: list[list[list[str]]], data: st.DataObject
) -> None:
    scene = of_people(classes)
    people = [at for at, own in enumerate(classes) for _ in own]
    chosen = np.array(data.draw(st.tuples(*(st.booleans() for _ in people))), np.bool_)
    rows = np.flatnonzero(np.isin(people, np.array(people)[chosen]))
    every = known_records.know(scene, known_records.items_of(scene, "s"))
    some = known_records.know(scene, known_records.items_of(scene, "s", rows=rows), chosen=chosen)
    assert (some.looked == chosen).all()
    assert (some.found == every.found[chosen]).all()
    assert (some.fewest == every.fewest[chosen]).all()


def test_nothing_is_found_where_nothing_is_published() -> None:
    scene = of_people([[["a"], ["b"]]])
    assert isinstance(scene, AttackContext)
    empty = AttackContext(
        places=scene.places, sensitive=(), values={}, bucket_of=scene.bucket_of, buckets={},
        bucket_semantics="all",
    )  # fmt: skip
    skipped = known_records.run(empty)
    assert isinstance(skipped, Skipped)
    assert "only quasi-identifiers are published" in skipped.why


def test_what_cannot_be_followed_is_said() -> None:
    scene = of_people([[["a"], ["b"]]], published=[["a"], ["strange"]])
    skipped = known_records.run(scene)
    assert isinstance(skipped, Skipped)
    assert "1 published value is neither of the table" in skipped.why
    beside = replace(
        scene,
        cells={"ward": lists([["A"], ["B"]])},
        cells_of=np.arange(2),
        beside={"ward": lists([["A"], ["B"]])},
    )
    found = won(known_records.run(beside))
    assert found.figures["1"]["singled_out"] == 1.0  # type: ignore[index]
    assert "'s' is not looked at: 1 published value" in found.note
