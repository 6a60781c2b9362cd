"""A small interpreter of high-level Petri nets, so that rules on paper can be run and explored.

A net has places, which hold tokens, and transitions, which take tokens from places and give tokens
to places. Here, as in Khan and others (2020, Definition 7), a token is any value, and a transition
says with variables which tokens it takes, with a guard under which of their values, and with
expressions what it gives. :func:`reachable` fires everything that can be fired, in every order and
with every choice, and returns all markings there are: what holds in each of them is proved for the
tables it was run on, not sampled.
"""

from __future__ import annotations

import itertools
from collections import Counter, deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

Token = Hashable
"""What lies in a place: any value that can be compared and hashed."""

Binding = Mapping[str, Any]
"""The value of every variable of a transition."""

Expression = Callable[[Binding], Iterable[Any]]
"""A multiset that depends on the variables: the inscription of an arc, or the range of a choice."""


class StateSpaceError(RuntimeError):
    """A net has more markings than was allowed to look at."""


@dataclass(frozen=True)
class Place:
    """Where tokens lie; ``holds`` says in words what they are."""

    name: str
    holds: str = ""


@dataclass(frozen=True)
class Transition:
    """What can happen, and when.

    Arguments:
        name: what it is called.
        takes: for each variable the place that one token is taken from.
        reads: for each variable the place in which one token must lie; it stays there.
        chooses: for each further variable the values it may have, given those before it.
        guard: whether the transition can fire under a binding.
        gives: for each place the tokens that are put there.
        rule: where this is said in print.
    """

    name: str
    takes: Mapping[str, str]
    gives: Mapping[str, Expression]
    reads: Mapping[str, str] = field(default_factory=dict)
    chooses: Mapping[str, Expression] = field(default_factory=dict)
    guard: Callable[[Binding], bool] = lambda binding: True
    rule: str = ""

    def __repr__(self) -> str:
        return f"Transition({self.name!r})"


class Marking:
    """Which tokens lie in which place: a multiset for each.

    >>> Marking({"in": [1, 1]})
    Marking(in: 1, 1)
    >>> Marking({"in": [1, 2], "out": []}) == Marking({"in": [2, 1]})
    True
    """

    __slots__ = ("_hash", "_tokens")

    def __init__(self, tokens: Mapping[str, Iterable[Token]]) -> None:
        held = {place: Counter(some) for place, some in tokens.items()}
        self._tokens = {place: own for place, own in held.items() if own}
        self._hash = hash(
            frozenset((place, frozenset(own.items())) for place, own in self._tokens.items())
        )

    def tokens(self, place: str) -> tuple[Any, ...]:
        """The tokens in a place."""
        return tuple(self._tokens.get(place, Counter()).elements())

    def distinct(self, place: str) -> tuple[Any, ...]:
        """The tokens in a place, equal ones once."""
        return tuple(self._tokens.get(place, ()))

    def holds(self, needed: Iterable[tuple[str, Token]]) -> bool:
        """Whether all these tokens lie in these places."""
        return all(
            self._tokens.get(place, Counter())[token] >= number
            for (place, token), number in Counter(needed).items()
        )

    def after(
        self, taken: Iterable[tuple[str, Token]], given: Iterable[tuple[str, Token]]
    ) -> Marking:
        """The marking without some tokens and with others."""
        changed: dict[str, Counter[Token]] = {}

        def own(place: str) -> Counter[Token]:
            return changed.setdefault(place, Counter(self._tokens.get(place)))

        for place, token in taken:
            own(place)[token] -= 1
        for place, token in given:
            own(place)[token] += 1
        return Marking({**self._tokens, **{place: +held for place, held in changed.items()}})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Marking) and self._tokens == other._tokens

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        parts = (
            f"{place}: {', '.join(map(str, own.elements()))}" for place, own in self._tokens.items()
        )
        return f"Marking({'; '.join(parts)})"


@dataclass(frozen=True)
class Net:
    """Places and transitions.

    Raises:
        ValueError: for two places or transitions of one name, or arcs to places not there.
    """

    name: str
    places: tuple[Place, ...]
    transitions: tuple[Transition, ...]

    def __post_init__(self) -> None:
        names = [place.name for place in self.places]
        names += [transition.name for transition in self.transitions]
        problems = [f"'{name}' is there twice" for name, n in Counter(names).items() if n > 1]
        known = {place.name for place in self.places}
        problems += [
            f"'{transition.name}' has an arc to '{place}', which is no place"
            for transition in self.transitions
            for place in (
                *transition.takes.values(), *transition.reads.values(), *transition.gives
            )
            if place not in known
        ]  # fmt: skip
        if problems:
            raise ValueError("; ".join(problems))

    @property
    def flow(self) -> tuple[tuple[str, str], ...]:
        """The arcs, from place to transition and from transition to place."""
        arcs = []
        for transition in self.transitions:
            arcs += [(place, transition.name) for place in transition.takes.values()]
            arcs += [(place, transition.name) for place in transition.reads.values()]
            arcs += [(transition.name, place) for place in transition.gives]
        return tuple(dict.fromkeys(arcs))

    def without(self, *names: str) -> Net:
        """The net without some of its transitions."""
        kept = tuple(part for part in self.transitions if part.name not in names)
        return Net(f"{self.name}, without {', '.join(names)}", self.places, kept)


def bindings(transition: Transition, marking: Marking) -> Iterator[dict[str, Any]]:
    """Every binding under which the transition can fire."""
    arcs = {**transition.takes, **transition.reads}
    several = len({*arcs.values()}) < len(arcs)  # one place may have to hold a token twice
    for tokens in itertools.product(*(marking.distinct(place) for place in arcs.values())):
        bound = dict(zip(arcs, tokens, strict=True))
        if several and not marking.holds((arcs[name], token) for name, token in bound.items()):
            continue
        for whole in _chosen(bound, list(transition.chooses.items())):
            if transition.guard(whole):
                yield whole


def _chosen(bound: dict[str, Any], rest: list[tuple[str, Expression]]) -> Iterator[dict[str, Any]]:
    if not rest:
        yield bound
        return
    (name, values), *others = rest
    for value in dict.fromkeys(values(bound)):
        yield from _chosen({**bound, name: value}, others)


def fire(transition: Transition, binding: Binding, marking: Marking) -> Marking:
    """The marking after the transition fired once."""
    taken = [(place, binding[name]) for name, place in transition.takes.items()]
    given = [
        (place, token)
        for place, expression in transition.gives.items()
        for token in expression(binding)
    ]
    return marking.after(taken, given)


@dataclass(frozen=True, repr=False)
class Reached:
    """All markings that a net can get into from one, and how.

    ``steps`` gives for every marking, in the order in which they were found, what can fire and the
    marking it leads to.
    """

    start: Marking
    steps: Mapping[Marking, tuple[tuple[str, Marking], ...]]

    def __len__(self) -> int:
        return len(self.steps)

    def __repr__(self) -> str:
        return f"Reached({len(self)} markings, {len(self.final)} final)"

    @cached_property
    def final(self) -> tuple[Marking, ...]:
        """The markings in which nothing can fire."""
        return tuple(marking for marking, steps in self.steps.items() if not steps)

    @cached_property
    def fired(self) -> frozenset[str]:
        """The transitions that can fire at all."""
        return frozenset(name for steps in self.steps.values() for name, _ in steps)

    @cached_property
    def stuck(self) -> tuple[Marking, ...]:
        """The markings from which no final one can be reached any more."""
        into: dict[Marking, list[Marking]] = {marking: [] for marking in self.steps}
        for marking, steps in self.steps.items():
            for _, after in steps:
                into[after].append(marking)
        ends = set(self.final)
        waiting = list(ends)
        while waiting:
            for before in into[waiting.pop()]:
                if before not in ends:
                    ends.add(before)
                    waiting.append(before)
        return tuple(marking for marking in self.steps if marking not in ends)

    @cached_property
    def always_ends(self) -> bool:
        """Whether every run comes to an end, whatever is chosen: no marking comes back."""
        ways = Counter(after for steps in self.steps.values() for _, after in steps)
        waiting = [marking for marking in self.steps if not ways[marking]]
        seen = 0
        while waiting:
            seen += 1
            for _, after in self.steps[waiting.pop()]:
                ways[after] -= 1
                if not ways[after]:
                    waiting.append(after)
        return seen == len(self.steps)

    def path(self, marking: Marking) -> tuple[str, ...]:
        """The transitions of a shortest run to a marking."""
        came: dict[Marking, tuple[Marking, str]] = {}
        waiting = deque([self.start])
        while waiting and marking != self.start and marking not in came:
            here = waiting.popleft()
            for name, after in self.steps[here]:
                if after not in came and after != self.start:
                    came[after] = (here, name)
                    waiting.append(after)
        names: list[str] = []
        while marking != self.start:
            marking, name = came[marking]
            names.append(name)
        return tuple(reversed(names))


def reachable(net: Net, start: Marking, limit: int = 100_000) -> Reached:
    """Every marking that can be reached.

    Raises:
        StateSpaceError: if there are more than ``limit``.

    >>> move = Transition("move", {"x": "in"}, {"out": lambda bound: [bound["x"] + 1]})
    >>> small = Net("small", (Place("in"), Place("out")), (move,))
    >>> reached = reachable(small, Marking({"in": [1, 2]}))
    >>> len(reached), reached.final
    (4, (Marking(out: 2, 3),))
    """
    steps: dict[Marking, tuple[tuple[str, Marking], ...]] = {}
    waiting = deque([start])
    found = {start}
    while waiting:
        marking = waiting.popleft()
        after: dict[tuple[str, Marking], None] = {}
        for transition in net.transitions:
            for binding in bindings(transition, marking):
                after[transition.name, fire(transition, binding, marking)] = None
        steps[marking] = tuple(after)
        for _, new in after:
            if new not in found:
                found.add(new)
                waiting.append(new)
        if len(found) > limit:
            raise StateSpaceError(f"{net.name}: more than {limit} markings")
    return Reached(start, steps)
