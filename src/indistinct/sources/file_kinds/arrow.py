"""Files of Arrow, as pandas and R write Feather."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from indistinct.sources.file_kind import FileKind, Reading, require_cells


class ArrowFile(FileKind):
    """A file of Arrow, which keeps the types of its columns."""

    name = "arrow"
    title = "an Arrow file"
    endings = (".feather", ".arrow", ".ipc")

    def read(self, path: Path, how: Reading) -> pl.DataFrame:
        """The table, unless it takes more memory than it may."""
        require_cells(pl.scan_ipc(path, glob=False), path.name)
        return pl.read_ipc(path)
