"""What is left of people's items under k^m-anonymity, beside two published algorithms.

* AA, the apriori-based anonymization of Terrovitis, Mamoulis and Kalnis ("Privacy-preserving
  Anonymization of Set-valued Data", PVLDB 1(1), 2008, section 4.3): the combinations of 1, ..., m
  items are counted, shorter ones first; while one is rare, all values under the parent of one of
  its items become that parent, whichever raises the certainty penalty least. Nothing is left out.
* Disassociation (Terrovitis, Liagouris, Mamoulis and Skiadopoulos, "Privacy Preservation by
  Disassociation", PVLDB 5(10), 2012, sections 3 and 4, without refining): records are split into
  clusters by their most frequent items; in each cluster the items are dealt to chunks in which
  every combination of up to m items that occurs has k records, most frequent first; the rest is
  listed for the cluster without saying how often or with what.

Both are implemented here from their descriptions. What is reported, over the items of all people:

* information: the bits that items still tell, of those they told (non-uniform entropy: an
  occurrence of one of n among N tells log2(N / n), published as a node with n' below it
  log2(N / n'), nothing where it is left out); of disassociation those in chunks;
* as they are: the share of items published as the value itself, in a record;
* pairs: the share of pairs of items of a person that are published together, both as they are;
* NCP: the certainty penalty, left-out items count 1.
"""

from __future__ import annotations

import lzma
import math
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import combinations
from pathlib import Path

import numpy as np
import polars as pl

import common
from indistinct.hierarchies.files import read_hierarchy
from indistinct.metadata import ValueMetadata
from indistinct.microdata.frequencies import Cells
from indistinct.privacy.km_anonymity import KMAnonymity
from indistinct.recoding.items import ItemTree, km_anonymous, tree_of

LARGEST_CLUSTER = 50
"""Records of a cluster of disassociation at most, unless its records are alike."""


def sets_of(person: pl.Series, item: pl.Series, chains: Sequence[tuple[str, ...]] | None) -> Cells:
    """The different items of every person; without chains everything is right under the root."""
    pairs = pl.DataFrame({"person": person, "item": item}).unique().sort("person", "item")
    domain = tuple(pairs["item"].unique().sort().to_list())
    codes = pairs["item"].replace_strict(
        {value: at for at, value in enumerate(domain)}, return_dtype=pl.Int32
    )
    held = pairs.group_by("person", maintain_order=True).len()["len"].to_numpy()
    indptr = np.append(0, np.cumsum(held)).astype(np.int64)
    known = ValueMetadata(chains=tuple(chains or [(value, "*") for value in domain]))
    return Cells(indptr, codes.to_numpy(), np.ones(len(codes), np.int64), domain, False, known)


def tables(shared: Path) -> Iterable[tuple[str, Cells]]:
    """The people of public tables and their items."""

    def read(path: Path) -> pl.DataFrame:
        given = path.read_bytes()
        given = lzma.decompress(given) if path.suffix == ".xz" else given
        return pl.read_csv(given, infer_schema=False)

    informs = shared / "data" / "informs"
    if informs.is_dir():
        rows = read(informs / "conditions05.csv.xz")
        tree = read_hierarchy(informs / "trees" / "informs_ICD9.txt", "ICD9CODX")
        yield "INFORMS", sets_of(rows["DUPERSID"], rows["ICD9CODX"], tree.chains)  # type: ignore[arg-type]
    synthea = shared / "data" / "synthea" / "conditions.csv.xz"
    if synthea.exists():
        rows = read(synthea)
        yield "Synthea", sets_of(rows["PATIENT"], rows["CODE"], None)
    omop = shared / "data" / "omop_gibleed" / "CONDITION_OCCURRENCE.csv.xz"
    if omop.exists():
        rows = read(omop)
        yield "GiBleed", sets_of(rows["PERSON_ID"], rows["CONDITION_CONCEPT_ID"], None)


def rare(sets: Sequence[Sequence[int]], k: int, size: int) -> list[tuple[int, ...]]:
    """The combinations of so many items that some have, and fewer than k."""
    counted: Counter[tuple[int, ...]] = Counter()
    for items in sets:
        counted.update(combinations(items, size))
    return sorted(own for own, people in counted.items() if people < k)


def apriori(tree: ItemTree, leaves: Sequence[Sequence[int]], k: int, m: int) -> list[int]:
    """AA: the node of every node of the tree, in a cut of it."""
    became = list(range(len(tree)))
    occurs = Counter(leaf for items in leaves for leaf in items)
    cost = tree.cost.tolist()
    for size in range(1, m + 1):
        while True:
            found = rare([sorted({became[leaf] for leaf in items}) for items in leaves], k, size)
            if not found:
                break
            for nodes in found:
                if any(became[node] != node for node in nodes):
                    continue
                above = [int(tree.parent[node]) for node in nodes if tree.parent[node] >= 0]
                if not above:
                    continue
                best = min(
                    above,
                    key=lambda top: sum(
                        occurs[leaf] * (cost[top] - cost[became[leaf]])
                        for leaf in range(top, int(tree.last[top]) + 1)
                        if occurs[leaf]
                    ),
                )
                for node in range(best, int(tree.last[best]) + 1):
                    became[node] = best
    return became


def disassociated(
    leaves: Sequence[Sequence[int]], k: int, m: int
) -> list[tuple[list[int], list[set[int]]]]:
    """The clusters of disassociation: the people of each, and its chunks."""
    clusters: list[list[int]] = []
    waiting = [(list(range(len(leaves))), frozenset[int]())]
    while waiting:
        people, used = waiting.pop()
        counted = Counter(leaf for at in people for leaf in leaves[at] if leaf not in used)
        if len(people) <= LARGEST_CLUSTER or not counted:
            clusters.append(people)
            continue
        most = max(counted, key=lambda leaf: (counted[leaf], -leaf))
        having = [at for at in people if most in leaves[at]]
        others = [at for at in people if most not in leaves[at]]
        waiting += [(some, used | {most}) for some in (having, others) if some]
    found = []
    for people in clusters:
        counted = Counter(leaf for at in people for leaf in leaves[at])
        left = [leaf for leaf, count in counted.most_common() if count >= k]
        chunks: list[set[int]] = []
        while left:
            chunk: set[int] = set()
            for leaf in left:
                tried = chunk | {leaf}
                sets = [sorted(tried.intersection(leaves[at])) for at in people]
                if not any(rare(sets, k, size) for size in range(1, m + 1)):
                    chunk = tried
            if not chunk:
                break
            chunks.append(chunk)
            left = [leaf for leaf in left if leaf not in chunk]
        found.append((people, chunks))
    return found


class Measured:
    """What is left of items, by their nodes and by the chunk that each is published in."""

    def __init__(self, tree: ItemTree, leaf: np.ndarray, row: np.ndarray) -> None:
        self._tree, self._leaf, self._row = tree, leaf, row
        occurs = np.bincount(leaf, minlength=len(tree))
        upto = np.append(0, np.cumsum(occurs))
        self._told = np.log2(len(leaf) / np.maximum(upto[tree.last + 1] - upto[:-1], 1))

    def __call__(self, node: np.ndarray, chunk: np.ndarray) -> tuple[float, float, float, float]:
        """Information, as they are, pairs and NCP; a node below 0 is left out."""
        own = node == self._leaf
        kept = np.where(node < 0, 0.0, self._told[node]).sum() / self._told[self._leaf].sum()
        lengths = np.bincount(self._row)
        together = np.unique(np.stack([self._row, chunk])[:, own], axis=1, return_counts=True)[1]
        pairs = sum(math.comb(int(n), 2) for n in together)
        all_pairs = sum(math.comb(int(n), 2) for n in lengths)
        ncp = np.where(node < 0, 1.0, self._tree.cost[node]).mean()
        return float(kept), float(own.mean()), pairs / all_pairs, float(ncp)


def rows_of(name: str, cells: Cells, k: int, m: int) -> Iterable[tuple[str, ...]]:
    """A row of the table for every way to publish the items."""
    tree = tree_of("item", cells)
    leaf, row = tree.node_of[cells.value], cells.row_of
    leaves = [
        sorted(leaf[begin:end].tolist())
        for begin, end in zip(cells.indptr, cells.indptr[1:], strict=False)
    ]
    measured, whole = Measured(tree, leaf, row), np.zeros(len(leaf), np.int64)

    def line(
        way: str, began: float, node: np.ndarray, chunk: np.ndarray, more: str
    ) -> tuple[str, ...]:
        seconds = time.perf_counter() - began
        figures = [f"{100 * value:.1f} %" for value in measured(node, chunk)[:3]]
        ncp = f"{measured(node, chunk)[3]:.3f}"
        return name, str(m), way, *figures, ncp, more, f"{seconds:.1f}"

    began = time.perf_counter()
    became = np.array(apriori(tree, leaves, k, m))
    yield line("AA", began, became[leaf], whole, "")
    began = time.perf_counter()
    node, chunk = np.full(len(leaf), -1), whole.copy()
    place = {(int(p), int(x)): at for at, (p, x) in enumerate(zip(row, leaf, strict=True))}
    for people, chunks in disassociated(leaves, k, m):
        for number, own in enumerate(chunks):
            for person in people:
                for item in own.intersection(leaves[person]):
                    node[place[person, item]], chunk[place[person, item]] = item, number
    listed = f"{(node < 0).mean():.1%} listed by cluster"
    yield line("disassociation", began, node, chunk, listed)
    for limit, local in ((0.0, False), (0.05, False), (0.05, True)):
        began = time.perf_counter()
        asked = KMAnonymity(k=k, m=m, sensitive="item")
        plan = km_anonymous(cells, asked, suppress=limit, local=local)
        more = f"{plan.left_out / plan.entries:.1%} left out; at most {plan.bound:.1%}"
        way = f"indistinct, limit {limit:g}{', local' if local else ''}"
        yield line(way, began, np.where(plan.left, -1, plan.node), whole, more)


def main() -> None:
    """Print the table."""
    given = common.parser(__doc__).parse_args()
    found = [
        row
        for name, cells in tables(given.shared)
        for m in (1, 2)
        for row in rows_of(name, cells, 5, m)
    ]
    common.show(
        "k = 5",
        ["table", "m", "way", "information", "as they are", "pairs", "NCP", "", "s"],
        found,
    )
    print(common.describe_machine())


if __name__ == "__main__":
    main()
