"""From what the caller gave to a table and a policy that fit each other."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self, Union, get_args

import polars as pl

from indistinct.document import in_quotes, many
from indistinct.errors import (
    DataError,
    PolicyError,
    Problem,
    Problems,
    UncertainNames,
    did_you_mean,
    refuse,
    running_on,
)
from indistinct.frozen import dataclass
from indistinct.sources.convert import to_polars
from indistinct.sources.engines import open_table
from indistinct.sources.file_kind import KEYS, kind_of, meant_for, refuse_missing, unknown_keys
from indistinct.sources.files import read_table
from indistinct.sources.format import format_named
from indistinct.sources.headers import believed_names
from indistinct.sources.memory import size_of
from indistinct.sources.postgres import Address, is_address, open_in_server
from indistinct.sources.scan import ScannedTable, can_scan, is_large, scan
from indistinct.sources.table import Table, column_names, is_opened, quantities
from indistinct.sources.text import canonical
from indistinct.sources.titles import notes_of_file, titles_of_file
from indistinct.sources.unchanged import unchanged
from indistinct.types import Frame, Plain, PlainMapping

if TYPE_CHECKING:
    from indistinct.policy import Policy
    from indistinct.sources.postgres import PostgresTable
    from indistinct.sources.spark_files import SparkFiles

Progress = Callable[[str, float | None], None]
"""Called with what is being done, and the share of it that is done where that is known."""


Engine = Literal["duckdb", "spark"]
"""What can count a table where it is: files that are larger than memory, or on a cluster."""

AUTO = "auto"
"""In place of an engine: what takes less time and memory, by the size of the file."""

MEMORY = "memory"
"""In place of an engine: the table is read, whatever its size."""

SCANNED = "the table does not fit into memory: it was scanned by DuckDB"

PolicyLike = Union["Policy", PlainMapping, str, Path]
"""A policy, a mapping of its keys, or the path of its file."""


def as_policy(policy: PolicyLike, *, draft: bool = False) -> Policy:
    """The policy that is given, as it is, by its keys, or by its file.

    Arguments:
        policy: the policy.
        draft: whether it may lack quasi-identifiers and promises, where nothing is promised.

    Raises:
        PolicyError: it is no policy, cannot be read, or lacks what it must have.
    """
    from indistinct.policy import DraftPolicy, Policy

    kind = DraftPolicy if draft else Policy
    if isinstance(policy, Mapping):
        return kind.from_dict(policy).with_rest()
    if isinstance(policy, str | Path):
        return kind.load(policy).with_rest()
    if not isinstance(policy, Policy):
        message = f"an object of type {type(policy).__name__} is not a policy"
        remedy = "give a Policy, a mapping of its keys, or the path of its file"
        raise PolicyError("no-policy", message, remedy=remedy)
    if isinstance(policy, DraftPolicy) and not draft:
        keys = policy.to_dict()
        policy = Policy.from_dict(keys, directory=policy.directory, file=policy.file)
    return policy.with_rest()


def reading(policy: Policy | None) -> Plain:
    """What the policy says of how a file is read."""
    source = {} if policy is None else policy.source.to_dict()
    return {key: source[key] for key in KEYS if key in source}


def read_as(policy: Policy | None, source: PlainMapping | None) -> PlainMapping:
    """How a file is read: as the policy says, or as is said where there is none.

    Raises:
        PolicyError: both say it, or a key is unknown.
    """
    source = source or {}
    problems = unknown_keys(source)
    if policy is not None and source:
        listed = in_quotes(source)
        message = f"source says {listed}, and the policy says how the table is read"
        remedy = "write it under [source] of the policy, or leave it out"
        problems.append(Problem("policy-and-options", message, remedy=remedy))
    refuse(PolicyError, problems)
    return reading(policy) if policy is not None else source


def names_of(given: Iterable[object] | str | None) -> tuple[str, ...]:
    """The names that were given; a text is one name, as in a policy. pandas numbers columns.

    >>> names_of("age"), names_of(["age", 0]), names_of(None)
    (('age',), ('age', '0'), ())
    """
    return (given,) if isinstance(given, str) else tuple(map(str, given or ()))


def no_progress(what: str, share: float | None) -> None:
    """A progress callback that does nothing."""
    del what, share


def open_source(
    data: Frame,
    policy: Policy,
    path: str | Path | None,
    *,
    held: bool = False,
    allow_empty: bool = False,
    scanned: Scanned | Collection[str] | bool | None = None,
) -> tuple[Table, str | None]:
    """The table given, held against the policy, and the digest of the file it came from.

    Arguments:
        data: a frame of any engine, the path of a file or of a folder in a health format, or the
            address of a table in PostgreSQL.
        policy: says how it is read, and what its columns are.
        path: the file that a frame was read from.
        held: ask for a table in memory, from any engine: for what goes record by record.
        allow_empty: whether it may have no records.
        scanned: how files are scanned where they are, and not read; or which columns of a file
            are needed (True: all): texts of a large one are then held as codes, and all others are
            empty.

    Raises:
        DataError: it cannot be read, or changes meanwhile.
        PolicyError: the policy does not fit it.
    """
    where = scanned if isinstance(scanned, Scanned) else None
    if where is not None or is_address(data):
        return _elsewhere(data, policy, where, held)
    tokens, source, native = policy.missing_tokens(), policy.source, data
    if isinstance(data, str | Path):
        path = data
    elif path is None:
        _refuse_of_file(policy.source.to_dict(), beside=source.people is not None)
    else:
        refuse_missing([Path(path)])
    name = "table" if path is None else Path(path).name
    notes: tuple[str, ...] = ()
    titles: dict[str, str] = {}
    digest: str | None = None
    with unchanged(path):
        if isinstance(data, str | Path) and source.format is not None:
            records = format_named(source.format).records(data)
            native, notes = records.frame, records.notes
            digest = digest_of(records.files)
        else:
            with ThreadPoolExecutor(1) as beside:
                # Reading and hashing the same file take turns on disk and processor.
                hashed = None if path is None else beside.submit(sha256_of, Path(path))
                if isinstance(data, str | Path):
                    coded = scanned if isinstance(scanned, Collection) else bool(scanned)
                    how = {"coded": coded, **reading(policy)}
                    native = in_file(data, fits=held, allow_empty=allow_empty, **how)
                    notes = () if source.header is not None else _header_notes(native)
                    notes += notes_of_file(data, native, **reading(policy))
                    titles = titles_of_file(data, **reading(policy))
                digest = None if hashed is None else hashed.result()
    if source.completed:
        native = completed(to_polars(native), policy, name)
    known = open_table(native, name, allow_empty=allow_empty)
    if not isinstance(data, str | Path) and not is_opened(data):
        refuse_record(known, source.header)
    if held and not known.held:
        native = to_polars(native)
        known = open_table(native, name, allow_empty=allow_empty)
    policy.adopt(known.columns)
    if source.format is not None:
        native, known = _without(native, known, policy, name)
    policy.check(known.columns, "the table" if path is None else name)
    table = known
    if tokens:
        table = open_table(native, name, missing_tokens=tokens, allow_empty=allow_empty)
    table.notes, table.titles = (*table.notes, *notes), titles
    table.inferred = (kind := kind_of(Path(name))) is not None and kind.inferred
    return table, digest


def refuse_record(table: Table, header: bool | None) -> None:
    """Refuse a frame the names of whose columns look like a record, as a file is refused.

    Arguments:
        table: the frame as a table.
        header: true where somebody says that they are names.

    Raises:
        DataError: they look like a record.
    """
    if header is None:
        believed_names(table.like_their_names(), table.name)


def _refuse_of_file(said: PlainMapping, *, beside: bool = False) -> None:
    """Refuse what is said of how a file is read where the table is a frame.

    Arguments:
        said: the keys of the source; ``header = true`` holds of the names of a frame as well.
        beside: whether there is a file of people, which has the same encoding and decimal mark.
    """
    idle = [
        key
        for key in KEYS
        if key in said
        and not (beside and key in ("encoding", "decimal"))
        and (key, said[key]) != ("header", True)
    ]
    if idle:
        raise DataError(
            "no-file",
            f"what is said of how a file is read has no effect on a frame: {', '.join(idle)}",
            file="table",
            remedy="leave it out of [source], or name the file (path) that the frame was read from",
        )


def in_file(
    data: str | Path,
    *,
    fits: bool = False,
    allow_empty: bool = False,
    coded: Collection[str] | bool = False,
    **how: Any,
) -> pl.DataFrame | ScannedTable | SparkFiles:
    """The table in a file: read, or scanned where it does not fit into memory and can be.

    Arguments:
        data: the path.
        fits: refuse a table that does not fit into memory.
        allow_empty: whether it may have no records.
        coded: the columns that are needed, as :func:`read_table` takes them.
        how: how the file is read.

    Raises:
        DataError: it cannot be read.
    """
    try:
        return read_table(data, allow_empty=allow_empty, coded=coded, **how)
    except DataError as error:
        small = {problem.code for problem in error.problems} == {"too-little-memory"}
        if fits or not small or not can_scan(Path(data)):
            raise
    table = Scanned().open(data, **how)
    table.notes = (SCANNED,)
    return table


def scanned_by_itself(data: Frame, policy: Policy) -> bool:
    """Whether a table is in a file that is scanned though nobody asks for it."""
    if not isinstance(data, str | Path) or is_address(data):
        return False
    together = policy.source.format is not None or policy.source.completed
    return not together and Scanned.by_itself(Path(data)) is not None


def scanned_or_as_it_is(
    data: Frame, engine: str | None, memory: str | None, how: PlainMapping
) -> Frame:
    """A table that is counted where it is, where that is asked for; else what was given.

    Arguments:
        data: a frame, the path of a file, or with Spark a table of its catalog.
        engine: what counts it where it is: ``"duckdb"`` or ``"spark"``; nothing does where it is
            ``"memory"`` or None.
        memory: what the process may take, as ``2GB``; where only that is given, DuckDB counts.
        how: how the file is read.

    Raises:
        DataError: it is no file, or cannot be read.
        PolicyError: no such engine, or no size of memory.
    """
    scanned = Scanned.of(engine, memory)
    return data if scanned is None else scanned.open(data, **how)


@dataclass(frozen=True)
class Scanned:
    """How tables are counted where they are, and need not fit into memory.

    Arguments:
        engine: what counts them.
        memory: what the process may take, as ``2GB``; what tables may take where not given.
    """

    engine: Engine = "duckdb"
    memory: str | None = None

    @classmethod
    def of(cls, engine: str | None, memory: str | None) -> Self | None:
        """What is asked for; None where nothing is.

        Raises:
            PolicyError: no such engine, or no size of memory.
        """
        if engine in (None, MEMORY) and memory is None:
            return None
        problems, known = [], (*get_args(Engine), MEMORY)
        if engine is not None and engine not in known:
            hint = did_you_mean(engine, known)
            problems.append(Problem("unknown-engine", f"no engine '{engine}': {hint}"))
        if engine == MEMORY:
            message = "memory is said of DuckDB, and the table is to be read"
            remedy = "leave --memory out, or give --max-memory in its place"
            problems.append(Problem("bad-memory", message, remedy=remedy))
        if engine == "spark" and memory is not None:
            message = "memory is said of DuckDB, and Spark has settings of its own"
            remedy = "leave --memory out, and set spark.driver.memory and spark.executor.memory"
            problems.append(Problem("bad-memory", message, remedy=remedy))
        if memory is not None and size_of(memory) is None:
            remedy = "write 2GB, for example"
            problems.append(Problem("bad-memory", "memory is no size", remedy=remedy))
        refuse(PolicyError, problems)
        return cls("spark" if engine == "spark" else "duckdb", memory)

    @classmethod
    def by_itself(cls, file: Path) -> Self | None:
        """How a file is scanned though nobody asks for it: only where it is large, and can be."""
        return cls() if is_large(file) and can_scan(file) else None

    def open(self, data: Frame, **reading: Any) -> ScannedTable | SparkFiles:
        """A table in files, or in Spark's catalog.

        Raises:
            DataError: it is no file, or cannot be read.
        """
        if not isinstance(data, str | Path) or is_address(data):
            raise DataError(
                "not-scanned",
                "a frame or a table in a server is counted where it is, not scanned",
                remedy="leave engine and memory out, or give the path of a file",
            )
        if self.engine == "spark":
            from indistinct.sources.spark_files import open_in_spark

            return open_in_spark(data, **reading)
        return scan(data, None if self.memory is None else size_of(self.memory), **reading)


def _elsewhere(
    data: Frame, policy: Policy, scanned: Scanned | None, held: bool
) -> tuple[Table, str | None]:
    """The table in files or in a server, held against the policy; and the digest of the files."""
    constant = policy.source.constant
    together = policy.source.format is not None or policy.source.people is not None
    if together or (constant and not held):
        raise DataError(
            "not-scanned",
            "health formats, tables of people and constant columns are put together in memory",
            remedy="leave --engine and --memory out"
            if scanned
            else "leave format, people and constant out of [source], or export the table",
        )
    table: ScannedTable | SparkFiles | PostgresTable
    if scanned is None:
        table = open_in_server(data, **reading(policy))
    else:
        table = scanned.open(data, **reading(policy))
    files: Sequence[Path] = getattr(table, "files", ())  # of this machine
    digest = sha256_of(files[0]) if len(files) == 1 else digest_of(files) if files else None
    if not table.height():
        raise DataError("no-records", "the table has no records", file=table.name)
    more = [name for name in constant if name not in table.columns]
    # Names that may be a record stay so.
    columns = type(table.columns)([*table.columns, *more]) if more else table.columns
    policy.adopt(columns)
    policy.check(columns, table.name)
    if held:
        frame = completed(table.frame(), policy, table.name)
        return open_table(frame, table.name, missing_tokens=policy.missing_tokens()), digest
    return table.with_tokens(policy.missing_tokens()), digest


def plain_table(
    data: Frame, source: PlainMapping | None, path: str | Path | None, *, allow_empty: bool = False
) -> Table:
    """The table given, where no policy says what its columns are.

    Texts of a large file are held as codes.

    Arguments:
        data: a frame of any engine, the path of a file, or the address of a table in PostgreSQL.
        source: how a file is read, ``{"separator": ";"}``.
        path: the file that a frame was read from, for messages.
        allow_empty: whether it may have no records.

    Raises:
        DataError: it cannot be read.
    """
    native = data
    if isinstance(data, str | Path):
        given = dict(source or {})
        served = is_address(data)
        native = (
            open_in_server(data, **given)
            if served
            else in_file(data, allow_empty=allow_empty, coded=True, **given)
        )
        path = data
    elif path is None:
        _refuse_of_file(source or {})
    name = "table" if path is None else name_of(path)
    table = open_table(native, name, allow_empty=allow_empty)
    if not isinstance(data, str | Path) and not is_opened(data):
        refuse_record(table, (source or {}).get("header"))
    if isinstance(data, str | Path):
        table.notes = (*table.notes, *notes_of_file(data, native, **(source or {})))
        table.titles = titles_of_file(data, **(source or {}))
    return table


def name_of(path: str | Path) -> str:
    """What messages call a table: the name of its file, or of the table in a server."""
    return Address.of(path).name if is_address(path) else Path(path).name


def _header_notes(native: pl.DataFrame | ScannedTable | SparkFiles) -> tuple[str, ...]:
    """A doubt whether the first line of a file is its header, where a release would publish it."""
    names = column_names(native) if isinstance(native, pl.DataFrame) else native.columns
    if not isinstance(names, UncertainNames):
        return ()
    notes = []
    if places := quantities(names):
        notes.append(
            f"the header has numbers or dates as names ({_numbered(places)}): if the first line "
            "is a record, put a header above it, as a release publishes the first line"
        )
    if places := running_on(names):
        notes.append(
            f"the header has names with a quote or a tab ({_numbered(places)}): if these are "
            "cells of records, correct the header, because a release publishes it"
        )
    return tuple(notes)


def _numbered(places: Sequence[int]) -> str:
    return f"column{'s' * (len(places) > 1)} {', '.join(map(str, places))}"


def completed(rows: pl.DataFrame, policy: Policy, name: str) -> pl.DataFrame:
    """The records with the columns that the policy adds: those of people, and constant ones.

    Arguments:
        rows: the records.
        policy: its source names the table of people, and the constant columns.
        name: what messages call the table.

    Raises:
        DataError: the table of people does not fit, or the records have such a column already.
    """
    source = policy.source
    if source.people is not None:
        rows = _with_people(rows, policy, name)
    twice = [column for column in source.constant if column in rows.columns]
    refuse(
        DataError,
        [
            Problem(
                "column-exists",
                "source.constant adds a column of that name, and the table has one",
                file=name,
                attribute=column,
                remedy="leave it out of source.constant, or choose another name",
            )
            for column in twice
        ],
    )
    return rows.with_columns(pl.lit(text).alias(own) for own, text in source.constant.items())


def _with_people(rows: pl.DataFrame, policy: Policy, name: str) -> pl.DataFrame:
    """The records with the columns of the table of people that the policy names.

    Of the people's columns those that the policy lists and the records do not have are joined.
    People without a record are left out.

    Raises:
        DataError: the table cannot be read, lacks the key, names a person twice, or lacks people
            of the records. All of it at once.
    """
    source = policy.source
    assert source.people is not None
    assert source.person is not None
    path = policy.directory / source.people.file
    alike = meant_for(path, {"encoding": source.encoding, "decimal": source.decimal})
    people = read_table(path, separator=source.people.separator, **alike)
    key = source.people.key or source.person
    lacking = [
        Problem(
            "missing-column",
            f"has no such column: {did_you_mean(column, column_names(table))}",
            file=file,
            attribute=column,
            remedy="correct source.person, or source.people.key",
        )
        for column, table, file in ((key, people, path.name), (source.person, rows, name))
        if column not in table.columns
    ]
    refuse(DataError, lacking)
    wanted = [
        column
        for column in people.columns
        if column != key and column in policy.attributes and column not in rows.columns
    ]
    own = canonical(people.select(key))[key]
    theirs = canonical(rows.select(source.person))[source.person]
    problems = Problems()
    twice = own.is_duplicated() & own.is_not_null()
    if twice.any():
        problems.add(
            "person-twice",
            f"{many(own.filter(twice).n_unique(), 'person stands')} in more than one row",
            file=path.name,
            attribute=key,
            rows=tuple(at + 1 for at in twice.arg_true().head(11).to_list()),
            remedy="leave one row for every person",
        )
    unknown = theirs.is_not_null() & ~theirs.is_in(own.drop_nulls().implode())
    if unknown.any():
        problems.add(
            "unknown-person",
            f"{many(int(unknown.sum()), 'record is')} of people who are not in {path.name}",
            file=name,
            attribute=source.person,
            rows=tuple(at + 1 for at in unknown.arg_true().head(11).to_list()),
            remedy="add these people, or take the records out",
        )
    refuse(DataError, problems)
    joined = pl.DataFrame([theirs.alias(_KEY)]).join(
        people.select(own.alias(_KEY), *wanted), on=_KEY, how="left", maintain_order="left"
    )
    return rows.hstack(joined.select(wanted).get_columns())


_KEY = "\0person"


def _without(native: Frame, table: Table, policy: Policy, name: str) -> tuple[Frame, Table]:
    """A table of a health format without the columns that the policy says nothing of."""
    kept = [column for column in table.columns if column in policy.attributes]
    if len(kept) == len(table.columns):
        return native, table
    native = to_polars(native).select(kept)
    return native, open_table(native, name)


def digest_of(files: Sequence[Path]) -> str:
    """The SHA-256 digest of the names and digests of several files."""
    found = hashlib.sha256()
    for part in sorted(files):
        found.update(f"{part.name} {sha256_of(part)}\n".encode())
    return found.hexdigest()


def sha256_of(path: Path) -> str:
    """The SHA-256 digest of a file, in hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
