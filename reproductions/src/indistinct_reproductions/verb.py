"""``indistinct paper``: compute a paper again, and hold what it prints against what comes out."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from indistinct.cli.options import AsJson, argument, named_path, option
from indistinct.cli.terminal import Progress, complain, console, print_json
from indistinct.document import many

if TYPE_CHECKING:
    from indistinct_reproductions.reproduction import Item, Reproduction, Value

WIDE = 110
"""Columns of a terminal on which long values need not be broken."""

STYLES = {"equal": "green", "differs": "yellow", "refuted": "red"}


def paper(
    name: Annotated[str, argument("NAME", "The paper: arca-hewett, fazal, khan or victor-lopez.")],
    data: Annotated[
        Path | None, option("DIR", "Folder of the public files that the paper works on.")
    ] = None,
    out: Annotated[
        Path | None,
        option(
            "DIR",
            "Folder for a page, tables and pictures (by default nothing is written).",
            parser=named_path,
        ),
    ] = None,
    seed: Annotated[int, option("N", "Seed of what the paper draws at random.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Compute the figures of a paper again, and compare each with the printed one.

    Parts that need public data run only if --data names the folder of the files.
    """
    from indistinct_reproductions import reproduce

    with Progress() as progress:
        found = reproduce(name, data, seed=seed, progress=progress)
        written: list[Path] = []
        if out is not None:
            progress("writing")
            written = found.write(out)
    for where, why in found.left_out:
        complain("note", f"not run: {where}: {why}")
    if out is not None and not any(path.suffix == ".png" for path in written):
        complain("note", "pictures are SVG only: PNG needs pip install 'indistinct[report]'")
    if as_json:
        print_json(found.to_dict())
        return
    _show(found)
    if out is not None:
        console().print(
            f"\n{many(len(written), 'file', 'files')} in {out}; begin with "
            f"{out / 'reproduction.md'}",
            soft_wrap=True,
        )


def _show(found: Reproduction) -> None:
    from rich.table import Table
    from rich.text import Text

    screen = console()
    screen.print(f"{found.source}\n", soft_wrap=True)
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    wide = screen.width >= WIDE
    widths = (13, None, 19, 24, 17) if wide else (13, None, 11, 12, 10)
    names = ("where", "what, and why it differs", "printed", "computed", "verdict")
    for name, width in zip(names, widths, strict=True):
        table.add_column(name, width=width, overflow="fold")
    where = ""
    for item in found.items:
        table.add_row(
            Text(item.where if item.where != where else ""),
            Text.assemble(item.what, (_aside(item), "dim")),
            Text(_value(item.printed)),
            Text(_value(item.computed)),
            Text(item.verdict, style=STYLES.get(item.verdict, "")),
        )
        where = item.where
    with screen.capture() as drawn:
        screen.print(table)
    sys.stdout.write("".join(line.rstrip() + "\n" for line in drawn.get().splitlines()))
    screen.print(f"\n{found.summary}", soft_wrap=True)


def _aside(item: Item) -> str:
    """Where a figure comes from, unless it is computed, and why it differs."""
    told = [item.source] if item.source != "computed" else []
    said = ": ".join([*told, *([item.why] if item.why else [])])
    return f"\n({said})" if said else ""


def _value(value: Value) -> str:
    from indistinct_reproductions.reproduction import shown

    return shown(value)
