"""What holds of every promise there is: closure, sizes that are safe, and an audit that agrees.

A search concludes from the closure which generalizations need no look. One that is wrong makes it
prove wrong results. The audit shares no method with the search, and has to say the same.
"""

from __future__ import annotations

import functools
import itertools
import math
import operator
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, Field, fields, replace
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.privacy.drawing import Class, Counts, classes, table

from indistinct.errors import PolicyError
from indistinct.metadata import ValueMetadata
from indistinct.microdata.domains import SensitiveDomain
from indistinct.microdata.frequencies import ClassTable
from indistinct.privacy import Promise, models, promise
from indistinct.privacy.promise import SHARED
from indistinct.release.audit import audit, checks
from indistinct.release.audit.check import ClassCheck
from indistinct.requirement import ABOUT_VALUES

KINDS = {name: kind for name, kind in models().items() if not kind.__module__.startswith("test")}
"""Every model but those that tests define for themselves."""

OF_CLASSES = sorted(name for name, kind in KINDS.items() if kind.subject == "classes")

CHECKED = settings(
    max_examples=60, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow]
)

NUMBERS = [
    0.0,
    0.01,
    0.05,
    0.1,
    0.25,
    0.3,
    1 / 3,
    0.4,
    0.5,
    0.6,
    2 / 3,
    0.9,
    1.0,
    1.5,
    2.0,
    2.5,
    4.0,
]

OF_TYPE: dict[str, Sequence[Any] | st.SearchStrategy[Any]] = {
    "int": range(1, 10),
    "float": NUMBERS,
    "int | None": range(1, 10),
    "float | None": [None, *NUMBERS],
    "bool | int": [True, False, 1, 3],
    "tuple[str, ...]": [
        item
        for size in (0, 1, 2)
        for item in itertools.product(["", "1", "2", "3", "5"], repeat=size)
    ],
    "Mapping[str, int] | str": st.one_of(
        st.fixed_dictionaries(dict.fromkeys("1234", st.integers(1, 9))),
        st.integers(1, 7).map(lambda k: dict.fromkeys("1234", k)),
    ),
}
"""What a parameter can be, by its type: one of a few, or drawn."""


def _ways(item: Field[Any]) -> Sequence[Any] | st.SearchStrategy[Any] | None:
    """What one parameter can be; None for its default."""
    kind = str(item.type)
    if kind == "str" and "must" in item.metadata:
        words: Sequence[str] = item.metadata["must"].keywords["known"]
        return words
    if kind in OF_TYPE:
        return OF_TYPE[kind]
    if item.default is MISSING:
        pytest.fail(f"nothing here draws '{item.name}', which is {kind}")
    return None


@functools.cache
def _named() -> Sequence[Mapping[str, Any]]:
    """Which values a promise is about, in all ways that no promise refuses."""
    lists = OF_TYPE["tuple[str, ...]"]
    assert isinstance(lists, list)
    return [
        dict(zip(ABOUT_VALUES, found, strict=True))
        for found in itertools.product(lists, repeat=3)
        if not (found[0] and found[1]) and not {*found[2]} & {*found[0], *found[1]}
    ]


@functools.cache
def promises(model: str, reference: str = "original") -> st.SearchStrategy[Promise]:
    """A promise of that model with any parameters that it accepts.

    Those that can be few things are listed and tried beforehand: hardly anything drawn is refused.
    """
    kind = KINDS[model]
    further: dict[str, Any] = {"sensitive": "s"} if kind.needs_sensitive else {}
    if kind.compares:
        further["reference"] = reference
    ways = {item.name: _ways(item) for item in fields(kind) if item.name not in SHARED}
    drawn = {name: way for name, way in ways.items() if isinstance(way, st.SearchStrategy)}
    if about := {*ABOUT_VALUES} & {*ways}:
        assert about == {*ABOUT_VALUES}
    listed = {
        name: way
        for name, way in ways.items()
        if way is not None and name not in drawn and name not in about
    }

    def made(*parts: Mapping[str, Any]) -> Promise | None:
        try:
            return kind(**functools.reduce(operator.or_, parts, further))
        except PolicyError:
            return None

    tried = (dict(zip(listed, found, strict=True)) for found in itertools.product(*listed.values()))
    few = tried if drawn else (one for one in tried if made(one) is not None)
    return st.builds(
        made,
        st.sampled_from(list(few)),
        st.just({}) | st.sampled_from(_named()) if about else st.just({}),
        st.fixed_dictionaries(drawn),
    ).filter(bool)


# Closure


@st.composite
def additions(draw: st.DrawFn) -> Class:
    """Records that are added to a class: any, or many of one value, as hard to bear as can be."""
    if draw(st.booleans()):
        return draw(classes())
    value, many = draw(st.integers(0, 5)), draw(st.sampled_from([1, 9, 99]))
    counts = tuple(many if at == value else 0 for at in range(6))
    return Class(counts, many + draw(st.sampled_from([0, 1, 99])))


def kept(asked: Promise, one: Class, reference: Counts) -> bool:
    return not asked.breaks(table([one], reference)).any()


@pytest.mark.parametrize("model", OF_CLASSES)
@CHECKED
@given(data=st.data())
def test_supersets(model: str, data: st.DataObject) -> None:
    """A class that keeps the promise keeps it after any records are added."""
    asked = data.draw(promises(model))
    if asked.effective_closure != "superset":
        return
    one, more = data.draw(classes(least=1)), data.draw(additions())
    reference = data.draw(classes(least=1)).counts
    if kept(asked, one, reference):
        assert kept(asked, one + more, reference)


@pytest.mark.parametrize("model", OF_CLASSES)
@CHECKED
@given(data=st.data())
def test_unions(model: str, data: st.DataObject) -> None:
    """Classes that keep the promise keep it when they merge."""
    asked = data.draw(promises(model))
    if asked.effective_closure == "none":
        return
    reference = data.draw(classes(least=1)).counts
    parts = data.draw(st.lists(classes(), min_size=2, max_size=4))
    good = [part for part in parts if kept(asked, part, reference)]
    if good:
        assert kept(asked, functools.reduce(operator.add, good), reference)


@pytest.mark.parametrize("model", OF_CLASSES)
@CHECKED
@given(data=st.data())
def test_sizes_that_are_safe(model: str, data: st.DataObject) -> None:
    """No class of more than ``largest_violating_size`` records breaks the promise."""
    asked = data.draw(promises(model))
    one = data.draw(classes(least=1))
    if asked.largest_violating_size is not None and one.size > asked.largest_violating_size:
        assert kept(asked, one, one.counts)


@pytest.mark.parametrize("model", OF_CLASSES)
@CHECKED
@given(data=st.data())
def test_smaller_classes_break_it(model: str, data: st.DataObject) -> None:
    """Every class of fewer than ``class_size`` records breaks the promise, and enough is enough."""
    asked = data.draw(promises(model))
    one = data.draw(classes(least=1))
    if one.size < asked.class_size:
        assert not kept(asked, one, one.counts)
    assert asked.sufficient_size >= asked.class_size
    if asked.largest_violating_size is not None:
        assert asked.sufficient_size == asked.largest_violating_size + 1


@pytest.mark.parametrize("model", sorted(KINDS))
@CHECKED
@given(data=st.data())
def test_a_promise_is_what_is_written_down_of_it(model: str, data: st.DataObject) -> None:
    asked = data.draw(promises(model))
    again = promise(asked.spec.model, **asked.spec.settings)
    assert again == asked
    assert hash(again) == hash(asked)
    assert asked.class_size >= 1


@pytest.mark.parametrize("model", OF_CLASSES)
@CHECKED
@given(data=st.data())
def test_classes_of_nobody_do_not_break(model: str, data: st.DataObject) -> None:
    asked = data.draw(promises(model))
    empty = Class((0,) * 6, 0)
    some = data.draw(classes(least=1))
    broken = asked.breaks(table([empty, some, empty]))
    assert broken[[0, 2]].tolist() == [False, False]
    assert asked.breaks(table([])).shape == (0,)
    assert set(asked.achieved(table([empty])).values()) == {None}


@pytest.mark.parametrize("model", OF_CLASSES)
@CHECKED
@given(data=st.data())
def test_a_class_is_judged_by_itself(model: str, data: st.DataObject) -> None:
    """Neither the other classes nor their order change the verdict, where the reference stays."""
    asked = data.draw(promises(model))
    drawn = data.draw(st.lists(classes(), min_size=1, max_size=4))
    reference = data.draw(classes(least=1)).counts
    broken = asked.breaks(table(drawn, reference)).tolist()
    assert asked.breaks(table(drawn[::-1], reference)).tolist() == broken[::-1]
    assert broken == [not kept(asked, one, reference) for one in drawn]


# The audit


Value = str | None
VALUES: tuple[Value, ...] = (None, "1", "11", "2", "3", "5", "8")
ORDER = ("harmless", "mild", "grave", "dire", "worst")
ROWS = st.lists(st.sampled_from([*itertools.product("abc", VALUES)]), max_size=24)


def metadata(seed: int) -> ValueMetadata:
    """Categories of all values, an order or none, a hierarchy of uneven depth, another table."""
    chance = random.Random(seed)
    names = ORDER[: chance.randint(1, 5)]
    tops = [("low", "few"), ("high", "few"), ("far",), ()]
    weights = [chance.randint(0, 5) for _ in VALUES]
    weights[chance.randrange(7)] += 1
    return ValueMetadata(
        categories={value: chance.choice(names) for value in VALUES},
        category_order=names,
        order=chance.choice([(), ("8", "11", "2", "1"), (None, "5", "3", "2", "1", "8")]),
        chains=tuple((value, *chance.choice(tops), "*") for value in VALUES if value is not None),
        reference=dict(zip(VALUES, map(float, weights), strict=True)),
        ranks={value: chance.randint(1, 4) for value in VALUES},
    )


def classes_of(
    rows: Sequence[tuple[str, Value]],
    known: ValueMetadata,
    reference: str,
    population: Counter[str],
) -> ClassTable:
    """The release as a promise sees it: codes and counts."""
    places = sorted({place for place, _ in rows} | set(population))
    cells = np.zeros((len(places), len(VALUES)), dtype=np.int64)
    for place, value in rows:
        cells[places.index(place), VALUES.index(value)] += 1
    told = cells.sum(axis=0)
    if reference == "original":
        told = np.array([int(known.reference[value]) for value in VALUES])
    return ClassTable(
        class_of=np.arange(len(places), dtype=np.int32),
        size=cells.sum(axis=1),
        cells={"s": cells},
        reference={"s": told},
        domains={"s": SensitiveDomain(VALUES, known)},
        population=np.array([population[place] for place in places], dtype=np.int64),
    )


def test_every_promise_has_an_audit() -> None:
    assert set(KINDS) <= set(checks())


WHOLE = [
    (check.model, check, name)
    for module in checks().values()
    for check in vars(module).values()
    if isinstance(check, ClassCheck) and check.model in KINDS
    for name, setting in check.settings.items()
    if setting.says.startswith("a whole number")
]


@pytest.mark.parametrize(("model", "check", "name"), WHOLE, ids=[f"{m}-{n}" for m, _, n in WHOLE])
def test_the_audit_takes_the_numbers_that_the_promise_takes(
    model: str, check: ClassCheck, name: str
) -> None:
    kind = KINDS[model]
    given = {one: setting.example for one, setting in check.settings.items()}
    known = {item.name for item in fields(kind)}
    further = {"sensitive": "s"} if kind.needs_sensitive else {}
    for number in range(-1, 4):
        asked = {one: value for one, value in {**given, name: number}.items() if one in known}
        try:
            kind(**asked, **further)
        except PolicyError:
            taken = False
        else:
            taken = True
        assert check.settings[name].fits(number) is taken, number


@pytest.mark.parametrize("model", OF_CLASSES)
@CHECKED
@given(data=st.data(), rows=ROWS, known=st.integers(0, 2**32).map(metadata))
def test_the_audit_agrees(
    model: str, data: st.DataObject, rows: list[tuple[str, Value]], known: ValueMetadata
) -> None:
    kind = KINDS[model]
    reference = data.draw(st.sampled_from(["published", "original"])) if kind.compares else ""
    asked = data.draw(promises(model, reference))
    # The original table has whatever is published of it.
    shown = {value for _, value in rows}
    weights = {value: max(n, float(value in shown)) for value, n in known.reference.items()}
    known = replace(known, reference=weights)
    population: Counter[str] = Counter()
    if kind.needs_population:
        # Everybody who is released is in the population, and some others.
        population.update(place for place, _ in rows)
        # Whether nobody of a place was in the table, or all were suppressed, no reader can tell.
        told = asked.parameters.get("absent") != "suppressed"
        places = "abcd" if told else sorted({place for place, _ in rows})
        others = st.lists(st.sampled_from(places), max_size=12) if places else st.just([])
        population.update(data.draw(others))
    found = audit(
        pl.DataFrame(rows, {"place": pl.String, "s": pl.String}, orient="row"),
        [{"model": model, **asked.parameters} | _shared(asked)],
        ["place"],
        known={"s": known},
        population=pl.DataFrame({"place": list(population.elements())}, {"place": pl.String}),
    ).promises[0]
    grouped = classes_of(rows, known, reference, population)
    breaks = asked.breaks(grouped)
    occupied = grouped.size > 0
    assert found.breaking_classes == (breaks & occupied).sum()
    assert found.breaking_records == grouped.size[breaks].sum()
    if not rows and kind.needs_population:
        return  # Nobody is published: the audit says nothing, the search that all are absent.
    assert found.holds == (not breaks.any())
    achieved = asked.achieved(grouped)
    assert found.achieved.keys() == achieved.keys()
    for name, figure in achieved.items():
        if isinstance(figure, float) and math.isfinite(figure):
            assert found.achieved[name] == pytest.approx(figure, abs=1e-9)
        else:
            assert found.achieved[name] == figure


def _shared(asked: Promise) -> dict[str, Any]:
    named = {} if asked.sensitive is None else {"sensitive": asked.sensitive}
    return named | ({"reference": asked.reference} if asked.compares else {})
