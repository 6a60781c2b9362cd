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
from indistinct_reproductions.nets import Marking

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
    tables: Mapping[str, pl.DataFrame],
    quasi: Sequence[str],
    sensitive: str,
    nodes: Nodes | None = None,
) -> fazal_nets.Release:
    """Linked tables as rows and buckets; buckets are numbered in the order of their values."""
    rows, listed = tables["quasi"], tables["sensitive"]
    values = {
        bucket: tuple(sorted(own))
        for bucket, own in listed.group_by("bucket", maintain_order=True).agg(sensitive).rows()
    }
    cells = {
        bucket: sorted(
            tuple(cell_of(cell, nodes) for cell in own)
            for own in rows.filter(pl.col("bucket") == bucket).select(quasi).rows()
        )
        for bucket in values
    }
    order = sorted(values, key=lambda bucket: (values[bucket], cells[bucket]))
    lines = [
        fazal_nets.Line(own, bucket=at) for at, bucket in enumerate(order) for own in cells[bucket]
    ]
    return fazal_nets.Release(tuple(lines), tuple(values[bucket] for bucket in order))


def linked_marking(release: fazal_nets.Release, net_start: Marking) -> Marking:
    """The marking of the net of (theta*,k)-utility in which this is published.

    Arguments:
        release: what is published.
        net_start: a marking that the rules reach, for what adversaries know, k and theta.
    """
    kept = {place: net_start.tokens(place) for place in ("BK", "K-value", "Mu", "Theta")}
    return Marking({**kept, "QT": [release.rows], "ST": [release.buckets]})
