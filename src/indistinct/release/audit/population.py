"""How many people of a population are under the published cells of each class?

Promises that compare a release with a population ask it. A person is under a class if each of her
exact values is among those that the class's cell stands for.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from indistinct.errors import PolicyError, Problem
from indistinct.release.audit.classes import SIZE, Asked
from indistinct.release.audit.verdict import Context, times
from indistinct.requirement import Requirement

PEOPLE = "people"
"""Column with the number of people of the population under a class."""

_COUNT = "\0count"

Numbers = NDArray[np.int64]

_ANYTHING = "*"


def people(asked: Asked) -> tuple[pl.DataFrame, int]:
    """Every class with its ``size`` and its ``people``, and how many people are under no class.

    Raises:
        PolicyError: If no population is known, it lacks a quasi-identifier, or it is not known what
            a published label stands for.
    """
    requirement, context, on = asked.requirement, asked.context, list(asked.on)
    population = _population(requirement, context, on)
    everybody = population.group_by(on).agg(pl.len().cast(pl.Int64).alias(_COUNT)).sort(on)
    shown = context.people(asked.counted, tuple(on))
    classes = shown.group_by(on).agg(times(shown).alias(_COUNT)).sort(on)
    columns = [_column(classes[name], everybody[name], context) for name in on]
    unknown = [name for name, column in zip(on, columns, strict=True) if not column.known]
    if unknown:
        raise PolicyError(
            [
                Problem(
                    "label-not-known",
                    f"promise '{requirement.model}' counts the people behind published labels, and "
                    "of some it is not known which values they stand for",
                    attribute=name,
                    remedy="give the attribute's hierarchy with the policy",
                )
                for name in unknown
            ]
        )
    # Few labels first: what many classes have in common is looked up once.
    columns.sort(key=lambda column: len(column.meant))
    many = everybody[_COUNT].to_numpy()
    found = np.zeros(classes.height, dtype=np.int64)
    covered = np.zeros(len(many), dtype=np.bool_)

    def descend(rows: Numbers, under: Numbers, depth: int) -> None:
        """Count the people ``under`` the first labels of the classes ``rows``, who share these."""
        if depth == len(columns):
            found[rows] = many[under].sum()
            covered[under] = True
            return
        column = columns[depth]
        for alike in _alike(rows, column.label):
            descend(alike, under[column.covers(column.label[alike[0]], under)], depth + 1)

    if classes.height:
        descend(np.arange(classes.height), np.arange(len(many)), 0)
    described = classes.select(pl.col(_COUNT).cast(pl.Int64).alias(SIZE))
    described = described.with_columns(pl.Series(PEOPLE, found, pl.Int64))
    return described, int(many[~covered].sum())


def _population(requirement: Requirement, context: Context, on: list[str]) -> pl.DataFrame:
    if context.population is None:
        raise PolicyError(
            Problem(
                "population-not-known",
                f"promise '{requirement.model}' counts people of a population, and none is given",
                remedy='add population = {file = "population.csv"} under [risk] to the policy',
            )
        )
    lacks = [name for name in on if name not in context.population.columns]
    if lacks:
        raise PolicyError(
            [
                Problem(
                    "population-without-column",
                    f"promise '{requirement.model}' counts people of the population by this "
                    "attribute, which the population does not have",
                    attribute=name,
                    remedy="name other quasi-identifiers in the promise, or give a population "
                    "that has them",
                )
                for name in lacks
            ]
        )
    return context.population.select(on)


@dataclass(frozen=True)
class _Column:
    """One quasi-identifier: the labels of the classes, the values of the population, in numbers.

    ``label`` is the label of each class, ``value`` the value of each combination of the population,
    ``meant[label]`` the values that a label stands for; ``known`` says whether all labels do.
    """

    label: Numbers
    value: Numbers
    meant: tuple[Numbers, ...]
    known: bool
    _marked: NDArray[np.bool_]

    def covers(self, label: int, under: Numbers) -> NDArray[np.bool_]:
        """Which of some combinations have a value that the label stands for."""
        self._marked[self.meant[label]] = True
        found = self._marked[self.value[under]]
        self._marked[self.meant[label]] = False
        return found


def _alike(rows: Numbers, label: Numbers) -> list[Numbers]:
    """The rows in groups of equal label."""
    if len(rows) == 1:
        return [rows]
    ordered = rows[np.argsort(label[rows], kind="stable")]
    return np.split(ordered, np.flatnonzero(np.diff(label[ordered])) + 1)


def _column(labels: pl.Series, values: pl.Series, context: Context) -> _Column:
    label_code, label_number = _numbered(labels)
    value_code, value_number = _numbered(values)
    covers = context.covers.get(labels.name, {})
    meant: list[list[int] | None] = []
    for label in label_number:
        if label in covers:
            meant.append([value_number[value] for value in covers[label] if value in value_number])
        elif label in value_number:
            meant.append([value_number[label]])
        elif label == _ANYTHING:
            meant.append(list(value_number.values()))
        else:
            meant.append(None)
    return _Column(
        label=label_code,
        value=value_code,
        meant=tuple(np.array(each or [], dtype=np.int64) for each in meant),
        known=None not in meant,
        _marked=np.zeros(len(value_number), dtype=np.bool_),
    )


def _numbered(column: pl.Series) -> tuple[Numbers, dict[str | None, int]]:
    """The cells as numbers, and the number of each text."""
    number = {text: at for at, text in enumerate(column.unique(maintain_order=True).to_list())}
    codes = [number[text] for text in column.to_list()]
    return np.array(codes, dtype=np.int64), number
