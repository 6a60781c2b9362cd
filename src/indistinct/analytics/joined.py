"""People and what was published of them, as measures of linked and of long releases see both.

A release of people with many records is read in one form, whether its tables are linked or it has a
row for every record: rows about people, each in a class of equal cells and in a bucket, and what
each bucket lists. A long release is a linked one in which every pseudonym has a bucket of its own,
of which the person has all values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np
import polars as pl

from indistinct.analytics.linked import HOLDING
from indistinct.analytics.published import Original, PublishedRows
from indistinct.analytics.weighted import Lists
from indistinct.frozen import dataclass, field
from indistinct.hierarchies.cells import members_of
from indistinct.hierarchies.taxonomy import SUPPRESSED, Taxonomy
from indistinct.kernels.ragged import pointers
from indistinct.metadata import NO_METADATA, ValueMetadata
from indistinct.microdata.encoding import codes_in, leaf_codes
from indistinct.types import Floats, Ints, Ints32

Label = str | None


@dataclass(frozen=True, eq=False)
class PeopleTable:
    """The private table as people: exact quasi-identifiers, and all sensitive values of each.

    Arguments:
        texts: the people's quasi-identifiers, null for a missing value, [n rows].
        original: the same as combinations, for measures of cells.
        values: of each sensitive attribute which values each person has.
        known: what is known of these values.
    """

    texts: pl.DataFrame
    original: Original
    values: Mapping[str, Lists]
    known: Mapping[str, ValueMetadata] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        texts: pl.DataFrame,
        taxonomies: Mapping[str, Taxonomy],
        person_of: Ints32,
        records: pl.DataFrame,
        known: Mapping[str, ValueMetadata] | None = None,
    ) -> PeopleTable:
        """The people of a table.

        Arguments:
            texts: the people's quasi-identifiers, one row each.
            taxonomies: of every quasi-identifier; they cover all values.
            person_of: the person of every record, [rows].
            records: the records' sensitive attributes, null for a missing value.
            known: what is known of these.
        """
        original = Original.of(texts, taxonomies)
        values = {
            name: Lists.gathered(person_of, records[name], texts.height) for name in records.columns
        }
        return cls(texts.select(list(taxonomies)), original, values, known or {})

    @property
    def count(self) -> int:
        """Number of people, n."""
        return self.texts.height

    @cached_property
    def codes(self) -> list[Ints32]:
        """Of every quasi-identifier the leaf of every person, [n]."""
        return [
            leaf_codes(self.texts[name], domain.taxonomy)
            for name, domain in self.original.domains.items()
        ]

    def standing(self, name: str, labels: Sequence[Label]) -> tuple[Ints, Ints]:
        """Which values of an attribute each published label stands for, as compressed rows.

        A label is a value, a category of values, a node of the values' hierarchy, a set of these,
        or ``*`` for all of them; any other stands for none.
        """
        values = self.values[name].labels
        about = self.known.get(name, NO_METADATA)
        under: dict[Label, set[int]] = {}
        chains = {chain[0]: chain for chain in about.chains}
        for at, value in enumerate(values):
            above = (value, about.categories.get(value), *chains.get(value, ()))
            for label in above:
                if label is not None or value is None:
                    under.setdefault(label, set()).add(at)
        under[SUPPRESSED] = set(range(len(values)))
        found = []
        for label in labels:
            parts = (label,) if label in under else members_of(label) or ()
            found.append(sorted(set().union(*(under.get(part, ()) for part in parts))))
        index = [at for own in found for at in own]
        return pointers([len(own) for own in found]), np.array(index, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class JoinedRelease:
    """A release as rows about people who are linked to buckets.

    Arguments:
        published: the rows, in classes of equal cells.
        bucket_of: the bucket of every row, -1 where none lists anything, [r].
        listed: of each sensitive attribute what every bucket lists, and how often.
        holding: everybody of a bucket has ``one`` of its rows, ``some`` of its values (each listed
            once for everybody who has it), or ``all``.
    """

    published: PublishedRows
    bucket_of: Ints32
    listed: Mapping[str, Lists]
    holding: str = "one"

    @classmethod
    def of_linked(
        cls,
        published: PublishedRows,
        buckets: pl.Series,
        listed: Mapping[str, pl.DataFrame],
        holding: str | None = None,
    ) -> JoinedRelease:
        """Two linked tables.

        Arguments:
            published: the published quasi-identifiers, a row per person, [r].
            buckets: the bucket of each of these rows, as text.
            listed: of each sensitive attribute the rows of the sensitive table: first column the
                bucket, second the value, both as text.
            holding: how these belong to the people of a bucket. None: ``one`` if every bucket lists
                as many as it has people, else ``some``.

        Raises:
            ValueError: an unknown holding.
        """
        names = pl.concat([buckets, *(part.to_series(0) for part in listed.values())])
        there = pl.Series(sorted(names.drop_nulls().unique().to_list()), dtype=pl.String)
        bucket_of = codes_in(buckets, there.to_list())
        lists = {
            attribute: Lists.gathered(
                codes_in(frame.to_series(0), there.to_list()), frame.to_series(1), len(there)
            )
            for attribute, frame in listed.items()
        }
        people = np.bincount(bucket_of[bucket_of >= 0], minlength=len(there))
        if holding is None:
            one = all((part.size == people).all() for part in lists.values())
            holding = "one" if one else "some"
        if holding not in HOLDING:
            raise ValueError(f"holding must be one of {HOLDING}, not {holding!r}")
        return cls(published, bucket_of, lists, holding)

    @property
    def rows(self) -> int:
        """Rows about people, r."""
        return self.published.rows

    @cached_property
    def people_of_bucket(self) -> Ints:
        """How many rows are linked to each bucket, [B]."""
        buckets = max((len(part) for part in self.listed.values()), default=0)
        there = self.bucket_of[self.bucket_of >= 0]
        return np.bincount(there, minlength=buckets).astype(np.int64)

    @cached_property
    def alike(self) -> Mapping[str, tuple[Ints32, Ints]]:
        """Buckets of whose people the same is expected, by sensitive attribute.

        Of each the group of every bucket [B], and a bucket of each group.
        """
        beside = self.people_of_bucket if self.holding == "some" else None
        return {
            name: part.alike if beside is None else part.grouped(beside)
            for name, part in self.listed.items()
        }

    def shares(self, name: str) -> Floats:
        """How likely a person of the bucket has each label that it lists, [entries]."""
        return shares_of(self.listed[name], self.people_of_bucket, self.holding)


def shares_of(part: Lists, people: Ints, holding: str) -> Floats:
    """How likely a person of the bucket has each label that it lists, [entries].

    Arguments:
        part: what every bucket lists.
        people: how many rows are linked to each bucket, [B].
        holding: everybody of a bucket has ``one`` of its rows, ``some`` of its values, or ``all``.
    """
    if holding == "all":
        return np.ones(len(part.index))
    whole = part.size if holding == "one" else people
    return np.minimum(part.amount / np.maximum(whole[part.row_of], 1), 1.0)
