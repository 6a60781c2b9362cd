"""What each column of a table looks like, and which role and hierarchy that suggests.

A role is never guessed for a release: what is suggested here is a draft with its reasons, for a
person to correct. Values speak first, names second, and the columns around it speak for a column of
which neither does. Everything is computed from how often each value of a column occurs, which the
engine that holds the table counts. No value of a column is told, but for the categories of a
quasi-identifier that has few, what lies within another column, and what stands for a missing value.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from indistinct.analytics.profile.about_tables import table_warnings
from indistinct.analytics.profile.by_the_table import (
    as_count,
    at_school,
    at_work,
    counter,
    of_a_visit,
    of_sets_of_items,
    of_the_design,
    with_counters,
    with_epoch,
    with_items,
    with_units,
    without_codes,
)
from indistinct.analytics.profile.codebooks import titles_of
from indistinct.analytics.profile.counted import column_of_counts, told_of_counts
from indistinct.analytics.profile.described import AttributeProfile, Profile, Warned, tells_apart
from indistinct.analytics.profile.missing_codes import missing_codes
from indistinct.analytics.profile.names import without_prefix
from indistinct.analytics.profile.neighbours import Neighbour, settled
from indistinct.analytics.profile.one_column import FREE, Look, in_role, look_at, share_of, telling
from indistinct.analytics.profile.person_keys import Column, Numbering, counting
from indistinct.analytics.profile.persons import keys_of_people, persons_of
from indistinct.analytics.profile.record_numbers import K
from indistinct.analytics.profile.relations import with_relations, with_trees
from indistinct.document import in_quotes
from indistinct.sources.engines import open_table
from indistinct.sources.table import Table, holds_codes_of_questions
from indistinct.types import Frame


def profile(data: Frame, name: str = "table", *, columns: Sequence[str] | None = None) -> Profile:
    """Look at every column of a table, and suggest a role and a hierarchy for it.

    Arguments:
        data: A :class:`~indistinct.sources.table.Table`, or any frame that
            :func:`~indistinct.sources.engines.open_table` takes.
        name: What messages call a frame.
        columns: The columns to look at; all where not given. Of some it is not said which follow
            from others.

    Raises:
        DataError: For something that is no table, or a table without records.
    """
    is_table = hasattr(data, "rows_where") and hasattr(data, "kinds")
    table: Table = data if is_table else open_table(data, name)
    records = table.height()
    names = table.columns if columns is None else columns
    called = without_prefix(names)
    looks = {column: look_at(table, column, records, called[column]) for column in names}
    for column, title in {**titles_of(names), **table.titles}.items():
        if column in looks:
            by_title = look_at(table, column, records, title)
            looks[column] = telling(looks[column], by_title, title)
    codes = missing_codes({column: look.far for column, look in looks.items()})
    looks |= {
        column: look_at(table, column, records, looks[column].item.called, texts)
        for column, texts in codes.items()
    }
    beside = [_beside(look) for look in looks.values()]
    keys = keys_of_people(table, beside)
    items = [_numbering(look.item, keys) for look in looks.values()]
    items = at_work(table, at_school(table, with_epoch(table, items), looks), looks)
    items = with_trees(table, _with_neighbours(table, items, looks, bool(keys)))
    # Of some columns the roles are asked for, and not what to leave out of all.
    items = with_relations(table, items) if columns is None else items
    items = without_codes(table, with_units(items, looks))
    beside = [replace(one, role=item.role) for one, item in zip(beside, items, strict=True)]
    persons = persons_of(table, beside, keys)
    if persons is not None and persons.sure:
        number = next(one for one in beside if one.name == persons.column)
        unsure = {item.attribute for item in items if not item.sure}
        counters = counting(table, number, [one for one in beside if one.name in unsure])
        aged = [of_a_visit(table, item, persons) for item in items]
        known = aged != items
        if known:
            persons = replace(persons, differing=(*persons.differing, *counters))
        items = [
            counter(item, persons, known) if item.attribute in counters else item for item in aged
        ]
        items = [of_the_design(table, item, persons, known) for item in items]
        items = [with_items(table, item) if item.role == "sensitive" else item for item in items]
        items = of_sets_of_items(table, items, persons)
    else:
        items = with_counters(table, items, beside)
    counts = column_of_counts(table, list(names)) if persons is None else None
    items = [as_count(item) if item.attribute == counts else item for item in items]
    warnings = list(table_warnings(items, persons, beside))
    if counts is not None:
        warnings.insert(0, Warned("counted-rows", told_of_counts(counts)))
    if any(holds_codes_of_questions(look.sample) for look in looks.values()):
        warnings.insert(0, Warned("further-heads", _FURTHER_HEADS))
    return Profile(table.name, records, tuple(items), tuple(warnings), persons)


_FURTHER_HEADS = (
    "the first two records are the questions and the codes that Qualtrics writes below the names "
    "of the columns, and no answers: take them out of the file"
)


SUSPECTED = 2 * K
"""A column with fewer values than one for so many records need not be looked at closely.

Where half of the records have a value that fewer than K share, there is a value for 2 (K - 1) of
them; the rest is what an approximate count may miss.
"""


def nearly_unique(table: Table, columns: Iterable[str]) -> list[str]:
    """Which of these columns tell most records apart, or almost, each by itself.

    The rule is that of :attr:`AttributeProfile.nearly_unique`.
    """
    found = []
    columns = list(columns)
    about = table.about(columns)
    for column in columns:
        filled, values = about[column]
        if values * SUSPECTED < filled:
            continue
        if tells_apart(filled, values // 2, 0.0):  # about so many: no estimate is twice too high
            found.append(column)
            continue
        filled, values, rare = table.tally(column, K)
        if tells_apart(filled, values, share_of(rare, filled)):
            found.append(column)
    return found


def _with_neighbours(
    table: Table, items: Sequence[AttributeProfile], looks: Mapping[str, Look], people: bool
) -> list[AttributeProfile]:
    """The columns, with the roles that the columns around them suggest."""
    told = settled(
        table,
        [
            Neighbour(
                name=item.attribute,
                role=item.role,
                about=item.about,
                kind=item.kind,
                distinct=item.distinct,
                filled=item.records - item.missing,
                values=looks[item.attribute].values,
                sure=item.sure,
                sample=looks[item.attribute].sample,
                gaps=item.missing > 0,
                left_out=item.left_out,
                tokens=tuple(item.missing_tokens),
                measured=looks[item.attribute].measured,
                wordy=item.free_text and item.reasons == (FREE,),
            )
            for item in items
        ],
        patients=any(tag.kind.name == "medical-record" for item in items for tag in item.tags),
        people=people,
    )
    return [
        in_role(table, item, looks[item.attribute].read, *told[item.attribute])
        if item.attribute in told
        else item
        for item in items
    ]


def _beside(look: Look) -> Column:
    item = look.item
    return Column(
        name=item.attribute,
        about=item.about,
        kind=item.kind,
        distinct=item.distinct,
        filled=item.records - item.missing,
        tokens=tuple(item.missing_tokens),
        coded=bool((look.sample.str.contains(r"\d").mean() or 0) >= 0.5),  # type: ignore[operator]
        signed=item.kind == "integer" and bool(look.sample.str.starts_with("-").any()),
        records=item.records,
        role=item.role,
        tags=item.tags,
        left_out=item.left_out,
    )


def _numbering(item: AttributeProfile, keys: Mapping[str, Numbering]) -> AttributeProfile:
    """The column, left out where others show that it numbers people."""
    shown = keys[item.attribute].shown if item.attribute in keys else ()
    if not shown or (item.role == "identifier" and not item.left_out):
        return item
    names = in_quotes(shown)
    why = f"it seems to number people: {names} hardly ever differ between its records"
    return replace(item, role="identifier", reasons=(why,), warnings=(), sure=True)
