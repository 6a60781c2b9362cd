"""The analyses of a policy, made on the table and on a release of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import polars as pl

from indistinct.analytics.release_view import MOST_EXPECTED, ReleaseView, Sought
from indistinct.analytics.utility.analyses import (
    PERSON,
    WEIGHT,
    Analyses,
    Answer,
    Question,
    analyse,
)
from indistinct.document import shown
from indistinct.errors import PolicyError, Problem, did_you_mean, refuse
from indistinct.intake.run import Run
from indistinct.metadata import NO_METADATA, ValueMetadata
from indistinct.pipeline.evidence import ANALYSES
from indistinct.sources.table import Table
from indistinct.warning_kinds import Kind

if TYPE_CHECKING:
    from indistinct.pipeline.release import Release
    from indistinct.policy import Policy


def questions_of(policy: Policy) -> tuple[Question, ...]:
    """The analyses that a policy asks for, with the columns whose numbers are categories to it."""
    codes = frozenset(name for name, item in policy.attributes.items() if item.type == "category")
    return tuple(Question(**dict(item), categories=codes) for item in policy.analyses)


def columns_of(policy: Policy, table: Table) -> pl.DataFrame | None:
    """What the analyses of a policy read of a table, as text; None where it asks for none.

    Where the policy names whose each record is, :data:`PERSON` says it.

    Raises:
        PolicyError: an analysis names a column, or a value, that the table does not have.
    """
    questions = questions_of(policy)
    if not questions:
        return None
    names = list(dict.fromkeys(name for item in questions for name in item.columns))
    lacking = [
        Problem(
            "unknown-attribute",
            f"analyses: {table.name} has no column '{name}': {did_you_mean(name, table.columns)}",
            file=policy.file,
            remedy="correct the name",
        )
        for name in names
        if name not in table.columns
    ]
    refuse(PolicyError, lacking)
    problems = [
        Problem(
            "bad-value",
            f"analyses: positive is {item.positive!r}, and '{name}' has no such value",
            file=policy.file,
            attribute=name,
            remedy="write the value that counts as the table has it",
        )
        for item in questions
        if (name := item.event or item.outcome) is not None
        and item.positive is not None
        and not _has(policy, table, name, item.positive)
    ]
    refuse(PolicyError, problems)
    person = policy.person
    if person is None or person not in table.columns:
        return table.text(names)
    texts = table.text(list(dict.fromkeys([*names, person])))
    return texts.with_columns(pl.col(person).alias(PERSON)).select(*names, PERSON)


def _has(policy: Policy, table: Table, name: str, value: str) -> bool:
    """Whether an attribute has a value, or may have a category of this name."""
    told = policy.attributes.get(name)
    return bool((told and told.categories) or (table.text([name])[name] == value).any())


def analysed(
    run: Run, table: pl.DataFrame, view: ReleaseView, known: Mapping[str, ValueMetadata]
) -> Analyses:
    """The analyses of a policy, on the table and on a release.

    Arguments:
        run: the policy; is told what is being done.
        table: what they read of the table.
        view: the release.
        known: what is known of sensitive values.
    """
    questions = questions_of(run.policy)
    names = [name for name in table.columns if name != PERSON]
    tokens = run.policy.missing_tokens(names)
    if view.link is not None:
        view = replace(view, sought=replace(view.sought, sensitive=tuple(names), missing=tokens))
        answers = []
        for at, question in enumerate(questions):
            run.tell("making analyses", at / len(questions))
            answers.append(_of_linked(question, table, view, known))
        return Analyses(tuple(answers))
    names = [name for name in names if view.table.find(name) is not None]
    sought = replace(view.sought, missing=tokens)
    return analyse(questions, table, sought.cells(view.table.texts(names), names), run.progress)


def _of_linked(
    question: Question,
    table: pl.DataFrame,
    view: ReleaseView,
    known: Mapping[str, ValueMetadata],
) -> Answer:
    """An analysis of people: each of their values once, and each that linked tables may mean."""
    own = table.select(*question.columns, *({PERSON} & set(table.columns)))
    for name in question.columns:
        about = known.get(name, NO_METADATA)
        if name in view.lists and set(view.lists[name].labels) <= set(about.categories.values()):
            own = _in_categories(own, name, about, highest=view.semantics() == "one")
    if PERSON in own.columns:
        own = own.unique(maintain_order=True)
    try:
        texts, person, chance = view.expected(question.columns)
    except OverflowError:
        why = f"joined by bucket, the release has more than {shown(MOST_EXPECTED)} rows"
        return Answer(question, why=why)
    weighted = texts.with_columns(pl.Series(PERSON, person), pl.Series(WEIGHT, chance))
    return analyse([question], own, weighted).answers[0]


def _in_categories(
    table: pl.DataFrame, name: str, about: ValueMetadata, *, highest: bool
) -> pl.DataFrame:
    """The table with the categories of values, where a release lists these.

    Arguments:
        table: what an analysis reads of it.
        name: the sensitive attribute.
        about: what is known of its values.
        highest: only the most sensitive category of each person.
    """
    categories = {value: home for value, home in about.categories.items() if value is not None}
    table = table.with_columns(pl.col(name).replace(categories))
    if not highest or PERSON not in table.columns:
        return table
    ranks = {home: at for at, home in enumerate(about.category_order)}
    rank = pl.col(name).replace_strict(ranks, default=-1, return_dtype=pl.Int32)
    return table.filter(rank == rank.max().over(PERSON))


def with_analyses(
    release: Release, table: pl.DataFrame | None, run: Run, known: Mapping[str, ValueMetadata]
) -> Release:
    """The release with its analyses, and a warning of each that does not keep what was asked.

    Arguments:
        release: the release.
        table: what the analyses read of the table; None where none is asked for.
        run: the policy, and who is told of progress.
        known: what is known of sensitive values.
    """
    if table is None:
        return release
    found = analysed(run, table, ReleaseView.read(release, Sought()), known)
    told = [
        Kind.LOSS(
            f"analysis '{item.question.title}' keeps {shown_overlap(item)}, and "
            f"{item.question.min_overlap:.0%} is asked"
        )
        for item in found.answers
        if item.kept is False
    ]
    return replace(
        release,
        run=replace(release.run, warnings=(*release.run.warnings, *told)),
        private=release.private.beside({ANALYSES: found.to_dict()}),
    )


def shown_overlap(item: Answer) -> str:
    """How much of an analysis is kept, in words."""
    if item.overlap is None:
        return f"nothing ({item.why})"
    return f"{item.overlap:.0%} overlap of confidence intervals"
