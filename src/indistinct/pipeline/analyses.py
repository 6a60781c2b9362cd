"""The analyses of a policy, made on the table and on a release of it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import polars as pl

from indistinct.analytics.analyses import Analyses, Answer, Question, analyse
from indistinct.analytics.release_view import ReleaseView, Sought
from indistinct.errors import PolicyError, Problem, did_you_mean
from indistinct.intake.run import Run
from indistinct.pipeline.evidence import ANALYSES
from indistinct.sources.table import Table

if TYPE_CHECKING:
    from indistinct.pipeline.release import Release
    from indistinct.policy import Policy


def questions_of(policy: Policy) -> tuple[Question, ...]:
    """The analyses that a policy asks for."""
    return tuple(Question(**dict(item)) for item in policy.analyses)


def columns_of(policy: Policy, table: Table) -> pl.DataFrame | None:
    """What the analyses of a policy read of a table, as text; None where it asks for none.

    Arguments:
        policy: what is asked.
        table: the private table, before anything is done to its values.

    Raises:
        PolicyError: an analysis names a column that the table does not have.
    """
    questions = questions_of(policy)
    if not questions:
        return None
    names = list(dict.fromkeys(name for item in questions for name in item.columns))
    lacking = [name for name in names if name not in table.columns]
    if lacking:
        raise PolicyError(
            [
                Problem(
                    "unknown-attribute",
                    f"analyses: {table.name} has no column '{name}': "
                    f"{did_you_mean(name, table.columns)}",
                    file=policy.file,
                    remedy="correct the name",
                )
                for name in lacking
            ]
        )
    return table.text(names)


def analysed(policy: Policy, table: pl.DataFrame, view: ReleaseView, run: Run) -> Analyses:
    """The analyses of a policy, on the table and on a release.

    Arguments:
        policy: what is asked.
        table: what they read of the table.
        view: the release.
        run: is told what is being done.
    """
    questions = questions_of(policy)
    if view.link is not None:
        why = "the release is two linked tables, which no analysis reads as one"
        return Analyses(tuple(Answer(item, why=why) for item in questions))
    names = [name for name in table.columns if view.table.find(name) is not None]
    texts = view.table.texts(names)
    sought = replace(view.sought, missing=policy.missing_tokens(names))
    return analyse(questions, table, sought.cells(texts, names), run.progress)


def with_analyses(release: Release, table: pl.DataFrame | None, run: Run) -> Release:
    """The release with its analyses, and a warning of each that does not keep what was asked.

    Arguments:
        release: the release.
        table: what the analyses read of the table; None where none is asked for.
        run: the policy, and who is told of progress.
    """
    if table is None:
        return release
    view = ReleaseView.read(release, Sought())
    found = analysed(run.policy, table, view, run)
    told = [
        f"analysis '{item.question.title}' keeps {shown_overlap(item)}, and "
        f"{item.question.min_overlap:.0%} is asked"
        for item in found.answers
        if item.kept is False
    ]
    return replace(
        release,
        run=replace(release.run, warnings=(*release.run.warnings, *told)),
        private={**release.private, ANALYSES: found.to_dict()},
    )


def shown_overlap(item: Answer) -> str:
    """How much of an analysis is kept, in words."""
    if item.overlap is None:
        return f"nothing ({item.why})"
    return f"{item.overlap:.0%} overlap of confidence intervals"
