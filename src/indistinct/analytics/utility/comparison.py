"""Several releases of one table side by side: what they promise and keep, and what they cost.

Everything is computed from the releases and the table, with the same questions asked of each. Only
what was added and how long a search took comes from the private account of a run, where there is
one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar, Final

import polars as pl

from indistinct.analytics.utility.contingency import Contingency
from indistinct.analytics.utility.figures import Utility
from indistinct.analytics.utility.kept import Kept as Left
from indistinct.analytics.utility.linkability import CERTAIN as BELIEVED_CERTAIN
from indistinct.analytics.utility.linkability import Intersection, Linkability
from indistinct.analytics.utility.linked_query_error import AnswerError, LinkedQueryError
from indistinct.analytics.utility.query_error import Mode, QueryError, Workload
from indistinct.document import Document, Grid, Line, OfUnits, Part, PlainData, many
from indistinct.frozen import dataclass, field
from indistinct.privacy.promise import in_short
from indistinct.release.audit.verdict import Verdict, words
from indistinct.requirement import Requirement
from indistinct.types import Plain, PlainMapping

if TYPE_CHECKING:
    from indistinct.analytics.utility.analyses import Analyses
from indistinct.analytics.attacks.finding import KINDS, Finding, worst_of

CERTAIN = "certain"
LIKELY = "0.5"
"""How attackers name the share of people of whom the truth is known, or believed with one half."""

NOT_KEPT = "no"
"""What is said beside the figure of a promise that a release does not keep."""

USUAL = (
    "attackers: share of people of whom somebody learns the truth with 95% certainty from the "
    "release; indistinct attack says who, and what helps"
)
NAMED = "attackers: share of people whose true value is believed with 50%, and for certain"
"""What the figures of attackers mean: of the worst for each thing to learn, or of named ones."""

Row = tuple[str, tuple[str, ...]]
"""A measure, and its text for every release."""

_QUALITY: Final = {
    "missings": "cells not suppressed",
    "generalization_intensity": "generalization intensity",
    "granularity": "granularity",
    "non_uniform_entropy": "non-uniform entropy",
    "squared_error": "squared error",
    "discernibility": "discernibility",
    "average_class_size": "average class size",
    "kl_divergence": "KL divergence",
    "row_squared_error": "row squared error",
    "ambiguity": "ambiguity",
}

_OF_ATTRIBUTES: Final = (
    "generalization_intensity",
    "granularity",
    "non_uniform_entropy",
    "squared_error",
)
"""Figures that people are told of every attribute, too."""


@dataclass(frozen=True)
class Kept:
    """What a release achieves of one promise; ``verdict`` is None where it cannot be audited.

    ``own`` says that the release's certificate, or else the policy, promises it; ``on`` are the
    quasi-identifiers that it speaks of.
    """

    requirement: Requirement
    verdict: Verdict | None
    own: bool = True
    on: tuple[str, ...] = ()

    def to_dict(self) -> Plain:
        """The promise as plain data; ``holds`` and ``achieved`` are None without a verdict."""
        verdict = None if self.verdict is None else self.verdict.to_dict()
        document = {
            **self.requirement.to_dict(),
            "on": list(self.on or self.requirement.on or ()),
            "holds": None if verdict is None else verdict["holds"],
            "achieved": None if verdict is None else verdict["achieved"],
        }
        if verdict is not None and "achieved_with" in verdict:
            document["achieved_with"] = verdict["achieved_with"]
        return {**document, "promised": self.own}


@dataclass(frozen=True)
class OfPeople(PlainData):
    """What is measured besides where people have many records, and all figures count people.

    Arguments:
        rows: rows of the published table with the quasi-identifiers.
        linkability: how many people can be linked to what was published of them.
        intersection: whose exact record stands in the release, and what is believed of people.
        queries: how wrong the joined tables answer questions about people.
    """

    told_keys: ClassVar = (
        "record_linkability=linkability record_intersection=intersection joined_query_error=queries"
    )

    rows: int
    linkability: Linkability
    intersection: Intersection
    queries: LinkedQueryError


@dataclass(frozen=True)
class ComparedRelease:
    """One of the releases that are compared.

    Arguments:
        name: what the tables call it.
        path: where it was read from; its name, for a release that was not read from a file.
        utility: what is left of the table.
        errors: how wrong it answers the queries, by mode.
        mode: the mode that is told first.
        promises: what it achieves of every promise of the policy or of one of the releases.
        added: number of records of ``noise`` and of ``decoys``, where that is known.
        seconds: how long its search took, where that is known.
        attacks: what attackers reach, where they were let loose.
        notes: what else a reader should know.
        of_people: further figures, where people have many records; then ``utility`` speaks of
            people.
        analyses: the policy's analyses on the table and on this release; None where it has none.
        classes: the sizes of its classes without what is made up; None where nothing is.
        transformed: what is left of transformed columns that it publishes; None where none is.
        visits: the certainty penalty of what others know of a visit, by attribute.
    """

    name: str
    path: str
    utility: Utility
    errors: Mapping[Mode, QueryError]
    mode: Mode
    promises: tuple[Kept, ...] = ()
    added: Mapping[str, int] | None = None
    seconds: float | None = None
    attacks: tuple[Finding, ...] | None = None
    notes: tuple[str, ...] = ()
    of_people: OfPeople | None = None
    analyses: Analyses | None = None
    classes: PlainMapping | None = None
    transformed: Left | None = None
    visits: Mapping[str, float] = field(default_factory=dict)

    @property
    def smallest(self) -> int | None:
        """What the smallest class has that is not made up, as far as is known."""
        size = self.utility.published.size
        own: int | None = (self.classes or {}).get("smallest")
        return own if own is not None or not len(size) else int(size.min())

    def to_dict(self) -> Plain:
        """The release as plain data; ``attacks`` only where attackers were let loose."""
        modes = {
            mode: {"mean": error.mean, "median": error.median}
            for mode, error in self.errors.items()
        }
        document = {
            "path": self.path,
            "name": self.name,
            **self.utility.to_dict(),
            **({} if self.classes is None else {"classes": dict(self.classes)}),
            "query_error": {**self.errors[self.mode].to_dict(), "by_mode": modes},
            "added": None if self.added is None else dict(self.added),
            "seconds": self.seconds,
            "promises": [kept.to_dict() for kept in self.promises],
        }
        if self.attacks is not None:
            document["attacks"] = [
                {
                    "name": item.name,
                    "sensitive": item.sensitive,
                    "people": item.people,
                    "success": dict(item.success),
                    "prior": dict(item.prior),
                    "gain": dict(item.gain),
                }
                for item in self.attacks
            ]
        if self.of_people is not None:
            document["people"] = self.utility.published.rows
            document["rows"] = self.of_people.rows
            document |= self.of_people.to_dict()
        if self.analyses is not None:
            document |= self.analyses.to_dict()
        document["notes"] = list(self.notes)
        if self.transformed is not None:
            document["transformed"] = self.transformed.to_dict()
        if self.visits:
            document["visits"] = {"ncp": dict(self.visits)}
        return document

    def __repr__(self) -> str:
        return (
            f"<{self.name}: NCP {self.utility.ncp.normalized:.4f}, DCP {self.utility.dcp}, "
            f"query error {self.errors[self.mode].median:.4f}>"
        )


@dataclass(frozen=True)
class Comparison(OfUnits, PlainData, Document):
    """Releases of one table, measured alike. Private: it is computed with the table.

    Arguments:
        records: records of the table, or its people where ``rows`` is given.
        quasi: its quasi-identifiers.
        releases: the releases, in the order given.
        workload: which queries they were asked.
        dimensions: how many conditions each query had.
        occurring: whether ranges of queries go over the values that occur, because hardly any range
            of the whole span found a record.
        contingency: how two columns go together, if requested.
        rows: the table's records, if people have many and all figures count people.
        attackers_named: whether each attacker is shown; else what the one learns who learns most.
    """

    told_keys: ClassVar = (
        "*_counted quasi_identifiers=quasi workload.queries=workload.queries "
        "workload.dimensions=dimensions workload.selectivity=workload.selectivity "
        "workload.seed=workload.seed workload.ranges=_ranges releases contingency?"
    )

    records: int
    quasi: tuple[str, ...]
    releases: tuple[ComparedRelease, ...]
    workload: Workload = field(default_factory=Workload)
    dimensions: int = 1
    occurring: bool = False
    contingency: Contingency | None = None
    rows: int | None = None
    attackers_named: bool = False

    def __getitem__(self, name: str) -> ComparedRelease:
        """The release of that name."""
        for item in self.releases:
            if item.name == name:
                return item
        raise KeyError(name)

    @property
    def _ranges(self) -> str:
        return "values" if self.occurring else "span"

    def frame(self) -> pl.DataFrame:
        """One row per release, one column per figure."""
        rows = []
        for item in self.releases:
            utility = item.utility
            row: Plain = {
                "release": item.name,
                "rows": utility.published.rows,
                "suppressed": utility.suppressed,
                "classes": utility.published.classes,
                "ncp": utility.ncp.normalized,
                **{
                    f"ncp of {name}": cost
                    for name, cost in {**utility.ncp.per_attribute, **item.visits}.items()
                },
                "loss": utility.mean_loss,
                "dcp": utility.dcp,
                "c_avg": utility.c_avg,
            }
            for key, value in utility.quality.items():
                row[f"left: {_QUALITY[key]}"] = value
            for mode, error in item.errors.items():
                row[f"query error, {mode}, mean"] = error.mean
                row[f"query error, {mode}, median"] = error.median
            if item.of_people is not None:
                row |= _people_columns(item.of_people)
            row["noise ratio"] = utility.noise_ratio
            row["seconds"] = item.seconds
            for kept in item.promises:
                verdict = kept.verdict
                row[str(kept.requirement)] = None if verdict is None else verdict.in_words
            for found in item.attacks or ():
                row[f"{_attack(found.name, found.sensitive)}, likely"] = found.success[LIKELY]
                row[f"{_attack(found.name, found.sensitive)}, certain"] = found.success[CERTAIN]
            rows.append(row)
        return pl.DataFrame(rows, infer_schema_length=None)

    def sections(self) -> list[tuple[str, list[Row]]]:
        """The comparison for people: titles, and under each the measures and their texts."""
        verdicts = [kept.verdict for item in self.releases for kept in item.promises]
        open_ = "; -: cannot be checked" if None in verdicts else ""
        parts = [
            ("size", self._sizes()),
            (f"promises: achieved ({NOT_KEPT}: not kept{open_})", self._promises()),
            ("people found (less is better)", self._people()),
            ("attackers (less is better)", self._attacks()),
            ("lost (less is better)", self._costs()),
            ("left, 0 to 1 (more is better)", self._qualities()),
        ]
        return [(title, rows) for title, rows in parts if rows]

    def _row(self, label: str, values: Iterable[str]) -> Row:
        return label, tuple(values)

    def _sizes(self) -> list[Row]:
        each = [item.utility for item in self.releases]
        rows = [
            self._row(
                f"{self.units} published",
                (f"{one.published.rows - (one.added or 0):,}" for one in each),
            ),
            self._row(f"{self.units} suppressed", (f"{one.suppressed:,}" for one in each)),
            self._row("classes", (f"{one.published.classes:,}" for one in each)),
            self._row(
                "smallest class",
                ("-" if one.smallest is None else f"{one.smallest:,}" for one in self.releases),
            ),
        ]
        if any(one.noise_ratio for one in each):
            rows.append(
                self._row(f"added {self.units}, share", (_share(one.noise_ratio) for one in each))
            )
        if any(item.seconds is not None for item in self.releases):
            rows.append(
                self._row(
                    "seconds of search",
                    ("-" if s.seconds is None else f"{s.seconds:.3g}" for s in self.releases),
                )
            )
        return rows

    def _promises(self) -> list[Row]:
        asked = dict.fromkeys(kept.requirement for item in self.releases for kept in item.promises)
        return [
            self._row(str(in_short(one)), (_achieved(item.promises, one) for item in self.releases))
            for one in asked
        ]

    def _people(self) -> list[Row]:
        each = [item.of_people for item in self.releases]
        if not any(each):
            return []
        rows = [
            self._row(
                "linked to their rows, share",
                (_share(None if one is None else one.linkability.normalized) for one in each),
            )
        ]
        names = dict.fromkeys(
            name for one in each if one is not None for name in one.intersection.vulnerable
        )
        for name in names:
            found = [
                None if one is None or name not in one.intersection.vulnerable else one.intersection
                for one in each
            ]
            there = [
                None if one is None or not one.people else one.vulnerable[name] / one.people
                for one in found
            ]
            believed = [None if one is None else one.believed[name] for one in found]
            rows.append(self._row(f"exact record with {name}, share", map(_share, there)))
            rows.append(self._row(f"{name} believed: likely, certain", map(_shares, believed)))
        return rows

    def _attacks(self) -> list[Row]:
        if not self.attackers_named:
            each = [worst_of(item.attacks or ()) for item in self.releases]
            learnt = dict.fromkeys(what for found in each for what in found)
            return [
                self._row(
                    ": ".join(filter(None, (KINDS[kind], sensitive))),
                    (
                        _share(of[kind, sensitive].learnt if (kind, sensitive) in of else None)
                        for of in each
                    ),
                )
                for kind, sensitive in learnt
            ]
        asked = dict.fromkeys(
            (found.name, found.sensitive) for item in self.releases for found in item.attacks or ()
        )
        rows = []
        for one in asked:
            found = [_found(item.attacks, one) for item in self.releases]
            reached = [None if f is None else f.success for f in found]
            before = [None if f is None else f.prior for f in found]
            rows.append(self._row(_attack(*one), map(_shares, reached)))
            if any(prior is not None and prior[LIKELY] > 0 for prior in before):
                rows.append(self._row("  by frequencies alone", map(_shares, before)))
        return rows

    def _costs(self) -> list[Row]:
        each = [item.utility for item in self.releases]
        rows = [self._row("NCP, normalized", (_figure(one.ncp.normalized) for one in each))]
        for name in self.quasi:
            costs = (_figure(one.ncp.per_attribute[name]) for one in each)
            rows.append(self._row(f"  {name}", costs))
        for name in self.releases[0].visits if self.releases else ():
            costs = (_figure(item.visits[name]) for item in self.releases)
            rows.append(self._row(f"{name} of visits", costs))
        rows += [
            self._row("loss, mean", (_figure(one.mean_loss) for one in each)),
            self._row("DCP", (f"{one.dcp:,}" for one in each)),
            self._row("  least possible", (_count(one.dcp_least) for one in each)),
            self._row("C_AVG", (_figure(one.c_avg) for one in each)),
        ]
        left = [item.transformed for item in self.releases]
        names = dict.fromkeys(name for one in left if one is not None for name in one.moved)
        rows += [
            self._row(
                f"'{name}', transformed: moved",
                ("-" if one is None else _figure(one.moved.get(name)) for one in left),
            )
            for name in names
        ]
        if any(one is not None and one.measures for one in left):
            key = "transformed-associations"
            of_each = (None if one is None else one.measures.get(key) for one in left)
            rows.append(self._row("transformed, associations lost", map(_figure, of_each)))
        for mode in self.releases[0].errors if self.releases else ():
            errors = [item.errors[mode] for item in self.releases]
            rows += [
                self._row(f"query error, {mode}, mean", (_figure(one.mean) for one in errors)),
                self._row("  median", (_figure(one.median) for one in errors)),
            ]
        for kind, of in (("count", ""), ("sum", " of {}"), ("avg", " of {}")):
            for mode in self.releases[0].errors if self.releases else ():
                parts = [_joined_error(item.of_people, kind, mode) for item in self.releases]
                if any(part is not None for part in parts):
                    about = next(o.of_people.queries.of for o in self.releases if o.of_people)
                    label = f"joined {kind}{of.format(about)}, {mode}, mean"
                    means = (_figure(None if part is None else part.mean) for part in parts)
                    rows.append(self._row(label, means))
        return rows

    def _qualities(self) -> list[Row]:
        each = [item.utility for item in self.releases]
        whole = [one.quality for one in each]
        parts = [one.quality_by_attribute.per_attribute for one in each]
        rows = []
        for key, label in _QUALITY.items():
            rows.append(self._row(label, (_figure(one[key]) for one in whole)))
            for name in self.quasi if key in _OF_ATTRIBUTES else ():
                values = [getattr(one[name], key) for one in parts]
                if any(value is not None for value in values):
                    rows.append(self._row(f"  {name}", map(_figure, values)))
        return rows

    def _disagreement(self) -> Iterator[Line]:
        """Which release is best by which measure, and what these count, where they differ."""
        best: dict[str, list[str]] = {}
        for label, of in _HEADLINES.items():
            values = {item.name: of(item) for item in self.releases}
            known = {name: value for name, value in values.items() if value is not None}
            if len(known) == len(values) and len({*known.values()}) > 1:
                least = min(known.values())
                first = " and ".join(name for name, value in known.items() if value == least)
                best.setdefault(first, []).append(label)
        if len(best) > 1:
            by = "; ".join(f"{name} by {', '.join(labels)}" for name, labels in best.items())
            yield Line(f"\nmeasures disagree on the best release: {by}", "doubt")
            yield Line(_WHAT_THEY_COUNT)

    def __repr__(self) -> str:
        return f"<Comparison of {self.records} {self.units} in {list(self.releases)}>"

    def parts(self) -> Iterator[Part]:
        """Measures in rows, releases in columns; then how two columns go together."""
        work = self.workload
        yield Line(
            f"{many(work.queries, 'query')} on {many(self.dimensions, 'column')} at a time, each "
            f"expected to find {work.selectivity:.3g} of the {self.units}",
        )
        if self.occurring:
            yield Line(
                "their ranges go over the values that occur: hardly any range of the whole span "
                f"found one of the {self.units}"
            )
        if self.rows is not None:
            joined = "joined tables are also asked for sensitive values, as expected counts"
            yield Line(joined)
        if any(item.attacks is not None for item in self.releases):
            yield Line(NAMED if self.attackers_named else USUAL)
        yield Line("")
        names = tuple(item.name for item in self.releases)
        empty = ("",) * len(names)
        rows: list[tuple[str, ...]] = []
        for title, lines in self.sections():
            rows += [("", *empty)] if rows else []
            rows.append((title, *empty))
            rows += [(f"  {label}", *texts) for label, texts in lines]
        yield Grid(("", *names), rows, right=names)
        yield from self._disagreement()
        for item in self.releases:
            if item.analyses is not None:
                yield Line(f"\nanalyses on {item.name}", "title")
                yield from item.analyses.parts()
        if self.contingency is not None:
            yield from self.contingency.parts()


_HEADLINES: Mapping[str, Callable[[ComparedRelease], float | None]] = {
    "NCP": lambda item: item.utility.ncp.normalized,
    "DCP": lambda item: item.utility.dcp,
    "C_AVG": lambda item: item.utility.c_avg,
    "query error": lambda item: item.errors[item.mode].mean,
}
"""Measures by which one release is best, each less where it is better."""

_WHAT_THEY_COUNT = (
    "NCP counts how many values each cell covers. DCP and C_AVG count how large classes are, "
    "however exact their cells, and C_AVG in multiples of the release's own k. Query errors "
    "measure wrong answers on a few columns."
)


def _people_columns(of: OfPeople) -> Plain:
    """The further figures of a release as columns of a frame."""
    found: Plain = {"record linkability": of.linkability.normalized}
    for name, number in of.intersection.vulnerable.items():
        found[f"exact records with {name}"] = number
        found[f"{name} believed, likely"] = of.intersection.believed[name][LIKELY]
        found[f"{name} believed, certain"] = of.intersection.believed[name][BELIEVED_CERTAIN]
    for kind, modes in of.queries.errors.items():
        for mode, error in modes.items():
            found[f"joined {kind} error, {mode}, mean"] = error.mean
            found[f"joined {kind} error, {mode}, median"] = error.median
    return found


def _joined_error(of: OfPeople | None, kind: str, mode: Mode) -> AnswerError | None:
    if of is None:
        return None
    return next((own[mode] for name, own in of.queries.errors.items() if name == kind), None)


def _achieved(promises: Sequence[Kept], asked: Requirement) -> str:
    for kept in promises:
        if kept.requirement == asked:
            if kept.verdict is None:
                return "-"
            # Each figure with the others as asked, which the row's label tells.
            text = words(_short(kept.verdict.achieved))
            return text if kept.verdict.holds else f"{text}, {NOT_KEPT}"
    return "-"


def _attack(name: str, sensitive: str | None) -> str:
    return name if sensitive is None else f"{name} of {sensitive}"


def _found(attacks: Sequence[Finding] | None, asked: tuple[str, str | None]) -> Finding | None:
    return next((f for f in attacks or () if (f.name, f.sensitive) == asked), None)


def _shares(reached: Mapping[str, float] | None) -> str:
    return "-" if reached is None else f"{_share(reached[LIKELY])}, {_share(reached[CERTAIN])}"


def _share(share: float | None) -> str:
    if share is None:
        return "-"
    if 0 < share < 0.001:
        return "<0.1%"
    return f"{share:.0%}" if share in (0, 1) else f"{share:.1%}"


def _figure(value: float | None) -> str:
    return "-" if value is None else f"{value + 0.0:.4g}"


def _short(achieved: Mapping[str, float | int | None]) -> dict[str, float | int | None]:
    """Figures with as many digits as a narrow column has room for."""
    return {
        name: float(f"{value:.3g}") if isinstance(value, float) else value
        for name, value in achieved.items()
    }


def _count(value: int | None) -> str:
    return "-" if value is None else f"{value:,}"
