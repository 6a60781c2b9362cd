"""Ordered categories published as runs of neighbours: ``low..medium``, ``high..critical``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from indistinct.errors import PolicyError, Problem, refuse
from indistinct.hierarchies.domain import MOST_LEVELS, as_text
from indistinct.hierarchies.settings import MOST, unknown, whole_number, wrong
from indistinct.hierarchies.taxonomy import SUPPRESSED, Label, Taxonomy

KEYS = ("values", "run", "runs", "levels")

Runs = Sequence[Sequence[object]] | Mapping[str, Sequence[object]]


class _Run(NamedTuple):
    first: Label
    last: Label
    length: int

    @property
    def label(self) -> Label:
        return self.first if self.first == self.last else f"{self.first}..{self.last}"


def ordered_taxonomy(
    attribute: str,
    values: Sequence[object] | None = None,
    *,
    run: int | None = None,
    runs: Runs | None = None,
    levels: int | None = None,
) -> Taxonomy:
    """Level 0 the categories, then levels of ever longer runs of neighbours, then ``*``.

    A run is published as ``first..last``, or under its name; a category that stays alone keeps its
    own label.

    Arguments:
        attribute: the attribute's name.
        values: all categories, in order; may be left out when ``runs`` gives them.
        run: how many neighbours make one of the next level (2, unless ``runs`` is given: then
            nothing more is merged).
        runs: the runs of level 1, ``[["low", "medium"], ["high"]]`` or by name
            ``{mild = ["low", "medium"], severe = ["high"]}``.
        levels: number of levels with runs; by default as many as it takes until at most two runs
            are left.

    Raises:
        PolicyError: for settings that make no sense.
        HierarchyError: when a run's name is also a category of another run.

    >>> ordered_taxonomy("risk", ["low", "medium", "high"]).rows()
    [('low', 'low..medium', '*'), ('medium', 'low..medium', '*'), ('high', 'high', '*')]
    """
    settings = {"values": values, "run": run, "runs": runs, "levels": levels}
    refuse(
        PolicyError, check({name: value for name, value in settings.items() if value is not None})
    )
    members = _members(runs) if runs is not None else [[item] for item in values or ()]
    if values is None:
        values = [item for inside in members for item in inside]
    names: Iterable[Label | None] = runs if isinstance(runs, Mapping) else [None] * len(members)
    current = [
        _Run(name or as_text(inside[0]), name or as_text(inside[-1]), len(inside))
        for name, inside in zip(names, members, strict=True)
    ]
    columns = [[as_text(value) for value in values]]
    size = run or (2 if runs is None else 0)
    if runs is not None:
        columns.append(_column(current))
    most = MOST_LEVELS if levels is None else levels
    while size and len(columns) <= most and (levels is not None or len(current) > 2):
        current = [_merged(current[start : start + size]) for start in range(0, len(current), size)]
        columns.append(_column(current))
    columns.append([SUPPRESSED] * len(columns[0]))
    return Taxonomy(attribute, list(zip(*columns, strict=True)))


def check(settings: Mapping[str, object]) -> list[Problem]:
    """What is wrong with the settings, without looking at data."""
    name = "order"
    problems = unknown(name, settings, KEYS)
    problems += whole_number(name, settings, "run", 2)
    problems += whole_number(name, settings, "levels", 1, MOST)
    values, runs = settings.get("values"), settings.get("runs")
    if values is None and runs is None:
        problems.append(wrong(name, "needs values", 'values = ["low", "medium", "high"]'))
    listed = _listed(values)
    if values is not None and listed is None:
        problems.append(wrong(name, "values must be a list of texts, each once"))
    if runs is not None:
        in_runs = _listed([item for inside in _members(runs) for item in inside])
        if not _members(runs) or in_runs is None:
            problems.append(wrong(name, "runs must be lists of texts, each text once"))
        elif listed is not None and in_runs != listed:
            problems.append(
                wrong(name, "runs must hold the values, all of them and in their order")
            )
    return problems


def _listed(values: object) -> list[str] | None:
    """The values as texts, or None if that is no list of distinct texts."""
    if not isinstance(values, (list, tuple)) or not values:
        return None
    try:
        found = [as_text(value) for value in values]
    except TypeError:
        return None
    listed = [text for text in found if text is not None and text != SUPPRESSED]
    return listed if len(set(listed)) == len(values) else None


def _members(runs: object) -> list[Sequence[object]]:
    """The runs' members; none at all if one of them is no list."""
    inside = list(runs.values()) if isinstance(runs, Mapping) else runs
    if not isinstance(inside, (list, tuple)):
        return []
    return list(inside) if all(isinstance(run, (list, tuple)) and run for run in inside) else []


def _merged(runs: Sequence[_Run]) -> _Run:
    return _Run(runs[0].first, runs[-1].last, sum(run.length for run in runs))


def _column(runs: Sequence[_Run]) -> list[Label]:
    return [run.label for run in runs for _ in range(run.length)]
