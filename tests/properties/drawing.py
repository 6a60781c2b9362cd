"""What random tables are searched for: objectives, promises, limits, level bounds."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from tests.properties.brute_force import Case

from indistinct.measures import Objective, objective
from indistinct.privacy import Promise, promise

GS_FACTORS = (0.0, 0.2, 0.33, 0.5, 0.66, 0.8, 1.0)
AGGREGATES = ("arithmetic", "geometric", "sum", "max", "rank")
LIMITS = (0.0, 0.05, 0.1, 0.25, 0.5, 0.8, 1.0)


@st.composite
def objectives(draw: st.DrawFn, case: Case) -> Objective:
    """Any measure with any of its settings."""
    measure = draw(
        st.sampled_from(
            [
                "loss",
                "loss",
                "precision",
                "non-uniform-entropy",
                "discernibility",
                "average-class-size",
                "kl-divergence",
                "height",
            ]
        )
    )
    settings: dict[str, Any] = {}
    if measure not in ("discernibility", "average-class-size", "kl-divergence"):
        settings["aggregate"] = draw(st.sampled_from(AGGREGATES))
        if draw(st.booleans()):
            weights = [draw(st.sampled_from([0.0, 0.25, 1.0, 2.0])) for _ in case.names]
            if any(weights):
                settings["weights"] = dict(zip(case.names, weights, strict=True))
    if measure in ("loss", "precision"):
        settings["gs_factor"] = draw(st.sampled_from(GS_FACTORS))
    if measure in ("precision", "non-uniform-entropy", "discernibility"):
        settings["monotonic"] = draw(st.booleans())
    return objective(measure, **settings)


@st.composite
def subsets(draw: st.DrawFn, case: Case) -> tuple[str, ...] | None:
    """Some of the attributes in any order, or None."""
    if draw(st.booleans()):
        return None
    return tuple(draw(st.lists(st.sampled_from(case.names), min_size=1, unique=True)))


@st.composite
def k_anonymities(draw: st.DrawFn, case: Case) -> list[Promise]:
    """One to three of different k over different attributes."""
    return [
        promise("k-anonymity", k=draw(st.integers(1, 9)), on=draw(subsets(case)))
        for _ in range(draw(st.integers(1, 3)))
    ]


@st.composite
def promises(draw: st.DrawFn, case: Case, *, with_none: bool = True) -> list[Promise]:
    """One to three promises of any closure over one or several sets of attributes."""
    found = []
    several = draw(st.booleans())
    kinds = ["k-anonymity", "test-distinct", "test-entropy", "test-closeness"]
    for _ in range(draw(st.integers(1, 3))):
        kind = draw(st.sampled_from([*kinds, "test-at-most"] if with_none else kinds))
        on = draw(subsets(case)) if several else None
        if kind == "k-anonymity":
            found.append(promise(kind, k=draw(st.integers(1, 6)), on=on))
        elif kind == "test-distinct":
            found.append(promise(kind, l=draw(st.integers(1, 3)), sensitive="s", on=on))
        elif kind == "test-entropy":
            l = draw(st.sampled_from([1.3, 1.7, 2.0, 2.5]))  # noqa: E741
            found.append(promise(kind, l=l, sensitive="s", on=on))
        elif kind == "test-closeness":
            t = draw(st.sampled_from([0.15, 0.3137, 0.5171]))
            found.append(promise(kind, t=t, sensitive="s", on=on))
        else:
            found.append(promise(kind, most=draw(st.integers(3, 25)), on=on))
    return found


@st.composite
def level_bounds(draw: st.DrawFn, case: Case) -> tuple[dict[str, int], dict[str, int]]:
    """Lowest and highest levels of some attributes."""
    lowest, highest = {}, {}
    for j, name in enumerate(case.names):
        top = len(case.full(j)[0]) - 1
        if draw(st.integers(0, 3)) == 0:
            lowest[name] = draw(st.integers(0, top))
        if draw(st.integers(0, 3)) == 0:
            highest[name] = draw(st.integers(lowest.get(name, 0), top))
    return lowest, highest
