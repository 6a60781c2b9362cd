"""The table of people among whom somebody could be found, by a policy or as it is given."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from indistinct.document import many
from indistinct.errors import DataError, PolicyError, Problem, refuse
from indistinct.intake.transform_facts import depends_on_others
from indistinct.intake.transforming import followed
from indistinct.privacy.promise import models
from indistinct.sources.convert import to_polars
from indistinct.sources.engines import open_table
from indistinct.sources.files import read_table
from indistinct.sources.table import Table, require_columns
from indistinct.types import Frame

if TYPE_CHECKING:
    from indistinct.policy import Policy


def population_of(policy: Policy, given: Frame = None) -> pl.DataFrame | None:
    """The quasi-identifiers of the population's people as published, one row each.

    What is done to a value of the table is done to those of the population. None where neither the
    caller nor the policy names a table of them.

    Arguments:
        policy: names the quasi-identifiers, and the table where none is given.
        given: a table of people, a frame or the path of a file.

    Raises:
        DataError: the file cannot be read, or lacks a quasi-identifier.
        PolicyError: a promise counts people, and the policy says only how many there are; or a
            quasi-identifier is changed in a way that nobody can follow for other people.
    """
    quasi, named = policy.quasi_identifiers, policy.risk.population
    if given is not None:
        return published_people(given, policy, quasi).text(quasi)
    if named is None:
        return None
    if named.file is None:
        _refuse_counting(policy)
        return None
    path = policy.directory / named.file
    return published_people(path, policy, quasi, separator=named.separator).text(quasi)


def published_people(
    given: Frame, policy: Policy, columns: Sequence[str], *, separator: str | None = None
) -> Table:
    """A population whose quasi-identifiers are transformed as those of the table are.

    Arguments:
        given: a frame, or the path of a file.
        policy: says the transformations.
        columns: the columns that are needed.
        separator: of the cells of a file.

    Raises:
        PolicyError: values are changed by what other people of the table have, or at random.
        DataError: the table cannot be read, or values cannot be transformed so.
    """
    rules = {
        name: rule
        for name in columns
        if name in policy.quasi_identifiers
        and (rule := policy.attributes[name].transform) is not None
    }
    problems = [
        Problem(
            "population-not-followed",
            f"the population is counted by '{name}', which the transformation '{rule.name}' "
            "changes by what else is in the table, or at random: nobody can say what is published "
            "of other people",
            file=policy.file,
            attribute=name,
            remedy="say how many people there are, population = { size = ... }, or generalize by "
            "a hierarchy what is transformed",
        )
        for name, rule in rules.items()
        if depends_on_others(rule)
    ]
    refuse(PolicyError, problems)
    table = people_in(given, policy, columns, separator=separator, held=bool(rules))
    return followed(table, policy, [*rules]) if rules else table


def people_in(
    given: Frame,
    policy: Policy | None,
    columns: Sequence[str],
    *,
    separator: str | None = None,
    held: bool = False,
) -> Table:
    """The table of a population, which has some columns.

    Arguments:
        given: a frame, or the path of a file.
        policy: says which texts stand for a missing value.
        columns: the columns that are needed.
        separator: of the cells of a file.
        held: ask for a table in memory, from any engine.

    Raises:
        DataError: the table cannot be read, lacks one of the columns, or has people twice.
    """
    is_path = isinstance(given, str | Path)
    name = Path(given).name if is_path else "the population"
    native = read_table(given, separator=separator) if is_path else given
    native = to_polars(native) if held else native
    table = open_table(native, name)
    require_columns(table, columns)
    _refuse_rows_of_people(table, policy, name)
    tokens = {} if policy is None else policy.missing_tokens(columns)
    return open_table(native, name, missing_tokens=tokens) if tokens else table


def _refuse_rows_of_people(table: Table, policy: Policy | None, name: str) -> None:
    """Raise where the column that names people names one in several rows: rows are counted."""
    person = None if policy is None else policy.person
    if person is None or person not in table.columns:
        return
    named, people, _ = table.tally(person, 1)
    if twice := named - people:
        raise DataError(
            "people-twice",
            f"{many(twice, 'row is', 'rows are')} further ones of people who have one already, and "
            "every row would count as somebody else",
            file=name,
            attribute=person,
            remedy="give a population of one row per person",
        )


def _refuse_counting(policy: Policy) -> None:
    """Raise where a promise would have to count people of whom only the number is known."""
    known = models()
    counting = [
        item.model
        for item in policy.promises
        if item.model in known and known[item.model].needs_population
    ]
    if counting:
        raise PolicyError(
            [
                Problem(
                    "no-population-table",
                    f"promise '{model}' counts the people of every class, and risk.population says "
                    "only how many there are",
                    file=policy.file,
                    remedy='name a table of them: population = { file = "..." }',
                )
                for model in dict.fromkeys(counting)
            ]
        )
