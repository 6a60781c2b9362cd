"""Fingerprint correlation: whose set of values is it, and what is the last value?

The values of a person with many records are as telling as a name: of the eight patients that Fazal
and others (2023) print all have a set of symptoms of their own. Somebody who knows all values of a
person except one looks for the published sets that hold them. The fewer there are (the anonymity
set), the surer is the value that was not known. The attacker here needs no quasi-identifier at all;
with them, which the figures ``near_*`` tell of, only rows count that the person could stand in.

Every value of a person is left out once, and the one counts that is then believed most. A value
that shares its published label with another of the person's is nothing new.

Where everybody of a bucket has one value, no set is published, and there is nothing to recognize;
unless whole sets are listed as one value.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from indistinct.analytics.attacks.context import SURE, AttackContext
from indistinct.analytics.attacks.finding import (
    CERTAIN,
    Finding,
    Skipped,
    of_people,
    summarize,
    worst_class,
)
from indistinct.analytics.attacks.remedies import shared_sets
from indistinct.analytics.weighted import Rows, compressed, expanded, pointers
from indistinct.frozen import dataclass
from indistinct.kernels.candidate_sets import recognize
from indistinct.types import Floats, Ints, Ints32

NAME = "fingerprint-correlation"
KIND = "attribute"
PLACE = 130
KNOWLEDGE = "all values of a person except one, and no quasi-identifier"
SOURCE = "Khan and others (2020), Wireless Communications and Mobile Computing 8416823"
REMEDY = shared_sets


@dataclass(frozen=True)
class Recognized:
    """What is found with all values of a person but one, by entries of the people's values.

    Arguments:
        person: whose value is left out.
        candidates: people with a published set that holds the others (expected number).
        right: those of them whose set shows the one left out.
        near: candidates among the rows that the person could stand in; None where not looked at.
        near_right: those of them whose set shows the one left out.
        whole: people with a published set that holds all values of a person, [n].
    """

    person: Ints
    candidates: Floats
    right: Floats
    whole: Floats
    near: Floats | None = None
    near_right: Floats | None = None


def run(context: AttackContext, sensitive: str) -> Finding | Skipped:
    """Look for the published sets that hold all of a person's values but one."""
    if not context.records or not context.people.height:
        return Skipped(NAME, "nothing is published that could be recognized", sensitive)
    if context.one_record_each:
        return Skipped(NAME, "everybody has one record: no set can be recognized")
    before = context.true_prior(sensitive)
    if context.bucket_semantics == "one" and not context.lists_sets(sensitive):
        return summarize(
            context,
            sensitive,
            before,
            before,
            np.zeros(len(before), np.bool_),
            figures={"anonymity_set_smallest": context.records},
            note="Everybody in a bucket has one of its values: no set can be recognized.",
        )
    seen = (_of_shares if context.bucket_semantics == "some" else _of_sets)(context, sensitive)
    people = len(before)
    belief = _largest(seen.person, seen.candidates, seen.right, before)
    number = context.own(sensitive).number
    several = number[seen.person] > 1
    sets = seen.candidates[several & (seen.candidates > SURE)]
    alone = np.zeros(people, np.bool_)
    alone[seen.person[several & (np.abs(seen.candidates - 1) < SURE)]] = True
    figures: dict[str, float | int | None] = {
        "several_values": float((number > 1).mean()),
        "anonymity_set_smallest": float(sets.min()) if len(sets) else None,
        "anonymity_set_median": float(np.median(sets)) if len(sets) else None,
        "anonymity_set_mean": float(sets.mean()) if len(sets) else None,
        "recognized": float(alone.mean()),
        "whole_set_unique": float((np.abs(seen.whole - 1) < SURE).mean()),
    }
    if seen.near is not None and seen.near_right is not None:
        base = context.true_belief(sensitive)
        near = _largest(seen.person, seen.near, seen.near_right, base)
        figures |= {
            "near_0.5": float((near >= 0.5 - SURE).mean()),
            "near_0.95": float((near >= 0.95 - SURE).mean()),
            "near_certain": float((context.found & (near >= 1 - SURE)).mean()),
            "near_gain_mean": float((near - before).mean()),
        }
    by_class = context.places.by_class(belief - before)
    found = summarize(
        context,
        sensitive,
        belief,
        before,
        (belief >= 1 - SURE) & (before < 1 - SURE),
        figures=figures,
        worst=worst_class(context, by_class, gain=by_class),
    )
    note = (
        f"All values of {sensitive} but one lead to one published person for "
        f"{of_people(figures['recognized'] or 0.0)}, and make the one left out certain for "
        f"{of_people(found.success[CERTAIN])}."
    )
    return Finding(**{**vars(found), "note": note})


def _largest(person: Ints, candidates: Floats, right: Floats, before: Floats) -> Floats:
    """The belief in the value that is given away most; what it was before, without a candidate."""
    share = np.divide(right, candidates, out=np.zeros(len(right)), where=candidates > SURE)
    found = np.zeros(len(before))
    np.maximum.at(found, person, share)
    met = np.zeros(len(before), np.bool_)
    met[person[candidates > SURE]] = True
    return np.where(met, found, before)


def _telling(context: AttackContext, sensitive: str) -> Rows:
    """The labels that tell each value of each person from the person's other values."""
    own, values, over = (
        context.own(sensitive),
        context.own_values(sensitive),
        context.covering(sensitive).over,
    )
    person = np.repeat(np.arange(len(values)), values.length)
    entry, at = expanded(over, values.index)
    domain = max(len(context.labels(sensitive)), 1)
    keys = own.person * domain + own.label
    place = np.searchsorted(keys, person[entry] * domain + over.index[at])
    alone = own.values[place] == 1 if len(keys) else np.zeros(0, np.bool_)
    return Rows(pointers(entry[alone], len(values.index)), over.index[at][alone])


def _of_sets(context: AttackContext, sensitive: str) -> Recognized:
    """Where everybody has all that the own bucket lists, or sets are listed as one value."""
    values, labels = context.own_values(sensitive), context.labels(sensitive)
    under, candidates_in = context.covering(sensitive).under, context.places.candidate_sets
    if context.bucket_semantics == "all":
        sets: Rows = context.listed(sensitive).shares
        told: Rows = context.spread(sensitive).shares
        published = context.bucket_of[np.argsort(context.places.class_of, kind="stable")]
        start = np.concatenate([[0], np.cumsum(context.classes.size)]).astype(np.int64)
        sets_of = context.set_of
    else:
        # Every listed set is somebody's; whose row it belongs to is not known.
        part = context.buckets[sensitive]
        sets = context.parts(sensitive)
        told = context.implied(sensitive)
        published = np.repeat(part.index, part.amount)
        start, candidates_in = np.zeros(1, np.int64), compressed([[]])
        sets_of = np.zeros(len(values), np.int32)
    rows = len(published)
    words = (rows + 63) // 64
    bits = np.uint64(1) << (np.arange(rows) % 64).astype(np.uint64)

    def rows_of(shown: Rows) -> NDArray[np.uint64]:
        found = np.zeros((len(labels), words), np.uint64)
        row, at = expanded(shown, published)
        np.bitwise_or.at(found, (shown.index[at], row // 64), bits[row])
        return found

    of_label = rows_of(sets)
    needed, value = np.unique(values.index, return_inverse=True)
    of_value = np.zeros((len(needed), words), np.uint64)
    number = {int(v): at for at, v in enumerate(needed)}
    for label in range(len(labels)):
        for v in under[label].tolist():
            if v in number:
                of_value[number[v]] |= of_label[label]
    everybody = np.zeros(words, np.uint64)
    np.bitwise_or.at(everybody, np.arange(rows) // 64, bits)
    # A row tells more than it may stand for: where flu is listed, so is a respiratory disease.
    of_told, hit = rows_of(told), _telling(context, sensitive)
    longest = int(values.length.max(initial=0)) + 1
    candidates, right, near, near_right = np.zeros((4, len(values.index)), np.int64)
    whole = np.zeros(len(values), np.int64)
    recognize(
        values.indptr, value.astype(np.int32), hit.indptr, hit.index, of_value, of_told,
        sets_of, candidates_in.indptr, candidates_in.index, start, everybody,
        np.empty((longest, words), np.uint64), np.empty((longest, words), np.uint64),
        candidates, right, near, near_right, whole,
    )  # fmt: skip
    looked = context.bucket_semantics == "all"
    return Recognized(
        np.repeat(np.arange(len(values)), values.length),
        candidates.astype(np.float64),
        right.astype(np.float64),
        whole.astype(np.float64),
        near=near.astype(np.float64) if looked else None,
        near_right=near_right.astype(np.float64) if looked else None,
    )


def _of_shares(context: AttackContext, sensitive: str) -> Recognized:
    """Where everybody has some values of the own bucket: who has which is taken as independent."""
    shares, size = context.spread(sensitive).shares, context.size_of.astype(np.float64)
    values, hit = context.own_values(sensitive), _telling(context, sensitive)
    over = context.covering(sensitive).over
    by_label = _entries(shares.index, len(context.labels(sensitive)))

    def column(labels: Ints32) -> Floats:
        found = np.zeros(len(size))
        for label in labels.tolist():
            entries = by_label[label]
            rows = shares.row_of[entries]
            found[rows] = np.maximum(found[rows], shares.amount[entries])
        return found

    known: dict[bytes, tuple[Floats, Floats, float]] = {}
    candidates, right = np.zeros(len(values.index)), np.zeros(len(values.index))
    whole = np.zeros(len(values))
    for person in range(len(values)):
        first, last = int(values.indptr[person]), int(values.indptr[person + 1])
        own = values[person]
        if (key := own.tobytes()) not in known:
            columns = [column(over[v]) for v in own.tolist()]
            number = len(own)
            maybe, shown = np.zeros(number), np.zeros(number)
            for left in range(number):
                others = size.copy()
                for at in range(number):
                    if at != left:
                        others = others * columns[at]
                maybe[left] = others.sum()
                shown[left] = (others * column(hit[first + left])).sum()
            everything = size.copy()
            for part in columns:
                everything = everything * part
            known[key] = maybe, shown, float(everything.sum())
        candidates[first:last], right[first:last], whole[person] = known[key]
    return Recognized(np.repeat(np.arange(len(values)), values.length), candidates, right, whole)


def _entries(index: Ints32, number: int) -> list[Ints]:
    """The entries of each label."""
    order = np.argsort(index, kind="stable")
    bounds = np.searchsorted(index[order], np.arange(number + 1))
    return [order[bounds[at] : bounds[at + 1]] for at in range(number)]
