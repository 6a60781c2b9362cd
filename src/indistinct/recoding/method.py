"""A method: one way from a table and promises to a plan, and what a policy can say to it.

Every file of :mod:`indistinct.recoding.methods` holds one, under its own name (``k-member`` in
``k_member.py``), and is imported when a policy asks for it. A method of another distribution is an
entry point of the group ``indistinct.methods``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar, Literal

import polars as pl

from indistinct import plugins
from indistinct.frozen import dataclass, field
from indistinct.measures import measures, objective
from indistinct.recoding.keys import Keys
from indistinct.recoding.lattice import Lattice
from indistinct.recoding.limits import Limits, Progress
from indistinct.types import Ints, Ints32, PlainMapping

if TYPE_CHECKING:
    from indistinct.measures import Objective
    from indistinct.microdata.leveled import LeveledTable
    from indistinct.microdata.subjects import Events
    from indistinct.privacy.promise import Promise
    from indistinct.recoding.linked_plan import LinkedPlan
    from indistinct.recoding.plan import Plan
    from indistinct.recoding.refused import Refused

COMMON = frozenset({"algorithm", "objective", "seed", "accept_unsafe", "decoys", "items"})
"""Keys of ``[method]`` that do not depend on the method: what goes with them is asked elsewhere."""

CUTTING = frozenset({"partition.strict", "partition.dimension", "partition.cut"})
"""The keys that say how Mondrian cuts."""

PARTITIONING = CUTTING | {"suppression_limit", "cells", "weight", "partition.start"}
"""The keys of methods that begin with classes made in one of several ways."""

LEVELS = frozenset({"min_level", "max_level"})
"""The keys of attributes that bound the level at which they are published."""


@dataclass(frozen=True)
class Sight:
    """What a method has to see of a table.

    Arguments:
        by_record: every record is a combination of its own, equal ones too.
        rows: beside the quasi-identifiers everything else that is published, as one column.
        ranks: the rank of every combination; records of different ranks are different ones.
        linked: people with the values of all their records, which are published in a table of
            their own.
    """

    by_record: bool = False
    rows: bool = False
    ranks: bool = False
    linked: bool = False


@dataclass(frozen=True)
class Asked:
    """What a policy asks of its method, for any table.

    Arguments:
        keys: what it says of the method.
        weights: what every quasi-identifier counts.
        min_level: the lowest level of attributes that have a bound.
        max_level: the highest one.
        seed: what is drawn depends on it.
    """

    keys: Keys
    weights: Mapping[str, float]
    min_level: Mapping[str, int]
    max_level: Mapping[str, int]
    seed: int = 0

    @property
    def objective(self) -> Objective:
        """What the search minimises, weighted where the measure takes weights."""
        goal = self.keys.objective
        takes_any = "weights" in measures()[goal.measure].settings
        differ = any(weight != 1.0 for weight in self.weights.values())
        return objective(
            goal.measure,
            aggregate=goal.aggregate,
            gs_factor=goal.gs_factor,
            monotonic=goal.monotonic,
            weights=self.weights if takes_any and differ else {},
            **goal.own,
        )

    @property
    def limits(self) -> Limits:
        """When the search stops with the best so far."""
        return Limits(self.keys.time_limit, self.keys.node_limit)

    def lattice(self, data: LeveledTable) -> Lattice:
        """The levels of a table within their bounds.

        Raises:
            PolicyError: for a bound that a hierarchy does not have.
        """
        return Lattice.of(data, self.min_level, self.max_level)


@dataclass(frozen=True)
class Earlier:
    """The values of the classes that people have been published in, as a ledger knows them.

    Arguments:
        of_person: the signature of everybody, -1 for who has never been published, [n].
        signatures: the values of each.
        made_up: the made-up people of the last release: signature, value, and the digest of the
            published quasi-identifiers.
        digest: makes such a digest.
    """

    of_person: Ints32
    signatures: Sequence[tuple[str | None, ...]]
    made_up: Sequence[tuple[int, str | None, str]] = ()
    digest: Callable[[Sequence[str | None]], str] = str


@dataclass(frozen=True)
class Task:
    """What a method is given.

    Arguments:
        asked: what the policy says.
        data: the distinct combinations of the table [C], as the method's :class:`Sight` has them.
        promises: what is to be kept.
        progress: told the share of the search that is done.
        ranks: the rank of every combination, [C]; where the method sees ranks.
        events: the people's records; where the method sees them.
        documents: is given private documents about the search, by file name.
        earlier: reads what people have been published with, where a ledger is kept.
    """

    asked: Asked
    data: LeveledTable
    promises: Sequence[Promise]
    progress: Progress
    ranks: Ints | None = None
    events: Events | None = None
    documents: dict[str, PlainMapping | pl.DataFrame] = field(default_factory=dict)
    earlier: Callable[[], Earlier] | None = None


class Method(ABC):
    """One way from a table and promises to a plan.

    Arguments:
        name: as policies call it.
        settings: the keys of ``[method]`` (those of ``partition`` with a dot) and of quasi-
            identifiers (``weight``, ``min_level``, ``max_level``) that it heeds; a policy that sets
            another is refused.
        objective: the one measure it works for; None for any.
        works_towards: promises one of which it needs.
        unit: whose rows it knows: ``record``, ``person``, or None for either.
        by_record: whether it has to see single records.
        start: how it makes the first classes, where a policy does not say.
        linked: whether it publishes two linked tables.
        together: whether it keeps promises that all classes keep together, not each by itself.
        holding: ``all`` where everybody of a bucket has all that it lists.
        by_values: whether who is put together, or left out, depends on what somebody has.
        drawn: whether classes depend on the seed.
        dealt: whether people are dealt to buckets at random, so that no run tells another.
        may_contain: what it may add to a release that no record stands for: ``noise``.
        unsafe: what is unsafe in the variant of the paper.
        one_off: why its plans fit no other table; None where they do.
    """

    name: ClassVar[str]
    settings: ClassVar[frozenset[str]]
    objective: ClassVar[str | None] = None
    works_towards: ClassVar[tuple[str, ...]] = ()
    unit: ClassVar[Literal["record", "person"] | None] = None
    by_record: ClassVar[bool] = False
    start: ClassVar[str | None] = None
    linked: ClassVar[bool] = False
    together: ClassVar[bool] = False
    holding: ClassVar[Literal["all"] | None] = None
    by_values: ClassVar[bool] = True
    drawn: ClassVar[bool] = False
    dealt: ClassVar[bool] = False
    may_contain: ClassVar[tuple[str, ...]] = ()
    one_off: ClassVar[str | None] = "it says of single records what becomes of them"
    unsafe: ClassVar[str] = "with what is unsafe in it; the documentation says what that is"

    def keeps(self, kind: type[Promise]) -> bool:
        """Whether it may keep promises of this kind; those that it does not are refused."""
        if kind.kept_by is not None:
            return kind.kept_by == self.name
        return self.together or kind.subject != "together"

    def heeds(self, keys: Keys) -> frozenset[str]:
        """The settings that it heeds where the others are as a policy has them.

        How Mondrian cuts matters where it makes the first classes.
        """
        others = (
            "partition.start" in self.settings
            and (keys.partition.start or self.start) != "mondrian"
        )
        return self.settings - CUTTING if others else self.settings

    def sight(self, keys: Keys, promises: Sequence[Promise]) -> Sight:
        """What it has to see of a table."""
        return Sight(by_record=self.by_record or self.linked, linked=self.linked)

    @abstractmethod
    def plan(self, task: Task) -> Plan | LinkedPlan:
        """What is published instead of what.

        Raises:
            Unsatisfiable: no plan of this kind keeps the promises within the policy's limits.
            PolicyError: for keys that do not fit the table.
        """

    def refused(self, task: Task, plan: Plan) -> Refused | None:
        """What it tried in place of a plan's classes, and refused; None where it cannot tell."""
        return None


_METHODS = plugins.Files(
    "methods",
    plugins.subclass_named(Method, "name"),  # type: ignore[type-abstract]
    "indistinct.recoding.methods",
)


def method_named(name: str) -> Method | None:
    """The method of this name, imported now; None where there is none.

    Raises:
        PluginError: for the method of a plugin that cannot be used.
    """
    found = _METHODS.named(name)
    return None if found is None else found()


def methods() -> dict[str, Method]:
    """Every method by its name, sorted: those of this package, and those of plugins."""
    return {name: kind() for name, kind in _METHODS.every().items()}
