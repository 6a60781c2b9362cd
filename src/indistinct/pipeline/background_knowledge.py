"""What a release of people leaves to somebody who knows a few of a person's records or cells."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import polars as pl

from indistinct.analytics.attacks import Finding, distance_linkage, known_records, unicity
from indistinct.analytics.release_view import ReleaseView
from indistinct.intake.attacked import Attacked
from indistinct.intake.sought_releases import sought_by
from indistinct.intake.transform_facts import known_beside, policy_of_originals, untried_in
from indistinct.intake.value_metadata import value_metadata_of
from indistinct.microdata.subjects import Subjects
from indistinct.pipeline.attack import context_of, without_untried
from indistinct.warning_kinds import Kind
from indistinct.warnings.about_values import warn_about_values
from indistinct.warnings.background_warnings import (
    warn_about_known_records,
    warn_about_perturbed,
    warn_about_values_in_buckets,
)
from indistinct.warnings.days_between import warn_about_days_between
from indistinct.warnings.policy_facts import shifted_alike
from indistinct.warnings.set_sizes import warn_about_set_sizes

if TYPE_CHECKING:
    from indistinct.intake.private_table import PrivateTable
    from indistinct.intake.run import Run
    from indistinct.intake.transforming import Transformed
    from indistinct.release.publication import Publication

MOST_STEPS = 200_000_000
"""Steps that each of the two attackers takes at most; then it looks at some people only."""

DRAWS = 2_500
"""Sets of published cells that are drawn."""


def with_background_knowledge(
    private: PrivateTable, publication: Publication, run: Run, values: Transformed
) -> None:
    """Let those who know a few records, or a few cells, loose on a release of people.

    The run is given their figures, and warnings that tell them, all of it private; and what the
    release shows to everybody. Of linked tables, whose cells are nobody's, only records are tried.

    Arguments:
        private: the table that was released, its values as they were before recoding.
        publication: what is published; who is made up is not looked at.
        run: is given figures and warnings.
        values: what was done to them before: others know the truth of exchanged, drawn, moved ones.
    """
    policy, subjects = private.policy, private.subjects
    warn_about_values(private, publication, run)
    if subjects.unit == "record" and values.linkable and policy.quasi_identifiers:
        _try_perturbed(private, publication, run, values.linkable)
    if subjects.unit != "person" or not policy.quasi_identifiers or not subjects.count:
        return
    run.tell("trying what others know")
    released = publication.without_made_up.tables
    untried = untried_in(policy)
    told = tuple(name for name in policy.sensitive if name not in untried)
    view = ReleaseView.read(released, replace(sought_by(policy), sensitive=told))
    names = view.sensitive
    beside = known_beside(policy, private.table)
    own = [*policy.quasi_identifiers, *policy.visit_identifiers]
    texts = private.table.text([str(policy.person), *own, *names, *beside])
    instead = {name: one for name, one in values.originals.items() if name in names}
    texts = texts.with_columns(one.alias(name) for name, one in instead.items())
    of = policy_of_originals(policy)
    known = value_metadata_of(of, private.table, texts, names, private.file)
    attacked = Attacked(replace(private, metadata=known, population=None), texts, tuple(beside))
    unknown = {name: why for name, why in untried.items() if name in names}
    context = context_of(view, attacked, seed=run.seed, untried=unknown)
    records = known_records.run(context, most=MOST_STEPS)
    if isinstance(records, Finding):
        run.singled_out[known_records.NAME] = records.to_dict()["figures"]
        tell = warn_about_known_records if view.link is None else warn_about_values_in_buckets
        run.warnings += tell(records.figures)
    run.warnings += [
        Kind.LIMIT(
            f"what attackers learn about '{name}' from some of a person's values was not tried: "
            f"{why}"
        )
        for name, why in known_records.too_many(context, names).items()
    ]
    if view.link is not None:
        run.warnings += warn_about_set_sizes(view)
    else:
        quasi, person = policy.quasi_identifiers, str(policy.person)
        run.warnings += warn_about_days_between(released, shifted_alike(policy), person, quasi)
        cells = unicity.run(context, draws=DRAWS, most=MOST_STEPS)
        if isinstance(cells, Finding):
            run.singled_out[unicity.NAME] = cells.to_dict()["figures"]


def _try_perturbed(
    private: PrivateTable, publication: Publication, run: Run, true: Mapping[str, pl.Series]
) -> None:
    """Let those loose on a release of records who know a true value that was perturbed."""
    run.tell("trying what others know")
    policy = without_untried(private.policy, untried_in(private.policy))
    sought = replace(sought_by(policy), sensitive=())
    view = ReleaseView.read(publication.without_made_up.tables, sought)
    quasi = private.table.text(policy.quasi_identifiers)
    texts = quasi.with_columns(one.alias(name) for name, one in true.items())
    own = replace(private, policy=policy, subjects=Subjects.of_records(quasi), population=None)
    found = distance_linkage.run(context_of(view, Attacked(own, texts), seed=run.seed))
    if isinstance(found, Finding):
        run.warnings += warn_about_perturbed({name: found.figures[name] for name in true})
