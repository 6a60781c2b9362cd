"""The verb *audit*: from published tables alone to a verdict."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, TypeAlias

import polars as pl

from indistinct.analytics.risk.population import covers
from indistinct.document import in_quotes
from indistinct.errors import PolicyError
from indistinct.frozen import dataclass
from indistinct.intake.hierarchies import taxonomies_of
from indistinct.intake.opening import PolicyLike, as_policy, names_of
from indistinct.intake.population import population_of
from indistinct.intake.value_metadata import (
    knowledge_of_categories,
    knowledge_of_labels,
    value_metadata_of,
)
from indistinct.metadata import ValueMetadata
from indistinct.pipeline.release import Release
from indistinct.privacy.promise import Promise, known_promise, models
from indistinct.release.audit import Audit
from indistinct.release.audit import audit as audit_release
from indistinct.release.audit.linking import link_between, listed_values
from indistinct.release.audit.reading import Claims, Published, read_release, refuse_idle_source
from indistinct.release.audit.series import OneOf, SeriesAudit, is_over_releases, verdict_over
from indistinct.requirement import Requirement
from indistinct.sources.engines import open_table
from indistinct.sources.writing import unguarded
from indistinct.types import Frame, Plain, PlainMapping

if TYPE_CHECKING:
    from indistinct.policy import Attribute, Policy


Asked: TypeAlias = Requirement | PlainMapping
"""A promise as it is asked for."""


@dataclass(frozen=True)
class _Asked:
    """What is asked of one release beside a policy: as :func:`audit` has it."""

    promises: Sequence[Asked | Promise] | None
    quasi: Sequence[str] | None
    source: PlainMapping | None
    person: str | None
    linked: Mapping[str, str] | None


def audit(  # noqa: PLR0913, what its user may say
    tables: Frame,
    policy: PolicyLike | None = None,
    *,
    promises: Sequence[Asked | Promise] | None = None,
    quasi: Sequence[str] | None = None,
    source: PlainMapping | None = None,
    person: str | None = None,
    linked: Mapping[str, str] | None = None,
    constant: Sequence[str] | str = (),
    follow: str | None = None,
) -> Any:
    """Check from published tables alone whether they keep their promises.

    Arguments:
        tables: a frame, the path of a file or of a release's folder, several by name, or a
            :class:`Release`, whose certificate says what was promised. A list of these: releases
            of one series, in the order of publication, held together against what was promised
            over releases.
        policy: the promises and their quasi-identifiers.
        promises: the promises, without a policy: ``KAnonymity(k=5)``, requirements, or tables of
            their keys.
        quasi: the quasi-identifiers, without a policy.
        source: how files are read, ``{"separator": ";"}``.
        person: the column that tells people apart, if they have many records and there is no
            policy. Promises then count people, unless they say otherwise.
        linked: how two tables belong together, without a certificate: the names of the tables
            ``quasi`` and ``sensitive``, the column ``by``, and ``holding``: everyone of a bucket
            has ``one`` of its rows, ``some`` of its values, or ``all``.
        constant: of a list: quasi-identifiers that people keep from release to release, and whose
            labels contain each other only as ranges, masks or sets. By default, two people of two
            releases cannot be told apart.
        follow: of a list: a column that names everybody by the same name in every release.

    Returns:
        An :class:`Audit`; of a list a :class:`SeriesAudit`.

    Raises:
        DataError: the release cannot be read, or lacks a column.
        PolicyError: nothing says what was promised; or a list has fewer than two releases.
    """
    asked = _Asked(promises, quasi, source, person, linked)
    series = isinstance(tables, list | tuple)
    for one in tables if series else [tables]:
        refuse_idle_source(one, source)
    if series:
        return _audit_series(tables, policy, names_of(constant), follow, asked)
    if constant or follow is not None:
        message = "one release is audited: nothing is constant or followed over several"
        remedy = "give several releases, or leave that out"
        raise PolicyError("no-series", message, remedy=remedy)
    return _audit_one(tables, policy, asked)


def _audit_series(
    series: Sequence[Frame],
    policy: PolicyLike | None,
    constant: Sequence[str],
    follow: str | None,
    asked: _Asked,
) -> SeriesAudit:
    """Several releases by themselves, and together."""
    if len(series) < 2:
        remedy = "name two releases or more, in the order of publication"
        raise PolicyError("no-series", "a series has two releases or more", remedy=remedy)
    policy = None if policy is None else as_policy(policy)
    alone = tuple(_audit_one(one, policy, asked) for one in series)
    parts = []
    for one, found in zip(series, alone, strict=True):
        made = isinstance(one, Release)
        published = read_release(one.tables if made else one, asked.source)
        claims = published.claims
        told = one.certificate if made else claims
        link = asked.linked or (None if told is None else told.linked)
        many = link is None and found.people is not None
        many = many or (link is not None and link.get("holding", "one") != "one")
        said = {} if told is None else told.transformed
        known = one.certificate.sensitive if made else claims.known if claims else {}
        parts.append(OneOf(published, found.quasi, link, many, said, known))
    promised = dict.fromkeys(
        replace(item.requirement, on=None)
        for found in alone
        for item in found.promises
        if is_over_releases(item.requirement)
    )
    verdicts = [verdict_over(part, parts, constant, follow) for part in promised]
    notes = _rests_on(promised, constant, follow)
    audit = SeriesAudit(alone, tuple(verdicts), (*notes, *_out_of_order(parts)))
    if promised and audit.alone:
        listed = ", ".join(map(str, audit.alone))
        audit = replace(audit, notes=(f"not looked at over releases: {listed}", *audit.notes))
    return audit


def _out_of_order(parts: Sequence[OneOf]) -> Iterator[str]:
    """What the certificates say against the order in which releases are given."""
    claims = [one.published.claims for one in parts]
    for (at, one), (later, other) in combinations(enumerate(claims, start=1), 2):
        if one is None or other is None:
            continue
        if one.tables and one.tables == other.tables:
            yield f"releases {at} and {later} are the same files"
        elif later == at + 1 and "" < other.created < one.created:
            yield (
                f"release {later} was made before release {at}, as their certificates say: in "
                "another order of publication, a promise over releases may not hold"
            )


def _rests_on(
    promised: Mapping[Requirement, None], constant: Sequence[str], follow: str | None
) -> tuple[str, ...]:
    """What the verdicts on a series take for granted."""
    if not promised:
        return (
            "nothing was promised over releases: each holds or breaks by itself, and what all "
            "tell together was not looked at",
        )
    names = ", ".join(dict.fromkeys(f"'{one.sensitive}'" for one in promised))
    labels = f"taken for granted: a label of {names} stands for the same values in every release"
    if follow is not None:
        who = f"people were followed by '{follow}', taken to name them alike in every release"
    elif constant:
        listed = in_quotes(constant)
        who = (
            f"taken for granted: nobody's {listed} changes from release to release, and of words "
            "and codes of it that differ none stands for the other"
        )
    else:
        who = (
            "everybody of a release was taken to be anybody of another one: name the "
            "quasi-identifiers that people keep (--constant), or a column that names them "
            "(--follow)"
        )
    return who, labels


def _audit_one(tables: Frame, policy: PolicyLike | None, asked: _Asked) -> Audit:
    """One release by itself."""
    promises, quasi, person = asked.promises, asked.quasi, asked.person
    given: Plain = {"source": asked.source}
    given |= {} if asked.linked is None else {"linked": asked.linked}
    if isinstance(tables, Release):
        told = tables.certificate
        given["linked"] = asked.linked or told.linked
        person = person or told.person
        if policy is None:
            promises = promises or told.promises
            quasi = quasi or told.quasi_identifiers
            given["known"] = told.sensitive
        tables = tables.tables
    if policy is not None:
        policy = as_policy(policy)
        promises = promises or policy.requirements
        quasi = quasi or policy.quasi_identifiers
        person = person or policy.person
    wanted = [part.spec if isinstance(part, Promise) else part for part in promises or ()]
    wanted = [_of_people(part, person) for part in wanted]
    if policy is not None:
        if any(_is_open(part) for part in wanted):
            claims = read_release(tables, asked.source).claims
            wanted = [_as_chosen(part, claims) for part in wanted]
        given |= _beside(tables, policy, asked.source)
    return audit_release(tables, wanted, quasi or (), person=person, **given)


def _labels_of(
    policy: Policy, published: Published, names: Sequence[str]
) -> dict[str, Sequence[str | None]]:
    """What is published of these attributes where it may be more than values of the table.

    Linked tables list categories, sets and nodes, and items that k^m-anonymity generalizes are
    nodes as well. Nothing of other attributes.
    """
    link = link_between(published) if published.claims is None else published.claims.linked
    tables = {part.name: part for part in published.tables}
    if link is not None and link["sensitive"] in tables:
        table = tables[link["sensitive"]]
        frames = {name: listed_values(table, name, link["by"]) for name in names}
    else:
        known = models()
        items = {
            name
            for part in policy.promises
            if known[part.model].subject == "items"
            for name in part.columns
        }
        frames = {
            name: table.texts([name])
            for table in published.tables
            for name in names
            if name in items and table.find(name) is not None
        }
    return {name: frame[name].unique().to_list() for name, frame in frames.items()}


def _of_people(part: Asked, person: str | None) -> Asked:
    """The promise, counting people where their column is named and it does not say otherwise."""
    if person is None or (isinstance(part, Mapping) and "unit" in part):
        return part
    asked = part if isinstance(part, Requirement) else Requirement.from_dict(part)
    return replace(asked, unit="person")


def _unguarded(
    texts: pl.DataFrame, policy: Policy
) -> tuple[pl.DataFrame, dict[str, dict[str | None, str | None]]]:
    """Published values as they were before spreadsheets were guarded against; and as they are.

    The policy speaks of the former, the release has the latter: for each column those that differ,
    by what they were.
    """
    guarded: dict[str, dict[str | None, str | None]] = {name: {} for name in texts.columns}
    if not (policy.output.spreadsheet_safe and policy.output.format == "csv"):
        return texts, guarded
    for name in texts.columns:
        bare = unguarded(texts[name])
        guarded[name] = {plain: written for written, plain in bare.items()}
        texts = texts.with_columns(texts[name].replace(bare))
    return texts, guarded


def _is_open(part: Asked) -> bool:
    """Whether a promise leaves a k to be chosen from the table."""
    one = known_promise(part) if isinstance(part, Requirement) else None
    return one is not None and one.is_open


def _as_chosen(part: Asked, claims: Claims | None) -> Asked:
    """The promise with the k that was chosen, which the release's certificate alone tells."""
    if not isinstance(part, Requirement) or not _is_open(part) or claims is None:
        return part
    for told in claims.promises:
        if (told.model, told.sensitive) == (part.model, part.sensitive) and not _is_open(told):
            return replace(part, parameters=told.parameters)
    return part


def _as_needed(policy: Policy) -> Policy:
    """The policy without what an audit need not know, and a release may not show.

    Ranks that follow from outcomes: a release does not have all of these. Hierarchies of sensitive
    values where no promise asks how near two values are: what is published may be their nodes.
    """
    near = {part.sensitive for part in policy.requirements if "distance" in part.parameters}
    attributes = {}
    for name, item in policy.attributes.items():
        changed: Plain = {}
        if item.ranks is not None and not _tells_ranks(item):
            changed["ranks"] = None
        if item.role == "sensitive" and name not in near:
            changed["hierarchy"] = None
        attributes[name] = item.model_copy(update=changed) if changed else item
    return policy.model_copy(update={"attributes": attributes})


def _tells_ranks(item: Attribute) -> bool:
    """Whether the policy tells ranks by itself, without the table that a release was made of."""
    return item.ranks is not None and item.ranks.dependent is None


def _beside(tables: Frame, policy: Policy, source: PlainMapping | None) -> Plain:
    """What the policy says beside the promises: of sensitive values, and of a population.

    The distribution in the original table comes from the certificate, which alone has it; so do
    ranks that follow from outcomes in that table.
    """
    told = [
        name
        for name in dict.fromkeys(part.sensitive for part in policy.requirements)
        if name is not None
        and (
            policy.attributes[name].categories is not None
            or policy.attributes[name].hierarchy is not None
            or _tells_ranks(policy.attributes[name])
        )
    ]
    compares = [item.sensitive for item in policy.promises if item.reference == "original"]
    if not told and not compares and policy.risk.population is None:
        return {}
    published = read_release(tables, source)
    found: Plain = {}
    alone = _as_needed(policy)
    claimed = {} if published.claims is None else dict(published.claims.known)
    known: dict[str, ValueMetadata] = {}
    for name, labels in _labels_of(policy, published, told).items():
        if (own := knowledge_of_labels(policy, name, labels)) is not None:
            known[name] = own
    for table in published.tables:
        here = [name for name in told if table.find(name) is not None and name not in known]
        if here:
            texts, guarded = _unguarded(table.texts(here), policy)
            for name in here:
                own = knowledge_of_categories(policy, name, texts[name].unique().to_list())
                if own.categories and set(texts[name].unique().to_list()) <= set(own.categories):
                    known[name] = own.relabelled(guarded[name])
            here = [name for name in here if name not in known]
            held = open_table(texts, table.name, allow_empty=True)
            own_of = value_metadata_of(alone, held, texts, here, table.name)
            known |= {name: about.relabelled(guarded[name]) for name, about in own_of.items()}
    for name, about in claimed.items():
        own = known.get(name, about)
        known[name] = replace(own, reference=about.reference, ranks=own.ranks or about.ranks)
    found["known"] = known
    counted = any(part.needs_population for part in policy.privacy_models)
    people = population_of(policy) if counted else None
    if people is not None:
        held = open_table(people, "the population")
        taxonomies = taxonomies_of(held, policy, people, None, None)
        whole = [
            table
            for table in published.tables
            if all(table.find(name) is not None for name in policy.quasi_identifiers)
        ]
        if whole:
            texts = whole[0].texts(policy.quasi_identifiers)
            found["covers"] = covers(texts, taxonomies, policy.quasi_identifiers)
            found["population"] = people
    return found
