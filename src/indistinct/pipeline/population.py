"""The people among whom somebody could be found: the table that a policy names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from numpy.typing import NDArray

from indistinct.errors import PolicyError, Problem
from indistinct.hierarchies.cells import Coverage
from indistinct.hierarchies.taxonomy import Label, Taxonomy
from indistinct.microdata.encoding import codes_in
from indistinct.microdata.microdata import sorted_values
from indistinct.privacy.promise import models
from indistinct.sources.convert import to_polars
from indistinct.sources.files import read_table
from indistinct.sources.table import open_table, require_columns
from indistinct.sources.text import canonical
from indistinct.types import Frame

if TYPE_CHECKING:
    from indistinct.policy import Policy


def population_of(policy: Policy) -> pl.DataFrame | None:
    """The quasi-identifiers of the population's people as text, one row each.

    None where the policy names no table of them.

    Raises:
        DataError: the file cannot be read, or lacks a quasi-identifier.
        PolicyError: a promise counts people, and the policy says only how many there are.
    """
    named = policy.risk.population
    if named is None:
        return None
    if named.file is None:
        _refuse_counting(policy)
        return None
    path = policy.directory / named.file
    quasi = policy.quasi_identifiers
    tokens = {
        name: policy.attributes[name].missing.tokens
        for name in quasi
        if policy.attributes[name].missing.tokens
    }
    frame = read_table(path, separator=named.separator)
    table = open_table(frame, path.name)
    require_columns(table, quasi)
    return open_table(frame, path.name, missing_tokens=tokens).text(quasi)


def _refuse_counting(policy: Policy) -> None:
    """Raise where a promise would have to count people of whom only the number is known."""
    known = models()
    counting = [
        item.model
        for item in policy.promises
        if item.model in known and known[item.model].needs_population
    ]
    if counting:
        raise PolicyError(
            [
                Problem(
                    "no-population-table",
                    f"promise '{model}' counts the people of every class, and risk.population says "
                    "only how many there are",
                    file=policy.file,
                    remedy='name a table of them: population = { file = "..." }',
                )
                for model in dict.fromkeys(counting)
            ]
        )


def covers(
    released: Frame, taxonomies: Mapping[str, Taxonomy], quasi: Sequence[str]
) -> dict[str, dict[Label, frozenset[Label]]]:
    """For each quasi-identifier the exact values that each published cell stands for."""
    texts = canonical(to_polars(released).select(quasi))
    found = {}
    for name in quasi:
        coverage = Coverage(taxonomies[name])
        leaves = np.array(coverage.leaves, dtype=object)
        found[name] = {
            cell: frozenset(leaves[coverage.mask(cell)].tolist())
            for cell in texts[name].unique().to_list()
        }
    return found


def people_under(
    classes: pl.DataFrame,
    people: pl.DataFrame,
    number: NDArray[np.int64],
    covers: Mapping[str, Mapping[Label, frozenset[Label]]],
) -> NDArray[np.int64]:
    """How many people of a population are under the published cells of every class, [G].

    Arguments:
        classes: the published cells, one row per class.
        people: the distinct combinations of exact values of the population, the same columns.
        number: how many people have each combination, [P].
        covers: the exact values that each published cell of a column stands for.
    """
    labels: list[tuple[NDArray[np.int32], list[NDArray[np.bool_]]]] = []
    for name in classes.columns:
        distinct, told = sorted_values(people[name]), sorted_values(classes[name])
        at = codes_in(people[name], distinct)
        masks = [
            np.array([value in covers[name][cell] for value in distinct], dtype=np.bool_)[at]
            for cell in told
        ]
        labels.append((codes_in(classes[name], told), masks))
    # Columns of few labels first: what many classes have in common is looked up once.
    labels.sort(key=lambda column: len(column[1]))
    found = np.zeros(classes.height, dtype=np.int64)

    def descend(rows: NDArray[np.int64], under: NDArray[np.int64], depth: int) -> None:
        if depth == len(labels):
            found[rows] = number[under].sum()
            return
        code, masks = labels[depth]
        ordered = rows[np.argsort(code[rows], kind="stable")]
        for alike in np.split(ordered, np.flatnonzero(np.diff(code[ordered])) + 1):
            descend(alike, under[masks[code[alike[0]]][under]], depth + 1)

    if classes.height:
        descend(np.arange(classes.height), np.arange(people.height), 0)
    return found
