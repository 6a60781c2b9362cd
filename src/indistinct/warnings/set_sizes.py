"""What the number of a person's values tells where buckets list sets as they are."""

from __future__ import annotations

import numpy as np
import polars as pl

from indistinct.analytics.release_view import ReleaseView
from indistinct.document import share
from indistinct.hierarchies.cells import members_of
from indistinct.warning_kinds import Kind, WarningText

_SETS = {"set": pl.Int64(), "value": pl.List(pl.String())}


def warn_about_set_sizes(view: ReleaseView) -> list[WarningText]:
    """That of the sets that a bucket lists, those of one size have a value in common."""
    found = []
    for name, part in view.lists.items() if view.semantics() == "one" else ():
        held = [list(dict.fromkeys(members_of(label) or (label,))) for label in part.labels]
        sets = pl.DataFrame({"set": np.arange(len(held)), "value": held}, schema_overrides=_SETS)
        sets = sets.with_columns(pl.col("value").list.len().alias("size"))
        if sets["size"].max() == 1 or not part.amount.sum():
            continue
        listed = pl.DataFrame({"bucket": part.row_of, "set": part.index, "people": part.amount})
        of, rows = ["bucket", "size"], listed.cast({"set": pl.Int64}).join(sets, on="set")
        alike = rows.group_by(of).agg(pl.len().alias("sets"), pl.col("people").sum())
        shared = rows.explode("value").group_by([*of, "value"]).agg(pl.len().alias("sets"))
        sure = alike.join(shared, on=[*of, "sets"], how="semi")["people"].sum() / part.amount.sum()
        if sure:
            found.append(
                Kind.RISK(
                    f"with a person's quasi-identifiers and number of values of '{name}', one "
                    f"value may be certain for {share(float(sure))} of people: buckets list "
                    "sets as they are, and promises about buckets do not bound that",
                    float(sure),
                )
            )
    return found
