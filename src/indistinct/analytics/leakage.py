"""Which attributes give people away, alone and together: average information loss.

Method: the entropy measure of Longpre, Kreinovich and Dumrongpokaphan (2017) as Arca and Hewett
(2021, section 3.1) use it on the columns of a table. Whoever learns the values of some attributes
of a person knows that the person is in one class E_j of the table; the loss is how many bits that
is worth: S0 - S_j, where S0 is the entropy over all records and S_j over those of the class. The
average over people, Delta S, equals the entropy of the partition.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indistinct.errors import DataError, Problem, did_you_mean
from indistinct.microdata.frequencies import FrequencyTable

Progress = Callable[[float], None]


@dataclass(frozen=True)
class Leakage:
    """What somebody learns about who a person is from the person's values of some attributes.

    ``loss`` is Delta S in bits, ``normalized`` its share of S0; ``maximum`` and ``deviation`` are
    those of the loss over people, weighted by their probabilities. ``alone`` is the share of
    records that nobody shares the values with, ``distinction`` distinct combinations per record,
    ``separation`` the share of pairs of records that differ.
    """

    attributes: tuple[str, ...]
    partitions: int
    loss: float
    normalized: float
    maximum: float
    deviation: float
    alone: float
    distinction: float
    separation: float

    def to_dict(self) -> dict[str, Any]:
        """The figures as plain data."""
        return {
            "attributes": list(self.attributes),
            "partitions": self.partitions,
            "loss": self.loss,
            "normalized": self.normalized,
            "max": self.maximum,
            "sd": self.deviation,
            "alone": self.alone,
            "distinction": self.distinction,
            "separation": self.separation,
        }


class LeakageAnalysis:
    """The leakage of any combination of the attributes of one table.

    Everything is computed from the distinct combinations of the table. ``probabilities`` [C, 2]
    gives for each combination the sum of the re-identification probabilities p of its records and
    the sum of p log2 p; without it all records are equally likely.
    """

    def __init__(
        self, table: FrequencyTable, probabilities: NDArray[np.float64] | None = None
    ) -> None:
        self._table = table
        self._units = np.ascontiguousarray(table.weight)
        if probabilities is None:
            self._mass = table.weight.astype(np.float64)
            self._self_information = np.zeros(table.combinations)
        else:
            self._mass = np.ascontiguousarray(probabilities[:, 0])
            self._self_information = np.ascontiguousarray(probabilities[:, 1])
        self._total = float(self._mass.sum())
        self.records = table.records
        self.entropy = (
            math.log2(self._total) - float(self._self_information.sum()) / self._total
            if self._total > 0
            else 0.0
        )
        """S0, the entropy over all records in bits."""
        self._columns = [codes.astype(np.int32) for codes in table.codes]
        largest = max((int(column.max()) for column in self._columns if len(column)), default=0)
        self._tally = np.zeros(largest + 1, dtype=np.int32)
        self._place = np.zeros(largest + 1, dtype=np.int32)

    @property
    def attributes(self) -> tuple[str, ...]:
        """The attributes that can be combined."""
        return self._table.attributes

    def of(self, attributes: Sequence[str]) -> Leakage:
        """The leakage of one combination of attributes.

        Raises :class:`DataError` for an attribute that is not there.
        """
        wanted = [self._position(name) for name in dict.fromkeys(attributes)]
        node = self._root()
        for position in wanted:
            node = self._split(node, position)
        return self._leakage(wanted, node.total)

    def singles(self) -> list[Leakage]:
        """The leakage of every attribute alone, in the order of the table."""
        root = self._root()
        return [
            self._leakage([position], self._split(root, position).total)
            for position in range(len(self.attributes))
        ]

    def combinations(
        self, most: int, *, least: int = 1, progress: Progress | None = None
    ) -> Iterator[Leakage]:
        """The leakage of every combination of ``least`` to ``most`` attributes.

        A class of one combination of all attributes never splits again, so the larger combinations
        of a set cost less and less.
        """
        count = len(self.attributes)
        wanted = sum(math.comb(count, size) for size in range(1, min(most, count) + 1))
        done = 0
        stack: list[tuple[list[int], _Node]] = [([], self._root())]
        while stack:
            chosen, node = stack.pop()
            first = chosen[-1] + 1 if chosen else 0
            for position in range(first, count):
                deeper = [*chosen, position]
                child = self._split(node, position)
                done += 1
                if len(deeper) >= least:
                    yield self._leakage(deeper, child.total)
                if len(deeper) < most and position + 1 < count:
                    stack.append((deeper, child))
                if progress is not None and done % 64 == 0:
                    progress(done / wanted)

    def top(self, most: int, number: int, *, progress: Progress | None = None) -> list[Leakage]:
        """The ``number`` combinations of up to ``most`` attributes that leak most, worst first."""
        found = sorted(self.combinations(most, progress=progress), key=_worst_first)
        return found[:number]

    def minimal_above(
        self, threshold: float, most: int, *, progress: Progress | None = None
    ) -> list[Leakage]:
        """The smallest combinations whose normalized leakage reaches a threshold, worst first.

        A combination is minimal if no part of it reaches the threshold. Leakage never falls when an
        attribute is added, so nothing above a combination that was found is looked at.
        """
        count = len(self.attributes)
        found: list[tuple[frozenset[int], Leakage]] = []
        layer: list[tuple[list[int], _Node]] = [([], self._root())]
        for size in range(1, min(most, count) + 1):
            deeper: list[tuple[list[int], _Node]] = []
            reached: list[tuple[frozenset[int], Leakage]] = []
            for at, (chosen, node) in enumerate(layer):
                for position in range(chosen[-1] + 1 if chosen else 0, count):
                    together = frozenset((*chosen, position))
                    if any(part <= together for part, _ in found):
                        continue
                    child = self._split(node, position)
                    leakage = self._leakage([*chosen, position], child.total)
                    if leakage.normalized >= threshold - 1e-12:
                        reached.append((together, leakage))
                    elif size < most:
                        deeper.append(([*chosen, position], child))
                if progress is not None:
                    progress((size - 1 + (at + 1) / len(layer)) / most)
            found += reached
            layer = deeper
            if not layer:
                break
        return sorted((leakage for _, leakage in found), key=_worst_first)

    def loss_of_combinations(self, attributes: Sequence[str]) -> NDArray[np.float64]:
        """The loss in bits of the people of every distinct combination, [C]: private."""
        wanted = [self._position(name) for name in dict.fromkeys(attributes)]
        from indistinct.microdata.encoding import count_combinations

        domains = [int(self._columns[position].max(initial=0)) + 1 for position in wanted]
        _, _, class_of = count_combinations(
            [self._columns[position] for position in wanted], domains, self._units
        )
        mass = np.bincount(class_of, weights=self._mass)
        information = np.bincount(class_of, weights=self._self_information)
        safe = np.where(mass > 0, mass, 1.0)
        inside = np.where(mass > 0, np.log2(safe) - information / safe, 0.0)
        loss: NDArray[np.float64] = self.entropy - inside[class_of]
        return loss

    def _position(self, name: str) -> int:
        if name not in self.attributes:
            raise DataError(
                Problem(
                    "missing-column", f"no column '{name}': {did_you_mean(name, self.attributes)}"
                )
            )
        return self.attributes.index(name)

    def _root(self) -> _Node:
        rows = np.arange(self._table.combinations, dtype=np.int32)
        start = np.array([0, len(rows)], dtype=np.int64)
        if len(rows) == 0:
            return _Node(rows, start[:1], np.zeros(6), np.zeros(6))
        return _Node(rows, start, np.zeros(6), np.zeros(6))

    def _split(self, node: _Node, position: int) -> _Node:
        from indistinct.kernels.partitions import split

        rows = np.empty(len(node.rows), dtype=np.int32)
        start = np.empty(len(node.rows) // 2 + 2, dtype=np.int64)
        closed, total = node.closed.copy(), np.zeros(6)
        kept, classes = split(
            node.rows,
            node.start,
            self._columns[position],
            self._units,
            self._mass,
            self._self_information,
            self.entropy,
            self._tally,
            self._place,
            closed,
            rows,
            start,
            total,
        )
        if kept < len(rows) // 2:
            rows = rows[:kept].copy()
        return _Node(rows[:kept], start[: classes + 1], closed, total)

    def _leakage(self, positions: Sequence[int], total: NDArray[np.float64]) -> Leakage:
        parts, loss, squares, pairs, alone, most = (float(entry) for entry in total)
        n = self.records
        mean = loss / self._total if self._total > 0 else 0.0
        variance = squares / self._total - mean * mean if self._total > 0 else 0.0
        mean = min(max(mean, 0.0), self.entropy)
        return Leakage(
            attributes=tuple(self.attributes[position] for position in positions),
            partitions=int(parts),
            loss=mean,
            normalized=mean / self.entropy if self.entropy > 0 else 0.0,
            maximum=max(most, 0.0),
            deviation=math.sqrt(max(variance, 0.0)),
            alone=alone / n if n else 0.0,
            distinction=parts / n if n else 0.0,
            separation=1.0 - pairs / (n * (n - 1.0)) if n > 1 else 0.0,
        )


@dataclass(frozen=True)
class _Node:
    rows: NDArray[np.int32]
    start: NDArray[np.int64]
    closed: NDArray[np.float64]
    total: NDArray[np.float64]


def _worst_first(leakage: Leakage) -> tuple[float, int, tuple[str, ...]]:
    return -leakage.loss, len(leakage.attributes), leakage.attributes
