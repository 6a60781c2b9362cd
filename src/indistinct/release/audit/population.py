"""How many people of a population are under the published cells of each class?

Promises that compare a release with a population ask it. A person is under a class if each of their
exact values is among those that the class's cell stands for.

Somebody may be under several classes (``[20, 30)`` and ``[25, 40)``). A comparison of these shows
that the records of the one are no records of the other, and counts as far as this is certain. What
others may need is taken off the people of a class, but its own records always may be each other's;
and somebody is in the table with the sum of what the classes say that stand for them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from indistinct.errors import PolicyError, Problem
from indistinct.frozen import dataclass
from indistinct.release.audit.classes import SIZE, Asked
from indistinct.release.audit.verdict import Context, times
from indistinct.requirement import Requirement
from indistinct.types import Bools, Ints

PEOPLE = "people"
"""Column with the number of people of the population under a class."""

LEFT = "left"
"""Column with how many of them at least are as likely the person of a record of the class."""

PRESENCE = "presence"
"""Column with how likely at most somebody under the class is in the table."""

_COUNT = "\0count"


_ANYTHING = "*"


def people(asked: Asked) -> tuple[pl.DataFrame, int]:
    """Every class with its ``size`` and ``people``, how many of these are ``left``, and their
    largest ``presence``; and how many people are under no class.

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
                    f"promise '{requirement.model}' counts the people behind published labels, but "
                    "for some labels it is not known which values they cover",
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
    covered = np.zeros(len(many), dtype=np.int64)
    members: list[tuple[int, Ints]] = []

    def descend(rows: Ints, under: Ints, following: list[_Column]) -> None:
        """Count the people ``under`` the first labels of the classes ``rows``, who share these."""
        if not following:
            found[rows] = many[under].sum()
            covered[under] += 1
            members.append((rows.item(), under))
            return
        column, *rest = following
        for alike in _alike(rows, column.label):
            descend(alike, under[column.covers(column.label[alike[0]], under)], rest)

    if classes.height:
        descend(np.arange(classes.height), np.arange(len(many)), columns)
    described = classes.select(pl.col(_COUNT).cast(pl.Int64).alias(SIZE))
    size = described[SIZE].to_numpy()
    left = found
    if (covered > 1).any():
        left = _left(size, found, members, many, covered > 1)
    share = size / np.maximum(left, 1)
    presence = np.where(found > 0, share, np.inf)
    if left is not found:
        of_combination = np.zeros(len(many))
        for at, under in members:
            of_combination[under] += share[at]
        for at, under in members:
            if len(under):
                presence[at] = min(of_combination[under].max(), max(1.0, size[at] / found[at]))
    described = described.with_columns(
        pl.Series(PEOPLE, found, pl.Int64), pl.Series(LEFT, left), pl.Series(PRESENCE, presence)
    )
    return described, int(many[covered == 0].sum())


def _left(
    size: Ints, people_of: Ints, members: Sequence[tuple[int, Ints]], many: Ints, shared: Bools
) -> Ints:
    """The people of every class whom the records of no other class need, [G].

    Arguments:
        size: records of every class, [G].
        people_of: people under every class, [G].
        members: classes, with the combinations of the population under each.
        many: how many people have each combination.
        shared: which combinations are under several classes.
    """
    parts = [(at, own) for at, under in members if len(own := under[shared[under]])]
    classes = np.repeat([at for at, _ in parts], [len(own) for _, own in parts])
    under = np.concatenate([own for _, own in parts])
    alike = (
        pl.DataFrame({"class": classes, "at": under, "people": many[under]})
        .sort("class")
        .group_by("at", "people")
        .agg("class", pl.col("class").cast(pl.String).str.join(",").alias("classes"))
        .group_by("classes")
        .agg(pl.col("class").first(), pl.col("people").sum())
        .with_columns(pl.col("class").alias("other"))
    )
    both = alike.explode("class").explode("other").filter(pl.col("class") != pl.col("other"))
    both = both.group_by("class", "other").agg(pl.col("people").sum())
    need = np.minimum(both["people"].to_numpy(), size[both["other"].to_numpy()])
    taken = np.bincount(both["class"].to_numpy(), need, minlength=len(size)).astype(np.int64)
    found: Ints = np.maximum(people_of - taken, np.minimum(size, people_of))
    return found


def _population(requirement: Requirement, context: Context, on: list[str]) -> pl.DataFrame:
    if context.population is None:
        raise PolicyError(
            "population-not-known",
            f"promise '{requirement.model}' counts people of a population, and none is given",
            remedy='add population = {file = "population.csv"} under [risk] to the policy',
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

    label: Ints
    value: Ints
    meant: tuple[Ints, ...]
    known: bool
    _marked: Bools

    def covers(self, label: int, under: Ints) -> Bools:
        """Which of some combinations have a value that the label stands for."""
        self._marked[self.meant[label]] = True
        found = self._marked[self.value[under]]
        self._marked[self.meant[label]] = False
        return found


def _alike(rows: Ints, label: Ints) -> list[Ints]:
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


def _numbered(column: pl.Series) -> tuple[Ints, dict[str | None, int]]:
    """The cells as numbers, and the number of each text."""
    number = {text: at for at, text in enumerate(column.unique().to_list())}
    codes = [number[text] for text in column.to_list()]
    return np.array(codes, dtype=np.int64), number
