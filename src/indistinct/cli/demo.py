"""``indistinct demo``: the whole way, on a table of invented hospital discharges."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from indistinct.cli.options import AsJson, Details, named_path, option
from indistinct.cli.summary import list_files, print_run, summarize, warn
from indistinct.cli.terminal import Progress, console, print_table
from indistinct.document import shown

if TYPE_CHECKING:
    import polars as pl

TABLE = "discharges.csv"
POLICY_FILE = "release.toml"
ROWS_SHOWN = 5


def demo(
    out: Annotated[
        Path | None,
        option("DIR", "Folder for the release (by default nothing is written).", parser=named_path),
    ] = None,
    details: Details = False,
    as_json: AsJson = False,
) -> None:
    """Make a release of a few thousand invented hospital discharges.

    With --out, DIR holds the release and its certificate; the invented table and the policy are in
    DIR/private, so that you can change them and run the steps by hand.
    """
    import tomllib

    import indistinct
    from indistinct.demo import POLICY, discharges
    from indistinct.policy import Policy
    from indistinct.sources.writing import write_csv, write_text

    with Progress() as progress:
        progress("inventing discharges")
        table = discharges()
        policy = Policy.from_dict(tomllib.loads(POLICY))
        release = indistinct.anonymize(table, policy, progress=progress)
        if out is not None:
            progress("writing")
            release.write(out)
            write_csv(table, out / "private" / TABLE)
            write_text(out / "private" / POLICY_FILE, POLICY)
    run = release.run.to_dict()
    warn(policy.warnings, run, out, details=details)
    if as_json:
        print_run(policy, run)
        return
    console().print(f"{shown(table.height)} invented hospital discharges\n")
    summarize(release)
    _show_rows(release.tables, policy.quasi_identifiers)
    if out is not None:
        list_files(out)
        console().print(
            "\ncheck it as a stranger would, and run it by hand:\n"
            f"  indistinct audit {out}\n"
            f"  indistinct anonymize {out / 'private' / TABLE} "
            f"--policy {out / 'private' / POLICY_FILE} --out another-release\n\n"
            "read in a browser what was promised, whether it is true, and what it cost:\n"
            f"  {out / 'private' / 'report.html'}",
            soft_wrap=True,
        )


def _show_rows(release: pl.DataFrame, columns: Sequence[str]) -> None:
    """The first records of a release, as far as they fit beside each other."""
    rows = [
        tuple("" if value is None else str(value) for value in row)
        for row in release.select(columns).head(ROWS_SHOWN).rows()
    ]
    console().print("\nwhat others could know, as it is published:")
    print_table(columns, rows, wrap=False)
