"""What a policy says of people with many records, and what does not go with them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from indistinct._sections import place_of
from indistinct.document import toml_key
from indistinct.errors import Problem
from indistinct.policy.methods import registered
from indistinct.policy.sections import Attribute, Bookkeeping, Method, Output, Source
from indistinct.policy.stated import Stated
from indistinct.privacy.k_anonymity import KAnonymity
from indistinct.privacy.km_anonymity import KMAnonymity
from indistinct.privacy.knm_anonymity import KNMAnonymity
from indistinct.privacy.known_number import KnownNumber
from indistinct.privacy.known_records import KnownRecords
from indistinct.privacy.known_visit import KnownVisit
from indistinct.privacy.promise import models, promise_of
from indistinct.recoding.method import Method as Registered
from indistinct.requirement import Requirement
from indistinct.sources.file_kind import KEYS
from indistinct.sources.format import format_named, formats
from indistinct.types import Plain, PlainMapping
from indistinct.warning_kinds import Kind, WarningText

NAME_PERSON = (
    'name it: [source] person = "patient_id", say; where every record is of another person, '
)
"""What to do where people have many records; what to do elsewhere follows."""

INSTEAD = {
    "items": 'give the attribute role = "quasi-identifier" instead of the promise: k-anonymity '
    "then counts people with the same value",
    "linked": "promise distinct-l-diversity in its place",
}
"""What to promise of one record each, by what a promise for many speaks of."""


def with_format(keys: PlainMapping) -> Plain:
    """The keys of a policy with what its health format says where they say nothing.

    An attribute that names a role replaces the format's; one that names none adds to it. The
    column that names the person is an identifier, whether the policy lists it or not.
    """
    found = dict(keys)
    source = found.get("source")
    given = source.to_dict() if isinstance(source, Source) else source
    attributes = found.get("attributes", {})
    if not isinstance(given, Mapping) or not isinstance(attributes, Mapping):
        return found
    form = given.get("format")
    if isinstance(form, str) and form in formats():
        own = format_named(form).preset()
        given = {**own["source"], **given}
        found["source"] = given
        attributes = {
            **own["attributes"],
            **{
                name: _with_role(own["attributes"], name, keys) for name, keys in attributes.items()
            },
        }
    person = given.get("person")
    if isinstance(person, str) and person not in attributes:
        attributes = {person: {"role": "identifier"}, **attributes}
    if attributes:
        found["attributes"] = attributes
    return found


def _with_role(own: PlainMapping, name: str, keys: object) -> object:
    """The keys of an attribute, beside those of the format where they name no role."""
    if isinstance(keys, Mapping) and "role" not in keys and name in own:
        return {**own[name], **keys}
    return keys


def ledger_checks(parts: PlainMapping) -> Iterator[Problem]:
    """What is wrong with how a ledger tells people apart."""
    ledger: Bookkeeping | None = parts.get("ledger")
    source: Source | None = parts.get("source")
    person = None if source is None else source.person
    if ledger is None:
        return
    if ledger.person is None and person is None:
        yield Problem(
            "person-without-column",
            "ledger: no column says who somebody is",
            remedy='name it: person = "patient_id", say; it is never written down in clear',
        )
    if ledger.person is not None and person not in (None, ledger.person):
        yield Problem(
            "bad-value",
            f"ledger.person: source.person names the people already: '{person}'",
            remedy="leave it out",
        )
    if ledger.key_env is not None and ledger.key_file is not None:
        yield Problem(
            "one-key",
            "ledger: takes one of 'key_env' and 'key_file'",
            remedy="keep the key in an environment variable or a file of its own",
        )


def _idle(source: Source) -> Iterator[Problem]:
    """Keys of a source that would do nothing."""
    if source.format is not None:
        for key in KEYS:
            if key in source.model_fields_set:
                yield Problem(
                    "bad-value",
                    f"source.{key}: the format '{source.format}' says itself how it is read",
                    remedy="leave it out",
                )
    if source.person is None:
        for key in ("people", "conflicts"):
            if key in source.model_fields_set:
                yield Problem(
                    "person-without-column",
                    f"source.{key}: no column says whose a record is",
                    remedy='name it: person = "patient_id", say',
                )


def people_checks(parts: PlainMapping) -> Iterator[Problem]:
    """What contradicts itself in what is said of people with many records."""
    source: Source | None = parts.get("source")
    method: Method = parts.get("method") or Method()
    person = None if source is None else source.person
    if source is not None:
        yield from _idle(source)
    yield from _visit_checks(parts, person)
    known = models()
    subjects = {part.model: known[part.model].subject for part in parts["promises"]}
    own = registered(method)
    if person is None:
        for item in parts["promises"]:
            if subjects.get(item.model) in ("items", "linked") and len(item.columns) < 2:
                yield Problem(
                    "person-without-column",
                    f"{item.place}: {item.model} applies to people with many "
                    "records, and no column says whose a record is",
                    remedy=NAME_PERSON + INSTEAD[subjects[item.model]],
                )
        if own.unit == "person":
            yield Problem(
                "person-without-column",
                f"method.algorithm: '{method.algorithm}' is for people with many records, and no "
                "column says whose a record is",
                remedy=f'{NAME_PERSON}choose algorithm = "mondrian"',
            )
        return
    yield from _column_checks(person, parts["attributes"])
    yield from _method_checks(method)
    yield from _known_records_checks(parts["promises"])
    yield from _known_number_checks(parts["promises"])
    if own.linked:
        yield from _name_checks(parts["attributes"])
        yield from _linked_checks(own, parts["promises"])
        yield from _output_checks(parts.get("output"))
    else:
        for item in parts["promises"]:
            part = promise_of(item)
            if isinstance(part, KNMAnonymity) and part.count == "rank":
                yield Problem(
                    "records-of-people",
                    f"{item.place}.count: people may have values of several "
                    "ranks, and are not counted by rank",
                    remedy='leave it out: count = "class" counts everybody of a class',
                )
            if subjects.get(item.model) == "linked":
                yield Problem(
                    "promise-of-linked-tables",
                    f"{item.place}: {item.model} applies to linked tables",
                    remedy='choose method.algorithm = "k-l-diversity"',
                )


def _visit_checks(parts: PlainMapping, person: str | None) -> Iterator[Problem]:
    """What contradicts itself in what is said of quasi-identifiers of visits."""
    attributes: Mapping[str, Attribute | None] = parts["attributes"]
    visit = {name: item for name, item in attributes.items() if item and item.level == "event"}
    for name, item in visit.items():
        place = place_of(("attributes", name, "level"))
        if item.role != "quasi-identifier":
            yield Problem(
                "wrong-role",
                f"{place}: only quasi-identifiers have a level, and the role is '{item.role}'",
                remedy="take level out of this attribute",
            )
        if person is None:
            yield Problem(
                "person-without-column",
                f"{place}: is 'event', and no column says whose a record is",
                remedy='name it: [source] person = "patient_id", say',
            )
    asked = [item for item in parts["promises"] if item.model == KnownVisit.model]
    if visit and not asked and person is not None:
        yield Problem(
            "no-promise",
            f"promises: none is about {', '.join(visit)}, which others know of a visit",
            remedy=f'add [[promises]] with model = "{KnownVisit.model}" and k = 5',
        )
    if asked and (len(asked) > 1 or set(asked[0].parameters.get("visit", ())) != set(visit)):
        yield Problem(
            "bad-value",
            f"promises: {KnownVisit.model} is promised once, of all attributes with level = "
            '"event", which others may know together',
            remedy="leave out visit, and set level at every attribute of a visit",
        )
    yield from _visits_named(parts, visit)


def _visits_named(parts: PlainMapping, visit: Collection[str]) -> Iterator[Problem]:
    """Where attributes of visits are taken for attributes of people."""
    for part in parts["promises"]:
        for name in part.on or ():
            if name in visit:
                yield Problem(
                    "bad-value",
                    f"{part.place}.on: '{name}' is known of a visit, and "
                    "classes are made of what is known of people",
                    remedy=f"leave it out: {KnownVisit.model} covers it",
                )
    method: Method = parts.get("method") or Method()
    cells = method.cells if isinstance(method.cells, Mapping) else {}
    for name in dict.fromkeys([*cells, *method.objective.weights]):
        if name in visit:
            yield Problem(
                "bad-value",
                f"method: names '{name}', which is published at a level of its hierarchy",
                remedy=f"leave it out, or set weight at [attributes.{toml_key(name)}]",
            )


def _column_checks(person: str, attributes: Mapping[str, Attribute | None]) -> Iterator[Problem]:
    item = attributes.get(person)
    if item is None:
        return
    if item.role != "identifier":
        yield Problem(
            "person-not-identifier",
            f"{place_of(('attributes', person, 'role'))}: is '{item.role}', and the column names "
            "the person",
            remedy='write role = "identifier": a pseudonym made for the release stands there',
        )
    rule = item.transform
    if rule is not None and rule.names != ("pseudonymize",):
        yield Problem(
            "person-transformed",
            f"{place_of(('attributes', person, 'transform'))}: the column of the person gets a "
            "pseudonym made for the release",
            remedy="leave it out, or choose pseudonymize",
        )


def _method_checks(method: Method) -> Iterator[Problem]:
    place, own = "method.algorithm", registered(method)
    if own.sight(method, ()).rows:
        by_objective = method.objective.measure == "rows"
        asked = ("method.objective", "rows") if by_objective else (place, own.name)
        yield Problem(
            "rows-of-people",
            f"{asked[0]}: '{asked[1]}' looks for distinct rows, and does not know whose they are",
            remedy='choose "optimal", which counts people, and no objective "rows"',
        )
    if own.unit == "record":
        yield Problem(
            "records-of-people",
            f"{place}: '{own.name}' moves single records, and people here have many",
            remedy='choose "theta-star", or a partitioning such as "mondrian"',
        )
    if method.mode == "split":
        yield Problem(
            "records-of-people",
            "method.mode: records of one person may have several ranks: they cannot be split",
            remedy='choose mode = "joint"',
        )
    if method.decoys is not None:
        yield Problem(
            "records-of-people",
            "method.decoys: a decoy copies a record, and classes here are made of people",
            remedy="leave decoys out",
        )


def _output_checks(output: Output | None) -> Iterator[Problem]:
    """What is asked of the rows of one table, and linked tables do not heed."""
    idle = {}
    if output is not None and output.suppressed == "keep":
        idle["suppressed"] = "leave suppressed people out"
    if output is not None and not output.shuffle:
        idle["shuffle"] = "have their rows in random order"
    for key, why in idle.items():
        yield Problem(
            "idle-key",
            f"output.{key}: has no effect, as linked tables {why}",
            remedy="leave it out",
        )


def _name_checks(attributes: Mapping[str, Attribute | None]) -> Iterator[Problem]:
    """Columns called as linked tables call their own."""
    published = {
        name: item.role
        for name, item in attributes.items()
        if item is not None and item.role != "identifier"
    }
    many = list(published.values()).count("sensitive") > 1
    for name, role in published.items():
        if name == "bucket" or (many and role == "sensitive" and name in ("attribute", "value")):
            yield Problem(
                "name-taken",
                f"{place_of(('attributes', name))}: linked tables have a column '{name}' of their "
                "own",
                attribute=name,
                remedy="rename the column",
            )


def _linked_checks(own: Registered, promises: tuple[Requirement, ...]) -> Iterator[Problem]:
    known = models()
    for item in promises:
        subject = known[item.model].subject
        foreign = subject == "linked" and item.model not in own.works_towards
        if foreign or subject == "items" or item.model == KNMAnonymity.model:
            yield Problem(
                "other-algorithm",
                f"{item.place}: '{own.name}' does not work towards {item.model}",
                remedy='choose method.algorithm = "k-l-diversity"'
                if foreign
                else "choose an algorithm of one table, such as 'optimal'",
            )


def _known_number_checks(promises: tuple[Requirement, ...]) -> Iterator[Problem]:
    """Whether classes are large enough, and nothing is settled before records are left out."""
    ks = [int(p.parameters["k"]) for p in promises if p.model == KAnonymity.model and p.on is None]
    for item in promises:
        if item.model != KnownNumber.model:
            continue
        k = int(item.parameters["k"])
        if item.on is not None or k > max(ks, default=1):
            yield Problem(
                "classes-too-small",
                f"{item.place}: {item.model} needs classes of {k} people over all "
                "quasi-identifiers",
                remedy=f'add [[promises]] with model = "{KAnonymity.model}" and k = {k}, and '
                "leave on out",
            )
        if any(one.model == KMAnonymity.model for one in promises):
            yield Problem(
                "beside-known-number",
                f"{item.place}: {KMAnonymity.model} is kept before records are left out, and may "
                "be broken then",
                remedy=f'choose model = "{KnownRecords.model}" in its place',
            )


def _known_records_checks(promises: tuple[Requirement, ...]) -> Iterator[Problem]:
    """Promises about items that are generalized class by class, after they were held against."""
    of_items = {item.sensitive for item in promises if item.model == KnownRecords.model}
    seen: set[str | None] = set()
    for item in promises:
        if item.sensitive not in of_items:
            continue
        if item.model == KnownRecords.model and item.sensitive not in seen:
            seen.add(item.sensitive)
            continue
        yield Problem(
            "beside-known-records",
            f"{item.place}: {item.model} of '{item.sensitive}' cannot be "
            f"combined with {KnownRecords.model}, which generalizes these values after classes "
            "are made",
            remedy=f"write both k and bound in one {KnownRecords.model}: its bound is one on the "
            "largest posterior too",
        )


def visit_cautions(policy: Stated) -> Iterator[WarningText]:
    """What promises about sensitive values leave open where others know visits."""
    visit = [name for name, item in policy.attributes.items() if item.level == "event"]
    about = [item.model for item in policy.promises if item.sensitive is not None]
    if visit and about:
        yield Kind.LIMIT(
            f"{', '.join(dict.fromkeys(about))}: only for attackers who know the "
            f"quasi-identifiers of a person; those who also know {', '.join(visit)} of a visit "
            "may learn more"
        )


def comparing_cautions(policy: Stated) -> Iterator[WarningText]:
    """What promises that compare distributions leave open where people have several values."""
    if policy.person is None:
        return
    known = models()
    bounded = {item.sensitive for item in policy.promises if item.model == "max-posterior"}
    for item in policy.promises:
        if known[item.model].compares and item.sensitive not in bounded:
            yield Kind.LIMIT(
                f"{item.place}: {item.model} compares the frequencies of "
                "values; for people with several values it does not bound the belief in one of "
                "them: add max-posterior"
            )
