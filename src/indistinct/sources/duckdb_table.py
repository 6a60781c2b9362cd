"""Tables held by DuckDB: counted and recoded there, in the connection of the relation.

A value is recognized by itself, not by its text: the engine counts the distinct combinations of its
own values, their texts are made of that small table, and the release is one null-safe join with it.
The release is a table of a connection of its own, so that nothing in it refers to its source.
"""

from __future__ import annotations

import re
import weakref
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from numpy.typing import NDArray

from indistinct.frozen import dataclass, field
from indistinct.sources import memory
from indistinct.sources.arrow import frame_of_arrow
from indistinct.sources.eager import add_up
from indistinct.sources.engine_table import EngineTable, lookup_of, null_where_missing
from indistinct.sources.headers import cells_of
from indistinct.sources.table import Change, count_column, refuse_far
from indistinct.sources.text import (
    COMMA_NUMBER,
    MOST_DAYS,
    NUMBER,
    WHOLE,
    Coded,
    Tokens,
    canonical,
    coded,
    kind_of_type,
)
from indistinct.types import Ints

if TYPE_CHECKING:
    import pyarrow as pa
    from duckdb import DuckDBPyConnection, DuckDBPyRelation

_SOURCE = "indistinct_source"
_LOOKUP = "indistinct_lookup"
_SEEDS = 2**63 - 1
_SHORTER = 2
"""How many times as short as the combinations that it is added up from a table is to be kept."""

_FIRST = 2048
"""Records that are looked at before all are."""

_KINDS: dict[str, str] = {}
"""The kinds of the types that were met, which need no query; without those that list values."""

_BY_TEXT = re.compile(r"\b(INTERVAL|BIT|TIME WITH|UHUGEINT|BIGNUM|UUID|VARIANT|UNION)\b")
"""Types that Arrow or Polars has not, or changes: these travel as text."""

_NEAR = (
    f"coalesce(TRY_CAST({{0}} AS TIMESTAMP) BETWEEN DATE '1970-01-01' - {MOST_DAYS}"
    f" AND DATE '1970-01-01' + {MOST_DAYS}, {{0}} IS NULL)"
)
"""The condition that a date or moment has a text."""

_TIMESTAMPS = ("TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS")
"""Moments without a time zone."""


class DuckDBTable(EngineTable):
    """A table behind a DuckDB relation."""

    def __init__(self, relation: DuckDBPyRelation, name: str, tokens: Tokens | None = None) -> None:
        self.name = name
        self.columns: tuple[str, ...] = tuple(relation.columns)
        self._types = dict(zip(self.columns, map(str, relation.types), strict=True))
        self._relation = as_arrow_has_it(relation)
        self._tokens = tokens or {}
        self._height: int | None = None
        stored = file_of(relation)
        self._counted: list[pa.Table] = [] if stored is None else stored.counted
        self._about = dict[str, tuple[int, int]]({} if stored is None else stored.about)
        self._tallied = dict[tuple[str, int], tuple[int, int, int]]()
        self._within = {}
        self._kept = False
        self.kinds: Mapping[str, str] = self._kinds()

    def height(self) -> int:
        """Number of records."""
        if self._height is None:
            self._height = int(self._fetch(f"SELECT count(*) FROM {_SOURCE}").item())
        return self._height

    def frame(self, columns: Sequence[str] | None = None) -> pl.DataFrame:
        """All records, in the order of the source; of some columns, where these are named.

        Raises:
            DataError: They take more memory than they may.
        """
        columns = self.columns if columns is None else columns
        self._require_rows(columns)
        return self._fetch(f"SELECT {_names(columns)} FROM {_SOURCE}")

    def text(self, columns: Sequence[str]) -> pl.DataFrame:
        """The canonical texts of these columns, in the order of the source, null for missing.

        A query may answer in another order each time it runs. So an order, once asked for, is that
        of a copy, from which the table is read from then on.

        Raises:
            DataError: They take more memory than they may.
        """
        self._require_rows(columns)
        self._keep()
        return canonical(self._fetch(f"SELECT {_names(columns)} FROM {_SOURCE}"), self._tokens)

    def distinct(self, columns: Sequence[str]) -> pl.DataFrame:
        """The distinct combinations of canonical texts, with how often each occurs in ``count``."""
        count = count_column(columns)
        counted = frame_of_arrow(self._count(columns, count))
        texts = canonical(counted.select(columns), self._tokens)
        found = texts.with_columns(counted[count].cast(pl.Int64))
        apart = all(map(_tells_apart, counted.select(columns), texts))
        return found if apart else add_up(found, count)

    def published(self, columns: Sequence[str]) -> tuple[pl.DataFrame, pl.Series]:
        """The distinct combinations of values as they are, and how often each occurs."""
        count = count_column(columns)
        counted = frame_of_arrow(self._count(columns, count))
        return counted.select(columns), counted[count].cast(pl.Int64)

    def sample(self, columns: Sequence[str], size: int) -> pl.DataFrame:
        """The canonical texts of these columns in some records."""
        chosen = f"SELECT {_names(columns)} FROM {_SOURCE} USING SAMPLE reservoir({size} ROWS)"
        return canonical(self._fetch(f"{chosen} REPEATABLE (0)"), self._tokens)

    def about(self, columns: Sequence[str]) -> Mapping[str, tuple[int, int]]:
        """How many records have a value in each column, and about how many values they have."""
        if new := [name for name in columns if name not in self._about]:
            asked = []
            for name in new:
                asked.append(f"count(*) FILTER ({self._filled(name)})")
                asked.append(f"approx_count_distinct({quoted(name)})")
            listed = ", ".join(f"{one} AS n{at}" for at, one in enumerate(asked))
            found = self._fetch(f"SELECT {listed} FROM {_SOURCE}").row(0)
            self._about |= {name: found[2 * at : 2 * at + 2] for at, name in enumerate(new)}
        return {name: self._about[name] for name in columns}

    def like_their_names(self) -> pl.DataFrame:
        """The first records, and some that have the name of a column as its value."""
        told = {name: cells_of(name, self.columns) for name in self.columns}
        named = " OR ".join(
            f"CAST({quoted(name)} AS VARCHAR) IN ({', '.join(map(literal, told[name]))})"
            for name in self.columns
            if self.kinds[name] == "text"
        )
        rows = f"SELECT {_names(self.columns)} FROM {_SOURCE}"
        like = f"{rows} WHERE {named or 'false'}"
        return self._fetch(f"({rows} LIMIT 1000) UNION ALL ({like} LIMIT 1000)")

    def tally(self, column: str, fewer: int) -> tuple[int, int, int]:
        """Records with a value in a column, its values, and the records of those that are rare."""
        if (column, fewer) not in self._tallied:
            counted = (
                f"SELECT count(*) AS n FROM {_SOURCE} WHERE {self._filled(column)}"
                f" GROUP BY {quoted(column)}"
            )
            query = (
                "SELECT coalesce(sum(n), 0)::BIGINT, count(*),"
                f" coalesce(sum(n) FILTER (n < {fewer}), 0)::BIGINT FROM ({counted})"
            )
            filled, values, rare = self._fetch(query).row(0)
            self._tallied[column, fewer] = filled, values, rare
        return self._tallied[column, fewer]

    def _count_within(self, number: str, others: Sequence[str]) -> pl.DataFrame:
        values = []
        for name in others:
            kind = self.kinds[name]
            value = f"CAST({quoted(name)} AS VARCHAR)" if kind == "other" else quoted(name)
            values.append((f"CASE WHEN {self._filled(name)} THEN {value} END", kind))
        rows = f"{_SOURCE} WHERE {self._filled(number)}"
        return self._fetch(self._asked_within(quoted(number), rows, values))

    def _filled(self, column: str) -> str:
        """The condition that a record has a value in a column, and no text that stands for none."""
        tokens = self._tokens.get(column, ())
        if self.kinds[column] in ("integer", "date", "boolean") and not tokens:
            return f"{quoted(column)} IS NOT NULL"
        floats = self._types[column] in ("FLOAT", "DOUBLE")
        if floats and not tokens:
            return f"NOT isnan({quoted(column)})"
        missing = ", ".join(map(literal, ["nan" if floats else "", *tokens]))
        return f"CAST({quoted(column)} AS VARCHAR) NOT IN ({missing})"

    def different_records(self) -> int:
        """How many records differ, over all columns, told apart by their digests."""
        row = f"hash({_names(self.columns)})"
        query = f"SELECT count(DISTINCT {row}) FROM {_SOURCE}"
        if (stored := file_of(self._relation)) is not None and stored.by_digest:
            rows = f"SELECT {row} AS own FROM {_SOURCE}"
            both = f"SELECT own, lag(own) OVER () AS before FROM ({rows})"
            query = f"SELECT count(*) FILTER (own IS DISTINCT FROM before) FROM ({both})"
        return int(self._fetch(query).item())

    def coded(self, columns: Sequence[str]) -> tuple[dict[str, Coded], Ints | None]:
        """The distinct combinations of values as codes, and how many records have each; those of
        values with one text come one by one.
        """
        values, times = self.published(columns)
        return coded(values, self._tokens), times.to_numpy()

    def one_of(self, parts: int, keys: Sequence[str]) -> str:
        """The condition that draws about one of so many combinations of some columns."""
        own = [null_where_missing(quoted(name), self.kinds[name]) for name in keys]
        return f"hash({', '.join(own)}) % {parts} = 0" if parts > 1 else "true"

    def where(self, condition: str, columns: Sequence[str]) -> pl.DataFrame | None:
        """What records have in some columns, as it is; None of more than a sample may have."""
        most = memory.most_drawn(self.sample(columns, memory.LOOKED_AT), self.ceiling)
        query = f"SELECT {_names(columns)} FROM {_SOURCE} WHERE {condition} LIMIT {most + 1}"
        found = self._fetch(query)
        return found if found.height <= most else None

    def publish(self, change: Change) -> DuckDBPyRelation:
        """The release, as a table of its own connection, with nothing beside its rows."""
        import pyarrow as pa

        self._require_rows(change.columns)
        if change.replace or change.order is not None:
            self._keep()
        records, row = self._recode(change)
        if change.order is not None:
            place = np.full(self.height(), -1, np.int64)
            place[row] = np.arange(len(row))
            wanted = place[change.order]
            taken = wanted[wanted >= 0]
            records, row = records.take(pa.array(taken)), row[taken]
        for name in change.columns:
            if name in change.replace:
                values = change.replace[name].gather(pl.Series(row))
                records = records.append_column(name, values.to_arrow())
        records = records.select(list(change.columns))
        if change.shuffle is not None and change.replace:
            records = records.take(pa.array(change.shuffle.permutation(len(records))))
        return _stored(records, self._types_of(change), "release")

    def _recode(self, change: Change) -> tuple[DuckDBPyRelation, NDArray[np.int64]]:
        """The recoded records as an Arrow table, and their row numbers in the source.

        Columns that are replaced record by record need the source's order first.
        """
        row = self._row
        made = [name for name in change.columns if name in change.published]
        records = self._run(self._recoding(change), self._lookup(change, made))
        if row not in records.column_names:
            return records, np.zeros(0, np.int64)
        return records, records[row].to_numpy()

    @property
    def _row(self) -> str:
        return _unused("row", self.columns)

    def _recoding(self, change: Change) -> str:
        """The query of the recoded records: a join of the source with the lookup table.

        In the order of the source, with row numbers beside; or else class by class, and in each by
        a seeded digest of the published rows, so that a run can be repeated byte for byte where the
        engine's own order varies, and the order tells nothing of that of the source, even if the
        seed is known. Records of a class that are beside each other are counted, and packed, best.
        """
        own = [n for n in change.columns if n not in change.published and n not in change.replace]
        made = [name for name in change.columns if name in change.published]
        # A key comes from its combination: values that the engine takes for equal (0.0 and -0.0,
        # "a" and "A" where a collation says so) are published as one.
        source, held, joined = self._matched(change)
        taken = [(held.get(name) or self._own(name, change), name) for name in own]
        taken += [(f"lookup.p{at}", name) for at, name in enumerate(made)]
        picked = [f"{value} AS {quoted(name)}" for value, name in taken]
        row, lookup = self._row, _LOOKUP
        digest = ", ".join(value for value, _ in taken)
        if change.shuffle is None or change.replace or not picked:
            order = f"source.{row}"
            picked.append(order)
            source = f"(SELECT *, row_number() OVER () - 1 AS {row} FROM {source})"
        else:
            seed = change.shuffle.integers(_SEEDS)  # mixed in last: hash(seed, ...) hardly mixes
            order = f"hash(xor(hash({digest}), {seed}::UBIGINT))"
            if of_class := [value for value, _ in taken if value.startswith("lookup.")]:
                ranked = f"dense_rank() OVER (ORDER BY {', '.join(of_class)})::UINTEGER"
                lookup = f"(SELECT *, {ranked} AS class FROM {_LOOKUP} AS lookup)"
                order = f"lookup.class, {order}"
        return (
            f"SELECT {', '.join(picked)} FROM {source} AS source"
            f" JOIN {lookup} AS lookup ON {joined} ORDER BY {order}"
        )

    def _own(self, name: str, change: Change) -> str:
        """A column of the source as it is published."""
        own = f"source.{quoted(name)}"
        if name not in change.sensitive:
            return own
        if self._types[name] in ("FLOAT", "DOUBLE"):
            return f"CASE WHEN NOT isnan({own}) THEN {own} END"
        return f"nullif({own}, '')" if self._types[name] == "VARCHAR" else own

    def _matched(self, change: Change) -> tuple[str, Mapping[str, str], str]:
        """The source; what stands there of the lookup in place of its columns; and the condition
        that a record has the combination of a row of the lookup.
        """
        held = {name: f"lookup.k{at}" for at, name in enumerate(change.keys)}
        joined = " AND ".join(
            f"source.{quoted(key)} IS NOT DISTINCT FROM {own}" for key, own in held.items()
        )
        return _SOURCE, held, joined or "true"

    def _lookup(self, change: Change, made: Sequence[str]) -> pa.Table:
        """The kept combinations by the engine's own values, with what is published for them."""
        counted = self._count(change.keys, count_column(change.keys))
        texts = canonical(frame_of_arrow(counted.select(list(change.keys))), self._tokens)
        return lookup_of(counted, texts, change, made)

    def _count(self, columns: Sequence[str], count: str) -> pa.Table:
        """The combinations of these columns and their counts, from those that are counted already
        where these are among them.
        """
        names, known = _names(columns), self._wider(columns)
        if known is not None and len(columns) == known.num_columns - 1:
            return known.select([*columns, known.column_names[-1]]).rename_columns(
                [*columns, count]
            )
        most = memory.most_combinations(self.ceiling)
        source, times = _SOURCE, "count(*)"
        if known is not None:
            source, times = _LOOKUP, f"sum({quoted(known.column_names[-1])})::BIGINT"
        found = self._run(
            f"SELECT {names}{',' if columns else ''} {times} AS {quoted(count)} FROM {source}"
            + (f" GROUP BY {names} LIMIT {most + 1}" if columns else ""),
            known,
        )
        memory.require_combinations(found.num_rows, columns, self.name, self.ceiling)
        if known is None and len(columns) > 1:
            self._counted.append(found)
        elif known is not None and _SHORTER * found.num_rows <= known.num_rows:
            self._counted.append(found)  # of fewer columns it tells sooner
        return found

    def _wider(self, columns: Sequence[str]) -> pa.Table:
        """The shortest of the tables counted already that tells these columns; None without."""
        held = (one for one in self._counted if set(columns) <= set(one.column_names[:-1]))
        return min(held, key=len, default=None) if columns else None

    def _types_of(self, change: Change) -> dict[str, str]:
        """The types of the release's columns: those they had, but never one that lists values."""
        types = {name: _plain_type(self._types[name]) for name in change.columns}
        types |= {name: "VARCHAR" for name in change.columns if name in change.published}
        return {name: kind for name, kind in types.items() if name not in change.replace}

    def _keep(self) -> None:
        """Hold the records in a table of our own, so that their order stays."""
        if not self._kept:
            held = zip(self.columns, map(str, self._relation.types), strict=True)
            kinds = {name: _plain_type(kind) for name, kind in held}
            self._relation = _stored(self._run(f"SELECT * FROM {_SOURCE}"), kinds, "source")
            self._kept = True

    def _kinds(self) -> Mapping[str, str]:
        types = self._types
        kinds: dict[str, str] = {}
        if new := [name for name in types if types[name] not in _KINDS]:
            empty = self._fetch(f"SELECT {_names(new)} FROM {_SOURCE} LIMIT 0")
            kinds = {values.name: kind_of_type(values.dtype) for values in empty.get_columns()}
            _KINDS.update({types[name]: kinds[name] for name in new if "'" not in types[name]})
        kinds |= {name: _KINDS[types[name]] for name in types if name not in kinds}
        times = [name for name, kind in kinds.items() if kind == "datetime"]
        dates = [*times, *(name for name, kind in kinds.items() if kind == "date")]
        if dates:
            tests = [f"{quoted(name)} = date_trunc('day', {quoted(name)})" for name in times]
            tests += [_NEAR.format(quoted(name)) for name in dates]
            asked = (f"coalesce(bool_and({one}), true) AS t{at}" for at, one in enumerate(tests))
            told = self._fetch(f"SELECT {', '.join(asked)} FROM {_SOURCE}").row(0)
            whole, near = told[: len(times)], told[len(times) :]
            far = [name for name, it_is in zip(dates, near, strict=True) if not it_is]
            refuse_far(self.columns, far, self.name)
            kinds |= {name: "date" for name, days in zip(times, whole, strict=True) if days}
        return kinds

    def _fetch(self, query: str) -> pl.DataFrame:
        return frame_of_arrow(self._run(query))

    def _run(self, query: str, indistinct_lookup: pa.Table | None = None) -> pa.Table:
        """An Arrow table: what a query over the source (and over the lookup table) answers."""
        answer = self._relation.query(_SOURCE, query).to_arrow_table()
        del indistinct_lookup  # found in this frame by its name while the query ran
        return answer


@dataclass(frozen=True)
class StoredFile:
    """The Parquet file that a relation is, and nothing else.

    Arguments:
        path: where it is.
        by_digest: whether equal rows are beside each other.
        about: what :meth:`DuckDBTable.about` says of its columns, where that is known.
        counted: the combinations that were counted in it, for all who read it.
    """

    path: Path
    by_digest: bool = False
    about: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    counted: list[pa.Table] = field(default_factory=list)


_FILES: weakref.WeakKeyDictionary[DuckDBPyRelation, StoredFile] = weakref.WeakKeyDictionary()


def as_file(relation: DuckDBPyRelation, stored: StoredFile) -> DuckDBPyRelation:
    """The same relation, which is known to be a file from now on."""
    _FILES[relation] = stored
    return relation


def file_of(relation: DuckDBPyRelation) -> StoredFile | None:
    """The file that a relation is; None of others."""
    try:
        return _FILES.get(relation)
    except TypeError:  # no relation, and without a digest
        return None


def like_relation(frame: pl.DataFrame, kind: DuckDBPyRelation) -> DuckDBPyRelation:
    """A Polars frame as a table of a connection of its own, with the types of a relation.

    Texts stay texts in columns of other types, but where all of them can be read as such.
    """
    types = dict(zip(kind.columns, map(str, kind.types), strict=True))
    records = frame.to_arrow()
    wanted = {
        name: "VARCHAR" if text and not _BY_TEXT.search(types[name]) else _plain_type(types[name])
        for name, text in ((name, dtype == pl.String) for name, dtype in frame.schema.items())
        if name in types
    }
    return _stored(records, wanted, "release")


def as_arrow_has_it(relation: DuckDBPyRelation) -> DuckDBPyRelation:
    """A relation in which columns that would not travel as they are come as their texts."""
    types = dict(zip(relation.columns, map(str, relation.types), strict=True))
    if not any(map(_BY_TEXT.search, types.values())):
        return relation
    return relation.project(
        ", ".join(
            f"CAST({quoted(name)} AS VARCHAR) AS {quoted(name)}"
            if _BY_TEXT.search(kind)
            else quoted(name)
            for name, kind in types.items()
        )
    )


def _stored(records: pa.Table, types: Mapping[str, str], name: str) -> DuckDBPyRelation:
    """A relation over a table of a connection of its own that holds these records."""
    import duckdb

    connection = duckdb.connect()
    connection.register("records", records)
    columns = ", ".join(
        f"CAST({quoted(column)} AS {types[column]}) AS {quoted(column)}"
        if column in types and _fits(connection, column, types[column])
        else quoted(column)
        for column in records.column_names
    )
    connection.execute(f"CREATE TABLE {name} AS SELECT {columns} FROM records")
    connection.unregister("records")
    return connection.table(name)


def _fits(connection: DuckDBPyConnection, column: str, kind: str) -> bool:
    """Whether a column of ``records`` can be of this type: texts may be generalized ones."""
    if not _BY_TEXT.search(kind):
        return True
    if "UNION(" in kind:  # a text does not tell which of its types a value has
        return False
    query = f"SELECT count({quoted(column)}) = count(TRY_CAST({quoted(column)} AS {kind}))"
    return bool(connection.execute(f"{query} FROM records").fetchone()[0])


def relation_as_shown(relation: DuckDBPyRelation) -> DuckDBPyRelation:
    """The rows of a relation, with types that follow from them alone: :func:`writing.as_shown`."""
    kinds = dict(zip(relation.columns, map(str, relation.types), strict=True))
    forms = {
        "DOUBLE": "{0} = trunc({0}) AND abs({0}) < 9007199254740992",
        "FLOAT": "{0} = trunc({0}) AND abs({0}) < 9007199254740992",
    }
    forms |= dict.fromkeys(_TIMESTAMPS, "{0} = date_trunc('day', {0})")
    some = {name: forms[kind] for name, kind in kinds.items() if kind in forms}
    first = _always(relation.limit(_FIRST), some)  # mostly some of these say no: all need not be
    some = {name: form for name, form in some.items() if first[name] is not False}
    if not some:
        return with_whole_numbers(relation)
    same = _always(relation, some)
    wanted = {
        name: "VARCHAR" if all_so is None else "DATE" if "TIME" in kinds[name] else "BIGINT"
        for name, all_so in same.items()
        if all_so is not False
    }
    if wanted:
        relation = relation.project(
            ", ".join(
                f"CAST({quoted(name)} AS {wanted[name]}) AS {quoted(name)}"
                if name in wanted
                else quoted(name)
                for name in relation.columns
            )
        )
    return with_whole_numbers(relation)


def _always(relation: DuckDBPyRelation, forms: Mapping[str, str]) -> dict[str, bool | None]:
    """Whether all values of some columns are of a form; None where there is none."""
    if not forms:
        return {}
    asked = (f"bool_and({form.format(quoted(name))})" for name, form in forms.items())
    ((*found,),) = relation.aggregate(", ".join(asked)).fetchall()
    return dict(zip(forms, found, strict=True))


def with_whole_numbers(relation: DuckDBPyRelation) -> DuckDBPyRelation:
    """The same texts, with whole numbers written as such: :func:`text.with_whole_numbers`."""
    kinds = dict(zip(map(quoted, relation.columns), map(str, relation.types), strict=True))
    names = [name for name, kind in kinds.items() if kind == "VARCHAR"]
    if not names:
        return relation
    ((*whole,),) = relation.aggregate(
        ", ".join(f"coalesce(bool_or(suffix({name}, '{WHOLE}')), false)" for name in names)
    ).fetchall()
    some = [name for name, found in zip(names, whole, strict=True) if found]
    if not some:
        return relation
    odd = "regexp_matches({0}, '[0-9]') AND NOT regexp_matches({0}, '{1}')"
    ((*others,),) = relation.aggregate(
        ", ".join(f"coalesce(bool_or({odd.format(name, NUMBER)}), false)" for name in some)
    ).fetchall()
    numbers = {name for name, found in zip(some, others, strict=True) if not found}
    if not numbers:
        return relation
    plain = "CASE WHEN {0} = '-0.0' THEN '0' WHEN suffix({0}, '.0') THEN {0}[:-3] ELSE {0} END"
    return relation.project(
        ", ".join(f"{plain.format(n)} AS {n}" if n in numbers else n for n in kinds)
    )


def with_decimal_points(relation: DuckDBPyRelation) -> DuckDBPyRelation:
    """The same texts with decimal points: :func:`text.with_decimal_points`."""
    kinds = dict(zip(map(quoted, relation.columns), map(str, relation.types), strict=True))
    names = [name for name, kind in kinds.items() if kind == "VARCHAR"]
    if not names:
        return relation
    number = {name: f"regexp_matches({name}, '{COMMA_NUMBER}')" for name in names}
    asked = (
        f"coalesce(bool_and({is_one} OR NOT regexp_matches({name}, '[0-9]')), false)"
        f" AND coalesce(bool_or({is_one} AND contains({name}, ',')), false)"
        for name, is_one in number.items()
    )
    ((*found,),) = relation.aggregate(", ".join(asked)).fetchall()
    plain = {
        name: f"CASE WHEN {number[name]} THEN replace(replace({name}, '.', ''), ',', '.')"
        f" ELSE {name} END AS {name}"
        for name, so in zip(names, found, strict=True)
        if so
    }
    return (
        relation.project(", ".join(plain.get(name, name) for name in kinds)) if plain else relation
    )


def _plain_type(kind: str) -> str:
    return "VARCHAR" if kind.startswith("ENUM") else kind


def _tells_apart(values: pl.Series, texts: pl.Series) -> bool:
    """Whether different values have different canonical texts."""
    if values.null_count() != texts.null_count():
        return False
    plain = kind_of_type(values.dtype) in ("text", "integer", "boolean")
    return plain or values.n_unique() == texts.n_unique()


def _unused(name: str, columns: Sequence[str]) -> str:
    taken = {column.lower() for column in columns}
    while name in taken:
        name += "_"
    return name


def quoted(name: str) -> str:
    """A name of a column as SQL has it."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """A text as SQL has it."""
    return "'" + text.replace("'", "''") + "'"


def _names(columns: Sequence[str]) -> str:
    return ", ".join(map(quoted, columns))
