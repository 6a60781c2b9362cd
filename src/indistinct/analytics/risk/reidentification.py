"""How likely it is that somebody finds a person in a table, computed from the sizes of its classes.

Three attackers are usually told apart:

* the *prosecutor* looks for one person, and knows that the person is in the table;
* the *journalist* looks for anybody, to show that it can be done, and does not know who is in it:
  what counts is how many people of the population share the values;
* the *marketer* wants to find as many as possible, and minds no mistakes.

For prosecutor and journalist there are three criteria: R1, the share of records whose risk is above
a threshold; R2, the highest risk; R3, the average (of the prosecutor: the success rate of somebody
who guesses for every record). The marketer has the last alone, R. With f_j records in class j of
the table, F_j people in the population and n records in J classes:

    K. El Emam: "Guide to the De-Identification of Personal Health Information". CRC Press, 2013,
    chapter 16; F. K. Dankar, K. El Emam: "A Method for Evaluating Marketer Re-identification Risk".
    PAIS, 2010; N. Victor, D. Lopez: "Privacy Preserving Sensitive Data Publishing Using (k,n,m)
    Anonymity Approach". Journal of Communications Software and Systems 16(1), 2020.

The prosecutor's risk is never below the journalist's in R2 and R3, nor these below the marketer's
R. For R1 that is not so: it counts records above a threshold, and R may be above 0 where none is.

What these figures do not say: what is learnt about a person without finding their record (promises
about sensitive values limit that), and anything about columns that were not named as
quasi-identifiers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Literal, Self

import numpy as np
import polars as pl

from indistinct.analytics.attacks import record_linkage
from indistinct.analytics.leakage.encoded import encode
from indistinct.analytics.risk.elbow import Selection, select_k
from indistinct.analytics.risk.households import HouseholdRisk, household_risk
from indistinct.analytics.risk.individual import (
    IndividualRisk,
    chance_of_fewer,
    individual_risk,
    people_by_weight,
)
from indistinct.analytics.risk.log_linear import LogLinear, log_linear
from indistinct.analytics.risk.population import Basis, Population
from indistinct.analytics.risk.special_uniques import SpecialUniques, special_uniques
from indistinct.analytics.risk.uniqueness import Uniqueness, estimate_uniqueness
from indistinct.document import (
    Bar,
    Document,
    Grid,
    Line,
    OfUnits,
    Part,
    PlainData,
    drawing,
    many,
    share,
    shown,
)
from indistinct.errors import DataError
from indistinct.frozen import dataclass, field
from indistinct.hierarchies.taxonomy import SUPPRESSED
from indistinct.privacy.parameters import RANGE_OF_K, is_range_of_k
from indistinct.sources.table import Table
from indistinct.types import Array, Floats, Ints, Ints32, Plain

if TYPE_CHECKING:
    from indistinct.analytics.risk.standards import StandardVerdict

THRESHOLD = 0.2
"""A risk above this one is high: a class of fewer than five."""

EDGES = (0.001, 0.01, 0.02, 0.05, 0.1, 0.2, 1 / 3, 0.5, 1.0)
"""Upper ends of the steps in which the distribution of risk is told."""

BASES: Mapping[Basis, str] = {
    "table": "people of every class counted in a table of the population",
    "counts": "people of every class as given",
    "size": "only the size of the population is known: the journalist counts like the prosecutor",
    "weights": "people of every class are estimated by the sampling weights",
    "none": "nothing is known of the population: the journalist counts like the prosecutor",
}


@dataclass(frozen=True, eq=False)
class Classes:
    """The equivalence classes of a table.

    Arguments:
        quasi: the quasi-identifiers.
        size: records of every class, [G].
        suppressed: records with ``*`` in every quasi-identifier, which are in no class.
        class_of: the class of every record, -1 for those in none, [n]; None where records have no
            order, as on lazy engines.
    """

    quasi: tuple[str, ...]
    size: Ints
    suppressed: int
    class_of: Ints32 | None
    _domains: Mapping[str, Sequence[str | None]]
    _codes: Mapping[str, Array]

    @classmethod
    def of(cls, table: Table, quasi: Sequence[str]) -> Self:
        """The classes of a table over some of its columns."""
        encoded = encode(table, quasi)
        counted, domains = encoded.analysis.table, encoded.domains
        codes = dict(zip(quasi, counted.codes, strict=True))
        kept = np.zeros(counted.combinations, np.bool_)
        for name, own in codes.items():
            domain = domains[name]
            kept |= own != domain.index(SUPPRESSED) if SUPPRESSED in domain else True
        class_of = None
        if encoded.combination_of is not None:
            number = np.where(kept, np.cumsum(kept, dtype=np.int32) - 1, -1).astype(np.int32)
            class_of = number[encoded.combination_of]
        return cls(
            tuple(quasi),
            counted.weight[kept],
            int(counted.weight[~kept].sum()),
            class_of,
            domains,
            {name: own[kept] for name, own in codes.items()},
        )

    def special_uniques(
        self, most: int | None, population: float | None, tell: Callable[[str, float], None]
    ) -> SpecialUniques | None:
        """Which records few quasi-identifiers single out; None where nobody asks.

        Arguments:
            most: the largest number of attributes of a set.
            population: how many the population has, if that is known.
            tell: gets what is done, and the share that is.
        """
        if most is None:
            return None
        codes = {name: own.astype(np.int32) for name, own in self._codes.items()}
        domains = {name: len(self._domains[name]) for name in codes}
        what = "looking for special uniques"
        fraction = None if not population else min(float(self.size.sum()) / population, 1.0)
        return special_uniques(
            codes, domains, self.size, most, fraction, lambda done: tell(what, done)
        )

    def log_linear(self, interactions: int | None, population: float | None) -> LogLinear | None:
        """What a log-linear model expects of the classes; None where nobody asks.

        Arguments:
            interactions: attributes whose associations the model knows, 1 or 2.
            population: the number of people that the table was drawn from, if known.
        """
        if interactions is None:
            return None
        codes = {name: own.astype(np.int32) for name, own in self._codes.items()}
        domains = {name: len(self._domains[name]) for name in codes}
        return log_linear(codes, domains, self.size, interactions, population)

    def individual(self, table: Table, weights: str | None) -> IndividualRisk | None:
        """What sampling weights say of the classes; None where nobody names any.

        Arguments:
            table: a row for everybody, with the quasi-identifiers and the weights.
            weights: the column of the weights.

        Raises:
            DataError: a weight is no number above 0.
        """
        if weights is None:
            return None
        people = people_by_weight(table, self.cells, weights)
        return individual_risk(weights, self.size, people)

    def households(
        self, table: Table, household: str | None, risk: Floats, threshold: float
    ) -> HouseholdRisk | None:
        """The risk of households; None where nobody names any.

        Arguments:
            table: a row for everybody, with the quasi-identifiers and the household.
            household: the column that names it.
            risk: how likely a link to a record of every class is right, [G].
            threshold: the risk above which a record is at risk.
        """
        if household is None:
            return None
        found = household_risk(table, self.cells, risk, household, threshold)
        if self.class_of is None:
            return found
        return found.with_records(table.text([household])[household])

    @cached_property
    def cells(self) -> pl.DataFrame:
        """The quasi-identifiers of every class as text, [G rows]."""
        return pl.DataFrame(
            {
                name: pl.Series(self._domains[name], dtype=pl.String).gather(codes)
                for name, codes in self._codes.items()
            }
        )

    @property
    def records(self) -> int:
        """Records in classes."""
        return int(self.size.sum())

    def summary(self) -> dict[str, float]:
        """Number, smallest, mean and largest size."""
        size = self.size
        if not len(size):
            return {"count": 0, "smallest": 0, "mean": 0.0, "largest": 0}
        return {
            "count": len(size),
            "smallest": int(size.min()),
            "mean": float(size.mean()),
            "largest": int(size.max()),
        }


@dataclass(frozen=True)
class Criteria(PlainData):
    """The risk from one attacker, by three criteria, each a share between 0 and 1.

    Arguments:
        at_risk: R1, the share of records whose risk is above the threshold.
        highest: R2, the highest risk of a record.
        success: R3, the average risk.
    """

    at_risk: float = field(metadata={"as": "R1"})
    highest: float = field(metadata={"as": "R2"})
    success: float = field(metadata={"as": "R3"})


_NOBODY = Criteria(0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Estimated(PlainData):
    """What a model of the population expects of journalist and marketer.

    R1 is the expected share of records whose class has so few people that its risk is above the
    threshold, R2 the largest expected risk of a record, R3 and the marketer's R the expected
    average.
    """

    told_keys: ClassVar = "model journalist marketer.R=marketer"

    model: str
    journalist: Criteria
    marketer: float


@dataclass(frozen=True)
class Step(PlainData):
    """One step of the distribution of risk: records whose risk is above ``above``, up to ``to``.

    ``share`` is their share of all records, ``cumulative`` that of all records up to here.
    """

    above: float
    to: float
    records: int
    share: float
    cumulative: float


@dataclass(frozen=True)
class CurvePoint(PlainData):
    """The prosecutor's risk for one k, what share of the records is kept, and in how many classes.

    ``levels`` are those of the release, where releases were made.
    """

    told_keys: ClassVar = "k *risk kept classes *_levels"

    k: int
    risk: Criteria
    kept: float
    classes: int
    levels: Mapping[str, int] | None = None

    @property
    def _levels(self) -> Plain:
        return {} if self.levels is None else {"levels": self.levels}


@dataclass(frozen=True)
class RiskCurve(PlainData, Document):
    """Risk over k, and where it bends.

    ``of`` says what k was applied to: ``classes``, the table as it is without the classes of fewer
    than k records; ``releases``, for every k a release made for it. ``skipped`` are values of k for
    which nothing is left, or no release can be made.
    """

    of: Literal["classes", "releases"]
    points: tuple[CurvePoint, ...]
    skipped: tuple[int, ...] = ()

    @cached_property
    def selection(self) -> Selection | None:
        """The bends of the three curves, and the k that they speak for; None without a point."""
        if not self.points:
            return None
        return select_k(
            [point.k for point in self.points],
            [point.risk.at_risk for point in self.points],
            [point.risk.highest for point in self.points],
            [point.risk.success for point in self.points],
        )

    def frame(self) -> pl.DataFrame:
        """One row per k: the three criteria, how far each lies below its chord, what is kept."""
        found = self.selection
        rows = []
        for at, point in enumerate(self.points):
            below = {} if found is None else {n: item.d[at] for n, item in found.elbows.items()}
            rows.append(
                {
                    "k": point.k,
                    "records_at_risk": point.risk.at_risk,
                    "highest": point.risk.highest,
                    "success": point.risk.success,
                    **{f"d_{name}": d for name, d in below.items()},
                    "kept": point.kept,
                    "classes": point.classes,
                }
            )
        return pl.DataFrame(rows)

    def parts(self, units: str = "records") -> Iterator[Part]:
        """The criteria for every k, with their bends."""
        of = "releases" if self.of == "releases" else "the table without smaller classes"
        yield Line(f"\nrisk over k: {of}", "title")
        found = self.selection
        bends = {} if found is None else {name: item.k for name, item in found.elbows.items()}

        def marked(name: str, k: int, text: str) -> str:
            return f"{text} <" if bends.get(name) == k else f"{text}  "

        rows = [
            (
                str(point.k),
                marked("records_at_risk", point.k, share(point.risk.at_risk)),
                marked("highest", point.k, f"{point.risk.highest:.4f}"),
                marked("success", point.k, f"{point.risk.success:.4f}"),
                share(point.kept),
                f"{point.classes:,}",
            )
            for point in self.points
        ]
        head = ("k", "at risk  ", "highest  ", "average  ", f"{units} kept", "classes")
        if rows:
            yield Grid(head, rows, right=head)
        if self.skipped:
            yield Line(f"nothing can be kept for k = {_runs(self.skipped)}")
        if self.of == "classes" and not rows:
            yield Line(
                "Every class is smaller. With --policy, and without --as-it-is, a release is made "
                "for every k."
            )
        if found is not None:
            yield Line(f"\nk = {found.k}: {found.why}")
            yield Line(
                "Bends depend on the range of k, and do not say that the risk there is low enough."
            )


@dataclass(frozen=True)
class RiskReport(OfUnits, Document):
    """How likely re-identification is.

    Arguments:
        table: what the table or release is called.
        quasi: the quasi-identifiers whose combinations make the classes.
        threshold: the risk above which a record counts as being at risk.
        records: records in the classes, or people if ``rows`` is given; the same in all figures.
        suppressed: records with ``*`` in every quasi-identifier, which are in no class.
        classes: number, smallest, mean and largest size of the classes.
        prosecutor: the risk from someone who knows that the person is in the table.
        journalist: the risk from someone who does not.
        marketer: the share of records that would be found correctly.
        basis: what is known about the population.
        population: number of its people, if known.
        unique: classes of one record.
        unique_in_population: of these, those of people who are unique in the population, if its
            people were counted.
        uniqueness: estimates of the people who are unique in the population, if its size is known.
        estimated: what a model of the population expects of journalist and marketer.
        distribution: how the prosecutor's risk is distributed over the records.
        curve: the risk over a range of k.
        standards: verdicts by usual standards.
        special: which records few attributes single out, where that was asked.
        log_linear: what a log-linear model of the population expects, where that was asked.
        individual: what sampling weights say of every class, where they are named.
        households: the risk of households, where they are named.
        notes: what the reader should know.
        rows: the table's records, if people have many and all figures count people.
    """

    table: str
    quasi: tuple[str, ...]
    threshold: float
    records: int
    suppressed: int
    classes: Mapping[str, float]
    prosecutor: Criteria
    journalist: Criteria
    marketer: float
    basis: Basis
    population: float | None
    unique: int
    unique_in_population: int | None
    uniqueness: Uniqueness | None
    estimated: Estimated | None
    distribution: tuple[Step, ...]
    curve: RiskCurve | None = None
    standards: tuple[StandardVerdict, ...] = ()
    special: SpecialUniques | None = None
    log_linear: LogLinear | None = None
    individual: IndividualRisk | None = None
    households: HouseholdRisk | None = None
    notes: tuple[str, ...] = ()
    rows: int | None = None
    _size: Ints = field(default_factory=lambda: np.zeros(0, np.int64), repr=False, compare=False)
    _people: Ints | None = field(default=None, repr=False, compare=False)
    _class_of: Ints32 | None = field(default=None, repr=False, compare=False)
    _row_of: Ints | None = field(default=None, repr=False, compare=False)

    @classmethod
    def of(
        cls,
        table: str,
        classes: Classes,
        population: Population,
        people: Ints | None,
        threshold: float = THRESHOLD,
        individual: IndividualRisk | None = None,
    ) -> Self:
        """The risk in the classes of a table.

        Arguments:
            table: what it is called.
            classes: its classes.
            population: what is known of the population.
            people: people of the population in every class, not fewer than its records, [G]; None
                where they are not counted.
            threshold: the risk above which a record is at risk.
            individual: what sampling weights say of the population, where there are any.
        """
        size, notes, uniqueness = classes.size, [], None
        if individual is not None:
            population = Population("weights", individual.population)
        elif population.size is not None and len(size):
            if population.size < classes.records:
                notes.append(
                    "the population has fewer people than the table: no uniqueness is estimated"
                )
            else:
                uniqueness = estimate_uniqueness(size, population.size)
        expected = None
        if individual is not None and len(size):
            expected = estimated_by_weights(size, individual, threshold)
        elif uniqueness is not None and people is None:
            expected = estimated(size, uniqueness, threshold)
        return cls(
            table=table,
            quasi=classes.quasi,
            threshold=threshold,
            records=classes.records,
            suppressed=classes.suppressed,
            classes=classes.summary(),
            prosecutor=prosecutor(size, threshold),
            journalist=journalist(size, size if people is None else people, threshold),
            marketer=marketer(size, people, population.size),
            basis=population.basis,
            population=population.size,
            unique=int((size == 1).sum()),
            unique_in_population=None if people is None else int((people == 1).sum()),
            uniqueness=uniqueness,
            estimated=expected,
            distribution=distribution(size),
            individual=individual,
            notes=tuple(notes),
            _size=size,
            _people=people,
            _class_of=classes.class_of,
        )

    @property
    def link_risk(self) -> Floats:
        """How likely a link to a record of every class is right, by what is known, [G].

        By sampling weights where there are any, else by the people of the population, else by the
        records of the table.
        """
        if self.individual is not None:
            return self.individual.risk
        return 1 / (self._size if self._people is None else self._people)

    @property
    def exposed(self) -> pl.DataFrame | None:
        """The risk of every record, riskiest first: private.

        ``row`` (from 1), ``class_size``, ``prosecutor`` and ``journalist``. Of people with many
        records it is the risk of every person, and ``row`` the first of the person's records. With
        special uniques also ``fewest``, the size of the smallest set that singles the record out,
        ``score``, and ``dis`` if the size of the population is known; with sampling weights
        ``individual``, the risk that they speak for, with a log-linear model ``expected``, the risk
        that it expects: equal risks are ordered by these. None
        where records have no order, as on lazy engines.
        """
        if self._class_of is None:
            return None
        people = self._size if self._people is None else self._people
        there = np.flatnonzero(self._class_of >= 0)
        of = self._class_of[there]
        found = pl.DataFrame(
            {
                "row": (there if self._row_of is None else self._row_of[there]) + 1,
                "class_size": self._size[of],
                "prosecutor": 1 / self._size[of],
                "journalist": 1 / people[of],
            }
        )
        by = ["prosecutor", "journalist"]
        if self.individual is not None:
            found, by = found.with_columns(individual=self.individual.risk[of]), [*by, "individual"]
        if self.households is not None and self.households.of_records is not None:
            with_it = self.households.of_records[there]
            together = np.where(np.isnan(with_it), self.link_risk[of], with_it)
            found, by = found.with_columns(household=together), [*by, "household"]
        if self.log_linear is not None:
            found, by = found.with_columns(expected=self.log_linear.risk[of]), [*by, "expected"]
        if self.special is not None:
            own = {"fewest": self.special.fewest[of], "score": self.special.score[of]}
            if self.special.dis_of is not None:
                own["dis"] = self.special.dis_of[of]
            found, by = found.with_columns(**own), [*by, "score"]
        return found.sort(*by, "row", descending=[*(True for _ in by), False])

    def frame(self) -> pl.DataFrame:
        """One row per attacker: R1, R2 and R3; the marketer has R3 alone."""
        rows: list[tuple[str, float | None, float | None, float]] = [
            (name, item.at_risk, item.highest, item.success)
            for name, item in (("prosecutor", self.prosecutor), ("journalist", self.journalist))
        ]
        rows.append(("marketer", None, None, self.marketer))
        return pl.DataFrame(
            rows,
            schema={"attacker": pl.String, "R1": pl.Float64, "R2": pl.Float64, "R3": pl.Float64},
            orient="row",
        )

    def plot(self, path: str | Path) -> Path:
        """Draw the distribution of risk, and the curve over k where there is one, into a file.

        Raises:
            OutputError: the file cannot be written, or its name has another ending than .svg, .png
                and .html.
            InputError: the extra ``report`` is not installed.
        """
        found: Path = drawing("risk_plots", "draw_risk")(self, path)
        return found

    def to_dict(self, *, exposed: int = 0) -> Plain:
        """The document of ``risk``; it names records only on request.

        Arguments:
            exposed: how many of the records of the highest risk are named; private.
        """
        population: Plain = {}
        if self.unique_in_population is not None:
            population["counted"] = self.unique_in_population
        if self.uniqueness is not None:
            population |= self.uniqueness.to_dict()
        document: Plain = {
            "table": self.table,
            "quasi_identifiers": list(self.quasi),
            **self._counted,
            "suppressed": self.suppressed,
            "classes": dict(self.classes),
            "threshold": self.threshold,
            "prosecutor": self.prosecutor.to_dict(),
            "journalist": self.journalist.to_dict(),
            "marketer": {"R": self.marketer},
            "population": {
                "basis": self.basis,
                "size": self.population,
                "why": BASES[self.basis],
            },
            "uniques": {
                "sample": self.unique,
                "sample_share": self.unique / self.records if self.records else 0.0,
                "population": population,
            },
            "estimated": None if self.estimated is None else self.estimated.to_dict(),
            "distribution": [step.to_dict() for step in self.distribution],
            "notes": list(self.notes),
        }
        if self.curve is not None:
            document["curve"] = self.curve.to_dict()
            found = self.curve.selection
            document["elbow"] = None if found is None else found.to_dict()
        if self.special is not None:
            document["special_uniques"] = self.special.to_dict()
        if self.individual is not None:
            document["individual"] = self.individual.to_dict()
        if self.households is not None:
            document["households"] = self.households.to_dict()
        if self.log_linear is not None:
            document["log_linear"] = self.log_linear.to_dict()
        if exposed > 0 and self.exposed is not None:
            document["exposed"] = self.exposed[:exposed].to_dicts()
        if self.standards:
            document["standards"] = [item.to_dict() for item in self.standards]
        return document

    def __repr__(self) -> str:
        return (
            f"<RiskReport: {self.records} {self.units} in {self.classes['count']:.0f} classes; "
            f"highest risk {self.prosecutor.highest:.3g}, at risk {self.prosecutor.at_risk:.1%}, "
            f"average {self.prosecutor.success:.3g}>"
        )

    def parts(self) -> Iterator[Part]:
        """The risk from three attackers, how it is distributed, over k, and by standards."""
        left_out = f", {self.suppressed:,} suppressed left out" if self.suppressed else ""
        yield Line(
            f"{self.table}: {_how_many(self)} in "
            f"{many(int(self.classes['count']), 'class', 'classes')}{left_out}",
            "title",
        )
        yield Line(f"classes over {', '.join(self.quasi)}\n")
        yield _attackers(self)
        if self.basis != "table":
            yield Line(f"\n{BASES[self.basis]}")
        if self.estimated is not None:
            yield Line(
                f"* above {self.threshold:g}: records whose class is expected to have so few "
                "people; highest and average: expected risks"
            )
        yield from _unique(self)
        yield from _distribution(self)
        if self.individual is not None:
            yield from self.individual.parts(self.records, self.unique, self.units)
        if self.households is not None:
            yield from self.households.parts(self.threshold)
        if self.log_linear is not None:
            yield from self.log_linear.parts(self.records, self.units)
        if self.special is not None:
            yield from self.special.parts(self.records, self.units)
        if self.curve is not None:
            yield from self.curve.parts(self.units)
        for verdict in self.standards:
            yield from verdict.parts()

    def exposed_parts(self, number: int) -> Iterator[Part]:
        """The records of the highest risk by their numbers: private."""
        if not number or self.exposed is None or not self.exposed.height:
            return
        yield Line(f"\nthe most exposed {self.units} (private)", "title")
        rows = [tuple(map(shown, row)) for row in self.exposed[:number].iter_rows()]
        first = "record" if self.rows is None else "first record"
        head = (first, f"{self.units} in class", *self.exposed.columns[2:])
        yield Grid(head, rows, right=head)


def _how_many(found: RiskReport, number: int | None = None) -> str:
    """So many records; of people with many records so many people."""
    if found.rows is None:
        return many(found.records if number is None else number, "record", "records")
    if number is not None:
        return many(number, "person", "people")
    return f"{many(found.records, 'person', 'people')} of {found.rows:,} records"


def _attackers(found: RiskReport) -> Grid:
    told = [
        ("prosecutor", "the person is in the table", found.prosecutor),
        ("journalist", "the population only", found.journalist),
    ]
    if found.records:
        rows = [_criteria_row(*one) for one in told]
        rows.append(("marketer", "the population only", "", "", shown(found.marketer)))
    else:
        rows = [(name, knows, "-", "-", "-") for name, knows, _ in told]
    if found.estimated is not None:
        model = f"estimated ({found.estimated.model})"
        rows.append(_criteria_row("journalist*", model, found.estimated.journalist))
    at_risk = f"above {found.threshold:g}"
    head = ("attacker", "knows", at_risk, "highest", "average")
    return Grid(head, rows, right=(at_risk, "highest", "average"))


def _criteria_row(name: str, knows: str, item: Criteria) -> tuple[str, str, str, str, str]:
    return name, knows, share(item.at_risk), shown(item.highest), shown(item.success)


def _unique(found: RiskReport) -> Iterator[Part]:
    part = found.unique / found.records if found.records else 0.0
    yield Line(f"\nunique: {_how_many(found, found.unique)} ({share(part)})")
    if found.unique_in_population is not None:
        yield Line(f"of them unique in the population: {found.unique_in_population:,}")
    if found.uniqueness is None or found.unique_in_population is not None:
        return
    estimates = found.uniqueness
    yield Line("\nunique in the population, estimated", "title")
    rows = [
        (
            name + (" *" if name == estimates.picked else ""),
            "" if fit.uniques is None else shown(round(fit.uniques)),
            fit.why if fit.uniques is None else share(fit.uniques / estimates.sample.population),
        )
        for name, fit in estimates.fits.items()
    ]
    yield Grid(("model", "people", "share"), rows, right=("people",))
    yield Line(f"* by Dankar's rule: {estimates.why}")


def _distribution(found: RiskReport) -> Iterator[Part]:
    if not found.records:
        return
    yield Line(f"\nrisk of the {found.units}", "title")
    held = [at for at, step in enumerate(found.distribution) if step.records]
    rows = [
        (
            f"{step.above:.3g} to {step.to:.3g}",
            f"{step.records:,}",
            Bar(step.share),
            share(step.share),
            share(step.cumulative),
        )
        for step in found.distribution[held[0] : held[-1] + 1]
    ]
    head = ("above, up to", found.units, "", "share", "so far")
    yield Grid(head, rows, right=(found.units, "share", "so far"))


def _runs(numbers: Sequence[int]) -> str:
    """Rising whole numbers, runs of three and more by their ends.

    >>> _runs([2, 3, 4, 5, 8, 10, 11])
    '2 to 5, 8, 10, 11'
    """
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(
        f"{run[0]} to {run[-1]}" if len(run) > 2 else ", ".join(map(str, run)) for run in runs
    )


# The three attackers ---------------------------------------------------------------------------


def prosecutor(size: Ints, threshold: float = THRESHOLD) -> Criteria:
    """The risk from somebody who knows that the person is in the table.

    Arguments:
        size: records of every class, each 1 or more.
        threshold: the risk above which a record is at risk.

    >>> prosecutor(np.array([2, 3, 5]))
    Criteria(at_risk=0.5, highest=0.5, success=0.3)
    """
    return Criteria(*record_linkage.prosecutor(size, threshold)) if len(size) else _NOBODY


def journalist(size: Ints, people: Ints, threshold: float = THRESHOLD) -> Criteria:
    """The risk from somebody who does not know who is in the table.

    R3 is the larger of two averages: over the people of the population who share a class with
    somebody in the table, and over the records.

    Arguments:
        size: records of every class, each 1 or more.
        people: people of the population in every class, not fewer than its records.
        threshold: the risk above which a record is at risk.
    """
    return Criteria(*record_linkage.journalist(size, people, threshold)) if len(size) else _NOBODY


def marketer(size: Ints, people: Ints | None = None, population: float | None = None) -> float:
    """The share of records that somebody would find who links every one of them.

    Arguments:
        size: records of every class, each 1 or more.
        people: people of the population in every class; not given: as many as records.
        population: number of people in the population, also those of other classes.
    """
    if not len(size):
        return 0.0
    people = size if people is None else people
    return record_linkage.marketer(size, people, population == size.sum())


def estimated(size: Ints, uniqueness: Uniqueness, threshold: float = THRESHOLD) -> Estimated | None:
    """What is expected of journalist and marketer, by the model that Dankar's rule picks.

    For a class of f records the model says how probable each number of people in the population is.
    None where the model was not fitted, as for a table without uniques.

    Arguments:
        size: records of every class, each 1 or more, [G].
        uniqueness: the models, as they were fitted.
        threshold: the risk above which a record is at risk.
    """
    fit = uniqueness.best
    if not fit.fitted:
        return None
    records = int(size.sum())
    sizes, classes = np.unique(size, return_counts=True)
    at_risk = success = highest = 0.0
    for f, number in zip(sizes.tolist(), classes.tolist(), strict=True):
        chances, beyond = fit.size_given(f)
        risks = 1 / np.arange(f, f + len(chances), dtype=np.float64)
        mean = float((chances * risks).sum()) + beyond / (f + len(chances))
        at_risk += f * number * float(chances[risks > threshold].sum())
        success += f * number * mean
        highest = max(highest, mean)
    at_risk, success = at_risk / records, success / records
    return Estimated(fit.model, Criteria(at_risk, highest, success), success)


def estimated_by_weights(size: Ints, individual: IndividualRisk, threshold: float) -> Estimated:
    """What sampling weights say of journalist and marketer.

    Arguments:
        size: records of every class, [G], one at least.
        individual: what the weights say.
        threshold: the risk above which a record is at risk.
    """
    records = int(size.sum())
    enough = math.ceil(1 / threshold - 1e-9)  # of so many people a record is not at risk
    at_risk = float(size @ chance_of_fewer(size, individual.people, enough)) / records
    found = Criteria(at_risk, float(individual.risk.max()), individual.matches / records)
    return Estimated("sampling weights", found, found.success)


def distribution(size: Ints, people: Ints | None = None) -> tuple[Step, ...]:
    """How risk is distributed over the records, from the lowest step to the highest.

    Arguments:
        size: records of every class.
        people: people of every class; given, it is the journalist's risk, else the prosecutor's.
    """
    records = int(size.sum())
    risk = 1 / (size if people is None else people)
    steps: list[Step] = []
    below, before = 0.0, 0
    for edge in EDGES:
        until = int(size[risk <= edge].sum())
        share = (until - before) / records if records else 0.0
        steps.append(Step(below, edge, until - before, share, until / records if records else 0.0))
        below, before = edge, until
    return tuple(steps)


def curve_of_classes(size: Ints, ks: Iterable[int], threshold: float = THRESHOLD) -> RiskCurve:
    """The risk of a table as it is, for each k without the classes of fewer than k records.

    Arguments:
        size: records of every class.
        ks: the values of k, rising.
        threshold: the risk above which a record is at risk.
    """
    ordered = np.sort(size)
    records = int(ordered.sum())
    points, skipped = [], []
    for k in ks:
        kept = ordered[np.searchsorted(ordered, k) :]
        if len(kept):
            points.append(curve_point(k, kept, records, threshold))
        else:
            skipped.append(k)
    return RiskCurve("classes", tuple(points), tuple(skipped))


def curve_point(
    k: int, size: Ints, records: int, threshold: float, levels: Mapping[str, int] | None = None
) -> CurvePoint:
    """The point of a curve for classes of k records or more.

    Arguments:
        k: records that a class has at least.
        size: records of every class that is kept, [G].
        records: records of the whole table.
        threshold: the risk above which a record is at risk.
        levels: the level of every quasi-identifier in the release, if one was made.
    """
    kept = int(size.sum()) / records if records else 0.0
    return CurvePoint(k, prosecutor(size, threshold), kept, len(size), levels)


def require_threshold(threshold: float) -> None:
    """Raise :class:`DataError` unless this is a risk: above 0 and at most 1."""
    if not 0 < threshold <= 1:
        raise DataError(
            "bad-setting",
            f"threshold must be a risk above 0 and up to 1, not {threshold:g}",
            remedy="0.2 stands for classes of five",
        )


def range_of_k(given: Sequence[int]) -> range:
    """All k from the first to the last of two.

    Raises:
        DataError: not two whole numbers, the first 1 or more, the second not below it, or far
            above it.
    """
    whole = [k for k in given if isinstance(k, int) and not isinstance(k, bool)]
    if len(given) != 2 or len(whole) != 2 or not is_range_of_k(*whole):
        raise DataError(
            "bad-setting", f"a range of k is {RANGE_OF_K}", remedy="for example 2 and 20"
        )
    return range(whole[0], whole[1] + 1)
