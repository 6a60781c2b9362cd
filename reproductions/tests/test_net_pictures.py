"""Nets as pictures, and Figures 1 and 2 of Khan and others (2020) with their rules."""

from __future__ import annotations

import itertools
from xml.etree import ElementTree

import pytest

from indistinct_reproductions import reproduce
from indistinct_reproductions.khan_nets import (
    CATEGORIES,
    TABLE_1A,
    TABLE_4A,
    looking_up,
    p_plus_net,
    p_plus_start,
    start,
    theta_net,
)
from indistinct_reproductions.khan_tables import PLACES_OF_FIGURE_1, PLACES_OF_FIGURE_2, RULES
from indistinct_reproductions.net_pictures import NetPicture, _laid_out
from indistinct_reproductions.nets import Marking, Net, Place, Transition, reachable
from indistinct_reproductions.reproduction import Reproduction


def figure_1() -> NetPicture:
    net = p_plus_net(2)
    return NetPicture("p+", net, reachable(net, p_plus_start(TABLE_1A, TABLE_4A, k=4, p=2)))


def figure_2() -> NetPicture:
    net = theta_net(CATEGORIES, looking_up(CATEGORIES))
    return NetPicture("theta", net, reachable(net, start(TABLE_1A, TABLE_4A, k=4)), "a <note>")


def cycle() -> NetPicture:
    """A token goes round, and one transition waits for what never comes."""
    places = (Place("one"), Place("two"), Place("never"), Place("nowhere"))
    there = Transition("there", {"x": "one"}, {"two": lambda b: [b["x"]]})
    back = Transition("back", {"x": "two"}, {"one": lambda b: [b["x"]]})
    waits = Transition("waits", {"x": "never"}, {"one": lambda b: [b["x"]]}, reads={"y": "one"})
    net = Net("cycle", places, (there, back, waits))
    return NetPicture("cycle", net, reachable(net, Marking({"one": [1]})))


PICTURES = {"figure 1": figure_1, "figure 2": figure_2, "cycle": cycle}


@pytest.mark.parametrize("name", PICTURES)
def test_everything_stands_once_and_nothing_overlaps(name: str) -> None:
    picture = PICTURES[name]()
    layout, right, _ = _laid_out(picture)
    boxes = [(*layout.boxes[one], one) for one in picture.names]
    assert len({one for *_, one in boxes}) == len(boxes)
    for (x1, y1, w1, one), (x2, y2, w2, other) in itertools.combinations(boxes, 2):
        apart = x1 + w1 <= x2 or x2 + w2 <= x1 or abs(y1 - y2) >= 26
        assert apart, (one, other)
    assert max(x + wide for x, _, wide, _ in boxes) <= right + 1e-6
    assert {*layout.chains} == {*picture.net.flow} == {*picture.arcs}
    drawn = ElementTree.fromstring(picture.svg())
    texts = {part.text for part in drawn.iter() if part.tag.endswith("text")}
    assert {*picture.names} <= texts
    polygons = [part for part in drawn.iter() if part.tag.endswith("polygon")]
    assert len(polygons) == len(picture.net.flow)


def test_mermaid_has_every_arc_and_tells_what_fires() -> None:
    picture = cycle()
    assert [picture.look(name) for name in picture.names] == [
        "begins", "place", "place", "place", "fires", "fires", "never",
    ]  # fmt: skip
    said = picture.mermaid().splitlines()
    assert '  n0(["one"]):::begins' in said
    assert '  n6["waits"]:::never' in said
    assert [line for line in said if "-->" in line or "-.->" in line] == [
        "  n0 --> n4", "  n4 --> n1", "  n1 --> n5", "  n5 --> n0", "  n2 --> n6",
        "  n0 -.-> n6", "  n6 --> n0",
    ]  # fmt: skip


@pytest.fixture(scope="module")
def paper() -> Reproduction:
    return reproduce("khan")


def test_the_nets_have_the_places_that_are_printed() -> None:
    for printed, net in (
        (PLACES_OF_FIGURE_1, p_plus_net(2)),
        (PLACES_OF_FIGURE_2, theta_net(CATEGORIES, looking_up(CATEGORIES))),
    ):
        names = {place.name for place in net.places}
        assert {*printed} <= names
        # Of Figure 1 the adversary has to know what variance is too low.
        assert names - {*printed} <= {"Theta"}


def test_figures_1_and_2_are_data_and_pictures(paper: Reproduction) -> None:
    sheets = {sheet.name: sheet for sheet in paper.sheets}
    assert {
        "figure-1-places", "figure-1-transitions", "figure-2-places", "figure-2-transitions",
        "rules", "nets",
    } <= {*sheets}  # fmt: skip
    assert {"figure-1", "figure-2"} <= {picture.name for picture in paper.pictures}
    assert [row[0] for row in sheets["rules"].rows] == [f"Rule {at}" for at in range(1, 10)]
    assert all(text and transitions for _, _, text, transitions in sheets["rules"].rows)
    assert [*RULES] == [row[0] for row in sheets["rules"].rows]
    fires = {row[0]: row[-1] for row in sheets["figure-2-transitions"].rows}
    assert not fires["S-Variance Attack"]
    assert fires["Add Noise"]
    assert dict(zip(("markings", "ends", "won"), sheets["nets"].rows[2][3:], strict=True)) == {
        "markings": 2369, "ends": 1200, "won": 0,
    }  # fmt: skip


def test_what_the_rules_claim(paper: Reproduction) -> None:
    own = [item for item in paper.items if item.where in ("Figure 1", "Figure 2")]
    assert len(own) == 14
    made, wrong = [item for item in own if item.verdict != "equal"]
    assert (made.what, made.computed) == (
        "what the program publishes of Table 1a is an end", True,
    )  # fmt: skip
    assert wrong.what == (
        "Rule 9 on Table 1a against who leaves single values of classes above k out"
    )
    assert (wrong.verdict, wrong.computed) == ("refuted", "in 1200 of 1200 ends")
