"""The ledger: what has been published of whom, so that the next release is held against it.

One SQLite file in a folder of its own that only the custodian can open. It holds no name and no
key of the source: people are keyed hashes (BLAKE2b, 128 bits, RFC 7693), in the order of these.
Of a release it has the class or bucket of everybody and what these list, which is public, the
digests, the policy, the plan, and what was promised.

A release and its entry appear together. The entry is written first, as one that is awaited; then
the folder appears, in one step; then the entry counts. The next to open the ledger strikes an
awaited entry whose folder is not there, and confirms one whose folder is. A lock is held from the
first to the last, so that other runs wait; commands take turns from the first look at the ledger.

A ledger that has lost something says so: each entry has a digest of all that it holds, numbers that
were struck are kept, and a folder that was used has a file with tables in it, and its key.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import hashlib
import json
import os
import secrets
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from indistinct.errors import IndistinctError, InputError, OutputError
from indistinct.sources.writing import write_private
from indistinct.types import Ints, Ints32, Plain, PlainMapping

FILE, LOCK, KEY, TURN = "ledger.sqlite", "lock", "key", "turn"
VERSION = 1

_KEY = 32
_NOT_NOW = (
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_READONLY,
)
"""What SQLite says of disk, rights and other programs; all else is about what the file holds."""

Holding = Literal["one", "some", "all"]

_TABLES = """
CREATE TABLE IF NOT EXISTS releases (
    number INTEGER PRIMARY KEY AUTOINCREMENT, published INTEGER NOT NULL, created TEXT NOT NULL,
    folder TEXT NOT NULL, certificate_sha256 TEXT NOT NULL, account TEXT NOT NULL,
    people BLOB NOT NULL, groups BLOB NOT NULL, sizes BLOB NOT NULL, digest BLOB
);
CREATE TABLE IF NOT EXISTS listed (
    release INTEGER NOT NULL REFERENCES releases ON DELETE CASCADE, attribute TEXT NOT NULL,
    holding TEXT NOT NULL, labels TEXT NOT NULL,
    starts BLOB NOT NULL, places BLOB NOT NULL, counts BLOB NOT NULL
);
CREATE TABLE IF NOT EXISTS struck (number INTEGER PRIMARY KEY);
"""


@dataclass(frozen=True, eq=False)
class Listed:
    """What the classes or buckets of a release list of one sensitive attribute.

    Arguments:
        labels: the published texts; None is missing.
        starts: class ``g`` lists ``places[starts[g]:starts[g + 1]]``, [G + 1].
        places: places in ``labels``.
        counts: rows, or people, that have each.
        holding: how the values belong to the people: everybody has ``one`` of them, ``some``, or
            ``all``.
    """

    labels: tuple[str | None, ...]
    starts: Ints
    places: Ints32
    counts: Ints
    holding: Holding = "one"


@dataclass(frozen=True, eq=False)
class Entry:
    """A release as the ledger knows it.

    Arguments:
        people: a keyed hash of everybody who is in it, two halves of 64 bits, sorted, [n, 2].
        groups: the class, or bucket, of each, [n].
        sizes: rows, or people, of each class with all that is made up, [G].
        listed: by sensitive attribute what classes list.
        account: digests, policy, plan and promises.
        number: which entry of the ledger it is; 0 for one that is none yet.
        created: when it was written down.
        folder: where the release was put.
    """

    people: NDArray[np.uint64]
    groups: Ints32
    sizes: Ints
    listed: Mapping[str, Listed]
    account: PlainMapping = field(default_factory=dict)
    number: int = 0
    created: str = ""
    folder: str = ""

    @classmethod
    def of(
        cls,
        hashes: NDArray[np.uint64],
        groups: Ints32,
        sizes: Ints,
        listed: Mapping[str, Listed],
        account: PlainMapping,
    ) -> Entry:
        """An entry whose people are in the order of their hashes, which tells nothing of them.

        Arguments:
            hashes: a keyed hash of everybody, two halves of 64 bits, in any order, [n, 2].
            groups: the class, or bucket, of each, [n].
            sizes: rows, or people, of each class with all that is made up, [G].
            listed: by sensitive attribute what classes list.
            account: digests, policy, plan and promises.
        """
        order = np.lexsort((hashes[:, 1], hashes[:, 0]))
        return cls(hashes[order], groups[order], sizes, listed, account)

    def to_dict(self) -> Plain:
        """The entry without its people."""
        return {
            "release": self.number,
            "created": self.created,
            "folder": self.folder,
            "people": len(self.people),
            "classes": len(self.sizes),
            **self.account,
        }


def hashes_of(people: pl.Series, key: bytes) -> NDArray[np.uint64]:
    """The keyed hash of every text, two halves of 64 bits, [n, 2]."""
    digests = b"".join(
        hashlib.blake2b(text.encode(), key=key, digest_size=16).digest()
        for text in people.to_list()
    )
    return np.frombuffer(digests, dtype=">u8").astype(np.uint64).reshape(-1, 2)


def written(hashes: NDArray[np.uint64]) -> list[str]:
    """Keyed hashes as texts of 32 digits."""
    return [f"{high:016x}{low:016x}" for high, low in hashes.tolist()]


def numbered(hashes: Sequence[NDArray[np.uint64]]) -> tuple[Ints, Ints]:
    """A number for everybody, the same wherever the hashes are equal.

    Returns the order of all hashes, those of one person together and as given [n], and the number
    of the person at each place of this order [n].

    Arguments:
        hashes: of some releases, one after the other, two halves each; quick where they are sorted.
    """
    rows = np.concatenate([np.zeros((0, 2), np.uint64), *hashes])
    for keys in ((rows[:, 0],), (rows[:, 1], rows[:, 0])):
        order = np.argsort(keys[0], kind="stable") if len(keys) == 1 else np.lexsort(keys)
        high, low = rows[order, 0], rows[order, 1]
        other, apart = high[1:] != high[:-1], low[1:] != low[:-1]
        if not (apart & ~other).any():
            break
    first = np.ones(len(rows), np.int64)
    first[1:] = other | apart
    return order, np.cumsum(first) - 1


class Ledger:
    """The ledger in a folder.

    Arguments:
        path: the folder.

    Raises:
        InputError: there is none, or the file is none of this program's.
        OutputError: the folder cannot be written.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._may_be_new = False
        self._new_key: str | None = None

    @classmethod
    def made(cls, path: str | Path) -> Ledger:
        """The ledger in a folder; where there is none, an empty one that the first entry makes.

        Raises:
            OutputError: the folder cannot be written, or others can open it.
        """
        found = cls(path)
        found._may_be_new = True
        try:
            if found.path.is_dir() and found.path.stat().st_mode & 0o077:
                raise OutputError(
                    "open-ledger",
                    "other users can open the folder of the ledger",
                    file=str(found.path),
                    remedy="close it: chmod 700, or name a folder that is not there yet",
                )
            if found._is_new():
                around = found._around()
                if not around.is_dir():
                    raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
                if not os.access(around, os.W_OK | os.X_OK):
                    raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
            else:
                found._make()
        except OSError as error:
            raise found._unwritable(error) from None
        return found

    def _is_new(self) -> bool:
        """Whether nothing of it is there yet, and the first entry makes it."""
        return self._may_be_new and not any(
            (self.path / name).exists() for name in (FILE, KEY, TURN)
        )

    def _around(self) -> Path:
        """The folder, or the innermost one around it that is there."""
        return next(one for one in (self.path, *self.path.absolute().parents) if one.exists())

    def _make(self) -> None:
        self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
        with self._locked(), self._connected(new=True):
            pass

    def _unwritable(self, error: OSError) -> OutputError:
        why = (error.strerror or "unknown reason").lower()
        return OutputError(
            "unwritable",
            f"cannot write here ({why}); nothing was written",
            file=str(self.path),
            remedy="choose a folder that you may write",
        )

    def key(self) -> bytes:
        """The key of the hashes, made for the first release.

        Raises:
            InputError: it is lost, or no key that this program made.
        """
        if self._is_new():
            self._new_key = self._new_key or secrets.token_hex(_KEY)
            return bytes.fromhex(self._new_key)
        place = self.path / KEY
        if not place.exists() and not self.entries():
            with self._locked():
                if not place.exists():
                    write_private({place: secrets.token_hex(_KEY)})
        try:
            found = bytes.fromhex(place.read_text("ascii"))
        except (OSError, ValueError):
            found = b""
        if len(found) != _KEY:
            raise InputError(
                "bad-ledger",
                "the key of the ledger is lost or damaged, so that nobody is found in its releases",
                file=str(place),
                remedy="put back the key from a backup",
            )
        return found

    def hashes(self, people: Sequence[str]) -> list[str]:
        """The keyed hashes of people by the ledger's key, to find people in a list of beliefs."""
        return written(hashes_of(pl.Series(people, dtype=pl.String), self.key()))

    @contextlib.contextmanager
    def turn(self) -> Iterator[None]:
        """Exclusive use from the first look at the ledger to the entry: others wait."""
        with contextlib.ExitStack() as stack:
            around, new = self._around().absolute(), self._is_new()
            # Who makes it has locked the innermost folder that was there; all others look for that.
            for folder in (*reversed(around.parents), around):
                with contextlib.suppress(OSError):
                    handle = os.open(folder, os.O_RDONLY)
                    stack.callback(os.close, handle)
                    makes = new and folder == around
                    fcntl.flock(handle, fcntl.LOCK_EX if makes else fcntl.LOCK_SH)
            if not self._is_new():
                with self._locked(TURN):
                    stack.close()
                    yield
                return
            yield

    def entries(self) -> list[Entry]:
        """All published releases, in the order of publication."""
        if self._is_new():
            return []
        with self._open() as connection:
            try:
                rows = connection.execute(_ROWS).fetchall()  # an open cursor would lock the file
                return [self._entry(connection, row) for row in rows]
            except (AssertionError, AttributeError, LookupError, TypeError, ValueError):
                raise self._unreadable() from None

    def forget(self, number: int) -> None:
        """Strike out a release, as if it had never been published.

        Raises:
            InputError: there is no such release.
        """
        with self._open() as connection:
            gone = _struck(connection, number)
        if not gone:
            raise self._no_release(number)

    def require(self, number: int | None) -> None:
        """Raise :class:`InputError` for a release that is not in the ledger."""
        if number not in {entry.number for entry in self.entries()}:
            raise self._no_release(number)

    def _no_release(self, number: int | None) -> InputError:
        return InputError(
            "no-such-release",
            f"the ledger has no release {number}",
            file=str(self.path),
            remedy=f"indistinct ledger list {self.path} lists them",
        )

    @contextlib.contextmanager
    def recording(self, entry: Entry, folder: Path, seen: int) -> Iterator[Recording]:
        """Write an entry down while its folder appears; both, or neither.

        Arguments:
            entry: the release.
            folder: where it appears.
            seen: the number of the last entry that it was held against.

        Raises:
            OutputError: another release was written down meanwhile.
        """
        with self._made_for_first(), self._open() as connection:
            last = connection.execute("SELECT coalesce(max(number), 0) FROM releases").fetchone()[0]
            own = self._new_key
            if own is not None and not last and not (self.path / KEY).exists():
                write_private({self.path / KEY: own})
            if last != seen or (own is not None and own != self.key().hex()):
                raise OutputError(
                    "ledger-changed",
                    "another release was written down since this one was held against the "
                    "ledger; nothing was written",
                    file=str(self.path),
                    remedy="make the release again",
                )
            record = Recording(connection, entry, folder.resolve())
            try:
                yield record
            except BaseException:
                record.strike()
                raise
            record.confirm()

    @contextlib.contextmanager
    def _made_for_first(self) -> Iterator[None]:
        """The files of a new ledger, for its first entry; taken away if nothing is written down."""
        around, new = self._around(), self._is_new()
        if new:
            try:
                self._make()
            except OSError as error:
                raise self._unwritable(error) from None
        try:
            yield
        except BaseException:
            if new:
                with contextlib.suppress(OSError, IndistinctError):
                    self._unmake(around)
            raise

    def _unmake(self, around: Path) -> None:
        """Take a new ledger away in which nothing was written down, and the folders made for it."""
        with self._locked(), self._connected() as connection:
            if connection.execute("SELECT 1 FROM sqlite_sequence").fetchone():
                return
        for name in (FILE, KEY, LOCK):
            (self.path / name).unlink(missing_ok=True)
        for folder in (self.path, *self.path.absolute().parents):
            if folder == around:
                break
            folder.rmdir()

    @contextlib.contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        """The file, with entries that a dead process left struck or confirmed; others wait."""
        if not (self.path / FILE).is_file():
            raise InputError(
                "no-ledger",
                "there is no ledger in this folder",
                file=str(self.path),
                remedy="a release writes one, where its policy says [ledger] path",
            )
        with self._locked(), self._connected() as connection:
            try:
                whole = _whole_file(connection)
            except (TypeError, ValueError):  # SQLite's words about damage are not always text
                whole = False
            if not whole:
                raise self._unreadable()
            for number, folder, digest in connection.execute(
                "SELECT number, folder, certificate_sha256 FROM releases WHERE NOT published"
            ).fetchall():
                done = _digest(Path(folder) / "certificate.json") == digest
                (_published if done else _struck)(connection, number)
            yield connection

    @contextlib.contextmanager
    def _locked(self, name: str = LOCK) -> Iterator[None]:
        try:
            handle = os.open(self.path / name, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            if error.errno != errno.EROFS:
                raise
            yield  # nobody writes there: a copy on a read-only medium is read as it is
            return
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            yield
        finally:
            os.close(handle)

    @contextlib.contextmanager
    def _connected(self, *, new: bool = False) -> Iterator[sqlite3.Connection]:
        """The file, made where the folder is new; what SQLite says of it is told as an error."""
        file = self.path / FILE
        new = new and not any((self.path / name).exists() for name in (KEY, TURN))
        if not file.exists():
            if not new:
                raise self._unreadable()
            os.close(os.open(file, os.O_CREAT | os.O_WRONLY, 0o600))
        try:
            with contextlib.closing(sqlite3.connect(file)) as connection:
                connection.execute("PRAGMA foreign_keys = ON")
                connection.execute("PRAGMA secure_delete = ON")
                if new and connection.execute(_MADE_BY).fetchone() == (0,):
                    connection.executescript(f"{_TABLES}PRAGMA user_version = {VERSION};")
                yield connection
        except sqlite3.Error as error:
            number = getattr(error, "sqlite_errorcode", 0) & 0xFF
            if number not in _NOT_NOW:
                raise self._unreadable() from None
            raise OutputError(
                "disk-full" if number == sqlite3.SQLITE_FULL else "unwritable",
                f"the ledger cannot be used ({error}); nothing was written",
                file=str(file),
                remedy="make room, close what else uses the file, or see that you may write it",
            ) from None

    def _unreadable(self) -> InputError:
        return InputError(
            "bad-ledger",
            "is not a ledger that this version can read, or has lost what it held",
            file=str(self.path / FILE),
            remedy="put it back from a backup, or name a new folder",
        )

    @staticmethod
    def _entry(connection: sqlite3.Connection, row: tuple[object, ...]) -> Entry:
        number, created, folder, account, people, groups, sizes = row
        listed = {
            attribute: Listed(
                tuple(json.loads(labels)),
                np.frombuffer(starts, np.int64),
                np.frombuffer(places, np.int32),
                np.frombuffer(counts, np.int64),
                holding,
            )
            for attribute, holding, labels, starts, places, counts in connection.execute(
                "SELECT attribute, holding, labels, starts, places, counts FROM listed "
                "WHERE release = ?",
                (number,),
            ).fetchall()
        }
        assert isinstance(people, bytes)
        assert isinstance(groups, bytes)
        assert isinstance(sizes, bytes)
        datetime.fromisoformat(str(created))
        found = Entry(
            np.frombuffer(people, np.uint64).reshape(-1, 2),
            np.frombuffer(groups, np.int32),
            np.frombuffer(sizes, np.int64),
            listed,
            json.loads(str(account)),
            int(str(number)),
            str(created),
            str(folder),
        )
        if not (_whole(found) and all(_fits(part, found.sizes) for part in listed.values())):
            raise ValueError("what an entry says does not fit together")
        return found


def _whole(entry: Entry) -> bool:
    """Is everybody there once, in a class with room, and is all listed that promises are about?"""
    (high, low), groups, sizes = entry.people.T, entry.groups, entry.sizes
    rising = (high[1:] > high[:-1]) | ((high[1:] == high[:-1]) & (low[1:] > low[:-1]))
    if len(groups) != len(high) or not rising.all() or groups.min(initial=0) < 0:
        return False
    held = np.bincount(groups, minlength=len(sizes))
    if len(held) > len(sizes) or (held > sizes).any():
        return False
    about = {item.get("sensitive") for item in entry.account["promises"]}
    return about - {None} <= {*entry.listed}


def _fits(part: Listed, sizes: Ints) -> bool:
    """Can classes of so many rows list that: each value once, as often as there are rows?"""
    starts, places, counts = part.starts, part.places, part.counts
    if len(starts) != len(sizes) + 1 or len(places) != len(counts) or starts[0] != 0:
        return False
    if (np.diff(starts) < 0).any() or starts[-1] != len(places):
        return False
    group = np.repeat(np.arange(len(sizes)), np.diff(starts))
    rising = (places[1:] > places[:-1]) | (group[1:] > group[:-1])
    if not rising.all() or places.min(initial=0) < 0 or (counts < 1).any():
        return False
    known = all(label is None or isinstance(label, str) for label in part.labels)
    if not known or not len({*part.labels}) == len(part.labels) > places.max(initial=-1):
        return False
    if part.holding != "one":
        return part.holding in ("some", "all") and not (counts > sizes[group]).any()
    return bool((np.bincount(group, counts, len(sizes)) == sizes).all())


_MADE_BY = "PRAGMA user_version"
_LOOSE = "SELECT 1 FROM listed WHERE release NOT IN (SELECT number FROM releases)"
_OWN = (
    "SELECT number, published, created, folder, certificate_sha256, account, people, groups, sizes "
    "FROM releases WHERE number = ?"
)
_ROWS = (
    "SELECT number, created, folder, account, people, groups, sizes FROM releases ORDER BY number"
)


@dataclass
class Recording:
    """An entry on its way into the ledger.

    Arguments:
        connection: the ledger, locked.
        entry: the release.
        folder: where it appears.
    """

    connection: sqlite3.Connection
    entry: Entry
    folder: Path
    number: int | None = None
    digest: str | None = None
    kept: bool = False

    def await_folder(self, certificate: Path) -> None:
        """Write the entry down as one whose folder is about to appear."""
        entry = self.entry
        blobs = (entry.people.tobytes(), entry.groups.tobytes(), entry.sizes.tobytes())
        self.digest = _digest(certificate)
        now = datetime.now(UTC).isoformat(timespec="seconds")
        account = json.dumps(entry.account)
        cursor = self.connection.execute(
            "INSERT INTO releases (published, created, folder, certificate_sha256, account, "
            "people, groups, sizes) VALUES (0, ?, ?, ?, ?, ?, ?, ?)",
            (now, str(self.folder), self.digest, account, *blobs),
        )
        self.number = cursor.lastrowid
        self.connection.executemany(
            "INSERT INTO listed VALUES (?, ?, ?, ?, ?, ?, ?)",
            [
                (
                    self.number,
                    name,
                    part.holding,
                    json.dumps(part.labels),
                    part.starts.tobytes(),
                    part.places.tobytes(),
                    part.counts.tobytes(),
                )
                for name, part in entry.listed.items()
            ],
        )
        _seal(self.connection, self.number)

    @contextlib.contextmanager
    def keeping(self) -> Iterator[None]:
        """Rows go to a server in the block: the entry counts then, whatever the folder does."""
        assert self.number is not None
        _published(self.connection, self.number)
        yield
        self.kept = True

    def confirm(self) -> None:
        """The folder is there; where no room is left to write that, the next to open looks."""
        assert self.number is not None
        with contextlib.suppress(sqlite3.Error):
            _published(self.connection, self.number)

    def strike(self) -> None:
        """The folder will not appear; if it has, or a server has the rows, the entry counts."""
        if self.number is None or self.kept:
            return
        if _digest(self.folder / "certificate.json") == self.digest:
            self.confirm()
            return
        with contextlib.suppress(sqlite3.Error):  # then the next to open strikes it
            self.connection.rollback()
            _struck(self.connection, self.number)


def _whole_file(connection: sqlite3.Connection) -> bool:
    """Is the ledger of this version, with every entry, struck or as it was written?"""
    if connection.execute(_MADE_BY).fetchone() != (VERSION,):
        return False
    there = connection.execute("SELECT number, digest FROM releases").fetchall()
    gone = connection.execute("SELECT number FROM struck").fetchall()
    last = connection.execute("SELECT coalesce(max(seq), 0) FROM sqlite_sequence").fetchone()[0]
    numbers = sorted([number for number, _ in there] + [number for (number,) in gone])
    return (
        numbers == [*range(1, last + 1)]
        and all(_sealed(connection, number) == digest for number, digest in there)
        and not connection.execute(_LOOSE).fetchone()
    )


def _published(connection: sqlite3.Connection, number: int) -> None:
    """Let an entry count."""
    connection.execute("UPDATE releases SET published = 1 WHERE number = ?", (number,))
    _seal(connection, number)


def _struck(connection: sqlite3.Connection, number: int) -> bool:
    """Strike an entry out, and keep that it was; whether there was one."""
    gone = connection.execute("DELETE FROM releases WHERE number = ?", (number,)).rowcount
    if gone:
        connection.execute("INSERT INTO struck VALUES (?)", (number,))
    connection.commit()
    return bool(gone)


def _seal(connection: sqlite3.Connection, number: int | None) -> None:
    """Write the digest of an entry that was changed, with the change."""
    connection.execute(
        "UPDATE releases SET digest = ? WHERE number = ?", (_sealed(connection, number), number)
    )
    connection.commit()


def _sealed(connection: sqlite3.Connection, number: int | None) -> bytes:
    """The digest of all that the ledger holds of a release: each value with type and length."""
    found = hashlib.blake2b(digest_size=16)
    for row in (
        *connection.execute(_OWN, (number,)),
        *connection.execute("SELECT * FROM listed WHERE release = ? ORDER BY attribute", (number,)),
    ):
        for value in row:
            held = value if isinstance(value, bytes) else str(value).encode()
            found.update(f"{type(value).__name__} {len(held)} ".encode() + held)
    return found.digest()


def _digest(path: Path) -> str | None:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return None
