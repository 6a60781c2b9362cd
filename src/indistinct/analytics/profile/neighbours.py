"""Roles of columns that neither name nor values speak for, from the columns around them.

PNEUMONIA, COPD, ASTHMA, DIABETES: recognizing one of them is enough, since they stand side
by side and have the same values. So it is with a column that is called like another but for a
letter or a number (``race`` and ``drace``), with one that follows from another, with numbers of
people that stand in a second column, and with whatever stands in a table about health.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from itertools import combinations, groupby, islice, pairwise, product

import numpy as np
import polars as pl

from indistinct.analytics.profile.concepts import Role, concept_named, concept_of
from indistinct.analytics.profile.contents import content_of
from indistinct.analytics.profile.names import (
    apart,
    names_one_of,
    of_questions,
    phrases,
    says_nothing,
    words,
)
from indistinct.analytics.profile.person_keys import differences
from indistinct.analytics.profile.persons import NUMBERS, PEOPLE, STAYS
from indistinct.analytics.profile.safe_harbor import names_a_doorstep, numbers_things
from indistinct.analytics.profile.values import read_values
from indistinct.frozen import dataclass
from indistinct.sources.table import COUNT, Table, count_column
from indistinct.types import Ints

NEAR = 5
"""Columns that are so far apart, at most, stand side by side."""

FEW = 12
"""Columns with no more values than this are alike if their values are the same."""

MOST_BESIDE = 20
"""Ages, days and other quasi-identifiers that each column of a wide table is held against."""

MOST_TELLERS = 4
"""Columns of which it is looked in all records whether another follows from them."""

PER_VALUE = 10
"""A column that others may follow from has so many records of each value, on average."""

MEASURED = 5
"""So many numbers that nothing speaks for, beside something about health, were measured."""

RARE = 5
"""Texts with fewer records of each value than this, on average, are not taken for anything."""

SOME_RECORDS = 500
"""Records that show of two columns, most often, that neither follows from the other."""

FEWEST_EXPECTED = 10.0
"""Values that would differ by chance, at least, where it shows something that none do."""

PLACES = ("place", "stay", "nationality")
"""What columns are about of which the values are places."""

HEALTH = ("health", "sexual life")

_WAYS = (
    "%Y-%m-%d", "%d/%m/%Y", "%m/%d/%Y", "%d.%m.%Y", "%d-%m-%Y", "%m-%d-%Y", "%Y/%m/%d", "%Y%m%d",
)  # fmt: skip
"""How days are written, for the time between two of them."""

Span = tuple[str, str, pl.Series, pl.Series]
"""Two columns of days, the days from one to the other, and the numbers beside these."""


@dataclass(frozen=True)
class Neighbour:
    """What has to be known of a column: its name, role, what it is about, its values if few.

    ``sure`` says that its name or its values speak for the role, ``gaps`` that records lack one,
    ``left_out`` that it is an identifier only until somebody decides, ``measured`` that its numbers
    are spread as measurements are, ``wordy`` that it is left out for its long texts alone.
    """

    name: str
    role: Role
    about: str | None
    kind: str
    distinct: int
    filled: int
    values: frozenset[str] | None
    sure: bool
    sample: pl.Series
    gaps: bool = False
    left_out: bool = False
    tokens: tuple[str, ...] = ()
    measured: bool = False
    wordy: bool = False


def settled(
    table: Table, columns: Sequence[Neighbour], *, patients: bool, people: bool = False
) -> dict[str, tuple[Role, str]]:
    """The role of every column whose neighbours say it, and why.

    Arguments:
        table: the table, to see what follows from what.
        columns: its columns, in their order.
        patients: whether a column numbers patients or their stays: then it is about health.
        people: whether a column numbers people who have several records.
    """
    asked = dict(_asked_alike(columns))
    columns = [
        replace(one, role=asked[one.name][0], about=None) if one.name in asked else one
        for one in columns
    ]
    found: dict[str, tuple[Role, str]] = {**dict(_keys_elsewhere(table, columns)), **asked}
    found |= dict.fromkeys(_points(table, columns), ("identifier", _POINTS))
    found |= dict(_dummies(table, columns))
    found |= dict(_replicates(table, columns))
    found |= dict(_parts_of_dates(columns))
    found |= dict(_months_of_years(columns))
    found |= dict(_days_of_months(columns))
    known = [
        item for item in columns if item.sure and item.role in ("quasi-identifier", "sensitive")
    ]
    about = [item for item in columns if item.about in HEALTH]
    whole = lru_cache(maxsize=None)(lambda name: table.distinct([name]).height)
    # Records of an engine have no order.
    first = table.like_their_names().head(SOME_RECORDS) if table.held else pl.DataFrame()
    ill = len(about) >= 2 or 5 * len(about) >= len(columns) > 0 < len(about) or patients
    ill = ill or (bool(about) and any(item.about == "stay" for item in columns))
    measured = sum(item.kind != "text" and not item.sure for item in columns)
    ill = ill or (bool(about) and measured >= MEASURED and 2 * measured >= len(columns))
    several, differs = people, _differing(table, columns)
    repeated = [one.distinct for one in columns if one.role == "identifier" and _repeats(one)]
    persons = max(repeated, default=0) if several else 0
    people = people or any(
        item.sure and item.role in ("identifier", "quasi-identifier") for item in columns
    )
    questions = of_questions([item.name for item in columns])
    unnamed = sum(item.name in questions or says_nothing(item.name) for item in columns)
    nameless = len(columns) > 0 and 3 * unnamed >= 2 * len(columns)
    what = "health" if ill else "people, and could harm them" if people else None
    beside = f"its table is about {what}" if what else _COULD_HARM
    if nameless:
        beside = "its name says nothing, nor do those of most others, and it could harm"
    named = [one for one in about if one.kind == "text"]
    told_ill = [one for one in known if one.about in HEALTH and one.kind == "text"]
    timed = [one for one in columns if _tells_a_time(one)][:MOST_BESIDE]
    numbers = [one for one in columns if one.role == "identifier" and one.sure]
    ranked, spans = _ranking(table, columns), _spans(table, columns)
    called: dict[str, list[tuple[int, Neighbour]]] = {}
    for at, one in enumerate(sorted(known, key=lambda other: -len(other.name))):
        called.setdefault("".join(words(one.name)), []).append((at, one))
    for at, item in enumerate(columns):
        if item.left_out and item.kind == "text" and (told := _names(table, named, item, whole)):
            found[item.name] = told
        if told := _titles(table, columns, item, whole) or _coded(table, columns, item, whole):
            found[item.name] = told
        if item.left_out and (told := _stands_for(table, known, item, whole, differs)):
            found[item.name] = told
        if item.left_out and not several and (told := _lies_within(table, known, item)):
            found[item.name] = told
        if item.name not in found and (told := _between_times(spans, item)):
            found[item.name] = told
        if (
            item.name not in found
            and item.left_out
            and (told := _read_by_test(first, columns, item))
        ):
            found[item.name] = told
        if item.sure or item.distinct < 2 - item.gaps or item.name in found:
            continue
        measured = item.measured or (
            item.kind != "text" and (ill or nameless or _is_read_off(item))
        )
        rare = not measured and item.distinct > 1 and RARE * item.distinct > item.filled
        told = (
            _of_the_time(ranked, timed, item)
            or _follows(table, known, item, (several, persons), differs)
            or _between(columns, at)
            or _alike(table, columns, at)
            or _called_alike(called, item)
            or (None if several else _lies_within(table, known, item))
            or _says_who(table, numbers, item, whole)
            or _has_its_own(table, told_ill, item, differs)
            or (("quasi-identifier", _MANY_WORDS) if beside and _are_many_words(item) else None)
            or (
                ("quasi-identifier", _AN_ID)
                if beside
                and not rare
                and numbers_things(item.name)
                and not (item.values or {""}) <= _WHETHER
                and not _are_words(item)
                and not _is_a_score(columns, item)
                else None
            )
            or (("sensitive", beside) if beside and not rare else None)
        )
        if told:
            found[item.name] = told
    found |= dict(_following(table, columns, found, (several, persons), differs))
    return found | dict(_of_families(columns, found))


def _following(
    table: Table,
    columns: Sequence[Neighbour],
    found: Mapping[str, tuple[Role, str]],
    people: tuple[bool, int],
    differs: Callable[[str, str], int],
) -> Iterator[tuple[str, tuple[Role, str]]]:
    """Numbers that follow from what only the columns around it say that others know: a height of a
    mountain from its name.

    Arguments:
        table: the table.
        columns: its columns.
        found: the roles that their neighbours say.
        people: whether people have several records, and how many numbers of people there are.
        differs: how many values too many some records show, if one followed from another.
    """
    roles = {one.name: found.get(one.name, (one.role, ""))[0] for one in columns if not one.sure}
    known = [
        replace(one, role="quasi-identifier")
        for one in columns
        if roles.get(one.name) == "quasi-identifier"
    ]
    for item in columns if known else ():
        asked = item.kind in ("integer", "float") and item.distinct > FEW
        asked = asked and roles.get(item.name) == "sensitive"
        if asked and (told := _follows(table, known, item, people, differs)):
            yield item.name, told


_DUMMIES = 3
"""So many columns of 0 and 1 that begin alike stand for one attribute, if its name is known."""
_HEADS = {"deg": "degree", "rel": "religion", "nat": "nationality", "div": "region", "cal": "year"}
"""What columns of 0 and 1 begin with in short, which says something else before other columns."""


def _dummies(table: Table, columns: Sequence[Neighbour]) -> Iterator[tuple[str, tuple[Role, str]]]:
    """Columns of 0 and 1 that are the values of one attribute which others know: deg_hs, deg_ba.

    They stand side by side, no record has two of them, and one is known by its name or begins all
    of theirs. Where chance would seldom give a record two, it shows nothing that none has.
    """
    for binary, run in groupby(columns, lambda one: one.values == frozenset("01")):
        for group in _exclusive(table, [*run]) if binary else ():
            if any(one.sure and one.role == "sensitive" for one in group):
                continue
            what = _what_dummies_say(group)
            why = f"no record has it and one beside it, and {what} what others know"
            for one in group if what else ():
                if not one.sure:
                    yield one.name, ("quasi-identifier", why)


def _what_dummies_say(group: Sequence[Neighbour]) -> str | None:
    """Which word of columns of 0 and 1 says that they are the values of what others know."""
    heads = {*(words(one.name)[:1] for one in group)}
    head = heads.pop() if len(heads) == 1 and len(group) >= _DUMMIES else ()
    about = concept_of(_HEADS.get(*head, *head)) if head else None
    if about is not None and about[0].role == "quasi-identifier":
        return f"'{head[0]}' says"
    for one in group:
        if one.sure and one.role == "quasi-identifier":
            return f"'{one.name}' says"
    names = [" ".join(words(one.name)[len(head) :]) for one in group]
    counted = pl.DataFrame({"value": names, COUNT: [1] * len(names)})
    told = content_of("", read_values(counted, "text"))
    if told is None or concept_named(told.concept).role != "quasi-identifier":
        return None
    return f"their names, {told.why.removeprefix('its values are ')}, say"


def _exclusive(table: Table, run: Sequence[Neighbour]) -> Iterator[list[Neighbour]]:
    """Neighbouring columns of 0 and 1 of which no record has two, though chance would give many."""
    if len(run) < MEMBERS or all(one.sure for one in run):
        return
    some = table.sample([one.name for one in run], SOME_RECORDS)
    ones = np.array([one.str.strip_chars().eq("1").fill_null(value=False) for one in some])
    start = 0
    for end in range(1, len(run) + 1):
        if end < len(run) and not (ones[start:end] & ones[end]).any():
            continue
        counts = ones[start:end].sum(axis=1)
        expected = (counts.sum() ** 2 - (counts**2).sum()) / 2 / max(1, some.height)
        if expected >= FEWEST_EXPECTED:
            yield [*run[start:end]]
        start = end


_ANSWERS = range(4, FEW + 1)
"""Answers of a scale; a question that several others with the same answers stand beside is one."""

_ASKED = 5
_SEEN = ("age", "birth", "sex")


def _asked_alike(columns: Sequence[Neighbour]) -> Iterator[tuple[str, tuple[Role, str]]]:
    """Questions with a scale that stand among others with the same: what one thinks of a job.

    A word in the name says what is asked then, and not that others know the answer.
    """
    for at, item in enumerate(columns):
        own = item.values
        known = item.sure and item.role == "quasi-identifier" and item.about not in _SEEN
        if own is None or not known or len(own) not in _ANSWERS:
            continue
        near = (*columns[max(0, at - NEAR) : at], *columns[at + 1 : at + NEAR + 1])
        same = [one for one in near if one.values is not None and len(own ^ one.values) <= 1]
        others = sum(one.sure and one.role == "quasi-identifier" for one in same)
        if len(same) >= _ASKED and 2 * others <= len(same):
            why = f"it asks with the same answers as '{same[0].name}' and others beside it"
            yield item.name, ("sensitive", why)
    yield from _in_a_battery(columns)
    yield from _in_a_series(columns)
    yield from _scores(columns)


def _scores(columns: Sequence[Neighbour]) -> Iterator[tuple[str, tuple[Role, str]]]:
    """Numbers that differ in one letter at the end of their names: studentN, studentE, studentO.

    They are scores, whatever the word before the letter says, if each of them repeats.
    """
    alike: dict[tuple[str, ...], list[Neighbour]] = {}
    for item in columns:
        said = words(item.name)
        numbers = item.kind == "integer" and FEW < item.distinct < item.filled / 3
        if numbers and len(said) > 1 and len(said[-1]) == 1 and said[-1].isalpha():
            alike.setdefault(said[:-1], []).append(item)
    for head, scores in alike.items():
        if len(scores) >= _ASKED:
            why = f"it is one of {len(scores)} scores called '{' '.join(head)}'"
            yield from ((one.name, ("sensitive", why)) for one in scores)


_NUMBERED = re.compile(r"([a-z]{2,4})_?\d{1,2}")
_OF_SOMEWHERE = ("place", "stay", "time", "travel", "language", "appearance")
_MOST_OF_A_SCALE = 9


def _in_a_series(columns: Sequence[Neighbour]) -> Iterator[tuple[str, tuple[Role, str]]]:
    """Questions of a scale that a short form numbers: dep1 to dep7 are no departments."""
    series: dict[str, list[Neighbour]] = {}
    for item in columns:
        numbered = _NUMBERED.fullmatch(item.name.lower())
        scale = item.kind == "integer" and _TWO < item.distinct <= _MOST_OF_A_SCALE
        if numbered and scale and item.about in _OF_SOMEWHERE:
            series.setdefault(numbered[1], []).append(item)
    for stem, found in series.items():
        if len(found) >= _ASKED:
            why = f"it is one of {len(found)} questions called '{stem}' with few answers"
            yield from ((one.name, ("sensitive", why)) for one in found)


_BATTERY = 8
"""So many questions that are called alike, with the same three answers, ask what one thinks."""


def _in_a_battery(columns: Sequence[Neighbour]) -> Iterator[tuple[str, tuple[Role, str]]]:
    """Questions with three answers among many that are called alike and have the same ones."""
    alike: dict[tuple[str, frozenset[str]], list[Neighbour]] = {}
    for item in columns:
        if item.values is not None and len(item.values) == _TWO + 1:
            alike.setdefault((item.name[: _TWO + 1].lower(), item.values), []).append(item)
    for battery in alike.values():
        known = [one for one in battery if one.sure and one.role == "quasi-identifier"]
        if len(battery) >= _BATTERY and 2 * len(known) <= len(battery):
            why = f"it asks with the same answers as '{battery[0].name}' and others called alike"
            yield from ((one.name, ("sensitive", why)) for one in known if one.about not in _SEEN)


def _is_a_score(columns: Sequence[Neighbour], item: Neighbour) -> bool:
    """Whether numbers are called like several others beside which they stand: scl90_paranoidId."""
    alike = [
        one
        for one in columns
        if one.kind == item.kind == "integer" and words(one.name)[:1] == words(item.name)[:1]
    ]
    return len(alike) >= _ASKED


_REPLICATES = 8
_AS_LARGE = 0.1
_WITH_NUMBER = re.compile(r"(.*?)[._]?\d+")


def _replicates(
    table: Table, columns: Sequence[Neighbour]
) -> Iterator[tuple[str, tuple[Role, str]]]:
    """Numbered columns that are in the mean as large as the weights of a survey beside them.

    They are these weights in other draws of the sample, and tell the groups that were drawn from.
    """
    weights = [one for one in columns if one.about == "survey" and one.kind == "float"]
    series: dict[str, list[Neighbour]] = {}
    for item in columns if weights else ():
        numbered = _WITH_NUMBER.fullmatch(item.name)
        if numbered and item.kind == "float" and item not in weights:
            series.setdefault(numbered[1], []).append(item)
    for found in series.values():
        if len(found) < _REPLICATES:
            continue
        some = table.sample([one.name for one in (*weights, *found)], SOME_RECORDS)
        means = some.select(pl.all().str.strip_chars().cast(pl.Float64, strict=False).mean())
        of = {name: mean or 0.0 for name, mean in means.row(0, named=True).items()}
        for weight in weights:
            own = of[weight.name]
            middle = float(np.mean([of[one.name] for one in found]))
            near = abs(middle - own) <= _AS_LARGE * own
            if own > 0 and near and all(own < _TWO * of[one.name] < 3 * own for one in found):
                why = f"it is '{weight.name}' in another draw of the sample"
                yield from ((one.name, ("identifier", why)) for one in found)
                break


_COULD_HARM = "nothing says what its table is about, so it could harm"
MEMBERS = 2
"""So many columns whose names begin alike, all sensitive numbers, speak for another one."""


def _of_families(
    columns: Sequence[Neighbour], found: Mapping[str, tuple[Role, str]]
) -> Iterator[tuple[str, tuple[Role, str]]]:
    """Columns left out for their numbers, where those that begin alike are measurements.

    ``csf_prot`` stands beside ``csf_gluc`` and ``csf_wbc``; ``patient_no`` is none of them.
    """
    families: dict[str, list[Neighbour]] = {}
    for item in columns:
        if len(words(item.name)) > 1 and item.distinct:
            families.setdefault(words(item.name)[0], []).append(item)
    for family in families.values():
        roles = {one.name: found.get(one.name, (one.role,))[0] for one in family}
        keys = any(roles[one.name] == "identifier" and not one.left_out for one in family)
        ill = [one for one in family if roles[one.name] == "sensitive" and one.kind != "text"]
        for item in () if keys or says_nothing(family[0].name) else family:
            numbers = item.kind == "integer" and item.name not in found
            numbers = numbers and (item.left_out or not item.sure)
            if not numbers or names_one_of(apart(item.name), (*NUMBERS, *PEOPLE, *STAYS)):
                continue
            stem = words(item.name)[:-1]
            like = [
                one
                for one in ill
                if one.sure or "float" in one.kind or stem == words(one.name)[:-1]
            ]
            if len(like) >= MEMBERS:
                yield item.name, ("sensitive", f"it is called like '{like[0].name}'")


_TWO = 2
"""So few numbers say little of a column that has others as well."""


def _alike(table: Table, columns: Sequence[Neighbour], at: int) -> tuple[Role, str] | None:
    """The role of the nearest column with the same few values; two values say little of others."""
    item = columns[at]
    own = item.values
    if own is None:
        return None
    for distance in range(1, NEAR + 1):
        for other in (at - distance, at + distance):
            if not 0 <= other < len(columns):
                continue
            one = columns[other]
            if one.values is None or not one.sure:
                continue
            little = item.kind == "integer" and len(one.values) == _TWO
            within = own <= one.values or (one.values <= own and not little)
            ill = one.role == "sensitive" and within and len(own & one.values) >= 2
            seen = one.role == "quasi-identifier" and own == one.values and len(own) > 2
            if seen and one.kind == "integer":
                seen = table.distinct([item.name, one.name]).height <= len(own) + item.gaps
            if ill or seen:
                return one.role, f"it is next to '{one.name}' and has the same values"
    return None


def _between(columns: Sequence[Neighbour], at: int) -> tuple[Role, str] | None:
    """The role of a yes or no that stands between two others about one thing that others know.

    ``other`` stands between ``hispanic`` and ``white``, as one of the groups that a person is in.
    """
    item = columns[at]
    if item.values is None or len(item.values) != _TWO:
        return None
    near = columns[max(0, at - NEAR) : at][::-1], columns[at + 1 : at + NEAR + 1]
    sides = [
        next((one for one in side if one.sure or one.values != item.values), None) for side in near
    ]
    before, after = sides
    if before is None or after is None:
        return None
    alike = before.about == after.about is not None and before.values == item.values == after.values
    if alike and all(one.sure and one.role == "quasi-identifier" for one in (before, after)):
        return "quasi-identifier", f"it stands between '{before.name}' and '{after.name}'"
    return None


def _called_alike(
    called: Mapping[str, Sequence[tuple[int, Neighbour]]], item: Neighbour
) -> tuple[Role, str] | None:
    """The role of a column with the same name but for a letter or two before it or behind it."""
    own = "".join(words(item.name))
    found: list[tuple[int, Neighbour]] = []
    several = phrases(item.name) if len(words(item.name)) > 1 else None
    for more in (1, 2, 3):
        for name in {own[:-more], own[more:]} if len(own) - more >= min(more + 1, 3) else ():
            numbered = name[-1].isdigit() and own[len(name) :].isdigit()
            if not numbered and (several is None or name in several):
                found += called.get(name, ())
    alike = {at: one for at, one in found if (one.kind == "text") == (item.kind == "text")}
    if not alike:
        return None
    nearest = alike[min(alike)]
    return nearest.role, f"it is called like '{nearest.name}'"


def _differing(table: Table, columns: Sequence[Neighbour]) -> Callable[[str, str], int]:
    """How many values too many of the other one some records show beside the values of a column.

    None of them are where the other one follows from it.
    """

    @lru_cache(maxsize=1)
    def codes() -> dict[str, Ints]:
        some = table.sample([item.name for item in columns], SOME_RECORDS)
        return {
            one.name: one.rank("dense").fill_null(0).cast(pl.Int64).to_numpy()
            for one in some.get_columns()
        }

    @cache
    def values(name: str) -> int:
        return len(np.unique(codes()[name]))

    def differs(one: str, other: str) -> int:
        first, second = codes()[one], codes()[other]
        pairs = np.unique(first * (second.max(initial=0) + 1) + second)
        return len(pairs) - values(one)

    return differs


def _follows(
    table: Table,
    known: Sequence[Neighbour],
    item: Neighbour,
    people: tuple[bool, int],
    differs: Callable[[str, str], int],
) -> tuple[Role, str] | None:
    """The role of a quasi-identifier of which every value goes with one value of the column.

    Where people have several records, whatever is theirs follows from each of their values; so a
    value has to have many records there, and those of several people.

    Arguments:
        table: the table.
        known: columns whose roles are known.
        item: the column that nothing speaks for.
        people: whether people have several records, and how many numbers of people there are.
        differs: how many values too many some records show, if it followed from another one.
    """
    several, persons = people
    tellers = [
        one
        for one in known
        if one.role == "quasi-identifier"
        and one.kind != "datetime"  # all answers of a form follow from the moment it was sent
        and (2 * item.distinct <= one.distinct or (FEW < item.distinct <= one.distinct))
        and (PER_VALUE * one.distinct <= one.filled or not several)
        and (not persons or 2 * one.distinct <= persons)
        and 4 * one.distinct <= 3 * one.filled
        and one.filled == item.filled
    ]
    tellers.sort(key=lambda one: -one.distinct)
    could = (one for one in tellers[:MOST_BESIDE] if not differs(one.name, item.name))
    for one in islice(could, MOST_TELLERS):
        differing, expected = differences(table, one.name, item.name)
        enough = expected >= FEWEST_EXPECTED or (not several and _would_differ(table, one, item))
        if not differing and enough:
            return one.role, f"it follows from '{one.name}'"
    return None


_FEWEST_PAIRS = 200
"""Records of a few groups that would differ from the one before them by chance, at least."""


def _would_differ(table: Table, one: Neighbour, item: Neighbour) -> bool:
    """Whether many records of a few groups would differ by chance from others of their group."""
    counts = table.distinct([item.name])[count_column([item.name])].to_numpy()
    share = counts / counts.sum()
    pairs = (item.filled - one.distinct) * (1 - float((share**2).sum()))
    return pairs >= _FEWEST_PAIRS


AS_CLOSELY = 0.99
"""Numbers that go up and down with an age or a day as closely as this tell it."""


def _tells_a_time(item: Neighbour) -> bool:
    """Whether a column holds many days, or ages or births as numbers."""
    dated = item.kind in ("date", "datetime")
    aged = item.about in ("age", "birth") and item.kind in ("integer", "float")
    return item.sure and item.distinct >= _MANY and (dated or aged)


def _ranking(table: Table, columns: Sequence[Neighbour]) -> Callable[[str, bool], pl.Series]:
    """The ranks of some records by a column of numbers, or of dates as texts."""

    @lru_cache(maxsize=1)
    def some() -> pl.DataFrame:
        return table.sample([item.name for item in columns], SOME_RECORDS)

    @cache
    def ranks(name: str, dated: bool) -> pl.Series:
        texts = some()[name].str.strip_chars()
        return (texts.str.slice(0, 19) if dated else texts.cast(pl.Float64, strict=False)).rank()

    return ranks


def _of_the_time(
    ranked: Callable[[str, bool], pl.Series], timed: Sequence[Neighbour], item: Neighbour
) -> tuple[Role, str] | None:
    """The role of numbers that go with an age, a birth or a day: days to a birth, hours since."""
    if item.kind not in ("integer", "float") or item.distinct < _MANY:
        return None
    for one in timed:
        told = ranked(one.name, one.kind in ("date", "datetime"))
        pairs = pl.DataFrame({"own": ranked(item.name, False), "told": told}).drop_nulls()
        first, second = pairs["own"].to_numpy(), pairs["told"].to_numpy()
        if len(pairs) < _MANY or first.std() == 0 or second.std() == 0:
            continue
        if abs(np.corrcoef(first, second)[0, 1]) >= AS_CLOSELY:
            return "quasi-identifier", f"it goes with '{one.name}'"
    return None


MOST_DAYS = 6
"""Columns of days of which it is looked whether a number is the time between two, at most."""

NEARLY_ALWAYS = 0.95
"""The share of records in which a number has to be the time between two days."""

UNITS = {"days": 1.0, "weeks": 7.0, "months": 30.4375, "years": 365.25}
"""What a time between two days is written in, each in days; a part of one may be left off."""


_DAYS = (("days", 1.0),)
FEWEST_SPANS = 6
"""So many times are told, exact to the day, to be those between two days; of others, more."""


def _spans(table: Table, columns: Sequence[Neighbour]) -> Callable[[str], Iterator[Span]]:
    """The days between every two columns of days that are not left out, beside those of a column.

    In some records, those that have all three.
    """
    days = [one for one in columns if one.kind in ("date", "datetime") and one.role != "identifier"]
    names = [one.name for one in days if one.distinct >= FEWEST_SPANS][:MOST_DAYS]

    @lru_cache(maxsize=1)
    def some() -> pl.DataFrame:
        numbers = [one.name for one in columns if one.kind in ("integer", "float")]
        return table.sample([*names, *numbers], SOME_RECORDS).select(
            *(pl.col(one).map_batches(as_days, pl.Date) for one in names),
            *(pl.col(one).cast(pl.Float64, strict=False) for one in numbers),
        )  # fmt: skip

    def spans(number: str) -> Iterator[Span]:
        for first, last in combinations(names, 2):
            held = some().select(first, last, number).drop_nulls()
            yield first, last, (held[last] - held[first]).dt.total_days(), held[number]

    return spans


def as_days(texts: pl.Series) -> pl.Series:
    """The days of dates as texts, in that of the usual ways to write them which reads the most."""
    plain = texts.str.strip_chars().str.extract(r"^(\S{8,10})")
    read = [plain.str.to_date(strict=False, format=way) for way in _WAYS]
    return min(read, key=pl.Series.null_count)


def counted_from(table: Table, numbers: Sequence[str], days: Sequence[str]) -> str | None:
    """The day from which columns count days, if another column has the same days as dates.

    One program counts all days of a table from the same one.

    Arguments:
        table: the table.
        numbers: columns that count days.
        days: columns of dates.
    """
    some = table.sample([*numbers, *days], SOME_RECORDS).select(
        *(
            pl.col(one).cast(pl.Float64, strict=False).cast(pl.Int64, strict=False)
            for one in numbers
        ),
        *(pl.col(one).map_batches(as_days, pl.Date) for one in days),
    )
    for number, day in product(numbers, days[:MOST_DAYS]):
        held = some.select(number, day).drop_nulls()
        first = held.select(first=pl.col(day) - pl.duration(days=pl.col(number)))["first"]
        if len(held) >= _MANY and (first == first.mode()[0]).sum() >= NEARLY_ALWAYS * len(held):
            return str(first.mode()[0])
    return None


def _between_times(
    spans: Callable[[str], Iterator[Span]], item: Neighbour
) -> tuple[Role, str] | None:
    """The role of numbers that are the time between two days of the table: a stay, an age."""
    numeric = item.kind in ("integer", "float") and item.role != "quasi-identifier"
    numeric = numeric and (item.left_out or item.role != "identifier")
    if not numeric or item.distinct < FEWEST_SPANS:
        return None
    for first, last, apart_by, numbers in spans(item.name):
        different = min(apart_by.n_unique(), item.distinct)
        if len(numbers) < _MANY or different < FEWEST_SPANS:
            continue
        for unit, length in UNITS.items() if different >= _MANY else _DAYS:
            off = np.abs(apart_by.abs().to_numpy() - numbers.abs().to_numpy() * length)
            within = length if different >= _MANY else 0
            if np.mean(off <= within) >= NEARLY_ALWAYS:
                return "quasi-identifier", f"it counts the {unit} between '{first}' and '{last}'"
    return None


def _lies_within(
    table: Table, known: Sequence[Neighbour], item: Neighbour
) -> tuple[Role, str] | None:
    """The role of places, of which every value of the column lies in one, but for mistakes."""
    if 3 * item.distinct > item.filled or item.kind not in ("text", "integer"):
        return None
    places = [one for one in known if one.about in PLACES and 2 < one.distinct < item.distinct]
    for one in places[:MOST_TELLERS]:
        within, alone = _in_one_place(table, item, one)
        if within >= MOST_WITHIN and alone <= MOST_ALONE:
            return one.role, f"each of its values lies in one '{one.name}'"
    return None


MOST_WITHIN = 0.9
MOST_ALONE = 0.6
"""Shares of records in the most frequent place of each value, and in that of all."""


def _in_one_place(table: Table, item: Neighbour, place: Neighbour) -> tuple[float, float]:
    """The share of records in the most frequent place of their value, and in that of the table."""
    pairs = table.distinct([item.name, place.name])
    value, where, count = (
        pairs[item.name],
        pairs[place.name],
        pairs[count_column([item.name, place.name])].alias("count"),
    )
    counted = pl.DataFrame([value.alias("value"), where.alias("where"), count])
    gone = [*item.tokens, *place.tokens]
    counted = counted.drop_nulls().filter(
        ~pl.col("value").is_in(gone) & ~pl.col("where").is_in(gone)
    )
    records = max(1, int(counted["count"].sum()))
    most = counted.group_by("value").agg(pl.col("count").max())["count"].sum()
    alone = counted.group_by("where").agg(pl.col("count").sum())["count"].max()
    return int(most) / records, (alone if isinstance(alone, int) else records) / records


def _names(
    table: Table,
    known: Sequence[Neighbour],
    item: Neighbour,
    whole: Callable[[str], int],
) -> tuple[Role, str] | None:
    """The role of names of illnesses of which every one goes with one value of the column."""
    for one in known if item.distinct else ():
        told = item.distinct <= one.distinct and 2 * one.distinct <= one.filled == item.filled
        if told and table.distinct([one.name, item.name]).height == whole(one.name):
            return one.role, f"it follows from '{one.name}'"
    return None


def _titles(
    table: Table, columns: Sequence[Neighbour], item: Neighbour, whole: Callable[[str], int]
) -> tuple[Role, str] | None:
    """The role of the codes of which long texts are the titles: one by one, and many have each."""
    if not item.wordy or 2 * item.distinct > item.filled:
        return None
    for one in columns:
        codes = one.sure and one.role in ("quasi-identifier", "sensitive") and not one.wordy
        codes = codes and one.kind in ("text", "integer")
        alike = one.distinct == item.distinct > FEW and one.filled == item.filled
        if codes and alike and table.distinct([one.name, item.name]).height == whole(one.name):
            return one.role, f"its texts are titles, one for each '{one.name}'"
    return None


_OFTEN = 0.7


def _coded(
    table: Table, columns: Sequence[Neighbour], item: Neighbour, whole: Callable[[str], int]
) -> tuple[Role, str] | None:
    """The role of a term and of its code, which are called alike: AELLT and AELLTCD."""
    name = item.name.lower()
    for one in columns if item.left_out or item.wordy else ():
        other = one.name.lower()
        alike = any(
            {name, other} == {stem, stem + code} for stem in (name, other) for code in _CODE
        )
        known = one.sure and one.role == "sensitive" and not one.wordy
        if alike and known and max(item.distinct, one.distinct) <= _OFTEN * item.filled:
            pairs = table.distinct([one.name, item.name]).height
            if pairs <= max(whole(one.name), whole(item.name)):
                return one.role, f"each of its values belongs to one '{one.name}'"
    return None


_CODE = ("cd", "code", "_cd", "_code")


def _stands_for(
    table: Table,
    known: Sequence[Neighbour],
    item: Neighbour,
    whole: Callable[[str], int],
    differs: Callable[[str, str], int],
) -> tuple[Role, str] | None:
    """The role of a quasi-identifier whose values go one by one with those of the column."""
    near = [
        one
        for one in known
        if one.role == "quasi-identifier"
        and 0.9 * one.distinct <= item.distinct <= 1.1 * one.distinct
        and one.distinct > FEW
        and 5 * one.distinct <= 4 * one.filled
    ]
    for one in near[:MOST_BESIDE]:
        most = 1.1 * whole(one.name)
        if differs(one.name, item.name) > most - whole(one.name):
            continue
        if table.distinct([one.name, item.name]).height <= most:
            return one.role, f"each of its values belongs to one of '{one.name}'"
    return None


def _repeats(item: Neighbour) -> bool:
    """Whether numbers of people stand in several records each."""
    return not item.left_out and 5 * item.distinct <= 4 * item.filled


def _says_who(
    table: Table, numbers: Sequence[Neighbour], item: Neighbour, whole: Callable[[str], int]
) -> tuple[Role, str] | None:
    """The role of texts of which every one goes with one repeated number of somebody."""
    if item.kind != "text" or item.distinct <= _MANY:
        return None
    for one in numbers:
        repeats = 5 * one.distinct <= 4 * one.filled
        if repeats and item.filled == one.filled and 0.9 * one.distinct <= item.distinct:
            pairs = table.distinct([one.name, item.name]).height
            if pairs <= min(whole(one.name), whole(item.name)):
                return "identifier", f"each of its values belongs to one '{one.name}'"
    return None


def _has_its_own(
    table: Table,
    known: Sequence[Neighbour],
    item: Neighbour,
    differs: Callable[[str, str], int],
) -> tuple[Role, str] | None:
    """The role of words of which each has its own unit, limit or drug class, as tests have."""
    if not _are_many_words(item):
        return None
    for one in known:
        if not 2 < one.distinct <= item.distinct or differs(item.name, one.name):
            continue
        differing, expected = differences(table, item.name, one.name)
        if not differing and expected >= FEWEST_EXPECTED:
            return one.role, f"each of its values has one '{one.name}'"
    return None


def _are_words(item: Neighbour) -> bool:
    """Whether all values are words, as no numbers or codes are."""
    texts = item.sample.str.contains(r"\d") | (item.sample.str.len_chars() < _SHORTEST)
    return item.kind == "text" and not texts.any()


_AN_ID = "its name says id: others may know whose number or code it is"
_WHETHER = frozenset(("Yes", "No", "yes", "no", "YES", "NO", "Y", "N", "true", "false"))
_MANY_WORDS = "its values are many and repeat, as those of places and of occupations do"


_SHORTEST = 3
"""Shorter texts are codes, and no words."""


def _shortest(text: str) -> int:
    """The letters of the shortest words: two where a letter is a syllable."""
    return _SHORTEST if text.isascii() or text[0] < "\u3040" else _SHORTEST - 1


_STIMULI = ("word", "words", "stimulus", "stimuli", "stim", "item", "sentence", "trial", "target")
"""What people are shown or told in an experiment."""
_SEVERAL_TERMS = r"\pL[,;|] ?\pL"


def _are_many_words(item: Neighbour) -> bool:
    """Whether words are many and repeat, and nothing says that they are about health.

    Such words are names of places, of institutions or of occupations six times as often as they are
    anything sensitive.
    """
    if item.kind != "text" or item.distinct <= FEW or RARE * item.distinct > item.filled:
        return False
    if names_one_of(item.name, _STIMULI):
        return False
    short = pl.Series(
        [len(text) < _shortest(text) for text in item.sample.to_list()], dtype=pl.Boolean
    )
    listed = item.sample.str.contains(_SEVERAL_TERMS).mean()
    if isinstance(listed, float) and 2 * listed >= 1:
        return False  # answers of which several may be given
    coded = (item.sample.str.contains(r"\d") | short).mean()
    return isinstance(coded, float) and coded <= 1 - ELSEWHERE


def _read_by_test(
    first: pl.DataFrame, columns: Sequence[Neighbour], item: Neighbour
) -> tuple[Role, str] | None:
    """The role of numbers that differ most by what stands beside them in turns: by the test.

    Numbers of people do not, as every person has several tests.

    Arguments:
        first: the first records, in their order; none where there is no order.
        columns: all columns.
        item: the column of the numbers.
    """
    if item.kind not in ("integer", "float") or 5 * item.distinct > 4 * item.filled:
        return None
    if first.height < _TWO:
        return None
    for one in columns:
        known = one.sure and one.role == "quasi-identifier"
        if known or one.kind != "text" or not _TWO <= one.distinct <= FEW:
            continue
        some = pl.DataFrame(
            {
                "test": first[one.name].rank("dense"),
                "number": first[item.name].cast(pl.Float64, strict=False),
            }
        )
        apart_by = some.select(pl.col("number") - pl.col("number").mean().over("test"))
        held = [of.drop_nulls().drop_nans() for of in (apart_by["number"], some["number"])]
        within, spread = (np.var(of.to_numpy()) if len(of) else 0.0 for of in held)
        turns = np.mean(np.diff(some["test"].fill_null(0).to_numpy()) != 0)
        if turns >= HALF and spread > 0 and within <= HALF * spread:
            return "sensitive", f"its values differ by '{one.name}', as readings do"
    return None


HALF = 0.5
_READ_OFF = r"\.\d{1,3}$"
_A_SCORE = r"^-?\d{1,3}$"


def _is_read_off(item: Neighbour) -> bool:
    """Whether numbers have one to three decimals, as what is read off an instrument has.

    Whole ones are read off, or marks, if they have three digits at most. Shares, weights and points
    on a map have more decimals; what they say is asked.
    """
    if item.kind == "integer":
        return bool(item.sample.str.strip_chars().str.contains(_A_SCORE).all())
    if item.kind != "float":
        return False
    broken = item.sample.filter(item.sample.str.contains(".", literal=True))
    share = broken.str.strip_chars().str.contains(_READ_OFF).mean()
    return isinstance(share, float) and share >= MOST_WITHIN


_POINTS = "its values and those of a neighbouring column could be points on a map"
_EXACT = r"\.\d{3,10}$"
_WIDEST = 60.0


def _points(table: Table, columns: Sequence[Neighbour]) -> Iterator[str]:
    """Two columns side by side of which the numbers could be latitudes and longitudes.

    Such numbers have three decimals or more, lie within the degrees of a map, close to each other
    and not about 0, and there are as many different ones of both.
    """
    for one, other in pairwise(columns):
        for point, rest in ((one, other), (other, one)):
            known = point.role == "identifier" and names_a_doorstep(point.name) and point.sure
            if known and rest.role != "identifier" and _could_be_degrees(rest, 180):
                yield rest.name
        if one.sure or other.sure or one.filled != other.filled:
            continue
        if not 0.8 * one.distinct <= other.distinct <= 1.25 * one.distinct:
            continue
        if not any(map(_lies_apart_from_zero, (one, other))):
            continue
        ways = ((one, other), (other, one))
        if not any(
            _could_be_degrees(up, 90) and _could_be_degrees(across, 180) for up, across in ways
        ):
            continue
        if not _measure_the_same(table, one, other):
            yield from (one.name, other.name)


ONE_MEASURE = 0.9
"""Numbers that go together as closely as this measure one thing twice, if they are as large."""


def _measure_the_same(table: Table, one: Neighbour, other: Neighbour) -> bool:
    """Whether two columns of numbers say the same but for small differences, as twice measured."""
    some = table.sample([one.name, other.name], SOME_RECORDS)
    pairs = some.select(pl.all().str.strip_chars().cast(pl.Float64, strict=False)).drop_nulls()
    first, second = (pairs[name].to_numpy() for name in (one.name, other.name))
    if len(first) < _MANY or first.std() == 0 or second.std() == 0:
        return False
    spread = max(first.std(), second.std())
    near = abs(float(np.median(first)) - float(np.median(second))) <= spread
    return near and bool(np.corrcoef(first, second)[0, 1] >= ONE_MEASURE)


_WITHIN = 3.0
"""Latitudes of a country, or its longitudes, differ by this factor at most."""


def _lies_apart_from_zero(item: Neighbour) -> bool:
    """Whether numbers have one sign and one magnitude, as those of places far from 0 degrees.

    Hardly a place lies near both, and shares and concentrations have many numbers near 0.
    """
    numbers = item.sample.str.strip_chars().cast(pl.Float64, strict=False).drop_nulls().to_numpy()
    if not len(numbers) or numbers.min() * numbers.max() <= 0:
        return False
    sizes = np.abs(numbers)
    return bool(sizes.max() <= _WITHIN * sizes.min())


def _could_be_degrees(item: Neighbour, most: int) -> bool:
    if item.kind != "float" or item.distinct < _MANY:
        return False
    texts = item.sample.str.strip_chars()
    numbers = texts.cast(pl.Float64, strict=False).drop_nulls().to_numpy()
    exact = texts.str.contains(_EXACT).mean()
    if not isinstance(exact, float) or exact < ELSEWHERE or not len(numbers):
        return False
    low, middle, high = float(numbers.min()), float(np.median(numbers)), float(numbers.max())
    return -most <= low and high <= most and high - low <= _WIDEST and abs(middle) >= 1


_ORDERS = (("day", "month", "year"), ("month", "day", "year"), ("year", "month", "day"))


def _parts_of_dates(columns: Sequence[Neighbour]) -> Iterator[tuple[str, tuple[Role, str]]]:
    """Days, months and years that stand side by side: together they are a date, as of a birth."""
    parts = [_part_of_a_date(item) for item in columns]
    for at in range(len(columns) - 2):
        if tuple(parts[at : at + 3]) not in _ORDERS:
            continue
        three = columns[at : at + 3]
        for item in three:
            if item.role in ("sensitive", "insensitive") or item.left_out:
                others = " and ".join(f"'{one.name}'" for one in three if one is not item)
                yield item.name, ("quasi-identifier", f"with {others} it makes a date: {_ONE_DATE}")


def _months_of_years(columns: Sequence[Neighbour]) -> Iterator[tuple[str, tuple[Role, str]]]:
    """Numbers from 1 to 12 beside years that as many records have: the months of these."""
    for pair in pairwise(columns):
        for item, year in (pair, pair[::-1]):
            both = not item.sure and year.about in ("time", "birth", "death") and year.sure
            both = both and 10 * abs(item.filled - year.filled) <= year.filled
            months = both and item.distinct >= _ALL_MONTHS and _part_of_a_date(item) == "month"
            if months and _part_of_a_date(year) == "year":
                yield item.name, ("quasi-identifier", f"with '{year.name}' it makes a month")


def _days_of_months(columns: Sequence[Neighbour]) -> Iterator[tuple[str, tuple[Role, str]]]:
    """Numbers from 1 to 31 beside months that as many records have: the days of these."""
    for pair in pairwise(columns):
        for item, month in (pair, pair[::-1]):
            both = not item.sure and month.sure and month.about in ("time", "birth", "death")
            both = both and 10 * abs(item.filled - month.filled) <= month.filled
            named = month.kind == "text" and 1 < month.distinct <= _ALL_MONTHS
            named = named or _part_of_a_date(month) == "month"
            if both and named and _part_of_a_date(item) == "day":
                yield item.name, ("quasi-identifier", f"with '{month.name}' it makes a day")


_ALL_MONTHS = 12
_ONE_DATE = "write the three as one column (2024-01-31) to keep months and years of it"


def _part_of_a_date(item: Neighbour) -> str | None:
    """Which part of a date whole numbers could be, by their range."""
    if item.kind != "integer":
        return None
    numbers = item.sample.str.strip_chars().cast(pl.Int64, strict=False).drop_nulls()
    low, high = numbers.min(), numbers.max()
    if not isinstance(low, int) or not isinstance(high, int):
        return None
    if low == 1 and 28 <= high <= 31 and item.distinct >= _FEWEST_DAYS:
        return "day"
    if low >= 1 and 10 <= high <= 12 and item.distinct >= _FEWEST_MONTHS:
        return "month"
    return "year" if low >= _FIRST_YEAR and high <= _LAST_YEAR and low < high else None


_FEWEST_DAYS, _FEWEST_MONTHS = 20, 8
_FIRST_YEAR, _LAST_YEAR = 1880, 2075

ELSEWHERE = 0.8
"""From this share of numbers on, those of a column are held to be keys of another."""

SOME_ELSEWHERE = 0.2
"""The same for texts, of which so many are never in another column by chance."""

_LONG = 5
_MANY = 20


def _keys_elsewhere(
    table: Table, columns: Sequence[Neighbour]
) -> Iterator[tuple[str, tuple[Role, str]]]:
    """Columns of which the values are numbers of people or records of another column."""
    keys = [item for item in columns if item.role == "identifier" and item.distinct > _MANY]
    for item in columns:
        if item.role not in ("sensitive", "insensitive") or item.distinct <= _MANY:
            continue
        for key in keys:
            if _holds_its_keys(table, item, key) or _says_the_same(table, item, key):
                yield item.name, ("identifier", f"its values are those of '{key.name}'")
                break


def _holds_its_keys(table: Table, item: Neighbour, key: Neighbour) -> bool:
    """Whether most long numbers or codes of a column are among those that number people."""
    if not (key.kind == item.kind and _could_be_keys(item) and _could_be_keys(key)):
        return False
    share = ELSEWHERE if item.kind == "integer" else SOME_ELSEWHERE
    return _share(_held(table, key.name, item.sample)) >= share


def _says_the_same(table: Table, item: Neighbour, key: Neighbour) -> bool:
    """Whether numbers are in every record what a column says that numbers people.

    Measurements that are left out until somebody decides number nobody.
    """
    measures = item.kind == "float" and (key.left_out or not key.sure)
    if "text" in (item.kind, key.kind) or measures or 2 * item.distinct < item.filled:
        return False
    if not 0.9 * key.distinct <= item.distinct <= 1.1 * key.distinct:
        return False
    some = table.sample([item.name, key.name], SOME_RECORDS).drop_nulls()
    one, other = (some[name].str.strip_chars().str.replace(_WHOLE, "") for name in some.columns)
    return _share(one == other) >= _THE_SAME


_THE_SAME = 0.98
_WHOLE = r"\.0+$"


def _held(table: Table, name: str, some: pl.Series) -> pl.Series:
    """Which of some texts a column has: its own may be as many as the records."""
    own = (table.text([name]) if table.held else table.distinct([name]))[name]
    return some.is_in(own.filter(own.is_in(some.implode())).unique().implode())


def _could_be_keys(item: Neighbour) -> bool:
    if item.kind not in ("integer", "text"):
        return False
    return bool((item.sample.str.len_chars() >= _LONG).all())


def _share(held: pl.Series) -> float:
    return float(held.sum()) / max(1, len(held))
