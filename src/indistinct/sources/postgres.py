"""Tables and queries in a PostgreSQL server: counted and recoded there, spoken to by ADBC.

One transaction sees one state of the database, from the first count to the release. Only
combinations and counts come home; the lookup of what is published for each combination goes up as a
temporary table, never as the text of a statement, which servers write into logs. A value is told
from others by its text in the server, byte by byte: two texts are two values, whatever a collation
says. Nothing is ever committed but a release, with its certificate.
"""

from __future__ import annotations

import contextlib
import json
import re
import weakref
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, quote, urlencode, urlsplit, urlunsplit

import numpy as np
import polars as pl

from indistinct.errors import DataError, OutputError, refuse
from indistinct.frozen import dataclass
from indistinct.sources import memory
from indistinct.sources.arrow import frame_of_arrow
from indistinct.sources.eager import add_up, find_combinations
from indistinct.sources.engine_table import EngineTable
from indistinct.sources.headers import believed_names, cells_of
from indistinct.sources.parts import Coding, Parts, Walked
from indistinct.sources.postgres_cuts import CODES, coded, distinct_codes, leaves_of, parts_of
from indistinct.sources.postgres_refusals import telling
from indistinct.sources.streamed_parts import codes_of, looked_up
from indistinct.sources.table import (
    Change,
    count_column,
    name_problems,
    quantities,
)
from indistinct.sources.text import Tokens, canonical, kind_of_type
from indistinct.types import Array, Frame, Plain, PlainMapping
from indistinct.warning_kinds import Kind

if TYPE_CHECKING:
    import pyarrow as pa

_SCHEME = re.compile(r"(postgres(?:ql)?):/+", re.IGNORECASE)
_SECRET = re.compile("password|secret|token", re.IGNORECASE)
_SEEDS = 2**63 - 1
_AS_ARROW = {
    "smallint", "integer", "bigint", "real", "double precision", "boolean", "date",
    "timestamp without time zone", "timestamp with time zone", "time without time zone",
}  # fmt: skip
"""Types that travel as they are; all others travel as their texts."""

_BY_VALUE = {
    "smallint", "integer", "bigint", "boolean", "date", "uuid", "timestamp without time zone",
    "timestamp with time zone",
}  # fmt: skip
"""Types of which two values are equal where their texts are."""

_SHARE, _ENOUGH = 64, 1000
"""Values are counted by the share of their digests, where so many are found of it."""

_DIGESTS = {
    "smallint": "hashint2extended({0}, {1})",
    "integer": "hashint4extended({0}, {1})",
    "bigint": "hashint8extended({0}, {1})",
    "boolean": "hashint4extended({0}::integer, {1})",
    "real": "hashfloat4extended({0}, {1})",
    "double precision": "hashfloat8extended({0}, {1})",
    "numeric": "hash_numeric_extended({0}, {1} # ({0} < 0)::integer)",  # the server's has no sign
    "date": "hashint4extended({0} - date '2000-01-01', {1})",
    "timestamp without time zone": "timestamp_hash_extended({0}, {1})",
    "timestamp with time zone": "timestamp_hash_extended({0}::timestamp, {1})",
    "uuid": "uuid_hash_extended({0}, {1})",
}
"""Digests of values, the same of equal ones."""

_OF_TEXT = 'hashtextextended({0}::text COLLATE "C", {1})'
"""The digest of values of other types, and of times that do not travel as they are."""

_MOST_PAIRS = 1_000_000
"""Combinations with a further column that are counted of a release at most, to know its values."""

_SPARE = 2
"""How many times as many records are drawn as a sample needs, of which those are taken."""

_TIMES = ("date", "timestamp without time zone", "timestamp with time zone")
_FAR = "200000-01-01"
"""Times from here on travel as texts: frames have no text of those after the year 262142."""

_DIGITS = 38
_CERTIFICATE = "_certificate"
_RELEASE = "release"
_SETTINGS = {
    "TimeZone": "UTC",
    "DateStyle": "ISO, YMD",
    "IntervalStyle": "iso_8601",
    "bytea_output": "hex",
    "extra_float_digits": "1",
    "synchronize_seqscans": "off",
    "standard_conforming_strings": "on",
    "idle_in_transaction_session_timeout": "0",
    "lock_timeout": "60s",
    "jit": "off",
}
_JOINING = {"enable_mergejoin": "off", "enable_nestloop": "off"}
"""For the join with the lookup: a planner that takes it for large would sort the whole table."""

_COUNTING = {"enable_sort": "off"}
"""For counts of combinations: a planner that takes them for many would sort the whole table, too,
which takes four times as long as hashing it."""

_SORTING = {"work_mem": "64MB"}
"""For digests of all records, which are sorted without files then, up to some million."""

_IN_ORDER = {"max_parallel_workers_per_gather": "0"}


def is_address(data: object) -> bool:
    """Whether it names something in a PostgreSQL server.

    >>> is_address("postgresql://host/db?table=visits"), is_address("visits.csv")
    (True, False)
    """
    return isinstance(data, str | Path) and _SCHEME.match(str(data)) is not None


def as_written(data: str | Path) -> str:
    """What was given, for a command: an address has two slashes, of which a path keeps one.

    >>> as_written(Path("postgresql://me@host/db?table=visits"))
    'postgresql://me@host/db?table=visits'
    """
    return _SCHEME.sub(r"\1://", str(data), count=1) if is_address(data) else str(data)


@dataclass(frozen=True)
class Address:
    """Where a table is: the server as libpq has it, and what is ours."""

    server: str
    schema: str | None = None
    table: str | None = None

    @classmethod
    def of(cls, given: str | Path) -> Address:
        """An address as it is written: ``postgresql://host/db?table=visits``, without a password.

        >>> Address.of("postgresql://me@host/db?table=clinic.visits&sslmode=require")
        Address(server='postgresql://me@host/db?sslmode=require', schema='clinic', table='visits')
        >>> Address.of("postgresql://host/db?table=a+b&options=-c%20jit%3Doff")
        Address(server='postgresql://host/db?options=-c%20jit%3Doff', schema=None, table='a+b')

        Raises:
            DataError: it holds a password, or cannot be read.
        """
        try:
            parts = urlsplit(as_written(given))
            secret = parts.password is not None
        except ValueError:
            raise _unreadable_address() from None
        query = parts.query.replace("+", "%2B")  # libpq takes it for a plus, not for a blank
        options = dict(parse_qsl(query, keep_blank_values=True))
        if secret or any(map(_SECRET.search, options)) or "@" in parts.path:
            raise DataError(
                "password-in-address",
                "the address holds a password, which other users and the history of the shell see",
                remedy="take it out, and change it; set PGPASSWORD, or write it into "
                "~/.pgpass or a service file",
            )
        schema, table = options.pop("schema", None), options.pop("table", None)
        if schema is None and table is not None and "." in table:
            schema, _, table = table.partition(".")
        rest = urlencode(options, quote_via=quote)
        server = urlunsplit((parts.scheme, parts.netloc, parts.path, rest, ""))
        return cls(server, schema or None, table or None)

    @classmethod
    def of_release(cls, given: str | Path) -> Address:
        """The address of the schema that a release is put into.

        Raises:
            DataError: it is none of a server, or names no schema.
        """
        if not is_address(given):
            message = "a release goes into a PostgreSQL server, and this is no address of one"
            remedy = "write postgresql://host/db?schema=NAME, or leave --into out"
            raise DataError("table-or-query", message, remedy=remedy)
        found = cls.of(given)
        if found.schema is None:
            remedy = "end the address with ?schema=NAME"
            raise DataError("table-or-query", "no schema is named", remedy=remedy)
        return found

    @property
    def name(self) -> str:
        """What messages call it: the table, never the server."""
        return ".".join(part for part in (self.schema, self.table) if part) or "the query"

    def source(self, query: str | None) -> str:
        """What is read, as SQL.

        Raises:
            DataError: neither a table nor a query is named, or both.
        """
        if (self.table is None) == (query is None):
            raise DataError(
                "table-or-query",
                "a table and a query are named" if query else "no table and no query is named",
                file=self.name,
                remedy="take one of them away"
                if query
                else 'end the address with ?table=NAME, or write query = "SELECT ..." under '
                "[source]",
            )
        if query is not None:
            return query.strip().rstrip(";")
        return f"SELECT * FROM {_qualified(self.schema, str(self.table))}"


def _unreadable_address() -> DataError:
    message = "the address cannot be read"
    remedy = "write it as postgresql://user@host:port/database?table=schema.table"
    return DataError("table-or-query", message, remedy=remedy)


class Session:
    """One transaction in a server: what is read in it is of one moment."""

    def __init__(self, address: Address) -> None:
        try:
            import pyarrow  # noqa: F401
            from adbc_driver_postgresql import dbapi
        except ImportError:
            remedy = "install the extra: pip install 'indistinct[postgres]'"
            message = "tables in PostgreSQL are read by ADBC and PyArrow, which are not installed"
            raise DataError("not-installed", message, remedy=remedy) from None
        self.address, self.name = address, address.name
        self._made = 0
        with telling(self.name):
            self._connection = dbapi.connect(address.server)
        weakref.finalize(self, self._connection.close)
        self.run("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        for name, value in _SETTINGS.items():
            self.run(f"SET {name} = '{value}'")

    def run(self, statement: str, *given: Any) -> None:
        """Let the server do something."""
        with telling(self.name), self._connection.cursor() as cursor:
            cursor.adbc_statement.set_options(**{"adbc.postgresql.use_copy": "false"})
            cursor.execute(statement, given or None)

    def batches(self, query: str) -> Iterator[pa.RecordBatch]:
        """What a query answers, as batches of Arrow."""
        with telling(self.name), self._connection.cursor() as cursor:
            cursor.execute(query)
            yield from cursor.fetch_record_batch()

    def columns(self, query: str) -> list[str]:
        """The names of the columns that a query answers with."""
        with telling(self.name), self._connection.cursor() as cursor:
            return list(cursor.adbc_execute_schema(query).names)

    def fetch(self, query: str) -> pl.DataFrame:
        """What a query answers."""
        with telling(self.name), self._connection.cursor() as cursor:
            cursor.execute(query)
            return frame_of_arrow(cursor.fetch_arrow_table())

    @contextlib.contextmanager
    def settings(self, given: Mapping[str, str]) -> Iterator[None]:
        """Let settings of the server apply for a while."""
        for name, value in given.items():
            self.run(f"SET {name} = {_literal(value)}")
        yield
        for name in given:
            self.run(f"RESET {name}")

    def new_name(self, what: str) -> str:
        """A name that no temporary table of this session has."""
        self._made += 1
        return f"indistinct_{what}_{self._made}"

    def upload(
        self, rows: pa.Table, name: str, schema: str | None = None, *, more: bool = False
    ) -> None:
        """Put an Arrow table into a new table, or further rows of it into one that is there.

        Arguments:
            rows: the Arrow table.
            name: the name of the table in the server.
            schema: where it is; a temporary table, where none is named.
            more: whether it is there already.
        """
        if schema is None:  # ADBC would not tell why there may be none
            self.run("CREATE TEMPORARY TABLE IF NOT EXISTS pg_temp.indistinct_may_be ()")
        where: Plain = {"temporary": True} if schema is None else {"db_schema_name": schema}
        with telling(self.name), self._connection.cursor() as cursor:
            cursor.adbc_ingest(name, rows, mode="append" if more else "create", **where)

    def commit(self) -> None:
        """Let everything appear that was stored."""
        with telling(self.name):
            self._connection.commit()

    def close(self) -> None:
        """Leave the server; what was not committed is undone."""
        self._connection.close()


@dataclass(frozen=True, eq=False)
class _Told(Mapping[str, tuple[int, int]]):
    """What is said of columns, found when it is asked for.

    Arguments:
        names: the columns.
        find: finds it.
    """

    names: tuple[str, ...]
    find: Callable[[str], tuple[int, int]]

    def __getitem__(self, name: str) -> tuple[int, int]:
        """What is said of a column."""
        return self.find(name)

    def __iter__(self) -> Iterator[str]:
        """The columns."""
        return iter(self.names)

    def __len__(self) -> int:
        """How many columns there are."""
        return len(self.names)


@dataclass(frozen=True)
class _Whole:
    """A release of all records, which may be asked in place of its table.

    Arguments:
        table: the release.
        keys: the quasi-identifiers.
        classes: how many combinations of them the source has, and the release at most.
        kept: further columns that are published as they are.
    """

    table: PostgresTable
    keys: tuple[str, ...]
    classes: int
    kept: Collection[str]


class PostgresTable(EngineTable):
    """A table, a query or a release behind a session; the release of one is another."""

    def __init__(self, session: Session, source: str, name: str, *, names: bool = False) -> None:
        self.session = session
        self.name = name
        self.source = source
        self._tokens: Tokens = {}
        self._counted: dict[tuple[str, ...], pl.DataFrame] = {}
        self._about: dict[str, tuple[int, int]] = {}
        self._seen: dict[str, tuple[int, int]] = {}
        self._tallied: dict[tuple[str, int], tuple[int, int, int]] = {}
        self._within = {}
        self._as_before: tuple[Mapping[str, tuple[int, int]], list[str]] = {}, []
        self._digests: tuple[str, str] | None = None
        self._frame: pl.DataFrame | None = None
        self._release: _Whole | None = None
        self._tree: Walked | None = None
        self._parts = ""
        self._types = self._types_in_server()
        self.columns: tuple[str, ...] = tuple(self._types)
        self._height: int
        self._like_names: bool
        self._scales: dict[str, int]
        self._bounded: dict[str, bool]
        self.kinds: Mapping[str, str] = self._look(names=names)

    def with_tokens(self, tokens: Tokens) -> PostgresTable:
        """The same table, in which these texts stand for a missing value."""
        return self._but(_tokens=dict(tokens), _about={}, _seen={}, _tallied={})

    def in_parts(self, quasi: Sequence[Coding], sensitive: Sequence[Coding]) -> Parts:
        """Its combinations, coded, in a temporary table of the server."""
        codings = [*quasi, *sensitive]
        self._parts = self.session.new_name("parts")
        with self.session.settings(_JOINING | _COUNTING):
            self.session.run(distinct_codes(self._parts, self._coded(codings), len(codings)))
        return parts_of(self.session, self._parts, len(quasi), len(codings), self.ceiling)

    def cut(self, tree: Walked) -> PostgresTable:
        """The same table, published by what stands at the leaves of a tree."""
        return self._but(_tree=tree)

    def _coded(self, codings: Sequence[Coding]) -> str:
        """The source beside the codes of its values, which are uploaded."""
        joins = []
        for at, one in enumerate(codings):
            counted = self._count([one.column])
            texts = self._canonical(self._values(counted, [one.column]))[one.column]
            known = pl.DataFrame({"k": counted["t0"], "c": codes_of(texts, one)}).drop_nulls("c")
            known = known.with_columns(pl.col("k").first().over("c").alias("r"))
            name = self.session.new_name("codes")
            self.session.upload(_arrow(known), name)
            self.session.run(f"ANALYZE pg_temp.{name}")
            ours = CODES.format(at)
            on = self._alike(one.column, f"{ours}.k", gap=known["k"].has_nulls())
            joins.append(f" JOIN pg_temp.{name} {ours} ON {on}")
        return f"({self.source}) s{''.join(joins)}"

    def __len__(self) -> int:
        return self._height

    def __repr__(self) -> str:
        return f"<PostgresTable: {self.name}, {self._height} rows, {len(self.columns)} columns>"

    def height(self) -> int:
        """Number of records."""
        return self._height

    def frame(self, columns: Sequence[str] | None = None) -> pl.DataFrame:
        """All records; of some columns, where these are named.

        Raises:
            DataError: They take more memory than they may.
        """
        if self._frame is None:
            cells = self._height * len(self.columns)
            memory.require_rows(memory.OF_CELLS * cells, self.name, memory.allowed())
            self._frame = self._fetch(self.columns)
        return self._frame if columns is None else self._frame.select(columns)

    def head(self, rows: int) -> pl.DataFrame:
        """The first records."""
        return self._fetch(self.columns, f"LIMIT {rows}")

    def to_arrow_reader(self, rows: int) -> pa.RecordBatchReader:
        """All records, batch by batch, as DuckDB hands them out; in the order of a release."""
        import pyarrow as pa

        del rows  # the driver chooses
        schema = self.head(0).to_arrow().schema
        batches = (
            batch.cast(schema) if batch.schema != schema else batch
            for part in self.session.batches(self._selecting(self.columns))
            for batch in self._typed(frame_of_arrow(part)).to_arrow().to_batches()
        )
        return pa.RecordBatchReader.from_batches(schema, batches)

    def text(self, columns: Sequence[str]) -> pl.DataFrame:
        """The canonical texts of these columns, in one order that stays, null for missing.

        Raises:
            DataError: They take more memory than they may.
        """
        return self._canonical(self.frame(columns))

    def distinct(self, columns: Sequence[str]) -> pl.DataFrame:
        """The distinct combinations of canonical texts, with how often each occurs in ``count``."""
        count, counted = count_column(columns), self._count(columns)
        texts = self._canonical(self._values(counted, columns))
        return add_up(texts.with_columns(counted["n"].alias(count)), count)

    def published(self, columns: Sequence[str]) -> tuple[pl.DataFrame, pl.Series]:
        """The distinct combinations of values as they are, and how often each occurs."""
        counted = self._count(columns)
        return self._values(counted, columns), counted["n"]

    def sample(self, columns: Sequence[str], size: int) -> pl.DataFrame:
        """The canonical texts of these columns in some records."""
        self.session.fetch("SELECT setseed(0)::text AS s")
        share = _SPARE * size / max(self._height, 1)
        some = f"WHERE random() < {share} " * (share < 1)
        return self._canonical(self._fetch(columns, f"{some}ORDER BY random() LIMIT {size}"))

    def like_their_names(self) -> pl.DataFrame:
        """The first records, and some that have the name of a column as its value; none where no
        name is a number, and no column has its own name as a value.
        """
        if not quantities(self.columns) and not self._like_names:
            return self._fetch(self.columns, "LIMIT 0")
        own = f"WHERE {self._named_alike()}"
        return pl.concat([self._fetch(self.columns, f"{some} LIMIT 1000") for some in ("", own)])

    def _named_alike(self) -> str:
        """The condition that a record has the name of a column of texts as its value."""
        own = (
            f"{_text(name)} IN ({', '.join(map(_literal, cells_of(name, self.columns)))})"
            for name, kind in self._types.items()
            if kind not in _AS_ARROW | {"numeric"}
        )
        return " OR ".join(own) or "false"

    def about(self, columns: Sequence[str]) -> Mapping[str, tuple[int, int]]:
        """How many records have a value in each column, and about how many values they have."""
        before, whole = self._as_before
        self._seen |= {name: before[name] for name in whole if name in before}
        if new := [name for name in columns if name not in self._seen]:
            asked, digests = [], []
            for at, name in enumerate(new):
                asked.append(f"count(*) FILTER (WHERE {self._filled(name)}) AS n{at}")
                asked.append(f"count(DISTINCT h{at}) FILTER (WHERE h{at} % {_SHARE} = 0) AS h{at}")
                digests.append(f"{self._digest(name).format(quoted(name), 0)} AS h{at}")
            source = f"(SELECT *, {', '.join(digests)} FROM ({self.source}) s) s"
            found = self.session.fetch(f"SELECT {', '.join(asked)} FROM {source}").row(0)
            self._seen |= {name: found[2 * at : 2 * at + 2] for at, name in enumerate(new)}
        return _Told(tuple(columns), self._told_of)

    def _told_of(self, name: str) -> tuple[int, int]:
        """What :meth:`about` says of a column; where it has few values, counted when it is asked:
        by then the release, or another count, may tell it.
        """
        if name not in self._about:
            filled, hits = self._seen[name]
            values = hits * _SHARE if hits >= _ENOUGH else self._values_of_few(name, hits * _SHARE)
            self._about[name] = filled, values
        return self._about[name]

    def _values_of_few(self, name: str, about: int) -> int:
        """How many values a column has that has few.

        Where they are published as they are, the release is asked for how many of each class have
        which: that is counted once, for the audit and for all who ask what a class tells.
        """
        whole = self._release
        for own, counted in self._counted.items():
            if name in own:
                return counted[f"t{own.index(name)}"].drop_nulls().n_unique()
        few = whole is not None and whole.classes * max(about, _SHARE) <= _MOST_PAIRS
        if whole is not None and few and name in whole.kept:
            counted = whole.table._count([*whole.keys, name])  # noqa: SLF001, one of us
            return counted[f"t{len(whole.keys)}"].drop_nulls().n_unique()
        each = f"SELECT DISTINCT {self._key(name)} AS v FROM ({self.source}) s"
        with self.session.settings(_COUNTING):
            return int(self.session.fetch(f"SELECT count(v) AS n FROM ({each}) s").item())

    def tally(self, column: str, fewer: int) -> tuple[int, int, int]:
        """Records with a value in a column, its values, and the records of those that are rare."""
        if (column, fewer) not in self._tallied:
            counted = (
                f"SELECT count(*) AS n FROM ({self.source}) s WHERE {self._filled(column)}"
                f" GROUP BY {_text(column)}"
            )
            query = (
                "SELECT coalesce(sum(n), 0)::bigint AS a, count(*) AS b,"
                f" coalesce(sum(n) FILTER (WHERE n < {fewer}), 0)::bigint AS c FROM ({counted}) s"
            )
            with self.session.settings(_COUNTING):
                filled, values, rare = self.session.fetch(query).row(0)
            self._tallied[column, fewer] = filled, values, rare
        return self._tallied[column, fewer]

    def _count_within(self, number: str, others: Sequence[str]) -> pl.DataFrame:
        values = []
        for name in others:
            ordered = self._types[name] in _BY_VALUE - {"uuid", "boolean"} or self._varies(name)
            value = quoted(name) if ordered else _text(name)
            values.append((f"CASE WHEN {self._filled(name)} THEN {value} END", self.kinds[name]))
        rows = f"({self.source}) s WHERE {self._filled(number)}"
        with self.session.settings(_COUNTING):
            return self.session.fetch(self._asked_within(self._key(number), rows, values))

    def different_records(self) -> int:
        """How many records differ, over all columns, told apart by their digests."""
        source, digest = f"({self.source}) s", self._row_digest(self.columns, "0")
        if self._digests is not None:
            release, digest = self._digests
            source = f"pg_temp.{release}"
        query = f"SELECT count(DISTINCT {digest}) AS n FROM {source}"
        with self.session.settings(_SORTING):
            return int(self.session.fetch(query).item())

    def one_of(self, parts: int, keys: Sequence[str]) -> str:
        """The condition that draws about one of so many combinations of some columns."""
        digests = ["0"]
        for name in keys:
            form, value = self._digest(name), quoted(name)
            if self._varies(name):
                value = f"nullif({value}, 'NaN')"
            elif form == _OF_TEXT:
                value = f"nullif({value}::text, '')"
            seed = len(digests)
            digests.append(f"coalesce({form.format(value, seed)}, hashint4extended(0, {seed}))")
        return f"({' # '.join(digests)}) % {parts} = 0" if parts > 1 else "true"

    def where(self, condition: str, columns: Sequence[str]) -> pl.DataFrame | None:
        """What records have in some columns, as it is; None of more than a sample may have."""
        first = self._fetch(columns, f"LIMIT {memory.LOOKED_AT}")  # of a release, these are some
        most = memory.most_drawn(self._canonical(first), memory.allowed())
        found = self._fetch(columns, f"WHERE {condition} LIMIT {most + 1}")
        return found if found.height <= most else None

    def publish(self, change: Change) -> PostgresTable:
        """The release, a temporary table in the server, in the order in which it is published."""
        if change.replace or change.order is not None:
            raise AssertionError("records are replaced one by one, which needs them in memory")
        lookup = self.session.new_name("lookup")
        rows, kept = self._lookup(change)
        self.session.upload(_arrow(rows), lookup)
        release = self.session.new_name("release")
        source, on = self._matched(change, rows)
        recoded = self._recoding(change, source, lookup, on)
        made = f"CREATE TEMPORARY TABLE {release} AS {recoded}"
        with self.session.settings(_JOINING if change.shuffle else _JOINING | _IN_ORDER):
            self.session.run(f"ANALYZE pg_temp.{lookup}")
            self.session.run(made)
        found = self._released(release, change, kept)
        if kept == self._height:
            own = {*self._kept_whole(change)} - {*change.keys}
            self._release = _Whole(found, change.keys, change.combinations.height, own)
        return found

    def _released(self, release: str, change: Change, height: int) -> PostgresTable:
        """The table that was published; what was seen of its columns need not be looked for."""
        found = object.__new__(PostgresTable)
        columns = ", ".join(map(quoted, change.columns))
        source = f"SELECT {columns} FROM pg_temp.{release}"
        found.__dict__ |= self.__dict__ | {
            "name": "release",
            "source": source,
            "columns": tuple(change.columns),
            "_height": height,
            "_tokens": {},
            "_counted": {},
            "_about": {},
            "_seen": {},
            "_tallied": {},
            "_as_before": (self._seen, self._kept_whole(change) if height == self._height else []),
            "_frame": None,
            "_release": None,
            "_like_names": True,
            "_tree": None,
            "_digests": None if change.shuffle is None else (release, self._row),
        }
        for told in ("_scales", "_bounded", "kinds", "_types"):
            own = {n: one for n, one in self.__dict__[told].items() if n in change.columns}
            made = {"kinds": "text", "_types": "text"}.get(told)
            for name in change.published.columns:
                own.pop(name, None)
                if made is not None:
                    own[name] = made
            found.__dict__[told] = own
        return found

    def _kept_whole(self, change: Change) -> list[str]:
        """The columns that are published as they are, where all records are."""
        own = [name for name in change.columns if name not in change.published]
        return [name for name in own if not self._tokens.get(name)]

    def _recoding(self, change: Change, source: str, lookup: str, on: str) -> str:
        """The query of the recoded records: a join of the source with the lookup.

        Shuffled by a seeded digest of the published rows, which tells nothing of the order of the
        source, even if the seed is known.

        Arguments:
            change: what is published instead of what.
            source: the records, as SQL.
            lookup: the name of the lookup.
            on: the condition that a record ``s`` is published as a row ``l`` of the lookup says.
        """
        made, told = {}, self._in_lookup(change)
        for name, column in told.items():
            own = f"l.{column}"
            if name in change.published:
                made[name] = own
            elif self._varies(name):
                made[name] = f"CAST({own} AS {self._types[name]})"
        for name in change.sensitive:
            if name not in told and self._types.get(name) in ("text", "character varying"):
                made[name] = f"nullif(s.{quoted(name)}, '')"
            elif name not in told and self._types.get(name) in ("real", "double precision"):
                made[name] = f"nullif(s.{quoted(name)}, 'NaN')"
        picked = [
            f"{made.get(name, f's.{quoted(name)}')} AS {quoted(name)}" for name in change.columns
        ]
        ours, order = f"pg_temp.{lookup}", f"s.{self._row}"
        if change.shuffle is None:
            source = f"(SELECT *, row_number() OVER () AS {self._row} FROM {source} s)"
        else:
            # Of a combination it is computed once, and goes on over what else a record has.
            cells = ", ".join(
                f'l.{column} COLLATE "C"' for name, column in told.items() if name in change.columns
            )
            seed = f"{change.shuffle.integers(_SEEDS)}"
            begun = f"hash_record_extended(ROW({cells}), {seed})" if cells else f"{seed}::bigint"
            ours = f"(SELECT *, {begun} AS {self._row} FROM {ours} l OFFSET 0)"
            rest = [name for name in change.columns if name not in told]
            picked.append(f"{self._row_digest(rest, f'l.{self._row}', 's.')} AS {self._row}")
            order = str(len(picked))
        return f"SELECT {', '.join(picked)} FROM {source} s JOIN {ours} l ON {on} ORDER BY {order}"

    def _in_lookup(self, change: Change) -> dict[str, str]:
        """The column of the lookup that tells what is published of a column, by its name."""
        if self._tree is not None:
            return {name: f"p{at}" for at, name in enumerate(change.published.columns)}
        found = {}
        for at, key in enumerate(change.keys):
            # Values that differ in nothing but their texts (0.0 and -0.0, 1.0 and 1.00) come as
            # one.
            own = f"k{at}_" if self._varies(key) else f"k{at}"
            found[key] = f"p{at}" if key in change.published else own
        return found

    def _matched(self, change: Change, lookup: pl.DataFrame) -> tuple[str, str]:
        """The source, as SQL, and the condition that one of its records is published as a row of
        the lookup says: it has that combination, or walks to that leaf.
        """
        if self._tree is None:
            found = [
                self._alike(name, f"l.k{at}", gap=lookup[f"k{at}"].has_nulls())
                for at, name in enumerate(change.keys)
            ]
            return f"({self.source})", " AND ".join(found) or "true"
        quasi = self._tree.quasi
        leaves = leaves_of(self.session, self._parts, self._tree)
        alike = {one.column: CODES.format(at) for at, one in enumerate(quasi)}
        own = {
            name: f"CAST({alike[name]}.r AS {self._types[name]})"
            if name in alike and self._varies(name)
            else f"s.{quoted(name)}"
            for name in self.columns
        }
        picked = ", ".join(f"{one} AS {quoted(name)}" for name, one in own.items())
        source = coded(self._coded(quasi), leaves, len(quasi))
        return (
            f"(SELECT {picked}, q.leaf AS {self._row}_ FROM {source})",
            f"s.{self._row}_ = l.leaf",
        )

    def _alike(self, column: str, ours: str, *, gap: bool) -> str:
        """The condition that a record has a value."""
        here, theirs = f'{ours} COLLATE "C"', f"s.{_text(column)}"
        if gap:
            both = f"coalesce({theirs}, '') = coalesce({here}, '')"
            return f"{both} AND (s.{quoted(column)} IS NULL) = ({ours} IS NULL)"
        if self._types[column] in _BY_VALUE:
            return f"s.{quoted(column)} = CAST({ours} AS {self._types[column]})"
        return f"{theirs} = {here}"

    def _row_digest(self, columns: Sequence[str], seed: str, of: str = "") -> str:
        """A digest of some columns of a record: of two that do not look alike, it differs."""
        digests = [seed]
        for name in columns:
            form = _OF_TEXT if self._varies(name) else self._digest(name)
            digest = form.format(f"{of}{quoted(name)}", f"{seed} # {len(digests)}")
            digests.append(f"coalesce({digest}, 0)")
        return " # ".join(digests)

    def _digest(self, column: str) -> str:
        """The digest of a value of a column, with places for the value and a seed."""
        known = _DIGESTS.get(self._types[column]) if self._bounded.get(column, True) else None
        return known or _OF_TEXT

    def _lookup(self, change: Change) -> tuple[pl.DataFrame, int]:
        """The kept combinations by their texts in the server, or leaves, with what is published for
        them; and how many records have one of these.
        """
        if self._tree is not None:
            found, held = looked_up(self._tree, change.keep, change.published.get_columns())
            return frame_of_arrow(found), held
        counted = self._count(change.keys)
        combination_of: Array = np.zeros(len(counted), np.int64)
        if change.keys:
            values = self._canonical(self._values(counted, change.keys))
            combination_of = find_combinations(values, change)
        kept = np.flatnonzero(change.keep[combination_of])
        at_of = pl.Series(combination_of[kept])
        first = np.zeros(change.combinations.height or 1, np.int64)
        first[combination_of[::-1]] = np.arange(len(combination_of))[::-1]
        columns = [pl.Series("at", kept)]
        for at, name in enumerate(change.keys):
            texts = counted[f"t{at}"]
            columns.append(texts.gather(kept).alias(f"k{at}"))
            if name in change.published:
                made = change.published[name].cast(pl.String)
                columns.append(made.gather(at_of).alias(f"p{at}"))
            elif self._varies(name):
                columns.append(texts.gather(first[combination_of[kept]]).alias(f"k{at}_"))
        return pl.DataFrame(columns), int(counted["n"].to_numpy()[kept].sum())

    def _key(self, column: str) -> str:
        """What two values of a column are equal by: themselves, where this is cheaper."""
        return quoted(column) if self._types[column] in _BY_VALUE else _text(column)

    def _varies(self, column: str) -> bool:
        return self._types[column] in ("real", "double precision", "numeric")

    def _count(self, columns: Sequence[str]) -> pl.DataFrame:
        """The combinations by values ``v0``, ``v1`` ... and texts ``t0`` ..., with counts ``n``.

        Where all of the columns were counted before, with others beside, these are added up.
        """
        wanted = tuple(columns)
        if wanted not in self._counted:
            wider = next((one for one in self._counted if set(wanted) <= set(one)), None)
            if wider is not None and wanted:
                names = {
                    f"{part}{wider.index(name)}": f"{part}{at}"
                    for part in "vt"
                    for at, name in enumerate(wanted)
                }
                held = self._counted[wider].select(*names, "n").rename(names)
                every = held.group_by(list(names.values()), maintain_order=True)
                self._counted[wanted] = every.agg(pl.col("n").sum())
            else:
                once = [at for at, name in enumerate(wanted) if self._form(name) == _text(name)]
                forms = [f"{_text(name)} AS t{at}" for at, name in enumerate(wanted)]
                forms += [
                    f"{self._form(name)} AS v{at}"
                    for at, name in enumerate(wanted)
                    if at not in once
                ]
                by = ", ".join(str(at + 1) for at in range(len(forms)))
                source, times, group = f"({self.source})", "count(*)", f" GROUP BY {by}" * bool(by)
                if wanted and {self._types[name] for name in wanted} <= _BY_VALUE | {"text"}:
                    keys = [f"{self._key(name)} AS {quoted(name)}" for name in wanted]
                    places = ", ".join(str(at + 1) for at in range(len(keys)))
                    source = (
                        f"(SELECT {', '.join(keys)}, count(*) AS {self._row} FROM {source} s"
                        f" GROUP BY {places})"
                    )
                    times, group = self._row, ""
                asked = f"SELECT {', '.join([*forms, f'{times} AS n'])} FROM {source} s{group}"
                if wanted and self._height > (most := memory.most_combinations(self.ceiling)):
                    asked = f"SELECT * FROM ({asked} LIMIT {most + 1}) s"
                with self.session.settings(_COUNTING):
                    found = self.session.fetch(asked)
                memory.require_combinations(len(found), wanted, self.name, self.ceiling)
                if len(wanted) > 1:
                    texts = [f"t{at}" for at in range(len(wanted))]
                    found = found.sort(texts, nulls_last=True)
                self._counted[wanted] = found.with_columns(
                    pl.col(f"t{at}").alias(f"v{at}") for at in once
                )
        return self._counted[wanted]

    def _values(self, counted: pl.DataFrame, columns: Sequence[str]) -> pl.DataFrame:
        own = counted.select(pl.col(f"v{at}").alias(name) for at, name in enumerate(columns))
        return self._typed(own)

    def _canonical(self, frame: pl.DataFrame) -> pl.DataFrame:
        told = [name for name in frame.columns if self._types[name] == "numeric"]
        texts = [pl.col(name) for name in told if frame.schema[name] == pl.String]
        frame = frame.with_columns(
            pl.when(text != "NaN").then(
                text.str.replace(r"(\.\d*?)0+$", "${1}").str.strip_suffix(".")
            )
            for text in texts
        )
        return canonical(frame, self._tokens)

    def _fetch(self, columns: Sequence[str], further: str = "") -> pl.DataFrame:
        return self._typed(self.session.fetch(f"{self._selecting(columns)} {further}"))

    def _selecting(self, columns: Sequence[str]) -> str:
        forms = ", ".join(f"{self._form(name)} AS {quoted(name)}" for name in columns)
        return f"SELECT {forms} FROM ({self.source}) s"

    def _form(self, column: str) -> str:
        """A column as it travels."""
        if self._types[column] in _AS_ARROW and self._bounded.get(column, True):
            return quoted(column)
        return _text(column)

    def _typed(self, frame: pl.DataFrame) -> pl.DataFrame:
        return frame.with_columns(
            pl.col(name).cast(pl.Decimal(_DIGITS, scale))
            for name, scale in self._scales.items()
            if name in frame.columns
        )

    def _filled(self, column: str) -> str:
        """The condition that a record has a value in a column, and no text that stands for none."""
        tokens = self._tokens.get(column, ())
        if not tokens and self._types[column] in _BY_VALUE:
            return f"{quoted(column)} IS NOT NULL"
        if not tokens and self._varies(column):
            return f"{quoted(column)} <> 'NaN'"
        missing = ", ".join(map(_literal, ["NaN" if self._varies(column) else "", *tokens]))
        return f"{_text(column)} NOT IN ({missing})"

    @property
    def _row(self) -> str:
        """A name for row numbers that no column has."""
        return "r" + "_" * max(map(len, self.columns))

    def _types_in_server(self) -> dict[str, str]:
        """The type of each column, by its name in the server."""
        names = self.session.columns(f"SELECT * FROM ({self.source}) s")
        refuse(DataError, name_problems(names, self.name))
        asked = ", ".join(f"pg_typeof(s.{quoted(name)})::text" for name in names)
        row = (
            self.session.fetch(
                f"SELECT ARRAY[{asked}] AS types FROM (SELECT 1) o"
                f" LEFT JOIN (SELECT * FROM ({self.source}) s LIMIT 0) s ON true"
            )
            .item()
            .to_list()
        )
        return dict(zip(names, row, strict=True))

    def _look(self, *, names: bool) -> dict[str, str]:
        """The kinds of the columns, and in one pass over the table what else is known of it.

        These are the number of records; scales of exact numbers that fit, which travel as such
        (others stay texts); which times are all such as frames have; and, where ``names`` are
        doubted, whether some record has one as a value.
        """
        asked, places = ["count(*) AS n"], {}
        if names:
            asked.append(f"coalesce(bool_or({self._named_alike()}), false) AS named")
        for at, (name, kind) in enumerate(self._types.items()):
            column = quoted(name)
            places[name] = at
            if kind == "numeric":
                asked.append(f"coalesce(max(scale({column})), 0) AS s{at}")
                asked.append(f"coalesce(max(abs({column})), 0)::text AS w{at}")
            elif kind in _TIMES:
                finite = f"{column} > '-infinity' AND {column} < '{_FAR}'"
                asked.append(f"coalesce(bool_and({finite}), true) AS f{at}")
            if kind in _TIMES[1:]:
                day = f"isfinite({column}) AND {column} = date_trunc('day', {column})"
                asked.append(f"coalesce(bool_and({day}), true) AS d{at}")
        (found,) = self.session.fetch(
            f"SELECT {', '.join(asked)} FROM ({self.source}) s"
        ).to_dicts()
        self._height, self._like_names = found["n"], found.get("named", True)
        self._scales = {
            name: found[f"s{at}"]
            for name, at in places.items()
            if f"s{at}" in found
            and found[f"w{at}"][0].isdecimal()  # else it is NaN, or infinite
            and found[f"s{at}"] + len(found[f"w{at}"].partition(".")[0]) <= _DIGITS
        }
        self._bounded = {name: found[f"f{at}"] for name, at in places.items() if f"f{at}" in found}
        head = self._fetch(self.columns, "LIMIT 0")
        kinds = {values.name: kind_of_type(values.dtype) for values in head.get_columns()}
        days = (name for name, kind in kinds.items() if kind == "datetime")
        return kinds | {name: "date" for name in days if found[f"d{places[name]}"]}


def open_in_server(
    given: str | Path,
    query: str | None = None,
    *,
    header: bool | None = None,
    **of_files: str | bool | None,
) -> PostgresTable:
    """The table that an address names, or a query in its database.

    Arguments:
        given: the address.
        query: SQL that says what is read, where the address names no table.
        header: true where the names of its columns are known to be names.
        of_files: what is said of how files are read, which does not apply.

    Raises:
        DataError: the server does not answer, or lacks it; the address is malformed; or the names
            of its columns look like a record.
    """
    address = Address.of(given)
    if header is False:
        of_files["header"] = header
    if said := [name for name, value in of_files.items() if value is not None]:
        raise DataError(
            "table-or-query",
            f"{', '.join(said)} are said of files, and a server has none",
            file=address.name,
            remedy="take that away under [source]",
        )
    source = address.source(query)
    table = PostgresTable(Session(address), source, address.name, names=header is None)
    if header is None:
        believed_names(table.like_their_names(), table.name)
    return table


def release_in_server(
    given: str | Path, query: str | None = None, **of_files: Any
) -> tuple[dict[str, PostgresTable], PlainMapping | None]:
    """The tables of a release in a server by name, and its certificate where one lies beside.

    Arguments:
        given: the address of a schema with a release, or of a table.
        query: SQL that says what is read, where the address names no table.
        of_files: what is said of how files are read, which does not apply.

    Raises:
        DataError: as :func:`open_in_server` does.
    """
    address = Address.of(given)
    if address.schema is not None and address.table is None and query is None:
        address = replace(address, table=_RELEASE)
    said = {key: value for key, value in of_files.items() if (key, value) != ("header", True)}
    if address.table is None or query is not None or any(said.values()):
        table = open_in_server(given, query, **of_files)
        return {table.name: table}, None
    session = Session(address)
    beside = _qualified(address.schema, f"{address.table}{_CERTIFICATE}")
    names, document = [address.table], None
    if session.fetch(f"SELECT to_regclass({_literal(beside)})::text AS found").item() is not None:
        found = session.fetch(f"SELECT document::text AS document FROM {beside}")["document"]
        try:
            document = dict(json.loads(found.item()))
            names = [str(table["path"]) for table in document["tables"]]
        except (ValueError, KeyError, TypeError):
            document = {}
    return {
        name: PostgresTable(session, f"SELECT * FROM {_qualified(address.schema, name)}", name)
        for name in names
    }, document


class Store:
    """A release that appears in a schema, with its certificate, when it is committed or not at all.

    Arguments:
        into: the address of the schema, ``postgresql://host/db?schema=release``; ``table`` in it
            names the release.
        held: the table that was published in a server; None of one in memory.
    """

    told = (
        Kind.RISK(
            "anyone who may connect to the database of the release sees in its catalogue how "
            "many records every table has: next to the source, this tells how many are "
            "suppressed; let readers connect to another database with a copy"
        ),
    )
    """What the custodian should know of the place."""

    def __init__(self, into: str | Path, held: object) -> None:
        self.address = Address.of_release(into)
        if isinstance(held, PostgresTable):
            if held.session.address.server != self.address.server:
                raise OutputError(
                    "other-database",
                    "a release made in a server goes into the database that its table is in",
                    file=self.address.schema,
                    remedy="name the same server, user and database, and only another schema; "
                    "or write files, and load them",
                )
            self._session = held.session
        else:
            self._session = Session(self.address)
        self._session.name = self.address.name

    @classmethod
    def require_room(cls, into: str | Path) -> None:
        """Refuse a place before a release is made for it, as the server would refuse it then.

        Its tables are created, and never committed.

        Raises:
            DataError: it is no address of a schema, or the server refuses the tables.
        """
        store = cls(into, None)
        for table in (store.table, store.table + _CERTIFICATE):
            store._session.run(f"CREATE TABLE {_qualified(store.address.schema, table)} ()")
        store._session.close()

    @property
    def table(self) -> str:
        """What the release is called."""
        return self.address.table or _RELEASE

    def put(self, frames: Mapping[str, Frame]) -> dict[str, tuple[str, int]]:
        """Store frames under the release's name; the name and the height of each."""
        found = {}
        for name, frame in frames.items():
            table = self.table if len(frames) == 1 else f"{self.table}_{name}"
            if isinstance(frame, PostgresTable):
                where = _qualified(self.address.schema, table)
                self._session.run(f"CREATE TABLE {where} AS {frame.source}")
            else:
                self._session.upload(_arrow(frame), table, self.address.schema)
            found[name] = (table, len(frame))
        return found

    def certify(self, certificate: PlainMapping) -> None:
        """Store the certificate beside."""
        where = _qualified(self.address.schema, self.table + _CERTIFICATE)
        self._session.run(f"CREATE TABLE {where} (document jsonb NOT NULL)")
        document = json.dumps(certificate, ensure_ascii=False, allow_nan=False)
        self._session.run(f"INSERT INTO {where} VALUES ({_literal(document)})")

    def commit(self) -> None:
        """Let all of it appear."""
        self._session.commit()


def quoted(name: str) -> str:
    """A name as SQL has it."""
    return '"' + name.replace('"', '""') + '"'


def _qualified(schema: str | None, table: str) -> str:
    return ".".join(quoted(part) for part in (schema, table) if part is not None)


def _text(column: str) -> str:
    return f'{quoted(column)}::text COLLATE "C"'


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _arrow(frame: pl.DataFrame) -> pa.Table:
    """As an Arrow table of types that every driver knows."""
    small = [name for name, kind in frame.schema.items() if kind.is_unsigned_integer()]
    frame = frame.with_columns(
        pl.col(small).cast(pl.Int64),
        pl.col(pl.Null).cast(pl.String),
        pl.col(pl.Int8).cast(pl.Int16),
    )
    return frame.to_arrow(compat_level=pl.CompatLevel.oldest())
