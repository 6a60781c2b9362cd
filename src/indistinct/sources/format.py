"""Formats: what is known of tables of one kind before anybody has written a policy.

A policy with ``source.format`` needs to say only what is special: the columns of the format have
the roles and hierarchies given here, and an attribute that the policy has replaces the one here.
The rule is that of a careful custodian. What others may know of a person is a quasi-identifier,
what the person has is sensitive, and everything that is not known to be harmless is dropped.

Every file of :mod:`indistinct.sources.formats` holds one, under its own name, and is imported when
a policy asks for it. A format of another distribution is an entry point of the group
``indistinct.sources``.
"""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

import polars as pl

from indistinct import plugins
from indistinct.errors import PluginError, PolicyError, did_you_mean
from indistinct.frozen import dataclass
from indistinct.sources.file_kind import kind_of
from indistinct.sources.packed import BROKEN, broken, opened
from indistinct.types import Plain, PlainMapping

DROPPED: PlainMapping = {"role": "identifier"}
"""Keys of an attribute that is left out."""

WHOLE: PlainMapping = {"role": "quasi-identifier", "hierarchy": "suppress"}
"""Keys of one that is published as it is, or not at all."""

CODE: PlainMapping = {"role": "quasi-identifier", "hierarchy": {"mask": {"from": "right"}}}
"""Keys of a code that loses its last characters one by one."""

SENSITIVE: PlainMapping = {"role": "sensitive"}
"""Keys of what a person has."""


@dataclass(frozen=True, eq=False)
class HealthRecords:
    """What was read from a format: one row per record of a person.

    Arguments:
        frame: the rows, with the same columns for all files.
        notes: what is not in the table, with counts, as sentences for a custodian.
        files: the files that were read.
    """

    frame: pl.DataFrame
    notes: tuple[str, ...]
    files: tuple[Path, ...]


STARTS = 65_536
"""So many bytes of a file are looked at to tell its format."""


class Format(ABC):
    """One kind of table, or of folder of tables.

    Arguments:
        name: as policies call it, ``source.format``.
        title: what a first policy calls it, ``a FHIR R4 bulk export``.
        person: the column that names the person of each record.
        attributes: all columns that :meth:`read` gives, in their order, with their keys.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    person: ClassVar[str]
    attributes: ClassVar[Mapping[str, PlainMapping]]

    @abstractmethod
    def read(self, path: str | Path) -> HealthRecords:
        """The records, with notes on what is not among them.

        Raises:
            DataError: with everything that is wrong with the files, and no value in them.
        """

    @abstractmethod
    def recognizes(self, names: list[str]) -> bool:
        """Whether a folder with files of these names, in lower case, is one of this format.

        Also asked of a single file, by its name alone, if its ending is of no table.
        """

    def begins(self, start: bytes) -> bool:
        """Whether a single file that begins so is one of this format.

        Asked of a file whose ending is of no table and whose name no format recognizes.
        """
        return False

    def records(self, path: str | Path) -> HealthRecords:
        """What :meth:`read` gives, with the columns of ``attributes`` and no others.

        Raises:
            DataError: with everything that is wrong with the files; also where a library that
                :meth:`read` calls refuses them, without its words.
            PluginError: the format reads other columns than it declares.
        """
        try:
            found = self.read(path)
        except (pl.exceptions.PolarsError, UnicodeDecodeError, *BROKEN) as error:
            raise broken(str(path), f"this cannot be read as {self.title}", error) from None
        declared, given = set(self.attributes), set(found.frame.columns)
        if declared != given:
            told, kind = [], type(self)
            if without := sorted(declared - given):
                told.append(f"declares columns that it does not read: {', '.join(without)}")
            if beyond := len(given - declared):
                # Their names come from the files, and may be what is in them.
                told.append(f"reads columns that it does not declare: {beyond}")
            raise PluginError(
                "plugin-not-usable",
                f"the format '{self.name}' ({kind.__module__}.{kind.__qualname__}) "
                f"{', and '.join(told)}",
                remedy="install a version that works, or uninstall it",
            )
        return found

    def preset(self) -> Plain:
        """What a policy starts from: ``source`` and ``attributes``. The caller may change it."""
        attributes = {name: copy.deepcopy(dict(keys)) for name, keys in self.attributes.items()}
        return {"source": {"person": self.person}, "attributes": attributes}


_FORMATS = plugins.Files(
    "sources",
    plugins.subclass_named(Format, "name"),  # type: ignore[type-abstract]
    "indistinct.sources.formats",
)


def formats() -> dict[str, Format]:
    """Every format by its name, sorted: those of this package, and those of plugins."""
    return {name: kind() for name, kind in _FORMATS.every().items()}


def format_named(name: str) -> Format:
    """The format of this name, imported now.

    Raises:
        PolicyError: when there is no such format.
        PluginError: for the format of a plugin that cannot be used.

    >>> format_named("omop").preset()["source"]
    {'person': 'person_id'}
    >>> format_named("fhir").preset()["attributes"]["condition"]
    {'role': 'sensitive'}
    """
    found = _FORMATS.named(name)
    if found is None:
        hint = did_you_mean(name, list(formats()))
        raise PolicyError("unknown-format", f"no format '{name}': {hint}")
    return found()


def format_of(path: Path) -> str | None:
    """The format of a folder, told by its files, or of a file whose ending is of no table.

    None for any other.
    """
    if path.is_dir():
        names = [part.name.lower() for part in path.iterdir()]
    elif path.is_file() and kind_of(path) is None:
        names = [path.name.lower()]
    else:
        return None
    known = formats()
    found = next((name for name, kind in known.items() if kind.recognizes(names)), None)
    if found is not None or path.is_dir():
        return found
    start = _start(path)
    return next((name for name, kind in known.items() if kind.begins(start)), None)


def _start(path: Path) -> bytes:
    """The first bytes of a file, unpacked; none of one that cannot be read."""
    try:
        with opened(path) as file:
            return file.read(STARTS)
    except BROKEN:
        return b""
