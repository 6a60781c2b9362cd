"""Anatomy: exact quasi-identifiers, and buckets of l people with l different values.

    X. Xiao, Y. Tao: "Anatomy: Simple and Effective Privacy Preservation". VLDB 2006.

Nothing is generalized. Buckets are made by the l-eligible greedy of the paper: while people of l
values are left, one of each of the l values that most people are left of makes a bucket; each
person left over in the end joins a bucket that lacks the value. It takes that no value is had by
more than one in l. Which of the people with a value is taken is drawn at random.

Of people with many records each has one value here: the highest category, where the values have
categories in an order; else the value, where nobody has several; else the set of all values as one.
Two different sets may share a value: buckets in which everybody has a value in common, or more of
them have it than ``max-posterior`` allows, are merged with others until none is left.

What is not promised: that it stays hidden whether somebody is in the table. An attacker who knows a
person's quasi-identifiers finds them as they are.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from indistinct.document import some_of
from indistinct.errors import PolicyError, Problem, Problems, Unsatisfiable, refuse
from indistinct.kernels.linked import eligible_groups
from indistinct.kernels.ragged import pointers
from indistinct.metadata import NO_METADATA, ValueMetadata
from indistinct.microdata.domains import SensitiveDomain
from indistinct.microdata.encoding import count_combinations
from indistinct.microdata.frequencies import Cells
from indistinct.microdata.leveled import LeveledTable
from indistinct.privacy.promise import Promise
from indistinct.privacy.values import LEAVE_OUT, beside_one
from indistinct.randomness import Random, stream
from indistinct.recoding.limits import Progress, silent
from indistinct.recoding.linked.bucketing import Bar, listed_codes
from indistinct.recoding.linked.category_reduction import highest_categories, history_of
from indistinct.recoding.linked.sets import AS_SETS, fingerprints
from indistinct.recoding.linked.settings import LinkedSettings
from indistinct.recoding.linked.table import LinkedTable
from indistinct.recoding.linked_plan import History, LinkedPlan
from indistinct.recoding.partition import publishing
from indistinct.recoding.plan import CellPlan, SearchReport
from indistinct.recoding.refusals import unknown_sensitive
from indistinct.types import Bools, Ints32
from indistinct.warning_kinds import Kind, WarningText

ALGORITHM = "anatomy"

DISCLOSED = Kind.RISK(
    "anatomy publishes exact quasi-identifiers: anyone who knows those of a person learns "
    "whether the person is in the table"
)


def anatomy(
    linked: LinkedTable,
    promises: Sequence[Promise],
    settings: LinkedSettings | None = None,
    progress: Progress = silent,
) -> LinkedPlan:
    """Exact quasi-identifiers linked to buckets of l different values.

    Arguments:
        linked: the people and their records, with one sensitive attribute.
        promises: l is the largest that ``distinct-l-diversity`` asks for, or one in l what
            ``max-posterior`` allows; all others are held against the result.
        settings: ``seed`` draws who is in which bucket.
        progress: told the share of the work that is done.

    Raises:
        Unsatisfiable: if a value is had by more than one in l, or another promise is broken.
        PolicyError: for promises or a table that do not fit.
    """
    began = time.perf_counter()
    settings = settings or LinkedSettings()
    name = _checked(linked, promises)
    wanted = values_asked(promises, name)
    cells = linked.events[name]
    there = linked.data.weight > 0
    code, labels, known, history, note = values_of(linked, name, there)
    random = stream(settings.seed, "anatomy.dealing")
    bucket_of, buckets = _grouped(code, len(labels), there, wanted, name, random)
    merged = 0
    if note:
        bounds = (float(p.parameters["bound"]) for p in promises if p.model == "max-posterior")
        bound = min([1.0, *bounds])
        bucket_of, buckets, merged = _without_certainty(bucket_of, buckets, cells, bound)
    progress(0.7)
    totals = np.bincount(code[there], minlength=len(labels))
    asked = tuple(part for part in promises if part.sensitive == name)
    about = SensitiveDomain(labels, known)
    refuse(PolicyError, [problem for part in asked if (problem := part.missing_metadata(about))])
    bar = Bar(name, asked, about, totals)
    broken = int(bar.broken_by_code(bucket_of, code, buckets).sum())
    if broken:
        raise Unsatisfiable(
            "unsatisfiable",
            f"{some_of(broken, buckets, 'bucket breaks')} a promise: " + "; ".join(map(str, asked)),
            remedy="anatomy works towards distinct-l-diversity and max-posterior alone: leave "
            "the others out, or choose another algorithm",
        )
    report = SearchReport(ALGORITHM, nodes=buckets, checked=buckets)
    quasi = exact(linked.data, report)
    _check_classes(linked.data, quasi, [part for part in promises if part.sensitive is None])
    report = replace(
        report,
        seconds=time.perf_counter() - began,
        counters={"classes": quasi.groups, "buckets": buckets, "noise": 0, "merged": merged},
    )
    progress(1.0)
    return LinkedPlan(
        quasi=replace(quasi, search=report),
        bucket_of=bucket_of,
        buckets={name: listed_codes(bucket_of, code, buckets, labels)},
        search=report,
        truth={name: np.where(there, code, -1).astype(np.int32)},
        log={"l": wanted, "people": int(there.sum()), "merged": merged},
        history=history,
        algorithm=ALGORITHM,
        told=(DISCLOSED, note) if note else (DISCLOSED,),
        known={name: bar.known},
    )


def exact(data: LeveledTable, report: SearchReport) -> CellPlan:
    """A class for every combination of exact quasi-identifiers that people have."""
    there = np.flatnonzero(data.weight > 0)
    columns = [codes.astype(np.int32) for codes in data.table.codes]
    sizes = [int(size) for size in data.domain]
    ones = np.ones(len(there), dtype=np.int64)
    found, _, number = count_combinations([own[there] for own in columns], sizes, ones)
    class_of = np.full(data.table.combinations, -1, dtype=np.int32)
    class_of[there] = number
    return CellPlan(
        attributes=data.attributes,
        class_of=class_of,
        cell_of=tuple(
            compiled.code[0][codes].astype(np.int32)
            for compiled, codes in zip(data.compiled, found, strict=True)
        ),
        texts=tuple(tuple(compiled.labels[0]) for compiled in data.compiled),
        covered=tuple(leaves[0].astype(np.int64) for leaves in data.leaves),
        style=("level",) * len(data.attributes),
        search=report,
        scope="exact",
    )


def _checked(linked: LinkedTable, promises: Sequence[Promise]) -> str:
    """The sensitive attribute."""
    problems = Problems()
    names = list(linked.events)
    if len(names) != 1:
        problems.add(
            "several-sensitive",
            f"anatomy makes buckets of one sensitive attribute, and promises name {len(names)}",
            remedy='choose algorithm = "theta-star" or "p-l-angelization"',
        )
    problems += unknown_sensitive(promises, names)
    problems += [
        Problem(
            "unchanged-attribute",
            "has no hierarchy, so it has no known values",
            attribute=name,
            remedy="give it a hierarchy",
        )
        for name in linked.data.unchanged
    ]
    if not problems and values_asked(promises, names[0]) < 2:
        problems.add(
            "anatomy-without-l",
            "anatomy makes buckets of l different values, but no promise requires two or more",
            remedy='add [[promises]] with model = "distinct-l-diversity" and l = 3, say',
        )
    refuse(PolicyError, problems)
    return names[0]


def values_asked(promises: Sequence[Promise], name: str) -> int:
    """How many different values promises ask for in every bucket."""
    found = [1]
    for part in promises:
        if part.sensitive == name and part.model == "distinct-l-diversity":
            found.append(int(part.parameters["l"]))
        if part.sensitive == name and part.model == "max-posterior":
            found.append(math.ceil(1 / float(part.parameters["bound"]) - 1e-9))
    return max(found)


def values_of(
    linked: LinkedTable, name: str, there: Bools
) -> tuple[
    Ints32, tuple[str | None, ...], ValueMetadata, Mapping[str, History], WarningText | None
]:
    """One value for everybody: codes, labels, what is known of them, what is left out, a note.

    Arguments:
        linked: the table of people and their events.
        name: the sensitive attribute.
        there: who is counted, [n].
    """
    cells = linked.events[name]
    if cells.known.category_order:
        highest = highest_categories(linked)
        own = highest.data.table.sensitive[name]
        history = history_of(linked, highest.kept, there)
        return np.maximum(highest.code[name], 0), own.domain, own.known, history, None
    held = cells.lengths
    if (held[there] == 1).all():
        code = np.zeros(linked.people, dtype=np.int32)
        code[there] = cells.value[cells.indptr[:-1][there]]
        return code, cells.domain, cells.known, {}, None
    found = fingerprints(cells)
    return found.code, found.labels, NO_METADATA, {}, AS_SETS


def _instead(most: int, people: int) -> str:
    """What helps where a value is had by too many people.

    >>> _instead(3, 7), _instead(7, 7).split(":")[0]
    ('choose l of at most 2', 'leave it out (role = "identifier")')
    """
    if people // max(most, 1) > 1:
        return f"choose l of at most {people // most}"
    if not most < people:
        return LEAVE_OUT
    return (
        f'choose algorithm = "mondrian" and max-posterior with a bound of at least '
        f"{beside_one(most / people, up=True)}: no l hides a value that most people have"
    )


def _grouped(
    code: Ints32, values: int, there: Bools, wanted: int, name: str, random: Random
) -> tuple[Ints32, int]:
    """The bucket of everybody, and how many there are."""
    people = random.permutation(np.flatnonzero(there))
    people = people[np.argsort(code[people], kind="stable")]
    count = np.bincount(code[people], minlength=values)
    most = int(count.max(initial=0))
    if most * wanted > len(people) or not len(people):
        raise Unsatisfiable(
            "values-too-uneven",
            f"buckets of {wanted} different values need every value to be at most one in "
            f"{wanted}, but {most} of {len(people)} people share one",
            attribute=name,
            remedy=_instead(most, len(people)),
        )
    start = pointers(count)
    group_of = np.empty(len(people), dtype=np.int32)
    value_of = np.empty(len(people), dtype=np.int32)
    groups = eligible_groups(start, wanted, group_of, value_of)
    held: dict[int, set[int]] = {}
    for at in np.flatnonzero(group_of < 0).tolist():
        own = int(code[people[at]])
        group_of[at] = lacking(value_of, groups, wanted, own, held, random)
    bucket_of = np.full(len(code), -1, dtype=np.int32)
    bucket_of[people] = group_of
    return bucket_of, groups


def lacking(
    value_of: Ints32,
    groups: int,
    wanted: int,
    value: int,
    held: dict[int, set[int]],
    random: Random,
) -> int:
    """A bucket, drawn at random, that lacks a value; it holds it from now on.

    Arguments:
        value_of: the values dealt, one bucket after the other, [groups * wanted] and more.
        groups: how many buckets there are.
        wanted: values dealt to each.
        value: the code that is lacked.
        held: further codes that buckets hold; the value is added to that of the one drawn.
        random: draws the bucket.
    """
    has = (value_of[: groups * wanted].reshape(groups, wanted) == value).any(axis=1)
    free = [at for at in np.flatnonzero(~has).tolist() if value not in held.get(at, ())]
    chosen = int(free[int(random.integers(len(free)))])
    held.setdefault(chosen, set()).add(value)
    return chosen


def _without_certainty(
    bucket_of: Ints32, buckets: int, cells: Cells, bound: float
) -> tuple[Ints32, int, int]:
    """Buckets merged until in none everybody has a value, nor more people than the bound allows.

    Raises:
        Unsatisfiable: if that holds of everybody together.
    """
    person = cells.row_of
    merged = 0
    while True:
        size = np.bincount(bucket_of[bucket_of >= 0], minlength=buckets)
        bucket = bucket_of[person].astype(np.int64)
        there = bucket >= 0
        pairs, had = np.unique(
            bucket[there] * len(cells.domain) + cells.value[there], return_counts=True
        )
        own = pairs // len(cells.domain)
        broken = np.zeros(buckets, dtype=np.bool_)
        broken[own[(had >= size[own]) | (had > bound * size[own] * (1 + 1e-12))]] = True
        if not broken.any():
            return bucket_of, buckets, merged
        if buckets == 1:
            raise Unsatisfiable(
                "values-too-uneven",
                "one value is too frequent for the promise, in any buckets",
                remedy="give the values categories in an order: then everybody has the highest",
            )
        # Each of them with the next; the last with the one before.
        joined = np.zeros(buckets, dtype=np.int64)
        joined[1:] = np.cumsum(~broken[:-1])
        joined[-1] -= int(broken[-1] and joined[-1] == joined[-2] + 1)
        merged += buckets - int(joined[-1]) - 1
        buckets = int(joined[-1]) + 1
        bucket_of = np.append(joined, -1)[bucket_of].astype(np.int32)


def _check_classes(data: LeveledTable, plan: CellPlan, promises: Sequence[Promise]) -> None:
    """Hold exact quasi-identifiers against the promises about them.

    Raises:
        Unsatisfiable: if one is broken, as is usual.
    """
    if not promises:
        return
    broken = publishing.broken_either_way(data, promises, plan)
    if broken.any():
        raise Unsatisfiable(
            "unsatisfiable",
            f"{int(broken.sum())} of {plan.groups} combinations of exact quasi-identifiers "
            "break " + "; ".join(map(str, promises)),
            remedy='choose algorithm = "theta-star" or "p-l-angelization", which generalize them',
        )
