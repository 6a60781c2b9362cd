"""What is left of a long release to somebody who knows a few of a person's records or cells."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from indistinct.analytics.attacks import Finding, known_records, unicity
from indistinct.analytics.release_view import ReleaseView
from indistinct.document import share
from indistinct.pipeline.attack import Attacked, context_of, known_beside
from indistinct.pipeline.sought_releases import sought_by
from indistinct.pipeline.transforming import untried_in
from indistinct.pipeline.value_metadata import value_metadata_of
from indistinct.types import Frame, PlainMapping

if TYPE_CHECKING:
    from indistinct.pipeline.private_table import PrivateTable
    from indistinct.pipeline.run import Run

MOST_STEPS = 200_000_000
"""Steps that each of the two attackers takes at most; then it looks at some people only."""

DRAWS = 2_500
"""Sets of published cells that are drawn."""


def with_background_knowledge(private: PrivateTable, released: Frame, run: Run) -> None:
    """Let those who know a few records, or a few cells, loose on a long release.

    The run is given their figures, and a warning that tells them. All of it is private.

    Arguments:
        private: the table that was released, its values as they were before recoding.
        released: the release.
        run: is given the figures and the warning.
    """
    policy, subjects = private.policy, private.subjects
    if subjects.unit != "person" or not policy.quasi_identifiers or not subjects.count:
        return
    run.tell("trying what others know")
    untried = untried_in(policy)
    names = tuple(name for name in policy.sensitive if name not in untried)
    beside = known_beside(policy, private.table)
    own = [*policy.quasi_identifiers, *policy.visit_identifiers]
    texts = private.table.text([str(policy.person), *own, *names, *beside])
    known = value_metadata_of(policy, private.table, texts, names, private.file)
    attacked = Attacked(replace(private, metadata=known, population=None), texts, tuple(beside))
    view = ReleaseView.read(released, replace(sought_by(policy), sensitive=names))
    context = context_of(view, attacked, seed=run.seed)
    records = known_records.run(context, most=MOST_STEPS)
    cells = unicity.run(context, draws=DRAWS, most=MOST_STEPS)
    for module, found in ((known_records, records), (unicity, cells)):
        if isinstance(found, Finding):
            run.singled_out[module.NAME] = found.to_dict()["figures"]
    if isinstance(records, Finding):
        run.warnings += _warnings(records.figures)


def _warnings(figures: PlainMapping) -> list[str]:
    """That a promise about classes does not speak of somebody who knows more."""
    one, two, counted = figures["1"], figures["2"], figures.get("records", {})
    found = []
    if counted.get("singled_out"):
        found.append(
            "quasi-identifiers and the number of somebody's records single out "
            f"{share(counted['singled_out'])} of people: no promise bounds that; linked tables do "
            "not show it"
        )
    if not (one["certain"] or two["singled_out"]):
        return found
    error = f" (give or take {share(figures['error'])})" if "error" in figures else ""
    return [
        *found,
        f"quasi-identifiers and one value single out {share(one['singled_out'])} of people at "
        f"worst ({share(one['average'])} on average), two values {share(two['singled_out'])}; "
        f"another value is then certain for {share(one['certain'])}{error}: known-records, or "
        "linked tables, protect against it",
    ]
