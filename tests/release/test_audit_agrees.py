"""Two programs that share no method say the same: each promise of the search, and its audit."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indistinct.metadata import ValueMetadata
from indistinct.microdata.domains import SensitiveDomain
from indistinct.microdata.frequencies import ClassTable
from indistinct.privacy.promise import models, promise
from indistinct.release.audit import audit, checks

Value = str | None

VALUES: tuple[Value, ...] = (None, "1", "11", "2", "3", "5", "8")
ORDER = ("harmless", "mild", "grave", "dire", "worst")
ROWS = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(VALUES)), max_size=24)

COUNT = st.integers(1, 5)
RANK = st.integers(1, 4)
SHARE = st.sampled_from([0.1, 0.25, 1 / 3, 0.5, 0.6, 2 / 3, 0.9, 1.0])
ALPHA = st.sampled_from([0, 0.25, 1, 1.5, 3])
SETTINGS: dict[str, dict[str, st.SearchStrategy[Any]]] = {
    "k-anonymity": {"k": COUNT},
    "distinct-l-diversity": {"l": COUNT},
    "entropy-l-diversity": {"l": COUNT},
    "recursive-cl-diversity": {"c": st.sampled_from([0.5, 1.5, 2, 4]), "l": COUNT},
    "alpha-k-anonymity": {"alpha": SHARE, "k": COUNT},
    "t-closeness": {"t": SHARE, "distance": st.sampled_from(["equal", "ordered", "hierarchical"])},
    "p-sensitive": {"p": COUNT},
    "p-plus-sensitive": {"p": COUNT},
    "p-alpha-sensitive": {
        "p": COUNT,
        "alpha": ALPHA,
        "over": st.sampled_from(["distinct", "records"]),
    },
    "p-plus-alpha-sensitive": {"p": COUNT, "alpha": ALPHA},
    "balanced-p-plus-sensitive": {"p": COUNT, "difference": st.integers(0, 3)},
    "theta-sensitive": {
        "k": st.integers(2, 6),
        "mu": st.sampled_from([0.5, 0.6, 0.9]),
        "theta": st.sampled_from(["k", "size"]),
    },
    "max-posterior": {"bound": SHARE},
    "knm-anonymity": {
        "k": st.fixed_dictionaries(dict.fromkeys("1234", COUNT)),
        "count": st.sampled_from(["class", "rank"]),
        "diversity": st.sampled_from([True, False, 1, 3]),
    },
    "k-map": {"k": COUNT},
    "delta-presence": {
        "lower": st.sampled_from([0.0, 0.2, 0.5]),
        "upper": st.sampled_from([0.5, 0.75, 1.0]),
        "absent": st.sampled_from(["break", "skip"]),
    },
    "estimated-k-map": {
        "k": COUNT,
        "fraction": st.sampled_from([0.01, 0.1, 0.5, 1]),
        "significance": st.sampled_from([0.01, 0.05, 0.3]),
        "estimator": st.sampled_from(["zero-truncated-poisson", "poisson"]),
    },
    "basic-beta-likeness": {"beta": st.sampled_from([0.3, 1, 2, 4])},
    "enhanced-beta-likeness": {"beta": st.sampled_from([0.3, 1, 2, 4])},
    "delta-disclosure": {
        "delta": st.sampled_from([0.4, 1, 2.5]),
        "absent": st.sampled_from(["break", "skip"]),
    },
}
COMPARING = ("t-closeness", "basic-beta-likeness", "enhanced-beta-likeness", "delta-disclosure")


@st.composite
def knowledge(draw: st.DrawFn) -> ValueMetadata:
    """Categories of all values, an order or none, a hierarchy of uneven depth, another table."""
    names = ORDER[: draw(st.integers(1, 5))]
    kinds = draw(st.lists(st.sampled_from(names), min_size=7, max_size=7))
    chains = tuple(
        (value, *draw(st.sampled_from([("low", "few"), ("high", "few"), ("far",), ()])), "*")
        for value in VALUES
        if value is not None
    )
    weights = draw(st.lists(st.integers(0, 5), min_size=7, max_size=7).filter(any))
    return ValueMetadata(
        categories=dict(zip(VALUES, kinds, strict=True)),
        category_order=names,
        order=draw(st.sampled_from([(), ("8", "11", "2", "1"), (None, "5", "3", "2", "1", "8")])),
        chains=chains,
        reference=dict(zip(VALUES, map(float, weights), strict=True)),
        ranks=dict(zip(VALUES, draw(st.lists(RANK, min_size=7, max_size=7)), strict=True)),
    )


def classes_of(
    rows: Sequence[tuple[str, Value]],
    known: ValueMetadata,
    reference: str,
    population: Counter[str],
) -> ClassTable:
    """The release as a promise sees it: codes and counts."""
    labels = VALUES
    places = sorted({place for place, _ in rows} | set(population))
    cells = np.zeros((len(places), len(labels)), dtype=np.int64)
    for place, value in rows:
        cells[places.index(place), labels.index(value)] += 1
    told = cells.sum(axis=0)
    if reference == "original":
        told = np.array([int(known.reference[value]) for value in labels])
    return ClassTable(
        class_of=np.arange(len(places), dtype=np.int32),
        size=cells.sum(axis=1),
        cells={"illness": cells},
        reference={"illness": told},
        domains={"illness": SensitiveDomain(labels, known)},
        population=np.array([population[place] for place in places], dtype=np.int64),
    )


def test_every_promise_has_an_audit() -> None:
    # Other tests define models of their own.
    known = {name for name, kind in models().items() if kind.__module__.startswith("indistinct.")}
    assert known == {*checks()}
    assert {*SETTINGS} == {name for name in known if models()[name].subject == "classes"}


@pytest.mark.parametrize("model", SETTINGS)
@given(data=st.data(), rows=ROWS, known=knowledge())
def test_the_check_and_the_promise_agree(
    model: str, data: st.DataObject, rows: list[tuple[str, Value]], known: ValueMetadata
) -> None:
    own = {name: data.draw(kind, label=name) for name, kind in SETTINGS[model].items()}
    if model in COMPARING:
        own["reference"] = data.draw(st.sampled_from(["published", "original"]))
    if model not in ("k-anonymity", "estimated-k-map", "k-map", "delta-presence"):
        own["sensitive"] = "illness"
    # The original table has whatever is published of it.
    shown = {value for _, value in rows}
    weights = {value: max(n, float(value in shown)) for value, n in known.reference.items()}
    known = replace(known, reference=weights)
    population: Counter[str] = Counter()
    if model in ("k-map", "delta-presence"):
        # Everybody who is released is in the population, and some others.
        population.update(place for place, _ in rows)
        population.update(data.draw(st.lists(st.sampled_from("abcd"), max_size=12)))
    table = pl.DataFrame(rows, {"place": pl.String, "illness": pl.String}, orient="row")
    found = audit(
        table,
        [{"model": model, **own}],
        ["place"],
        known={"illness": known},
        population=pl.DataFrame({"place": list(population.elements())}, {"place": pl.String}),
    ).promises[0]
    asked = promise(model, **own)
    classes = classes_of(rows, known, own.get("reference", "published"), population)
    breaks = asked.breaks(classes)
    occupied = classes.size > 0
    assert found.breaking_classes == (breaks & occupied).sum()
    assert found.breaking_records == classes.size[breaks].sum()
    if not rows and model == "delta-presence":
        return  # Nobody is published: the audit says nothing, the search that all are absent.
    assert found.holds == (not breaks.any())
    achieved = asked.achieved(classes)
    assert found.achieved.keys() == achieved.keys()
    for name, figure in achieved.items():
        if isinstance(figure, float) and math.isfinite(figure):
            assert found.achieved[name] == pytest.approx(figure, abs=1e-9)
        else:
            assert found.achieved[name] == figure
