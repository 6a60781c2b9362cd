"""What an attacker found, in figures that a custodian can compare, and all of it together."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import ClassVar, TypedDict, Unpack

import numpy as np
import polars as pl
from numpy.typing import NDArray

from indistinct.analytics.attacks.context import SURE, AttackContext
from indistinct.analytics.attacks.remedies import Remedy
from indistinct.document import Document, Grid, Line, Part, PlainData, Style, as_html, many, share
from indistinct.frozen import dataclass, field
from indistinct.types import Array, Plain, PlainMapping

THRESHOLDS = (0.5, 0.95)
"""Beliefs from which on an attacker counts as successful."""

CERTAIN = "certain"

NEVER_PUBLISH = "what an attacker shows must never be published with the data"

_SLACK = 1e-12

Figures = float | int | None | Mapping[str, float | int | None]
"""A further figure of an attacker, or several by name: by how much it knows, or by column."""


@dataclass(frozen=True)
class Finding(PlainData):
    """What one attacker reaches against a release; private, like everything an attacker shows.

    All shares are of the people of the source, suppressed ones too; a person without a compatible
    class is believed at the prior.

    Arguments:
        people: how many people were attacked.
        success: the share of people for whom the belief in the truth is at least 0.5, at least
            0.95, and for whom it is certain.
        prior: the same, for somebody who knows only how often each value occurs in the release.
        gain: the mean and the largest difference of belief and prior, in the truth.
        name: the attacker's name; that of its module where it says none.
        knowledge: what the attacker knows, in one sentence; likewise.
        sensitive: the attribute that is learnt, None where it is identity or presence.
        figures: further figures of this attacker, by name.
        worst: the class in which it learns most; private.
        note: what this means, in a sentence for the custodian.
        kind: what the attacker learns: ``identity``, ``membership`` or ``attribute``.
        alone: the success of somebody who knows the same and only how often each value occurs in
            the release; where not given, that is ``prior``.
        remedy: what to write in the policy so that the attacker learns less.
        learns: what is known of the attribute ``{}``.
    """

    told_keys: ClassVar = (
        "name kind sensitive knowledge people success prior alone=without gain learnt figures "
        "worst note remedy"
    )

    people: int
    success: Mapping[str, float]
    prior: Mapping[str, float]
    gain: Mapping[str, float]
    name: str = ""
    knowledge: str = ""
    sensitive: str | None = None
    figures: Mapping[str, Figures] = field(default_factory=dict)
    worst: PlainMapping = field(default_factory=dict)
    note: str = ""
    kind: str = ""
    alone: Mapping[str, float] | None = None
    remedy: Remedy | None = None
    learns: str = "the {}"

    @property
    def without(self) -> Mapping[str, float]:
        """The success of the same knowledge with overall frequencies in place of classes."""
        return self.prior if self.alone is None else self.alone

    @property
    def learnt(self) -> float:
        """The share of people whose truth is believed with 0.95 for what the release says."""
        return max(self.success.get(KNOWN, 0.0) - self.without.get(KNOWN, 0.0), 0.0)

    def __repr__(self) -> str:
        of = f" on {self.sensitive}" if self.sensitive else ""
        won = ", ".join(f"{key} {share:.1%}" for key, share in self.success.items())
        return f"<Finding: {self.name}{of}: {won} of {self.people} people>"


@dataclass(frozen=True)
class Skipped(PlainData):
    """An attacker that had nothing to go on, and why.

    Arguments:
        name: the attacker.
        why: the reason, as a clause.
        sensitive: what it would have learnt.
        leaves_open: whether somebody else with its knowledge may learn something.
        kind: what it would have learnt, as a key of :data:`KINDS`; that of its module.
    """

    told_keys: ClassVar = "name sensitive why"

    name: str
    why: str
    sensitive: str | None = None
    leaves_open: bool = False
    kind: str = ""


class Told(TypedDict, total=False):
    """What an attacker tells beside beliefs; for the names see :class:`Finding`."""

    knowledge: str
    figures: Mapping[str, Figures]
    worst: PlainMapping
    note: str


def summarize(
    context: AttackContext,
    sensitive: str | None,
    belief: NDArray[np.float64],
    prior: NDArray[np.float64],
    certain: NDArray[np.bool_] | None = None,
    *,
    alone: NDArray[np.float64] | None = None,
    **told: Unpack[Told],
) -> Finding:
    """The finding that follows from what an attacker believes of every person.

    Arguments:
        context: what the attacker was given.
        sensitive: the attribute that is learnt, None where it is identity or presence.
        belief: belief in each person's true value, [n].
        prior: belief in it of somebody who knows only the marginal distribution, [n].
        certain: whether the attacker is certain of the truth, [n]; where not given, of people who
            are found and whose truth is believed with certainty.
        alone: belief in it of somebody who knows the same and no classes, [n]; the prior, where
            not given.
        told: ``knowledge``, what the attacker knows, where that is not what its module says;
            ``figures``, further ones; ``worst``, the class in which it learns most; ``note``, what
            this means.
    """
    figures, note = dict(told.get("figures", {})), told.get("note", "")
    if certain is None:
        certain = context.found & (belief >= 1 - SURE)
    people = context.people.height
    if sensitive is not None:
        concerned = context.concerned(sensitive)
        if not concerned.all():
            belief, prior, certain = belief[concerned], prior[concerned], certain[concerned]
            alone = alone if alone is None else alone[concerned]
            people = int(concerned.sum())
            figures["concerned"] = people
            note = f"{note} Shares are of the people with a value that promises are about.".lstrip()
    gain = belief - prior

    def shares(held: NDArray[np.float64], sure: NDArray[np.bool_]) -> dict[str, float]:
        known = {str(at): share_of(held >= at - _SLACK) for at in THRESHOLDS}
        return {**known, CERTAIN: share_of(sure)}

    return Finding(
        knowledge=told.get("knowledge", ""),
        people=people,
        success=shares(belief, certain),
        prior=shares(prior, prior >= 1 - _SLACK),
        gain={
            "mean": share_of(gain),
            "max": float(gain.max()) if people else 0.0,
        },
        sensitive=sensitive,
        figures=figures,
        worst=dict(told.get("worst", {})),
        note=note,
        alone=None if alone is None else shares(alone, alone >= 1 - _SLACK),
    )


def with_one_more(
    find: Callable[[int], Finding], letter: str, number: int, told: Mapping[str, str]
) -> Finding:
    """What is found by who knows so many, and in its figures what one more of them would add.

    Arguments:
        find: the finding of an attacker that knows a number of values, or of people.
        letter: what this number is called, ``b`` or ``c``.
        number: how many are known.
        told: the figures that are told of both, by the name they are told under.
    """
    found, more = find(number), find(number + 1)
    further = f"{letter}{number + 1}"
    figures: dict[str, Figures] = {letter: number}
    for name, own in told.items():
        figures[name] = found.figures[own]
        figures[f"{further}_{name}"] = more.figures[own]
    figures |= {f"{further}_{key}": share for key, share in more.success.items()}
    figures[f"{further}_gain_mean"] = more.gain["mean"]
    return Finding(**{**vars(found), "figures": figures})


def worst_class(context: AttackContext, score: NDArray[np.float64], **more: Array) -> Plain:
    """The class with the largest score, the first of them in sorted order; empty without one.

    Rows that may be made up are not counted as people.

    Arguments:
        context: what the attacker was given.
        score: of every class, [G].
        more: further figures by class, told of the worst one.
    """
    if not len(score):
        return {}
    at = int(np.argmax(score))
    return {
        "class": context.classes.cells.row(at, named=True),
        context.units: int(context.rows_of_people[at]),
        **{key: values[at].item() for key, values in more.items()},
    }


def of_people(share: float) -> str:
    """A share of people, for a sentence.

    >>> of_people(0.0), of_people(0.00002), of_people(0.25), of_people(1.0)
    ('nobody', 'fewer than 0.1% of people', '25.0% of people', 'everybody')
    """
    if share in (0, 1):
        return "everybody" if share else "nobody"
    if share < 0.001:
        return "fewer than 0.1% of people"
    return "more than 99.9% of people" if share > 0.999 else f"{share:.1%} of people"


def share_of(which: Array) -> float:
    """The share of people of whom something holds, or the mean of what it is; 0 of nobody."""
    return float(which.mean()) if len(which) else 0.0


def mean_of(values: Array) -> float | None:
    """The mean of figures; None where there is none."""
    return float(values.mean()) if len(values) else None


KNOWN = str(THRESHOLDS[1])
"""The belief in the truth that counts as knowing it."""

NOT_ONE_LEVEL = "what the program tried instead of these classes is not known"
"""Why nobody tries what the program would have published of other people."""

KINDS = {
    "identity": "who somebody is",
    "membership": "whether somebody is in it",
    "attribute": "what somebody has",
}
"""What is learnt, by the kind of an attacker."""

DOES = {
    "identity": "identifies {} with 95% certainty",
    "membership": "knows of {} with 95% certainty that they are in it",
    "attribute": "knows {learns} of {} with 95% certainty",
}
"""What somebody does who succeeds, by the kind of an attacker."""

LEVELS: tuple[tuple[str, Style], ...] = (("low", "good"), ("some", "doubt"), ("HIGH", "bad"))
"""How much is learnt: green, amber and red of the policy."""

INDENT = 6
"""Columns that a level takes at the beginning of its line."""

ALIKE = 5
"""Attributes of which nothing is learnt, up to which each has a line; more of them share one."""

ROWS = {"record": ("record", "records"), "person": ("published person", "published people")}
"""What the rows of a release are called, by what they stand for."""


@dataclass(frozen=True)
class AttackReport(PlainData, Document):
    """What every attacker found in a release. Only for the custodian.

    Arguments:
        attacks: what each attacker found, per sensitive attribute where it learns one.
        skipped: the attackers that could not be tried, and why.
        records: published records; where people have many records, published rows of people.
        notes: what else the reader should know.
        warning: a warning that applies to every such report.
        unit: what was attacked: a ``record`` is taken for a person, or a ``person`` has many.
        thresholds: the shares of people above which what is learnt is amber, and red.
        quasi: the quasi-identifiers.
    """

    told_keys: ClassVar = "warning unit records summary=_summary attacks skipped notes"

    attacks: tuple[Finding, ...]
    skipped: tuple[Skipped, ...] = ()
    records: int = 0
    notes: tuple[str, ...] = ()
    warning: str = NEVER_PUBLISH
    unit: str = "record"
    thresholds: tuple[float, float] = (0.0, 0.2)
    quasi: tuple[str, ...] = ()

    def __getitem__(self, name: str) -> Finding:
        """The first finding of the attacker of that name."""
        for item in self.attacks:
            if item.name == name:
                return item
        raise KeyError(name)

    @property
    def _summary(self) -> list[Plain]:
        return [
            {
                "kind": item.kind,
                "sensitive": item.sensitive,
                "level": LEVELS[self.level(item)][0].lower(),
                "name": item.name,
                "learnt": item.learnt,
                "remedy": None if item.remedy is None else item.remedy.to_dict(),
            }
            for item in self.worst()
        ]

    def frame(self) -> pl.DataFrame:
        """One row per finding: attacker, attribute, people, successes, priors, gains."""
        rows = [
            {
                "attacker": item.name,
                "sensitive": item.sensitive,
                "people": item.people,
                **{f"success_{key}": share for key, share in item.success.items()},
                **{f"prior_{key}": share for key, share in item.prior.items()},
                **{f"gain_{key}": value for key, value in item.gain.items()},
            }
            for item in self.attacks
        ]
        return pl.DataFrame(rows, schema=_SCHEMA)

    def __repr__(self) -> str:
        worst = max(self.attacks, key=lambda item: item.success[CERTAIN], default=None)
        sure = f", worst {worst.name}: {worst.success[CERTAIN]:.1%} certain" if worst else ""
        return f"<AttackReport: {len(self.attacks)} attacks, {len(self.skipped)} skipped{sure}>"

    def parts(self) -> Iterator[Part]:
        """The summary, and all that it sums up."""
        yield from self.summary()
        yield Line("")
        yield from self.details()

    def summary(self) -> Iterator[Part]:
        """The attackers who learn most about identity, about presence and about each attribute."""
        people = max((item.people for item in self.attacks), default=0)
        yield Line(
            f"{many(people, 'person', 'people')} attacked in "
            f"{many(self.records, *ROWS[self.unit])}",
            "title",
        )
        yield from self._worst_told()
        yield from self._left_open()
        for item in self.attacks:
            if alike := item.figures.get("left_out_alike"):
                yield Line(
                    f"also  what somebody has: {item.sensitive}: {item.figures['left_out']} "
                    "people are left out of classes that would be large enough; at least "
                    f"{alike} of them share a value with others of their class ({item.name})",
                    "doubt",
                    indent=INDENT,
                )
        opened: dict[tuple[str, str], list[str]] = {}
        for part in self.skipped:
            if part.leaves_open:
                opened.setdefault((part.name, part.why), []).append(str(part.sensitive))
        for (name, why), columns in opened.items():
            more = len(columns) - 3
            told = ", ".join(columns if more <= 1 else [*columns[:3], f"{more} more"])
            yield Line(
                f"open  what somebody has: {told}: an attacker who reruns the "
                f"program ({name}) may learn more; not tried, because {why}",
                "doubt",
                indent=INDENT,
            )
        tried = {item.name for item in self.attacks}  # of another attribute, perhaps
        untried = dict.fromkeys(item.name for item in self.skipped if item.name not in tried)
        if untried:
            yield Line(f"not tried: {', '.join(untried)}")

    def _worst_told(self) -> Iterator[Line]:
        """The worst of each; of many attributes with the same attacker, the first one in full."""
        nothing: dict[str, list[str]] = {}
        learnt: dict[str, list[Finding]] = {}
        for worst in self.worst():
            if worst.sensitive and not worst.learnt:
                nothing.setdefault(self._says(worst), []).append(worst.sensitive)
            elif worst.sensitive:
                learnt.setdefault(worst.name, []).append(worst)
        for worst in self.worst():
            names = [] if worst.learnt else nothing.get(self._says(worst), [])
            same = learnt.get(worst.name, []) if worst.sensitive and worst.learnt else []
            if len(same) > ALIKE:
                if worst is same[0]:
                    most, *others = sorted(same, key=lambda one: -one.learnt)
                    yield from self._told(most)
                    yield self._likewise(others)
            elif worst.sensitive not in names or len(names) <= ALIKE:
                yield from self._told(worst)
            elif worst.sensitive == names[0]:
                yield from self._told(worst, f"{', '.join(names[:3])} and {len(names) - 3} more")

    def _likewise(self, others: Sequence[Finding]) -> Line:
        """What one attacker learns of further attributes, the most first."""
        level, style = LEVELS[self.level(others[0])]
        told = [f"{one.sensitive} ({share(one.success.get(KNOWN, 0.0))})" for one in others]
        text = (
            f"{level:<{INDENT}}the same attacker knows with 95% certainty: {', '.join(told)}; what "
            "lowers each: --json"
        )
        return Line(text, style, indent=INDENT)

    def untried(self) -> dict[str, str]:
        """Each kind, and each attribute, on which every attacker was refused, and why."""
        tried = {(item.kind, item.sensitive) for item in self.attacks}
        found = {}
        for kind, what in KINDS.items():
            whys: dict[str | None, dict[str, None]] = {}
            for item in self.skipped:
                if item.kind == kind and (kind, item.sensitive) not in tried:
                    whys.setdefault(item.sensitive, {})[item.why] = None
            if any(of == kind for of, _ in tried):
                whys.pop(None, None)
            for sensitive, why in whys.items():
                found[what + (f": {sensitive}" if sensitive else "")] = "; ".join(why)
        return found

    def _left_open(self) -> Iterator[Line]:
        """What was not tried, and why."""
        untried = self.untried()
        looked_at = {item.kind for item in self.attacks} | {item.kind for item in self.skipped}
        for kind, what in KINDS.items():
            told = {one: why for one, why in untried.items() if one.partition(": ")[0] == what}
            if kind not in looked_at:
                told[what] = "no attacker of this kind was asked for"
            for one, why in told.items():
                yield Line(f"open  {one}: not tried, because {why}", "doubt", indent=INDENT)

    def worst(self) -> list[Finding]:
        """The attacker that learns most about each: identity, membership, every attribute."""
        return list(worst_of(self.attacks).values())

    def level(self, item: Finding) -> int:
        """How much an attacker learns, as an index of :data:`LEVELS`."""
        return sum(item.learnt > bound for bound in self.thresholds)

    def _told(self, item: Finding, names: str | None = None) -> Iterator[Line]:
        """What is learnt most, how much that is, and what to do about it.

        Arguments:
            item: what an attacker found.
            names: the attributes of which the same holds; the finding's where not given.
        """
        level, style = LEVELS[self.level(item)]
        about = names or item.sensitive
        of = KINDS[item.kind] + (f": {about}" if about else "")
        yield Line(f"{level:<{INDENT}}{of}: {self._says(item)}", style, indent=INDENT)
        if item.learnt and item.remedy is not None:
            keys = item.remedy.toml()
            text = f"{'':<{INDENT}}to lower it, {item.remedy.text}{':' if keys else ''}"
            yield Line(text, indent=INDENT)
            if keys:
                yield Line(keys, "code", indent=INDENT + 2)

    def _says(self, item: Finding) -> str:
        """What an attacker learns, as a sentence."""
        if not item.learnt:
            if item.success.get(KNOWN):
                return "no attacker knows more with 95% certainty than without the release"
            return "no attacker knows anything with 95% certainty"
        who = item.knowledge.replace("exact quasi-identifiers", f"exact {_listed(self.quasi)}")
        does = DOES[item.kind].format(
            of_people(item.success.get(KNOWN, 0.0)),
            learns=item.learns.format(item.sensitive),
        )
        without = share(item.without.get(KNOWN, 0.0))
        return (
            f"an attacker who knows {who}{',' * (',' in who)} {does}; without the release "
            f"{without} ({item.name})"
        )

    def details(self) -> Iterator[Part]:
        """Shares of people, by what attackers learn; what each of them knows; who was skipped."""
        yield Line(
            "Share of people for whom the truth is believed with 50%, with 95%, or for certain; "
            "prior: share believed at 50% or more from overall frequencies alone; gain: belief "
            "above that of overall frequencies, on average and at most.\n",
        )
        who = [item for item in self.attacks if item.sensitive is None]
        if who:
            yield from _reached("who somebody is", who)
        for name in dict.fromkeys(item.sensitive for item in self.attacks if item.sensitive):
            own = [item for item in self.attacks if item.sensitive == name]
            yield from _reached(f"what somebody has: {name}", own)
        for name in dict.fromkeys(item.name for item in self.attacks):
            own = [item for item in self.attacks if item.name == name]
            yield Line(name, "title")
            yield Line(f"  knows {own[0].knowledge}")
            for text in _once_each((item.sensitive, item.note) for item in own):
                yield Line(f"  * {text}")
        if self.skipped:
            yield Line("\nnot tried", "title")
            rows = []
            for name in dict.fromkeys(item.name for item in self.skipped):
                told = [(item.sensitive, item.why) for item in self.skipped if item.name == name]
                rows.append((name, "; ".join(_once_each(told, alike=True))))
            yield Grid(("attacker", "why"), rows)

    def _repr_html_(self) -> str:
        return as_html([*self.parts(), Line(self.warning, "title")])


def worst_of(attacks: Iterable[Finding]) -> dict[tuple[str, str | None], Finding]:
    """The attacker that learns most, by what is learnt: a kind, and the attribute."""
    found: dict[tuple[str, str | None], Finding] = {}
    for item in sorted(attacks, key=lambda one: [*KINDS].index(one.kind)):
        before = found.setdefault((item.kind, item.sensitive), item)
        if _rank(item) > _rank(before):
            found[item.kind, item.sensitive] = item
    return found


def _rank(item: Finding) -> tuple[float, float, float]:
    """By what the worst attacker is told."""
    return item.learnt, item.gain["mean"], item.success.get(KNOWN, 0.0)


def _listed(names: Sequence[str]) -> str:
    """Names in a sentence, four of them at most."""
    if not names:
        return "quasi-identifiers"
    more = len(names) - 3
    own = names if more <= 1 else (*names[:3], f"{more} more quasi-identifiers")
    return own[0] if len(own) == 1 else f"{', '.join(own[:-1])} and {own[-1]}"


def _once_each(told: Iterable[tuple[str | None, str]], *, alike: bool = False) -> Iterator[str]:
    """Sentences, each once; those that do not name their attributes with these before them.

    Arguments:
        told: sentences, with the attribute that each is about.
        alike: put those together that differ in the name of the attribute alone, and name none
            before one that holds of all.
    """
    found: dict[tuple[str, bool], list[str]] = {}
    for sensitive, text in told:
        word = "\0" if sensitive is None else rf"(?<!\w){re.escape(sensitive)}(?!\w)"
        named = re.search(word, text) is not None
        form = re.sub(word, "\0", text) if alike else text
        own = found.setdefault((form, named), [])
        if sensitive is not None and (alike or not named):
            own.append(sensitive)
    for (form, named), own in found.items():
        if named:
            yield form.replace("\0", ", ".join(own))
        else:
            yield f"{', '.join(own)}: {form}" if own and not (alike and len(found) == 1) else form


def _reached(title: str, items: Sequence[Finding]) -> Iterator[Part]:
    yield Line(title, "title")
    rows = [
        (
            item.name,
            f"{item.people:,}",
            *(share(value) for value in item.success.values()),
            share(item.prior[str(THRESHOLDS[0])]),
            # Adding nothing makes no negative zero.
            f"{round(item.gain['mean'], 2) + 0.0:+.2f}",
            f"{round(item.gain['max'], 2) + 0.0:+.2f}",
        )
        for item in items
    ]
    head = ("attacker", "people", "50%", "95%", "sure", "prior", "gain", "most")
    yield Grid(head, rows, right=head[1:])
    yield Line("")


_SCHEMA: PlainMapping = {
    "attacker": pl.String,
    "sensitive": pl.String,
    "people": pl.Int64,
    **{
        f"{kind}_{at}": pl.Float64 for kind in ("success", "prior") for at in (*THRESHOLDS, CERTAIN)
    },
    "gain_mean": pl.Float64,
    "gain_max": pl.Float64,
}
