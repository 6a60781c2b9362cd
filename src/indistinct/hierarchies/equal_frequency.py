"""Numbers published as intervals that hold about as many records each.

The rule is that of Victor and Lopez 2020 (section V): with n records and b bins, a value that
occurs c times, after C records with smaller values, goes to bin
``min(b - 1, floor(b (2C + c) / (2n)))``: the bin in which the middle of its run of equal records
lies. Equal values are never split, so bins may be uneven, and empty ones are dropped.

A label ``[min, max]`` gives the smallest and the largest value that occurs in its bin: both are
values of real records. In a policy the smallest and the largest of all are told with
``ends = "closed"`` alone: else the first bin is ``<=27`` and the last ``>=44``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby

from indistinct.errors import PolicyError, Problem, refuse
from indistinct.hierarchies import decimals
from indistinct.hierarchies.domain import texts, unplaced
from indistinct.hierarchies.intervals import levels_needed
from indistinct.hierarchies.intervals import unreadable as unreadable  # noqa: PLC0414 - for build.py
from indistinct.hierarchies.settings import MOST, one_of, unknown, whole_number, wrong
from indistinct.hierarchies.taxonomy import SUPPRESSED, Label, Taxonomy

KEYS = ("bins", "levels", "factor", "ends")


def equal_frequency_taxonomy(
    attribute: str,
    values: Sequence[Label],
    counts: Sequence[int],
    *,
    bins: int,
    levels: int | None = None,
    factor: int = 2,
) -> Taxonomy:
    """Level 0 the values, level 1 the bins, each further level ``factor`` bins in one, then ``*``.

    Arguments:
        attribute: the attribute's name.
        values: the texts in the data; each must be a number.
        counts: number of records with each value. Missing values are not counted.
        bins: number of bins, b.
        levels: number of bin levels; by default as many as it takes until at most four bins are
            left, at least one.
        factor: how many bins of a level make one of the next.

    Raises:
        PolicyError: for settings that make no sense.
        HierarchyError: for values that are no numbers, and when there are no values.

    >>> ages = equal_frequency_taxonomy("age", ["1", "2", "3"], [6, 2, 2], bins=4, levels=1)
    >>> ages.level(1)
    ('[1, 1]', '[2, 2]', '[3, 3]')
    """
    settings = {"bins": bins, "levels": levels, "factor": factor}
    refuse(
        PolicyError, check({name: value for name, value in settings.items() if value is not None})
    )
    found = texts(values)
    read = ((text, decimals.parsed(text)) for text in found)
    numbers = {text: number for text, number in read if number is not None}
    if bad := len(found) - len(numbers):
        raise unplaced(attribute, bad, "a number")
    scale = decimals.places(numbers.values())
    ranked = sorted((decimals.at(numbers[text], scale), text) for text in found)
    weight = dict.fromkeys(found, 0)
    for value, count in zip(values, counts, strict=True):
        if value in weight:
            weight[value] += int(count)

    total = sum(weight.values())
    before = 0
    bin_of: dict[int, int] = {}
    for value, same in groupby(ranked, key=lambda item: item[0]):
        count = sum(weight[text] for _, text in same)
        bin_of[value] = min(bins - 1, bins * (2 * before + count) // (2 * total)) if total else 0
        before += count

    steps = levels or levels_needed(bin_of.values(), factor)
    columns = [_labels(bin_of, factor**step, scale) for step in range(steps)]
    return Taxonomy(
        attribute,
        [(text, *(labels[value] for labels in columns), SUPPRESSED) for value, text in ranked],
    )


def opened(taxonomy: Taxonomy) -> Taxonomy:
    """The same with bins at the ends that do not tell the smallest and the largest value.

    >>> ages = equal_frequency_taxonomy("age", ["1", "2", "3"], [4, 4, 4], bins=3, levels=1)
    >>> opened(ages).level(1)
    ('<=1', '[2, 2]', '>=3')
    """
    columns: list[list[Label]] = [list(taxonomy.leaves)]
    for level in range(1, taxonomy.levels):
        labels = taxonomy.level(level)
        first, last = labels[0], labels[-1]
        if first == last or first is None or last is None:
            columns.append([SUPPRESSED] * len(labels))
            continue
        new: dict[Label, str] = {}
        new |= {first: f"<={first[1:-1].split(', ')[1]}", last: f">={last[1:-1].split(', ')[0]}"}
        columns.append([new.get(label) or label for label in labels])
    return Taxonomy(taxonomy.attribute, list(zip(*columns, strict=True)))


def check(settings: Mapping[str, object]) -> list[Problem]:
    """What is wrong with the settings, without looking at data."""
    name = "equal_frequency"
    problems = unknown(name, settings, KEYS)
    if settings.get("bins") is None:
        problems.append(wrong(name, "needs a number of bins", "for instance equal_frequency = 8"))
    problems += whole_number(name, settings, "bins", 1)
    problems += whole_number(name, settings, "levels", 1, MOST)
    problems += whole_number(name, settings, "factor", 2)
    problems += one_of(name, settings, "ends", ("open", "closed"))
    return problems


def _labels(bin_of: Mapping[int, int], merged: int, scale: int) -> dict[int, str]:
    """The label of the bin of each value; the values ascend, so the bins do."""
    labels = {}
    for _, members in groupby(bin_of, key=lambda value: bin_of[value] // merged):
        inside = list(members)
        low, high = (decimals.written(value, scale) for value in (inside[0], inside[-1]))
        labels.update(dict.fromkeys(inside, f"[{low}, {high}]"))
    return labels
