"""What a class or bucket tells of values, and what these tell beside it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import polars as pl

from indistinct.analytics.profile.columns import nearly_unique
from indistinct.intake.asked import may_be_made_up
from indistinct.intake.transform_facts import is_moved, known_beside, shows_others
from indistinct.release.certificate import made_up_among
from indistinct.sources.convert import to_polars
from indistinct.sources.engines import open_table
from indistinct.warnings import group_values
from indistinct.warnings.background_warnings import (
    FEW_SINGLED_OUT,
    not_beside,
    warn_about_alike,
    warn_about_only_known,
    warn_about_single_values,
    warn_about_uncounted,
)
from indistinct.warnings.group_values import (
    NO_TWO,
    OF_SOME,
    GroupValues,
    alone_with_two,
    certain_beside,
    class_numbers,
    numbers_of_some,
    of_buckets,
    of_classes,
    told_beside,
    told_of_known_values,
    told_where_alike,
    told_where_harmed,
    told_where_made_up,
)
from indistinct.warnings.households import warn_about_households
from indistinct.warnings.near_values import told_of_shared_items, warn_about_near_values
from indistinct.warnings.policy_facts import (
    bounds_on_values,
    masked_identifiers,
    partly_promised,
    replaced_alike,
    told_apart_by_distance,
    unpromised,
)

if TYPE_CHECKING:
    from indistinct.intake.private_table import PrivateTable
    from indistinct.intake.run import Run
    from indistinct.policy import Policy
    from indistinct.release.publication import Publication
    from indistinct.warning_kinds import WarningText


def warn_about_values(private: PrivateTable, publication: Publication, run: Run) -> None:
    """What a class or bucket tells: by itself, to who knows others' values, or more of somebody.

    Readers are told of who knows others' values, which the release shows. Of values that stand
    beside quasi-identifiers, :mod:`known_records` looks at people with many records. Columns that
    are nearly unique are warned of elsewhere.

    Arguments:
        private: the table that was released.
        publication: what is published.
        run: is given what the custodian should know, and what readers should.
    """
    policy, link = private.policy, publication.link
    bare = unpromised(policy)
    about = [name for name in policy.sensitive if name not in bare]
    about = [name for name in about if not shows_others(policy, name)]
    unknown = {name: item.missing.tokens for name, item in policy.attributes.items()}
    if link is not None:
        sought = {name: unknown[name] for name in about if link["holding"] != "all"}
        buckets = list(of_buckets(publication.without_made_up.tables, link, sought))
        seen, group = [(buckets, "people")], "bucket"
    elif policy.quasi_identifiers:
        seen, group = _warnings_of_classes(private, publication, run, about, unknown), "class"
    else:
        return
    measured, partly = told_apart_by_distance(policy), partly_promised(policy)
    told: list[WarningText] = []
    moved = {name: unknown[name] for name in policy.sensitive if is_moved(policy, name)}
    if link is None and moved.keys() - bare:
        rows = to_polars(publication.without_made_up.tables)
        person = policy.person if private.subjects.unit == "person" else None
        values = of_classes(rows, policy.quasi_identifiers, person, moved)
        near = [one for one in values if one.name not in bare]
        unit = "people" if person else "records"
        run.warnings += warn_about_near_values(near, measured, {}, {}, group, unit)
    for found, unit in seen:
        promised = [one for one in found if one.name in about]
        run.warnings += warn_about_only_known(found, group, unit)
        run.warnings += warn_about_near_values(
            promised, measured, private.metadata, bounds_on_values(policy), group, unit
        )
        if link is None:
            whole = [_applicable(one, policy) for one in promised if one.name not in partly]
            told += told_where_alike(whole, unit)
            told += told_where_harmed(promised, policy.privacy_models, unit)
        told += told_of_known_values(promised, group, unit)
    if link is not None and link["holding"] == "all":
        known = {name: private.metadata[name] for name in about}
        tables = publication.without_made_up.tables
        told += told_of_shared_items(tables, link, known, policy.quasi_identifiers)
    if made_up_among(may_be_made_up(policy)):
        run.warnings += told
        told = told_where_made_up(about, group)
    run.told += told


def _warnings_of_classes(
    private: PrivateTable,
    publication: Publication,
    run: Run,
    about: Sequence[str],
    unknown: Mapping[str, Collection[str]],
) -> list[tuple[list[GroupValues], str]]:
    """The values of classes, and of whom shares of them are: of everybody, or of some classes.

    Arguments:
        private: the table that was released.
        publication: what is published.
        run: is given warnings of what values tell beside a class.
        about: the sensitive attributes that promises are about.
        unknown: the texts that stand for no value, by attribute.
    """
    policy, table = private.policy, private.table
    released, quasi = publication.without_made_up.tables, policy.quasi_identifiers
    person = policy.person if private.subjects.unit == "person" else None
    unit = "people" if person else "records"
    if private.table.held:  # as people are, and values that were changed: its release fits, too
        released = to_polars(released)
    masked = masked_identifiers(policy)
    names = [*policy.sensitive, *([] if person else known_beside(policy, table))]
    names = [one for one in names if table.kinds[one] != "other"]
    names = [one for one in names if not shows_others(policy, one)]
    unique = nearly_unique(table, names)
    unique += nearly_unique(open_table(released, allow_empty=True), masked)
    names += masked
    sought = {name: unknown[name] for name in names if name not in unique or name in about}
    numbers = class_numbers(released, quasi, publication.without_made_up.alike)
    counted = list(of_classes(released, quasi, person, sought, numbers))
    some, every = (numbers, True) if numbers else numbers_of_some(released, quasi, sought)
    exact = {one.name for one in counted}
    missed = {name: unknown[name] for name in sought if name not in exact}
    of_some = [] if some is None else list(of_classes(some.rows, quasi, person, missed, some))
    run.warnings += warn_about_uncounted(sorted({*missed} - {one.name for one in of_some}))
    free = {*unpromised(policy), *partly_promised(policy)}
    seen = [(counted, unit), (of_some, f"{unit}{OF_SOME * (not every)}")]
    for found, who in seen:
        run.warnings += warn_about_alike([one for one in found if one.name in free], who)
    looked = [one for one in [*counted, *of_some] if one.name in masked or not person]
    few = [one for one in looked if one.name not in unique]
    single = {one.name: one.alone for one in few if one.alone >= FEW_SINGLED_OUT}
    pair = NO_TWO if person or some is None else alone_with_two(few, some)
    two = NO_TWO if pair[0] < FEW_SINGLED_OUT else pair
    estimated = not every and bool(two[0] or {*single} - exact)
    run.warnings += warn_about_single_values(single, two, f"{unit}{OF_SOME * estimated}")
    if numbers is not None:
        linking = [name for name in replaced_alike(policy) if name != person]
        run.warnings += warn_about_households(numbers.rows, linking, numbers.class_of, person)
    learnt = [] if person else [name for name in policy.sensitive if name in sought]
    if some is None:
        run.warnings += [not_beside()] * (len(sought) > 1 and bool(learnt))
    else:
        beside = certain_beside(some, quasi, learnt, sought)
        steps = (len(sought) - 1) * len(learnt) * some.rows.height
        part = OF_SOME * (not every or steps > group_values.MOST_STEPS)
        run.warnings += told_beside(beside, [*counted, *of_some], part, FEW_SINGLED_OUT)
    return seen


def _applicable(found: GroupValues, policy: Policy) -> GroupValues:
    """The same without values that mean that there is nothing to know."""
    parts = [part for part in policy.privacy_models if part.sensitive == found.name]
    without = {value for part in parts for value in getattr(part, "not_applicable", ())}
    texts = pl.col(found.name).cast(pl.String, strict=False)
    return replace(found, rows=found.rows.filter(~texts.is_in(list(without))))
