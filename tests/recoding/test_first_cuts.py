"""Mondrian with its combinations elsewhere: the classes are those of the table in memory."""

from __future__ import annotations

import itertools
import pickle
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.recoding import tables
from tests.recoding.tables import Table

from indistinct.errors import Unsatisfiable
from indistinct.microdata.encoding import codes_in
from indistinct.microdata.leveled import LeveledTable
from indistinct.privacy import Promise
from indistinct.recoding.limits import Progress, silent
from indistinct.recoding.partition import PartitionSettings, first_cuts, partition
from indistinct.recoding.partition.first_cuts import Cut, breaks_as_a_whole, cut_in_parts
from indistinct.recoding.plan import CellPlan
from indistinct.recoding.recoded import leaked, measured
from indistinct.sources.parts import Ask, Coding, Part, Place, Work
from indistinct.sources.streamed_parts import StreamedParts
from indistinct.types import Ints, Ints32

CRITERIA = list(itertools.product(["width", "entropy", "ncp"], ["median", "ncp"]))


@dataclass
class Records:
    """Records in two places, each a combination of its own; what is sent there is pickled."""

    texts: pl.DataFrame
    quasi: Sequence[Coding]
    sensitive: Sequence[Coding]
    asked: int = 0
    largest: int = 0
    closed: bool = False

    def coded(self, texts: pl.DataFrame) -> Part:
        rank, value = (
            np.stack([one.codes[codes_in(texts[one.column], one.labels)] for one in some], axis=1)
            if some
            else np.zeros((texts.height, 0), np.int64)
            for some in (self.quasi, self.sensitive)
        )
        return Part(rank.astype(np.int32), value.astype(np.int32), np.ones(len(rank), np.int64))

    def places(self) -> Iterator[list[Part]]:
        half = self.texts.height // 2
        yield [self.coded(self.texts[:half])]
        yield [self.coded(self.texts[half:-1]), self.coded(self.texts[-1:])]

    def added_up(self, ask: Ask) -> tuple[Ints, Ints]:
        self.asked += 1
        found: Counter[int] = Counter()
        for parts in self.places():
            for key, amount in zip(*sent(ask)(iter(parts)), strict=True):
                found[int(key)] += int(amount)
        return np.array([*found.keys()], np.int64), np.array([*found.values()], np.int64)

    def by_region(self, place: Place, work: Work) -> Sequence[tuple[int, bytes]]:
        every = self.coded(self.texts)
        region: Ints32 = sent(place)(every)
        found = []
        for at in set(region.tolist()) - {-1}:
            own = Part(*(part[region == at] for part in every))
            self.largest = max(self.largest, len(own.weight))
            found.append((at, sent(work)(own)))
        return found

    def close(self) -> None:
        self.closed = True


def sent(what: Any) -> Any:
    """What arrives where it is sent."""
    return pickle.loads(pickle.dumps(what))  # noqa: S301 - it was made here


def cut(
    table: Table,
    data: LeveledTable,
    asked: Sequence[Promise],
    how: PartitionSettings,
    region: int,
    progress: Progress = silent,
) -> tuple[Cut, Records]:
    kept: list[Records] = []

    def coded(quasi: Sequence[Coding], sensitive: Sequence[Coding]) -> Records:
        kept.append(Records(table.texts, quasi, sensitive))
        return kept[0]

    found = cut_in_parts(data, asked, how, coded, region=region, progress=progress)
    return found, kept[0]


def published(plan: CellPlan, of: Iterable[int]) -> list[tuple[str | None, ...]]:
    """What combinations are published as; a suppressed one as nothing."""
    return [
        tuple(texts[own[group]] for texts, own in zip(plan.texts, plan.cell_of, strict=True))
        if group >= 0
        else ()
        for group in plan.class_of[list(of)].tolist()
    ]


def walked(found: Cut, table: Table) -> list[tuple[str | None, ...]]:
    """What every record is published as, by the tree alone."""
    tree = found.tree
    part = Records(table.texts, tree.quasi, ()).coded(table.texts)
    at = tree.leaf_of(part.rank)
    place = {int(leaf): row for leaf, row in zip(tree.leaves, tree.row, strict=True)}
    assert Counter(at.tolist()) == dict(zip(tree.leaves.tolist(), tree.records, strict=True))
    return published(found.plan, [place[leaf] for leaf in at.tolist()])


@given(st.data())
def test_regions_are_put_together_as_may_be_held(data: st.DataObject) -> None:
    texts = data.draw(tables.tables()).texts
    coding = [Coding("ill", [*tables.ILLS], np.arange(4))]
    records = Records(texts, coding, coding)

    def read() -> Iterator[pa.RecordBatch]:
        for part in (part for parts in records.places() for part in parts):
            codes = [part.rank[:, 0], part.value[:, 0], part.weight]
            yield pa.RecordBatch.from_arrays([*map(pa.array, codes)], ["a", "b", "n"])

    ceiling = 400 * data.draw(st.integers(0, 30))
    parts = StreamedParts(read, 1, 2, ceiling, lambda: None)
    which = np.array(data.draw(st.lists(st.integers(-1, 2), min_size=4, max_size=4)), np.int32)
    found = parts.by_region(_Which(which), _values)
    known = records.by_region(_Which(which), _values)
    assert sorted(found) == sorted(known)


@dataclass
class _Which:
    """The region of each combination, by its first code."""

    which: Ints32

    def __call__(self, part: Part) -> Ints32:
        return self.which[part.rank[:, 0]]


def _values(part: Part) -> bytes:
    return bytes(part.value)


@settings(max_examples=150)
@given(st.data())
def test_classes_are_those_of_memory(data: st.DataObject) -> None:
    table = data.draw(tables.tables())
    asked = [
        one for one in data.draw(tables.promises(table)) if one.effective_closure != "none"
    ] or []
    dimension, how_cut = data.draw(st.sampled_from(CRITERIA))
    how = PartitionSettings(
        dimension=dimension,
        cut=how_cut,
        cells=data.draw(tables.cells(table)),
        weights=data.draw(st.sampled_from([{}, {table.attributes[0]: 0.25}])),
        suppression_limit=data.draw(st.sampled_from([0.0, 0.3, 1.0])),
    )
    encoded = table.encoded()
    if breaks_as_a_whole(encoded.data, asked):
        return
    region = data.draw(st.sampled_from([0, 1, 4, 12, 100]))
    try:
        local = partition(encoded.data, asked, "mondrian", how)
    except Unsatisfiable as error:
        why = re.escape(error.problems[0].message)
        with pytest.raises(Unsatisfiable, match=why):
            cut(table, encoded.data, asked, how, region)
        return
    found, records = cut(table, encoded.data, asked, how, region)
    assert records.closed
    assert records.largest <= region
    assert walked(found, table) == published(local, encoded.combination_of.tolist())
    assert found.plan.style == local.style
    assert found.plan.search.value == pytest.approx(local.search.value)
    told = measured(encoded.data, local)
    del told["non-uniform-entropy"]
    assert measured(found.data, found.plan) == pytest.approx(told)
    assert leaked(found.data, found.plan) == leaked(encoded.data, local)


def test_a_pass_cuts_all_parts_of_one_depth(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = tuple((tables.AGES[at % 8], None, None, "u") for at in range(40))
    table = Table(rows, "value", ("age",))
    encoded, how = table.encoded(), PartitionSettings()
    found, records = cut(table, encoded.data, [], how, 5)
    assert found.plan.groups == 8
    assert records.asked == 5  # what there is, and four depths
    monkeypatch.setattr(first_cuts, "CELLS", 1)
    again, one_by_one = cut(table, encoded.data, [], how, 5)
    assert one_by_one.asked == 8  # every part that is cut by itself
    assert walked(again, table) == walked(found, table)


def test_all_is_done_only_after_the_last_region() -> None:
    rows = tuple((tables.AGES[at % 8], None, None, "u") for at in range(40))
    table = Table(rows, "value", ("age",))
    how, told = PartitionSettings(dimension="width", cut="median"), list[float]()
    _, records = cut(table, table.encoded().data, [], how, 10, told.append)
    assert (records.asked, records.largest) == (3, 10)
    assert len(told) == 2 + 4, "depths, and regions"
    assert told == sorted({*told}), "each a step"
    steps = np.diff([0.0, *told])
    assert told[-1] == 1
    assert steps[:2].tolist() == pytest.approx([steps[0]] * 2), "halves, and halves of these"
    assert steps[2:].tolist() == pytest.approx([steps[2]] * 4), "regions of one size"


def test_what_fits_no_leaf_is_told() -> None:
    rows = tuple((None, chain[0], None, "u") for chain in tables.WARDS for _ in range(5))
    table = Table(rows, "value", ("ward",))
    how = PartitionSettings(dimension="width", cut="median")
    found, _ = cut(table, table.encoded().data, [], how, 0)
    assert found.tree.leaf_of(np.array([[99], [-1]], np.int32)).tolist() == [-1, -1]
    assert found.plan.groups == 7
