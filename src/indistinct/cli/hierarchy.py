"""``indistinct hierarchy``: build a hierarchy from the values of a column, look at it, write it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from indistinct.cli.options import (
    AsJson,
    Data,
    Encoding,
    Force,
    Separator,
    Sheet,
    argument,
    names,
    option,
    refuse_existing,
    source_keys,
)
from indistinct.cli.terminal import Progress, complain, console, print_json, print_table
from indistinct.document import many, shown
from indistinct.errors import DataError, HierarchyError, PolicyError, Problem, did_you_mean, refuse
from indistinct.types import Plain

if TYPE_CHECKING:
    from indistinct.hierarchies.taxonomy import Label, Taxonomy
    from indistinct.sources.table import Table

BUILDER = "What is built (one of them)"
BUILDERS = ("intervals", "equal_frequency", "mask", "date", "code_system")
EXAMPLES = 4
"""How many labels of a level are shown."""


def hierarchy(
    data: Data,
    attribute: Annotated[str, argument("ATTRIBUTE", "The column.")],
    intervals: Annotated[
        float | None, option("WIDTH", "Intervals of that width, then wider.", panel=BUILDER)
    ] = None,
    equal_frequency: Annotated[
        int | None, option("N", "N intervals with about equally many records.", panel=BUILDER)
    ] = None,
    mask: Annotated[
        Literal["right", "left"] | None,
        typer.Option(help="Characters masked one by one from that end.", rich_help_panel=BUILDER),
    ] = None,
    date: Annotated[
        str | None,
        option("LEVELS", "Dates, by levels such as day,month,quarter,year,decade.", panel=BUILDER),
    ] = None,
    code_system: Annotated[
        Literal["icd-9-cm", "icd-10", "atc", "us-zip", "us-state", "country"] | None,
        typer.Option(
            metavar="SYSTEM",
            help="Codes of a system: icd-9-cm, icd-10, atc, us-zip, us-state or country.",
            rich_help_panel=BUILDER,
        ),
    ] = None,
    bottom: Annotated[
        float | None, typer.Option(help="With --intervals: smaller values get one label.")
    ] = None,
    top: Annotated[
        float | None,
        typer.Option(help="With --intervals: this value and larger ones get one label."),
    ] = None,
    levels: Annotated[
        int | None, typer.Option(help="With --intervals or --mask: how many levels to build.")
    ] = None,
    date_format: Annotated[
        str | None, option("FORMAT", "With --date: such as %d.%m.%Y (ISO when not given).")
    ] = None,
    out: Annotated[
        Path | None, option("FILE", "Write the hierarchy file instead of showing it.")
    ] = None,
    force: Force = False,
    separator: Separator = None,
    encoding: Encoding = None,
    sheet: Sheet = None,
    as_json: AsJson = False,
) -> None:
    """Build a hierarchy from the values of ATTRIBUTE, and show it or write it to a file.

    A hierarchy file has one line per value and one column per level; a policy names it with
    hierarchy = { file = "..." }.
    """
    from indistinct.hierarchies.files import write_hierarchy
    from indistinct.hierarchies.preview import describe
    from indistinct.intake.opening import plain_table

    spec = _spec(
        {
            "intervals": _number(intervals),
            "equal_frequency": equal_frequency,
            "mask": mask,
            "date": date,
            "code_system": code_system,
        },
        {
            "bottom": _number(bottom),
            "top": _number(top),
            "levels": levels,
            "format": date_format,
        },
    )
    refuse_existing(out, force=force)
    with Progress(data) as progress:
        progress("reading")
        table = plain_table(data, source_keys(separator, encoding, sheet), data)
        if attribute not in table.columns:
            raise DataError(
                "unknown-attribute",
                f"has no column '{attribute}': {did_you_mean(attribute, table.columns)}",
                file=str(data),
            )
        progress("building")
        uncovered: tuple[Problem, ...] = ()
        try:
            taxonomy = _build(table, attribute, spec)
        except HierarchyError as error:
            uncovered = error.problems
            if out is not None or {item.code for item in uncovered} - _UNCOVERED:
                raise
            taxonomy = _build(table, attribute, spec, uncovered="suppress")
            if {*taxonomy.leaves} <= {*taxonomy.suppressed, None}:
                raise
        if out is not None:
            write_hierarchy(taxonomy, out)
    for problem in uncovered:
        complain("warning", str(problem))
    if as_json:
        told = {"uncovered": [item.to_dict() for item in uncovered]} if uncovered else {}
        print_json({**_document(taxonomy, attribute, spec, out), **told})
    elif out is None:
        _show(taxonomy, attribute)
        for line in describe(taxonomy)[taxonomy.levels + 1 :]:
            console().print(line)
    else:
        console().print(
            f"{out} is written: {many(len(taxonomy.leaves), 'value')}, "
            f"{many(taxonomy.levels, 'level')}. Name it in a policy:\n"
            f'  hierarchy = {{ file = "{out}" }}',
            soft_wrap=True,
        )
        if taxonomy.shown:
            console().print(
                "A file has no ends: level 0 of it publishes the values beyond bottom and top as "
                "they are. Keep the builder in the policy, or write min_level = 1.",
                soft_wrap=True,
            )


def _number(value: float | None) -> float | int | None:
    return int(value) if value is not None and value.is_integer() else value


_FURTHER = {
    "bottom": ("intervals",),
    "top": ("intervals",),
    "levels": ("intervals", "mask"),
    "format": ("date",),
}


def _spec(builders: Plain, further: Plain) -> Plain:
    """What was asked for, as a policy says it."""
    chosen = [name for name in BUILDERS if builders[name] is not None]
    if len(chosen) != 1:
        listed = ", ".join(f"--{name.replace('_', '-')}" for name in BUILDERS)
        raise PolicyError(
            "one-builder",
            f"needs exactly one of {listed}, not {len(chosen)}",
            remedy="for example --intervals 5",
        )
    name = chosen[0]
    settings = {key: value for key, value in further.items() if value is not None}
    problems = [
        Problem(
            "unused-option",
            f"--{'date-format' if key == 'format' else key} goes with "
            f"{' or '.join('--' + builder for builder in _FURTHER[key])} only",
        )
        for key in settings
        if name not in _FURTHER[key]
    ]
    refuse(PolicyError, problems)
    value = builders[name]
    if name == "intervals":
        return {name: {"width": value, **settings}}
    if name == "mask":
        return {name: {"from": value, **settings}}
    if name == "date":
        return {name: {"levels": list(names([value])), **settings}}
    return {name: value}


_UNCOVERED = {"uncovered-value", "unplaced-value"}


def _build(
    table: Table, attribute: str, spec: Plain, uncovered: Literal["error", "suppress"] = "error"
) -> Taxonomy:
    from indistinct.analytics.profile.one_column import count_values
    from indistinct.hierarchies.build import build_taxonomy

    counted = count_values(table, attribute)
    try:
        return build_taxonomy(
            attribute,
            spec,
            counted["value"].to_list(),
            counted[counted.columns[-1]].to_list(),
            directory=Path(),
            missing="value",
            uncovered=uncovered,
            rows_of=lambda values: table.rows_where(attribute, values),
        )
    except HierarchyError as error:
        raise HierarchyError([replace(item, file=table.name) for item in error.problems]) from None


def _levels(taxonomy: Taxonomy) -> list[tuple[Label, ...]]:
    """The distinct labels of each level, in the hierarchy's order."""
    return [tuple(dict.fromkeys(taxonomy.level(level))) for level in range(taxonomy.levels)]


def _document(taxonomy: Taxonomy, attribute: str, spec: Plain, out: Path | None) -> Plain:
    return {
        "attribute": attribute,
        "hierarchy": spec,
        "values": len(taxonomy.leaves),
        "levels": [
            {"level": level, "labels": len(labels), "examples": list(labels[:EXAMPLES])}
            for level, labels in enumerate(_levels(taxonomy))
        ],
        "rows": [list(row) for row in taxonomy.rows()],
        "out": None if out is None else str(out),
    }


def _show(taxonomy: Taxonomy, attribute: str) -> None:
    rows = []
    for level, labels in enumerate(_levels(taxonomy)):
        examples = ["(missing)" if label is None else label for label in labels[:EXAMPLES]]
        more = ["…"] if len(labels) > EXAMPLES else []
        rows.append((str(level), shown(len(labels)), "  ".join([*examples, *more])))
    print_table(("level", "labels", f"{attribute}, for example"), rows, right=("labels",))
