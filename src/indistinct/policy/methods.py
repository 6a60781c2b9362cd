"""What a policy says to its method: every key is heeded, or refused."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from indistinct._sections import Section, place_of
from indistinct.document import in_quotes
from indistinct.errors import Problem
from indistinct.policy.sections import Attribute, Method
from indistinct.privacy.promise import models, promise_of
from indistinct.recoding.method import COMMON, method_named, methods
from indistinct.recoding.method import Method as Registered
from indistinct.requirement import Requirement

OF_ATTRIBUTES = ("weight", "min_level", "max_level")
"""What quasi-identifiers say to a method."""


def registered(method: Method) -> Registered:
    """The method that the keys name."""
    found = method_named(method.algorithm)
    assert found is not None, "the name is looked up where it is read"
    return found


def heeded(method: Method) -> tuple[str, ...]:
    """What quasi-identifiers may say to the method."""
    return tuple(key for key in OF_ATTRIBUTES if key in registered(method).heeds(method))


def method_checks(
    method: Method,
    promises: Sequence[Requirement],
    attributes: Mapping[str, Attribute | None],
) -> Iterator[Problem]:
    """What the method does not heed, and what it lacks.

    Arguments:
        method: the section of that name.
        promises: what is promised.
        attributes: the attributes by name; None for one that cannot be read.
    """
    own = registered(method)
    yield from _objective_checks(method, own)
    for key in _said(method):
        yield from _unheeded(method, own, key, f"method.{key}")
    for name, item in attributes.items():
        if item is None or item.role != "quasi-identifier" or item.level == "event":
            continue
        for key in OF_ATTRIBUTES:
            if key in item.model_fields_set and getattr(item, key) != _default(item, key):
                yield from _unheeded(method, own, key, place_of(("attributes", name, key)))
    if isinstance(method.max_noise, float) and method.max_noise >= 1:
        yield Problem(
            "bad-value", "method.max_noise: is a share below 1, or a whole number of records"
        )
    needed = own.works_towards
    if needed and not {item.model for item in promises} & set(needed):
        listed = in_quotes(needed, " or ")
        yield Problem(
            "method-without-promise",
            f"method.algorithm: '{own.name}' works towards {listed}, and no promise is",
            remedy=f'add [[promises]] with model = "{needed[0]}"',
        )
    yield from _kept_by_another(own, promises)
    if method.items != "global" and all(item.model != "km-anonymity" for item in promises):
        yield Problem(
            "idle-key",
            "method.items: says how 'km-anonymity' is kept, and no promise is that",
            remedy="leave it out",
        )
    counting = [item.model for item in promises if _counts_population(item)]
    if counting and (own.sight(method, ()).rows or method.mode == "split"):
        yield Problem(
            "population-beside-rows",
            f"method.algorithm: promise '{counting[0]}' counts people of a population, whose "
            "quasi-identifiers alone are known, and this search needs more",
            remedy='choose algorithm = "optimal" without mode = "split"',
        )


def _kept_by_another(own: Registered, promises: Sequence[Requirement]) -> Iterator[Problem]:
    """Promises that other methods keep, and this one does not."""
    known = models()
    for item in promises:
        kind = known.get(item.model)
        if kind is None or own.keeps(kind):
            continue
        if kind.kept_by is not None:
            why = f"'{item.model}' is kept by '{kind.kept_by}' alone, not by '{own.name}'"
            way = f'write algorithm = "{kind.kept_by}"'
        else:
            others = [one for one in methods().values() if one.keeps(kind)]
            able = in_quotes((one.name for one in others if not one.works_towards), " or ")
            size = promise_of(item).sufficient_size
            why = (
                f"'{own.name}' makes one class after another, and '{item.model}' is kept by all "
                "together"
            )
            way = (
                f"choose {able}, or promise 'k-anonymity' with k = {size} instead: each class by "
                "itself keeps it then"
            )
        yield Problem("other-algorithm", f"method.algorithm: {why}", remedy=way)


def _counts_population(item: Requirement) -> bool:
    kind = models().get(item.model)
    return kind is not None and kind.needs_population


def _said(section: Section, before: str = "") -> Iterator[str]:
    """The keys that say something else than what holds anyway, those of tables with a dot."""
    for key in sorted(section.model_fields_set):
        value = getattr(section, key)
        if value == _default(section, key):
            continue
        if before or key != "partition":
            yield before + key
        else:
            yield from _said(value, f"{key}.")


def _default(section: Section, key: str) -> object:
    field = type(section).model_fields.get(key)
    return None if field is None else field.get_default(call_default_factory=True)


def _unheeded(method: Method, own: Registered, key: str, place: str) -> Iterator[Problem]:
    if key in own.heeds(method) | COMMON:
        return
    if key in own.settings:
        yield Problem(
            "idle-key",
            f"{place}: has no effect on '{own.name}' with the other settings",
            remedy="leave it out",
        )
        return
    others = [name for name, one in methods().items() if key in one.settings]
    yield Problem(
        "other-algorithm",
        f"{place}: is a setting of {', '.join(others)}, not of '{own.name}'",
        remedy='leave it out, or write algorithm = "optimal" and objective = "rows"'
        if own.objective == "rows" and "optimal" in others
        else "leave it out, or choose one of these algorithms",
    )


def _objective_checks(method: Method, own: Registered) -> Iterator[Problem]:
    """Another objective than the one the method works for, where it works for one."""
    goal, place = method.objective, "method.objective"
    if own.objective is None or "objective" not in method.model_fields_set:
        return
    if goal.measure != own.objective:
        yield Problem(
            "other-objective",
            f"{place}: '{own.name}' works for '{own.objective}', and '{goal.measure}' is asked",
            remedy='leave the objective out, or choose algorithm = "optimal"',
        )
    for key in _said(goal):
        if key not in ("measure", "weights"):
            yield Problem(
                "other-objective",
                f"{place}.{key}: '{own.name}' does not add up what attributes lose so",
                remedy='leave it out, or choose algorithm = "optimal"',
            )
    if goal.weights and "weight" not in own.settings:
        yield from _unheeded(method, own, "weight", f"{place}.weights")
