"""(theta*,k)-utility: theta-sensitivity for people with many records, as two linked tables.

    R. Fazal, R. Khan, A. Anjum, M. H. Syed, A. Khan, S. Rehman: "Improved angelization technique
    against background knowledge attack for 1:M microdata". PeerJ Computer Science 9:e1255, 2023,
    Algorithm 1.

Every person keeps the highest category among the values of all records
(:mod:`~indistinct.recoding.linked.highest`). Buckets of k people or more have a rank variance of
theta(k). The quasi-identifiers are generalized separately
(:mod:`~indistinct.recoding.linked.quasi_table`), and each row is linked to its person's bucket. A
belief about a person is an average over the buckets of the class, so it never exceeds the largest
share in a bucket, and much less of the quasi-identifiers is lost.

* ``paper`` cuts chunks of k people in their order, exchanges people between them and adds noise
  (:mod:`indistinct.recoding.exchange`), without regard for the giving bucket.
* ``safe`` assigns people to buckets by their categories
  (:mod:`~indistinct.recoding.linked.round_robin`), hardly ever needs noise, and keeps every promise
  about sensitive values, all but rank variance also without the made-up people of a bucket.

The printed algorithm does not check a last bucket of up to 2k people, and Equation (5) has its
inequalities reversed; here every bucket is checked, unless ``unchecked_tails`` asks otherwise. With
five categories and mu = 0.6 no k above 6 is possible.

What is not promised: noise can be removed. A larger bucket than most has made-up people, with known
values: the last bucket of Table 12 lists Low, Low and Mild. Only Mild can be noise, so the other
two people are Low for certain.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from indistinct.document import many, some_of
from indistinct.errors import PolicyError, Problem, Problems, Unsatisfiable, refuse
from indistinct.frozen import dataclass, field
from indistinct.kernels.ragged import Ragged
from indistinct.privacy.k_anonymity import KAnonymity
from indistinct.privacy.m_invariance import Signatures
from indistinct.privacy.promise import Promise
from indistinct.privacy.theta_sensitive import ThetaSensitive
from indistinct.randomness import stream
from indistinct.recoding.exchange.moves import FAILED, Rules, ThetaInfeasible
from indistinct.recoding.exchange.procedure import Moves, exchange_classes
from indistinct.recoding.exchange.theta import (
    THETA,
    check_feasible,
    targets_of,
    told,
)
from indistinct.recoding.exchange.widths import Widths
from indistinct.recoding.limits import Progress, silent
from indistinct.recoding.linked.bucketing import Bar, bars_of, counted
from indistinct.recoding.linked.category_reduction import (
    MOST_CATEGORIES,
    Highest,
    highest_categories,
    history_of,
)
from indistinct.recoding.linked.quasi_table import homes_of_noise, quasi_table
from indistinct.recoding.linked.round_robin import Broken, Dealer, Lists, alike
from indistinct.recoding.linked.settings import LinkedSettings
from indistinct.recoding.linked.table import LinkedTable
from indistinct.recoding.linked_plan import Buckets, Holding, LinkedNoise, LinkedPlan, listed
from indistinct.recoding.plan import CellPlan
from indistinct.recoding.refusals import unknown_sensitive
from indistinct.types import Bools, Ints, Ints32, Plain, PlainMapping
from indistinct.warning_kinds import Kind

ALGORITHM = "theta-star"

QUASI_SHARE = 0.8
"""Share of the work that the quasi table is, for progress."""

ONLY_HIGHEST = Kind.LOSS(
    "keep_history: only the highest category of each person is published; with all categories "
    "the promises do not hold"
)


@dataclass(frozen=True)
class _Buckets:
    """Who is in which bucket.

    ``bucket_of`` goes by person, -1 for people left out; ``noise_of`` is the bucket of every
    made-up person, ``noise`` its codes by attribute. The first ``checked`` keep the promises.
    """

    bucket_of: Ints32
    number: int
    noise_of: Ints32
    noise: Mapping[str, Ints32]
    checked: int
    counters: Mapping[str, int]
    log: PlainMapping = field(default_factory=dict)


def theta_star(
    linked: LinkedTable,
    promises: Sequence[Promise],
    settings: LinkedSettings | None = None,
    progress: Progress = silent,
) -> LinkedPlan:
    """Classes of quasi-identifiers, and buckets in which the highest categories vary enough.

    Promises about quasi-identifiers alone are kept by the classes, those about sensitive values by
    the buckets, whose values are categories. Classes have as many people as theta's k asks for.

    Arguments:
        linked: the people and their records; every sensitive attribute has ordered categories.
        promises: what is promised; at least one is theta-sensitivity.
        settings: how it is done.
        progress: told the share of the work that is done.

    Raises:
        ThetaInfeasible: if theta cannot be reached with the categories there are, or with the
            made-up people that are allowed.
        Unsatisfiable: if another promise cannot be kept.
        PolicyError: for settings or promises that do not fit the table.
    """
    return _Making(linked, promises, settings or LinkedSettings(), progress).plan()


class _Making:
    """One run."""

    def __init__(
        self,
        linked: LinkedTable,
        promises: Sequence[Promise],
        settings: LinkedSettings,
        progress: Progress,
    ) -> None:
        self.began = time.perf_counter()
        self.linked = linked
        self.promises = tuple(promises)
        self.settings = settings
        self.progress = progress
        self._check()
        self.highest: Highest = highest_categories(linked)
        self.table = self.highest.data.table
        self._check_knowledge()
        self.of_values = [part for part in promises if part.sensitive is not None]
        self.of_classes = [part for part in promises if part.sensitive is None]
        thetas = [part for part in promises if isinstance(part, ThetaSensitive)]
        check_feasible(self.table, thetas, self.of_values, self.settings.suppression_limit)
        self.k = max(part.k for part in promises if isinstance(part, ThetaSensitive | KAnonymity))
        self.random = stream(settings.seed, "theta-star.dealing")
        about = {name: own.about for name, own in self.table.sensitive.items()}
        totals = {name: own.totals for name, own in self.table.sensitive.items()}
        self.bars = bars_of(self.of_values, about, totals)

    def plan(self) -> LinkedPlan:
        """Classes, buckets, and a class for everybody who is made up."""
        settings, data = self.settings, self.highest.data
        quasi, notes = quasi_table(
            data, self.of_classes, self.k, settings, self._part(0.0, QUASI_SHARE)
        )
        there = quasi.class_of >= 0
        made = self._exchanged(there) if settings.bucketing == "exchanged" else self._dealt(there)
        counts = self._counts(made)
        full = self._counts_of_history(made) if settings.keep_history else None
        if settings.keep_history and full is None:
            notes = (*notes, ONLY_HIGHEST)
        if settings.unchecked_tails:
            notes = (
                *notes,
                Kind.RISK("the last bucket was not checked: it may break the promises"),
            )
        homes = self._homes(quasi, made)
        self.progress(1.0)
        buckets: dict[str, Buckets] = {}
        for name, own in self.table.sensitive.items():
            holding: Holding = "one" if full is None else "some"
            buckets[name] = listed((full or counts)[name], own.domain, holding)
        report = replace(
            quasi.search,
            algorithm=ALGORITHM,
            seconds=time.perf_counter() - self.began,
            counters={
                "classes": quasi.groups,
                "buckets": made.number,
                "noise": len(made.noise_of),
                **made.counters,
            },
        )
        return LinkedPlan(
            quasi=quasi,
            bucket_of=made.bucket_of,
            buckets=buckets,
            search=report,
            noise=tuple(
                LinkedNoise(group, bucket, dict(zip(made.noise, codes, strict=True)))
                for group, bucket, *codes in zip(
                    homes.tolist(),
                    made.noise_of.tolist(),
                    *(own.tolist() for own in made.noise.values()),
                    strict=True,
                )
            ),
            truth={
                name: np.where(there, own, -1).astype(np.int32)
                for name, own in self.highest.code.items()
            },
            log=self._log(made, quasi.search.algorithm),
            history=history_of(self.linked, self.highest.kept, there),
            algorithm=ALGORITHM,
            notes=notes,
            known={bar.name: bar.known for bar in self.bars},
        )

    def _check(self) -> None:
        problems = Problems()
        if not any(part.model == THETA for part in self.promises):
            problems.add(
                "no-theta",
                "algorithm 'theta-star' makes theta-sensitive releases, but no promise requires it",
                remedy='add [[promises]] with model = "theta-sensitive"',
            )
        problems += [
            Problem(
                "series-dealt-anew",
                f"{part} is about earlier releases too, and 'theta-star' deals everybody anew",
                remedy='choose algorithm = "m-invariant": its buckets are theta-sensitive as well',
            )
            for part in self.promises
            if isinstance(part, Signatures)
        ]
        problems += unknown_sensitive(self.promises, self.linked.events)
        refuse(PolicyError, problems)

    def _check_knowledge(self) -> None:
        """What promises have to know of the categories: they are the values now."""
        cells = self.table.sensitive
        found = [
            problem
            for part in self.promises
            if part.sensitive is not None
            and (problem := part.missing_metadata(cells[part.sensitive].about))
        ]
        refuse(PolicyError, found)

    def _part(self, first: float, last: float) -> Progress:
        return lambda share: self.progress(first + share * (last - first))

    # Dealt buckets

    def _dealt(self, there: Bools) -> _Buckets:
        """Buckets that people are dealt to, so that each is like the whole.

        Where all categories are to be published, they keep the promises for these too if they can
        without more made-up people.
        """
        people = np.flatnonzero(there)
        if not len(people):
            return self._nobody(there)
        dealer, profile = self._dealer(people, history=False)
        deal = dealer.best(self.settings.noise_allowed(len(people)))
        if deal is None:
            raise self._too_much_noise(dealer, len(people))
        if self.settings.keep_history and self._sets_fit():
            other, profile_of_sets = self._dealer(people, history=True)
            better = other.best(deal.made)
            if better is not None:
                dealer, deal, profile = other, better, profile_of_sets
        bucket_of = np.full(len(there), -1, dtype=np.int32)
        bucket_of[people] = dealer.dealt(deal, profile, self.random)
        noise_of, noise = dealer.made_up(deal)
        made = _Buckets(bucket_of, deal.buckets, noise_of, noise, deal.buckets, {"swaps": 0})
        self._verify(made)
        return made

    def _dealer(self, people: Ints, history: bool) -> tuple[Dealer, Ints32]:
        """What people have, in few profiles, and everybody's profile."""
        codes = {name: own[people] for name, own in self.highest.code.items()}
        columns = [own.astype(np.int64) for own in codes.values()]
        sets = {}
        if history:
            sets = {
                name: self.highest.sets_of(name, self.linked.events[name])[people] for name in codes
            }
            columns += list(sets.values())
        first, profile = alike(columns)
        had, attribute_of = {}, {}
        for name, own in codes.items():
            domain = len(self.table.sensitive[name].domain)
            had[name] = np.eye(domain, dtype=np.int64)[own[first]]
            attribute_of[name] = name
        for name, bits in sets.items():
            domain = len(self.table.sensitive[name].domain)
            had[_all_of(name)] = (bits[first][:, None] >> np.arange(domain)) & 1
            attribute_of[_all_of(name)] = name
        bars = {bar.name: bar for bar in self.bars}
        bars |= {_all_of(name): replace(bars[name], several=True) for name in sets}

        def held_against(bars: Mapping[str, Bar]) -> Broken:
            def broken(lists: Lists, size: Ints, whole: Lists) -> Bools:
                found = np.zeros(len(size), dtype=np.bool_)
                for one, counts in lists.items():
                    found |= bars[one].broken(counts, size, whole[one])
                return found

            return broken

        broken = held_against(bars)
        hopeless = held_against({name: bar.of_people for name, bar in bars.items()})
        number = np.bincount(profile, minlength=len(first))
        few = {name: own[first] for name, own in codes.items()}
        return Dealer(number, few, had, attribute_of, (broken, hopeless), self.k), profile

    def _sets_fit(self) -> bool:
        """Whether there are few enough categories to handle sets of them."""
        domains = [len(own.domain) for own in self.table.sensitive.values()]
        return max(domains) <= MOST_CATEGORIES

    def _counts_of_history(self, made: _Buckets) -> dict[str, Ints] | None:
        """How often each category is had in each bucket, by attribute, [B, D].

        None where the promises do not hold for it.
        """
        if made.checked < made.number or not self._sets_fit():
            return None
        found = {}
        size = self._sizes(made)
        for bar in self.bars:
            domain = len(bar.about)
            bits = self.highest.sets_of(bar.name, self.linked.events[bar.name])
            counts = counted(made.noise_of, made.noise[bar.name], made.number, domain)
            people = np.zeros_like(counts)
            for at in range(domain):
                has = (made.bucket_of >= 0) & ((bits >> at) & 1 == 1)
                people[:, at] = np.bincount(made.bucket_of[has], minlength=made.number)
            counts += people
            several = replace(bar, several=True)
            real = size - np.bincount(made.noise_of, minlength=made.number)
            broken = several.broken(counts, size) | several.of_people.broken(people, real)
            if broken.any():
                return None
            found[bar.name] = counts
        return found

    def _too_much_noise(self, dealer: Dealer, people: int) -> Unsatisfiable:
        allowed = self.settings.noise_allowed(people)
        asked = "; ".join(map(str, self.of_values))
        if dealer.least_noise is not None and allowed is not None:
            return ThetaInfeasible(
                "theta-max-noise",
                f"{many(dealer.least_noise, 'made-up person is')} needed to keep {asked}, "
                f"{dealer.least_noise / people:.3%} of the people, and {allowed} are allowed",
                remedy=f"allow max_noise = {dealer.least_noise}, or choose a smaller k or mu",
            )
        return ThetaInfeasible(
            "theta-infeasible",
            f"no buckets were found that keep {asked}"
            + (" without made-up people" if allowed == 0 else ""),
            attribute=", ".join(dict.fromkeys(str(part.sensitive) for part in self.of_values)),
            remedy="choose a smaller k or mu, or a larger bound on the posterior"
            + (", or allow made-up people: leave out max_noise = 0" if allowed == 0 else ""),
        )

    # Exchanged buckets

    def _exchanged(self, there: Bools) -> _Buckets:
        """Chunks of k people in their order, which exchange people until each varies enough."""
        settings = self.settings
        safe = settings.variant == "safe"
        people = np.flatnonzero(there).astype(np.int32)
        if not len(people):
            return self._nobody(there)
        start = self._chunks(len(people))
        whole = len(start) - 1
        checked = whole
        if settings.unchecked_tails and whole > 1:
            checked = whole - 1
        moves = exchange_classes(
            Ragged(start[: checked + 1], people[: start[checked]]),
            {name: np.maximum(own, 0) for name, own in self.highest.code.items()},
            targets_of(self.highest.data, self.promises, settings.variant),
            Widths.of(self.highest.data, settings.weights),
            Rules(donor_guard=safe, look_back=settings.all_donors),
            progress=self._part(QUASI_SHARE, 1.0),
        )
        if moves.failed:
            raise ThetaInfeasible(self._unrepaired(moves, checked))
        bucket_of = np.full(len(there), -1, dtype=np.int32)
        bucket_of[moves.classes.value] = moves.classes.row_of
        bucket_of[people[start[checked] :]] = checked
        needed, allowed = len(moves.noise_group), settings.noise_allowed(len(people))
        if allowed is not None and needed > allowed:
            raise ThetaInfeasible(
                "theta-max-noise",
                f"{many(needed, 'made-up person is')} needed, {needed / len(people):.3%} of "
                "the "
                f"people, and {allowed} are allowed",
                remedy=f'allow max_noise = {needed}, or choose variant = "safe"',
            )
        labels = {name: own.domain for name, own in self.table.sensitive.items()}
        made = _Buckets(
            bucket_of,
            whole,
            moves.noise_group.astype(np.int32),
            {
                name: moves.noise_values[:, at].astype(np.int32)
                for at, name in enumerate(moves.names)
            },
            checked,
            {"swaps": moves.swaps},
            {
                "reasons": moves.reasons(),
                "moves": [told(move.to_dict(), labels) for move in moves.moves()],
            },
        )
        self._verify(made)
        return made

    def _chunks(self, people: int) -> Ints:
        """Where chunks of k people begin; what is left over joins the last.

        Where tails are not checked the last k to 2k people are one chunk: Algorithm 1, line 21.
        """
        number = people // self.k
        if self.settings.unchecked_tails:
            number = max(-(-people // self.k) - 1, 1)
        start = np.arange(number + 1, dtype=np.int64) * self.k
        start[-1] = people
        return start

    def _unrepaired(self, moves: Moves, groups: int) -> list[Problem]:
        return [
            Problem(
                "theta-infeasible",
                f"{some_of(sum(own == why for own in moves.failed.values()), groups, 'bucket')} "
                "cannot be "
                f"made theta-sensitive by exchange and noise: {FAILED[why]}",
                remedy='choose a smaller k or mu, or variant = "safe"',
            )
            for why in sorted(set(moves.failed.values()))
        ]

    # What both have in common

    def _nobody(self, there: Bools) -> _Buckets:
        nothing = np.zeros(0, dtype=np.int32)
        return _Buckets(
            np.full(len(there), -1, dtype=np.int32),
            0,
            nothing,
            dict.fromkeys(self.highest.code, nothing),
            0,
            {"swaps": 0},
        )

    def _counts(self, made: _Buckets) -> dict[str, Ints]:
        """How often each category is listed in each bucket, by attribute, [B, D]."""
        return {
            name: own + counted(made.noise_of, made.noise[name], made.number, own.shape[1])
            for name, own in self._counts_of_people(made).items()
        }

    def _counts_of_people(self, made: _Buckets) -> dict[str, Ints]:
        """How many people of each bucket have each category, by attribute, [B, D]."""
        return {
            name: counted(made.bucket_of, self.highest.code[name], made.number, len(own.domain))
            for name, own in self.table.sensitive.items()
        }

    def _sizes(self, made: _Buckets) -> Ints:
        """How many people each bucket has, made-up ones among them, [B]."""
        real = made.bucket_of[made.bucket_of >= 0]
        return np.bincount(np.concatenate([real, made.noise_of]), minlength=made.number)

    def _verify(self, made: _Buckets) -> None:
        """Hold the buckets against the promises, as published and without made-up people.

        Of what others believe only that holds which holds without these as well.
        """
        counts, size = self._counts(made), self._sizes(made)
        people, real = (
            self._counts_of_people(made),
            size - np.bincount(made.noise_of, minlength=made.number),
        )
        broken = real < self.k
        for bar in self.bars:
            broken |= bar.broken(counts[bar.name], size)
            broken |= bar.of_people.broken(people[bar.name], real)
        number = int(broken[: made.checked].sum())
        if not number:
            return
        paper = self.settings.bucketing == "exchanged"
        raise Unsatisfiable(
            "unsatisfiable",
            f"{some_of(number, made.number, 'bucket breaks')} a promise: "
            + "; ".join(map(str, self.of_values)),
            remedy="ask for less"
            + (', or choose variant = "safe", which keeps other promises too' * paper),
        )

    def _homes(self, quasi: CellPlan, made: _Buckets) -> Ints32:
        """The class of every made-up person.

        In the paper's variant that of the last of the bucket's people, as in Table 12A, whose
        made-up person copies that one's values. They are not copied here: the row has the cells of
        the class.
        """
        if self.settings.variant == "paper":
            last = np.zeros(made.number, dtype=np.int64)
            people = np.flatnonzero(made.bucket_of >= 0)
            last[made.bucket_of[people]] = people
            return quasi.class_of[last[made.noise_of]]
        return homes_of_noise(
            self.highest.data, quasi, self.of_classes, len(made.noise_of), self.random
        )

    def _log(self, made: _Buckets, partitioning: str) -> Plain:
        people = int((made.bucket_of >= 0).sum())
        return {
            "variant": self.settings.variant,
            "buckets": self.settings.bucketing,
            "quasi": partitioning,
            "k": self.k,
            "people": people,
            "number_of_buckets": made.number,
            "noise": len(made.noise_of),
            "noise_ratio": len(made.noise_of) / max(people, 1),
            **made.counters,
            **made.log,
        }


def _all_of(name: str) -> str:
    """What the list of all categories of an attribute is called, beside that of the highest."""
    return f"\0{name}"
