"""Names that large public surveys and registers give to their columns, and what these hold.

``COW`` is the class of worker in a census, and an animal elsewhere. So names of a codebook are read
only where several of its peculiar ones stand in one table.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache

from indistinct.word_lists import lists_of

_SEVERAL = 3
"""So many peculiar names of a codebook show that a table follows it."""

_PECULIAR = re.compile(r"(?![a-z]\d+$).{4,}|v0\d\d")
"""Shorter names, and a letter with a number, stand in other tables as well; hardly v005."""


@cache
def _codebooks() -> tuple[dict[str, str], ...]:
    """The titles of every codebook, by the name of the column in small letters."""
    return tuple(
        {name.lower(): title for title, names in one.items() for name in names.split()}
        for books in lists_of(__file__).values()
        for one in books
    )


_REDCAP = ("redcap_event_name", "redcap_repeat_in", "redcap_data_access_group", "redcap_survey_")
"""Columns that REDCap puts behind the first one, which numbers the records of its project."""


def titles_of(names: Sequence[str]) -> Mapping[str, str]:
    """What the columns of a table hold by the codebook that most of their names are from.

    >>> titles_of(["AGEP", "SCHL", "RAC1P", "COW", "note"])["COW"]
    'class of worker'
    >>> titles_of(["milk", "COW", "hay", "MAR"])
    {}
    >>> titles_of(["study_id", "redcap_event_name", "dob"])
    {'study_id': 'participant id'}
    """
    best: dict[str, str] = {}
    if any(name.startswith(_REDCAP) for name in names):
        return {names[0]: "participant id"}
    most = _SEVERAL - 1
    for book in _codebooks():
        found = {name: book[name.lower()] for name in names if name.lower() in book}
        peculiar = sum(_PECULIAR.fullmatch(name.lower()) is not None for name in found)
        if peculiar > most:
            best, most = found, peculiar
    return best
