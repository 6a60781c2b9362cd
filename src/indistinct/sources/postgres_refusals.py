"""What a PostgreSQL server refuses, said without its words, which may quote a cell."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from indistinct.errors import DataError


@contextlib.contextmanager
def telling(name: str) -> Iterator[None]:
    """Say what a server refused without its words, which may quote a cell.

    Raises:
        DataError: For everything it refuses.
    """
    from adbc_driver_manager import Error

    try:
        yield
    except Error as error:
        state = getattr(error, "sqlstate", None)
        raise _refusal(name, state) from None


_REFUSED = {
    "42P01": ("there is no such table", "correct its name; names are taken as they are written"),
    "3F000": ("there is no such schema", "create it, or name another"),
    "42703": ("the query names a column that is not there", "correct the query"),
    "42883": (
        "the server lacks a function",
        "PostgreSQL 14 or later is needed; or correct the query",
    ),
    "42601": ("the server does not understand the query as a SELECT", "correct the query"),
    "42501": (
        "the role may not do that",
        "grant it the right (SELECT on the table, TEMPORARY on the database, CREATE on the schema "
        "of --into), or name another role",
    ),
    "55P03": ("someone else has locked it", "wait until they are done, and run again"),
    "42P07": ("there is a table of that name", "drop it, or name another: ?schema=S&table=NAME"),
    "25006": (
        "the server allows no temporary tables, which a release is made in",
        "name the primary server, not a standby of it, or a role that is not read-only",
    ),
}
"""What a server refuses, by SQLSTATE, and what helps."""


def _refusal(name: str, state: str | None) -> DataError:
    if state is None or state.startswith(("08", "28", "3D", "57P")):
        return DataError(
            "no-connection",
            "the server cannot be reached, or does not let this user in",
            file=name,
            remedy="check host, port, database and user; the password comes from PGPASSWORD, "
            "~/.pgpass or a service file",
        )
    if state.startswith("53"):
        message, remedy = "the server has no room for it", "make room there, or ask for less"
    else:
        message, remedy = _REFUSED.get(
            state, ("the server refused", "try the query by hand; its messages may quote cells")
        )
    message = f"{message} (SQLSTATE {state})"
    return DataError("refused-by-server", message, file=name, remedy=remedy)
