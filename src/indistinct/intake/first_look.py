"""The first look at a file: its columns, and how it is read where nobody said so."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from indistinct.analytics.profile.columns import profile
from indistinct.analytics.profile.described import COMMAS, Profile
from indistinct.document import first_names, in_quotes, many
from indistinct.frozen import dataclass
from indistinct.sources.table import Table
from indistinct.sources.titles import rows_above, sheets_of
from indistinct.types import Plain


@dataclass(frozen=True)
class FirstLook:
    """What is seen of a file.

    Arguments:
        table: its rows.
        profile: what its columns look like.
        source: how it was read: keys of ``[source]``.
        why: the reason for each key that nobody gave.
    """

    table: Table
    profile: Profile
    source: Plain
    why: Mapping[str, str]


def first_look(path: Path, source: Plain, read: Callable[[Plain], Table]) -> FirstLook:
    """Read a file, and find what nobody said: sheet, rows above the names, and decimal mark.

    Arguments:
        path: the file.
        source: how it is read, as far as somebody said it.
        read: the table, read by keys of ``[source]``.

    Raises:
        DataError: it cannot be read.
    """
    why: dict[str, str] = {}
    if "sheet" not in source and len(sheets := sheets_of(path)) > 1:
        source = {**source, "sheet": sheets[0]}
        why["sheet"] = f"the first of {len(sheets)} sheets is read: sheet = {in_quotes(sheets[:1])}"
    if "skip_rows" not in source and (above := rows_above(path, **source)):
        source = {**source, "skip_rows": above}
        stand = many(above, "row stands", "rows stand")
        why["skip_rows"] = f"{stand} above the names of the columns: skip_rows = {above}"
    table = read(source)
    seen = profile(table).closed()
    commas = [item.attribute for item in seen.attributes if COMMAS in item.notes]
    if commas and "decimal" not in source:
        pointed = read({**source, "decimal": ","})
        found = profile(pointed).closed()
        if numbers := [name for name in commas if COMMAS not in found[name].notes]:
            why["decimal"] = f'a comma is the decimal mark in {first_names(numbers)}: decimal = ","'
            return FirstLook(pointed, found, {**source, "decimal": ","}, why)
    return FirstLook(table, seen, source, why)
