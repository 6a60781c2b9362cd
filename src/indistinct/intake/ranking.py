"""How sensitive every value of an attribute is, by what a policy says of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import polars as pl

from indistinct.analytics.leakage.sensitivity_ranks import CRITICAL, ranks_by_score, share_of_harm
from indistinct.document import in_quotes, many
from indistinct.errors import DataError, Problem, did_you_mean, refuse
from indistinct.metadata import Value
from indistinct.sources.engines import open_table
from indistinct.sources.files import read_table
from indistinct.sources.table import Table, require_columns
from indistinct.warning_kinds import Kind, WarningText

if TYPE_CHECKING:
    from indistinct.policy import Policy, Ranks


def ranks_of(
    policy: Policy, table: Table, name: str, values: Sequence[Value], file: str | None = None
) -> dict[Value, int]:
    """The rank of every value that occurs, from 1 (critical) to 4 (low).

    Arguments:
        policy: says where the ranks of the attribute come from.
        table: the table, whose rows problems name, and whose outcomes are counted.
        name: the sensitive attribute.
        values: its values, None for a missing one.
        file: the name of the table's file, for messages.

    Raises:
        DataError: a value without a rank; a harmful outcome that does not occur; a file of scores
            that cannot be read, or has no such column, no number, or a value twice.
    """
    given = policy.attributes[name].ranks
    assert given is not None
    known: dict[Value, int] = {}
    if given.table is not None:
        known.update(given.table)
    elif given.dependent is not None:
        known = ranks_by_score(_harm(table, name, given, file), given.cuts)
    else:
        known = ranks_by_score(_scores(policy, name, given), given.cuts)
    if given.missing is not None:
        known[None] = given.missing
    without = [value for value in values if value not in known]
    if without and given.unknown == "critical":
        known |= dict.fromkeys(without, CRITICAL)
    elif without:
        raise _without_rank(table, name, without, given, file)
    return {value: known[value] for value in values}


def _harm(table: Table, name: str, given: Ranks, file: str | None) -> dict[Value, float]:
    """How often the outcome of the dependent attribute is harmful, for each value."""
    assert given.dependent is not None
    require_columns(table, [given.dependent])
    counted = table.distinct([name, given.dependent])
    outcomes = set(counted[given.dependent].to_list())
    strange = [outcome for outcome in given.harmful if outcome not in outcomes]
    if strange:
        listed = in_quotes(strange)
        raise DataError(
            "unknown-outcome",
            f"the ranks of '{name}' count {listed} as harmful, which does not occur",
            file=file,
            attribute=given.dependent,
            remedy="name outcomes as in the table",
        )
    return share_of_harm(counted.iter_rows(), given.harmful)


def _scores(policy: Policy, name: str, given: Ranks) -> dict[Value, float]:
    """The figures that a file of others has for each value."""
    assert given.file is not None
    assert given.score is not None
    path = policy.directory / given.file
    read = open_table(read_table(path, separator=given.separator), path.name)
    if given.score not in read.columns:
        raise DataError(
            "unknown-column",
            f"has no column '{given.score}': {did_you_mean(given.score, read.columns)}",
            file=str(path),
            attribute=name,
        )
    home = name if name in read.columns else read.columns[0]
    if home == given.score:
        raise DataError(
            "unknown-column",
            f"the values would be in column '{home}', which has their scores",
            file=str(path),
            attribute=name,
            remedy=f"name the column of the values '{name}'",
        )
    texts = read.text([home, given.score])
    scores = texts[given.score].str.replace_all(",", "").cast(pl.Float64, strict=False)
    bad = (scores.is_null() | ~scores.is_finite().fill_null(False)).arg_true().to_list()
    twice = texts[home].is_duplicated().arg_true().to_list()
    problems = [
        Problem(code, message, file=str(path), attribute=name, rows=tuple(at + 1 for at in rows))
        for code, message, rows in (
            ("no-number", f"'{given.score}' is not a number", bad),
            ("value-twice", f"'{home}' has a value twice", twice),
        )
        if rows
    ]
    refuse(DataError, problems)
    return dict(zip(texts[home].to_list(), scores.to_list(), strict=True))


FEW = 5
"""Of so many people with a value a rank tells nearly what became of them; of fewer, it does."""


def told_of_outcomes(policy: Policy, name: str) -> list[WarningText]:
    """What readers are told of a certificate with ranks that follow from outcomes of the table."""
    given = policy.attributes[name].ranks
    return [
        Kind.LIMIT(
            f"'{name}': the ranks in this certificate are computed from the outcomes of all "
            "people in the table, also of those left out: the rank of a rare value tells their "
            "outcome"
        )
    ] * (given is not None and given.dependent is not None)


def warn_about_outcomes(policy: Policy, table: Table, name: str) -> list[WarningText]:
    """The warning that ranks tell the outcome of people whose value few have.

    A share of few people can be read from its rank. Where outcomes are published beside, everybody
    reads them there.

    Arguments:
        policy: says what ranks follow from, and what is published.
        table: the table, whose outcomes are counted.
        name: the sensitive attribute with ranks.
    """
    given = policy.attributes[name].ranks
    outcome = None if given is None else given.dependent
    if outcome is None or outcome in policy.published_beside:
        return []
    counted = table.distinct([name, outcome]).drop_nulls()
    people = counted.group_by(name).agg(pl.col(counted.columns[-1]).sum().alias("people"))
    of = int(people.filter(pl.col("people") < FEW)["people"].sum())
    share = of / max(int(people["people"].sum()), 1)
    return [
        Kind.RISK(
            f"'{name}': the ranks in the certificate are computed from '{outcome}', and tell "
            f"it, or nearly, for {many(of, 'record')} with a value that fewer than {FEW} have: "
            "group such values, write the ranks by hand (ranks.table), or take them from "
            "published figures (ranks.file)",
            share,
        )
    ] * (of > 0)


def values_without(name: str, without: Sequence[Value], what: str) -> str:
    """How many values of an attribute lack what a policy has to say of each.

    Arguments:
        name: the attribute.
        without: the values that lack it, None for missing.
        what: what they lack, in words.

    >>> values_without("diagnosis", ["flu", "gout"], "category")
    "2 values of 'diagnosis' have no category"
    """
    missing = " (missing values)" if without == [None] else ""
    values, verb = many(len(without), "value"), "has" if len(without) == 1 else "have"
    return f"{values}{missing} of '{name}' {verb} no {what}"


def _without_rank(
    table: Table, name: str, without: Sequence[Value], given: Ranks, file: str | None
) -> DataError:
    one = len(without) == 1
    source = {
        "table": "add {} to the table of ranks",
        "dependent": "an outcome must be known of {}",
        "file": "add {} to the file of scores",
    }
    way = next(key for key in source if getattr(given, key) is not None)
    return DataError(
        "value-without-rank",
        values_without(name, without, "rank of sensitivity"),
        file=file,
        attribute=name,
        rows=table.rows_where(name, without),
        remedy=source[way].format("it" if one else "them")
        + ', or say unknown = "critical"; missing values have a key of their own, missing',
    )
