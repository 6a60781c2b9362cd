"""The values of a table as its policy transforms them, before anything else is done with them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace as replaced
from typing import TYPE_CHECKING

import polars as pl

from indistinct.errors import IndistinctError, InputError, PolicyError
from indistinct.frozen import dataclass, field
from indistinct.intake.items import with_generalized_items, with_rows
from indistinct.intake.run import Run
from indistinct.intake.transform_facts import (
    EXCHANGED,
    FOLLOWED,
    IDENTIFIER,
    PERTURBING,
    is_linked,
)
from indistinct.intake.ways import WAYS, Work, each_by_itself
from indistinct.sources.table import Table
from indistinct.types import Bools

if TYPE_CHECKING:
    from indistinct.policy import Policy


@dataclass(frozen=True)
class Transformed:
    """A table with transformed values, and what is said of it.

    Arguments:
        table: the table with all columns transformed but those in ``replaced``.
        replaced: identifiers, as they are published record by record.
        told: what was done to each attribute, for the certificate.
        perturbed: whether a record may hold values that were not its own.
        left_out: how many records were left out, and how many people with them.
        measures: what the columns have lost, each from 0 (nothing) to 1.
        originals: texts of sensitive attributes whose published values are others' or drawn, as
            they were.
        linkable: texts of columns beside the quasi-identifiers that were moved, exchanged or drawn,
            and may be linked, as they were.
        ends: numbers that stand for all at or beyond them, by attribute.
    """

    table: Table
    replaced: Mapping[str, pl.Series] = field(default_factory=dict)
    told: Mapping[str, str] = field(default_factory=dict)
    perturbed: bool = False
    left_out: tuple[int, int] = (0, 0)
    measures: Mapping[str, float] = field(default_factory=dict)
    originals: Mapping[str, pl.Series] = field(default_factory=dict)
    linkable: Mapping[str, pl.Series] = field(default_factory=dict)
    ends: Mapping[str, Sequence[float]] = field(default_factory=dict)

    def rows(self, keep: Bools, policy: Policy) -> Transformed:
        """The same with some of its records; the others were left out."""
        own = pl.Series(keep)
        records, people = self.left_out
        return replaced(
            self,
            table=with_rows(self.table, keep, policy),
            replaced={name: values.filter(own) for name, values in self.replaced.items()},
            left_out=(records + int((~keep).sum()), people),
            originals={name: texts.filter(own) for name, texts in self.originals.items()},
            linkable={name: texts.filter(own) for name, texts in self.linkable.items()},
        )


def transformed(table: Table, run: Run, file: str | None = None) -> Transformed:
    """The table as the policy of a run transforms it: sets of items, then values.

    Every transformation looks at the values as they were in the source, and draws from a stream of
    its own, so that one more of them changes no other.

    Arguments:
        table: the source; one in memory, where :func:`changes_values`.
        run: says roles and transformations; is given warnings and private documents.
        file: the name of the table's file, for messages.

    Raises:
        DataError: values cannot be transformed so; all problems at once.
        PolicyError: a key for pseudonyms is missing.
        InputError: two values have the same pseudonym.
    """
    if run.policy.by_policy_alone:
        table = each_by_itself(table)
    table, *left_out = with_generalized_items(table, run, file)
    gone = (left_out[0], left_out[1])
    policy = run.policy
    rules = {
        name: item.transform
        for name, item in policy.attributes.items()
        if item.transform is not None
    }
    if not rules:
        return Transformed(table, left_out=gone)
    work = Work(table, run)
    problems: list[IndistinctError] = []
    made: dict[str, pl.Series] = {}
    told: dict[str, str] = {}
    for name, rule in rules.items():
        if rule.synthesize is not None:
            continue
        try:
            made[name], told[name] = WAYS[rule.name](work, name, getattr(rule, rule.name))
        except InputError as error:
            problems.append(error)
    if problems:
        first = problems[0]
        found = [item for error in problems for item in error.problems]
        raise (PolicyError if isinstance(first, PolicyError) else type(first))(found)
    made |= work.synthetic(made)
    told = {name: told.get(name) or work.said_of_model(name) for name in rules}
    identifiers = {name: made[name] for name in made if policy.attributes[name].role == IDENTIFIER}
    others = {name: made[name] for name in made if name not in identifiers}
    after = work.with_columns(others)
    run.documents.update(work.documents)
    account, warnings = work.account(made)
    left = work.kept(after, others)
    run.warnings += [*warnings, *work.told_by_others(made, after), *left.warnings]
    if account:
        account |= {"pairs": [pair.to_dict() for pair in left.pairs]} if left.pairs else {}
        run.documents["transforms.json"] = account
    return Transformed(
        table=after,
        replaced=identifiers,
        told=told,
        perturbed=any(rule.name in PERTURBING for rule in rules.values()),
        left_out=gone,
        measures=left.measures,
        ends=work.ends,
        originals={
            name: work.texts(name)
            for name, rule in rules.items()
            if rule.name in (*EXCHANGED, "synthesize")
            and policy.attributes[name].role == "sensitive"
        },
        linkable={
            name: work.texts(name)
            for name, rule in rules.items()
            if is_linked(rule) and name in policy.published_beside
        },
    )


def followed(table: Table, policy: Policy, names: Sequence[str]) -> Table:
    """The table with some columns as they are published before recoding.

    What is done to a value is done again wherever it depends on the values alone.

    Arguments:
        table: the source; one in memory, where :func:`changes_values`.
        policy: says the transformations.
        names: quasi-identifiers and sensitive attributes.

    Raises:
        DataError: values cannot be transformed so.
    """
    work = Work(table, Run(policy, 0))
    made = {}
    for name in names:
        rule = policy.attributes[name].transform
        if rule is not None and rule.name in FOLLOWED:
            made[name] = WAYS[rule.name](work, name, getattr(rule, rule.name))[0]
    return work.with_columns(made)
