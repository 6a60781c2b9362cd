"""The promises of a policy: from what is written down to requirements that can be kept."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from indistinct._sections import Place, place_of, wrong
from indistinct.errors import PolicyError, Problem
from indistinct.policy.sections import POSTERIOR, Attribute, Method
from indistinct.privacy.k_anonymity import KAnonymity
from indistinct.privacy.known_visit import KnownVisit
from indistinct.privacy.max_posterior import MaxPosterior
from indistinct.privacy.promise import SHARED, Promise, models, promise, promise_of
from indistinct.privacy.theta_sensitive import ThetaSensitive
from indistinct.requirement import ABOUT_VALUES, Requirement
from indistinct.types import Plain


def promises_of(
    given: object,
    attributes: Mapping[str, Attribute | None],
    method: Method | None,
    problems: list[Problem],
    person: str | None = None,
) -> tuple[Requirement, ...]:
    """The requirements that the list of promises asks for.

    Arguments:
        given: the list, as it was written.
        attributes: the attributes by name; None for one that cannot be read.
        method: the section of that name; None where it cannot be read.
        problems: what is wrong is added here.
        person: the column of people with many records, where promises count people.
    """
    if isinstance(given, Mapping | str) or not isinstance(given, Sequence):
        problems.append(wrong(("promises",), "a list of tables: [[promises]]", given))
        return ()
    if not given:
        problems.append(
            Problem(
                "no-promise",
                "promises: a policy needs at least one promise",
                remedy='add [[promises]] with model = "k-anonymity" and k = 5',
            )
        )
    sensitive = [name for name, item in attributes.items() if item and item.role == "sensitive"]
    found = []
    for number, item in enumerate(given, start=1):
        for each in _for_each_sensitive(_of_people(item, person), sensitive):
            one = _about_values(each, attributes)
            requirement = _promise(one, ("promises", number), problems)
            if requirement is not None:
                problems += _unit_problems(requirement, ("promises", number), person)
                found.append(replace(requirement, number=number))
    if method is None or method.variant == "safe":
        found += _bounds_on_belief(found)
    visit = [name for name, item in attributes.items() if item and item.level == "event"]
    return tuple(_with_visits(found, visit) if visit else found)


def _with_visits(asked: Sequence[Requirement], visit: Sequence[str]) -> list[Requirement]:
    """The promises with one about visits, which has the largest k over all quasi-identifiers."""
    found = [
        replace(item, parameters={**item.parameters, "visit": list(visit)})
        if item.model == KnownVisit.model and not item.parameters.get("visit")
        else item
        for item in asked
    ]
    ks = [
        (int(item.parameters["k"]), item.number)
        for item in found
        if item.model == KAnonymity.model and item.on is None and item.unit == "person"
    ]
    if ks and not any(item.model == KnownVisit.model for item in found):
        k, number = max(ks)
        keys = {"k": k, "visit": list(visit)}
        found.append(Requirement(KnownVisit.model, keys, unit="person", number=number))
    return found


def _of_people(given: object, person: str | None) -> object:
    """A promise that does not say what it counts, where a column names people: it counts them."""
    if person is None or not isinstance(given, Mapping) or "unit" in given:
        return given
    return {**given, "unit": "person"}


def _unit_problems(requirement: Requirement, place: Place, person: str | None) -> Iterator[Problem]:
    where = place_of((*place, "unit"))
    if requirement.unit == "person" and person is None:
        yield Problem(
            "person-without-column",
            f"{where}: no column says whose a record is",
            remedy='name it: [source] person = "patient_id", say',
        )
    elif requirement.unit == "record" and person is not None:
        yield Problem(
            "records-of-people",
            f"{where}: '{person}' is the person column, and all records of a class may be one "
            "person's",
            remedy='write unit = "person", or leave unit out',
        )


def _for_each_sensitive(given: object, sensitive: Sequence[str]) -> list[object]:
    """A promise that names several sensitive attributes, or none where there are, once for each."""
    if not isinstance(given, Mapping):
        return [given]
    named = given.get("sensitive")
    kind = models().get(str(given.get("model")))
    if named is None and kind is not None and kind.needs_sensitive:
        named = sensitive
    if not isinstance(named, list | tuple) or not named:
        return [given]
    return [{**given, "sensitive": name} for name in named]


def _about_values(given: object, attributes: Mapping[str, Attribute | None]) -> object:
    """A promise that names no values, about those that its attribute says."""
    if not isinstance(given, Mapping) or not isinstance(given.get("sensitive"), str):
        return given
    item = attributes.get(given["sensitive"])
    if item is None:
        return given
    if not any(name in given for name in ABOUT_VALUES):
        given = {**given, **{name: own for name in ABOUT_VALUES if (own := getattr(item, name))}}
    return {**given, **_spelt(given, item.missing.tokens)}


def _spelt(given: Mapping[str, object], tokens: Sequence[str]) -> Plain:
    """The values that a promise names, with every spelling of the missing value if it names one.

    A missing value is searched for as an empty text, and published as it was written.
    """
    missing = {"", *tokens}
    return {
        name: [*named, *sorted(missing - set(named))]
        for name in ABOUT_VALUES
        if tokens
        and isinstance(named := given.get(name), list | tuple)
        and missing & {one for one in named if isinstance(one, str)}
    }


def _bounds_on_belief(asked: Sequence[Requirement]) -> list[Requirement]:
    """The bound that theta-sensitivity needs beside it, where none is set.

    A class of a hundred with ninety equal values passes theta(4): the measure is none of diversity.
    """
    bounded = {(item.sensitive, item.on) for item in asked if item.model == MaxPosterior.model}
    return [
        replace(
            item, model=MaxPosterior.model, parameters={"bound": POSTERIOR}, reference="published"
        )
        for item, part in zip(asked, map(promise_of, asked), strict=True)
        if isinstance(part, ThetaSensitive)
        and part.theta == "k"
        and (item.sensitive, item.on) not in bounded
    ]


def _promise(given: object, place: Place, problems: list[Problem]) -> Requirement | None:
    keys: Plain
    if isinstance(given, Mapping):
        keys = dict(given)
    elif isinstance(given, Requirement | Promise):
        keys = promise_keys(given.spec if isinstance(given, Promise) else given)
    else:
        problems.append(wrong(place, "a table", given))
        return None
    model = keys.pop("model", None)
    if not isinstance(model, str):
        problems.append(
            wrong((*place, "model"), "the name of a privacy model", model)
            if model is not None
            else Problem("missing-key", f"{place_of((*place, 'model'))}: is missing")
        )
        return None
    shared = {name: keys[name] for name in SHARED if name in keys}
    own = {name: _plain(value) for name, value in keys.items() if name not in shared}
    try:
        requirement = Requirement(model=model, parameters=own, **shared)
        promise(model, **keys)
    except PolicyError as error:
        told = [
            replace(item, message=f"{place_of(place)}: {item.message}") for item in error.problems
        ]
        # Once of a promise that is made of every sensitive attribute.
        problems += [item for item in told if item not in problems]
        return None
    return requirement


def _plain(value: object) -> object:
    """A table with texts as keys, as in a file; anything else as it is."""
    return {str(k): v for k, v in value.items()} if isinstance(value, Mapping) else value


def promise_keys(item: Requirement) -> Plain:
    """The keys of a promise, as a policy writes them."""
    keys: Plain = {"model": item.model, **item.parameters}
    if item.on is not None:
        keys["on"] = list(item.on)
    if item.sensitive is not None:
        keys["sensitive"] = item.sensitive
    if item.unit != "record":
        keys["unit"] = item.unit
    if item.reference != "published":
        keys["reference"] = item.reference
    return keys
