"""How a stranger reads a release: the published tables, and the certificate that lies beside them.

Nothing is known here of the table that a release was made from, of the policy or of the program
that made it. A table is any frame or file; every cell becomes text, and two cells have one text
only if nobody can tell them apart in what was published. An empty text, NaN and a missing cell are
therefore three things in a frame that holds all three: of quasi-identifiers, by which rows are told
apart. As sensitive values all of them are the missing one.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import hashlib
import json
import numbers
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
import polars as pl

from indistinct.errors import DataError, PolicyError, Problem, did_you_mean, refuse, shown_names
from indistinct.frozen import dataclass, field
from indistinct.metadata import ValueMetadata
from indistinct.release.audit.verdict import TIMES
from indistinct.requirement import Requirement
from indistinct.sources import memory
from indistinct.sources.arrow import has_arrow
from indistinct.sources.file_kind import meant_for, unknown_keys, written_kinds
from indistinct.sources.files import read_table
from indistinct.sources.postgres import PostgresTable, is_address, release_in_server
from indistinct.sources.scan import Counting, ScannedTable, can_scan, counted_once, scan
from indistinct.sources.table import column_names
from indistinct.sources.text import as_codes, counted_values
from indistinct.types import Frame, Ints, PlainMapping

CERTIFICATE = "certificate.json"
SUPPRESSED = "*"
"""What stands in every quasi-identifier of a record that is published without them."""

_PLAIN_ENDINGS = (".csv", ".tsv", ".txt", ".parquet")


@dataclass(frozen=True)
class Claims:
    """What a certificate says of the release it lies beside.

    Arguments:
        folder: Where the certificate is; None in a server.
        promises: The promises it names, and with ``achieved`` what it says of each.
        quasi: The quasi-identifiers.
        tables: Digest and number of rows of each table, by its path in the folder.
        records: Number of records published.
        classes: Count and sizes of the equivalence classes.
        known: What it says of the values of sensitive attributes.
        transformed: What it says was done to which attributes.
        person: The column that tells the people apart, where they have many records.
        linked: How linked tables belong together: ``quasi``, ``sensitive``, ``by``, ``holding``.
        as_asked: Of each promise, whether ``achieved`` is what was asked, since records may be made
            up that figures should not count.
        created: When it was written; ISO 8601 in UTC, so that texts are in the order of time.
        may_contain: What the release may contain that was not in the source.
    """

    folder: Path | None
    promises: tuple[Requirement, ...]
    achieved: tuple[PlainMapping | None, ...]
    quasi: tuple[str, ...]
    tables: Mapping[str, tuple[str, int]]
    records: int | None = None
    classes: PlainMapping | None = None
    known: Mapping[str, ValueMetadata] = field(default_factory=dict)
    person: str | None = None
    linked: Mapping[str, str] | None = None
    as_asked: tuple[bool, ...] = ()
    created: str = ""
    transformed: Mapping[str, str] = field(default_factory=dict)
    may_contain: tuple[str, ...] = ()


@dataclass(frozen=True)
class PublishedTable:
    """One published table: its name, its columns, and whether it is what the certificate says.

    ``matches`` is None where no certificate speaks of the table.
    """

    name: str
    columns: tuple[str, ...]
    matches: bool | None
    _texts: Callable[[Sequence[str], Sequence[str]], pl.DataFrame] = field(repr=False)
    _counted: Callable[[Sequence[str], Sequence[str]], pl.DataFrame] | None = field(
        default=None, repr=False
    )
    _codes: Callable[[str], pl.Series] | None = field(default=None, repr=False)
    _stored: Callable[[str], pl.Series] | None = field(default=None, repr=False)

    @property
    def in_engine(self) -> bool:
        """Whether an engine holds the table, and counts its rows."""
        return self._counted is not None

    def counted(self, columns: Sequence[str], values: Sequence[str] = ()) -> pl.DataFrame:
        """These columns as text; of a table in an engine its different rows, counted there."""
        if self._counted is None:
            return self.texts(columns, values)
        own = {name: self.find(name) or name for name in columns}
        found = self._counted([*dict.fromkeys(own.values())], [own[name] for name in values])
        return found.select(*(pl.col(one).alias(name) for name, one in own.items()), TIMES)

    def tallied(self, name: str) -> tuple[pl.Series, Ints]:
        """The different texts of a column, missing ones too, and how many rows have each."""
        own = self.find(name) or name
        if self._stored is not None and self._stored(own).dtype.is_float():
            values, times = counted_values(self._stored(own))
            return _text(values), times  # each different one is written once
        found = self.counted([name])
        if TIMES in found.columns:
            return found[name], found[TIMES].to_numpy().astype(np.int64)
        return counted_values(found[name])

    def texts(self, columns: Sequence[str], values: Sequence[str] = ()) -> pl.DataFrame:
        """These columns as text, missing cells null.

        Arguments:
            columns: their names.
            values: those of sensitive values, of which all that is missing is one.
        """
        own = {name: self.find(name) or name for name in columns}
        found = self._texts([*dict.fromkeys(own.values())], [own[name] for name in values])
        return found.select(pl.col(one).alias(name) for name, one in own.items())

    def codes(self, name: str) -> pl.Series:
        """A column as text that is held as codes; all that is missing is null."""
        own = self.find(name) or name
        codes = as_codes(self.texts([own], [own])[own]) if self._codes is None else self._codes(own)
        return codes.alias(name)

    def find(self, name: str) -> str | None:
        """The column of that name; blanks around names do not count, as files lose them."""
        bare = name.strip("\ufeff \t\r\n")
        return next((one for one in (name, bare) if one in self.columns), None)


@dataclass(frozen=True)
class Published:
    """A release as it lies before a reader."""

    tables: tuple[PublishedTable, ...]
    claims: Claims | None = None
    notes: tuple[str, ...] = ()


def read_release(
    release: Frame, source: PlainMapping | None = None, *, coded: bool = False
) -> Published:
    """The tables of a release, and its certificate where there is one.

    Arguments:
        release: A frame that Narwhals knows, the path of a file, the path of a folder with a
            certificate or with a single table, or a mapping of names to frames or paths.
        source: Settings for reading a file, by the names of
            :func:`indistinct.sources.files.read_table`.
        coded: Hold the texts of files as codes, which takes a tenth of the memory.

    Raises:
        DataError: If something cannot be read or is no table.
    """
    if is_address(release):
        return _read_address(release, source or {})
    if isinstance(release, (str, Path)):
        return _read_path(Path(release), source or {}, coded)
    if isinstance(release, Mapping):
        if not release:
            raise DataError("no-table", "the release has no table")
        parts = [
            _read_file(Path(part), source or {}, None, str(name))
            if isinstance(part, (str, Path))
            else _read_frame(part, str(name))
            for name, part in release.items()
        ]
        return Published(tuple(parts))
    return Published((_read_frame(release, "the release"),))


def refuse_idle_source(release: Frame, source: PlainMapping | None) -> None:
    """Refuse to be told how files are read that a certificate speaks of: as they were written.

    Raises:
        PolicyError: the release is the folder of such files, or one of them; or a key is unknown.
    """
    refuse(PolicyError, unknown_keys(source or {}))
    if not source or not isinstance(release, str | Path) or is_address(release):
        return
    path = Path(release)
    beside = (path if path.is_dir() else path.parent) / CERTIFICATE
    if not beside.is_file():
        return
    with contextlib.suppress(DataError):  # a certificate that cannot be read is ignored
        if path.is_file() and path.name not in _read_claims(beside).tables:
            return
        raise PolicyError(
            "certified-files",
            "how the files are read was said, and a certificate says how they were written",
            file=Path(release).name,
            remedy=f"leave {', '.join(f'--{key}' for key in source)} out",
        )


def missing_columns(table: PublishedTable, columns: Iterable[str]) -> list[Problem]:
    """A problem for every column that the table ought to have and has not."""
    names = list(dict.fromkeys(columns))
    known = shown_names(table.columns, names)
    return [
        Problem(
            "missing-column",
            f"the release has no such column: {did_you_mean(name, known)}",
            file=table.name,
            attribute=name,
            remedy="name the columns as the release does",
        )
        for name in names
        if table.find(name) is None
    ]


def _read_path(path: Path, source: PlainMapping, coded: bool) -> Published:
    if path.is_dir():
        beside = path / CERTIFICATE
        if not beside.is_file():
            return Published((_read_file(_only_table(path), source, None, coded=coded),))
        claims = _read_claims(beside)
        if not claims.tables:
            raise DataError("no-table", "the certificate names no table", file=str(beside))
        for name, (digest, _) in claims.tables.items():
            if not digest and not (path / name).exists():
                raise _elsewhere(path / name)
        tables = [
            _read_file(path / name, source, claims, name, coded=coded) for name in claims.tables
        ]
        return Published(tuple(tables), claims, _unlisted(path, claims))
    beside = path.parent / CERTIFICATE
    if not (path.is_file() and beside.is_file()):
        return Published((_read_file(path, source, None, coded=coded),))
    try:
        claims = _read_claims(beside)
    except DataError as error:
        note = f"the certificate in the folder was ignored: {error.problems[0].message}"
        return Published((_read_file(path, source, None, coded=coded),), notes=(note,))
    if path.name not in claims.tables:
        note = "the certificate in the folder does not list the file"
        return Published((_read_file(path, source, None, coded=coded),), notes=(note,))
    return Published((_read_file(path, source, claims, path.name, coded=coded),), claims)


def _elsewhere(table: Path) -> DataError:
    """What is said of a table that was not written as a file."""
    return DataError(
        "missing-file",
        "the rows were stored in a server or on a cluster (--into), and not in this folder",
        file=str(table),
        remedy=f"name where they are: postgresql://host/database?schema=S&table={table.name}, or "
        "the folder that --into named",
    )


def _unlisted(folder: Path, claims: Claims) -> tuple[str, ...]:
    """A note on tables in the folder of which the certificate does not speak."""
    found = sorted(
        f"'{part.name}'"
        for part in folder.iterdir()
        if part.is_file() and part.suffix in _table_endings() and part.name not in claims.tables
    )
    if not found:
        return ()
    return ("not checked, because the certificate does not list it: " + ", ".join(found),)


def _table_endings() -> tuple[str, ...]:
    """The endings of files in which releases are published."""
    return (*_PLAIN_ENDINGS, *(kind.written for kind in written_kinds().values()))


def _only_table(folder: Path) -> Path:
    found = sorted(
        part for part in folder.iterdir() if part.is_file() and part.suffix in _table_endings()
    )
    match found:
        case [only]:
            return only
    held = "several tables" if found else "no table"
    raise DataError(
        "no-certificate",
        f"the folder has no {CERTIFICATE} and holds {held}",
        file=str(folder),
        remedy="name the file to be audited",
    )


def _read_file(
    path: Path,
    source: PlainMapping,
    claims: Claims | None,
    name: str | None = None,
    *,
    coded: bool = False,
) -> PublishedTable:
    name = name or path.name
    digest, rows = claims.tables[name] if claims else (None, None)
    same = digest is None or not path.is_file() or _sha256(path) == digest
    # What a certificate speaks of stands there as it was written, blanks and all.
    written = claims is not None and same
    coded &= written
    if claims is not None:  # how the source was read says nothing of what was written
        source = {**({} if written else source), "header": True}
    source = meant_for(path, source)
    try:
        frame = read_table(path, **source, allow_empty=True, exact=True, coded=coded)
    except DataError as error:
        if {one.code for one in error.problems} == {"too-little-memory"} and can_scan(path):
            table = scan(path, exact=True, **source)
            matches = same and rows == table.height() if claims else None
            return _read_counted(table, name, matches, as_written=written)
        if same:
            raise
        raise DataError([*error.problems, tampered(name)]) from None
    matches = same and rows == frame.height if claims else None
    names = column_names(frame)
    if coded:
        held = {
            values.name: values
            if values.dtype == pl.Enum
            else as_codes(_text(_one_missing(values)))
            for values in frame.get_columns()
        }
        del frame
        return PublishedTable(
            name,
            names,
            matches,
            lambda columns, _: pl.DataFrame([held[column].cast(pl.String) for column in columns]),
            _codes=held.__getitem__,
        )
    return PublishedTable(
        name,
        names,
        matches,
        lambda *of: _texts(frame, *of) if written else _trimmed(_texts(frame, *of)),
        _stored=frame.get_column,
    )


def _trimmed(frame: pl.DataFrame) -> pl.DataFrame:
    """The texts without blanks around them, in columns where that makes no two of them equal."""
    columns = []
    for values in frame.get_columns():
        plain = values.str.strip_chars(" \t\r\n")
        loose = not plain.equals(values)
        columns.append(plain if loose and plain.n_unique() == values.n_unique() else values)
    return pl.DataFrame(columns)


def tampered(name: str) -> Problem:
    """That a table is not the one its certificate speaks of."""
    return Problem(
        "certificate-mismatch",
        "the file is not the one that the certificate was written for",
        file=name,
        remedy="fetch the release again from where it was published",
    )


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _read_address(address: str | Path, source: PlainMapping) -> Published:
    """A table in a server, with the certificate that lies in a table beside it."""
    tables, document = release_in_server(address, **source)
    claims = None if document is None else _claims_in(document, None)
    return Published(
        tuple(
            _read_counted(
                table, name, None if claims is None else claims.tables[name][1] == len(table)
            )
            for name, table in tables.items()
        ),
        claims,
    )


def _read_counted(
    table: Counting,
    name: str,
    matches: bool | None = None,
    *,
    as_written: bool = True,
) -> PublishedTable:
    """A table in an engine, whose different rows are counted there."""

    def cells(frame: pl.DataFrame, wanted: Sequence[str], values: Sequence[str]) -> pl.DataFrame:
        found = _texts(frame, wanted, values)
        return found if as_written else _trimmed(found)

    def texts(wanted: Sequence[str], values: Sequence[str]) -> pl.DataFrame:
        return cells(table.frame(wanted), wanted, values)

    def counted(wanted: Sequence[str], values: Sequence[str]) -> pl.DataFrame:
        rows, times = table.published(wanted)
        return cells(rows, wanted, values).with_columns(times.alias(TIMES))

    _refuse_patterns(table.columns, name)
    return PublishedTable(name, table.columns, matches, texts, counted)


def _read_frame(native: Frame, name: str) -> PublishedTable:
    if isinstance(native, PostgresTable | ScannedTable):
        return _read_counted(native, name)
    if (kept := counted_once(native, name)) is not None:
        return _read_counted(kept, name)
    if isinstance(native, pl.DataFrame):
        _refuse_patterns(native.columns, name)
        return PublishedTable(
            name,
            tuple(native.columns),
            None,
            lambda *of: _texts(native, *of),
            _stored=native.get_column,
        )
    import narwhals as nw

    try:
        frame = nw.from_native(native)
        names = frame.collect_schema().names()
        columns = {str(column): column for column in names}
        if len(columns) < len(names):
            raise nw.exceptions.DuplicateError
        _refuse_patterns(columns, name)
    except nw.exceptions.DuplicateError:
        raise DataError("duplicate-column", "two columns have the same name", file=name) from None
    except TypeError:
        raise DataError(
            "not-a-table",
            f"a {type(native).__name__} is not a table",
            file=name,
            remedy="give a Polars, pandas, PyArrow or DuckDB table, or a path",
        ) from None

    def texts(wanted: Sequence[str], values: Sequence[str]) -> pl.DataFrame:
        if isinstance(frame, nw.LazyFrame):
            if elsewhere:
                rows = frame.select(nw.len()).collect("polars").item()
                memory.require_rows(memory.OF_CELLS * rows * len(wanted), name, memory.allowed())
            return _texts(frame.select(wanted).collect("polars").to_native(), wanted, values)
        read = {
            name: _to_polars(frame.get_column(columns[name]), one_missing=name in values)
            for name in wanted
        }
        return _texts(pl.DataFrame(read), wanted, values)

    def counted(wanted: Sequence[str], values: Sequence[str]) -> pl.DataFrame:
        assert isinstance(frame, nw.LazyFrame)
        times = "times" + "_" * max(map(len, wanted))  # engines know no name as ours
        every = frame.select(wanted).group_by(wanted).agg(nw.len().alias(times))
        most = memory.most_combinations(memory.allowed())
        found = every.head(most + 1).collect("polars").to_native()
        memory.require_combinations(found.height, wanted, name, memory.allowed())
        return _texts(found, wanted, values).with_columns(found[times].cast(pl.Int64).alias(TIMES))

    elsewhere = isinstance(frame, nw.LazyFrame) and not frame.implementation.is_polars()
    return PublishedTable(name, tuple(columns), None, texts, counted if elsewhere else None)


def _refuse_patterns(columns: Iterable[str], name: str) -> None:
    """Raise if a name, such as ``*`` or ``^age$``, is one that Polars reads as several columns."""
    odd = [one for one in columns if one == "*" or (one.startswith("^") and one.endswith("$"))]
    if odd:
        raise DataError("pattern-name", f"the name of column '{odd[0]}' is a pattern", file=name)


def _texts(frame: pl.DataFrame, columns: Sequence[str], values: Sequence[str] = ()) -> pl.DataFrame:
    return pl.DataFrame(
        [_text(_one_missing(frame[name]) if name in values else frame[name]) for name in columns]
    )


def _one_missing(values: pl.Series) -> pl.Series:
    """A column in which NaN and empty texts are missing like a missing cell."""
    if values.dtype.is_float():
        return values.fill_nan(None)
    return values.set(values == "", None) if values.dtype == pl.String else values


def _to_polars(values: Any, *, one_missing: bool = False) -> pl.Series:
    """A column in Polars; by its values, one by one, where a conversion could blur them.

    Mixed columns cannot be converted, and categories of intervals become missing on the way.

    Arguments:
        values: the column.
        one_missing: whether missing cells are one, whatever stands for them.
    """
    import narwhals as nw

    kinds = (nw.String, nw.Boolean, nw.Date, nw.Datetime, nw.Duration, nw.Decimal)
    plain = values.dtype.is_numeric() or isinstance(values.dtype, kinds)
    by_cell = plain and values.implementation.is_pandas() and not has_arrow()
    if not by_cell and (plain or values.implementation.is_polars()):
        converted: pl.Series = values.to_polars()
        return converted
    cells = [*zip(values.to_list(), values.is_null().to_list(), strict=True)]
    if one_missing:
        cells = [(None if gone else value, gone) for value, gone in cells]
    if by_cell:
        return pl.Series([None if gone else value for value, gone in cells])
    return _object_texts(cells)


def _object_texts(cells: list[tuple[Any, bool]]) -> pl.Series:
    """Texts of objects, which may be missing; ``39`` and ``"39"`` differ where both are there."""
    missings = len({type(one) for one, gone in cells if gone}) > 1
    times = [one for one, gone in cells if isinstance(one, dt.datetime) and not gone]
    days = all(one.time() == dt.time() for one in times)
    plain = [str(one) if gone else _python_text(one, days=days) for one, gone in cells]
    kinds: dict[str, set[str]] = {}
    for (one, gone), text in zip(cells, plain, strict=True):
        if not gone:
            kinds.setdefault(text, set()).add(_kind(one))

    def told(value: object, absent: bool, text: str) -> str | None:
        if absent and not missings:
            return None
        apart = absent or (len(kinds[text]) > 1 and not isinstance(value, str))
        return f"\0{_kind(value)} {text}" if apart else text

    texts = [told(*cell, text) for cell, text in zip(cells, plain, strict=True)]
    return pl.Series(values=texts, dtype=pl.String)


def _kind(value: object) -> str:
    integer = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    return "int" if integer else type(value).__name__


def _python_text(value: object, *, days: bool) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return str(value + 0.0).removesuffix(".0")
    if isinstance(value, dt.datetime) and days:
        return value.date().isoformat()
    if isinstance(value, (dt.date, dt.time)):
        return value.isoformat()
    return str(value)


def _text(values: pl.Series) -> pl.Series:
    if values.dtype.is_float():
        texts = values.cast(pl.String).str.strip_suffix(".0")
        return texts.set(texts == "-0", "0")  # 0.0 and -0.0 are one number
    if values.dtype == pl.Decimal:
        return values.cast(pl.String).str.replace(r"(\.\d*?)0+$", "${1}").str.strip_suffix(".")
    if isinstance(values.dtype, pl.Datetime):
        days = (values.dt.truncate("1d") == values).all()
        zone = "%:z" if values.dtype.time_zone else ""
        return values.dt.strftime("%Y-%m-%d" if days else f"%Y-%m-%dT%H:%M:%S%.f{zone}")
    if values.dtype == pl.Time:
        return values.dt.to_string("%H:%M:%S%.f")
    if values.dtype == pl.Duration:
        return values.dt.to_string("iso")
    if values.dtype.is_nested() or values.dtype in (pl.Object, pl.Binary):
        cells = [(value, value is None) for value in values.to_list()]
        return _object_texts(cells).alias(values.name)
    return values.cast(pl.String)


def _read_claims(path: Path) -> Claims:
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        raise DataError(
            "bad-certificate", "the certificate is not a JSON document", file=str(path)
        ) from None
    return _claims_in(document, path)


class _Complaints:
    """What is wrong with a certificate."""

    def __init__(self, path: Path | None) -> None:
        self.file = "its certificate" if path is None else str(path)
        self.problems: list[Problem] = []

    def add(self, message: str) -> None:
        """One more thing is wrong."""
        self.problems.append(Problem("bad-certificate", message, file=self.file))


def _claims_in(given: object, path: Path | None) -> Claims:
    document: PlainMapping = given if isinstance(given, Mapping) else {}
    wrong = _Complaints(path)
    told = _list_of("promises", document, wrong)
    promises = _promises(told, wrong)
    listed = _listed_tables(_list_of("tables", document, wrong), wrong)
    quasi = document.get("quasi_identifiers")
    if quasi is None:
        quasi = [name for promise in promises for name in promise.on or ()]
    if not isinstance(quasi, list) or any(not isinstance(name, str) for name in quasi):
        wrong.add("the certificate's quasi-identifiers are not a list of names")
    known: dict[str, ValueMetadata] = {}
    try:
        sensitive = document.get("sensitive", {}).items()
        known = {name: ValueMetadata.from_dict(part) for name, part in sensitive}
    except (AttributeError, ValueError):
        wrong.add("what the certificate says about sensitive attributes is malformed")
    person, linked = document.get("person"), document.get("linked")
    if not isinstance(person, str | None):
        wrong.add("the certificate names no column of the person")
    if linked is not None and not _is_link(linked):
        wrong.add("the certificate does not say how linked tables belong together")
    transformed = document.get("transformed", {})
    if not isinstance(transformed, Mapping) or any(
        not isinstance(what, str) for what in transformed.values()
    ):
        wrong.add("the certificate does not say what was done to which attributes")
    if wrong.problems:
        raise DataError(wrong.problems)
    classes, words = document.get("classes"), document.get("may_contain")
    achieved = [promise.get("achieved") for promise in told]
    return Claims(
        folder=None if path is None else path.parent,
        promises=tuple(promises),
        achieved=tuple(part if isinstance(part, Mapping) else None for part in achieved),
        quasi=tuple(dict.fromkeys(quasi)),
        tables=listed,
        records=document.get("records_published"),
        classes=classes if isinstance(classes, Mapping) else None,
        known=known,
        person=person,
        linked=linked,
        as_asked=tuple("counts_made_up" in promise for promise in told),
        created=str(document.get("created") or ""),
        transformed=transformed,
        may_contain=tuple(map(str, words)) if isinstance(words, list) else (),
    )


def _list_of(key: str, document: PlainMapping, wrong: _Complaints) -> list[Any]:
    """What the certificate lists under a key; empty where it lists nothing there."""
    found = document.get(key)
    if isinstance(found, list):
        return found
    wrong.add(f"the certificate has no list of {key}")
    return []


def _promises(told: Sequence[Any], wrong: _Complaints) -> list[Requirement]:
    found = []
    for promise in told:
        try:
            found.append(Requirement.from_dict(promise))
        except PolicyError as error:
            for problem in error.problems:
                wrong.add(problem.message)
    return found


def _listed_tables(tables: Sequence[Any], wrong: _Complaints) -> dict[str, tuple[str, int]]:
    """The digest and the number of rows of every table, by its path."""
    listed: dict[str, tuple[str, int]] = {}
    for table in tables:
        name = table.get("path") if isinstance(table, Mapping) else None
        digest, rows = (table.get("sha256"), table.get("rows")) if name else (None, None)
        if not isinstance(name, str) or not _inside(name):
            wrong.add("the certificate names a table that is not a file in its folder")
        elif not isinstance(digest, str) or not isinstance(rows, int):
            wrong.add(f"the certificate lacks the digest or the number of rows of '{name}'")
        else:
            listed[name] = (digest, rows)
    return listed


def _is_link(linked: object) -> bool:
    keys = ("quasi", "sensitive", "by")
    return isinstance(linked, Mapping) and all(isinstance(linked.get(key), str) for key in keys)


def _inside(name: str) -> bool:
    parts = PurePosixPath(name).parts
    return bool(parts) and not PurePosixPath(name).is_absolute() and ".." not in parts
