"""The interpreter of nets: nets whose markings can be counted by hand."""

from __future__ import annotations

import itertools

import pytest

from indistinct_reproductions.nets import (
    Marking,
    Net,
    Place,
    StateSpaceError,
    Transition,
    bindings,
    fire,
    reachable,
)


def move(name: str, source: str, target: str) -> Transition:
    return Transition(name, {"x": source}, {target: lambda bound: [bound["x"]]})


HERE, THERE = Place("here"), Place("there")
BOTH_WAYS = Net("both", (HERE, THERE), (move("go", "here", "there"), move("back", "there", "here")))
ONE_WAY = Net("one", (HERE, THERE), (move("go", "here", "there"),))


def test_a_marking_is_a_multiset() -> None:
    marking = Marking({"here": [1, 1, 2], "there": []})
    assert marking.tokens("here") == (1, 1, 2)
    assert marking.distinct("here") == (1, 2)
    assert marking.tokens("there") == marking.tokens("elsewhere") == ()
    assert marking == Marking({"here": [2, 1, 1]})
    assert marking != Marking({"here": [1, 2]})
    assert len({marking, Marking({"here": [1, 2, 1]})}) == 1
    after = marking.after([("here", 1)], [("there", 3)])
    assert after == Marking({"here": [1, 2], "there": [3]})
    assert marking.tokens("here") == (1, 1, 2)
    assert marking.holds([("here", 1), ("here", 1)])
    assert not marking.holds([("here", 2), ("here", 2)])


@pytest.mark.parametrize("tokens", range(5))
def test_different_tokens_go_in_any_order(tokens: int) -> None:
    reached = reachable(ONE_WAY, Marking({"here": range(tokens)}))
    assert len(reached) == 2**tokens
    assert reached.final == (Marking({"there": range(tokens)}),)
    assert reached.always_ends
    assert reached.stuck == ()
    assert reached.path(reached.final[0]) == ("go",) * tokens


def test_equal_tokens_are_not_told_apart() -> None:
    assert len(reachable(ONE_WAY, Marking({"here": [7] * 6}))) == 7


def test_a_net_that_goes_round_has_no_end() -> None:
    reached = reachable(BOTH_WAYS, Marking({"here": [1, 2]}))
    assert len(reached) == 4
    assert reached.final == ()
    assert not reached.always_ends
    assert set(reached.stuck) == set(reached.steps)
    assert reached.fired == {"go", "back"}


def test_some_ways_end_and_others_do_not() -> None:
    out = Net(
        "out", (HERE, THERE), (*BOTH_WAYS.transitions, Transition("drop", {"x": "there"}, {}))
    )
    reached = reachable(out, Marking({"here": [1]}))
    assert reached.final == (Marking({}),)
    assert reached.path(reached.final[0]) == ("go", "drop")
    assert not reached.always_ends
    assert reached.stuck == ()
    assert reachable(out.without("drop", "back"), Marking({"here": [1]})).always_ends


def test_two_variables_on_one_place_take_two_tokens() -> None:
    add = Transition(
        "add",
        {"x": "here", "y": "here"},
        {"here": lambda bound: [bound["x"] + bound["y"]]},
    )
    net = Net("sum", (HERE,), (add,))
    assert list(bindings(add, Marking({"here": [4]}))) == []
    assert len(list(bindings(add, Marking({"here": [4, 4]})))) == 1
    assert reachable(net, Marking({"here": [1, 2, 4, 8]})).final == (Marking({"here": [15]}),)


def test_what_is_read_stays_and_guards_decide() -> None:
    over = Transition(
        "over",
        {"x": "here"},
        {"there": lambda bound: [bound["x"]]},
        reads={"least": "bar"},
        guard=lambda bound: bound["x"] >= bound["least"],
    )
    net = Net("bar", (HERE, THERE, Place("bar")), (over,))
    (final,) = reachable(net, Marking({"here": [1, 5, 9], "bar": [5]})).final
    assert final == Marking({"here": [1], "there": [5, 9], "bar": [5]})


def test_choices_may_depend_on_each_other() -> None:
    pick = Transition(
        "pick",
        {"n": "here"},
        {"there": lambda bound: [(bound["a"], bound["b"])]},
        chooses={"a": lambda bound: range(bound["n"]), "b": lambda bound: range(bound["a"])},
    )
    final = reachable(Net("pick", (HERE, THERE), (pick,)), Marking({"here": [4]})).final
    pairs = {marking.tokens("there")[0] for marking in final}
    assert pairs == {(a, b) for a, b in itertools.product(range(4), repeat=2) if b < a}


def test_firing_once() -> None:
    transition = ONE_WAY.transitions[0]
    assert fire(transition, {"x": 1}, Marking({"here": [1]})) == Marking({"there": [1]})
    assert ONE_WAY.flow == (("here", "go"), ("go", "there"))
    assert repr(transition) == "Transition('go')"


def test_philosophers_can_starve() -> None:
    """Five who take the left fork first: all can wait for ever, and eating is possible."""
    seats = range(5)
    places = tuple(
        Place(f"{what} {seat}") for seat in seats for what in ("fork", "thinks", "waits", "eats")
    )
    transitions = []
    for seat in seats:
        right = f"fork {(seat + 1) % 5}"
        transitions += [
            Transition(
                f"left {seat}",
                {"f": f"fork {seat}", "p": f"thinks {seat}"},
                {f"waits {seat}": lambda bound: [1]},
            ),
            Transition(
                f"right {seat}",
                {"f": right, "p": f"waits {seat}"},
                {f"eats {seat}": lambda bound: [1]},
            ),
            Transition(
                f"done {seat}",
                {"p": f"eats {seat}"},
                {
                    f"thinks {seat}": lambda bound: [1],
                    f"fork {seat}": lambda bound: [1],
                    right: lambda bound: [1],
                },
            ),
        ]
    start = Marking({f"{what} {seat}": [1] for seat in seats for what in ("fork", "thinks")})
    reached = reachable(Net("philosophers", places, tuple(transitions)), start)
    assert len(reached) == 82  # (1 + sqrt 2)^5 + (1 - sqrt 2)^5
    assert reached.final == (Marking({f"waits {seat}": [1] for seat in seats}),)


def test_wrong_nets_are_refused() -> None:
    with pytest.raises(ValueError, match="'here' is there twice; 'go' has an arc to 'nowhere'"):
        Net("wrong", (HERE, HERE), (move("go", "here", "nowhere"),))


def test_too_many_markings() -> None:
    count = Transition("count", {"n": "here"}, {"here": lambda bound: [bound["n"] + 1]})
    with pytest.raises(StateSpaceError, match="more than 50 markings"):
        reachable(Net("count", (HERE,), (count,)), Marking({"here": [0]}), limit=50)
