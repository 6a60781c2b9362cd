"""Writing a release: files with nothing in them beside the rows, whole or not at all.

Everything is written under a temporary name in the same folder, forced to the disk and renamed; a
run's folder appears the same way, with all its files at once. Whatever goes wrong, a full disk
included, leaves nothing behind. A process that is killed cannot tidy up: what it staged is locked
while it lives, and removed by the next run in that folder.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import fcntl
import glob
import hashlib
import json
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO

import polars as pl
import polars.selectors as cs

from indistinct.document import in_quotes
from indistinct.errors import OutputError, Problem, refuse
from indistinct.frozen import dataclass
from indistinct.sources import spark_release, spark_table
from indistinct.sources.arrow import frame_of_arrow
from indistinct.sources.convert import to_polars
from indistinct.sources.duckdb_table import as_arrow_has_it, file_of, relation_as_shown
from indistinct.sources.file_kind import PLAIN_FORMATS, WrittenKind, kind_of, written_kinds
from indistinct.sources.standing import follow
from indistinct.sources.table import is_duckdb, is_pandas, is_spark
from indistinct.sources.text import settled, with_whole_numbers
from indistinct.types import Frame, PlainMapping

CERTIFICATE = "certificate.json"
"""The public file by which the folder of an earlier run is known again."""

REPORT = "report.html"
"""The report of a release, beside it for everybody and in ``private/`` for the custodian."""

PRIVATE = "private"
"""The folder of a run that nobody else may read."""

FORMULA_STARTS = (
    "=\u207c\u208c\u2a75\u2a76\ufe66\uff1d+\u207a\u208a\ufb29\ufe62\uff0b"
    "@\ufe6b\uff20\u207b\u208b\u2212\ufe63\uff0d-"
)
"""What a spreadsheet takes for the start of a formula, in every form and width that Unicode has."""

_UNSEEN = (
    r"[\s\x00-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    r"\u202a-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
    r"\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d159\U0001d173-\U0001d17a"
    r"\U000e0000-\U000e0fff]*"
)
"""White space, control characters, what Unicode says is ignorable by default, and other blanks."""

_NUMBER = r"[+\u2212-]?\d*[.,]?\d+(?:[eE][+-]?\d+)?"
_CUT = r"(^|[;,|\t\r\n])"
_STARTED = rf"{_UNSEEN}[{FORMULA_STARTS}]"
_HARMLESS = rf"{_UNSEEN}(?:[{FORMULA_STARTS}]|{_NUMBER})[\])}}]*{_UNSEEN}(?:[;,|]|$)"
_FORMULA = re.compile(rf"^()(?=[\t\r])|{_CUT}(?={_STARTED})(?!{_HARMLESS})")
_GUARD = re.compile(rf"^()'(?=[\t\r])|{_CUT}'(?={_STARTED})")

_WIDE = (pl.UInt64, pl.Int128)
"""Types of whole numbers that one large number of a table decides on."""

_ROWS = 1 << 17
"""Records that are written at a time, where a release is read from an engine."""

_SEAL = 8
_EARLIER = "old-"
_EXCHANGE = 2  # RENAME_EXCHANGE of Linux
_HERE = -100  # AT_FDCWD

NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def write_csv(
    frame: Frame, path: str | Path, *, spreadsheet_safe: bool = False, separator: str = ","
) -> pl.DataFrame | None:
    """Write a frame of any engine as CSV: UTF-8, line feeds, quotes only where needed.

    Arguments:
        frame: The release.
        path: The file; one that is there is replaced.
        spreadsheet_safe: Neutralize cells that a spreadsheet would run (see :func:`neutralized`).
        separator: Between cells.

    Returns:
        What a reader of the file finds in it, where that need not be read to be known.

    Raises:
        OutputError: If it cannot be written, or has columns of lists or bytes; then nothing is left
            behind.
    """
    found: list[pl.DataFrame] = []

    def write(file: BinaryIO) -> None:
        shown = as_shown(frame)
        for at, rows in enumerate(batches(shown)):
            cells = _in_cells(rows, Path(path))
            part = neutralized(cells) if spreadsheet_safe else cells
            if isinstance(shown, pl.DataFrame) and _is_read_alike(part):
                found.append(part)
            part.write_csv(
                file,
                include_header=not at,
                separator=separator,
                null_value='""' if part.width == 1 else None,
                time_format="%H:%M:%S%.f",
            )

    _write_whole(Path(path), write)
    return found[0] if found else None


def write_parquet(frame: Frame, path: str | Path) -> pl.DataFrame | None:
    """Write a frame of any engine as Parquet, without statistics and without metadata of a schema.

    Categories become plain strings first, so that a dictionary in the file holds only values that
    occur in its rows; a file that an engine wrote has the smallest and largest cells of its parts.

    Returns:
        What a reader of the file finds in it, where that need not be read to be known.

    Raises:
        OutputError: If it cannot be written; then nothing is left behind.
    """
    found: list[pl.DataFrame] = []

    def write(file: BinaryIO) -> None:
        shown = as_shown(frame)
        if (stored := file_of(shown)) is not None:
            with stored.path.open("rb") as held:
                shutil.copyfileobj(held, file, 1 << 24)
        elif (reader := reader_of(shown)) is not None:
            _stream_parquet(reader, file)
        else:
            _refuse_objects(shown, Path(path))
            shown.write_parquet(file, statistics=False, compression="zstd")
            found.append(shown)

    _write_whole(Path(path), write)
    return found[0] if found else None


def write_as(kind: WrittenKind, frame: Frame, path: Path) -> None:
    """Write a frame of any engine as a file of another kind.

    Arguments:
        kind: what the file will be.
        frame: the release.
        path: the file; one that is there is replaced.

    Raises:
        OutputError: it cannot be written, or the kind cannot hold the release; then nothing is left
            behind.
    """
    kind.require()
    shown = to_polars(as_shown(frame))
    folder, lock = staged_folder(path)
    try:
        with refusing(path):
            staged = folder / f"release{kind.written}"
            kind.write(shown, staged)
            staged.chmod(0o666 & ~_umask())
            with staged.open("rb") as file:
                os.fsync(file.fileno())
            staged.replace(path)
            _sync_folder(path.parent)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)


def require_format(form: str, names: Sequence[str]) -> None:
    """Refuse files that cannot be written here, or have no such columns, before a release is made.

    Arguments:
        form: the name of a kind of files, as in ``[output]``.
        names: the names of the columns that may be published.

    Raises:
        OutputError: a package is not installed, or a name is none there.
    """
    kind = written_kinds().get(form) if form not in PLAIN_FORMATS else None
    if kind is None:
        return
    kind.require()
    with tempfile.TemporaryDirectory() as folder:
        nothing = pl.DataFrame(schema=dict.fromkeys(names, pl.String))
        kind.write(nothing, Path(folder) / f"release{kind.written}")


def is_file(frame: Frame) -> bool:
    """Whether a frame of an engine is a file that was written already, and need not be read."""
    return file_of(frame) is not None


def as_shown(frame: Frame) -> Frame:
    """The rows of any frame, with cells and types that follow from them alone.

    Programs store whole numbers as floats where one of the table is missing or has a fraction, and
    days as moments where one has a time of day. Of a table without that record nothing should tell
    that there was one: what all rows have in common decides. Columns without any cell are texts.

    >>> as_shown(pl.DataFrame({"count": [3.0, None], "text": ["1.0", "2"]})).rows()
    [(3, '1'), (None, '2')]
    """
    if file_of(frame) is not None:
        return frame
    if is_duckdb(frame):
        return relation_as_shown(frame)
    if is_spark(frame):
        return spark_release.as_shown(frame)
    if hasattr(frame, "to_arrow_reader"):
        return frame  # its server has types of its own
    plain = _plain(frame)
    if is_pandas(frame):
        plain = plain.with_columns(
            settled(plain[name]) for name in plain.columns if _of_no_text(frame[name])
        )
    whole, day, wide = cs.float(), cs.datetime(time_zone=None), cs.by_dtype(_WIDE)
    same = plain.select(
        (whole == whole.cast(pl.Int64, strict=False)).all() & (whole.abs() < 2**53).all(),
        (day == day.dt.truncate("1d")).all(),
        wide.cast(pl.Int64, strict=False).is_null().eq(wide.is_null()).all(),
    )
    kinds: dict[Any, Any] = {
        name: pl.Date() if plain.schema[name].is_temporal() else pl.Int64()
        for name in same.columns
        if same[name].item()
    }
    bare = [name for name in plain.columns if plain[name].null_count() == plain.height]
    kinds = {name: kind for name, kind in kinds.items() if name not in bare}
    shown = plain.cast(kinds).with_columns(pl.lit(None, pl.String).alias(name) for name in bare)
    return with_whole_numbers(shown)


def _refuse_objects(frame: pl.DataFrame, path: Path) -> None:
    problems = [
        Problem(
            "unsupported-type",
            "values of several types of Python cannot be written to a Parquet file",
            file=str(path),
            attribute=name,
            remedy="turn the column into lists, text, numbers or dates first, or leave it out",
        )
        for name, kind in frame.schema.items()
        if kind == pl.Object
    ]
    refuse(OutputError, problems)


def _in_cells(frame: pl.DataFrame, path: Path) -> pl.DataFrame:
    """The frame with durations as texts, ``P3D``; other columns that CSV has not are refused."""
    problems = [
        Problem(
            "not-in-csv",
            f"values of type {kind} cannot be written to a CSV file",
            file=str(path),
            attribute=name,
            remedy='write Parquet ([output] format = "parquet"), or leave the column out',
        )
        for name, kind in frame.schema.items()
        if kind.is_nested() or kind in (pl.Object, pl.Binary)
    ]
    refuse(OutputError, problems)
    spans = [name for name, kind in frame.schema.items() if kind == pl.Duration]
    return frame.with_columns(pl.col(spans).dt.to_string("iso")) if spans else frame


def _is_read_alike(frame: pl.DataFrame) -> bool:
    """Whether a reader of the CSV file finds the names and texts that one of the frame does."""
    texts = frame.select(cs.string() | cs.integer() | cs.boolean() | cs.date())
    return frame.width == texts.width > 1 and all(name == name.strip() for name in frame.columns)


def _of_no_text(values: Any) -> bool:
    """Whether a pandas column holds objects of several types, and no text among them."""
    return str(values.dtype) == "object" and not values.map(lambda one: isinstance(one, str)).any()


def write_text(path: str | Path, text: str) -> None:
    """Write a text as UTF-8. Raises :class:`OutputError`, and then leaves nothing behind."""
    data = text.encode("utf-8")
    _write_whole(Path(path), lambda file: file.write(data))


def write_bytes(path: str | Path, data: bytes) -> None:
    """Write bytes as they are. Raises :class:`OutputError`, and then leaves nothing behind."""
    _write_whole(Path(path), lambda file: file.write(data))


def write_json(path: str | Path, document: PlainMapping) -> None:
    """Write a document as JSON. Raises :class:`OutputError`, and then leaves nothing behind."""
    write_text(path, json_text(document))


def json_text(document: PlainMapping) -> str:
    """A document as JSON."""
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def write_private(texts: Mapping[Path, str]) -> None:
    """Write texts as UTF-8, for their owner alone.

    Raises:
        OutputError: there is no room for all of them, or no place; then none is written, and what
            was there stays.
    """
    with contextlib.ExitStack() as stack:
        filled = {
            path: stack.enter_context(_filled(path, partial(_put, text.encode("utf-8")), 0o600))
            for path, text in texts.items()
        }
        back: list[Callable[[], object]] = []
        try:
            for path, staged in filled.items():
                if path.is_file() and _exchanged(staged, path):  # the earlier one stands aside
                    back.append(partial(_exchanged, staged, path))
                else:
                    back += () if path.exists() else (partial(path.unlink, missing_ok=True),)
                    staged.replace(path)
                _sync_folder(path.parent)
        except BaseException:
            for undo in back:
                undo()
            raise


def _put(data: bytes, file: BinaryIO) -> None:
    file.write(data)


def neutralized(frame: pl.DataFrame) -> pl.DataFrame:
    """The frame with an apostrophe before every text that a spreadsheet would run as a formula.

    Those are texts (and names of columns) that start with ``=``, ``+``, ``-`` or ``@``, after
    blanks and characters that nobody sees, or with a tab or a carriage return; likewise their parts
    after a separator, where a spreadsheet may cut them. Numbers such as ``-3.5`` and lone signs
    stay.

    >>> neutralized(pl.DataFrame({"note": ["=1+1", "-3.5", "-", "a=b"]}))["note"].to_list()
    ["'=1+1", '-3.5', '-', 'a=b']
    >>> neutralized(pl.DataFrame({"note": ["a;=1+1", "[-5, -3)"]}))["note"].to_list()
    ["a;'=1+1", '[-5, -3)']
    """
    columns = [
        values.replace(_guards(values)) if values.dtype == pl.String else values
        for values in frame.get_columns()
    ]
    return pl.DataFrame([values.alias(_guarded(values.name)) for values in columns])


def formulas(frame: pl.DataFrame) -> list[str]:
    """The columns with cells or a name that a spreadsheet would run as a formula."""
    return [
        values.name
        for values in frame.get_columns()
        if _guarded(values.name) != values.name or (values.dtype == pl.String and _guards(values))
    ]


def unguarded(values: pl.Series) -> dict[str, str]:
    """The texts of a column that were made safe for spreadsheets, and what they were before.

    >>> unguarded(pl.Series(["'=1+1", "a;'=1+1", "'quoted'"]))
    {"'=1+1": '=1+1', "a;'=1+1": 'a;=1+1'}
    """
    return _rewritten(values, "'", lambda text: _GUARD.sub(lambda found: found[2] or "", text))


def _guards(values: pl.Series) -> dict[str, str]:
    """The texts of a column that a spreadsheet would run, and what is written in their place."""
    return _rewritten(values, rf"[\t\r{FORMULA_STARTS}]", _guarded)


def _rewritten(values: pl.Series, suspect: str, write: Callable[[str], str]) -> dict[str, str]:
    texts = values.unique()  # most columns have few
    suspects = texts.filter(texts.str.contains(suspect)).sort().to_list()
    return {text: made for text in suspects if (made := write(text)) != text}


def _guarded(text: str) -> str:
    return _FORMULA.sub(lambda found: f"{found[2] or ''}'", text)


def batches(frame: Frame) -> Iterator[pl.DataFrame]:
    """The rows of any frame, strings in place of categories; in parts where an engine has them."""
    if (reader := reader_of(frame)) is None:
        yield _plain(frame)
        return
    some = False
    for batch in reader:
        some = True
        yield _plain(frame_of_arrow(batch))
    if not some:
        yield _plain(frame_of_arrow(reader.schema.empty_table()))


def reader_of(frame: Frame) -> Any:
    """What reads the rows of a frame in parts; None where no engine has them."""
    if is_spark(frame):
        return spark_table.arrow_reader(frame)
    if is_duckdb(frame):
        frame = as_arrow_has_it(frame)
    return frame.to_arrow_reader(_ROWS) if hasattr(frame, "to_arrow_reader") else None


def _stream_parquet(reader: Any, file: BinaryIO) -> None:
    """The rows of an engine as Parquet, some at a time.

    Any column may have missing values, so that the file does not say which had none in the source.
    """
    import pyarrow as pa
    from pyarrow import parquet

    schema = pa.schema([own.with_nullable(True) for own in reader.schema])
    with parquet.ParquetWriter(
        file, schema, compression="zstd", write_statistics=False, store_schema=False
    ) as writer:
        for batch in reader:
            writer.write_batch(pa.RecordBatch.from_arrays(batch.columns, schema=schema))


def _plain(frame: Frame) -> pl.DataFrame:
    """A Polars frame with the rows of any frame, and strings in place of categories."""
    held = frame if isinstance(frame, pl.DataFrame) else to_polars(frame)
    return held.with_columns(cs.categorical().cast(pl.String), cs.enum().cast(pl.String))


# Whole or not at all ---------------------------------------------------------------------------


def refuse_dash(*paths: str | Path | None) -> None:
    """Refuse ``-`` as the name of what is to be written: nothing goes to standard output.

    Raises:
        OutputError: One of them is called so.
    """
    if any(path is not None and str(path) == "-" for path in paths):
        raise OutputError(
            "dash-name",
            "'-' means standard output elsewhere, and nothing can be written to it here",
            remedy="name a file or folder",
        )


def _write_whole(path: Path, write: Callable[[BinaryIO], object]) -> None:
    """Let ``write`` fill a file that appears under its name only when it is complete."""
    with _filled(path, write, 0o666 & ~_umask()) as staged:
        staged.replace(path)
        _sync_folder(path.parent)


@contextlib.contextmanager
def _filled(path: Path, write: Callable[[BinaryIO], object], mode: int) -> Iterator[Path]:
    """A complete file beside a path, to take its place; what goes wrong meanwhile removes it."""
    refuse_dash(path)
    with refusing(path):
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, "is a folder", str(path))
        sweep(path)
        staged, handle = _staged(path, _new_file)
        try:
            with os.fdopen(handle, "wb") as file:
                write(file)
                file.flush()
                os.fsync(file.fileno())
                staged.chmod(mode)
                yield staged
        finally:
            staged.unlink(missing_ok=True)


def _staged(path: Path, make: Callable[[Path], tuple[Path, int]]) -> tuple[Path, int]:
    """Something new beside a path, locked as long as the handle is open and the process lives."""
    while True:
        staged, handle = make(path)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:  # another process sweeps it
            os.close(handle)
            continue
        except OSError:  # a file system without locks
            return staged, handle
        if staged.exists():
            return staged, handle
        os.close(handle)


def staged_folder(path: Path) -> tuple[Path, int]:
    """A folder for private data beside a path, of this process alone, and its lock."""
    with refusing(path):
        return _staged(path, _new_folder)


def _mark(path: Path) -> str:
    """How the names of what is staged for a path begin; no name of somebody else's does."""
    seal = hashlib.sha256(b"indistinct " + os.fsencode(path.name)).hexdigest()[:_SEAL]
    return f".{path.name}.ind-{seal}-"


def _new_file(path: Path) -> tuple[Path, int]:
    handle, name = tempfile.mkstemp(prefix=_mark(path), dir=path.parent)
    return Path(name), handle


def _new_folder(path: Path, what: str = "") -> tuple[Path, int]:
    staged = Path(tempfile.mkdtemp(prefix=_mark(path) + what, dir=path.parent))
    return staged, os.open(staged, os.O_RDONLY)


def sweep(path: Path, *, beside: bool = False) -> int:
    """Remove what dead processes staged for a path, private data perhaps; how many there were.

    An earlier run that a dead process had moved aside takes its place again where nothing else has.

    Arguments:
        path: where something is written.
        beside: sweep what this user's processes staged for other paths of the folder as well.
    """
    swept = 0
    for left in sorted(path.parent.glob(".*.ind-*" if beside else glob.escape(_mark(path)) + "*")):
        target = left.with_name(left.name[1:].rpartition(".ind-")[0] or path.name)
        if not left.name.startswith(_mark(target)):
            continue
        with contextlib.suppress(OSError):
            handle = os.open(left, os.O_RDONLY | os.O_NOFOLLOW)
            try:
                if os.fstat(handle).st_uid != os.geteuid() and target.name != path.name:
                    continue
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if left.name.startswith(_mark(target) + _EARLIER) and not target.exists():
                    left.replace(target)
                elif left.is_dir():
                    shutil.rmtree(left)
                else:
                    left.unlink()
                swept += 1
            finally:
                os.close(handle)
    return swept


@contextlib.contextmanager
def refusing(path: Path) -> Iterator[None]:
    """Turn what the system says about a place that cannot be written into :class:`OutputError`."""
    try:
        yield
    except (OSError, pl.exceptions.PolarsError) as error:
        raise _refusal(path, error) from error


def _resolved(path: Path) -> Path:
    """The path without links; an OSError for links in a circle, which older Pythons raise not."""
    try:
        return path.resolve()
    except RuntimeError:
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP)) from None


def _refusal(path: Path, error: Exception) -> OutputError:
    number = getattr(error, "errno", None)
    if number is None and (told := re.search(r"\(os error (\d+)\)", str(error))):
        number = int(told[1])  # what Polars says in words only
    if number in NO_ROOM:
        return OutputError(
            "disk-full",
            "the disk is full; nothing was written",
            file=str(path),
            remedy="make room, or choose another place",
        )
    reason = os.strerror(number) if number else type(error).__name__
    return OutputError(
        "unwritable",
        f"cannot write here ({reason.lower()}); nothing was written",
        file=str(path),
        remedy="choose a folder that you may write",
    )


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


# A run's folder --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Staging:
    """Where a run writes before its folder appears."""

    public: Path
    """What anybody may read."""

    private: Path
    """What only the custodian may read; a folder inside of ``public``, closed to others."""

    swept: int = 0
    """How many files and folders of dead processes were removed before."""


class publish_folder:  # noqa: N801, used like a function
    """A run's folder, which appears with everything in it when the block ends, or not at all.

    Within the block, files are written to ``staging.public`` and ``staging.private``. A folder of
    an earlier run is replaced; one that holds anything else is refused before the block starts.

    >>> out = Path(tempfile.mkdtemp()) / "release"
    >>> with publish_folder(out) as staging:
    ...     write_json(staging.public / "certificate.json", {"tables": []})
    ...     write_json(staging.private / "run.json", {"seed": 1})
    >>> sorted(path.name for path in out.iterdir())
    ['certificate.json', 'private']

    Raises:
        OutputError: If the folder cannot be written, or holds what no earlier run has left there.
    """

    def __init__(self, out: str | Path) -> None:
        refuse_dash(out)
        if isinstance(out, str) and not out.strip():
            raise OutputError(
                "no-name", "the name of the folder is empty", remedy="name a new folder"
            )
        self._out = Path(out)
        self._made: list[Path] = []
        self._staged: Path | None = None
        self._lock: int | None = None

    def __enter__(self) -> Staging:
        try:
            with refusing(self._out):
                self._out = _resolved(self._out)
                _refuse_current(self._out)
                _refuse_foreign(self._out)
                _refuse_ending(self._out)
                self._make_parents()
                swept = sweep(self._out, beside=True)
                self._staged, self._lock = _staged(self._out, _new_folder)
                follow(self._out, self._lock)
                private = self._staged / PRIVATE
                private.mkdir(mode=0o700)
                return Staging(self._staged, private, swept)
        except BaseException:
            self._clean()
            raise

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._staged is not None
        if error is not None:
            self._clean()
            if isinstance(error, OutputError):
                raise self._relocated(error, self._staged) from error
            if isinstance(error, OSError):
                raise _refusal(self._out, error) from error
            return
        try:
            with refusing(self._out):
                self._appear(self._staged)
        except BaseException:
            self._clean()
            raise
        self._unlock()

    def _relocated(self, error: OutputError, staged: Path) -> OutputError:
        """The error in terms of the folder that the user named."""
        return OutputError(
            [
                replace(problem, file=(problem.file or "").replace(str(staged), str(self._out)))
                for problem in error.problems
            ]
        )

    def _appear(self, staged: Path) -> None:
        private = staged / PRIVATE
        for at, _, files in os.walk(staged):
            folder = Path(at)
            closed = folder == private or private in folder.parents
            if closed:
                folder.chmod(0o700)
            for file in files:
                if closed:  # a copy of the files is closed too, wherever the folder is moved
                    (folder / file).chmod(0o600)
                _sync_file(folder / file)
            _sync_folder(folder)
        if not any(private.iterdir()):
            private.rmdir()
        staged.chmod(0o777 & ~_umask())
        _refuse_foreign(self._out)
        if not self._out.exists() or not any(self._out.iterdir()):
            staged.replace(self._out)
        elif _exchanged(staged, self._out):
            shutil.rmtree(staged, ignore_errors=True)
        else:
            aside, lock = _staged(self._out, partial(_new_folder, what=_EARLIER))
            self._out.replace(aside)
            try:
                staged.replace(self._out)
            except BaseException:
                aside.replace(self._out)
                raise
            finally:
                os.close(lock)
            shutil.rmtree(aside, ignore_errors=True)
        _sync_folder(self._out.parent)

    def _make_parents(self) -> None:
        missing = []
        folder = self._out.parent
        while not folder.exists():
            missing.append(folder)
            folder = folder.parent
        for folder in reversed(missing):
            folder.mkdir()
            self._made.append(folder)

    def _clean(self) -> None:
        if self._staged is not None:
            shutil.rmtree(self._staged, ignore_errors=True)
        for folder in reversed(self._made):
            with contextlib.suppress(OSError):
                folder.rmdir()
        self._unlock()

    def _unlock(self) -> None:
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


def _exchanged(one: Path, other: Path) -> bool:
    """Whether two files or folders have swapped places in one step, where the system knows how."""
    rename = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if rename is None:
        return False
    return bool(rename(_HERE, os.fsencode(one), _HERE, os.fsencode(other), _EXCHANGE) == 0)


def _refuse_current(out: Path) -> None:
    """Refuse the folder that the program runs in: who stands in it would stand nowhere."""
    if out == Path.cwd():
        raise OutputError(
            "current-folder",
            "a release takes the place of the whole folder, and this is the current one",
            file=str(out),
            remedy="name a new folder in it",
        )


def _refuse_ending(out: Path) -> None:
    """Refuse a new folder that is called like a table: a release has files of its own in it."""
    if not out.exists() and kind_of(out) is not None:
        raise OutputError(
            "folder-like-a-file",
            "a release is a folder, and this is called like a file",
            file=str(out),
            remedy=f"name a folder, such as {out.stem}; the table in it is called release",
        )


def _refuse_foreign(out: Path) -> None:
    """Raise unless a run may put its folder here: nothing, an empty folder or an earlier run."""
    if not out.exists():
        return
    if not out.is_dir():
        problem = "there is a file of this name, and a run leaves a folder"
        raise OutputError("file-in-the-way", problem, file=str(out))
    found = sorted(path.name for path in out.iterdir())
    foreign = [name for name in found if name not in _left_by_a_run(out)]
    if foreign:
        shown = in_quotes(foreign[:3]) + (", ..." * (len(foreign) > 3))
        raise OutputError(
            "foreign-files",
            f"the folder holds what no earlier run has left there: {shown}",
            file=str(out),
            remedy="name a new folder, or move these files elsewhere",
        )


def _left_by_a_run(out: Path) -> set[str]:
    """The names that the certificate of an earlier run accounts for."""
    try:
        certificate = json.loads((out / CERTIFICATE).read_text("utf-8"))
        tables = {str(table["path"]) for table in certificate["tables"]}
    except (OSError, ValueError, KeyError, TypeError):
        return set()
    return {CERTIFICATE, PRIVATE, REPORT, *tables}


def _sync_file(path: Path) -> None:
    with path.open("rb") as file:
        os.fsync(file.fileno())
