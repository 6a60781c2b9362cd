"""The audit of two linked tables: people with their buckets, and what each bucket lists.

A promise about quasi-identifiers alone is held against the classes of the quasi table. A promise
about sensitive values is held against the buckets: what is believed of a person of a class is an
average over the buckets that the class meets, so that no belief exceeds the largest of a bucket.
Where everybody of a bucket has all that it lists, the values of every person are known with
the row, and the classes of the quasi table are what keeps or breaks a promise.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import polars as pl

from indistinct.document import many
from indistinct.errors import DataError, PolicyError, Problem, refuse
from indistinct.frozen import dataclass
from indistinct.release.audit.check import Check
from indistinct.release.audit.reading import (
    SUPPRESSED,
    Published,
    PublishedTable,
    missing_columns,
)
from indistinct.release.audit.suppressed import verdicts_on_suppressed
from indistinct.release.audit.verdict import SIZE_OF_BUCKET as PEOPLE
from indistinct.release.audit.verdict import (
    Context,
    LinkedTables,
    Verdict,
)
from indistinct.requirement import Requirement

HOLDING = ("one", "some", "all")
"""How the values that a bucket lists belong to its people."""

_ROW, _MEMBER, _LISTED = "\0row", "\0member", "\0listed"

_ITEM = re.compile(r'\s*(?:("(?:[^"\\]|\\.)*")|(\[[^\]"]*\]|[^{},"]*[^{},"\s]))\s*(?:,|$)')
"""A member of a set, in quotes or plain."""


@dataclass(frozen=True)
class Seen:
    """What an audit has looked at: a table, its records, and what became of the promises.

    ``records`` are those of ``texts`` that are not suppressed, and ``suppressed`` the verdicts on
    those that are, as one group. ``torn`` says what is wrong with
    how records, people or tables belong together, ``notes`` what the verdicts rest on.
    """

    table: PublishedTable
    texts: pl.DataFrame
    records: pl.DataFrame
    context: Context
    verdicts: tuple[Verdict, ...]
    suppressed: tuple[Verdict, ...] = ()
    people: int | None = None
    suppressed_people: int | None = None
    torn: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def verdicts_of(
    records: pl.DataFrame,
    promises: Sequence[Requirement],
    context: Context,
    checks: Mapping[str, Check],
) -> tuple[Verdict, ...]:
    """The verdict on each promise; all that is wrong with any of them is told at once.

    Arguments:
        records: the published records as text, without those that are suppressed.
        promises: what is promised.
        context: what checks may need beside the records.
        checks: the check of each model, by its name.
    """
    found: dict[int, Verdict] = {}
    problems: dict[int, Sequence[Problem]] = {}
    # What counts values numbers the classes, and their sizes follow.
    for at in sorted(range(len(promises)), key=lambda at: promises[at].sensitive is None):
        try:
            check = checks[promises[at].model].check
            found[at] = check(records, promises[at], context)
        except PolicyError as error:
            problems[at] = error.problems
    if problems:
        told = [problem for at in sorted(problems) for problem in problems[at]]
        raise PolicyError(list(dict.fromkeys(told)))
    return tuple(found[at] for at in range(len(promises)))


def link_between(published: Published) -> Mapping[str, str] | None:
    """The link between tables called ``quasi`` and ``sensitive`` that both have a bucket."""
    by = "bucket"
    names = {part.name.rpartition("/")[2].split(".")[0]: part for part in published.tables}
    if set(names) != {"quasi", "sensitive"} or published.claims is not None:
        return None
    if any(part.find(by) is None for part in names.values()):
        return None
    return {"quasi": names["quasi"].name, "sensitive": names["sensitive"].name, "by": by}


def audited_link(
    published: Published,
    link: Mapping[str, str],
    promises: Sequence[Requirement],
    context: Context,
    by_model: Mapping[str, Check],
) -> Seen:
    """Two linked tables, held against what was promised of both.

    Arguments:
        published: the tables, as they were read.
        link: how they belong together.
        promises: what was promised.
        context: what is known beside.
        by_model: the check of every privacy model.

    Raises:
        DataError: a table or a column is not there.
        PolicyError: a promise cannot be understood, or counts records.
    """
    by = link["by"]
    tables = {part.name: part for part in published.tables}
    lacking = [link[key] for key in ("quasi", "sensitive") if link[key] not in tables]
    if lacking:
        raise DataError(
            [
                Problem(
                    "no-table",
                    "the release lacks this table, which belongs to it",
                    file=name,
                    remedy="give both tables, or the folder that holds them",
                )
                for name in lacking
            ]
        )
    quasi, sensitive = tables[link["quasi"]], tables[link["sensitive"]]
    names = list(dict.fromkeys(part.sensitive for part in promises if part.sensitive))
    require_columns(quasi, [*context.quasi, by])
    texts = quasi.texts([*context.quasi, by])
    hidden = texts.select(
        pl.all_horizontal(pl.col(name).eq_missing(SUPPRESSED) for name in context.quasi)
    ).to_series()
    shown = texts.filter(~hidden)
    records = shown if shown.height else texts
    listed = {name: listed_values(sensitive, name, by) for name in names}
    holding = link.get("holding") or _guessed(texts, listed, by, promises)
    if holding not in HOLDING:
        raise PolicyError(
            "bad-link", f"the values of a bucket belong to it as {HOLDING}, not {holding}"
        )
    # People who are * in every quasi-identifier are among the people of a bucket all the same.
    both = LinkedTables({"all": records}.get(holding, texts), listed, by, holding)
    context = replace(context, linked=both)
    refuse(PolicyError, list(_not_shown(promises, by_model)))
    verdicts: list[Verdict] = []
    for part in promises:
        counts = by_model[part.model].check.counts
        if part.sensitive is None or counts in ("units", "people", "linked"):
            verdicts += verdicts_of(records, [part], context, by_model)
            continue
        if holding == "all":
            frame, seen = _with_values(records, listed[part.sensitive], by, context)
        else:
            frame = listed[part.sensitive]
            seen = replace(context, quasi=(by,))
            sets = _of_sets(frame) if holding == "one" else None
            if sets is not None and counts == "shares":
                # Other rows than those of other promises: nothing counted is shared with them.
                frame = sets
                seen = replace(seen, person=_ROW, linked=None, _sizes={}, _counts={})
            elif sets is not None:
                seen = replace(seen, members=(sets, _ROW))
        (verdict,) = verdicts_of(frame, [replace(part, on=None)], seen, by_model)
        verdicts.append(replace(verdict, requirement=part))
    return Seen(
        table=quasi,
        texts=texts,
        records=shown,
        context=context if shown.height else replace(context, _sizes={}, _counts={}),
        verdicts=tuple(verdicts),
        suppressed=tuple(verdicts)
        if texts.height and not shown.height
        else verdicts_on_suppressed(texts, hidden, promises, context, by_model),
        people=shown.height,
        torn=tuple(_unlike(both)),
        notes=() if "holding" in link else (_taken(holding),),
        beside=tuple(name for name in quasi.columns if name not in (*context.quasi, by)),
    )


def _not_shown(promises: Sequence[Requirement], checks: Mapping[str, Check]) -> Iterable[Problem]:
    """The promises that linked tables do not show, so that nothing can be said of them."""
    for part in promises:
        if checks[part.model].check.counts in ("items", "combinations", "visits"):
            yield Problem(
                "not-of-linked-tables",
                f"promise '{part.model}' applies to people's sets of items, which linked tables "
                "do not show",
                remedy="audit it on a release of one table with a pseudonym for every person",
            )


def listed_values(table: PublishedTable, name: str, by: str) -> pl.DataFrame:
    """The rows of the sensitive table of one attribute: columns ``by`` and the attribute.

    Arguments:
        table: the sensitive table.
        name: the attribute.
        by: the column that links the two tables.
    """
    if table.find(name) is not None:
        require_columns(table, [by])
        return table.texts([by, name], [name])
    require_columns(table, [by, "attribute", "value"])
    rows = table.texts([by, "attribute", "value"], ["value"]).filter(pl.col("attribute") == name)
    if rows.is_empty():
        raise DataError(
            "missing-column",
            "the release lists no values of this attribute",
            file=table.name,
            attribute=name,
        )
    return rows.select(by, pl.col("value").alias(name))


def require_columns(table: PublishedTable, names: Sequence[str]) -> None:
    """Raise :class:`DataError` for columns that a table of a release lacks."""
    refuse(DataError, missing_columns(table, names))


def _guessed(
    records: pl.DataFrame,
    listed: Mapping[str, pl.DataFrame],
    by: str,
    promises: Sequence[Requirement],
) -> str:
    """How the values of a bucket seem to belong to its people, where nobody says.

    Fingerprints are what everybody of a bucket has. Else it is told by whether every bucket lists
    as many values as it has people.
    """
    if any(part.model == "kl-diversity" for part in promises):
        return "all"
    people = records.group_by(by).len(_LISTED).sort(by)
    return (
        "one"
        if all(part.group_by(by).len(_LISTED).sort(by).equals(people) for part in listed.values())
        else "some"
    )


def _taken(holding: str) -> str:
    """What an audit took for granted of the buckets."""
    what = {
        "one": "everybody of a bucket has one of the values that it lists",
        "some": "a bucket lists a value once for each person who has it",
        "all": "everybody of a bucket has all the values that it lists",
    }
    return f"nothing says how values belong to people; taken was that {what[holding]}"


def _with_values(
    records: pl.DataFrame, listed: pl.DataFrame, by: str, context: Context
) -> tuple[pl.DataFrame, Context]:
    """A row for every person and value of the person's bucket."""
    rows = records.with_row_index(_ROW).with_columns(pl.col(_ROW).cast(pl.String))
    held = rows.join(listed, on=by, how="left", maintain_order="left")
    return held, replace(context, person=_ROW, linked=None)


def _of_sets(listed: pl.DataFrame) -> pl.DataFrame | None:
    """A row for every member of every row's set, numbered by row; None where no value is a set.

    Where people have a set of values, ``{cough, "pain, chest"}``, belief in a value is belief in
    any set that holds it.
    """
    name = listed.columns[-1]
    members = {value: _members(value) for value in listed[name].unique().to_list()}
    if members == {value: (value,) for value in members}:
        return None
    table = pl.DataFrame(
        [(value, member) for value, part in members.items() for member in part],
        {name: pl.String, _MEMBER: pl.String},
        orient="row",
    )
    rows = listed.with_row_index(_ROW).with_columns(pl.col(_ROW).cast(pl.String))
    held = rows.join(table, on=name, how="left", nulls_equal=True, maintain_order="left")
    return held.drop(name).rename({_MEMBER: name})


def _members(text: str | None) -> tuple[str | None, ...]:
    """The values of a set as it is written; of anything else the text itself."""
    if text is None or not (text.startswith("{") and text.endswith("}")):
        return (text,)
    found: list[str | None] = []
    rest = text[1:-1]
    while rest:
        item = _ITEM.match(rest)
        if item is None:
            return (text,)
        quoted, plain = item[1], item[2]
        found.append(
            json.loads(quoted) if quoted is not None else None if plain == "missing" else plain
        )
        rest = rest[item.end() :]
    return tuple(dict.fromkeys(found)) or (text,)


def _unlike(both: LinkedTables) -> Iterable[str]:
    """What of the two tables does not belong together, in sentences."""
    people = both.people()
    for name, part in both.sensitive.items():
        listed = part.group_by(both.by).len(_LISTED)
        found = people.join(listed, on=both.by, how="full", nulls_equal=True)
        lost = found.filter(pl.col(PEOPLE).is_null() | pl.col(_LISTED).is_null()).height
        if lost:
            yield f"{many(lost, 'bucket is')} in one of the tables only ('{name}')"
        if both.holding == "one":
            differ = found.filter(pl.col(PEOPLE) != pl.col(_LISTED)).height
            if differ:
                yield f"{many(differ, 'bucket lists')} more or fewer values than people"
        values = part.group_by(part.columns).len(_LISTED).join(people, on=both.by)
        if both.holding == "some":
            few = found.filter(pl.col(PEOPLE) > pl.col(_LISTED)).height
            if few:
                yield f"{many(few, 'bucket lists')} fewer values than people"
            often = values.filter(pl.col(_LISTED) > pl.col(PEOPLE)).height
            if often:
                yield f"{many(often, 'value is')} listed more often than a bucket has people"
