"""The tables of a policy: their keys, what may stand there, and what holds if nothing does."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BeforeValidator,
    ConfigDict,
    Field,
    FiniteFloat,
    model_validator,
)
from pydantic_core import PydanticCustomError

from indistinct._sections import Section
from indistinct.frozen import dataclass
from indistinct.measures.objective import measure_named, measures
from indistinct.recoding.method import method_named, methods
from indistinct.sources.file_kind import output_formats
from indistinct.sources.format import formats
from indistinct.text_encodings import is_of_files, no_encoding
from indistinct.types import Plain

Role = Literal["identifier", "quasi-identifier", "sensitive", "insensitive"]
Aggregate = Literal["arithmetic", "geometric", "sum", "max", "rank"]
Style = Literal["range", "set", "ancestor", "level"]

PERIODS = ("week", "month", "quarter", "year")
"""What dates can be rounded to."""

POSTERIOR = 0.5
"""The bound on the belief in any value that goes with theta-sensitivity unless another is set."""


def _one_character(text: str) -> str:
    if len(text) != 1:
        raise ValueError(f"must be one character, not {len(text)}")
    return text


def _quote(text: str) -> str:
    return text and _one_character(text)


def _known_encoding(name: str) -> str:
    if not is_of_files(name):
        raise ValueError(no_encoding(name))
    return name


def _one_of(known: Callable[[], Iterable[str]], named: Callable[[str], object]) -> BeforeValidator:
    """Takes the names of what is there, or is brought by a plugin.

    Arguments:
        known: all names.
        named: what is of a name; None where nothing is.
    """

    def check(name: object) -> object:
        if not isinstance(name, str) or named(name) is None:
            raise PydanticCustomError("unknown_name", "unknown", {"known": list(known())})
        return name

    return BeforeValidator(check)


def _text_as(key: str) -> BeforeValidator:
    """Takes a text alone for the value of one key."""
    return BeforeValidator(lambda value: {key: value} if isinstance(value, str) else value)


def _tuple(value: object) -> object:
    return tuple(value) if isinstance(value, list) else value


def _one_or_more(value: object) -> object:
    return (value,) if isinstance(value, str) else _tuple(value)


def _rounding(value: object) -> object:
    """A number above 0, or a period of dates."""
    if isinstance(value, str):
        if value not in PERIODS:
            raise ValueError(f"must be a number, or one of {', '.join(PERIODS)}, not '{value}'")
    elif value is not None and (
        isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < math.inf
    ):
        raise ValueError(f"must be a number above 0, or one of {', '.join(PERIODS)}")
    return value


def _word(value: object) -> object:
    return {value: {}} if isinstance(value, str) else value


Names = Annotated[tuple[str, ...], BeforeValidator(_tuple)]
NameOrNames = Annotated[tuple[str, ...], BeforeValidator(_one_or_more)]
Character = Annotated[str, AfterValidator(_one_character)]
Level = Annotated[int, Field(ge=0)]
Measure = Annotated[str, _one_of(measures, measure_named)]
Format = Annotated[str, _one_of(formats, lambda name: formats().get(name))]
FileFormat = Annotated[
    str, _one_of(output_formats, lambda name: name if name in output_formats() else None)
]
Algorithm = Annotated[str, _one_of(methods, method_named)]


class PeopleFile(Section):
    """A second table with one row per person."""

    file: str
    """Its path, relative to the policy's folder."""
    key: str | None = None
    """Its column that names the person; by default named as in the table of records."""
    separator: Character | None = None
    """The character between two fields of it."""


class Source(Section):
    """How the source file is read; separator, encoding and quote are detected by default."""

    format: Format | None = None
    """The format of a folder or file: ``fhir``, a FHIR R4 bulk export; ``omop``, tables of the OMOP
    model; or one of a plugin. Its roles and hierarchies are built in; the policy can replace
    them."""
    person: str | None = None
    """The column that names the person, if people have many records. Every promise then counts
    people, and the column holds a pseudonym made for the release."""
    people: Annotated[PeopleFile | None, _text_as("file")] = None
    """A second table with one row per person; its columns are joined. A text alone is the file."""
    constant: dict[str, str] = Field(default_factory=dict)
    """Columns that the table lacks, with the value that all records have in them. With one as the
    only quasi-identifier of people they are all one class, for others who know visits alone."""
    conflicts: Literal["error", "first", "last", "most-frequent"] = "error"
    """What to do if a quasi-identifier differs between the records of a person."""

    separator: Character | None = None
    """The character between two fields of a CSV file."""
    encoding: Annotated[str, AfterValidator(_known_encoding)] | None = None
    """The character encoding of a CSV file, by a name Python knows."""
    quote: Annotated[str, AfterValidator(_quote)] | None = None
    """The character around a field that holds separators; an empty text if there is none."""
    header: bool | None = None
    """Whether the first line of a CSV file has the columns' names. ``false``: the columns are named
    ``column_1``, ``column_2`` and so on. By default names that look like a record are refused, of
    a file, database or frame of any kind."""
    skip_rows: Level | None = None
    """How many rows stand above the names of the columns in a CSV file or a sheet, such as a title
    and empty rows."""
    decimal: Literal[",", "."] | None = None
    """The decimal mark of numbers written as texts in a CSV file or a workbook. ``","``: in a
    column of such numbers ``1.234,5`` becomes ``1234.5``."""
    labels: bool | None = None
    """Whether words stand in the place of numbers that a file of Stata or SPSS has labels for. By
    default they do in columns in which every value has a label of its own."""
    sheet: str | None = None
    """The sheet of an Excel workbook."""
    query: str | None = None
    """What is read from a database file (``.sqlite``, ``.db``, ``.duckdb``), in SQL."""

    @property
    def completed(self) -> bool:
        """Whether columns are added to those of the table."""
        return self.people is not None or bool(self.constant)


class Missing(Section):
    """What becomes of missing values: a value of their own, or suppressed."""

    tokens: Names = ()
    """Texts that stand for a missing value in the source, such as ``"?"`` or ``"N/A"``."""
    as_: Literal["value", "suppress"] = Field(default="value", alias="as")
    """``value``: published as missing until generalized away; ``suppress``: published as ``*``."""


class Mask(Section):
    """Characters of a text replaced, all but ``keep`` of them."""

    keep: Level = 0
    """How many characters stay readable."""
    char: Character = "*"
    """What stands in place of a character."""
    from_: Literal["left", "right"] = Field(default="right", alias="from")
    """The end that is masked; the characters kept are those at the other end."""


class Pseudonymize(Section):
    """A text is replaced by a keyed hash; the key is never in the policy."""

    key_env: str | None = None
    """The environment variable that holds the key."""
    key_file: str | None = None
    """The file that holds the key, relative to the policy's folder."""
    domain: str | None = None
    """Attributes of one domain have equal pseudonyms for equal values under one key; by default the
    attribute's name."""
    length: Annotated[int, Field(ge=8, le=64)] = 16
    """Hexadecimal digits of a pseudonym."""
    table: bool = False
    """Write to ``private/`` which pseudonym stands for which value, so that you can undo them."""


class Replace(Section):
    """A text becomes an invented one of its form, the same for equal texts. By chance this may be a
    value of the column.
    """

    style: Literal["auto", "name", "code"] = "auto"
    """``name``: every word becomes an invented one; ``code``: every letter and digit is drawn;
    ``auto``: names where the texts have words and no digits."""


class Shift(Section):
    """Dates are moved by a secret number of days; intervals between the dates of a person stay."""

    by: str | None = None
    """The column of the person: all dates of a person move alike. By default every record is a
    person."""
    days: Annotated[int, Field(ge=1, le=100_000)] = 365
    """The largest number of days that dates are moved, back or forth."""
    format: str = "iso"
    """How dates are written: ``iso``, ``day-first``, ``month-first``, or a ``strptime`` pattern."""


class Swap(Section):
    """Values are exchanged between records: each stays in the table but belongs to someone else."""

    share: Annotated[FiniteFloat, Field(gt=0, le=1)] = 1.0
    """The share of records that take part, drawn at random."""
    within: NameOrNames = ()
    """A column or columns: values are exchanged only between records that are equal in them."""
    window: Annotated[FiniteFloat, Field(gt=0, le=1)] | None = None
    """For numbers and dates: exchange values only with records near in rank, as a share of those
    that take part."""
    format: str = "iso"
    """With a window, how dates are written: ``iso``, ``day-first``, ``month-first``, or a
    ``strptime`` pattern."""


class Pram(Section):
    """Values stay with a known probability, and are drawn from the column otherwise."""

    keep: Annotated[FiniteFloat, Field(gt=0, lt=1)]
    """The probability that a value stays; a drawn one may be the same again."""
    within: NameOrNames = ()
    """A column or columns: values are drawn only from records that are equal in them."""


class Noise(Section):
    """Numbers and dates moved by a random amount."""

    scale: Annotated[FiniteFloat, Field(gt=0)]
    """How much: the standard deviation of ``gaussian`` noise, the scale of ``laplace``; in the
    column's unit, in days for dates, as a share of the value if it is multiplicative."""
    distribution: Literal["gaussian", "laplace"] = "gaussian"
    """What the noise is drawn from."""
    multiplicative: bool = False
    """Multiply numbers by 1 + noise instead of adding it."""
    bottom: FiniteFloat | str | None = None
    """The smallest possible value, independent of the data: smaller results are published as this
    one, which biases the mean."""
    top: FiniteFloat | str | None = None
    """The largest possible value, independent of the data: larger results are published as this
    one."""
    format: str = "iso"
    """How dates are written: ``iso``, ``day-first``, ``month-first``, or a ``strptime`` pattern."""


class Round(Section):
    """Numbers rounded to multiples of a base or to decimal places, dates to their period."""

    to: Annotated[Any, BeforeValidator(_rounding)] = None
    """The base, such as 5 or 0.25; for dates ``week``, ``month``, ``quarter`` or ``year``, of which
    the first day is published."""
    digits: Annotated[int, Field(ge=-15, le=15)] | None = None
    """Decimal places instead of a base; -3 rounds to thousands."""
    format: str = "iso"
    """How dates are written: ``iso``, ``day-first``, ``month-first``, or a ``strptime`` pattern."""


class Microaggregate(Section):
    """Numbers and dates are replaced by the centre of a group of near ones, in optimal groups."""

    k: Annotated[int, Field(ge=2)]
    """The smallest number of values in a group; of people, if people have many records."""
    centre: Literal["mean", "median"] = "mean"
    """What is published of a group."""
    format: str = "iso"
    """How dates are written: ``iso``, ``day-first``, ``month-first``, or a ``strptime`` pattern."""


class Aggregation(Section):
    """Values are grouped: the ends of a range, groups between thresholds, named groups."""

    bottom: FiniteFloat | None = None
    """Smaller numbers are published as this one."""
    top: FiniteFloat | None = None
    """Larger numbers are published as this one."""
    thresholds: Annotated[tuple[FiniteFloat, ...], BeforeValidator(_tuple)] = ()
    """Numbers are published as the group between two of these; a threshold belongs to the group
    above it."""
    show: Literal["range", "mean", "median"] = "range"
    """What is published of a group between thresholds: its name such as ``[18, 40)``, or the mean
    or median of its numbers."""
    k: Annotated[int, Field(ge=2)] = 3
    """The smallest number of values, or people, in a range, or in a group whose mean or median is
    published, and at or beyond an end: a smaller group joins the next, an end moves inwards. Where
    a column has fewer in all, ranges are published as ``any``, ends stay as they are written, and
    means or medians end the run. Quasi-identifiers, and ranges with a hierarchy or categories, stay
    as the policy has them; named groups and code systems have any size."""
    groups: dict[str, Names] | None = None
    """The values of each group; its name is published."""
    code_system: str | None = None
    """The classification whose groups the values are put into: ``"icd-10"``, ``"icd-9-cm"``,
    ``"atc"``."""
    level: str | None = None
    """The level of the code system, such as ``"block"``; by default the highest."""
    other: str | None = None
    """The name for values in no group; without it, such values are an error."""


class Synthesize(Section):
    """Values are drawn from a model of the columns; this promises nothing."""

    joint: bool = True
    """Draw the column together with all other such columns, by a Bayesian network; otherwise by
    itself."""
    given: NameOrNames = ()
    """Published columns that are not drawn: a drawn value suits a coarse group of these, if ``k``
    people of the group have it."""
    k: Annotated[int, Field(ge=2)] = 10
    """With ``given``: a value is drawn for a group if so many of its people have it; rarer values
    are drawn for anybody."""


def _keyed(key: str) -> BeforeValidator:
    """A number or a word alone stands for one key of the section."""
    return BeforeValidator(
        lambda value: {key: value} if isinstance(value, int | float | str) else value
    )


class Transform(Section):
    """What is published in place of a value; exactly one of these."""

    mask: Mask | None = None
    """Characters are replaced by a mask character."""
    pseudonymize: Pseudonymize | None = None
    """A keyed hash, the same for equal values."""
    replace: Replace | None = None
    """An invented value of the same kind, the same for equal values."""
    shift: Shift | None = None
    """Dates are moved by a secret number of days, the same for all dates of a person."""
    swap: Swap | None = None
    """Values exchanged between records."""
    pram: Annotated[Pram | None, _keyed("keep")] = None
    """Values drawn anew with a known probability. A number alone is ``keep``."""
    noise: Annotated[Noise | None, _keyed("scale")] = None
    """A random amount added to numbers and dates. A number alone is the scale."""
    round: Annotated[Round | None, _keyed("to")] = None
    """Numbers and dates rounded. A number or a word alone is ``to``."""
    microaggregate: Annotated[Microaggregate | None, _keyed("k")] = None
    """Numbers and dates replaced by the mean of a group of near ones. A number alone is ``k``."""
    aggregate: Aggregation | None = None
    """Ends of a range, groups between thresholds, or groups by name."""
    synthesize: Synthesize | None = None
    """Values drawn from a model of the columns."""

    @property
    def names(self) -> tuple[str, ...]:
        """The transformations that are asked for."""
        return tuple(name for name in type(self).model_fields if getattr(self, name) is not None)

    @property
    def name(self) -> str:
        """The one transformation that is asked for."""
        return self.names[0]

    @property
    def way(self) -> Way:
        """What it does to values."""
        return TRANSFORMS[self.name]


@dataclass(frozen=True)
class Way:
    """What a transformation does to values, for all who have to know.

    Arguments:
        roles: the roles that it goes with.
        becomes: what stands in place of a value: itself in a ``coarser`` form, a ``name`` for it,
            one that is ``moved`` from it, one ``shared`` by near values, that of ``another``
            record, or one ``drawn`` from a model.
        by_chance: whether chance decides what becomes of a value.
    """

    roles: tuple[Role, ...]
    becomes: Literal["coarser", "name", "moved", "shared", "another", "drawn"]
    by_chance: bool = False


_NAMES: tuple[Role, ...] = ("identifier", "insensitive")
_CHANGED: tuple[Role, ...] = ("quasi-identifier", "sensitive", "insensitive")

TRANSFORMS: Mapping[str, Way] = {
    "mask": Way(("identifier", "sensitive", "insensitive"), "coarser"),
    "pseudonymize": Way(_NAMES, "name"),
    "replace": Way(_NAMES, "name", by_chance=True),
    "shift": Way(("identifier", *_CHANGED), "moved", by_chance=True),
    "swap": Way(_CHANGED, "another", by_chance=True),
    "pram": Way(_CHANGED, "another", by_chance=True),
    "noise": Way(_CHANGED, "moved", by_chance=True),
    "round": Way(_CHANGED, "coarser"),
    "microaggregate": Way(_CHANGED, "shared"),
    "aggregate": Way(_CHANGED, "coarser"),
    "synthesize": Way(_CHANGED, "drawn", by_chance=True),
}
"""Every transformation. A quasi-identifier's values are transformed first, and generalized then."""


class Categories(Section):
    """The category that each value of a sensitive attribute belongs to."""

    table: dict[str, Names] | None = None
    """The values of each category."""
    file: str | None = None
    """A file with a line for every value: the value and its category."""
    code_system: str | None = None
    """The classification whose groups are the categories: ``"icd-10"``, ``"icd-9-cm"``,
    ``"atc"``."""
    level: str | None = None
    """The level of the code system, such as ``"block"``; by default the highest."""
    separator: Character | None = None
    """The character between the two in the file."""
    order: Names = ()
    """The categories, from the least to the most sensitive."""
    missing: str | None = None
    """The category of missing values."""


class Ranks(Section):
    """How sensitive each value of a sensitive attribute is, from 1 (critical) to 4 (low)."""

    table: dict[str, Annotated[int, Field(ge=1, le=4)]] | None = None
    """The rank of each value."""
    dependent: str | None = None
    """An attribute that shows how severe a value is: ranks follow from how often its outcome is
    harmful."""
    harmful: NameOrNames = ()
    """The harmful outcomes of the dependent attribute."""
    file: str | None = None
    """A file with a header and a line for every value, such as deaths by disease; values are in the
    column named like the attribute, otherwise in the first."""
    score: str | None = None
    """The column of that file with a figure that grows with sensitivity."""
    separator: Character | None = None
    """The character between two fields of that file."""
    cuts: Annotated[tuple[FiniteFloat, FiniteFloat, FiniteFloat], BeforeValidator(_tuple)] = (
        0.75,
        0.5,
        0.25,
    )
    """The shares of the range of figures from which a value is critical, major and medium. With
    fewer than four values only their order counts."""
    unknown: Literal["error", "critical"] = "error"
    """What to do with values without a rank."""
    missing: Annotated[int, Field(ge=1, le=4)] | None = None
    """The rank of missing values."""


class Attribute(Section):
    """One column of the table: the role it plays and how it may be generalized."""

    role: Role
    """``identifier`` is dropped (or transformed), ``quasi-identifier`` generalized, ``sensitive``
    published and protected, ``insensitive`` published as it is."""
    hierarchy: Any = None
    """A builder (``{"intervals": {"width": 5}}``), a file, ``"suppress"`` or a ``Taxonomy``. For a
    sensitive attribute: for promises that compare how near two values are."""
    type: Literal["category", "number", "date"] | None = None
    """What the values of a quasi-identifier are, if their form does not show it. A ``category`` is
    never published as a range, a ``number`` and a ``date`` may be. A ``date`` without a hierarchy
    is generalized to month, quarter, year and decade. By default single digits without a hierarchy
    and numbers with leading zeros are categories."""
    categories: Categories | None = None
    """The categories of a sensitive attribute's values, for promises that use them."""
    ranks: Ranks | None = None
    """How sensitive each value of a sensitive attribute is, for promises with a k of each rank."""
    order: Names = ()
    """The values of a sensitive attribute from the smallest to the largest, for promises that ask
    which is larger, if the hierarchy has another order."""
    level: Literal["person", "event"] = "person"
    """Whether a quasi-identifier belongs to the ``person`` (the same in all records) or to the
    ``event`` that a record is about, such as the date of a visit. At least k people of a class then
    have such a visit."""
    values: Names = ()
    """The values of a sensitive attribute that harm: promises apply to these alone. An empty text
    is the missing value. A promise can name its own."""
    not_values: Names = ()
    """Values of a sensitive attribute that do not harm; an alternative to ``values``."""
    not_applicable: Names = ()
    """Values of a sensitive attribute that mean that there is nothing to know, such as the ward of
    an outpatient. Promises do not count these records."""
    transform: Annotated[Transform | None, BeforeValidator(_word)] = None
    """What is published instead of the values; for an identifier, instead of nothing. A word alone
    means the defaults. A quasi-identifier is generalized afterwards."""
    weight: Annotated[FiniteFloat, Field(ge=0)] = 1.0
    """Weight of this attribute's information loss."""
    min_level: Level = 0
    """The lowest level of the hierarchy that may be published."""
    max_level: Level | None = None
    """The highest level of the hierarchy that may be published."""
    missing: Annotated[Missing, _text_as("as")] = Missing()
    """What becomes of missing values."""
    uncovered: Literal["error", "suppress"] = "error"
    """What becomes of values that the hierarchy does not cover."""
    derived_from: NameOrNames = ()
    """The attribute, or attributes, that this one follows from: an age from a date of birth."""
    part_of: NameOrNames = ()
    """The attribute, or attributes, that this one is a part of: a postcode of an address."""

    @model_validator(mode="before")
    @classmethod
    def _dated(cls, keys: Any) -> Any:
        """Dates are generalized as dates, unless a hierarchy says otherwise."""
        if not isinstance(keys, Mapping) or keys.get("type") != "date":
            return keys
        given = keys.get("role") != "quasi-identifier" or keys.get("hierarchy") is not None
        return keys if given else {**keys, "hierarchy": {"date": {}}}

    def to_dict(self) -> Plain:
        """The keys that differ from their defaults, under the names the policy file uses."""
        plain: Plain = {"role": self.role}
        plain |= self.model_dump(by_alias=True, exclude_defaults=True, exclude={"hierarchy"})
        if not self.missing.tokens and "missing" in plain:
            plain["missing"] = self.missing.as_
        elif "missing" in plain:
            plain["missing"]["tokens"] = list(self.missing.tokens)
        for key in ("derived_from", "part_of"):
            if key in plain:
                plain[key] = plain[key][0] if len(plain[key]) == 1 else list(plain[key])
        if self.order:
            plain["order"] = list(self.order)
        if self.hierarchy is not None:
            plain["hierarchy"] = self.hierarchy
        return plain


class Objective(Section):
    """What makes one release better than another."""

    model_config = ConfigDict(extra="allow")  # a measure of a plugin may have settings of its own

    measure: Measure = "loss"
    """The measure that is minimized."""
    aggregate: Aggregate | None = None
    """How the attributes' values are combined; by default the measure's own way."""
    gs_factor: Annotated[FiniteFloat, Field(ge=0, le=1)] = 0.5
    """0: suppression costs nothing; 1: generalization costs nothing; 0.5: both count."""
    monotonic: bool = False
    """Use the measure's variant that never falls when a release is generalized further."""
    weights: dict[str, Annotated[FiniteFloat, Field(ge=0)]] = Field(default_factory=dict)
    """Weights of quasi-identifiers, instead of ``weight`` at the attribute."""

    @property
    def own(self) -> Plain:
        """Settings that the measure alone has."""
        return dict(self.model_extra or {})


class Decoys(Section):
    """Invented records that enlarge the smallest classes of a release."""

    to: Annotated[int, Field(ge=2)]
    """Smaller classes get decoys until they have this size."""
    limit: Annotated[FiniteFloat, Field(gt=0, le=1)] = 0.1
    """The largest share of decoys in the release."""


Kind = Literal[
    "table", "linear", "logistic", "poisson", "cox", "kaplan-meier", "classifier", "regressor"
]


class Analysis(Section):
    """Something that will be done with the release: it is tried on the table and on the release."""

    kind: Kind
    """A ``table`` of means or shares, a regression, a survival curve, or a prediction."""
    outcome: str | None = None
    """What is explained, counted or predicted; for survival, the time until the event."""
    by: NameOrNames = ()
    """The columns that make the groups of a table or of survival curves."""
    predictors: NameOrNames = ()
    """The columns that explain or predict the outcome."""
    event: str | None = None
    """For survival: the column that says whether the event was seen."""
    positive: str | None = None
    """The value that counts, of a two-valued outcome or of the event; by default the last one."""
    weight: str | None = None
    """A column of sampling weights: how many people each record stands for."""
    min_overlap: float | None = Field(default=None, ge=0, le=1)
    """The least mean overlap of confidence intervals that the release should keep, 0 to 1."""
    name: str = ""
    """Its name in reports."""

    @model_validator(mode="after")
    def _fits(self) -> Analysis:
        survival = self.kind in {"cox", "kaplan-meier"}
        grouped = self.kind in {"table", "kaplan-meier"}
        asked = [
            ("outcome", self.outcome is not None, True if self.kind != "table" else None),
            ("event", self.event is not None, None if survival else False),
            ("by", bool(self.by), None if grouped else False),
            ("predictors", bool(self.predictors), not grouped),
            (
                "positive",
                self.positive is not None,
                None if self.event or self.kind in {"logistic", "classifier"} else False,
            ),
        ]
        for name, given, wanted in asked:
            if wanted is not None and given != wanted:
                raise ValueError(f"{self.kind} {'needs' if wanted else 'has no'} {name}")
        if self.kind == "table" and not (self.by or self.outcome):
            raise ValueError("table needs by or outcome")
        return self


class Link(Section):
    """Something the custodian knows: the value of one attribute can be linked to another's.

    An end is a column, or an attribute outside the table that other people know or publish.
    """

    from_: NameOrNames = Field(alias="from")
    """One end of the link; with several names, each is linked."""
    to: NameOrNames
    """The other end, or ends."""
    source: str = ""
    """Where the link comes from: a published table, a register, what neighbours know."""

    def to_dict(self) -> Plain:
        """The keys that were set, under the names the policy file uses."""
        ends = {"from": self.from_, "to": self.to}
        plain: Plain = {
            key: names[0] if len(names) == 1 else list(names) for key, names in ends.items()
        }
        return plain | ({"source": self.source} if self.source else {})

    def pairs(self) -> tuple[tuple[str, str], ...]:
        """Every pair of attributes that is linked."""
        return tuple((one, other) for one in self.from_ for other in self.to)


class Partition(Section):
    """How records are grouped into classes."""

    strict: bool = True
    """Whether records with equal quasi-identifiers stay in one class."""
    dimension: Literal["width", "entropy", "ncp"] | None = None
    """The attribute to cut: the widest, the one with most entropy, or the one with most gain."""
    cut: Literal["median", "ncp"] | None = None
    """Where to cut: in the middle, or where both parts lose least."""
    start: Literal["mondrian", "k-member", "mdav", "chunks"] | None = None
    """The classes that ``theta`` starts from; for ``theta-star`` those of the quasi table, by
    ``k-member`` (the default up to 50,000 people) or ``mondrian``."""
    unchecked_tails: bool = False
    """Leave the last bucket of ``theta-star`` unchecked, as the paper does: its people may all have
    one category."""
    donors: Literal["later", "all"] | None = None
    """With which classes ``theta`` exchanges records: ``later`` ones, as published, or, if none of
    these helps, ``all``: less noise, wider cells. Default: ``all``; for the variant of the paper
    ``later``."""


class Method(Section):
    """How a release is searched for."""

    algorithm: Algorithm = "optimal"
    """Name it: ``init`` drafts ``mondrian``, which keeps most. The default, ``optimal``, gives all
    rows the same ranges, and proves that its result is the best, or says how far it may be from it.
    ``iab``, ``exhaustive`` and ``greedy`` keep distinct rows, without suppression. ``mondrian``,
    ``k-member`` and ``mdav`` make classes and publish what fits each class. ``theta`` moves records
    between such classes until their sensitive values are diverse. ``knm`` has a k for every rank of
    sensitivity. For people with many records ``theta-star``, ``k-l-diversity``,
    ``p-l-angelization`` and ``anatomy`` publish two linked tables, and ``m-invariant`` does so
    with the same values for everybody from release to release."""
    objective: Annotated[Objective, _text_as("measure")] = Objective()
    """A measure's name, or a table of its settings."""
    suppression_limit: Annotated[FiniteFloat, Field(ge=0, le=1)] = 0.0
    """The share of records that may be left out."""
    time_limit: Annotated[FiniteFloat, Field(gt=0)] | None = None
    """Seconds after which the search returns the best release found."""
    node_limit: Annotated[int, Field(ge=1)] | None = None
    """Checked generalizations after which the search returns the best release found. By default
    searches for rows stop after 200,000 tables, those over subtrees and siblings earlier."""
    scope: Literal["domain", "subtree", "siblings"] = "domain"
    """How far one step of ``iab``, ``exhaustive`` and ``greedy`` goes: a whole attribute, single
    subtrees of its hierarchy, or all violating subtrees at once."""
    tie_break: Literal["least_general", "paper"] = "least_general"
    """Which release ``iab`` takes if several have equally many rows."""
    local_recoding: bool = False
    """Recode the suppressed records again among themselves."""
    items: Literal["global", "local"] = "global"
    """How ``km-anonymity`` generalizes items. ``global``: in the same way for everyone. ``local``:
    an item that is too rare next to a person's others becomes more general for this person,
    instead of being left out."""
    cells: Style | dict[str, Style] | None = None
    """What is published of a class, for all attributes or by attribute. By default ranges of
    numbers and dates, and common ancestors of everything else."""
    partition: Partition = Partition()
    """How ``mondrian``, ``k-member``, ``mdav`` and ``theta`` put records into classes."""
    variant: Literal["safe", "paper"] = "safe"
    """``paper`` runs ``theta`` as published, without its guard and without a bound on beliefs."""
    max_noise: Annotated[FiniteFloat, Field(ge=0)] | Annotated[int, Field(ge=0)] = 0.1
    """Records that ``theta``, and people that ``theta-star``, may invent: a share below 1 of those
    in the table, or a number. If more are needed, there is no release."""
    mode: Literal["joint", "split"] = "joint"
    """How to keep a promise with a k for every rank: ``joint`` makes one release of all records,
    with any algorithm; ``split`` (as published, by ``knm``) makes one per rank and combines them,
    which discloses sensitive values."""
    accept_unsafe: bool = False
    """Make a release under a k for every rank although it discloses the rank of most people.
    ``split`` almost always does, ``joint`` may."""
    keep_history: Literal[False, "generalized"] = False
    """``generalized``: ``theta-star`` publishes all categories of the people of a bucket, not only
    the highest of each person, if the promises hold for these too."""
    decoys: Decoys | None = None
    """Enlarge the smallest classes with invented records, which distort counts."""
    seed: Annotated[int, Field(ge=0)] | None = None
    """For tests only: anyone who knows the seed can undo the shuffle."""

    def to_dict(self) -> Plain:
        """The keys that differ from their defaults, under the names the policy file uses."""
        plain = super().to_dict()
        if "objective" in plain:
            objective = {"measure": self.objective.measure, **plain["objective"]}
            plain["objective"] = objective if len(objective) > 1 else self.objective.measure
        return plain


class Population(Section):
    """The people among whom someone could be found: a table of them, or their number."""

    file: str | None = None
    """A table of these people with the quasi-identifiers, one row each."""
    separator: Character | None = None
    """The character between two fields of that file."""
    size: Annotated[int, Field(ge=1)] | None = None
    """Their number, if there is no table of them."""
    fraction: Annotated[FiniteFloat, Field(gt=0, le=1)] | None = None
    """The share of them that is in the table."""


class Risk(Section):
    """What is known of the risk around the table, and how it is reported."""

    population: Annotated[Population | None, _text_as("file")] = None
    """The people whom promises about a population and the journalist count. A text alone is the
    file."""
    threshold: Annotated[FiniteFloat, Field(gt=0, le=1)] = 0.2
    """A record with a higher risk is at risk; 0.2 means classes of fewer than five."""
    k_range: Annotated[tuple[Level, Level], BeforeValidator(_tuple)] | None = None
    """The first and the last k of the risk curve."""
    amber: Annotated[FiniteFloat, Field(ge=0, le=1)] = 0.0
    """``attack`` says ``some`` above this share of people who are known because of the release."""
    red: Annotated[FiniteFloat, Field(ge=0, le=1)] | None = None
    """``attack`` says ``HIGH`` above this share; by default above ``threshold``."""

    @property
    def thresholds(self) -> tuple[float, float]:
        """The shares of people above which what an attacker learns is amber, and red."""
        return self.amber, self.threshold if self.red is None else self.red


class Bookkeeping(Section):
    """The ledger: what was published about whom, to check a new release against."""

    path: str
    """Its folder, relative to the policy's folder. The first release makes it, for the owner
    alone."""
    person: str | None = None
    """The column that names the person, the same in all tables; by default ``source.person``."""
    key_env: str | None = None
    """The environment variable that holds the key of the people's hashes, to compare two ledgers.
    By default a random key in the folder."""
    key_file: str | None = None
    """A file that holds the key, relative to the policy's folder."""
    conflict: Literal["refuse", "warn"] = "refuse"
    """What becomes of a release that would break a promise together with what is out."""


class Output(Section):
    """What the release looks like."""

    format: FileFormat = "csv"
    """What the release is written as: also ``excel`` (.xlsx), ``stata`` (.dta) and ``spss`` (.sav),
    in which columns without a type there, such as times of day, are texts."""
    suppressed: Literal["drop", "keep"] = "drop"
    """``keep`` publishes suppressed records with every quasi-identifier as ``*``; not in linked
    tables."""
    shuffle: bool = True
    """Publish the records in random order: the order of the source can identify people. Linked
    tables always are."""
    spreadsheet_safe: bool = False
    """Neutralize cells of CSV files that a spreadsheet would run as a formula."""
    report: bool = True
    """Write a public report beside the release, and a private one in ``private/``."""
