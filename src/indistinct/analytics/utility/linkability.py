"""Can people be linked to what was published of them? Linkability, intersection, and belief.

Three answers of growing worth, for releases of people with many records.

* **Record linkability** (Fazal and others 2023, equations 26 and 27). Somebody looks up the exact
  quasi-identifiers of a person, takes the nearest class, and one of its rows at random. Person t is
  linked if the nearest class is the own one E: P(t) = 1/|E|, over the number of nearest classes
  where several are as near; else 0. RL is the sum over people. Cells that tell the truth leave
  everybody inside the own class, so that the nearest are those that the person fits, and RL is
  about the number of classes: it says nothing of sensitive values, and linking loosely to buckets
  does not change it.
* **Record intersection** (equation 25): people whose exact quasi-identifiers and one of whose exact
  sensitive values stand together in the joined release. Any generalization makes it 0, whatever a
  reader can still tell.
* **Belief**: how likely a reader who knows the exact quasi-identifiers of a person, and that the
  person is in the table, holds what is true. In class E, over the rows t of E with bucket b(t),

      P(s | E) = 1/|E| * sum of f_b(t)(s),

  where f_b(s) is the share of the bucket's people who have s. Over several classes that a person
  fits, rows are pooled. Of several true values the one believed most counts. This is the figure
  that should stand in the place of the intersection: the share of people of whom something true is
  believed with a probability of 0.5, of 0.95, or for certain.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import ClassVar

import numpy as np
import polars as pl

from indistinct.analytics.attacks.context import AttackContext
from indistinct.analytics.attacks.places import Places, classes_met
from indistinct.analytics.joined import JoinedRelease, PeopleTable
from indistinct.analytics.published import PublishedCells, PublishedRows
from indistinct.analytics.weighted import Lists
from indistinct.document import PlainData
from indistinct.frozen import dataclass, field
from indistinct.hierarchies.taxonomy import SUPPRESSED
from indistinct.measures.certainty import Domain
from indistinct.microdata.encoding import count_combinations
from indistinct.types import Bools, Floats, Ints32, Plain

CERTAIN = "certain"

BELIEFS = (0.5, 0.95)
"""Beliefs from which on something counts as disclosed."""

_SLACK = 1e-12


@dataclass(frozen=True)
class Linkability(PlainData):
    """Record linkability.

    Arguments:
        total: RL, the number of people one can expect to be linked to their own rows.
        people: number of people, n.
        linked: the probability of every person, [n]; private.
    """

    told_keys: ClassVar = "total normalized"

    total: float
    people: int
    linked: Floats = field(repr=False, compare=False)

    @property
    def normalized(self) -> float:
        """RL over the number of people, from 0 to 1."""
        return self.total / self.people if self.people else 0.0


@dataclass(frozen=True)
class Intersection:
    """What of the private table stands in a release, or is believed by its readers.

    Arguments:
        people: number of people, n.
        vulnerable: people whose exact record stands in the joined release, by sensitive attribute.
        believed: by sensitive attribute the share of people of whom something true is believed with
            a probability of at least 0.5 and 0.95, and for certain.
        highest: by sensitive attribute the largest belief in something true.
        mean: the mean over people of the belief in what of the truth is believed most.
        untried: the attributes of which none of this can be said, and why.
    """

    people: int
    vulnerable: Mapping[str, int]
    believed: Mapping[str, Mapping[str, float]]
    highest: Mapping[str, float]
    mean: Mapping[str, float]
    untried: Mapping[str, str] = field(default_factory=dict)

    def to_dict(self) -> Plain:
        """The figures as plain data, by sensitive attribute."""
        return {
            name: {
                "vulnerable": number,
                "share": number / self.people if self.people else 0.0,
                "believed": {
                    **self.believed[name],
                    "mean": self.mean[name],
                    "highest": self.highest[name],
                },
            }
            for name, number in self.vulnerable.items()
        }


def record_linkability(people: PeopleTable, published: PublishedRows) -> Linkability:
    """The record linkability of a release.

    A release does not say whose row is whose: people are taken to be in one of the classes that
    they fit, the likelier the larger it is, and people who fit none in none. Of m classes of sizes
    a, b, ... the person is in that of size a with probability a / (a + b + ...), and is then linked
    with 1 / (m a): that is 1 / (a + b + ...) over all of them.

    Arguments:
        people: the private table.
        published: the rows of the release, one per person.
    """
    rows = _rows_of_people(people, published)
    linked = np.divide(1.0, rows, out=np.zeros(len(rows)), where=rows > 0)
    return Linkability(float(linked.sum()), people.count, linked)


def record_intersection(
    people: PeopleTable, release: JoinedRelease, untried: Mapping[str, str] | None = None
) -> Intersection:
    """Whose exact record stands in the joined release, and what is believed of people's values.

    Arguments:
        people: the private table.
        release: what was published of it.
        untried: attributes whose truth cannot be found in the release, with the reason.
    """
    context = replace(as_attackers_see(people, release), untried=untried or {})
    left = {name: context.why_untried(name) for name in people.values if name in release.listed}
    names = [name for name, why in left.items() if why is None]
    vulnerable: dict[str, int] = {}
    believed: dict[str, dict[str, float]] = {}
    highest: dict[str, float] = {}
    mean: dict[str, float] = {}
    for name in names:
        vulnerable[name] = _exact(people, release, name)
        belief = context.true_belief(name)
        steps = {f"{least:g}": _share(belief >= least - _SLACK) for least in BELIEFS}
        believed[name] = {**steps, CERTAIN: _share(belief >= 1.0 - _SLACK)}
        highest[name] = float(belief.max(initial=0.0))
        mean[name] = float(belief.mean()) if len(belief) else 0.0
    return Intersection(
        people.count,
        vulnerable,
        believed,
        highest,
        mean,
        {name: why for name, why in left.items() if why is not None},
    )


def as_attackers_see(people: PeopleTable, release: JoinedRelease) -> AttackContext:
    """The same people and rows as attackers see them."""
    published = release.published
    names = tuple(name for name in people.values if name in release.listed)
    rows = [
        pl.Series(attribute, [*cells.labels, SUPPRESSED], dtype=pl.String).gather(
            pl.Series(np.append(codes, len(cells.labels))[published.class_of])
        )
        for attribute, cells, codes in zip(
            published.attributes, published.cells, published.codes, strict=True
        )
    ]
    # Rows of a bucket that lists nothing are linked to one more, which is empty.
    buckets = max((len(release.listed[name]) for name in names), default=0)
    linked = np.where(release.bucket_of < 0, buckets, release.bucket_of).astype(np.int32)

    def listed(part: Lists, number: int) -> Lists:
        indptr = np.append(part.indptr, np.full(number - len(part), part.indptr[-1]))
        return Lists(indptr, part.index, part.amount, part.labels)

    return AttackContext(
        places=Places(
            quasi=published.attributes,
            people=people.texts,
            rows=pl.DataFrame(rows),
            taxonomies={name: domain.taxonomy for name, domain in people.original.domains.items()},
        ),
        sensitive=names,
        values={name: listed(people.values[name], people.count) for name in names},
        bucket_of=linked,
        buckets={name: listed(release.listed[name], buckets + 1) for name in names},
        bucket_semantics=release.holding,
        bucket_size=np.bincount(linked, minlength=buckets + 1).astype(np.int64),
        known=people.known,
    )


def _share(mask: Bools) -> float:
    return float(mask.mean()) if len(mask) else 0.0


def _exact(people: PeopleTable, release: JoinedRelease, name: str) -> int:
    """How many people have a record that stands as it is in the joined release."""
    columns = {}
    sure = np.ones(release.published.classes, dtype=np.bool_)
    domains = people.original.domains.values()
    for at, (domain, cells, codes) in enumerate(
        zip(domains, release.published.cells, release.published.codes, strict=True)
    ):
        leaf = _leaf_of(domain, cells)[codes]
        sure &= leaf >= 0
        columns[f"quasi {at}"] = leaf.astype(np.int64)
    keys = [*columns]
    classes = pl.DataFrame({"class": np.arange(len(sure)), **columns}).filter(pl.Series(sure))
    rows = pl.DataFrame(
        {
            "class": release.published.class_of.astype(np.int64),
            "bucket": release.bucket_of.astype(np.int64),
        }
    ).unique()
    part = release.listed[name]
    place = {value: at for at, value in enumerate(people.values[name].labels)}
    value = np.array([place.get(label, -1) for label in part.labels] or [-1], dtype=np.int64)
    entries = pl.DataFrame({"bucket": part.row_of, "value": value[part.index]})
    output = (
        classes.join(rows, on="class").join(entries, on="bucket").select(*keys, "value").unique()
    )
    own = people.values[name]
    actual = pl.DataFrame({"person": own.row_of, "value": own.index.astype(np.int64)}).with_columns(
        [
            pl.Series(key, codes.astype(np.int64)[own.row_of])
            for key, codes in zip(keys, people.codes, strict=True)
        ]
    )
    return actual.join(output, on=[*keys, "value"], how="semi")["person"].n_unique()


def _leaf_of(domain: Domain, cells: PublishedCells) -> Ints32:
    """The leaf of every cell that is an exact value, -1 for the others, [L]."""
    place = {leaf: at for at, leaf in enumerate(domain.taxonomy.leaves)}
    exact = [
        place.get(label, -1) if covered == 1 and not gone else -1
        for label, covered, gone in zip(
            cells.labels, cells.covered.tolist(), cells.suppressed.tolist(), strict=True
        )
    ]
    return np.array(exact, dtype=np.int32)


# Linkability -----------------------------------------------------------------------------------


def _rows_of_people(people: PeopleTable, published: PublishedRows) -> Floats:
    """How many rows the classes have that every person fits, [n]."""
    codes, _, combination_of = count_combinations(
        people.codes,
        [len(domain) for domain in people.original.domains.values()],
        np.ones(people.count, np.int64),
    )
    covers = [
        covered_leaves(domain, cells)
        for domain, cells in zip(people.original.domains.values(), published.cells, strict=True)
    ]
    met = classes_met(codes, covers, published.codes, published.classes)
    assert met is not None
    of = np.repeat(np.arange(len(met)), met.length)
    rows = np.bincount(of, published.size[met.index], len(met)).astype(np.float64)
    return rows[combination_of]


def covered_leaves(domain: Domain, cells: PublishedCells) -> Bools:
    """Which leaves of an attribute each cell stands for, [L, D]."""
    found = np.zeros((len(cells.labels), len(domain)), dtype=np.bool_)
    found[np.repeat(np.arange(len(found)), np.diff(cells.indptr)), cells.leaves] = True
    for at in np.flatnonzero(cells.intervals).tolist():
        assert domain.numbers is not None
        found[at] = (domain.numbers >= cells.low[at]) & (domain.numbers <= cells.high[at])
    found[cells.suppressed] = True
    return found
