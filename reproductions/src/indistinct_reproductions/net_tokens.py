"""What the program publishes, as tokens of the nets.

So the adversaries of :mod:`.khan_nets` and :mod:`.fazal_nets`, which share no code with the
program, look at what it made, and it can be looked for among the ends of the rules.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from indistinct.hierarchies.cells import members_of, range_of
from indistinct_reproductions import fazal_nets, khan_nets
from indistinct_reproductions.khan_nets import Quasi
from indistinct_reproductions.nets import Marking, Net

Nodes = Mapping[str, Sequence[str]]
"""The words below a node of a hierarchy."""


def cell_of(cell: str, nodes: Nodes | None = None) -> Quasi:
    """The ends of the numbers that a cell stands for, or its words, sorted.

    >>> cell_of("[26, 40]"), cell_of("40"), cell_of("{b, a}"), cell_of("*", {"*": ["b", "a"]})
    ((26, 40), (40, 40), ('a', 'b'), ('a', 'b'))
    """
    ends = range_of(cell)
    if ends is not None:
        return int(ends[0]), int(ends[1])
    if cell.isdecimal():
        return int(cell), int(cell)
    words = members_of(cell) or (nodes or {}).get(cell, (cell,))
    return tuple(sorted(map(str, words)))


def flat_release(
    frame: pl.DataFrame, quasi: Sequence[str], sensitive: str, nodes: Nodes | None = None
) -> khan_nets.Release:
    """A release of records as its classes, in the order of their first records."""
    classes = frame.group_by(*quasi, maintain_order=True).agg(sensitive)
    return tuple(
        khan_nets.Published(tuple(cell_of(cell, nodes) for cell in cells), tuple(sorted(values)))
        for *cells, values in classes.rows()
    )


def flat_marking(
    release: khan_nets.Release, known: Sequence[khan_nets.Known], start: Marking
) -> Marking:
    """The marking of the theta net in which this is published, with k, sigma and mu of another."""
    kept = {place: start.tokens(place) for place in ("KValue", "Sigma", "Mu")}
    return Marking({**kept, "PublshdData": [release], "BK": [tuple(known)]})


def linked_release(
    tables: Mapping[str, pl.DataFrame], quasi: Sequence[str], sensitive: str
) -> fazal_nets.Release:
    """Linked tables as rows and buckets."""
    rows, listed = tables["quasi"], tables["sensitive"]
    numbers = sorted(listed["bucket"].unique())
    lines = [
        fazal_nets.Line(tuple(map(cell_of, cells)), bucket=numbers.index(bucket))
        for *cells, bucket in rows.select(*quasi, "bucket").rows()
    ]
    values = [
        tuple(sorted(listed.filter(pl.col("bucket") == bucket)[sensitive])) for bucket in numbers
    ]
    return renumbered(fazal_nets.Release(tuple(lines), tuple(values)))


def renumbered(release: fazal_nets.Release) -> fazal_nets.Release:
    """The same, whatever the numbers of buckets are: they follow the values, then the rows."""
    cells: list[list[tuple[Quasi, ...]]] = [[] for _ in release.buckets]
    for line in release.rows:
        assert line.bucket is not None
        cells[line.bucket].append(line.cells)
    found = sorted(
        (tuple(sorted(values)), sorted(own, key=repr))
        for values, own in zip(release.buckets, cells, strict=True)
    )
    return fazal_nets.Release(
        tuple(fazal_nets.Line(one, bucket=at) for at, (_, own) in enumerate(found) for one in own),
        tuple(values for values, _ in found),
    )


def linked_marking(
    release: fazal_nets.Release, net: Net, start: Marking, records: Sequence[khan_nets.Record]
) -> Marking:
    """The marking of the net of (theta*,k)-utility in which this is published.

    Arguments:
        release: what is published.
        net: the net.
        start: its initial marking, for k and mu.
        records: the table, for what adversaries know.
    """
    (k,), (mu,) = start.tokens("K-value"), start.tokens("Mu")
    known = fazal_nets.background(records)
    return Marking(
        {
            "K-value": [k],
            "Theta": [mu * khan_nets.full_variance(k)],
            "BK": [(part.name, known) for part in net.transitions if "BK" in part.takes.values()],
            "QT": [release.rows],
            "ST": [release.buckets],
        }
    )
