"""What is known of a frame of Spark: asked once, for all who open it.

A release is made once and looked at by many: by the audit, by warnings, by reports and by the
writer. Its records, the sum of their digests, and what their types are shown as come from one
pass over it, when it is made; its counts are those that the audit asked for.
"""

from __future__ import annotations

import contextlib
import weakref
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import polars as pl

from indistinct.errors import DataError
from indistinct.sources.arrow import frame_of_arrow
from indistinct.sources.text import NUMBER, WHOLE
from indistinct.types import Frame

if TYPE_CHECKING:
    import pyarrow
    from pyspark.sql import Column, DataFrame

_BITS = 21
_LOW = (1 << _BITS) - 1
_FURTHER = 50

Shown = Mapping[str, bool | None]
"""Whether all values of a column are whole numbers, or days, or some text ends as a whole number;
None where it has no value."""

Asked = tuple[str, tuple[str, ...]]
"""A column, and the texts that stand for none of its values."""


@dataclass
class Known:
    """What is known of a frame.

    Arguments:
        contents: of a release, how many records it has, and the sum of their digests.
        shown: of a release, what its types are shown as.
        different: of a shuffled release, how many of its records differ.
        seed: of the digests of a release.
        look: how many records it has, and the kinds of its columns.
        named: whether some record may have the name of a column as its value.
        counted: combinations of columns, as they were counted.
        about: how many records have a value in a column, and about how many values they have.
        longest: of columns of texts that were asked about, the bytes of the longest at most.
        tallied: records, values, and the records of rare ones, by column and what is rare.
        sampled: the values of some records, by how many were asked for.
        kept: of a shuffled release, how executors keep it (:class:`spark_kept.Kept`).
    """

    contents: tuple[int, int] | None = None
    shown: Shown = field(default_factory=dict)
    different: int | None = None
    seed: int = 0
    look: tuple[int, Mapping[str, str]] | None = None
    named: bool = True
    counted: list[pyarrow.Table] = field(default_factory=list)
    about: dict[Asked, tuple[int, int]] = field(default_factory=dict)
    longest: dict[str, int] = field(default_factory=dict)
    tallied: dict[tuple[Asked, int], tuple[int, int, int]] = field(default_factory=dict)
    sampled: dict[int, pl.DataFrame] = field(default_factory=dict)
    kept: Any = None

    def keep_counted(self, found: pyarrow.Table, most: int) -> None:
        """Keep combinations that were counted, and of earlier ones as many bytes as fit."""
        left = most - found.nbytes
        kept = []
        for one in reversed(self.counted):
            left -= one.nbytes
            kept += [one] if left >= 0 else []
        self.counted = [*reversed(kept), found]

    def repeated(self) -> list[str]:
        """Some columns that were counted or asked about, and repeat their values."""
        names = [name for one in self.counted for name in one.column_names[:-1]]
        about = self.about.items()
        names += [name for (name, _), (filled, values) in about if 10 * values < filled]
        return names[:_FURTHER]


_RELEASES: weakref.WeakKeyDictionary[DataFrame, Known] = weakref.WeakKeyDictionary()


def known_of(release: DataFrame) -> Known | None:
    """What is known of a release; None of other frames."""
    return _RELEASES.get(release)


def note_release(release: DataFrame) -> Known:
    """Look at a release once, and keep what is known of it."""
    forms = forms_of(release)
    found = _looked_at(release, [*_contents(release, 0), *forms.values()])
    shown = dict(zip(forms, found[4:], strict=True))
    return remember(release, Known(_added_up(found[:4]), shown))


def remember(release: DataFrame, known: Known) -> Known:
    """Keep what is known of a release."""
    _RELEASES[release] = known
    return known


def summed_up(
    records: DataFrame, own: Column, forms: Mapping[str, Column]
) -> tuple[tuple[int, int], int, Shown]:
    """How many records there are, with the sum of their digests; how many differ; and what their
    types are shown as.

    Arguments:
        records: the records, dealt to parts by their digests: equal ones are in one part, and those
            that differ are counted without moving any.
        own: the digest of each.
        forms: what is asked of some columns.
    """
    from pyspark.sql import functions as f

    named = [one.alias(f"f{at}") for at, one in enumerate(forms.values())]
    each = records.groupBy(own.alias("d")).agg(f.count(f.lit(1)).alias("n"), *named)
    times = f.col("n")
    parts = [f.sum(times), *(f.sum(times * one) for one in _parts_of(f.col("d")))]
    kinds = _kinds(records)
    ends = [
        (f.bool_or if kinds[name] == "string" else f.bool_and)(f.col(f"f{at}"))
        for at, name in enumerate(forms)
    ]
    found = _looked_at(each, [*parts, *ends, f.count(f.lit(1))])
    shown = dict(zip(forms, found[4:-1], strict=True))
    return _added_up(found[:4]), int(found[-1] or 0), shown


def contents(frame: DataFrame, seed: int = 0) -> tuple[int, int]:
    """How many records a frame has, and the sum of their digests: what tells two frames apart."""
    return _added_up(_looked_at(frame, _contents(frame, seed)))


def contents_of(release: DataFrame) -> tuple[tuple[int, int] | None, int]:
    """The same of a release, as it was when it was made, and the seed of its digests; None of
    other frames.
    """
    known = known_of(release) or Known()
    return known.contents, known.seed


def shown_of(frame: DataFrame, *beside: Column) -> tuple[Shown, list[Any]]:
    """What the types of a frame are shown as, and further figures from the same pass over it."""
    forms = forms_of(frame)
    found = _looked_at(frame, [*beside, *forms.values()]) if forms or beside else []
    told = found[len(beside) :]
    return dict(zip(forms, told, strict=True)), found[: len(beside)]


def as_shown(frame: DataFrame, found: Shown | None = None) -> DataFrame:
    """The rows of a frame, with types that follow from them alone: :func:`writing.as_shown`.

    Arguments:
        frame: the frame.
        found: what its types are shown as, where that was asked before.
    """
    from pyspark.sql import functions as f

    forms = forms_of(frame)
    if not forms:
        return frame
    if found is None:
        known = known_of(frame)
        found = shown_of(frame)[0] if known is None else known.shown
    kinds = _kinds(frame)
    changed = {}
    for name in forms:
        if kinds[name] != "string" and found[name] is not False:
            wanted = "date" if kinds[name].startswith("timestamp") else "bigint"
            changed[name] = f.col(quoted(name)).cast("string" if found[name] is None else wanted)
    changed |= _whole_numbers(frame, [n for n in forms if kinds[n] == "string" and found[n]])
    if not changed:
        return frame
    own = [changed.get(name, f.col(quoted(name))) for name in frame.columns]
    return frame.select([value.alias(name) for name, value in zip(frame.columns, own, strict=True)])


def forms_of(frame: DataFrame) -> dict[str, Column]:
    """What is asked of columns whose types say more than their values."""
    from pyspark.sql import functions as f

    asked = {}
    for name, kind in _kinds(frame).items():
        own = f.col(quoted(name))
        if kind in ("double", "float"):
            asked[name] = f.bool_and((own == f.floor(own)) & (f.abs(own) < 2**53))
        elif kind in ("timestamp", "timestamp_ntz"):
            asked[name] = f.bool_and(own == f.date_trunc("day", own))
        elif kind == "string":
            asked[name] = f.bool_or(own.endswith(WHOLE))
    return asked


def _whole_numbers(frame: DataFrame, names: list[str]) -> dict[str, Column]:
    """Whole numbers as such in texts, of which some end as these do, where no text is odd."""
    from pyspark.sql import functions as f

    own = {name: f.col(quoted(name)) for name in names}
    odd = [f.bool_or(one.rlike("[0-9]") & ~one.rlike(NUMBER)) for one in own.values()]
    found = _looked_at(frame, odd) if names else []
    return {
        name: f.when(one == "-0.0", "0").otherwise(f.regexp_replace(one, r"\.0$", ""))
        for (name, one), is_odd in zip(own.items(), found, strict=True)
        if not is_odd
    }


def _kinds(frame: DataFrame) -> dict[str, str]:
    return {field.name: field.dataType.simpleString() for field in frame.schema.fields}


def _contents(frame: DataFrame, seed: int) -> list[Column]:
    """The number of records, and their digests in three parts, of which no sum overflows."""
    from pyspark.sql import functions as f

    return [f.count(f.lit(1)), *map(f.sum, _parts_of(digest(frame, f.lit(seed))))]


def _parts_of(whole: Column) -> list[Column]:
    from pyspark.sql import functions as f

    return [
        f.shiftright(whole, 2 * _BITS),
        f.shiftright(whole, _BITS).bitwiseAND(f.lit(_LOW)),
        whole.bitwiseAND(f.lit(_LOW)),
    ]


def _added_up(found: Iterable[int | None]) -> tuple[int, int]:
    rows, high, middle, low = (int(one or 0) for one in found)
    return rows, (high << 2 * _BITS) + (middle << _BITS) + low


def _looked_at(frame: DataFrame, asked: list[Column]) -> list[Any]:
    named = [one.alias(f"n{at}") for at, one in enumerate(asked)]
    return list(polars_of(frame.agg(*named).toArrow()).row(0))


def digest(frame: DataFrame, *first: Column) -> Column:
    """A digest of every record of a frame, in which a missing cell is none that is empty."""
    from pyspark.sql import functions as f

    texts = [
        f.to_json(f.struct(quoted(name))) if "map<" in kind else f.col(quoted(name))
        for name, kind in _kinds(frame).items()
    ]
    missing = [f.col(quoted(name)).isNull() for name in frame.columns]
    return f.xxhash64(*first, *texts, *missing)


@contextlib.contextmanager
def telling(name: str) -> Iterator[None]:
    """Say that Spark could not do something without its words, which may quote a cell.

    Raises:
        DataError: For everything it refuses.
    """
    from pyspark.errors import PySparkException

    try:
        yield
    except Exception as error:
        if not isinstance(error, PySparkException) and "py4j" not in type(error).__module__:
            raise
        raise DataError(
            "refused-by-spark",
            f"Spark ended a job, or would not begin it ({type(error).__name__})",
            file=name,
            remedy="look into the logs of its executors, or begin a session of your own, which "
            "has a log: both may quote cells",
        ) from None


def polars_of(table: Frame) -> pl.DataFrame:
    """An Arrow table of Spark; its moments are wall clocks of the session's time zone."""
    frame = frame_of_arrow(table)
    clocks = [n for n, kind in frame.schema.items() if isinstance(kind, pl.Datetime)]
    return frame.with_columns(pl.col(name).dt.replace_time_zone(None) for name in clocks)


def quoted(name: str) -> str:
    """A name of a column as Spark's SQL has it."""
    return "`" + name.replace("`", "``") + "`"
