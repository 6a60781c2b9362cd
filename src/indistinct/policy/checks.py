"""What Pydantic cannot see: keys that contradict each other, names that are nothing, cautions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from itertools import pairwise

from indistinct._sections import Place, Section, place_of, wrong
from indistinct.document import in_quotes, toml_key
from indistinct.errors import HierarchyError, PolicyError, Problem, did_you_mean
from indistinct.hierarchies.build import validate_spec
from indistinct.hierarchies.code_systems import check as check_code_system
from indistinct.hierarchies.moments import FORMATS
from indistinct.hierarchies.taxonomy import Taxonomy
from indistinct.measures import measures
from indistinct.policy.differential import differential_checks
from indistinct.policy.methods import method_checks, registered
from indistinct.policy.people import comparing_cautions, visit_cautions
from indistinct.policy.sections import (
    TRANSFORMS,
    Aggregation,
    Attribute,
    Categories,
    Link,
    Method,
    Objective,
    Risk,
    Role,
    Synthesize,
    Transform,
)
from indistinct.policy.sensitivity import knm_cautions, knm_checks, rank_checks
from indistinct.policy.stated import Stated
from indistinct.privacy.parameters import RANGE_OF_K, is_range_of_k
from indistinct.privacy.promise import models
from indistinct.requirement import ABOUT_VALUES, Requirement
from indistinct.types import PlainMapping
from indistinct.warning_kinds import Kind, WarningText

_QI_ONLY = ("hierarchy", "type", "weight", "min_level", "max_level", "uncovered")

_OF_HIERARCHIES = ("hierarchy", "uncovered")

_UNFIT: Mapping[str, tuple[str, ...]] = {
    "category": ("intervals", "equal_frequency"),
    "date": ("intervals", "equal_frequency", "code_system"),
}
"""Hierarchies that do not go with a type."""

_MANY = {"category": "categories", "date": "dates"}


def attribute_checks(item: Attribute, place: tuple[str, ...]) -> Iterator[Problem]:
    """What contradicts itself in one attribute."""
    if item.max_level is not None and item.min_level > item.max_level:
        yield Problem(
            "empty-level-range",
            f"{place_of(place)}: min_level ({item.min_level}) "
            f"is above max_level ({item.max_level})",
        )
    tokens = item.missing.tokens
    if any(not token.strip() for token in tokens):
        yield Problem(
            "bad-token",
            f"{place_of((*place, 'missing', 'tokens'))}: an empty text is missing already",
            remedy="list only texts that are not blank",
        )
    if item.categories is not None:
        yield from _category_checks(item.role, item.categories, (*place, "categories"))
    if item.ranks is not None:
        yield from rank_checks(item.role, item.ranks, (*place, "ranks"))
    if item.transform is not None:
        yield from _transform_checks(item.role, item.transform, (*place, "transform"))
    for name in ABOUT_VALUES:
        if getattr(item, name) and item.role != "sensitive":
            yield Problem(
                "wrong-role",
                f"{place_of((*place, name))}: only promises about sensitive attributes are about "
                f"values, and the role is '{item.role}'",
            )
    if item.order:
        yield from _stated_order_checks(item, (*place, "order"))
    if item.hierarchy is not None:
        yield from _hierarchy_checks(item.hierarchy, (*place, "hierarchy"))
        unfit = _UNFIT.get(item.type or "", ())
        for name in unfit if isinstance(item.hierarchy, Mapping) else ():
            if name in item.hierarchy:
                yield Problem(
                    "bad-value",
                    f"{place_of((*place, 'type'))}: {_MANY[item.type or '']} have no {name}",
                    remedy="correct the type, or choose another hierarchy",
                )
        yield from _end_checks(item, (*place, "hierarchy"))


def _end_checks(item: Attribute, place: tuple[str, ...]) -> Iterator[Problem]:
    """Ends within which nothing is put together: sensitive values are published as they are."""
    spec = item.hierarchy if isinstance(item.hierarchy, Mapping) else {}
    asked = spec.get("intervals")
    for key in ("bottom", "top"):
        if item.role == "sensitive" and isinstance(asked, Mapping) and asked.get(key) is not None:
            yield Problem(
                "idle-key",
                f"{place_of((*place, 'intervals', key))}: puts values of quasi-identifiers "
                "together; sensitive ones would be published as they are",
                remedy=f"leave it out, and add transform = {{ aggregate = {{ {key} = "
                f"{asked[key]} }} }}",
            )


def _stated_order_checks(item: Attribute, place: tuple[str, ...]) -> Iterator[Problem]:
    if item.role != "sensitive":
        yield Problem(
            "wrong-role",
            f"{place_of(place)}: only a sensitive attribute has an order of its own, and the role "
            f"is '{item.role}'",
        )
    if len(set(item.order)) < len(item.order):
        yield Problem("bad-value", f"{place_of(place)}: names a value twice")
    if isinstance(item.hierarchy, Mapping) and "order" in item.hierarchy:
        yield Problem(
            "bad-value",
            f"{place_of(place)}: the hierarchy states an order already",
            remedy="leave one of them out",
        )


def _category_checks(role: Role, given: Categories, place: tuple[str, ...]) -> Iterator[Problem]:
    if role != "sensitive":
        yield Problem(
            "categories-without-sensitive",
            f"{place_of(place)}: only a sensitive attribute has categories, and the role is "
            f"'{role}'",
        )
    ways = (given.table, given.file, given.code_system)
    if sum(way is not None for way in ways) != 1:
        yield Problem(
            "one-table", f"{place_of(place)}: needs one of 'table', 'file' and 'code_system'"
        )
    yield from _code_system_checks(given, place)
    if given.table is None:
        return
    names = list(given.table)
    homes: dict[str, list[str]] = {}
    for name, values in given.table.items():
        for value in values:
            homes.setdefault(value, []).append(name)
    for value, found in homes.items():
        if len(found) > 1:
            yield Problem(
                "two-categories",
                f"{place_of((*place, 'table'))}: '{value}' is in {' and '.join(found)}",
                remedy="put every value into one category",
            )
    yield from _order_checks(given, names, place)


def _order_checks(
    given: Categories, names: Sequence[str], place: tuple[str, ...]
) -> Iterator[Problem]:
    """Whether the order names every category once, and no other."""
    unknown_names = [name for name in given.order if name not in names]
    for name in unknown_names:
        yield Problem(
            "unknown-category",
            f"{place_of((*place, 'order'))}: no category '{name}': {did_you_mean(name, names)}",
        )
    left = [name for name in names if name not in given.order]
    if given.order and left and not unknown_names:
        listed = in_quotes(left)
        yield Problem(
            "category-without-place",
            f"{place_of((*place, 'order'))}: has no place for {listed}",
            remedy="name every category, from the least to the most sensitive",
        )
    if len(set(given.order)) < len(given.order):
        yield Problem("category-twice", f"{place_of((*place, 'order'))}: names a category twice")
    if given.missing is not None and given.missing not in names:
        near = did_you_mean(given.missing, names)
        yield Problem(
            "unknown-category",
            f"{place_of((*place, 'missing'))}: no category '{given.missing}': {near}",
        )


def _transform_checks(
    role: Role, transform: Transform, place: tuple[str, ...]
) -> Iterator[Problem]:
    for name in transform.names:
        if role not in TRANSFORMS[name].roles:
            fits = [other for other, way in TRANSFORMS.items() if role in way.roles]
            more = "a quasi-identifier is masked by its hierarchy: hierarchy = { mask = {} }; "
            yield Problem(
                "unfit-transform",
                f"{place_of((*place, name))}: does not go with role '{role}'",
                remedy=(more if (name, role) == ("mask", "quasi-identifier") else "")
                + f"with that role go {', '.join(fits)}",
            )
    if len(transform.names) != 1:
        known = in_quotes(TRANSFORMS)
        yield Problem(
            "one-transform", f"{place_of(place)}: needs one of {known}, not {len(transform.names)}"
        )
    yield from _setting_checks(transform, place)
    if transform.aggregate is not None:
        yield from _aggregate_checks(transform.aggregate, (*place, "aggregate"))


def _setting_checks(transform: Transform, place: tuple[str, ...]) -> Iterator[Problem]:
    """Settings of a way to change values that do not go together."""
    keyed = transform.pseudonymize
    if keyed is not None and (keyed.key_env is None) == (keyed.key_file is None):
        yield Problem(
            "one-key",
            f"{place_of((*place, 'pseudonymize'))}: needs one of 'key_env' and 'key_file'",
            remedy="keep the key in an environment variable or a file of its own",
        )
    rule = transform.round
    if rule is not None and (rule.to is None) == (rule.digits is None):
        yield Problem(
            "one-rounding", f"{place_of((*place, 'round'))}: needs one of 'to' and 'digits'"
        )
    for name in transform.names:
        form = getattr(getattr(transform, name), "format", "iso")
        if form not in FORMATS and not _tells_days(form):
            yield Problem(
                "bad-value",
                f"{place_of((*place, name, 'format'))}: must be 'iso', 'day-first', 'month-first', "
                f"or a pattern that tells year, month and day, not '{form}'",
                remedy="for example %d.%m.%Y",
            )
    if transform.swap is not None and transform.swap.window is None:
        yield from _idle(transform.swap, "format", "'window'", (*place, "swap"))
    if transform.mask is not None and not transform.mask.keep:
        yield from _idle(transform.mask, "from_", "'keep'", (*place, "mask"))
    noise = transform.noise
    if noise is not None and noise.bottom is not None and noise.top is not None:
        ends = (noise.bottom, noise.top)
        if type(ends[0]) is not type(ends[1]) or not ends[0] < ends[1]:  # type: ignore[operator]
            at = place_of((*place, "noise", "bottom"))
            yield Problem("bad-value", f"{at}: must be below 'top', and of its kind")


def _idle(given: Section, key: str, without: str, place: tuple[str, ...]) -> Iterator[Problem]:
    """That a key is set which does nothing where another is missing."""
    if key in given.model_fields_set:
        yield Problem(
            "bad-value",
            f"{place_of((*place, key.rstrip('_')))}: does nothing without {without}",
            remedy="leave it out",
        )


def _tells_days(form: str) -> bool:
    """Whether a pattern of strptime tells year, month and day."""
    parts = (("%Y", "%y", "%F", "%D"), ("%m", "%b", "%B", "%F", "%D", "%j"))
    days = ("%d", "%e", "%F", "%D", "%j")
    return all(any(sign in form for sign in signs) for signs in (*parts, days))


def _code_system_checks(
    given: Aggregation | Categories, place: tuple[str, ...]
) -> Iterator[Problem]:
    """Whether there is such a classification, and such a level of it."""
    if given.code_system is None:
        if given.level is not None:
            yield Problem("bad-value", f"{place_of((*place, 'level'))}: there is no 'code_system'")
        return
    levels = {} if given.level is None else {"levels": [given.level]}
    for found in check_code_system({"name": given.code_system, **levels}):
        yield replace(found, message=f"{place_of((*place, 'code_system'))}: {found.message}")


def _aggregate_checks(given: Aggregation, place: tuple[str, ...]) -> Iterator[Problem]:
    """Whether one way of putting values together is asked for, and makes sense."""
    ends = given.bottom is not None or given.top is not None
    ways = {
        "'bottom' and 'top'": ends,
        "'thresholds'": bool(given.thresholds),
        "'groups'": given.groups is not None,
        "'code_system'": given.code_system is not None,
    }
    if sum(ways.values()) != 1:
        yield Problem(
            "one-aggregation",
            f"{place_of(place)}: needs one of {', '.join(ways)}, not {sum(ways.values())}",
        )
    if given.bottom is not None and given.top is not None and given.bottom >= given.top:
        yield Problem("bad-value", f"{place_of((*place, 'bottom'))}: must be below 'top'")
    if any(low >= high for low, high in pairwise(given.thresholds)):
        yield Problem(
            "bad-value",
            f"{place_of((*place, 'thresholds'))}: must rise",
            remedy="for example [18, 40, 65]",
        )
    if given.show != "range" and not given.thresholds:
        yield Problem("bad-value", f"{place_of((*place, 'show'))}: there are no 'thresholds'")
    if given.show == "range":
        yield from _idle(given, "k", "a 'show' of means or medians", place)
    if given.other is not None and given.groups is None and given.code_system is None:
        yield Problem("bad-value", f"{place_of((*place, 'other'))}: there are no 'groups'")
    yield from _code_system_checks(given, place)
    homes: dict[str, list[str]] = {}
    for name, values in (given.groups or {}).items():
        for value in values:
            homes.setdefault(value, []).append(name)
    for value, found in homes.items():
        if len(found) > 1:
            yield Problem(
                "two-groups",
                f"{place_of((*place, 'groups'))}: '{value}' is in {' and '.join(found)}",
                remedy="put every value into one group",
            )


def transform_checks(attributes: Mapping[str, Attribute | None]) -> Iterator[Problem]:
    """Columns that transformations name and that are none; dates of a person moved unlike."""
    spans: dict[str, dict[int, str]] = {}
    for name, item in attributes.items():
        rule = None if item is None else item.transform
        if rule is None:
            continue
        named: list[tuple[str, str]] = []
        for way in ("swap", "pram"):
            within = getattr(getattr(rule, way), "within", ())
            named += [(f"{way}.within", other) for other in within]
        if rule.synthesize is not None:
            named += [("synthesize.given", other) for other in rule.synthesize.given]
            yield from _given_checks(name, rule.synthesize, attributes)
        if rule.shift is not None and rule.shift.by is not None:
            named.append(("shift.by", rule.shift.by))
            spans.setdefault(rule.shift.by, {}).setdefault(rule.shift.days, name)
        elif rule.shift is not None:
            spans.setdefault("", {}).setdefault(rule.shift.days, name)
        for key, other in named:
            place = place_of(("attributes", name, "transform", *key.split(".")))
            if other == name:
                yield Problem("transform-by-itself", f"{place}: names '{name}' itself")
            elif other not in attributes:
                near = did_you_mean(other, [one for one in attributes if one != name])
                yield Problem("unknown-attribute", f"{place}: no attribute '{other}': {near}")
    for by, days in spans.items():
        if len(days) > 1:
            listed = " and ".join(f"'{name}' by {most}" for most, name in days.items())
            yield Problem(
                "two-shifts",
                f"attributes: {listed} days at most, and the dates of "
                + (f"one {by}" if by else "one record")
                + " are all moved alike",
                remedy="name the same number of days at all of them",
            )


def _given_checks(
    name: str, rule: Synthesize, attributes: Mapping[str, Attribute | None]
) -> Iterator[Problem]:
    """Columns that cannot be given, since they are drawn too or are not published."""
    above = ("attributes", name, "transform", "synthesize")
    if not rule.given:
        yield from _idle(rule, "k", "'given'", above)
    place = place_of((*above, "given"))
    for item in (one for one in rule.given if one != name):
        other = attributes.get(item)
        if other is None:
            continue
        if other.role == "identifier":
            yield Problem(
                "bad-value",
                f"{place}: '{item}' is an identifier",
                remedy="name columns that are published",
            )
        elif other.transform is not None and other.transform.synthesize is not None:
            yield Problem(
                "bad-value",
                f"{place}: '{item}' is drawn from the model itself",
                remedy="leave it out: columns that are drawn jointly keep what goes together",
            )


def _hierarchy_checks(spec: object, place: tuple[str, ...]) -> Iterator[Problem]:
    if not isinstance(spec, str | Mapping):
        if not isinstance(spec, Taxonomy):
            yield wrong(
                place, 'a builder such as { intervals = { width = 5 } }, or "suppress"', spec
            )
        return
    try:
        problems = validate_spec(spec)
    except (PolicyError, HierarchyError) as error:
        problems = list(error.problems)
    for item in problems:
        yield replace(item, attribute=None, message=f"{place_of(place)}: {item.message}")


def cross_checks(parts: PlainMapping) -> Iterator[Problem]:
    """What the parts of a policy say that does not go together."""
    attributes: Mapping[str, Attribute | None] = parts["attributes"]
    yield from _quasi_checks(attributes)
    for item in parts["promises"]:
        yield from _promise_checks(item, parts)
    yield from transform_checks(attributes)
    risk: Risk | None = parts.get("risk")
    if risk is not None:
        yield from _risk_checks(risk)
    method: Method | None = parts.get("method", Method())  # None where it cannot be read
    objective = method.objective if method is not None else Objective()
    place = ("method", "objective")
    yield from _measure_checks(objective, place)
    if method is not None:
        yield from method_checks(method, parts["promises"], attributes)
        yield from knm_checks(method, parts["promises"], attributes, parts.get("rest"))
        yield from _cells_checks(method, attributes)
    yield from differential_checks(parts)
    for name in objective.weights:
        yield from _must_be("quasi-identifier", name, (*place, "weights"), attributes)
    yield from _weight_checks(objective, attributes)


_EXPECTED = {int: "a whole number", float: "a number", bool: "true or false", str: "text in quotes"}


def _measure_checks(objective: Objective, place: Place) -> Iterator[Problem]:
    """Whether the measure has the settings that are said, and its own ones can be as they are."""
    kind = measures()[objective.measure]
    own = {item.name: type(item.default) for item in kind.own()}
    allowed = sorted(kind.settings | own.keys())
    fits = True
    for setting in sorted(objective.model_fields_set - {"measure"}):
        at, value = (*place, setting), objective.own.get(setting)
        if setting in objective.own and setting not in own:
            told = did_you_mean(setting, [*type(objective).model_fields, *own])
            yield Problem("unknown-key", f"{place_of(at)}: unknown key: {told}")
        elif setting not in allowed:
            yield Problem(
                "unknown-setting",
                f"{place_of(at)}: measure '{objective.measure}' has no such setting",
                remedy=f"it has {', '.join(allowed)}" if allowed else "leave it out",
            )
        elif setting in own and type(value) not in {own[setting], *[int] * (own[setting] is float)}:
            fits = False
            yield wrong(at, _EXPECTED.get(own[setting], "something else"), value)
    try:
        kind(**{name: objective.own[name] for name in own if fits and name in objective.own})
    except PolicyError as error:
        for one in error.problems:
            yield replace(one, message=f"{place_of(place)}: {one.message}")


def _known_quasi(attributes: Mapping[str, Attribute | None]) -> tuple[dict[str, Attribute], bool]:
    """The quasi-identifiers, and whether all attributes can be read: there are no others then."""
    known = {name: item for name, item in attributes.items() if item is not None}
    quasi = {name: item for name, item in known.items() if item.role == "quasi-identifier"}
    return quasi, len(known) == len(attributes)


def _quasi_checks(attributes: Mapping[str, Attribute | None]) -> Iterator[Problem]:
    quasi, sure = _known_quasi(attributes)
    if not quasi and sure:
        yield Problem(
            "no-quasi-identifier",
            "attributes: no attribute is a quasi-identifier",
            remedy='give role = "quasi-identifier" to what others may know of a person',
        )
    levels = [item.level for item in quasi.values()]
    if levels and "person" not in levels and sure:
        yield Problem(
            "no-quasi-identifier",
            "attributes: every quasi-identifier is of a visit, and classes are made of people",
            remedy='write constant = { everybody = "all" } under [source], and '
            'attributes.everybody = { role = "quasi-identifier" }: all people are then one class',
        )


def _promise_checks(item: Requirement, parts: PlainMapping) -> Iterator[Problem]:
    """Whether a promise is about attributes of the right roles."""
    attributes: Mapping[str, Attribute | None] = parts["attributes"]
    for name in item.on or ():
        yield from _must_be("quasi-identifier", name, ("promises", item.number, "on"), attributes)
    if item.sensitive is not None:
        where = ("promises", item.number, "sensitive")
        yield from _must_be("sensitive", item.sensitive, where, attributes)
    if item.names_values:
        yield from _values_checks(item, parts)
    for name in item.columns[1:]:
        place = ("promises", item.number, "together")
        yield from _together_checks(name, item.columns[0], place, attributes)


def _cells_checks(method: Method, attributes: Mapping[str, Attribute | None]) -> Iterator[Problem]:
    """Whether the cells of a class that the method names can be of these attributes."""
    if not isinstance(method.cells, Mapping):
        return
    for name, style in method.cells.items():
        at = ("method", "cells", name)
        yield from _must_be("quasi-identifier", name, at, attributes)
        item = attributes.get(name)
        if style == "range" and item is not None and item.type == "category":
            yield Problem("bad-value", f"{place_of(at)}: categories have no ranges")


def _weight_checks(
    objective: Objective, attributes: Mapping[str, Attribute | None]
) -> Iterator[Problem]:
    quasi, sure = _known_quasi(attributes)
    weights = {name: item.weight for name, item in quasi.items()} | objective.weights
    if quasi and sure and not any(weights.get(name, 0) for name in quasi):
        yield Problem(
            "no-weight",
            "attributes: every quasi-identifier has weight 0",
            remedy="weigh one of them",
        )


def _values_checks(item: Requirement, parts: PlainMapping) -> Iterator[Problem]:
    """Whether the method, and what else is promised, leave values as a promise names them."""
    method: Method | None = parts.get("method")
    own = registered(method or Method())
    if own.linked or own.name == "theta":
        yield Problem(
            "other-algorithm",
            f"{item.place}: '{own.name}' works towards all values of '{item.sensitive}' alike",
            remedy="leave out which values it is about, or choose an algorithm of one table, such "
            "as 'optimal'",
        )
    known = models()
    for other in parts["promises"]:
        if known[other.model].subject == "items" and item.sensitive in other.columns:
            yield Problem(
                "other-algorithm",
                f"{item.place}: {other.model} generalizes the values of '{item.sensitive}', so the "
                "named values no longer exist",
                remedy="leave out which values it is about, or that promise",
            )


def _together_checks(
    name: str, first: str, place: Place, attributes: Mapping[str, Attribute | None]
) -> Iterator[Problem]:
    """Whether a column can hold items of the same set as another."""
    yield from _must_be("sensitive", name, place, attributes)
    own, other = attributes.get(name), attributes.get(first)
    if own is None or other is None or own.role != "sensitive":
        return
    if own.hierarchy is None or own.hierarchy == other.hierarchy:
        return
    yield Problem(
        "bad-value",
        f"{place_of(place)}: '{name}' has another hierarchy than '{first}', and their values are "
        "items of one set",
        remedy=f"leave out the hierarchy of [attributes.{toml_key(name)}], or name the same",
    )


def _risk_checks(risk: Risk) -> Iterator[Problem]:
    """What contradicts itself in what is said of the population and of the range of k."""
    people = risk.population
    if people is not None:
        ways = ("file", "size", "fraction")
        given = [key for key in ways if getattr(people, key) is not None]
        if len(given) != 1:
            yield Problem(
                "one-population",
                "risk.population: needs one of 'file', 'size' and 'fraction'"
                + (f", not {' and '.join(given)}" if given else ""),
            )
        if people.separator is not None and people.file is None:
            yield Problem("no-file", "risk.population.separator: there is no file to read with it")
    if risk.amber > risk.thresholds[1]:
        yield Problem(
            "bad-value",
            f"risk.amber: must not be above red, {risk.thresholds[1]:g}",
            remedy="choose a smaller amber, or a larger red",
        )
    if risk.k_range is not None and not is_range_of_k(*risk.k_range):
        yield Problem(
            "bad-value",
            f"risk.k_range: must be {RANGE_OF_K}",
            remedy="for example [2, 20]",
        )


def link_checks(
    attributes: Mapping[str, Attribute | None], links: Sequence[Link]
) -> Iterator[Problem]:
    """Links from nothing, or to themselves; attributes that are derived from nothing known."""
    for number, link in enumerate(links, start=1):
        for key, names in (("from", link.from_), ("to", link.to)):
            if not names or not all(name.strip() for name in names):
                yield Problem(
                    "bad-value", f"{place_of(('links', number, key))}: must name an attribute"
                )
        for name in dict.fromkeys(one for one, other in link.pairs() if one == other):
            yield Problem(
                "link-to-itself", f"{place_of(('links', number))}: links '{name}' to itself"
            )
    outside = dict.fromkeys(name for link in links for name in (*link.from_, *link.to))
    known = list(dict.fromkeys((*attributes, *outside)))
    bases: dict[str, list[str]] = {}
    for name, item in attributes.items():
        for key in ("derived_from", "part_of") if item is not None else ():
            for base in getattr(item, key):
                place = place_of(("attributes", name, key))
                if base == name:
                    yield Problem("derived-from-itself", f"{place}: names '{name}' itself")
                elif base not in known:
                    near = did_you_mean(base, [other for other in known if other != name])
                    yield Problem("unknown-attribute", f"{place}: no attribute '{base}': {near}")
                else:
                    bases.setdefault(name, []).append(base)
    yield from _round_trips(bases)


def _round_trips(bases: Mapping[str, Sequence[str]]) -> Iterator[Problem]:
    """Attributes that follow from themselves, over others."""
    told: set[str] = set()
    for name in bases:
        seen = list(bases[name])
        for other in seen:
            seen += [base for base in bases.get(other, ()) if base not in seen]
        if name in seen and name not in told:
            told |= {name, *(other for other in seen if name in bases.get(other, ()))}
            yield Problem(
                "derived-in-a-circle",
                f"{place_of(('attributes', name))}: follows from itself, over "
                + in_quotes(bases[name]),
                remedy="say of one of them only what it is derived from",
            )


def _must_be(
    role: Role,
    name: str,
    place: Place,
    attributes: Mapping[str, Attribute | None],
) -> Iterator[Problem]:
    if name not in attributes:
        near = did_you_mean(name, [key for key, item in attributes.items() if _plays(item, role)])
        yield Problem("unknown-attribute", f"{place_of(place)}: no attribute '{name}': {near}")
    elif not _plays(attributes[name], role):
        item = attributes[name]
        yield Problem(
            "wrong-role",
            f"{place_of(place)}: '{name}' must have role '{role}', and has "
            f"'{item.role if item else 'none'}'",
            remedy=f"write role = \"{role}\" for '{name}', or take it out of there",
        )


def _plays(item: Attribute | None, role: Role) -> bool:
    return item is None or item.role == role


def cautions(policy: Stated) -> Iterator[WarningText]:
    """What is allowed, and deserves a second look."""
    if policy.method.seed is not None:
        yield Kind.RISK(
            "method.seed: anyone who knows the seed can undo the shuffle of the release"
            + (", and what was drawn to change values" if _draws(policy) else "")
            + "; leave it out for a release that others get"
        )
    yield from _transform_cautions(policy)
    yield from comparing_cautions(policy)
    yield from visit_cautions(policy)
    for name, item in policy.attributes.items():
        idle = [
            key
            for key in _QI_ONLY
            if key in item.model_fields_set
            and not (item.role == "sensitive" and item.hierarchy and key in _OF_HIERARCHIES)
        ] + ['missing = "suppress"'] * (item.missing.as_ == "suppress")
        if idle and item.role != "quasi-identifier":
            yield Kind.SETTING(
                f"{place_of(('attributes', name))}: {', '.join(idle)} "
                f"{'has' if len(idle) == 1 else 'have'} no effect on role '{item.role}'"
            )
    for stated, asked in zip(policy.promises, policy.privacy_models, strict=True):
        if asked.caution is not None:
            yield Kind.LIMIT(f"{stated.place}: {asked.caution}")
        if asked.keeps_everybody and policy.method.suppression_limit > 0:
            yield Kind.SETTING(
                f"{stated.place}: {asked.model} with a lower bound leaves "
                "nobody out, with any method.suppression_limit: a person in no class "
                'would be known to be absent; absent = "suppressed" or "skip" asks for less'
            )
    yield from _single_people(policy)
    if policy.method.variant == "paper":
        own = registered(policy.method)
        yield Kind.RISK(f"method.variant: \"paper\" runs '{own.name}' as published, {own.unsafe}")
    if any(item.model == "balanced-p-plus-sensitive" for item in policy.promises):
        yield Kind.SETTING(
            "promises: 'balanced' is our reading of a paper whose text we have not seen"
        )
    yield from knm_cautions(policy)
    yield from _doubtful_links(policy)
    measure = policy.method.objective.measure
    weighed = [name for name in policy.quasi_identifiers if policy.attributes[name].weight != 1]
    if weighed and "weights" not in measures()[measure].settings:
        yield Kind.SETTING(
            f"method.objective: measure '{measure}' does not use the attributes' weights"
        )
    covered = {name for item in policy.promises for name in item.on or policy.quasi_identifiers}
    bare = [name for name in policy.quasi_identifiers if name not in covered]
    if bare:
        listed = in_quotes(bare)
        told = "an attacker who knows it may tell people apart"
        yield Kind.RISK(f"promises: none covers quasi-identifier {listed}: {told}")
    elif policy.promises and not any(
        {*policy.quasi_identifiers} <= {*(item.on or policy.quasi_identifiers)}
        for item in policy.promises
    ):
        yield Kind.RISK(
            "promises: none covers all quasi-identifiers together: an attacker who knows them "
            "all may tell people apart"
        )


def _single_people(policy: Stated) -> Iterator[WarningText]:
    """Promises about all people together, where none is about each."""
    together = [item.model for item in policy.privacy_models if item.subject == "together"]
    if together and all(item.class_size == 1 for item in policy.privacy_models):
        yield Kind.RISK(
            f"promises: '{together[0]}' bounds all people together, and a person may be alone in a "
            'class: add a promise "k-anonymity" with k = 3 or more'
        )


def _transform_cautions(policy: Stated) -> Iterator[WarningText]:
    """What transformed values do not promise, or give away."""
    rules = {
        name: item.transform
        for name, item in policy.attributes.items()
        if item.transform is not None
    }
    drawn = [name for name, rule in rules.items() if rule.synthesize is not None]
    if drawn:
        listed = in_quotes(drawn)
        yield Kind.LIMIT(
            f"{listed}: synthetic values carry no promise of their own: rare values of the "
            "table are drawn too, and all records of the table made the model"
        )
    for name, rule in rules.items():
        place = place_of(("attributes", name, "transform"))
        if rule.pseudonymize is not None and rule.pseudonymize.table:
            yield Kind.RISK(
                f"{place}: the private table of pseudonyms undoes them: keep it like the key, "
                "and away from the release"
            )
        if rule.pseudonymize is not None:
            yield Kind.LIMIT(
                f"{place}: releases under the same key can be joined, and show who came and who "
                "left; promises hold for each release by itself: use a new key for each "
                "release that nobody needs to join"
            )
    of_people = [item.model for item in policy.privacy_models if item.about_population]
    moved = [name for name in policy.quasi_identifiers if name in rules]
    if of_people and moved:
        listed = in_quotes(moved)
        yield Kind.LIMIT(
            f"promises: {', '.join(dict.fromkeys(of_people))} counts people by their true "
            f"values, but {listed} is published changed"
        )


def _draws(policy: Stated) -> bool:
    """Whether chance changes values."""
    rules = [item.transform for item in policy.attributes.values() if item.transform is not None]
    return any(TRANSFORMS[name].by_chance for rule in rules for name in rule.names)


def _doubtful_links(policy: Stated) -> Iterator[WarningText]:
    """Ends of links that are no columns, and nearly have the name of one."""
    for number, link in enumerate(policy.links, start=1):
        for key, names in (("from", link.from_), ("to", link.to)):
            for name in names:
                if name in policy.attributes:
                    continue
                near = get_close_matches(name, policy.attributes, n=1, cutoff=0.8)
                if near:
                    yield Kind.SETTING(
                        f"{place_of(('links', number, key))}: '{name}' is not an attribute, and "
                        f"counts as something outside the table; did you mean '{near[0]}'?"
                    )
