"""Tables that Spark reads where they are, and releases that its executors write.

A table is a path of any file system that the cluster knows, ``hdfs://``, ``s3a://`` and ``file://``
among them, or the name of one in its catalog, ``table:clinic.visits``. A release is written into a
folder beside its place, held against what was audited, and takes its place by one renaming, with
its certificate in it.
"""

from __future__ import annotations

import json
import re
import secrets
import zlib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from indistinct.errors import DataError, IndistinctError, OutputError, Problem, refuse
from indistinct.sources import memory
from indistinct.sources.file_kind import header_without_csv
from indistinct.sources.file_kinds.csv import CsvFile
from indistinct.sources.headers import believed_names
from indistinct.sources.packed import TIGHTEST, too_tight
from indistinct.sources.scan import head_of, kind_of_file
from indistinct.sources.spark_cuts import code_name
from indistinct.sources.spark_release import (
    as_shown,
    contents,
    contents_of,
    quoted,
    shown_of,
    telling,
)
from indistinct.sources.spark_session import begin_spark, settle
from indistinct.sources.spark_table import SparkTable, is_named
from indistinct.sources.table import Change, name_problems
from indistinct.sources.text import Tokens
from indistinct.sources.unchanged import changed
from indistinct.types import PlainMapping
from indistinct.warning_kinds import WarningText

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_SCHEME = re.compile(r"([a-z][a-z0-9+.-]*):/+", re.IGNORECASE)
_TABLE = "table:"
_CERTIFICATE = "_certificate.json"
"""In the folder of a release; Spark passes over names that begin so."""

_HEAD = 1 << 18
_BLANKS = "[ \\t\\n\\r]"


class SparkFiles(SparkTable):
    """A table that Spark reads from files or from its catalog."""

    def __init__(
        self,
        frame: DataFrame,
        name: str,
        tokens: Tokens | None = None,
        *,
        path: str | None = None,
        height: int | None = None,
    ) -> None:
        refuse(DataError, name_problems(frame.columns, name))
        self._path = path
        self._state = self._look_at_files(frame.sparkSession)
        super().__init__(frame, name, tokens, height)

    def publish(self, change: Change) -> DataFrame:
        """The release.

        Raises:
            DataError: The files changed since they were first read.
        """
        release = super().publish(change)
        if self._look_at_files(self._frame.sparkSession) != self._state:
            release.unpersist()
            raise changed(self.name)
        return release

    def _look_at_files(self, session: SparkSession) -> object:
        """What tells other files from these: their names, sizes and times."""
        from pyspark.sql import functions as f

        if self._path is None:
            return None
        system, java = _system(session, self._path)
        found = system.globStatus(java)
        if found and len(found) == 1 and found[0].isFile():
            return found[0].getLen(), found[0].getModificationTime()
        files = session.read.format("binaryFile").load(self._path)
        told = f.xxhash64("path", "length", "modificationTime").cast("decimal(38,0)")
        return files.agg(f.count(f.lit(1)), f.sum(told)).first()


def open_in_spark(given: str | Path, **reading: Any) -> SparkFiles:
    """A table that Spark reads.

    Arguments:
        given: a path, which may be a folder or a pattern, or ``table:NAME``.
        reading: ``separator``, ``quote``, ``encoding`` and ``header`` of CSV files.

    Raises:
        DataError: it cannot be read.
    """
    session = begin_spark(source=given)
    settle(session, given)
    if str(given).startswith(_TABLE):
        name = str(given).removeprefix(_TABLE)
        with telling(name):
            return _believed(SparkFiles(session.table(name), name), name, reading)
    if own := sorted({"skip_rows", "decimal"} & set(reading)):
        message = f"{' and '.join(own)} of [source]: of files that Spark does not read"
        remedy = "write the table without rows above the names, and numbers with a point, or leave"
        raise DataError(
            "not-scanned", message, file=str(given), remedy=f"{remedy} --engine spark out"
        )
    if other := sorted(set(reading) - CsvFile.takes):
        message = f"{' and '.join(other)} of [source]: of files that Spark does not read"
        raise DataError("not-scanned", message, file=str(given), remedy="leave --engine out")
    whole = _located(given)
    name = PurePosixPath(whole).name
    with telling(name):
        path = _exactly(whole) if _is_there(session, whole) else whole
        first = _first_file(session, path)
        if first is None:
            remedy = "correct the name, or the folder it is looked for in"
            raise DataError("missing-file", "there is no such file", file=whole, remedy=remedy)
        if kind_of_file(Path(first)) not in CsvFile.endings:
            if reading.get("header") is False:
                raise header_without_csv(name)
            table = SparkFiles(session.read.parquet(path), name, path=path)
        else:
            return _cells(session, path, first, name, reading)
    return _believed(table, name, reading)


def _believed(table: SparkFiles, name: str, reading: PlainMapping) -> SparkFiles:
    """A table whose names of columns were looked at, unless somebody said that they are names."""
    if reading.get("header") is None:
        table.columns = believed_names(table.like_their_names(), name)
    return table


def _located(given: str | Path) -> str:
    """A path as Hadoop has it: with the scheme that was given, or that of this machine's files.

    >>> _located(Path("file:///shared/visits")), _located(Path("hdfs://node/visits"))
    ('file:///shared/visits', 'hdfs://node/visits')
    """
    text = str(given)
    if text.startswith("file:/"):  # a path keeps one slash of three
        return f"file:///{text.removeprefix('file:').lstrip('/')}"
    if _SCHEME.match(text):
        return _SCHEME.sub(r"\1://", text, count=1) if "://" not in text else text
    return f"file://{Path(text).absolute()}"  # as it is: Hadoop has no %20 for a blank


def _exactly(path: str) -> str:
    """The pattern that means this path alone: a star or a bracket in it stands for itself."""
    return re.sub(r"([][{}*?\\])", r"\\\1", path)


def _is_there(session: SparkSession, path: str) -> bool:
    """Whether there is a file or a folder of this very name."""
    system, java = _system(session, path)
    return bool(system.exists(java))


def _system(session: SparkSession, path: str) -> tuple[Any, Any]:
    """Hadoop's file system of a path, and the path."""
    java = session._jvm.org.apache.hadoop.fs.Path(path)  # noqa: SLF001, there is no other way
    return java.getFileSystem(session._jsc.hadoopConfiguration()), java  # noqa: SLF001


def _first_file(session: SparkSession, path: str) -> str | None:
    """A file that a path, a folder or a pattern means; None where there is none."""
    system, java = _system(session, path)
    found = system.globStatus(java)
    while found:
        first = min(found, key=lambda one: one.getPath().toString())
        if not first.isDirectory():
            return str(first.getPath().toString())
        inside = system.listStatus(first.getPath())
        found = [one for one in inside if one.getPath().getName()[0] not in "._"]
    return None


def _cells(
    session: SparkSession, path: str, first: str, name: str, reading: PlainMapping
) -> SparkFiles:
    """The cells of CSV files as texts, blanks around them stripped and empty ones missing.

    What is asked of all cells is asked in one pass over the files.
    """
    from pyspark.sql import functions as f

    start = _start(session, first)
    columns, dialect, encoding, above = head_of(start, Path(first), **reading)
    if above.count("\n") > 1:
        message = "there is more than one line above the records, or an empty one"
        remedy = "take the other lines out"
        raise DataError("not-scanned", message, file=name, remedy=remedy)
    refuse(DataError, name_problems(columns, name))
    headed = reading.get("header") is not False
    # Cells that nobody asks for are looked at, too: a line with too few of them is an error.
    csv = session.read.option("columnPruning", "false").options(
        header=headed,
        sep=dialect.separator,
        quote=dialect.quote or "",
        escape=dialect.quote or "\\",
        encoding=encoding.removesuffix("-sig"),
        multiLine=True,
        nullValue="",
        **{"enforceSchema": False} if headed else {},
    )
    names = [f"c{at}" for at in range(len(columns))]
    plain = start.splitlines()[0] == dialect.separator.join(columns).encode()
    if headed and plain and len(set(map(str.lower, columns))) == len(columns):
        names = columns  # nothing is quoted or stripped: Spark reads them alike
    elif headed:
        names = csv.option("mode", "FAILFAST").csv(path).columns
        if list(map(str.strip, names)) != columns:
            message = "the files differ in their columns, or Spark reads their first line otherwise"
            raise DataError("not-scanned", message, file=name)
    blanks = f"^{_BLANKS}+|{_BLANKS}+$"
    cells = {name: f.regexp_replace(f.col(quoted(name)), blanks, "") for name in columns}
    stripped = [f.nullif(cell, f.lit("")).alias(name) for name, cell in cells.items()]
    # An error in a task is printed with its line, so lines are looked at before any can end one.
    texts = ", ".join(f"{quoted(name)} string" for name in names)
    odd = code_name([*names, *columns]) + "odd"
    looked = csv.options(mode="PERMISSIVE", columnNameOfCorruptRecord=odd)
    looked = looked.schema(f"{texts}, {odd} string").csv(path).toDF(*columns, odd)
    asked = f.count(odd), f.count(f.lit(1)), f.bool_or(is_named(columns))
    shown, (ragged, height, again) = shown_of(looked.select(*stripped, odd), *asked)
    if ragged:
        raise _ragged(int(ragged), len(columns), name)
    sound = csv.options(mode="FAILFAST", columnNameOfCorruptRecord=odd).schema(texts).csv(path)
    cut = as_shown(sound.toDF(*columns).select(*stripped), shown)
    table = SparkFiles(cut, name, path=path, height=int(height))
    if reading.get("header") is None:
        may = bool(again) or any(shown.values())  # 3.0 is shown as 3
        table.columns = believed_names(table.like_their_names(again=may), name, csv=True)
    return table


def _ragged(lines: int, width: int, name: str) -> DataError:
    """That lines have too few cells, or too many; which ones is not known."""
    have = "line has" if lines == 1 else "lines have"
    return DataError(
        "ragged-records",
        f"the header has {width} cell{'s' * (width != 1)}, but {lines} {have} more or fewer",
        file=name,
        remedy="correct these lines; if many are wrong, say which separator and quote the file has",
    )


def _start(session: SparkSession, file: str) -> bytes:
    """The bytes that a file begins with, unpacked."""
    system, java = _system(session, file)
    stream = system.open(java)
    try:
        data = bytes(stream.readNBytes(_HEAD))
    finally:
        stream.close()
    name = PurePosixPath(file).name
    packing = Path(name).suffix.lower()
    if packing in (".xz", ".bz2", ".zst"):
        message = f"Spark reads no CSV file that is packed as {packing}"
        remedy = f"unpack {name}, pack it as .gz, or write Parquet"
        raise DataError("not-scanned", message, file=name, remedy=remedy)
    return _unpacked(data, system.getFileStatus(java).getLen(), name) if packing == ".gz" else data


def _unpacked(data: bytes, whole: int, name: str) -> bytes:
    """The bytes that a file packed by gzip begins with.

    Raises:
        DataError: it cannot be unpacked, or is packed as no table is.
    """
    try:
        reader = zlib.decompressobj(16 + zlib.MAX_WBITS)
        found = reader.decompress(data, TIGHTEST * len(data) + 1)
    except zlib.error:
        message = "the file cannot be unpacked"
        raise DataError("unreadable-file", message, file=name) from None
    taken, limit = max(len(data) - len(reader.unconsumed_tail), 1), memory.allowed()
    expected = len(found) / taken * whole
    if len(found) > TIGHTEST * taken and expected > limit:
        raise too_tight(name, expected, limit)
    return found


class SparkStore:
    """A release that executors write into a folder, which appears whole or not at all.

    Arguments:
        into: where it appears; nothing may be there.
        held: the frame that was published.
    """

    told: tuple[WarningText, ...] = ()

    def __init__(self, into: str | Path, held: DataFrame) -> None:
        self.session = held.sparkSession
        self.path = _located(into).rstrip("/")
        self.name = PurePosixPath(self.path).name
        parent = self.path.rpartition("/")[0]
        self._staged = f"{parent}/.{self.name}.ind-{secrets.token_hex(4)}"
        with telling(self.name):
            self._system, self._target = _system(self.session, self.path)
            if self._system.exists(self._target):
                raise self._in_the_way()

    def put(self, frames: Mapping[str, DataFrame]) -> dict[str, tuple[str, int]]:
        """Let the executors write the release; the name of the folder, and how many records."""
        ((name, frame),) = frames.items()
        with telling(self.name):
            (audited, seed), shown = contents_of(frame), as_shown(frame)
            if audited is None or shown is not frame:
                held = contents(frame, seed)
                same = audited in (None, held)
                audited = (contents(shown, seed) if shown is not frame else held) if same else None
            shown.write.option("compression", "zstd").parquet(self._staged)
            written = contents(
                self.session.read.schema(shown.schema).parquet(_exactly(self._staged)), seed
            )
        if written != audited:
            raise IndistinctError("what was written is not what was audited: it is withheld")
        return {name: (self.name, written[0])}

    def certify(self, certificate: PlainMapping) -> None:
        """Store the certificate beside the rows."""
        document = json.dumps(certificate, indent=2, ensure_ascii=False, allow_nan=False)
        with telling(self.name):
            system, path = _system(self.session, f"{self._staged}/{_CERTIFICATE}")
            stream = system.create(path)
            stream.write(bytearray(document.encode() + b"\n"))
            stream.close()

    def commit(self) -> None:
        """Let all of it appear."""
        with telling(self.name):
            if self._system.exists(self._target):
                raise self._in_the_way()
            _, staged = _system(self.session, self._staged)
            done = self._system.rename(staged, self._target)
        if not done:
            message = "the folder could not take its place; nothing was written"
            raise OutputError("unwritable", message, file=self.path)

    def close(self) -> None:
        """Remove what has not appeared."""
        with telling(self.name):
            system, staged = _system(self.session, self._staged)
            system.delete(staged, True)

    def _in_the_way(self) -> OutputError:
        remedy = "name another place: a release takes nothing's place"
        problem = Problem("file-exists", "something of that name is there already", self.path)
        return OutputError([replace(problem, remedy=remedy)])
