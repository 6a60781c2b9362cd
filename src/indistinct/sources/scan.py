"""Tables in files that need not fit into memory: scanned by DuckDB under a ceiling.

Nothing comes home but combinations, counts and samples. What does not fit under the ceiling is
spilled into a folder that nobody else may open, beside the table, where private data lies already;
it goes with the process, and what a killed one has left goes with the next run. A CSV file is read
once, into that folder; files of Parquet are read where they are.
"""

from __future__ import annotations

import atexit
import codecs
import contextlib
import glob
import itertools
import os
import re
import shutil
import tempfile
import weakref
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Protocol

import polars as pl

from indistinct.errors import DataError, refuse
from indistinct.sources import memory, scan_cuts
from indistinct.sources.arrow import frame_of_arrow, has_duckdb, require_duckdb
from indistinct.sources.csv_head import encoded_otherwise, head_in, refuse_dialect, separator_of
from indistinct.sources.dialect import (
    SAMPLE,
    Dialect,
    Layout,
    detect_encoding,
)
from indistinct.sources.duckdb_table import (
    DuckDBTable,
    StoredFile,
    as_file,
    file_of,
    literal,
    quoted,
    relation_as_shown,
    with_decimal_points,
    with_whole_numbers,
)
from indistinct.sources.file_kind import header_without_csv, refuse_idle, refuse_missing
from indistinct.sources.file_kinds.csv import CsvFile
from indistinct.sources.file_kinds.parquet import ParquetFile
from indistinct.sources.headers import believed_names
from indistinct.sources.packed import BROKEN, PACKED, TIGHTEST, broken, opened, too_tight
from indistinct.sources.parts import Coding, Parts, Walked
from indistinct.sources.spark_table import of_spark
from indistinct.sources.streamed_parts import looked_up
from indistinct.sources.table import (
    NAMELESS,
    Change,
    count_column,
    name_problems,
    until_seen,
    without_nameless,
)
from indistinct.sources.text import Tokens, canonical
from indistinct.sources.unchanged import changed, states
from indistinct.sources.writing import NO_ROOM, staged_folder, sweep
from indistinct.types import Frame, PlainMapping

if TYPE_CHECKING:
    import pyarrow as pa
    from duckdb import DuckDBPyConnection, DuckDBPyRelation

_MAYBE = "CASE WHEN {0} IS NOT NULL THEN {0} END"
"""Unlike a bare column, a CASE may be missing: else a file would say of every column whether a cell
of the source was."""

_OWN = 400 << 20
"""What Python, Polars and the search take beside DuckDB; measured."""

_SHARE = 0.7
"""The share of the rest that DuckDB is given: it takes more than its limit while it sorts."""

LEAST = _OWN + (384 << 20)
"""What a run has to be given, so that DuckDB can sort at all."""

_OF_CLASS = 500
"""What Python takes for each class of a table that was cut where it is."""

_MOST_LISTED = 1 << 12
"""How many texts of a column are enumerated at most: each part of the file lists all of them."""

_BLANKS = " \t\n\r"
_BARE = f"nullif(trim({{}}, {' || '.join(f'chr({ord(blank)})' for blank in _BLANKS)}), '')"
"""A text without blanks around it; missing where nothing is left."""

_LARGE, _LARGE_PARQUET, _LARGE_TEXT, _PACKS = 2_000_000, 1 << 20, 150_000_000, 4
"""From how many records of a Parquet file on, which has more bytes than this, and from how many
bytes of a CSV file on scanning is the cheaper way, measured; and how tightly files are packed.
"""

_PACKED = (*PACKED, ".zst")
_BLOCK = 1 << 22
_RELEASE = "release.parquet"
_FULL = re.compile("No space left|File too large|Disk quota exceeded")


@dataclass
class Workspace:
    """A connection of DuckDB with a ceiling, and the private folder that it spills into.

    Arguments:
        beside: the table, beside which the folder is made.
        ceiling: what the whole process may take, in bytes; what is free where not given.
    """

    beside: Path
    ceiling: int
    folder: Path = field(init=False)
    connection: DuckDBPyConnection = field(init=False)

    def __post_init__(self) -> None:
        require_duckdb(self.beside.name)
        import duckdb

        if self.ceiling < LEAST:
            least = memory.in_words(LEAST)
            raise DataError(
                "too-little-memory",
                f"a run may take {memory.in_words(self.ceiling)}, and needs {least} at least",
                file=self.beside.name,
                remedy=f"give it more: --memory {least.replace(' ', '')}",
            )
        place = self.beside
        if not os.access(place.parent, os.W_OK):
            place = Path(tempfile.gettempdir()) / place.name
        sweep(place)
        self.folder, self._lock = staged_folder(place)
        atexit.register(shutil.rmtree, self.folder, ignore_errors=True)
        weakref.finalize(self, _remove_private, self.folder)
        self.connection = duckdb.connect()
        self.leave(0)
        settings = {
            "temp_directory": str(self.folder / "spill"),
            "threads": str(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1),
        }
        for name, value in settings.items():
            self.connection.execute(f"SET {name} = {literal(value)}")

    def leave(self, more: int) -> None:
        """Let DuckDB take what is left beside Python, which holds so many bytes more."""
        left = max(self.ceiling - more, LEAST) - _OWN
        self.connection.execute(f"SET memory_limit = '{int(_SHARE * left) >> 20}MiB'")

    def close(self) -> None:
        """Remove the folder, with all that is in it."""
        self.connection.close()
        with contextlib.suppress(OSError):
            os.close(self._lock)
        shutil.rmtree(self.folder, ignore_errors=True)


def _remove_private(folder: Path) -> None:
    """Remove all but the release, which stays as long as the process."""
    with contextlib.suppress(OSError):
        for part in folder.iterdir():
            if part.name != _RELEASE:
                shutil.rmtree(part) if part.is_dir() else part.unlink()


class Counting(Protocol):
    """A published table in an engine, which counts its own values as they are."""

    columns: tuple[str, ...]

    def frame(self, columns: Sequence[str] | None = None) -> pl.DataFrame:
        """All records; of some columns, where these are named."""

    def published(self, columns: Sequence[str]) -> tuple[pl.DataFrame, pl.Series]:
        """The distinct combinations of values, and how often each occurs."""


def counted_once(native: Frame, name: str) -> Counting | None:
    """The release of a scan or of Spark, counted once by all who ask; None of other frames."""
    return of_spark(native, name) if file_of(native) is None else DuckDBTable(native, name)


class ScannedTable(DuckDBTable):
    """A table in files, under a ceiling of memory; its release is a file in the private folder."""

    def __init__(
        self,
        relation: DuckDBPyRelation,
        name: str,
        tokens: Tokens | None = None,
        *,
        workspace: Workspace,
        files: Sequence[Path] = (),
    ) -> None:
        self.workspace = workspace
        self.files = tuple(files)
        self._before = [states(path) for path in self.files]
        self._tree: Walked | None = None
        super().__init__(relation, name, tokens)

    def with_tokens(self, tokens: Tokens) -> ScannedTable:
        """The same table, in which these texts stand for a missing value."""
        found = ScannedTable(
            self._relation, self.name, tokens, workspace=self.workspace, files=self.files
        )
        found.notes, found._height, found._before = self.notes, self._height, self._before
        found.columns = self.columns
        return found

    @property
    def ceiling(self) -> int:
        """How many bytes the process may take."""
        return self.workspace.ceiling

    def in_parts(self, quasi: Sequence[Coding], sensitive: Sequence[Coding]) -> Parts:
        """Its combinations, coded, in a file of the private folder."""
        codings = [*quasi, *sensitive]
        with telling(self.name), self._coded(codings):
            return scan_cuts.kept(
                self._relation, codings, len(quasi), self.workspace.folder, self.ceiling
            )

    def cut(self, tree: Walked) -> ScannedTable:
        """The same table, published by what stands at the leaves of a tree."""
        self.workspace.leave(_OF_CLASS * len(tree.leaves))
        return self._but(_tree=tree)

    @contextlib.contextmanager
    def _coded(self, codings: Sequence[Coding]) -> Iterator[None]:
        """Tables of the engine with the values of columns and their codes, for a while."""
        connection, names = self.workspace.connection, list[str]()
        try:
            for at, one in enumerate(codings):
                native = self._count([one.column], count_column([one.column])).select([one.column])
                texts = canonical(frame_of_arrow(native), self._tokens)[one.column]
                names.append(scan_cuts.upload(connection, at, native, texts, one))
            yield
        finally:
            for name in names:
                connection.execute(f"DROP TABLE IF EXISTS {name}")

    def text(self, columns: Sequence[str]) -> pl.DataFrame:
        """The canonical texts of these columns, in the order of the source, null for missing.

        Raises:
            DataError: They take more memory than they may.
        """
        self._require_rows(columns)
        chosen = ", ".join(map(quoted, columns))
        return canonical(self._fetch(f"SELECT {chosen} FROM indistinct_source"), self._tokens)

    def publish(self, change: Change) -> DuckDBPyRelation:
        """The release, a file in the private folder, until the process ends.

        Raises:
            DataError: The files changed since they were first read.
        """
        if change.replace or change.order is not None:
            raise AssertionError("records are replaced one by one, which needs them in memory")
        target = self.workspace.folder / _RELEASE
        made = [name for name in change.columns if name in change.published]
        lookup = self._lookup(change, made)
        types = self._types_of(change)
        picked = ", ".join(
            f"{_MAYBE.format(quoted(name))} AS {quoted(name)}"
            if types[name] == "VARCHAR"
            else f"CAST({_MAYBE.format(quoted(name))} AS {types[name]}) AS {quoted(name)}"
            for name in change.columns
        )
        query = f"SELECT {picked} FROM ({self._recoding(change)})"
        connection = self.workspace.connection
        try:
            with (
                telling(self.name),
                self._listed(change) as source,
                self._uploaded(lookup),
                self._walking(),
            ):
                source.query("indistinct_source", query).write_parquet(
                    str(target), compression="zstd"
                )
        except DataError:
            self._require_unchanged(target)
            raise
        self._require_unchanged(target)
        with telling(self.name):
            written = connection.read_parquet(_exactly(target))
            if (shown := relation_as_shown(written)) is not written:
                other = target.with_name(f"shown-{target.name}")
                own = map(quoted, change.columns)
                maybe = shown.project(", ".join(f"{_MAYBE.format(one)} AS {one}" for one in own))
                maybe.write_parquet(str(other), compression="zstd")
                other.replace(target)
        same = self._about.keys() & set(change.columns) - set(change.published.columns)
        same = {name for name in same if change.keep.all() and not self._tokens.get(name)}
        told = {name: self._about[name] for name in same}
        stored = StoredFile(target, by_digest=change.shuffle is not None, about=told)
        return as_file(connection.read_parquet(_exactly(target)), stored)

    def _lookup(self, change: Change, made: Sequence[str]) -> pa.Table:
        if self._tree is None:
            return super()._lookup(change, made)
        return looked_up(self._tree, change.keep, [change.published[name] for name in made])[0]

    def _matched(self, change: Change) -> tuple[str, Mapping[str, str], str]:
        if self._tree is None:
            return super()._matched(change)
        leaf = scan_cuts.LEAF
        source = scan_cuts.walked("indistinct_source", self._tree.quasi)
        return f"({source})", {}, f"source.{leaf} = lookup.leaf"

    @contextlib.contextmanager
    def _walking(self) -> Iterator[None]:
        """What the engine needs to find the leaf of a record, for a while."""
        if self._tree is None:
            yield
            return
        with (
            self._coded(self._tree.quasi),
            scan_cuts.walking(self.workspace.connection, self._tree),
        ):
            yield

    def _require_unchanged(self, target: Path) -> None:
        if [states(path) for path in self.files] != self._before:
            target.unlink(missing_ok=True)
            raise changed(self.name)

    @contextlib.contextmanager
    def _uploaded(self, lookup: pa.Table) -> Iterator[None]:
        """The lookup as a table of the engine, which knows its length and joins accordingly.

        Its texts are enumerated: rows with codes are sorted and written at half the cost, and each
        of these texts is published somewhere, so that the file may list them.
        """
        connection = self.workspace.connection
        texts = [own.name for own in lookup.schema if "string" in str(own.type)]
        connection.register("indistinct_held", lookup)
        try:
            made = {own.name: own for own in frame_of_arrow(lookup.select(texts))}
            with self._enumerated(made, "made") as columns:
                connection.execute(
                    f"CREATE TEMP TABLE indistinct_lookup AS SELECT {columns} FROM indistinct_held"
                )
                try:
                    yield
                finally:
                    connection.execute("DROP TABLE indistinct_lookup")
        finally:
            connection.unregister("indistinct_held")

    @contextlib.contextmanager
    def _listed(self, change: Change) -> Iterator[DuckDBPyRelation]:
        """The source; with its few texts enumerated, where all of its records are published."""
        own = [name for name in change.columns if name not in change.keys]
        texts = [name for name in own if self._types[name] == "VARCHAR"]
        about = self.about(own) if texts and change.keep.all() else {}
        few = [name for name in texts if name in about and about[name][1] <= _MOST_LISTED]
        listed = {name: self.published([name])[0][name] for name in few}
        with self._enumerated(listed, "own") as columns:
            yield self._relation.project(columns)

    @contextlib.contextmanager
    def _enumerated(self, texts: Mapping[str, pl.Series], kind: str) -> Iterator[str]:
        """The columns of a relation, codes in place of some texts, all of which are given."""
        connection, made = self.workspace.connection, dict[str, str]()
        try:
            for name, held in texts.items():
                listed = held.alias("text").unique().drop_nulls().sort()
                if 0 < len(listed) <= _MOST_LISTED:
                    made[name] = f"indistinct_{kind}_{len(made)}"
                    known = listed.to_frame().to_arrow()
                    connection.register("indistinct_texts", known)
                    query = f"CREATE TYPE {made[name]} AS ENUM (SELECT text FROM indistinct_texts)"
                    connection.execute(query)
                    connection.unregister("indistinct_texts")
            cast = [f"CAST({quoted(own)} AS {to}) AS {quoted(own)}" for own, to in made.items()]
            yield f"* REPLACE ({', '.join(cast)})" if cast else "*"
        finally:
            for own in made.values():
                connection.execute(f"DROP TYPE IF EXISTS {own}")

    def _run(self, query: str, indistinct_lookup: pa.Table | None = None) -> pa.Table:
        with telling(self.name):
            return super()._run(query, indistinct_lookup)


@contextlib.contextmanager
def telling(name: str) -> Iterator[None]:
    """Say what DuckDB could not do without its words, which may quote a cell.

    Raises:
        DataError: For everything it refuses.
    """
    import duckdb

    try:
        yield
    except (duckdb.OutOfMemoryException, duckdb.IOException) as error:
        if isinstance(error, duckdb.IOException) and not _FULL.search(str(error)):
            raise _unreadable(name, error) from None
        raise _no_room(name) from None
    except (duckdb.Error, UnicodeError) as error:
        raise _unreadable(name, error) from None


def _no_room(name: str) -> DataError:
    return DataError(
        "no-room-to-spill",
        "neither the memory that a run may take nor the disk suffices for the table",
        file=name,
        remedy="give it more (--memory), or make room on the disk that the table is on",
    )


def _unreadable(name: str, error: Exception) -> DataError:
    return DataError(
        "unreadable-file",
        f"the file cannot be scanned ({type(error).__name__})",
        file=name,
        remedy="run without --engine to be told which lines are wrong, and where",
    )


def scan(
    path: str | Path, ceiling: int | None = None, *, exact: bool = False, **reading: Any
) -> ScannedTable:
    """A file, a folder of files of one kind, or a pattern such as ``visits-*.csv``, scanned.

    Arguments:
        path: The files: CSV (also ``.gz`` and ``.zst``) or Parquet.
        ceiling: How many bytes the process may take; what tables may take where not given.
        exact: leave the cells of CSV files as they are: blanks around them stay, and a quoted
            empty cell is an empty text.
        reading: ``separator``, ``quote``, ``encoding``, ``header``, ``skip_rows`` and ``decimal``
            of CSV files.

    Raises:
        DataError: They cannot be read, or differ in their columns.
    """
    path = Path(path)
    files, ending = _files(path)
    if other := sorted(set(reading) - CsvFile.takes):
        told = f"{' and '.join(other)} of [source]: of files that DuckDB does not scan"
        raise _not_scanned(path.name, told)
    how = dict(reading)
    points = how.pop("decimal", None) == ","
    work = Workspace(path, memory.allowed() if ceiling is None else ceiling)
    connection = work.connection
    try:
        if ending in ParquetFile.endings:
            if reading.get("header") is False:
                raise header_without_csv(path.name)
            refuse_idle(
                ParquetFile(),
                path.name,
                **{key: one for key, one in reading.items() if key != "header"},
            )
            with telling(path.name):
                relation = connection.read_parquet([*map(_exactly, files)])
            with contextlib.suppress(pl.exceptions.PolarsError, OSError):  # of odd types
                _require_apart([*pl.read_parquet_schema(files[0])], path.name)
        else:
            before = [states(file) for file in files]
            with telling(path.name):
                relation = _kept(work, _read_csv(work, files, path.name, how, exact), "source")
                relation = relation if exact else _stripped(work, relation)
                relation = with_decimal_points(relation) if points else relation
                relation = relation if exact else with_whole_numbers(relation)
            if [states(file) for file in files] != before:
                raise changed(path.name)
        refuse(DataError, name_problems(relation.columns, path.name))
        table = ScannedTable(relation, path.name, workspace=work, files=files)
        if reading.get("header") is None:
            csv_file = ending not in ParquetFile.endings
            table.columns = believed_names(table.like_their_names(), path.name, csv=csv_file)
    except BaseException:
        work.close()
        raise
    return table


def _exactly(file: Path) -> str:
    """The name of one file: DuckDB takes a star or a bracket in it for a pattern of others."""
    return glob.escape(str(file))


def _files(path: Path) -> tuple[list[Path], str]:
    """The files that a path means, and their ending without that of packing."""
    name = str(path)
    if path.is_dir():
        files = sorted(one for one in path.iterdir() if one.is_file() and kind_of_file(one))
    elif not path.exists() and glob.has_magic(name):
        files = sorted(
            Path(one)
            for one in glob.glob(name)  # noqa: PTH207, the pattern may be absolute
            if Path(one).is_file()
        )
    else:
        files = [path]
    if not files:
        raise DataError(
            "missing-file",
            "there is no CSV or Parquet file there",
            file=name,
            remedy="correct the name, or the folder it is looked for in",
        )
    refuse_missing(files)
    endings = {kind_of_file(file) for file in files}
    if len(endings) > 1 and len({one in ParquetFile.endings for one in endings}) > 1:
        raise _not_scanned(path.name, "there are files of several kinds")
    if None in endings:
        raise _not_scanned(path.name, "DuckDB scans CSV (also .gz, .zst) and Parquet alone")
    return files, str(endings.pop())


def kind_of_file(file: Path) -> str | None:
    """The ending of a file that can be scanned, without that of packing; None of others."""
    ending = file.suffix.lower()
    if ending in _PACKED:
        ending = Path(file.stem).suffix.lower()
        return ending if ending in CsvFile.endings else None
    return ending if ending in CsvFile.endings + ParquetFile.endings else None


def is_large(file: Path) -> bool:
    """Whether a file has so many records that counting them where they are takes less time.

    And less memory: half of it from there on, a fifth at ten million records.
    """
    kind = kind_of_file(file) if file.is_file() else None
    if kind is None:
        return False
    size = file.stat().st_size
    if kind not in ParquetFile.endings:
        packed = file.suffix.lower() in _PACKED
        return size >= _LARGE_TEXT // (_PACKS if packed else 1)
    if size < _LARGE_PARQUET:
        return False
    with contextlib.suppress(pl.exceptions.PolarsError, OSError):  # what reads it will say so
        return bool(pl.scan_parquet(file, glob=False).select(pl.len()).collect().item() >= _LARGE)
    return False


def can_scan(file: Path) -> bool:
    """Whether a file could be scanned that does not fit into memory."""
    return kind_of_file(file) is not None and memory.allowed() >= LEAST and has_duckdb()


def _not_scanned(name: str, why: str) -> DataError:
    remedy = "leave --engine and --memory out, or write the table as CSV or Parquet"
    return DataError("not-scanned", why, file=name, remedy=remedy)


def _require_apart(columns: Sequence[str], name: str) -> None:
    """Refuse columns that the engine would call otherwise, as it folds their cases."""
    if len({column.lower() for column in columns}) < len(columns):
        raise _not_scanned(name, "some columns differ in upper and lower case alone")


def _read_csv(
    work: Workspace, files: Sequence[Path], name: str, reading: PlainMapping, exact: bool
) -> DuckDBPyRelation:
    """The cells as texts, as they stand there; but for exact ones, quoted empty ones missing."""
    heads = [_head(file, **reading) for file in files]
    columns, dialect, encoding, above, _ = heads[0]
    if any(head[:3] != heads[0][:3] for head in heads):
        raise _not_scanned(name, "the files differ in their columns, separators or encodings")
    columns = until_seen(columns, name)
    _require_apart([own for own in columns if not own.startswith(NAMELESS)], name)
    tightness = _Tightness(name, work.ceiling)
    # The engine counts records, where a quote holds lines together, and counts alike in all files.
    alike = len({head[3].count("\n") for head in heads}) == 1
    quotes = re.escape(dialect.quote) if dialect.quote else "(?!)"
    odd = re.compile(f"\r(?!\n)|[^\n]\\Z|{quotes}")
    passed = alike and not any(odd.search(head[3]) for head in heads)
    plain = [
        _in_utf8(file, encoding, work.folder / f"{at}.csv", tightness, 0 if passed else len(own[3]))
        for at, (file, own) in enumerate(zip(files, heads, strict=True))
        if own[4]
    ]
    if not plain:
        nothing = ", ".join(f"NULL::VARCHAR AS {quoted(column)}" for column in columns)
        return work.connection.sql(f"SELECT {nothing} WHERE false")
    held = work.connection.read_csv(
        [*map(_exactly, plain)],
        header=False,
        skiprows=above.count("\n") if passed else 0,
        names=[f"c{at}" for at in range(len(columns))],
        all_varchar=True,
        sep=dialect.separator,
        quotechar=dialect.quote or "",
        escapechar=dialect.quote or "",
        strict_mode=True,
        null_padding=False,
        allow_quoted_nulls=not exact,
    )
    if (width := len(held.columns)) > len(columns):
        raise _ragged(width, len(columns), name)
    nameless = {at: own for at, own in enumerate(columns) if own.startswith(NAMELESS)}
    counted = [f"count({_BARE.format(f'c{at}')})" for at in nameless]
    found = held.aggregate(", ".join(counted)).fetchall()[0] if nameless else ()
    filled = [own for own, count in zip(nameless.values(), found, strict=True) if count]
    named = without_nameless(columns, filled, name)
    return held.project(", ".join(f"c{columns.index(own)} AS {quoted(own)}" for own in named))


def _kept(work: Workspace, relation: DuckDBPyRelation, name: str) -> DuckDBPyRelation:
    """A relation as a file of the private folder."""
    target = work.folder / f"{name}.parquet"
    relation.write_parquet(str(target), compression="snappy")
    target.chmod(0o600)
    return work.connection.read_parquet(_exactly(target))


def _stripped(work: Workspace, relation: DuckDBPyRelation) -> DuckDBPyRelation:
    """The same texts without blanks around them, empty ones missing.

    To strip all texts takes as long as to read them: columns that have no such cell stay.
    """
    names = [*map(quoted, relation.columns)]
    ends = " OR ".join(f"suffix({{0}}, chr({ord(blank)}))" for blank in _BLANKS)
    loose = f"coalesce(bool_or({{0}} < '!' OR {ends}), false)"
    ((*found,),) = relation.aggregate(", ".join(map(loose.format, names))).fetchall()
    if not any(found):
        return relation
    bare = {
        name: f"{_BARE.format(name)} AS {name}" for name, so in zip(names, found, strict=True) if so
    }
    chosen = relation.project(", ".join(bare.get(name, name) for name in names))
    stripped = _kept(work, chosen, "stripped")
    (work.folder / "source.parquet").unlink()
    return stripped


def _head(file: Path, **reading: Any) -> tuple[list[str], Dialect, str, str, bool]:
    """The names of a file's columns, its dialect and encoding, what is before its records, and
    whether it has any.
    """
    try:
        with _unpacked(file) as held:
            data = held.read(4 * SAMPLE)
    except BROKEN as error:
        raise broken(file.name, "the file cannot be read", error) from None
    names, dialect, encoding, above = head_of(data, file, **reading)
    rest = data[len(above.encode(encoding)) :].decode(encoding, "ignore")
    return names, dialect, encoding, above, bool(rest.strip())


def head_of(
    data: bytes, file: Path, *, header: bool | None = None, skip_rows: int = 0, **said: str | None
) -> tuple[list[str], Dialect, str, str]:
    """The names of the columns of a CSV file, its dialect and encoding, and what stands before its
    records, by the unpacked bytes that it begins with.

    Arguments:
        data: these bytes.
        file: the file, for its name.
        header: whether the first line has the names.
        skip_rows: how many lines stand above it.
        said: ``separator``, ``quote`` and ``encoding``.

    Raises:
        DataError: it cannot be read so.
    """
    separator, quote, encoding = map(said.get, ("separator", "quote", "encoding"))
    refuse_dialect(file.name, separator, quote, encoding)
    found, mark = detect_encoding(data)
    wanted = codecs.lookup(encoding or found or "utf-8").name
    try:
        if mark and wanted.startswith(("utf-", "utf_")):
            data, wanted = data[mark:], f"{found or wanted}-sig" if mark == 3 else "utf-16"
            start = codecs.getincrementaldecoder(found or "utf-8")().decode(data)
        else:
            start = codecs.getincrementaldecoder(wanted)().decode(data)
    except UnicodeDecodeError:
        raise encoded_otherwise(file.name, wanted) from None
    layout = Layout(separator_of(file, separator), quote, header, skip_rows)
    names, dialect, head = head_in(start, file.name, layout, whole=len(data) < 4 * SAMPLE)
    return names, dialect, wanted, head


@dataclass
class _Tightness:
    """How much larger files are than they are packed: many times as much is no table.

    Arguments:
        name: what messages call them.
        ceiling: how many bytes they may take unpacked.
    """

    name: str
    ceiling: int
    _packed: int = 0
    _size: int = 0

    def blocks(self, file: Path) -> Iterator[bytes]:
        """What is in a further file, unpacked.

        Raises:
            DataError: it cannot be read, or is hardly a table.
        """
        try:
            self._packed += file.stat().st_size
            with _unpacked(file) as source:
                while block := source.read(_BLOCK):
                    self._size += len(block)
                    if self._size > max(self.ceiling, TIGHTEST * self._packed):
                        raise too_tight(self.name, self._size, self.ceiling)
                    yield block
        except BROKEN as error:
            raise broken(file.name, "the file cannot be read", error) from None


def _unpacked(file: Path) -> IO[bytes]:
    """A file, unpacked while it is read; also where only engines unpack its kind."""
    if file.suffix.lower() != ".zst":
        return opened(file)
    import pyarrow as pa

    source: IO[bytes] = pa.input_stream(str(file), compression="zstd")
    return source


def _in_utf8(
    file: Path, encoding: str, target: Path, tightness: _Tightness, passed_over: int
) -> Path:
    """A file that DuckDB reads as it is, or a copy in UTF-8 in the private folder.

    Arguments:
        file: the file.
        encoding: how its text is written.
        target: the copy.
        tightness: looks whether it is packed as tables are.
        passed_over: how many characters are left out at its beginning.
    """
    ending = file.suffix.lower()
    as_it_is = encoding.startswith("utf-8") and not passed_over
    if as_it_is and ending not in _PACKED:
        return file
    blocks = tightness.blocks(file)
    if as_it_is and ending in (".gz", ".zst"):
        for _ in blocks:  # the engine unpacks it once more: nothing is kept of an unfit one
            pass
        return file
    decoder = codecs.getincrementaldecoder(encoding)()
    try:
        with target.open("wb") as copy:
            for block in itertools.chain(blocks, [None]):
                text = decoder.decode(block or b"", final=block is None)
                copy.write(text[passed_over:].encode())
                passed_over = max(passed_over - len(text), 0)
    except UnicodeError:
        raise encoded_otherwise(file.name, encoding) from None
    except OSError as error:
        if error.errno not in NO_ROOM:
            raise
        raise _no_room(file.name) from None
    return target


def _ragged(cells: int, width: int, name: str) -> DataError:
    """That records have more cells than the header; the engine would leave them out."""
    return DataError(
        "ragged-records",
        f"the header has {width} cell{'s' * (width != 1)}, but records have {cells}",
        file=name,
        remedy="correct the header; run without --engine to be told which lines are wrong, and "
        "where",
    )
