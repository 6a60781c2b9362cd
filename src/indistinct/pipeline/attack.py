"""The verb *attack*: what an adversary learns from a release, tried out against its own source."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from indistinct import plugins
from indistinct.analytics.attacks import (
    AttackContext,
    AttackReport,
    Finding,
    Places,
    Redrawn,
    Skipped,
    attackers,
    findings,
    is_attacker,
    refuse_unheeded,
)
from indistinct.analytics.release_view import ReleaseView
from indistinct.analytics.source_keys import warn_about_source_keys
from indistinct.analytics.weighted import Lists, MadeLists
from indistinct.document import in_quotes, many
from indistinct.errors import (
    DataError,
    HierarchyError,
    PolicyError,
    Problem,
    did_you_mean,
    refuse,
)
from indistinct.intake.asked import may_be_made_up, method_of
from indistinct.intake.attacked import READ_BY_OWN, Attacked, in_own_terms, unread
from indistinct.intake.attacked_visits import moved_visits, visits_of
from indistinct.intake.hierarchies import taxonomies_of
from indistinct.intake.kept_policy import kept_by, policy_of, refuse_swapped
from indistinct.intake.kept_values import kept_alike, kept_in_rows
from indistinct.intake.opening import PolicyLike, Progress, names_of, no_progress, open_source
from indistinct.intake.perturbed_values import perturbed_columns, perturbed_values
from indistinct.intake.population import population_of
from indistinct.intake.private_table import PrivateTable, subjects_in
from indistinct.intake.run import Run
from indistinct.intake.sought_releases import sought_by
from indistinct.intake.transform_facts import (
    changes_values,
    depends_on_others,
    known_beside,
    shows_others,
    taken_for_true,
    untried_in,
)
from indistinct.intake.transforming import followed
from indistinct.microdata.subjects import Subjects
from indistinct.pipeline.rerunning import tried_by
from indistinct.sources.engines import codes_of, held_as_codes
from indistinct.sources.memory import hand_back
from indistinct.types import Frame, Ints, Plain
from indistinct.warnings.beside_buckets import told_of_untried
from indistinct.warnings.group_values import class_numbers
from indistinct.warnings.households import warn_about_households
from indistinct.warnings.policy_facts import replaced_alike

if TYPE_CHECKING:
    from indistinct.policy import Policy

KNOWN = "{} known as well, as its own policy says"
"""The note on quasi-identifiers of a further release beside those of the first one."""

UNKNOWN = (
    "{} left out: its policy takes it for known, and the first one's does not; an attacker may know"
)
"""The note on quasi-identifiers of a further release of which nothing says what people have."""

SEEN = (
    "{} taken for known by its policy, but not looked for in the rows of the first release, which "
    "show it: whoever knows it finds more there"
)
"""The note on quasi-identifiers of a further release that the first one does not take for known."""


def attack(  # noqa: PLR0913, what its user may say
    data: Frame,
    release: Frame,
    policy: PolicyLike | None = None,
    *,
    only: Sequence[str] | str | None = None,
    seed: int | None = None,
    population: Frame = None,
    harmful: Mapping[str, Iterable[str | None]] | None = None,
    second: Frame | Sequence[Frame] = None,
    progress: Progress | None = None,
    path: str | Path | None = None,
) -> AttackReport:
    """Run every attacker against a release, and report what each learns about the people in it.

    They know the exact quasi-identifiers of people in the source, and read the release. The result
    is private: never publish it with the data. If the policy names the person (``source.person``),
    people are attacked, and the release is a long table with a pseudonym or two linked tables.

    Arguments:
        data: the private table, a frame (Polars, pandas, PyArrow, DuckDB, PySpark) or the path of a
            file. It is not changed.
        release: what was published: a :class:`Release`, a frame, a file's path or release's folder.
        policy: roles, hierarchies and promises of the release; or its keys, or its file. By default
            the one that the release keeps in ``private/``, whose hierarchies read it in any case.
        only: the names of the attackers to run; by default all.
        seed: for what attackers draw at random; by default the policy's, else 0.
        population: a table of the people among whom someone could be found, a frame or the path of
            a file; by default the policy's.
        harmful: most harmful values by sensitive attribute; by default its most sensitive category.
        second: another release about the same people, given like ``release``, or a list of them:
            what all tell together. Each is read by the quasi-identifiers and hierarchies of the
            policy that it keeps, if it keeps one, beside those of the first; a column that nothing
            can read is left out, with a note.
        progress: a function that gets the stage and the share done.
        path: the file that a frame was read from, for messages.

    Raises:
        DataError: the table, the release or one of its cells cannot be read; or the release has
            no quasi-identifier that can be compared with the table; or people have many records,
            and no column of the release tells the people apart.
        PolicyError: the policy does not fit the table, or an attacker or attribute is unknown; or
            the release is one of people with many records, and the policy does not name them.
        HierarchyError: a hierarchy does not cover the table's values, or is not a tree.
    """
    hand_back()
    if seed is not None and seed < 0:
        raise PolicyError("bad-setting", f"seed must be 0 or more, not {seed}")
    further = second if isinstance(second, list | tuple) else [second]
    releases = [part for part in (release, *further) if part is not None]
    refuse_swapped(data, releases)
    asked, told = policy_of(policy, releases)
    only = known_names(None if only is None else names_of(only), harmful, asked)
    given = {"population": population, "harmful": harmful, "second": releases[1:] or None}
    refuse_unheeded(only, given)
    tell = progress or no_progress
    tell("reading", None)
    context, notes = _given(
        (data, path),
        releases,
        asked,
        population,
        tell,
        seed=next(part for part in (seed, asked.method.seed, 0) if part is not None),
        harmful={name: frozenset(values) for name, values in (harmful or {}).items()},
        minimality="minimality" in (only or attackers()),
    )
    kept = [f"{_which(at, len(told))}{note}" for at, note in enumerate(told) if note]
    notes = [*kept, *notes]
    return replace(reported(context, only, notes, tell), thresholds=asked.risk.thresholds)


def _which(at: int, count: int) -> str:
    """What a note on one of several releases begins with."""
    return "" if at == 0 else "second release: " if count == 2 else f"release {at + 1}: "


def _given(
    table: tuple[Frame, str | Path | None],
    releases: Sequence[Frame],
    asked: Policy,
    population: Frame,
    tell: Progress,
    *,
    minimality: bool,
    **more: Any,
) -> tuple[AttackContext, list[str]]:
    """What attackers are given, and what the reader should know of it.

    Table and releases as they were read are let go when this is done.

    Arguments:
        table: the private table, and the file that it was read from.
        releases: what was published of it; the first one is attacked.
        asked: the policy.
        population: a table of the people among whom someone could be found.
        tell: is told what is being done.
        minimality: whether it is looked for what the program would have tried.
        more: further fields of the context.
    """
    data, path = table
    untried = untried_in(asked)
    policy = without_untried(asked, untried)
    kept = [None, *map(kept_by, releases[1:])]
    views = [_read(part, _wider(policy, own)) for part, own in zip(releases, kept, strict=True)]
    around = population_of(policy, population)
    attacked = _attacked(data, policy, views, around, tell, path)
    views[0] = views[0].spelt_as(attacked.texts)
    views[0], own_terms = in_own_terms(views[0], releases[0], attacked.private)
    refuse(DataError, attacked.unreadable(views[0]))
    read, unread_notes = [(views[0], attacked, kept_in_rows(policy))], list[str]()
    beside = {*views[0].table.columns} - {*policy.quasi_identifiers}
    for at, view in enumerate(views[1:], start=1):
        joined = tuple(
            name
            for name in kept_alike(policy, kept[at], view.said.quasi)
            if (rule := policy.attributes[name].transform) is None
            or not depends_on_others(rule)
            or _in_common(views[0], view, name)
        )
        view, by, unknown = _knowing(view, attacked, kept[at], (data, path), tell)
        view, by, told = _further(view.spelt_as(by.texts), by, kept[at])
        read.append((view, by, joined))
        views[at] = view
        if seen := [name for name in view.quasi if name in beside]:
            told.append(SEEN.format(in_quotes(seen)))
        unread_notes += [f"{_which(at, len(views))}{note}" for note in (*unknown, *told)]
    contexts = [
        context_of(
            view,
            by,
            joined,
            promises=policy.requirements,
            may_contain=_may_contain(view, policy),
            kept_by_people=view.said.kept_by_people if view.said.quasi else True,
            untried={name: why for name, why in untried.items() if name in asked.sensitive},
            **more,
        )
        for view, by, joined in read
    ]
    context = contexts[0]
    notes = [*own_terms, *_notes(views[0], attacked, context.places)]
    if minimality and not untried:
        tell("trying what the program would have tried", None)
        context = replace(context, tried=tried_by(context, attacked.private))
    notes += [
        f"'{name}' is not looked at: {why}"
        for name, why in untried.items()
        if name in asked.quasi_identifiers
    ]
    if moved := moved_visits(asked):
        notes.append(f"visits are not attacked: {', '.join(moved)} cannot be matched")
    notes += context.places.doubts("record" if context.one_record_each else "row")
    notes += told_of_untried(attacked.beside) if views[0].link is not None else []
    for at, view in enumerate(views[1:], start=1):
        told = _notes(view, read[at][1], contexts[at].places)
        notes += [f"{_which(at, len(views))}{note}" for note in told]
    notes += unread_notes
    chained = functools.reduce(
        lambda later, one: replace(one, second=later), reversed(contexts[1:]), None
    )
    return replace(context, second=chained), notes


def _wider(policy: Policy, kept: Policy | None) -> Policy:
    """The policy of the first release, with what the one of a further release takes for known."""
    known = {*policy.quasi_identifiers, *policy.sensitive, policy.person}
    own = () if kept is None else kept.quasi_identifiers
    more = {name: kept.attributes[name] for name in own if kept and name not in known}
    if not more:
        return policy
    wider = policy.model_copy(update={"attributes": {**policy.attributes, **more}})
    return without_untried(wider, untried_in(wider))


def _knowing(
    view: ReleaseView,
    attacked: Attacked,
    kept: Policy | None,
    table: tuple[Frame, str | Path | None],
    tell: Progress,
) -> tuple[ReleaseView, Attacked, list[str]]:
    """A further release and the people, with what its own policy takes for known beside the first.

    Arguments:
        view: the release.
        attacked: the people, as the policy of the first release has them.
        kept: the policy that the further release keeps.
        table: the private table, and the file that it was read from.
        tell: is told what is being done.

    Returns:
        Both, and a note on what nothing says of the people.

    Raises:
        DataError: no quasi-identifier is left.
    """
    policy, (data, path) = attacked.private.policy, table
    wider = _wider(policy, kept)
    if wider is not policy:
        try:
            by = _attacked(data, wider, [view], None, tell, path)
        except (DataError, HierarchyError, PolicyError) as error:
            rest = tuple(name for name in view.quasi if name in policy.quasi_identifiers)
            if not rest:
                raise DataError(error.problems) from error
            view = replace(view, sought=replace(view.sought, quasi=rest))
        else:
            more = [name for name in view.quasi if name not in policy.quasi_identifiers]
            return view, by, [KNOWN.format(in_quotes(more))] if more else []
    known = {*policy.sensitive, policy.person, *view.quasi}
    left = [name for name in view.said.quasi if name not in known]
    return view, attacked, [UNKNOWN.format(in_quotes(left))] if left else []


def _in_common(one: ReleaseView, other: ReleaseView, name: str) -> bool:
    """Whether releases show values in common that are made of many: of one table, probably."""
    if name not in {*one.table.columns} & {*other.table.columns}:
        return False
    shown = [{*view.table.texts([name])[name].drop_nulls().to_list()} for view in (one, other)]
    return 2 * len(shown[0] & shown[1]) >= min(map(len, shown))


def _further(
    view: ReleaseView, attacked: Attacked, kept: Policy | None
) -> tuple[ReleaseView, Attacked, list[str]]:
    """A further release without columns that cannot be read, who reads it, and notes on both.

    Arguments:
        view: the release.
        attacked: the people, with the hierarchies of the first release.
        kept: the policy that the further release keeps.

    Raises:
        DataError: no quasi-identifier of it can be read.
    """
    by = attacked if kept is None else attacked.reading(view, kept)
    problems = by.unreadable(view, of_others=True)
    left = [str(problem.attribute) for problem in problems]
    if len(left) == len(view.quasi):
        refuse(DataError, problems)
    rest = tuple(name for name in view.quasi if name not in left)
    first, own = attacked.private.taxonomies, by.private.taxonomies
    read = [name for name in rest if own[name] is not first[name]]
    notes = [READ_BY_OWN.format(in_quotes(read))] if read else []
    notes += [
        f"'{name}' is left out: nothing says what some of its cells stand for; an attacker may know"
        for name in left
    ]
    if not left:
        return view, by, notes
    return replace(view, sought=replace(view.sought, quasi=rest)), by, notes


def rows_that_fit(
    data: Frame, release: Frame, policy: Policy, path: str | Path | None = None
) -> tuple[Ints, Ints, int]:
    """How many rows of a release fit everybody of its source.

    Arguments:
        data: the private table.
        release: what was published of it.
        policy: roles and hierarchies.
        path: the file that a frame was read from.

    Returns:
        The first row of every person in the table, from 0, [n]; how many published rows fit the
        person's exact quasi-identifiers, [n]; and how many rows there are.

    Raises:
        As :func:`attack`.
    """
    people, places = places_in(data, release, policy, path)
    first = people.first_rows() if people.unit == "person" else np.arange(people.count)
    return first, places.rows_of.astype(np.int64), places.records


def places_in(
    data: Frame, release: Frame, policy: Policy, path: str | Path | None = None
) -> tuple[Subjects, Places]:
    """The people of a table, and who of them could stand in which row of its release.

    Arguments:
        data: the private table.
        release: what was published of it.
        policy: roles and hierarchies.
        path: the file that a frame was read from.

    Raises:
        As :func:`attack`: the cells of all quasi-identifiers can be read.
    """
    policy = without_untried(policy, untried_in(policy))
    view = _read(release, policy)
    attacked = _attacked(data, policy, [view], None, no_progress, path)
    view, _ = in_own_terms(view.spelt_as(attacked.texts), release, attacked.private)
    refuse(DataError, attacked.unreadable(view))
    return attacked.private.subjects, attacked.places(view)


def _attacked(
    data: Frame,
    policy: Policy,
    views: Sequence[ReleaseView],
    around: pl.DataFrame | None,
    tell: Progress,
    path: str | Path | None,
) -> Attacked:
    """The people of the source, as far as releases speak of them.

    Arguments:
        data: the private table.
        policy: says what its columns are.
        views: the releases.
        around: the population, where there is one: hierarchies are read over its values as well,
            where published cells are understood no worse so.
        tell: is told what is being done.
        path: the file that a frame was read from.
    """
    person = policy.person
    held = person is not None or changes_values(policy)
    learnt = tuple(dict.fromkeys(name for view in views for name in view.sensitive))
    ranks = (policy.attributes[name].ranks for name in learnt)
    outcomes = [given.dependent for given in ranks if given is not None and given.dependent]
    shown = [name for name in policy.attributes if views[0].table.find(name) is not None]
    shown += views[0].table.columns  # those that the policy's rest keeps
    needed = {*policy.quasi_identifiers, *learnt, *outcomes, *shown, *policy.visit_identifiers}
    table, digest = open_source(data, policy, path, held=held, scanned=None if held else needed)
    file = None if digest is None else table.name
    beside = [name for name in known_beside(policy, table) if views[0].table.find(name) is not None]
    visit = policy.visit_identifiers
    followed_names = (*policy.quasi_identifiers, *policy.sensitive, *beside, *visit)
    table = followed(table, policy, followed_names)
    keys = () if person is None else (person,)
    names = [*keys, *policy.quasi_identifiers, *learnt, *beside, *visit]
    names += [name for name in perturbed_columns(policy, views[0]) if name not in names]
    if person is None:
        table = held_as_codes(table, [*names, *outcomes])
    texts = table.text(names) if person is not None else codes_of(table, names)
    tell("looking at the hierarchies", None)
    private = PrivateTable.of(
        table,
        Run(policy, 0),
        sensitive=learnt,
        file=file,
        promises=(),
        subjects=subjects_in(texts, policy, file, learnt),
    )
    if around is not None:
        own, first = private.subjects.texts, views[0]
        wider = taxonomies_of(table, policy, own, None, file, around)
        worse = unread(first.rows, wider, first.quasi)
        if worse <= unread(first.rows, private.taxonomies, first.quasi):
            private = replace(private, taxonomies=wider)
    return Attacked(replace(private, population=around), texts, tuple(beside))


def context_of(
    view: ReleaseView, attacked: Attacked, kept: Sequence[str] | None = None, **more: Any
) -> AttackContext:
    """What attackers of a release are given.

    Arguments:
        view: the release.
        attacked: the people.
        kept: the columns that join its rows with those of the first release, where it is another.
        more: further fields.
    """
    places = attacked.places(view)
    private, policy = attacked.private, attacked.private.policy
    people, known = private.subjects, {name: private.metadata[name] for name in view.sensitive}
    others = {name for name in policy.attributes if shows_others(policy, name)}
    kept = kept_in_rows(policy) if kept is None else kept
    every, of = view.cells_of_people(others.difference(kept))
    cells = MadeLists([name for name in every if name not in others], every.__getitem__)
    joining: Mapping[str, Lists] = MadeLists([n for n in kept if n in every], every.__getitem__)
    if view.person in kept and view.pseudonyms is not None:
        whose = np.full(int(of.max(initial=-1)) + 1, None, dtype=object)
        whose[of] = view.pseudonyms
        keys = Lists.single(pl.Series(whose.tolist(), dtype=pl.String))
        joining = {**joining, str(view.person): keys}
    more |= {
        "cells": cells,
        "unknowable": [name for name in view.table.columns if name in others],
        "joining": joining,
        "codes": {name for name, item in policy.attributes.items() if item.type == "category"},
        "cells_of": of,
        "beside": attacked.values([name for name in attacked.beside if name in cells]),
        "perturbed": perturbed_values(view, attacked),
        "redrawn": {
            name: Redrawn(rule.pram.keep, tuple(rule.pram.within))
            for name in policy.sensitive
            if (rule := policy.attributes[name].transform) is not None and rule.pram is not None
        },
    }
    if visits := visits_of(view, attacked):
        more["visits"] = visits
    if people.unit == "record":
        shown = {
            name: Lists.single(part)
            for name in view.sensitive
            for part in view.cells([name]).get_columns()
        }
        own = attacked.values(view.sensitive)
        return AttackContext.of_lists(places, own, shown, known=known, **more)
    return AttackContext(
        places=places,
        sensitive=view.sensitive,
        values=attacked.values(view.sensitive),
        bucket_of=view.bucket_of,
        buckets=view.lists,
        bucket_semantics=view.semantics(method_of(policy).holding),
        bucket_size=view.bucket_size,
        known=known,
        pseudonyms=view.pseudonyms,
        records_of=np.bincount(people.person_of[people.person_of >= 0], minlength=people.count),
        **more,
    )


def _read(release: Frame, policy: Policy) -> ReleaseView:
    """A release, whose rows are people where the policy says whose each record is.

    Raises:
        DataError: it cannot be read, has no quasi-identifier, or nothing tells its people apart.
        PolicyError: it is of people, and the policy does not name them.
    """
    view = ReleaseView.read(release, sought_by(policy), as_codes=True)
    if policy.person is None and (view.person is not None or view.link is not None):
        what = (
            "is of two linked tables, for people with many records"
            if view.person is None
            else f"is of people with many records, whom the column '{view.person}' identifies"
        )
        raise PolicyError(
            "release-of-people",
            f"the release {what}, but the policy does not name the person column: rows would "
            "count as people",
            remedy='name the column: [source] person = "patient_id", say',
        )
    return view


def _may_contain(view: ReleaseView, policy: Policy) -> tuple[str, ...]:
    """What a release may contain: as it says, and as the policy's own method adds."""
    linked = method_of(policy).linked
    added = may_be_made_up(policy) if linked == (view.link is not None) else []
    return tuple(dict.fromkeys([*view.said.may_contain, *added]))


def _notes(view: ReleaseView, attacked: Attacked, places: Places) -> list[str]:
    """What a reader of findings should know of a release."""
    notes = list(view.published.notes)
    if not view.intact:
        notes.append("the release is not the one that its certificate describes")
    if view.lacking:
        left, near = in_quotes(view.lacking), "".join(map(view.nearly_called, view.lacking))
        notes.append(f"the release has no column {left}: nothing is learnt from it{near}")
    policy = attacked.private.policy
    notes += taken_for_true(policy, [*view.quasi, *policy.sensitive])
    if view.person is not None and attacked.private.policy.person is not None:
        if view.nobody.any():
            number = int(view.nobody.sum())
            notes.append(f"{many(number, 'row of the release names')} no person: not looked at")
        if view.torn:
            notes.append(view.told_torn)
        keys = attacked.texts[attacked.private.policy.person]
        own = dict(zip(keys.to_list(), attacked.private.subjects.person_of.tolist(), strict=True))
        notes += warn_about_source_keys(own, view.pseudonyms or (), places)
    linking = [name for name in replaced_alike(attacked.private.policy) if name != view.person]
    linking = [name for name in linking if view.link is None and view.table.find(name) is not None]
    if linking:
        whose = () if view.person is None else (view.person,)
        rows = view.table.texts([*view.quasi, *whose, *linking])
        numbers = class_numbers(rows, view.quasi)
        assert numbers is not None
        found = warn_about_households(rows, linking, numbers.class_of, view.person)
        notes += [f"no attacker uses what belongs together: {text}" for text in found]
    if view.link is not None:
        size = view.bucket_size
        empty = sum(int((part.size == 0)[size > 0].sum()) for part in view.lists.values())
        if empty:
            notes.append(f"{many(empty, 'bucket of the quasi table lists')} no value")
    return notes


def reported(
    context: AttackContext, only: Sequence[str] | None, notes: Sequence[str], tell: Progress
) -> AttackReport:
    """What attackers find.

    Arguments:
        context: what they are given.
        only: the names of those that are run; None for all.
        notes: what else the reader should know.
        tell: is told what is being done.
    """
    chosen = [name for name in attackers() if only is None or name in only]
    results = [*findings(context, chosen, lambda name, share: tell(f"attacking: {name}", share))]
    return AttackReport(
        tuple(one for one in results if isinstance(one, Finding)),
        tuple(dict.fromkeys(one for one in results if isinstance(one, Skipped))),
        context.records,
        tuple(notes),
        unit="record" if context.one_record_each else "person",
        quasi=context.quasi,
    )


def without_untried(policy: Policy, untried: Mapping[str, str]) -> Policy:
    """The policy without what cannot be followed, for a look at values as they are published.

    Values of a population that a hierarchy of transformed ones does not cover count as suppressed.

    Raises:
        DataError: no quasi-identifier is left.
    """
    changed: Plain = {}
    for name, item in policy.attributes.items():
        if name in untried:
            changed[name] = item.model_copy(update={"role": "insensitive"})
        elif item.transform is not None:
            changed[name] = item.model_copy(update={"uncovered": "suppress"})
    found = policy.model_copy(update={"attributes": {**policy.attributes, **changed}})
    if policy.quasi_identifiers and not found.quasi_identifiers:
        raise DataError(
            "nothing-to-follow",
            "no attacker can be tried: of every quasi-identifier the published values are "
            "made up, or moved at random",
            attribute=policy.quasi_identifiers[0],
            remedy="measure how near they are to those of the source, or attack a release "
            "with quasi-identifiers that are generalized",
        )
    return found


def known_names(
    only: Sequence[str] | None, harmful: Mapping[str, Iterable[str | None]] | None, policy: Policy
) -> list[str] | None:
    """The attackers that are asked for, by the names they are told under.

    Arguments:
        only: names as they were given; None for all attackers.
        harmful: sensitive attributes.
        policy: names the attributes.

    Raises:
        PolicyError: names of attackers or attributes that there are not.
    """
    known = {
        name: own
        for own, module in attackers().items()
        for name in (own, *getattr(module, "ALIASES", ()))
    }
    for name in only or ():
        if name not in known:
            plugins.find("attackers", name, is_attacker)
    problems = [
        Problem("unknown-attacker", f"no attacker '{name}': {did_you_mean(name, list(known))}")
        for name in only or ()
        if name not in known
    ]
    problems += [
        Problem(
            "unknown-attribute",
            f"no sensitive attribute '{name}': {did_you_mean(name, policy.sensitive)}",
        )
        for name in harmful or ()
        if name not in policy.sensitive
    ]
    refuse(PolicyError, problems)
    return None if only is None else [known[name] for name in only]
