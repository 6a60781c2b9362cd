"""How long linked tables of people with many records take, and how much noise they need.

The people are generated: four records each on average, forty diagnoses in five categories of which
the rarer ones are the more severe, and quasi-identifiers with as many distinct combinations as a
large town has. Nothing is read or written; what is timed is the algorithm on people that are
encoded.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

import common
from indistinct.errors import Unsatisfiable
from indistinct.hierarchies.intervals import intervals_taxonomy
from indistinct.hierarchies.taxonomy import Taxonomy
from indistinct.metadata import ValueMetadata
from indistinct.microdata.encoding import record_table
from indistinct.microdata.frequencies import Cells
from indistinct.microdata.leveled import LeveledTable
from indistinct.privacy.promise import Promise, promise
from indistinct.recoding.linked import (
    LinkedPlan,
    LinkedSettings,
    LinkedTable,
    anatomy,
    p_l_angelization,
    theta_star,
)

CATEGORIES = ("none", "low", "mild", "high", "severe")
SHARES = (0.46, 0.27, 0.15, 0.09, 0.03)
EACH = 8
"""Diagnoses in each category."""

SECOND_SHARES = (0.5, 0.3, 0.2)

SMALL, FEW = 100_000, 10_000
"""Up to so many people p-l-angelization and clustering are tried."""


def generated(people: int, records: int, seed: int = 0, second: bool = False) -> LinkedTable:
    """So many people with so many records together."""
    random = np.random.default_rng(seed)
    ages = [str(age) for age in range(18, 98)]
    codes = {
        "age": random.integers(0, len(ages), people).astype(np.int32),
        "sex": random.integers(0, 2, people).astype(np.int32),
        "zip": np.minimum(random.geometric(0.02, people) - 1, 199).astype(np.int32),
        "origin": np.minimum(random.geometric(0.5, people) - 1, 9).astype(np.int32),
    }
    zips = [f"{at:03d}" for at in range(200)]
    taxonomies = {
        "age": intervals_taxonomy("age", ages, width=5),
        "sex": Taxonomy("sex", [("f", "*"), ("m", "*")]),
        "zip": Taxonomy("zip", [(own, own[:2], own[0], "*") for own in zips]),
        "origin": Taxonomy("origin", [(f"o{at}", f"region {at // 3}", "*") for at in range(10)]),
    }
    ones = np.ones(people, dtype=np.int64)
    sizes = {name: len(taxonomy.leaves) for name, taxonomy in taxonomies.items()}
    events, last = {}, {}
    person_of = np.concatenate(
        [np.arange(people), random.integers(0, people, max(records - people, 0))]
    )
    for name, shares in (("diagnosis", SHARES), ("job", SECOND_SHARES))[: 1 + second]:
        category = random.choice(len(shares), len(person_of), p=shares)
        value = category * EACH + random.integers(0, EACH, len(person_of))
        key = person_of * (len(shares) * EACH) + value
        distinct, at, count = np.unique(key[::-1], return_index=True, return_counts=True)
        person, own = np.divmod(distinct, len(shares) * EACH)
        indptr = np.zeros(people + 1, dtype=np.int64)
        np.cumsum(np.bincount(person, minlength=people), out=indptr[1:])
        labels = tuple(f"{name} {at:02d}" for at in range(len(shares) * EACH))
        known = ValueMetadata(
            categories={label: CATEGORIES[at // EACH] for at, label in enumerate(labels)},
            category_order=CATEGORIES[: len(shares)],
        )
        events[name] = Cells(
            indptr, own.astype(np.int32), count.astype(np.int64), labels, False, known
        )
        last[name] = len(key) - 1 - at
    table, _ = record_table(codes, sizes, {}, ones)
    return LinkedTable(LeveledTable(table, taxonomies), events, last)


def promised(second: bool = False, k: int = 4, bound: float = 0.5) -> list[Promise]:
    """theta-sensitivity and a bound on the posterior, of one attribute or of two."""
    found = [
        promise("theta-sensitive", k=k, sensitive="diagnosis"),
        promise("max-posterior", bound=bound, sensitive="diagnosis"),
    ]
    if second:
        found.append(promise("theta-sensitive", k=2, sensitive="job"))
        found.append(promise("max-posterior", bound=0.7, sensitive="job"))
    return found


def timed(make: Callable[[], LinkedPlan]) -> tuple[LinkedPlan | None, float]:
    """The plan, None where there is none, and the seconds it took."""
    began = time.perf_counter()
    try:
        plan = make()
    except Unsatisfiable:
        return None, time.perf_counter() - began
    return plan, time.perf_counter() - began


def row(name: str, people: int, make: Callable[[], LinkedPlan]) -> list[object]:
    """A line of the table."""
    plan, seconds = timed(make)
    if plan is None:
        return [f"{people:,}", name, f"{seconds:.2f}", "none", "", "", ""]
    counters = plan.search.counters
    return [
        f"{people:,}",
        name,
        f"{seconds:.2f}",
        f"{counters['classes']:,}",
        f"{counters['buckets']:,}",
        f"{counters['noise']:,}",
        f"{plan.search.value:.4f}" if isinstance(plan.search.value, float) else "",
    ]


def main() -> None:
    """All tables."""
    arguments = common.parser(__doc__)
    arguments.add_argument(
        "--people", type=int, nargs="*", default=[1_000, 10_000, 100_000, 1_000_000]
    )
    given = arguments.parse_args()
    cutting = LinkedSettings(quasi="mondrian")
    apart = [promise("distinct-l-diversity", l=2, sensitive="diagnosis")]
    parted = [
        promise("p-plus-sensitive", p=3, sensitive="diagnosis"),
        promise("distinct-l-diversity", l=3, sensitive="diagnosis"),
        promise("k-anonymity", k=4),
    ]
    rows = []
    for people in [500, *given.people]:
        table = generated(people, 4 * people)
        both = generated(people, 4 * people, second=True)
        runs: dict[str, Callable[[], LinkedPlan]] = {
            "theta-star": partial(theta_star, table, promised(), cutting),
            "two attributes": partial(theta_star, both, promised(second=True), cutting),
            "all categories": partial(
                theta_star, table, promised(bound=0.9), replace(cutting, keep_history="generalized")
            ),
            "bound 0.3": partial(theta_star, table, promised(bound=0.3), cutting),
            "exchanged": partial(
                theta_star, table, promised(), replace(cutting, buckets="exchanged")
            ),
            "paper": partial(theta_star, table, promised()[:1], replace(cutting, variant="paper")),
            "anatomy": partial(anatomy, table, apart),
        }
        if people <= SMALL:
            runs["p-l-angelization"] = partial(p_l_angelization, table, parted, cutting)
        if people <= FEW:
            runs["theta-star, k-member"] = partial(
                theta_star, table, promised(), replace(cutting, quasi="k-member")
            )
            runs["paper, k-member"] = partial(
                theta_star, table, promised()[:1], LinkedSettings("paper", "k-member")
            )
        found = [row(name, people, make) for name, make in runs.items()]
        if people > 500:  # the first ones compile
            rows += found
    common.show(
        "Four records a person, k = 4, mu = 0.6",
        ["people", "algorithm", "s", "classes", "buckets", "made up", "NCP"],
        rows,
    )
    print(f"peak {common.most_memory():.0f} MB, generated tables included")
    print(common.describe_machine())


if __name__ == "__main__":
    main()
