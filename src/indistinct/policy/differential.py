"""What goes with differential privacy: nothing is published that looks at the table otherwise."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from indistinct._sections import place_of
from indistinct.document import in_quotes
from indistinct.errors import Problem
from indistinct.hierarchies.build import looks_at_table
from indistinct.policy.sections import Attribute, Method, Output, Source
from indistinct.privacy.differential_privacy import DifferentialPrivacy
from indistinct.privacy.promise import known_promise
from indistinct.requirement import Requirement
from indistinct.types import PlainMapping

MODEL = DifferentialPrivacy.model


def differential_checks(parts: PlainMapping) -> Iterator[Problem]:
    """What a policy that promises differential privacy says that would break it."""
    asked = [item for item in parts["promises"] if item.model == MODEL]
    if not asked:
        return
    yield from _promise_checks(asked, parts["promises"])
    attributes: Mapping[str, Attribute | None] = parts["attributes"]
    for name, item in attributes.items():
        if item is not None:
            yield from _attribute_checks(name, item)
    if parts.get("rest") == "keep":
        yield _broken(("rest",), "publishes columns as they are", 'write rest = "drop"')
    if (parts.get("source") or Source()).decimal == ",":
        why = "reads the numbers of a column by whether all of its cells are some"
        yield _broken(("source", "decimal"), why, "leave it out, and write decimal points")
    output: Output = parts.get("output") or Output()
    if output.suppressed == "keep":
        why = "tells how many records there were"
        yield _broken(("output", "suppressed"), why, "leave it out")
    if not output.shuffle:
        yield _broken(("output", "shuffle"), "tells which records stayed", "leave it out")
    method: Method = parts.get("method") or Method()
    if method.decoys is not None:
        yield _broken(("method", "decoys"), "depends on single records", "leave them out")
    yield from _search_checks(asked, attributes)


def _broken(place: tuple[str, ...], why: str, remedy: str) -> Problem:
    return Problem(
        "not-differential", f"{place_of(place)}: {why}, which '{MODEL}' rules out", remedy=remedy
    )


def _promise_checks(
    asked: list[Requirement], promises: tuple[Requirement, ...]
) -> Iterator[Problem]:
    """Other promises than of sizes, and a part of what is published."""
    known = [(item, known_promise(item)) for item in promises]
    for item, made in known:
        if made is not None and (item.on is not None or made.largest_violating_size is None):
            about = (
                "some quasi-identifiers" if item.on is not None else "more than sizes of classes"
            )
            yield Problem(
                "not-differential",
                f"promise '{item.model}' is about {about}, and '{MODEL}' asks that records are "
                "left out by the sizes of classes alone",
                remedy="leave it out",
            )
    if len(asked) > 1:
        yield Problem(
            "not-differential",
            f"'{MODEL}' is promised {len(asked)} times",
            remedy="leave one: the smaller epsilon and delta say more",
        )


def _attribute_checks(name: str, item: Attribute) -> Iterator[Problem]:
    """What is published of a column beside levels that are chosen by chance."""
    place = ("attributes", name)
    if item.role in ("sensitive", "insensitive"):
        yield _broken(
            (*place, "role"),
            f"'{item.role}' publishes values as they are",
            'write role = "quasi-identifier", with a hierarchy, or "identifier" to leave it out',
        )
    if item.transform is not None:
        yield _broken(
            (*place, "transform"), "publishes what may depend on other records", "leave it out"
        )
    looks = looks_at_table(item.hierarchy) if item.role == "quasi-identifier" else None
    if looks is not None:
        what, remedy = looks.rsplit(": ", 1)
        yield _broken((*place, "hierarchy"), what.removeprefix("hierarchy "), remedy)


def _search_checks(
    asked: list[Requirement], attributes: Mapping[str, Attribute | None]
) -> Iterator[Problem]:
    """Whether something is spent on levels if, and only if, levels are chosen."""
    quasi = {
        name: item
        for name, item in attributes.items()
        if item is not None and item.role == "quasi-identifier"
    }
    stated = [name for name, item in quasi.items() if item.min_level == item.max_level]
    for item in asked:
        made = known_promise(item)
        if not isinstance(made, DifferentialPrivacy):
            continue
        if made.search and quasi and len(stated) == len(quasi):
            yield Problem(
                "idle-key",
                f"promises: {MODEL} spends {made.search:g} of epsilon on levels, and all of them "
                "are stated",
                remedy="write search = 0",
            )
        if not made.search and len(stated) < len(quasi):
            free = [name for name in quasi if name not in stated]
            yield Problem(
                "not-differential",
                f"promises: search = 0 leaves no epsilon to choose the level of {in_quotes(free)}",
                remedy="write min_level and max_level alike, or leave search out",
            )
