"""The policy: what a custodian says about a table, its release, and what the release promises.

A policy is a TOML file (:meth:`Policy.load`), the same keys in a mapping (:meth:`Policy.from_dict`)
or built in Python with the same names:

>>> policy = Policy(
...     attributes={
...         "age": {"role": "quasi-identifier", "hierarchy": {"intervals": {"width": 5}}},
...         "diagnosis": {"role": "sensitive"},
...     },
...     promises=[{"model": "k-anonymity", "k": 5}],
...     method={"suppression_limit": 0.05},
... )
>>> policy.quasi_identifiers
('age',)

All that is wrong with a policy is told at once, in one :class:`~indistinct.errors.PolicyError`. Its
problems name the file and the dotted place of the key; promises are counted from 1.
"""

from __future__ import annotations

import codecs
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Annotated, Any, Literal, Self, TypeVar

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    FiniteFloat,
    InstanceOf,
    PrivateAttr,
    ValidationError,
)

from indistinct._sections import LATER, Place, Section, place_of, told, unknown, unsupported, wrong
from indistinct.errors import HierarchyError, PolicyError, Problem, did_you_mean
from indistinct.privacy.promise import SHARED, Promise, models, promise
from indistinct.requirement import Requirement

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
Algorithm = Literal["optimal", "heuristic", "iab", "exhaustive", "greedy"]

ROW_SEARCHES = ("iab", "exhaustive", "greedy")
"""Algorithms that keep distinct rows, and know no suppression."""

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

_QI_ONLY = ("hierarchy", "weight", "min_level", "max_level", "uncovered")


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


Names = Annotated[tuple[str, ...], BeforeValidator(_tuple)]
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


def _missing(value: object) -> object:
    return {"as": value} if isinstance(value, str) else value


class Attribute(Section):
    """One column of the table: the role it plays and how it may be generalized."""

    later = ("categories", "ranks", "derived_from", "part_of")

    role: Role
    """``identifier`` is dropped (or transformed), ``quasi-identifier`` generalized, ``sensitive``
    published and protected, ``insensitive`` published as it is."""
    hierarchy: Any = None
    """A builder (``{"intervals": {"width": 5}}``), a file, ``"suppress"`` or a ``Taxonomy``."""
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

    def to_dict(self) -> dict[str, Any]:
        """The keys that differ from their defaults, under the names the policy file uses."""
        plain: dict[str, Any] = {"role": self.role}
        plain |= self.model_dump(by_alias=True, exclude_defaults=True, exclude={"hierarchy"})
        if not self.missing.tokens and "missing" in plain:
            plain["missing"] = self.missing.as_
        elif "missing" in plain:
            plain["missing"]["tokens"] = list(self.missing.tokens)
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


def _objective(value: object) -> object:
    return {"measure": value} if isinstance(value, str) else value


class Method(Section):
    """How a release is searched for."""

    later = (
        "cells",
        "variant",
        "mode",
        "accept_unsafe",
        "max_noise",
        "keep_history",
    )

    algorithm: Algorithm = "optimal"
    """``optimal`` proves its result the best, or says by how much it may miss; ``iab``,
    ``exhaustive`` and ``greedy`` keep distinct rows, without suppression."""
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


class Output(Section):
    """What the release looks like."""

    format: Literal["csv", "parquet"] = "csv"
    suppressed: Literal["drop", "keep"] = "drop"
    """``keep`` publishes suppressed records with every quasi-identifier as ``*``."""
    shuffle: bool = True
    """Publish the records in random order: the source's order can give people away."""
    spreadsheet_safe: bool = False
    """Neutralise cells that a spreadsheet would run as a formula."""


_Kind = TypeVar("_Kind", bound=Section)


class Policy(Section):
    """Roles, hierarchies, promises, method and output: everything a release depends on.

    Arguments:
        source: how the file is read, a :class:`Source` or a mapping of its keys.
        attributes: an :class:`Attribute`, or a mapping of its keys, by column name.
        promises: mappings (``{"model": "k-anonymity", "k": 5}``), requirements or promises such as
            ``KAnonymity(k=5)``.
        method: a :class:`Method`, or a mapping of its keys.
        output: an :class:`Output`, or a mapping of its keys.

    Raises:
        PolicyError: with every problem that was found.
    """

    later = ("links", "risk")

    source: Source = Source()
    attributes: dict[str, Attribute] = Field(default_factory=dict)
    promises: tuple[InstanceOf[Requirement], ...] = ()
    method: Method = Method()
    output: Output = Output()

    _warnings: tuple[str, ...] = PrivateAttr(default=())
    _directory: Path = PrivateAttr(default=Path())
    _file: str | None = PrivateAttr(default=None)

    def __init__(self, **keys: Any) -> None:
        problems = [unknown(type(self), (key,)) for key in keys if key not in _SECTIONS]
        parts: dict[str, Any] = {}
        for name, kind in (("source", Source), ("method", Method), ("output", Output)):
            if name in keys:
                parts[name] = _section(kind, keys[name], (name,), problems)
        parts["attributes"] = _attributes(keys.get("attributes", {}), problems)
        parts["promises"] = _promises(keys.get("promises", ()), problems)
        problems += _cross_checks(parts)
        if problems:
            raise PolicyError(problems)
        super().__init__(**parts)
        self._warnings = tuple(_cautions(self))

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """The policy in a TOML file; the files it names are looked for in its folder.

        Raises:
            PolicyError: the file cannot be read, is no TOML, or has keys or values that are wrong.
        """
        path = Path(path)
        try:
            keys = tomllib.loads(path.read_bytes().decode("utf-8-sig"))
        except OSError as error:
            remedy = f"indistinct init DATA --policy {path} writes a first policy"
            raise PolicyError(
                Problem(
                    "unreadable-policy",
                    f"cannot be read: {(error.strerror or 'unknown reason').lower()}",
                    file=str(path),
                    remedy=remedy if isinstance(error, FileNotFoundError) else None,
                )
            ) from None
        except UnicodeDecodeError:
            problem = Problem("bad-encoding", "is not encoded in UTF-8", file=str(path))
            raise PolicyError(problem) from None
        except tomllib.TOMLDecodeError as error:
            problem = Problem("bad-toml", f"is not valid TOML: {error}", file=str(path))
            raise PolicyError(problem) from None
        return cls.from_dict(keys, directory=path.parent, file=str(path))

    @classmethod
    def from_dict(
        cls, keys: Mapping[str, Any], *, directory: str | Path = ".", file: str | None = None
    ) -> Self:
        """The policy with those keys, named as in the file.

        Arguments:
            keys: the sections, ``{"attributes": {...}, "promises": [...], ...}``.
            directory: where the hierarchy files it names are looked for.
            file: the name that problems are told under.

        Raises:
            PolicyError: with every problem that was found.
        """
        try:
            policy = cls(**{str(key): value for key, value in keys.items()})
        except PolicyError as error:
            raise PolicyError([replace(item, file=file) for item in error.problems]) from None
        policy._directory = Path(directory)
        policy._file = file
        return policy

    @classmethod
    def from_options(
        cls,
        columns: Sequence[str],
        *,
        quasi: Sequence[str],
        sensitive: Sequence[str] = (),
        drop: Sequence[str] = (),
        keep: Sequence[str] = (),
        rest: Literal["drop", "keep"] | None = None,
        k: int,
        table: str = "",
        hierarchies: str | Path | None = None,
        defaults: Mapping[str, Mapping[str, Any]] | None = None,
        source: Mapping[str, Any] | None = None,
        method: Mapping[str, Any] | None = None,
        output: Mapping[str, Any] | None = None,
    ) -> Self:
        """The policy that a command line says, for a table with those columns.

        Arguments:
            columns: the columns of the table.
            quasi: its quasi-identifiers.
            sensitive: its sensitive attributes.
            drop: identifiers, which the release leaves out.
            keep: insensitive attributes, which are published as they are.
            rest: the role of the columns not named: ``drop`` or ``keep``; none: that is an error.
            k: the k of k-anonymity.
            table: the name of its file, for messages.
            hierarchies: a folder with a hierarchy file for some quasi-identifiers.
            defaults: keys of the quasi-identifiers that have no file, by name; a warning says that
                they are used. Not named: plain suppression.
            source: keys of the section of that name.
            method: keys of the section of that name.
            output: keys of the section of that name.

        Raises:
            PolicyError: a column without a role or with two, a name that is no column, and
                whatever else is wrong.
        """
        named = {
            "quasi-identifier": quasi,
            "sensitive": sensitive,
            "identifier": drop,
            "insensitive": keep,
        }
        roles: dict[str, str] = {}
        problems: list[Problem] = []
        for role, names in named.items():
            for name in names:
                if name not in columns:
                    problems.append(
                        Problem(
                            "unknown-attribute",
                            f"the table has no column '{name}': {did_you_mean(name, columns)}",
                            file=table or None,
                        )
                    )
                elif roles.setdefault(name, role) != role:
                    problems.append(
                        Problem(
                            "two-roles",
                            f"column '{name}' is both {roles[name]} and {role}",
                            file=table or None,
                            remedy="name it once",
                        )
                    )
        left = [name for name in columns if name not in roles]
        if left and rest is None:
            remedy = (
                "name them with --drop (left out) or --keep (published as they are), "
                "or say --rest drop"
            )
            problems.append(replace(_roleless(left, remedy), file=table or None))
        if problems:
            raise PolicyError(problems)
        roles |= dict.fromkeys(left, "identifier" if rest == "drop" else "insensitive")
        attributes: dict[str, dict[str, Any]] = {name: {"role": roles[name]} for name in columns}
        from indistinct import _toml

        defaults, warnings = defaults or {}, []
        for name in quasi:
            file = _hierarchy_file(hierarchies, name)
            if file is not None:
                attributes[name]["hierarchy"] = {"file": str(file)}
                continue
            keys = {"hierarchy": "suppress"} | dict(defaults.get(name, {}))
            attributes[name] |= keys
            warnings.append(
                f"no hierarchy was given for '{name}': it gets "
                + ", ".join(f"{key} = {_toml.value(value)}" for key, value in keys.items())
            )
        policy = cls(
            source=dict(source or {}),
            attributes=attributes,
            promises=[{"model": "k-anonymity", "k": k}],
            method=dict(method or {}),
            output=dict(output or {}),
        )
        policy._warnings = (*warnings, *policy.warnings)
        return policy

    @property
    def warnings(self) -> tuple[str, ...]:
        """What is allowed but deserves a second look."""
        return self._warnings

    @property
    def directory(self) -> Path:
        """The folder in which the files that the policy names are looked for."""
        return self._directory

    @property
    def file(self) -> str | None:
        """The file the policy was read from, if it was."""
        return self._file

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        """The promises, in their declarative form."""
        return self.promises

    @property
    def quasi_identifiers(self) -> tuple[str, ...]:
        """The quasi-identifiers, in the policy's order."""
        return self.named("quasi-identifier")

    @property
    def sensitive(self) -> tuple[str, ...]:
        """The sensitive attributes, in the policy's order."""
        return self.named("sensitive")

    @property
    def weights(self) -> dict[str, float]:
        """The weight of every quasi-identifier in the objective."""
        own = {name: self.attributes[name].weight for name in self.quasi_identifiers}
        return own | self.method.objective.weights

    def named(self, role: Role) -> tuple[str, ...]:
        """The attributes that play that role, in the policy's order."""
        return tuple(name for name, item in self.attributes.items() if item.role == role)

    def check(self, columns: Iterable[str], table: str = "the table") -> None:
        """Hold the policy against the columns of a table, of which messages speak by that name.

        Raises:
            PolicyError: columns that the policy gives no role, attributes the table does not have.
        """
        columns = list(columns)
        problems = [
            Problem(
                "unknown-attribute",
                f"{place_of(('attributes', name))}: {table} has no such column: "
                f"{did_you_mean(name, columns)}",
                file=self.file,
                remedy="correct the name, or take the attribute out of the policy",
            )
            for name in self.attributes
            if name not in columns
        ]
        left = [name for name in columns if name not in self.attributes]
        if left:
            first = f"add [{place_of(('attributes', left[0]))}] with a role"
            remedy = f"{first}, or let indistinct init DATA suggest one for every column"
            problems.append(replace(_roleless(left, remedy, table), file=self.file))
        if problems:
            raise PolicyError(problems)

    def to_dict(self) -> dict[str, Any]:
        """The keys that were set, as :meth:`from_dict` takes them."""
        plain: dict[str, Any] = {
            "source": self.source.to_dict(),
            "attributes": {name: item.to_dict() for name, item in self.attributes.items()},
            "promises": [_promise_keys(item) for item in self.promises],
            "method": self.method.to_dict(),
            "output": self.output.to_dict(),
        }
        return {key: value for key, value in plain.items() if value}

    def to_toml(self) -> str:
        """The policy as the text of a file that :meth:`load` reads.

        Raises:
            PolicyError: a hierarchy was given as an object, which a file cannot hold.
        """
        problems = [
            Problem(
                "hierarchy-object",
                f"{place_of(('attributes', name, 'hierarchy'))}: was given as an object",
                remedy="write it with write_hierarchy and name the file: "
                'hierarchy = { file = "..." }',
            )
            for name, item in self.attributes.items()
            if not isinstance(item.hierarchy, str | Mapping | None)
        ]
        if problems:
            raise PolicyError(problems)
        from indistinct import _toml

        return _toml.document(self.to_dict())

    def __eq__(self, other: object) -> bool:
        """Whether both say the same, wherever they were read from."""
        return isinstance(other, Policy) and self.__dict__ == other.__dict__

    def __str__(self) -> str:
        asked = ", ".join(str(item) for item in self.promises)
        return f"Policy({len(self.attributes)} attributes, {asked})"

    __repr__ = __str__


_SECTIONS = ("source", "attributes", "promises", "method", "output")


def _section(
    kind: type[_Kind], keys: object, place: Place, problems: list[Problem]
) -> _Kind | None:
    if isinstance(keys, kind):
        return keys
    try:
        return kind.model_validate(keys)
    except ValidationError as error:
        problems += told(error, kind, place)
    return None


def _attributes(given: object, problems: list[Problem]) -> dict[str, Attribute | None]:
    if not isinstance(given, Mapping):
        problems.append(wrong(("attributes",), "a table of attributes", given))
        return {}
    found: dict[str, Attribute | None] = {}
    for name, keys in given.items():
        place = ("attributes", str(name))
        found[str(name)] = attribute = _section(Attribute, keys, place, problems)
        if attribute is not None:
            problems += _attribute_checks(attribute, place)
    return found


def _attribute_checks(item: Attribute, place: tuple[str, ...]) -> Iterator[Problem]:
    if item.max_level is not None and item.min_level > item.max_level:
        yield Problem(
            "empty-level-range",
            f"{place_of(place)}: min_level ({item.min_level}) "
            f"is above max_level ({item.max_level})",
        )
    tokens = item.missing.tokens
    if any(not token.strip() for token in tokens):
        yield Problem(
            "bad-token",
            f"{place_of((*place, 'missing', 'tokens'))}: an empty text is missing already",
            remedy="list only texts that are not blank",
        )
    if item.transform is not None:
        yield from _transform_checks(item.role, item.transform, (*place, "transform"))
    if isinstance(item.hierarchy, Mapping) and "code_system" in item.hierarchy:
        yield unsupported((*place, "hierarchy", "code_system"))
    elif item.hierarchy is not None:
        yield from _hierarchy_checks(item.hierarchy, (*place, "hierarchy"))


def _transform_checks(
    role: Role, transform: Transform, place: tuple[str, ...]
) -> Iterator[Problem]:
    if role != "identifier":
        yield Problem(
            "transform-without-identifier",
            f"{place_of(place)}: only an identifier is transformed, and the role is '{role}'",
            remedy="leave the transform out, or make the attribute an identifier",
        )
    chosen = [name for name in ("mask", "pseudonymize") if getattr(transform, name) is not None]
    if len(chosen) != 1:
        yield Problem(
            "one-transform",
            f"{place_of(place)}: needs one of 'mask' and 'pseudonymize', not {len(chosen)}",
        )
    keyed = transform.pseudonymize
    if keyed is not None and (keyed.key_env is None) == (keyed.key_file is None):
        yield Problem(
            "one-key",
            f"{place_of((*place, 'pseudonymize'))}: needs one of 'key_env' and 'key_file'",
            remedy="keep the key in an environment variable or a file of its own",
        )


def _hierarchy_checks(spec: object, place: tuple[str, ...]) -> Iterator[Problem]:
    from indistinct.hierarchies.taxonomy import Taxonomy

    if not isinstance(spec, str | Mapping):
        if not isinstance(spec, Taxonomy):
            yield wrong(
                place, 'a builder such as { intervals = { width = 5 } }, or "suppress"', spec
            )
        return
    from indistinct.hierarchies.build import validate_spec

    try:
        problems = validate_spec(spec)
    except (PolicyError, HierarchyError) as error:
        problems = list(error.problems)
    for item in problems:
        yield replace(item, attribute=None, message=f"{place_of(place)}: {item.message}")


def _promises(given: object, problems: list[Problem]) -> tuple[Requirement, ...]:
    if isinstance(given, Mapping | str) or not isinstance(given, Sequence):
        problems.append(wrong(("promises",), "a list of tables: [[promises]]", given))
        return ()
    if not given:
        problems.append(
            Problem(
                "no-promise",
                "promises: a policy needs at least one promise",
                remedy='add [[promises]] with model = "k-anonymity" and k = 5',
            )
        )
    found = []
    for number, item in enumerate(given, start=1):
        requirement = _promise(item, ("promises", number), problems)
        if requirement is not None:
            found.append(requirement)
    return tuple(found)


def _promise(given: object, place: Place, problems: list[Problem]) -> Requirement | None:
    keys: dict[str, Any]
    if isinstance(given, Mapping):
        keys = dict(given)
    elif isinstance(given, Requirement):
        keys = _promise_keys(given)
    elif isinstance(given, Promise):
        own = {item.name: getattr(given, item.name) for item in fields(given)}
        keys = {"model": given.model, **{k: v for k, v in own.items() if v is not None}}
    else:
        problems.append(wrong(place, "a table", given))
        return None
    model = keys.pop("model", None)
    if not isinstance(model, str):
        problems.append(
            wrong((*place, "model"), "the name of a privacy model", model)
            if model is not None
            else Problem("missing-key", f"{place_of((*place, 'model'))}: is missing")
        )
        return None
    if model not in models() and model in LATER["model"]:
        problems.append(unsupported((*place, "model"), model))
        return None
    if keys.get("unit") in LATER["unit"]:
        problems.append(unsupported((*place, "unit"), keys["unit"]))
        return None
    shared = {name: keys[name] for name in (*SHARED, "reference") if name in keys}
    own = {name: value for name, value in keys.items() if name not in shared}
    try:
        requirement = Requirement(model=model, parameters=own, **shared)
        promise(model, **keys)
    except PolicyError as error:
        problems += [
            replace(item, message=f"{place_of(place)}: {item.message}") for item in error.problems
        ]
        return None
    return requirement


def _cross_checks(parts: Mapping[str, Any]) -> Iterator[Problem]:
    attributes: Mapping[str, Attribute | None] = parts["attributes"]
    known = {name: item.role for name, item in attributes.items() if item is not None}
    quasi = [name for name, role in known.items() if role == "quasi-identifier"]
    unsure = len(known) < len(attributes)
    if not quasi and not unsure:
        yield Problem(
            "no-quasi-identifier",
            "attributes: no attribute is a quasi-identifier",
            remedy='give role = "quasi-identifier" to what others may know of a person',
        )
    for number, item in enumerate(parts["promises"], start=1):
        for name in item.on or ():
            yield from _must_be("quasi-identifier", name, ("promises", number, "on"), attributes)
        if item.sensitive is not None:
            where = ("promises", number, "sensitive")
            yield from _must_be("sensitive", item.sensitive, where, attributes)
    method: Method | None = parts.get("method")
    objective = method.objective if method is not None else Objective()
    place = ("method", "objective")
    for setting in sorted(objective.model_fields_set - {"measure"}):
        if setting not in OBJECTIVE_SETTINGS[objective.measure]:
            allowed = OBJECTIVE_SETTINGS[objective.measure]
            yield Problem(
                "unknown-setting",
                f"{place_of((*place, setting))}: measure '{objective.measure}' has no such setting",
                remedy=f"it has {', '.join(allowed)}" if allowed else "leave it out",
            )
    if method is not None:
        yield from _search_checks(method)
    for name in objective.weights:
        yield from _must_be("quasi-identifier", name, (*place, "weights"), attributes)
    own = {name: item.weight for name, item in attributes.items() if item and name in quasi}
    merged = own | objective.weights
    if quasi and not unsure and not any(merged.get(name, 0) for name in quasi):
        yield Problem(
            "no-weight",
            "attributes: every quasi-identifier has weight 0",
            remedy="weigh one of them",
        )


def _search_checks(method: Method) -> Iterator[Problem]:
    """What the searches for rows do not know."""
    name, objective = method.algorithm, method.objective
    searches_rows = name in ROW_SEARCHES
    if searches_rows and "objective" in method.model_fields_set and objective.measure != "rows":
        yield Problem(
            "other-objective",
            f"method.objective: '{name}' keeps distinct rows, and '{objective.measure}' is asked",
            remedy='leave the objective out, or choose algorithm = "optimal"',
        )
    if searches_rows and method.suppression_limit > 0:
        yield Problem(
            "no-suppression",
            f"method.suppression_limit: '{name}' knows no suppression",
            remedy='choose algorithm = "optimal" with objective = "rows", or a limit of 0',
        )
    if method.local_recoding and (searches_rows or objective.measure == "rows"):
        yield Problem(
            "no-local-recoding", "method.local_recoding: does not go with a search for rows"
        )
    if not searches_rows:
        for key, default in (("scope", "domain"), ("tie_break", "least_general")):
            if getattr(method, key) != default:
                yield Problem(
                    "other-algorithm",
                    f"method.{key}: is a setting of {', '.join(ROW_SEARCHES)}, not of '{name}'",
                    remedy="leave it out, or choose one of these algorithms",
                )


def _must_be(
    role: Role,
    name: str,
    place: Place,
    attributes: Mapping[str, Attribute | None],
) -> Iterator[Problem]:
    if name not in attributes:
        near = did_you_mean(name, [key for key, item in attributes.items() if _plays(item, role)])
        yield Problem("unknown-attribute", f"{place_of(place)}: no attribute '{name}': {near}")
    elif not _plays(attributes[name], role):
        item = attributes[name]
        yield Problem(
            "wrong-role",
            f"{place_of(place)}: '{name}' must have role '{role}', and has "
            f"'{item.role if item else 'none'}'",
        )


def _plays(item: Attribute | None, role: Role) -> bool:
    return item is None or item.role == role


def _cautions(policy: Policy) -> Iterator[str]:
    if policy.method.seed is not None:
        yield (
            "method.seed: whoever knows the seed can undo the shuffle of the release; "
            "leave it out for a release that leaves the house"
        )
    for name, item in policy.attributes.items():
        idle = [key for key in _QI_ONLY if key in item.model_fields_set]
        if idle and item.role != "quasi-identifier":
            yield (
                f"{place_of(('attributes', name))}: {', '.join(idle)} "
                f"{'has' if len(idle) == 1 else 'have'} no effect on role '{item.role}'"
            )
    for number, asked in enumerate(policy.promises, start=1):
        if asked.parameters.get("k") == 1:
            yield f"{place_of(('promises', number))}: k = 1 promises nothing: everybody stands out"
    measure = policy.method.objective.measure
    weighed = [name for name in policy.quasi_identifiers if policy.attributes[name].weight != 1]
    if weighed and "weights" not in OBJECTIVE_SETTINGS[measure]:
        yield f"method.objective: measure '{measure}' does not use the attributes' weights"
    covered = {name for item in policy.promises for name in item.on or policy.quasi_identifiers}
    bare = [name for name in policy.quasi_identifiers if name not in covered]
    if bare:
        listed = ", ".join(f"'{name}'" for name in bare)
        yield f"promises: none covers quasi-identifier {listed}: who knows it may tell people apart"


def _roleless(columns: Sequence[str], remedy: str, table: str = "") -> Problem:
    listed = ", ".join(f"'{name}'" for name in columns)
    which, has = ("this column", "has") if len(columns) == 1 else ("these columns", "have")
    of = f" of {table}" if table else ""
    return Problem("attribute-without-role", f"{which}{of} {has} no role: {listed}", remedy=remedy)


def _promise_keys(item: Requirement) -> dict[str, Any]:
    keys: dict[str, Any] = {"model": item.model, **item.parameters}
    if item.on is not None:
        keys["on"] = list(item.on)
    if item.sensitive is not None:
        keys["sensitive"] = item.sensitive
    if item.unit != "record":
        keys["unit"] = item.unit
    if item.reference != "published":
        keys["reference"] = item.reference
    return keys


def _hierarchy_file(directory: str | Path | None, attribute: str) -> Path | None:
    if directory is None:
        return None
    from indistinct.hierarchies.files import find_hierarchy

    return find_hierarchy(Path(directory), attribute)
