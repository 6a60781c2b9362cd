"""Order: does the release tell in which order the source was? (Sweeney 2002, unsorted matching.)

Somebody who knows the order of the source (by admission, by name) takes the first published row
that fits for the first person, and so on. In a release that was not shuffled everybody is found so.
How many are is told by the sensitive values: the row taken for a person shows the own value. How
often that happens by chance is found by shuffling the published rows again and again, with the
seed that all attackers share.

The attacker trusts an order as far as it is better than chance: with a share of m right rows, e of
them by chance, it believes in the row with weight (m - e) / (1 - e), and in random worlds with the
rest; not at all where chance alone does as well in more than one of a hundred shuffles.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from indistinct.analytics.attacks.finding import Finding, Skipped, of_people, summarize, worst_class
from indistinct.analytics.attacks.people_scene import PeopleScene, expanded, worst_of
from indistinct.analytics.attacks.scene import Scene

NAME = "order"
KNOWLEDGE = "what membership knows, and the order in which people stand in the source"
SOURCE = "Sweeney (2002), section 4.1"

SHUFFLES = 99
"""Shuffled releases that the published one is compared with."""

SIGNIFICANT = 0.01
"""An order is trusted where chance does as well in no more than this share of shuffles."""


def run(scene: Scene, sensitive: str | None, *, shuffles: int = SHUFFLES) -> Finding | Skipped:
    """Take rows for people in the order of both, and compare with chance.

    Arguments:
        scene: what the attacker was given.
        sensitive: the attribute it learns, by which rows are told to be the right ones.
        shuffles: how many shuffled releases it is compared with.
    """
    if sensitive is None:
        return Skipped(NAME, "no attribute is sensitive, by which a right row could be told")
    if not scene.records or not scene.people.height:
        return Skipped(NAME, "nothing is published whose order could be looked at", sensitive)
    published, truth = scene.published(sensitive), scene.truth(sensitive)
    order = np.arange(scene.records)
    taken = take_in_order(scene, order)
    right = (taken >= 0) & (published[taken] == truth)
    aligned = _aligned(scene, order)
    random = np.random.default_rng([scene.seed, 0x0DE2])
    by_chance, aligned_by_chance = np.zeros(shuffles), np.zeros(shuffles)
    for at in range(shuffles):
        mixed = random.permutation(scene.records)
        other = take_in_order(scene, mixed)
        by_chance[at] = np.mean((other >= 0) & (published[other] == truth))
        aligned_by_chance[at] = _aligned(scene, mixed)
    share, expected = float(right.mean()), float(by_chance.mean())
    likely = (1 + int((by_chance >= share - 1e-12).sum())) / (shuffles + 1)
    trust = (share - expected) / (1 - expected) if expected < 1 and likely <= SIGNIFICANT else 0.0
    before, base = scene.true_prior(sensitive), scene.true_belief(sensitive)
    believed = taken >= 0
    belief = np.where(believed, trust * right + (1 - trust) * base, base)
    found = scene.pooled(sensitive).largest[scene.crowd_of] == scene.crowd_size[scene.crowd_of]
    people, rows = attributable(scene, sensitive)
    within = rank_correlation(people, rows, scene.class_of[rows])
    overall = rank_correlation(people, rows, np.zeros(len(rows), np.int32))
    by_class = np.bincount(
        scene.class_of[taken[believed]], right[believed], minlength=len(scene.classes)
    )
    gained = by_class / scene.classes.size - _expected(scene, sensitive)
    more = share - expected
    return summarize(
        scene,
        sensitive,
        belief,
        before,
        (believed & right & (trust >= 1)) | (scene.found & found & (base >= 1)),
        name=NAME,
        knowledge=KNOWLEDGE,
        figures={
            "matched": share,
            "matched_by_chance": expected,
            "p_value": likely,
            "trust": trust,
            "beyond_chance": max(more, 0.0) * scene.people.height if trust else 0.0,
            "aligned": aligned,
            "aligned_by_chance": float(aligned_by_chance.mean()) if shuffles else None,
            "rank_correlation": within,
            "overall_rank_correlation": overall,
            "attributable": len(people),
            "shuffles": shuffles,
        },
        worst=worst_class(scene, gained, right=by_class) if trust else {},
        note=_note(share, expected, trust),
    )


def run_people(
    scene: PeopleScene, sensitive: str | None, *, shuffles: int = SHUFFLES
) -> Finding | Skipped:
    """Take published rows for people in the order of both, and compare with chance.

    People are in the order of their first record, rows of a long release in that of each
    pseudonym's first row; there the order of the pseudonyms themselves is tried as well, and the
    better one taken. A row is right where its bucket lists the person's values: where everybody has
    all of a bucket, exactly these; else as far as its people have one of them.

    Who has many records comes early in any order, the source's too. So chance is a shuffle of the
    records of a long release, in which people with many come first more often.

    Arguments:
        scene: what the attacker was given.
        sensitive: the attribute it learns, by which rows are told to be the right ones.
        shuffles: how many shuffled releases it is compared with.
    """
    if sensitive is None:
        return Skipped(NAME, "no attribute is sensitive, by which a right row could be told")
    if not scene.records or not scene.people.height:
        return Skipped(NAME, "nothing is published whose order could be looked at", sensitive)
    random = np.random.default_rng([scene.seed, 0x0DE2])
    orders = {"published": np.arange(scene.records)}
    many = np.ones(scene.records)
    if scene.pseudonyms is not None:
        names = [(len(name or ""), name or "") for name in scene.pseudonyms]
        orders["pseudonyms"] = np.array(sorted(range(len(names)), key=names.__getitem__), np.int64)
        many = np.maximum(scene.buckets[sensitive].size[scene.bucket_of], 1).astype(np.float64)
    tried: dict[str, tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]] = {}
    for name, order in orders.items():
        rates = many if name == "published" else np.ones(scene.records)
        by_chance = np.zeros(shuffles)
        for at in range(shuffles):
            mixed = np.argsort(random.exponential(size=scene.records) / rates, kind="stable")
            by_chance[at] = right_rows(scene, sensitive, take_in_order(scene.places, mixed)).mean()
        own = take_in_order(scene.places, order)
        tried[name] = own, right_rows(scene, sensitive, own), by_chance
    taken, right, by_chance = max(tried.values(), key=lambda one: one[1].mean() - one[2].mean())
    share, expected = float(right.mean()), float(by_chance.mean())
    likely = (1 + int((by_chance >= share - 1e-12).sum())) / (shuffles + 1)
    trust = (share - expected) / (1 - expected) if expected < 1 and likely <= SIGNIFICANT else 0.0
    before, base = scene.true_prior(sensitive), scene.true_belief(sensitive)
    believed = taken >= 0
    belief = np.where(believed, trust * right + (1 - trust) * base, base)
    by_class = np.bincount(
        scene.places.class_of[taken[believed]], right[believed], minlength=len(scene.classes)
    )
    figures: dict[str, float | int | None] = {
        "matched": float(tried["published"][1].mean()),
        "matched_by_chance": expected,
        "p_value": likely,
        "trust": trust,
        "beyond_chance": max(share - expected, 0.0) * scene.people.height if trust else 0.0,
        "shuffles": shuffles,
    }
    if "pseudonyms" in tried:
        figures["matched_by_pseudonym"] = float(tried["pseudonyms"][1].mean())
    return summarize(
        scene,
        sensitive,
        belief,
        before,
        (believed & (right >= 1) & (trust >= 1)) | (scene.found & (base >= 1)),
        name=NAME,
        knowledge=KNOWLEDGE,
        figures=figures,
        worst=worst_of(scene, by_class / scene.classes.size, right=by_class) if trust else {},
        note=_note(share, expected, trust),
    )


def right_rows(scene: PeopleScene, sensitive: str, taken: NDArray[np.int64]) -> NDArray[np.float64]:
    """How far the row that was taken for each person shows the person's values, [n].

    Arguments:
        scene: what the attacker was given.
        sensitive: the attribute.
        taken: the row of every person, -1 for none, [n].
    """
    own, domain = scene.own(sensitive), max(len(scene.labels(sensitive)), 1)
    bucket = np.where(taken >= 0, scene.bucket_of[taken], -1)
    if scene.holding != "all":
        share = scene.spread(sensitive).shares.of(bucket[own.person], own.label, domain)
        return np.where(taken >= 0, own.best(share), 0.0)
    # A set is a person's own if every label in it covers values of hers, and all of them together.
    part = scene.listed(sensitive).shares
    person = np.flatnonzero(bucket >= 0)
    entry, at = expanded(part, bucket[person])
    keys = own.person * domain + own.label
    wanted = person[entry] * domain + part.index[at]
    place = np.minimum(np.searchsorted(keys, wanted), max(len(keys) - 1, 0))
    hit = keys[place] == wanted if len(keys) else np.zeros(len(wanted), np.bool_)
    covered = np.bincount(
        person[entry], np.where(hit, own.values[place] if len(keys) else 0, -(1 << 40)),
        minlength=len(taken),
    )  # fmt: skip
    found: NDArray[np.float64] = ((covered == own.number) & (own.number > 0)).astype(np.float64)
    return found


def take_in_order(scene: Scene, order: NDArray[np.int64]) -> NDArray[np.int64]:
    """The row that is taken for every person, -1 for none, [n].

    Arguments:
        scene: people and release.
        order: the published rows in the order in which they are gone through, [r].
    """
    from indistinct.kernels.matching import first_unused

    classes = len(scene.classes)
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    of = scene.class_of[order]
    rows = np.ascontiguousarray(order[np.argsort(of, kind="stable")])
    indptr = np.zeros(classes + 1, np.int64)
    np.cumsum(np.bincount(of, minlength=classes), out=indptr[1:])
    taken = np.empty(scene.people.height, np.int64)
    first_unused(
        scene.crowd_of, scene.crowds.indptr, scene.crowds.index, indptr, rows, place,
        np.empty(classes, np.int64), taken,
    )  # fmt: skip
    return taken


def attributable(scene: Scene, sensitive: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """People and the one row that can be theirs: only they have the value in their class, as it.

    A value that occurs once in a class, and that one person alone of those who could stand there
    has, in the source.
    """
    held, domain = scene.held(sensitive), len(scene.domain(sensitive))
    crowds, truth, crowd_of = scene.crowds, scene.truth(sensitive), scene.crowd_of
    length = crowds.length[crowd_of]
    person = np.repeat(np.arange(len(crowd_of)), length)
    start = np.repeat(crowds.indptr[crowd_of], length)
    within = np.arange(len(person)) - np.repeat(np.cumsum(length) - length, length)
    met = crowds.index[start + within].astype(np.int64)
    keys = met * domain + truth[person]
    sought, first, often = np.unique(keys, return_index=True, return_counts=True)
    alone = dict(zip(sought[often == 1].tolist(), person[first[often == 1]].tolist(), strict=True))
    row_keys = scene.class_of.astype(np.int64) * domain + scene.published(sensitive)
    once = set((held.row_of[held.count == 1] * domain + held.index[held.count == 1]).tolist())
    pairs = [
        (alone[key], row)
        for row, key in enumerate(row_keys.tolist())
        if key in once and key in alone
    ]
    found = np.array(pairs, np.int64).reshape(-1, 2)
    return found[:, 0], found[:, 1]


def rank_correlation(
    one: NDArray[np.int64], other: NDArray[np.int64], groups: NDArray[np.int32]
) -> float | None:
    """Spearman's rank correlation of two lists without ties, pooled over groups.

    Ranks are taken within each group, and their deviations from the group's middle are put
    together; None where no group has two members.

    >>> ends = np.array([0, 1, 2]), np.array([5, 3, 1])
    >>> rank_correlation(*ends, np.zeros(3, np.int32))
    -1.0
    """
    centred = [_centred_ranks(part, groups) for part in (one, other)]
    spread = float((centred[0] ** 2).sum())
    return float((centred[0] * centred[1]).sum()) / spread if spread else None


def _centred_ranks(values: NDArray[np.int64], groups: NDArray[np.int32]) -> NDArray[np.float64]:
    order = np.lexsort((values, groups))
    sizes = np.bincount(groups) if len(groups) else np.zeros(0, np.int64)
    start = np.cumsum(sizes) - sizes
    found = np.empty(len(values))
    inside = groups[order]
    found[order] = np.arange(len(values)) - start[inside] - (sizes[inside] - 1) / 2
    return found


def _aligned(scene: Scene, order: NDArray[np.int64]) -> float:
    """How often the i-th row fits the i-th of the people who fit any row."""
    crowd = scene.crowd_of[scene.found]
    number = min(len(crowd), len(order))
    if not number:
        return 0.0
    classes = len(scene.classes)
    fitting = np.repeat(np.arange(len(scene.crowds)), scene.crowds.length) * classes
    pairs = fitting + scene.crowds.index
    keys = crowd[:number].astype(np.int64) * classes + scene.class_of[order[:number]]
    at = np.minimum(np.searchsorted(pairs, keys), len(pairs) - 1)
    return float((pairs[at] == keys).mean())


def _expected(scene: Scene, sensitive: str) -> NDArray[np.float64]:
    """The share of right rows of a class if its rows were dealt out blindly, [G]."""
    held = scene.held(sensitive)
    found = np.zeros(len(held))
    np.add.at(found, held.row_of, (held.count / held.size[held.row_of]) ** 2)
    return found


def _note(share: float, expected: float, trust: float) -> str:
    told = f"Rows taken in the source's order show the right value for {of_people(share)}"
    if not trust:
        return f"{told}, and shuffled ones for {of_people(expected)}: the order tells nothing."
    return (
        f"{told}, and by chance for {of_people(expected)}: the order gives people away; shuffle "
        "the release."
    )
