"""(k,l)-diversity by 1:M-generalization: people with sets of items (Gong, Luo, Yang and Ni 2017).

    Q. Gong, J. Luo, M. Yang, W. Ni: "Anonymizing 1:M microdata with high utility". Knowledge-Based
    Systems 115, 2017.

Two steps. *First* the sets of items are generalized: everybody is in a bucket of k people or more
who have items under the same nodes of the item hierarchy and under no other. These nodes are the
people's *fingerprint*. A bucket starts with everybody and the root; it is split by which children
of a node cover a person's items, always at the node of the largest gain (items of the members under
it, times its leaves). Parts of fewer than k people are put together and keep the old nodes; while
they are fewer than k, the largest parts give members. *Then* the quasi-identifiers are generalized
as Mondrian does, with the fingerprint as one sensitive value: every group has l different ones, and
none is more frequent than one in l.

What the paper's method leaves open, and ``variant = "safe"`` mends: groups have k people too, not
only l; a table in which a fingerprint is too frequent for any grouping is refused instead of
published; and numbers of which more than half are equal are cut all the same. What neither
promises: different fingerprints may share a node. ``item_bound``, or a promise ``max-posterior`` of
the attribute, bounds the share of a group that has any node.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from indistinct.document import in_quotes, many
from indistinct.errors import (
    DataError,
    PolicyError,
    Problem,
    Problems,
    Unsatisfiable,
    did_you_mean,
    refuse,
)
from indistinct.hierarchies.taxonomy import Taxonomy
from indistinct.kernels.fingerprints import Ground, breaks_diversity, diverse_groups, partition_sets
from indistinct.kernels.ragged import Ragged, pointers
from indistinct.microdata.frequencies import Cells
from indistinct.microdata.leveled import LeveledTable
from indistinct.privacy.k_anonymity import KAnonymity
from indistinct.privacy.kl_diversity import KLDiversity
from indistinct.privacy.max_posterior import MaxPosterior
from indistinct.privacy.promise import Promise
from indistinct.recoding.cells import cells_of, numbers_in_order, paths_from_top, styles_of
from indistinct.recoding.items.tree import ItemTree, tree_of
from indistinct.recoding.limits import Progress, silent
from indistinct.recoding.linked.table import LinkedTable
from indistinct.recoding.linked_plan import Buckets, LinkedPlan
from indistinct.recoding.plan import SearchReport
from indistinct.recoding.recoded import ncp
from indistinct.recoding.refusals import bad_choices, without_hierarchy
from indistinct.types import Floats, Ints, Ints32
from indistinct.warning_kinds import Kind, WarningText

Variant = Literal["safe", "paper"]

NAME = "k-l-diversity"


@dataclass(frozen=True, kw_only=True)
class KLSettings:
    """How people with sets of items are put into buckets and groups.

    Arguments:
        variant: ``paper`` leaves groups of l people, publishes what cannot keep the promise, and
            does not cut numbers whose median is the largest; ``safe`` mends all three.
        item_bound: largest share of a quasi group that may have any one node of items, or one under
            it; 1 for any.
        cells: how quasi-identifiers are published, for all attributes or by name: ``range``,
            ``set``, ``ancestor`` or ``level``. Where none is said: ranges of numbers, ancestors of
            everything else.
    """

    variant: Variant = "safe"
    item_bound: float = 1.0
    cells: Mapping[str, str] | str | None = None

    def __post_init__(self) -> None:
        problems = bad_choices(NAME, [("variant", self.variant, get_args(Variant))])
        if not 0.0 < self.item_bound <= 1.0:
            problems.add(
                "bad-setting",
                f"item_bound is a share above 0 and at most 1, not {self.item_bound!r}",
            )
        refuse(PolicyError, problems)


@dataclass(frozen=True)
class Fingerprints:
    """People in buckets, and the nodes of each bucket.

    Arguments:
        bucket_of: the bucket of every person, [n]; -1 for people who were left out.
        cuts: the nodes of each bucket, rising, in the item tree, [B].
        ncp: the items' normalised certainty penalty, 0 to 1: mean over all people's items of the
            share of the hierarchy's leaves under the published node, 0 where it is the item.
        tried: how many splits were tried.
        made: how many were made.
    """

    bucket_of: Ints32
    cuts: Ragged
    ncp: float
    tried: int
    made: int

    def __len__(self) -> int:
        return len(self.cuts)

    def cut(self, bucket: int) -> tuple[int, ...]:
        """The nodes of a bucket, rising."""
        return tuple(self.cuts[bucket].tolist())


def k_l_diversity(
    linked: LinkedTable,
    promises: Sequence[Promise],
    settings: KLSettings | None = None,
    progress: Progress = silent,
) -> LinkedPlan:
    """Buckets of people with the same generalized items, and groups with different buckets.

    Nothing is drawn: equal tables give equal plans.

    Arguments:
        linked: the people, and the items of their records.
        promises: one ``kl-diversity``; beside it ``k-anonymity`` of the groups, and
            ``max-posterior`` of the items.
        settings: how to go about it.
        progress: told the share that is done.

    Raises:
        PolicyError: no or several promises of (k,l)-diversity; promises that the method does not
            work towards; several sensitive attributes; no hierarchy of the items.
        HierarchyError: a hierarchy of items without a root, or that lacks an item.
        DataError: people without an item.
        Unsatisfiable: fewer than k people, or a fingerprint or an item that is too frequent in the
            whole table for any grouping (``variant = "safe"``).
    """
    began = time.perf_counter()
    settings = settings or KLSettings()
    asked = _asked(linked, promises, settings)
    tree = tree_of(asked.sensitive, linked.events[asked.sensitive])
    sets = _sets(linked.events[asked.sensitive], tree, asked.sensitive)
    data = linked.data
    who = np.arange(linked.people, dtype=np.int32)
    while True:
        if len(who) < max(asked.k, asked.least):
            raise Unsatisfiable(_too_few(asked, len(who), linked.people))
        found = fingerprints(sets, tree, asked.k, who)
        progress(0.5)
        class_of, tally = _groups(data, found, tree, asked, settings, who)
        report = SearchReport(NAME, nodes=int(tally[0]), checked=int(tally[0]))
        quasi = cells_of(data, class_of, settings.cells, report, scope="linked")
        hidden = quasi.suppressed & (class_of >= 0)
        if not hidden.any():
            break
        # Nothing can be told of them but that they are there; buckets must do without them.
        who = who[~hidden[who]]
    report = replace(
        report,
        value=ncp(data, quasi),
        seconds=time.perf_counter() - began,
        counters={
            "fingerprints": len(found),
            "groups": quasi.groups,
            "item_splits": found.made,
            "cuts": int(tally[1]),
        },
    )
    progress(1.0)
    quasi = replace(quasi, search=report)
    sizes = np.bincount(found.bucket_of[who], minlength=len(found))
    return LinkedPlan(
        quasi=quasi,
        bucket_of=found.bucket_of,
        buckets={asked.sensitive: _published(found, tree)},
        search=report,
        truth={asked.sensitive: np.full(linked.people, -1, dtype=np.int32)},
        log={
            "variant": settings.variant,
            "item_bound": asked.bound,
            "sa_ncp": found.ncp,
            "qid_ncp": report.value,
            "fingerprints": {
                "count": len(found),
                "smallest": int(sizes.min()),
                "largest": int(sizes.max()),
                "nodes": float(found.cuts.lengths.mean()),
            },
        },
        algorithm=NAME,
        notes=tuple(_notes(found, who, asked, settings)),
    )


def fingerprints(items: Ragged, tree: ItemTree, k: int, who: Ints32) -> Fingerprints:
    """Buckets of k people or more, by the nodes that cover their items (the paper's first step).

    All items of a member lie under the nodes of the bucket's cut, one node each, and every node
    covers an item of every member. Buckets are numbered by their cuts, not by the order of people.

    Arguments:
        items: the leaves of every person, rising, one at least, [n].
        tree: the hierarchy.
        k: people in a bucket, no more than there are.
        who: the people to be put into buckets; all others are in none.
    """
    order = np.ascontiguousarray(who, dtype=np.int32).copy()
    start, cut_ptr, nodes, tally = partition_sets(
        items.indptr, items.value, tree.from_top, tree.depth, tree.last, tree.leaves, k, order
    )
    found = Ragged(cut_ptr, nodes)
    cuts = _told_apart([tuple(found[at].tolist()) for at in range(len(found))], tree)
    number = {cut: at for at, cut in enumerate(sorted(set(cuts)))}
    in_order = np.argsort(start)
    length = np.diff(np.append(start[in_order], len(order)))
    numbers = np.array([number[cut] for cut in cuts], dtype=np.int32)
    bucket_of = np.full(len(items), -1, dtype=np.int32)
    bucket_of[order] = np.repeat(numbers[in_order], length)
    of_buckets = Ragged.of(list(number))
    # The node over an item is the last one of the bucket's cut that begins at or before it.
    bucket = bucket_of[items.row_of].astype(np.int64)
    there = bucket >= 0
    keys = of_buckets.row_of * len(tree) + of_buckets.value
    at = np.searchsorted(keys, (bucket * len(tree) + items.value)[there], "right")
    lost = float(tree.cost[of_buckets.value[at - 1]].sum() + np.count_nonzero(~there))
    return Fingerprints(
        bucket_of, of_buckets, lost / max(len(items.value), 1), int(tally[0]), int(tally[1])
    )


@dataclass(frozen=True)
class _Asked:
    """What the promises ask for: of buckets k people, of groups so many, l and the bound."""

    sensitive: str
    k: int
    l: int  # noqa: E741, the field's own letter
    least: int
    bound: float


def _asked(linked: LinkedTable, promises: Sequence[Promise], settings: KLSettings) -> _Asked:
    problems = Problems()
    named = in_quotes(linked.events)
    if len(linked.events) > 1:
        problems.add(
            "several-sensitive-attributes",
            f"{NAME} generalizes the items of one sensitive attribute, and there are {named}",
            remedy='choose "p-l-angelization" or "theta-star", or leave all but one out of '
            "the release",
        )
    own = [part for part in promises if isinstance(part, KLDiversity)]
    if len(own) != 1:
        problems.add(
            "linked-without-promise",
            f"{NAME} works towards one promise 'kl-diversity', and {len(own) or 'none'} "
            f"{'are' if own else 'is'} made",
            remedy='make one: model = "kl-diversity", k = 10, l = 5',
        )
    problems += [
        Problem(
            "unknown-attribute",
            f"promise '{part.model}' protects '{part.sensitive}', which is not published in linked "
            f"tables: {did_you_mean(str(part.sensitive), linked.events)}",
        )
        for part in promises
        if part.sensitive is not None and part.sensitive not in linked.events
    ]
    problems += [
        Problem(
            "promise-not-worked-towards",
            f"{NAME} does not work towards promise '{part.model}'",
            remedy="promise kl-diversity, k-anonymity and max-posterior, or choose another "
            "algorithm",
        )
        for part in promises
        if not isinstance(part, KLDiversity | KAnonymity | MaxPosterior)
    ]
    problems += without_hierarchy(linked.data, NAME)
    refuse(PolicyError, problems)
    mine = own[0]
    sizes = [part.k for part in promises if isinstance(part, KAnonymity)]
    bounds = [part.bound for part in promises if isinstance(part, MaxPosterior)]
    safe = [mine.k] if settings.variant == "safe" else []
    return _Asked(
        sensitive=str(mine.sensitive),
        k=mine.k,
        l=mine.l,
        least=max(mine.l, *safe, *sizes, 1),
        bound=min(settings.item_bound, *bounds, 1.0),
    )


def _sets(cells: Cells, tree: ItemTree, name: str) -> Ragged:
    """The leaves of every person, rising, each once."""
    items = Ragged.distinct(cells.row_of, tree.node_of[cells.value], len(cells), len(tree))
    bare = int(np.count_nonzero(items.lengths == 0))
    if bare:
        raise DataError(
            "people-without-items",
            f"{many(bare, 'person has')} no value of it",
            attribute=name,
            remedy="leave them out, or give them a record with a missing value",
        )
    return items


def _told_apart(cuts: list[tuple[int, ...]], tree: ItemTree) -> list[tuple[int, ...]]:
    """The cuts, those that would be published alike made one.

    A value that is the parent of others has its own leaf under the node of the same label: the
    label does not tell them apart.
    """
    parent = tree.parent.tolist()
    home = {
        node: above
        for node, above in enumerate(parent)
        if above >= 0 and tree.labels[node] == tree.labels[above]
    }
    if not home:
        return cuts
    shown = [tuple(home.get(node, node) for node in cut) for cut in cuts]
    forms: dict[tuple[int, ...], set[tuple[int, ...]]] = {}
    for cut, form in zip(cuts, shown, strict=True):
        forms.setdefault(form, set()).add(cut)
    return [form if len(forms[form]) > 1 else cut for cut, form in zip(cuts, shown, strict=True)]


def _groups(
    data: LeveledTable,
    found: Fingerprints,
    tree: ItemTree,
    asked: _Asked,
    settings: KLSettings,
    who: Ints32,
) -> tuple[Ints32, Ints]:
    """The quasi group of every person, [n], -1 for people left out; cuts tried and made."""
    above = _nodes_above(found, tree)
    args = asked.least, asked.l, asked.bound, above.indptr, above.value, len(tree)
    order = who.copy()
    if settings.variant == "safe" and breaks_diversity(order, found.bucket_of, len(found), *args):
        raise Unsatisfiable(_too_uniform(found, tree, asked, who))
    if not data.attributes:
        class_of = np.full(data.table.combinations, -1, dtype=np.int32)
        class_of[who] = 0
        return class_of, np.zeros(2, dtype=np.int64)
    start, tally = diverse_groups(
        order,
        found.bucket_of,
        len(found),
        _ground(data, settings.cells),
        *args,
        settings.variant == "safe",
    )
    start = np.sort(start)
    class_of = np.full(data.table.combinations, -1, dtype=np.int32)
    length = np.diff(np.append(start, len(order)))
    class_of[order] = np.repeat(np.arange(len(start), dtype=np.int32), length)
    return class_of, tally


def _nodes_above(found: Fingerprints, tree: ItemTree) -> Ragged:
    """Of every fingerprint its nodes and all above them; the root only where it is listed."""
    over = np.concatenate([found.cuts.value, tree.from_top[1:, found.cuts.value].ravel()])
    bucket = np.tile(found.cuts.row_of, len(tree.from_top))
    return Ragged.distinct(bucket[over >= 0], over[over >= 0], len(found), len(tree))


def _ground(data: LeveledTable, cells: Mapping[str, str] | str | None) -> Ground:
    """The quasi-identifiers as the cutting of groups sees them."""
    styles = styles_of(data, cells)
    codes, paths, widths = [], [], []
    rooted, nodes = [], []
    for style, name, column, compiled in zip(
        styles, data.attributes, data.table.codes, data.compiled, strict=True
    ):
        domain = compiled.code.shape[1]
        if style == "range":
            rank, place = _ranks(data.taxonomies[name], column)
            codes.append(rank[column])
            widths.append(place)
            paths.append(np.zeros(0, dtype=np.int32))
            rooted.append(0)
            nodes.append(0)
            continue
        from_top, labels, covered = paths_from_top(compiled)
        codes.append(column.astype(np.int32))
        paths.append(from_top.astype(np.int32).reshape(-1))
        widths.append(np.where(covered <= 1, 0.0, covered / domain))
        rooted.append(int(len(np.unique(from_top[0])) == 1))
        nodes.append(len(labels))
    return Ground(
        number=np.array([style == "range" for style in styles], dtype=np.bool_),
        code=np.ascontiguousarray(np.stack(codes), dtype=np.int32),
        path=np.concatenate(paths),
        at=pointers([len(path) for path in paths])[:-1],
        domain=data.domain,
        width=np.concatenate(widths).astype(np.float64),
        start=pointers([len(width) for width in widths])[:-1],
        nodes=np.array(nodes, dtype=np.int64),
        rooted=np.array(rooted, dtype=np.int64),
    )


def _ranks(taxonomy: Taxonomy, column: NDArray[np.unsignedinteger]) -> tuple[Ints32, Floats]:
    """The rank of every leaf, and the place of every rank among the numbers, 0 to 1.

    A missing or suppressed value has rank 0 and the place of the smallest number.
    """
    held = set(np.unique(column).tolist())
    ordered = [(float(n), code) for n, code in numbers_in_order(taxonomy) or () if code in held]
    rank = np.zeros(len(taxonomy.leaves), dtype=np.int32)
    place = [0.0]
    for number, code in ordered:
        share = (number - ordered[0][0]) / ((ordered[-1][0] - ordered[0][0]) or 1.0)
        if len(place) == 1 or share > place[-1]:
            place.append(share)
        rank[code] = len(place) - 1
    return rank, np.array(place)


def _published(found: Fingerprints, tree: ItemTree) -> Buckets:
    """The fingerprints with the labels of their nodes."""
    used, value = np.unique(found.cuts.value, return_inverse=True)
    labels: dict[str | None, int] = {}
    places = [labels.setdefault(tree.labels[node], len(labels)) for node in used.tolist()]
    return Buckets(
        indptr=found.cuts.indptr,
        value=np.array(places, dtype=np.int32)[value],
        labels=tuple(labels),
        holding="all",
    )


def _notes(
    found: Fingerprints, who: Ints32, asked: _Asked, settings: KLSettings
) -> list[WarningText]:
    notes = []
    left = len(found.bucket_of) - len(who)
    if left:
        notes.append(
            Kind.LOSS(
                f"{many(left, 'person is')} left out: all their quasi-identifiers would have to "
                "be suppressed"
            )
        )
    if settings.variant == "paper":
        if asked.least < asked.k:
            notes.append(
                Kind.RISK(f"quasi groups have {asked.least} people or more, not {asked.k}")
            )
        most = int(np.bincount(found.bucket_of[who]).max())
        if most * asked.l > len(who):
            notes.append(
                Kind.RISK(
                    f"a fingerprint is more frequent than one in {asked.l} in the whole table: "
                    "no grouping can keep the promise, and this one does not"
                )
            )
    return notes


def _too_few(asked: _Asked, left: int, people: int) -> Problem:
    least = max(asked.k, asked.least)
    return Problem(
        "unsatisfiable",
        f"{least} people are needed for a bucket and a group, and there are {left}"
        + ("" if left == people else ", not counting those who must be suppressed"),
        remedy=f"choose k and l of at most {left}"
        if left > 1
        else "release a table of more people",
    )


def _too_uniform(found: Fingerprints, tree: ItemTree, asked: _Asked, who: Ints32) -> list[Problem]:
    """Why no grouping of all people can keep what is asked."""
    sizes = np.bincount(found.bucket_of[who], minlength=len(found))
    problems = Problems()
    most = len(who) // int(sizes.max())
    if most < asked.l:
        finer = "a smaller k, which makes more fingerprints"
        problems.add(
            "unsatisfiable",
            f"no grouping is {asked.l}-diverse: a fingerprint has a share of "
            f"{sizes.max() / len(who):.3g} of all people, and one in {asked.l} is allowed",
            attribute=asked.sensitive,
            remedy=f"choose {f'l of at most {most}, or ' if most > 1 else ''}{finer}",
        )
    above = _nodes_above(found, tree)
    held = np.bincount(above.value, sizes[above.row_of], len(tree))
    share = float(held.max()) / len(who)
    if share > asked.bound:
        problems.add(
            "unsatisfiable",
            f"no grouping keeps every node of items to a share of {asked.bound:.3g}: one has "
            f"{share:.3g} of all people",
            attribute=asked.sensitive,
            remedy=f"choose a bound of at least {math.ceil(share * 1000) / 1000:.3f}, or a "
            "smaller k, which publishes finer nodes",
        )
    return problems
