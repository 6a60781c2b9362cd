"""Decoys: made-up records that enlarge the classes of those most exposed.

Arca and Hewett (2021, section 5) name them without saying how. Here a decoy is published with the
cells of its class; everything else it shows is drawn, column by column, from the records of that
class, so that no value appears where it did not before. A decoy that would equal a published record
of its class is drawn again, as long as the class offers others; where it does not, as with a single
column beside the quasi-identifiers, a decoy equals a record. Decoys distort counts. Those who
know how many there are, or what the class held, can subtract them: they hide who among a class is
real, they are no proof.

Decoys count like records, and a promise can break by them: their values make a class more uniform,
classes over some of the quasi-identifiers too, and the published distribution, which every class
may be compared with, is another one. Decoys that break a promise are left out.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence

import numpy as np
import polars as pl

from indistinct.errors import DataError
from indistinct.frozen import dataclass
from indistinct.hierarchies.taxonomy import SUPPRESSED
from indistinct.randomness import Random
from indistinct.release.transforms.replace import replacements
from indistinct.types import Ints

TRIES = 50
"""Draws after which a class is taken to offer no record that is not there already, or that many
times no made-up identifier."""

LOOKS = 64
"""Times that a release with some of its decoys is held against promises, at most."""


@dataclass(frozen=True)
class Insertion:
    """How made-up rows get into a release.

    ``random`` draws them and the order. ``fresh`` are columns of pseudonyms, in which each gets one
    of its own. ``shuffle``: they stand anywhere; without it each goes behind a random record of its
    class, so that the order of the others stays.
    """

    random: Random
    fresh: Sequence[str] = ()
    shuffle: bool = True

    def into(
        self, frame: pl.DataFrame, made: pl.DataFrame, behind: Sequence[int]
    ) -> tuple[pl.DataFrame, tuple[int, ...], Ints]:
        """The release with these rows, the places of these, from 1, and for every row of it the row
        that it was before: of ``frame``, and then of ``made``, from 0.

        Arguments:
            frame: the release.
            made: the rows, with pseudonyms.
            behind: the row of ``frame`` that each goes behind, if the order stays.
        """
        together = pl.concat([frame, made])
        places = np.concatenate([np.arange(frame.height) + 0.0, np.array(behind) + 0.5])
        order = (
            self.random.permutation(together.height)
            if self.shuffle
            else np.argsort(places, kind="stable")
        )
        where = np.flatnonzero(order >= frame.height) + 1
        return together[order], tuple(where.tolist()), order


@dataclass(frozen=True)
class Decoyed:
    """A release with decoys among its records.

    ``places`` are the rows of the release, from 1, that are decoys: private. ``short`` is the
    number of classes that could not be enlarged as far as asked, ``left_out`` that of decoys that
    would have broken a promise. ``order`` has for every row the row that it was before, from 0.
    """

    frame: pl.DataFrame
    places: tuple[int, ...]
    short: int
    left_out: int = 0
    order: Ints | None = None


def with_decoys(
    frame: pl.DataFrame,
    quasi: Sequence[str],
    *,
    to: int,
    limit: float,
    insertion: Insertion,
    keeps: Callable[[pl.DataFrame], bool] | None = None,
) -> Decoyed:
    """Enlarge the smallest classes of a release to ``to`` records each.

    Arguments:
        frame: the release.
        quasi: its quasi-identifiers.
        to: what smaller classes are enlarged to, smallest first.
        limit: the largest share of decoys among all records.
        insertion: what draws the decoys, and how they get into the release.
        keeps: whether a release keeps what it promises, ``frame`` doing so. Decoys with which it
            does not are left out, after ``LOOKS`` looks at it all that were not yet found good.
            None: all decoys are kept.
    """
    random, fresh = insertion.random, insertion.fresh
    rows = frame.with_row_index("\0row")
    shown = rows.filter(
        ~pl.all_horizontal(pl.col(name).cast(pl.String).eq_missing(SUPPRESSED) for name in quasi)
    )
    plain = [
        name for name, kind in frame.schema.items() if name not in fresh and not kind.is_nested()
    ]
    classes = (  # in an order that is the same however an engine ordered the rows
        shown.sort([pl.col(name).cast(pl.String) for name in plain], maintain_order=True)
        .group_by(list(quasi), maintain_order=True)
        .agg(pl.col("\0row"))
        .with_columns(pl.col("\0row").list.len().alias("\0size"))
        .filter(pl.col("\0size") < to)
        .sort("\0size", maintain_order=True)
    )
    allowed = (
        int(np.floor(limit * frame.height / (1.0 - limit))) if limit < 1 else frame.height * to
    )
    others = [name for name in frame.columns if name not in quasi and name not in fresh]
    made: list[pl.DataFrame] = []
    behind: list[int] = []
    lacking: list[int] = []  # by which each class falls short that decoys were made for
    short = 0
    for members, size in classes.select("\0row", "\0size").iter_rows():
        wanted = min(to - size, allowed - len(behind))
        short += wanted < to - size
        if wanted > 0:
            drawn = _draw([frame[name][members] for name in others], wanted, random)
            made.append(frame[members[:1] * wanted].with_columns(drawn.get_columns()))
            behind += random.choice(members, size=wanted).tolist()
            lacking.append(to - size - wanted)
    if not made:
        return Decoyed(frame, (), short)
    decoys = with_pseudonyms(pl.concat(made), frame, fresh, random)
    left_out = 0
    if keeps is not None:
        counts = np.array([part.height for part in made])
        kept = _bearable(frame, decoys, counts, keeps)
        left_out = decoys.height - len(kept)
        class_of = np.repeat(np.arange(len(made)), counts)
        fewer = np.bincount(class_of[kept], minlength=len(made)) < counts
        short += int((fewer & (np.array(lacking) == 0)).sum())
        if not len(kept):
            return Decoyed(frame, (), short, left_out)
        decoys, behind = decoys[kept], [behind[at] for at in kept]
    whole, where, order = insertion.into(frame, decoys, behind)
    return Decoyed(whole, where, short, left_out, order)


def _bearable(
    frame: pl.DataFrame, decoys: pl.DataFrame, counts: Ints, keeps: Callable[[pl.DataFrame], bool]
) -> Ints:
    """Places of decoys with which a release keeps its promises: all, or by halves as many as do.

    Halves are made of whole classes first, of which ``counts`` has the decoys, then of their
    decoys; halves that are larger are looked at first.
    """
    ends = np.cumsum(counts)
    kept = np.zeros(0, dtype=np.int64)
    parts = deque([(0, decoys.height)])
    for _ in range(LOOKS):
        if not parts:
            break
        low, high = parts.popleft()
        more = np.union1d(kept, np.arange(low, high))
        if keeps(pl.concat([frame, decoys[more]])):
            kept = more
        elif high - low > 1:
            middle = (low + high) // 2
            between = ends[(ends > low) & (ends < high)]
            if len(between):
                middle = int(between[np.argmin(np.abs(between - middle))])
            parts += [(low, middle), (middle, high)]
    return kept


def _draw(columns: Sequence[pl.Series], wanted: int, random: Random) -> pl.DataFrame:
    """The rows of so many decoys: values of the members of a class, column by column.

    Combinations that no member shows, as many of these as are met.
    """
    members = pl.DataFrame(columns)
    there = set(members.rows())
    found: list[tuple[object, ...]] = []
    known: list[tuple[object, ...]] = []
    for _ in range(wanted * (TRIES if len(columns) > 1 else len(columns))):
        at = random.integers(0, members.height, size=len(columns))
        row = tuple(column[int(place)] for column, place in zip(columns, at, strict=True))
        (known if row in there else found).append(row)
        if len(found) == wanted:
            break
    return pl.DataFrame((found + known)[:wanted], schema=members.schema, orient="row")


def with_pseudonyms(
    decoys: pl.DataFrame, frame: pl.DataFrame, fresh: Sequence[str], random: Random
) -> pl.DataFrame:
    """Pseudonyms, and made-up identifiers, that nobody in the release has.

    Arguments:
        decoys: rows that are made up, with the columns of the release.
        frame: the release.
        fresh: the columns of pseudonyms and identifiers.
        random: draws them.
    """
    for name in fresh:
        column = frame[name]
        texts = column.cast(pl.String).drop_nulls()
        # Keyed pseudonyms are hexadecimal digits, all of one length, letters among them.
        digits = texts.str.contains("^[0-9a-f]*$").all() and texts.str.len_chars().n_unique() <= 1
        lettered = column.dtype == pl.String and not texts.str.contains("^[0-9]+$").all()
        make = _digits if digits and (lettered or not len(texts)) else _made_up
        made = make(texts.to_list(), decoys.height, random)
        if made is not None:
            decoys = decoys.with_columns(pl.Series(name, made, pl.String).cast(column.dtype))
    return decoys


def _digits(known: list[str], count: int, random: Random) -> list[str]:
    """New pseudonyms of the usual length."""
    taken = set(known)
    length = max(map(len, taken), default=16)
    made: list[str] = []
    while len(made) < count:
        text = random.bytes((length + 1) // 2).hex()[:length]
        if text not in taken:
            taken.add(text)
            made.append(text)
    return made


def _made_up(known: list[str], count: int, random: Random) -> list[str] | None:
    """New identifiers that look like the others; None where there are not enough."""
    taken = set(known)
    made: list[str] = []
    for _ in range(TRIES):
        try:
            found = replacements(list(taken), style="auto", random=random)
        except DataError:
            return None
        new = [text for text in found.values() if text not in taken]
        made += new
        taken.update(new)
        if len(made) >= count:
            return [made[at] for at in random.permutation(len(made))[:count]]
    return None
