"""The kind of file: labelled tab-separated values, ``age:34<tab>sex:f`` in each line (LTSV)."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from indistinct.errors import DataError
from indistinct.sources.file_kind import FileKind, Reading
from indistinct.sources.packed import bytes_of


class LabelledLines(FileKind):
    """A file with a record in each line, every cell of which has the name of its column."""

    name = "ltsv"
    title = "an LTSV file"
    endings = (".ltsv",)
    packed = True

    def read(self, path: Path, how: Reading) -> pl.DataFrame:
        """The records as text; a cell that a line lacks is missing.

        Raises:
            DataError: a cell has no name.
        """
        del how
        lines = bytes_of(path, separator=b"\t", cells=True).decode().splitlines()
        cells = [[cell.partition(":") for cell in line.split("\t")] for line in lines if line]
        if not all(colon for line in cells for _, colon, _ in line):
            remedy = "write the name of its column and a colon before each cell"
            message = "a cell has no name"
            raise DataError("unreadable-file", message, file=path.name, remedy=remedy)
        records = [{name: value or None for name, _, value in line} for line in cells]
        return pl.DataFrame(records, infer_schema_length=None)
