"""One value for every person: the highest category among all records (Fazal and others 2023).

    R. Fazal, R. Khan, A. Anjum, M. H. Syed, A. Khan, S. Rehman: "Improved angelization technique
    against background knowledge attack for 1:M microdata". PeerJ Computer Science 9:e1255, 2023,
    Algorithm 1, lines 3 to 19, Tables 3, 4, 10 and 11.

The values of a sensitive attribute have categories in an order of how sensitive they are. A person
keeps the record of the highest category, of several such records the last; all others are history,
which is never published: six of the paper's eight people have a set of categories that nobody else
has, and all eight a set of values.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from indistinct.document import some_of
from indistinct.errors import PolicyError, Problem, refuse
from indistinct.frozen import dataclass
from indistinct.kernels.linked import categories_had, highest
from indistinct.metadata import ValueMetadata
from indistinct.microdata.frequencies import Cells
from indistinct.microdata.leveled import LeveledTable
from indistinct.recoding.linked.table import LinkedTable
from indistinct.recoding.linked_plan import History
from indistinct.types import Bools, Ints, Ints32

MOST_CATEGORIES = 62
"""Sets of up to so many categories are whole numbers."""


@dataclass(frozen=True)
class Highest:
    """People with one category each.

    Arguments:
        data: the people as a table with a combination for each of them, whose sensitive values are
            categories.
        code: per attribute the place of every person's category in the domain, [n].
        kept: per attribute the entry of ``LinkedTable.events`` that stands for each person, [n].
        category_of: per attribute the place in that domain of the category of every value. The
            domain has the categories of the values there are, so that nobody is made up with one
            that nobody has.
    """

    data: LeveledTable
    code: Mapping[str, Ints32]
    kept: Mapping[str, Ints]
    category_of: Mapping[str, Ints32]

    def sets_of(self, name: str, cells: Cells) -> Ints:
        """The categories that every person has, as bits, [n]."""
        found = np.empty(len(cells), dtype=np.int64)
        categories_had(cells.indptr, cells.value, self.category_of[name], found)
        return found


def highest_categories(linked: LinkedTable) -> Highest:
    """The highest category of every person, of every sensitive attribute.

    Raises:
        PolicyError: for values without a category, and categories without an order.
    """
    problems = [
        found for name, own in linked.events.items() if (found := missing_metadata(name, own))
    ]
    refuse(PolicyError, problems)
    code, kept, sensitive, category_of = {}, {}, {}, {}
    for name, own in linked.events.items():
        code[name] = np.empty(linked.people, dtype=np.int32)
        kept[name] = np.empty(linked.people, dtype=np.int64)
        there, place = np.unique(own.about.category_of, return_inverse=True)
        category_of[name] = place.astype(np.int32)
        highest(own.indptr, own.value, linked.last[name], category_of[name], code[name], kept[name])
        categories = tuple(own.about.categories[at] for at in there.tolist())
        sensitive[name] = one_each(
            np.maximum(code[name], 0),
            categories,
            known_of_categories(own.known),
            linked.data.weight,
        )
    table = replace(linked.data.table, sensitive=sensitive)
    return Highest(replace(linked.data, table=table), code, kept, category_of)


def missing_metadata(name: str, cells: Cells) -> Problem | None:
    """What has to be known of the values for people to have a highest category, and is not."""
    about = cells.about
    where = f'attributes."{name}".categories'
    if not about.known.category_order:
        return Problem(
            "categories-missing",
            "people keep the highest category of their records, and the categories of the values "
            "are not known in an order",
            attribute=name,
            remedy=f"add {where} = {{ table = {{ ... }}, order = [...] }}, from the least to the "
            "most sensitive",
        )
    bare = np.flatnonzero(about.category_of < 0)
    if not len(bare):
        return None
    gone = any(about.labels[at] is None for at in bare.tolist())
    missing = " (one of them is the missing value)" if gone else ""
    return Problem(
        "value-without-category",
        f"{some_of(len(bare), len(about), 'value has')} no category{missing}",
        attribute=name,
        remedy=f"name every value in {where}",
    )


def known_of_categories(known: ValueMetadata) -> ValueMetadata:
    """What is known of categories that are published as values: each is its own category."""
    order = known.category_order
    return ValueMetadata(
        categories={name: name for name in order}, category_order=order, order=tuple(order)
    )


def one_each(
    code: Ints32, domain: tuple[str | None, ...], known: ValueMetadata, weight: Ints
) -> Cells:
    """A value for every person.

    Arguments:
        code: the value of each, [n].
        domain: the label of every code, [D].
        known: what is known of the values.
        weight: how often each is counted, [n]; 0 of people who are not.
    """
    return Cells(
        np.arange(len(code) + 1, dtype=np.int64),
        np.ascontiguousarray(code, dtype=np.int32),
        weight,
        domain,
        True,
        known,
    )


def history_of(
    linked: LinkedTable, kept: Mapping[str, Ints], published: Bools
) -> dict[str, History]:
    """What a release leaves out: all records of people but the one that stands for each.

    Arguments:
        linked: the people and their records.
        kept: per attribute the entry that stands for each person, [n].
        published: who is in the release, [n]; of all others everything is left out.
    """
    found = {}
    for name, own in linked.events.items():
        left = own.count.copy()
        left[kept[name][published]] -= 1
        there = np.flatnonzero(left > 0)
        labels = tuple(map(own.domain.__getitem__, own.value[there].tolist()))
        found[name] = History(own.row_of[there].astype(np.int32), labels, left[there])
    return found
