"""What a search minimises, and what it may conclude about nodes it has not looked at.

An :class:`Objective` is a measure with its settings. Bound to a table it becomes a
:class:`BoundObjective`, which scores a node of the lattice from its classes and gives lower bounds
for others. Two kinds exist. A *cell* objective sums costs over cells: what a node costs with
nothing suppressed is known beforehand, and what suppression adds never falls as nodes become more
specific. A *class* objective depends on the sizes of classes: a part of it never falls as nodes
become more general.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import Field, field, fields
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from indistinct import plugins
from indistinct.errors import PolicyError, Problem, Problems, did_you_mean, refuse
from indistinct.frozen import dataclass
from indistinct.measures.aggregate import AGGREGATES, Aggregate, aggregate
from indistinct.microdata.leveled import LeveledTable
from indistinct.types import Bools, Floats, Ints, Ints32, PlainMapping

Levels: TypeAlias = "NDArray[np.int16] | Ints"


@dataclass(frozen=True)
class Outcome:
    """What generalizing to one node and suppressing the rest leaves of a table.

    ``levels`` [m]; ``size`` [G] units per class with nothing suppressed; ``kept`` units per class
    that is published (both only where the objective needs classes); ``rows`` are suppressed
    combinations, one standing for others like it, with their ``units``; ``suppressed`` all units.
    """

    levels: Ints
    size: Ints
    kept: Ints
    rows: Ints32
    units: Ints
    suppressed: int


@dataclass(frozen=True)
class Recoding:
    """What a table was recoded to, combination by combination.

    ``levels`` [C, m] (of no meaning where suppressed), ``suppressed`` [C], and ``kept`` units per
    published class.
    """

    levels: NDArray[np.int16]
    suppressed: Bools
    kept: Ints


@dataclass(frozen=True, kw_only=True)
class Objective(ABC):
    """A measure with its settings.

    ``weights`` are by attribute name (1 where none is given). ``gs_factor`` between 0 and 1 trades
    generalization (0: costs in full, suppression adds nothing) against suppression (1: costs in
    full, generalization nothing); 0.5 counts both in full. ``monotonic`` leaves suppression out.
    Further fields of a measure are settings of its own, with a number, a text or a truth value as
    their default.
    """

    measure: ClassVar[str]
    maximized: ClassVar[bool] = False
    """Whether more of it is better: its value is no cost then."""
    default_aggregate: ClassVar[str] = "sum"
    settings: ClassVar[frozenset[str]] = frozenset()
    reported: ClassVar[Mapping[str, PlainMapping]] = {}
    """Under which names every run reports it, and by which settings; nothing: in none."""
    place: ClassVar[int] = 100
    """Where it is reported: smaller numbers come first."""

    aggregate: str | None = None
    gs_factor: float = 0.5
    monotonic: bool = False
    weights: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not 0.0 <= self.gs_factor <= 1.0:
            raise PolicyError(
                "bad-gs-factor", f"gs_factor must be from 0 to 1, not {self.gs_factor}"
            )
        for item in fields(Objective):
            value = getattr(self, item.name)
            default: Any = {} if item.name == "weights" else item.default
            if item.name not in self.settings and value != default:
                takes = ", ".join(sorted(self.settings)) or "no settings"
                raise PolicyError(
                    "unknown-setting",
                    f"objective '{self.measure}' does not take {item.name} (it takes {takes})",
                )

    @classmethod
    def own(cls) -> tuple[Field[Any], ...]:
        """The settings that this measure alone has: what a policy may say of it besides."""
        known = {item.name for item in fields(Objective)}
        return tuple(item for item in fields(cls) if item.name not in known)

    @property
    def generalization_factor(self) -> float:
        """g: what generalization counts (ARX: 1 up to gs_factor 0.5, then falling to 0)."""
        return 1.0 if self.gs_factor <= 0.5 else 1.0 - 2.0 * (self.gs_factor - 0.5)

    @property
    def suppression_factor(self) -> float:
        """s: what suppression adds (ARX: rising to 1 at gs_factor 0.5)."""
        return 2.0 * self.gs_factor if self.gs_factor < 0.5 else 1.0

    @property
    def aggregated_by(self) -> str:
        """The name of the aggregate, the measure's own default where none is set."""
        return self.aggregate or self.default_aggregate

    def over(self, attributes: tuple[str, ...]) -> Aggregate:
        """The aggregate over these attributes, in this order."""
        return aggregate(
            self.aggregated_by, [float(self.weights.get(name, 1.0)) for name in attributes]
        )

    @abstractmethod
    def bind(self, data: LeveledTable) -> BoundObjective:
        """The objective over one table."""

    def __str__(self) -> str:
        return (
            f"{self.measure} ({self.aggregated_by})"
            if "aggregate" in self.settings
            else self.measure
        )


class BoundObjective(ABC):
    """An objective over one table.

    ``width`` is the length of the vector that nodes inherit (0: nothing). ``inherits_up`` says
    that it comes from more specific nodes, else from more general ones. ``needs_classes`` asks for
    the class sizes of an outcome.
    """

    width: int = 0
    inherits_up: bool = False
    needs_classes: bool = False
    counts: ClassVar[Literal["leaves", "records"] | None] = None
    """What of a published cell costs: the leaves that it stands for, or their records. None: its
    level, or nothing; cells of no level cost nothing that is known."""
    worst: float

    @abstractmethod
    def score(self, outcome: Outcome) -> tuple[Floats, Floats]:
        """The key [q] of a node, and the vector [width] that others inherit from it."""

    @abstractmethod
    def lower(self, levels: Levels, least: Ints, inherited: Floats) -> Floats:
        """Lower bounds of the keys of nodes, [c, q].

        Arguments:
            levels: those of the nodes, [c, m].
            least: units that are suppressed there at least, [c].
            inherited: what the nodes inherit, [c, width].
        """

    def unsuppressed(self, levels: Levels) -> Floats:
        """Lower bounds of the keys [c, q] of nodes [c, m] of which nothing else is known."""
        number = len(levels)
        return self.lower(levels, np.zeros(number, np.int64), np.zeros((number, self.width)))

    @abstractmethod
    def recoded(self, recoding: Recoding) -> Floats:
        """The key [q] of a recoding whose combinations may be at different levels.

        A suppressed cell counts as its hierarchy's root.
        """

    def of_cells(self, amounts: Sequence[Ints], suppressed: Bools, sizes: Ints) -> Floats:
        """The key [q] of cells of no level, by what they stand for; asked where it ``counts``.

        Arguments:
            amounts: the leaves or records that cells stand for, [m][C].
            suppressed: which combinations are suppressed, [C].
            sizes: units per published class, [G]; none where it needs no classes.
        """
        raise AssertionError(f"{type(self).__name__} counts {self.counts}, and has no cost of them")

    def value(self, key: Floats) -> float | list[float]:
        """A key as the number that is reported, or the vector where the aggregate is ``rank``."""
        return float(key[0]) if len(key) == 1 else [float(entry) for entry in key]

    def scaled(self, key: Floats) -> float:
        """The value on the scale raw / worst, 0 to 1 (of a vector: its largest entry)."""
        return float(min(max(key[0] / self.worst, 0.0), 1.0)) if self.worst > 0 else 0.0


class CellObjective(BoundObjective):
    """A sum over cells: ``base`` [m, levels] per attribute, and what suppression adds.

    ``least_extra`` [m, levels] is what one suppressed unit adds at least.
    """

    base: Floats
    least_extra: Floats

    def __init__(self, data: LeveledTable, over: Aggregate) -> None:
        self.data = data
        self.over = over
        self._attribute = np.arange(len(data.attributes), dtype=np.int64)

    @abstractmethod
    def extra(self, outcome: Outcome) -> Floats:
        """What the suppressed rows add to the cost of each attribute, [m]."""

    def extras(self, levels: Ints, rows: Ints32, units: Ints, ends: Ints, lost: Ints) -> Floats:
        """What suppression adds to the cost of each attribute, one row after the other, [K, m].

        Arguments:
            levels: those of the node, [m].
            rows: of every class that may be suppressed a row, those suppressed first at first.
            units: how many units each of them stands for.
            ends: how many of the rows are suppressed, [K]; none fewer than the one before.
            lost: the units of these, [K].
        """
        nothing = np.zeros(0, dtype=np.int64)
        found = np.zeros((len(ends), len(levels)))
        for at, (end, total) in enumerate(zip(ends.tolist(), lost.tolist(), strict=True)):
            if at and ends[at - 1] == end:
                found[at] = found[at - 1]
            else:
                outcome = Outcome(levels, nothing, nothing, rows[:end], units[:end], total)
                found[at] = self.extra(outcome)
        return found

    def keys(self, levels: Levels, extra: Floats) -> Floats:
        """The keys [K, q] of a node for several costs of suppression [K, m]."""
        return self.over.keys(self.base[self._attribute, levels] + extra)

    def score(self, outcome: Outcome) -> tuple[Floats, Floats]:
        """The aggregate of base and extra; others inherit the extra."""
        extra = self.extra(outcome)
        costs = self.base[self._attribute, outcome.levels] + extra
        return self.over.keys(costs), extra[: self.width]

    @abstractmethod
    def cells(self, attribute: int, recoding: Recoding) -> float:
        """What the cells of attribute j cost in a recoding."""

    def cost_of(self, attribute: int, amounts: Ints, suppressed: Bools) -> float:
        """What the cells of attribute j cost by what each stands for; asked where it ``counts``.

        Arguments:
            attribute: j.
            amounts: the leaves or records that the cell of each combination stands for, [C].
            suppressed: which combinations are suppressed, [C].
        """
        raise AssertionError(f"{type(self).__name__} counts {self.counts}, and has no cost of them")

    def of_cells(self, amounts: Sequence[Ints], suppressed: Bools, sizes: Ints) -> Floats:
        """The aggregate over attributes of what their cells cost."""
        costs = [self.cost_of(j, amount, suppressed) for j, amount in enumerate(amounts)]
        return self.over.keys(np.array(costs))

    def recoded(self, recoding: Recoding) -> Floats:
        """The aggregate over attributes of what their cells cost."""
        return self.over.keys(
            np.array([self.cells(j, recoding) for j in range(len(self._attribute))])
        )

    def lower(self, levels: Levels, least: Ints, inherited: Floats) -> Floats:
        """Base, and the larger of what is inherited and what suppression adds at least."""
        extra = least[:, None] * self.least_extra[self._attribute, levels]
        if self.width:
            np.maximum(extra, inherited, out=extra)
        return self.over.keys(self.base[self._attribute, levels] + extra)


_MEASURES = plugins.Files(
    "measures",
    plugins.subclass_named(Objective, "measure"),  # type: ignore[type-abstract]
    __name__.rpartition(".")[0],
    lambda: plugins.subclasses_by(Objective, "measure"),  # type: ignore[type-abstract]
)


def measures() -> Mapping[str, type[Objective]]:
    """Every measure that can be an objective, by the name the policy uses.

    Those of this package, those of plugins, and any other that was imported and takes no name of
    these. One that is asked for by name is imported alone.
    """
    return _MEASURES


def measure_named(name: str) -> type[Objective] | None:
    """The measure of this name; None where there is none.

    Raises :class:`PluginError` for the measure of a plugin that cannot be used.
    """
    return _MEASURES.get(name) or _MEASURES.named(name)


def objective(measure: str = "loss", **settings: Any) -> Objective:
    """The objective of that measure with those settings.

    Raises :class:`PolicyError` for an unknown measure or a setting that it does not have, and
    :class:`PluginError` for the measure of a plugin that cannot be used.
    """
    kind = measure_named(measure)
    if kind is None:
        raise PolicyError(
            "unknown-measure", f"no measure '{measure}': {did_you_mean(measure, measures())}"
        )
    names = [item.name for item in fields(kind)]
    problems = Problems(
        Problem(
            "unknown-setting", f"objective has no setting '{name}': {did_you_mean(name, names)}"
        )
        for name in settings
        if name not in names
    )
    by = settings.get("aggregate")
    if by is not None and by not in AGGREGATES:
        problems.add("unknown-aggregate", f"no aggregate '{by}': {did_you_mean(by, AGGREGATES)}")
    refuse(PolicyError, problems)
    return kind(**settings)
