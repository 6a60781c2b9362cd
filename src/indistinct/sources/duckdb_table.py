"""Tables held by DuckDB: counted and recoded there, in whichever connection the relation is from.

A value is recognized by itself, not by its text: the engine counts the distinct combinations of its
own values, their texts are made of that small table, and the release is one null-safe join with it.
The release is a table of a connection of its own, so that nothing in it refers to its source.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from indistinct.errors import DataError, Problem
from indistinct.sources.eager import add_up, find_combinations
from indistinct.sources.table import Change, count_column, counted_rows
from indistinct.sources.text import Tokens, canonical, kind_of_type
from indistinct.types import Frame

_SOURCE = "indistinct_source"
_LOOKUP = "indistinct_lookup"
_SEEDS = 2**63 - 1
_BY_TEXT = re.compile(r"\b(INTERVAL|BIT|TIME WITH|UHUGEINT|BIGNUM|UUID|VARIANT)\b")
"""Types that Arrow or Polars has not, or changes: these travel as text."""


class DuckDBTable:
    """A table behind a DuckDB relation."""

    def __init__(self, relation: Any, name: str, tokens: Tokens | None = None) -> None:
        self.name = name
        self.columns: tuple[str, ...] = tuple(relation.columns)
        self._types = dict(zip(self.columns, map(str, relation.types), strict=True))
        self._relation = _as_arrow_has_it(relation, self._types)
        self._tokens = tokens or {}
        self._height: int | None = None
        self._kept = False
        self.kinds: Mapping[str, str] = self._kinds()

    def height(self) -> int:
        """Number of records."""
        if self._height is None:
            self._height = int(self._fetch(f"SELECT count(*) FROM {_SOURCE}").item())
        return self._height

    def frame(self) -> pl.DataFrame:
        """All records, in the order of the source.

        Raises:
            DataError: For columns of types that Polars does not have.
        """
        try:
            return self._fetch(f"SELECT * FROM {_SOURCE}")
        except pl.exceptions.PolarsError:
            raise DataError(
                Problem(
                    "unsupported-type",
                    "there are columns of a type that cannot be read record by record",
                    file=self.name,
                    remedy="leave columns of type UNION out, or cast them to text",
                )
            ) from None

    def text(self, columns: Sequence[str]) -> pl.DataFrame:
        """The canonical texts of these columns, in the order of the source, null for missing.

        A query may answer in another order each time it runs. Whoever asks for an order gets that
        of a copy, from which the table is read from then on.
        """
        self._keep()
        return canonical(self._fetch(f"SELECT {_names(columns)} FROM {_SOURCE}"), self._tokens)

    def distinct(self, columns: Sequence[str]) -> pl.DataFrame:
        """The distinct combinations of canonical texts, with how often each occurs in ``count``."""
        count = count_column(columns)
        counted = _polars(self._count(columns, count))
        texts = canonical(counted.select(columns), self._tokens)
        return add_up(texts.with_columns(counted[count].cast(pl.Int64)), count)

    def sample(self, columns: Sequence[str], size: int) -> pl.DataFrame:
        """The canonical texts of these columns in some records."""
        chosen = f"SELECT {_names(columns)} FROM {_SOURCE} USING SAMPLE reservoir({size} ROWS)"
        return canonical(self._fetch(f"{chosen} REPEATABLE (0)"), self._tokens)

    def about(self, columns: Sequence[str]) -> Mapping[str, tuple[int, int]]:
        """How many records have a value in each column, and about how many values they have."""
        if not columns:
            return {}
        asked = []
        for name in columns:
            held, tokens = f"CAST({_quoted(name)} AS VARCHAR)", self._tokens.get(name, ())
            missing = ", ".join(map(_literal, ["", "nan", *tokens]))
            exact = self.kinds[name] in ("integer", "date", "boolean") and not tokens
            asked.append(
                f"count({_quoted(name)})"
                if exact
                else f"count(*) FILTER ({held} NOT IN ({missing}))"
            )
            asked.append(f"approx_count_distinct({_quoted(name)})")
        found = self._fetch(
            f"SELECT {', '.join(f'{one} AS n{at}' for at, one in enumerate(asked))} FROM {_SOURCE}"
        ).row(0)
        return {name: (found[2 * at], found[2 * at + 1]) for at, name in enumerate(columns)}

    def different_records(self) -> int:
        """How many records differ, over all columns, told apart by their digests."""
        query = f"SELECT count(DISTINCT hash({_names(self.columns)})) FROM {_SOURCE}"
        return int(self._fetch(query).item())

    def rows(self, columns: Sequence[str]) -> tuple[pl.DataFrame, NDArray[np.int64] | None]:
        """The distinct combinations of canonical texts, and how many records have each."""
        return counted_rows(self, columns)

    def rows_where(self, column: str, values: Sequence[str | None]) -> tuple[int, ...]:
        """Always empty: records of a relation have no number."""
        del column, values
        return ()

    def publish(self, change: Change) -> Any:
        """The release, as a table of its own connection, with nothing beside its rows."""
        import pyarrow as pa

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

    def _recode(self, change: Change) -> tuple[Any, NDArray[np.int64]]:
        """The recoded records as an Arrow table, and their row numbers in the source.

        In the order of the source, or else shuffled: by a seeded digest of the published rows, so
        that a run can be repeated byte for byte where the engine's own order varies. Columns that
        are replaced record by record need the source's order first.
        """
        own = [n for n in change.columns if n not in change.published and n not in change.replace]
        made = [name for name in change.columns if name in change.published]
        # A key comes from its combination: values that the engine takes for equal (0.0 and -0.0,
        # "a" and "A" where a collation says so) are published as one.
        held = {name: f"lookup.k{at}" for at, name in enumerate(change.keys)}
        taken = [(held.get(name, f"source.{_quoted(name)}"), name) for name in own]
        taken += [(f"lookup.p{at}", name) for at, name in enumerate(made)]
        picked = [f"{value} AS {_quoted(name)}" for value, name in taken]
        row = _unused("row", self.columns)
        digest = ", ".join(value for value, _ in taken)
        order = f"source.{row}"
        if change.shuffle is None or change.replace or not picked:
            picked.append(order)
        else:
            seed = change.shuffle.integers(_SEEDS)  # mixed in last: hash(seed, ...) hardly mixes
            order = f"hash(xor(hash({digest}), {seed}::UBIGINT))"
        joined = " AND ".join(
            f"source.{_quoted(key)} IS NOT DISTINCT FROM lookup.k{at}"
            for at, key in enumerate(change.keys)
        )
        records = self._run(
            f"SELECT {', '.join(picked)}"
            f" FROM (SELECT *, row_number() OVER () - 1 AS {row} FROM {_SOURCE}) AS source"
            f" JOIN {_LOOKUP} AS lookup ON {joined or 'true'}"
            f" ORDER BY {order}",
            self._lookup(change, made),
        )
        if row not in records.column_names:
            return records, np.zeros(0, np.int64)
        return records, records[row].to_numpy()

    def _lookup(self, change: Change, made: Sequence[str]) -> Any:
        """The kept combinations by the engine's own values, with what is published for them."""
        counted = self._count(change.keys, count_column(change.keys))
        found = counted.select(list(change.keys))
        combination_of = np.zeros(counted.num_rows, np.int64)
        if change.keys:
            combination_of = find_combinations(canonical(_polars(found), self._tokens), change)
        kept = np.flatnonzero(change.keep[combination_of])
        lookup = counted.take(kept).rename_columns(
            [f"k{at}" for at in range(len(change.keys))] + ["count"]
        )
        for at, name in enumerate(made):
            texts = change.published[name].cast(pl.String)
            taken = texts.gather(pl.Series(combination_of[kept]))
            lookup = lookup.append_column(f"p{at}", taken.to_arrow())
        return lookup

    def _count(self, columns: Sequence[str], count: str) -> Any:
        names = _names(columns)
        return self._run(
            f"SELECT {names}{',' if columns else ''} count(*) AS {_quoted(count)} FROM {_SOURCE}"
            + (f" GROUP BY {names}" if columns else "")
        )

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
        unions = [name for name, kind in self._types.items() if "UNION(" in kind]
        others = f"* EXCLUDE ({_names(unions)})" if unions else "*"
        sample = (
            self._fetch(f"SELECT {others} FROM {_SOURCE} LIMIT 0")
            if len(unions) < len(self.columns)
            else pl.DataFrame()
        )
        kinds = {values.name: kind_of_type(values.dtype) for values in sample.get_columns()}
        kinds |= dict.fromkeys(unions, "other")
        times = [name for name, kind in kinds.items() if kind == "datetime"]
        if times:
            tests = ", ".join(
                f"coalesce(bool_and({_quoted(name)} = date_trunc('day', {_quoted(name)})), true)"
                f" AS {_quoted(name)}"
                for name in times
            )
            whole = self._fetch(f"SELECT {tests} FROM {_SOURCE}").row(0)
            kinds |= {name: "date" for name, days in zip(times, whole, strict=True) if days}
        return kinds

    def _fetch(self, query: str) -> pl.DataFrame:
        return _polars(self._run(query))

    def _run(self, query: str, indistinct_lookup: Any = None) -> Any:
        """An Arrow table: what a query over the source (and over the lookup table) answers."""
        answer = self._relation.query(_SOURCE, query).to_arrow_table()
        del indistinct_lookup  # found in this frame by its name while the query ran
        return answer


def like_relation(frame: pl.DataFrame, kind: Any) -> Any:
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


def _as_arrow_has_it(relation: Any, types: Mapping[str, str]) -> Any:
    """A relation in which columns that would not travel as they are come as their texts."""
    if not any(map(_BY_TEXT.search, types.values())):
        return relation
    return relation.project(
        ", ".join(
            f"CAST({_quoted(name)} AS VARCHAR) AS {_quoted(name)}"
            if _BY_TEXT.search(kind)
            else _quoted(name)
            for name, kind in types.items()
        )
    )


def _stored(records: Any, types: Mapping[str, str], name: str) -> Any:
    """A relation over a table of a connection of its own that holds these records."""
    import duckdb

    connection = duckdb.connect()
    connection.register("records", records)
    columns = ", ".join(
        f"CAST({_quoted(column)} AS {types[column]}) AS {_quoted(column)}"
        if column in types and _fits(connection, column, types[column])
        else _quoted(column)
        for column in records.column_names
    )
    connection.execute(f"CREATE TABLE {name} AS SELECT {columns} FROM records")
    connection.unregister("records")
    return connection.table(name)


def _fits(connection: Any, column: str, kind: str) -> bool:
    """Whether a column of ``records`` can be of this type: texts may be generalized ones."""
    if not _BY_TEXT.search(kind):
        return True
    query = f"SELECT count({_quoted(column)}) = count(TRY_CAST({_quoted(column)} AS {kind}))"
    return bool(connection.execute(f"{query} FROM records").fetchone()[0])


def _plain_type(kind: str) -> str:
    return "VARCHAR" if kind.startswith("ENUM") else kind


def _polars(table: Frame) -> pl.DataFrame:
    frame = pl.from_arrow(table)
    assert isinstance(frame, pl.DataFrame)
    return frame


def _unused(name: str, columns: Sequence[str]) -> str:
    taken = {column.lower() for column in columns}
    while name in taken:
        name += "_"
    return name


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _names(columns: Sequence[str]) -> str:
    return ", ".join(map(_quoted, columns))
