"""Figures 1 and 2 of Khan and others (2020): their nets run to every end, rule by rule.

The nets are in :mod:`.khan_nets`. What is held against the paper here is what its rules claim of
them, on its own tables; which of the places of Tables 7 and 10 they have; and what the program
publishes from the same tables, looked for among the ends, and shown to the adversary.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from indistinct_reproductions.khan_nets import (
    CATEGORIES,
    TABLE_1A,
    TABLE_4A,
    TABLE_4B,
    Known,
    Release,
    disclosed,
    full_variance,
    looking_up,
    p_plus_net,
    p_plus_start,
    rank_variance,
    releases,
    start,
    stripping,
    theta_net,
)
from indistinct_reproductions.khan_replay import Remade, chunks
from indistinct_reproductions.khan_tables import (
    DISEASE,
    PLACES_OF_FIGURE_1,
    PLACES_OF_FIGURE_2,
    QUASI,
    RULES,
    TABLE_8A,
)
from indistinct_reproductions.net_pictures import show
from indistinct_reproductions.net_tokens import flat_marking, flat_release
from indistinct_reproductions.nets import Net, Reached, reachable
from indistinct_reproductions.reproduction import Ledger, Value

K = 4
ATTACK = "S-Variance Attack"
STARTS = {"Table 1a, four by four": None, "Table 4a": TABLE_4A, "Table 4b": TABLE_4B}
THETA = Fraction(3, 5) * full_variance(K)


def figures_1_and_2(ledger: Ledger) -> None:
    """Both nets, as pictures, arc by arc, and what they reach."""
    rows: list[tuple[Value, ...]] = []
    _figure_1(ledger, rows)
    _figure_2(ledger, rows)
    ledger.sheet(
        "nets",
        "Figures 1 and 2: nets from the paper's tables to every end, k = 4",
        ("net", "classes it begins with", "adversary", "markings", "ends", "with a disclosure"),
        rows,
    )


def published(reached: Reached) -> list[Release]:
    """What is published at the ends of a net."""
    return [one for marking in reached.final for one in releases(marking)]


def _won(reached: Reached) -> int:
    return sum(bool(disclosed(marking)) for marking in reached.final)


def _figure_1(ledger: Ledger, rows: list[tuple[Value, ...]]) -> None:
    net, where = p_plus_net(2), "Figure 1"
    _places(ledger, where, "Table 7", PLACES_OF_FIGURE_1, net)
    for name, classes in (("Table 4a", TABLE_4A), ("Table 4b", TABLE_4B)):
        reached = reachable(net, p_plus_start(TABLE_1A, classes, k=K, p=2))
        found = [part for marking in reached.final for part in disclosed(marking)]
        weak = sorted({part.group for part in found if part.group is not None})
        rows.append((net.name, name, "looks classes up", *_counts(reached)))
        ledger.claim(
            where,
            f"Rule 1: the attack on {name} succeeds, though it is 2+-sensitive",
            True,
            f"in {', '.join(f'EC{at + 1}' for at in weak) or 'no class'}, by "
            f"{', '.join(sorted({part.attack for part in found})) or 'nothing'}",
            ATTACK in reached.fired,
            "a variance below theta, which p+ never promised; no disease is certain",
        )
        if classes is TABLE_4A:
            show(ledger, "figure-1", "Figure 1: the attack on p+-sensitivity", net, reached)


def _figure_2(ledger: Ledger, rows: list[tuple[Value, ...]]) -> None:
    where = "Figure 2"
    net = theta_net(CATEGORIES, looking_up(CATEGORIES))
    _places(ledger, where, "Table 10", PLACES_OF_FIGURE_2, net)
    every = {
        name: reachable(net, start(TABLE_1A, classes, k=K)) for name, classes in STARTS.items()
    }
    for name, reached in every.items():
        lowest = min(rank_variance(part.values) for end in published(reached) for part in end)
        rows.append((net.name, name, "looks classes up", *_counts(reached)))
        ledger.claim(
            where,
            f"Rules 2 to 8 on {name}: every run ends, and every class keeps theta",
            True,
            f"{len(reached.final)} ends, lowest variance {float(lowest)}",
            reached.always_ends and lowest >= THETA,
            "",
        )
        ledger.claim(
            where,
            f"Rule 9 on {name}: the attack discloses nothing",
            "never",
            f"in {_won(reached)} of {len(reached.final)} ends",
            ATTACK not in reached.fired,
            "",
        )
    first = next(iter(every.values()))
    show(ledger, "figure-2", "Figure 2: theta-sensitivity and its adversary", net, first)
    printed = tuple(tuple(sorted(part.diseases)) for part in TABLE_8A.classes)
    ends = published(first)
    ledger.same(
        where,
        "Table 8a is an end of Table 1a",
        True,
        printed in {tuple(part.values for part in end) for end in ends},
    )
    sets = {"ID": "range", "Age": "range", "Zip Code": "range", "Country": "set"}
    strict = {"variant": "safe", "partition": {"start": "chunks", "donors": "later"}}
    made = Remade.of(chunks(), cells=sets, **strict)
    own = flat_release(made.release.tables, QUASI, DISEASE)
    ledger.unprinted(where, "what the program publishes of Table 1a is an end", own in ends)
    known = [Known(record.person, record.row.quasi) for record in TABLE_1A]
    begin = start(TABLE_1A, k=K)
    seen = reachable(net, flat_marking(own, known, begin))
    rows.append((net.name, "the release of the program", "looks classes up", *_counts(seen)))
    ledger.claim(
        where,
        "Rule 9 on the release of the program: the attack discloses nothing",
        "never",
        f"in {_won(seen)} of {len(seen.final)} ends",
        ATTACK not in seen.fired,
        "",
    )
    strips = theta_net(CATEGORIES, stripping(CATEGORIES))
    reached = reachable(strips, begin)
    rows.append((net.name, "Table 1a, four by four", "leaves noise out", *_counts(reached)))
    ledger.claim(
        where,
        "Rule 9 on Table 1a against who leaves single values of classes above k out",
        "never",
        f"in {_won(reached)} of {len(reached.final)} ends",
        ATTACK not in reached.fired,
        "a class of k + 1 tells that one value is noise, and what is left is the class before it",
    )
    _rules(ledger, net)


def _counts(reached: Reached) -> tuple[int, int, int]:
    return len(reached), len(reached.final), _won(reached)


def _places(ledger: Ledger, where: str, table: str, printed: Sequence[str], net: Net) -> None:
    own = {place.name for place in net.places}
    ledger.same(where, f"places of {table} in the net", len(printed), len(own & {*printed}))


def _rules(ledger: Ledger, net: Net) -> None:
    """Every rule as printed, and the transitions that it is here."""
    own = {
        rule: [
            part.name
            for part in (p_plus_net(2) if rule == "Rule 1" else net).transitions
            if part.rule == rule or part.rule.startswith(f"{rule};")
        ]
        for rule in RULES
    }
    ledger.same(
        "Section 5.3", "rules that are a transition", len(RULES), sum(map(bool, own.values()))
    )
    ledger.sheet(
        "rules",
        "Rules 1 to 9, and the transitions that they are here",
        ("rule", "of", "as printed", "transitions"),
        [(rule, of, text, ", ".join(own[rule])) for rule, (of, text) in RULES.items()],
    )
