"""What is left to leak after a release, and what would mend it: before and after, side by side.

The form is that of Table 8 of Arca and Hewett (2021): the normalized average information loss of
every attribute in the private table and in what is published. Where too much is left, three things
help: generalize further, suppress, or add decoys.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import ClassVar, Literal

import numpy as np
import polars as pl

from indistinct.analytics.leakage.encoded import Encoded, encode
from indistinct.analytics.leakage.information_loss import Leakage
from indistinct.analytics.leakage.sensitive_leakage import SensitiveLeakage, sensitive_leakage
from indistinct.analytics.profile.concepts import Role
from indistinct.document import Bar, Document, Grid, Line, Part, PlainData, toml_key
from indistinct.errors import DataError
from indistinct.frozen import dataclass, field
from indistinct.hierarchies.taxonomy import SUPPRESSED, Taxonomy
from indistinct.sources.table import Table
from indistinct.types import Plain

TaxonomyOf = Callable[[str, Sequence[str | None], Sequence[int]], Taxonomy | None]
"""From an attribute, its distinct values and how often each occurs, to its hierarchy."""


@dataclass(frozen=True, eq=False)
class Known:
    """What is known of a table's attributes before it is looked at.

    Arguments:
        roles: the role of each attribute; where none is given, what the caller makes of it.
        sensitive: attributes of which it is told what quasi-identifiers tell about them, and their
            values that say that there is nothing to be known.
        taxonomy_of: their hierarchies, for the advice how far to generalize.
    """

    roles: Mapping[str, Role] = field(default_factory=dict)
    sensitive: Mapping[str, Collection[str]] = field(default_factory=dict)
    taxonomy_of: Callable[[str], Taxonomy | None] | None = None


NOTHING_KNOWN = Known()


@dataclass(frozen=True)
class Action(PlainData):
    """Something that would lower a leakage, in words, and the lines of a policy that do it."""

    kind: Literal["generalize", "suppress", "decoys"]
    text: str
    policy: str


@dataclass(frozen=True)
class AttributeChange(PlainData):
    """What an attribute leaks in the private table and in the release.

    ``after`` is None where the release does not hold it. ``exposed`` says that what is left reaches
    the threshold; then ``actions`` say what would help.
    """

    told_keys: ClassVar = (
        "attribute before=before.normalized after=after.normalized exposed actions"
    )

    attribute: str
    before: Leakage
    after: Leakage | None
    exposed: bool
    actions: tuple[Action, ...] = ()


@dataclass(frozen=True)
class LeakageChange(PlainData, Document):
    """Leakage before and after a release.

    Arguments:
        records_before: records of the private table.
        records_after: rows of the release.
        attributes: every attribute, before and after.
        shield: the attributes that are protected together.
        before: their leakage in the private table.
        after: that of those the release holds; None where it holds none of them.
        threshold: the share of S0 from which an attribute still leaks too much.
        sensitive: what the shield tells about each sensitive attribute, before and after; after is
            None where the release does not hold the attribute, or nothing of the shield.
    """

    told_keys: ClassVar = (
        "records.before=records_before records.after=records_after attributes "
        "together.attributes=shield together.before=before.normalized "
        "together.after=after.normalized uniqueness.before=before.alone "
        "uniqueness.after=after.alone sensitive=_about_sensitive threshold"
    )

    records_before: int
    records_after: int
    attributes: tuple[AttributeChange, ...]
    shield: tuple[str, ...]
    before: Leakage
    after: Leakage | None
    threshold: float
    sensitive: tuple[tuple[SensitiveLeakage, SensitiveLeakage | None], ...] = ()

    @property
    def exposed(self) -> tuple[AttributeChange, ...]:
        """The attributes that still leak too much."""
        return tuple(item for item in self.attributes if item.exposed)

    def frame(self) -> pl.DataFrame:
        """Normalized leakage before and after, one row per attribute and one for the shield."""
        rows: list[tuple[str, float, float | None]] = [
            (item.attribute, item.before.normalized, item.after.normalized if item.after else None)
            for item in self.attributes
        ]
        left = self.after.normalized if self.after else None
        rows.append((", ".join(self.shield), self.before.normalized, left))
        schema = {"attribute": pl.String, "before": pl.Float64, "after": pl.Float64}
        return pl.DataFrame(rows, schema=schema, orient="row")

    @property
    def _about_sensitive(self) -> list[Plain]:
        return [
            {
                "attribute": before.attribute,
                "before": before.share,
                "after": None if after is None else after.share,
                "certain": {
                    "before": before.certain,
                    "after": None if after is None else after.certain,
                },
            }
            for before, after in self.sensitive
        ]

    def parts(self) -> Iterator[Part]:
        """Before and after, and what would help where a column still leaks."""
        lines = [(item.attribute, item.before, item.after) for item in self.attributes]
        lines.append(("all shielded together", self.before, self.after))
        rows = [
            (
                name,
                Bar(before.normalized),
                f"{before.normalized:.2f}",
                "" if after is None else Bar(after.normalized),
                "left out" if after is None else f"{after.normalized:.2f}",
            )
            for name, before, after in lines
        ]
        yield Grid(("column", "before", "", "after", " "), rows, right=("", " "))
        if self.after is not None:
            yield Line(
                "unique in all shielded columns: "
                f"{in_per_cent(self.before.alone)} before, {in_per_cent(self.after.alone)} after",
            )
        yield from self._told_of_sensitive()
        if not self.exposed:
            yield Line(f"\nno column of the release leaks {self.threshold:.0%} or more")
        for item in self.exposed:
            assert item.after is not None
            yield Line(
                f"\n{item.attribute} still leaks {item.after.normalized:.0%}. What would help:"
            )
            for action in item.actions:
                yield Line(f"  * {action.text}")
                for line in action.policy.splitlines():
                    yield Line(f"        {line}")

    def _told_of_sensitive(self) -> Iterator[Part]:
        if not self.sensitive:
            return
        yield Line("\nwhat all shielded columns disclose about sensitive ones", "title")
        rows = [
            (
                before.attribute,
                Bar(before.share),
                f"{before.share:.0%}",
                "" if after is None else Bar(after.share),
                "left out" if after is None else f"{after.share:.0%}",
                "" if after is None else in_per_cent(after.certain),
            )
            for before, after in self.sensitive
        ]
        columns = ("column", "before", "", "after", " ", "still certain")
        yield Grid(columns, rows, right=("", " ", "still certain"))


def in_per_cent(share: float) -> str:
    """A share in per cent, telling none from few and all from nearly all."""
    if 0 < share < 0.001:
        return "<0.1%"
    if 0.999 < share < 1:
        return ">99.9%"
    return f"{share:.1%}"


def compare_leakage(
    before: Table | Encoded,
    after: Table,
    attributes: Sequence[str],
    *,
    shield: Sequence[str] | None = None,
    threshold: float = 0.5,
    known: Known = NOTHING_KNOWN,
) -> LeakageChange:
    """What attributes leak in a private table, and in a release of it.

    Each is measured against the entropy of its own table, as the paper does; suppressed records
    that the release keeps are records like others.

    Arguments:
        before: the private table, or what
            :func:`~indistinct.analytics.leakage.encoded.encode` made of it.
        after: the published table.
        attributes: the attributes to compare.
        shield: those that are protected together; not given: all of them.
        threshold: the share of S0 from which an attribute still leaks too much.
        known: what is known of the attributes.

    Raises:
        DataError: an unknown attribute, or a release that holds none of them.
    """
    own = before if isinstance(before, Encoded) else encode(before, attributes)
    shield = tuple(attributes if shield is None else shield)
    kept = [name for name in attributes if name in after.columns]
    if not kept:
        raise DataError(
            "nothing-to-compare",
            "the release has none of the attributes that are compared",
            file=after.name,
            remedy="give the release of this table, its columns named as in the table",
        )
    published = encode(after, kept)
    left = [name for name in shield if name in kept]
    alone = {item.attributes[0]: item for item in published.analysis.singles()}
    advice = _Advice(own, published, threshold, known, left, _smallest(published, left))
    changes = []
    for name in attributes:
        now = alone.get(name)
        exposed = now is not None and now.normalized >= threshold and now.loss > 0
        actions = advice.of(name) if exposed else ()
        changes.append(AttributeChange(name, own.analysis.of([name]), now, exposed, actions))
    return LeakageChange(
        records_before=own.analysis.records,
        records_after=published.analysis.records,
        attributes=tuple(changes),
        shield=shield,
        before=own.analysis.of(shield),
        after=published.analysis.of(left) if left else None,
        threshold=threshold,
        sensitive=tuple(
            (
                sensitive_leakage(own, name, shield, without),
                sensitive_leakage(published, name, left, without)
                if name in kept and left
                else None,
            )
            for name, without in known.sensitive.items()
        ),
    )


def leakage_by_level(encoded: Encoded, attribute: str, taxonomy: Taxonomy) -> list[float]:
    """The normalized leakage of an attribute at every level of its hierarchy, [levels].

    Arguments:
        encoded: the table.
        attribute: the attribute.
        taxonomy: its hierarchy, with all its values.
    """
    analysis = encoded.analysis
    codes = analysis.table.codes[analysis.attributes.index(attribute)]
    mass = np.bincount(codes, encoded.mass, minlength=len(encoded.domains[attribute]))
    leaves = np.array([taxonomy.code_of(value) for value in encoded.domains[attribute]])
    found = []
    for code in taxonomy.compile().code:
        classes = np.bincount(code[leaves], mass)
        classes = classes[classes > 0] / mass.sum()
        loss = -float((classes * np.log2(classes)).sum())
        found.append(max(loss, 0.0) / analysis.entropy if analysis.entropy > 0 else 0.0)
    return found


def leakage_with_decoys(
    published: Encoded, attribute: str, shield: Sequence[str], to: int, limit: float = 0.1
) -> float:
    """The normalized leakage of an attribute after the smallest classes were enlarged by decoys.

    Arguments:
        published: the release without decoys.
        attribute: one of ``shield``.
        shield: the attributes whose combinations are the classes.
        to: what smaller classes are enlarged to, the smallest first.
        limit: the largest share of decoys.
    """
    table = published.analysis.table
    class_of = published.analysis.classes(shield)
    size = np.bincount(class_of, table.weight)
    order = np.argsort(size, kind="stable")
    room = limit * size.sum() / (1 - limit)
    lacking = np.maximum(to - size[order], 0)
    added = np.zeros(len(size))
    added[order] = np.clip(room - (np.cumsum(lacking) - lacking), 0, lacking)
    weight = table.weight * (1 + added / size)[class_of]
    codes = table.codes[published.analysis.attributes.index(attribute)]
    shares = np.bincount(codes, weight) / weight.sum()
    shares = shares[shares > 0]
    loss = max(-float((shares * np.log2(shares)).sum()), 0.0)
    return loss / float(np.log2(weight.sum()))


def level_below(shares: Sequence[float], threshold: float, least: int = 0) -> int | None:
    """The lowest level that leaks less than a threshold; None where none below the top does.

    Arguments:
        shares: the normalized leakage of every level, 0 to 1, [levels].
        threshold: the leakage that is too much.
        least: the level from which on one is looked for.
    """
    for level in range(least, len(shares) - 1):
        if shares[level] < threshold:
            return level
    return None


def _smallest(published: Encoded, names: Sequence[str]) -> int:
    analysis = published.analysis
    if not names or not analysis.records:
        return 0
    return int(np.bincount(analysis.classes(names), analysis.table.weight).min())


@dataclass(frozen=True)
class _Advice:
    own: Encoded
    published: Encoded
    threshold: float
    known: Known
    shield: Sequence[str]
    smallest: int

    def of(self, name: str) -> tuple[Action, ...]:
        found = [self._generalize(name), self._suppress(name), self._decoys(name)]
        return tuple(action for action in found if action is not None)

    def _generalize(self, name: str) -> Action | None:
        key = f"[attributes.{toml_key(name)}]"
        if self.known.roles.get(name, "quasi-identifier") != "quasi-identifier":
            text = (
                "generalize it: make it a quasi-identifier with a hierarchy, if somebody could"
                " know it"
            )
            return Action("generalize", text, f'{key}\nrole = "quasi-identifier"')
        taxonomy = self.known.taxonomy_of and self.known.taxonomy_of(name)
        if taxonomy is None:
            text = "generalize it further: give it a hierarchy of more levels"
            return Action("generalize", text, f"{key}\nhierarchy = {{ … }}")
        shares = leakage_by_level(self.own, name, taxonomy)
        now = self._level(name, taxonomy)
        level = level_below(shares, self.threshold, now + 1)
        if level is None:
            return None
        text = f"generalize it further: from level {level} on it leaks {shares[level]:.0%} or less"
        return Action("generalize", text, f"{key}\nmin_level = {level}")

    def _level(self, name: str, taxonomy: Taxonomy) -> int:
        """The lowest level that has all labels published; suppressed cells are on every level."""
        seen = set(self.published.domains[name]) - {SUPPRESSED}
        for level in range(taxonomy.levels):
            if seen <= set(taxonomy.level(level)):
                return level
        return 0

    def _suppress(self, name: str) -> Action:
        return Action(
            "suppress",
            "leave it out of the release",
            f'[attributes.{toml_key(name)}]\nrole = "identifier"',
        )

    def _decoys(self, name: str) -> Action | None:
        """Decoys for the smallest classes, where these lower what the attribute leaks."""
        if name not in self.shield or not self.smallest:
            return None
        wanted = 2 * self.smallest
        now = self.published.analysis.of([name]).normalized
        then = leakage_with_decoys(self.published, name, self.shield, wanted)
        if round(then, 2) >= round(now, 2):
            return None
        return Action(
            "decoys",
            f"add decoys: made-up records until no class has fewer than {wanted}, or a tenth of "
            f"the release is made up; it then leaks {then:.0%} instead of {now:.0%}; they distort "
            "counts",
            f"[method]\ndecoys = {{ to = {wanted} }}",
        )
