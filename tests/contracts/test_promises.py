"""What holds of every promise there is: closure, sizes that are safe, and an audit that agrees.

A search concludes from the closure which generalizations need no look. One that is wrong makes it
prove wrong results. The audit shares no method with the search, and has to say the same.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import MISSING, Field, fields, replace
from functools import reduce
from operator import add
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

KINDS = {name: kind for name, kind in models().items() if not kind.__module__.startswith("test")}
"""Every model but those that tests define for themselves."""

OF_CLASSES = sorted(name for name, kind in KINDS.items() if kind.subject == "classes")

CHECKED = settings(
    max_examples=60, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow]
)

NUMBERS = [0.0, 0.05, 0.1, 0.25, 0.3, 1 / 3, 0.4, 0.5, 0.6, 2 / 3, 0.9, 1.0, 1.5, 2.0, 2.5, 4.0]

OF_TYPE: dict[str, st.SearchStrategy[Any]] = {
    "int": st.integers(1, 9),
    "float": st.sampled_from(NUMBERS),
    "int | None": st.integers(1, 9),
    "float | None": st.none() | st.sampled_from(NUMBERS),
    "bool | int": st.sampled_from([True, False, 1, 3]),
    "tuple[str, ...]": st.lists(st.sampled_from(["", "1", "2", "3", "5"]), max_size=2),
    "Mapping[str, int] | str": st.one_of(
        st.fixed_dictionaries(dict.fromkeys("1234", st.integers(1, 9))),
        st.integers(1, 7).map(lambda k: dict.fromkeys("1234", k)),
    ),
}
"""How a parameter is drawn, by its type."""

TEXTS: dict[str, Sequence[str]] = {
    "absent": ("break", "suppressed", "skip"),
    "count": ("class", "rank"),
    "distance": ("equal", "ordered", "hierarchical"),
    "estimator": ("zero-truncated-poisson", "poisson"),
    "over": ("distinct", "records", "release", "releases"),
    "theta": ("k", "size"),
}
"""The words that a parameter can be; of others the default."""


def _drawn(item: Field[Any]) -> st.SearchStrategy[Any] | None:
    """How one parameter is drawn; None for its default."""
    kind = str(item.type)
    if kind == "str" and item.name in TEXTS:
        return st.sampled_from(TEXTS[item.name])
    if kind in OF_TYPE:
        return OF_TYPE[kind]
    if item.default is MISSING:
        pytest.fail(f"nothing here draws '{item.name}', which is {kind}")
    return None


@st.composite
def promises(draw: st.DrawFn, model: str, reference: str = "original") -> Promise:
    """A promise of that model with any parameters that it accepts."""
    kind = KINDS[model]
    ways = {item.name: _drawn(item) for item in fields(kind) if item.name not in SHARED}
    drawn = st.fixed_dictionaries({name: way for name, way in ways.items() if way is not None})
    further: dict[str, Any] = {"sensitive": "s"} if kind.needs_sensitive else {}
    if kind.compares:
        further["reference"] = reference

    def accepted(parameters: dict[str, Any]) -> bool:
        try:
            kind(**parameters, **further)
        except PolicyError:
            return False
        return True

    return kind(**draw(drawn.filter(accepted)), **further)


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
        assert kept(asked, reduce(add, good), reference)


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
    assert promise(asked.spec.model, **asked.spec.settings) == asked
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
ROWS = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(VALUES)), max_size=24)


@st.composite
def metadata(draw: st.DrawFn) -> ValueMetadata:
    """Categories of all values, an order or none, a hierarchy of uneven depth, another table."""
    names = ORDER[: draw(st.integers(1, 5))]
    kinds = draw(st.lists(st.sampled_from(names), min_size=7, max_size=7))
    chains = tuple(
        (value, *draw(st.sampled_from([("low", "few"), ("high", "few"), ("far",), ()])), "*")
        for value in VALUES
        if value is not None
    )
    weights = draw(st.lists(st.integers(0, 5), min_size=7, max_size=7).filter(any))
    ranks = draw(st.lists(st.integers(1, 4), min_size=7, max_size=7))
    return ValueMetadata(
        categories=dict(zip(VALUES, kinds, strict=True)),
        category_order=names,
        order=draw(st.sampled_from([(), ("8", "11", "2", "1"), (None, "5", "3", "2", "1", "8")])),
        chains=chains,
        reference=dict(zip(VALUES, map(float, weights), strict=True)),
        ranks=dict(zip(VALUES, ranks, strict=True)),
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
@given(data=st.data(), rows=ROWS, known=metadata())
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
