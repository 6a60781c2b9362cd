"""(p,l)-angelization after the description in Fazal and others (2023): buckets that are classes.

The method is that of Kanwal and others (Information Sciences 488, 2019) for people with many
records and several sensitive attributes. This is a baseline after what Fazal and others say of it
(their section 1, scenario III, and section 6), and after ANGEL (Tao, Chen, Xiao, Zhou, Zhang:
"ANGEL: Enhancing the Utility of Generalization for Privacy Preserving Publication", TKDE 2009),
from which it is derived; what both leave open is filled in, so nothing that is measured here is a
judgement on the original.

Everybody has a set of values of each sensitive attribute, published as it is, beside the sets of
the others of the bucket. Every bucket has sets of p categories (that of a set is the highest of its
values) and l different sets of every attribute, and none of a value that everybody of it has: who
has it would be known, however different the sets. The attribute on which the others depend most
leads: it comes first. Each class of the quasi table is exactly one bucket, so what buckets need of
sensitive values widens the quasi-identifiers, and who finds a person's class has found the bucket.

What is not promised: that sets keep their people apart. An attacker who knows all values of a
person but one finds the set that holds them, and with it the last one. And a value may be in most
sets of a bucket, where max-posterior does not bound that.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from indistinct.errors import PolicyError, Unsatisfiable, refuse
from indistinct.hierarchies.cells import set_text
from indistinct.kernels.ragged import pointers
from indistinct.microdata.domains import SensitiveDomain
from indistinct.microdata.encoding import count_combinations, frequency_table
from indistinct.microdata.frequencies import Cells
from indistinct.microdata.leveled import LeveledTable
from indistinct.privacy.k_anonymity import KAnonymity
from indistinct.privacy.promise import Promise, promise
from indistinct.recoding.cells import classes_as_published
from indistinct.recoding.limits import Progress, silent
from indistinct.recoding.linked.bucketing import bars_of, listed_codes
from indistinct.recoding.linked.category_reduction import one_each
from indistinct.recoding.linked.quasi_table import MOST_CLUSTERED
from indistinct.recoding.linked.sets import AS_SETS, Fingerprints, fingerprints
from indistinct.recoding.linked.settings import LinkedSettings
from indistinct.recoding.linked.table import LinkedTable
from indistinct.recoding.linked_plan import LinkedPlan
from indistinct.recoding.partition import partition
from indistinct.recoding.partition.deficits import too_wide
from indistinct.recoding.plan import CellPlan
from indistinct.recoding.refusals import unknown_sensitive
from indistinct.types import Ints, Ints32
from indistinct.warning_kinds import Kind

ALGORITHM = "p-l-angelization"

BASELINE = Kind.SETTING(
    "p-l-angelization is a baseline after the description in Fazal and others (2023)"
)

MODELS = {"p-plus-sensitive": "p", "p-sensitive": "p", "distinct-l-diversity": "l"}


def p_l_angelization(
    linked: LinkedTable,
    promises: Sequence[Promise],
    settings: LinkedSettings | None = None,
    progress: Progress = silent,
) -> LinkedPlan:
    """Classes that are buckets, with p categories and l different sets of every attribute.

    Arguments:
        linked: the people and their records.
        promises: p is what ``p-plus-sensitive`` asks for, l what ``distinct-l-diversity`` does, k
            what ``k-anonymity`` does; attributes without promises of their own have to keep the
            largest p and l of the others. Promises about sensitive values count sets of values.
        settings: how classes are made (``quasi``), and what is published of them.
        progress: told the share of the work that is done.

    Raises:
        Unsatisfiable: if the promises cannot be kept.
        PolicyError: for promises that do not fit the table.
    """
    began = time.perf_counter()
    settings = settings or LinkedSettings()
    sets = {name: fingerprints(own) for name, own in linked.events.items()}
    asked = _asked(linked, promises, sets)
    weights = dependency_weights(sets)
    order = sorted(sets, key=lambda name: -weights[name])
    asked.sort(key=lambda part: order.index(part.sensitive) if part.sensitive else -1)
    people = int((linked.data.weight > 0).sum())
    single, each = _of_values(linked, asked)
    asked += each
    table = replace(linked.data.table, sensitive=_cells(linked, sets) | single)
    data = replace(linked.data, table=table)
    many = people > MOST_CLUSTERED or too_wide(data, asked)
    algorithm = settings.quasi or ("mondrian" if many else "k-member")
    if algorithm == "k-member":
        plan = partition(data, asked, "k-member", settings, progress)
    else:
        data, number = _distinct(linked, sets, single)
        plan = partition(data, asked, "mondrian", settings, progress)
        class_of = np.where(linked.data.weight > 0, plan.class_of[number], -1)
        plan = replace(plan, class_of=class_of.astype(np.int32))
    plan = _one_to_one(plan)
    report = replace(
        plan.search,
        algorithm=ALGORITHM,
        seconds=time.perf_counter() - began,
        counters={"classes": plan.groups, "buckets": plan.groups, "noise": 0},
    )
    there = plan.class_of >= 0
    held = linked.data.weight > 0
    known = {}
    for name in order:
        counts = np.bincount(sets[name].code[held], minlength=len(sets[name].labels))
        about = SensitiveDomain(sets[name].labels, sets[name].known)
        (bar,) = bars_of(asked, {name: about}, {name: counts})
        known[name] = bar.known
    return LinkedPlan(
        quasi=plan,
        bucket_of=plan.class_of,
        buckets={
            name: listed_codes(plan.class_of, sets[name].code, plan.groups, sets[name].labels)
            for name in order
        },
        search=report,
        truth={name: np.where(there, sets[name].code, -1).astype(np.int32) for name in order},
        log={"lead": order[0], "dependency_weights": weights, "quasi": algorithm},
        algorithm=ALGORITHM,
        told=(BASELINE, AS_SETS),
        known=known,
    )


def dependency_weights(sets: Mapping[str, Fingerprints]) -> dict[str, float]:
    """How much the other sensitive attributes depend on each: their shared information with it.

    The mean, over the others, of the mutual information of two attributes as a share of the other's
    entropy, less what chance makes of it (Miller 1955). Categories are counted where there are any,
    else sets.
    """
    codes = {name: _categories(own) for name, own in sets.items()}
    found = {}
    for name, own in codes.items():
        shares = [_shared(own, other) for other_name, other in codes.items() if other_name != name]
        found[name] = float(np.mean(shares)) if shares else 0.0
    return found


def _categories(sets: Fingerprints) -> Ints:
    categories = sets.known.categories
    if not categories:
        return sets.code.astype(np.int64)
    place: dict[str | None, int] = {}
    of = [place.setdefault(categories.get(label), len(place)) for label in sets.labels]
    return np.array(of, dtype=np.int64)[sets.code]


def _shared(one: Ints, other: Ints) -> float:
    joint = np.unique(one * (int(other.max(initial=0)) + 1) + other, return_counts=True)[1]
    entropies = [_entropy(np.unique(own, return_counts=True)[1]) for own in (one, other)]
    kinds = [len(np.unique(own)) for own in (one, other)]
    chance = (kinds[0] - 1) * (kinds[1] - 1) / (2 * max(len(one), 1))
    information = sum(entropies) - _entropy(joint) - chance
    return max(information, 0.0) / entropies[1] if entropies[1] > 0 else 0.0


def _entropy(counts: Ints) -> float:
    shares = counts / max(int(counts.sum()), 1)
    return float(-(shares * np.log(shares)).sum())


def _asked(
    linked: LinkedTable, promises: Sequence[Promise], sets: Mapping[str, Fingerprints]
) -> list[Promise]:
    """The promises with those that attributes without any have to keep, and k."""
    problems = unknown_sensitive(promises, linked.events)
    working = [part for part in promises if part.model in MODELS]
    if not working:
        problems.add(
            "angelization-without-p",
            "p-l-angelization makes buckets of p categories and l different sets, but no "
            "promise requires any",
            remedy='add [[promises]] with model = "p-plus-sensitive" and p = 2, say',
        )
    refuse(PolicyError, problems)
    found = list(promises)
    for model in ("p-plus-sensitive", "distinct-l-diversity"):
        letter = MODELS[model]
        own = [int(part.parameters[letter]) for part in promises if part.model == model]
        with_it = {part.sensitive for part in promises if part.model == model}
        for name in linked.events:
            if own and name not in with_it:
                found.append(promise(model, sensitive=name, **{letter: max(own)}))
    lacking = [
        problem
        for part in found
        for name in (part.sensitive,)
        if name is not None
        and (
            (problem := part.missing_metadata(linked.events[name].about))
            or (
                problem := part.missing_metadata(
                    SensitiveDomain(_held_sets(sets[name]), sets[name].known)
                )
            )
        )
    ]
    refuse(PolicyError, lacking)
    return [KAnonymity(k=max(part.class_size for part in promises)), *found]


def _held_sets(sets: Fingerprints) -> tuple[str | None, ...]:
    """The sets of people of the table; those whom only the population has hold nothing."""
    return tuple(label for label in sets.labels if label != set_text([]))


def _cells(linked: LinkedTable, sets: Mapping[str, Fingerprints]) -> dict[str, Cells]:
    return {
        name: one_each(own.code, own.labels, own.known, linked.data.weight)
        for name, own in sets.items()
    }


def _distinct(
    linked: LinkedTable, sets: Mapping[str, Fingerprints], single: Mapping[str, Cells]
) -> tuple[LeveledTable, Ints32]:
    """The distinct combinations of quasi-identifiers with their sets, and everybody's."""
    data = linked.data
    table, number = frequency_table(
        {
            name: codes.astype(np.int32)
            for name, codes in zip(data.attributes, data.table.codes, strict=True)
        },
        {name: int(size) for name, size in zip(data.attributes, data.domain, strict=True)},
        {name: (own.code, own.labels) for name, own in sets.items()},
        data.weight,
    )
    sensitive = {
        name: replace(cells, known=sets[name].known) for name, cells in table.sensitive.items()
    }
    sensitive |= {
        name: _by_combination(cells, number, data.weight) for name, cells in single.items()
    }
    table = replace(table, sensitive=sensitive, unit=data.table.unit)
    return LeveledTable(table, data.taxonomies, data.unchanged), number


def _of_values(
    linked: LinkedTable, asked: Sequence[Promise]
) -> tuple[dict[str, Cells], list[Promise]]:
    """The values of everybody's sets one by one, and what is asked of them.

    No value that everybody of a bucket has, with any promise about sets, and none that more have
    than a bound on beliefs allows.

    Raises:
        Unsatisfiable: if everybody has the same value.
    """
    everybody = np.arange(linked.people, dtype=np.int32)
    cells: dict[str, Cells] = {}
    promises: list[Promise] = []
    for name, own in linked.events.items():
        if own.lengths.max(initial=0) < 2:
            continue
        one_by_one = f"{name}, value by value"
        there = linked.data.weight[own.row_of] > 0
        had = np.bincount(own.value[there], minlength=1).max()
        if had >= (linked.data.weight > 0).sum():
            raise Unsatisfiable(
                "unsatisfiable",
                f"everybody has the same value of '{name}', among others: every bucket would "
                "disclose it",
                attribute=name,
                remedy="leave records with this value out of the table",
            )
        cells[one_by_one] = _by_combination(own, everybody, linked.data.weight)
        promises.append(promise("distinct-l-diversity", l=1, sensitive=one_by_one))
        promises += [
            replace(part, sensitive=one_by_one)
            for part in asked
            if part.model == "max-posterior" and part.sensitive == name
        ]
    return cells, promises


def _by_combination(cells: Cells, combination_of: Ints32, weight: Ints) -> Cells:
    """How many people of every combination have each value."""
    combinations = int(combination_of.max(initial=-1)) + 1
    person = cells.row_of
    (of, value), count, _ = count_combinations(
        [combination_of[person], cells.value],
        [max(combinations, 1), max(len(cells.domain), 1)],
        weight[person],
    )
    indptr = pointers(np.bincount(of, minlength=combinations))
    return replace(cells, indptr=indptr, value=value, count=count, exclusive=False)


def _one_to_one(plan: CellPlan) -> CellPlan:
    """Classes with equal cells made one, so that no two buckets look alike."""
    number = classes_as_published(plan)
    if len(np.unique(number)) == plan.groups:
        return plan
    first = np.unique(number, return_index=True)[1]
    class_of = np.append(number, -1)[plan.class_of].astype(np.int32)
    return replace(plan, class_of=class_of, cell_of=tuple(own[first] for own in plan.cell_of))
