"""Algorithm 1 of Khan and others (2020) in plain Python, to be read beside the paper.

The same moves in the same order as :mod:`indistinct.recoding.exchange.procedure` makes, which says
how the printed algorithm is read; for small tables and for tests.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from indistinct.privacy.rank_variance import rank_variance_exact
from indistinct.recoding.exchange.moves import (
    GUARD,
    LAST,
    NO_DONOR,
    NO_REPEAT,
    NO_VALUE,
    NOT_ALLOWED,
    REFUSED,
    WHY,
    Counts,
    Kind,
    Move,
    Proposal,
    Rules,
)
from indistinct.recoding.exchange.target import Target


@dataclass(frozen=True)
class Exchanged:
    """Classes after the exchange.

    Arguments:
        classes: the real records of each class, in order.
        noise: the class of every made-up record and its sensitive values (codes).
        log: every move in order.
        failed: classes that neither exchange nor noise could repair, and why (a number of
            :data:`~indistinct.recoding.exchange.moves.FAILED`). They hold no noise.
    """

    classes: tuple[tuple[int, ...], ...]
    noise: tuple[tuple[int, Mapping[str, int]], ...]
    log: tuple[Move, ...]
    failed: Mapping[int, int]

    @property
    def swaps(self) -> int:
        """Number of exchanges, cross-swaps included."""
        return sum(move.kind != "noise" for move in self.log)


def exchange(
    classes: Sequence[Sequence[int]],
    values: Mapping[str, Sequence[int]],
    targets: Mapping[str, Target],
    cost: Callable[[Sequence[int]], float],
    rules: Rules | None = None,
) -> Exchanged:
    """Exchange records between classes, and add noise, until every class keeps its targets.

    Arguments:
        classes: records of each class, in the order in which the classes are worked through.
        values: code of every record's value, for each sensitive attribute.
        targets: what every class has to keep of each of them.
        cost: how wide a class of these records is, such as their number times the normalised
            certainty penalty of the cells they share.
        rules: which moves may be made.
    """
    work = _Work(classes, values, targets, cost, rules or Rules())
    for group in range(len(work.members)):
        work.settle(group)
    return Exchanged(
        classes=tuple(map(tuple, work.members)),
        noise=tuple(work.noise),
        log=tuple(work.log),
        failed=work.failed,
    )


class _Work:
    def __init__(
        self,
        classes: Sequence[Sequence[int]],
        values: Mapping[str, Sequence[int]],
        targets: Mapping[str, Target],
        cost: Callable[[Sequence[int]], float],
        rules: Rules,
    ) -> None:
        self.members = [list(group) for group in classes]
        self.values = values
        self.targets = targets
        self.cost = cost
        self.rules = rules
        held = [
            {name: Counter(values[name][r] for r in group) for name in targets}
            for group in self.members
        ]
        self.counts = [
            {name: [own[name][v] for v in range(target.domain)] for name, target in targets.items()}
            for own in held
        ]
        self.preference = {name: self._preference(name) for name in targets}
        self.noise: list[tuple[int, Mapping[str, int]]] = []
        self.log: list[Move] = []
        self.failed: dict[int, int] = {}

    def settle(self, group: int) -> None:
        """Lines 10 to 48 for one class."""
        last = group == len(self.members) - 1
        refused = False
        for name in self.targets:
            if last and not self.rules.look_back:
                refused |= self._cross(group, name)
            else:
                refused |= self._swap(group, name)
        self._fill(group, refused)

    def _donors(self, group: int) -> list[int]:
        """The classes to exchange with, in order."""
        earlier = range(group) if self.rules.look_back else range(0)
        return [*range(group + 1, len(self.members)), *earlier]

    def short(self, group: int, name: str) -> bool:
        return self.targets[name].short(self.counts[group][name])

    def _swap(self, group: int, name: str) -> bool:
        """Exchange with later classes; whether a move was refused at the end."""
        while self.short(group, name) and max(self.counts[group][name]) >= 2:
            refused = False
            for fewer in (False, True):
                if fewer and self.targets[name].short_of_variance(self.counts[group][name]):
                    break
                found = None
                for donor in self._donors(group):
                    if self.targets[name].short_of_variance(self.counts[donor][name]):
                        continue
                    found, no = self._pair(group, donor, name, fewer)
                    refused |= no
                    if found:
                        self._move("swap", group, donor, name, *found)
                        break
                if found:
                    break
            else:
                return refused
            if not found:
                return refused
        return False

    def _pair(
        self, group: int, donor: int, name: str, fewer: bool
    ) -> tuple[tuple[int, int] | None, bool]:
        """Positions of the cheapest pair in the first tier of values that has an option."""
        own, other = self.counts[group][name], self.counts[donor][name]
        code = self.values[name]
        top = max(own)
        refused = False
        options = [
            value
            for value, count in enumerate(other)
            if count > 0 and (0 < own[value] <= top - 2 if fewer else own[value] == 0)
        ]
        for tier in sorted({other[value] for value in options}, reverse=True):
            given = [p for p, r in enumerate(self.members[group]) if own[code[r]] == top]
            taken = [
                p
                for p, r in enumerate(self.members[donor])
                if code[r] in options and other[code[r]] == tier
            ]
            found, no = self._cheapest(
                group, donor, given, taken, self.rules.donor_guard or donor < group
            )
            refused |= no
            if found:
                return found, refused
        return None, refused

    def _cross(self, group: int, name: str) -> bool:
        """Lines 13 to 18: at most one exchange of the last class with the one before it."""
        own = self.counts[group][name]
        if group == 0 or not self.short(group, name) or max(own) < 2:
            return False
        donor = group - 1
        other = self.counts[donor][name]
        code = self.values[name]
        given = [
            p
            for p, r in enumerate(self.members[group])
            if own[code[r]] == max(own) and other[code[r]] == 0
        ]
        taken = [
            p
            for p, r in enumerate(self.members[donor])
            if other[code[r]] == max(other) and own[code[r]] == 0
        ]
        found, refused = self._cheapest(group, donor, given, taken, True)
        if found:
            self._move("cross", group, donor, name, *found)
            return False
        return refused

    def _cheapest(
        self, group: int, donor: int, given: Sequence[int], taken: Sequence[int], guard: bool
    ) -> tuple[tuple[int, int] | None, bool]:
        options = []
        for out in given:
            for into in taken:
                after = self._after(group, donor, out, into)
                if all(
                    target.kept(self.counts[group][name], after[0][name])
                    and (not guard or target.kept(self.counts[donor][name], after[1][name]))
                    for name, target in self.targets.items()
                ):
                    options.append((self._joint(group, donor, out, into), out, into))
        for _, out, into in sorted(options):
            after = self._after(group, donor, out, into)
            before = (self.counts[group], self.counts[donor])
            allowed = self.rules.allowed
            if allowed is None or allowed(Proposal((group, donor), before, after)):
                return (out, into), False
        return None, bool(options)

    def _after(self, group: int, donor: int, out: int, into: int) -> tuple[Counts, Counts]:
        own = {name: list(counts) for name, counts in self.counts[group].items()}
        other = {name: list(counts) for name, counts in self.counts[donor].items()}
        for name, code in self.values.items():
            given = code[self.members[group][out]]
            taken = code[self.members[donor][into]]
            own[name][given] -= 1
            own[name][taken] += 1
            other[name][taken] -= 1
            other[name][given] += 1
        return own, other

    def _joint(self, group: int, donor: int, out: int, into: int) -> float:
        own, other = list(self.members[group]), list(self.members[donor])
        own[out], other[into] = other[into], own[out]
        return self.cost(own) + self.cost(other)

    def _move(self, kind: Kind, group: int, donor: int, name: str, out: int, into: int) -> None:
        own, other = self.members[group], self.members[donor]
        before = self.cost(own) + self.cost(other)
        after = self._after(group, donor, out, into)
        code = self.values[name]
        self.log.append(
            Move(
                kind=kind,
                attribute=name,
                group=group,
                partner=donor,
                given=code[own[out]],
                taken=code[other[into]],
                records=(own[out], other[into]),
                variance=_change(self.counts[group][name], after[0][name]),
                partner_variance=_change(self.counts[donor][name], after[1][name]),
                cost=self._joint(group, donor, out, into) - before,
            )
        )
        own[out], other[into] = other[into], own[out]
        for at, counts in ((group, after[0]), (donor, after[1])):
            self.counts[at] = {each: list(counts[each]) for each in counts}

    def _fill(self, group: int, refused: bool) -> None:
        """Line 43: noise until every target is kept; none at all if that cannot be."""
        before = self.counts[group]
        started = len(self.log)
        why = None
        size = len(self.members[group])
        most = (size + 1) * sum(target.domain for target in self.targets.values())
        while names := [name for name in self.targets if self.short(group, name)]:
            first = names[0]
            why = self._why(group, first, refused) if why is None else why
            firsts = self._fillings(group, first)
            rest = {name: self._fillings(group, name)[:1] for name in self.targets}
            chosen = None
            for value in firsts if all(rest.values()) else []:
                record = {name: part[0] for name, part in rest.items()} | {first: value}
                after = {name: list(counts) for name, counts in self.counts[group].items()}
                for name, taken in record.items():
                    after[name][taken] += 1
                allowed = self.rules.allowed
                if allowed is None or allowed(Proposal((group,), (self.counts[group],), (after,))):
                    chosen = record, after
                    break
            full = len(self.log) - started >= most
            if chosen is None or full:
                self.failed[group] = (
                    NOT_ALLOWED if firsts and all(rest.values()) and not full else NO_VALUE
                )
                self.counts[group] = before
                added = len(self.log) - started
                del self.log[started:]
                del self.noise[len(self.noise) - added :]
                return
            record, after = chosen
            self.log.append(
                Move(
                    kind="noise",
                    attribute=first,
                    group=group,
                    taken=record[first],
                    values=record,
                    variance=_change(self.counts[group][first], after[first]),
                    why=WHY[why],
                )
            )
            self.noise.append((group, record))
            self.counts[group] = after

    def _fillings(self, group: int, name: str) -> list[int]:
        """Values a record of noise may have, the best first.

        Those that are absent: of an absent category before others, then by how often they occur in
        the whole table, then as the domain has them. After them those that are there, the rarest
        first, where that breaks nothing.
        """
        own = self.counts[group][name]
        target = self.targets[name]
        held = {category for value, category in self._categories(name) if own[value] > 0}
        place = {value: at for at, value in enumerate(self.preference[name])}
        absent = [
            (category in held, place[value], value)
            for value, category in self._categories(name)
            if own[value] == 0
        ]
        found = [value for *_, value in sorted(absent)]
        if not target.short_of_variance(own):
            for _, _, value in sorted((n, place[v], v) for v, n in enumerate(own) if n > 0):
                after = list(own)
                after[value] += 1
                if target.kept(own, after):
                    found.append(value)
        return found

    def _categories(self, name: str) -> list[tuple[int, int]]:
        """Every value with its category; one without is a category of its own."""
        target = self.targets[name]
        given = target.categories or [-1] * target.domain
        return [(v, c if c >= 0 else -1 - v) for v, c in enumerate(given)]

    def _preference(self, name: str) -> list[int]:
        total = Counter(self.values[name][r] for group in self.members for r in group)
        return sorted(range(self.targets[name].domain), key=lambda value: (-total[value], value))

    def _why(self, group: int, name: str, refused: bool) -> int:
        own = self.counts[group][name]
        if max(own) < 2:
            return NO_REPEAT
        if group == len(self.members) - 1 and (group == 0 or not self.rules.look_back):
            return LAST
        if refused:
            return REFUSED
        for donor in self._donors(group):
            other = self.counts[donor][name]
            if not self.targets[name].short_of_variance(other) and any(
                theirs > 0 and mine == 0 for theirs, mine in zip(other, own, strict=True)
            ):
                return GUARD
        return NO_DONOR


def _change(before: Sequence[int], after: Sequence[int]) -> tuple[float, float]:
    return float(rank_variance_exact(before)), float(rank_variance_exact(after))
