"""The nets of Fazal and others (2023): (k,l)-diversity, theta on rows, (theta*,k)-utility.

    R. Fazal, R. Khan, A. Anjum, M. H. Syed, A. Khan, S. Rehman: "Improved angelization technique
    against background knowledge attack for 1:M microdata". PeerJ Computer Science 9:e1255, 2023,
    Figures 3 to 5, Tables 6 to 9, 13 and 14, Rules 3 to 19.

Of (k,l)-diversity the paper prints the places and the rule of the attack (Rule 3); what lies
between is taken from its Scenario I: people with a set of symptoms each, in classes of k or more,
where a category stands in place of two or more of a person's symptoms, and a symptom that is alone
in its category stays. Theta on rows is the net of :mod:`.khan_nets` on a table in
which people have several records. Of (theta*,k)-utility all rules are printed.

Nothing is known here of the program's own algorithms. How people are grouped is a choice of the
net, over all ways there are: what holds in every final marking holds for whatever algorithm follows
the rules.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, lru_cache

from indistinct_reproductions.fazal_tables import LEVELS, partial_cut
from indistinct_reproductions.khan_nets import (
    SYMPTOMS,
    VISITS,
    Disclosure,
    Published,
    Quasi,
    Record,
    Row,
    full_variance,
    intersecting,
    rank_variance,
    theta_net,
)
from indistinct_reproductions.khan_nets import start as theta_start
from indistinct_reproductions.nets import Binding, Marking, Net, Place, Transition

__all__ = [
    "Patient",
    "Release",
    "disclosed",
    "kl_net",
    "kl_start",
    "partitions",
    "releases",
    "rows_net",
    "rows_start",
    "theta_star_net",
    "theta_star_start",
]

Group = tuple[str, ...]
"""People, by name, sorted."""

Nodes = tuple[str, ...]
"""What is published of a person's symptoms, sorted."""


@dataclass(frozen=True)
class Patient:
    """A person: quasi-identifiers, and the symptoms of all records in their order."""

    person: str
    quasi: Quasi
    symptoms: Nodes


@dataclass(frozen=True)
class Kept:
    """A person with one category."""

    person: str
    quasi: Quasi
    category: str


@dataclass(frozen=True)
class Known:
    """What an adversary knows of a person: quasi-identifiers, and the symptom of one visit."""

    person: str
    quasi: Quasi
    visit: str


@dataclass(frozen=True)
class Line:
    """A published row: the class's cells, and nodes of the symptoms or the number of a bucket."""

    cells: tuple[Quasi, ...]
    nodes: Nodes = ()
    bucket: int | None = None

    def covers(self, quasi: Quasi) -> bool:
        """Whether it can be the row of somebody with these quasi-identifiers."""
        return Published(self.cells, ()).covers(quasi)


@dataclass(frozen=True)
class Release:
    """What is published: rows, and for linked tables the categories of each bucket."""

    rows: tuple[Line, ...]
    buckets: tuple[Nodes, ...] = ()

    def nodes(self, row: Line) -> Nodes:
        """What a reader of a row finds of symptoms: nodes of its own, or all of its bucket."""
        return row.nodes if row.bucket is None else self.buckets[row.bucket]


def patients(records: Sequence[Record]) -> tuple[Patient, ...]:
    """The people of a table, each with the symptoms of all records."""
    own: dict[str, list[Record]] = {}
    for record in records:
        own.setdefault(record.person, []).append(record)
    return tuple(
        Patient(person, some[0].row.quasi, tuple(part.row.value for part in some))
        for person, some in own.items()
    )


def partitions(
    people: Sequence[str], least: int, most: int | None = None
) -> Iterator[tuple[Group, ...]]:
    """All ways to put people into groups of at least, and at most, so many.

    >>> [" ".join(map("".join, way)) for way in partitions("abcd", 2)]
    ['ab cd', 'ac bd', 'ad bc', 'abcd']
    """
    yield from _partitions(tuple(people), least, len(people) if most is None else most)


@cache
def _partitions(people: Group, least: int, most: int) -> tuple[tuple[Group, ...], ...]:
    if not people:
        return ((),)
    first, others = people[0], people[1:]
    found = []
    for size in range(least, min(most, len(people)) + 1):
        for chosen in itertools.combinations(others, size - 1):
            rest = tuple(one for one in others if one not in chosen)
            found += [((first, *chosen), *more) for more in _partitions(rest, least, most)]
    return tuple(found)


def _cells(members: Sequence[Quasi]) -> tuple[Quasi, ...]:
    """The ranges of numbers and the sets of words that some people span."""
    cells = (tuple(sorted(set(column))) for column in zip(*members, strict=True))
    return tuple((cell[0], cell[-1]) if isinstance(cell[0], int) else cell for cell in cells)


# ---------------------------------------------------------------------------------------------
# Adversaries


def by_symptom(release: Release, known: Sequence[Known]) -> tuple[Disclosure, ...]:
    """Who knows one symptom of a person looks for rows that print it (sVer, Rule 3).

    These, and the rows that have the symptom's category, can be the person's. Where all of them
    print the symptom and say the same, the person's other nodes are learnt.
    """
    found = []
    for person in known:
        rows = {
            release.nodes(row)
            for row in release.rows
            if row.covers(person.quasi)
            and {person.visit, SYMPTOMS[person.visit]} & {*release.nodes(row)}
        }
        if len(rows) == 1 and person.visit in (nodes := rows.pop()):
            others = [node for node in nodes if node != person.visit]
            found += [Disclosure(person.person, "vertical", None, node) for node in others]
    return tuple(found)


def by_variance(
    release: Release, known: Sequence[Known], theta: Fraction
) -> tuple[Disclosure, ...]:
    """Buckets of one category, or of too little variance (csa and sva, Rule 19)."""
    low = {at for at, values in enumerate(release.buckets) if rank_variance(values) < theta}
    return tuple(
        Disclosure(
            person.person, "sensitive variance", at, "/".join(sorted(set(release.buckets[at])))
        )
        for person in known
        for at in sorted(low)
        if any(row.bucket == at and row.covers(person.quasi) for row in release.rows)
    )


@lru_cache(maxsize=1 << 12)
def beliefs(release: Release, quasi: Quasi) -> Mapping[str, Fraction]:
    """How likely somebody with these quasi-identifiers has each category.

    Every row that could be the person's is as likely, and so is every category of its bucket as
    often as it is listed.
    """
    rows = [row for row in release.rows if row.covers(quasi)]
    found = dict.fromkeys(LEVELS, Fraction(0))
    for row in rows:
        assert row.bucket is not None
        listed = release.buckets[row.bucket]
        for category, often in Counter(listed).items():
            found[category] += Fraction(often, len(listed) * len(rows))
    return found


def by_membership(
    release: Release, known: Sequence[Known], bound: Fraction
) -> tuple[Disclosure, ...]:
    """Categories believed of somebody with the bound or more (ma, Rule 15)."""
    return tuple(
        Disclosure(person.person, "membership", None, category)
        for person in known
        for category, belief in beliefs(release, person.quasi).items()
        if belief >= bound
    )


def by_exclusion(release: Release, known: Sequence[Known]) -> tuple[Disclosure, ...]:
    """Categories that somebody cannot have (nma, Rule 16)."""
    return tuple(
        Disclosure(person.person, "non-membership", None, category)
        for person in known
        for category, belief in beliefs(release, person.quasi).items()
        if not belief
    )


def stripped(release: Release, k: int) -> Release:
    """A release without what looks like noise: the single values of buckets above k.

    Only where what is left is the same whichever of them is noise; rows stay as they are.
    """
    found = []
    for values in release.buckets:
        extra = len(values) - k
        single = [value for value, often in Counter(values).items() if often == 1]
        rest = tuple(value for value in values if value not in single)
        found.append(rest if 0 < extra == len(single) else values)
    return replace(release, buckets=tuple(found))


# ---------------------------------------------------------------------------------------------
# Figure 3: (k,l)-diversity


def kl_net() -> Net:
    """(k,l)-diversity and an adversary who knows one visit (Figure 3, Tables 6 and 7, Rule 3)."""
    places = (
        Place("MDT", "the table: records with names"),
        Place("TMDT", "people, each with a set of symptoms"),
        Place("Flag-tf", "outcomes of checks"),
        Place("k", "k"),
        Place("L", "l"),
        Place("G-list", "classes of people"),
        Place("SP-node", "of everybody the nodes that stand for the symptoms"),
        Place("CT-v", "classes with their nodes, that have l different ones"),
        Place("Published Data", "the release"),
        Place("BK", "what the adversary knows"),
        Place("Sa disc", "what is disclosed"),
    )

    def cut(people: tuple[Patient, ...]) -> tuple[tuple[str, Nodes], ...]:
        return tuple((one.person, partial_cut(one.symptoms)) for one in people)

    def different(b: Binding) -> bool:
        nodes = dict(b["nodes"])
        return all(
            len({node for person in group for node in nodes[person]}) >= b["l"]
            for group in b["classes"][1]
        )

    def published(b: Binding) -> list[Release]:
        people, classes, nodes = b["classes"]
        quasi = {one.person: one.quasi for one in people}
        own = dict(nodes)
        rows = [
            Line(_cells([quasi[person] for person in group]), own[name])
            for group in classes
            for name in group
        ]
        return [Release(_sorted(rows))]

    transitions = (
        Transition(
            "Transform",
            {"table": "MDT"},
            {
                "TMDT": lambda b: [patients(b["table"])],
                "BK": lambda b: [background(b["table"])],
            },
            rule="one record per person, with a set of symptoms",
        ),
        Transition(
            "Check k",
            {"people": "TMDT"},
            {
                "G-list": lambda b: [(b["people"], b["classes"])],
                "SP-node": lambda b: [cut(b["people"])],
                "Flag-tf": lambda b: [("k", True)],
            },
            reads={"k": "k"},
            chooses={"classes": lambda b: partitions([one.person for one in b["people"]], b["k"])},
            rule="classes of k people, in any way",
        ),
        Transition(
            "Check l",
            {"classes": "G-list", "nodes": "SP-node"},
            {
                "CT-v": lambda b: [(*b["classes"], b["nodes"])],
                "Flag-tf": lambda b: [("l", True)],
            },
            reads={"l": "L"},
            guard=different,
            rule="l different nodes in every class",
        ),
        Transition(
            "Publish",
            {"classes": "CT-v"},
            {"Published Data": published},
            rule="ranges of quasi-identifiers, and everybody's nodes",
        ),
        Transition(
            "sVer Attack",
            {"known": "BK"},
            {"Sa disc": lambda b: by_symptom(b["release"], b["known"])},
            reads={"release": "Published Data"},
            guard=lambda b: bool(by_symptom(b["release"], b["known"])),
            rule="Rule 3",
        ),
    )
    return Net("(k,l)-diversity", places, transitions)


def kl_start(records: Sequence[Record] = VISITS, *, k: int = 2, least: int = 2) -> Marking:
    """The initial marking of :func:`kl_net`: the table, k and l."""
    return Marking({"MDT": [tuple(records)], "k": [k], "L": [least]})


# ---------------------------------------------------------------------------------------------
# Figure 4: theta on rows


def rows_net(bound: Fraction = Fraction(1)) -> Net:
    """Theta-sensitive k-anonymity on records, and who knows how many records each person has.

    Figure 4, Tables 8 and 9, Rule 4.
    """
    return theta_net(SYMPTOMS, intersecting(bound))


def rows_start(records: Sequence[Record] = VISITS, *, k: int = 2) -> Marking:
    """The initial marking of :func:`rows_net`."""
    return theta_start(records, k=k)


# ---------------------------------------------------------------------------------------------
# Figure 5: (theta*,k)-utility


def theta_star_net(
    *,
    bound: Fraction = Fraction(1),
    classes: Sequence[Group] | None = None,
    buckets: Sequence[Group] | None = None,
    strips: bool = False,
) -> Net:
    """(theta*,k)-utility and its adversaries (Figure 5, Tables 13 and 14, Rules 6 to 19).

    Arguments:
        bound: the belief from which on a membership attack succeeds.
        classes: the classes of the quasi table; all there are, if not given.
        buckets: the buckets; all there are, if not given. With both left open there are very many
            markings.
        strips: the adversaries leave out what looks like noise.
    """
    places = (
        Place("T", "the table: records with names"),
        Place("CDSA", "the different symptoms"),
        Place("CtgT", "symptoms with their categories"),
        Place("GenSA", "records with a category"),
        Place("Transformed Table", "everybody with the highest category"),
        Place("History Table", "all other records"),
        Place("K-value", "k"),
        Place("Mu", "mu"),
        Place("Condition found", "the same, of whom there are k"),
        Place("Theta", "theta"),
        Place("DSA", "buckets that keep theta"),
        Place("QT", "the quasi table"),
        Place("ST", "the sensitive table"),
        Place("BK", "what the adversary knows"),
        Place("SA disc", "what is disclosed of sensitive values"),
        Place("MA disc", "what is believed of people"),
        Place("NMA disc", "what is excluded of people"),
    )

    def bucketings(b: Binding) -> Iterator[tuple[tuple[Group, Nodes], ...]]:
        category = {one.person: one.category for one in b["people"]}
        theta = b["mu"] * full_variance(b["k"])
        ways = (
            partitions([*category], b["k"], 2 * b["k"] - 1) if buckets is None else [tuple(buckets)]
        )
        for way in ways:
            yield from _filled(way, category, theta)

    def groupings(b: Binding) -> Iterator[tuple[Group, ...]]:
        names = [one.person for one in b["buckets"][0]]
        if classes is not None:
            return iter([tuple(classes)])
        return partitions(names, b["k"], 2 * b["k"] - 1)

    def split(b: Binding) -> tuple[Line, ...]:
        people, made = b["buckets"]
        quasi = {one.person: one.quasi for one in people}
        bucket_of = {name: at for at, (group, _) in enumerate(made) for name in group}
        class_of = {name: group for group in b["classes"] for name in group}
        rows = []
        for name in quasi:
            cells = _cells([quasi[one] for one in class_of[name]])
            rows.append(Line(cells, bucket=bucket_of[name]))
        for at, (group, values) in enumerate(made):
            cells = _cells([quasi[one] for one in class_of[group[-1]]])
            rows += [Line(cells, bucket=at)] * (len(values) - len(group))
        return _sorted(rows)

    def attack(name: str, place: str, rule: str, learnt: _Learnt) -> Transition:
        @lru_cache(maxsize=1 << 12)
        def from_release(
            quasi: tuple[Line, ...],
            buckets: tuple[Nodes, ...],
            k: int,
            known: tuple[Known, ...],
            theta: Fraction,
        ) -> tuple[Disclosure, ...]:
            release = Release(quasi, buckets)
            return learnt(stripped(release, k) if strips else release, known, theta)

        def found(b: Binding) -> tuple[Disclosure, ...]:
            return from_release(b["quasi"], b["sensitive"], b["k"], b["known"][1], b["theta"])

        return Transition(
            name,
            {"known": "BK"},
            {place: found},
            reads={"quasi": "QT", "sensitive": "ST", "k": "K-value", "theta": "Theta"},
            guard=lambda b: b["known"][0] == name and bool(found(b)),
            rule=rule,
        )

    attacks = (
        attack("MA Attack", "MA disc", "Rule 15", lambda r, who, _: by_membership(r, who, bound)),
        attack("NMA Attack", "NMA disc", "Rule 16", lambda r, who, _: by_exclusion(r, who)),
        attack("SVer Attack", "SA disc", "Rule 17", lambda r, who, _: by_symptom(r, who)),
        attack("SVA", "SA disc", "Rule 19", by_variance),
    )
    transitions = (
        Transition(
            "Compute Dist SA",
            {"table": "T"},
            {
                "T": lambda b: [(b["table"][0], True)],
                "CDSA": lambda b: [tuple(sorted({part.row.value for part in b["table"][0]}))],
                "BK": lambda b: [(part.name, background(b["table"][0])) for part in attacks],
            },
            guard=lambda b: not b["table"][1],
            rule="Rule 6",
        ),
        Transition(
            "Categorize",
            {"symptoms": "CDSA"},
            {"CtgT": lambda b: [tuple((one, SYMPTOMS[one]) for one in b["symptoms"])]},
            rule="Rule 7",
        ),
        Transition(
            "Populate",
            {"table": "T", "categories": "CtgT"},
            {
                "GenSA": lambda b: [
                    tuple(
                        Record(part.person, Row(part.row.quasi, own[part.row.value]))
                        for own in [dict(b["categories"])]
                        for part in b["table"][0]
                    )
                ]
            },
            guard=lambda b: bool(b["table"][1]),
            rule="Rule 8",
        ),
        Transition(
            "Transform",
            {"records": "GenSA"},
            {
                "Transformed Table": lambda b: [_highest(b["records"])[0]],
                "History Table": lambda b: [_highest(b["records"])[1]],
            },
            rule="Rules 9 and 10",
        ),
        Transition(
            "Check k",
            {"people": "Transformed Table"},
            {
                "Condition found": lambda b: [b["people"]],
            },
            reads={"k": "K-value"},
            guard=lambda b: len(b["people"]) >= b["k"] >= 2,
            rule="Rules 11 and 12",
        ),
        Transition(
            "Apply theta-sensitive k-anonymity",
            {"people": "Condition found"},
            {
                "DSA": lambda b: [(b["people"], b["buckets"])],
                "Theta": lambda b: [b["mu"] * full_variance(b["k"])],
            },
            reads={"k": "K-value", "mu": "Mu"},
            chooses={"buckets": bucketings},
            rule="Rule 13",
        ),
        Transition(
            "Splitting",
            {"buckets": "DSA"},
            {
                "QT": lambda b: [split(b)],
                "ST": lambda b: [tuple(values for _, values in b["buckets"][1])],
            },
            reads={"k": "K-value"},
            chooses={"classes": groupings},
            rule="Rule 14, and Rule 18: buckets and classes are chosen apart",
        ),
        *attacks,
    )
    return Net("(theta*,k)-utility", places, transitions)


def theta_star_start(
    records: Sequence[Record] = VISITS, *, k: int = 2, mu: Fraction = Fraction(3, 5)
) -> Marking:
    """The initial marking of :func:`theta_star_net`: the table (not yet looked at), k and mu."""
    return Marking({"T": [(tuple(records), False)], "K-value": [k], "Mu": [mu]})


def releases(marking: Marking) -> tuple[Release, ...]:
    """What is published in a marking of the nets of Figures 3 and 5."""
    linked = zip(marking.tokens("QT"), marking.tokens("ST"), strict=True)
    return (*marking.tokens("Published Data"), *(Release(*tables) for tables in linked))


def disclosed(marking: Marking) -> tuple[Disclosure, ...]:
    """What adversaries have learnt in a marking of these nets."""
    places = ("Sa disc", "SA disc", "MA disc", "NMA disc", "SA Disc")
    return tuple(found for place in places for found in marking.tokens(place))


_Learnt = Callable[[Release, Sequence[Known], Fraction], tuple[Disclosure, ...]]


def background(records: Sequence[Record]) -> tuple[Known, ...]:
    """Of everybody the quasi-identifiers, and the symptom of the last visit."""
    return tuple(Known(one.person, one.quasi, one.symptoms[-1]) for one in patients(records))


def _highest(records: Sequence[Record]) -> tuple[tuple[Kept, ...], tuple[Record, ...]]:
    """Everybody with the highest category, the last record of several, and all other records."""
    last: dict[str, int] = {}
    for at, record in enumerate(records):
        before = last.get(record.person)
        own = LEVELS.index(record.row.value)
        if before is None or own >= LEVELS.index(records[before].row.value):
            last[record.person] = at
    kept = {*last.values()}
    people = tuple(
        Kept(name, records[at].row.quasi, records[at].row.value) for name, at in last.items()
    )
    return people, tuple(record for at, record in enumerate(records) if at not in kept)


def _filled(
    way: Sequence[Group], category: Mapping[str, str], theta: Fraction
) -> Iterator[tuple[tuple[Group, Nodes], ...]]:
    """Buckets of these people with as much noise as each needs, in all ways."""
    own = [
        [(group, values) for values in _with_noise(tuple(category[one] for one in group), theta)]
        for group in way
    ]
    yield from itertools.product(*own)


@cache
def _with_noise(values: Nodes, theta: Fraction) -> tuple[Nodes, ...]:
    """Categories that vary enough: these, or with others that they lack, one at a time."""
    if rank_variance(values) >= theta:
        return (tuple(sorted(values)),)
    found: dict[Nodes, None] = {}
    for level in LEVELS:
        if level not in values:
            found |= dict.fromkeys(_with_noise((*values, level), theta))
    return tuple(found)


def _sorted(rows: Iterable[Line]) -> tuple[Line, ...]:
    return tuple(sorted(rows, key=repr))
