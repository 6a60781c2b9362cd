"""What is known of the values of a sensitive attribute, beside how often they occur.

Some promises need more than counts: which category a value belongs to, which value is larger, how
near two values are in a hierarchy, how sensitive each is, how often a value occurred in the
original table. All of it is plain data here, without any method, so that a policy, a search and an
audit can share it. A certificate carries it, so that a stranger can recompute what was promised.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from indistinct.frozen import dataclass, field
from indistinct.types import Plain, PlainMapping

Value = str | None
"""The text of a sensitive value; None is the missing value."""

CATEGORIES = "the highest category of each person instead of values"
"""What a certificate says was done to an attribute of which categories are published."""


@dataclass(frozen=True)
class ValueMetadata:
    """Plain facts about the values of one sensitive attribute; what is unknown is empty.

    Arguments:
        categories: The category of each value.
        category_order: The categories, from the least to the most sensitive.
        order: The values from the smallest to the largest.
        chains: The value's hierarchy: for each value itself, its parents, and the root.
        reference: How often each value occurs in the table that a promise compares with, where
            that is not the published one.
    """

    categories: Mapping[Value, str] = field(default_factory=dict)
    category_order: tuple[str, ...] = ()
    order: tuple[Value, ...] = ()
    chains: tuple[tuple[Value, ...], ...] = ()
    reference: Mapping[Value, float] = field(default_factory=dict)
    ranks: Mapping[Value, int] = field(default_factory=dict)

    @property
    def is_of_categories(self) -> bool:
        """Whether the values are categories themselves."""
        return bool(self.category_order) and all(
            value == name for value, name in self.categories.items()
        )

    @property
    def category_weights(self) -> dict[str, float]:
        """Weight of each category: 0 for the most sensitive, rising evenly to 1 for the least.

        Sun, Sun and Wang (2011): of m categories in falling order of sensitivity the i-th weighs
        (i - 1) / (m - 1); a single category weighs 0.
        """
        most = len(self.category_order) - 1
        return {
            name: (most - place) / most if most else 0.0
            for place, name in enumerate(self.category_order)
        }

    def about(self, values: Iterable[Value]) -> ValueMetadata:
        """What is known of these values alone; the reference stays whole."""
        kept = set(values) | set(self.reference)
        return ValueMetadata(
            categories={value: name for value, name in self.categories.items() if value in kept},
            category_order=self.category_order,
            order=tuple(value for value in self.order if value in kept),
            chains=tuple(chain for chain in self.chains if chain[0] in kept),
            reference=dict(self.reference),
            ranks={value: rank for value, rank in self.ranks.items() if value in kept},
        )

    def relabelled(self, labels: Mapping[Value, Value]) -> ValueMetadata:
        """The same of values that are written otherwise: ``labels`` by how they are written here.

        >>> ValueMetadata(categories={"=x": "low", "y": "low"}).relabelled({"=x": "'=x"}).categories
        {"'=x": 'low', 'y': 'low'}
        """

        def of(label: Value) -> Value:
            return labels.get(label, label)

        return ValueMetadata(
            categories={of(value): name for value, name in self.categories.items()},
            category_order=self.category_order,
            order=tuple(map(of, self.order)),
            chains=tuple(tuple(map(of, chain)) for chain in self.chains),
            reference={of(value): share for value, share in self.reference.items()},
            ranks={of(value): rank for value, rank in self.ranks.items()},
        )

    def to_dict(self) -> Plain:
        """What is known, as plain data; pairs instead of tables, since a value can be missing."""
        document: Plain = {
            "categories": [[value, name] for value, name in self.categories.items()],
            "category_order": list(self.category_order),
            "order": list(self.order),
            "hierarchy": [list(chain) for chain in self.chains],
            "reference": [[value, count] for value, count in self.reference.items()],
            "ranks": [[value, rank] for value, rank in self.ranks.items()],
        }
        return {key: part for key, part in document.items() if part}

    @classmethod
    def from_dict(cls, document: PlainMapping) -> ValueMetadata:
        """The knowledge that :meth:`to_dict` wrote.

        Raises:
            ValueError: If the document has another form.
        """
        try:
            return cls(
                categories={value: str(name) for value, name in document.get("categories", ())},
                category_order=tuple(map(str, document.get("category_order", ()))),
                order=tuple(document.get("order", ())),
                chains=tuple(tuple(chain) for chain in document.get("hierarchy", ())),
                reference={value: float(n) for value, n in document.get("reference", ())},
                ranks={value: int(rank) for value, rank in document.get("ranks", ())},
            )
        except (TypeError, ValueError, AttributeError):
            raise ValueError("what is known of a sensitive attribute is malformed") from None


NO_METADATA = ValueMetadata()
