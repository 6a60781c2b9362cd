"""Buckets whose values stay the same from release to release (Xiao and Tao 2007, section 5).

    X. Xiao, Y. Tao: "m-Invariance: Towards Privacy Preserving Re-publication of Dynamic Datasets".
    SIGMOD 2007.

People who were published keep the signature of the bucket: the set of its values.

* Division: people of one signature are put together.
* Balancing: in a bucket every value of the signature has one person. If people of a value are
  lacking, new people with it take the place, as long as the other new people can still be put into
  buckets of m different values. Otherwise those who are too many wait, up to the suppression limit;
  beyond it counterfeits, made-up people, fill the gaps.
* A counterfeit of the last release stays as it was while its bucket needs one: otherwise a
  comparison of releases could tell rows that come and go from people.
* Assignment: the other new people get buckets of m different values, as Anatomy makes them.

People with a value that the signature lacks wait too. The paper generalizes quasi-identifiers by
bucket; here they are a table of their own, exact or, if a promise is about them, generalized
independently of values.

The same buckets keep other promises about values, with as many different values as any of them asks
for. theta-sensitivity asks for k: k different values have the whole rank variance. So people with
many records, by their highest category (:mod:`~indistinct.recoding.linked.theta_star`), can be
published again and again. Buckets that list a category twice could not: two releases of {Low, Low,
High} together may leave 4/5 Low. Other promises are refused.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from indistinct.document import some_of
from indistinct.errors import PolicyError, Problems, Unsatisfiable, refuse
from indistinct.kernels.linked import eligible_groups
from indistinct.kernels.ragged import pointers
from indistinct.microdata.domains import SensitiveDomain
from indistinct.microdata.leveled import LeveledTable
from indistinct.privacy.m_invariance import Signatures
from indistinct.privacy.promise import Promise
from indistinct.privacy.theta_sensitive import ThetaSensitive
from indistinct.privacy.values import LEAVE_OUT
from indistinct.randomness import Random, stream
from indistinct.recoding.limits import Progress, silent
from indistinct.recoding.linked.anatomy import DISCLOSED, exact, lacking, values_asked, values_of
from indistinct.recoding.linked.bucketing import Bar, counted
from indistinct.recoding.linked.quasi_table import homes_of_noise, quasi_table
from indistinct.recoding.linked.settings import LinkedSettings
from indistinct.recoding.linked.table import LinkedTable
from indistinct.recoding.linked_plan import LinkedNoise, LinkedPlan, listed
from indistinct.recoding.method import Earlier
from indistinct.recoding.partition.publishing import enough
from indistinct.recoding.plan import CellPlan, SearchReport
from indistinct.recoding.refusals import unknown_sensitive
from indistinct.types import Bools, Ints, Ints32
from indistinct.warning_kinds import Kind, WarningText

ALGORITHM = "m-invariant"

FULL = (
    "others have left, but everybody who was published before must stay in a bucket of the "
    "same values"
)
RARE = "too few people have rare values to combine with the frequent ones"

WAITING = (
    "{count} people wait for a later release: their value has changed, or no other person's "
    "value completes a bucket with it; anyone who knows that they are in the table may "
    "conclude their value"
)


@dataclass
class _Dealt:
    """Who is in which bucket so far.

    Arguments:
        bucket_of: the bucket of everybody, -1 for nobody's, [n].
        buckets: how many there are.
        made_up: the bucket, the value and the signature (-1: a new one) of every counterfeit.
        waiting: who is left out.
        kept: how many of the buckets, the first ones, have an earlier signature.
    """

    bucket_of: Ints32
    buckets: int
    made_up: list[tuple[int, int, int]]
    waiting: list[int]
    kept: int = 0


def m_invariant(
    linked: LinkedTable,
    promises: Sequence[Promise],
    settings: LinkedSettings,
    earlier: Earlier | None = None,
    progress: Progress = silent,
) -> LinkedPlan:
    """People in buckets of their earlier signatures, and new people in buckets of m values.

    Arguments:
        linked: the people and their records, with one sensitive attribute.
        promises: buckets have as many different values as any of those about the values asks for;
            promises about quasi-identifiers alone are kept by generalizing them.
        settings: how many may be left out and made up; ``seed`` draws who is in which bucket.
        earlier: the signatures that people have been published with; None where nobody has.
        progress: told the share of the work that is done.

    Raises:
        Unsatisfiable: if more people would have to wait or to be made up than is allowed, or
            another promise is broken.
        PolicyError: for promises or a table that do not fit.
    """
    began = time.perf_counter()
    name, m = _checked(linked, promises)
    there = linked.data.weight > 0
    code, labels, known, history, note = values_of(linked, name, there)
    if note is not None:
        raise PolicyError(
            "several-values",
            "some people have several values, and a bucket lists one value for everybody",
            attribute=name,
            remedy="give the values categories in an order: then everybody has the highest",
        )
    random = stream(settings.seed, "m-invariant.dealing")
    people = int(there.sum())
    refuse(Unsatisfiable, [one for part in promises if (one := part.infeasible(linked.data.table))])
    _check_values(len(np.unique(code[there])), promises, name)
    of_person, signatures, gone = _signed(earlier, labels, there)

    def dealing(may_wait: int, random: Random) -> _Dealt:
        return _Dealer(code, len(labels), m, random, may_wait).dealt(there, of_person, signatures)

    dealt = dealing(settings.allowed(people), random)
    again = partial(dealing, random=stream(settings.seed, "m-invariant.dealing"))
    published = earlier is not None and bool(earlier.signatures)
    _check_limits(dealt, people, settings, name, again, published=published)
    progress(0.6)
    labels = (*labels, *gone)
    stays = there.copy()
    stays[dealt.waiting] = False
    table = replace(linked.data.table, weight=np.where(stays, linked.data.weight, 0))
    data = replace(linked.data, table=table)
    about_quasi = [part for part in promises if part.sensitive is None]
    quasi, notes = _quasi(data, about_quasi, settings, progress)
    quasi = replace(quasi, class_of=np.where(stays, quasi.class_of, -1).astype(np.int32))
    counts = counted(dealt.bucket_of, code, dealt.buckets, len(labels))
    made_up = np.zeros_like(counts)
    for bucket, value, _ in dealt.made_up:
        made_up[bucket, value] += 1
    totals = np.bincount(code[there], minlength=len(labels))
    asked = [part for part in promises if part.sensitive == name]
    bar = Bar(name, (), SensitiveDomain(labels, known), totals)
    _check_buckets(counts, made_up, asked, bar, dealt.kept)
    counts += made_up
    homes = _earlier_homes(dealt, quasi, about_quasi, labels, earlier)
    if new := int((homes < 0).sum()):
        homes[homes < 0] = homes_of_noise(data, quasi, about_quasi, new, random)
    noise = tuple(
        LinkedNoise(int(home), bucket, {name: value})
        for home, (bucket, value, _) in zip(homes, dealt.made_up, strict=True)
    )
    if dealt.waiting:
        notes = (*notes, Kind.RISK(WAITING.format(count=len(dealt.waiting))))
    report = SearchReport(
        ALGORITHM,
        nodes=dealt.buckets,
        checked=dealt.buckets,
        seconds=time.perf_counter() - began,
        counters={"buckets": dealt.buckets, "noise": len(noise), "waiting": len(dealt.waiting)},
    )
    return LinkedPlan(
        quasi=replace(quasi, search=report),
        bucket_of=dealt.bucket_of,
        buckets={name: listed(counts, labels, "one")},
        search=report,
        noise=noise,
        truth={name: np.where(stays, code, -1).astype(np.int32)},
        log={"m": m, "people": people, "waiting": len(dealt.waiting), "made_up": len(noise)},
        history=history,
        algorithm=ALGORITHM,
        notes=notes,
        told=() if about_quasi else (DISCLOSED,),
        known={name: known},
    )


def _checked(linked: LinkedTable, promises: Sequence[Promise]) -> tuple[str, int]:
    """The sensitive attribute, and how many values every bucket needs."""
    names = list(linked.events)
    problems = unknown_sensitive(promises, names)
    if len(names) != 1:
        problems.add(
            "several-sensitive",
            f"buckets keep the values of one sensitive attribute, and promises name {len(names)}",
            remedy="promise something of one of them, and leave the others out",
        )
    refuse(PolicyError, problems)
    return names[0], max(2, *(_asks_for(part, names[0]) for part in promises))


def _asks_for(promise: Promise, name: str) -> int:
    """How many different values a promise asks for in every bucket, so that each is had once."""
    if isinstance(promise, Signatures):
        return promise.m
    return promise.k if isinstance(promise, ThetaSensitive) else values_asked([promise], name)


def _check_values(values: int, promises: Sequence[Promise], name: str) -> None:
    """Raise :class:`Unsatisfiable` for promises that ask for more values than people have."""
    too_many = [part for part in promises if _asks_for(part, name) > values]
    if too_many:
        raise Unsatisfiable(
            "too-few-values",
            f"{too_many[0]} needs buckets of {_asks_for(too_many[0], name)} different values, each "
            f"of one person, and people have {values}",
            attribute=name,
            remedy=f"require at most {values}" if values > 1 else LEAVE_OUT,
        )


def _check_buckets(
    counts: Ints, made_up: Ints, promises: Sequence[Promise], bar: Bar, kept: int
) -> None:
    """Hold the buckets against all promises about their values.

    Arguments:
        counts: how often each value is had by people of each bucket, [B, D].
        made_up: by made-up people.
        promises: those that speak of the values.
        bar: what is known of them.
        kept: how many of the buckets, the first ones, have an earlier signature.

    Raises:
        Unsatisfiable: if one is broken.
    """
    refuse(
        PolicyError, [problem for part in promises if (problem := part.missing_metadata(bar.about))]
    )
    problems = Problems()
    for part in promises:
        listed = counts + made_up if part.counts_made_up else counts
        of_part = replace(bar, promises=(part,))
        broken = of_part.broken(listed, listed.sum(axis=1))
        if not broken.any():
            continue
        listed = counts + made_up
        with_made_up = of_part.broken(listed, listed.sum(axis=1))
        why, remedy = "they list different values, each once", "leave the promise out"
        if with_made_up[:kept].any():
            why = "people stay among the values that they were published with"
            remedy = "require no more than the earlier releases"
        elif not with_made_up.any():
            why = "without the made-up people in them"
            remedy = "let people wait instead of making some up: max_noise = 0"
        said = some_of(int(broken.sum()), len(counts), "bucket breaks")
        problems.add("unsatisfiable", f"{said} {part}: {why}", attribute=bar.name, remedy=remedy)
    refuse(Unsatisfiable, problems)


def _signed(
    earlier: Earlier | None, labels: Sequence[str | None], there: Bools
) -> tuple[Ints, list[list[int]], list[str | None]]:
    """The signature of everybody, -1 for new people, the values of each, and those nobody has now.

    These have the codes beyond the labels.
    """
    if earlier is None:
        return np.full(len(there), -1), [], []
    place = {label: at for at, label in enumerate(labels)}
    values = [
        [place.setdefault(label, len(place)) for label in signature]
        for signature in earlier.signatures
    ]
    return earlier.of_person.astype(np.int64), values, list(place)[len(labels) :]


def _check_limits(
    dealt: _Dealt,
    people: int,
    settings: LinkedSettings,
    name: str,
    dealing: Callable[[int], _Dealt],
    *,
    published: bool,
) -> None:
    """Raise :class:`Unsatisfiable` where more people wait, or are made up, than is allowed.

    Arguments:
        dealt: who is in which bucket.
        people: how many there are.
        settings: what is allowed.
        name: the sensitive attribute.
        dealing: the buckets where so many may wait.
        published: whether anybody has been published before.
    """
    may_wait, may_be_made_up = settings.allowed(people), settings.noise_allowed(people)
    waiting, made_up = len(dealt.waiting), len(dealt.made_up)
    problems = Problems()
    if waiting > may_wait:
        share = enough(waiting, people)
        problems.add(
            "changed-values",
            f"{waiting} of {people} people have a value now that the buckets they were "
            "published in did not list: with it in another bucket, the earlier values could be "
            "ruled out",
            attribute=name,
            remedy=f"leave them out for this time: suppression_limit = {share:.3f}",
        )
    if may_be_made_up is not None and made_up > may_be_made_up:
        problems.add(
            "too-many-counterfeits",
            f"{made_up} made-up people would be needed for {people} people, but only "
            f"{may_be_made_up} are allowed: {FULL if published else RARE}",
            attribute=name,
            remedy=f"allow max_noise = {made_up}" + _or_wait(dealing, people, may_be_made_up),
        )
    refuse(Unsatisfiable, problems)


def _or_wait(dealing: Callable[[int], _Dealt], people: int, made_up: int) -> str:
    """The limit under which enough people wait for no more to be made up than may be, if any."""
    thousandths = 1
    while thousandths < 1000:
        if len(dealing(people * thousandths // 1000).made_up) <= made_up:
            share = thousandths / 1000
            return f", or let people wait for a later release: suppression_limit = {share:.3f}"
        thousandths += 1 + thousandths // 3
    return ""


def _earlier_homes(
    dealt: _Dealt,
    quasi: CellPlan,
    promises: Sequence[Promise],
    labels: Sequence[str | None],
    earlier: Earlier | None,
) -> Ints32:
    """The class of counterfeits that are as they were in the last release; -1 for the others.

    A row that comes and goes while all people stay is one of nobody: so a counterfeit stays as long
    as its bucket needs it and somebody still has its quasi-identifiers.
    """
    homes = np.full(len(dealt.made_up), -1, dtype=np.int32)
    delicate = any(part.effective_closure != "superset" for part in promises)
    if earlier is None or not earlier.made_up or delicate:
        return homes
    known: dict[tuple[int, str | None], list[str]] = {}
    for signature, value, digest in earlier.made_up:
        known.setdefault((signature, value), []).append(digest)
    wanted = {digest for own in known.values() for digest in own}
    groups = np.unique(quasi.class_of[quasi.class_of >= 0]).tolist()
    cells = [
        [texts[at] for at in places.tolist()]
        for texts, places in zip(quasi.texts, quasi.cell_of, strict=True)
    ]
    home_of = {
        digest: group
        for group in groups
        if (digest := earlier.digest([own[group] for own in cells])) in wanted
    }
    for at, (_, code, number) in enumerate(dealt.made_up):
        own = known.get((number, labels[code]), [])
        same = next((one for one in own if one in home_of), None)
        if same is not None:
            own.remove(same)
            homes[at] = home_of[same]
    return homes


def _quasi(
    data: LeveledTable,
    promises: Sequence[Promise],
    settings: LinkedSettings,
    progress: Progress,
) -> tuple[CellPlan, tuple[WarningText, ...]]:
    """The quasi-identifiers as they are, or generalized where a promise is about them."""
    if not promises:
        return exact(data, SearchReport(ALGORITHM)), ()
    k = max(part.class_size for part in promises)
    return quasi_table(data, promises, k, replace(settings, suppression_limit=0.0), progress)


class _Dealer:
    """Puts people into buckets, signature by signature, and the new ones last."""

    def __init__(self, code: Ints32, values: int, m: int, random: Random, may_wait: int) -> None:
        self.code = code
        self.values = values
        self.m = m
        self.random = random
        self.may_wait = may_wait

    def dealt(self, there: Bools, of_person: Ints, signatures: list[list[int]]) -> _Dealt:
        """Everybody's bucket.

        Arguments:
            there: who is in the table, [n].
            of_person: the signature of everybody, -1 for new people, [n].
            signatures: the values of each.
        """
        found = _Dealt(np.full(len(there), -1, np.int32), 0, [], [])
        order = self.random.permutation(np.flatnonzero(there))
        new: list[list[int]] = [[] for _ in range(self.values)]
        held: dict[int, dict[int, list[int]]] = {}
        for person in order.tolist():
            signature, value = int(of_person[person]), int(self.code[person])
            if signature < 0:
                new[value].append(person)
            elif value in signatures[signature]:
                held.setdefault(signature, {}).setdefault(value, []).append(person)
            else:
                found.waiting.append(person)
        for signature in sorted(held):
            self._fill(held[signature], signatures[signature], new)
        self._wait(held, signatures, found)
        for signature in sorted(held):
            self._keep(held[signature], signatures[signature], signature, found)
        found.kept = found.buckets
        self._assign(new, found)
        return found

    def _fill(self, held: dict[int, list[int]], signature: list[int], new: list[list[int]]) -> None:
        """Put new people where a value lacks people, as long as the others can be dealt."""
        full = max(map(len, held.values()))
        count = np.array([len(people) for people in new])
        for value in signature:
            own = held.setdefault(value, [])
            while value < self.values and len(own) < full and new[value]:
                before = count.max() * self.m <= count.sum()
                count[value] -= 1
                if before and count.max() * self.m > count.sum():
                    count[value] += 1
                    break
                own.append(new[value].pop())

    def _wait(
        self, held: dict[int, dict[int, list[int]]], signatures: list[list[int]], found: _Dealt
    ) -> None:
        """Leave out who would need most counterfeits, as far as people may wait."""
        steps = []
        for signature, own in held.items():
            sizes = [len(own.get(value, ())) for value in signatures[signature]]
            for level in range(max(sizes), 0, -1):
                out = sum(size >= level for size in sizes)
                steps.append((out / max(len(sizes) - out, 1e-9), -level, signature, out))
        for _, level, signature, out in sorted(steps):
            saved = len(signatures[signature]) - out
            if not saved or len(found.waiting) + out > self.may_wait:
                continue
            for people in held[signature].values():
                if len(people) >= -level:
                    found.waiting.append(people.pop())

    def _keep(
        self, held: dict[int, list[int]], signature: list[int], number: int, found: _Dealt
    ) -> None:
        """Buckets of one signature, one person or counterfeit of each value."""
        full = max(map(len, held.values()), default=0)
        for at in range(full):
            for value in signature:
                own = held.get(value, [])
                if at < len(own):
                    found.bucket_of[own[at]] = found.buckets + at
                else:
                    found.made_up.append((found.buckets + at, value, number))
        found.buckets += full

    def _assign(self, new: list[list[int]], found: _Dealt) -> None:
        """Buckets of m different values for the new people."""
        count = np.array([len(people) for people in new])
        while count.sum() and count.max() * self.m > count.sum():
            value = int(count.argmax())
            person = new[value].pop()
            count[value] -= 1
            if len(found.waiting) < self.may_wait:
                found.waiting.append(person)
                continue
            others = [at for at in np.argsort(-count, kind="stable").tolist() if at != value]
            found.bucket_of[person] = found.buckets
            found.made_up += [(found.buckets, at, -1) for at in others[: self.m - 1]]
            found.buckets += 1
        people = np.array([one for own in new for one in own], np.int64)
        if not len(people):
            return
        start = pointers(count)
        group_of = np.empty(len(people), dtype=np.int32)
        value_of = np.empty(len(people), dtype=np.int32)
        groups = eligible_groups(start, self.m, group_of, value_of)
        taken: dict[int, set[int]] = {}
        for at in np.flatnonzero(group_of < 0).tolist():
            own = int(self.code[people[at]])
            group_of[at] = lacking(value_of, groups, self.m, own, taken, self.random)
        found.bucket_of[people] = group_of + found.buckets
        found.buckets += groups
