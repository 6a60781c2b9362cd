"""A table whose combinations do not fit: what is known of its columns, and cuts made where it is.

The program receives how often each value of a column occurs, column by column. That is enough for
hierarchies, references and warnings. Mondrian cuts the table in its engine, and hands back classes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import polars as pl

from indistinct.analytics.leakage.dependence import SAMPLE
from indistinct.errors import DataError
from indistinct.frozen import dataclass
from indistinct.hierarchies.taxonomy import SUPPRESSED
from indistinct.intake.asked import asked_of, method_of, sight_of
from indistinct.intake.private_table import PrivateTable, counted_attributes
from indistinct.intake.run import Run
from indistinct.kernels.ragged import pointers
from indistinct.microdata.encoding import leaf_codes
from indistinct.microdata.frequencies import FrequencyTable
from indistinct.microdata.leveled import LeveledTable
from indistinct.microdata.microdata import Microdata
from indistinct.microdata.subjects import Subjects
from indistinct.policy import Policy
from indistinct.privacy.knm_anonymity import KNMAnonymity
from indistinct.recoding.partition import PartitionSettings
from indistinct.recoding.partition.first_cuts import Cut, breaks_as_a_whole, cut_in_parts
from indistinct.recoding.plan import CellPlan
from indistinct.sources import memory
from indistinct.sources.parts import InParts
from indistinct.sources.table import Table, counted_rows
from indistinct.types import Ints

METHOD = "mondrian"
"""The algorithm whose cuts can be made where a table is."""


@dataclass(frozen=True)
class OutlinedTable(PrivateTable):
    """A table of which only the distributions of single columns are known: its subjects have the
    values of its records, and not together.
    """

    @classmethod
    def in_place(cls, table: Table, run: Run, file: str | None, error: DataError) -> OutlinedTable:
        """What is known of a table whose combinations do not fit.

        Arguments:
            table: the table.
            run: says the policy; is given warnings.
            file: the name of the table's file, for messages.
            error: what was said of its combinations.

        Raises:
            DataError: the same, with why it cannot be cut where it is, or which column alone has
                more values than fit.
            HierarchyError, PolicyError: as :meth:`PrivateTable.of` does.
        """
        policy = run.policy
        if error.problems[0].code != "combinations-do-not-fit" or not isinstance(table, InParts):
            raise error
        names = [*policy.quasi_identifiers, *counted_attributes(policy.privacy_models)]
        # First, as no cut helps a column whose values alone do not fit.
        columns = {name: counted_rows(table, [name]) for name in dict.fromkeys(names)}
        _refuse(why_not(policy), error)
        starred = [name for name in policy.quasi_identifiers if _starred(columns[name][0])]
        if len(starred) == len(policy.quasi_identifiers):
            _refuse(Why(f"every quasi-identifier has the value {SUPPRESSED}"), error)
        found = cls.of(table, run, subjects=alike(columns), file=file)
        if breaks_as_a_whole(found.data, found.promises_of_classes):
            message = "it breaks a promise as a whole, and cuts alone do not mend that"
            _refuse(Why(message, "promise less"), error)
        return found

    def cut(self, run: Run) -> tuple[PrivateTable, CellPlan]:
        """The table by its classes, and the plan that publishes them.

        Raises:
            Unsatisfiable: if more would be suppressed than is allowed.
            DataError: there are too many classes.
        """
        run.tell("cutting in place", 0.0)
        assert isinstance(self.table, InParts)
        found = cut_in_parts(
            self.data,
            self.promises_of_classes,
            PartitionSettings.of(asked_of(self.policy, run.seed)),
            self.table.in_parts,
            progress=run.share_of("cutting in place"),
        )
        rows = found.data.table.combinations
        memory.require_classes(found.plan.groups, rows, self.table.name, self.table.ceiling)
        data, plan = self._with_sample(found)
        private = replace(self, table=self.table.cut(found.tree))
        nowhere = np.zeros(self.subjects.count, dtype=np.int32)
        private.__dict__["microdata"] = Microdata(data, nowhere)
        return private, plan

    def _with_sample(self, found: Cut) -> tuple[LeveledTable, CellPlan]:
        """The outline of the classes, and combinations of the sample that warnings look at."""
        quasi = list(self.data.attributes)
        texts = self.table.sample(quasi, SAMPLE).unique(maintain_order=True)
        codes = [leaf_codes(texts[name], self.taxonomies[name]) for name in quasi]
        order = [one.codes for one in found.tree.quasi]
        known = np.all([own >= 0 for own in codes], axis=0)
        rank = np.stack([place[own] for place, own in zip(order, codes, strict=True)], axis=1)
        leaf = found.tree.leaf_of(rank)
        known &= leaf >= 0
        row_of = np.zeros(int(found.tree.leaves.max()) + 1, dtype=np.int64)
        row_of[found.tree.leaves] = found.tree.row
        more = row_of[leaf[known]]
        outline = found.data
        table = outline.table
        sensitive = {
            name: replace(own, indptr=np.append(own.indptr, np.full(len(more), own.indptr[-1])))
            for name, own in table.sensitive.items()
        }
        made = FrequencyTable(
            table.attributes,
            tuple(
                np.concatenate([own, extra[known].astype(own.dtype)])
                for own, extra in zip(table.codes, codes, strict=True)
            ),
            np.concatenate([table.weight, np.zeros(len(more), dtype=np.int64)]),
            sensitive,
        )
        class_of = np.concatenate([found.plan.class_of, found.plan.class_of[more]])
        return replace(outline, table=made), replace(found.plan, class_of=class_of)


class Why(NamedTuple):
    """Why a table cannot be cut where it is.

    Arguments:
        message: why.
        remedy: what can be asked in its place; empty where nothing in the policy helps.
    """

    message: str
    remedy: str = ""


def why_not(policy: Policy) -> Why | None:
    """Why a policy's release cannot be cut where its table is; None where it can."""
    sight = sight_of(policy)
    if method_of(policy).name != METHOD:
        ask = f'write algorithm = "{METHOD}" under [method]'
        return Why(f'only algorithm = "{METHOD}" can cut it', ask)
    if not policy.method.partition.strict:
        message = "equal records may part (partition.strict = false), so each is looked at"
        return Why(message, "leave partition.strict out")
    if sight.by_record or sight.rows or sight.ranks or sight.linked:
        return Why("records are looked at one by one")
    for part in policy.privacy_models:
        if part.needs_population or part.subject != "classes" or isinstance(part, KNMAnonymity):
            message = f"promise '{part.model}' looks at combinations"
            return Why(message, f"use a promise about classes instead of '{part.model}'")
    return None


def alike(columns: Mapping[str, tuple[pl.DataFrame, Ints]]) -> Subjects:
    """Rows that have the values of some columns as often as the records, and not together.

    Arguments:
        columns: by name the values of a column, and how often each occurs.

    >>> ages = pl.DataFrame({"age": ["3", "7"]}), np.array([2, 1])
    >>> towns = pl.DataFrame({"town": ["N", "E"]}), np.array([1, 2])
    >>> found = alike({"age": ages, "town": towns})
    >>> found.texts.rows(), found.weight.tolist()
    ([('3', 'N'), ('3', 'E'), ('7', 'E')], [1, 1, 1])
    """
    ends = {name: pointers(times)[1:] for name, (_, times) in columns.items()}
    every = np.unique(np.concatenate([np.zeros(0, np.int64), *ends.values()]))
    texts = {
        name: values[name].gather(pl.Series(np.searchsorted(ends[name], every)))
        for name, (values, _) in columns.items()
    }
    return Subjects.of_records(pl.DataFrame(texts), np.diff(every, prepend=0))


def _starred(values: pl.DataFrame) -> bool:
    return bool((values.to_series() == SUPPRESSED).any())


def _refuse(why: Why | None, error: DataError) -> None:
    if why is not None:
        problem = error.problems[0]
        message = f"{problem.message}; nor is the table cut where it is: {why.message}"
        remedy = "; or ".join(filter(None, [why.remedy, problem.remedy]))
        raise DataError([replace(problem, message=message, remedy=remedy)]) from None
