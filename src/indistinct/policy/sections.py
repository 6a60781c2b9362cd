"""The tables of a policy: their keys, what may stand there, and what holds if nothing does."""

from __future__ import annotations

import codecs
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, FiniteFloat

from indistinct._sections import Section

Role = Literal["identifier", "quasi-identifier", "sensitive", "insensitive"]
Measure = Literal[
    "loss",
    "precision",
    "non-uniform-entropy",
    "discernibility",
    "average-class-size",
    "height",
    "rows",
]
Aggregate = Literal["arithmetic", "geometric", "sum", "max", "rank"]
Algorithm = Literal[
    "optimal",
    "heuristic",
    "iab",
    "exhaustive",
    "greedy",
    "mondrian",
    "k-member",
    "mdav",
    "theta",
]
Style = Literal["range", "set", "ancestor", "level"]

ROW_SEARCHES = ("iab", "exhaustive", "greedy")
"""Algorithms that keep distinct rows, and know no suppression."""

PARTITIONS = ("mondrian", "k-member", "mdav", "theta")
"""Algorithms that put records into classes, and publish of each class what fits it."""

POSTERIOR = 0.5
"""The bound on the belief in any value that goes with theta-sensitivity unless another is set."""

OBJECTIVE_SETTINGS: Mapping[str, tuple[str, ...]] = {
    "loss": ("aggregate", "gs_factor", "weights"),
    "precision": ("aggregate", "gs_factor", "monotonic", "weights"),
    "non-uniform-entropy": ("aggregate", "monotonic", "weights"),
    "discernibility": ("monotonic",),
    "average-class-size": (),
    "height": ("aggregate", "weights"),
    "rows": (),
}
"""The settings that each measure has as an objective."""


def _one_character(text: str) -> str:
    if len(text) != 1:
        raise ValueError(f"must be one character, not {len(text)}")
    return text


def _quote(text: str) -> str:
    return text and _one_character(text)


def _known_encoding(name: str) -> str:
    try:
        codecs.lookup(name)
    except LookupError:
        raise ValueError(f"no encoding '{name}'; try 'utf-8' or 'latin-1'") from None
    return name


def _tuple(value: object) -> object:
    return tuple(value) if isinstance(value, list) else value


def _one_or_more(value: object) -> object:
    return (value,) if isinstance(value, str) else _tuple(value)


Names = Annotated[tuple[str, ...], BeforeValidator(_tuple)]
NameOrNames = Annotated[tuple[str, ...], BeforeValidator(_one_or_more)]
Character = Annotated[str, AfterValidator(_one_character)]
Level = Annotated[int, Field(ge=0)]


class Source(Section):
    """How the source file is read; what is not said is detected."""

    later = ("query", "format", "person", "people", "conflicts")

    separator: Character | None = None
    """The character between two fields of a CSV file."""
    encoding: Annotated[str, AfterValidator(_known_encoding)] | None = None
    """The character encoding of a CSV file, by a name Python knows."""
    quote: Annotated[str, AfterValidator(_quote)] | None = None
    """The character around a field that holds separators; an empty text where none is used."""
    sheet: str | None = None
    """The sheet of an Excel workbook."""


class Missing(Section):
    """What becomes of missing values: a value of their own, or suppressed."""

    tokens: Names = ()
    """Texts that stand for a missing value in the source, such as ``"?"`` or ``"N/A"``."""
    as_: Literal["value", "suppress"] = Field(default="value", alias="as")
    """``value``: published as missing until generalized away; ``suppress``: published as ``*``."""


class Mask(Section):
    """Characters of an identifier replaced, all but ``keep`` of them."""

    keep: Level = 0
    """How many characters stay readable."""
    char: Character = "*"
    """What stands in place of a character."""
    from_: Literal["left", "right"] = Field(default="right", alias="from")
    """The end that is masked; the characters kept are those at the other end."""


class Pseudonymize(Section):
    """An identifier replaced by a keyed hash; the key never stands in the policy itself."""

    key_env: str | None = None
    """The environment variable that holds the key."""
    key_file: str | None = None
    """The file that holds the key, relative to the policy's folder."""
    length: Annotated[int, Field(ge=8, le=64)] = 16
    """Hexadecimal digits of a pseudonym."""


class Transform(Section):
    """What is published in place of an identifier."""

    later = (
        "swap",
        "noise",
        "round",
        "microaggregate",
        "aggregate",
        "replace",
        "synthesize",
    )

    mask: Mask | None = None
    pseudonymize: Pseudonymize | None = None


class Categories(Section):
    """The category that each value of a sensitive attribute belongs to."""

    table: dict[str, Names] | None = None
    """The values of each category."""
    file: str | None = None
    """A file with a line for every value: the value and its category."""
    separator: Character | None = None
    """The character between the two in the file."""
    order: Names = ()
    """The categories, from the least to the most sensitive."""
    missing: str | None = None
    """The category of missing values."""


def _missing(value: object) -> object:
    return {"as": value} if isinstance(value, str) else value


class Attribute(Section):
    """One column of the table: the role it plays and how it may be generalized."""

    later = ("ranks",)

    role: Role
    """``identifier`` is dropped (or transformed), ``quasi-identifier`` generalized, ``sensitive``
    published and protected, ``insensitive`` published as it is."""
    hierarchy: Any = None
    """A builder (``{"intervals": {"width": 5}}``), a file, ``"suppress"`` or a ``Taxonomy``; of a
    sensitive attribute for promises that ask how near two values are."""
    categories: Categories | None = None
    """The categories of a sensitive attribute's values, for promises that speak of them."""
    transform: Transform | None = None
    """What is published of an identifier instead of nothing."""
    weight: Annotated[FiniteFloat, Field(ge=0)] = 1.0
    """How much the objective minds losing detail of this attribute."""
    min_level: Level = 0
    """The lowest level of the hierarchy that may be published."""
    max_level: Level | None = None
    """The highest level of the hierarchy that may be published."""
    missing: Annotated[Missing, BeforeValidator(_missing)] = Missing()
    """What becomes of missing values."""
    uncovered: Literal["error", "suppress"] = "error"
    """What becomes of values that the hierarchy does not cover."""
    derived_from: NameOrNames = ()
    """What this attribute follows from, by name or names: an age from a date of birth."""
    part_of: NameOrNames = ()
    """What this attribute is a part of: a postcode of an address."""

    def to_dict(self) -> dict[str, Any]:
        """The keys that differ from their defaults, under the names the policy file uses."""
        plain: dict[str, Any] = {"role": self.role}
        plain |= self.model_dump(by_alias=True, exclude_defaults=True, exclude={"hierarchy"})
        if not self.missing.tokens and "missing" in plain:
            plain["missing"] = self.missing.as_
        elif "missing" in plain:
            plain["missing"]["tokens"] = list(self.missing.tokens)
        for key in ("derived_from", "part_of"):
            if key in plain:
                plain[key] = plain[key][0] if len(plain[key]) == 1 else list(plain[key])
        if self.hierarchy is not None:
            plain["hierarchy"] = self.hierarchy
        return plain


class Objective(Section):
    """What makes one release better than another."""

    measure: Measure = "loss"
    """The measure that is minimized."""
    aggregate: Aggregate | None = None
    """How the attributes' values become one; not named: the measure's own way."""
    gs_factor: Annotated[FiniteFloat, Field(ge=0, le=1)] = 0.5
    """0: suppression costs nothing; 1: generalization costs nothing; 0.5: both count."""
    monotonic: bool = False
    """Use the measure's variant that never falls when a release is generalized further."""
    weights: dict[str, Annotated[FiniteFloat, Field(ge=0)]] = Field(default_factory=dict)
    """Weights of quasi-identifiers, in place of ``weight`` at the attribute."""


class Decoys(Section):
    """Made-up records that enlarge the smallest classes of a release."""

    to: Annotated[int, Field(ge=2)]
    """Classes of fewer records get decoys until they hold as many."""
    limit: Annotated[FiniteFloat, Field(gt=0, le=1)] = 0.1
    """The share of decoys among the records of the release that is not exceeded."""


class Link(Section):
    """Something the custodian knows: the value of one attribute can be linked to another's.

    An end is a column, or an attribute outside the table that other people know or publish.
    """

    from_: NameOrNames = Field(alias="from")
    """One end of the link; of several names, each is linked."""
    to: NameOrNames
    """The other end, or ends."""
    source: str = ""
    """Where the link comes from: a published table, a register, what neighbours know."""

    def to_dict(self) -> dict[str, Any]:
        """The keys that were set, under the names the policy file uses."""
        ends = {"from": self.from_, "to": self.to}
        plain: dict[str, Any] = {
            key: names[0] if len(names) == 1 else list(names) for key, names in ends.items()
        }
        return plain | ({"source": self.source} if self.source else {})

    def pairs(self) -> tuple[tuple[str, str], ...]:
        """Every pair of attributes that is linked."""
        return tuple((one, other) for one in self.from_ for other in self.to)


def _objective(value: object) -> object:
    return {"measure": value} if isinstance(value, str) else value


class Partition(Section):
    """How records are put into classes."""

    strict: bool = True
    """Whether records with equal quasi-identifiers stay in one class."""
    dimension: Literal["width", "entropy", "ncp"] | None = None
    """The attribute that is cut: the widest, the one of most entropy, or that of most gain."""
    cut: Literal["median", "ncp"] | None = None
    """Where it is cut: in the middle, or where both parts lose least."""
    start: Literal["mondrian", "k-member", "mdav", "chunks"] | None = None
    """The classes that ``theta`` starts from."""
    donors: Literal["later", "all"] | None = None
    """Which classes ``theta`` asks for an exchange: the ``later`` ones, as published, or, where none
    of these helps, ``all``: less noise, and wider cells. Not said: all, and later for the variant
    of the paper."""


class Method(Section):
    """How a release is searched for."""

    later = ("mode", "accept_unsafe", "keep_history")

    algorithm: Algorithm = "optimal"
    """``optimal`` proves its result the best, or says by how much it may miss; ``iab``,
    ``exhaustive`` and ``greedy`` keep distinct rows, without suppression; ``mondrian``,
    ``k-member`` and ``mdav`` put records into classes and publish what fits each class; ``theta``
    moves records between such classes until their sensitive values are diverse."""
    objective: Annotated[Objective, BeforeValidator(_objective)] = Objective()
    """A measure's name, or a table of its settings."""
    suppression_limit: Annotated[FiniteFloat, Field(ge=0, le=1)] = 0.0
    """The share of records that may be left out."""
    time_limit: Annotated[FiniteFloat, Field(gt=0)] | None = None
    """Seconds after which the search returns the best release found."""
    node_limit: Annotated[int, Field(ge=1)] | None = None
    """Checked generalizations after which the search returns the best release found."""
    scope: Literal["domain", "subtree", "siblings"] = "domain"
    """How far one step of ``iab``, ``exhaustive`` and ``greedy`` goes: a whole attribute, single
    subtrees of its hierarchy, or all violating subtrees at once."""
    tie_break: Literal["least_general", "paper"] = "least_general"
    """Which of several releases with as many rows ``iab`` takes."""
    local_recoding: bool = False
    """Recode the suppressed records again among themselves."""
    cells: Style | dict[str, Style] | None = None
    """What is published of a class: for all attributes, or by attribute. Not said: ranges of
    numbers, and common ancestors of everything else."""
    partition: Partition = Partition()
    """How ``mondrian``, ``k-member``, ``mdav`` and ``theta`` put records into classes."""
    variant: Literal["safe", "paper"] = "safe"
    """``paper`` runs ``theta`` as published, without its guard and without a bound on beliefs."""
    max_noise: Annotated[FiniteFloat, Field(ge=0)] | Annotated[int, Field(ge=0)] | None = None
    """Noise records that ``theta`` may add: a share below 1, or a number."""
    decoys: Decoys | None = None
    """Enlarge the smallest classes by made-up records, which distort counts."""
    seed: Annotated[int, Field(ge=0)] | None = None
    """For tests: whoever knows the seed can undo the shuffle."""

    def to_dict(self) -> dict[str, Any]:
        """The keys that differ from their defaults, under the names the policy file uses."""
        plain = super().to_dict()
        if "objective" in plain:
            objective = {"measure": self.objective.measure, **plain["objective"]}
            plain["objective"] = objective if len(objective) > 1 else self.objective.measure
        return plain


class Population(Section):
    """The people among whom somebody could be found: a table of them, or how many there are."""

    file: str | None = None
    """A table of these people with the quasi-identifiers, one row each."""
    separator: Character | None = None
    """The character between two fields of that file."""
    size: Annotated[int, Field(ge=1)] | None = None
    """How many there are, where no table of them is at hand."""
    fraction: Annotated[FiniteFloat, Field(gt=0, le=1)] | None = None
    """The share of them that is in the table."""


class Risk(Section):
    """What is known of the risk around the table, and how it is told."""

    population: Population | None = None
    """The people that promises about a population count, and the journalist looks among."""
    threshold: Annotated[FiniteFloat, Field(gt=0, le=1)] = 0.2
    """A record with a risk above this one is at risk; 0.2 stands for classes of five."""
    k_range: Annotated[tuple[Level, Level], BeforeValidator(_tuple)] | None = None
    """The first and the last k of the curve of risk."""


class Output(Section):
    """What the release looks like."""

    format: Literal["csv", "parquet"] = "csv"
    suppressed: Literal["drop", "keep"] = "drop"
    """``keep`` publishes suppressed records with every quasi-identifier as ``*``."""
    shuffle: bool = True
    """Publish the records in random order: the source's order can give people away."""
    spreadsheet_safe: bool = False
    """Neutralise cells that a spreadsheet would run as a formula."""
