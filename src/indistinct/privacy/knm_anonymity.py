"""(k,n,m)-anonymity: a k of its own for every rank of sensitivity (Victor and Lopez 2020).

    N. Victor, D. Lopez: "Privacy Preserving Sensitive Data Publishing Using (k,n,m) Anonymity
    Approach". Journal of Communications Software and Systems 16(1), 2020, definition 6, example 6.

Every value of the sensitive attribute has a rank, from 1 (critical) to 4 (low), and every record
of rank r is in a class of at least k_r records: a class is as large as the largest k of the ranks
in it. The stricter reading, ``count = "rank"``, asks for k_r records *of rank r*; it is what one
gets by splitting the table by rank, and it lets a class have one rank only.

Beside it the paper wants c/2 different values in every class, c being those of the table. Its own
example of five values has two per class, so that c/2 is rounded down; two are the least that says
anything.

What it does not promise: that the values are evenly frequent, nor that the rank stays hidden. A
larger k for graver values does not make them less likely in their class: promise ``max-posterior``
or ``t-closeness`` beside it. A missing value is a value like any other, and needs a rank.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from indistinct.document import many, some_of
from indistinct.errors import PolicyError, Problem
from indistinct.microdata.domains import SensitiveDomain
from indistinct.microdata.frequencies import ClassTable, FrequencyTable
from indistinct.privacy.parameters import choice, must, whole
from indistinct.privacy.promise import Closure, Promise
from indistinct.privacy.values import (
    cells_of,
    different_values,
    domain_of,
    had_by_all,
    least,
    present,
    too_few_values,
)
from indistinct.types import Bools, Ints

COUNTS = ("class", "rank")
ELBOW = "elbow"
RANKS = (1, 2, 3, 4)


@dataclass(frozen=True, kw_only=True)
class KNMAnonymity(Promise):
    """Every record is in a class of at least the k of its rank.

    Closed under union: a merged class is as large as its parts together, and its ranks are theirs.
    Not under supersets, since a record of a graver rank asks for more; but with one k for all
    ranks it is.

    ``k`` has the k of every rank, ``{"1": 10, "4": 3}``, or is ``elbow``: chosen from the table's
    risk curves before the search. ``count`` is ``class`` (all records of a class count) or ``rank``
    (those of the same rank). ``diversity`` is the smallest number of different values in a class:
    true means half as many as the table has, rounded down, at least two; false means any number.
    """

    model: ClassVar[str] = "knm-anonymity"
    closure: ClassVar[Closure] = "union"
    needs_sensitive: ClassVar[bool] = True

    k: Mapping[str, int] | str = field(hash=False)
    """The k of every rank, ``{"1": 10, "4": 3}``, or ``elbow``: chosen from the table's curves of
    risk before anything is searched."""
    count: str = field(default="class", metadata=must(choice, known=COUNTS))
    """``class``: all records of a class count towards k; ``rank``: those of the same rank."""
    diversity: bool | int = True
    """Different values that every class has at least; true stands for half as many as the table
    has, rounded down, and two at least, false for any number."""

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "k", _ks(self.k))
        if not isinstance(self.diversity, bool):
            whole(self.model, "diversity", self.diversity, 1, "true requires half of the values")

    @property
    def is_open(self) -> bool:
        """Whether the k of every rank is left to be chosen."""
        return isinstance(self.k, str)

    @property
    def class_size(self) -> int:
        """The smallest k of any rank; a class of graver values has to be larger."""
        return 1 if isinstance(self.k, str) else min(self.k.values())

    @property
    def sufficient_size(self) -> int:
        """The largest k of any rank."""
        return 1 if isinstance(self.k, str) else max(self.k.values())

    @property
    def chosen(self) -> dict[int, int]:
        """The k of every rank.

        Raises:
            PolicyError: it was to be chosen from the curve of risk, and was not.
        """
        if isinstance(self.k, str):
            raise PolicyError(self._not_chosen())
        return {int(rank): k for rank, k in self.k.items()}

    @property
    def effective_closure(self) -> Closure:
        """One k for all ranks is that of k-anonymity, which more records cannot break."""
        one = isinstance(self.k, Mapping) and len(set(self.k.values())) == 1
        return "superset" if one and self.count == "class" else "union"

    @property
    def largest_violating_size(self) -> int | None:
        """Without diversity, classes below the largest k."""
        plain = self.count == "class" and self.diversity is False and isinstance(self.k, Mapping)
        return max(self.chosen.values()) - 1 if plain else None

    def missing_metadata(self, domain: SensitiveDomain) -> Problem | None:
        """A rank for every value, and a k for every rank that occurs."""
        if isinstance(self.k, str):
            return self._not_chosen()
        return without_ranks(self, domain) or self._without_k({*domain.sensitivity.tolist()})

    def infeasible(self, table: FrequencyTable, allowed: int | None = None) -> Problem | None:
        """Too few values, or ranks of too few records that cannot all be left out."""
        totals = present(self, table)
        if totals is None:
            return None
        held = int(np.count_nonzero(totals))
        few = too_few_values(self, held, self.labels_wanted(held))
        if few is not None:
            return few
        cells = table.sensitive[str(self.sensitive)]
        ranks = cells.about.sensitivity
        lost, found = 0, []
        for rank, k in self.chosen.items():
            own = int(totals[ranks == rank].sum())
            if own and (own if self.count == "rank" else table.records) < k:
                lost += own
                found.append(f"rank {rank} (k = {k}, {many(own, self.unit)})")
        if not found or not cells.exclusive:
            return None
        everybody, noun = lost >= table.records, many(2, self.unit).partition(" ")[2]
        if not everybody and (allowed is None or lost <= allowed):
            return None
        return Problem(
            "k-exceeds-records",
            f"{self} cannot be met: too few {noun} for {', '.join(found)}",
            attribute=self.sensitive,
            remedy="choose a smaller k"
            + {"rank": ', or count = "class"'}.get(self.count, "")
            + ("" if everybody else f", or allow {many(lost, self.unit)} to be suppressed"),
        )

    def breaks(self, classes: ClassTable) -> Bools:
        """Classes that hold somebody, and are too small for a rank in them, or of few values."""
        _, ks, held = self._held(classes)
        counted = held if self.count == "rank" else classes.size[:, None]
        broken: Bools = np.any(held.astype(np.bool_) & (counted < ks), axis=1)
        if self.diversity is not False:
            cells = cells_of(self, classes)
            wanted = self.labels_wanted(_labels(cells, classes.reference.get(str(self.sensitive))))
            broken |= (different_values(self, classes) < wanted) | had_by_all(self, classes)
        return broken & classes.held

    def achieved(self, classes: ClassTable) -> dict[str, float | int | None]:
        """For every rank the smallest class that has it; and the smallest number of values."""
        ranks, _, held = self._held(classes)
        found: dict[str, float | int | None] = {}
        for at, rank in enumerate(ranks):
            if rank not in self.chosen:
                continue
            counted = held[:, at] if self.count == "rank" else classes.size
            own = counted[held[:, at].nonzero()]
            found[f"k_{rank}"] = int(own.min()) if len(own) else None
        if self.diversity is not False:
            found["diversity"] = least(different_values(self, classes), classes)
        return found

    def labels_wanted(self, labels: int) -> int:
        """How many different values every class needs, of a table with so many.

        >>> asked = KNMAnonymity(k={"1": 5}, sensitive="diagnosis")
        >>> [asked.labels_wanted(c) for c in (1, 2, 5, 8)]
        [2, 2, 2, 4]
        """
        if self.diversity is True:
            return max(2, labels // 2)
        return int(self.diversity)

    def _held(self, classes: ClassTable) -> tuple[tuple[int, ...], Ints, Ints]:
        """Ranks, the k of each, and the records of each in every class, [G, ranks].

        Values whose rank is not known come last, with the largest k of all.
        """
        chosen = self.chosen
        ranks = (*RANKS, 0)
        most = max(chosen.values())
        ks = np.array([chosen.get(rank, most) for rank in ranks], np.int64)
        of = domain_of(self, classes).sensitivity
        member = (of[:, None] == np.array(ranks)).astype(np.int64)
        return ranks, ks, cells_of(self, classes) @ member

    def _not_chosen(self) -> Problem:
        return Problem(
            "k-not-chosen",
            'k = "elbow" is chosen for a table and its method, and was not chosen here',
            attribute=self.sensitive,
            remedy="name the k of every rank; the certificate of a release contains them",
        )

    def _without_k(self, ranks: set[int]) -> Problem | None:
        bare = sorted(ranks - set(self.chosen))
        if not bare:
            return None
        named = ", ".join(map(str, bare))
        return Problem(
            "rank-without-k",
            f"{self} has no k for rank {named}, which occurs",
            attribute=self.sensitive,
            remedy=f'add "{bare[0]}" = ... to k',
        )


def without_ranks(promise: Promise, domain: SensitiveDomain) -> Problem | None:
    """The problem that values have no rank of sensitivity."""
    bare = int(np.count_nonzero(domain.sensitivity == 0))
    if not bare:
        return None
    key = f'attributes."{promise.sensitive}".ranks'
    what = (
        "none is known"
        if bare == len(domain)
        else f"{some_of(bare, len(domain), 'value has')} none"
    )
    return Problem(
        "ranks-missing" if bare == len(domain) else "value-without-rank",
        f"promise '{promise.model}' needs the rank of every value, and {what}",
        attribute=promise.sensitive,
        remedy=f"add {key} = {{ table = {{ ... }} }}, with a rank from 1 (critical) to 4 (low)",
    )


def _ks(given: Any) -> dict[str, int] | str:
    """The k of every rank, by the rank's text."""
    if given == ELBOW:
        return ELBOW
    model = KNMAnonymity.model
    if not isinstance(given, Mapping) or not given:
        raise PolicyError(
            "bad-parameter",
            f"k of {model} must be a table with a k for every rank, or '{ELBOW}', not {given!r}",
            remedy='write k = { "1" = 10, "2" = 5, "3" = 3, "4" = 2 }',
        )
    found: dict[str, int] = {}
    for key, k in given.items():
        rank = str(key)
        if isinstance(key, bool) or rank not in map(str, RANKS) or rank in found:
            raise PolicyError(
                "bad-parameter",
                f"k of {model} names ranks from 1 (critical) to 4 (low), each once, not {key!r}",
            )
        whole(model, f"k of rank {rank}", k, 1, "choose 2 or more")
        found[rank] = k
    return dict(sorted(found.items()))


def _labels(cells: Ints, reference: Ints | None) -> int:
    """Different values in the table that the classes come from."""
    return int(np.count_nonzero(cells.sum(axis=0) if reference is None else reference))
