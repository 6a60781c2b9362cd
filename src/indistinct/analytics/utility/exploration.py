"""What many policies keep of one table, and what they risk: a frontier to choose from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

import polars as pl

from indistinct.document import (
    Document,
    Grid,
    Line,
    Part,
    PlainData,
    drawing,
    first_names,
    many,
    share,
    shown,
)
from indistinct.frozen import dataclass, field
from indistinct.types import Plain, PlainMapping

TINY = 1e-12

BOUNDS = (0.33, 0.2, 0.09, 0.05)
"""Risks of a record that guidelines name."""


REASONS = 5
"""So many reasons why points have no release are shown."""


@dataclass(frozen=True)
class Point(PlainData):
    """One policy, and what it makes of the table.

    Arguments:
        k: the k of k-anonymity over all quasi-identifiers; None where none is promised.
        suppression_limit: the share of records that may be left out; None where the method has no
            such limit.
        algorithm: the method.
        objective: what is minimized.
        promises: the parameters of promises that are varied.
        published: records that are published; None where no release keeps the promises.
        suppressed: records that are left out.
        classes: the number of classes.
        risk: ``highest`` and ``average`` risk of a record, and the share of records ``at_risk``.
        kept: the share of the quasi-identifiers' detail that is published.
        lost: the attributes of which at most a quarter is left.
        analyses: the policy's analyses on this release.
        gain: of the attacker who gains most, its ``attacker`` and what it gains at ``most`` on
            somebody; None where no attacker was tried.
        why: the reason, where there is no release.
        source: the policy, made when it is asked for.
    """

    told_keys: ClassVar = (
        "k suppression_limit algorithm objective promises? gain? why? published suppressed classes "
        "risk kept lost analyses policy"
    )

    k: int | None
    suppression_limit: float | None
    algorithm: str
    objective: str
    promises: PlainMapping = field(default_factory=dict)
    published: int | None = None
    suppressed: int | None = None
    classes: int | None = None
    risk: Mapping[str, float | None] | None = None
    kept: float | None = None
    lost: tuple[str, ...] = ()
    analyses: Sequence[PlainMapping] | None = None
    gain: PlainMapping | None = None
    why: str | None = None
    source: Callable[[], Any] = field(default=type(None), repr=False, compare=False)

    @property
    def policy(self) -> Any:
        """The policy of this point; None where its settings do not go together."""
        return self.source()

    @property
    def holds_analyses(self) -> bool:
        """Whether every analysis keeps the overlap that is asked for."""
        return all(item["kept"] is not False for item in self.analyses or ())

    def holds(self, risk: float | None = None, gain: float | None = None) -> bool:
        """Whether there is a release, the analyses are kept, and risk and gains are within bounds.

        Arguments:
            risk: the highest risk of a record that is allowed.
            gain: what an attacker may gain about a person; a release without attacks fails it.
        """
        if self.risk is None or not self.holds_analyses:
            return False
        safe = risk is None or (self.risk["highest"] or 0.0) <= risk + TINY
        return safe and (
            gain is None or (self.gain is not None and self.gain["most"] <= gain + TINY)
        )


@dataclass(frozen=True)
class Exploration(Document):
    """Policies side by side. Private.

    Arguments:
        points: one for each.
        threshold: the highest risk of a record that the policy allows.
        recommended: the place of the point to take; None where no point has a release.
        why: the reason.
        elbow: the k at the bend of the risk, where one series of k was explored.
        gain: what an attacker may gain about a person; None if not requested.
        untried: attributes that no attacker can follow into a release, each with the reason.
    """

    points: tuple[Point, ...]
    threshold: float
    recommended: int | None
    why: str
    elbow: int | None = None
    gain: float | None = None
    untried: Mapping[str, str] = field(default_factory=dict)

    def __repr__(self) -> str:
        best = "none" if self.recommended is None else f"point {self.recommended + 1}"
        return f"<Exploration: {many(len(self.points), 'point')}, recommended {best}>"

    def __getitem__(self, number: int) -> Point:
        """The point of that number, as tables count them from 1."""
        return self.points[number - 1]

    def smallest_k(self, bound: float | None = None, gain: float | None = None) -> int | None:
        """The place of the point with the smallest k within bounds that keeps the analyses.

        Of several with that k, the one that keeps most. None where there is none.

        Arguments:
            bound: the highest risk of a record that is allowed.
            gain: what an attacker may gain about a person.
        """
        able = [
            at
            for at, item in enumerate(self.points)
            if item.k is not None and item.holds(bound, gain)
        ]
        return min(
            able,
            key=lambda at: (self.points[at].k or 0, -(self.points[at].kept or 0.0)),
            default=None,
        )

    @property
    def frontier(self) -> tuple[int, ...]:
        """The places of points that no other point beats in both risk and what is kept."""
        able = [
            (at, item.risk["highest"] or 0.0, item.kept or 0.0)
            for at, item in enumerate(self.points)
            if item.risk is not None and item.kept is not None
        ]
        return tuple(
            at
            for at, risk, kept in able
            if not any(
                other <= risk and more >= kept and (other, more) != (risk, kept)
                for _, other, more in able
            )
        )

    def to_dict(self) -> Plain:
        """The exploration as plain data; private."""
        return {
            "points": [item.to_dict() for item in self.points],
            "recommended": self.recommended,
            "why": self.why,
            "frontier": list(self.frontier),
            "smallest_k": {f"{bound:g}": self.smallest_k(bound) for bound in BOUNDS},
            "elbow": self.elbow,
            **(
                {}
                if self.gain is None
                else {"smallest_k_for_gain": self.smallest_k(None, self.gain)}
            ),
            **({} if not self.untried else {"untried": dict(self.untried)}),
        }

    def frame(self) -> pl.DataFrame:
        """A row for every point."""
        return pl.DataFrame(
            {
                "point": range(1, len(self.points) + 1),
                "k": [item.k for item in self.points],
                "suppression_limit": [item.suppression_limit for item in self.points],
                "algorithm": [item.algorithm for item in self.points],
                "objective": [item.objective for item in self.points],
                "published": [item.published for item in self.points],
                "suppressed": [item.suppressed for item in self.points],
                "kept": [item.kept for item in self.points],
                "highest_risk": [
                    None if item.risk is None else item.risk["highest"] for item in self.points
                ],
            },
            strict=False,
        )

    def svg(self) -> str:
        """The frontier as a picture: what is kept over the highest risk, the points numbered."""
        drawn: str = drawing("frontier", "frontier_svg")(self)
        return drawn

    def parts(self) -> Iterator[Part]:
        """A row for every point, the recommended one, and other ways to choose."""
        figures = ("keeps", "left out", "risk", *(("gain",) if self.gain is not None else ()))
        yield Grid(
            ("point", "k", "limit", "algorithm", *figures, ""),
            [self._row(at, item) for at, item in enumerate(self.points)],
            right=("point", "k", "limit", *figures),
        )
        yield Line("* no other point keeps more at the same or a lower risk")
        reasons = self._without_release()
        for why, points in list(reasons.items())[:REASONS]:
            listed = first_names([str(number) for number in points])
            yield Line(f"point{'s' * (len(points) > 1)} {listed}: {why}", "doubt")
        if more := sum(map(len, list(reasons.values())[REASONS:])):
            yield Line(f"{many(more, 'more point')} without a release: --json has the reasons")
        if self.recommended is None:
            yield Line(f"\n{self.why}", "bad")
            return
        yield Line(f"\nrecommended: point {self.recommended + 1}: {self.why}", "good")
        for bound in BOUNDS:
            at = self.smallest_k(bound)
            if at is not None:
                yield Line(f"smallest k with a risk of {bound:g} or less: point {at + 1}")
        yield from self._by_gain_and_analyses()
        if self.elbow is not None:
            yield Line(
                f"the curve of risk bends at k = {self.elbow}, which mostly follows from risk "
                "being 1 / k, and says little of this table",
            )

    def _without_release(self) -> Mapping[str, Sequence[int]]:
        """Why points have no release: the numbers of the points of each reason."""
        found: dict[str, list[int]] = {}
        for number, item in enumerate(self.points, start=1):
            if item.why is not None:
                found.setdefault(item.why, []).append(number)
        return found

    def _by_gain_and_analyses(self) -> Iterator[Line]:
        """The k that hold attackers, and those that keep the analyses."""
        if self.gain is not None:
            at = self.smallest_k(None, self.gain)
            tried = [item.gain for item in self.points if item.gain is not None]
            if at is not None:
                said = (
                    f"smallest k at which no attacker gains more than {self.gain:g}: point {at + 1}"
                )
                yield Line(said)
            elif tried:
                least = min(tried, key=lambda item: item["most"])
                yield Line(
                    f"an attacker gains more than {self.gain:g} at every point: "
                    f"{least['attacker']} gains {least['most']:.2g} where it gains least",
                    "doubt",
                )
        for name, why in self.untried.items():
            yield Line(f"no attacker looks at '{name}': {why}", "doubt")
        asked = [item for item in self.points if item.analyses and item.k is not None]
        if any(one["kept"] is not None for item in asked for one in item.analyses or ()):
            able = [item.k for item in asked if item.k is not None and item.holds()]
            said = f"k = {', '.join(map(str, sorted({*able})))}" if able else "no point"
            yield Line(f"keeps the analyses as asked: {said}")

    def _row(self, at: int, item: Point) -> tuple[str, ...]:
        told = [
            *(["recommended"] if at == self.recommended else []),
            *([f"loses {', '.join(item.lost)}"] if item.lost else []),
            *([] if item.holds_analyses else ["analyses not kept"]),
        ]
        limit = "" if item.suppression_limit is None else f"{item.suppression_limit:g}"
        total = (item.published or 0) + (item.suppressed or 0)
        if item.published is None or item.suppressed is None:
            figures = ("no release", "", "")
        else:
            figures = (
                "" if item.kept is None else share(item.kept),
                share(item.suppressed / total if total else 0.0),
                "" if item.risk is None else f"{item.risk['highest']:.4g}",
            )
        name = item.algorithm + ("" if item.objective == "loss" else f", {item.objective}")
        for key, value in item.promises.items():
            name += f", {key} = {value}"
        mark = f"{at + 1}{'*' if at in self.frontier else ' '}"
        return (
            mark,
            "" if item.k is None else shown(item.k),
            limit,
            name,
            *figures,
            *(
                ()
                if self.gain is None
                else ("" if item.gain is None else f"{item.gain['most']:.2f}",)
            ),
            "; ".join(told),
        )
