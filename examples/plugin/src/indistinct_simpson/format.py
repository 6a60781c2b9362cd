"""The format: a folder with one file of visits for every ward, ``ward-7.csv``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

import polars as pl

from indistinct.errors import DataError, Problem
from indistinct.sources.files import read_table
from indistinct.sources.format import DROPPED, SENSITIVE, WHOLE, Format, HealthRecords


class Wards(Format):
    """Visits of several wards as one table, with the ward of each."""

    name = "wards"
    title = "a folder with a file for every ward"
    person = "patient"
    attributes: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "patient": DROPPED,
        "age": {"role": "quasi-identifier", "hierarchy": {"intervals": {"width": 10}}},
        "sex": WHOLE,
        "diagnosis": SENSITIVE,
        "ward": DROPPED,
    }

    def read(self, path: str | Path) -> HealthRecords:
        """The visits of all wards.

        Raises:
            DataError: there is no file of a ward, or one cannot be read or lacks a column.
        """
        files = tuple(sorted(Path(path).glob("ward-*.csv")))
        if not files:
            remedy = "give the folder with ward-1.csv and so on"
            raise DataError(Problem("missing-file", "has no ward-*.csv", str(path), remedy=remedy))
        wanted = [name for name in self.attributes if name != "ward"]
        frames = []
        for file in files:
            visits = read_table(file)
            lacking = [name for name in wanted if name not in visits.columns]
            if lacking:
                problem = "has no such column"
                raise DataError(
                    [Problem("missing-column", problem, file.name, name) for name in lacking]
                )
            ward = pl.lit(file.stem.removeprefix("ward-")).alias("ward")
            frames.append(visits.select(*wanted, ward))
        return HealthRecords(pl.concat(frames), notes=(), files=files)

    def recognizes(self, names: list[str]) -> bool:
        """Whether there is a file of a ward."""
        return any(name.startswith("ward-") and name.endswith(".csv") for name in names)
