"""What a person should look at in a table as a whole: rows that are places, too many columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from indistinct.analytics.profile.described import AttributeProfile, Warned
from indistinct.analytics.profile.names import words
from indistinct.analytics.profile.neighbours import FEW
from indistinct.analytics.profile.person_keys import Column
from indistinct.analytics.profile.persons import BLANK_BELOW, Persons, blank_below, filled_once
from indistinct.analytics.profile.record_numbers import FEW_RECORDS, NEARLY_EACH
from indistinct.analytics.profile.safe_harbor import numbers_somebody

MANY_COLUMNS = 60
"""From this many columns on, a policy is shorter that names those to be released alone."""

MANY_QUASI_IDENTIFIERS = 12
"""From this many quasi-identifiers on, a person should look whether all of them are needed."""

_NAMES_OF_PLACES = ("place", "nationality", "stay")
_OF_A_PERSON = ("sex", "birth", "family", "ethnicity", "religion", "occupation")


def _place_of_each_row(items: Sequence[AttributeProfile]) -> str | None:
    """The column of names of places, or of their population, where each row seems to be a place.

    Nearly every row has another one, most other columns are numbers, and none says of a person
    what groups people are in.
    """
    named = [
        item
        for item in items
        if item.about in _NAMES_OF_PLACES and item.kind == "text" and not item.free_text
        and FEW_RECORDS <= item.distinct >= NEARLY_EACH * item.records
    ]  # fmt: skip
    if not named and sum(_says(item, _SHARES | _PEOPLES) for item in items) >= _SEVERAL_SHARES:
        named = [
            item
            for item in items
            if _says(item, _PEOPLES) and FEW_RECORDS <= item.distinct >= NEARLY_EACH * item.records
        ]
    measured = sum(item.kind in ("integer", "float") for item in items)
    grouped = any(
        item.about in _OF_A_PERSON and 1 < item.distinct <= FEW and item.kind != "float"
        for item in items
    )
    somebody = any(numbers_somebody(item.called or item.attribute) for item in items)
    several = measured >= 2 and 2 * measured >= len(items) - len(named)
    return named[0].attribute if named and several and not grouped and not somebody else None


_SHARES = frozenset(
    ("pct", "percent", "percentage", "perc", "rate", "ratio", "per", "share", "prop")
)


_PEOPLES = frozenset(
    ("population", "pop", "popn", "poblacion", "populacao", "inhabitants", "habitantes",
     "habitants", "households", "einwohner", "bevolkerung", "popolazione", "beds", "nufus")
)  # fmt: skip


_SEVERAL_SHARES = 3
"""So many columns of shares, rates and numbers of inhabitants tell of places, not of people."""


def _says(item: AttributeProfile, said: frozenset[str]) -> bool:
    """Whether a column of many numbers has one of these words in its name."""
    numbers = item.kind in ("integer", "float") and item.distinct > FEW
    return numbers and not said.isdisjoint(words(item.called or item.attribute))


def table_warnings(
    items: list[AttributeProfile], persons: Persons | None, beside: Sequence[Column]
) -> Iterator[Warned]:
    """What a person should look at in the table as a whole.

    Arguments:
        items: its columns.
        persons: the people whom its records are of, where they have several.
        beside: its columns as the search for people sees them.
    """
    quasi = [item.attribute for item in items if item.role == "quasi-identifier"]
    if persons is not None:
        yield Warned("people-with-several-records", persons.told)
    else:
        yield from (Warned(BLANK_BELOW, blank_below(one)) for one in filled_once(beside))
    if persons is None and (place := _place_of_each_row(items)):
        yield Warned(
            "rows-are-places",
            f"each row seems to be a place and not a person, as '{place}' is another one in nearly "
            "every row and most columns are numbers: promises count rows, and not the people whom"
            " the numbers are about",
        )
    if not quasi:
        yield Warned(
            "no-quasi-identifier",
            "no quasi-identifier was recognised: name at least one, or nothing protects people",
        )
    if len(items) >= MANY_COLUMNS:
        yield Warned(
            "many-columns",
            f"{len(items)} columns: keep the tables of those that the release needs, take the "
            'other tables and the promises about them out, and write rest = "drop" above the '
            "first table: it leaves out all columns without one",
        )
    if len(quasi) >= MANY_QUASI_IDENTIFIERS:
        yield Warned(
            "many-quasi-identifiers",
            f"{len(quasi)} quasi-identifiers: the more there are, the less of each can be kept;"
            " drop what the release does not need",
        )
