"""From what a policy says of an attribute's hierarchy, and its values, to its taxonomy."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, NamedTuple

from indistinct.document import many
from indistinct.errors import HierarchyError, PolicyError, Problem, did_you_mean
from indistinct.hierarchies import (
    code_systems,
    dates,
    equal_frequency,
    intervals,
    masking,
    ordered,
    tree,
)
from indistinct.hierarchies.domain import RowsOf, texts, unplaced
from indistinct.hierarchies.files import read_hierarchy
from indistinct.hierarchies.settings import Settings, unknown, wrong
from indistinct.hierarchies.suppression import suppression_taxonomy
from indistinct.hierarchies.taxonomy import SUPPRESSED, Label, Missing, Taxonomy
from indistinct.types import Plain, PlainMapping

Spec = str | PlainMapping | Taxonomy | None
"""The policy's ``hierarchy``: a table with one builder, ``"suppress"``, a taxonomy, or nothing."""

SUPPRESS = "suppress"
BESIDE_FILE = ("separator", "encoding")

FINEST: tuple[str, ...] = (
    *("0", "2000-01-01T10:20:00", "2000-01-01", "1.1.2000 10:20", "1.1.2000"),
    *("A00.0000", "001.00", "A10BA02", "02139-4307", "ME", "ML"),
)
"""Values as exact as numbers, dates and codes of each system can be."""


class _Builder(NamedTuple):
    """How a builder of the policy is called."""

    check: Callable[[Any], list[Problem]]
    short: Mapping[type, str] = {}
    """The setting that is meant when not a table but a plain value of that type is given."""

    whole: bool = False
    """Whether the value is given as it is, not as a table of settings."""

    unreadable: Callable[..., list[str]] | None = None
    kind: str = ""
    states: Mapping[str, object] = {}
    """Settings that, where they are all given, leave nothing to the values of a table, with
    examples; None as the example of a builder that always looks at them."""


def _check_file(settings: Settings) -> list[Problem]:
    problems = unknown("file", settings, ("file", *BESIDE_FILE))
    file = settings.get("file")
    if not isinstance(file, str) or not file:
        problems.append(wrong("file", f"must be the name of a file, not {file!r}"))
    for key in BESIDE_FILE:
        value = settings.get(key)
        if value is not None and not isinstance(value, str):
            problems.append(wrong("file", f"{key} must be a text, not {value!r}"))
    separator = settings.get("separator")
    if isinstance(separator, str) and len(separator) != 1:
        problems.append(wrong("file", f"separator must be one sign, not {separator!r}"))
    return problems


_BUILDERS: Mapping[str, _Builder] = {
    "file": _Builder(_check_file, {str: "file"}),
    "intervals": _Builder(
        intervals.check,
        {int: "width", float: "width"},
        unreadable=intervals.unreadable,
        kind="a number",
        states={"levels": 3},
    ),
    "equal_frequency": _Builder(
        equal_frequency.check,
        {int: "bins"},
        unreadable=equal_frequency.unreadable,
        kind="a number",
        states={"intervals": None},
    ),
    "mask": _Builder(masking.check, states={"length": 5, "levels": 4, "keep": 1}),
    "date": _Builder(
        dates.check,
        {list: "levels", str: "format"},
        unreadable=dates.unreadable,
        kind="a date in the format '{format}'",
        states={"levels": ["month", "year"]},
    ),
    "order": _Builder(ordered.check, {list: "values"}),
    "code_system": _Builder(
        code_systems.check,
        {str: "name"},
        unreadable=code_systems.unreadable,
        kind="a code of {name}",
        states={"levels": ["chapter"]},
    ),
    "tree": _Builder(tree.check, whole=True),
}

_ALONE = {
    "intervals": "5",
    "equal_frequency": "5",
    "mask": "{}",
    "date": "{}",
    "code_system": '"icd-10"',
}
"""What a builder is given that is written like a word, as an example."""

BUILDERS = tuple(_BUILDERS)
"""What a policy can name as a builder."""


def validate_spec(spec: Spec, attribute: str | None = None) -> list[Problem]:
    """What is wrong with a policy's ``hierarchy``, without looking at data or files."""
    if isinstance(spec, Taxonomy):
        return []
    _, _, problems = _parsed(spec)
    return [replace(problem, attribute=attribute) for problem in problems]


def needs_counts(spec: Spec) -> bool:
    """Whether a hierarchy depends on how many records have each value."""
    return isinstance(spec, Mapping) and "equal_frequency" in spec


def looks_at_table(spec: Spec) -> str | None:
    """What a hierarchy takes from the values of a table, in words, with what to write in its place.

    None where its levels and labels follow from the policy and each value by itself.

    >>> looks_at_table({"intervals": 5})
    'intervals: its levels follow from the values: write levels = 3, say'
    >>> looks_at_table({"intervals": {"width": 5, "levels": 2}}), looks_at_table("suppress")
    (None, None)
    """
    if isinstance(spec, Taxonomy):
        return None
    name, settings, problems = _parsed(spec)
    wanted = {} if problems or name == SUPPRESS else _BUILDERS[name].states
    if None in wanted.values():
        return f"{name}: its bounds follow from the values: choose {' or '.join(wanted)}"
    lacking = {key: example for key, example in wanted.items() if not settings.get(key)}
    if not lacking:
        return None
    written = ", ".join(f"{key} = {json.dumps(example)}" for key, example in lacking.items())
    return f"{name}: its levels follow from the values: write {written}, say"


def finest_values(spec: Spec) -> tuple[str, ...]:
    """Values with which a hierarchy has all levels that its settings allow, whatever a table has.

    Dates that are known to the month have no level of months, and a column in which all is missing
    has none of numbers: one value more would add them. None are needed where levels are declared.

    >>> finest_values({"date": {"levels": ["month", "year"]}}), finest_values({"tree": {}})
    (('2000-01-01T10:20:00', '2000-01-01'), ())
    """
    name, settings, problems = ("", {}, []) if isinstance(spec, Taxonomy) else _parsed(spec)
    if problems or name in ("", "file", "order", "tree"):
        return ()
    builder = _BUILDERS.get(name)
    if builder is None or builder.unreadable is None:
        return FINEST[:1]
    known: tuple[str, ...] = FINEST
    if "%" in settings.get("format", ""):
        known = (datetime(2000, 1, 1, 10, 20, tzinfo=UTC).strftime(settings["format"]),)
    bad = builder.unreadable(known, **settings)
    return tuple(value for value in known if value not in bad)


def build_taxonomy(  # noqa: PLR0913, what a policy says of an attribute, key by key
    attribute: str,
    spec: Spec,
    values: Sequence[Label],
    counts: Sequence[int] | None = None,
    *,
    directory: str | Path,
    missing: Missing = "value",
    uncovered: Literal["error", "suppress"] = "error",
    rows_of: RowsOf | None = None,
) -> Taxonomy:
    """The taxonomy of an attribute, covering every value of the data.

    The value ``*`` is taken for one that was suppressed before, unless the hierarchy has it.

    Arguments:
        attribute: the attribute's name.
        spec: the policy's ``hierarchy``; ``"suppress"`` and None stand for publishing a value or
            ``*``; a taxonomy is taken as it is.
        values: the distinct canonical texts in the data, None for missing.
        counts: number of records with each value; needed where :func:`needs_counts` says so.
        directory: what file names are relative to.
        missing: whether a missing value is a value of its own (it joins the root on the highest
            level) or suppressed; see :meth:`Taxonomy.extended`.
        uncovered: whether a value that the hierarchy does not cover is an error, or suppressed.
        rows_of: gives the record numbers where values stand, for messages.

    Raises:
        PolicyError: when the specification makes no sense.
        HierarchyError: when the hierarchy is no tree, its file cannot be read, there are no values,
            or some are not covered.
    """
    given = isinstance(spec, Taxonomy)
    if needs_counts(spec) and counts is None:
        raise ValueError("intervals of equal frequency need the number of records of each value")
    name, settings, problems = ("", {}, []) if given else _parsed(spec)
    if problems:
        raise PolicyError([replace(problem, attribute=attribute) for problem in problems])

    usable = list(values)
    builder = _BUILDERS.get(name)
    if builder is not None and builder.unreadable is not None:
        bad = set(builder.unreadable(texts(values), **settings))
        if bad and uncovered == "error":
            kind = "a whole number" if settings.get("style") == "range" else builder.kind
            kind = kind.format(**{"format": "iso"} | settings)
            own = settings.get("format", "iso")
            first = dates.how_written(texts(values), own) if name == "date" else ""
            raise unplaced(attribute, len(bad), kind, _rows(rows_of, bad, values), first=first)
        usable = [value for value in values if value not in bad]

    base: Taxonomy | None
    if isinstance(spec, Taxonomy):
        base = spec
    elif name in ("file", "order", "tree"):
        base = _declared(attribute, name, settings, Path(directory))
    elif texts(usable):
        weights = dict(zip(values, counts, strict=True)) if counts is not None else {}
        base = _made(attribute, name, settings, usable, [weights.get(value, 1) for value in usable])
    else:
        base = None

    outside = [
        value for value in values if value is not None and (base is None or not base.covers(value))
    ]
    strangers = [value for value in outside if value != SUPPRESSED]
    if strangers and uncovered == "error":
        raise HierarchyError(
            "uncovered-value",
            f"{many(len(strangers), 'distinct value is')} not in the hierarchy"
            + (f" of {Path(settings['file']).name}" if name == "file" else ""),
            attribute=attribute,
            rows=_rows(rows_of, set(strangers), values),
            remedy='add what is missing to the hierarchy, or set uncovered = "suppress" for '
            "the attribute",
        )
    absent = missing if None in values else None
    if base is None:
        return _without_values(attribute, absent, outside)
    return base.extended(absent, outside)


def _parsed(spec: object) -> tuple[str, Plain, list[Problem]]:
    """The builder's name, its settings (a copy), and what is wrong."""
    if spec is None or spec == SUPPRESS:
        return SUPPRESS, {}, []
    if isinstance(spec, str):
        key, value = (spec, _ALONE[spec]) if spec in _ALONE else ("file", f'"{spec}"')
        what = "this builder" if spec in _ALONE else "a file"
        remedy = (
            f'"{SUPPRESS}" is the only word; for {what} write hierarchy = {{ {key} = {value} }}'
        )
        return "", {}, [Problem("unknown-hierarchy", f"no hierarchy '{spec}'", remedy=remedy)]
    if not isinstance(spec, Mapping):
        return "", {}, [_no_builder(f"hierarchy must be a table, not {spec!r}")]
    named = [name for name in spec if name in _BUILDERS]
    others = [str(name) for name in spec if name not in _BUILDERS and "file" not in spec]
    problems = [
        Problem(
            "unknown-hierarchy",
            f"no hierarchy builder '{name}': {did_you_mean(name, BUILDERS)}",
        )
        for name in others
    ]
    if len(named) > 1:
        problems.append(_no_builder(f"one hierarchy, but {' and '.join(named)} are given"))
    if not named and not others:
        problems.append(_no_builder("the hierarchy names no builder"))
    if problems:
        return "", {}, problems

    name = named[0]
    builder = _BUILDERS[name]
    given = spec[name]
    if name == "file":
        settings = dict(spec)
    elif builder.whole:
        return name, {"tree": given}, builder.check(given)
    elif isinstance(given, Mapping):
        settings = dict(given)
    else:
        kind = list if isinstance(given, tuple) else type(given)
        if kind not in builder.short:
            return name, {}, [wrong(name, f"must be a table of settings, not {given!r}")]
        settings = {builder.short[kind]: given}
    settings = {key: value for key, value in settings.items() if value is not None}
    return name, settings, builder.check(settings)


def _no_builder(message: str) -> Problem:
    return Problem(
        "unknown-hierarchy", message, remedy=f'give one of {", ".join(BUILDERS)}, or "{SUPPRESS}"'
    )


def _declared(attribute: str, name: str, settings: Plain, directory: Path) -> Taxonomy:
    """A hierarchy that is written down, independent of the data."""
    if name == "file":
        return read_hierarchy(
            directory / settings["file"],
            attribute,
            settings.get("separator"),
            encoding=settings.get("encoding"),
        )
    if name == "order":
        return ordered.ordered_taxonomy(attribute, **settings)
    return tree.tree_taxonomy(attribute, settings["tree"])


def _made(
    attribute: str,
    name: str,
    settings: Plain,
    values: Sequence[Label],
    counts: Sequence[int],
) -> Taxonomy:
    """A hierarchy over the values of the data."""
    if name == "intervals":
        return intervals.intervals_taxonomy(attribute, values, **settings)
    if name == "equal_frequency":
        named = {key: value for key, value in settings.items() if key != "ends"}
        made = equal_frequency.equal_frequency_taxonomy(attribute, values, counts, **named)
        return made if settings.get("ends") == "closed" else equal_frequency.opened(made)
    if name == "mask":
        named = {"side" if key == "from" else key: value for key, value in settings.items()}
        return masking.masking_taxonomy(attribute, values, **named)
    if name == "date":
        return dates.dates_taxonomy(attribute, values, **settings)
    if name == "code_system":
        return code_systems.code_systems_taxonomy(attribute, values, **settings)
    return suppression_taxonomy(attribute, values)


def _without_values(attribute: str, missing: Missing | None, outside: Sequence[str]) -> Taxonomy:
    """The hierarchy of a column where nothing, or nothing usable, is given."""
    chains = [(None, SUPPRESSED)] if missing == "value" else []
    suppressed = [*([None] if missing == "suppress" else []), *outside]
    return Taxonomy(attribute, chains, suppressed=suppressed)


def _rows(rows_of: RowsOf | None, wanted: set[str], values: Sequence[Label]) -> tuple[int, ...]:
    return rows_of([value for value in values if value in wanted]) if rows_of else ()
