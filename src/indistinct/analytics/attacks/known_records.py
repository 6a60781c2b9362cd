"""Known records: which row is left once some of the person's values are known?

Neighbours, colleagues and insurers know more than age and sex: a broken leg, the day of a visit.
The attacker takes the published rows that a person's exact quasi-identifiers allow, and of these
the ones that show c values of the person's own records, of any attribute. For c = 1, 2 and 3:

* ``singled_out``: the share of people of whom some c values leave one published row, their own;
* ``average``: the share of sets of c values of a person that do, over all people;
* ``certain``: the share of people of whom, after some c values, another one is certain;

and, for long releases, ``records``: the share of people whom their number of records singles out.

People with fewer values are known by all of them; of more than 32, the 32 that fewest rows of the
class show count. If no row shows a person's values together, nobody is found. Columns count if
their values are published unchanged, sensitive attributes in any form. A visit
(``level = "event"``) is one value. Which values stand in one record is not used: who knows a whole
record, a diagnosis with its day, may single out more people. An item published as ``*`` is looked
for among rows with ``*``, unless rows of the class show it more exactly.

In linked tables a row shows what its bucket lists. If everybody of a bucket has one of its values,
the highest category, a known value also allows the categories above it. If a bucket lists *sets*
of values, a known value leaves the sets that have it, and what all of these have is certain.

Of more than 131,072 people 50,000 are drawn, fewer if the buckets have too many sets. The figures
then give their number and half the width of the 95 % confidence interval of a share.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from indistinct.analytics.attacks.context import SURE, AttackContext, Visits
from indistinct.analytics.attacks.finding import (
    Figures,
    Finding,
    Skipped,
    of_people,
    share_of,
    summarize,
    worst_class,
)
from indistinct.analytics.attacks.remedies import fewer_columns
from indistinct.analytics.weighted import (
    Rows,
    alongside,
    chosen_rows,
    compressed,
    expanded,
    numbered_anew,
    pointers,
    sums,
)
from indistinct.frozen import dataclass
from indistinct.hierarchies.taxonomy import SUPPRESSED
from indistinct.kernels.known_items import MOST_KNOWN, know_items
from indistinct.randomness import simulation

NAME = "known-records"
KNOWN_NUMBER = "known-number"
KIND = "identity"
PLACE = 15
KNOWLEDGE = "the exact quasi-identifiers of a person, and one value of the person's records"
SOURCE = "Terrovitis, Mamoulis and Kalnis (2008), with quasi-identifiers in addition to items"
REMEDY = fewer_columns

MOST_STEPS = 3e9
"""Steps after which only some of the people are looked at, drawn at random."""

MOST_POSSIBILITIES = 5_000_000
"""Sets that rows may show, of several attributes together; beyond, some people are looked at."""

MANY = 1 << 17
"""People above which only some are looked at, drawn at random."""

DRAWN = 50_000
"""How many of them."""

FEWEST_DRAWN = 100
"""People of whom figures are made at least; with fewer, an attribute is left out."""


@dataclass(frozen=True)
class Items:
    """What people have and rows show, of one attribute or of several.

    Arguments:
        vague: whether a label may stand for anything, such as ``*``, [labels].
        own: the items of every person, [n].
        over: the labels that cover each item.
        rows: the labels that every row shows, [r]; where it lists sets, those of each, as many
            possibilities of it.
        sure: whether the row's person has the label for certain, by entries.
        row_of: the row of every possibility, rising, each at least once.
    """

    vague: NDArray[np.bool_]
    own: Rows
    over: Rows
    rows: Rows
    sure: NDArray[np.bool_]
    row_of: NDArray[np.int64]


@dataclass(frozen=True)
class Known:
    """What follows from a few known items, for the people who were looked at.

    Arguments:
        looked: who was looked at, [n].
        found: by number of known items whether some single the person out, the share of sets that
            do, and whether another item is then certain, [looked, 3, 3].
        fewest: rows that the most telling item leaves, 0 where none fits, [looked].
    """

    looked: NDArray[np.bool_]
    found: NDArray[np.float64]
    fewest: NDArray[np.int64]

    def figures(self) -> dict[str, Figures]:
        """The figures by number of known items; how many were looked at, where not all were."""
        found = self.found
        figures: dict[str, Figures] = {
            str(c + 1): {
                "singled_out": share_of(found[:, c, 0]),
                "average": share_of(found[:, c, 1]),
                "certain": share_of(found[:, c, 2]),
            }
            for c in range(MOST_KNOWN)
        }
        if not self.looked.all():
            figures |= {"looked_at": len(found), "error": margin(len(found))}
        return figures


def run(
    context: AttackContext, sensitive: str | None = None, *, most: float = MOST_STEPS
) -> Finding | Skipped:
    """Look for the rows of the class that show what is known of a person.

    Arguments:
        context: what the attacker is given.
        sensitive: not looked at: values of any attribute may be known.
        most: steps after which only some of the people are looked at.
    """
    del sensitive
    names = (*context.sensitive, *context.untried)
    left = {name: why for name in names if (why := context.why_untried(name)) is not None}
    drawn = some_people(context, [name for name in names if name not in left])
    left |= too_many(context, [name for name in names if name not in left])
    if drawn is None and context.people.height > MANY:
        drawn = np.zeros(context.people.height, np.bool_)
        random = simulation([context.seed, 0x4B4F])
        drawn[random.choice(len(drawn), DRAWN, replace=False)] = True
    rows = np.arange(context.records) if drawn is None else _rows_for(context, drawn)
    parts = [items_of(context, name, rows=rows) for name in names if name not in left]
    parts += [_beside(context, name, rows) for name in context.beside]
    if context.visits is not None:
        parts.append(_of_visits(context, context.visits, rows))
    counted = singled_out_by_number(context)
    if not parts and counted is None:
        why = "; ".join(left.values())
        return Skipped(NAME, why or "only quasi-identifiers are published")
    known = know(context, _together(parts) if parts else _nothing(context), most, drawn)
    figures = known.figures()
    if counted is not None:
        figures["records"] = {"singled_out": share_of(counted)}
    guess = 1 / context.records if context.records else 0.0
    fewest = known.fewest
    belief = np.where(fewest > 0, 1 / np.maximum(fewest, 1), guess)
    prior = np.full(len(belief), guess)
    everybody = np.zeros(context.people.height)
    everybody[known.looked] = belief
    by_class = context.places.by_class(everybody)
    return summarize(
        context,
        None,
        belief,
        prior,
        known.found[:, 0, 0] > 0,
        figures=figures,
        worst=worst_class(context, by_class, belief=by_class),
        note=" ".join(
            [
                in_words(figures) if parts else _by_number(figures),
                *_error_in_words(known),
                *(f"'{name}' is not looked at: {why}." for name, why in left.items()),
            ]
        ),
    )


def _error_in_words(known: Known) -> list[str]:
    """How many people were looked at, where not all were, as a sentence."""
    number = int(known.looked.sum())
    if number == len(known.looked):
        return []
    return [f"Found from {number:,} people drawn at random, give or take {margin(number):.1%}."]


def in_words(figures: Mapping[str, Figures]) -> str:
    """What the figures say, in a sentence."""
    told = []
    for number, name in (("1", "one known value singles out"), ("2", "two"), ("3", "three")):
        own = figures[number]
        assert isinstance(own, Mapping)
        told.append(
            f"{name} {of_people(own['singled_out'] or 0.0)} at worst "
            f"({of_people(own['average'] or 0.0)} on average)"
        )
    if isinstance(counted := figures.get("records"), Mapping):
        told.append(f"the number of records {of_people(counted['singled_out'] or 0.0)}")
    first = figures["1"]
    assert isinstance(first, Mapping)
    return (
        f"With the quasi-identifiers, {'; '.join(told)}. After one known value another is "
        f"certain for {of_people(first['certain'] or 0.0)}."
    )


def _by_number(figures: Mapping[str, Figures]) -> str:
    """The same where nothing is published beside the quasi-identifiers but how many records."""
    counted = figures["records"]
    assert isinstance(counted, Mapping)
    return (
        "The quasi-identifiers and the number of records single out "
        f"{of_people(counted['singled_out'] or 0.0)}; no further value is used."
    )


def singled_out_by_number(context: AttackContext) -> NDArray[np.bool_] | None:
    """Whom the class and the number of records leave one published person, [n].

    None where no row is one of several of a person, or nothing says how many people have.
    """
    owned, published = context.records_of, next(iter(context.cells.values()), None)
    if context.pseudonyms is None or owned is None or published is None:
        return None
    places = context.places
    shown = sums(published.amount, published.indptr)[context.cells_of]
    width = np.int64(max(owned.max(initial=0), shown.max(initial=0)) + 1)
    there = np.sort(places.class_of * width + shown)
    asked, of = np.unique(places.set_of * width + owned, return_inverse=True)
    met, at = expanded(places.candidate_sets, asked // width)
    keys = places.candidate_sets.index[at] * width + (asked % width)[met]
    # Records of people with more may have been left out.
    lowered = any(item.model == KNOWN_NUMBER for item in context.promises)
    fewest = keys - keys % width if lowered else keys
    hits = np.searchsorted(there, keys, "right") - np.searchsorted(there, fewest)
    found: NDArray[np.bool_] = (np.bincount(met, hits, len(asked)) == 1)[of]
    return found


def margin(draws: int) -> float:
    """Half the width of a 95 % confidence interval of a share, at most, after so many draws.

    >>> round(margin(10_000), 4)
    0.0098
    """
    return 0.98 / math.sqrt(draws) if draws else 1.0


def know(
    context: AttackContext,
    items: Items,
    most: float = MOST_STEPS,
    chosen: NDArray[np.bool_] | None = None,
) -> Known:
    """What follows from one, two and three known items, for everybody or as many as can be.

    Arguments:
        context: what the attacker is given.
        items: what people have and rows show.
        most: steps after which only some of the people are looked at.
        chosen: who is looked at, [n]; drawn at random from all. All where not given.
    """
    places, people = context.places, context.people.height
    sets = places.candidate_sets
    class_of = places.class_of[items.row_of]
    order = np.argsort(class_of, kind="stable")
    row_of = np.cumsum(np.diff(items.row_of[order], prepend=-1) != 0) - 1
    rows = chosen_rows(items.rows, order)
    sure = items.sure[order if items.rows.one_each else expanded(items.rows, order)[1]]
    class_start = pointers(class_of, len(places.classes))
    looked = np.ones(people, np.bool_) if chosen is None else chosen.copy()
    work = np.zeros(int(looked.sum()))
    found, fewest = np.zeros((0, MOST_KNOWN, 3)), np.zeros(0, np.int64)
    for fill in (False, True):
        asked = np.flatnonzero(looked)
        if fill:
            found, fewest = np.zeros((len(asked), MOST_KNOWN, 3)), np.zeros(len(asked), np.int64)
        set_of = places.set_of[asked]
        place = np.argsort(set_of, kind="stable")
        know_items(
            sets.indptr, sets.index,
            class_start, row_of, rows.indptr, rows.index, sure, items.vague,
            pointers(set_of, len(sets)), asked[place], place,
            items.own.indptr, items.own.index, items.over.indptr, items.over.index,
            work, found, fewest, fill,
        )  # fmt: skip
        if not fill and work.sum() > most:
            drawn = simulation([context.seed, 0x4B4E]).permutation(people)
            taken = np.zeros(people)
            taken[asked] = work
            enough = np.searchsorted(np.cumsum(taken[drawn]), most)
            looked[drawn[max(int(enough), 1) :]] = False
    return Known(looked, found, fewest)


def items_of(
    context: AttackContext,
    name: str,
    told: NDArray[np.bool_] | None = None,
    rows: NDArray[np.int64] | None = None,
) -> Items:
    """The values of a sensitive attribute as items; those that are published alike are one.

    Arguments:
        context: what the attacker is given.
        name: the attribute.
        told: the labels that are worth learning, [D]; all where not given.
        rows: the published rows that are looked at; all where not given.
    """
    labels, values = context.labels(name), context.own_values(name)
    over, under = _matching(context, name), context.covering(name).under
    vague = (under.length > 0) & ~np.isin(np.arange(len(labels)), over.index)
    every = np.flatnonzero(vague)
    alike: dict[bytes, int] = {}
    sets: list[NDArray[np.int32]] = []
    of = np.full(len(over), -1, np.int64)
    for value in range(len(over)):
        covering = np.union1d(over[value], every).astype(np.int32)
        if len(covering):
            of[value] = alike.setdefault(covering.tobytes(), len(sets))
            if of[value] == len(sets):
                sets.append(covering)
    shown = context.listed(name).shares
    row_of = np.arange(context.records) if rows is None else rows
    if context.shown is not None:
        held = chosen_rows(context.parts(name), context.shown[name][row_of])
        sure = np.ones(len(held.index), np.bool_)
    elif _one_set_each(context, name):
        held, row_of = _sets(context, name, row_of)
        sure = np.ones(len(held.index), np.bool_)
    else:
        bucket_of = context.bucket_of[row_of]
        held, at = chosen_rows(shown, bucket_of), expanded(shown, bucket_of)[1]
        sure = shown.amount[at] >= 1 - SURE
    sure &= ~vague[held.index] if told is None else told[held.index] & ~vague[held.index]
    return Items(vague, numbered_anew(values, of), compressed(sets), held, sure, row_of)


def _one_set_each(context: AttackContext, name: str) -> bool:
    """Whether everybody of a bucket has one of the sets that it lists."""
    one = context.bucket_semantics == "one" and not context.one_record_each
    return one and context.lists_sets(name)


def _sets(
    context: AttackContext, name: str, rows: NDArray[np.int64]
) -> tuple[Rows, NDArray[np.int64]]:
    """The labels of every set that the bucket of some rows lists, and the row of each."""
    parts, listed = context.parts(name), chosen_rows(context.buckets[name], context.bucket_of[rows])
    which = np.repeat(np.arange(len(listed)), np.maximum(listed.length, 1))
    entry = np.full(len(which), len(parts))
    entry[listed.length[which] > 0] = listed.index
    with_none = Rows(np.append(parts.indptr, parts.indptr[-1]), parts.index)
    return chosen_rows(with_none, entry), rows[which]


def some_people(context: AttackContext, names: Sequence[str]) -> NDArray[np.bool_] | None:
    """Who is looked at where the sets of all rows are too many, drawn at random, [n].

    None where they are not, or those of so few people fit that nothing would be told.
    """
    sets, places = np.ones(context.records), context.places
    for name in names:
        if _one_set_each(context, name):
            sets *= np.maximum(context.buckets[name].length[context.bucket_of], 1)
    if sets.sum() <= MOST_POSSIBILITIES:
        return None
    each = np.bincount(places.class_of, sets, len(places.classes))
    drawn = simulation([context.seed, 0x5345]).permutation(context.people.height)
    met, at = expanded(places.candidate_sets, places.set_of[drawn])
    classes, first = np.unique(places.candidate_sets.index[at], return_index=True)
    new = np.bincount(met[first], each[classes], len(drawn))
    enough = int(np.searchsorted(np.cumsum(new), MOST_POSSIBILITIES, "right"))
    if enough < FEWEST_DRAWN:
        return None
    looked = np.zeros(len(drawn), np.bool_)
    looked[drawn[:enough]] = True
    return looked


def _rows_for(context: AttackContext, people: NDArray[np.bool_]) -> NDArray[np.int64]:
    """The rows that some people may stand in, rising."""
    sets = context.places.candidate_sets
    _, at = expanded(sets, np.unique(context.places.set_of[people]))
    classes = np.zeros(len(context.places.classes), np.bool_)
    classes[sets.index[at]] = True
    return np.flatnonzero(classes[context.places.class_of])


def too_many(context: AttackContext, names: Sequence[str]) -> dict[str, str]:
    """Attributes whose sets are too many, with those of the attributes before them, and why.

    None where some people can be looked at in place of all.
    """
    found, together = {}, np.ones(context.records)
    if some_people(context, names) is not None:
        return {}
    for name in names:
        if not _one_set_each(context, name):
            continue
        more = together * np.maximum(context.buckets[name].length[context.bucket_of], 1)
        if more.sum() > MOST_POSSIBILITIES:
            found[name] = "the sets that its buckets list are too many to be tried"
        else:
            together = more
    return found


def _matching(context: AttackContext, name: str) -> Rows:
    """The labels that a row may show of somebody who has each value."""
    over = context.covering(name).over
    if context.bucket_semantics != "one" or context.one_record_each or context.lists_sets(name):
        return over
    domain, values = context.domain(name), context.covering(name).values
    known = context.known.get(name)
    if known is None or not known.category_order:
        return over
    place: dict[str | None, int] = {home: at for at, home in enumerate(domain.categories)}
    rank = domain.category_of
    homes = [known.categories.get(value) for value in values]
    own = [place.get(home, len(place)) for home in homes]
    return compressed(
        [np.union1d(over[at], np.flatnonzero(rank > own[at])) for at in range(len(values))]
    )


def _beside(context: AttackContext, name: str, looked: NDArray[np.int64]) -> Items:
    """The values of a column that is published as it is, and of some rows what they show."""
    published, people = context.cells[name], context.beside[name]
    place = {
        label: at
        for at, label in enumerate(published.labels)
        if label is not None and label != SUPPRESSED
    }
    place = {_plain(label): at for label, at in place.items()} | place
    of = np.array(
        [place.get(label or "", place.get(_plain(label), -1)) for label in people.labels], np.int64
    )
    there = np.zeros(max(len(published.labels), 1), np.bool_)
    there[list(place.values())] = True
    rows = numbered_anew(published, np.where(there, np.arange(len(there)), -1))
    rows = chosen_rows(rows, context.cells_of[looked])
    every = Rows(np.arange(len(there) + 1), np.arange(len(there), dtype=np.int32))
    sure = np.ones(len(rows.index), np.bool_)
    return Items(
        np.zeros(len(there), np.bool_),
        numbered_anew(people, of),
        every,
        rows,
        sure,
        looked,
    )


def _plain(label: str | None) -> str:
    """A value as files of other kinds write it too: 1.5 of 1.50, a day of its first moment."""
    return re.sub(
        r"^(-?\d+)\.0+$|^(-?\d+\.\d*?)0+$|^(.{10})T00:00:00(?:\.0+)?$", r"\1\2\3", label or ""
    )


def _of_visits(context: AttackContext, visits: Visits, looked: NDArray[np.int64]) -> Items:
    """Visits as items: a known one tells all of its quasi-identifiers."""
    rows = chosen_rows(visits.shown, context.cells_of[looked])
    sure = ~visits.vague[rows.index]
    return Items(visits.vague, visits.own, visits.over, rows, sure, looked)


def _nothing(context: AttackContext) -> Items:
    """No items: without knowledge all rows of the class are left."""
    rows, people, none = context.records, context.people.height, np.zeros(0, np.int32)
    own, shown = (Rows(np.zeros(number + 1, np.int64), none) for number in (people, rows))
    nobody = np.zeros(0, np.bool_)
    return Items(nobody, own, Rows(np.zeros(1, np.int64), none), shown, nobody, np.arange(rows))


def _together(parts: list[Items]) -> Items:
    """The items of several attributes."""
    if len(parts) == 1:
        return parts[0]
    parts = _paired(parts)
    labels = np.cumsum([0, *(len(part.vague) for part in parts)])
    items = np.cumsum([0, *(len(part.over) for part in parts)])
    rows, sure = alongside([part.rows for part in parts], labels, [part.sure for part in parts])
    over = Rows(
        pointers(
            np.concatenate([part.over.row_of + at for part, at in zip(parts, items, strict=False)]),
            int(items[-1]),
        ),
        np.concatenate(
            [part.over.index + np.int32(at) for part, at in zip(parts, labels, strict=False)]
        ),
    )
    own, _ = alongside([part.own for part in parts], items)
    vague = np.concatenate([part.vague for part in parts])
    return Items(vague, own, over, rows, sure, parts[0].row_of)


def _paired(parts: list[Items]) -> list[Items]:
    """The items of several attributes, the possibilities of each row those of all together."""
    number = int(parts[0].row_of[-1]) + 1 if len(parts[0].row_of) else 0
    row_of, chosen = np.arange(number), list[NDArray[np.int64]]()
    if all((np.diff(part.row_of) > 0).all() for part in parts):
        return parts
    for part in parts:
        each = Rows(pointers(part.row_of, number), part.rows.index)
        place, at = expanded(each, row_of)
        chosen = [*(own[place] for own in chosen), at]
        row_of = row_of[place]
    return [
        replace(
            part,
            rows=chosen_rows(part.rows, at),
            sure=part.sure[expanded(part.rows, at)[1]],
            row_of=row_of,
        )
        for part, at in zip(parts, chosen, strict=True)
    ]
