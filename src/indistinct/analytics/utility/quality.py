"""Quality of a release, each figure from 0 (nothing left) to 1 (as the table itself).

The figures of ARX (Prasser and others 2020) that Victor and Lopez (2020, figure 11) show. A value v
between that of the table, ``min``, and that of a release of nothing, ``max``, becomes
1 - (v - min) / (max - min). For an attribute:

* **missings**: the share of suppressed cells.
* **generalization intensity**: the mean of level / height of the cells; a range or set counts as
  the lowest node above it.
* **granularity**: the mean share of the hierarchy's leaves that a cell stands for.
* **non-uniform entropy**: the sum over records of log2(records of the table under the cell /
  records with the exact value), as in searches. A suppressed record counts with the cell that its
  value would have, and the bits of that cell among the suppressed, if every attribute has one
  level; otherwise all its bits are lost. For a table it is the sum over all attributes.
* **squared error**: the sum of squared distances from the exact value to the farther end of the
  cell, 0 in the table and the farther end of the whole range in a release of nothing. Texts count
  as their places in the hierarchy, 0, 1, 2 and so on, as in ARX.

For a table: the means of the others over the attributes that have them, and

* **discernibility** and **average class size**, as in :mod:`indistinct.analytics.utility.figures`.
* **KL divergence**: the sum over combinations of the table of p log2(p / q), where p is their share
  of the records, and q what a reader expects who takes each record for any combination under its
  cells, all equally likely (Kifer and Gehrke 2006).
* **row squared error**: the mean over records of the Euclidean distance to the farther ends of the
  cells of all numbers, each in standard deviations.
* **ambiguity**: the mean over records of the number of combinations of leaves that the cells stand
  for (Goldberger and Tassa 2010).

If classes do not overlap, the figures are exact. Otherwise the records that fit a class are equally
likely in it. Records in no class are suppressed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from indistinct.analytics.attacks.places import classes_met
from indistinct.analytics.published import Original, PublishedCells, PublishedRows
from indistinct.document import PlainData
from indistinct.frozen import dataclass
from indistinct.hierarchies.cells import Coverage
from indistinct.hierarchies.taxonomy import Label, Taxonomy
from indistinct.kernels.pairs import add_up, look_up
from indistinct.measures.certainty import Domain
from indistinct.types import Bools, Floats, Ints, Ints32, Plain

MOST_PAIRS = 20_000_000
"""Most pairs of combinations and classes that are looked at; beyond, every attribute goes alone."""

MOST_BITS = 900.0
"""log2 of the most combinations whose probabilities are numbers of double precision."""


@dataclass(frozen=True)
class AttributeQuality(PlainData):
    """What is left of one quasi-identifier."""

    missings: float
    generalization_intensity: float
    granularity: float
    non_uniform_entropy: float
    squared_error: float


@dataclass(frozen=True)
class Quality:
    """What is left of a table in a release, by attribute and as a whole.

    ``row_squared_error`` is None where no quasi-identifier is numeric, ``kl_divergence`` where
    combinations and classes are too many to be compared. ``of_others``: no class fits
    any record of the table, so that nothing of this is about it.
    """

    per_attribute: Mapping[str, AttributeQuality]
    non_uniform_entropy: float
    kl_divergence: float | None
    row_squared_error: float | None
    ambiguity: float
    of_others: bool = False

    def mean(self, figure: str) -> float | None:
        """The mean of a figure over the attributes."""
        known = [getattr(own, figure) for own in self.per_attribute.values()]
        return float(np.mean(known)) if known else None

    def to_dict(self) -> Plain:
        """The figures as plain data."""
        return {
            "generalization_intensity": self.mean("generalization_intensity"),
            "non_uniform_entropy": self.non_uniform_entropy,
            "squared_error": self.mean("squared_error"),
            "kl_divergence": self.kl_divergence,
            "row_squared_error": self.row_squared_error,
            "ambiguity": self.ambiguity,
            "per_attribute": {name: own.to_dict() for name, own in self.per_attribute.items()},
        }


def quality_of(
    original: Original, published: PublishedRows, suppressed: int, loss: Mapping[str, float]
) -> Quality:
    """The quality of a release.

    Arguments:
        original: the table.
        published: the release, read against it.
        suppressed: records of the table that are in no class.
        loss: of every quasi-identifier, from 0 to 1.
    """
    records = published.kept + suppressed
    worlds = _worlds(original, published, suppressed)
    size = published.size.astype(np.float64)
    found, bits = {}, np.zeros(2)
    numeric: dict[int, tuple[Domain, _Pairs]] = {}
    places = 1.0
    ambiguous = np.ones(published.classes)
    bits_under, bits_of_all = np.zeros(published.classes), 0.0
    alike = [
        _shown_with(domain.taxonomy, cells)
        for domain, cells in zip(original.domains.values(), published.cells, strict=True)
    ]
    even = all(group is not None for group in alike)
    for j, (name, domain) in enumerate(original.domains.items()):
        cells = published.cells[j]
        coverage = Coverage(domain.taxonomy)
        own = worlds.of(j, domain, cells, coverage)
        starred = float(size[cells.suppressed[published.codes[j]]].sum()) + suppressed
        climbed = _levels(domain.taxonomy, cells, coverage)
        intensity = float((size * climbed[published.codes[j]]).sum()) + suppressed
        square, span = _squares(domain, cells, own.leaf, own.cell)
        error = _share_left((square * own.records).sum(), (span * own.records).sum())
        lost = _bits_lost(domain, cells, coverage, own, alike[j] if even else None)
        bits += lost
        if domain.numbers is not None:
            numeric[j] = domain, own
        found[name] = AttributeQuality(
            missings=1.0 - starred / records if records else 1.0,
            generalization_intensity=1.0 - intensity / records if records else 1.0,
            granularity=1.0 - loss[name],
            non_uniform_entropy=_share_left(*lost),
            squared_error=error,
        )
        leaves = len(domain)
        places *= leaves
        covered = np.where(cells.suppressed, leaves, np.minimum(cells.covered, leaves))
        ambiguous *= covered[published.codes[j]]
        bits_under += np.log2(covered)[published.codes[j]]
        bits_of_all += math.log2(max(leaves, 1))
    told = float((size * ambiguous).sum()) + suppressed * places
    return Quality(
        per_attribute=found,
        non_uniform_entropy=_share_left(*bits),
        kl_divergence=worlds.divergence(bits_under, bits_of_all),
        row_squared_error=worlds.rows(numeric),
        ambiguity=_share_left(told - records, records * (places - 1.0)),
        of_others=worlds.joint and 0 < published.classes == len(worlds.stray),
    )


@dataclass(frozen=True, eq=False)
class _Pairs:
    """Exact values and the cells they may be published in: leaf, cell (-1: suppressed with the
    whole record) and the expected number of records of each pair.
    """

    leaf: Ints32
    cell: Ints32
    records: Floats


@dataclass(frozen=True, eq=False)
class _Worlds:
    """Which combinations of the table the records of each class are expected to be.

    Arguments:
        original: the table.
        published: the release.
        combination: of every pair.
        group: the class of every pair, G for records in no class.
        records: expected records of every pair.
        stray: classes that no combination fits.
        joint: whether the pairs speak of all attributes together.
        suppressed: records in no class.
    """

    original: Original
    published: PublishedRows
    combination: Ints32
    group: Ints32
    records: Floats
    stray: Ints
    joint: bool
    suppressed: int

    def _ways(self, domain: Domain, cells: PublishedCells) -> tuple[int, int] | None:
        """How many values and cells there are, with none at last, where these are fewer ways to
        publish a value than there are pairs: what depends on them is worked out once for each.
        """
        ways = len(domain), len(cells.labels) + 1
        return ways if ways[0] * ways[1] < len(self.combination) else None

    def _cell_of(self, attribute: int, cells: PublishedCells) -> Ints32:
        """The cell of every class, and at last of no class, [G + 1]."""
        return np.append(self.published.codes[attribute], len(cells.labels)).astype(np.int32)

    def of(
        self, attribute: int, domain: Domain, cells: PublishedCells, coverage: Coverage
    ) -> _Pairs:
        """The pairs of one attribute; for classes that nobody fits, the people who fit the cell.

        Arguments:
            attribute: its place among the quasi-identifiers.
            domain: its exact values.
            cells: its published cells.
            coverage: the values that each cell stands for.
        """
        codes = self.published.codes[attribute]
        size = self.published.size
        alone = np.zeros(len(cells.labels))
        strays = self.stray if self.joint else np.arange(self.published.classes)
        np.add.at(alone, codes[strays], size[strays])
        leaves, kinds, records = [], [], []
        if self.joint:
            value, cell_of = self.original.codes[attribute], self._cell_of(attribute, cells)
            if (ways := self._ways(domain, cells)) is not None:
                told = np.zeros(ways)
                add_up(value, cell_of, self.combination, self.group, self.records, told)
                there = np.nonzero(told)
                leaf, cell = (at.astype(np.int32) for at in there)
                records.append(told[there])
            else:
                leaf, cell = value[self.combination], cell_of[self.group]
                records.append(self.records)
            leaves.append(leaf)
            kinds.append(np.where(cell < len(cells.labels), cell, np.int32(-1)))
        elif self.suppressed:
            counted = np.flatnonzero(domain.counts)
            leaves.append(counted.astype(np.int32))
            kinds.append(np.full(len(counted), -1, np.int32))
            records.append(self.suppressed * domain.counts[counted] / domain.counts.sum())
        for at in np.flatnonzero(alone):
            places = coverage.places(cells.labels[at])
            under = np.asarray(places if places is not None else [], np.int64)
            under = under[domain.counts[under] > 0]
            if not len(under):  # a value that the table does not have
                under = np.flatnonzero(domain.counts)
            leaves.append(under.astype(np.int32))
            kinds.append(np.full(len(under), at, np.int32))
            records.append(alone[at] * domain.counts[under] / domain.counts[under].sum())
        if not leaves:
            none = np.zeros(0, np.int32)
            return _Pairs(none, none, np.zeros(0))
        return _Pairs(np.concatenate(leaves), np.concatenate(kinds), np.concatenate(records))

    def divergence(self, under: Floats, of_all: float) -> float | None:
        """The quality by KL divergence; None without pairs of all attributes.

        Arguments:
            under: log2 of the combinations that the cells of each class stand for, [G].
            of_all: log2 of all combinations.
        """
        if not self.joint or of_all > MOST_BITS:
            return None
        weight = self.original.weight.astype(np.float64)
        inside = self.group < self.published.classes
        # On a scale where all combinations are equally likely if each has 1.
        likely = self.published.size * np.exp2(of_all - under)
        told = np.bincount(
            self.combination[inside], likely[self.group[inside]], minlength=len(weight)
        )
        there = weight > 0
        share = weight[there] / weight.sum()
        believed = (told[there] + self.suppressed) / (self.published.kept + self.suppressed)
        of_source = float((share * np.log2(share)).sum()) + of_all
        with np.errstate(divide="ignore"):
            bits = of_source - float((share * np.log2(believed)).sum())
        return _share_left(bits, of_source)

    def rows(self, numeric: Mapping[int, tuple[Domain, _Pairs]]) -> float | None:
        """The quality by distances of whole records; None without numbers.

        Over the pairs of all attributes: classes that nobody fits are left out.

        Arguments:
            numeric: the attributes of numbers by their places, each with its own pairs.
        """
        if not numeric:
            return None
        spreads = {
            at: spread for at, (domain, _) in numeric.items() if (spread := _variance(domain))
        }
        if not self.joint:
            return float(np.mean([self._apart(at, *one) for at, one in numeric.items()]))
        near = np.zeros(len(self.combination))
        far = np.zeros(self.original.combinations)
        for at, spread in spreads.items():
            domain, cells = numeric[at][0], self.published.cells[at]
            value, cell_of = self.original.codes[at], self._cell_of(at, cells)
            if (ways := self._ways(domain, cells)) is not None:
                leaf, cell = np.divmod(np.arange(ways[0] * ways[1]), ways[1])
                table = (_squares(domain, cells, leaf, cell)[0] / spread).reshape(ways)
                look_up(value, cell_of, self.combination, self.group, table, near)
            else:
                leaf, cell = value[self.combination], cell_of[self.group]
                near += _squares(domain, cells, leaf, cell)[0] / spread
            far += _squares(domain, cells, value, np.full(len(value), -1))[1] / spread
        given = np.bincount(self.combination, self.records, minlength=len(far))
        return _share_left(
            float((np.sqrt(near, out=near) * self.records).sum()),
            float((np.sqrt(far) * given).sum()),
        )

    def _apart(self, attribute: int, domain: Domain, own: _Pairs) -> float:
        """The same by one attribute alone."""
        square, span = _squares(domain, self.published.cells[attribute], own.leaf, own.cell)
        return _share_left(
            float((np.sqrt(square) * own.records).sum()), float((np.sqrt(span) * own.records).sum())
        )


def _worlds(original: Original, published: PublishedRows, suppressed: int) -> _Worlds:
    weight = original.weight.astype(np.float64)
    covers = [
        _matrix(Coverage(domain.taxonomy), cells.labels)
        for domain, cells in zip(original.domains.values(), published.cells, strict=True)
    ]
    met = None
    if all(cover is not None for cover in covers):
        met = classes_met(
            original.codes,
            [cover for cover in covers if cover is not None],
            published.codes,
            published.classes,
            most=MOST_PAIRS,
        )
    if met is None:
        none, stray = np.zeros(0, np.int32), np.zeros(0, np.int64)
        return _Worlds(original, published, none, none, np.zeros(0), stray, False, suppressed)
    combination = np.repeat(np.arange(original.combinations, dtype=np.int32), np.diff(met.indptr))
    group, records = met.index, weight[combination]
    # Combinations that only a hierarchy or a population has weigh nothing.
    if not (weight > 0).all():
        held = records > 0
        combination, group, records = combination[held], group[held], records[held]
    fits = np.bincount(group, weights=records, minlength=published.classes)
    records *= (published.size / np.where(fits > 0, fits, 1.0))[group]
    stray = np.flatnonzero(fits == 0)
    if suppressed:
        given = np.bincount(combination, weights=records, minlength=original.combinations)
        left = np.maximum(weight - given, 0.0)
        left[left < 1e-9] = 0.0
        left = left if left.sum() else weight
        gone = np.flatnonzero(left).astype(np.int32)
        combination = np.concatenate([combination, gone])
        group = np.concatenate([group, np.full(len(gone), published.classes, np.int32)])
        records = np.concatenate([records, suppressed * left[gone] / left.sum()])
    return _Worlds(original, published, combination, group, records, stray, True, suppressed)


def _matrix(coverage: Coverage, labels: Sequence[Label]) -> Bools | None:
    """Which leaves each cell stands for; None where that is too much to write down."""
    if len(labels) * len(coverage.leaves) > 4 * MOST_PAIRS:
        return None
    return coverage.matrix(labels)


def _levels(taxonomy: Taxonomy, cells: PublishedCells, coverage: Coverage) -> Floats:
    """How far up the hierarchy each cell is, from 0 to 1, [L]."""
    height = taxonomy.height
    found = np.zeros(len(cells.labels))
    if height:
        levels = [taxonomy.level(level) for level in range(taxonomy.levels)]
        first: dict[Label, int] = {}
        for level, labels in enumerate(levels):
            for label in labels:
                first.setdefault(label, level)
        for at, label in enumerate(cells.labels):
            if label in first:
                found[at] = first[label] / height
                continue
            places = coverage.places(label)
            if places is None:
                continue  # a number that the table does not have
            common = (
                level
                for level, labels in enumerate(levels)
                if len({labels[place] for place in places}) == 1
            )
            found[at] = next(common, height) / height
    found[cells.suppressed] = 1.0
    return found


def _bits_lost(
    domain: Domain,
    cells: PublishedCells,
    coverage: Coverage,
    pairs: _Pairs,
    group: Ints | None,
) -> tuple[float, float]:
    """The bits lost, and those lost if all were suppressed.

    Arguments:
        domain: the values, and how many records have each.
        cells: the published cells.
        coverage: which values each of them stands for.
        pairs: the values of the records, and their cells.
        group: which values are published alike; None where they are on several levels.
    """
    counts = domain.counts.astype(np.float64)
    total = counts.sum()
    under = np.ones(len(cells.labels) + 1)
    under[-1] = total
    for at, label in enumerate(cells.labels):
        places = coverage.places(label)
        if places is not None:
            under[at] = max(counts[np.asarray(places, np.int64)].sum(), 1.0)
    under[:-1][cells.suppressed] = total
    own = np.maximum(counts[pairs.leaf], 1.0)
    lost = np.log2(np.maximum(under[pairs.cell] / own, 1.0))
    most = np.log2(total / own)
    over = pairs.cell < 0
    if over.any():
        group = np.zeros(len(counts), np.int64) if group is None else group
        shown = np.bincount(group, counts, minlength=int(group.max()) + 1)
        place, records = group[pairs.leaf[over]], pairs.records[over]
        among = np.bincount(place, records, minlength=len(shown))
        bits = np.log2(np.maximum(shown[place] / own[over], 1.0))
        lost[over] = bits + np.log2(records.sum() / np.maximum(among[place], 1e-300))
    return float((lost * pairs.records).sum()), float((most * pairs.records).sum())


def _shown_with(taxonomy: Taxonomy, cells: PublishedCells) -> Ints | None:
    """Which values are published alike, by number, [D]; None where they are on several levels."""
    told = [label for label, gone in zip(cells.labels, cells.suppressed, strict=True) if not gone]
    if not told and cells.suppressed.any():
        return np.zeros(len(taxonomy.leaves), np.int64)
    for level in range(taxonomy.levels):
        labels = taxonomy.level(level)
        if set(told) <= set(labels):
            number = {label: at for at, label in enumerate(dict.fromkeys(labels))}
            return np.array([number[label] for label in labels], np.int64)
    return None


def _squares(
    domain: Domain, cells: PublishedCells, leaf: Ints | Ints32, cell: Ints | Ints32
) -> tuple[Floats, Floats]:
    """For every pair the squared distance to the farther end of cell and of the whole range.

    Both are 0 for a missing value, and for one that is no number among numbers.

    Arguments:
        domain: the values.
        cells: the published cells.
        leaf: the value of every pair, [P].
        cell: the cell of every pair, the last, or -1, for no class, [P].
    """
    scale = domain.numbers
    if scale is None:
        scale = np.arange(len(domain), dtype=np.float64)
        outside = {None, *domain.taxonomy.suppressed}
        scale[[leaf in outside for leaf in domain.taxonomy.leaves]] = np.nan
    low, high = cells.low.copy(), cells.high.copy()
    for at in np.flatnonzero(np.isnan(low)):
        numbers = scale[cells.leaves[cells.indptr[at] : cells.indptr[at + 1]]]
        numbers = numbers[np.isfinite(numbers)]
        if len(numbers):
            low[at], high[at] = numbers.min(), numbers.max()
    hidden = np.append(cells.suppressed | np.isnan(low), True)
    low, high = np.append(low, np.nan), np.append(high, np.nan)
    value = scale[leaf]
    least, most = domain.span
    if domain.numbers is None:
        places = np.flatnonzero((domain.counts > 0) & np.isfinite(scale))
        least, most = (places[0], places[-1]) if len(places) else (0, 0)
    span = np.maximum((value - least) ** 2, (value - most) ** 2)
    away = np.maximum((value - low[cell]) ** 2, (value - high[cell]) ** 2)
    square = np.where(hidden[cell], span, np.minimum(away, span))
    return np.nan_to_num(square), np.nan_to_num(span)


def _variance(domain: Domain) -> float:
    assert domain.numbers is not None
    there = np.isfinite(domain.numbers)
    numbers, counts = domain.numbers[there], domain.counts[there].astype(np.float64)
    mean = (numbers * counts).sum() / counts.sum()
    return float((((numbers - mean) ** 2) * counts).sum() / counts.sum())


def _share_left(value: float, most: float) -> float:
    """1 - value / most, between 0 and 1; 1 where nothing can be lost."""
    if most <= 0.0 or math.isinf(most):
        return 1.0
    return min(max(1.0 - float(value) / float(most), 0.0), 1.0)
