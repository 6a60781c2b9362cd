"""Attackers of people, held against trying out everything they could know."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.analytics.attacks.contexts import of_classes
from tests.analytics.attacks.people_contexts import lists, of_lists, of_people, partial_cut

from indistinct.analytics.attacks import (
    background_exclusion,
    composition,
    corruption,
    fingerprint_correlation,
    worst_posterior,
)
from indistinct.analytics.attacks.context import AttackContext
from indistinct.hierarchies.taxonomy import Taxonomy
from indistinct.metadata import ValueMetadata

VALUES = ("a", "b", "c", "d", "e")
HOMES = {"a": "vowel", "e": "vowel", "b": "other", "c": "other", "d": "other"}
SETS = st.lists(st.sampled_from(VALUES), min_size=1, max_size=3, unique=True)
CLASSES = st.lists(st.lists(SETS, min_size=1, max_size=4), min_size=1, max_size=3)


def flat(classes: Sequence[Sequence[Sequence[str]]]) -> list[tuple[int, list[str]]]:
    return [(at, list(own)) for at, part in enumerate(classes) for own in part]


@settings(max_examples=80)
@given(CLASSES)
def test_one_exclusion_in_a_long_release(classes: list[list[list[str]]]) -> None:
    scene = of_people(classes)
    belief = scene.own("s").best(background_exclusion.after_exclusion(scene, "s", 1))
    for person, (group, own) in enumerate(flat(classes)):
        best = Fraction(0)
        rows = [set(other) for at, other in flat(classes) if at == group]
        for excluded in [None, *(set(VALUES) - set(own))]:
            left = [row for row in rows if excluded not in row]
            if left:
                best = max(best, *(Fraction(sum(v in row for row in left), len(left)) for v in own))
        assert belief[person] == pytest.approx(float(best))


@settings(max_examples=80)
@given(CLASSES, st.integers(1, 2), st.booleans())
def test_exclusions_without_the_release_are_those_of_one_class(
    classes: list[list[list[str]]], b: int, single: bool
) -> None:
    if single:
        classes = [[own[:1] for own in part] for part in classes]
    split, whole = of_people(classes), of_people([[own for part in classes for own in part]])
    after = background_exclusion.after_exclusion
    alone = split.own("s").best(after(split, "s", b, everywhere=True))
    assert alone == pytest.approx(whole.own("s").best(after(whole, "s", b)))


@settings(max_examples=80)
@given(st.lists(st.lists(st.sampled_from(VALUES), min_size=1, max_size=5), min_size=1, max_size=4))
def test_exclusions_of_records_without_the_release(classes: list[list[str]]) -> None:
    split, whole = of_classes(classes), of_classes([[own for part in classes for own in part]])
    after = background_exclusion.after_exclusion
    alone = split.own("s").best(after(split, "s", 1, everywhere=True))
    assert alone == pytest.approx(whole.own("s").best(after(whole, "s", 1)))


@settings(max_examples=50)
@given(CLASSES, st.integers(1, 3))
def test_more_exclusions_reach_what_is_possible_at_most(
    classes: list[list[list[str]]], b: int
) -> None:
    scene = of_people(classes)
    belief = scene.own("s").best(background_exclusion.after_exclusion(scene, "s", b))
    base = scene.true_belief("s")
    for person, (group, own) in enumerate(flat(classes)):
        rows = [set(other) for at, other in flat(classes) if at == group]
        best = 0.0
        others = sorted(set(VALUES) - set(own))
        for number in range(b + 1):
            for excluded in combinations(others, number):
                left = [row for row in rows if not row & set(excluded)]
                if left:
                    best = max(best, *(sum(v in row for row in left) / len(left) for v in own))
        assert base[person] - 1e-9 <= belief[person] <= best + 1e-9


@st.composite
def linked(draw: st.DrawFn, holding: str = "one") -> tuple[AttackContext, list[int], list[int]]:
    """A release of classes linked to buckets of one value for everybody."""
    classes = draw(st.lists(st.integers(1, 3), min_size=1, max_size=3))
    class_of = [at for at, size in enumerate(classes) for _ in range(size)]
    bucket_of = [draw(st.integers(0, 2)) for _ in class_of]
    listed = [
        [draw(st.sampled_from(VALUES)) for own in bucket_of if own == bucket] for bucket in range(3)
    ]
    people = [[draw(SETS) for _ in range(size)] for size in classes]
    return (
        of_people(people, published=listed, bucket_of=bucket_of, semantics=holding),
        class_of,
        bucket_of,
    )


@settings(max_examples=80)
@given(linked(), st.integers(1, 2))
def test_exclusions_where_everybody_has_one_value(
    drawn: tuple[AttackContext, list[int], list[int]], b: int
) -> None:
    scene, class_of, _ = drawn
    belief = scene.own("s").best(background_exclusion.after_exclusion(scene, "s", b))
    labels, held = scene.labels("s"), scene.spread("s").held.dense(len(scene.labels("s")))
    numbers = sorted(set(class_of))
    values = scene.values["s"]
    for person, group in enumerate(class_of):
        own = {values.labels[at] for at in values[person]}
        row = dict(zip(labels, held[numbers.index(group)], strict=True))
        size, best = class_of.count(group), 0.0
        for excluded in combinations([label for label in labels if label not in own], b):
            left = size - sum(row[label] for label in excluded)
            if left > 1e-9:
                best = max([best, *(row.get(v, 0.0) / left for v in own)])
        if len(set(labels) - own) < b:
            left = size - sum(row[label] for label in labels if label not in own)
            if left > 1e-9:
                best = max([best, *(row.get(v, 0.0) / left for v in own)])
        assert belief[person] == pytest.approx(best)


@settings(max_examples=80)
@given(CLASSES, st.integers(1, 2))
def test_colleagues_in_a_long_release(classes: list[list[list[str]]], c: int) -> None:
    scene = of_people(classes)
    found = corruption._finding(scene, "s", c)
    beliefs = []
    rows = flat(classes)
    for person, (group, own) in enumerate(rows):
        others = [set(o) for at, (g, o) in enumerate(rows) if g == group and at != person]
        best = 0.0
        for known in combinations(range(len(others)), min(c, len(others))):
            left = [set(own), *(o for at, o in enumerate(others) if at not in known)]
            best = max(best, *(sum(v in row for row in left) / len(left) for v in own))
        beliefs.append(best)
    assert found.success["certain"] == np.mean(np.array(beliefs) >= 1 - 1e-9)
    assert found.success["0.5"] == np.mean(np.array(beliefs) >= 0.5 - 1e-9)
    prior = scene.true_prior("s")
    assert found.gain["mean"] == pytest.approx(float(np.mean(np.array(beliefs) - prior)))


@settings(max_examples=80)
@given(linked(), st.integers(1, 2))
def test_colleagues_of_a_bucket(drawn: tuple[AttackContext, list[int], list[int]], c: int) -> None:
    scene, class_of, bucket_of = drawn
    worst, average = corruption.of_buckets(scene, "s", c)
    part, own = scene.buckets["s"], scene.own("s")
    for pair, (person, label) in enumerate(zip(own.person, own.label, strict=True)):
        rows = [bucket_of[at] for at, group in enumerate(class_of) if group == class_of[person]]
        shares = {b: part.dense(len(part.labels))[b][label] / part.size[b] for b in set(rows)}
        base = sum(shares[b] for b in rows)
        best, mean = base, 0.0
        for b in rows:
            listed = [v for v, n in zip(part[b], _counts(part, b), strict=True) for _ in range(n)]
            if label not in listed:
                mean += base
                continue
            # The target has one of the listed values; c of the others are known.
            rest = listed.copy()
            rest.remove(label)
            known = min(c, len(rest))
            choices = list(combinations(range(len(rest)), known))
            after = [
                (1 + sum(v == label for at, v in enumerate(rest) if at not in chosen))
                / (len(listed) - known)
                for chosen in choices
            ]
            best = max(best, base + rows.count(b) * (max(after) - shares[b]))
            mean += base + rows.count(b) * (sum(after) / len(after) - shares[b])
        assert worst[pair] == pytest.approx(min(best / len(rows), 1))
        assert average[pair] == pytest.approx(mean / len(rows) / len(rows))


def _counts(part: object, bucket: int) -> list[int]:
    found: list[int] = part.amount[  # type: ignore[attr-defined]
        part.indptr[bucket] : part.indptr[
            bucket + 1
        ]  # type: ignore[attr-defined]
    ].tolist()
    return found


@settings(max_examples=80)
@given(CLASSES, st.booleans())
def test_sets_that_hold_all_values_but_one(classes: list[list[list[str]]], cut: bool) -> None:
    rows = flat(classes)
    published = [[str(v) for v in (partial_cut(own, HOMES) if cut else own)] for _, own in rows]
    scene = of_people(classes, published=published, known={"s": ValueMetadata(categories=HOMES)})
    seen = fingerprint_correlation._of_sets(scene, "s")
    values = scene.covering("s").values
    own_values = scene.own_values("s")
    assert seen.near is not None
    entry = 0

    def over(labels: Sequence[str], value: str) -> set[str]:
        return {label for label in labels if label in (value, HOMES[value])}

    listed = {label for labels in published for label in labels}
    told = [
        [*labels, *{HOMES.get(label, label) for label in labels} & listed] for labels in published
    ]

    for person, (group, own) in enumerate(rows):
        names = [str(values[at]) for at in own_values[person]]
        assert sorted(names) == sorted(own)
        for left in names:
            known = [v for v in names if v != left]
            hold = [all(over(labels, v) for v in known) for labels in published]
            shown = [
                bool(over(labels, left) - set().union(*(over(labels, k) for k in known)))
                for labels in told
            ]
            near = [is_it and at == group for is_it, (at, _) in zip(hold, rows, strict=True)]
            assert seen.candidates[entry] == sum(hold)
            assert seen.near[entry] == sum(near)
            assert seen.right[entry] == sum(a and b for a, b in zip(hold, shown, strict=True))
            entry += 1
        whole = sum(all(over(labels, v) for v in names) for labels in published)
        assert seen.whole[person] == whole
    assert entry == len(seen.person)


def crossing(scene: AttackContext, groups: Sequence[int], **more: object) -> AttackContext:
    """The same people in other classes."""
    leaves = scene.people["q"].to_list()
    cells = []
    for own in groups:
        members = [leaf for leaf, group in zip(leaves, groups, strict=True) if group == own]
        cells.append("{" + ", ".join(members) + "}" if len(members) > 1 else members[0])
    linked_so: dict[str, object] = {
        "buckets": scene.buckets,
        "bucket_of": scene.bucket_of,
        **more,
    }
    return of_lists(
        quasi=scene.quasi,
        sensitive=scene.sensitive,
        people=scene.people,
        values=scene.values,
        rows=pl.DataFrame({"q": cells}),
        semantics=scene.bucket_semantics,
        taxonomies=scene.places.taxonomies,
        **linked_so,  # type: ignore[arg-type]
    )


def chained(scenes: Sequence[AttackContext]) -> AttackContext:
    """Releases that follow each other."""
    last = scenes[-1]
    for scene in reversed(scenes[:-1]):
        last = replace(scene, second=last)
    return last


@settings(max_examples=60)
@given(CLASSES, st.data())
def test_sets_of_several_long_releases(classes: list[list[list[str]]], data: st.DataObject) -> None:
    first = of_people(classes)
    rows = flat(classes)
    ways = data.draw(
        st.lists(st.tuples(*(st.integers(0, 2) for _ in rows)), min_size=1, max_size=3)
    )
    second = chained([crossing(first, groups) for groups in ways])
    with pytest.MonkeyPatch.context() as few:
        few.setattr(composition, "TOGETHER", data.draw(st.sampled_from([2, 100])))
        told = composition.by_sets(first, second, "s")
    for person, (group, own) in enumerate(rows):
        here = [frozenset(o) for g, o in rows if g == group]
        pairs = here
        for groups in ways:
            there = [
                frozenset(o) for g, (_, o) in zip(groups, rows, strict=True) if g == groups[person]
            ]
            pairs = [one for one in pairs for other in there if one == other]
        best = max(Fraction(sum(v in one for one in pairs), len(pairs)) for v in own)
        assert told.belief[person] == pytest.approx(float(best))
        assert told.common[person] == len(set(pairs))
        assert told.alone[person] == len(set(here))


@settings(max_examples=60)
@given(linked(), st.data())
def test_values_of_several_linked_releases(
    drawn: tuple[AttackContext, list[int], list[int]], data: st.DataObject
) -> None:
    first, class_of, bucket_of = drawn
    people = len(class_of)
    further = []
    for _ in range(data.draw(st.integers(1, 3))):
        groups = [data.draw(st.integers(0, 2)) for _ in range(people)]
        others = [data.draw(st.integers(0, 1)) for _ in range(people)]
        listed = [[data.draw(st.sampled_from(VALUES)) for o in others if o == b] for b in range(2)]
        scene = crossing(
            first, groups, buckets={"s": lists(listed)}, bucket_of=np.array(others, np.int32)
        )
        further.append((scene, groups, others))
    with pytest.MonkeyPatch.context() as few:
        few.setattr(composition, "TOGETHER", data.draw(st.sampled_from([2, 100])))
        told = composition.by_values(first, chained([scene for scene, _, _ in further]), "s")

    def belief(
        scene: AttackContext, members: list[int], links: Sequence[int], value: str
    ) -> Fraction:
        part = scene.buckets["s"]
        total = Fraction(0)
        for at in members:
            bucket = links[at]
            names = [part.labels[v] for v in part[bucket]]
            counts = dict(zip(names, _counts(part, bucket), strict=True))
            total += Fraction(counts.get(value, 0), int(part.size[bucket]))
        return total

    for person in range(people):
        here = [at for at, own in enumerate(class_of) if own == class_of[person]]
        both = {v: belief(first, here, bucket_of, v) for v in VALUES}
        for scene, groups, others in further:
            there = [at for at, own in enumerate(groups) if own == groups[person]]
            both = {v: own * belief(scene, there, others, v) for v, own in both.items()}
        total = sum(both.values())
        assert told.common[person] == sum(weight > 0 for weight in both.values())
        if total:
            own = [first.values["s"].labels[v] for v in first.values["s"][person]]
            best = max(both[str(v)] for v in own) / total
            assert told.belief[person] == pytest.approx(float(best))


@settings(max_examples=60)
@given(st.lists(st.tuples(st.integers(0, 9), SETS), min_size=1, max_size=6), st.data())
def test_the_worst_of_overlapping_classes(
    people: list[tuple[int, list[str]]], data: st.DataObject
) -> None:
    cells = [data.draw(st.sampled_from(["[0, 4]", "[3, 9]", "*", "5"])) for _ in people]
    base = of_people([[own for _, own in people]])
    scene = of_lists(
        quasi=("q",),
        sensitive=("s",),
        people=pl.DataFrame({"q": [str(age) for age, _ in people]}),
        values=base.values,
        rows=pl.DataFrame({"q": cells}),
        bucket_of=base.bucket_of,
        buckets=base.buckets,
        semantics="all",
        taxonomies={"q": Taxonomy("q", [(str(age), "*") for age in range(10)])},
    )
    covers = {"[0, 4]": range(5), "[3, 9]": range(3, 10), "5": [5]}
    assume(scene.places.suppressed <= (~scene.places.in_class).sum())
    found = worst_posterior.posteriors(scene, "s")
    pooled, prior = scene.true_belief("s"), scene.true_prior("s")
    for person, (age, own) in enumerate(people):
        classes = {cell for cell in cells if cell != "*" and age in covers[cell]}
        classes = classes or {cell for cell in cells if cell == "*"}
        sets = {
            cell: [set(o) for (_, o), c in zip(people, cells, strict=True) if c == cell]
            for cell in classes
        }
        if not classes:
            assert found[person] == pytest.approx(prior[person])
            continue
        shares = {(cell, v): sum(v in o for o in sets[cell]) for cell in classes for v in own}
        assert found[person] == pytest.approx(
            max(number / len(sets[cell]) for (cell, _), number in shares.items())
        )
        size = sum(map(len, sets.values()))
        assert pooled[person] == pytest.approx(
            max(sum(shares[cell, v] for cell in classes) / size for v in own)
        )


def test_a_scene_is_replaced_without_what_was_counted() -> None:
    scene = of_people([[["a"], ["b"]]])
    assert scene.true_belief("s").tolist() == [0.5, 0.5]
    other = replace(scene, buckets={"s": lists([["a"], ["a"]])})
    assert other.true_belief("s").tolist() == [1.0, 0.0]
