"""Whether promises count those whose rows these are: people, counts, a population."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from indistinct.analytics.profile.columns import profile
from indistinct.analytics.profile.counted import column_of_counts, told_of_counts
from indistinct.analytics.profile.persons import BLANK_BELOW, REPEATS
from indistinct.document import some_of
from indistinct.errors import DataError
from indistinct.sources.table import Table
from indistinct.warning_kinds import Kind, WarningText
from indistinct.warnings.policy_facts import compared_beside

if TYPE_CHECKING:
    from indistinct.intake.private_table import PrivateTable
    from indistinct.policy import Policy


def _says_whose(policy: Policy) -> bool:
    """Whether a policy says which records are whose, so that people are counted."""
    return bool(policy.person is not None or policy.source.people or policy.source.format)


def warn_about_counted_rows(table: Table, policy: Policy) -> list[WarningText]:
    """The warning that the rows of a table are combinations with a count, and none of people."""
    if _says_whose(policy):
        return []
    name = column_of_counts(table, table.columns)
    return [] if name is None else [Kind.RISK(told_of_counts(name))]


def warn_about_forgotten_person(table: Table, policy: Policy) -> list[WarningText]:
    """The warning that promises count records where an identifier repeats as people's do."""
    if _says_whose(policy):
        return []
    records = table.height()
    named = [
        name
        for name in policy.named("identifier")
        if name in table.columns and table.kinds[name] != "other"
    ]
    # All that is asked later, too: an engine looks at its rows once.
    about = table.about(named if table.held else [*named, *compared_beside(policy, table)])
    suspected = [name for name in named if REPEATS * about[name][1] < 1.1 * records]
    values = {name: table.tally(name, 1)[1] for name in suspected}
    repeated = [name for name in suspected if 1 < REPEATS * values[name] < records]
    quasi = [name for name in policy.named("quasi-identifier") if name in table.columns]
    try:
        seen = profile(table, columns=[*repeated, *quasi]) if repeated else None
    except DataError:  # more values than an engine hands over
        told, blank = repeated, []
    else:
        found = None if seen is None else seen.person
        told = [] if found is None or found.column not in repeated else [found.column]
        blank = (
            []
            if seen is None
            else [one.message for one in seen.warnings if one.code == BLANK_BELOW]
        )
    return [
        *map(Kind.RISK, blank),
        *[
            Kind.RISK(
                f"the identifier '{name}' has {values[name]:,} values in {records:,} records: "
                "if these are people, all k records of a class may be one person's; write "
                f'person = "{name}" under [source] to count people'
            )
            for name in told
        ],
    ]


def warn_about_population(private: PrivateTable) -> list[WarningText]:
    """The warning that the table has people whom the population lacks, so that it is another's."""
    table = private.data.table
    if table.population is None:
        return []
    lacking = np.maximum(table.weight - table.population, 0)[~private.data.suppressed_before].sum()
    models = dict.fromkeys(part.model for part in private.promises if part.needs_population)
    return [
        Kind.RISK(
            f"{some_of(int(lacking), table.records, private.subjects.unit)} cannot be in the "
            f"population, which has too few people of these quasi-identifiers: {', '.join(models)} "
            "counts others than an attacker does, if values are not written alike, or the table "
            "was drawn from another population"
        )
    ] * bool(lacking)
