"""The rules of theta-sensitive k-anonymity, and of the attackers, as nets that can be run.

    R. Khan, X. Tao, A. Anjum, T. Kanwal, S. ur R. Malik, A. Khan, W. ur Rehman, C. Maple:
    "theta-Sensitive k-Anonymity: An Anonymization Model for IoT based Electronic Health Records".
    Electronics 9(5):716, 2020. Sections 4 and 5.3, Rules 1 to 9, Tables 1a, 3, 4 and 8.

    R. Fazal, R. Khan, A. Anjum and others: "(theta*, k)-utility" for people with several records.
    PeerJ Computer Science 9:e1255, 2023. Tables 1, 3 and 10, Rule 4.

The nets know nothing of the program's own promises and algorithms: variance, exchange and attack
are written down here once more, from the papers, so that each can be held against the other.
Whatever the rules leave open is a choice of the net: which class gives, which of several records
moves, which value noise has. So what holds in every final marking holds for every algorithm that
follows the rules.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb
from typing import Any

from indistinct_reproductions import khan_tables
from indistinct_reproductions.nets import Binding, Marking, Net, Place, Transition

Values = tuple[str, ...]
"""The sensitive values of a class, sorted."""

Quasi = tuple[Any, ...]
"""Quasi-identifiers: numbers and words."""


@dataclass(frozen=True)
class Row:
    """A record without its name: quasi-identifiers (none in noise) and sensitive value."""

    quasi: Quasi
    value: str


@dataclass(frozen=True)
class Record:
    """Whose record it is, and the record."""

    person: str
    row: Row


Class = tuple[Row, ...]
Classes = tuple[Class, ...]


@dataclass(frozen=True)
class Published:
    """A class as published: the numbers that each quasi-identifier spans, or its words; values."""

    cells: tuple[Quasi, ...]
    values: Values

    def covers(self, quasi: Quasi) -> bool:
        """Whether somebody with these quasi-identifiers may be in the class."""
        for cell, own in zip(self.cells, quasi, strict=True):
            if own not in cell and not (isinstance(own, int) and min(cell) <= own <= max(cell)):
                return False
        return True


Release = tuple[Published, ...]


@dataclass(frozen=True)
class Known:
    """What an adversary knows of a person: quasi-identifiers, and how many records there are."""

    person: str
    quasi: Quasi
    records: int = 1


@dataclass(frozen=True)
class Disclosure:
    """What an adversary learns of whom, and how; ``group`` is the class, None for several."""

    person: str
    attack: str
    group: int | None
    learnt: str


# ---------------------------------------------------------------------------------------------
# What is printed


def _records(text: str) -> tuple[Record, ...]:
    found = []
    for line in text.strip().splitlines():
        person, first, second, third, value = (part.strip() for part in line.split(","))
        found.append(Record(person, Row((int(first), int(second), third), value)))
    return tuple(found)


TABLE_1A = tuple(
    Record(person.name, Row((person.age, person.zip_code, person.country), person.disease))
    for person in khan_tables.TABLE_1A
)
"""Khan and others, Table 1a: age, zip code, country and disease of twelve people."""

CATEGORIES: Mapping[str, str] = khan_tables.CATEGORY
"""Khan and others, Table 3."""

TABLE_1B = (
    ("Julian", "Kaleem"),
    ("Johanna", "Michael"),
    ("Judith", "Paul"),
    ("Eva", "Haris"),
    ("Yin Li", "Janette"),
    ("Beverly", "Denise"),
)
"""The classes of Table 1b, which is 2-anonymous and no more."""

TABLE_4A = (
    ("Julian", "Johanna", "Denise", "Janette"),
    ("Judith", "Eva", "Haris", "Paul"),
    ("Kaleem", "Michael", "Yin Li", "Beverly"),
)
"""The classes of Table 4a. Which of two people with cancer is where is not printed."""

TABLE_4B = (
    ("Julian", "Kaleem", "Johanna", "Yin Li"),
    ("Judith", "Eva", "Haris", "Paul"),
    ("Michael", "Beverly", "Denise", "Janette"),
)
"""The classes of Table 4b."""

VISITS = _records("""
    Susan, 40, 2139, Female, Flu
    Susan, 40, 2139, Female, Chills
    Susan, 40, 2139, Female, Fever
    Ronald, 45, 2545, Male, Difficult Breathing
    Ronald, 45, 2545, Male, Lungs Infection
    Keran, 45, 2238, Female, Cough
    Keran, 45, 2238, Female, Chest Pain
    Heather, 38, 2843, Male, Stomach Pain
    Heather, 38, 2843, Male, Lungs Infection
    Cynthia, 42, 2341, Female, Headache
    Cynthia, 42, 2341, Female, Tiredness
    Cynthia, 42, 2341, Female, Flu
    Peter, 40, 2548, Male, Headache
    Peter, 40, 2548, Male, Flu
    Helan, 45, 2544, Female, No Symptoms
    Jonas, 32, 2538, Male, Headache
""")
"""Fazal and others, Table 1: several records of one person."""

SYMPTOMS: Mapping[str, str] = {
    "No Symptoms": "A-symptomatic",
    "Flu": "Low",
    "Headache": "Low",
    "Tiredness": "Low",
    "Loss of Appetite": "Mild",
    "Cough": "Mild",
    "Chills": "Mild",
    "Fever": "Mild",
    "Stomach Pain": "High",
    "Difficult Breathing": "High",
    "Chest Pain": "High",
    "Lungs Infection": "Severe",
    "Respiratory Problem": "Severe",
}
"""Fazal and others, Table 3, from the least to the most severe category."""


def one_each(records: Sequence[Record], categories: Mapping[str, str]) -> tuple[Record, ...]:
    """One record per person, the most severe (Fazal and others, Definition 7, Table 10).

    ``categories`` name them from the least to the most severe one.
    """
    severity = {name: at for at, name in enumerate(dict.fromkeys(categories.values()))}
    worst: dict[str, Record] = {}
    for record in records:
        value = categories[record.row.value]
        before = worst.get(record.person)
        if before is None or severity[value] >= severity[before.row.value]:
            worst[record.person] = Record(record.person, Row(record.row.quasi, value))
    return tuple(worst.values())


# ---------------------------------------------------------------------------------------------
# What the rules compute


def rank_variance(values: Iterable[str]) -> Fraction:
    """Variance of ranks 1, 2, .. of the values by falling frequency (section 4, Table 5).

    >>> rank_variance(["Flu", "Flu", "Cancer", "HIV"])
    Fraction(11, 16)
    """
    frequencies = sorted(Counter(values).values(), reverse=True)
    number = sum(frequencies)
    if not number:
        return Fraction(0)
    first = sum(rank * often for rank, often in enumerate(frequencies, 1))
    second = sum(rank**2 * often for rank, often in enumerate(frequencies, 1))
    return Fraction(second, number) - Fraction(first, number) ** 2


def full_variance(k: int) -> Fraction:
    """The rank variance of k different values: (k^2 - 1) / 12.

    >>> full_variance(4) == rank_variance("abcd")
    True
    """
    return Fraction(k * k - 1, 12)


def values_of(rows: Iterable[Row]) -> Values:
    """The sensitive values of a class, sorted."""
    return tuple(sorted(row.value for row in rows))


def _variance(rows: Class) -> Fraction:
    return rank_variance(row.value for row in rows)


def _class(rows: Iterable[Row]) -> Class:
    return tuple(sorted(rows, key=lambda row: (row.value, len(row.quasi), row.quasi)))


def _swapped(classes: Classes, one: int, other: int, pair: tuple[Row, Row]) -> Classes:
    """The classes after two whole records changed places."""
    found = list(classes)
    for at, gone, new in ((one, pair[0], pair[1]), (other, pair[1], pair[0])):
        rows = list(found[at])
        rows.remove(gone)
        found[at] = _class([*rows, new])
    return tuple(found)


def _most_frequent(rows: Class) -> set[str]:
    """mfsv(): the most frequent sensitive values, all that tie."""
    often = Counter(row.value for row in rows)
    return {value for value, n in often.items() if n == max(often.values())}


def exchanges(
    classes: Classes, needy: int, giving: int, theta: Fraction, guard: bool
) -> tuple[tuple[Row, Row], ...]:
    """The pairs of records that class ``needy`` may exchange with class ``giving`` (Rule 7).

    A most frequent value of the one, held at least twice, goes against a most frequent one of the
    other that the first does not hold (backCheck). With the ``guard`` the giving class must keep
    theta; where that rules out every value of one frequency, the next is tried.
    """
    own, other = classes[needy], classes[giving]
    often = Counter(row.value for row in other)
    surplus = {value for value in _most_frequent(own) if Counter(values_of(own))[value] > 1}
    held = {row.value for row in own}
    for frequency in sorted(set(often.values()), reverse=True):
        pairs = [
            (mine, theirs)
            for mine in dict.fromkeys(own)
            for theirs in dict.fromkeys(other)
            if mine.value in surplus
            and often[theirs.value] == frequency
            and theirs.value not in held
        ]
        if guard:
            pairs = [
                pair
                for pair in pairs
                if _variance(_swapped(classes, needy, giving, pair)[giving]) >= theta
            ]
        if pairs:
            return tuple(pairs)
    return ()


def crossings(classes: Classes, theta: Fraction) -> tuple[tuple[Row, Row], ...]:
    """The pairs that the last class may exchange with the one before it (Rule 7, crossCheck).

    Neither may hold the most frequent value of the other, and the one before must not fall below
    theta, or below what it has.
    """
    if len(classes) < 2:
        return ()
    last, before = classes[-1], classes[-2]
    floor = min(_variance(before), theta)
    found = []
    for mine, theirs in itertools.product(dict.fromkeys(last), dict.fromkeys(before)):
        frequent = mine.value in _most_frequent(last) and theirs.value in _most_frequent(before)
        held = mine.value in values_of(before) or theirs.value in values_of(last)
        if not frequent or held:
            continue
        after = _swapped(classes, len(classes) - 1, len(classes) - 2, (mine, theirs))
        if _variance(after[-2]) >= floor:
            found.append((mine, theirs))
    return tuple(found)


def _release(classes: Classes) -> Release:
    """Every class with what its people span: noise has the cells of its class, and no own."""
    found = []
    for rows in classes:
        columns = list(zip(*(row.quasi for row in rows if row.quasi), strict=True))
        cells = tuple(tuple(sorted(set(column))) for column in columns)
        ends = tuple((cell[0], cell[-1]) if isinstance(cell[0], int) else cell for cell in cells)
        found.append(Published(ends, values_of(rows)))
    return tuple(found)


# ---------------------------------------------------------------------------------------------
# Adversaries: each says what is disclosed; the attack fires if that is anything


Adversary = Callable[[Release, Sequence[Known], Fraction, int], tuple[Disclosure, ...]]
"""From what is published, what is known of people, theta and k to what is learnt."""


def looking_up(categories: Mapping[str, str]) -> Adversary:
    """Finds the classes that a person may be in, and looks for one that tells too much.

    By homogeneity (one value), categorical similarity (one category, Definition 5), or sensitive
    variance (a rank variance below theta, Definition 6).
    """

    def attack(
        release: Release, known: Sequence[Known], theta: Fraction, k: int
    ) -> tuple[Disclosure, ...]:
        del k
        told = [dict(_told(group.values, categories, theta)) for group in release]
        return tuple(
            Disclosure(person.person, name, at, learnt)
            for person in known
            for at, group in enumerate(release)
            if group.covers(person.quasi)
            for name, learnt in told[at].items()
        )

    return attack


def stripping(categories: Mapping[str, str]) -> Adversary:
    """Knows that classes had k records before noise was added, and leaves the noise out.

    A class of k + j records has j noise records, of values that occur once. What every choice of j
    such values leaves is looked up as :func:`looking_up` does.
    """

    def attack(
        release: Release, known: Sequence[Known], theta: Fraction, k: int
    ) -> tuple[Disclosure, ...]:
        found = []
        for at, group in enumerate(release):
            rests = list(_without_noise(group.values, len(group.values) - k))
            told = [dict(_told(rest, categories, theta)) for rest in rests]
            for name in dict.fromkeys(itertools.chain(*told)):
                if all(name in part for part in told):
                    learnt = " or ".join(dict.fromkeys(part[name] for part in told))
                    found += [
                        Disclosure(person.person, name, at, learnt)
                        for person in known
                        if group.covers(person.quasi)
                    ]
        return tuple(found)

    return attack


def intersecting(bound: Fraction = Fraction(1)) -> Adversary:
    """Knows who is in the table and with how many records, and rules out what cannot be.

    The records of a person are spread over the classes that cover the person, in some way that
    leaves room for everybody else's. A value is learnt of a person if in every such way the belief
    that one of the person's records has it reaches the ``bound``; at 1 it is certain. Within a
    class every choice of as many values is held to be equally likely.
    """

    def attack(
        release: Release, known: Sequence[Known], theta: Fraction, k: int
    ) -> tuple[Disclosure, ...]:
        del theta, k
        found = []
        for target in known:
            others = [person for person in known if person is not target]
            least: dict[str, Fraction] = {}
            for share in _shares(target, release):
                if not _fits(others, release, share):
                    continue
                here = _beliefs(release, share)
                least = {
                    value: min(belief, least.get(value, belief))
                    for value, belief in here.items()
                    if belief >= bound and (not least or value in least)
                }
                if not least:
                    break
            found += [
                Disclosure(target.person, "intersection", None, value) for value in sorted(least)
            ]
        return tuple(found)

    return attack


def _beliefs(release: Release, share: Sequence[int]) -> dict[str, Fraction]:
    """For each value how likely it is among so many records from each class."""
    without: dict[str, Fraction] = {}
    for group, taken in zip(release, share, strict=True):
        size = len(group.values)
        for value, often in Counter(group.values).items():
            none = Fraction(comb(size - often, taken), comb(size, taken))
            without[value] = without.get(value, Fraction(1)) * none
    return {value: 1 - none for value, none in without.items()}


def _told(
    values: Values, categories: Mapping[str, str], theta: Fraction
) -> Iterator[tuple[str, str]]:
    if len(set(values)) == 1:
        yield "homogeneity", values[0]
    if len({categories[value] for value in values}) == 1:
        yield "categorical similarity", categories[values[0]]
    if rank_variance(values) < theta:
        yield "sensitive variance", "/".join(sorted(set(values)))


def _without_noise(values: Values, number: int) -> Iterator[Values]:
    """What can be left of a class when so many records of it are noise."""
    single = sorted(value for value, often in Counter(values).items() if often == 1)
    for noise in itertools.combinations(single, max(number, 0)):
        yield tuple(value for value in values if value not in noise)


def _shares(person: Known, release: Release) -> Iterator[tuple[int, ...]]:
    """How many of a person's records each class may hold."""
    room = [len(group.values) if group.covers(person.quasi) else 0 for group in release]

    def spread(at: int, left: int) -> Iterator[tuple[int, ...]]:
        if at == len(room):
            if not left:
                yield ()
            return
        for taken in range(min(room[at], left) + 1):
            for rest in spread(at + 1, left - taken):
                yield (taken, *rest)

    return spread(0, person.records)


def _fits(people: Sequence[Known], release: Release, taken: Sequence[int]) -> bool:
    """Whether everybody's records find room in classes that cover them (augmenting paths)."""
    room = [len(group.values) - gone for group, gone in zip(release, taken, strict=True)]
    inside: list[list[int]] = [[] for _ in release]
    may = [[group.covers(person.quasi) for group in release] for person in people]

    def place(who: int, seen: set[int]) -> bool:
        for at, allowed in enumerate(may[who]):
            if not allowed or at in seen:
                continue
            seen.add(at)
            if len(inside[at]) < room[at]:
                inside[at].append(who)
                return True
            for spot, other in enumerate(inside[at]):
                if place(other, seen):
                    inside[at][spot] = who
                    return True
        return False

    return all(
        place(who, set()) for who, person in enumerate(people) for _ in range(person.records)
    )


# ---------------------------------------------------------------------------------------------
# The nets


def p_plus_net(
    p: int,
    categories: Mapping[str, str] = CATEGORIES,
    adversary: Adversary | None = None,
    alpha: Fraction | None = None,
) -> Net:
    """p+-sensitive k-anonymity and its adversary (section 4, Figure 1 and Tables 6 and 7).

    With ``alpha`` the last check is that of (p, alpha)-sensitivity instead: the different values of
    a class weigh alpha together (Definition 9; of m categories, numbered from the most sensitive,
    the i-th weighs (i - 1) / (m - 1)).
    """
    names = sorted(set(categories.values()))
    weight = {name: Fraction(at, max(len(names) - 1, 1)) for at, name in enumerate(names)}
    places = (
        Place("MT", "the table: records with names, and the class each is to be in"),
        Place("MMT", "classes"),
        Place("KLevel", "k"),
        Place("PLevel", "p"),
        Place("Theta", "what the adversary calls too little variance"),
        Place("CondTF", "outcomes of checks"),
        Place("Gi", "classes of k"),
        Place("ds", "the different values of each class"),
        Place("CountDs", "how many there are"),
        Place("Gi'", "the categories of each class"),
        Place("CompC", "how many there are, or what they weigh"),
        Place("Publish Data", "the release"),
        Place("BK", "what the adversary knows"),
        Place("SA Disc", "what is disclosed"),
    )

    def weighed(rows: Class) -> Fraction:
        return sum((weight[categories[v]] for v in {row.value for row in rows}), Fraction(0))

    def reached(bound: Binding) -> bool:
        classes, counted = bound["counted"]
        del classes
        return all(count >= (bound["p"] if alpha is None else alpha) for count in counted)

    transitions = (
        Transition(
            "Generalize",
            {"table": "MT"},
            {"MMT": lambda b: [_grouped(b["table"])], "BK": lambda b: [_background(b["table"])]},
            rule="section 4: Generalize()",
        ),
        Transition(
            "Check K",
            {"classes": "MMT"},
            {"Gi": lambda b: [b["classes"]], "CondTF": lambda b: [("k", True)]},
            reads={"k": "KLevel"},
            guard=lambda b: all(len(rows) >= b["k"] for rows in b["classes"]),
            rule="section 4: k-anonymity condition",
        ),
        Transition(
            "Dist",
            {"classes": "Gi"},
            {
                "ds": lambda b: [
                    (b["classes"], tuple(tuple(sorted(set(values_of(c)))) for c in b["classes"]))
                ]
            },
            rule="section 4: Dist()",
        ),
        Transition(
            "Count",
            {"distinct": "ds"},
            {"CountDs": lambda b: [(b["distinct"][0], tuple(map(len, b["distinct"][1])))]},
            rule="section 4: Count()",
        ),
        Transition(
            "Check PK",
            {"counted": "CountDs"},
            {
                "Gi'": lambda b: [b["counted"][0]],
                "CondTF": lambda b: [("p", True)],
            },
            reads={"p": "PLevel"},
            guard=lambda b: all(count >= b["p"] for count in b["counted"][1]),
            rule="section 4: CheckPK",
        ),
        Transition(
            "Get Cat",
            {"classes": "Gi'"},
            {
                "CompC": lambda b: [
                    (
                        b["classes"],
                        tuple(
                            len({categories[row.value] for row in rows})
                            if alpha is None
                            else weighed(rows)
                            for rows in b["classes"]
                        ),
                    )
                ]
            },
            rule="section 4: Get_Cat()",
        ),
        Transition(
            "Check PPK",
            {"counted": "CompC"},
            {
                "Publish Data": lambda b: [_release(b["counted"][0])],
                "CondTF": lambda b: [("p+" if alpha is None else "alpha", True)],
            },
            reads={"p": "PLevel"},
            guard=reached,
            rule="section 4: CheckPPK",
        ),
        _attack(adversary or looking_up(categories), "Publish Data", "KLevel", "SA Disc", "Rule 1"),
    )
    return Net("(p, alpha)-sensitive" if alpha is not None else "p+-sensitive", places, transitions)


def theta_net(
    domain: Iterable[str],
    adversary: Adversary,
    *,
    guard: bool = True,
    as_printed: bool = False,
) -> Net:
    """Theta-sensitive k-anonymity and its adversary (section 5.3, Figure 2, Rules 2 to 9).

    Arguments:
        domain: the values that noise may have.
        adversary: what the attack at the end concludes.
        guard: whether a class that gives must keep theta.
        as_printed: Algorithm 1, lines 27 to 41, to the letter: any later class above theta is
            found, and if nothing can be exchanged with it, everything begins again.
    """
    values = tuple(dict.fromkeys(domain))
    places = (
        Place("MT", "the table: records with names, and the class each is to be in"),
        Place("MMT", "classes, and the current one (none: not yet checked)"),
        Place("KValue", "k"),
        Place("CondTF", "outcome of the check of k"),
        Place("Sigma", "variance of a fully diverse class"),
        Place("Mu", "mu"),
        Place("Theta", "theta"),
        Place("VarECs", "classes, the current one, all variances"),
        Place("Found ECb", "classes, the current one, the one that gives"),
        Place("AdjECc", "classes after an exchange"),
        Place("VarAdjECc", "the same, with the variance of the current one"),
        Place("StrictECn-1", "classes, the last to be exchanged with the one before"),
        Place("AdjECn", "classes after that"),
        Place("VarAdjECn", "the same, with the variance of the last"),
        Place("Need Noise", "classes, and the current one, for which nothing else is left"),
        Place("PublshdData", "the release"),
        Place("BK", "what the adversary knows"),
        Place("SA Disc", "what is disclosed"),
    )

    def low(b: Binding) -> bool:
        _, current, variances = b["state"]
        return bool(variances[current] < b["theta"])

    def last(b: Binding) -> bool:
        classes, current, _ = b["state"]
        return bool(current == len(classes) - 1)

    def givers(b: Binding) -> list[int]:
        """The later classes above theta, with which something can be exchanged."""
        classes, current, variances = b["state"]
        return [
            other
            for other in range(current + 1, len(classes))
            if variances[other] >= b["theta"]
            and (as_printed or exchanges(classes, current, other, b["theta"], guard))
        ]

    def on(b: Binding) -> tuple[Classes, int]:
        classes, current, *_ = b["state"]
        return classes, current + 1

    def going_on(b: Binding) -> list[tuple[Classes, int]]:
        classes, current = on(b)
        return [(classes, current)] if current < len(classes) else []

    def published(b: Binding) -> list[Release]:
        classes, current = on(b)
        return [] if current < len(classes) else [_release(classes)]

    def noisy(b: Binding) -> tuple[Classes, int]:
        classes, current = b["state"]
        rows = _class([*classes[current], Row((), b["noise"])])
        return (*classes[:current], rows, *classes[current + 1 :]), current

    def enough(b: Binding) -> bool:
        classes, current = noisy(b)
        return bool(_variance(classes[current]) >= b["theta"])

    def pairs(b: Binding) -> tuple[tuple[Row, Row], ...]:
        classes, current, giving = b["state"]
        return exchanges(classes, current, giving, b["theta"], guard)

    def exchanged(b: Binding) -> list[tuple[Classes, int]]:
        classes, current, giving = b["state"]
        return [(_swapped(classes, current, giving, b["pair"]), current)]

    def crossed(b: Binding) -> list[tuple[Classes, int]]:
        classes, current = b["state"]
        return [(_swapped(classes, current, current - 1, b["pair"]), current)]

    theta = {"theta": "Theta"}
    transitions = (
        Transition(
            "Mask Data",
            {"table": "MT"},
            {
                "MMT": lambda b: [(_grouped(b["table"]), None)],
                "BK": lambda b: [_background(b["table"])],
            },
            rule="Rule 2",
        ),
        Transition(
            "Check k: true",
            {"state": "MMT"},
            {"MMT": lambda b: [(b["state"][0], 0)], "CondTF": lambda b: [True]},
            reads={"k": "KValue"},
            guard=lambda b: b["state"][1] is None and _has_size(b["state"][0], b["k"]),
            rule="Rule 3",
        ),
        Transition(
            "Check k: false",
            {"state": "MMT"},
            {"CondTF": lambda b: [False]},
            reads={"k": "KValue"},
            guard=lambda b: b["state"][1] is None and not _has_size(b["state"][0], b["k"]),
            rule="Rule 3",
        ),
        Transition(
            "Calc Theta",
            {"sigma": "Sigma", "mu": "Mu"},
            {"Theta": lambda b: [b["mu"] * b["sigma"]]},
            rule="Rule 4",
        ),
        Transition(
            "Compute Var",
            {"state": "MMT"},
            {"VarECs": lambda b: [(*b["state"], tuple(map(_variance, b["state"][0])))]},
            guard=lambda b: b["state"][1] is not None,
            rule="Rule 5",
        ),
        Transition(
            "Check Variance: next",
            {"state": "VarECs"},
            {"MMT": going_on, "PublshdData": published},
            reads=theta,
            guard=lambda b: not low(b),
            rule="Rule 6",
        ),
        Transition(
            "Check Variance: find ECb",
            {"state": "VarECs"},
            {"Found ECb": lambda b: [(*b["state"][:2], b["giving"])]},
            reads=theta,
            chooses={"giving": givers},
            guard=lambda b: low(b) and not last(b),
            rule="Rule 6",
        ),
        Transition(
            "Check Variance: last",
            {"state": "VarECs"},
            {"StrictECn-1": lambda b: [b["state"][:2]]},
            reads=theta,
            guard=lambda b: low(b) and last(b) and bool(crossings(b["state"][0], b["theta"])),
            rule="Rule 6",
        ),
        Transition(
            "Check Variance: noise",
            {"state": "VarECs"},
            {"Need Noise": lambda b: [b["state"][:2]]},
            reads=theta,
            guard=lambda b: (
                low(b) and not (crossings(b["state"][0], b["theta"]) if last(b) else givers(b))
            ),
            rule="Rule 6",
        ),
        Transition(
            "Adjst Var: backCheck",
            {"state": "Found ECb"},
            {"AdjECc": exchanged},
            reads=theta,
            chooses={"pair": pairs},
            rule="Rule 7",
        ),
        Transition(
            "Adjst Var: nothing found",
            {"state": "Found ECb"},
            {"AdjECc": lambda b: [b["state"][:2]]},
            reads=theta,
            guard=lambda b: not pairs(b),
            rule="Algorithm 1, line 37 without a value to swap",
        ),
        Transition(
            "Compute Var: ECc",
            {"state": "AdjECc"},
            {"VarAdjECc": lambda b: [(*b["state"], _variance(b["state"][0][b["state"][1]]))]},
            rule="Rule 5",
        ),
        Transition(
            "Check Variance: again",
            {"state": "VarAdjECc"},
            {"MMT": lambda b: [b["state"][:2]]},
            rule="Rule 6; Algorithm 1, back to line 10",
        ),
        Transition(
            "Adjst Var: crossCheck",
            {"state": "StrictECn-1"},
            {"AdjECn": crossed},
            reads=theta,
            chooses={"pair": lambda b: crossings(b["state"][0], b["theta"])},
            rule="Rule 7",
        ),
        Transition(
            "Compute Var: ECn",
            {"state": "AdjECn"},
            {"VarAdjECn": lambda b: [(*b["state"], _variance(b["state"][0][-1]))]},
            rule="Rule 5",
        ),
        Transition(
            "Check Variance: ECn",
            {"state": "VarAdjECn"},
            {"PublshdData": published},
            reads=theta,
            guard=lambda b: b["state"][2] >= b["theta"],
            rule="Rule 6",
        ),
        Transition(
            "Check Variance: ECn needs noise",
            {"state": "VarAdjECn"},
            {"Need Noise": lambda b: [b["state"][:2]]},
            reads=theta,
            guard=lambda b: b["state"][2] < b["theta"],
            rule="Rule 6",
        ),
        Transition(
            "Add Noise",
            {"state": "Need Noise"},
            {
                "Need Noise": lambda b: [] if enough(b) else [noisy(b)],
                "MMT": lambda b: going_on({"state": noisy(b)}) if enough(b) else [],
                "PublshdData": lambda b: published({"state": noisy(b)}) if enough(b) else [],
            },
            reads=theta,
            chooses={
                "noise": lambda b: [
                    value
                    for value in values
                    if value not in values_of(b["state"][0][b["state"][1]])
                ]
            },
            rule="Rule 8",
        ),
        _attack(adversary, "PublshdData", "KValue", "SA Disc", "Rule 9"),
    )
    return Net("theta-sensitive", places, transitions)


def start(
    records: Sequence[Record],
    classes: Sequence[Sequence[str]] | None = None,
    *,
    k: int,
    mu: Fraction = Fraction(3, 5),
) -> Marking:
    """The initial marking of :func:`theta_net`: the table, k, sigma and mu.

    ``classes`` are the people of each class, in order; where not given, chunks of k records, what
    remains with the last.
    """
    return Marking(
        {
            "MT": [_table(records, classes, k)],
            "KValue": [k],
            "Sigma": [full_variance(k)],
            "Mu": [mu],
        }
    )


def p_plus_start(
    records: Sequence[Record],
    classes: Sequence[Sequence[str]],
    *,
    k: int,
    p: int,
    mu: Fraction = Fraction(3, 5),
) -> Marking:
    """The initial marking of :func:`p_plus_net`: the table, k, p, and the adversary's theta."""
    return Marking(
        {
            "MT": [_table(records, classes, k)],
            "KLevel": [k],
            "PLevel": [p],
            "Theta": [mu * full_variance(k)],
        }
    )


def releases(marking: Marking) -> tuple[Release, ...]:
    """What is published in a marking of either net."""
    return (
        *(marking.tokens("PublshdData")),
        *(marking.tokens("Publish Data")),
    )


def disclosed(marking: Marking) -> tuple[Disclosure, ...]:
    """What the adversary has learnt in a marking of either net."""
    return marking.tokens("SA Disc")


def _attack(
    adversary: Adversary, published: str, size: str, disclosures: str, rule: str
) -> Transition:
    def learnt(b: Binding) -> tuple[Disclosure, ...]:
        return adversary(b["release"], b["known"], b["theta"], b["k"])

    return Transition(
        "S-Variance Attack",
        {"known": "BK"},
        {disclosures: learnt},
        reads={"release": published, "theta": "Theta", "k": size},
        guard=lambda b: bool(learnt(b)),
        rule=rule,
    )


def _table(
    records: Sequence[Record], classes: Sequence[Sequence[str]] | None, k: int
) -> tuple[tuple[Record, int], ...]:
    if classes is None:
        last = max(len(records) // k - 1, 0)
        return tuple((record, min(at // k, last)) for at, record in enumerate(records))
    place = {person: at for at, people in enumerate(classes) for person in people}
    return tuple((record, place[record.person]) for record in records)


def _grouped(table: Sequence[tuple[Record, int]]) -> Classes:
    number = 1 + max(at for _, at in table)
    return tuple(
        _class(record.row for record, at in table if at == group) for group in range(number)
    )


def _background(table: Sequence[tuple[Record, int]]) -> tuple[Known, ...]:
    often = Counter(record.person for record, _ in table)
    quasi = {record.person: record.row.quasi for record, _ in table}
    return tuple(Known(person, quasi[person], number) for person, number in often.items())


def _has_size(classes: Classes, k: int) -> bool:
    return k >= 2 and all(len(rows) >= k for rows in classes)
