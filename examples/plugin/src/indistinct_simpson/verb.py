"""``indistinct simpson``: the index of one column."""

from __future__ import annotations

from typing import Annotated

import typer

from indistinct.cli.options import AsJson, Data
from indistinct.cli.terminal import console, print_json
from indistinct.sources.engines import open_table
from indistinct.sources.files import read_table
from indistinct.sources.table import require_columns


def simpson(
    data: Data,
    column: Annotated[str, typer.Argument(metavar="COLUMN", help="The column.")],
    as_json: AsJson = False,
) -> None:
    """Tell the chance that two records of DATA, drawn at random, have the same value."""
    table = open_table(read_table(data), name=data.name)
    require_columns(table, [column])
    shares = table.text([column])[column].value_counts(normalize=True)["proportion"]
    index = float(shares.pow(2).sum())
    if as_json:
        print_json({"column": column, "simpson": index})
    else:
        console().print(f"{column}: {index:.4f}")
