"""Algorithm 1 of Khan and others (2020), section 5.2: records exchanged between classes.

The printed algorithm does not say what a swap moves, stops its search for a partner after the first
class, and does not end if no value of the partner is new. Our reading:

* A swap moves whole records, before anything is generalized, so quasi-identifiers and sensitive
  values stay true. Of the records with the two values the pair that leaves both classes narrowest
  is moved; ties go by position.
* A class EC_i that is short of variance looks through all later classes EC_b with enough variance.
  It gives one of its most frequent values and takes the most frequent value of EC_b that it lacks.
  With the donor guard EC_b must keep enough variance.
* The last class may exchange most frequent values with the one before it once, if neither holds the
  other's and the other class stays above its threshold.
* What is then missing is filled with noise: made-up records with a value that the class lacks.

It ends: each swap takes a new value for one that occurs twice, which raises the variance of EC_i,
and each noise record adds a new value.

Beyond the paper: several sensitive attributes, a bound on the largest share of a value, and any
other condition on moves. A move never lowers variance or raises a share of another attribute,
unless it stays within its target. A class that no later one can help may look back. If only a share
is too large, values that the class holds rarely are taken as well. The donor is the first class in
order that has an option; an index by blocks of classes keeps the search short.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from indistinct.frozen import dataclass
from indistinct.kernels import exchange as kernel
from indistinct.kernels.exchange import Facts, State
from indistinct.kernels.ragged import Ragged, pointers
from indistinct.privacy.rank_variance import theta
from indistinct.recoding.exchange.moves import WHY, Kind, Move, Proposal, Rules
from indistinct.recoding.exchange.target import Target
from indistinct.recoding.exchange.widths import Widths
from indistinct.recoding.limits import Progress, silent
from indistinct.types import Floats, Ints, Ints32

KINDS: tuple[Kind, Kind, Kind] = ("swap", "cross", "noise")

_STEPS = 100
"""How often progress is told."""


@dataclass(frozen=True)
class Moves:
    """Classes after the exchange as arrays, and what was done.

    Arguments:
        classes: the records of each class, [G].
        counts: records per class and sensitive value, noise included; by attribute, [G, D].
        noise_group: the class of every record of noise.
        noise_values: its sensitive values (codes), a column for each attribute.
        failed: classes that could not be repaired, and why.
        names: the sensitive attributes.
        log: kinds, attributes, classes, records and reasons of all moves, a row each.
        figures: variance of the class before and after, of the partner before and after, cost.
    """

    classes: Ragged
    counts: Mapping[str, Ints]
    noise_group: Ints
    noise_values: Ints
    failed: Mapping[int, int]
    names: tuple[str, ...]
    code: Ints
    log: Ints
    figures: Floats

    @property
    def class_of(self) -> Ints32:
        """The class of every record up to the last that is in one; -1 for those in none."""
        found = np.full(int(self.classes.value.max(initial=-1)) + 1, -1, dtype=np.int32)
        found[self.classes.value] = self.classes.row_of
        return found

    @property
    def swaps(self) -> int:
        """Number of exchanges, cross-swaps included."""
        return len(self.log) - len(self.noise_group)

    def reasons(self) -> dict[str, int]:
        """How many records of noise there are for each reason."""
        why, number = np.unique(self.log[self.log[:, 0] == 2, 6], return_counts=True)
        return {WHY[at]: int(count) for at, count in zip(why.tolist(), number, strict=True)}

    def moves(self) -> tuple[Move, ...]:
        """The log as records."""
        found = []
        for row, figures in zip(self.log.tolist(), self.figures.tolist(), strict=True):
            kind, attribute, group, partner, given, taken, why, value = row[:8]
            name = self.names[attribute]
            if KINDS[kind] == "noise":
                found.append(
                    Move(
                        kind="noise",
                        attribute=name,
                        group=group,
                        taken=value,
                        values=dict(zip(self.names, row[8:], strict=True)),
                        variance=(figures[0], figures[1]),
                        why=WHY[why],
                    )
                )
                continue
            found.append(
                Move(
                    kind=KINDS[kind],
                    attribute=name,
                    group=group,
                    partner=partner,
                    given=int(self.code[attribute, given]),
                    taken=value,
                    records=(given, taken),
                    variance=(figures[0], figures[1]),
                    partner_variance=(figures[2], figures[3]),
                    cost=figures[4],
                )
            )
        return tuple(found)


def exchange_classes(
    classes: Ragged,
    values: Mapping[str, Ints32],
    targets: Mapping[str, Target],
    widths: Widths,
    rules: Rules | None = None,
    progress: Progress = silent,
) -> Moves:
    """Exchange records between classes, and add noise, until every class keeps its targets.

    Arguments:
        classes: the records of each class, [G]; no class is empty.
        values: code of every record's value, for each sensitive attribute, [n].
        targets: what every class has to keep of each of them.
        widths: how wide classes are.
        rules: which moves may be made.
        progress: called with the share of classes that are done.
    """
    names = tuple(targets)
    rules = rules or Rules()
    guard, look_back, allowed = rules.donor_guard, rules.look_back, rules.allowed
    facts = _facts(classes.indptr, {name: values[name] for name in names}, targets, widths)
    state = _state(classes.value, facts)
    kernel.prepare(facts, state, guard)
    groups = len(classes)
    answer = kernel.UNASKED
    until = 0
    while True:
        if state.cursor[kernel.CLASS] >= until:
            progress(float(state.cursor[kernel.CLASS]) / max(groups, 1))
            until = int(state.cursor[kernel.CLASS]) + max(1, groups // _STEPS)
        ended = kernel.run(facts, state, guard, look_back, allowed is not None, answer, until)
        answer = kernel.UNASKED
        if ended == kernel.DONE:
            break
        if ended == kernel.FULL:
            state = state._replace(log=_twice(state.log), figures=_twice(state.figures))
        elif ended == kernel.ASK and allowed is not None:
            yes = allowed(_proposal(facts, state, names, look_back))
            answer = kernel.ACCEPT if yes else kernel.REFUSE
    progress(1.0)
    length = int(state.cursor[kernel.LOGGED])
    log = state.log[:length].copy()
    noise = log[log[:, 0] == kernel.NOISE]
    failures = state.failures[: int(state.cursor[kernel.FAILURES])]
    column = facts.column.tolist()
    return Moves(
        classes=Ragged(classes.indptr, state.slots.astype(np.int32)),
        counts={
            name: state.counts[:, low:high]
            for name, low, high in zip(names, column, column[1:], strict=False)
        },
        noise_group=noise[:, 2].copy(),
        noise_values=noise[:, kernel.ENTRY :].copy(),
        failed={int(group): int(why) for group, why in failures},
        names=names,
        code=facts.code,
        log=log,
        figures=state.figures[:length].copy(),
    )


def _facts(
    start: Ints, values: Mapping[str, Ints32], targets: Mapping[str, Target], widths: Widths
) -> Facts:
    code = np.ascontiguousarray(list(values.values()), dtype=np.int64).reshape(len(values), -1)
    wide = [targets[name].domain for name in values]
    preference, category, limits = [], [], []
    for own, target in zip(code, targets.values(), strict=True):
        total = np.bincount(own, minlength=target.domain)
        preference.append(np.argsort(-total, kind="stable"))
        category.append(np.array(target.categories or [-1] * target.domain, dtype=np.int64))
        by_size = target.by == "size"
        least = theta(2, target.mu) / 3 if by_size else theta(target.k, target.mu)
        limits.append((least, float(by_size), float(target.share)))
    profile = np.zeros(code.shape[1], dtype=np.int64)
    for own, domain in zip(code, wide, strict=True):
        profile = np.unique(profile * domain + own, return_inverse=True)[1]
    return Facts(
        code=code,
        column=pointers(wide),
        limits=np.array(limits, dtype=np.float64),
        taste=np.stack([np.concatenate(preference), np.concatenate(category)]).astype(np.int64),
        profile=profile.astype(np.int64),
        start=np.ascontiguousarray(start, dtype=np.int64),
        key=widths.key.astype(np.int64),
        shape=np.stack([widths.levels, widths.domain, widths.base], axis=1),
        node=widths.node,
        width=widths.width,
        weight=widths.weight,
    )


def _state(slots: Ints32, facts: Facts) -> State:
    groups = len(facts.start) - 1
    attributes = len(facts.code)
    most = int(np.diff(facts.column).max(initial=1))
    words = (most + 63) // 64
    blocks = (groups + kernel.BLOCK - 1) // kernel.BLOCK
    cursor = np.zeros(kernel.CURSOR, dtype=np.int64)
    cursor[kernel.DONOR] = 1
    entries = max(1024, len(slots) // 4)
    return kernel.State(
        slots=np.array(slots, dtype=np.int64),
        counts=np.zeros((groups, int(facts.column[-1])), dtype=np.int64),
        sets=np.zeros((attributes, 3, groups, words), dtype=np.uint64),
        able=np.zeros((attributes, groups), dtype=np.bool_),
        blocks=np.zeros((attributes, blocks, most if words == 1 else 1, words), dtype=np.uint64),
        cursor=cursor,
        barred=np.zeros((4096, 2), dtype=np.int64),
        log=np.zeros((entries, kernel.ENTRY + attributes), dtype=np.int64),
        figures=np.zeros((entries, 5)),
        failures=np.zeros((groups, 2), dtype=np.int64),
        falling=np.zeros(most + 1, dtype=np.int64),
        known=np.full((most, most), -1, dtype=np.int8),
        ends=np.zeros((2, len(facts.key), 4), dtype=np.int64),
        filling=np.zeros(attributes, dtype=np.int64),
    )


def _twice(array: Any) -> Any:
    return np.concatenate([array, np.zeros_like(array)])


def _proposal(facts: Facts, state: State, names: Sequence[str], look_back: bool) -> Proposal:
    """The move that the cursor is at, as counts before and after."""
    cursor = state.cursor
    group = int(cursor[kernel.CLASS])
    column = facts.column.tolist()
    parts = list(zip(names, column, column[1:], strict=False))

    def plain(row: Ints) -> dict[str, list[int]]:
        return {name: row[low:high].tolist() for name, low, high in parts}

    own = state.counts[group].copy()
    before = plain(own)
    if cursor[kernel.STAGE] == 1:
        own[facts.column[:-1] + state.filling] += 1
        return Proposal((group,), (before,), (plain(own),))
    cross = group == len(state.counts) - 1 and not look_back
    donor = group - 1 if cross else int(cursor[kernel.DONOR]) % len(state.counts)
    other = state.counts[donor].copy()
    then = plain(other)
    out = facts.column[:-1] + facts.code[:, state.slots[cursor[kernel.OUT]]]
    into = facts.column[:-1] + facts.code[:, state.slots[cursor[kernel.INTO]]]
    own[out] -= 1
    own[into] += 1
    other[into] -= 1
    other[out] += 1
    return Proposal((group, donor), (before, then), (plain(own), plain(other)))
