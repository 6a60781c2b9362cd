"""What a policy says of the sensitivity of values, held against itself: ranks, and a k of each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from indistinct._sections import place_of
from indistinct.errors import Problem, did_you_mean
from indistinct.policy.sections import Attribute, Method, Ranks, Role
from indistinct.policy.stated import Stated
from indistinct.privacy.knm_anonymity import KNMAnonymity
from indistinct.privacy.promise import models
from indistinct.requirement import Requirement
from indistinct.warning_kinds import Kind, WarningText

KNM = "knm-anonymity"


def rank_checks(role: Role, given: Ranks, place: tuple[str, ...]) -> Iterator[Problem]:
    """What contradicts itself in the ranks of an attribute's values.

    Arguments:
        role: that of the attribute.
        given: the ranks.
        place: the keys that lead to them.
    """
    where = place_of(place)
    if role != "sensitive":
        yield Problem(
            "ranks-without-sensitive",
            f"{where}: only the values of a sensitive attribute have ranks, and the role is "
            f"'{role}'",
        )
    ways = [key for key in ("table", "dependent", "file") if getattr(given, key) is not None]
    if len(ways) != 1:
        yield Problem(
            "one-table",
            f"{where}: needs one of 'table', 'dependent' and 'file'"
            + (f", not {' and '.join(ways)}" if ways else ""),
            remedy="for example table = { HIV = 1, influenza = 4 }",
        )
    for key, way in (("harmful", "dependent"), ("score", "file")):
        if getattr(given, way) is not None and not getattr(given, key):
            yield Problem("missing-key", f"{where}: '{way}' needs '{key}' too")
    for key, others in (
        ("harmful", ("dependent",)),
        ("score", ("file",)),
        ("separator", ("file",)),
        ("cuts", ("dependent", "file")),
    ):
        idle = key in given.model_fields_set and not set(ways) & set(others)
        if idle and ways:
            yield Problem(
                "idle-key", f"{where}.{key}: only with '{others[0]}'", remedy="leave it out"
            )
    falls = (1.0, *given.cuts, 0.0)
    if not all(one > other for one, other in pairwise(falls)):
        yield Problem(
            "bad-value",
            f"{where}.cuts: must be three shares that fall between 1 and 0",
            remedy="for example [0.75, 0.5, 0.25]",
        )


def knm_checks(
    method: Method,
    promises: Sequence[Requirement],
    attributes: Mapping[str, Attribute | None],
    rest: str | None,
) -> Iterator[Problem]:
    """What does not go together in a policy about ranks.

    Arguments:
        method: the keys of the method.
        promises: what is promised.
        attributes: those that are listed.
        rest: what becomes of others, which the table may have, where that is said.
    """
    for name, item in attributes.items():
        if item is None or item.ranks is None or item.ranks.dependent is None:
            continue
        other, place = item.ranks.dependent, place_of(("attributes", name, "ranks", "dependent"))
        if other == name:
            yield Problem("dependent-on-itself", f"{place}: names '{name}' itself")
        elif other not in attributes and rest is None:
            near = did_you_mean(other, [key for key in attributes if key != name])
            yield Problem("unknown-attribute", f"{place}: no attribute '{other}': {near}")
    asked = [item for item in promises if item.model == KNM]
    if method.mode == "split" and not asked:
        yield Problem(
            "method-without-promise",
            f"method.mode: 'split' goes by the ranks of a promise '{KNM}', and none is there",
            remedy=f'add [[promises]] with model = "{KNM}" and k = {{ "1" = 10, "4" = 3 }}',
        )
        return
    if method.accept_unsafe and not asked:
        yield Problem(
            "idle-key",
            f"method.accept_unsafe: has no effect without a promise '{KNM}'",
            remedy="leave it out",
        )
    if method.mode == "split":
        yield from _split_checks(method, asked, promises)


def _split_checks(
    method: Method, asked: Sequence[Requirement], promises: Sequence[Requirement]
) -> Iterator[Problem]:
    """What cannot be done rank by rank."""
    if len(asked) > 1:
        yield Problem(
            "one-split",
            f"method.mode: a table is split by one promise '{KNM}', and there are {len(asked)}",
            remedy='name one, with sensitive = "...", or choose mode = "joint"',
        )
    if method.objective.measure == "rows":
        yield Problem(
            "other-objective",
            "method.objective: rows are those of a whole release, and 'split' makes it in parts",
            remedy='choose another objective, or mode = "joint"',
        )
    known = models()
    counting = [p.model for p in promises if p.model in known and known[p.model].needs_population]
    for model in dict.fromkeys(counting):
        yield Problem(
            "no-population-in-split",
            f"method.mode: promise '{model}' counts the people of the classes of a whole release, "
            "and 'split' makes it in parts",
            remedy='choose mode = "joint"',
        )


def knm_cautions(policy: Stated) -> Iterator[WarningText]:
    """What deserves a second look in what a policy says of ranks."""
    for number, item in enumerate(policy.privacy_models, start=1):
        if not isinstance(item, KNMAnonymity) or item.is_open:
            continue
        falling = sorted(item.chosen.items())
        for (rank, k), (next_rank, larger) in pairwise(falling):
            if k < larger:
                yield Kind.SETTING(
                    f"{place_of(('promises', number))}: k = {k} of rank {rank} is below k = "
                    f"{larger} of rank {next_rank}, which is less sensitive"
                )
